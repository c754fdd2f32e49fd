//! The VM's collections, as its callbacks tell of them.
//!
//! # Threads
//! The callbacks run on the collector's threads, at a safepoint: they touch atomics
//! and wake the worker, and nothing else.
//!
//! What counts as one collection, and which still want a bracket: [`protocols::collections`]. A
//! sentinel bears a tag of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use id_map::ObjectId;
use once_cell::sync::{Lazy, OnceCell};
use protocols::collections::{Collections, Sentinels};

use crate::base::log;
use crate::base::patience::{self, Patience};
use crate::delivery::worker;
use crate::model::tables::IDS;
use crate::model::thread::attention_guard::Attention;
use crate::model::thread::{Thread, attention};
use crate::os::tasks;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::flags;
use crate::vm::hotspot::heap::vm_counters;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::hotspot::threads::service_thread;
use crate::vm::jni::Jni;
use crate::vm::pause;
use crate::vm::refs::Global;
use crate::vm::this_vm::{self, Phase};

/// Times are in nanoseconds of [`now`].
static COLLECTIONS: Collections = Collections::new();
static SENTINELS: Sentinels = Sentinels::new();
/// Deaths told so far.
static DEATHS: AtomicU64 = AtomicU64::new(0);

fn now() -> u64 {
    static START: Lazy<Instant> = Lazy::new(Instant::now);
    u64::try_from(START.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// GarbageCollectionFinish.
pub(crate) fn pause_ended() {
    let space = vm_counters::heap_space().unwrap_or_default();
    COLLECTIONS.pause_ended(now(), space, vm_counters::collections_after_pause());
    pause::end();
    worker::wake();
}

/// ObjectFree.
pub(crate) fn died(tag: u64) {
    if let Some(id) = ObjectId::from_raw(tag) {
        IDS.note_dead(id);
        // Relaxed: a count.
        DEATHS.fetch_add(1, Ordering::Relaxed);
    } else if tag & 15 == SENTINEL_MARK {
        if SENTINELS.died(tag >> 4) && vm_counters::collections().is_none() {
            COLLECTIONS.add();
        }
        worker::wake();
    }
}

/// How many deaths have been told so far.
pub(crate) fn deaths() -> u64 {
    DEATHS.load(Ordering::Relaxed)
}

/// No id ends in this.
const SENTINEL_MARK: u64 = 1;

/// Makes an object that dies in the next collection of its surroundings; its number.
pub(crate) fn plant_sentinel(jvmti: Jvmti, jni: Jni, own: &Thread) -> u64 {
    static OBJECT: OnceCell<Global> = OnceCell::new();
    let number = SENTINELS.next();
    let _aside = ExceptionAside::put(jni);
    let _silent = Attention::set(own, attention::SILENT);
    if OBJECT.get().is_none()
        && let Some(me) = own.object()
        && let Some(class) = jni.object_class(me.get())
        && let Some(class) = Global::new(jni, class.get())
    {
        let _ = OBJECT.set(class);
    }
    let planted = OBJECT
        .get()
        .and_then(|class| jni.allocate(class.get()))
        .is_some_and(|object| {
            jvmti
                .set_tag(object.get(), number << 4 | SENTINEL_MARK)
                .is_ok()
        });
    SENTINELS.planted_after(last_pause());
    if !planted {
        log::info!("no room for a sentinel; the end of a collection is guessed");
    }
    number
}

/// Whether that sentinel is dead.
pub(crate) fn is_dead(sentinel: u64) -> bool {
    SENTINELS.is_dead(sentinel)
}

/// Whether the newest sentinel is dead, so that another is wanted.
pub(crate) fn wants_sentinel() -> bool {
    is_dead(SENTINELS.newest())
}

/// What the VM tells after a collection, as one who waits for it sees it.
struct Telling {
    patience: Patience,
    /// The last pause before it waits.
    pause: u64,
    begun: Instant,
    /// How many deaths have been told, and since when as many.
    last: (u64, Instant),
}

impl Telling {
    /// Whether the wait is over: all is told (`sentinel`: that is dead), or its time has passed.
    /// While deaths are told that begins anew, unless more collections come.
    fn is_over(&mut self, now: Instant, deaths: u64, pause: u64, sentinel: bool) -> bool {
        if deaths != self.last.0 {
            self.last = (deaths, now);
        }
        let quiet = now.duration_since(self.last.1);
        let most = self.patience.most;
        sentinel && quiet >= patience::QUIET_VM.most
            || quiet >= most
            || pause != self.pause && now.duration_since(self.begun) >= most
    }
}

/// Waits until the VM has told of a collection's deaths: the sentinel is dead and for
/// some milliseconds nobody else died. The VM tells of them on another thread, when
/// it likes (JVMTI facts 4), and nothing may hurry it. While it gets on the time begins anew,
/// unless more collections come, for those may never end.
pub(crate) fn wait_until_told(sentinel: u64, patience: Patience) -> bool {
    let begun = Instant::now();
    let mut telling = Telling {
        patience,
        pause: last_pause(),
        begun,
        last: (deaths(), begun),
    };
    let mut over = || {
        let sentinel = is_dead(sentinel);
        telling.is_over(Instant::now(), deaths(), last_pause(), sentinel)
            || this_vm::phase() == Phase::Dead
    };
    while !patience.until(&mut over) {}
    is_dead(sentinel)
}

/// The same for the newest sentinel; for the VM's thread that tells, if there was a collection
/// too soon after the one before for a sentinel of its own. `me` is the calling thread.
pub(crate) fn wait_for_newest(jvmti: Jvmti, me: &Thread, patience: Patience) -> bool {
    // Three milliseconds, as above.
    const LOOKS: u32 = 6;
    if SENTINELS.is_younger_than(last_pause()) && flags::stops_the_world() {
        let is_over = || this_vm::phase() == Phase::Dead;
        return wait_for_poster(jvmti, Some(me), LOOKS, patience, is_over);
    }
    wait_until_told(SENTINELS.newest(), patience)
}

/// Until nothing has been posted at so many looks one after the other, half a millisecond each;
/// false if that does not come, or it `is_over` for another reason. `me` is the calling thread, if
/// it is known.
pub(crate) fn wait_for_poster(
    jvmti: Jvmti,
    me: Option<&Thread>,
    looks: u32,
    patience: Patience,
    is_over: impl Fn() -> bool,
) -> bool {
    if jvmti.tells_of_deaths_in_the_pause() {
        return true;
    }
    let poster = service_thread::number();
    let me = me.and_then(Thread::object);
    let mut before = deaths();
    // The first look has no time behind it.
    let mut quiet = None;
    patience.until(|| {
        // GetThreadState makes this thread pass a safepoint that is pending, so that the
        // Service Thread can go on. (Without a thread it would wait for virtual ones.)
        if let Some(me) = &me {
            let _ = jvmti.thread_state(me.get().into());
        }
        let posts = poster.is_some_and(is_at_work) || deaths() != before || pause::is_on();
        before = deaths();
        quiet = match quiet {
            Some(quiet) if !posts => Some(quiet + 1),
            _ => Some(0),
        };
        quiet >= Some(looks) || is_over()
    });
    quiet >= Some(looks)
}

/// Whether this thread of the VM's does something, or would if it were not stopped at a safepoint:
/// on a loaded machine it is found at one of those look after look. At rest it waits at a condition
/// variable.
fn is_at_work(poster: u32) -> bool {
    tasks::waits_at_condition(poster).map_or_else(
        || tasks::waits(poster) == Some(false),
        |at_condition| !at_condition,
    )
}

/// When the last pause ended, in nanoseconds of a clock of ours; 0 if there was none.
pub(crate) fn last_pause() -> u64 {
    COLLECTIONS.last_pause()
}

/// What changes when the VM has found objects dead, or has told of some.
pub(crate) fn moment() -> (u64, u64) {
    (last_pause(), deaths())
}

/// Time since the end of the last pause.
pub(crate) fn since_last_pause() -> Duration {
    Duration::from_nanos(now().saturating_sub(last_pause()))
}

/// Takes one collection that wants its bracket; the deaths of a concurrent cycle want
/// one, too.
pub(crate) fn take_pending() -> bool {
    COLLECTIONS.take(|| IDS.any_dead())
}

/// Whether [`take_pending`] would find one.
pub(crate) fn is_pending() -> bool {
    COLLECTIONS.is_pending(|| IDS.any_dead())
}

/// Nobody has listened to them.
pub(crate) fn forget_pending() {
    COLLECTIONS.forget();
}

/// A bracket could not be sent in full; it is tried again.
pub(crate) fn put_back() {
    COLLECTIONS.add();
}

/// used_object_space and total_object_space, in bytes.
pub(crate) fn space() -> (i64, i64) {
    let now = || vm_counters::heap_space_now().unwrap_or((0, 0));
    COLLECTIONS.space().unwrap_or_else(now)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Telling;
    use crate::base::patience;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn who_waits_goes_when_all_is_told_or_too_much() {
        let begun = Instant::now();
        let telling = || Telling {
            patience: patience::VM_TELLS,
            pause: 1,
            begun,
            last: (7, begun),
        };
        let most = patience::VM_TELLS.most;
        let mut told = telling();
        assert!(!told.is_over(begun + millis(2), 7, 1, true));
        assert!(!told.is_over(begun + millis(4), 8, 1, true));
        assert!(told.is_over(begun + millis(7), 8, 1, true));
        let mut silent = telling();
        assert!(!silent.is_over(begun + most - millis(1), 7, 1, false));
        assert!(silent.is_over(begun + most, 7, 1, false));
        // It gets on: the time begins anew, until another collection comes, at once.
        let mut slow = telling();
        assert!(!slow.is_over(begun + most - millis(1), 8, 1, false));
        assert!(!slow.is_over(begun + most + millis(1), 9, 1, false));
        assert!(slow.is_over(begun + most + millis(2), 10, 2, false));
        // One in its first time changes nothing.
        let mut early = telling();
        assert!(!early.is_over(begun + millis(1), 8, 2, false));
        assert!(early.is_over(begun + most, 9, 2, false));
    }
}
