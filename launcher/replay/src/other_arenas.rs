//! The recording as another collector would have made it ([`crate::at_arenas`]): written once
//! more, and read then as any other.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use crate::at_arenas::at_arenas;
use arena_models::Kind;
use recording_format::{Recording, Writer};

/// # Errors
/// One line, if the recording has arenas of its own, or there is no room for the other one.
pub(crate) fn of(recording: &Recording<'static>, kind: Kind) -> Result<Recording<'static>, String> {
    let trouble = |error: io::Error| format!("--arenas: {error}");
    let mut file = nameless().map_err(trouble)?;
    let mut writer = Writer::new(&recording.header);
    for thread in recording.threads() {
        writer.thread(thread.number, thread.tid);
    }
    let mut written = Ok(());
    let found = at_arenas(recording.items(), kind, |item| {
        writer.add(item);
        if written.is_ok() {
            written = file.write_all(&writer.ready());
        }
    });
    found.map_err(|error| error.to_string())?;
    written
        .and_then(|()| file.write_all(&writer.finish()))
        .map_err(trouble)?;
    io::Seek::rewind(&mut file).map_err(trouble)?;
    crate::open(file).map_err(|error| format!("--arenas: {error}"))
}

/// A file that nobody else can open, and that is gone with us.
fn nameless() -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
        .custom_flags(libc::O_TMPFILE)
        .open(std::env::temp_dir())
}
