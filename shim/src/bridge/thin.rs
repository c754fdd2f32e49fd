//! Raw monitors that the agent's process enters alone while nobody waits for them ([`lanes::ThinMonitors`]).
//!
//! Before anything is done with one here it is closed: whoever owns it over there owns it here then. When nobody
//! owns it and nobody waits for it, it is opened again. Nobody closes or opens one but with its lock in
//! [`MONITORS`]. What a thread owns over there counts as held by it ([`settle`]), for the gate.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use id_map::MonitorId;
use lanes::LANES;

use crate::base::observer;
use crate::bridge::partner::{self, Partner};
use crate::model::tables::MONITORS;
use crate::model::{current, threads};

/// The numbers of threads as owners of monitors, by their lanes.
static KEYS: [AtomicU64; LANES] = [const { AtomicU64::new(0) }; LANES];
/// How often they have entered monitors that were closed since they spoke last.
static CLOSED: [AtomicU32; LANES] = [const { AtomicU32::new(0) }; LANES];
/// Monitors are being looked at, all at one moment: none is opened.
static LOOKS: AtomicU32 = AtomicU32::new(0);

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
}

/// Something is about to be done with the monitor here.
pub(super) fn close(monitor: u64) {
    if let Some(partner) = partner::alive() {
        close_in(partner, monitor);
    }
}

fn close_in(partner: &Partner, monitor: u64) {
    let Some(id) = MonitorId::from_raw(monitor) else {
        return;
    };
    MONITORS.adopt(id, || {
        let owner = partner.region.thin().close(monitor)?;
        CLOSED
            .get(owner.lane)?
            .fetch_add(owner.depth, Ordering::AcqRel);
        let key = KEYS.get(owner.lane)?.load(Ordering::Acquire);
        Some((key, owner.depth))
    });
}

/// It is done.
pub(super) fn open(monitor: u64) {
    let (Some(partner), Some(id)) = (partner::alive(), MonitorId::from_raw(monitor)) else {
        return;
    };
    // Whoever looks on sees each call.
    if observer::is_on() {
        return;
    }
    MONITORS.if_idle(id, || {
        if LOOKS.load(Ordering::SeqCst) == 0 {
            partner.region.thin().open(monitor);
        }
    });
}

/// While it lives all monitors are here.
pub(super) struct Look;

impl Look {
    pub(super) fn begin() -> Self {
        LOOKS.fetch_add(1, Ordering::SeqCst);
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
        LOOKS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// It is the turn of the calling thread, which has this lane: what it owns over there it holds. `before` is what that
/// was when it was heard of last.
pub(super) fn settle(partner: &Partner, lane: usize, before: &Cell<u32>) {
    let owners = partner.region.thin().all().filter_map(|(_, owner)| owner);
    let owners = owners.filter(|owner| owner.lane == lane);
    let there: u32 = owners.map(|owner| owner.depth).sum();
    let closed = CLOSED.get(lane);
    let closed = closed.map_or(0, |closed| match closed.load(Ordering::Acquire) {
        0 => 0,
        _ => closed.swap(0, Ordering::AcqRel),
    });
    let now = i64::from(there) + i64::from(closed);
    let change = now - i64::from(before.replace(there));
    if change != 0
        && let Some(thread) = threads::own()
    {
        let held = &thread.native().raw_held;
        // Relaxed: the thread's own.
        let sum = i64::from(held.load(Ordering::Relaxed)) + change;
        held.store(u32::try_from(sum).unwrap_or(0), Ordering::Relaxed);
    }
}
