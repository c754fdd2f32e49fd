//! What HPROF adds to a dump that the VM's own dumper has written.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use crate::binary::{Body, record};
use crate::program;

/// UTF8.
const STRING: u8 = 0x01;
/// The VM's strings have addresses for ids, and nothing of it lies at this one.
const ID: usize = 1;

/// Why a dump does not say who has written it.
#[derive(Debug)]
pub(crate) struct Unsigned {
    /// It is as the VM has written it.
    pub(crate) is_whole: bool,
    pub(crate) reason: io::Error,
}

/// Puts a string behind the last record, which says for whom it was written: to readers one that
/// nothing names.
pub(crate) fn sign(dump: &Path) -> Result<(), Unsigned> {
    let untouched = |reason| Unsigned {
        is_whole: true,
        reason,
    };
    let mut file = OpenOptions::new()
        .append(true)
        .open(dump)
        .map_err(untouched)?;
    let whole = file.metadata().map_err(untouched)?.len();
    let mut body = Body(ID.to_be_bytes().to_vec());
    let text = format!("the VM's heap dumper, for {}", program::WRITER);
    body.0.extend_from_slice(text.as_bytes());
    let mut bytes = Vec::new();
    record(&mut bytes, STRING, 0, &body).map_err(untouched)?;
    file.write_all(&bytes).map_err(|reason| Unsigned {
        is_whole: file.set_len(whole).is_ok(),
        reason,
    })
}
