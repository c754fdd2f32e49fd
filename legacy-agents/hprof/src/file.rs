//! The file that a profile goes to.
//!
//! What has its name already stays until the first dump is whole; so a program that is killed
//! leaves the profile of the run before. While a dump is written its file lies beside, under
//! another name, later ones too: text and records behind a copy of those that are there, formats
//! that show all there is anew each time. Into pipes and devices everything is written as it comes.
//! A file that nothing can take the place of is written over, unless it is another user's: he would read it.
//!
//! Each file is for its owner alone. Who is given one of ours while the program runs has the later ones, too.

use std::env;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process;

use own_files::{
    FileName, Folder, Fresh, Put, Target, claim, file_name, is_refusal, look_up,
    may_be_written_over,
};

use terminal_text::raw_text;

use crate::ffi::file_lock;
use crate::say;

/// Of folders that are there while the VM writes.
const PREFIX: &str = ".hprof-";

/// Where it goes.
#[derive(Debug)]
pub(crate) struct ProfileFile {
    /// As people know it.
    name: PathBuf,
    is_text: bool,
    place: Place,
    /// The file that has its name now is one that we have made.
    made_here: bool,
}

#[derive(Debug)]
enum Place {
    /// A pipe or a device.
    Special(File),
    /// What is there may be written over, but nothing put in its place.
    Fixed(File),
    /// Ours, and as it was: by its lock other programs see that it will be replaced.
    Old(File, PathBuf),
    /// A dump is being written.
    Writing(File, Fresh, PathBuf),
    /// Dumps of ours are there.
    Ours(File, PathBuf),
}

impl ProfileFile {
    /// `name`, as [`raw_text`] has it, with `%p` and the like filled in. Nothing is changed yet.
    pub(crate) fn open(name: &str, force: bool, is_text: bool) -> Result<Self, String> {
        let name = OsString::from_vec(raw_text::encode(name));
        let FileName { name: path, unset } = file_name(name);
        for variable in unset {
            say::error(format_args!(
                "%x{{{variable}}} in file= is not set: nothing stands there; writing {}",
                path.display()
            ));
        }
        let beside = beside(&path, is_text);
        if !force && path.exists() {
            say::error(format_args!(
                "{} exists and is kept (force=n); writing {}",
                path.display(),
                beside.display()
            ));
            return open(&beside, is_text)?
                .ok_or_else(|| format!("{} is in use", beside.display()));
        }
        match open(&path, is_text)? {
            Some(file) => Ok(file),
            None => {
                say::error(format_args!(
                    "another program is writing its profile to {}; writing {} (put %p into the name)",
                    path.display(),
                    beside.display()
                ));
                open(&beside, is_text)?.ok_or_else(|| format!("{} is in use", beside.display()))
            }
        }
    }

    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Whether a later dump can take the place of an earlier one.
    pub(crate) const fn can_be_rewritten(&self) -> bool {
        !matches!(self.place, Place::Special(_))
    }

    /// To write a part of a dump into; `anew` if it is all that the file is to have so far.
    pub(crate) fn writer(&mut self, anew: bool) -> io::Result<File> {
        match &self.place {
            Place::Special(file) => file.try_clone(),
            Place::Fixed(file) => {
                if anew {
                    file.set_len(0)?;
                }
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::End(0))?;
                Ok(file)
            }
            Place::Writing(_, fresh, _) => fresh.file().try_clone(),
            Place::Old(lock, place) | Place::Ours(lock, place) => {
                let stays = !anew && matches!(self.place, Place::Ours(..));
                let (mut lock, place) = (lock.try_clone()?, place.clone());
                match Fresh::beside(&place) {
                    Ok(fresh) => {
                        if self.made_here {
                            share(&fresh, &lock);
                        }
                        let mut file = fresh.file().try_clone()?;
                        file_lock::take(&file);
                        if stays {
                            lock.rewind()?;
                            io::copy(&mut lock, &mut file)?;
                        }
                        self.place = Place::Writing(lock, fresh, place);
                        Ok(file)
                    }
                    // The file is ours to write, its folder is not.
                    Err(reason)
                        if is_refusal(&reason)
                            && (self.made_here || may_be_written_over(&lock, &reason)) =>
                    {
                        self.place = Place::Fixed(lock);
                        self.writer(!stays)
                    }
                    Err(reason) => Err(reason),
                }
            }
        }
    }

    /// Puts others in the place of bytes that are there; false in pipes and devices, which have them no more.
    pub(crate) fn overwrite(&mut self, at: u64, bytes: &[u8]) -> io::Result<bool> {
        if matches!(self.place, Place::Special(_)) {
            return Ok(false);
        }
        self.writer(false)?.write_all_at(bytes, at)?;
        Ok(true)
    }

    /// A dump is whole.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        if let Place::Writing(lock, _, path) = &self.place {
            let old = Place::Old(lock.try_clone()?, path.clone());
            if let Place::Writing(lock, fresh, path) = std::mem::replace(&mut self.place, old) {
                self.put(fresh, &lock, path)?;
            }
        }
        Ok(())
    }

    /// In the place of what was there, or into it.
    fn put(&mut self, fresh: Fresh, there: &File, path: PathBuf) -> io::Result<()> {
        let there = there.try_clone()?;
        // Also if this fails: who is rewritten would leave a file each time.
        self.place = Place::Fixed(there.try_clone()?);
        // What we made was given away by whoever may.
        let is_given = self.made_here;
        let may_copy = |reason: &io::Error| is_given || may_be_written_over(&there, reason);
        let (file, path) = match fresh.put_in_place_or_copy(&there, may_copy)? {
            Put::InPlace(file) => (file, path),
            Put::Copied => {
                say::error(format_args!(
                    "{}: no file can take its place; it is written over, and who reads it meanwhile sees a part",
                    self.name.display()
                ));
                return Ok(());
            }
            Put::Refused(fresh) => {
                let beside = beside(&path, self.is_text);
                say::error(format_args!(
                    "{} is another user's, and no file can take its place; writing {}",
                    self.name.display(),
                    beside.display()
                ));
                // Nor is a failure to end in a file that is not ours.
                self.place = Place::Old(there, beside.clone());
                let file = fresh.instead(&beside).put_in_place()?;
                self.name.clone_from(&beside);
                (file, beside)
            }
        };
        self.place = Place::Ours(file, path);
        self.made_here = true;
        Ok(())
    }

    /// A folder that is ours alone, where somebody else may write what is to be the whole file.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        let beside = match &self.place {
            Place::Special(_) | Place::Fixed(_) => None,
            Place::Old(_, place) | Place::Ours(_, place) | Place::Writing(_, _, place) => {
                place.parent()
            }
        };
        match beside.map(|folder| Folder::new(folder, PREFIX)) {
            Some(Err(reason)) if !is_refusal(&reason) => Err(reason),
            Some(Ok(folder)) => Ok(folder),
            Some(Err(_)) | None => Folder::new(&env::temp_dir(), PREFIX),
        }
    }

    /// What somebody else has written in such a folder is all of a dump: it takes the place of
    /// the one before, or is written into what nothing can take the place of.
    pub(crate) fn replace_by(&mut self, whole: &Path) -> io::Result<()> {
        if let Place::Old(lock, place) | Place::Ours(lock, place) = &self.place
            && whole.parent().and_then(Path::parent) == place.parent()
        {
            let (lock, place) = (lock.try_clone()?, place.clone());
            let fresh = Fresh::adopt(whole, &place)?;
            if self.made_here {
                share(&fresh, &lock);
            }
            file_lock::take(fresh.file());
            return self.put(fresh, &lock, place);
        }
        io::copy(&mut File::open(whole)?, &mut self.writer(true)?)?;
        self.complete()
    }

    /// A dump could not be written: what was there stays.
    pub(crate) fn give_up(&mut self) {
        if let Place::Writing(lock, _, path) = &self.place
            && let Ok(lock) = lock.try_clone()
        {
            self.place = Place::Old(lock, path.clone());
        }
    }
}

/// As far as that can be done: a dump that fewer people can read is better than none.
fn share(fresh: &Fresh, other: &File) {
    let _ = fresh.share_as(other);
}

/// Another name for this process's profile. That of text still ends with `.txt`, as HPROF had it from JDK 5 on.
fn beside(path: &Path, is_text: bool) -> PathBuf {
    let mut own = OsString::from(process::id().to_string());
    let ending = path.extension();
    if let Some(txt) = ending.filter(|it| is_text && it.eq_ignore_ascii_case("txt")) {
        own.push(".");
        own.push(txt);
        return path.with_extension(own);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".");
    beside.push(own);
    PathBuf::from(beside)
}

/// `None` if somebody else writes to it.
fn open(path: &Path, is_text: bool) -> Result<Option<ProfileFile>, String> {
    let cannot = |reason: io::Error| format!("cannot write {}: {reason}", path.display());
    let (place, made_here) = match look_up(path).map_err(cannot)? {
        Target::Special(path) => {
            // Standard output may be a file that the program writes, too.
            let file = OpenOptions::new().append(true).open(path);
            (Place::Special(file.map_err(cannot)?), false)
        }
        Target::New(place) | Target::File(place) => {
            let Some((lock, is_new)) = claim(&place, file_lock::take).map_err(cannot)? else {
                return Ok(None);
            };
            (Place::Old(lock, place), is_new)
        }
    };
    Ok(Some(ProfileFile {
        name: path.to_owned(),
        is_text,
        place,
        made_here,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_beside_text_is_text() {
        let pid = process::id();
        for (name, is_text, expected) in [
            (
                "/a.b/java.hprof.txt",
                true,
                format!("/a.b/java.hprof.{pid}.txt"),
            ),
            ("a.TXT", true, format!("a.{pid}.TXT")),
            ("a.txt", false, format!("a.txt.{pid}")),
            ("a.txt/java.hprof", true, format!("a.txt/java.hprof.{pid}")),
        ] {
            assert_eq!(beside(Path::new(name), is_text), Path::new(&expected));
        }
    }
}
