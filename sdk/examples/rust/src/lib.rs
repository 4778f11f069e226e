//! z = 2x + y in two ways, in Rust. To make it yours: 1. name the problem and its axes in the tables; 2. declare tensors and
//! work in `setup`; 3. state the right outputs in `reference`; 4. write one function per variant; 5. list them in the tables.
use gpubench::*;

// ---- The problem ----

fn setup(case: Case) -> Outcome {
    let n = case.i64("n");
    for (name, role) in [(c!("x"), GB_IN), (c!("y"), GB_IN), (c!("z"), GB_OUT)] {
        case.declare(&gb_tensor {
            name, role, dtype: GB_DTYPE_F32, rank: 1, shape: &n, fill: GB_FILL_NORMAL, fill_b: 1.0, reduction: 2, ..gb_tensor::NEW
        })?;
    }
    let bytes = 4 * n as u64;
    case.work(&gb_work { flops: 2 * n as u64, bytes_read: 2 * bytes, bytes_written: bytes, ..gb_work::NEW })
}

fn reference(case: Case) -> Outcome {
    let n = case.size("n");
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
    case.input("x", 0, &mut x)?;
    case.input("y", 0, &mut y)?;
    let z: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
    case.expect("z", 0, &z)
}

// ---- Timed code ----

fn indices(case: Case) -> Outcome {
    let (x, y, z) = (case.data::<f32>("x"), case.data::<f32>("y"), case.data_mut::<f32>("z"));
    for i in 0..z.len() {
        z[i] = 2.0 * x[i] + y[i];
    }
    Ok(())
}

fn iterators(case: Case) -> Outcome {
    let (x, y, z) = (case.data::<f32>("x"), case.data::<f32>("y"), case.data_mut::<f32>("z"));
    for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
        *z = 2.0 * x + y;
    }
    Ok(())
}

// ---- The tables ----

static N: gb_axis = gb_axis { type_: GB_I64, name: c!("n"), values: c!("1M:16M:x4"), ..gb_axis::NEW };
static INDICES: gb_variant = gb_variant {
    flags: GB_VARIANT_BASELINE, name: c!("indices"), backend: c!("cpu"), math: c!("fp32"), run: slot(indices), ..gb_variant::NEW
};
static ITERATORS: gb_variant = gb_variant {
    name: c!("iterators"), backend: c!("cpu"), math: c!("fp32"), run: slot(iterators), ..gb_variant::NEW
};
static BENCH: gb_bench = gb_bench {
    name: c!("axpy"), contract: c!("example.org/myrust/axpy/1"), axes: list![N], variants: list![INDICES, ITERATORS],
    setup: slot(setup), reference: slot(reference), ..gb_bench::NEW
};

fn open(registry: &Registry) -> Outcome {
    registry.add(&BENCH)
}

plugin!("myrust", "0.1.0", open);
