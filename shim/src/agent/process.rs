//! Ending the process, where JVMPI or the VM's own manners ask for it.
#![allow(
    unsafe_code,
    reason = "exit(3), since Rust's own aborts when an exit handler calls it again; and the VM's"
)]

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use terminal_text::printable::printable;

use crate::model::tables::MONITORS;
use crate::model::thread::current;
use crate::os::tasks;
use crate::vm::env::Jvmti;
use crate::vm::hotspot;
use crate::vm::java_vm;
use crate::vm::this_vm::{self, Phase};

/// ProfilerExit. The agent's buffered output is flushed by the C library.
///
/// A live VM is ended by its own halt, which stops all Java threads before it
/// calls exit(3): JDK 11 crashes when a class is loaded during that (measured).
///
/// Who comes while that is under way waits in the VM for ever: exit(3) called twice may end the process in the middle
/// of the agent's exit handlers. Not from within a handler, which the VM may wait for.
pub(crate) fn profiler_exit(code: i32, phase: Phase) -> ! {
    let is_in_a_handler = || current::own().is_some_and(|own| own.native().depth.own() != 0);
    let halts = HALTS.load(Ordering::SeqCst) == std::process::id()
        && !runs_exit_handlers()
        && !is_in_a_handler();
    if phase == Phase::Live && !would_wait_for_itself() || halts {
        halt(code);
    }
    exit(code)
}

/// Whether the VM would wait for the callback that the calling thread is in.
fn would_wait_for_itself() -> bool {
    waits_for_callbacks() && current::own().is_some_and(|own| own.native().depth.own() != 0)
}

/// The agent has called exit() elsewhere, and no thread that is in it comes back: where the VM's halt would wait for
/// those that are in callbacks, the process ends without it.
pub(crate) fn exit_beside_callbacks(code: i32, phase: Phase) -> ! {
    // A thread that the VM does not know is not told of which JDK it is.
    if phase == Phase::Live && java_vm::attach() && !waits_for_callbacks() {
        halt(code);
    }
    exit(code)
}

/// Whether the VM's halt waits for callbacks, a minute for one that calls it.
fn waits_for_callbacks() -> bool {
    this_vm::jvmti_to_the_end().is_some_and(Jvmti::is_silent_before_death)
}

/// Returns if there is no such function.
fn halt(code: i32) {
    if java_vm::attach() && hotspot::halt::is_there() {
        // It began before any of the agent's, which may have its name from it.
        let vm_thread = tasks::named("VM Thread").unwrap_or(0);
        VM_THREAD.store(vm_thread, Ordering::SeqCst);
        MONITORS.never_leaves(current::key());
        HALTS.store(std::process::id(), Ordering::SeqCst);
        hotspot::halt::halt(code);
    }
}

/// The process that the VM has been asked to end: a child that it has forked since is none.
static HALTS: AtomicU32 = AtomicU32::new(0);

/// The kernel's number of the thread on which the VM's halt calls exit(3), once that is asked for; else 0.
static VM_THREAD: AtomicU32 = AtomicU32::new(0);

/// Whether the calling thread is the one that runs exit handlers for those that have asked the VM to end the
/// process, and that never come back.
pub(crate) fn runs_exit_handlers() -> bool {
    let vm_thread = VM_THREAD.load(Ordering::SeqCst);
    vm_thread != 0 && vm_thread == tasks::own()
}

/// Calls `handler` with the exit code when the process exits by exit(3), behind the
/// handlers of those that came later; it may give another code.
pub(crate) fn at_exit(handler: fn(i32) -> Option<i32>) {
    static HANDLER: std::sync::OnceLock<fn(i32) -> Option<i32>> = std::sync::OnceLock::new();
    unsafe extern "C" {
        fn on_exit(
            function: unsafe extern "C" fn(libc::c_int, *mut std::ffi::c_void),
            argument: *mut std::ffi::c_void,
        ) -> libc::c_int;
    }
    unsafe extern "C" fn run(code: libc::c_int, _argument: *mut std::ffi::c_void) {
        let other = crate::base::boundary::guarded("exit", None, || HANDLER.get()?(code));
        if let Some(other) = other {
            // SAFETY: flushes all streams, as exit would have done after us.
            unsafe { libc::fflush(std::ptr::null_mut()) };
            // SAFETY: takes any code.
            unsafe { libc::_exit(other) };
        }
    }
    if HANDLER.set(handler).is_ok() {
        // SAFETY: a function of that type; we are never unloaded.
        unsafe { on_exit(run, std::ptr::null_mut()) };
    }
}

fn exit(code: i32) -> ! {
    // SAFETY: exit takes any code; exit handlers are the agent's and the VM's own.
    unsafe { libc::exit(code) }
}

/// What the VM does when an -Xrun library's JVM_OnLoad fails: its text, on its
/// stream (stdout; measured on 11, 17 and 25), exit code 1. Its compiler runs by now, so it is
/// the VM that ends the process, unless it would wait for its own VMInit, in which this is called.
pub(crate) fn end_as_failed_xrun(name: &str) -> ! {
    let text = format!(
        "Error occurred during initialization of VM\n-Xrun library failed to init: {}\n",
        printable(name)
    );
    let _ = std::io::stdout().write_all(text.as_bytes());
    let _ = std::io::stdout().flush();
    if !waits_for_callbacks() {
        halt(1);
    }
    exit(1)
}
