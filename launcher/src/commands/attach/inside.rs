//! Files by the names that a process has for them: in its own root folder, a container's say.
//! Links in there lead to its own files, never to ours, and never out of it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use super::system;

/// As many as the kernel follows.
const MOST_LINKS: usize = 40;

/// The root folder of a process.
#[derive(Debug)]
pub(crate) struct Inside(File);

/// A folder, held: what has its name later is another one.
#[derive(Debug)]
pub(crate) struct Folder(File);

impl Inside {
    /// That of this process. Whoever acts as its user afterwards had better open it before: the
    /// kernel does not show everything to that one, if the process was made by another.
    pub(crate) fn of(pid: i32) -> io::Result<Self> {
        place(format!("/proc/{pid}/root").as_ref(), 0).map(Self)
    }

    /// A folder of it.
    pub(crate) fn folder(&self, name: &Path) -> io::Result<Folder> {
        let found = self.find(name)?;
        if found.metadata()?.is_dir() {
            return Ok(Folder(found));
        }
        Err(ErrorKind::NotADirectory.into())
    }

    /// Opens a file of it to be read. What is no file is not opened: to open a pipe or a device
    /// may do something.
    pub(crate) fn open(&self, name: &Path) -> io::Result<File> {
        open_file(&self.find(name)?)
    }

    fn find(&self, name: &Path) -> io::Result<File> {
        system::place_in_root(&self.0, name).unwrap_or_else(|| self.walk(name))
    }

    /// The same, step by step, for kernels before 5.6 and filters of system calls: no step goes
    /// through a link or upwards.
    fn walk(&self, name: &Path) -> io::Result<File> {
        let mut way: Vec<File> = Vec::new();
        let mut left = steps(name);
        let mut links = 0;
        while let Some(step) = left.pop() {
            if step == ".." {
                way.pop();
                continue;
            }
            let beside = our_name(way.last().unwrap_or(&self.0)).join(&step);
            let next = place(&beside, libc::O_NOFOLLOW)?;
            if !next.metadata()?.is_symlink() {
                way.push(next);
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(io::Error::from_raw_os_error(libc::ELOOP));
            }
            let target = fs::read_link(&beside)?;
            if target.is_absolute() {
                way.clear();
            }
            left.extend(steps(&target));
        }
        way.pop().map_or_else(|| self.0.try_clone(), Ok)
    }
}

impl Folder {
    /// That of this name.
    pub(crate) fn named(name: &Path) -> io::Result<Self> {
        place(name, libc::O_DIRECTORY).map(Self)
    }

    /// One in it, which is no link.
    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        place(&self.join(name), libc::O_DIRECTORY | libc::O_NOFOLLOW).map(Self)
    }

    /// What has this name in it, a link for itself: held, and not opened.
    pub(crate) fn hold(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        place(&self.join(name), libc::O_NOFOLLOW)
    }

    /// Opens a file in it to be read, which is no link, and no pipe or device either.
    pub(crate) fn open(&self, name: &OsStr) -> io::Result<File> {
        open_file(&self.hold(name)?)
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// A name of ours for a file in it, as long as this is held.
    pub(crate) fn join(&self, name: impl AsRef<OsStr>) -> PathBuf {
        our_name(&self.0).join(name.as_ref())
    }
}

fn open_file(held: &File) -> io::Result<File> {
    if !held.metadata()?.is_file() {
        return Err(io::Error::other("is no file"));
    }
    File::open(our_name(held))
}

/// A name of ours for what is held.
pub(crate) fn our_name(held: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()))
}

/// Holds what has this name, without opening it.
fn place(name: &Path, flags: i32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_PATH | flags);
    options.open(name)
}

/// The names in a path, the last one first.
fn steps(path: &Path) -> Vec<OsString> {
    let steps = path.components().rev();
    let named = steps.filter(|it| matches!(it, Component::Normal(_) | Component::ParentDir));
    named.map(|step| step.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::base::test_folder::Folder as Stage;

    /// A root with links of every kind, and what it finds by each way of finding.
    #[test]
    fn links_stay_inside() {
        let stage = Stage::new("inside");
        stage.file("outside/secret", b"ours");
        stage.file("root/etc/file", b"its");
        stage.file("root/a/b/file", b"deep");
        let link = |to: &str, name: &str| symlink(to, stage.path("root").join(name)).unwrap();
        link("/etc/file", "absolute");
        link("../../../etc/file", "a/b/upwards");
        link("/etc/file", "a/b/absolute");
        link("/a", "folder");
        link(&stage.path("outside/secret").to_string_lossy(), "secret");
        link("../../outside/secret", "a/escape");
        link("loop", "loop");
        link("/nowhere", "dangling");
        let root = || Inside(place(&stage.path("root"), 0).unwrap());
        let read = |found: io::Result<File>| -> io::Result<String> {
            let mut text = String::new();
            File::open(our_name(&found?))?.read_to_string(&mut text)?;
            Ok(text)
        };
        for (name, expected) in [
            ("/etc/file", Some("its")),
            ("/absolute", Some("its")),
            ("/a/b/upwards", Some("its")),
            ("/a/b/absolute", Some("its")),
            ("/folder/b/file", Some("deep")),
            ("/folder/b/../b/./file", Some("deep")),
            ("/../../etc/file", Some("its")),
            ("/folder/../absolute", Some("its")),
            ("/secret", None),
            ("/a/escape", None),
            ("/loop", None),
            ("/dangling", None),
            ("/etc/file/below", None),
        ] {
            let name = Path::new(name);
            let by_kernel = system::place_in_root(&root().0, name);
            for found in [by_kernel, Some(root().walk(name))].into_iter().flatten() {
                let found = read(found);
                assert_eq!(found.as_deref().ok(), expected, "{name:?}: {found:?}");
            }
        }
        let top = root().walk(Path::new("/a/../..")).unwrap();
        assert!(our_name(&top).join("etc/file").is_file());
    }

    #[test]
    fn only_files_are_opened_and_only_folders_are_folders() {
        let stage = Stage::new("inside-kinds");
        stage.file("root/file", b"x");
        stage.file("root/folder/file", b"x");
        symlink("folder", stage.path("root/link")).unwrap();
        symlink("file", stage.path("root/link_to_file")).unwrap();
        let root = Inside(place(&stage.path("root"), 0).unwrap());
        assert!(root.open(Path::new("/file")).is_ok());
        assert!(root.open(Path::new("/")).is_err());
        assert!(root.folder(Path::new("/file")).is_err());
        let folder = root.folder(Path::new("/")).unwrap();
        for (name, is_folder, is_file) in [
            ("folder", true, false),
            ("link", false, false),
            ("file", false, true),
            ("link_to_file", false, false),
        ] {
            assert_eq!(folder.folder(name.as_ref()).is_ok(), is_folder, "{name}");
            assert_eq!(folder.open(name.as_ref()).is_ok(), is_file, "{name}");
        }
        fs::rename(stage.path("root"), stage.path("other")).unwrap();
        assert_eq!(fs::read(folder.join("file")).unwrap(), b"x");
    }
}
