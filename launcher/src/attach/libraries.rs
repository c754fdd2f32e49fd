//! Libraries, by the names that the VM has for them. One in a container sees other files: it gets
//! copies in its own /tmp, which stay there.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};

use super::process::Process;
use super::system;
use crate::say::Failure;

/// The name of this file in that process.
pub(crate) fn seen_by(process: &Process, path: &Path) -> Result<PathBuf, Failure> {
    let identity = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if identity(&process.path(&path)) == identity(&path) {
        return Ok(path);
    }
    copy_for(process, &path).map_err(|error| {
        Failure::xrun(format!(
            "{}: it does not see {}, which cannot be put into its /tmp: {error}",
            process.pid,
            path.display()
        ))
    })
}

fn copy_for(process: &Process, path: &Path) -> std::io::Result<PathBuf> {
    let folder = PathBuf::from(format!("/tmp/.xrun_{}", process.uid));
    let outside = process.path(&folder);
    let own = |path: &Path| {
        if system::user() == process.uid {
            Ok(())
        } else {
            chown(path, Some(process.uid), Some(process.gid))
        }
    };
    match DirBuilder::new().mode(0o700).create(&outside) {
        Ok(()) => own(&outside)?,
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    let data = fs::symlink_metadata(&outside)?;
    if !data.is_dir() || data.uid() != process.uid || data.mode() & 0o022 != 0 {
        let text = format!("{} is somebody else's", folder.display());
        return Err(std::io::Error::other(text));
    }
    let bytes = fs::read(path)?;
    let name = path.file_name().unwrap_or_default();
    let copy = outside.join(name);
    if fs::read(&copy).ok().as_ref() != Some(&bytes) {
        // Another file under the same name: VMs may have the old one mapped.
        let fresh = outside.join(format!(".{}", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o700)
            .open(&fresh);
        let written = file.and_then(|mut file| file.write_all(&bytes));
        let placed = written
            .and_then(|()| own(&fresh))
            .and_then(|()| fs::rename(&fresh, &copy));
        if placed.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        placed?;
    }
    Ok(folder.join(name))
}
