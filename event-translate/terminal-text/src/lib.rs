//! Text at the edges of a process: [`nearest`] words, [`raw_text`] of command lines, which need not be UTF-8,
//! [`java_options`] in them, and [`printable`] text for terminals, which obey some characters.
#![forbid(unsafe_code)]

pub mod java_options;
pub mod nearest;
pub mod printable;
pub mod raw_text;
