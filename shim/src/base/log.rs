//! What the shim says: whole lines, rarely, never on stdout.
//!
//! # Threads
//! Any. A line is formatted into a fixed buffer and written by one call. Stderr may be closed or full:
//! nobody can be told. Of a file that is full stderr has a line, once, and the warnings from then on.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::base::attach_report;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use shim_options::LogLevel;
use terminal_text::printable::{printable, write_printable};

static LEVEL: AtomicU8 = AtomicU8::new(1);
/// The file and its name.
static FILE: OnceCell<(File, String)> = OnceCell::new();

fn rank(level: LogLevel) -> u8 {
    match level {
        LogLevel::Off => 0,
        LogLevel::Warn => 1,
        LogLevel::Info => 2,
        LogLevel::Trace => 3,
    }
}

/// Sets the level, and the file if one is wanted. A file that cannot be opened
/// costs one line; the log stays on stderr.
///
/// A log begins with whose it is: on stderr from `log=info` on, since warnings alone are none, in a
/// file always. One to which several processes append has such a line of each.
pub(crate) fn configure(level: LogLevel, file: Option<&Path>) {
    // Relaxed: a level, and marks, that say nothing of other words.
    LEVEL.store(rank(level), Ordering::Relaxed);
    let complaint = file.and_then(|path| into(path).err());
    if FILE.get().is_some() && wants(LogLevel::Warn) || wants(LogLevel::Info) {
        let (version, pid) = (env!("CARGO_PKG_VERSION"), std::process::id());
        let mut line = Line::new();
        let _ = writeln!(line, "jvmpi: libjvmpi {version}, process {pid}");
        write(LogLevel::Info, &line);
    }
    if let Some(complaint) = complaint {
        say(LogLevel::Warn, format_args!("{complaint}"));
    }
}

/// From now on the log is there.
fn into(path: &Path) -> Result<(), String> {
    let name = path.display();
    let file = own_files::append(path)
        .map_err(|error| format!("log-file={name}: {error}; the log stays on stderr"))?;
    FILE.set((file, name.to_string()))
        .map_err(|_| format!("log-file={name}: another log file is in use already"))
}

/// Whether lines of this level are written.
pub(crate) fn wants(level: LogLevel) -> bool {
    rank(level) <= LEVEL.load(Ordering::Relaxed)
}

/// One line, as far as it fits.
pub(super) struct Line {
    bytes: [u8; 1024],
    len: usize,
}

impl Line {
    pub(super) const fn new() -> Self {
        Self {
            bytes: [0; 1024],
            len: 0,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// What does not fit is cut, between two characters.
impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // One byte is kept for the newline.
        let room = self.bytes.len() - 1 - self.len;
        let mut fits = room.min(text.len());
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        let (text, rest) = text.split_at(fits);
        if let Some(place) = self.bytes.get_mut(self.len..self.len + text.len()) {
            place.copy_from_slice(text.as_bytes());
            self.len += text.len();
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

/// Names of the program and of the agent are in what is said: a line stays one, and nothing
/// in it is obeyed by a terminal.
struct Printable<'a>(&'a mut Line);

impl fmt::Write for Printable<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write_printable(self.0, text)
    }
}

/// Writes one line if the level is wanted.
pub(crate) fn say(level: LogLevel, text: fmt::Arguments<'_>) {
    if !wants(level) {
        return;
    }
    let Some(line) = line(level, text) else {
        return;
    };
    let is_told = level == LogLevel::Warn
        && attach_report::line(String::from_utf8_lossy(line.bytes()).trim_end());
    if !is_told || FILE.get().is_some() {
        write(level, &line);
    }
}

/// What a line of this level says, with its end.
fn line(level: LogLevel, text: fmt::Arguments<'_>) -> Option<Line> {
    let mut line = Line::new();
    let prefix = match level {
        LogLevel::Off => return None,
        LogLevel::Warn => "jvmpi: warning: ",
        LogLevel::Info => "jvmpi: ",
        LogLevel::Trace => "jvmpi: trace: ",
    };
    let _ = line.write_str(prefix);
    let _ = Printable(&mut line).write_fmt(text);
    if let Some(place) = line.bytes.get_mut(line.len) {
        *place = b'\n';
        line.len += 1;
    }
    Some(line)
}

fn write(level: LogLevel, line: &Line) {
    let Some((file, path)) = FILE.get() else {
        return to_stderr(line);
    };
    let mut file: &File = file;
    if let Err(error) = file.write_all(line.bytes()) {
        is_lost(path, &error);
        // It may be about the very disk.
        if level == LogLevel::Warn {
            to_stderr(line);
        }
    }
}

/// The disk is full, or so: that is said once, where it can be said.
#[cold]
fn is_lost(path: &str, error: &std::io::Error) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let line = line(
        LogLevel::Warn,
        format_args!(
            "log-file={path}: {error}; as long as that lasts warnings come here, and other lines are lost"
        ),
    );
    if let Some(line) = line {
        to_stderr(&line);
    }
}

fn to_stderr(line: &Line) {
    let _ = std::io::stderr().write_all(line.bytes());
}

/// Writes one line of what a check has found, to stderr and whatever the level is.
pub(crate) fn finding(text: &str) {
    let line = format!("jvmpi: check: {}\n", printable(text));
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A warning that this place gives at most once per run.
macro_rules! warn_once {
    ($($text:tt)+) => {{
        static SAID: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        if !SAID.swap(true, std::sync::atomic::Ordering::Relaxed) {
            $crate::base::log::say(
                shim_options::LogLevel::Warn,
                format_args!($($text)+),
            );
        }
    }};
}

/// A warning that this place gives at most once per run for each function of the
/// table; the text is preceded by the function's name.
macro_rules! warn_once_for {
    ($call:expr, $($text:tt)+) => {
        if $crate::base::log::is_first($call, line!()) {
            $crate::base::log::warning!("{}{}", $call, format_args!($($text)+));
        }
    };
}

macro_rules! warning {
    ($($text:tt)+) => {
        $crate::base::log::say(shim_options::LogLevel::Warn, format_args!($($text)+))
    };
}

macro_rules! info {
    ($($text:tt)+) => {
        $crate::base::log::say(shim_options::LogLevel::Info, format_args!($($text)+))
    };
}

macro_rules! trace {
    ($($text:tt)+) => {
        if $crate::base::log::wants(shim_options::LogLevel::Trace) {
            $crate::base::log::say(shim_options::LogLevel::Trace, format_args!($($text)+));
        }
    };
}

/// Whether `call` has not been seen at this line of source before.
pub(crate) fn is_first(call: &'static str, line: u32) -> bool {
    static SEEN: Mutex<Vec<(&str, u32)>> = Mutex::new(Vec::new());
    let mut seen = SEEN.lock();
    let first = !seen.contains(&(call, line));
    if first {
        seen.push((call, line));
    }
    first
}

pub(crate) use {info, trace, warn_once, warn_once_for, warning};

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{Line, Printable};

    #[test]
    fn a_line_is_cut_and_stays_one_line() {
        let mut line = Line::new();
        let _ = write!(Printable(&mut line), "a\n\u{202e}b{}", "x".repeat(5000));
        assert_eq!(line.len, 1023);
        assert!(line.bytes.starts_with(b"a\\u{a}\\u{202e}bx"));
    }

    #[test]
    fn a_character_is_cut_off_whole() {
        let mut line = Line::new();
        let _ = write!(Printable(&mut line), "a{}", "\u{4e2d}".repeat(2000));
        assert_eq!(line.len, 1 + 3 * 340);
        assert!(std::str::from_utf8(&line.bytes[..line.len]).is_ok());
    }
}
