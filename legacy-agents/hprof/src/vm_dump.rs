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

/// Puts a string behind the last record, which says for whom it was written: to readers one that
/// nothing names. A file that it cannot be put behind stays as it was.
pub(crate) fn sign(dump: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(dump)?;
    let whole = file.metadata()?.len();
    let mut body = Body(ID.to_be_bytes().to_vec());
    let text = format!("the VM's heap dumper, for {}", program::WRITER);
    body.0.extend_from_slice(text.as_bytes());
    let mut bytes = Vec::new();
    record(&mut bytes, STRING, 0, &body)?;
    file.write_all(&bytes).or_else(|reason| {
        file.set_len(whole)?;
        Err(reason)
    })
}
