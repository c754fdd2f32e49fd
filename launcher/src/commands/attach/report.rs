//! What the shim in the VM answers beside a return code: a file that only xrun and the VM's user
//! can write, of a word for what became of it and lines for people.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt;

use super::inside::Folder;
use super::process::Process;
use super::trouble::Trouble;
use crate::base::say::Failure;

/// The place of a report; the file goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    process: &'a Process,
    /// In /tmp.
    name: String,
    /// The one that was made, and where; `None` if there can be none.
    made: Option<(File, Folder)>,
}

/// What was reported.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reported {
    /// Why nothing was done, if nothing was.
    pub(crate) trouble: Option<Trouble>,
    /// As they are, the shim's and the agent's.
    pub(crate) lines: Vec<String>,
}

impl<'a> Report<'a> {
    /// Makes an empty one.
    pub(crate) fn make(process: &'a Process) -> Self {
        let name = format!(".xrun_{}_{}", process.pid_inside, std::process::id());
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let made = process.folder("/tmp").and_then(|folder| {
            let file = process.acting(|| options.open(folder.join(&name)))?;
            Ok((file, folder))
        });
        Self {
            process,
            name,
            made: made.ok(),
        }
    }

    /// The name that the VM has it by; "" if there is none.
    pub(crate) fn inside(&self) -> String {
        let name = self.made.as_ref().map(|_| format!("/tmp/{}", self.name));
        name.unwrap_or_default()
    }

    /// What stands in it.
    pub(crate) fn read(&self) -> Reported {
        /// More than the shim and an agent write there, in bytes.
        const LONGEST: u64 = 1 << 20;
        let mut bytes = Vec::new();
        if let Some((file, _)) = &self.made {
            // What could be read counts.
            let _ = file.take(LONGEST).read_to_end(&mut bytes);
        }
        read(&String::from_utf8_lossy(&bytes))
    }
}

impl Drop for Report<'_> {
    fn drop(&mut self) {
        if let Some((_, folder)) = &self.made {
            let path = folder.join(&self.name);
            let _ = self.process.acting(|| fs::remove_file(path));
        }
    }
}

/// Words of the shim's (`shim/src/base/attach_report.rs`) stand alone behind a `=`.
fn read(text: &str) -> Reported {
    let mut reported = Reported::default();
    for line in text.lines() {
        match line.strip_prefix('=') {
            Some("busy") => reported.trouble = Some(Trouble::Busy),
            Some("taken") => reported.trouble = Some(Trouble::Taken),
            Some("unfit") => reported.trouble = Some(Trouble::Unfit),
            Some("nothing") => reported.trouble = Some(Trouble::Nothing),
            Some("other") => reported.trouble = Some(Trouble::Other),
            _ => reported.lines.push(line.to_owned()),
        }
    }
    reported
}

impl Reported {
    /// As a failure in one line; `otherwise` if nothing was reported.
    pub(crate) fn failure(self, pid: i32, otherwise: Failure) -> Failure {
        let code = self.trouble.map_or(otherwise.code, |trouble| trouble as u8);
        if self.lines.is_empty() {
            let text = otherwise.text;
            return Failure { code, text };
        }
        let lines = self.lines.iter();
        let lines = lines.map(|line| line.strip_prefix("jvmpi: warning: ").unwrap_or(line));
        let mut text = format!("{pid}: {}", lines.collect::<Vec<_>>().join(" / "));
        if self.trouble == Some(Trouble::Taken) {
            text += &format!(", or detach that one: xrun detach {pid}");
        }
        Failure { code, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lines() {
        let reported = read("jvmpi: warning: a runs\n=taken\n= odd\n");
        assert_eq!(reported.trouble, Some(Trouble::Taken));
        assert_eq!(reported.lines, ["jvmpi: warning: a runs", "= odd"]);
        let failure = reported.failure(7, Failure::agent("x"));
        assert_eq!(failure.code, 16);
        assert_eq!(
            failure.text,
            "7: a runs / = odd, or detach that one: xrun detach 7"
        );
        let nothing = Reported::default().failure(7, Failure::agent("x"));
        assert_eq!((nothing.code, &*nothing.text), (1, "x"));
        assert_eq!(read(""), Reported::default());
    }
}
