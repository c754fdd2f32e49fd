//! What is known of one thread.
//!
//! # Threads
//! Any may look at any record; what only the thread itself may do says so.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering, fence};

use event_translate::thread_status;
use id_map::{Announcement, ObjectId};
use jvmpi_headers::jni::JNIEnv;
use once_cell::race::OnceBox;
use parking_lot::Mutex;

use crate::base::config;
use crate::model::attention;
use crate::model::deferred::Deferred;
use crate::model::method_stack::MethodStack;
use crate::model::monitor_wait::{MonitorWait, Sleep};
use crate::model::native_thread::{Asked, NOBODY, NativeThread};
use crate::model::own_cell::OwnCell;
use crate::model::suspension::Suspension;
use crate::model::tables::{IDS, SUSPENDED, THREADS, THREADS_BY_ID, VIRTUAL_BY_ID};
use crate::model::virtual_part::VirtualPart;
use crate::model::{current, ids};
use crate::os::cpu_clock;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::mounts::{self, ThreadIdentifier};
use crate::vm::hotspot::weak_slots;
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef, Weak};

/// Of what kind a thread is.
#[derive(Debug)]
enum Kind {
    /// One of the operating system's.
    Platform(Box<NativeThread>),
    /// One that carriers run ([`crate::model::virtual_threads`]).
    Virtual(VirtualPart),
}

/// What few threads need.
#[derive(Debug, Default)]
struct Rare {
    /// What it has to say when the gate is open again.
    kept: Mutex<Vec<Box<dyn Deferred>>>,
    suspension: Suspension,
}

/// What is known of one thread. There may be very many: what few of them need is boxed.
#[derive(Debug)]
pub(crate) struct Thread {
    /// The JNIEnv pointer: the thread's name in JVMPI. Never dereferenced here.
    pub(crate) env: usize,
    kind: Kind,
    /// The number of its object's id ([`ObjectId::index`]); 0 while it has none.
    id: AtomicU32,
    /// Of a virtual thread: its object has the id and no tag. Whoever clears this gives it one, or sees
    /// to it that its death is seen.
    owes_tag: AtomicBool,
    /// The agent's thread-local word.
    pub(crate) local: AtomicUsize,
    /// THREAD_START.
    pub(crate) announced: Announcement,
    /// What its next allocation must look at first: [`attention`] bits.
    attention: AtomicU32,
    rare: OnceBox<Rare>,
    /// An agent believes to have suspended it.
    pub(crate) stopped_in_name: AtomicBool,
    monitor_wait: OnceBox<MonitorWait>,
    /// Its ThreadStart has come, or is not to come: it was there before us. Until then it may
    /// run Java code all the same, in AttachCurrentThread (JVMTI facts 18).
    pub(crate) started: AtomicBool,
    /// Its THREAD_END is due or past.
    pub(crate) ends: AtomicBool,
    /// JVMPI's status while it is in a raw monitor's queue, else 0.
    raw_wait: AtomicI32,
}

// With the two counts of its Arc: one of the allocator's sizes, and 100,000 of them take 11 MB.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Thread>() <= 88);

impl Thread {
    pub(crate) fn new(env: usize) -> Self {
        Self::of(env, Kind::Platform(Box::new(NativeThread::new(env))))
    }

    /// A virtual thread, with an env of its own.
    pub(super) fn of_virtual(identifier: ThreadIdentifier, object: Option<Weak>) -> Self {
        let part = VirtualPart::new(identifier, object);
        Self::of(part.env.address(), Kind::Virtual(part))
    }

    fn of(env: usize, kind: Kind) -> Self {
        Self {
            env,
            kind,
            id: AtomicU32::new(0),
            owes_tag: AtomicBool::new(false),
            local: AtomicUsize::new(0),
            announced: Announcement::new(),
            attention: AtomicU32::new(attention::UNMET),
            rare: OnceBox::new(),
            stopped_in_name: AtomicBool::new(false),
            monitor_wait: OnceBox::new(),
            started: AtomicBool::new(false),
            ends: AtomicBool::new(false),
            raw_wait: AtomicI32::new(0),
        }
    }

    /// What belongs to the thread of the operating system that it is, or that carries it. Of a
    /// virtual thread only the thread itself has it, while it is mounted.
    #[inline(always)]
    pub(crate) fn native(&self) -> &NativeThread {
        match &self.kind {
            Kind::Platform(native) => native,
            Kind::Virtual(..) => current::carrier_of(self).unwrap_or(&NOBODY),
        }
    }

    /// The same of a platform thread alone.
    pub(super) fn own_native(&self) -> Option<&NativeThread> {
        match &self.kind {
            Kind::Platform(native) => Some(native),
            Kind::Virtual(..) => None,
        }
    }

    /// The methods that the agent believes to be running on it; `None` if there was none so far.
    #[inline(always)]
    pub(crate) fn methods_so_far(&self) -> Option<&OwnCell<MethodStack>> {
        match &self.kind {
            Kind::Platform(native) => Some(&native.methods),
            Kind::Virtual(part) => part.methods.get(),
        }
    }

    /// The methods that the agent believes to be running on it.
    pub(crate) fn methods(&self) -> &OwnCell<MethodStack> {
        match &self.kind {
            Kind::Platform(native) => &native.methods,
            Kind::Virtual(part) => part.methods.get_or_init(|| Box::new(MethodStack::new())),
        }
    }

    /// On the carrier `native`: it begins to run.
    pub(super) fn is_mounted_on(&self, native: &NativeThread) {
        if let Kind::Virtual(part) = &self.kind {
            part.env.mount(native.env);
        }
        native
            .mounted_at
            .store(cpu_clock::nanos(), Ordering::Relaxed);
    }

    /// On the carrier `native`: it has run up to now.
    pub(super) fn is_unmounted_from(&self, native: &NativeThread) {
        if let Kind::Virtual(part) = &self.kind {
            part.used.store(part.cpu_time_on(native), Ordering::Relaxed);
            part.env.unmount();
        }
    }

    /// On the thread itself: the CPU time that it has used, in nanoseconds; a virtual thread on all
    /// its carriers, since it was met.
    pub(crate) fn cpu_time(&self) -> u64 {
        match &self.kind {
            Kind::Platform(_) => cpu_clock::nanos(),
            Kind::Virtual(part) => part.cpu_time_on(self.native()),
        }
    }

    /// The VM's number of a virtual thread, which no other ever has.
    pub(crate) fn identifier(&self) -> Option<ThreadIdentifier> {
        match &self.kind {
            Kind::Platform(_) => None,
            Kind::Virtual(part) => Some(part.identifier()),
        }
    }

    /// Whether it is a virtual thread.
    #[inline]
    pub(crate) fn is_virtual(&self) -> bool {
        matches!(self.kind, Kind::Virtual(..))
    }

    /// Whether its object was collected, which happens to parked virtual threads. Only where
    /// [`weak_slots::can_tell`].
    pub(super) fn is_collected(&self) -> bool {
        match &self.kind {
            Kind::Platform(_) => false,
            Kind::Virtual(part) => part.object.as_ref().is_some_and(weak_slots::is_cleared),
        }
    }

    /// Its env is nobody else's for ever: the agent was not told of its end.
    pub(super) fn keeps_its_env(&self) {
        if let Kind::Virtual(part) = &self.kind {
            part.env.keep();
        }
    }

    /// The record of the carrier that runs it, if it is a virtual thread and one does.
    pub(crate) fn carrier(&self) -> Option<Arc<Self>> {
        match &self.kind {
            Kind::Platform(_) => None,
            Kind::Virtual(part) => THREADS.get(part.env.carriers() as u64),
        }
    }

    /// Whether it is a virtual thread that nobody runs now.
    fn is_unmounted(&self) -> bool {
        match &self.kind {
            Kind::Platform(_) => false,
            Kind::Virtual(part) => part.env.carriers() == 0,
        }
    }

    /// The JNIEnv as events carry it.
    pub(crate) fn env_ptr(&self) -> *mut JNIEnv {
        ptr::with_exposed_provenance_mut(self.env)
    }

    /// The `java.lang.Thread`, once it is known.
    pub(crate) fn object(&self) -> Option<ObjectRef<'_>> {
        match &self.kind {
            Kind::Platform(native) => native.object.get().map(Global::get),
            Kind::Virtual(part) => part.object.as_ref().map(Weak::get),
        }
    }

    /// Fills in the `java.lang.Thread` if it was unknown, as a platform thread's may be.
    pub(crate) fn set_object(&self, jni: Jni, object: ObjectRef<'_>) {
        if let Kind::Platform(native) = &self.kind
            && native.object.get().is_none()
            && let Some(global) = Global::new(jni, object)
        {
            let _ = native.object.set(global);
        }
    }

    /// The id of the `java.lang.Thread`; given on first need.
    pub(crate) fn id(self: &Arc<Self>, jvmti: Jvmti, jni: Jni) -> Option<ObjectId> {
        let known = self.known_id();
        if known.is_some() {
            return known;
        }
        let object = self.object()?;
        let id = match &self.kind {
            Kind::Virtual(part) if current::is(self) && mounts::knows_virtual() => {
                let owes_tag = |id| self.has_id(id, true);
                ids::id_of_calling(jvmti, jni, object, part.identifier(), owes_tag)
            }
            Kind::Platform(_) | Kind::Virtual(_) => {
                ids::id_of(jvmti, jni, object, id_map::Kind::Thread)
            }
        }?;
        self.has_id(id, false);
        self.known_id()
    }

    /// It has this id, unless it has it already.
    fn has_id(self: &Arc<Self>, id: ObjectId, owes_tag: bool) {
        IDS.set_kind(id, id_map::Kind::Thread);
        if owes_tag {
            self.owes_tag.store(true, Ordering::Release);
        }
        let (new, failed) = (Ordering::AcqRel, Ordering::Acquire);
        let first = self.id.compare_exchange(0, id.index(), new, failed);
        if first.is_ok() && self.is_found_by_id() {
            self.add_by_id();
        }
    }

    /// The id, if its object owed a tag: from now on that is the caller's to give.
    pub(super) fn pays_tag(&self) -> Option<ObjectId> {
        // Known is what it has after it owes.
        let id = self.known_id()?;
        let owes = self.owes_tag.load(Ordering::Relaxed);
        (owes && self.owes_tag.swap(false, Ordering::AcqRel)).then_some(id)
    }

    fn is_found_by_id(&self) -> bool {
        // Whoever begins to have virtual ones found sees this one's id, or is seen here.
        fence(Ordering::SeqCst);
        !self.is_virtual() || VIRTUAL_BY_ID.load(Ordering::Relaxed)
    }

    /// It is found by its id, if it has one.
    pub(super) fn add_by_id(self: &Arc<Self>) {
        if let Some(id) = self.known_id() {
            THREADS_BY_ID.replace(id.raw(), Arc::clone(self));
        }
    }

    /// It is not found by its id any more.
    pub(super) fn forget_id(&self) {
        if let Some(id) = self.known_id()
            && self.is_found_by_id()
        {
            THREADS_BY_ID.remove(id.raw());
        }
    }

    /// The same if it has been given.
    pub(crate) fn known_id(&self) -> Option<ObjectId> {
        ObjectId::from_index(self.id.load(Ordering::Acquire))
    }

    /// The bits of [`attention`] that are set.
    pub(crate) fn attention(&self) -> u32 {
        self.attention.load(Ordering::Relaxed)
    }

    /// Sets bits; those that were set before. What is set for a while only is a guard
    /// ([`crate::model::attention_guard::Attention`]). Whoever clears them sees what was done before.
    pub(crate) fn set_attention(&self, bits: u32) -> u32 {
        self.attention.fetch_or(bits, Ordering::Release)
    }

    pub(crate) fn clear_attention(&self, bits: u32) {
        self.attention.fetch_and(!bits, Ordering::Acquire);
    }

    /// The monitor it waits for, or on.
    pub(crate) fn monitor_wait(&self) -> &MonitorWait {
        self.monitor_wait.get_or_init(Box::default)
    }

    /// On the thread itself: the sleep that is over, if it is a virtual one that has begun one.
    pub(crate) fn wakes(&self) -> Option<Sleep> {
        self.monitor_wait.get()?.wakes()
    }

    fn suspension(&self) -> &Suspension {
        &self.rare.get_or_init(Box::default).suspension
    }

    fn kept(&self) -> &Mutex<Vec<Box<dyn Deferred>>> {
        &self.rare.get_or_init(Box::default).kept
    }

    /// Keeps an event until the gate is open again; see [`crate::delivery::deferred::flush`].
    pub(crate) fn keep(&self, event: impl Deferred + 'static) {
        self.kept().lock().push(Box::new(event));
        self.set_attention(attention::KEPT);
    }

    /// Keeps a CLASS_LOAD, once.
    pub(crate) fn keep_class(&self, load: impl Deferred + 'static) {
        let mut kept = self.kept().lock();
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
        let mut kept = self.kept().lock();
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
        let rare = self.rare.get();
        rare.map_or_else(Vec::new, |rare| std::mem::take(&mut *rare.kept.lock()))
    }

    /// The agent has stopped it: it can be found until [`Thread::resuming`], also
    /// when it was on its way out and is no longer among the live ones.
    pub(crate) fn suspended(self: &Arc<Self>) {
        let by = &self.suspension().by;
        by.store(current::key(), Ordering::Relaxed);
        SUSPENDED.replace(self.env as u64, Arc::clone(self));
    }

    /// The [`current::key`] of whoever has stopped it.
    pub(crate) fn stopped_by(&self) -> u64 {
        let rare = self.rare.get();
        rare.map_or(0, |rare| rare.suspension.by.load(Ordering::Relaxed))
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
        let carrier = self.carrier();
        let runs = carrier.as_deref().unwrap_or(self);
        // Nobody is disturbed for frames that lie below those of another thread.
        let other = carrier.is_none() && runs.carries_any();
        let Some(asked) = (!other).then(|| runs.ask()).flatten() else {
            return false;
        };
        let frames = match &self.kind {
            Kind::Platform(_) => asked.own(),
            Kind::Virtual(part) => {
                let found = asked.carried();
                found.and_then(|(whose, frames)| (whose == part.identifier()).then_some(frames))
            }
        };
        *self.suspension().captured.lock() = frames;
        true
    }

    /// The same with a stack that it has given before.
    pub(crate) fn set_captured(&self, frames: Vec<Frame>) {
        *self.suspension().captured.lock() = Some(frames);
    }

    fn carries_any(&self) -> bool {
        let native = self.own_native();
        native.is_some_and(|native| native.carried().is_some())
    }

    /// Asks a platform thread for its stack, or that of the virtual thread which it carries.
    pub(crate) fn ask(&self) -> Option<Asked<'_>> {
        self.own_native()?.ask()
    }

    /// The thread runs again: its stack is no longer the captured one.
    fn forget_capture(&self) {
        if let Some(rare) = self.rare.get() {
            *rare.suspension.captured.lock() = None;
        }
    }

    /// The captured stack, callee first, if there is one.
    pub(crate) fn captured(&self) -> Option<Vec<Frame>> {
        self.rare.get()?.suspension.captured.lock().clone()
    }

    /// Its status, if to the VM it runs Java code (`state`: JVMTI's bits) but may wait inside
    /// the VM: only the kernel tells of that. One that has just been stopped and has not come
    /// to run again yet does not wait. Of a virtual thread, whose number in the kernel agents cannot
    /// know, the kernel is asked in native code, too.
    pub(crate) fn status_in_vm(&self, state: i32, status: i32) -> i32 {
        let carrier = self.carrier();
        let runs = carrier.as_deref().unwrap_or(self).native();
        let waits = || runs.waits() == Some(true);
        let again = || {
            std::thread::yield_now();
            waits()
        };
        let may_wait = thread_status::may_wait_in_vm(state)
            || carrier.is_some() && thread_status::may_wait_in_native(state);
        if may_wait && waits() && again() {
            thread_status::waiting_in_vm(status)
        } else {
            status
        }
    }

    /// Its status for the agent, which may believe to have suspended it.
    pub(crate) fn shown_status(&self, status: i32) -> i32 {
        let status = if self.is_unmounted() {
            thread_status::unmounted(status)
        } else {
            status
        };
        let status = if self.stopped_in_name.load(Ordering::Acquire) {
            status | thread_status::SUSPENDED
        } else {
            status
        };
        status & !config::options().host.row().missing_status
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

    /// From another thread: the CPU time that it has used, in nanoseconds, as the VM knows it (which
    /// of virtual threads it does not).
    pub(crate) fn used_cpu_time(&self, jvmti: Jvmti) -> Option<i64> {
        match &self.kind {
            Kind::Platform(_) => jvmti.thread_cpu_time(self.object()?).ok(),
            Kind::Virtual(part) if self.is_unmounted() => {
                Some(part.used.load(Ordering::Relaxed).cast_signed())
            }
            Kind::Virtual(..) => None,
        }
    }

    /// Notes the thread's CPU time at a suspension, for ThreadHasRun.
    pub(crate) fn note_cpu_time(&self, nanos: Option<i64>) {
        self.suspension().note_cpu_time(nanos);
    }

    /// Counts CPU time that we have cost the thread as used before the suspension.
    pub(crate) fn correct_cpu_time(&self, nanos: Option<i64>) {
        self.suspension().correct_cpu_time(nanos);
    }

    /// Whether the thread used CPU between its last two suspensions; yes if that
    /// is unknown (JVMPI facts B.9).
    pub(crate) fn has_run(&self) -> bool {
        let rare = self.rare.get();
        rare.is_none_or(|rare| rare.suspension.has_run())
    }
}
