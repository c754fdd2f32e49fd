//! What belongs to a thread of the operating system: a platform thread has one for life, a
//! virtual one that of the carrier which runs it just now.
//!
//! # Threads
//! Any may look; what only the thread itself may do says so.
#![allow(unsafe_code, reason = "asks a thread for its stack")]

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use std::time::Duration;

use id_map::{Births, Supply};
use jvmpi_headers::jni::JNIEnv;
use protocols::gate::Depth;
use protocols::heap_walk::OwnGifts;

use crate::base::guards::Turn;
use crate::base::patience::{self, Patience};
use crate::model::own::cell::OwnCell;
use crate::model::own::known_frames::KnownFrames;
use crate::model::own::late_frames::LateFrames;
use crate::model::own::method_stack::MethodStack;
use crate::model::own::ready_event::ReadyEvent;
use crate::model::own::stack::OwnStack;
use crate::model::thread::object::StrongObject;
use crate::os::tasks;
use crate::vm::env::Frame;
use crate::vm::hotspot::stacks::async_trace::{self, Answer, Request};
use crate::vm::hotspot::threads::os_thread;
use crate::vm::hotspot::threads::thread_state;
use crate::vm::hotspot::virtual_threads::mounts::{self, ThreadIdentifier};

/// What belongs to a thread of the operating system.
#[derive(Debug)]
pub(crate) struct NativeThread {
    /// The VM's own JNIEnv of it; 0 of nobody's. Never dereferenced here.
    pub(crate) env: usize,
    /// The `java.lang.Thread` of the platform thread; unset for one seen before VMStart.
    pub(super) object: StrongObject,
    /// The methods that the agent believes to be running on the platform thread itself.
    pub(super) methods: OwnCell<MethodStack>,
    /// How deep the thread is in deliveries: written by itself only ([`crate::delivery::gate`]).
    pub(crate) depth: Depth,
    /// The agent's own thread (CreateSystemThread).
    pub(crate) is_agents: AtomicBool,
    /// Our own thread that sends the brackets.
    pub(crate) is_workers: AtomicBool,
    /// It is in the handler of what a user has asked for.
    pub(crate) serves_user: AtomicBool,
    /// How often it has entered monitors by JNI and not left them, since that is counted.
    pub(crate) jni_entries: AtomicU32,
    /// Raw monitors it owns, entries counted.
    pub(crate) raw_held: AtomicU32,
    /// How many of these the process of a 32-bit agent kept when the thread was heard of last: no table has them.
    pub(crate) held_elsewhere: AtomicU32,
    /// Ids it may give out.
    pub(crate) supply: Supply,
    /// Objects that were born on it without a tag.
    pub(crate) births: OwnCell<Births>,
    /// Whether it is giving an object an id at once ([`crate::model::ids::GivingAtOnce`]).
    pub(crate) gifts: OwnGifts,
    /// The id of its last allocation, until the VM may have lost the tag.
    pub(crate) last_allocated: AtomicU64,
    /// How many objects that it has made for us the VM has reported, or picked.
    pub(crate) silent: AtomicU32,
    /// What its method events are sent in.
    pub(crate) ready_event: ReadyEvent,
    /// Frames that it has asked for.
    pub(crate) known_frames: OwnCell<KnownFrames>,
    /// Of the late event whose handler it is in.
    pub(crate) late_frames: OwnCell<LateFrames>,
    /// What it has learnt of its own stack.
    pub(crate) own_stack: OwnCell<OwnStack>,
    /// The [`ThreadIdentifier`] of the virtual thread that it carries, 0 of none, [`UNTOLD`].
    pub(in crate::model) mounted: AtomicU64,
    /// How often the VM has told who is mounted, or that nobody is any more.
    pub(super) changes: AtomicU32,
    /// Its CPU time when it was known to carry that one, in nanoseconds.
    pub(super) mounted_at: AtomicU64,
    /// Its number as owner of raw monitors; 0 while it was not met itself.
    pub(crate) key: AtomicU64,
    /// The kernel's number of the thread; 0 while unknown and after its end.
    tid: AtomicU32,
    /// The same of a thread that was only told of; 0 while unknown.
    told_tid: AtomicU32,
    /// Somebody looks at it or takes its stack by signal: it does not end meanwhile.
    held: AtomicBool,
}

/// The VM has not told of any change, and nobody has asked it: number of no thread.
const UNTOLD: u64 = u64::MAX;

/// What one of [`NativeThread::mounted`] stands for.
fn identifier_of(mounted: u64) -> Option<ThreadIdentifier> {
    (![0, UNTOLD].contains(&mounted)).then_some(ThreadIdentifier(mounted))
}

/// Stands for the carrier of a virtual thread that nobody runs.
pub(super) static NOBODY: NativeThread = NativeThread::new(0);

impl NativeThread {
    pub(crate) const fn new(env: usize) -> Self {
        Self {
            env,
            object: StrongObject::new(),
            methods: MethodStack::new(),
            depth: Depth::new(),
            is_agents: AtomicBool::new(false),
            is_workers: AtomicBool::new(false),
            serves_user: AtomicBool::new(false),
            jni_entries: AtomicU32::new(0),
            raw_held: AtomicU32::new(0),
            held_elsewhere: AtomicU32::new(0),
            supply: Supply::new(),
            births: OwnCell::new(Births::new()),
            gifts: OwnGifts::new(),
            last_allocated: AtomicU64::new(0),
            silent: AtomicU32::new(0),
            ready_event: ReadyEvent::new(),
            known_frames: OwnCell::new(KnownFrames::new()),
            late_frames: OwnCell::new(LateFrames::new()),
            own_stack: OwnCell::new(OwnStack::new()),
            mounted: AtomicU64::new(UNTOLD),
            changes: AtomicU32::new(0),
            mounted_at: AtomicU64::new(0),
            key: AtomicU64::new(0),
            tid: AtomicU32::new(0),
            told_tid: AtomicU32::new(0),
            held: AtomicBool::new(false),
        }
    }

    /// On the thread itself: the VM has told of a change of what it carries.
    pub(in crate::model) fn note_change(&self, mounted: u64) {
        // Relaxed: the thread's own, but for the count of changes, which others read.
        self.mounted.store(mounted, Ordering::Relaxed);
        let changes = self.changes.load(Ordering::Relaxed);
        self.changes
            .store(changes.wrapping_add(1), Ordering::Release);
    }

    /// The virtual thread that it carries, if it does.
    pub(in crate::model) fn carried(&self) -> Option<ThreadIdentifier> {
        // Acquire: since when it does is known, too, if another thread has found it.
        identifier_of(self.mounted.load(Ordering::Acquire))
    }

    /// On the thread itself: the one that it was found with, if it was. From now on nobody finds it with any.
    pub(in crate::model) fn take_found(&self) -> Option<ThreadIdentifier> {
        identifier_of(self.mounted.swap(0, Ordering::AcqRel))
    }

    /// On another thread: it was found to carry this one, with `used` nanoseconds of CPU time behind it.
    /// False if the VM has told of a change meanwhile.
    pub(in crate::model) fn is_found_with(&self, thread: ThreadIdentifier, used: u64) -> bool {
        // Before the thread itself looks at it, which has to find the other in its place. If a change has
        // come its own time is the later one, and stays. Relaxed: the exchange is behind it.
        self.mounted_at.fetch_max(used, Ordering::Relaxed);
        let (new, failed) = (Ordering::AcqRel, Ordering::Relaxed);
        self.mounted
            .compare_exchange(UNTOLD, thread.0, new, failed)
            .is_ok()
    }

    /// Whether the VM has told of a change of what it carries.
    pub(crate) fn has_changed(&self) -> bool {
        self.changes.load(Ordering::Acquire) != 0
    }

    /// Whether it carries this virtual thread.
    pub(in crate::model) fn carries(&self, thread: ThreadIdentifier) -> bool {
        self.mounted.load(Ordering::Relaxed) == thread.0
    }

    /// The VM's own JNIEnv of it.
    pub(crate) fn env_ptr(&self) -> *mut JNIEnv {
        ptr::with_exposed_provenance_mut(self.env)
    }

    /// Whether agent code may be on its stack, or a lock of the agent's in its hands.
    pub(crate) fn may_hold_a_lock(&self) -> bool {
        self.is_agents.load(Ordering::Relaxed) || self.raw_held.load(Ordering::Relaxed) > 0
    }

    /// The kernel's number of the thread, which does not end before the turn is over. `None` if it has ended, was not
    /// met itself, or is held already.
    fn hold(&self) -> Option<(u32, Turn<'_>)> {
        let turn = Turn::take(&self.held)?;
        // Read after `held` is seen: a thread that ends clears it first and then waits for us.
        fence(Ordering::SeqCst);
        let tid = self.tid.load(Ordering::Acquire);
        (tid != 0).then_some((tid, turn))
    }

    /// Asks the running thread for its stack, by a signal to it. `None` if it cannot be asked.
    pub(in crate::model) fn ask(&self) -> Option<Asked<'_>> {
        let (tid, held) = self.hold()?;
        Some(Asked {
            // SAFETY: it does not end, since it waits for us.
            request: unsafe { async_trace::ask(tid, self.env_ptr(), &self.mounted) },
            _held: held,
        })
    }

    /// Whether the thread waits for something other than a processor; `None` if the kernel
    /// does not say. (In a handler, it may be a lock of the agent's.)
    pub(crate) fn waits(&self) -> Option<bool> {
        tasks::waits(self.kernels()?)
    }

    /// The kernel's number of it, if that is known.
    pub(crate) fn kernels(&self) -> Option<u32> {
        let numbers = [&self.tid, &self.told_tid];
        let mut numbers = numbers.iter().map(|tid| tid.load(Ordering::Acquire));
        numbers.find(|&tid| tid != 0)
    }

    /// Whether it has met us itself, and not ended.
    pub(crate) fn is_met(&self) -> bool {
        self.tid.load(Ordering::Relaxed) != 0
    }

    /// On the thread itself, whose key this is: its numbers.
    pub(crate) fn met_itself(&self, key: u64) {
        self.tid.store(tasks::own(), Ordering::Release);
        thread_state::enter(self.env);
        self.key.store(key, Ordering::Release);
    }

    /// Whether another thread than the one with this key has met us by this record.
    pub(crate) fn is_of_another(&self, key: u64) -> bool {
        let met = self.key.load(Ordering::Acquire);
        met != 0 && met != key
    }

    /// On another thread: the kernel's number of it, unless it is known.
    pub(crate) fn told_of(&self) {
        if self.kernels().is_none() {
            let tid = os_thread::number_of(self.env).unwrap_or(0);
            self.told_tid.store(tid, Ordering::Release);
        }
    }

    /// On the ending thread: nobody looks at it or sends it a signal any more when this returns.
    pub(crate) fn end_captures(&self) {
        thread_state::leave(self.env);
        self.tid.store(0, Ordering::Release);
        fence(Ordering::SeqCst);
        // Who has it waits for a handler that has begun, if for anything ([`patience`]), and a signal that is sent
        // later would go to whoever has the number next.
        while self.held.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

/// A running thread that is about to give its stack. It does not end before this is gone.
pub(crate) struct Asked<'a> {
    request: Request<'a>,
    _held: Turn<'a>,
}

impl Asked<'_> {
    /// Its own stack, callee first; none if it does not give it, or a virtual thread's lies above it.
    pub(crate) fn own(self, patience: Patience) -> Option<Vec<Frame>> {
        let Answer { frames, watched } = self.request.answer(patience)?;
        let is_own = identifier_of(watched).is_none() && !mounts::has_mounted(&frames);
        is_own.then_some(frames)
    }

    /// The virtual thread that it carries, and the stack of that one.
    pub(in crate::model) fn carried(self) -> Option<(ThreadIdentifier, Vec<Frame>)> {
        let Answer { frames, watched } = self.request.answer(patience::STACK_BY_SIGNAL)?;
        Some((identifier_of(watched)?, mounts::of_mounted(frames)?))
    }
}
