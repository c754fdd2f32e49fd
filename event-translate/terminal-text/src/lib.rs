//! Text at the edges of a process: [`nearest`] words, [`raw_text`] of command lines, which need not be UTF-8,
//! [`java_options`] in them, the VM's strings ([`modified_utf8`]), and [`printable`] text for terminals, which obey some characters.
#![forbid(unsafe_code)]

pub mod java_options;
pub mod modified_utf8;
pub mod nearest;
pub mod printable;
pub mod raw_text;
