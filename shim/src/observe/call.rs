//! A call of the agent, as it came.

use event_translate::Function;
use jvmpi_headers::jni::{jint, jlong};

/// One call of a function of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Which.
    pub(crate) function: Function,
    /// As they came; of a `jint` only the lower half counts.
    pub(crate) arguments: [usize; 3],
    /// Where it returns to.
    pub(crate) caller: usize,
}

/// A result that is no jlong: what else is in it means nothing.
#[allow(clippy::cast_possible_truncation, reason = "that part is what counts")]
pub(crate) const fn word(result: u64) -> usize {
    result as usize
}

/// A jlong among the arguments: two words where words are short.
#[allow(
    clippy::cast_possible_wrap,
    reason = "the same bits as a number with a sign"
)]
pub(crate) const fn long(first: usize, second: usize) -> jlong {
    if usize::BITS < u64::BITS {
        (first as u64 | (second as u64) << u32::BITS) as jlong
    } else {
        first as jlong
    }
}

/// What stands in a register as a jint: its lower half.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "that half is what counts"
)]
pub(crate) const fn int(word: usize) -> jint {
    word as u32 as jint
}
