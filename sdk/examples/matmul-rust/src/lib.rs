//! Your own c = a b^T in the table matmul/gemm, in Rust; `gpubench list --contract matmul/gemm` says what it may rely on. To
//! make it yours: 1. write every element of c in `run`; 2. say in `supports` what it cannot run; 3. name the variant. What
//! is done once goes to a `prepare`, another kernel to another gb_variant and attach.
#[rustfmt::skip]
mod gpubench;

use gpubench::*;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::ptr::null_mut;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

// ---- The host's services, fetched once in `open` ----

static HOST: AtomicPtr<gb_host> = AtomicPtr::new(null_mut());
static POINT: AtomicPtr<gb_case_ext> = AtomicPtr::new(null_mut());
static TENSOR: AtomicPtr<gb_tensor_ext> = AtomicPtr::new(null_mut());

/// Slots of the host's tables are never NULL.
macro_rules! call {
    ($table:ident . $slot:ident ( $($argument:expr),* )) => {
        unsafe { ((*$table.load(Relaxed)).$slot.unwrap())($($argument),*) }
    };
}

/// A text that ends as C's do.
const fn c(text: &'static str) -> *const c_char {
    assert!(text.as_bytes()[text.len() - 1] == 0, "a text needs \\0 at its end");
    text.as_ptr() as *const c_char
}

fn skip(case: *mut gb_case, why: &'static str) -> gb_status {
    call!(HOST.fail(HOST.load(Relaxed), case, GB_SKIP, c(why)))
}

fn extent(case: *mut gb_case, axis: &'static str) -> usize {
    call!(POINT.i64(case, c(axis))) as usize
}

fn is(case: *mut gb_case, axis: &'static str, value: &str) -> bool {
    let text = call!(POINT.str(case, c(axis)));
    unsafe { CStr::from_ptr(text) }.to_bytes() == value.as_bytes()
}

fn data(case: *mut gb_case, tensor: &'static str) -> *mut f32 {
    call!(TENSOR.data(case, c(tensor))) as *mut f32
}

// ---- The variant ----

const LANES: usize = 16; // sums in registers: 16 lanes for each of 4 columns of c
const COLUMNS: usize = 4;

unsafe extern "C" fn supports(_: *const gb_variant, case: *mut gb_case) -> gb_status {
    if is(case, "dtype\0", "fp32") { GB_OK } else { skip(case, "fp32 only\0") }
}

/// One row of a against so many rows of b.
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

unsafe extern "C" fn run(_: *const gb_variant, case: *mut gb_case, _: *mut c_void) -> gb_status {
    let (m, n, k) = (extent(case, "m\0"), extent(case, "n\0"), extent(case, "k\0"));
    let a = slice::from_raw_parts(data(case, "a\0"), m * k);
    let b = slice::from_raw_parts(data(case, "b\0"), n * k);
    let c = slice::from_raw_parts_mut(data(case, "c\0"), m * n);
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
    GB_OK
}

static VARIANT: gb_variant = gb_variant {
    name: c("lanes\0"), backend: c("cpu\0"), math: c("fp32\0"), supports: Some(supports), run: Some(run), ..gb_variant::NEW
};

unsafe extern "C" fn open(host: *const gb_host, registry: *mut gb_registry, _: *mut *mut c_void) -> gb_status {
    let host_table = &*host;
    let (extension, fail) = (host_table.extension.unwrap(), host_table.fail.unwrap());
    HOST.store(host as *mut gb_host, Relaxed);
    POINT.store(extension(host, c(GB_EXT_CASE)) as *mut gb_case_ext, Relaxed);
    TENSOR.store(extension(host, c(GB_EXT_TENSOR)) as *mut gb_tensor_ext, Relaxed);
    if POINT.load(Relaxed).is_null() || TENSOR.load(Relaxed).is_null() {
        return fail(host, null_mut(), GB_ENOTSUP, c("this host lacks gb.case/1 or gb.tensor/1\0"));
    }
    host_table.attach.unwrap()(host, registry, c("gpubench.org/matmul/gemm/1\0"), &VARIANT)
}

/// The one symbol that the host looks for.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static gb_plugin_v1: gb_plugin = gb_plugin {
    magic: GB_MAGIC, abi_built: GB_ABI_VERSION, abi_needed: 0x00010000, id: c("mymatmul\0"), version: c("0.1.0\0"), open: Some(open),
    ..gb_plugin::NEW
};
