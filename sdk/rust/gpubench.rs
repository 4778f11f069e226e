//! Plugins for gpubench in Rust: the tables of the ABI, and helpers that let a plugin be safe code, as gpubench/sugar.h has
//! them for C. The helpers are no part of the ABI and may change. The C headers, gpubench/gpubench.h and gpubench/ext/*.h,
//! document when each callback is entered, and its rules.
#[rustfmt::skip]
mod abi;

pub use abi::*;
use std::any::{type_name, Any};
use std::cell::UnsafeCell;
use std::error::Error;
use std::ffi::{CStr, CString};
use std::fmt::Display;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::{mem, slice};

// ---- Failures ----

/// The reason why a callback does not return GB_OK. `?` converts every `std::error::Error` to one.
pub struct Fault {
    status: gb_status,
    text: Option<String>, // the message; without one the host has recorded its own
}

pub type Outcome<T = ()> = Result<T, Fault>;

impl Fault {
    pub fn new(status: gb_status, text: String) -> Fault {
        Fault { status, text: Some(text) }
    }
}

impl<E: Error> From<E> for Fault {
    fn from(error: E) -> Fault {
        Fault::new(GB_EFAIL, error.to_string())
    }
}

/// Leaves the callback: `fail!(GB_SKIP, "d is {}: 128 at most", d)`.
#[macro_export]
macro_rules! fail {
    ($status:expr, $($format:tt)*) => { return Err($crate::Fault::new($status, format!($($format)*))) };
}

/// Converts the status of a service.
pub fn ok(status: gb_status) -> Outcome {
    if status == GB_OK { Ok(()) } else { Err(Fault { status, text: None }) }
}

static PANIC: Mutex<String> = Mutex::new(String::new()); // message of the first panic in a callback, on any thread

fn note_panics() {
    set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(|text| &text[..]).or(payload.downcast_ref::<&str>().copied());
        let mut first = PANIC.lock().unwrap();
        if let (true, Some(at)) = (first.is_empty(), info.location()) {
            *first = format!("panicked at {}:{}: {}", at.file(), at.line(), text.unwrap_or("no text"));
        }
    }));
}

/// Runs a callback's body and turns a panic, which must not leave a callback, into a failure.
fn guard<T>(body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    PANIC.lock().unwrap().clear();
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| fail!(GB_EFAIL, "{}", mem::take(&mut *PANIC.lock().unwrap())))
}

fn told(host: &gb_host, case: *mut gb_case, outcome: Outcome) -> gb_status {
    match outcome {
        Ok(()) => GB_OK,
        Err(Fault { status, text: None }) => status,
        Err(Fault { status, text: Some(text) }) => unsafe { (host.fail)(host, case, status, text_of(text).as_ptr()) },
    }
}

// ---- The host's services, fetched once in `open` and read-only afterwards ----

macro_rules! services {
    ($($name:ident: $table:ident = $id:ident,)*) => {
        /// The service tables, for calls without a method of `Case`: `ok(unsafe { (gb().graph.node)(case.raw(), &node) })?`.
        pub struct Services {
            pub host: &'static gb_host,
            $(pub $name: &'static $table,)*
        }

        fn fetch(host: &'static gb_host) -> Outcome<Services> {
            Ok(Services { host, $($name: unsafe { &*(need(host, $id)? as *const $table) },)* })
        }
    };
}

services! {
    point: gb_case_ext = GB_EXT_CASE,
    device: gb_device_ext = GB_EXT_DEVICE,
    devices: gb_devices_ext = GB_EXT_DEVICES,
    tensor: gb_tensor_ext = GB_EXT_TENSOR,
    mem: gb_mem_ext = GB_EXT_MEM,
    cuda: gb_cuda_ext = GB_EXT_CUDA,
    rng: gb_rng_ext = GB_EXT_RNG,
    input: gb_input_ext = GB_EXT_INPUT,
    progress: gb_progress_ext = GB_EXT_PROGRESS,
    graph: gb_graph_ext = GB_EXT_GRAPH,
    note: gb_note_ext = GB_EXT_NOTE,
    option: gb_option_ext = GB_EXT_OPTION,
    scratch: gb_scratch_ext = GB_EXT_SCRATCH,
    metric: gb_metric_ext = GB_EXT_METRIC,
}

struct Fetched(UnsafeCell<Option<Services>>);
unsafe impl Sync for Fetched {} // written in `open`, before any other callback
static GB: Fetched = Fetched(UnsafeCell::new(None));

pub fn gb() -> &'static Services {
    unsafe { (*GB.0.get()).as_ref() }.expect("services are there from `open` on")
}

fn need(host: &gb_host, id: &'static str) -> Outcome<*const c_void> {
    let table = unsafe { (host.extension)(host, id.as_ptr().cast()) };
    if table.is_null() {
        fail!(GB_ENOTSUP, "this host has no extension {}", &id[..id.len() - 1]);
    }
    Ok(table)
}

// ---- Texts ----

/// A NUL-ended text for a table.
#[macro_export]
macro_rules! c {
    ($text:expr) => { concat!($text, "\0").as_ptr() as *const std::os::raw::c_char };
}

/// A NULL-ended list of tables: `variants: list![LOOP, THREADS]`.
#[macro_export]
macro_rules! list {
    ($($table:expr),*) => { &[$(&$table as *const _,)* std::ptr::null()] as *const _ };
}

fn text_of(text: impl Display) -> CString {
    CString::new(text.to_string().replace('\0', " ")).unwrap()
}

/// A NUL-ended name without heap memory, so that `run` allocates nothing.
struct Name([u8; 64]);

impl Name {
    #[track_caller]
    fn of(name: &str) -> Name {
        let mut bytes = [0; 64];
        assert!(name.len() < bytes.len(), "no name is as long as '{name}'");
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        Name(bytes)
    }

    fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

// ---- A case ----

/// The Rust types of a tensor's elements; a dtype without a Rust type has its bits as an integer.
pub trait Element: Copy {
    const DTYPES: &'static [u32];
}

macro_rules! elements {
    ($($type:ty: $($dtype:ident)*;)*) => { $(impl Element for $type { const DTYPES: &'static [u32] = &[$($dtype),*]; })* };
}

elements! { f64: GB_DTYPE_F64; f32: GB_DTYPE_F32; u16: GB_DTYPE_F16 GB_DTYPE_BF16; i32: GB_DTYPE_I32; u8: GB_DTYPE_U8 GB_DTYPE_E4M3; }

#[derive(Clone, Copy)]
pub struct Case<'a>(*mut gb_case, PhantomData<&'a gb_case>);

impl<'a> Case<'a> {
    pub fn raw(self) -> *mut gb_case {
        self.0
    }

    pub fn i64(self, axis: &str) -> i64 {
        unsafe { (gb().point.i64)(self.0, Name::of(axis).as_ptr()) }
    }

    pub fn f64(self, axis: &str) -> f64 {
        unsafe { (gb().point.f64)(self.0, Name::of(axis).as_ptr()) }
    }

    pub fn str(self, axis: &str) -> &'a str {
        unsafe { CStr::from_ptr((gb().point.str)(self.0, Name::of(axis).as_ptr())) }.to_str().unwrap_or("")
    }

    /// An integer axis as a length.
    pub fn size(self, axis: &str) -> usize {
        self.i64(axis) as usize
    }

    /// For `supports`: fails with GB_SKIP if an integer axis lies outside `least` to `most`.
    pub fn within(self, axis: &str, least: i64, most: i64) -> Outcome {
        let value = self.i64(axis);
        if value < least || value > most {
            fail!(GB_SKIP, "{axis} is {value}: must be {least} to {most}");
        }
        Ok(())
    }

    pub fn seed(self) -> u64 {
        unsafe { (gb().point.seed)(self.0) }
    }

    /// For `reference` and `verify`: a random number, new in each, for drawing the elements that are compared.
    pub fn places(self) -> u64 {
        unsafe { (gb().point.places)(self.0) }
    }

    pub fn work(self, work: &gb_work) -> Outcome {
        ok(unsafe { (gb().point.work)(self.0, work) })
    }

    /// The number of CPU threads to use: that of the device, but at least 1 and at most `most`.
    pub fn threads(self, most: usize) -> usize {
        let threads = unsafe { (gb().device.i64)(self.0, c!("threads")) };
        (threads.max(1) as usize).min(most.max(1))
    }

    pub fn declare(self, tensor: &gb_tensor) -> Outcome {
        ok(unsafe { (gb().tensor.declare)(self.0, tensor) })
    }

    /// The address of a tensor: in device memory, if the device has its own. Panics if there is no such tensor.
    #[track_caller]
    pub fn address(self, tensor: &str) -> *mut c_void {
        let address = unsafe { (gb().tensor.data)(self.0, Name::of(tensor).as_ptr()) };
        assert!(!address.is_null(), "there is no tensor '{tensor}'");
        address
    }

    #[track_caller]
    fn extent<T: Element>(self, tensor: &str) -> usize {
        let (name, gb) = (Name::of(tensor), gb().tensor);
        let dtype = unsafe { (gb.dtype)(self.0, name.as_ptr()) };
        assert!(T::DTYPES.contains(&dtype), "the elements of '{tensor}' are no {}", type_name::<T>());
        let spans = |axis| unsafe { ((gb.dim)(self.0, name.as_ptr(), axis) - 1) * (gb.stride)(self.0, name.as_ptr(), axis) };
        1 + (0..unsafe { (gb.rank)(self.0, name.as_ptr()) }).map(spans).sum::<i64>() as usize
    }

    /// A tensor in host memory, as it is laid out there. Panics if there is no such tensor, or if it has another type. Each
    /// call searches by name: if `run` takes only microseconds, keep `address` in the state.
    #[track_caller]
    pub fn data<T: Element>(self, tensor: &str) -> &'a [T] {
        unsafe { slice::from_raw_parts(self.address(tensor).cast(), self.extent::<T>(tensor)) }
    }

    /// The same, to be written. Ask once for each tensor: two results would alias.
    #[track_caller]
    #[allow(clippy::mut_from_ref)]
    pub fn data_mut<T: Element>(self, tensor: &str) -> &'a mut [T] {
        unsafe { slice::from_raw_parts_mut(self.address(tensor).cast(), self.extent::<T>(tensor)) }
    }

    /// Reads elements of an input from logical index `first` on, as float64.
    pub fn input(self, tensor: &str, first: usize, to: &mut [f64]) -> Outcome {
        ok(unsafe { (gb().tensor.input)(self.0, Name::of(tensor).as_ptr(), first as u64, to.len() as u64, to.as_mut_ptr()) })
    }

    /// Reads elements of an output. Only in `verify`.
    pub fn output(self, tensor: &str, first: usize, to: &mut [f64]) -> Outcome {
        ok(unsafe { (gb().tensor.output)(self.0, Name::of(tensor).as_ptr(), first as u64, to.len() as u64, to.as_mut_ptr()) })
    }

    /// States the expected elements of an output. Only in `reference`.
    pub fn expect(self, tensor: &str, first: usize, values: &[f64]) -> Outcome {
        ok(unsafe { (gb().tensor.expect)(self.0, Name::of(tensor).as_ptr(), first as u64, values.len() as u64, values.as_ptr()) })
    }

    /// Sets a note on the variant being prepared: `case.note("threads", count)`.
    pub fn note(self, key: &str, text: impl Display) -> Outcome {
        ok(unsafe { (gb().note.set)(self.0, Name::of(key).as_ptr(), text_of(text).as_ptr()) })
    }

    pub fn metric(self, name: &str, value: f64) -> Outcome {
        ok(unsafe { (gb().metric.add)(self.0, Name::of(name).as_ptr(), value) })
    }
}

// ---- Slots ----

/// A callback field of gb_variant or gb_bench that calls the function F.
pub trait Slot<F, As> {
    const ENTRY: Self;
}

/// Makes a callback of a function: `run: slot(run)` with `fn run(case: Case) -> Outcome`. `prepare` and `setup` may return a
/// state, `Outcome<S>`; then the other callbacks may be `fn(Case, &mut S) -> Outcome`, and `release` or `teardown` must be
/// `freed()`.
pub const fn slot<F: Copy, As, S: Slot<F, As>>(_: F) -> S {
    S::ENTRY
}

type Asked<T> = unsafe extern "C" fn(*const T, *mut gb_case) -> gb_status;
type Numbered<T> = unsafe extern "C" fn(*const T, *mut gb_case) -> u32;
type Begun<T> = unsafe extern "C" fn(*const T, *mut gb_case, *mut *mut c_void) -> gb_status;
type Entered<T> = unsafe extern "C" fn(*const T, *mut gb_case, *mut c_void) -> gb_status;
type Ended<T> = unsafe extern "C" fn(*const T, *mut gb_case, *mut c_void);
type State = Box<dyn Any>;

/// Calls a function that is known by its type F alone: the type of a function item has no size.
unsafe fn enter<'a, F: Copy>(case: *mut gb_case, body: impl FnOnce(F, Case<'a>) -> Outcome) -> gb_status {
    assert!(mem::size_of::<F>() == 0, "a slot takes a function, not a pointer to one");
    told(gb().host, case, guard(|| body(mem::transmute_copy(&()), Case(case, PhantomData))))
}

impl<T, F: Copy + Fn(Case) -> Outcome> Slot<F, ()> for Option<Asked<T>> {
    const ENTRY: Self = {
        unsafe extern "C" fn entry<T, F: Copy + Fn(Case) -> Outcome>(_: *const T, case: *mut gb_case) -> gb_status {
            enter(case, |f: F, case| f(case))
        }
        Some(entry::<T, F>)
    };
}

/// `minor_of: slot(minor_of)` with `fn minor_of(case: Case) -> u32`.
impl<T, F: Copy + Fn(Case) -> u32> Slot<F, ()> for Option<Numbered<T>> {
    const ENTRY: Self = {
        unsafe extern "C" fn entry<T, F: Copy + Fn(Case) -> u32>(_: *const T, case: *mut gb_case) -> u32 {
            let mut minor = u32::MAX; // stays so if the function panics, which the message tells
            enter(case, |f: F, case| {
                minor = f(case);
                Ok(())
            });
            minor
        }
        Some(entry::<T, F>)
    };
}

impl<T, F: Copy + Fn(Case) -> Outcome> Slot<F, ()> for Option<Entered<T>> {
    const ENTRY: Self = {
        unsafe extern "C" fn entry<T, F: Copy + Fn(Case) -> Outcome>(_: *const T, case: *mut gb_case, _: *mut c_void) -> gb_status {
            enter(case, |f: F, case| f(case))
        }
        Some(entry::<T, F>)
    };
}

impl<T, S: 'static, F: Copy + Fn(Case, &mut S) -> Outcome> Slot<F, (S,)> for Option<Entered<T>> {
    const ENTRY: Self = {
        unsafe extern "C" fn entry<T, S: 'static, F: Copy + Fn(Case, &mut S) -> Outcome>(
            _: *const T, case: *mut gb_case, state: *mut c_void,
        ) -> gb_status {
            let state = (state as *mut State).as_mut().and_then(|state| state.downcast_mut());
            let none = || Fault::new(GB_EINVAL, format!("prepare or setup returned no {}", type_name::<S>()));
            enter(case, |f: F, case| f(case, state.ok_or_else(none)?))
        }
        Some(entry::<T, S, F>)
    };
}

impl<T, S: 'static, F: Copy + Fn(Case) -> Outcome<S>> Slot<F, (S,)> for Option<Begun<T>> {
    const ENTRY: Self = {
        unsafe extern "C" fn entry<T, S: 'static, F: Copy + Fn(Case) -> Outcome<S>>(
            _: *const T, case: *mut gb_case, to: *mut *mut c_void,
        ) -> gb_status {
            enter(case, |f: F, case| {
                let state = f(case)?;
                *to = if mem::size_of::<S>() == 0 { null_mut() } else { Box::into_raw(Box::<State>::new(Box::new(state))).cast() };
                Ok(())
            })
        }
        Some(entry::<T, S, F>)
    };
}

/// The `release` or `teardown` that drops the state.
pub const fn freed<T>() -> Option<Ended<T>> {
    unsafe extern "C" fn entry<T>(_: *const T, _: *mut gb_case, state: *mut c_void) {
        if !state.is_null() {
            let state = Box::from_raw(state as *mut State);
            if let Err(Fault { text: Some(text), .. }) = guard(|| Ok(drop(state))) {
                (gb().host.log)(gb().host, GB_LOG_WARNING, text_of(text).as_ptr());
            }
        }
    }
    Some(entry::<T>)
}

// ---- The entry ----

/// Takes benches and variants during `open`.
pub struct Registry(*mut gb_registry);

impl Registry {
    /// Offers a bench of this plugin with its variants.
    pub fn add(&self, bench: &'static gb_bench) -> Outcome {
        ok(unsafe { (gb().host.add)(gb().host, self.0, bench) })
    }

    /// Offers a variant for the bench with this contract, whichever plugin owns it.
    pub fn attach(&self, contract: &str, variant: &'static gb_variant) -> Outcome {
        ok(unsafe { (gb().host.attach)(gb().host, self.0, text_of(contract).as_ptr(), variant) })
    }

    pub fn raw(&self) -> *mut gb_registry {
        self.0
    }
}

#[doc(hidden)]
pub unsafe fn opened(host: *const gb_host, registry: *mut gb_registry, open: fn(&Registry) -> Outcome) -> gb_status {
    let host: &'static gb_host = &*host;
    note_panics();
    let outcome = guard(|| {
        let services = fetch(host)?;
        *GB.0.get() = Some(services);
        open(&Registry(registry))
    });
    told(host, null_mut(), outcome)
}

/// The one symbol that the host looks for: `plugin!("mine", "0.1.0", open);` with `fn open(registry: &Registry) -> Outcome`.
#[macro_export]
macro_rules! plugin {
    ($id:expr, $version:expr, $open:path) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static gb_plugin_v1: $crate::gb_plugin = {
            unsafe extern "C" fn entry(
                host: *const $crate::gb_host, registry: *mut $crate::gb_registry, _: *mut *mut std::os::raw::c_void,
            ) -> $crate::gb_status {
                $crate::opened(host, registry, $open)
            }
            $crate::gb_plugin {
                magic: $crate::GB_MAGIC, abi_built: $crate::GB_ABI_VERSION, abi_needed: 0x00010000, id: $crate::c!($id),
                version: $crate::c!($version), open: Some(entry), ..$crate::gb_plugin::NEW
            }
        };
    };
}
