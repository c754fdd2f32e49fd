//! What is known of one thread.
//!
//! # Threads
//! Any may look at any record; what only the thread itself may do says so.
#![allow(unsafe_code, reason = "asks a thread for its stack")]

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};

use event_translate::thread_status;
use id_map::{Announcement, Births, Kind, ObjectId, Supply};
use jvmpi_headers::jni::JNIEnv;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use protocols::gate::Depth;
use protocols::heap_walk::OwnGifts;

use crate::base::config;
use crate::base::guards::Turn;
use crate::model::attention;
use crate::model::deferred::Deferred;
use crate::model::known_frames::KnownFrames;
use crate::model::method_stack::MethodStack;
use crate::model::monitor_wait::MonitorWait;
use crate::model::own_cell::OwnCell;
use crate::model::own_stack::OwnStack;
use crate::model::ready_event::ReadyEvent;
use crate::model::tables::{IDS, SUSPENDED, THREADS_BY_ID};
use crate::model::{current, ids};
use crate::os::tasks;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::{async_trace, os_thread};
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef};

/// What is known of one thread.
#[derive(Debug)]
pub(crate) struct Thread {
    /// The JNIEnv pointer: the thread's name in JVMPI. Never dereferenced here.
    pub(crate) env: usize,
    /// The `java.lang.Thread`; unset for a thread seen before VMStart.
    object: OnceCell<Global>,
    id: OnceCell<ObjectId>,
    /// The agent's thread-local word.
    pub(crate) local: AtomicUsize,
    /// THREAD_START.
    pub(crate) announced: Announcement,
    /// How deep the thread is in deliveries: written by itself only ([`crate::delivery::gate`]).
    pub(crate) depth: Depth,
    /// What its next allocation must look at first: [`attention`] bits.
    attention: AtomicU32,
    /// What it has to say when the gate is open again.
    kept: Mutex<Vec<Box<dyn Deferred>>>,
    /// The agent's own thread (CreateSystemThread).
    pub(crate) is_agents: AtomicBool,
    /// Our own thread that sends the brackets.
    pub(crate) is_workers: AtomicBool,
    /// An agent believes to have suspended it.
    pub(crate) stopped_in_name: AtomicBool,
    /// The [`current::key`] of whoever has suspended it for the agent.
    stopped_by: AtomicU64,
    /// Raw monitors it owns, entries counted.
    pub(crate) raw_held: AtomicU32,
    /// Ids it may give out.
    pub(crate) supply: Supply,
    /// Objects that were born on it without a tag.
    pub(crate) births: OwnCell<Births>,
    /// Whether it is giving an object an id at once ([`ids::GivingAtOnce`]).
    pub(crate) gifts: OwnGifts,
    /// The id of its last allocation, until the VM may have lost the tag.
    pub(crate) last_allocated: AtomicU64,
    /// What its method events are sent in.
    pub(crate) ready_event: ReadyEvent,
    /// The methods that the agent believes to be running on it.
    pub(crate) stack: OwnCell<MethodStack>,
    /// Frames that it has asked for.
    pub(crate) known_frames: OwnCell<KnownFrames>,
    /// What it has learnt of its own stack.
    pub(crate) own_stack: OwnCell<OwnStack>,
    /// The monitor it waits for, or on.
    pub(crate) monitor_wait: MonitorWait,
    /// Its number as owner of raw monitors; 0 while it was not met itself.
    pub(crate) key: AtomicU64,
    /// Its ThreadStart has come, or is not to come: it was there before us. Until then it may
    /// run Java code all the same, in AttachCurrentThread (JVMTI facts 18).
    pub(crate) started: AtomicBool,
    /// Its THREAD_END is due or past.
    pub(crate) ends: AtomicBool,
    /// JVMPI's status while it is in a raw monitor's queue, else 0.
    raw_wait: AtomicI32,
    /// The kernel's number of the thread; 0 while unknown and after its end.
    tid: AtomicU32,
    /// The same of a thread that was only told of; 0 while unknown.
    told_tid: AtomicU32,
    /// Somebody is taking the thread's stack by signal.
    capturing: AtomicBool,
    /// The stack it had when it was suspended, until it is resumed.
    captured: Mutex<Option<Vec<Frame>>>,
    /// CPU time, in nanoseconds, at the last suspension and the one before; -1 unknown.
    cpu: [AtomicI64; 2],
}

impl Thread {
    pub(crate) fn new(env: usize) -> Self {
        Self {
            env,
            object: OnceCell::new(),
            id: OnceCell::new(),
            local: AtomicUsize::new(0),
            announced: Announcement::new(),
            depth: Depth::new(),
            attention: AtomicU32::new(attention::UNMET | attention::REPLAY),
            kept: Mutex::new(Vec::new()),
            is_agents: AtomicBool::new(false),
            is_workers: AtomicBool::new(false),
            stopped_in_name: AtomicBool::new(false),
            stopped_by: AtomicU64::new(0),
            raw_held: AtomicU32::new(0),
            supply: Supply::new(),
            births: OwnCell::new(Births::new()),
            gifts: OwnGifts::new(),
            last_allocated: AtomicU64::new(0),
            ready_event: ReadyEvent::new(),
            stack: MethodStack::new(),
            known_frames: OwnCell::new(KnownFrames::new()),
            own_stack: OwnCell::new(OwnStack::new()),
            monitor_wait: MonitorWait::new(),
            key: AtomicU64::new(0),
            started: AtomicBool::new(false),
            ends: AtomicBool::new(false),
            raw_wait: AtomicI32::new(0),
            tid: AtomicU32::new(0),
            told_tid: AtomicU32::new(0),
            capturing: AtomicBool::new(false),
            captured: Mutex::new(None),
            cpu: [AtomicI64::new(-1), AtomicI64::new(-1)],
        }
    }

    /// The JNIEnv as events carry it.
    pub(crate) fn env_ptr(&self) -> *mut JNIEnv {
        ptr::with_exposed_provenance_mut(self.env)
    }

    /// The `java.lang.Thread`, once it is known.
    pub(crate) fn object(&self) -> Option<ObjectRef<'_>> {
        self.object.get().map(Global::get)
    }

    /// Fills in the `java.lang.Thread` if it was unknown.
    pub(crate) fn set_object(&self, jni: Jni, object: ObjectRef<'_>) {
        if self.object.get().is_none()
            && let Some(global) = Global::new(jni, object)
        {
            let _ = self.object.set(global);
        }
    }

    /// The id of the `java.lang.Thread`; given on first need.
    pub(crate) fn id(self: &Arc<Self>, jvmti: Jvmti, jni: Jni) -> Option<ObjectId> {
        if let Some(id) = self.id.get() {
            return Some(*id);
        }
        let id = ids::id_of(jvmti, jni, self.object()?, Kind::Thread)?;
        IDS.set_kind(id, Kind::Thread);
        if self.id.set(id).is_ok() {
            THREADS_BY_ID.replace(id.raw(), Arc::clone(self));
        }
        self.id.get().copied()
    }

    /// The same if it has been given.
    pub(crate) fn known_id(&self) -> Option<ObjectId> {
        self.id.get().copied()
    }

    /// The bits of [`attention`] that are set.
    pub(crate) fn attention(&self) -> u32 {
        self.attention.load(Ordering::Relaxed)
    }

    /// Sets bits; those that were set before. What is set for a while only is a guard
    /// ([`crate::model::attention::Attention`]). Whoever clears them sees what was done before.
    pub(crate) fn set_attention(&self, bits: u32) -> u32 {
        self.attention.fetch_or(bits, Ordering::Release)
    }

    pub(crate) fn clear_attention(&self, bits: u32) {
        self.attention.fetch_and(!bits, Ordering::Acquire);
    }

    /// Keeps an event until the gate is open again; see [`crate::delivery::deferred::flush`].
    pub(crate) fn keep(&self, event: impl Deferred + 'static) {
        self.kept.lock().push(Box::new(event));
        self.set_attention(attention::KEPT);
    }

    /// Keeps a CLASS_LOAD, once.
    pub(crate) fn keep_class(&self, load: impl Deferred + 'static) {
        let mut kept = self.kept.lock();
        if !kept.iter().any(|other| other.class() == load.class()) {
            kept.push(Box::new(load));
        }
        drop(kept);
        self.set_attention(attention::KEPT);
    }

    /// Puts back what was taken.
    pub(crate) fn keep_again(
        &self,
        first: Box<dyn Deferred>,
        rest: impl Iterator<Item = Box<dyn Deferred>>,
    ) {
        let mut kept = self.kept.lock();
        kept.push(first);
        kept.extend(rest);
        drop(kept);
        self.set_attention(attention::KEPT);
    }

    /// Whether it has kept something and is not just sending it.
    #[inline]
    pub(crate) fn has_kept(&self) -> bool {
        self.attention() & (attention::KEPT | attention::FLUSHING) == attention::KEPT
    }

    /// Takes what was kept.
    pub(crate) fn take_kept(&self) -> Vec<Box<dyn Deferred>> {
        self.clear_attention(attention::KEPT);
        std::mem::take(&mut *self.kept.lock())
    }

    /// Whether agent code may be on its stack, or a lock of the agent's in its hands.
    pub(crate) fn may_hold_a_lock(&self) -> bool {
        self.is_agents.load(Ordering::Relaxed) || self.raw_held.load(Ordering::Relaxed) > 0
    }

    /// The agent has stopped it: it can be found until [`Thread::resuming`], also
    /// when it was on its way out and is no longer among the live ones.
    pub(crate) fn suspended(self: &Arc<Self>) {
        self.stopped_by.store(current::key(), Ordering::Relaxed);
        SUSPENDED.replace(self.env as u64, Arc::clone(self));
    }

    /// The [`current::key`] of whoever has stopped it.
    pub(crate) fn stopped_by(&self) -> u64 {
        self.stopped_by.load(Ordering::Relaxed)
    }

    /// Whether the calling thread has suspended others, which it has not let go on yet: the
    /// thread-suspended mode of the specification ("Threading and Locking").
    pub(crate) fn has_suspended_others() -> bool {
        let me = current::key();
        SUSPENDED.any(|thread| thread.stopped_by() == me)
    }

    /// The agent is about to let it go on.
    pub(crate) fn resuming(&self) {
        self.forget_capture();
        SUSPENDED.remove(self.env as u64);
    }

    /// Takes the stack of the running thread if that is wanted, to be used by
    /// GetCallTrace until [`Thread::resuming`]. False if it was not even asked.
    pub(crate) fn capture(&self, wanted: bool) -> bool {
        self.forget_capture();
        if !wanted {
            return false;
        }
        let Some(capturing) = Turn::take(&self.capturing) else {
            return false;
        };
        // Read after `capturing` is seen: a thread that ends clears it first and
        // then waits for us.
        fence(Ordering::SeqCst);
        let tid = self.tid.load(Ordering::Acquire);
        if tid != 0 {
            // SAFETY: it does not, since it waits for us (above).
            let frames = unsafe { async_trace::capture(tid, self.env_ptr()) };
            *self.captured.lock() = frames;
        }
        drop(capturing);
        tid != 0
    }

    /// The thread runs again: its stack is no longer the captured one.
    fn forget_capture(&self) {
        *self.captured.lock() = None;
    }

    /// The captured stack, callee first, if there is one.
    pub(crate) fn captured(&self) -> Option<Vec<Frame>> {
        self.captured.lock().clone()
    }

    /// Whether the thread waits for something other than a processor; `None` if the kernel
    /// does not say. (In a handler, it may be a lock of the agent's.)
    pub(crate) fn waits(&self) -> Option<bool> {
        tasks::waits(self.kernels()?)
    }

    /// The kernel's number of it, if that is known.
    fn kernels(&self) -> Option<u32> {
        let numbers = [&self.tid, &self.told_tid];
        let mut numbers = numbers.iter().map(|tid| tid.load(Ordering::Acquire));
        numbers.find(|&tid| tid != 0)
    }

    /// On the thread itself: its numbers, unless they are known.
    pub(crate) fn met_itself(&self) {
        if self.tid.load(Ordering::Relaxed) == 0 {
            self.tid.store(tasks::own(), Ordering::Release);
            self.key.store(current::key(), Ordering::Release);
        }
    }

    /// On another thread: the kernel's number of it, unless it is known.
    pub(crate) fn told_of(&self) {
        if self.kernels().is_none() {
            let tid = os_thread::number_of(self.env).unwrap_or(0);
            self.told_tid.store(tid, Ordering::Release);
        }
    }

    /// Its status, if to the VM it runs Java code (`state`: JVMTI's bits) but may wait inside
    /// the VM: only the kernel tells of that. One that has just been stopped and has not come
    /// to run again yet does not wait.
    pub(crate) fn status_in_vm(&self, state: i32, status: i32) -> i32 {
        let waits = || self.waits() == Some(true);
        let again = || {
            std::thread::yield_now();
            waits()
        };
        if thread_status::may_wait_in_vm(state) && waits() && again() {
            thread_status::waiting_in_vm(status)
        } else {
            status
        }
    }

    /// Its status for the agent, which may believe to have suspended it.
    pub(crate) fn shown_status(&self, status: i32) -> i32 {
        let status = if self.stopped_in_name.load(Ordering::Acquire) {
            status | thread_status::SUSPENDED
        } else {
            status
        };
        status & !config::options().host.row().missing_status
    }

    /// On the ending thread: nobody sends it a signal any more when this returns.
    pub(crate) fn end_captures(&self) {
        self.tid.store(0, Ordering::Release);
        fence(Ordering::SeqCst);
        while self.capturing.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    }

    /// On the thread itself: waits for something of ours. To the VM it is in native code, and
    /// samplers would see it run.
    pub(crate) fn resting<T>(&self, rest: impl FnOnce() -> T) -> T {
        self.with_raw_wait(thread_status::CONDVAR_WAIT, rest)
    }

    /// The same with JVMPI's status for a raw monitor.
    pub(crate) fn with_raw_wait<T>(&self, status: i32, rest: impl FnOnce() -> T) -> T {
        struct Waits<'a>(&'a AtomicI32);
        impl Drop for Waits<'_> {
            fn drop(&mut self) {
                self.0.store(0, Ordering::Relaxed);
            }
        }
        self.raw_wait.store(status, Ordering::Relaxed);
        let _waits = Waits(&self.raw_wait);
        rest()
    }

    /// The status the thread has because of a raw monitor.
    pub(crate) fn raw_wait(&self) -> Option<i32> {
        Some(self.raw_wait.load(Ordering::Relaxed)).filter(|&status| status != 0)
    }

    /// Notes the thread's CPU time at a suspension, for ThreadHasRun.
    pub(crate) fn note_cpu_time(&self, nanos: Option<i64>) {
        let [last, before] = &self.cpu;
        before.store(last.load(Ordering::Relaxed), Ordering::Relaxed);
        last.store(nanos.unwrap_or(-1), Ordering::Relaxed);
    }

    /// Counts CPU time that we have cost the thread as used before the suspension.
    pub(crate) fn correct_cpu_time(&self, nanos: Option<i64>) {
        let [last, _] = &self.cpu;
        last.store(nanos.unwrap_or(-1), Ordering::Relaxed);
    }

    /// Whether the thread used CPU between its last two suspensions; yes if that
    /// is unknown (JVMPI facts B.9).
    pub(crate) fn has_run(&self) -> bool {
        let [last, before] = self.cpu.each_ref().map(|time| time.load(Ordering::Relaxed));
        last < 0 || before < 0 || last > before
    }
}
