//! What a reader has still to read.

use std::{error, fmt};

use crate::values::{Primitive, Type, Value, WORD};

/// A dump is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Bytes from the start of the dump to where something else was expected.
    pub offset: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at offset {}", self.expected, self.offset)
    }
}

impl error::Error for Malformed {}

/// The rest of a dump. A read that fails takes nothing.
#[derive(Clone, Debug)]
pub(super) struct Input<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Input<'a> {
    pub(super) const fn new(dump: &'a [u8]) -> Self {
        Self {
            rest: dump,
            offset: 0,
        }
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) const fn offset(&self) -> usize {
        self.offset
    }

    /// Leaves nothing to read: no reader goes on behind an error.
    pub(super) const fn give_up(&mut self) {
        self.rest = &[];
    }

    #[cold]
    pub(super) const fn malformed(&self, expected: &'static str) -> Malformed {
        Malformed {
            offset: self.offset,
            expected,
        }
    }

    #[inline]
    fn peek<const N: usize>(&self, expected: &'static str) -> Result<&'a [u8; N], Malformed> {
        self.rest
            .first_chunk()
            .ok_or_else(|| self.malformed(expected))
    }

    #[inline]
    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], Malformed> {
        let array = *self.peek(expected)?;
        self.rest = self.rest.get(N..).unwrap_or_default();
        self.offset += N;
        Ok(array)
    }

    #[inline]
    pub(super) fn u2(&mut self, expected: &'static str) -> Result<u16, Malformed> {
        self.array(expected).map(u16::from_be_bytes)
    }

    #[inline]
    pub(super) fn u4(&mut self, expected: &'static str) -> Result<u32, Malformed> {
        self.array(expected).map(u32::from_be_bytes)
    }

    /// A number of four bytes as a length; one that is none is beyond any dump.
    #[inline]
    pub(super) fn length(&mut self, expected: &'static str) -> Result<usize, Malformed> {
        let length = self.u4(expected)?;
        Ok(usize::try_from(length).unwrap_or(usize::MAX))
    }

    #[inline]
    pub(super) fn i4(&mut self, expected: &'static str) -> Result<i32, Malformed> {
        self.array(expected).map(i32::from_be_bytes)
    }

    /// An id or a pointer.
    #[inline]
    pub(super) fn word(&mut self, expected: &'static str) -> Result<usize, Malformed> {
        self.array(expected).map(usize::from_ne_bytes)
    }

    /// A byte that means something.
    #[inline]
    pub(super) fn byte<T>(
        &mut self,
        meaning: impl FnOnce(u8) -> Option<T>,
        expected: &'static str,
    ) -> Result<T, Malformed> {
        let [byte] = *self.peek(expected)?;
        let meant = meaning(byte).ok_or_else(|| self.malformed(expected))?;
        let [_] = self.array(expected)?;
        Ok(meant)
    }

    #[inline]
    pub(super) fn bytes(
        &mut self,
        count: usize,
        width: usize,
        expected: &'static str,
    ) -> Result<&'a [u8], Malformed> {
        let split = count
            .checked_mul(width)
            .and_then(|bytes| self.rest.split_at_checked(bytes));
        let (bytes, rest) = split.ok_or_else(|| self.malformed(expected))?;
        self.rest = rest;
        self.offset += bytes.len();
        Ok(bytes)
    }

    #[inline]
    pub(super) fn value(&mut self, ty: Type, expected: &'static str) -> Result<Value, Malformed> {
        let Type::Primitive(primitive) = ty else {
            return self.word(expected).map(Value::Reference);
        };
        let bits = match primitive {
            Primitive::Boolean | Primitive::Byte => {
                u64::from(u8::from_be_bytes(self.array(expected)?))
            }
            Primitive::Char | Primitive::Short => u64::from(self.u2(expected)?),
            Primitive::Float | Primitive::Int => u64::from(self.u4(expected)?),
            Primitive::Double | Primitive::Long => u64::from_be_bytes(self.array(expected)?),
        };
        Ok(Value::Primitive(primitive, bits))
    }

    #[inline]
    pub(super) fn ids(
        &mut self,
        count: usize,
        expected: &'static str,
    ) -> Result<Ids<'a>, Malformed> {
        self.bytes(count, WORD, expected).map(Ids)
    }
}

/// Ids or pointers that follow each other in a dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ids<'a>(&'a [u8]);

impl Iterator for Ids<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let (&word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(usize::from_ne_bytes(word))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.len() / WORD;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Ids<'_> {}
