//! Requests for the stacks of running threads, where signal handlers find them.
//!
//! # Safety
//! A handler is handed an address by whoever has queued its signal: it is compared with those of
//! all slots and never followed otherwise. Slots are never freed.
#![allow(unsafe_code, reason = "memory shared with signal handlers")]

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use jvmpi_headers::jni::JNIEnv;
use jvmpi_headers::jvmpi::JVMPI_CallFrame;
use parking_lot::Mutex;

use crate::base::patience::Patience;
use crate::os::futex;

/// Frames kept of one stack.
pub(super) const DEPTH: usize = 256;

pub(super) const IDLE: u64 = 0;
pub(super) const ASKED: u64 = 1;
pub(super) const WALKING: u64 = 2;
pub(super) const DONE: u64 = 3;

/// A state of a request to one thread: both in one word, so that a late signal on
/// another thread cannot take the request for its own.
pub(super) fn of(tid: u32, state: u64) -> u64 {
    u64::from(tid) << 32 | state
}

/// One request; the frames belong to the handler from ASKED to DONE and to the
/// asking thread otherwise.
pub(super) struct Slot {
    /// [`of`] thread and state.
    pub(super) state: AtomicU64,
    /// 1 while whoever has asked sleeps until it is DONE.
    sleeps: AtomicU32,
    pub(super) env: AtomicPtr<JNIEnv>,
    pub(super) count: AtomicU32,
    pub(super) frames: std::cell::UnsafeCell<[JVMPI_CallFrame; DEPTH]>,
    /// Whose value the thread is to note when it gives its stack, and that value.
    pub(super) watched: AtomicPtr<AtomicU64>,
    pub(super) noted: AtomicU64,
    /// The slot that was made before it.
    older: Option<&'static Slot>,
}

// SAFETY: see `Slot` for who may touch the frames when.
unsafe impl Sync for Slot {}

impl Slot {
    /// In the handler, on the thread `tid`: it is through.
    pub(super) fn is_done(&self, tid: u32) {
        self.state.store(of(tid, DONE), Ordering::SeqCst);
        // Whose request this was may have seen it already: then the next one looks once more.
        if self.sleeps.swap(0, Ordering::SeqCst) == 1 {
            futex::wake(&self.sleeps);
        }
    }

    /// Whether the thread is through; the caller sleeps meanwhile.
    pub(super) fn wait(&self, tid: u32, patience: Patience) -> bool {
        let is_done = || self.state.load(Ordering::SeqCst) == of(tid, DONE);
        let sleep = |rest| {
            self.sleeps.store(1, Ordering::SeqCst);
            if !is_done() {
                futex::wait(&self.sleeps, 1, rest);
            }
        };
        let done = patience.until_woken(is_done, sleep);
        self.sleeps.store(0, Ordering::SeqCst);
        done
    }
}

/// The newest of all slots. There are as many as threads have asked at the same time.
static NEWEST: AtomicPtr<Slot> = AtomicPtr::new(ptr::null_mut());

fn newest() -> Option<&'static Slot> {
    // SAFETY: null, or a slot, which lives for ever.
    unsafe { NEWEST.load(Ordering::Acquire).as_ref() }
}

/// The slot at this address, if there is one.
pub(super) fn slot_at(address: usize) -> Option<&'static Slot> {
    let mut slots = std::iter::successors(newest(), |slot| slot.older);
    slots.find(|slot| ptr::from_ref(*slot).addr() == address)
}

fn new_slot() -> &'static Slot {
    let none = JVMPI_CallFrame {
        lineno: 0,
        method_id: ptr::null_mut(),
    };
    let slot = Box::leak(Box::new(Slot {
        state: AtomicU64::new(IDLE),
        sleeps: AtomicU32::new(0),
        env: AtomicPtr::new(ptr::null_mut()),
        count: AtomicU32::new(0),
        frames: std::cell::UnsafeCell::new([none; DEPTH]),
        watched: AtomicPtr::new(ptr::null_mut()),
        noted: AtomicU64::new(0),
        older: None,
    }));
    loop {
        slot.older = newest();
        let older = slot
            .older
            .map_or(ptr::null_mut(), |older| ptr::from_ref(older).cast_mut());
        let ours = ptr::from_mut(slot);
        if NEWEST
            .compare_exchange(older, ours, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
        {
            return slot;
        }
    }
}

/// Slots nobody uses now.
static FREE: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());

pub(super) fn take_slot() -> &'static Slot {
    let free = FREE.lock().pop();
    free.unwrap_or_else(new_slot)
}

pub(super) fn give_back(slot: &'static Slot) {
    slot.state.store(IDLE, Ordering::Release);
    FREE.lock().push(slot);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slots_are_followed() {
        let one = new_slot();
        let other = new_slot();
        let address = |slot: &'static Slot| ptr::from_ref(slot).addr();
        for slot in [one, other] {
            assert!(slot_at(address(slot)).is_some_and(|found| ptr::eq(found, slot)));
            assert!(slot_at(address(slot) + 8).is_none());
        }
        assert!(slot_at(0).is_none());
        assert!(slot_at(8).is_none());
    }
}
