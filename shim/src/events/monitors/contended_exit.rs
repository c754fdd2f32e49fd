//! MONITOR_CONTENDED_EXIT: the owner leaves a monitor that another waits for.
//!
//! JVMTI tells of the waiter only, so the owner says it itself: rewritten code asks a
//! static field before it leaves a monitor, and the field is true while anybody waits for
//! anything. JNI's MonitorExit and `Object.wait` come here too.
//!
//! # Order
//! EXIT comes after the waiter's ENTER and before its ENTERED: an owner that leaves while
//! the waiter is still telling of itself waits for that, 50 ms at most and not if it may hold
//! a lock of the agent's; and it has said EXIT before it lets go. One that leaves, comes back
//! before anybody else got in, and leaves again, has handed over once and says so once.
//!
//! # Entries within entries
//! The VM's count of an owner's entries leaves out those made before the monitor got its
//! structure. That is so once at most: who has waited and got in has entered by the
//! structure, and so does everybody after. Before that the owner asks the VM.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jni::jobject;
use once_cell::sync::Lazy;
use parking_lot::Mutex;

use crate::base::patience;
use crate::events::monitors::monitor_events;
use crate::hooks::hook_class;
use crate::model::thread::Thread;
use crate::model::{current, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::pending_exception::ExceptionAside;
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;

/// A monitor that somebody waits to enter.
#[derive(Default)]
struct Contended {
    /// Whose ENTER the agent has had.
    waiting: u32,
    /// Whose ENTER it is getting.
    coming: u32,
    /// The owner that has said EXIT last; 0 when somebody has come or got in since.
    told_by: u64,
    /// The VM's own structure, which stays while anybody waits; 0 if that is not known.
    monitor: usize,
    /// It counts all entries of the owner.
    counted: bool,
}

/// All of them.
struct All {
    /// Of how many times that the event was disabled this is what came after; from 1.
    generation: u32,
    entries: HashMap<u64, Contended>,
    /// Monitors that somebody has entered by their structure, that, and when.
    counted: HashMap<u64, (usize, Instant)>,
}

static CONTENDED: Lazy<Mutex<All>> = Lazy::new(|| {
    Mutex::new(All {
        generation: 1,
        entries: HashMap::new(),
        counted: HashMap::new(),
    })
});
/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl All {
    /// Changes the entry of an object, if it has one.
    fn change<T>(&mut self, id: ObjectId, act: impl FnOnce(&mut Contended) -> T) -> Option<T> {
        let entry = self.entries.get_mut(&id.raw())?;
        let result = act(entry);
        if entry.waiting == 0 && entry.coming == 0 {
            self.entries.remove(&id.raw());
        }
        COUNT.store(self.entries.len(), Ordering::SeqCst);
        Some(result)
    }

    /// From now on the VM's count of the owner's entries is true.
    fn note_counted(&mut self, id: ObjectId, monitor: usize) {
        const ROOM: usize = 4096;
        if self.counted.len() >= ROOM {
            self.counted.clear();
        }
        self.counted.insert(id.raw(), (monitor, Instant::now()));
    }

    /// Whether it is so. The VM takes structures back that nobody has used for a while.
    fn is_counted(&self, id: ObjectId, monitor: usize) -> bool {
        const A_WHILE: Duration = Duration::from_millis(100);
        let noted = self.counted.get(&id.raw());
        noted.is_some_and(|(of, when)| *of == monitor && when.elapsed() < A_WHILE)
    }
}

/// Brings the hook class's field in line. Another thread may change the count meanwhile:
/// whoever looks last is right.
fn show(jni: Jni) {
    loop {
        let any = COUNT.load(Ordering::SeqCst) != 0;
        hook_class::set_contended(jni, any);
        if (COUNT.load(Ordering::SeqCst) != 0) == any {
            return;
        }
    }
}

/// Whether anybody waits for anything.
#[inline]
pub(crate) fn any() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

/// Whether anybody waits for this.
pub(crate) fn is_contended(id: ObjectId) -> bool {
    CONTENDED.lock().entries.contains_key(&id.raw())
}

/// A thread that waits is in the list, since the event was enabled for this time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Listed(u32);

impl Listed {
    /// As a number; 0 for `None`.
    pub(crate) fn raw(this: Option<Self>) -> u32 {
        this.map_or(0, |listed| listed.0)
    }

    pub(crate) fn from_raw(raw: u32) -> Option<Self> {
        (raw != 0).then_some(Self(raw))
    }
}

/// The calling thread is about to wait for a monitor, and to tell the agent. If it is listed,
/// [`has_said_so`] and [`has_entered`] are to follow.
pub(crate) fn waits(jni: Jni, id: ObjectId) -> Option<Listed> {
    if !wanted::wants(EventKind::MonitorContendedExit) {
        return None;
    }
    let monitor = vm_monitors::pending(jni);
    let generation = {
        let mut all = CONTENDED.lock();
        let counted = monitor != 0 && all.is_counted(id, monitor);
        all.entries.entry(id.raw()).or_default();
        all.change(id, |entry| {
            entry.coming += 1;
            entry.told_by = 0;
            entry.counted |= counted;
            if monitor != 0 {
                entry.monitor = monitor;
            }
        });
        all.generation
    };
    show(jni);
    Some(Listed(generation))
}

/// It has told the agent.
pub(crate) fn has_said_so(id: ObjectId, listed: Listed) {
    let mut all = CONTENDED.lock();
    if all.generation == listed.0 {
        all.change(id, |entry| {
            entry.coming = entry.coming.saturating_sub(1);
            entry.waiting += 1;
        });
    }
}

/// It owns the monitor now.
pub(crate) fn has_entered(jni: Jni, id: ObjectId, listed: Listed) {
    {
        let mut all = CONTENDED.lock();
        if all.generation == listed.0 {
            let monitor = all.change(id, |entry| {
                entry.waiting = entry.waiting.saturating_sub(1);
                entry.told_by = 0;
                entry.counted = true;
                entry.monitor
            });
            if let Some(monitor) = monitor.filter(|&monitor| monitor != 0) {
                all.note_counted(id, monitor);
            }
        }
    }
    show(jni);
}

/// What a leaving owner has to do.
enum Duty {
    Nothing,
    /// To ask whether it leaves at all.
    Ask,
    Wait,
    Tell,
}

/// The calling thread, which owns the monitor of `object`, is about to leave it; `wholly`,
/// whatever the number of its entries.
pub(crate) fn leaves(
    jvmti: Jvmti,
    jni: Jni,
    own: &Thread,
    (id, object): (ObjectId, jobject),
    wholly: bool,
) {
    /// What a handler takes if its thread has a processor.
    const USUAL: Duration = Duration::from_micros(20);
    let me = current::key();
    let duty = |patient: bool, asked: bool| {
        let duty = CONTENDED.lock().change(id, |entry| {
            // The owner's own count: nobody else changes it.
            if entry.told_by == me || !wholly && vm_monitors::recursions(entry.monitor) > 0 {
                Duty::Nothing
            } else if !(wholly || asked || entry.counted) {
                Duty::Ask
            } else if entry.waiting == 0 && patient {
                Duty::Wait
            } else {
                entry.told_by = me;
                Duty::Tell
            }
        });
        duty.unwrap_or(Duty::Nothing)
    };
    let start = Instant::now();
    let mut asked = false;
    loop {
        let waited = start.elapsed();
        match duty(
            waited < patience::ENTER_BEFORE_EXIT.most && !own.may_hold_a_lock(),
            asked,
        ) {
            Duty::Nothing => return,
            Duty::Tell => break,
            Duty::Ask => {
                let usage = jvmti.monitor_usage(jni, object);
                if usage.is_ok_and(|usage| usage.entry_count > 1) {
                    return;
                }
                asked = true;
            }
            Duty::Wait => {
                if waited < USUAL {
                    std::hint::spin_loop();
                } else {
                    std::thread::sleep(USUAL);
                }
            }
        }
    }
    monitor_events::send(own, EventKind::MonitorContendedExit, Some(id), 0);
}

/// Nobody wants to hear of it any more.
pub(crate) fn forget() {
    {
        let mut all = CONTENDED.lock();
        all.generation = all.generation.wrapping_add(1).max(1);
        all.entries.clear();
        all.counted.clear();
        COUNT.store(0, Ordering::SeqCst);
    }
    if let Some(jni) = Jni::of_this_thread() {
        // Of the agent's caller: no JNI with it.
        let _aside = ExceptionAside::put(jni);
        show(jni);
    }
}
