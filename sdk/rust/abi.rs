// The ABI of gpubench plugins for Rust, written by sdk/abi/make_rust.py. What the slots mean, when they are entered and what
// they may do is said in the C headers, gpubench/gpubench.h and gpubench/ext/*.h.
#![allow(non_camel_case_types)]

use std::mem::{size_of, transmute};
use std::os::raw::{c_char, c_void};

pub type gb_status = i32;

pub const GB_ABI_VERSION: u32 = 0x00010000;
pub const GB_MAGIC: u32 = 0x4C504247;
pub const GB_OK: i32 = 0;
pub const GB_SKIP: i32 = 1;
pub const GB_EINVAL: i32 = -1;
pub const GB_ENOMEM: i32 = -2;
pub const GB_EDEVICE: i32 = -3;
pub const GB_ENOTSUP: i32 = -4;
pub const GB_EFAIL: i32 = -5;
pub const GB_LOG_INFO: i32 = 1;
pub const GB_LOG_WARNING: i32 = 2;
pub const GB_I64: u32 = 1;
pub const GB_F64: u32 = 2;
pub const GB_STR: u32 = 3;
pub const GB_VARIANT_BASELINE: u32 = 1;
pub const GB_VARIANT_DERIVED: u32 = 2;
pub const GB_VARIANT_SYNC: u32 = 4;
pub const GB_VARIANT_NO_CAPTURE: u32 = 8;
pub const GB_VARIANT_YARDSTICK: u32 = 16;
pub const GB_VARIANT_BY_NAME: u32 = 32;
pub const GB_VARIANT_PROCESSES: u32 = 128;
pub const GB_BENCH_STATEFUL: u32 = 1;
pub const GB_BENCH_ITERABLE: u32 = 2;
pub const GB_BENCH_ENERGY: u32 = 4;
pub const GB_BENCH_NO_ROOF: u32 = 8;
pub const GB_BENCH_BY_NAME: u32 = 32;
pub const GB_EXT_CASE: &str = "gb.case/1\0";
pub const GB_EXT_CUDA: &str = "gb.cuda/1\0";
pub const GB_EXT_DEVICE: &str = "gb.device/1\0";
pub const GB_EXT_DEVICES: &str = "gb.devices/1\0";
pub const GB_EXT_GRAPH: &str = "gb.graph/1\0";
pub const GB_NODE_KERNEL: u32 = 1;
pub const GB_NODE_COPY: u32 = 2;
pub const GB_NODE_MEMSET: u32 = 3;
pub const GB_NODE_HOST: u32 = 4;
pub const GB_NODE_TENSOR: u32 = 5;
pub const GB_EXT_INPUT: &str = "gb.input/1\0";
pub const GB_EXT_MEM: &str = "gb.mem/1\0";
pub const GB_MEM_DEVICE: u32 = 1;
pub const GB_MEM_HOST: u32 = 2;
pub const GB_MEM_PINNED: u32 = 3;
pub const GB_EXT_METRIC: &str = "gb.metric/1\0";
pub const GB_BETTER_NEITHER: u32 = 0;
pub const GB_BETTER_MORE: u32 = 1;
pub const GB_BETTER_LESS: u32 = 2;
pub const GB_AGGREGATE_MEDIAN: u32 = 0;
pub const GB_AGGREGATE_MEAN: u32 = 1;
pub const GB_AGGREGATE_SUM: u32 = 2;
pub const GB_AGGREGATE_MIN: u32 = 3;
pub const GB_AGGREGATE_MAX: u32 = 4;
pub const GB_AGGREGATE_LAST: u32 = 5;
pub const GB_EXT_NOTE: &str = "gb.note/1\0";
pub const GB_EXT_OPTION: &str = "gb.option/2\0";
pub const GB_EXT_PROGRESS: &str = "gb.progress/1\0";
pub const GB_EXT_RNG: &str = "gb.rng/1\0";
pub const GB_EXT_SCRATCH: &str = "gb.scratch/1\0";
pub const GB_EXT_SCRIPT: &str = "gb.script/1\0";
pub const GB_EXT_TENSOR: &str = "gb.tensor/1\0";
pub const GB_DTYPE_F64: u32 = 1;
pub const GB_DTYPE_F32: u32 = 2;
pub const GB_DTYPE_F16: u32 = 3;
pub const GB_DTYPE_BF16: u32 = 4;
pub const GB_DTYPE_I32: u32 = 5;
pub const GB_DTYPE_U8: u32 = 6;
pub const GB_DTYPE_E4M3: u32 = 7;
pub const GB_IN: u32 = 1;
pub const GB_OUT: u32 = 2;
pub const GB_INOUT: u32 = 3;
pub const GB_SCRATCH: u32 = 4;
pub const GB_FILL_UNIFORM: u32 = 1;
pub const GB_FILL_NORMAL: u32 = 2;
pub const GB_FILL_BENCH: u32 = 3;
pub const GB_TENSOR_EXACT: u32 = 1;

#[repr(C)]
pub struct CUstream_st {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct gb_case {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct gb_registry {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_work {
    pub struct_size: u32,
    pub reserved: u32,
    pub flops: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub items: u64,
    pub item_unit: *const c_char,
}

impl gb_work {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_work {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_case_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub i64: unsafe extern "C" fn(c: *mut gb_case, axis: *const c_char) -> i64,
    pub f64: unsafe extern "C" fn(c: *mut gb_case, axis: *const c_char) -> f64,
    pub str: unsafe extern "C" fn(c: *mut gb_case, axis: *const c_char) -> *const c_char,
    pub key: unsafe extern "C" fn(c: *mut gb_case) -> *const c_char,
    pub contract: unsafe extern "C" fn(c: *mut gb_case) -> *const c_char,
    pub state: unsafe extern "C" fn(c: *mut gb_case) -> *mut c_void,
    pub math: unsafe extern "C" fn(c: *mut gb_case) -> *const c_char,
    pub seed: unsafe extern "C" fn(c: *mut gb_case) -> u64,
    pub work: unsafe extern "C" fn(c: *mut gb_case, work: *const gb_work) -> gb_status,
    pub places: unsafe extern "C" fn(c: *mut gb_case) -> u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_cuda_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub stream: unsafe extern "C" fn(c: *mut gb_case) -> *mut CUstream_st,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_device_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub i64: unsafe extern "C" fn(c: *mut gb_case, fact: *const c_char) -> i64,
    pub str: unsafe extern "C" fn(c: *mut gb_case, fact: *const c_char) -> *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_devices_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub count: unsafe extern "C" fn(c: *mut gb_case) -> u32,
    pub i64: unsafe extern "C" fn(c: *mut gb_case, device: u32, fact: *const c_char) -> i64,
    pub str: unsafe extern "C" fn(c: *mut gb_case, device: u32, fact: *const c_char) -> *const c_char,
    pub stream: unsafe extern "C" fn(c: *mut gb_case, device: u32) -> *mut CUstream_st,
    pub alloc: unsafe extern "C" fn(c: *mut gb_case, device: u32, bytes: u64) -> *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_graph_node {
    pub struct_size: u32,
    pub kind: u32,
    pub id: *const c_char,
    pub label: *const c_char,
    pub note: *const c_char,
    pub flops: u64,
    pub bytes: u64,
}

impl gb_graph_node {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_graph_node {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_graph_edge {
    pub struct_size: u32,
    pub reserved: u32,
    pub from: *const c_char,
    pub to: *const c_char,
    pub label: *const c_char,
    pub bytes: u64,
}

impl gb_graph_edge {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_graph_edge {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_graph_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub node: unsafe extern "C" fn(c: *mut gb_case, node: *const gb_graph_node) -> gb_status,
    pub edge: unsafe extern "C" fn(c: *mut gb_case, edge: *const gb_graph_edge) -> gb_status,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_input_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub write: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, first: u64, count: u64, values: *const f64) -> gb_status,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_mem_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub alloc: unsafe extern "C" fn(c: *mut gb_case, kind: u32, bytes: u64) -> *mut c_void,
    pub claim: unsafe extern "C" fn(c: *mut gb_case, kind: u32, bytes: u64) -> gb_status,
    pub free: unsafe extern "C" fn(c: *mut gb_case, memory: *mut c_void),
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_metric {
    pub struct_size: u32,
    pub better: u32,
    pub aggregate: u32,
    pub reserved: u32,
    pub name: *const c_char,
    pub unit: *const c_char,
    pub summary: *const c_char,
}

impl gb_metric {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_metric {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_metric_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub declare: unsafe extern "C" fn(c: *mut gb_case, metric: *const gb_metric) -> gb_status,
    pub add: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, value: f64) -> gb_status,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_note_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub set: unsafe extern "C" fn(c: *mut gb_case, key: *const c_char, text: *const c_char) -> gb_status,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_option {
    pub struct_size: u32,
    pub type_: u32,
    pub name: *const c_char,
    pub unit: *const c_char,
    pub summary: *const c_char,
    pub choices: *const c_char,
    pub value: *const c_char,
}

impl gb_option {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_option {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_option_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub declare: unsafe extern "C" fn(host: *const gb_host, registry: *mut gb_registry, option: *const gb_option) -> gb_status,
    pub i64: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char) -> i64,
    pub f64: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char) -> f64,
    pub str: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char) -> *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_progress_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub step: unsafe extern "C" fn(c: *mut gb_case, done: u64, total: u64) -> gb_status,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_rng_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub bits: unsafe extern "C" fn(seed: u64, stream: u64, index: u64) -> u64,
    pub below: unsafe extern "C" fn(seed: u64, stream: u64, index: u64, bound: u64) -> u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_scratch_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub directory: unsafe extern "C" fn(c: *mut gb_case) -> *const c_char,
    pub free_bytes: unsafe extern "C" fn(c: *mut gb_case) -> u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_script_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub path: unsafe extern "C" fn(host: *const gb_host) -> *const c_char,
    pub text: unsafe extern "C" fn(host: *const gb_host, bytes: *mut u64) -> *const c_char,
    pub axis: unsafe extern "C" fn(c: *mut gb_case, index: u32, type_: *mut u32) -> *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_tensor {
    pub struct_size: u32,
    pub role: u32,
    pub dtype: u32,
    pub rank: u32,
    pub name: *const c_char,
    pub shape: *const i64,
    pub strides: *const i64,
    pub align_bytes: u64,
    pub offset_bytes: u64,
    pub fill: u32,
    pub memory: u32,
    pub fill_a: f64,
    pub fill_b: f64,
    pub reduction: u64,
    pub tolerance: f64,
    pub flags: u32,
    pub reserved: u32,
}

impl gb_tensor {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_tensor {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_tensor_ext {
    pub struct_size: u32,
    pub reserved: u32,
    pub declare: unsafe extern "C" fn(c: *mut gb_case, tensor: *const gb_tensor) -> gb_status,
    pub data: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char) -> *mut c_void,
    pub dtype: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char) -> u32,
    pub rank: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char) -> u32,
    pub dim: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, axis: u32) -> i64,
    pub stride: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, axis: u32) -> i64,
    pub role: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char) -> u32,
    pub count: unsafe extern "C" fn(c: *mut gb_case) -> u32,
    pub name: unsafe extern "C" fn(c: *mut gb_case, index: u32) -> *const c_char,
    pub input: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, first: u64, count: u64, values: *mut f64) -> gb_status,
    pub input_strided: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, first: u64, stride: u64, count: u64, values: *mut f64) -> gb_status,
    pub output: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, first: u64, count: u64, values: *mut f64) -> gb_status,
    pub output_strided: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, first: u64, stride: u64, count: u64, values: *mut f64) -> gb_status,
    pub steps: unsafe extern "C" fn(c: *mut gb_case) -> u64,
    pub expect: unsafe extern "C" fn(c: *mut gb_case, name: *const c_char, first: u64, count: u64, values: *const f64) -> gb_status,
    pub lies_at: unsafe extern "C" fn(c: *mut gb_case, index: u32, memory: *const c_void) -> gb_status,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_plugin {
    pub magic: u32,
    pub struct_size: u32,
    pub abi_built: u32,
    pub abi_needed: u32,
    pub id: *const c_char,
    pub version: *const c_char,
    pub build: *const c_char,
    pub summary: *const c_char,
    pub open: Option<unsafe extern "C" fn(host: *const gb_host, registry: *mut gb_registry, this: *mut *mut c_void) -> gb_status>,
    pub close: Option<unsafe extern "C" fn(host: *const gb_host, this: *mut c_void)>,
}

impl gb_plugin {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_plugin {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_host {
    pub struct_size: u32,
    pub abi_version: u32,
    pub version: *const c_char,
    pub add: unsafe extern "C" fn(host: *const gb_host, registry: *mut gb_registry, bench: *const gb_bench) -> gb_status,
    pub attach: unsafe extern "C" fn(host: *const gb_host, registry: *mut gb_registry, contract: *const c_char, variant: *const gb_variant) -> gb_status,
    pub fail: unsafe extern "C" fn(host: *const gb_host, c: *mut gb_case, status: gb_status, message: *const c_char) -> gb_status,
    pub log: unsafe extern "C" fn(host: *const gb_host, level: i32, message: *const c_char),
    pub extension: unsafe extern "C" fn(host: *const gb_host, id: *const c_char) -> *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_axis_default {
    pub struct_size: u32,
    pub reserved: u32,
    pub backend: *const c_char,
    pub values: *const c_char,
}

impl gb_axis_default {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_axis_default {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_axis {
    pub struct_size: u32,
    pub type_: u32,
    pub name: *const c_char,
    pub unit: *const c_char,
    pub summary: *const c_char,
    pub choices: *const c_char,
    pub values: *const c_char,
    pub defaults: *const *const gb_axis_default,
}

impl gb_axis {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_axis {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_preset {
    pub struct_size: u32,
    pub reserved: u32,
    pub name: *const c_char,
    pub summary: *const c_char,
    pub point: *const c_char,
    pub backends: *const c_char,
}

impl gb_preset {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_preset {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_variant {
    pub struct_size: u32,
    pub flags: u32,
    pub name: *const c_char,
    pub summary: *const c_char,
    pub backend: *const c_char,
    pub math: *const c_char,
    pub contract_minor: u32,
    pub reserved: u32,
    pub user: *const c_void,
    pub supports: Option<unsafe extern "C" fn(this: *const gb_variant, c: *mut gb_case) -> gb_status>,
    pub prepare: Option<unsafe extern "C" fn(this: *const gb_variant, c: *mut gb_case, vstate: *mut *mut c_void) -> gb_status>,
    pub refresh: Option<unsafe extern "C" fn(this: *const gb_variant, c: *mut gb_case, vstate: *mut c_void) -> gb_status>,
    pub before: Option<unsafe extern "C" fn(this: *const gb_variant, c: *mut gb_case, vstate: *mut c_void) -> gb_status>,
    pub run: Option<unsafe extern "C" fn(this: *const gb_variant, c: *mut gb_case, vstate: *mut c_void) -> gb_status>,
    pub after: Option<unsafe extern "C" fn(this: *const gb_variant, c: *mut gb_case, vstate: *mut c_void) -> gb_status>,
    pub release: Option<unsafe extern "C" fn(this: *const gb_variant, c: *mut gb_case, vstate: *mut c_void)>,
}

impl gb_variant {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_variant {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gb_bench {
    pub struct_size: u32,
    pub flags: u32,
    pub name: *const c_char,
    pub contract: *const c_char,
    pub contract_minor: u32,
    pub reserved: u32,
    pub summary: *const c_char,
    pub axes: *const *const gb_axis,
    pub devices_axis: *const c_char,
    pub presets: *const *const gb_preset,
    pub variants: *const *const gb_variant,
    pub user: *const c_void,
    pub supports: Option<unsafe extern "C" fn(this: *const gb_bench, c: *mut gb_case) -> gb_status>,
    pub minor_of: Option<unsafe extern "C" fn(this: *const gb_bench, c: *mut gb_case) -> u32>,
    pub setup: Option<unsafe extern "C" fn(this: *const gb_bench, c: *mut gb_case, state: *mut *mut c_void) -> gb_status>,
    pub fill: Option<unsafe extern "C" fn(this: *const gb_bench, c: *mut gb_case, state: *mut c_void) -> gb_status>,
    pub reference: Option<unsafe extern "C" fn(this: *const gb_bench, c: *mut gb_case, state: *mut c_void) -> gb_status>,
    pub verify: Option<unsafe extern "C" fn(this: *const gb_bench, c: *mut gb_case, state: *mut c_void) -> gb_status>,
    pub teardown: Option<unsafe extern "C" fn(this: *const gb_bench, c: *mut gb_case, state: *mut c_void)>,
}

impl gb_bench {
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {
        let mut new: Self = unsafe { transmute([0u8; size_of::<Self>()]) };
        new.struct_size = size_of::<Self>() as u32;
        new
    };
}

unsafe impl Sync for gb_bench {}
