//! What stands in a file, whoever wrote it.

mod binary;
mod collapsed;
mod json;
mod pprof;
#[cfg(test)]
mod tests;
mod text;

use profile_formats::flame;

use crate::part::{Part, Process};

/// What stands in a file with these bytes, which is called so.
///
/// # Errors
/// What is wrong with it and what to do, in words.
pub fn read(name: &str, bytes: &[u8]) -> Result<Part, String> {
    let process = Process {
        name: name.rsplit('/').next().unwrap_or(name).to_owned(),
        host: String::new(),
    };
    let head = bytes.get(..bytes.len().min(64)).unwrap_or_default();
    if bytes.is_empty() {
        return Err(
            "empty: its process ended before a profile was whole; rewrite=60s writes one every minute"
                .to_owned(),
        );
    }
    if head.starts_with(&[0x1f, 0x8b]) {
        return pprof::read(bytes, process);
    }
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
            Some(0) => binary::read(bytes, process),
            _ => text::read(&String::from_utf8_lossy(bytes), process),
        };
    }
    if head.starts_with(b"{") {
        return json::read(bytes, process);
    }
    if flame::is_one(bytes) || head.starts_with(b"<") {
        return Err(
            "a page, for people: write format=pprof, json or collapsed to have it merged"
                .to_owned(),
        );
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => collapsed::read(text, process),
        // Uncompressed: the first field of a message.
        Err(_) if head.starts_with(b"\x0a") => pprof::read(bytes, process),
        Err(_) => Err(UNKNOWN.to_owned()),
    }
}

const UNKNOWN: &str = "no profile that xrun merge knows: collapsed, json, pprof, or HPROF's format=a and \
                       format=b with CPU samples, times or sites";

const CUT_OFF: &str = "cut off: its process ended while it was written, or it was not copied whole: copy it again; with \
                       rewrite=60s a process that ends in any way leaves a whole one";
