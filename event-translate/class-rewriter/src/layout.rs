//! Where the instructions of a method go.

use super::bytes::Malformed;

const NOWHERE: u32 = u32::MAX;
const NO_INSTRUCTION: Malformed = Malformed("refers to the middle of an instruction");

/// The new places of an instruction, as indices into the new code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Where a branch to it goes: the hook calls before it.
    pub(super) entry: u32,
    /// Where it is.
    pub(super) at: u32,
}

/// From indices into the original code to places in the new one.
#[derive(Debug, Default)]
pub(super) struct Layout {
    places: Vec<Place>,
}

impl Layout {
    /// Starts anew for code of a length in bytes.
    pub(super) fn clear(&mut self, code_length: usize) {
        let nowhere = Place {
            entry: NOWHERE,
            at: NOWHERE,
        };
        self.places.clear();
        self.places.resize(code_length + 1, nowhere);
    }

    /// Says where an instruction goes; the code's length stands for its end.
    pub(super) fn set(&mut self, index: usize, place: Place) {
        if let Some(slot) = self.places.get_mut(index) {
            *slot = place;
        }
    }

    /// The place of an instruction or of the end.
    pub(super) fn place(&self, index: usize) -> Result<Place, Malformed> {
        match self.places.get(index) {
            Some(place) if place.entry != NOWHERE => Ok(*place),
            _ => Err(NO_INSTRUCTION),
        }
    }

    /// Where a branch to an instruction goes.
    pub(super) fn entry(&self, index: usize) -> Result<u32, Malformed> {
        Ok(self.place(index)?.entry)
    }

    /// Where a line or a variable begins: those of the first instruction begin
    /// with the method, its entry hook included.
    pub(super) fn scope(&self, index: usize) -> Result<u32, Malformed> {
        if index == 0 { Ok(0) } else { self.entry(index) }
    }

    /// Like [`Self::scope`] for tables that may name the middle of an
    /// instruction (the VM does not check): the instruction's.
    pub(super) fn scope_around(&self, index: usize) -> Result<u32, Malformed> {
        let upto = self.places.get(..=index).ok_or(NO_INSTRUCTION)?;
        let start = upto.iter().rposition(|place| place.entry != NOWHERE);
        self.scope(start.ok_or(NO_INSTRUCTION)?)
    }
}

/// An index into code as tables hold it.
pub(super) fn as_u2(index: u32) -> Result<u16, Malformed> {
    u16::try_from(index).map_err(|_| Malformed("refers behind its code"))
}
