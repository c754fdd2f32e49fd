//! The times of a block: steps of the clock from record to record, apart from all else.
//!
//! In an open block they grow from its end downwards, as variable-length integers whose bytes lie in
//! falling order. Packed they are Rice codes: most are a few steps, in two or three bits; a byte
//! each would be more than all else that a record of a method takes.

/// No time is longer, in bytes of an open block.
pub(super) const LONGEST: usize = 10;

/// Writes a time below `end`, where there is room; where it begins.
#[inline]
pub(super) fn put(block: &mut [u8], mut end: usize, mut steps: u64) -> usize {
    loop {
        end = end.saturating_sub(1);
        let more = steps >= 0x80;
        if let Some(place) = block.get_mut(end) {
            *place = (steps & 0x7f) as u8 | u8::from(more) << 7;
        }
        steps >>= 7;
        if !more {
            return end;
        }
    }
}

/// The time that lies below `end`, and where it begins.
#[inline]
fn take(block: &[u8], mut end: usize) -> Option<(u64, usize)> {
    let mut steps = 0;
    for shift in (0..64).step_by(7) {
        end = end.checked_sub(1)?;
        let byte = *block.get(end)?;
        steps |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((steps, end));
        }
    }
    None
}

/// So many ones in a row say that the number follows as it is, behind its length.
const ESCAPE: u32 = 16;
/// Bits of that length.
const LENGTH: u32 = 6;
/// The most that a code has at its end as it is; less than [`ESCAPE`], for the sake of one look.
pub(super) const MOST: u32 = 15;

/// The times of a block, packed: the number of their parameter, and their bits.
pub(super) fn pack(block: &[u8], from: usize) -> (u32, Vec<u8>) {
    let low = low_bits(block, from);
    // Few need more than a byte.
    let mut out = Bits {
        bytes: Vec::with_capacity(block.len().saturating_sub(from) / 2),
        word: 0,
        count: 0,
    };
    let mut end = block.len();
    while end > from
        && let Some((steps, next)) = take(block, end)
    {
        end = next;
        let ones = steps >> low;
        if ones < u64::from(ESCAPE) {
            // The ones, and the zero behind them.
            let ones = ones as u32;
            out.push((1 << ones) - 1, ones + 1);
            out.push(steps & ((1 << low) - 1), low);
        } else {
            let length = u64::BITS - steps.leading_zeros();
            out.push((1 << ESCAPE) - 1, ESCAPE);
            out.push(u64::from(length - 1), LENGTH);
            out.push(steps & u64::from(u32::MAX), length.min(32));
            out.push(steps >> 32, length.saturating_sub(32));
        }
    }
    (low, out.finish())
}

/// How many bits of each number are best written as they are.
fn low_bits(block: &[u8], from: usize) -> u32 {
    /// Larger ones are rare, and alike in cost.
    const COUNTED: usize = 128;
    let mut counts = [0_u64; COUNTED];
    for &byte in block.get(from..).unwrap_or_default() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let cost = |low: u32| -> u64 {
        let bits = |steps: usize| (steps >> low).min(32) as u64 + 1 + u64::from(low);
        let counts = counts.iter().enumerate();
        counts.map(|(steps, count)| count * bits(steps)).sum()
    };
    (0..7).min_by_key(|&low| cost(low)).unwrap_or(0)
}

/// Bits, the first in the lowest place.
struct Bits {
    bytes: Vec<u8>,
    word: u64,
    count: u32,
}

impl Bits {
    /// Appends up to 32 bits.
    #[inline]
    fn push(&mut self, bits: u64, count: u32) {
        self.word |= bits << self.count;
        self.count += count;
        if self.count >= 32 {
            self.bytes.extend((self.word as u32).to_le_bytes());
            self.word >>= 32;
            self.count -= 32;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let bytes = self.count.div_ceil(8) as usize;
        let last = self.word.to_le_bytes();
        self.bytes.extend(last.iter().take(bytes));
        self.bytes
    }
}

/// Where the times of a block come from.
#[derive(Clone, Debug)]
pub(super) enum Times<'a> {
    /// From each record itself, until format 3.
    Within,
    /// From the end of an open block, below this place.
    Above(&'a [u8], usize),
    /// Codes with so many low bits, from this bit on.
    Packed(&'a [u8], u32, usize),
}

impl Times<'_> {
    /// The next one; `None` if they lie within records, or none is left where one must be.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        match self {
            Self::Within => None,
            // A record of which the time has not been written, or was cut off.
            Self::Above(block, end) => match take(block, *end) {
                Some((steps, next)) => {
                    *end = next;
                    Some(steps)
                }
                None => Some(0),
            },
            Self::Packed(bytes, low, at) => {
                let word = look(bytes, *at)?;
                let ones = word.trailing_ones();
                if ones < ESCAPE {
                    *at += (ones + 1 + *low) as usize;
                    let rest = word >> (ones + 1) & ((1 << *low) - 1);
                    return Some(u64::from(ones) << *low | rest);
                }
                let length = (word >> ESCAPE & ((1 << LENGTH) - 1)) as u32 + 1;
                *at += (ESCAPE + LENGTH) as usize;
                let part = |at: usize, count: u32| Some(look(bytes, at)? & ((1 << count) - 1));
                let lower = part(*at, length.min(32))?;
                let upper = match length.saturating_sub(32) {
                    0 => 0,
                    count => part(*at + 32, count)?,
                };
                *at += length as usize;
                Some(upper << 32 | lower)
            }
        }
    }
}

/// The bits from this one on, 57 at least; zeros behind the end. `None` if none is left.
#[inline]
fn look(bytes: &[u8], at: usize) -> Option<u64> {
    let rest = bytes.get(at / 8..).filter(|rest| !rest.is_empty())?;
    let word = match rest.first_chunk() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk
                .iter_mut()
                .zip(rest)
                .for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(chunk)
        }
    };
    Some(word >> (at % 8))
}

const _: () = assert!(MOST < ESCAPE && ESCAPE + LENGTH < 57);

#[cfg(test)]
mod tests {
    use super::*;

    fn both_ways(steps: &[u64]) -> usize {
        let mut block = vec![0; LONGEST * steps.len()];
        let from = steps
            .iter()
            .fold(block.len(), |end, &steps| put(&mut block, end, steps));
        let mut above = Times::Above(&block, block.len());
        let (low, bytes) = pack(&block, from);
        let mut packed = Times::Packed(&bytes, low, 0);
        for &steps in steps {
            assert_eq!((above.next(), packed.next()), (Some(steps), Some(steps)));
        }
        // Less than a byte may be left.
        let rest: Vec<_> = std::iter::from_fn(|| packed.next()).take(9).collect();
        assert!(rest.len() < 9, "{rest:?}");
        bytes.len()
    }

    #[test]
    fn times_of_all_lengths_come_back() {
        both_ways(&[]);
        let long = [0, 1, 127, 128, 1 << 32, (1 << 32) - 1, 1 << 33, u64::MAX, 7];
        both_ways(&long);
        for shift in 0..64 {
            both_ways(&[1 << shift, (1 << shift) - 1, 3]);
        }
    }

    #[test]
    fn short_ones_take_a_few_bits() {
        let steps: Vec<u64> = (0..8000)
            .map(|step| [2, 1, 3, 1, 2, 9, 1, 1][step % 8])
            .collect();
        assert!(both_ways(&steps) <= 3000);
        let steps: Vec<u64> = (0..8000).map(|step| 90 + step % 30).collect();
        assert!(both_ways(&steps) <= 8000);
    }

    #[test]
    fn nonsense_ends() {
        for seed in 0..200_u8 {
            let bytes: Vec<u8> = (0..50).map(|at: u8| at.wrapping_mul(seed) | seed).collect();
            for low in 0..64 {
                let mut times = Times::Packed(&bytes, low % 16, 0);
                let count = std::iter::from_fn(|| times.next()).take(1000).count();
                assert!(count <= 400, "{count}");
            }
            let mut above = Times::Above(&bytes, bytes.len());
            assert!((0..100).all(|_| above.next().is_some()));
        }
    }
}
