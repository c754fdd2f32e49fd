//! A call of the agent, as it came.

use event_translate::Function;
use jvmpi_headers::jni::jint;

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

/// What stands in a register as a jint: its lower half.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "that half is what counts"
)]
pub(crate) const fn int(word: usize) -> jint {
    word as u32 as jint
}
