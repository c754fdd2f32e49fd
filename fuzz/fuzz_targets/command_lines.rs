//! Command lines of java, argument files and variables: what is quoted is read back.
#![no_main]
#![allow(dead_code, reason = "parts of the launcher, of which this uses some")]

#[path = "../../launcher/src/java/java_command.rs"]
mod java_command;
#[path = "../../launcher/src/command_line/quote.rs"]
mod quote;
/// The name that the one has for the other.
mod command_line {
    pub(crate) use crate::quote;
}

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Lines are words, and all of it an argument file.
    let words: Vec<_> = data
        .split(|byte| *byte == b'\n')
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    let _ = java_command::options_of_line(&words, &|path| {
        (path.as_os_str().len() < 9).then(|| data.to_vec())
    });
    let _ = java_command::options_of_variable("JAVA_TOOL_OPTIONS", OsStr::from_bytes(data));
    for word in data.split(|byte| matches!(byte, b'\n' | 0)) {
        let quoted = quote::for_option_variable(word);
        assert_eq!(quote::split_option_variable(&quoted), [word]);
        let _ = quote::for_shell(word);
    }
    let _ = quote::split_argument_file(data);
});
