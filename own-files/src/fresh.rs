//! New files, and how they take the place of older ones.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use crate::create::create;
use crate::random;
use crate::target::{Target, look_up};

/// What has become of a file that was to take the place of another one.
#[derive(Debug)]
pub enum Put {
    /// It has taken it.
    InPlace(File),
    /// Its content is in the other one.
    Copied,
    /// The other one is as it was.
    Refused(Fresh),
}

/// A file that is to take the place of another one as soon as it is whole. Dropped before,
/// it is gone, and the other one is as it was.
#[derive(Debug)]
pub struct Fresh {
    file: File,
    path: PathBuf,
    place: PathBuf,
    kept: bool,
}

impl Fresh {
    /// Makes it in the same folder.
    ///
    /// # Errors
    /// If it cannot be made: nobody may write in that folder, say.
    pub fn beside(place: &Path) -> io::Result<Self> {
        let mut path = place.as_os_str().to_owned();
        path.push(OsString::from(format!(".{}.new", random())));
        let path = PathBuf::from(path);
        Ok(Self {
            file: create(&path)?,
            path,
            place: place.to_owned(),
            kept: false,
        })
    }

    /// One that is written already, in a folder of the same file system that nobody else can write
    /// in; from now on it is for its owner's eyes.
    ///
    /// # Errors
    /// If it is no file, or cannot be opened for reading and writing.
    pub fn adopt(path: &Path, place: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true);
        let file = options.custom_flags(libc::O_NOFOLLOW).open(path)?;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        Ok(Self {
            file,
            path: path.to_owned(),
            place: place.to_owned(),
            kept: false,
        })
    }

    /// To write into.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whoever may read or write `other`, one of this program's that it will take the place of, may do so with this one,
    /// as far as this process can give it away.
    ///
    /// # Errors
    /// If neither file can be asked, or its mode not be set.
    pub fn share_as(&self, other: &File) -> io::Result<()> {
        let (theirs, ours) = (other.metadata()?, self.file.metadata()?);
        let owner = (theirs.uid() != ours.uid()).then(|| theirs.uid());
        let group = (theirs.gid() != ours.gid()).then(|| theirs.gid());
        let has_group = given(owner, group, |owner, group| {
            fchown(&self.file, owner, group)
        });
        // What was for that group is not for ours.
        let mode = theirs.mode() & if has_group { 0o777 } else { 0o707 };
        // Some file systems refuse even what changes nothing.
        if ours.mode() & 0o777 == mode {
            return Ok(());
        }
        self.file.set_permissions(fs::Permissions::from_mode(mode))
    }

    /// It is whole: what was there goes, this comes, in one step.
    ///
    /// # Errors
    /// If it cannot take that place. It stays where it is, and the message says where.
    pub fn put_in_place(mut self) -> io::Result<File> {
        fs::rename(&self.path, &self.place).map_err(|reason| self.stay(&reason))?;
        self.kept = true;
        self.file.try_clone()
    }

    /// Another place than that it was made for, in the same file system.
    #[must_use]
    pub fn instead(mut self, place: &Path) -> Self {
        place.clone_into(&mut self.place);
        self
    }

    /// The same; or, where that name stays with the file that has it, `other`, its content is copied into that
    /// one, if it may be for the reason (see [`crate::may_be_written_over`]): it is a mount of its own, say, or
    /// somebody else's in a folder like `/tmp`.
    ///
    /// # Errors
    /// If neither can be done. It stays where it is, and the message says where.
    pub fn put_in_place_or_copy(
        mut self,
        mut other: &File,
        may_copy: impl FnOnce(&io::Error) -> bool,
    ) -> io::Result<Put> {
        match fs::rename(&self.path, &self.place) {
            Ok(()) => {
                self.kept = true;
                return self.file.try_clone().map(Put::InPlace);
            }
            Err(reason) if !may_copy(&reason) => return Ok(Put::Refused(self)),
            Err(_) => {}
        }
        let copied = (|| {
            let mut from = &self.file;
            from.rewind()?;
            other.set_len(0)?;
            other.rewind()?;
            io::copy(&mut from, &mut other)
        })();
        copied.map_err(|reason| self.stay(&reason))?;
        Ok(Put::Copied)
    }

    fn stay(&mut self, reason: &io::Error) -> io::Error {
        self.kept = true;
        let text = format!("{reason}; what was written is in {}", self.path.display());
        io::Error::new(reason.kind(), text)
    }
}

/// Gives a file to the owner and the group that are not yet its own, or where only root may give files away, to the
/// group alone; whether it has that group then.
fn given(
    owner: Option<u32>,
    group: Option<u32>,
    give: impl Fn(Option<u32>, Option<u32>) -> io::Result<()>,
) -> bool {
    if owner.is_none() && group.is_none() || give(owner, group).is_ok() {
        return true;
    }
    group.is_none() || owner.is_some() && give(None, group).is_ok()
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes a whole file, whatever was there; into a device or a pipe it writes as it is.
///
/// # Errors
/// If it cannot be written. A file that was there is as it was.
pub fn replace(name: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(name, |out| out.write_all(bytes))
}

/// The same with what `fill` writes, which need not be in memory.
///
/// # Errors
/// Those of `fill`, too.
pub fn replace_by(
    name: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let write = |file: &File| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        fill(&mut out)?;
        out.flush()
    };
    match look_up(name)? {
        Target::Special(path) => write(&OpenOptions::new().write(true).open(path)?),
        Target::New(place) | Target::File(place) => {
            let fresh = Fresh::beside(&place)?;
            write(fresh.file())?;
            fresh.put_in_place().map(drop)
        }
    }
}

/// Opens a file for lines of several runs, behind those that are there.
///
/// # Errors
/// If it can be neither made nor written.
pub fn append(name: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true);
    match look_up(name)? {
        Target::Special(path) => options.open(path),
        Target::New(path) | Target::File(path) => {
            let options = options.create(true).mode(0o600);
            options.custom_flags(libc::O_NOFOLLOW).open(path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn the_group_is_given_where_the_owner_cannot_be() {
        let only_root = |owner: Option<u32>, _: Option<u32>| match owner {
            Some(_) => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
            None => Ok(()),
        };
        let nobody =
            |_: Option<u32>, _: Option<u32>| Err(io::Error::from(io::ErrorKind::PermissionDenied));
        for (owner, group, asked_of, has_group) in [
            (None, None, 0, true),
            (None, Some(7), 1, true),
            (Some(5), None, 1, true),
            (Some(5), Some(7), 2, true),
        ] {
            let asked = RefCell::new(Vec::new());
            let has = given(owner, group, |owner, group| {
                asked.borrow_mut().push((owner, group));
                only_root(owner, group)
            });
            assert_eq!(
                (asked.borrow().len(), has),
                (asked_of, has_group),
                "{owner:?} {group:?}"
            );
            let last = asked.borrow().last().copied();
            assert!(last.is_none_or(|(_, asked)| asked == group), "{last:?}");
            assert_eq!(given(owner, group, nobody), group.is_none());
        }
    }
}
