//! Recordings that are mapped for as long as the process lives: threads of an agent may outlive
//! everything.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use recording_file::RecordingFile;
use recording_format::Recording;

/// What has been mapped.
static MAPPED: Mutex<Vec<&'static RecordingFile>> = Mutex::new(Vec::new());

/// The recording in a file.
///
/// # Errors
/// One line, if it cannot be read, or is none.
pub(crate) fn recording_in(file: File) -> Result<Recording<'static>, String> {
    let file = RecordingFile::new(file).map_err(|error| error.to_string())?;
    let file: &'static RecordingFile = Box::leak(Box::new(file));
    MAPPED.lock().push(file);
    file.recording().map_err(|error| error.to_string())
}

/// A record has been read: from time to time what has been read is forgotten. Who asks for it
/// again has it again.
pub(crate) fn note_read() {
    const OFTEN: u64 = 1 << 20;
    static READ: AtomicU64 = AtomicU64::new(0);
    if READ.fetch_add(1, Ordering::Relaxed) % OFTEN == OFTEN - 1 {
        forget();
    }
}

/// Gives the kernel the memory of what is mapped back.
pub(crate) fn forget() {
    for file in MAPPED.lock().iter() {
        file.forget();
    }
}
