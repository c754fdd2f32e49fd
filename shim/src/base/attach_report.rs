//! What whoever attaches or detaches an agent is told, beside the return code that the VM passes
//! on: lines, and a word for what became of it, in a file that he has made for that.
//!
//! # Threads
//! Any. While it is open the log's warnings stand in it, too.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use parking_lot::Mutex;
use terminal_text::printable::printable;

static FILE: Mutex<Option<File>> = Mutex::new(None);

/// Why nothing was done. `launcher/src/attach/report.rs` reads the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Another thread is at it.
    Busy,
    /// There is an agent.
    Taken,
    /// It is no agent, or none that can come late.
    Unfit,
    /// There is no agent.
    Nothing,
    /// The agent has another name.
    Other,
}

impl Trouble {
    const fn word(self) -> &'static str {
        match self {
            Self::Busy => "=busy",
            Self::Taken => "=taken",
            Self::Unfit => "=unfit",
            Self::Nothing => "=nothing",
            Self::Other => "=other",
        }
    }
}

/// Closes it when dropped.
pub(crate) struct Open(());

impl Drop for Open {
    fn drop(&mut self) {
        *FILE.lock() = None;
    }
}

/// From now on lines go into this file, if it is one that our own user has: it is not made.
pub(crate) fn open(path: &str) -> Open {
    let file = OpenOptions::new()
        .append(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK)
        .open(path);
    // Whom the process acts as owns its folder there.
    let own = std::fs::metadata("/proc/self").map(|data| data.uid()).ok();
    let fits = |file: &File| {
        file.metadata()
            .is_ok_and(|data| data.is_file() && Some(data.uid()) == own)
    };
    *FILE.lock() = file.ok().filter(fits);
    Open(())
}

/// A line for people.
pub(crate) fn line(text: &str) {
    write(&printable(text));
}

/// What became of it.
pub(crate) fn trouble(trouble: Trouble) {
    write(trouble.word());
}

fn write(line: &str) {
    if let Some(file) = &mut *FILE.lock() {
        // Nobody is left to hear of it.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_are_there_and_ours() {
        let folder = std::env::temp_dir().join(format!("xrun-report-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("report");
        let name = path.to_str().expect("a name");
        drop(open(name));
        assert!(!path.exists(), "made");
        std::fs::write(&path, "").expect("a file");
        let link = folder.join("link");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        let through_link = open(link.to_str().expect("a name"));
        line("lost");
        drop(through_link);
        let opened = open(name);
        line("one\ntwo");
        trouble(Trouble::Taken);
        drop(opened);
        line("lost");
        let text = std::fs::read_to_string(&path).expect("a report");
        assert!(!text.contains("lost"), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.ends_with("\n=taken\n"), "{text}");
        std::fs::remove_dir_all(&folder).expect("our folder");
    }
}
