//! What a block has had before, by short numbers: methods and classes, and the methods that its
//! thread is in.
//!
//! Writer and reader keep the same, from the same records, and begin anew with each block.

use super::fields::Space;

/// Ids that came lately, each in the one place that its bits lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recent(Box<[u64]>);

const METHODS: usize = 1 << 12;
const CLASSES: usize = 1 << 9;

impl Recent {
    /// Begins anew; before, nothing is kept.
    pub(super) fn clear(&mut self) {
        if self.0.is_empty() {
            self.0 = vec![0; METHODS + CLASSES].into();
        } else {
            self.0.fill(0);
        }
    }

    /// The place of an id that is not NULL, and its number in its space; `None` if ids of this space
    /// are not kept.
    #[inline]
    fn place(&self, space: Space, id: u64) -> Option<(usize, u64)> {
        let (first, count) = range(space)?;
        // The upper bits of the product depend on all of the id's.
        let product = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let number = product >> (u64::BITS - count.ilog2());
        (!self.0.is_empty()).then_some((first + number as usize, number))
    }

    /// The number of an id that is in its place.
    #[inline]
    pub(super) fn number(&self, space: Space, id: u64) -> Option<u64> {
        let (place, number) = self.place(space, id)?;
        (self.0.get(place) == Some(&id)).then_some(number)
    }

    /// Puts it there; false if nothing is kept of its space.
    pub(super) fn keep(&mut self, space: Space, id: u64) -> bool {
        let place = self.place(space, id);
        match place.and_then(|(place, _)| self.0.get_mut(place)) {
            Some(kept) => {
                *kept = id;
                true
            }
            None => false,
        }
    }

    /// Whether ids of this space are kept.
    #[inline]
    pub(super) fn keeps(&self, space: Space) -> bool {
        range(space).is_some() && !self.0.is_empty()
    }

    /// The id of this number.
    pub(super) fn id(&self, space: Space, number: u64) -> Option<u64> {
        let (first, count) = range(space)?;
        let number = usize::try_from(number)
            .ok()
            .filter(|&number| number < count)?;
        self.0.get(first + number).copied()
    }
}

/// The places of a space, and how many.
#[inline]
const fn range(space: Space) -> Option<(usize, usize)> {
    match space {
        Space::Method => Some((0, METHODS)),
        Space::Class => Some((METHODS, CLASSES)),
        Space::Env
        | Space::Object
        | Space::Reference
        | Space::Monitor
        | Space::Address
        | Space::Field => None,
    }
}

/// The methods that METHOD_ENTRY has told of and METHOD_EXIT has not, the innermost ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    methods: [u64; DEPTH],
    depth: usize,
}

const DEPTH: usize = 64;

impl Default for Inside {
    fn default() -> Self {
        Self {
            methods: [0; DEPTH],
            depth: 0,
        }
    }
}

impl Inside {
    /// The innermost one, if there is one; of more than there is room for, some other.
    #[inline]
    pub(super) fn innermost(&self) -> Option<u64> {
        let last = self.depth.checked_sub(1)?;
        self.methods.get(last % DEPTH).copied()
    }

    /// An event of this number was recorded, whatever it is.
    #[inline]
    pub(super) fn heard(&mut self, number: i32, method: u64) {
        match number {
            1 | 2 => {
                if let Some(place) = self.methods.get_mut(self.depth % DEPTH) {
                    *place = method;
                }
                self.depth += 1;
            }
            3 => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}
