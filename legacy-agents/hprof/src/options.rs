//! What stands behind `-Xrunhprof:`.

mod help;
mod reader;
#[cfg(test)]
mod tests;
mod wanted;

pub use help::HELP;
pub(crate) use reader::MAX_DEPTH;
pub use reader::parse;
pub use wanted::{Asked, Clock, CpuMode, Format, Options, Talk, Target};
