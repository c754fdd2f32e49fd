//! What xrun's host offers beside JVMPI: its own options. Other hosts do not have it.
#![allow(unsafe_code, reason = "functions that the host gave")]

use std::ffi::{CString, c_char, c_void};
use std::mem::size_of;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use jvmpi_headers::jni::{JNI_OK, JavaVM, jint};
use jvmpi_headers::jvmpi::JVMPI_SUCCESS;
use jvmpi_headers::xrun_ext::{XRUN_EXT_VERSION_1, XRun_Extension, XRun_ParkHandler};

/// The host's own, for ever.
static EXTENSION: OnceLock<&'static XRun_Extension> = OnceLock::new();

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
    if code == JNI_OK && !found.is_null() {
        // SAFETY: whoever knows the version gives its structure, which never goes.
        let extension = unsafe { &*found.cast::<XRun_Extension>() };
        let size = usize::try_from(extension.size).unwrap_or(0);
        if size >= size_of::<XRun_Extension>() {
            EXTENSION.get_or_init(|| extension);
        }
    }
}

/// Whether the host has options of its own.
pub(crate) fn is_there() -> bool {
    EXTENSION.get().is_some()
}

/// Sets one; false if the host refuses, which it says itself.
///
/// # Phase
/// Before the first event is enabled.
pub(crate) fn set_option(name: &str, value: &str) -> bool {
    let (Some(host), Ok(name), Ok(value)) =
        (EXTENSION.get(), CString::new(name), CString::new(value))
    else {
        return false;
    };
    // SAFETY: C strings, which the host only reads.
    let code = unsafe { (host.set_option)(name.as_ptr(), value.as_ptr()) };
    code == JVMPI_SUCCESS
}

/// Whether the host's sampling has picked an object that OBJECT_ALLOC tells of, and it is not only
/// defined. True without one: every allocation is told of.
pub(crate) fn is_sampled(object: usize) -> bool {
    // SAFETY: the host looks the id up.
    let answer = |host: &&XRun_Extension| unsafe {
        (host.is_sampled)(ptr::with_exposed_provenance_mut(object))
    };
    EXTENSION.get().map(answer) != Some(0)
}

/// Whether the VM's own dumper can write heap dumps.
pub(crate) fn can_dump_heap() -> bool {
    // SAFETY: NULL only asks.
    let answer = |host: &&XRun_Extension| unsafe { (host.dump_heap)(ptr::null()) };
    EXTENSION.get().map(answer) == Some(JVMPI_SUCCESS)
}

/// Lets it write one to `path`, where nothing is yet; false if it cannot, which the host says itself.
pub(crate) fn dump_heap(path: &Path) -> bool {
    let path = CString::new(path.as_os_str().as_bytes());
    let (Some(host), Ok(path)) = (EXTENSION.get(), path) else {
        return false;
    };
    // SAFETY: a C string, which the host only reads.
    let code = unsafe { (host.dump_heap)(path.as_ptr()) };
    code == JVMPI_SUCCESS
}

/// Has the host tell of parked threads; false if it does not.
pub(crate) fn watch_parks(parked: XRun_ParkHandler) -> bool {
    // SAFETY: a function that never goes.
    let watch = |host: &&XRun_Extension| unsafe { (host.watch_parks)(Some(parked)) };
    EXTENSION.get().map(watch) == Some(JVMPI_SUCCESS)
}

/// Has the host list who is parked now; nobody if it does not know the extension.
pub(crate) fn list_parked(each: XRun_ParkHandler) {
    if let Some(host) = EXTENSION.get() {
        // SAFETY: a function, which is called on this thread before the host's returns.
        unsafe { (host.list_parked)(Some(each)) };
    }
}

/// The methods that the host tells of no more, and how often each had been called by then, about.
pub(crate) fn left_out() -> Vec<(usize, u64)> {
    let Some(host) = EXTENSION.get() else {
        return Vec::new();
    };
    let one = |index| {
        let (mut method, mut calls) = (ptr::null_mut(), 0);
        // SAFETY: room for both.
        let code = unsafe { (host.get_left_out)(index, &raw mut method, &raw mut calls) };
        let calls = u64::try_from(calls).unwrap_or(0);
        (code == JVMPI_SUCCESS).then(|| (method.expose_provenance(), calls))
    };
    (0..).map_while(one).collect()
}

/// The number that one is set to.
pub(crate) fn number(name: &str) -> Option<u32> {
    text(name)?.parse().ok()
}

/// What one is set to, or what the host says of itself by that name.
pub(crate) fn text(name: &str) -> Option<String> {
    let (host, name) = (EXTENSION.get()?, CString::new(name).ok()?);
    let mut buffer = vec![0_u8; 64];
    loop {
        let room = jint::try_from(buffer.len()).ok()?;
        // SAFETY: a C string, and as many bytes as are said.
        let taken =
            unsafe { (host.get_option)(name.as_ptr(), buffer.as_mut_ptr().cast::<c_char>(), room) };
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
    if let (Some(host), Ok(line)) = (EXTENSION.get(), CString::new(line)) {
        // SAFETY: a C string.
        unsafe { (host.tell)(line.as_ptr()) };
    }
}
