//! The layout of the file, as far as all parts share it.

use std::fmt;

/// The first bytes of a recording.
pub const MAGIC: [u8; 16] = *b"\x89xrun trace\r\n\x1a\n\0";

/// Whether a file with these first bytes is a recording, also one that ended before it had a
/// header: its room is made first, of zeros.
#[must_use]
pub fn is_one(head: &[u8]) -> bool {
    let head = head.get(..MAGIC.len()).unwrap_or_default();
    head == MAGIC || head == [0; MAGIC.len()]
}

/// The version of the format. Older ones are read:
///
/// | version | new in it |
/// |---|---|
/// | 1 | |
/// | 2 | the code of COMPILED_METHOD_LOAD |
/// | 3 | what passes between the VM and agents that speak JVMTI, and what ids name |
/// | 4 | blocks are packed; times lie apart, methods and classes have short numbers |
/// | 5 | native methods of agents that speak JVMTI, and what such an agent tags |
pub const VERSION: u32 = 5;

/// Blocks begin at multiples of this, and are as long.
pub const PAGE: usize = 4096;

/// Bytes before the first block.
pub const HEADER_LEN: usize = 4 * PAGE;

/// Longer blocks, which a record makes that is longer than all others, are not packed: that would
/// take as much memory again, of the program's, and who reads does not unpack more.
pub(super) const LONGEST_PACKED: usize = 1 << 20;

/// Why a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It ends within its header.
    Empty,
    /// It is something else.
    Foreign,
    /// It was written by another version of the format.
    Version(u32),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("the file ends before its header does: nothing was recorded")
            }
            Self::Foreign => f.write_str("not a recording of xrun (trace=FILE)"),
            Self::Version(version) => write!(
                f,
                "a recording of format {version}; this xrun reads formats up to {VERSION}"
            ),
        }
    }
}

impl std::error::Error for Error {}
