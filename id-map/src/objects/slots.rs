//! The memory behind the ids: slots of twelve bytes, in chunks that come when they are needed.

use std::sync::atomic::Ordering;

use crate::sync::{AtomicBool, AtomicU32, AtomicU64};

#[derive(Default)]
pub(super) struct Slot {
    /// The index of the shape's class; in a free slot that of the next one.
    pub(super) class: AtomicU32,
    /// Bytes; in the first slot of a free batch the index of the next batch.
    pub(super) size: AtomicU32,
    pub(super) state: AtomicU32,
}

pub(super) const CHUNK: usize = if cfg!(loom) { 4 } else { 1 << 15 };
/// 2¹⁵ chunks of 2¹⁵ ids: 2³⁰, the first 2²⁷ of them below 2³¹.
pub(super) const CHUNKS: usize = if cfg!(loom) { 2 } else { 1 << 15 };

/// Marks of deaths in a word.
pub(super) const MARKS: usize = if cfg!(loom) { 2 } else { 64 };

pub(super) struct Chunk {
    pub(super) slots: Box<[Slot]>,
    /// One bit for each slot whose state tells of a death.
    pub(super) dead: Box<[AtomicU64]>,
    /// Whether any bit of `dead` may be set.
    pub(super) dirty: AtomicBool,
}

impl Chunk {
    /// `None` if there is no memory: ids are given out where nothing may end the
    /// process.
    pub(super) fn new() -> Option<Box<Self>> {
        fn filled<T: Default>(count: usize) -> Option<Box<[T]>> {
            let mut all = Vec::new();
            all.try_reserve_exact(count).ok()?;
            all.resize_with(count, T::default);
            Some(all.into())
        }
        Some(Box::new(Self {
            slots: filled(CHUNK)?,
            dead: filled(CHUNK / MARKS)?,
            dirty: AtomicBool::new(false),
        }))
    }
}

pub(super) fn update(slot: &Slot, change: impl Fn(u32) -> u32) {
    let change = |state| Some(change(state));
    let _ = slot
        .state
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, change);
}

pub(super) fn mark(chunk: &Chunk, at: usize) {
    if let Some(word) = chunk.dead.get(at / MARKS) {
        word.fetch_or(1 << (at % MARKS), Ordering::SeqCst);
    }
    if !chunk.dirty.load(Ordering::SeqCst) {
        chunk.dirty.store(true, Ordering::SeqCst);
    }
}
