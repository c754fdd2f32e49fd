//! Blocks: the pieces of a file, each written by one thread.
//!
//! A block can be read by itself, so what is damaged or lost costs itself only. It is
//! *open* while its thread writes into it, which is directly in the file (a mapping):
//! what a thread has recorded is there, whatever becomes of the process. When it is full
//! it is *packed* ([`crate::packed`]) and *sealed*, with its length and a checksum, in another place;
//! then the open one's is used again. Of both, the sealed one is read. A very long one is sealed
//! where it is, as all were until format 3.

use super::bytes::{Input, Out, checksum};
use super::layout::PAGE;

/// Bytes before the first record.
pub const BLOCK_HEAD: usize = 64;

const MARK: u32 = u32::from_le_bytes(*b"xrB1");
const PACKED: u32 = u32::from_le_bytes(*b"xrP1");

/// What a block says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// Bytes from its begin to the next block's, a multiple of [`PAGE`].
    pub capacity: usize,
    /// The thread, numbered by the recording.
    pub thread: u32,
    /// The kernel's number of the thread.
    pub tid: u32,
    /// Which of the thread's blocks it is, from 0.
    pub sequence: u32,
    /// The clock when it was begun, in its own ticks.
    pub tick: u64,
    /// The same moment, in nanoseconds since the recording began.
    pub nanos: u64,
    /// Times of methods are in steps of two to this many ticks, those of objects of half as many.
    pub step: u32,
}

impl BlockHead {
    /// Writes it at the begin of a block, which is open then. The block's other bytes
    /// must be zero.
    pub fn open(&self, block: &mut [u8]) {
        self.put(block, MARK);
    }

    /// The same of one that is packed, and is to be sealed.
    pub(super) fn packed(&self, block: &mut [u8]) {
        self.put(block, PACKED);
    }

    fn put(&self, block: &mut [u8], mark: u32) {
        let mut head = [0; BLOCK_HEAD];
        let mut out = Out::new(&mut head, 0);
        out.slice(&mark.to_le_bytes());
        let pages = u32::try_from(self.capacity / PAGE).unwrap_or(u32::MAX);
        out.slice(&pages.to_le_bytes());
        // Length and checksum: see `seal`.
        out.slice(&[0; 16]);
        for word in [self.thread, self.tid, self.sequence, self.step] {
            out.slice(&word.to_le_bytes());
        }
        out.slice(&self.tick.to_le_bytes());
        out.slice(&self.nanos.to_le_bytes());
        let sum = own_sum(&head);
        let mut out = Out::new(&mut head, BLOCK_HEAD - 8);
        out.slice(&sum.to_le_bytes());
        if let Some(place) = block.get_mut(..BLOCK_HEAD) {
            place.copy_from_slice(&head);
        }
    }
}

/// The checksum of what does not change.
fn own_sum(head: &[u8; BLOCK_HEAD]) -> u64 {
    let mut fixed = *head;
    if let Some(changing) = fixed.get_mut(8..24) {
        changing.fill(0);
    }
    checksum(fixed.get(..BLOCK_HEAD - 8).unwrap_or_default())
}

/// Ends a block whose records end at `end`.
pub(super) fn seal(block: &mut [u8], end: usize) {
    let Some(records) = block.get(BLOCK_HEAD..end) else {
        return;
    };
    let sum = checksum(records);
    let len = records.len() as u64;
    if let Some(place) = block.get_mut(16..24) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
    if let Some(place) = block.get_mut(8..16) {
        place.copy_from_slice(&len.to_le_bytes());
    }
}

/// What was found at a place in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    pub(super) head: BlockHead,
    /// Where in the file it begins.
    pub(super) at: usize,
    /// Its records; of an open one, all there is room for.
    pub(super) records: &'a [u8],
    pub(super) state: State,
    pub(super) is_packed: bool,
    /// False if whoever can unpack has found that this cannot be.
    pub(super) is_sound: bool,
}

/// How far a block can be trusted, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Its length and checksum are right.
    Sealed,
    /// The process ended before it was sealed.
    Open,
    /// Not what was written.
    Damaged,
}

/// The block that begins at the first byte, which is at this place of the file; if one does.
pub(super) fn read(file: &[u8], at: usize) -> Option<Found<'_>> {
    let head: &[u8; BLOCK_HEAD] = file.first_chunk()?;
    let mut input = Input::new(head);
    let mut word = || Some(u32::from_le_bytes(input.slice(4)?.try_into().ok()?));
    let mark = word()?;
    if mark != MARK && mark != PACKED {
        return None;
    }
    let pages = word()?;
    let len = input.word()?;
    let sum = input.word()?;
    let mut word = || Some(u32::from_le_bytes(input.slice(4)?.try_into().ok()?));
    let (thread, tid, sequence, step) = (word()?, word()?, word()?, word()?);
    let found = BlockHead {
        capacity: usize::try_from(pages).ok()?.checked_mul(PAGE)?,
        thread,
        tid,
        sequence,
        tick: input.word()?,
        nanos: input.word()?,
        step,
    };
    if input.word()? != own_sum(head) || pages == 0 {
        return None;
    }
    let end = found.capacity.min(file.len());
    let room = file.get(BLOCK_HEAD..end)?;
    let is_packed = mark == PACKED;
    // Both come one after the other, and the process may end in between.
    let (records, state) = if (len == 0 || sum == 0) && !is_packed {
        (room, State::Open)
    } else {
        match usize::try_from(len).ok().and_then(|len| room.get(..len)) {
            Some(records) if checksum(records) == sum => (records, State::Sealed),
            Some(records) => (records, State::Damaged),
            None => (room, State::Damaged),
        }
    };
    Some(Found {
        head: found,
        at,
        records,
        state,
        is_packed,
        is_sound: true,
    })
}
