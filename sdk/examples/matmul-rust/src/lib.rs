//! c = a b^T in Rust, a guest of matmul/gemm, that is a variant of a bench that another plugin defines.
//! `gpubench list --contract matmul/gemm` prints what a variant must compute. To make it yours: 1. write every element of c
//! in `run`; 2. let `supports` return GB_SKIP for cases that it cannot run; 3. name the variant. Put work that is done once
//! into a `prepare`. For another kernel, add another gb_variant and attach it, too.
use gpubench::*;

const LANES: usize = 16; // sums in registers: 16 lanes for each of 4 columns of c
const COLUMNS: usize = 4;

fn supports(case: Case) -> Outcome {
    if case.str("dtype") == "fp32" { Ok(()) } else { fail!(GB_SKIP, "fp32 only") }
}

/// Dot products of one row of a with N rows of b.
fn dots<const N: usize>(a: &[f32], b: &[f32]) -> [f32; N] {
    let (k, whole) = (a.len(), a.len() / LANES * LANES);
    let mut sums = [[0.0f32; LANES]; N];
    for p in (0..whole).step_by(LANES) {
        let a: &[f32; LANES] = a[p..p + LANES].try_into().unwrap();
        for j in 0..N {
            let b: &[f32; LANES] = b[j * k + p..j * k + p + LANES].try_into().unwrap();
            for l in 0..LANES {
                sums[j][l] += a[l] * b[l];
            }
        }
    }
    std::array::from_fn(|j| {
        let rest: f32 = (whole..k).map(|p| a[p] * b[j * k + p]).sum();
        rest + sums[j].iter().sum::<f32>()
    })
}

fn run(case: Case) -> Outcome {
    let (n, k) = (case.size("n"), case.size("k"));
    let (a, b, c) = (case.data::<f32>("a"), case.data::<f32>("b"), case.data_mut::<f32>("c"));
    for (rows, j) in b.chunks(COLUMNS * k).zip((0..n).step_by(COLUMNS)) {
        for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
            if rows.len() == COLUMNS * k {
                c[j..j + COLUMNS].copy_from_slice(&dots::<COLUMNS>(a, rows));
            } else {
                for (b, c) in rows.chunks_exact(k).zip(&mut c[j..]) {
                    [*c] = dots::<1>(a, b);
                }
            }
        }
    }
    Ok(())
}

static VARIANT: gb_variant = gb_variant {
    name: c!("lanes"), backend: c!("cpu"), math: c!("fp32"), supports: slot(supports), run: slot(run), ..gb_variant::NEW
};

fn open(registry: &Registry) -> Outcome {
    registry.attach("gpubench.org/matmul/gemm/1", &VARIANT)
}

plugin!("mymatmul", "0.1.0", open);
