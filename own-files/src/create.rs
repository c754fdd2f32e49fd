//! Files that are made.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Makes a file that only its owner may read, where nothing is yet: no link is followed.
///
/// # Errors
/// If it cannot be made; `AlreadyExists` if there is anything of this name.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    options.open(path)
}
