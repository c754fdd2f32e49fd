//! Packed blocks: the records of a full one, apart by what they are of.
//!
//! Behind the head are four numbers: how long the records are, how long packed, how long their
//! times, and the parameter of those ([`crate::times`]). Then come the records, packed as a block of
//! LZ4, without their texts; the times; and the texts as they are, so that who reads can point to
//! them in the file.

use super::block::{BLOCK_HEAD, BlockHead, seal};
use super::bytes::{Input, Out, Texts};
use super::layout::{LONGEST_PACKED, PAGE};
use super::times::{self, MOST, Times};

/// The four numbers, of four bytes each.
const NUMBERS: usize = 16;

/// Packs a block whose records end at `end` and whose times begin at `times`; `None` if it is too
/// long for that, or there is no memory.
pub(super) fn pack(
    head: &BlockHead,
    block: &[u8],
    (end, times): (usize, usize),
    texts: &Texts,
) -> Option<Vec<u8>> {
    if block.len() > LONGEST_PACKED {
        return None;
    }
    let records = block.get(BLOCK_HEAD..end).unwrap_or_default();
    let (apart, lengths) = without(records, texts);
    let records = if texts.is_empty() { records } else { &apart };
    let (low, times) = times::pack(block, times);
    let most = lz4_flex::block::get_maximum_output_size(records.len());
    let begin = BLOCK_HEAD + NUMBERS;
    let mut out = zeros((begin + most + times.len() + lengths).next_multiple_of(PAGE))?;
    let place = out.get_mut(begin..).unwrap_or_default();
    // There is room for whatever it makes.
    let packed = lz4_flex::block::compress_into(records, place).unwrap_or(0);
    let mut numbers = Out::new(&mut out, BLOCK_HEAD);
    for number in [records.len(), packed, times.len(), low as usize] {
        numbers.slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
    }
    out.truncate(begin + packed);
    out.extend(times);
    for &(at, len) in texts {
        out.extend(block.get(at..at + len).unwrap_or_default());
    }
    let end = out.len();
    out.resize(end.next_multiple_of(PAGE), 0);
    let capacity = out.len();
    BlockHead { capacity, ..*head }.packed(&mut out);
    seal(&mut out, end);
    Some(out)
}

/// So many, if there is memory.
fn zeros(len: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).ok()?;
    bytes.resize(len, 0);
    Some(bytes)
}

/// What is no text, if there are any, and how long they are.
fn without(records: &[u8], texts: &Texts) -> (Vec<u8>, usize) {
    let mut rest = Vec::new();
    let (mut from, mut lengths) = (0, 0);
    for &(at, len) in texts {
        let at = at.saturating_sub(BLOCK_HEAD);
        rest.extend(records.get(from..at).unwrap_or_default());
        from = at + len;
        lengths += len;
    }
    if from > 0 {
        rest.extend(records.get(from..).unwrap_or_default());
    }
    (rest, lengths)
}

/// A packed block as it is read.
#[derive(Debug)]
pub(super) struct Unpacked<'a> {
    pub(super) records: Vec<u8>,
    pub(super) times: Times<'a>,
    pub(super) texts: &'a [u8],
}

/// The four parts of a packed block.
struct Parts<'a> {
    /// How long the records are.
    len: usize,
    records: &'a [u8],
    times: Times<'a>,
    texts: &'a [u8],
}

/// The parts of what is behind the head; `None` if there are no such.
fn parts(body: &[u8]) -> Option<Parts<'_>> {
    /// LZ4 makes no more of a byte.
    const MOST_OF_A_BYTE: usize = 256;
    let mut input = Input::new(body);
    let mut number = || Some(u32::from_le_bytes(input.slice(4)?.try_into().ok()?));
    let (len, packed, times, low) = (number()?, number()?, number()?, number()?);
    let [len, packed, times] = [len, packed, times].map(|number| number as usize);
    let records = input.slice(packed)?;
    let most = MOST_OF_A_BYTE.saturating_mul(records.len());
    if len > most.min(LONGEST_PACKED) || low > MOST {
        return None;
    }
    Some(Parts {
        len,
        records,
        times: Times::Packed(input.slice(times)?, low, 0),
        texts: input.rest(),
    })
}

/// Whether what is behind the head has its parts.
pub(super) fn is_sound(body: &[u8]) -> bool {
    parts(body).is_some()
}

/// Unpacks what is behind the head; `None` if it is no such thing, or there is no memory.
pub(super) fn unpack(body: &[u8]) -> Option<Unpacked<'_>> {
    let parts = parts(body)?;
    let mut records = zeros(parts.len)?;
    let all = lz4_flex::block::decompress_into(parts.records, &mut records).ok()?;
    records.truncate(all);
    Some(Unpacked {
        records,
        times: parts.times,
        texts: parts.texts,
    })
}
