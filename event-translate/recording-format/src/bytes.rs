//! Numbers as bytes: little-endian words and variable-length integers.

/// Where texts lie among what was written: their places and lengths.
pub(super) type Texts = Vec<(usize, usize)>;

/// Writes into a slice, and remembers when it was full.
pub(super) struct Out<'b> {
    bytes: &'b mut [u8],
    at: usize,
    full: bool,
    texts: Option<&'b mut Texts>,
}

impl<'b> Out<'b> {
    #[inline]
    pub(super) fn new(bytes: &'b mut [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            full: false,
            texts: None,
        }
    }

    /// One that says where it has put texts.
    #[inline]
    pub(super) fn noting(bytes: &'b mut [u8], at: usize, texts: &'b mut Texts) -> Self {
        Self {
            texts: Some(texts),
            ..Self::new(bytes, at)
        }
    }

    /// Where the next byte goes; none if something did not fit.
    #[inline]
    pub(super) fn end(&self) -> Option<usize> {
        (!self.full).then_some(self.at)
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        match self.bytes.get_mut(self.at) {
            Some(place) => {
                *place = byte;
                self.at += 1;
            }
            None => self.full = true,
        }
    }

    #[inline]
    pub(super) fn slice(&mut self, slice: &[u8]) {
        let end = self.at.saturating_add(slice.len());
        match self.bytes.get_mut(self.at..end) {
            Some(place) => {
                place.copy_from_slice(slice);
                self.at = end;
            }
            None => self.full = true,
        }
    }

    #[inline]
    pub(super) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(low_byte(value) | 0x80);
            value >>= 7;
        }
        self.byte(low_byte(value));
    }

    /// Small numbers of either sign are short.
    #[inline]
    pub(super) fn signed(&mut self, value: i64) {
        self.varint(zigzag(value));
    }

    pub(super) fn text(&mut self, text: Option<&[u8]>) {
        match text {
            None => self.varint(0),
            Some(text) => {
                self.varint(text.len() as u64 + 1);
                self.payload(text);
            }
        }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.payload(bytes);
    }

    fn payload(&mut self, payload: &[u8]) {
        if let Some(texts) = &mut self.texts
            && !payload.is_empty()
        {
            texts.push((self.at, payload.len()));
        }
        self.slice(payload);
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the low byte is what is wanted"
)]
const fn low_byte(value: u64) -> u8 {
    value as u8
}

#[inline]
pub(super) const fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

#[inline]
pub(super) const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

/// The next bytes of a variable-length integer, at most four: in a word, how many they are, and what of
/// the number is still to come; 0 if that is all.
#[inline]
pub(super) const fn next_of_varint(value: u64) -> (u64, u32, u64) {
    const fn seven(value: u64, place: u32) -> u64 {
        (value >> (7 * place) & 0x7f) << (8 * place)
    }
    match value {
        0..0x80 => (value, 1, 0),
        0x80..0x4000 => (seven(value, 0) | 0x80 | seven(value, 1), 2, 0),
        0x4000..0x20_0000 => (
            seven(value, 0) | seven(value, 1) | 0x8080 | seven(value, 2),
            3,
            0,
        ),
        _ => {
            let four =
                seven(value, 0) | seven(value, 1) | seven(value, 2) | 0x80_8080 | seven(value, 3);
            let rest = value >> 28;
            if rest == 0 {
                (four, 4, 0)
            } else {
                (four | 0x8000_0000, 4, rest)
            }
        }
    }
}

/// Reads from a slice; `None` at its end or for what cannot be. Texts may lie in another one.
#[derive(Clone, Debug)]
pub(super) struct Input<'n, 'a> {
    numbers: &'n [u8],
    at: usize,
    texts: &'a [u8],
    /// Where the next text is; `None` if it is among the numbers, and `texts` is the same bytes.
    text_at: Option<usize>,
}

impl<'a> Input<'a, 'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self::at(bytes, 0)
    }

    /// From this place on.
    pub(super) const fn at(bytes: &'a [u8], at: usize) -> Self {
        Self {
            numbers: bytes,
            at,
            texts: bytes,
            text_at: None,
        }
    }
}

impl<'n, 'a> Input<'n, 'a> {
    /// Texts and numbers apart, each from a place on.
    pub(super) const fn apart(
        (numbers, at): (&'n [u8], usize),
        (texts, text_at): (&'a [u8], usize),
    ) -> Self {
        Self {
            numbers,
            at,
            texts,
            text_at: Some(text_at),
        }
    }

    /// Where the next number and the next text are.
    pub(super) const fn places(&self) -> (usize, usize) {
        let text_at = match self.text_at {
            Some(text_at) => text_at,
            None => 0,
        };
        (self.at, text_at)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.numbers.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn slice(&mut self, len: usize) -> Option<&'n [u8]> {
        let end = self.at.checked_add(len)?;
        let slice = self.numbers.get(self.at..end)?;
        self.at = end;
        Some(slice)
    }

    /// What a length is in front of.
    fn payload(&mut self, len: u64) -> Option<&'a [u8]> {
        let len = usize::try_from(len).ok()?;
        let place = self.text_at.as_mut().unwrap_or(&mut self.at);
        let end = place.checked_add(len)?;
        let payload = self.texts.get(*place..end)?;
        *place = end;
        Some(payload)
    }

    /// What is left of the numbers.
    pub(super) fn rest(&self) -> &'n [u8] {
        self.numbers.get(self.at..).unwrap_or_default()
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit.
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        self.varint().map(unzigzag)
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        // No more than there are bytes: nobody can make us reserve memory for nothing.
        let length = usize::try_from(self.varint()?).ok()?;
        (length <= self.rest().len()).then_some(length)
    }

    pub(super) fn text(&mut self) -> Option<Option<&'a [u8]>> {
        match self.varint()? {
            0 => Some(None),
            length => Some(Some(self.payload(length - 1)?)),
        }
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.varint()?;
        self.payload(length)
    }

    pub(super) fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.slice(8)?.try_into().ok()?))
    }
}

/// A hash of these bytes that a change of any of them changes; 8 bytes a step, for it
/// runs beside the program.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(PRIME).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = words.iter().fold(bytes.len() as u64, |hash, word| {
        step(hash, u64::from_le_bytes(*word))
    });
    for &byte in rest {
        hash = step(hash, u64::from(byte));
    }
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut bytes = [0; 64];
        for value in [0, 1, 127, 128, 1 << 20, i64::MAX, -1, -64, -65, i64::MIN] {
            let mut out = Out::new(&mut bytes, 0);
            out.signed(value);
            out.varint(value.cast_unsigned());
            let end = out.end().unwrap();
            let mut input = Input::new(&bytes[..end]);
            assert_eq!(input.signed(), Some(value));
            assert_eq!(input.varint(), Some(value.cast_unsigned()));
            assert_eq!(input.byte(), None);
        }
    }

    #[test]
    fn what_is_too_long_or_too_short_is_refused() {
        assert_eq!(Input::new(&[0xff; 12]).varint(), None);
        assert_eq!(Input::new(&[0x80]).varint(), None);
        assert_eq!(Input::new(&[5, 1]).text(), None);
        assert_eq!(Input::new(&[0xff, 0xff, 3, 1]).bytes(), None);
        let mut bytes = [0; 2];
        let mut out = Out::new(&mut bytes, 0);
        out.varint(1 << 40);
        assert_eq!(out.end(), None);
    }

    #[test]
    fn each_bit_counts_in_a_checksum() {
        let bytes: Vec<u8> = (0..37).collect();
        let sum = checksum(&bytes);
        for at in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert_ne!(checksum(&changed), sum);
        }
        assert_ne!(checksum(&bytes[..36]), sum);
    }
}
