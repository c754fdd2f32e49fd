//! The table of ids in use: what an id names, and all that an OBJECT_ALLOC of it
//! would say.
//!
//! An entry is twelve bytes and a bit. Ids are given out through a [`Supply`] of
//! each thread, without a lock; the dead are marked in place and swept up later,
//! so the queue of deaths needs no memory and cannot overflow.

mod entry;
mod recycler;
mod slots;
mod supply;
#[cfg(all(test, not(loom)))]
mod tests;

use std::sync::atomic::Ordering;

use once_cell::race::OnceBox;

use crate::ObjectId;
use crate::sync::{AtomicU32, AtomicU64, const_fn};
use entry::{ARENA, ARENA_SHIFT, BELOW_FLAGS, DEATH, KIND, TYPE, TYPE_SHIFT, field};
use slots::{CHUNK, CHUNKS, Chunk, MARKS, Slot, mark, update};

pub use entry::{Entry, Flag, Kind, Shape};
pub use recycler::Recycler;
pub use supply::Supply;

/// All ids, live and not yet given out.
///
/// # Threads
/// Every method may be called from any thread at once; none waits for another.
pub struct ObjectTable {
    /// The next index never used.
    next: AtomicU32,
    /// Never used ones for classes: next in the low half, end in the high one.
    unused: AtomicU64,
    /// Free batches, a stack: version in the high half against a batch that was
    /// taken and came back, index of the first slot in the low half.
    batches: AtomicU64,
    /// Ids given out by supplies that are no more, and without one.
    settled: AtomicU64,
    released: AtomicU64,
    dead_classes: AtomicU32,
    chunks: [OnceBox<Chunk>; CHUNKS],
}

impl Default for ObjectTable {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectTable {
    const_fn! {
        /// An empty table; memory is taken chunk by chunk.
        #[must_use]
        pub fn new() -> Self {
            Self {
                next: AtomicU32::new(1),
                unused: AtomicU64::new(0),
                batches: AtomicU64::new(0),
                settled: AtomicU64::new(0),
                released: AtomicU64::new(0),
                dead_classes: AtomicU32::new(0),
                chunks: [const { OnceBox::new() }; CHUNKS],
            }
        }
    }

    // ---- looking up and describing ----------------------------------------

    /// What is known of an id; `None` for one that was never given out or has ended.
    pub fn get(&self, id: ObjectId) -> Option<Entry> {
        let slot = self.slot(id.index())?;
        let state = slot.state.load(Ordering::Acquire);
        let shape = Shape {
            // Relaxed: what stands beside a state that is read with acquire, and written in front
            // of it.
            class: ObjectId::from_index(slot.class.load(Ordering::Relaxed)),
            array: field(state, TYPE_SHIFT, TYPE),
        };
        Some(Entry {
            kind: Kind::from_bits(state)?,
            shape: (state & Flag::DESCRIBED.0 != 0).then_some(shape),
            size: slot.size.load(Ordering::Relaxed),
            arena: field(state, ARENA_SHIFT, ARENA),
            flags: state,
        })
    }

    /// Whether the id has been given out, or may have been: ids are handed to threads in
    /// batches.
    #[must_use]
    pub fn was_given(&self, id: ObjectId) -> bool {
        id.index() < self.next.load(Ordering::Acquire)
    }

    /// How many ids the table has taken memory for.
    #[must_use]
    pub fn extent(&self) -> u32 {
        self.next.load(Ordering::Acquire)
    }

    /// Whether an id has this flag; false for one that was never given out or has ended.
    #[inline]
    pub fn has(&self, id: ObjectId, flag: Flag) -> bool {
        self.slot(id.index()).is_some_and(|slot| {
            let state = slot.state.load(Ordering::Acquire);
            Kind::from_bits(state).is_some() && state & flag.0 != 0
        })
    }

    /// What `id` names.
    pub fn kind_of(&self, id: ObjectId) -> Option<Kind> {
        Kind::from_bits(self.slot(id.index())?.state.load(Ordering::Acquire))
    }

    /// The shape of a class's instances, if they may be mentioned without more ado.
    #[inline]
    pub fn ready_shape(&self, class: ObjectId) -> Option<Shape> {
        let slot = self.slot(class.index())?;
        let state = slot.state.load(Ordering::Acquire);
        (state & Flag::READY.0 != 0).then(|| Shape {
            class: ObjectId::from_index(slot.class.load(Ordering::Relaxed)),
            array: field(state, TYPE_SHIFT, TYPE),
        })
    }

    /// Writes down what an id names and its shape; flags stay as they are.
    pub fn describe(&self, id: ObjectId, kind: Kind, shape: Shape, size: u32, arena: u8) {
        let Some(slot) = self.slot(id.index()) else {
            return;
        };
        let class = shape.class.map_or(0, ObjectId::index);
        slot.class.store(class, Ordering::Relaxed);
        slot.size.store(size, Ordering::Relaxed);
        let what = kind.to_bits()
            | u32::from(shape.array) << TYPE_SHIFT
            | u32::from(arena) << ARENA_SHIFT
            | Flag::DESCRIBED.0;
        update(slot, |state| state & !BELOW_FLAGS | what);
    }

    /// Changes what an id names, and nothing else.
    pub fn set_kind(&self, id: ObjectId, kind: Kind) {
        if let Some(slot) = self.slot(id.index()) {
            update(slot, |state| state & !KIND | kind.to_bits());
        }
    }

    /// The object was moved to another arena.
    pub fn set_arena(&self, id: ObjectId, arena: u8) {
        if let Some(slot) = self.slot(id.index()) {
            let bits = u32::from(arena) << ARENA_SHIFT;
            update(slot, |state| state & !(ARENA << ARENA_SHIFT) | bits);
        }
    }

    /// Sets a flag; false if it was set, or the id has ended.
    pub fn set(&self, id: ObjectId, flag: Flag) -> bool {
        self.slot(id.index()).is_some_and(|slot| {
            let before = slot.state.fetch_or(flag.0, Ordering::AcqRel);
            before & flag.0 == 0 && before & KIND != 0
        })
    }

    /// Sets a flag of an id that nobody else knows yet: cheaper than [`Self::set`].
    #[inline]
    pub fn set_fresh(&self, id: ObjectId, flag: Flag) {
        if let Some(slot) = self.slot(id.index()) {
            let state = slot.state.load(Ordering::Relaxed);
            slot.state.store(state | flag.0, Ordering::Release);
        }
    }

    /// Clears a flag.
    pub fn clear(&self, id: ObjectId, flag: Flag) {
        if let Some(slot) = self.slot(id.index()) {
            slot.state.fetch_and(!flag.0, Ordering::AcqRel);
        }
    }

    /// Visits every id in use, in their order.
    pub fn each(&self, mut visit: impl FnMut(ObjectId, Entry)) {
        for index in 1..self.next.load(Ordering::Acquire) {
            if let Some(id) = ObjectId::from_index(index)
                && let Some(entry) = self.get(id)
            {
                visit(id, entry);
            }
        }
    }

    // ---- dying ------------------------------------------------------------

    /// The object has been collected. Takes no memory and no lock: the collector
    /// calls this.
    pub fn note_dead(&self, id: ObjectId) {
        let index = id.index();
        let Some((chunk, at)) = self.chunk(index) else {
            return;
        };
        let Some(slot) = chunk.slots.get(at) else {
            return;
        };
        let before = slot.state.fetch_add(DEATH, Ordering::AcqRel);
        if Kind::from_bits(before) == Some(Kind::Class) && before < DEATH {
            self.dead_classes.fetch_add(1, Ordering::AcqRel);
        }
        mark(chunk, at);
    }

    /// Whether anything has died and was not swept up.
    pub fn any_dead(&self) -> bool {
        self.chunks
            .iter()
            .map_while(OnceBox::get)
            .any(|chunk| chunk.dirty.load(Ordering::Acquire))
    }

    /// How many classes have died and were not swept up.
    pub fn dead_classes(&self) -> u32 {
        self.dead_classes.load(Ordering::Acquire)
    }

    /// Visits the dead without taking them away.
    pub fn look_at_dead(&self, mut visit: impl FnMut(ObjectId, Entry)) {
        self.each_marked(
            |word| word.load(Ordering::Acquire),
            |id| {
                if let Some(entry) = self.get(id).filter(|entry| entry.flags >= DEATH) {
                    visit(id, entry);
                }
            },
        );
    }

    /// How many have died and were not swept up.
    pub fn count_dead(&self) -> u64 {
        let mut count = 0;
        self.look_at_dead(|_, _| count += 1);
        count
    }

    /// Takes the dead away one by one, into the recycler.
    /// Those with [`Flag::KEPT`] or [`Flag::NAMED_LATER`], and classes without [`Flag::UNLOADED`], stay for
    /// the next time.
    pub fn sweep(&self, recycler: &mut Recycler<'_>, mut visit: impl FnMut(ObjectId, Entry)) {
        self.each_marked(
            |word| word.swap(0, Ordering::AcqRel),
            |id| {
                let Some((chunk, at)) = self.chunk(id.index()) else {
                    return;
                };
                let Some(slot) = chunk.slots.get(at) else {
                    return;
                };
                let state = slot.state.load(Ordering::Acquire);
                if state < DEATH {
                    // The second mark of a pair whose deaths were both seen.
                    return;
                }
                if state & (KIND | Flag::TWICE.0) == 0 {
                    // Nothing that lives: not to be given back twice.
                    slot.state.store(0, Ordering::Release);
                    return;
                }
                let loaded =
                    Kind::from_bits(state) == Some(Kind::Class) && state & Flag::UNLOADED.0 == 0;
                if loaded || state & (Flag::KEPT.0 | Flag::NAMED_LATER.0) != 0 {
                    mark(chunk, at);
                    return;
                }
                if let Some(entry) = self.get(id) {
                    if entry.kind == Kind::Class {
                        self.dead_classes.fetch_sub(1, Ordering::AcqRel);
                    }
                    visit(id, entry);
                }
                recycler.note_death(id, slot);
            },
        );
    }

    fn each_marked(&self, take: impl Fn(&AtomicU64) -> u64, mut visit: impl FnMut(ObjectId)) {
        for number in 0..CHUNKS {
            let Some(chunk) = self.chunks.get(number).and_then(OnceBox::get) else {
                return;
            };
            // Before the bits are read: whoever sets one later sets this again.
            if !chunk.dirty.load(Ordering::Acquire) || !chunk.dirty.swap(false, Ordering::SeqCst) {
                continue;
            }
            let mut left = false;
            for (word, bits) in chunk.dead.iter().enumerate() {
                // In the one order of all such operations, in which it is behind the swap: who sets
                // a bit behind this looks at `dirty` behind it too, and finds it clear.
                if bits.load(Ordering::SeqCst) == 0 {
                    continue;
                }
                let mut marked = take(bits);
                while marked != 0 {
                    let at = word * MARKS + marked.trailing_zeros() as usize;
                    marked &= marked - 1;
                    let index = u32::try_from(number * CHUNK + at).unwrap_or(0);
                    if let Some(id) = ObjectId::from_index(index) {
                        visit(id);
                    }
                }
                left |= bits.load(Ordering::SeqCst) != 0;
            }
            if left {
                chunk.dirty.store(true, Ordering::SeqCst);
            }
        }
    }

    /// Ends an id's life at once: it was given out for nothing.
    pub fn release(&self, id: ObjectId) {
        if let Some(slot) = self.slot(id.index()) {
            Recycler::new(self).end(id.index(), slot);
        }
    }

    // ---- memory -----------------------------------------------------------

    fn slot(&self, index: u32) -> Option<&Slot> {
        let (chunk, at) = self.chunk(index)?;
        chunk.slots.get(at)
    }

    fn chunk(&self, index: u32) -> Option<(&Chunk, usize)> {
        let index = usize::try_from(index).ok()?;
        Some((self.chunks.get(index / CHUNK)?.get()?, index % CHUNK))
    }

    fn grow(&self, index: u32) -> bool {
        let index = usize::try_from(index).ok();
        let place = index.and_then(|index| self.chunks.get(index / CHUNK));
        place.is_some_and(|place| {
            let made = || Chunk::new().ok_or(());
            place.get_or_try_init(made).is_ok()
        })
    }
}
