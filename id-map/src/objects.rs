//! The table of ids in use: what kind of thing an id names.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use once_cell::sync::OnceCell;

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
}

impl Kind {
    const FREE: u8 = 0;

    fn to_byte(self) -> u8 {
        match self {
            Self::Object => 1,
            Self::Class => 2,
            Self::Thread => 3,
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Object),
            2 => Some(Self::Class),
            3 => Some(Self::Thread),
            _ => None,
        }
    }
}

const CHUNK: usize = 1 << 15;
/// 2¹² chunks of 2¹⁵ ids: the 2²⁷ ids that fit 31 bits.
const CHUNKS: usize = 1 << 12;

/// All ids, live and not yet given out.
///
/// # Threads
/// Every method may be called from any thread at once; none blocks except the
/// first user of a fresh chunk.
pub struct ObjectTable {
    next: AtomicU32,
    chunks: [OnceCell<Box<[AtomicU8]>>; CHUNKS],
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
            chunks: [const { OnceCell::new() }; CHUNKS],
        }
    }

    /// Gives out a fresh id, or `None` when all 2²⁷ are used up.
    pub fn allocate(&self, kind: Kind) -> Option<ObjectId> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(cell) = self.cell(index, true) else {
            // Keep the counter from wrapping round after very many refusals.
            self.next.fetch_sub(1, Ordering::Relaxed);
            return None;
        };
        cell.store(kind.to_byte(), Ordering::Release);
        ObjectId::from_index(index)
    }

    /// What `id` names; `None` for an id that was never given out or was released.
    pub fn kind_of(&self, id: ObjectId) -> Option<Kind> {
        let cell = self.cell(id.index(), false)?;
        Kind::from_byte(cell.load(Ordering::Acquire))
    }

    /// Ends an id's life. It is not given out again, so it stays recognisably stale.
    pub fn release(&self, id: ObjectId) {
        if let Some(cell) = self.cell(id.index(), false) {
            cell.store(Kind::FREE, Ordering::Release);
        }
    }

    fn cell(&self, index: u32, grow: bool) -> Option<&AtomicU8> {
        let index = usize::try_from(index).ok()?;
        let slot = self.chunks.get(index / CHUNK)?;
        let chunk = if grow {
            slot.get_or_init(|| (0..CHUNK).map(|_| AtomicU8::new(Kind::FREE)).collect())
        } else {
            slot.get()?
        };
        chunk.get(index % CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Kind, ObjectTable};
    use crate::ObjectId;

    #[test]
    fn ids_are_distinct_and_remember_their_kind() {
        let table = ObjectTable::new();
        let class = table.allocate(Kind::Class).expect("room");
        let thread = table.allocate(Kind::Thread).expect("room");
        assert_ne!(class, thread);
        assert_eq!(table.kind_of(class), Some(Kind::Class));
        assert_eq!(table.kind_of(thread), Some(Kind::Thread));
        assert_eq!(class.raw() % 16, 0);
    }

    #[test]
    fn a_released_id_is_stale_and_not_reused() {
        let table = ObjectTable::new();
        let id = table.allocate(Kind::Object).expect("room");
        table.release(id);
        assert_eq!(table.kind_of(id), None);
        assert_ne!(table.allocate(Kind::Object), Some(id));
    }

    #[test]
    fn unknown_ids_have_no_kind() {
        let table = ObjectTable::new();
        for raw in [16, 0x1230, u64::from(u32::MAX) << 4] {
            let id = ObjectId::from_raw(raw).expect("shaped like an id");
            assert_eq!(table.kind_of(id), None);
        }
    }

    #[test]
    fn threads_never_share_an_id() {
        let table = ObjectTable::new();
        let per_thread = CHUNK;
        let mut all: Vec<u64> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        (0..per_thread)
                            .filter_map(|_| table.allocate(Kind::Object))
                            .map(ObjectId::raw)
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            workers
                .into_iter()
                .flat_map(|w| w.join().expect("no panic"))
                .collect()
        });
        let given = all.len();
        assert_eq!(given, 4 * per_thread);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), given);
    }
}
