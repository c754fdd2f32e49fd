//! What xrun's host offers beside JVMPI: its own options. Other hosts do not have it.
#![allow(unsafe_code, reason = "functions that the host gave")]

use std::ffi::{CString, c_char, c_void};
use std::mem::{offset_of, size_of};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use jvmpi_headers::jni::{JNI_OK, JNIEnv, JavaVM, jint};
use jvmpi_headers::jvmpi::{JVMPI_CallTrace, JVMPI_SUCCESS};
use jvmpi_headers::xrun_ext::{
    XRUN_EXT_VERSION_1, XRUN_RESTS, XRUN_RUNS_JAVA, XRUN_UNKNOWN, XRun_Extension, XRun_ParkHandler,
};

use crate::ffi::host::{RawFrame, env_ptr};

/// What the host offers. Its structure may be an earlier one, which ends before some of the functions,
/// or a later one, which has more.
#[derive(Clone, Copy, Debug)]
struct Host {
    /// Readable for `size` bytes, for ever.
    functions: *const XRun_Extension,
    size: usize,
}

// SAFETY: nobody writes to the structure, and its functions may be called in any thread.
unsafe impl Send for Host {}
// SAFETY: likewise.
unsafe impl Sync for Host {}

static HOST: OnceLock<Host> = OnceLock::new();

/// A function of the host's by its name in [`XRun_Extension`]; `None` if the host has none.
macro_rules! function {
    ($host:expr, $name:ident) => {{
        const END: usize = offset_of!(XRun_Extension, $name) + size_of::<fn()>();
        let host: Option<&Host> = $host;
        host.filter(|host| END <= host.size).map(|host| {
            // SAFETY: it lies within what is readable.
            let place = unsafe { &raw const (*host.functions).$name };
            // SAFETY: and is a function; both for ever.
            unsafe { place.read() }
        })
    }};
}

impl Host {
    /// `None` if that is no structure of this kind.
    ///
    /// # Safety
    /// Null, or as many bytes as its first number says are readable for ever.
    unsafe fn at(functions: *const XRun_Extension) -> Option<Self> {
        if functions.is_null() {
            return None;
        }
        // SAFETY: each version begins with it.
        let size = unsafe { functions.cast::<jint>().read() };
        let size = usize::try_from(size).ok()?;
        let least = offset_of!(XRun_Extension, set_option);
        (size >= least).then_some(Self { functions, size })
    }
}

/// Gets it, if there is one.
///
/// # Safety
/// `vm` is the VM's own.
pub(super) unsafe fn connect(vm: *mut JavaVM) {
    let mut found: *mut c_void = ptr::null_mut();
    // SAFETY: the caller's promise.
    let functions = unsafe { *vm };
    // SAFETY: a VM's functions are there as long as it is.
    let functions = unsafe { &*functions };
    // SAFETY: GetEnv of this very VM, with room for a pointer.
    let code = unsafe { (functions.v1_2.GetEnv)(vm, &raw mut found, XRUN_EXT_VERSION_1) };
    if code != JNI_OK {
        return;
    }
    // SAFETY: whoever knows the version gives its structure, which never goes.
    if let Some(host) = unsafe { Host::at(found.cast()) } {
        HOST.get_or_init(|| host);
    }
}

/// Whether the host has options of its own.
pub(crate) fn is_there() -> bool {
    function!(HOST.get(), set_option).is_some()
}

/// Sets one; false if the host refuses, which it says itself.
///
/// # Phase
/// Before the first event is enabled.
pub(crate) fn set_option(name: &str, value: &str) -> bool {
    let set = function!(HOST.get(), set_option);
    let (Some(set), Ok(name), Ok(value)) = (set, CString::new(name), CString::new(value)) else {
        return false;
    };
    // SAFETY: C strings, which the host only reads.
    let code = unsafe { set(name.as_ptr(), value.as_ptr()) };
    code == JVMPI_SUCCESS
}

/// Whether the host's sampling has picked an object that OBJECT_ALLOC tells of, and it is not only
/// defined. True without one: every allocation is told of.
pub(crate) fn is_sampled(object: usize) -> bool {
    function!(HOST.get(), is_sampled).is_none_or(|is_sampled| {
        // SAFETY: the host looks the id up.
        unsafe { is_sampled(ptr::with_exposed_provenance_mut(object)) != 0 }
    })
}

/// Whether the VM's own dumper can write heap dumps.
pub(crate) fn can_dump_heap() -> bool {
    function!(HOST.get(), dump_heap).is_some_and(|dump| {
        // SAFETY: NULL only asks.
        unsafe { dump(ptr::null()) == JVMPI_SUCCESS }
    })
}

/// Lets it write one to `path`, where nothing is yet; false if it cannot, which the host says itself.
pub(crate) fn dump_heap(path: &Path) -> bool {
    let path = CString::new(path.as_os_str().as_bytes());
    let (Some(dump), Ok(path)) = (function!(HOST.get(), dump_heap), path) else {
        return false;
    };
    // SAFETY: a C string, which the host only reads.
    let code = unsafe { dump(path.as_ptr()) };
    code == JVMPI_SUCCESS
}

/// Has the host tell of parked threads; false if it does not.
pub(crate) fn watch_parks(parked: XRun_ParkHandler) -> bool {
    function!(HOST.get(), watch_parks).is_some_and(|watch| {
        // SAFETY: a function that never goes.
        unsafe { watch(Some(parked)) == JVMPI_SUCCESS }
    })
}

/// Has the host list who is parked now; nobody if it does not know the extension.
pub(crate) fn list_parked(each: XRun_ParkHandler) {
    if let Some(list) = function!(HOST.get(), list_parked) {
        // SAFETY: a function, which is called on this thread before the host's returns.
        unsafe { list(Some(each)) };
    }
}

/// The kernel's number of a thread; 0 if the host does not say.
pub(crate) fn kernel_thread(env: usize) -> i32 {
    function!(HOST.get(), get_kernel_thread).map_or(0, |get| {
        // SAFETY: the host looks the thread up.
        unsafe { get(env_ptr(env)) }
    })
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It waits, and uses its processor before it does anything else.
    Rests,
    RunsJava,
    Unknown,
}

/// What threads did when the host was asked last.
#[derive(Debug, Default)]
pub(crate) struct Activities {
    envs: Vec<*mut JNIEnv>,
    answers: Vec<jint>,
}

impl Activities {
    /// Whom to ask from now on.
    pub(crate) fn of(&mut self, envs: impl Iterator<Item = usize>) {
        self.envs.clear();
        self.envs.extend(envs.map(env_ptr));
    }

    /// Asks; for each what it does.
    pub(crate) fn ask(&mut self) -> impl Iterator<Item = Activity> {
        self.answers.clear();
        self.answers.resize(self.envs.len(), XRUN_UNKNOWN);
        if let Some(get) = function!(HOST.get(), get_activities) {
            let count = jint::try_from(self.envs.len()).unwrap_or(0);
            // SAFETY: as many threads, and room for as many answers.
            unsafe { get(count, self.envs.as_ptr(), self.answers.as_mut_ptr()) };
        }
        self.answers.iter().map(|&answer| match answer {
            XRUN_RESTS => Activity::Rests,
            XRUN_RUNS_JAVA => Activity::RunsJava,
            _ => Activity::Unknown,
        })
    }
}

/// The virtual threads that ran when the host was asked last.
#[derive(Debug, Default)]
pub(crate) struct Mounted(Vec<*mut JNIEnv>);

impl Mounted {
    /// Asks; false if the host does not say.
    pub(crate) fn ask(&mut self) -> bool {
        let Some(get) = function!(HOST.get(), get_mounted) else {
            return false;
        };
        // A processor each, mostly.
        let mut room = self.0.capacity().max(64);
        loop {
            self.0.resize(room, ptr::null_mut());
            let asked = jint::try_from(room).unwrap_or(jint::MAX);
            // SAFETY: room for so many.
            let count = unsafe { get(asked, self.0.as_mut_ptr()) };
            let count = usize::try_from(count).ok();
            self.0.truncate(count.unwrap_or(0));
            match count {
                Some(count) if count > room => room = count,
                count => return count.is_some(),
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn envs(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|env| env.expose_provenance())
    }
}

/// The stacks of threads where they run, each into its part of `frames`, of which as many are one
/// thread's as `depth` says; how many frames each has, `None` where it has to be stopped for that.
pub(crate) fn running_traces(
    envs: impl Iterator<Item = usize>,
    frames: &mut [RawFrame],
    depth: usize,
) -> Vec<Option<usize>> {
    let trace = |(env, frames): (usize, &mut [RawFrame])| JVMPI_CallTrace {
        env_id: env_ptr(env),
        num_frames: -1,
        frames: frames.as_mut_ptr(),
    };
    let mut traces: Vec<_> = envs
        .zip(frames.chunks_exact_mut(depth))
        .map(trace)
        .collect();
    let numbers = (jint::try_from(traces.len()), jint::try_from(depth));
    if let (Some(get), (Ok(count), Ok(depth))) =
        (function!(HOST.get(), get_running_traces), numbers)
    {
        // SAFETY: so many traces, with room for so many frames each.
        unsafe { get(count, traces.as_mut_ptr(), depth) };
    }
    let frames = |trace: &JVMPI_CallTrace| usize::try_from(trace.num_frames).ok();
    traces.iter().map(frames).collect()
}

/// The methods that the host tells of no more, from this one on, and how often each had been called by then, about.
pub(crate) fn left_out(from: usize) -> Vec<(usize, u64)> {
    let Some(get) = function!(HOST.get(), get_left_out) else {
        return Vec::new();
    };
    let one = |index| {
        let (mut method, mut calls) = (ptr::null_mut(), 0);
        // SAFETY: room for both.
        let code = unsafe { get(index, &raw mut method, &raw mut calls) };
        let calls = u64::try_from(calls).unwrap_or(0);
        (code == JVMPI_SUCCESS).then(|| (method.expose_provenance(), calls))
    };
    let from = jint::try_from(from).unwrap_or(jint::MAX);
    (from..jint::MAX).map_while(one).collect()
}

/// The number that one is set to.
pub(crate) fn number(name: &str) -> Option<u32> {
    text(name)?.parse().ok()
}

/// What one is set to, or what the host says of itself by that name.
pub(crate) fn text(name: &str) -> Option<String> {
    let (get, name) = (function!(HOST.get(), get_option)?, CString::new(name).ok()?);
    let mut buffer = vec![0_u8; 64];
    loop {
        let room = jint::try_from(buffer.len()).ok()?;
        // SAFETY: a C string, and as many bytes as are said.
        let taken = unsafe { get(name.as_ptr(), buffer.as_mut_ptr().cast::<c_char>(), room) };
        let taken = usize::try_from(taken).ok()?;
        if taken <= buffer.len() {
            buffer.truncate(taken.checked_sub(1)?);
            return String::from_utf8(buffer).ok();
        }
        buffer.resize(taken, 0);
    }
}

/// A line for whoever attaches the agent or detaches it now.
pub(crate) fn tell(line: &str) {
    if let (Some(tell), Ok(line)) = (function!(HOST.get(), tell), CString::new(line)) {
        // SAFETY: a C string.
        unsafe { tell(line.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn sampled(_: jvmpi_headers::jvmpi::jobjectID) -> jint {
        7
    }

    /// The first functions of the structure, and `more` behind it.
    fn host(size: usize, more: usize) -> Option<Host> {
        // No more than that is there to be read.
        let mut words = vec![0_usize; size.div_ceil(size_of::<usize>()) + more];
        let at = |place: usize| place / size_of::<usize>();
        let sampled = (sampled as *const ()).expose_provenance();
        if let Some(word) = words.get_mut(at(offset_of!(XRun_Extension, is_sampled))) {
            *word = sampled;
        }
        let functions: *mut XRun_Extension = words.leak().as_mut_ptr().cast();
        let said = jint::try_from(size + more * size_of::<usize>()).ok()?;
        // SAFETY: two words of their own.
        unsafe { functions.cast::<jint>().write(said) };
        // SAFETY: as many bytes as that says.
        unsafe { Host::at(functions) }
    }

    #[test]
    fn an_earlier_host_has_the_first_functions_and_a_later_one_all() {
        let end = offset_of!(XRun_Extension, is_sampled) + size_of::<usize>();
        let answer = |host: Option<Host>| {
            let function = function!(host.as_ref(), is_sampled)?;
            // SAFETY: ours.
            Some(unsafe { function(ptr::null_mut()) })
        };
        let earlier = host(end, 0);
        assert_eq!(answer(earlier), Some(7));
        assert!(function!(earlier.as_ref(), dump_heap).is_none());
        assert!(function!(earlier.as_ref(), get_running_traces).is_none());
        assert_eq!(answer(host(size_of::<XRun_Extension>(), 0)), Some(7));
        assert_eq!(answer(host(size_of::<XRun_Extension>(), 3)), Some(7));
        let before = host(end - size_of::<usize>(), 0);
        assert!(before.is_some() && answer(before).is_none());
        let bare = host(offset_of!(XRun_Extension, set_option), 0);
        assert!(bare.is_some() && answer(bare).is_none());
    }

    #[test]
    fn what_has_no_such_size_is_none() {
        // SAFETY: NULL is answered.
        assert!(unsafe { Host::at(ptr::null()) }.is_none());
        for size in [0, 4, -1] {
            let words = [size, 0_i32];
            // SAFETY: its first number is there to be read.
            let host = unsafe { Host::at(words.as_ptr().cast()) };
            assert!(host.is_none(), "{size}");
        }
    }
}
