//! Threads as JVMPI names them: by their JNIEnv.
//!
//! A record lives from the first sign of a thread (its ThreadStart, a call it
//! makes, or the list of threads at VMInit) to its ThreadEnd. Virtual threads
//! have none of their own: they run under their carrier's env.

use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_translate::table::EventKind;
use event_translate::thread_status;
use id_map::{Announcement, Claim, Flag, Kind, ObjectId, Supply};
use jvmpi_headers::jni::{JNIEnv, jobject};
use jvmpi_headers::jvmpi::{JVMPI_Event_thread_start, JVMPI_REQUESTED_EVENT};
use once_cell::sync::OnceCell;

use crate::dispatch::{self, Patience, Sent};
use crate::ffi::own_cell::OwnCell;
use crate::ffi::{async_trace, current};
use crate::jvmti::env::{Frame, Jvmti};
use crate::jvmti::jni::Jni;
use crate::jvmti::memory::Text;
use crate::jvmti::refs::{Global, Local};
use crate::kept::Kept;
use crate::state::{self, IDS, SUSPENDED, THREADS, THREADS_BY_ID};
use crate::{ids, kept, method_events, monitor_events, objects, os_thread};

/// What a thread must look at before it takes the short way through an allocation.
pub(crate) mod attention {
    /// Its THREAD_START may be due.
    pub(crate) const UNMET: u32 = 1;
    /// It keeps events.
    pub(crate) const KEPT: u32 = 2;
    /// The heap is being replayed, or was just now: the object may have its id.
    pub(crate) const REPLAY: u32 = 4;
    /// The object is our own.
    pub(crate) const SILENT: u32 = 8;
    /// It defines or retransforms classes for us.
    pub(crate) const REWRITING: u32 = 16;
    /// It carries virtual threads.
    pub(crate) const CARRIER: u32 = 32;
    /// It sends what it has kept.
    pub(crate) const FLUSHING: u32 = 64;
}

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
    /// How deep the thread is in deliveries: written by itself only ([`crate::gate`]).
    pub(crate) depth: AtomicU32,
    /// What its next allocation must look at first: [`attention`] bits.
    attention: AtomicU32,
    /// What it has to say when the gate is open again.
    kept: Mutex<Vec<Kept>>,
    /// The agent's own thread (CreateSystemThread).
    pub(crate) is_agents: AtomicBool,
    /// Our own thread that sends the brackets.
    pub(crate) is_workers: AtomicBool,
    /// An agent believes to have suspended it.
    pub(crate) stopped_in_name: AtomicBool,
    /// Raw monitors it owns, entries counted.
    pub(crate) raw_held: AtomicU32,
    /// Ids it may give out.
    pub(crate) supply: Supply,
    /// Allocations it has looked at twice since a replay.
    pub(crate) looks: AtomicU32,
    /// The id of its last allocation, until the VM may have lost the tag.
    pub(crate) last_allocated: AtomicU64,
    /// The methods that the agent believes to be running on it.
    pub(crate) stack: OwnCell<method_events::Stack>,
    /// The monitor it waits for, or on.
    pub(crate) begun: monitor_events::Begun,
    /// Its number as owner of raw monitors; 0 while it was not met itself.
    pub(crate) key: AtomicU64,
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
            depth: AtomicU32::new(0),
            attention: AtomicU32::new(attention::UNMET | attention::REPLAY),
            kept: Mutex::new(Vec::new()),
            is_agents: AtomicBool::new(false),
            is_workers: AtomicBool::new(false),
            stopped_in_name: AtomicBool::new(false),
            raw_held: AtomicU32::new(0),
            supply: Supply::new(),
            looks: AtomicU32::new(0),
            last_allocated: AtomicU64::new(0),
            stack: method_events::Stack::new(),
            begun: monitor_events::Begun::new(),
            key: AtomicU64::new(0),
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

    /// The `java.lang.Thread`, null while it is unknown.
    pub(crate) fn object(&self) -> jobject {
        self.object.get().map_or(ptr::null_mut(), Global::get)
    }

    /// Fills in the `java.lang.Thread` if it was unknown.
    pub(crate) fn set_object(&self, jni: Jni, object: jobject) {
        if self.object.get().is_none()
            && !object.is_null()
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
        if self.object().is_null() {
            return None;
        }
        let id = ids::id_of(jvmti, jni, self.object(), Kind::Thread)?;
        IDS.set_kind(id, Kind::Thread);
        if self.id.set(id).is_ok() {
            THREADS_BY_ID.replace(id.raw(), Arc::clone(self));
        }
        self.id.get().copied()
    }

    /// The bits of [`attention`] that are set.
    pub(crate) fn attention(&self) -> u32 {
        self.attention.load(Ordering::Relaxed)
    }

    pub(crate) fn set_attention(&self, bit: u32) {
        self.attention.fetch_or(bit, Ordering::Relaxed);
    }

    pub(crate) fn clear_attention(&self, bit: u32) {
        self.attention.fetch_and(!bit, Ordering::Relaxed);
    }

    /// Keeps an event until the gate is open again; see [`crate::kept::flush`].
    pub(crate) fn keep(&self, event: Kept) {
        lock(&self.kept).push(event);
        self.set_attention(attention::KEPT);
    }

    /// Puts back what was taken.
    pub(crate) fn keep_again(&self, first: Kept, rest: impl Iterator<Item = Kept>) {
        let mut kept = lock(&self.kept);
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
    pub(crate) fn take_kept(&self) -> Vec<Kept> {
        self.clear_attention(attention::KEPT);
        std::mem::take(&mut *lock(&self.kept))
    }

    /// Whether agent code may be on its stack, or a lock of the agent's in its hands.
    pub(crate) fn may_hold_a_lock(&self) -> bool {
        self.is_agents.load(Ordering::Relaxed) || self.raw_held.load(Ordering::Relaxed) > 0
    }

    /// The agent has stopped it: it can be found until [`Thread::resuming`], also
    /// when it was on its way out and is no longer among the live ones.
    pub(crate) fn suspended(self: &Arc<Self>) {
        SUSPENDED.replace(self.env as u64, Arc::clone(self));
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
        if !wanted || self.capturing.swap(true, Ordering::AcqRel) {
            return false;
        }
        // Read after `capturing` is seen: a thread that ends clears it first and
        // then waits for us.
        fence(Ordering::SeqCst);
        let tid = self.tid.load(Ordering::Acquire);
        if tid != 0 {
            let frames = async_trace::capture(tid, self.env_ptr());
            *lock(&self.captured) = frames;
        }
        self.capturing.store(false, Ordering::Release);
        tid != 0
    }

    /// The thread runs again: its stack is no longer the captured one.
    fn forget_capture(&self) {
        *lock(&self.captured) = None;
    }

    /// The captured stack, callee first, if there is one.
    pub(crate) fn captured(&self) -> Option<Vec<Frame>> {
        lock(&self.captured).clone()
    }

    /// Whether the thread waits for something other than a processor; `None` if the kernel
    /// does not say. (In a handler, it may be a lock of the agent's.)
    pub(crate) fn waits(&self) -> Option<bool> {
        let tid = self.kernels()?;
        // proc(5): number, name in parentheses, state.
        let state = std::fs::read(format!("/proc/self/task/{tid}/stat")).ok()?;
        let end = state.iter().rposition(|&byte| byte == b')')?;
        state.get(end + 2).map(|letter| *letter != b'R')
    }

    /// The kernel's number of it, if that is known.
    fn kernels(&self) -> Option<u32> {
        let numbers = [&self.tid, &self.told_tid];
        let mut numbers = numbers.iter().map(|tid| tid.load(Ordering::Acquire));
        numbers.find(|&tid| tid != 0)
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
        status & !state::options().host.row().missing_status
    }

    /// On the ending thread: nobody sends it a signal any more when this returns.
    fn end_captures(&self) {
        self.tid.store(0, Ordering::Release);
        fence(Ordering::SeqCst);
        while self.capturing.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    }

    /// While the thread waits for or in a raw monitor: JVMPI's status for that.
    pub(crate) fn set_raw_wait(&self, status: Option<i32>) {
        self.raw_wait.store(status.unwrap_or(0), Ordering::Relaxed);
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The record of an env that an agent hands us; `None` for nonsense. The calling
/// thread's own env is known also when the thread meets us for the first time.
pub(crate) fn by_env(env: *mut JNIEnv) -> Option<Arc<Thread>> {
    current::own_if(env.addr())
        .or_else(|| THREADS.get(env.addr() as u64))
        .or_else(|| SUSPENDED.get(env.addr() as u64))
        .or_else(|| own().filter(|own| own.env == env.addr()))
}

/// The calling thread's record, made if need be. `None` for a thread the VM does
/// not know.
pub(crate) fn own() -> Option<Arc<Thread>> {
    current::own().or_else(|| enter(Jni::of_this_thread()?, ptr::null_mut()))
}

/// The calling thread's record in a callback, where the VM names env and thread
/// (null if it does not).
pub(crate) fn enter(jni: Jni, thread: jobject) -> Option<Arc<Thread>> {
    let env = jni.env().expose_provenance();
    let record = if let Some(own) = current::own_if(env) {
        own
    } else {
        let (record, _) = THREADS.get_or_insert(env as u64, Arc::new(Thread::new(env)));
        current::set(&record);
        record
    };
    record.set_object(jni, thread);
    if record.tid.load(Ordering::Relaxed) == 0 {
        record.tid.store(current::tid(), Ordering::Release);
        record.key.store(current::key(), Ordering::Release);
    }
    Some(record)
}

/// A thread starts, on itself. Its env may have belonged to another that has
/// ended: nothing of that one may be seen again.
pub(crate) fn started(jni: Jni, thread: jobject) -> Option<Arc<Thread>> {
    let env = jni.env().expose_provenance();
    current::set_ended(false);
    if let Some(known) = THREADS.get(env as u64) {
        // Without an object it is from before VMStart, when no end was reported.
        let same = if known.object().is_null() {
            current::is_own(env)
        } else {
            jni.same(known.object(), thread)
        };
        if same {
            current::set(&known);
            return enter(jni, thread);
        }
        forget(&known);
    }
    current::clear();
    enter(jni, thread)
}

/// A thread has ended, on itself, after its THREAD_END.
pub(crate) fn ended(record: &Arc<Thread>) {
    record.end_captures();
    forget(record);
    current::clear();
    current::set_ended(true);
}

fn forget(record: &Arc<Thread>) {
    IDS.retire(&record.supply);
    THREADS.remove(record.env as u64);
    if let Some(id) = record.id.get() {
        THREADS_BY_ID.remove(id.raw());
    }
}

/// Adds a thread that is not the calling one, by the env the VM keeps for it.
pub(crate) fn discover(jni: Jni, thread: jobject, env: usize) -> Arc<Thread> {
    let fresh = Thread::new(env);
    // Complete before it can be found: the thread itself may be starting just now.
    fresh.set_object(jni, thread);
    let (record, _) = THREADS.get_or_insert(env as u64, Arc::new(fresh));
    // It may have called us before the VM would tell its object.
    record.set_object(jni, thread);
    if record.kernels().is_none() {
        let tid = os_thread::number_of(env).unwrap_or(0);
        record.told_tid.store(tid, Ordering::Release);
    }
    record
}

/// Sends THREAD_START of `thread` unless it was sent; true when the agent knows
/// the thread now (or does not want to).
pub(crate) fn announce(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
    patience: Patience,
) -> bool {
    if thread.announced.is_done() || !dispatch::reaches_agent(EventKind::ThreadStart) {
        return true;
    }
    if sender.env != thread.env {
        // The thread's object is defined first, as anything that is named.
        define(jvmti, jni, sender, thread);
    }
    let Some(start) = Start::collect(jvmti, jni, thread) else {
        return false;
    };
    match thread.announced.claim(current::key()) {
        Claim::Mine => match start.send(sender, EventKind::ThreadStart.raw()) {
            Sent::Yes => {
                thread.announced.finish();
                if sender.env == thread.env {
                    // Its own object, of which not every VM tells, and what it has done
                    // while it was attached.
                    define(jvmti, jni, sender, thread);
                    kept::flush(jvmti, jni, sender);
                }
                true
            }
            Sent::No => {
                thread.announced.abandon();
                true
            }
            Sent::Later => {
                thread.announced.abandon();
                sender.keep(Kept::Thread(Arc::clone(thread)));
                true
            }
        },
        Claim::Done => true,
        Claim::Elsewhere => dispatch::wait_for(&thread.announced, patience),
    }
}

/// Sends the OBJECT_ALLOC of the thread's object, if that is wanted and never came.
fn define(jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, thread: &Thread) {
    if dispatch::reaches_agent(EventKind::ObjectAlloc) && !thread.object().is_null() {
        objects::discover(jvmti, jni, sender, thread.object());
    }
}

/// Sends a requested THREAD_START; false if the thread has ended.
pub(crate) fn send_requested(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
) -> bool {
    let Some(start) = Start::collect(jvmti, jni, thread) else {
        return false;
    };
    // A request defines the thread as well: no second event for it.
    let mine = thread.announced.claim(current::key()) == Claim::Mine;
    let sent =
        start.send(sender, EventKind::ThreadStart.raw() | JVMPI_REQUESTED_EVENT) == Sent::Yes;
    if mine && sent {
        thread.announced.finish();
    } else if mine {
        thread.announced.abandon();
    }
    sent
}

/// The contents of one THREAD_START.
struct Start {
    env: usize,
    id: ObjectId,
    name: Option<Text>,
    group: Option<Text>,
    parent: Option<Text>,
}

impl Start {
    fn collect(jvmti: Jvmti, jni: Jni, thread: &Arc<Thread>) -> Option<Self> {
        let id = thread.id(jvmti, jni)?;
        let (name, group, loader) = jvmti.thread_info(thread.object()).ok()?;
        let _loader = Local::adopt(jni, loader);
        let (mut group_name, mut parent_name) = (None, None);
        if let Some(group) = Local::adopt(jni, group)
            && let Ok((parent, name)) = jvmti.group_info(group.get())
        {
            group_name = name;
            if let Some(parent) = Local::adopt(jni, parent)
                && let Ok((grandparent, name)) = jvmti.group_info(parent.get())
            {
                let _grandparent = Local::adopt(jni, grandparent);
                parent_name = name;
            }
        }
        Some(Self {
            env: thread.env,
            id,
            name,
            group: group_name,
            parent: parent_name,
        })
    }

    fn send(&self, sender: &Arc<Thread>, event_type: i32) -> Sent {
        // Hosts always gave these two, and agents copy them unseen. (The group of a
        // thread that is ending is gone.)
        const NAMELESS: &CStr = c"";
        let text_or_empty = |text: &Option<Text>| {
            text.as_ref()
                .map_or(NAMELESS.as_ptr().cast_mut(), Text::as_ptr)
        };
        dispatch::deliver_filled(sender, event_type, |event| {
            IDS.set(self.id, Flag::KNOWN);
            event.u.thread_start = JVMPI_Event_thread_start {
                thread_name: text_or_empty(&self.name),
                group_name: text_or_empty(&self.group),
                parent_name: self.parent.as_ref().map_or(ptr::null_mut(), Text::as_ptr),
                thread_id: dispatch::object_id(Some(self.id)),
                thread_env_id: ptr::with_exposed_provenance_mut(self.env),
            };
        })
    }
}

/// All threads whose THREAD_START the agent should have had by JVM_INIT_DONE.
pub(crate) fn all() -> Vec<Arc<Thread>> {
    let mut threads = THREADS.snapshot();
    threads.sort_by_key(|thread| thread.id.get().copied());
    threads
}
