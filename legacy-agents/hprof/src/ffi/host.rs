//! The host's functions as safe ones.
//!
//! Threads, methods, objects and monitors are the numbers that the host gave; all
//! of them may be stale, which the host answers with its failure values.
//!
//! # Safety
//!
//! Every block calls a function of the host's table with a thread, id or monitor
//! that came from the same host, as JVMPI demands. A slot that is empty is not
//! called.
#![allow(unsafe_code, reason = "JVMPI is a table of C functions")]

use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use jvmpi_headers::jni::{JNI_OK, JNI_VERSION_1_2, JNIEnv, JavaVM, jint, jlong};
use jvmpi_headers::jvmpi::{
    JVMPI_CallFrame, JVMPI_CallTrace, JVMPI_Interface, JVMPI_SUCCESS, JVMPI_THREAD_INTERRUPTED,
    JVMPI_THREAD_RUNNABLE, JVMPI_VERSION_1, NotifyEvent, SystemThreadFunction,
};

/// Of a JVMPI host there is one in a process, and it never goes.
static TABLE: OnceLock<JVMPI_Interface> = OnceLock::new();
static VM: AtomicUsize = AtomicUsize::new(0);

pub(super) fn env_ptr(env: usize) -> *mut JNIEnv {
    ptr::with_exposed_provenance_mut(env)
}

/// Gets the table and becomes its agent; false if this VM has no JVMPI.
///
/// # Safety
/// `vm` is the VM's own.
pub(super) unsafe fn connect(vm: *mut JavaVM, notify: NotifyEvent) -> bool {
    let mut table: *mut c_void = ptr::null_mut();
    // SAFETY: the caller's promise.
    let functions = unsafe { *vm };
    // SAFETY: a VM's functions are there as long as it is.
    let functions = unsafe { &*functions };
    // SAFETY: GetEnv of this very VM, with room for a pointer.
    let code = unsafe { (functions.v1_2.GetEnv)(vm, &raw mut table, JVMPI_VERSION_1) };
    let table = table.cast::<JVMPI_Interface>();
    if code != JNI_OK || table.is_null() {
        return false;
    }
    // SAFETY: the host's table, which it made for us to write our handler into.
    unsafe { (*table).NotifyEvent = Some(notify) };
    VM.store(vm.expose_provenance(), Ordering::Release);
    // The last four slots are younger than the version asked for, and not used.
    // SAFETY: as before. Hosts of the first version have a shorter table: only its part is read.
    let table = unsafe { oldest_part(table) };
    // It is there already if we were loaded before, with options that were wrong.
    TABLE.get_or_init(|| table);
    true
}

/// The slots that all versions have.
unsafe fn oldest_part(table: *const JVMPI_Interface) -> JVMPI_Interface {
    let mut copy = JVMPI_Interface::zeroed();
    let size = std::mem::offset_of!(JVMPI_Interface, jobjectID2jobject);
    // SAFETY: the caller's table has at least these bytes; the copy has more.
    unsafe { ptr::copy_nonoverlapping(table.cast::<u8>(), (&raw mut copy).cast::<u8>(), size) };
    copy
}

macro_rules! call {
    ($slot:ident($($argument:expr),*)) => {
        match TABLE.get().and_then(|table| table.$slot) {
            // SAFETY: see the module documentation.
            Some(function) => Some(unsafe { function($($argument),*) }),
            None => None,
        }
    };
}

pub(crate) fn enable(event: jint) -> bool {
    call!(EnableEvent(event, ptr::null_mut())) == Some(JVMPI_SUCCESS)
}

pub(crate) fn disable(event: jint) {
    call!(DisableEvent(event, ptr::null_mut()));
}

/// Nanoseconds of the calling thread, by whatever clock the host has for that.
#[inline]
pub(crate) fn cpu_time() -> Option<u64> {
    call!(GetCurrentThreadCpuTime())?.try_into().ok()
}

/// Asks for an event about `id`, which is sent before this returns.
pub(crate) fn request(event: jint, id: usize) -> bool {
    call!(RequestEvent(event, ptr::with_exposed_provenance_mut(id))) == Some(JVMPI_SUCCESS)
}

/// A frame as the host tells it.
pub(crate) type RawFrame = JVMPI_CallFrame;

pub(crate) const NO_FRAME: RawFrame = JVMPI_CallFrame {
    lineno: -1,
    method_id: ptr::null_mut(),
};

/// The stack of a thread, callee first, into `frames`; how many there are.
pub(crate) fn call_trace(env: usize, frames: &mut [RawFrame]) -> usize {
    let depth = jint::try_from(frames.len()).unwrap_or(jint::MAX);
    if depth == 0 {
        return 0;
    }
    let mut trace = JVMPI_CallTrace {
        env_id: env_ptr(env),
        num_frames: 0,
        frames: frames.as_mut_ptr(),
    };
    call!(GetCallTrace(&raw mut trace, depth));
    usize::try_from(trace.num_frames)
        .unwrap_or(0)
        .min(frames.len())
}

pub(crate) fn exit(code: jint) {
    call!(ProfilerExit(code));
}

/// A monitor of the host's, for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawMonitor(usize);

impl RawMonitor {
    pub(crate) fn new(name: &str) -> Option<Self> {
        let name = CString::new(name).ok()?;
        let monitor = call!(RawMonitorCreate(name.as_ptr().cast_mut()))?;
        (!monitor.is_null()).then(|| Self(monitor.expose_provenance()))
    }

    /// Waits to be woken, for so many ms; whether it is over by then. That is asked
    /// inside, so that whoever knows the order of the calls knows the answer.
    pub(crate) fn wait(self, ms: u32, is_over: impl Fn() -> bool) -> bool {
        let monitor = ptr::with_exposed_provenance_mut(self.0);
        call!(RawMonitorEnter(monitor));
        let mut over = is_over();
        if !over {
            call!(RawMonitorWait(monitor, jlong::from(ms)));
            over = is_over();
        }
        call!(RawMonitorExit(monitor));
        over
    }

    /// Does something that ends waits, and wakes.
    pub(crate) fn wake(self, after: impl FnOnce()) {
        let monitor = ptr::with_exposed_provenance_mut(self.0);
        call!(RawMonitorEnter(monitor));
        after();
        call!(RawMonitorNotifyAll(monitor));
        call!(RawMonitorExit(monitor));
    }
}

pub(crate) fn suspend(env: usize) {
    call!(SuspendThread(env_ptr(env)));
}

pub(crate) fn resume(env: usize) {
    call!(ResumeThread(env_ptr(env)));
}

pub(crate) fn is_runnable(env: usize) -> bool {
    call!(GetThreadStatus(env_ptr(env)))
        .is_some_and(|status| status & !JVMPI_THREAD_INTERRUPTED == JVMPI_THREAD_RUNNABLE)
}

/// Whether a suspended thread had run before.
pub(crate) fn has_run(env: usize) -> bool {
    call!(ThreadHasRun(env_ptr(env))).is_some_and(|run| run != 0)
}

/// Runs `body` on a thread of the VM's.
pub(super) fn start_thread(name: &str, body: SystemThreadFunction) -> bool {
    /// The highest priority.
    const PRIORITY: jint = 10;
    CString::new(name).is_ok_and(|name| {
        call!(CreateSystemThread(
            name.as_ptr().cast_mut(),
            PRIORITY,
            Some(body)
        )) == Some(JNI_OK)
    })
}

/// The calling thread's JNIEnv; 0 if it has none.
pub(crate) fn own_env() -> usize {
    let vm: *mut JavaVM = ptr::with_exposed_provenance_mut(VM.load(Ordering::Acquire));
    if vm.is_null() {
        return 0;
    }
    let mut env: *mut c_void = ptr::null_mut();
    // SAFETY: the VM's own, kept by `connect`.
    let functions = unsafe { *vm };
    // SAFETY: a VM's functions are there as long as it is.
    let functions = unsafe { &*functions };
    // SAFETY: GetEnv of this very VM, with room for a pointer.
    let code = unsafe { (functions.v1_2.GetEnv)(vm, &raw mut env, JNI_VERSION_1_2) };
    if code == JNI_OK {
        env.expose_provenance()
    } else {
        0
    }
}

/// Runs `body` while objects neither die nor move.
pub(crate) fn without_gc<O>(body: impl FnOnce() -> O) -> O {
    /// Also when the body panics.
    struct Enable;
    impl Drop for Enable {
        fn drop(&mut self) {
            call!(EnableGC());
        }
    }
    call!(DisableGC());
    let _enable = Enable;
    body()
}

pub(crate) fn collect() {
    call!(RunGC());
}

/// The `java.lang.Thread` of a thread; 0 if there is none.
pub(crate) fn thread_object(env: usize) -> usize {
    call!(GetThreadObject(env_ptr(env))).map_or(0, |id| id.expose_provenance())
}

/// The class of a method; 0 if it is none.
pub(crate) fn method_class(method: usize) -> usize {
    call!(GetMethodClass(ptr::with_exposed_provenance_mut(method)))
        .map_or(0, |id| id.expose_provenance())
}
