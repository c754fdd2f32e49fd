//! The object id: what an agent holds as `jobjectID`.

use std::num::NonZeroU64;

/// An object's identity as an agent sees it; also the object's JVMTI tag.
///
/// Invariant: not zero and a multiple of 16, so that agents which hash `id >> 4`
/// (JVMPI facts, F.1) get consecutive numbers. Below 2³¹ while fewer than 2²⁷
/// objects have one, for agents that keep ids in 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub struct ObjectId(NonZeroU64);

impl ObjectId {
    const SHIFT: u32 = 4;

    /// The id with this number, counted from 1.
    #[must_use]
    pub fn from_index(index: u32) -> Option<Self> {
        NonZeroU64::new(u64::from(index) << Self::SHIFT).map(Self)
    }

    /// Reads an id back from an agent or from a JVMTI tag; `None` for a number
    /// that no id has.
    #[must_use]
    pub fn from_raw(raw: u64) -> Option<Self> {
        let index = raw >> Self::SHIFT;
        let exact = index << Self::SHIFT == raw && index <= u64::from(u32::MAX);
        NonZeroU64::new(raw).filter(|_| exact).map(Self)
    }

    /// The number agents and tags carry.
    #[must_use]
    pub fn raw(self) -> u64 {
        self.0.get()
    }

    /// The id's number, counted from 1.
    #[must_use]
    pub fn index(self) -> u32 {
        u32::try_from(self.raw() >> Self::SHIFT).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::ObjectId;

    #[test]
    fn only_multiples_of_sixteen_are_ids() {
        assert_eq!(ObjectId::from_raw(0), None);
        for raw in 1..16 {
            assert_eq!(ObjectId::from_raw(raw), None);
        }
        let id = ObjectId::from_raw(0x30).expect("a multiple of 16");
        assert_eq!(id.index(), 3);
        assert_eq!(ObjectId::from_index(3), Some(id));
        assert_eq!(ObjectId::from_raw(!15), None, "beyond 32-bit indices");
    }

    #[test]
    fn ids_fit_31_bits_while_fewer_than_2_27_live() {
        let last = ObjectId::from_index((1 << 27) - 1).expect("not zero");
        assert!(last.raw() < 1 << 31);
    }
}
