//! What a name stands for, and whose it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::create::create;

/// What is where an output is to go, with all links of its last part followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing.
    New(PathBuf),
    /// A file.
    File(PathBuf),
    /// A pipe, a device, or a file that the process has open (`/dev/stdout`): nothing can
    /// take its place, it is written into as it is.
    Special(PathBuf),
}

/// As many as the kernel follows.
const LINKS: usize = 40;

/// Finds out. Links of root and our own are followed; one that somebody else has made may
/// lead to a file that this process can write and its maker cannot.
///
/// # Errors
/// If there is such a link, or a folder, or the kernel cannot say.
pub fn look_up(name: &Path) -> io::Result<Target> {
    let mut path = std::path::absolute(name)?;
    for _ in 0..LINKS {
        // Their links tell of files and are not these files.
        if path.starts_with("/proc") || path.starts_with("/dev/fd") {
            return Ok(Target::Special(path));
        }
        let data = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Target::New(path)),
            data => data?,
        };
        let kind = data.file_type();
        if kind.is_file() {
            return Ok(Target::File(path));
        } else if kind.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        } else if !kind.is_symlink() {
            return Ok(Target::Special(path));
        }
        if !is_trusted(data.uid(), user()) {
            let text = "it is a link that another user has made, and is not followed";
            return Err(io::Error::new(ErrorKind::PermissionDenied, text));
        }
        let to = fs::read_link(&path)?;
        path = path.parent().map_or(to.clone(), |folder| folder.join(to));
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// Whether the folder has refused a new file; what is there may still be ours to write.
#[must_use]
pub fn is_refusal(reason: &io::Error) -> bool {
    matches!(
        reason.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// Whether this file may be written over where nothing can take its place, for this reason: it is root's or our own, or
/// a mount, which is root's to make. Another user's would show him what is for its owner's eyes.
#[must_use]
pub fn may_be_written_over(file: &File, reason: &io::Error) -> bool {
    let is_mount = matches!(
        reason.kind(),
        ErrorKind::ResourceBusy | ErrorKind::ReadOnlyFilesystem
    );
    is_mount
        || file
            .metadata()
            .is_ok_and(|data| is_trusted(data.uid(), user()))
}

/// Whether links and files of this owner are trusted in a process of that user.
fn is_trusted(owner: u32, user: Option<u32>) -> bool {
    owner == 0 || Some(owner) == user
}

/// Whose rights this process has.
fn user() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Whether this name still stands for this file.
#[must_use]
pub fn names(path: &Path, file: &File) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(ours)) => (there.dev(), there.ino()) == (ours.dev(), ours.ino()),
        _ => false,
    }
}

/// Opens the file at this place, or an empty one if there is none, and takes it with `take`,
/// a lock; none if somebody else has it. Nothing in it has been changed. The second value
/// says whether it is new.
///
/// # Errors
/// If it can be neither made nor written.
pub fn claim(path: &Path, take: impl Fn(&File) -> bool) -> io::Result<Option<(File, bool)>> {
    /// It comes and goes as often as this only if somebody means harm.
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        let (file, new) = match create(path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let mut options = OpenOptions::new();
                let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
                match options
                    .read(true)
                    .write(true)
                    .custom_flags(flags)
                    .open(path)
                {
                    Ok(file) => (file, false),
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                }
            }
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        if !take(&file) {
            return Ok(None);
        }
        // Until it was ours, its owner may have put another one in its place.
        if names(path, &file) {
            return Ok(Some((file, new)));
        }
    }
    Err(ErrorKind::WouldBlock.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    use super::{is_trusted, user};
    use crate::Folder;

    #[test]
    fn links_of_root_and_our_own_are_trusted() {
        for (owner, ours, trusted) in [
            (0, Some(0), true),
            (0, Some(1000), true),
            (1000, Some(1000), true),
            (1000, Some(1001), false),
            (1000, Some(0), false),
            (0, None, true),
            (1000, None, false),
        ] {
            assert_eq!(is_trusted(owner, ours), trusted, "{owner} {ours:?}");
        }
    }

    #[test]
    fn what_is_made_is_ours() -> std::io::Result<()> {
        let folder = Folder::new(&std::env::temp_dir(), "ours-")?;
        assert_eq!(user(), Some(fs::metadata(folder.path())?.uid()));
        Ok(())
    }
}
