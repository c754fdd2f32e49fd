//! Files that xrun writes, and what it does not write over.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use migration::html;

use super::say::Failure;

/// What a file is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Recording,
    Page,
    Profile,
    Table,
    Skeleton,
    Findings,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Page => "report",
            Self::Profile => "profile",
            Self::Table => "Parquet file",
            Self::Skeleton => "unchanged file of a skeleton",
            Self::Findings => "file of findings",
        }
    }

    const fn makes_its_folder(self) -> bool {
        match self {
            Self::Table | Self::Skeleton => true,
            Self::Recording | Self::Page | Self::Profile | Self::Findings => false,
        }
    }

    fn is(self, head: &[u8]) -> bool {
        match self {
            Self::Recording => recording_format::is_one(head),
            Self::Page => html::is_one(head),
            Self::Table => head.starts_with(b"PAR1"),
            Self::Skeleton => migration::is_untouched(head),
            Self::Findings => findings::Format::is_one(head),
            Self::Profile => {
                profile_formats::flame::is_one(head)
                    || [
                        &b"\x1f\x8b"[..],
                        b"(HPROF ",
                        b"(xrun ",
                        b"{\"format\":\"xrun-",
                    ]
                    .iter()
                    .any(|begin| head.starts_with(begin))
            }
        }
    }
}

/// The file or folder of xrun's own that a name stands for: `%p` and its like are filled in.
pub(crate) fn filled_in(name: impl AsRef<OsStr>) -> Result<PathBuf, Failure> {
    let name = name.as_ref();
    let file = own_files::file_name(name);
    match file.unset.first() {
        Some(unset) => Err(Failure::xrun(format!(
            "%x{{{unset}}} in {} is not set",
            name.display()
        ))),
        None => Ok(file.name),
    }
}

/// A mistyped name costs no file: what is there is of this kind, or empty, or `force` says
/// that it may go. Nor does it cost a run, of which nothing could be written: its folder is there.
pub(crate) fn may_replace(path: &Path, kind: Kind, force: bool) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    if !kind.makes_its_folder() && !is_there(folder) {
        return Err(Failure::xrun(format!(
            "{}: no such folder, for {}",
            folder.display(),
            path.display()
        )));
    }
    let is_file = std::fs::metadata(path).is_ok_and(|data| data.is_file());
    if force || !is_file {
        return Ok(());
    }
    let mut head = Vec::new();
    // Whole, where it is what a whole file is known by.
    let read = File::open(path).and_then(|file| file.take(1 << 20).read_to_end(&mut head));
    match read {
        Ok(_) if head.is_empty() || kind.is(&head) => Ok(()),
        _ => Err(Failure::xrun(format!(
            "{} is there and no {}; --force replaces it",
            path.display(),
            kind.name()
        ))),
    }
}

/// Whether a folder is, as far as it is known: `%p` and its like in the name of a recording are the
/// recorded process's.
fn is_there(folder: &Path) -> bool {
    let name = folder.as_os_str().as_bytes();
    name.is_empty() || name.contains(&b'%') || folder.is_dir()
}

/// Writes it: for its owner's eyes, and what was there stays until it is whole.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_by(path, |out| out.write_all(bytes))
}

/// The same with what `fill` writes.
pub(crate) fn write_by(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    own_files::replace_by(path, fill)
        .map_err(|error| Failure::xrun(format!("{}: {error}", path.display())))
}
