//! One thread: its record ([`Thread`]), which is in this file, and what lies in it.
//!
//! - who looks at its own: [`current`], and the bits that keep it from its fast paths, [`attention`] and
//!   [`attention_guard`];
//! - what belongs to a thread of the system, [`native_thread`], and to a virtual one, [`virtual_part`];
//! - what it waits for and keeps meanwhile: [`monitor_wait`], [`deferred`], [`kept_events`];
//! - what is shown of it, and held: [`shown_status`], [`suspension`], [`object`];
//! - how many there have been, which each new record counts: [`threads_met`].
//!
//! A line belongs here if it is about one thread whose record one has. How that is found, and what puts it into
//! [`crate::model::tables`] or takes it out, is in [`crate::model::threads`]; what nobody but the thread itself may touch is in [`crate::model::own`].
//!
//! # Threads
//! Any may look at any record; what only the thread itself may do says so.

pub(crate) mod attention;
pub(crate) mod attention_guard;
pub(crate) mod current;
pub(crate) mod deferred;
pub(crate) mod kept_events;
pub(crate) mod monitor_wait;
pub(crate) mod native_thread;
pub(crate) mod object;
mod shown_status;
pub(super) mod suspension;
pub(crate) mod threads_met;
mod virtual_part;

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use id_map::{Announcement, ObjectId};
use jvmpi_headers::jni::JNIEnv;
use once_cell::race::OnceBox;
use parking_lot::Mutex;
use protocols::kept::Kept;

use crate::model::own::cell::OwnCell;
use crate::model::own::method_stack::MethodStack;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::monitor_wait::{MonitorWait, Sleep};
use crate::model::thread::native_thread::NativeThread;
use crate::model::thread::object::HeldObject;
use crate::model::thread::suspension::Suspension;
use crate::model::thread::virtual_part::VirtualPart;
use crate::os::cpu_clock;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::heap::weak_slots;
use crate::vm::hotspot::virtual_threads::mounts::ThreadIdentifier;
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef, Weak};

/// Events that wait for their thread.
pub(super) type KeptEvents = Kept<Box<dyn Deferred<Thread>>>;

/// Of what kind a thread is.
#[derive(Debug)]
enum Kind {
    /// One of the operating system's.
    Platform(Box<NativeThread>),
    /// One that carriers run ([`crate::model::threads::virtual_threads`]).
    Virtual(VirtualPart),
}

/// What few threads need.
#[derive(Debug, Default)]
struct Rare {
    /// What it has to say when the gate is open again.
    kept: Mutex<KeptEvents>,
    suspension: Suspension,
}

/// Its object has a tag, or no id.
const PAID: u8 = 0;
/// Nobody is giving it one.
const OWES: u8 = 1;
/// Somebody is.
const PAYING: u8 = 2;

/// What is known of one thread. There may be very many: what few of them need is boxed.
#[derive(Debug)]
pub(crate) struct Thread {
    /// The JNIEnv pointer: the thread's name in JVMPI. Never dereferenced here.
    pub(crate) env: usize,
    kind: Kind,
    /// The number of its object's id ([`ObjectId::index`]); 0 while it has none.
    id: AtomicU32,
    /// Of a virtual thread: whether its object has the id and no tag: [`OWES`], [`PAYING`], [`PAID`].
    owes_tag: AtomicU8,
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
        threads_met::another();
        Self {
            env,
            kind,
            id: AtomicU32::new(0),
            owes_tag: AtomicU8::new(PAID),
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

    /// What belongs to the thread of the operating system that it is; `None` of a virtual thread,
    /// which borrows that of its carrier ([`Thread::native`]).
    #[inline(always)]
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
        // Relaxed: the thread's own, or its carrier's; and bits that say nothing of other words.
        native
            .mounted_at
            .store(cpu_clock::nanos(), Ordering::Relaxed);
    }

    /// On another thread: `native` has not told that it runs it.
    pub(super) fn is_found_on(&self, native: &NativeThread) {
        if let Kind::Virtual(part) = &self.kind {
            part.env.is_carried_by(native.env);
        }
    }

    /// On another thread: that one does not run it any more, unless it has told so since.
    pub(super) fn is_not_found_on(&self, native: &NativeThread) {
        if let Kind::Virtual(part) = &self.kind {
            part.env.is_not_carried_by(native.env);
        }
    }

    /// On the carrier `native`: it has run up to now.
    pub(super) fn is_unmounted_from(&self, native: &NativeThread) {
        if let Kind::Virtual(part) = &self.kind {
            part.used.store(part.cpu_time_on(native), Ordering::Relaxed);
            part.env.unmount();
        }
    }

    /// What it has used on `native`, which runs it, and before, in nanoseconds.
    pub(super) fn cpu_time_on(&self, native: &NativeThread) -> u64 {
        match &self.kind {
            Kind::Platform(_) => cpu_clock::nanos(),
            Kind::Virtual(part) => part.cpu_time_on(native),
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

    /// The env of the carrier that runs a virtual thread, 0 while none does; `None` of a platform
    /// thread.
    pub(super) fn runs_on(&self) -> Option<usize> {
        match &self.kind {
            Kind::Platform(_) => None,
            Kind::Virtual(part) => Some(part.env.carriers()),
        }
    }

    /// Whether it is a virtual thread that nobody runs now.
    pub(super) fn is_unmounted(&self) -> bool {
        self.runs_on() == Some(0)
    }

    /// The JNIEnv as events carry it.
    pub(crate) fn env_ptr(&self) -> *mut JNIEnv {
        ptr::with_exposed_provenance_mut(self.env)
    }

    /// The `java.lang.Thread`, once it is known: unset for a thread seen before VMStart.
    pub(crate) fn object(&self) -> Option<HeldObject<'_>> {
        match &self.kind {
            Kind::Platform(native) => native.object.get().map(HeldObject::Strong),
            Kind::Virtual(part) => part.object.as_ref().map(HeldObject::Weak),
        }
    }

    /// Fills in the `java.lang.Thread` if it was unknown, as a platform thread's may be.
    pub(crate) fn set_object(&self, jni: Jni, object: ObjectRef<'_>) {
        if let Kind::Platform(native) = &self.kind {
            native.object.set(|| Global::new(jni, object));
        }
    }

    /// Nothing of ours keeps its object alive any more, and nobody is given it.
    pub(super) fn let_object_go(&self) {
        if let Kind::Platform(native) = &self.kind {
            native.object.let_go();
        }
    }

    /// Gives it its id, which its object has without a tag if it `owes` one; false if it has an id.
    pub(super) fn set_id(&self, id: ObjectId, owes: bool) -> bool {
        if owes {
            self.owes_tag.store(OWES, Ordering::Release);
        }
        let (new, failed) = (Ordering::AcqRel, Ordering::Acquire);
        let first = self.id.compare_exchange(0, id.index(), new, failed).is_ok();
        if owes && !first {
            self.owes_tag.store(PAID, Ordering::Release);
        }
        first
    }

    /// The id, if its object has no tag yet. Whoever gives it one says so then ([`Thread::has_paid`]);
    /// until that others give it the same.
    pub(super) fn pays_tag(&self) -> Option<ObjectId> {
        // Known is what it has after it owes.
        let id = self.known_id()?;
        let (new, failed) = (Ordering::AcqRel, Ordering::Acquire);
        let found = self.owes_tag.compare_exchange(OWES, PAYING, new, failed);
        (found != Err(PAID)).then_some(id)
    }

    /// The object has its tag, or is dead; true for the first who says so.
    pub(super) fn has_paid(&self) -> bool {
        self.owes_tag.swap(PAID, Ordering::AcqRel) != PAID
    }

    /// The id, if its object has no tag and nobody is giving it one: then nobody will, and its death is
    /// for the caller to see.
    pub(super) fn goes_without_tag(&self) -> Option<ObjectId> {
        let id = self.known_id()?;
        let (new, failed) = (Ordering::AcqRel, Ordering::Acquire);
        let found = self.owes_tag.compare_exchange(OWES, PAID, new, failed);
        found.is_ok().then_some(id)
    }

    /// The id of its `java.lang.Thread`, if that has been given ([`Thread::id`]).
    pub(crate) fn known_id(&self) -> Option<ObjectId> {
        ObjectId::from_index(self.id.load(Ordering::Acquire))
    }

    /// The bits of [`attention`] that are set.
    pub(crate) fn attention(&self) -> u32 {
        self.attention.load(Ordering::Relaxed)
    }

    /// Sets bits; those that were set before. What is set for a while only is a guard
    /// ([`crate::model::thread::attention_guard::Attention`]). Whoever clears them sees what was done before.
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

    /// The same if it ever had to do with one.
    pub(crate) fn known_monitor_wait(&self) -> Option<&MonitorWait> {
        self.monitor_wait.get()
    }

    /// The class of its blocker and since when it is parked, if it is and somebody watches.
    pub(crate) fn park_under_way(&self) -> Option<(u64, u64)> {
        self.monitor_wait.get()?.park.under_way()
    }

    /// On the thread itself: whether a park has ended in a handler since the last time.
    pub(crate) fn was_parked_in_handler(&self) -> bool {
        let wait = self.monitor_wait.get();
        wait.is_some_and(|wait| wait.park.has_ended_in_handler())
    }

    /// On the thread itself: the sleep that is over, if it is a virtual one that has begun one.
    pub(crate) fn wakes(&self) -> Option<Sleep> {
        self.monitor_wait.get()?.wakes()
    }

    /// What an agent's suspending it has left, made if need be.
    pub(super) fn suspension(&self) -> &Suspension {
        &self.rare.get_or_init(Box::default).suspension
    }

    /// The same if there is any.
    pub(super) fn known_suspension(&self) -> Option<&Suspension> {
        self.rare.get().map(|rare| &rare.suspension)
    }

    /// What it keeps; see [`crate::model::thread::kept_events`].
    pub(super) fn kept(&self) -> &Mutex<KeptEvents> {
        &self.rare.get_or_init(Box::default).kept
    }

    /// From another thread: the CPU time that it has used, in nanoseconds, as the VM knows it (which
    /// of virtual threads it does not).
    pub(crate) fn used_cpu_time(&self, jvmti: Jvmti) -> Option<i64> {
        match &self.kind {
            Kind::Platform(_) => jvmti.thread_cpu_time(self.object()?.get()).ok(),
            Kind::Virtual(part) if self.is_unmounted() => {
                Some(part.used.load(Ordering::Relaxed).cast_signed())
            }
            Kind::Virtual(..) => None,
        }
    }
}
