//! The stack of a running thread at the very instruction it has reached.
//!
//! JVMTI takes stacks at safepoints, which compiled code reaches at loop ends and
//! returns only: a sampler built on that blames the wrong methods (measured on
//! javac: three of ten hottest methods agreed with JFR). HotSpot exports
//! `AsyncGetCallTrace` for profilers: called in a signal handler, it walks the
//! stack from where the signal came. So a thread that an agent is about to
//! suspend is asked for its stack first.
//!
//! # Safety
//! The signal is sent to one thread, whose env is valid while the request stands:
//! its ThreadEnd waits for it (`NativeThread::end_captures`). The handler
//! touches nothing but the request it is handed, no thread-locals, no locks. Slots
//! of requests are never freed, so a late signal finds memory that is still ours. Anybody
//! in the process, or with its rights, can queue a SIGPROF with any value: it is compared
//! with the addresses of all slots and never followed otherwise.
#![allow(
    unsafe_code,
    reason = "a signal handler and a function of libjvm found by name"
)]

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;
use std::{mem, ptr};

use jvmpi_headers::jni::JNIEnv;
use jvmpi_headers::jvmpi::JVMPI_CallTrace;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::base::boundary::unlogged;
use crate::base::log;
use crate::base::patience::{self, Patience};
use crate::os::processor::signal_handler;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::found::HOTSPOT;
use crate::vm::hotspot::stacks::async_walk::{StackWalk, to_frame};
use crate::vm::hotspot::stacks::interrupted;
use crate::vm::hotspot::stacks::stack_requests::{
    ASKED, DEPTH, IDLE, Slot, WALKING, give_back, of, slot_at, take_slot,
};

/// The signal. Its use is the custom of profilers; where another handler is in
/// place, we leave it alone and do without.
const SIGNAL: c_int = libc::SIGPROF;

static WALK: OnceCell<StackWalk> = OnceCell::new();

/// What it answers for Java code whose frame it does not recognise, or cannot pass.
const UNKNOWN_JAVA: [c_int; 2] = [-5, -6];

/// Whether stacks can be taken this way; installs the handler on first use.
pub(crate) fn available(jvmti: Jvmti) -> bool {
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    match ANSWER.load(Ordering::Acquire) {
        // Relaxed: a count that says nothing of other words.
        YES if UNANSWERED.load(Ordering::Relaxed) >= HOPELESS => {
            ANSWER.store(NO, Ordering::Release);
            log::warning!(
                "SIGPROF no longer reaches the threads: their stacks are taken at safepoints from now on"
            );
            false
        }
        _ => answered(&ANSWER, || {
            let installed = install(jvmti);
            if !installed {
                log::info!(
                    "stacks of running threads are taken at safepoints (SIGPROF is in use, or the VM has no AsyncGetCallTrace)"
                );
            }
            installed
        }),
    }
}

/// So many requests without an answer: threads block the signal.
const HOPELESS: u32 = 16;

const UNKNOWN: u8 = 0;
const YES: u8 = 1;
const NO: u8 = 2;
/// A thread is finding out.
const ASKING: u8 = 3;

/// The answer, found out by the first caller alone: a second one would take the handler that
/// the first has just installed for somebody else's. While that is going on the answer is no,
/// for this time; nobody waits, since the first may be suspended in the middle of it.
fn answered(answer: &AtomicU8, find_out: impl FnOnce() -> bool) -> bool {
    match answer.compare_exchange(UNKNOWN, ASKING, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            let found = find_out();
            answer.store(if found { YES } else { NO }, Ordering::Release);
            found
        }
        Err(now) => now == YES,
    }
}

fn install(jvmti: Jvmti) -> bool {
    let Some(walk) = HOTSPOT
        .signal_stacks
        .get()
        .and_then(|&function| StackWalk::ready(jvmti, function))
    else {
        return false;
    };
    let _ = WALK.set(walk);
    // SAFETY: plain data.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: a local out-parameter.
    let asked = unsafe { libc::sigaction(SIGNAL, ptr::null(), &raw mut action) };
    let is_free = [libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction);
    if asked != 0 || !is_free {
        return false;
    }
    action.sa_sigaction = code();
    // The program's system calls are restarted.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
    // SAFETY: a handler of the right type.
    unsafe { libc::sigaction(SIGNAL, &raw const action, ptr::null_mut()) == 0 }
}

/// What is done at the signal, if that is still ours.
fn own_action() -> Option<libc::sigaction> {
    // SAFETY: plain data.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: a local out-parameter.
    let asked = unsafe { libc::sigaction(SIGNAL, ptr::null(), &raw mut action) };
    (asked == 0 && action.sa_sigaction == code()).then_some(action)
}

/// Gives the signal back, if it is still ours. One that is on its way must not end the process.
pub(crate) fn give_up_signal() {
    if let Some(mut action) = own_action() {
        action.sa_sigaction = libc::SIG_IGN;
        action.sa_flags = 0;
        // SAFETY: no handler.
        unsafe { libc::sigaction(SIGNAL, &raw const action, ptr::null_mut()) };
    }
}

signal_handler!(on_signal);

unsafe extern "C" fn on_signal(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    unlogged("SIGPROF", || {
        // SAFETY: the kernel's own structure.
        let info = unsafe { &*info };
        if info.si_code == libc::SI_QUEUE {
            // SAFETY: a queued signal carries a value.
            let value = unsafe { info.si_value() };
            if let Some(slot) = slot_at(value.sival_ptr.addr()) {
                walk(slot, context);
            }
        }
    });
}

/// Whoever has asked waits for this to be dropped, whatever happens in the handler.
struct Through<'a>(&'a Slot, u32);

impl Drop for Through<'_> {
    fn drop(&mut self) {
        self.0.is_done(self.1);
    }
}

fn walk(slot: &Slot, context: *mut c_void) {
    // SAFETY: no arguments, no memory.
    let here = unsafe { libc::syscall(libc::SYS_gettid) };
    let here = u32::try_from(here).unwrap_or(0);
    let claim = slot.state.compare_exchange(
        of(here, ASKED),
        of(here, WALKING),
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    if claim.is_err() {
        return;
    }
    slot.count.store(0, Ordering::Release);
    let _through = Through(slot, here);
    let mut trace = JVMPI_CallTrace {
        env_id: slot.env.load(Ordering::Acquire),
        num_frames: 0,
        frames: slot.frames.get().cast(),
    };
    // Set by `install` before the handler was in place.
    let Some(&StackWalk(function)) = WALK.get() else {
        return;
    };
    // SAFETY: the handler's own context.
    let context = unsafe { interrupted::in_the_program(context) };
    let mut go = || {
        trace.num_frames = 0;
        // SAFETY: on the env's own thread, in a signal handler, as the function wants it.
        unsafe { function(&raw mut trace, DEPTH as c_int, context) };
        trace.num_frames
    };
    if UNKNOWN_JAVA.contains(&go()) {
        // SAFETY: as above.
        unsafe { interrupted::from_the_caller(context, || go() > 0) };
    }
    // SAFETY: whoever asks keeps it until this is DONE.
    if let Some(watched) = unsafe { slot.watched.load(Ordering::Acquire).as_ref() } {
        slot.noted
            .store(watched.load(Ordering::Relaxed), Ordering::Release);
    }
    slot.count.store(
        u32::try_from(trace.num_frames).unwrap_or(0),
        Ordering::Release,
    );
}

/// Requests in a row that were not answered in time.
static UNANSWERED: AtomicU32 = AtomicU32::new(0);

/// A thread that has been asked for its stack. When this is gone it does not give it any more.
pub(crate) struct Request<'a> {
    tid: u32,
    slot: &'static Slot,
    /// `None` if the signal could not be sent.
    sent: Option<Instant>,
    watched: PhantomData<&'a AtomicU64>,
}

/// A thread's stack, callee first, and what it saw in the number that it was to look at.
pub(crate) struct Answer {
    pub(crate) frames: Vec<Frame>,
    pub(crate) watched: u64,
}

/// Asks the thread `tid` of this process, whose env is `env`, for its stack, and for what `watched`
/// is while it gives it.
///
/// # Safety
/// The thread must not end before the request is gone, which must not be forgotten.
pub(crate) unsafe fn ask(tid: u32, env: *mut JNIEnv, watched: &AtomicU64) -> Request<'_> {
    let slot = take_slot();
    slot.env.store(env, Ordering::Release);
    let address = ptr::from_ref(watched).cast_mut();
    slot.watched.store(address, Ordering::Release);
    slot.state.store(of(tid, ASKED), Ordering::Release);
    Request {
        tid,
        slot,
        sent: send(tid, slot).then(Instant::now),
        watched: PhantomData,
    }
}

/// Those that were asked at the same time count once.
fn note_unanswered(sent: Option<Instant>) {
    static COUNTED: Mutex<Option<Instant>> = Mutex::new(None);
    let mut counted = COUNTED.lock();
    if sent.is_none() || *counted < sent {
        *counted = Some(Instant::now());
        UNANSWERED.fetch_add(1, Ordering::Relaxed);
    }
}

impl Request<'_> {
    /// The thread's stack; `None` if it cannot be walked where it is, is deeper than we keep, or
    /// the thread does not get to it in time.
    pub(crate) fn answer(self, patience: Patience) -> Option<Answer> {
        let slot = self.slot;
        let answered = self
            .sent
            .is_some_and(|sent| wait(self.tid, slot, patience.less(sent.elapsed())));
        if !answered {
            note_unanswered(self.sent);
            return None;
        }
        UNANSWERED.store(0, Ordering::Relaxed);
        let count = usize::try_from(slot.count.load(Ordering::Acquire)).unwrap_or(0);
        // SAFETY: DONE: the handler is through with the frames.
        let frames = unsafe { &*slot.frames.get() };
        let frames: Vec<Frame> = frames
            .get(..count)
            .unwrap_or_default()
            .iter()
            .map(to_frame)
            .collect();
        // A method that has no id yet, or a stack that was cut: the ordinary way
        // knows better.
        let whole =
            (1..DEPTH).contains(&count) && frames.iter().all(|frame| frame.method.number() != 0);
        let watched = slot.noted.load(Ordering::Acquire);
        whole.then_some(Answer { frames, watched })
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        let Self { tid, slot, .. } = *self;
        let (asked, walking) = (of(tid, ASKED), of(tid, WALKING));
        let unasked = slot
            .state
            .compare_exchange(asked, IDLE, Ordering::AcqRel, Ordering::Acquire);
        // The handler may have come in at this very moment: it comes to its end, and until then it has the slot, and
        // looks at what is watched.
        while unasked.is_err() && slot.state.load(Ordering::Acquire) == walking {
            std::thread::yield_now();
        }
        give_back(slot);
    }
}

/// Sends the signal; false if it could not be, or has become somebody else's: their handler would take it for one of
/// their timer's, and with none it would end the process.
fn send(tid: u32, slot: &'static Slot) -> bool {
    if own_action().is_none() {
        return false;
    }
    // SAFETY: plain data.
    let mut info: libc::siginfo_t = unsafe { mem::zeroed() };
    info.si_signo = SIGNAL;
    info.si_code = libc::SI_QUEUE;
    let queued = QueuedInfo {
        pid: std::process::id(),
        // SAFETY: no arguments, no memory.
        uid: unsafe { libc::getuid() },
        value: ptr::from_ref(slot).expose_provenance(),
    };
    // What a queued signal has stands in a union behind three numbers of the kernel's siginfo_t.
    const BEHIND: usize = (3 * size_of::<c_int>()).next_multiple_of(align_of::<QueuedInfo>());
    let place = (&raw mut info)
        .wrapping_byte_add(BEHIND)
        .cast::<QueuedInfo>();
    // SAFETY: inside the structure, which is larger than that.
    unsafe { place.write(queued) };
    // SAFETY: a filled-in structure of ours.
    let result = unsafe {
        libc::syscall(
            libc::SYS_rt_tgsigqueueinfo,
            std::process::id(),
            tid,
            SIGNAL,
            &raw const info,
        )
    };
    result == 0
}

#[repr(C)]
struct QueuedInfo {
    pid: u32,
    uid: u32,
    value: usize,
}

/// Waits until the handler is through. A thread that is not on a processor gets
/// to it when it is scheduled; a suspension would have to wait for that as well.
fn wait(tid: u32, slot: &Slot, mut patience: Patience) -> bool {
    while !slot.wait(tid, patience) {
        if slot.state.load(Ordering::Acquire) == of(tid, ASKED) {
            return false;
        }
        // One that has begun comes to its end ([`patience`]), and writes to the slot until then.
        patience = patience::STACK_BY_SIGNAL;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second caller comes while the first has its handler in place and has not said so.
    #[test]
    fn the_second_caller_does_not_switch_it_off() {
        let answer = AtomicU8::new(UNKNOWN);
        let first = answered(&answer, || {
            // What it would find is not for it to find.
            assert!(!answered(&answer, || unreachable!("installs once more")));
            assert_eq!(answer.load(Ordering::Relaxed), ASKING);
            true
        });
        assert!(first && answered(&answer, || false));
        let answer = AtomicU8::new(UNKNOWN);
        assert!(!answered(&answer, || false) && !answered(&answer, || true));
    }
}
