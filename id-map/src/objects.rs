//! The table of ids in use: what an id names, and all that an OBJECT_ALLOC of it
//! would say.
//!
//! An entry is twelve bytes and a bit. Ids are given out through a [`Supply`] of
//! each thread, without a lock; the dead are marked in place and swept up later,
//! so the queue of deaths needs no memory and cannot overflow.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use once_cell::race::OnceBox;

use crate::ObjectId;

/// What an id names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A plain object or an array.
    Object,
    /// A `java.lang.Class`.
    Class,
    /// A `java.lang.Thread`.
    Thread,
    /// No object: the number under which an agent knows one since it was moved
    /// ([`crate::Renumbering`]).
    Alias,
}

/// What instances of a class look like, or one object of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The class of a normal object, the element class of an array of references.
    pub class: Option<ObjectId>,
    /// JVMPI's type: 0 a normal object, 2 an array of references, 4 to 11 an
    /// array of primitives.
    pub array: u8,
}

/// What the table knows of one id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it names.
    pub kind: Kind,
    /// Of an object, if it is described: its own shape. Of a class: its instances'.
    pub shape: Option<Shape>,
    /// Bytes, header included; 0 while unknown.
    pub size: u32,
    /// The arena it lives in, as the agent was told.
    pub arena: u8,
    flags: u32,
}

impl Entry {
    /// Whether a flag is set.
    #[must_use]
    pub const fn has(&self, flag: Flag) -> bool {
        self.flags & flag.0 != 0
    }
}

/// One yes-or-no fact about an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flag(u32);

impl Flag {
    /// Some event has named the id to the agent: its death is to be told.
    pub const KNOWN: Self = Self(1 << 16);
    /// OBJECT_ALLOC was sent.
    pub const ALLOCATED: Self = Self(1 << 17);
    /// Both: an event has just named it in the best way there is.
    pub const ANNOUNCED: Self = Self(Self::KNOWN.0 | Self::ALLOCATED.0);
    /// A class whose instances may be mentioned: the agent knows it, or need not.
    pub const READY: Self = Self(1 << 18);
    /// The object bears its tag twice, and so dies twice (JDK 21 and later, `clone`).
    pub const TWICE: Self = Self(1 << 19);
    /// An event about it waits for its thread; until then it must not die.
    pub const KEPT: Self = Self(1 << 20);
    /// A dead class whose CLASS_UNLOAD is past: only then it is swept up.
    pub const UNLOADED: Self = Self(1 << 22);
    const DESCRIBED: Self = Self(1 << 21);
}

// The state word: kind 0..3, type 3..7, arena 8..16, flags 16.., deaths in the two
// highest bits.
const KIND: u32 = 7;
const TYPE_SHIFT: u32 = 3;
const TYPE: u32 = 15;
const ARENA_SHIFT: u32 = 8;
const ARENA: u32 = 255;
const DEATH: u32 = 1 << 30;

impl Kind {
    const fn to_bits(self) -> u32 {
        match self {
            Self::Object => 1,
            Self::Class => 2,
            Self::Thread => 3,
            Self::Alias => 4,
        }
    }

    const fn from_bits(bits: u32) -> Option<Self> {
        match bits & KIND {
            1 => Some(Self::Object),
            2 => Some(Self::Class),
            3 => Some(Self::Thread),
            4 => Some(Self::Alias),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Slot {
    /// The index of the shape's class; in a free slot that of the next one.
    class: AtomicU32,
    /// Bytes; in the first slot of a free batch the index of the next batch.
    size: AtomicU32,
    state: AtomicU32,
}

const CHUNK: usize = 1 << 15;
/// 2¹⁵ chunks of 2¹⁵ ids: 2³⁰, the first 2²⁷ of them below 2³¹.
const CHUNKS: usize = 1 << 15;

struct Chunk {
    slots: Box<[Slot]>,
    /// One bit for each slot whose state tells of a death.
    dead: Box<[AtomicU64]>,
    /// Whether any bit of `dead` may be set.
    dirty: AtomicBool,
}

impl Chunk {
    /// `None` if there is no memory: ids are given out where nothing may end the
    /// process.
    fn new() -> Option<Box<Self>> {
        fn filled<T: Default>(count: usize) -> Option<Box<[T]>> {
            let mut all = Vec::new();
            all.try_reserve_exact(count).ok()?;
            all.resize_with(count, T::default);
            Some(all.into())
        }
        Some(Box::new(Self {
            slots: filled(CHUNK)?,
            dead: filled(CHUNK / 64)?,
            dirty: AtomicBool::new(false),
        }))
    }
}

/// How many ids a thread takes at a time.
const BATCH: u32 = 64;

/// Ids that one thread may give out without asking anybody.
///
/// # Threads
/// Only its owner passes it to the table; others may read the count.
#[derive(Debug, Default)]
pub struct Supply {
    /// The first of a chain of free slots.
    free: AtomicU32,
    /// Never used ones: next and end.
    fresh: AtomicU32,
    end: AtomicU32,
    given: AtomicU64,
}

impl Supply {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            free: AtomicU32::new(0),
            fresh: AtomicU32::new(0),
            end: AtomicU32::new(0),
            given: AtomicU64::new(0),
        }
    }

    /// How many ids it has given out.
    #[must_use]
    pub fn given(&self) -> u64 {
        self.given.load(Ordering::Relaxed)
    }
}

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
    /// An empty table; memory is taken chunk by chunk.
    #[must_use]
    pub const fn new() -> Self {
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

    // ---- giving out -------------------------------------------------------

    /// Gives out an id, or `None` when all 2³⁰ are in use. It names an undescribed
    /// thing of this kind.
    ///
    /// A class gets one that nothing has had before: it may be named before its
    /// CLASS_LOAD, when an agent would take it for something that has died.
    pub fn allocate(&self, kind: Kind) -> Option<ObjectId> {
        let supply = Supply::new();
        if kind == Kind::Class
            && let Some(index) = self.take_never_used()
        {
            supply.fresh.store(index, Ordering::Relaxed);
            supply.end.store(index + 1, Ordering::Relaxed);
        }
        let id = self.take(&supply, kind)?;
        self.retire(&supply);
        Some(id)
    }

    fn take_never_used(&self) -> Option<u32> {
        let mut range = self.unused.load(Ordering::Acquire);
        loop {
            let (next, end) = (low_half(range), low_half(range >> 32));
            let (index, left) = if next < end {
                (next, range + 1)
            } else {
                let first = self.reserve_batch()?;
                (first, u64::from(first + BATCH) << 32 | u64::from(first + 1))
            };
            match self
                .unused
                .compare_exchange(range, left, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Some(index),
                // A batch that was reserved in vain stays unused: 64 of 2³⁰ ids.
                Err(now) => range = now,
            }
        }
    }

    /// The same from the calling thread's supply.
    pub fn take(&self, supply: &Supply, kind: Kind) -> Option<ObjectId> {
        let (index, slot) = self.take_slot(supply)?;
        slot.class.store(0, Ordering::Relaxed);
        slot.size.store(0, Ordering::Relaxed);
        slot.state.store(kind.to_bits(), Ordering::Release);
        ObjectId::from_index(index)
    }

    /// The same for an object of which everything is known.
    #[inline]
    pub fn take_described(
        &self,
        supply: &Supply,
        shape: Shape,
        size: u32,
        arena: u8,
    ) -> Option<ObjectId> {
        let (index, slot) = self.take_slot(supply)?;
        let class = shape.class.map_or(0, ObjectId::index);
        slot.class.store(class, Ordering::Relaxed);
        slot.size.store(size, Ordering::Relaxed);
        let state = Kind::Object.to_bits()
            | u32::from(shape.array) << TYPE_SHIFT
            | u32::from(arena) << ARENA_SHIFT
            | Flag::DESCRIBED.0;
        slot.state.store(state, Ordering::Release);
        ObjectId::from_index(index)
    }

    #[inline]
    fn take_slot(&self, supply: &Supply) -> Option<(u32, &Slot)> {
        let free = supply.free.load(Ordering::Relaxed);
        let found = if free != 0 {
            let slot = self.slot(free)?;
            supply
                .free
                .store(slot.class.load(Ordering::Relaxed), Ordering::Relaxed);
            (free, slot)
        } else {
            let fresh = supply.fresh.load(Ordering::Relaxed);
            if fresh < supply.end.load(Ordering::Relaxed) {
                supply.fresh.store(fresh + 1, Ordering::Relaxed);
                (fresh, self.slot(fresh)?)
            } else {
                return self.refill(supply);
            }
        };
        let given = supply.given.load(Ordering::Relaxed);
        supply.given.store(given + 1, Ordering::Relaxed);
        Some(found)
    }

    #[cold]
    fn refill(&self, supply: &Supply) -> Option<(u32, &Slot)> {
        let batch = self.pop_batch();
        if batch == 0 {
            let first = self.reserve_batch()?;
            supply.end.store(first + BATCH, Ordering::Relaxed);
            supply.fresh.store(first, Ordering::Relaxed);
        } else {
            supply.free.store(batch, Ordering::Relaxed);
        }
        self.take_slot(supply)
    }

    /// A batch that was never used.
    fn reserve_batch(&self) -> Option<u32> {
        let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
        let last = first.saturating_add(BATCH - 1);
        if usize::try_from(last).is_ok_and(|last| last >= CHUNK * CHUNKS) {
            // Keep the counter from wrapping round after very many refusals.
            self.next.fetch_sub(BATCH, Ordering::Relaxed);
            return None;
        }
        // A batch lies in one chunk or two. Without memory for them it stays unused.
        (self.grow(first) && self.grow(last)).then_some(first)
    }

    /// The supply's thread has ended: what it has left can be used by others.
    pub fn retire(&self, supply: &Supply) {
        let mut rest = Recycler::new(self);
        let fresh = supply.fresh.load(Ordering::Relaxed);
        let end = supply.end.swap(0, Ordering::Relaxed);
        for index in fresh..end {
            rest.add(index);
        }
        let mut index = supply.free.swap(0, Ordering::Relaxed);
        while let Some(slot) = self.slot(index).filter(|_| index != 0) {
            let next = slot.class.load(Ordering::Relaxed);
            rest.add(index);
            index = next;
        }
        drop(rest);
        self.settled
            .fetch_add(supply.given.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// How many ids are in use, given what the living supplies have given out.
    pub fn live(&self, given: u64) -> u64 {
        let released = self.released.load(Ordering::Acquire);
        (self.settled.load(Ordering::Acquire) + given).saturating_sub(released)
    }

    fn pop_batch(&self) -> u32 {
        let mut head = self.batches.load(Ordering::Acquire);
        loop {
            let index = low_half(head);
            let Some(slot) = self.slot(index).filter(|_| index != 0) else {
                return 0;
            };
            let next = u64::from(slot.size.load(Ordering::Acquire));
            let fresh = next_version(head) | next;
            match self
                .batches
                .compare_exchange(head, fresh, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return index,
                Err(now) => head = now,
            }
        }
    }

    fn push_batch(&self, first: u32) {
        let Some(slot) = self.slot(first) else { return };
        let mut head = self.batches.load(Ordering::Acquire);
        loop {
            slot.size.store(low_half(head), Ordering::Release);
            let fresh = next_version(head) | u64::from(first);
            match self
                .batches
                .compare_exchange(head, fresh, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    // ---- looking up and describing ----------------------------------------

    /// What is known of an id; `None` for one that was never given out or has ended.
    pub fn get(&self, id: ObjectId) -> Option<Entry> {
        let slot = self.slot(id.index())?;
        let state = slot.state.load(Ordering::Acquire);
        let shape = Shape {
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

    /// Takes the dead away one by one; each is the caller's to [`Recycler::release`].
    /// Those with [`Flag::KEPT`], and classes without [`Flag::UNLOADED`], stay for
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
                if loaded || state & Flag::KEPT.0 != 0 {
                    mark(chunk, at);
                    return;
                }
                if let Some(entry) = self.get(id) {
                    if entry.kind == Kind::Class {
                        self.dead_classes.fetch_sub(1, Ordering::AcqRel);
                    }
                    visit(id, entry);
                }
                recycler.bury(id, slot);
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
                if bits.load(Ordering::Relaxed) == 0 {
                    continue;
                }
                let mut marked = take(bits);
                while marked != 0 {
                    let at = word * 64 + marked.trailing_zeros() as usize;
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

const BELOW_FLAGS: u32 = KIND | TYPE << TYPE_SHIFT | ARENA << ARENA_SHIFT;

fn field(state: u32, shift: u32, mask: u32) -> u8 {
    u8::try_from(state >> shift & mask).unwrap_or(0)
}

fn update(slot: &Slot, change: impl Fn(u32) -> u32) {
    let change = |state| Some(change(state));
    let _ = slot
        .state
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, change);
}

fn mark(chunk: &Chunk, at: usize) {
    if let Some(word) = chunk.dead.get(at / 64) {
        word.fetch_or(1 << (at % 64), Ordering::SeqCst);
    }
    if !chunk.dirty.load(Ordering::SeqCst) {
        chunk.dirty.store(true, Ordering::SeqCst);
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the low half is what is wanted"
)]
fn low_half(head: u64) -> u32 {
    head as u32
}

fn next_version(head: u64) -> u64 {
    (head >> 32).wrapping_add(1) << 32
}

/// Collects ids whose life has ended and hands them back in batches.
pub struct Recycler<'a> {
    table: &'a ObjectTable,
    first: u32,
    count: u32,
    released: u64,
}

impl<'a> Recycler<'a> {
    /// Nothing collected yet. Ids are given out again when their batch is full or
    /// this is dropped: after the bracket in which they died.
    #[must_use]
    pub fn new(table: &'a ObjectTable) -> Self {
        Self {
            table,
            first: 0,
            count: 0,
            released: 0,
        }
    }

    /// How many lives have ended here.
    #[must_use]
    pub fn released(&self) -> u64 {
        self.released
    }

    /// After a death: an id whose object bears its tag twice is free only after
    /// the second, which the VM may tell later.
    fn bury(&mut self, id: ObjectId, slot: &Slot) {
        let once = |state: u32| {
            let awaits_another = state & Flag::TWICE.0 != 0 && state < 2 * DEATH;
            // Without a kind it is stale for everybody.
            awaits_another.then_some(Flag::TWICE.0 | DEATH)
        };
        if slot
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, once)
            .is_err()
        {
            self.end(id.index(), slot);
        }
    }

    fn end(&mut self, index: u32, slot: &Slot) {
        slot.state.store(0, Ordering::Release);
        self.released += 1;
        self.add(index);
    }

    fn add(&mut self, index: u32) {
        if let Some(slot) = self.table.slot(index) {
            slot.class.store(self.first, Ordering::Relaxed);
            self.first = index;
            self.count += 1;
        }
    }
}

impl Drop for Recycler<'_> {
    fn drop(&mut self) {
        self.table
            .released
            .fetch_add(self.released, Ordering::AcqRel);
        // Cut the chain into batches.
        let mut first = self.first;
        while first != 0 {
            let mut last = first;
            for _ in 1..BATCH {
                match self
                    .table
                    .slot(last)
                    .map(|slot| slot.class.load(Ordering::Relaxed))
                {
                    Some(next) if next != 0 => last = next,
                    _ => break,
                }
            }
            let rest = self
                .table
                .slot(last)
                .map_or(0, |slot| slot.class.swap(0, Ordering::Relaxed));
            self.table.push_batch(first);
            first = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BATCH, CHUNK, Flag, Kind, ObjectTable, Recycler, Shape, Supply};
    use crate::ObjectId;

    const PLAIN: Shape = Shape {
        class: None,
        array: 10,
    };

    fn table() -> Box<ObjectTable> {
        Box::new(ObjectTable::new())
    }

    fn swept(table: &ObjectTable) -> Vec<ObjectId> {
        let mut found = Vec::new();
        let mut recycler = Recycler::new(table);
        table.sweep(&mut recycler, |id, _| found.push(id));
        found
    }

    #[test]
    fn a_class_gets_an_id_that_nothing_has_had() {
        let table = ObjectTable::new();
        let objects: Vec<_> = (0..200).map(|_| table.allocate(Kind::Object)).collect();
        for id in objects.iter().flatten() {
            table.release(*id);
        }
        let classes: Vec<_> = (0..200).map(|_| table.allocate(Kind::Class)).collect();
        for (number, class) in classes.iter().enumerate() {
            assert!(class.is_some() && !objects.contains(class));
            assert!(!classes[..number].contains(class));
        }
        assert_eq!(table.live(0), 200);
    }

    #[test]
    fn ids_are_distinct_and_remember_their_kind() {
        let table = table();
        let class = table.allocate(Kind::Class).expect("room");
        let thread = table.allocate(Kind::Thread).expect("room");
        assert_ne!(class, thread);
        assert_eq!(table.kind_of(class), Some(Kind::Class));
        assert_eq!(table.kind_of(thread), Some(Kind::Thread));
        assert_eq!(class.raw() % 16, 0);
        assert_eq!(table.get(class).and_then(|entry| entry.shape), None);
    }

    #[test]
    fn an_entry_says_what_was_written() {
        let table = table();
        let supply = Supply::new();
        let class = table.take(&supply, Kind::Class).expect("room");
        let shape = Shape {
            class: Some(class),
            array: 2,
        };
        let id = table.take_described(&supply, shape, 24, 3).expect("room");
        table.set_fresh(id, Flag::ALLOCATED);
        let entry = table.get(id).expect("live");
        assert_eq!(entry.shape, Some(shape));
        assert_eq!((entry.size, entry.arena), (24, 3));
        assert!(entry.has(Flag::ALLOCATED) && !entry.has(Flag::KNOWN));
        table.set_arena(id, 200);
        assert!(table.set(id, Flag::KNOWN) && !table.set(id, Flag::KNOWN));
        let entry = table.get(id).expect("live");
        assert_eq!((entry.arena, entry.shape), (200, Some(shape)));
        assert!(entry.has(Flag::KNOWN));
        assert_eq!(table.ready_shape(class), None);
        table.describe(class, Kind::Class, PLAIN, 0, 1);
        table.set(class, Flag::READY);
        assert_eq!(table.ready_shape(class), Some(PLAIN));
    }

    #[test]
    fn a_released_id_is_stale() {
        let table = table();
        let id = table.allocate(Kind::Object).expect("room");
        table.release(id);
        assert_eq!(table.kind_of(id), None);
        assert!(!table.set(id, Flag::KNOWN));
    }

    #[test]
    fn unknown_ids_have_no_kind() {
        let table = table();
        for raw in [16, 0x1230, u64::from(u32::MAX) << 4] {
            let id = ObjectId::from_raw(raw).expect("shaped like an id");
            assert_eq!(table.kind_of(id), None);
            table.note_dead(id);
        }
    }

    #[test]
    fn the_dead_are_swept_once_and_their_ids_come_back_afterwards() {
        let table = table();
        let supply = Supply::new();
        let ids: Vec<_> = (0..1000)
            .map(|_| table.take(&supply, Kind::Object).expect("room"))
            .collect();
        for id in &ids[..500] {
            table.note_dead(*id);
        }
        let mut recycler = Recycler::new(&table);
        let mut seen = Vec::new();
        table.sweep(&mut recycler, |id, _| {
            seen.push(id);
            let fresh = table.take(&supply, Kind::Object).expect("room");
            assert!(!ids.contains(&fresh), "reused inside the bracket");
        });
        drop(recycler);
        assert_eq!(seen, ids[..500]);
        assert!(swept(&table).is_empty());
        assert_eq!(table.live(supply.given()), 1000);
        let rest: Vec<_> = (0..2000)
            .map(|_| table.take(&supply, Kind::Object).expect("room"))
            .collect();
        assert!(ids[..500].iter().all(|id| rest.contains(id)));
        assert!(ids[500..].iter().all(|id| !rest.contains(id)));
    }

    #[test]
    fn what_bears_its_tag_twice_is_free_after_the_second_death() {
        let table = table();
        for both_before_the_sweep in [true, false] {
            let id = table.allocate(Kind::Object).expect("room");
            table.set(id, Flag::TWICE);
            table.note_dead(id);
            if both_before_the_sweep {
                table.note_dead(id);
            }
            assert_eq!(swept(&table), [id]);
            assert_eq!(table.kind_of(id), None, "stale at once");
            if !both_before_the_sweep {
                let supply = Supply::new();
                for _ in 0..3 * BATCH {
                    assert_ne!(table.take(&supply, Kind::Object), Some(id));
                }
                table.note_dead(id);
                assert!(swept(&table).is_empty(), "told once");
            }
        }
    }

    #[test]
    fn what_is_kept_dies_later() {
        let table = table();
        let id = table.allocate(Kind::Object).expect("room");
        table.set(id, Flag::KEPT);
        table.note_dead(id);
        assert!(swept(&table).is_empty());
        table.clear(id, Flag::KEPT);
        assert_eq!(swept(&table), [id]);
    }

    #[test]
    fn dead_classes_are_counted_and_can_be_looked_at() {
        let table = table();
        let class = table.allocate(Kind::Class).expect("room");
        table.note_dead(class);
        assert_eq!(table.dead_classes(), 1);
        let mut seen = Vec::new();
        table.look_at_dead(|id, entry| seen.push((id, entry.kind)));
        assert_eq!(seen, [(class, Kind::Class)]);
        assert!(swept(&table).is_empty(), "not unloaded yet");
        table.set(class, Flag::UNLOADED);
        assert_eq!(swept(&table), [class]);
        assert_eq!(table.dead_classes(), 0);
    }

    #[test]
    fn an_ended_thread_leaves_its_supply_to_others() {
        let table = table();
        for _ in 0..10 * CHUNK {
            let supply = Supply::new();
            let id = table.take(&supply, Kind::Object).expect("room");
            table.release(id);
            table.retire(&supply);
        }
        let last = table.allocate(Kind::Object).expect("room");
        assert!(last.index() < 4 * BATCH, "{last:?}");
    }

    #[test]
    fn threads_never_share_a_live_id() {
        use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
        let table = table();
        let owned: Vec<AtomicU8> = (0..4 * CHUNK).map(|_| AtomicU8::new(0)).collect();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..3)
                .map(|seed| {
                    let (table, owned) = (&table, &owned);
                    scope.spawn(move || {
                        let supply = Supply::new();
                        let mut mine = Vec::new();
                        let mut random = seed + 1u64;
                        for _ in 0..60_000 {
                            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
                            if random >> 33 & 1 == 0 || mine.is_empty() {
                                let id = table.take(&supply, Kind::Object).expect("room");
                                let at = id.index() as usize;
                                assert_eq!(owned[at].swap(1, Ordering::SeqCst), 0);
                                mine.push(id);
                            } else {
                                let id: ObjectId =
                                    mine.swap_remove((random >> 40) as usize % mine.len());
                                owned[id.index() as usize].store(0, Ordering::SeqCst);
                                table.note_dead(id);
                            }
                        }
                        table.retire(&supply);
                        mine.len() as u64
                    })
                })
                .collect();
            let sweeper = scope.spawn(|| {
                let mut dead = 0;
                while !stop.load(Ordering::Acquire) {
                    dead += swept(&table).len();
                }
                dead + swept(&table).len()
            });
            let left: u64 = workers
                .into_iter()
                .map(|w| w.join().expect("no panic"))
                .sum();
            stop.store(true, Ordering::Release);
            assert!(sweeper.join().expect("no panic") > 0);
            assert_eq!(table.live(0), left);
        });
    }
}
