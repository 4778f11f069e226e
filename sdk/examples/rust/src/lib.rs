//! z = 2x + y in two ways, in Rust. gpubench.rs holds the ABI; everything else is here. To make it yours: 1. name the
//! problem and its axes in the tables; 2. declare tensors and work in `setup`; 3. say what is right in `reference`; 4. write
//! one function per variant; 5. list them in the tables.
#[rustfmt::skip]
mod gpubench;

use gpubench::*;
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

// ---- The host's services, fetched once in `open` ----

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

/// A NULL-ended list of tables.
struct List<T, const N: usize>([*const T; N]);
unsafe impl<T, const N: usize> Sync for List<T, N> {}

// ---- The problem ----

fn length(case: *mut gb_case) -> usize {
    call!(POINT.i64(case, c("n\0"))) as usize
}

unsafe extern "C" fn setup(_: *const gb_bench, case: *mut gb_case, _: *mut *mut c_void) -> gb_status {
    let n = length(case) as i64;
    for (name, role) in [("x\0", GB_IN), ("y\0", GB_IN), ("z\0", GB_OUT)] {
        let tensor = gb_tensor {
            role, dtype: GB_DTYPE_F32, rank: 1, name: c(name), shape: &n, fill: GB_FILL_NORMAL, fill_b: 1.0, reduction: 2,
            ..gb_tensor::NEW
        };
        let status = call!(TENSOR.declare(case, &tensor));
        if status != GB_OK {
            return status;
        }
    }
    let bytes = 4 * n as u64;
    call!(POINT.work(case, &gb_work { flops: 2 * n as u64, bytes_read: 2 * bytes, bytes_written: bytes, ..gb_work::NEW }))
}

unsafe extern "C" fn reference(_: *const gb_bench, case: *mut gb_case, _: *mut c_void) -> gb_status {
    let n = length(case);
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
    for (name, values) in [("x\0", &mut x), ("y\0", &mut y)] {
        let status = call!(TENSOR.input(case, c(name), 0, n as u64, values.as_mut_ptr()));
        if status != GB_OK {
            return status;
        }
    }
    let z: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
    call!(TENSOR.expect(case, c("z\0"), 0, n as u64, z.as_ptr()))
}

// ---- What is timed ----

fn tensors<'a>(case: *mut gb_case) -> (&'a [f32], &'a [f32], &'a mut [f32]) {
    let n = length(case);
    let data = |name| call!(TENSOR.data(case, c(name))) as *mut f32;
    unsafe {
        (slice::from_raw_parts(data("x\0"), n), slice::from_raw_parts(data("y\0"), n), slice::from_raw_parts_mut(data("z\0"), n))
    }
}

unsafe extern "C" fn indices(_: *const gb_variant, case: *mut gb_case, _: *mut c_void) -> gb_status {
    let (x, y, z) = tensors(case);
    for i in 0..z.len() {
        z[i] = 2.0 * x[i] + y[i];
    }
    GB_OK
}

unsafe extern "C" fn iterators(_: *const gb_variant, case: *mut gb_case, _: *mut c_void) -> gb_status {
    let (x, y, z) = tensors(case);
    for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
        *z = 2.0 * x + y;
    }
    GB_OK
}

// ---- The tables ----

static N: gb_axis = gb_axis { type_: GB_I64, name: c("n\0"), values: c("1M:16M:x4\0"), ..gb_axis::NEW };
static INDICES: gb_variant = gb_variant {
    flags: GB_VARIANT_BASELINE, name: c("indices\0"), backend: c("cpu\0"), math: c("fp32\0"), run: Some(indices), ..gb_variant::NEW
};
static ITERATORS: gb_variant = gb_variant {
    name: c("iterators\0"), backend: c("cpu\0"), math: c("fp32\0"), run: Some(iterators), ..gb_variant::NEW
};
static AXES: List<gb_axis, 2> = List([&N, null()]);
static VARIANTS: List<gb_variant, 3> = List([&INDICES, &ITERATORS, null()]);
static BENCH: gb_bench = gb_bench {
    name: c("axpy\0"), contract: c("example.org/myrust/axpy/1\0"), axes: AXES.0.as_ptr(), variants: VARIANTS.0.as_ptr(),
    setup: Some(setup), reference: Some(reference), ..gb_bench::NEW
};

unsafe extern "C" fn open(host: *const gb_host, registry: *mut gb_registry, _: *mut *mut c_void) -> gb_status {
    let host_table = &*host;
    let (extension, fail) = (host_table.extension.unwrap(), host_table.fail.unwrap());
    POINT.store(extension(host, c(GB_EXT_CASE)) as *mut gb_case_ext, Relaxed);
    TENSOR.store(extension(host, c(GB_EXT_TENSOR)) as *mut gb_tensor_ext, Relaxed);
    if POINT.load(Relaxed).is_null() || TENSOR.load(Relaxed).is_null() {
        return fail(host, null_mut(), GB_ENOTSUP, c("this host lacks gb.case/1 or gb.tensor/1\0"));
    }
    host_table.add.unwrap()(host, registry, &BENCH)
}

/// The one symbol that the host looks for.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static gb_plugin_v1: gb_plugin = gb_plugin {
    magic: GB_MAGIC, abi_built: GB_ABI_VERSION, abi_needed: 0x00010000, id: c("myrust\0"), version: c("0.1.0\0"), open: Some(open),
    ..gb_plugin::NEW
};
