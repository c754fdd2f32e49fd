//! A signal handler that reads the clock, between any two instructions of a reading that does not
//! ask the kernel, or that asks and is interrupted too often to begin anew (each step makes an
//! answer too late to be used: one that is used is not tried here): the
//! processor's own single step says where they are. Some of them; all with `XRUN_LONG=1`.

use std::ffi::c_void;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicI64, AtomicUsize};
use std::time::Duration;

use super::*;
use crate::os::cpu_clock;

/// The flag by which the processor stops after each instruction.
const TRAP: i64 = 0x100;

static STEPS: AtomicUsize = AtomicUsize::new(0);
/// The step at which the handler does something.
static AT: AtomicUsize = AtomicUsize::new(0);
static ACTION: AtomicUsize = AtomicUsize::new(0);
/// How often the thread had lost its processor at the last step.
static SWITCHES: AtomicI64 = AtomicI64::new(0);
static IN_HANDLER: AtomicU64 = AtomicU64::new(0);

const ACTIONS: [fn(); 3] = [
    || IN_HANDLER.store(cpu_clock::nanos(), SeqCst),
    || {
        std::thread::sleep(Duration::from_micros(100));
        IN_HANDLER.store(cpu_clock::nanos(), SeqCst);
    },
    || {
        cpu_clock::nanos();
        std::thread::sleep(Duration::from_micros(100));
        IN_HANDLER.store(cpu_clock::nanos(), SeqCst);
    },
];

extern "C" fn trapped(_: i32, _: *mut libc::siginfo_t, context: *mut c_void) {
    if STEPS.fetch_add(1, SeqCst) + 1 < AT.load(SeqCst) {
        // Nothing shall have happened up to the step that is meant: the kernel has cleared the
        // word because of this very signal, unless the thread has lost its processor as well.
        let known = SWITCHES.load(SeqCst);
        if switches() == known {
            // Relaxed: the thread's own words, in its own handler.
            word().store(OURS.load(Relaxed), Relaxed);
        }
        if SWITCHES.swap(switches(), SeqCst) != known {
            word().store(0, Relaxed);
        }
        return;
    }
    ACTIONS[ACTION.load(SeqCst)]();
    // SAFETY: the context of this handler's interruption.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    context.uc_mcontext.gregs[libc::REG_EFL as usize] &= !TRAP;
}

/// A reading during which the handler comes.
#[inline(never)]
fn stepped() -> u64 {
    // SAFETY: sets the flag; a handler is there.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    let value = cpu_clock::nanos();
    // SAFETY: clears it.
    unsafe { asm!("pushfq", "and qword ptr [rsp], ~0x100", "popfq") };
    value
}

/// How often the thread has lost its processor.
fn switches() -> i64 {
    // SAFETY: plain data.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: a local out-parameter.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_nvcsw + usage.ru_nivcsw
}

/// One reading with this action at this step; false if it had ended before.
fn check(action: usize, at: usize, old: bool) -> bool {
    const SLACK: u64 = 2_000;
    ACTION.store(action, SeqCst);
    AT.store(at, SeqCst);
    STEPS.store(0, SeqCst);
    IN_HANDLER.store(0, SeqCst);
    SWITCHES.store(switches(), SeqCst);
    // So that half of an old beginning and half of a new one are far apart.
    let begin = cpu_clock::nanos();
    while kernels() < begin + 100_000 {}
    if old {
        own().tick.fetch_sub(STRIDE.load(Relaxed), Relaxed);
    }
    let before = kernels();
    let value = stepped();
    let in_handler = IN_HANDLER.load(SeqCst);
    let next = cpu_clock::nanos();
    let after = kernels();
    let what =
        format!("action {action} at step {at}: {before} {value} {in_handler} {next} {after}");
    assert!(before <= value + SLACK && value <= after + SLACK, "{what}");
    assert!(
        next >= value && next >= in_handler && next <= after + SLACK,
        "{what}"
    );
    STEPS.load(SeqCst) >= at
}

#[test]
fn a_handler_may_come_at_any_instruction() {
    cpu_clock::choose();
    if tests::is_not_there() {
        return;
    }
    // SAFETY: plain data.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = trapped as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO;
    // SAFETY: a handler for what `stepped` alone brings about.
    unsafe { libc::sigaction(libc::SIGTRAP, &raw const action, ptr::null_mut()) };
    // A step takes some 30 µs, and a reading of a debug build 1300.
    let stride = if tests::is_long() { 1 } else { 43 };
    for old in [false, true] {
        for action in 0..ACTIONS.len() {
            // Each action at others: what must not come apart is less than a stride long.
            let first = 1 + action * stride / ACTIONS.len();
            let steps = (first..)
                .step_by(stride)
                .take_while(|&at| check(action, at, old));
            assert!(steps.count() > 1);
        }
    }
}
