//! What whoever attaches or detaches an agent is told, beside the return code that the VM passes
//! on: lines, and a word for what became of it, in a file that he has made for that.
//!
//! # Threads
//! Any. While it is open the log's warnings stand in it, too; those of the thread that has opened it there
//! alone, since whoever attaches is told them, and the program has done nothing.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::thread::{self, ThreadId};

use parking_lot::Mutex;
use terminal_text::printable::printable;

/// The file, and who has opened it.
static FILE: Mutex<Option<(File, ThreadId)>> = Mutex::new(None);

/// Why nothing was done. `launcher/src/commands/attach/report.rs` reads the words.
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
    let file = file.ok().filter(fits);
    *FILE.lock() = file.map(|file| (file, thread::current().id()));
    Open(())
}

/// A line for people; whether it is there, and of the thread that has opened the file.
pub(crate) fn line(text: &str) -> bool {
    write(&printable(text))
}

/// What became of it.
pub(crate) fn trouble(trouble: Trouble) {
    write(trouble.word());
}

fn write(line: &str) -> bool {
    let Some((file, opener)) = &mut *FILE.lock() else {
        return false;
    };
    // If it fails nobody is left to hear of it there.
    let is_written = file.write_all(format!("{line}\n").as_bytes()).is_ok();
    is_written && *opener == thread::current().id()
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
        assert!(line("one\ntwo"));
        let of_another = thread::spawn(|| line("three")).join();
        assert!(!of_another.expect("no panic"), "is its own");
        trouble(Trouble::Taken);
        drop(opened);
        assert!(!line("lost"));
        let text = std::fs::read_to_string(&path).expect("a report");
        assert!(!text.contains("lost"), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.ends_with("\n=taken\n"), "{text}");
        std::fs::remove_dir_all(&folder).expect("our folder");
    }
}
