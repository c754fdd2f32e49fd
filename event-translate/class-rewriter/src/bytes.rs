//! Reads and writes the big-endian numbers of class files (JVMS §4.1).

/// What is wrong with a class file, in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

const CUT: Malformed = Malformed("ends too early");

/// Reads from the front of some bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(count).ok_or(CUT)?;
        let taken = self.bytes.get(self.at..end).ok_or(CUT)?;
        self.at = end;
        Ok(taken)
    }

    /// As many bytes as the `u4` in front of them says.
    pub(super) fn take_counted(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.u4()?;
        self.take(usize::try_from(count).map_err(|_| CUT)?)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let bytes = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk);
        self.at += N;
        bytes.copied().ok_or(CUT)
    }

    pub(super) fn u1(&mut self) -> Result<u8, Malformed> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u2(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u4(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    /// Everything was read.
    pub(super) fn finish(&self) -> Result<(), Malformed> {
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(Malformed("has bytes left over"))
        }
    }
}

pub(super) fn u2_at(bytes: &[u8], at: usize) -> Option<u16> {
    let chunk = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_be_bytes(*chunk))
}

pub(super) fn i4_at(bytes: &[u8], at: usize) -> Option<i32> {
    let chunk = bytes.get(at..)?.first_chunk()?;
    Some(i32::from_be_bytes(*chunk))
}

/// Appends numbers.
pub(super) trait Put {
    fn put_u1(&mut self, value: u8);
    fn put_u2(&mut self, value: u16);
    fn put_u4(&mut self, value: u32);
    /// Overwrites what was appended before; nothing happens outside of it.
    fn patch(&mut self, at: usize, value: &[u8]);
}

impl Put for Vec<u8> {
    fn put_u1(&mut self, value: u8) {
        self.push(value);
    }

    fn put_u2(&mut self, value: u16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_u4(&mut self, value: u32) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn patch(&mut self, at: usize, value: &[u8]) {
        let target = self.get_mut(at..).and_then(|b| b.get_mut(..value.len()));
        if let Some(target) = target {
            target.copy_from_slice(value);
        }
    }
}
