//! What stands in a file, whoever wrote it.

mod binary;
mod collapsed;
mod json;
mod pprof;
#[cfg(test)]
mod tests;
mod text;

use std::io::{self, BufReader, Read};

use profile_formats::flame;

use crate::part::{Part, Process};

/// What stands in a file that is called so.
///
/// # Errors
/// What is wrong with it and what to do, in words.
pub fn read(name: &str, mut file: &mut dyn Read) -> Result<Part, String> {
    let process = Process {
        name: name.rsplit('/').next().unwrap_or(name).to_owned(),
        host: String::new(),
    };
    let mut head = Vec::new();
    let begin = Read::by_ref(&mut file).take(64).read_to_end(&mut head);
    begin.map_err(cut_off)?;
    if head.is_empty() {
        return Err(
            "empty: its process ended before a profile was whole; rewrite=60s writes one every minute"
                .to_owned(),
        );
    }
    let mut file = BufReader::new(head.as_slice().chain(file));
    if let Some(rest) = head.strip_prefix(b"JAVA PROFILE ") {
        let version = rest.split(|&byte| byte == b',' || byte == 0).next();
        let version = String::from_utf8_lossy(version.unwrap_or_default()).into_owned();
        if !["1.0", "1.0.1", "1.0.2"].contains(&&*version) {
            return Err(format!(
                "version {version} of HPROF's formats, and 1.0 to 1.0.2 are known: write it with \
                 format=pprof or format=collapsed"
            ));
        }
        return match rest.get(version.len()) {
            Some(0) => binary::read(&mut file, process),
            _ => text::read(&mut file, process),
        };
    }
    if head.starts_with(b"\x89xrun trace") {
        return Err(
            "a recording, no profile: xrun trace diff compares two, xrun trace stats counts what is in one"
                .to_owned(),
        );
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(cut_off)?;
    // Compressed or not: then a message within it comes first, whose first field is a number.
    if matches!(head[..], [0x1f, 0x8b, ..] | [0x0a, _, 0x08, ..]) {
        return pprof::read(&bytes, process);
    }
    if head.starts_with(b"{") {
        return json::read(bytes, process);
    }
    if flame::is_one(&bytes) || head.starts_with(b"<") {
        return Err(
            "a page, for people: write format=pprof, json or collapsed to have it merged"
                .to_owned(),
        );
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) => collapsed::read(text, process),
        Err(_) => Err(UNKNOWN.to_owned()),
    }
}

/// Why a file could not be read.
fn cut_off(error: io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        CUT_OFF.to_owned()
    } else {
        error.to_string()
    }
}

const UNKNOWN: &str = "no profile that xrun knows: collapsed, json, pprof, or HPROF's format=a and \
                       format=b with CPU samples, times or sites";

const CUT_OFF: &str = "cut off: its process ended while it was written, or it was not copied whole: copy it again; with \
                       rewrite=60s a process that ends in any way leaves a whole one";
