//! Raw monitors that the agent's process enters alone while nobody waits for them ([`lanes::ThinMonitors`]).
//!
//! Before anything is done with one here it is closed: whoever owns it over there owns it here then. When that is done
//! ([`Here`]), nobody else does something with it, nobody owns it and nobody waits for it, it is opened again. Nobody
//! closes or opens one but with its lock in [`MONITORS`]. What a thread owns over there counts as held by it
//! ([`settle`]), for the gate.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use id_map::MonitorId;
use lanes::LANES;
use parking_lot::Mutex;

use crate::base::observer;
use crate::bridge::partner::{self, Partner};
use crate::model::tables::MONITORS;
use crate::model::thread::current;
use crate::model::threads;

/// The numbers of threads as owners of monitors, by their lanes; 0 where no thread has the lane.
static KEYS: [AtomicU64; LANES] = [const { AtomicU64::new(0) }; LANES];
/// How often they have entered monitors that were closed since they spoke last.
static CLOSED: [AtomicU32; LANES] = [const { AtomicU32::new(0) }; LANES];
/// How many look at all monitors at one moment: then none is opened.
///
/// Held while one is opened or closed, and while a thread's are counted, for a moment and behind all other locks: a
/// monitor is either thin or in [`CLOSED`].
static LOOKS: Mutex<u32> = Mutex::new(0);

/// The lane is the calling thread's.
pub(super) fn begin(lane: usize) {
    if let (Some(key), Some(closed)) = (KEYS.get(lane), CLOSED.get(lane)) {
        closed.store(0, Ordering::Release);
        key.store(current::key(), Ordering::Release);
    }
}

/// The lane is nobody's any more: what its thread has not left nobody leaves.
pub(super) fn end(partner: &Partner, lane: usize) {
    for (monitor, owner) in partner.region.thin().all() {
        if owner.is_some_and(|owner| owner.lane == lane) {
            close_in(partner, monitor);
        }
    }
    if let Some(key) = KEYS.get(lane) {
        key.store(0, Ordering::Release);
    }
}

/// While it lives something is done with a monitor here, and the other process does not get it.
pub(super) struct Here(Option<(&'static Partner, u64, MonitorId)>);

impl Here {
    pub(super) fn begin(monitor: u64) -> Self {
        let partner_and_id = partner::alive().zip(MonitorId::from_raw(monitor));
        Self(partner_and_id.and_then(|(partner, id)| {
            let has_begun = MONITORS.begin_use(id, || close_word(partner, monitor));
            has_begun.then_some((partner, monitor, id))
        }))
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        if let Some((partner, monitor, id)) = self.0 {
            MONITORS.end_use(id, || open_word(partner, monitor));
        }
    }
}

/// With the monitor's lock: it is here from now on. Whose it was over there, and how often that had entered it.
fn close_word(partner: &Partner, monitor: u64) -> Option<(u64, u32)> {
    let thin = partner.region.thin();
    // Most are not, and stay so: who opens one has its lock.
    if !thin.is_thin(monitor) {
        return None;
    }
    let _steady = LOOKS.lock();
    let owner = thin.close(monitor)?;
    CLOSED
        .get(owner.lane)?
        .fetch_add(owner.depth, Ordering::AcqRel);
    let key = KEYS.get(owner.lane)?.load(Ordering::Acquire);
    Some((key, owner.depth))
}

/// With the monitor's lock, while nobody has it or wants it: it is the other process's from now on.
fn open_word(partner: &Partner, monitor: u64) {
    // Whoever looks on sees each call.
    if observer::is_on() {
        return;
    }
    let looks = LOOKS.lock();
    if *looks == 0 {
        partner.region.thin().open(monitor);
    }
}

fn close_in(partner: &Partner, monitor: u64) {
    if let Some(id) = MonitorId::from_raw(monitor) {
        MONITORS.adopt(id, || close_word(partner, monitor));
    }
}

/// A new one.
pub(super) fn open(monitor: u64) {
    if let (Some(partner), Some(id)) = (partner::alive(), MonitorId::from_raw(monitor)) {
        MONITORS.if_idle(id, || open_word(partner, monitor));
    }
}

/// While it lives all monitors are here.
pub(super) struct Look;

impl Look {
    pub(super) fn begin() -> Self {
        // What was opened before is found below, and nothing is opened from now on.
        *LOOKS.lock() += 1;
        if let Some(partner) = partner::alive() {
            for (monitor, _) in partner.region.thin().all() {
                close_in(partner, monitor);
            }
        }
        Self
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        let mut looks = LOOKS.lock();
        *looks = looks.saturating_sub(1);
    }
}

/// It is the turn of the calling thread, which has this lane: what it owns over there it holds. `held`: how much that
/// was the last time.
pub(super) fn settle(partner: &Partner, lane: usize, held: &Cell<u32>) {
    let (there, closed) = {
        let _steady = LOOKS.lock();
        let owners = partner.region.thin().all().filter_map(|(_, owner)| owner);
        let owners = owners.filter(|owner| owner.lane == lane);
        let there: u32 = owners.map(|owner| owner.depth).sum();
        // Nobody adds to it while LOOKS is held, and mostly there is nothing to be taken away.
        let closed = CLOSED
            .get(lane)
            .filter(|closed| closed.load(Ordering::Acquire) != 0);
        (
            there,
            closed.map_or(0, |closed| closed.swap(0, Ordering::AcqRel)),
        )
    };
    if (there, closed, held.replace(there)) == (0, 0, 0) {
        return;
    }
    let Some(thread) = threads::own() else {
        return;
    };
    let native = thread.native();
    // Relaxed: the thread's own, both.
    let before = native.held_elsewhere.swap(there, Ordering::Relaxed);
    let change = i64::from(there) + i64::from(closed) - i64::from(before);
    if change != 0 {
        let sum = i64::from(native.raw_held.load(Ordering::Relaxed)) + change;
        let sum = u32::try_from(sum).unwrap_or(0);
        native.raw_held.store(sum, Ordering::Relaxed);
    }
}
