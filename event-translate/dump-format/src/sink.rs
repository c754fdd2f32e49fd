//! Where a dump is written to.

use std::{error, fmt, mem};

use crate::values::{Primitive, Value};

/// Memory that a dump grows in, without a gap from its first byte to its last.
///
/// A record is one [`grow`](Sink::grow) and a few stores. Memory should be had
/// from the system rarely and in large pieces: writers ask for what one record
/// needs.
pub trait Sink {
    /// Appends this many zeros and gives them out to be written over: exactly
    /// that many, or the record is cut short.
    ///
    /// # Errors
    ///
    /// [`WriteError::NoMemory`] if they cannot be had; nothing is appended then.
    fn grow(&mut self, bytes: usize) -> Result<&mut [u8], WriteError>;

    /// All that was appended, from the first byte.
    fn written(&mut self) -> &mut [u8];
}

impl<S: Sink + ?Sized> Sink for &mut S {
    #[inline]
    fn grow(&mut self, bytes: usize) -> Result<&mut [u8], WriteError> {
        (**self).grow(bytes)
    }

    #[inline]
    fn written(&mut self) -> &mut [u8] {
        (**self).written()
    }
}

/// For dumps that are small or of unknown use: it copies all when it grows.
impl Sink for Vec<u8> {
    #[inline]
    fn grow(&mut self, bytes: usize) -> Result<&mut [u8], WriteError> {
        let start = self.len();
        self.try_reserve(bytes).map_err(|_| WriteError::NoMemory)?;
        self.resize(start + bytes, 0);
        self.get_mut(start..).ok_or(WriteError::NoMemory)
    }

    #[inline]
    fn written(&mut self) -> &mut [u8] {
        self
    }
}

/// Why a record was not written. The dump is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// The sink has no memory.
    NoMemory,
    /// A list is longer than the format can count.
    TooLong,
    /// Values for a place that is not in the dump, or not as many bytes as the
    /// array has.
    Misfit,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoMemory => "no memory for the dump",
            Self::TooLong => "a list is too long for the dump format",
            Self::Misfit => "values without a place in the dump",
        })
    }
}

impl error::Error for WriteError {}

/// A number of things as the format counts them.
#[inline]
pub(super) fn count<T>(things: &[T]) -> Result<u32, WriteError> {
    u32::try_from(things.len()).map_err(|_| WriteError::TooLong)
}

/// The bytes of one record, filled from the front.
pub(super) struct Out<'a>(pub(super) &'a mut [u8]);

impl Out<'_> {
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        if let Some((head, rest)) = mem::take(&mut self.0).split_first_chunk_mut() {
            *head = bytes;
            self.0 = rest;
        }
    }

    #[inline]
    pub(super) fn u1(&mut self, number: u8) {
        self.put([number]);
    }

    #[inline]
    pub(super) fn u2(&mut self, number: u16) {
        self.put(number.to_be_bytes());
    }

    #[inline]
    pub(super) fn u4(&mut self, number: u32) {
        self.put(number.to_be_bytes());
    }

    /// An id or a pointer.
    #[inline]
    pub(super) fn word(&mut self, word: usize) {
        self.put(word.to_ne_bytes());
    }

    #[inline]
    pub(super) fn words(&mut self, words: &[usize]) {
        for &word in words {
            self.word(word);
        }
    }

    #[inline]
    pub(super) fn value(&mut self, value: Value) {
        match value {
            Value::Reference(id) => self.word(id),
            Value::Primitive(ty, bits) => {
                let [.., a, b, c, d, e, f, g, h] = bits.to_be_bytes();
                match ty {
                    Primitive::Boolean | Primitive::Byte => self.put([h]),
                    Primitive::Char | Primitive::Short => self.put([g, h]),
                    Primitive::Float | Primitive::Int => self.put([e, f, g, h]),
                    Primitive::Double | Primitive::Long => self.put([a, b, c, d, e, f, g, h]),
                }
            }
        }
    }

    /// Elements of an array of `ty` as they lie in the machine's memory.
    #[inline]
    pub(super) fn elements(&mut self, ty: Primitive, host: &[u8]) {
        match ty {
            Primitive::Boolean | Primitive::Byte => {
                for (to, from) in self.0.iter_mut().zip(host) {
                    *to = *from;
                }
            }
            Primitive::Char | Primitive::Short => {
                let to = self.0.as_chunks_mut().0.iter_mut();
                for (to, &from) in to.zip(host.as_chunks().0) {
                    *to = u16::from_ne_bytes(from).to_be_bytes();
                }
            }
            Primitive::Float | Primitive::Int => {
                let to = self.0.as_chunks_mut().0.iter_mut();
                for (to, &from) in to.zip(host.as_chunks().0) {
                    *to = u32::from_ne_bytes(from).to_be_bytes();
                }
            }
            Primitive::Double | Primitive::Long => {
                let to = self.0.as_chunks_mut().0.iter_mut();
                for (to, &from) in to.zip(host.as_chunks().0) {
                    *to = u64::from_ne_bytes(from).to_be_bytes();
                }
            }
        }
    }
}
