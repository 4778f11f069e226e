//! Your own attention in the table attention/forward, in Rust; `gpubench list --contract attention/forward` says what it may
//! rely on. To make it yours: 1. write every element of o in `run`; 2. say in `supports` what it cannot run; 3. name the
//! variant. What is done once goes to a `prepare`, another kernel to another gb_variant and attach.
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

const D_MOST: usize = 128;

unsafe extern "C" fn supports(_: *const gb_variant, case: *mut gb_case) -> gb_status {
    if !is(case, "dtype\0", "fp32") {
        return skip(case, "fp32 only\0");
    }
    if extent(case, "d\0") <= D_MOST { GB_OK } else { skip(case, "d: 128 at most\0") }
}

/// One query over its keys, with a running maximum and sum: no score is kept.
fn attend(q: &[f32], keys: &[f32], values: &[f32], o: &mut [f32]) {
    let (d, scale) = (q.len(), 1.0 / (q.len() as f32).sqrt());
    let (mut sums, mut top, mut sum) = ([0.0f32; D_MOST], f32::NEG_INFINITY, 0.0);
    for (k, v) in keys.chunks_exact(d).zip(values.chunks_exact(d)) {
        let score = scale * q.iter().zip(k).map(|(q, k)| q * k).sum::<f32>();
        let now = score.max(top);
        let (old, weight) = ((top - now).exp(), (score - now).exp());
        sum = sum * old + weight;
        for (total, v) in sums.iter_mut().zip(v) {
            *total = *total * old + weight * v;
        }
        top = now;
    }
    for (o, total) in o.iter_mut().zip(sums) {
        *o = total / sum;
    }
}

unsafe extern "C" fn run(_: *const gb_variant, case: *mut gb_case, _: *mut c_void) -> gb_status {
    let (s, d, causal) = (extent(case, "s\0"), extent(case, "d\0"), is(case, "causal\0", "yes"));
    let size = extent(case, "b\0") * extent(case, "h\0") * s * d;
    let tensor = |name| slice::from_raw_parts(data(case, name), size);
    let (q, k, v) = (tensor("q\0"), tensor("k\0"), tensor("v\0"));
    let o = slice::from_raw_parts_mut(data(case, "o\0"), size);
    for (row, (q, o)) in q.chunks_exact(d).zip(o.chunks_exact_mut(d)).enumerate() {
        let (head, query) = (row / s * s * d, row % s);
        let keys = head..head + d * if causal { query + 1 } else { s };
        attend(q, &k[keys.clone()], &v[keys], o);
    }
    GB_OK
}

static VARIANT: gb_variant = gb_variant {
    name: c("online\0"), backend: c("cpu\0"), math: c("native\0"), supports: Some(supports), run: Some(run), ..gb_variant::NEW
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
    host_table.attach.unwrap()(host, registry, c("gpubench.org/attention/forward/1\0"), &VARIANT)
}

/// The one symbol that the host looks for.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static gb_plugin_v1: gb_plugin = gb_plugin {
    magic: GB_MAGIC, abi_built: GB_ABI_VERSION, abi_needed: 0x00010000, id: c("myattention\0"), version: c("0.1.0\0"), open: Some(open),
    ..gb_plugin::NEW
};
