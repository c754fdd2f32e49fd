//! Libraries, by the names that the VM has for them. One in a container sees other files: it gets
//! copies in its own /tmp, which stay there.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::inside::Folder;
use super::process::Process;
use crate::base::say::Failure;

/// The name of this file in that process.
pub(crate) fn seen_by(process: &Process, path: &Path) -> Result<PathBuf, Failure> {
    let identity = |data: Metadata| (data.dev(), data.ino());
    // Its folder alone: the VM has an agent by the name of its file, also if that is a link.
    let folder = path.parent().map(Path::canonicalize);
    let path = match (folder, path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
    };
    // Its user has to be able to read it, too.
    let inside = process.open(&path).and_then(|file| file.metadata());
    if inside
        .is_ok_and(|inside| fs::metadata(&path).is_ok_and(|it| identity(it) == identity(inside)))
    {
        return Ok(path);
    }
    let copied = fs::read(&path).and_then(|bytes| {
        let name = path.file_name().unwrap_or_default();
        let tmp = process.folder("/tmp")?;
        process.acting(|| put(&tmp, process.uid, name, &bytes))
    });
    copied.map_err(|error| {
        Failure::xrun(format!(
            "{}: it does not see {}, which cannot be put into its /tmp: {error}",
            process.pid,
            path.display()
        ))
    })
}

/// A file of this name in a folder that only this user writes to; acting as that one.
fn put(tmp: &Folder, uid: u32, name: &OsStr, bytes: &[u8]) -> std::io::Result<PathBuf> {
    let own = OsString::from(format!(".xrun_{uid}"));
    let inside = Path::new("/tmp").join(&own);
    match DirBuilder::new().mode(0o700).create(tmp.join(&own)) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let not_ours = || {
        let text = format!("{} is somebody else's", inside.display());
        std::io::Error::other(text)
    };
    let folder = tmp.folder(&own).map_err(|_| not_ours())?;
    let data = folder.metadata()?;
    if data.uid() != uid || data.mode() & 0o022 != 0 {
        return Err(not_ours());
    }
    let copy = folder.join(name);
    if !is_copy(&folder, name, bytes).unwrap_or(false) {
        // Another file under the same name: VMs may have the old one mapped.
        let fresh = folder.join(format!(".{}", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o700)
            .open(&fresh);
        let written = file.and_then(|mut file| file.write_all(bytes));
        let placed = written.and_then(|()| fs::rename(&fresh, &copy));
        if placed.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        placed?;
    }
    Ok(inside.join(name))
}

/// Whether a file of this name has these bytes. Whoever owns the folder may have put anything there.
fn is_copy(folder: &Folder, name: &OsStr, bytes: &[u8]) -> std::io::Result<bool> {
    let file = folder.open(name)?;
    let length = bytes.len() as u64;
    if file.metadata()?.len() != length {
        return Ok(false);
    }
    let mut there = Vec::new();
    file.take(length).read_to_end(&mut there)?;
    Ok(there == bytes)
}
