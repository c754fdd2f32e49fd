//! Old options in the text of a script, which xrun cannot replace: the VM that the script starts ends for them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::old_options;

/// So much of a script is read.
const LIMIT: u64 = 1 << 18;
const SHELLS: &[&str] = &["sh", "bash", "dash", "ksh", "zsh"];
/// With it in its environment a VM passes over such options.
const FORGIVES: &str = "-XX:+IgnoreUnrecognizedVMOptions";

/// The line about a script, the command itself or what a shell is given, if a VM of this version does not take
/// what stands in it.
pub(crate) fn note(program: &Path, words: &[OsString], version: u32) -> Option<String> {
    let is_shell = SHELLS
        .iter()
        .any(|name| program.file_name() == Some(OsStr::new(name)));
    let given = words.get(1).map(Path::new).filter(|_| is_shell);
    let script = given.unwrap_or(program);
    let text = text_of(script)?;
    let mut gone =
        options_in(&text).filter(|word| old_options::is_gone(OsStr::from_bytes(word), version));
    let first = String::from_utf8_lossy(gone.next()?).into_owned();
    let others = match gone.count() {
        0 => String::new(),
        count => format!(" and {count} more old options"),
    };
    Some(format!(
        "{} has {first}{others} in it, which no VM of JDK {version} takes, and xrun changes no scripts: \
         let its java be xrun java, or set JAVA_TOOL_OPTIONS={FORGIVES}",
        script.display()
    ))
}

/// The text, if it is that of a script whose java is not xrun's already.
fn text_of(script: &Path) -> Option<Vec<u8>> {
    // A pipe would miss what is read of it.
    if !script.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    File::open(script)
        .ok()?
        .take(LIMIT)
        .read_to_end(&mut text)
        .ok()?;
    let has = |word: &[u8]| text.windows(word.len()).any(|it| it == word);
    let is_script = text.starts_with(b"#!") && !has(b"xrun") && !has(FORGIVES.as_bytes());
    is_script.then_some(text)
}

/// The words that look like a VM's own options, but for those in comments.
fn options_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&b| b == b'\n');
    let code = lines.filter(|line| !line.trim_ascii_start().starts_with(b"#"));
    let words = code.flat_map(|line| line.split(|b| b" \t\"'`();".contains(b)));
    // NAME=-Xfoo
    let options = words.map(
        |word| match word.windows(2).position(|pair| pair == b"=-") {
            Some(at) if !word.starts_with(b"-") => word.get(at + 1..).unwrap_or_default(),
            _ => word,
        },
    );
    options.filter(|word| word.starts_with(b"-X"))
}
