//! What was profiled, for the head of a page.

use std::time::{Duration, SystemTime};

use crate::ffi::extension;
use crate::profile::Program;

/// Who has written a profile, for its head.
pub(crate) const WRITER: &str = concat!("HPROF for xrun ", env!("CARGO_PKG_VERSION"));

/// That of this process: `asked` of HPROF, profiled from one moment to the other.
pub(crate) fn of(asked: &str, ran: [SystemTime; 2], samples: String, unseen: String) -> Program {
    let [started, taken] = ran;
    let command = command_line();
    // By the host if that is xrun's; other hosts tell nothing of the kind.
    let program = extension::text("program").filter(|it| !it.is_empty());
    let length = taken.duration_since(started).unwrap_or_default();
    let facts = [
        ("Program", program.clone().unwrap_or_default()),
        ("Command", command.clone()),
        (
            "Process",
            format!("{} on {}", std::process::id(), own_files::host()),
        ),
        ("JDK", extension::text("vm").unwrap_or_default()),
        (
            "Collector",
            extension::text("collector").unwrap_or_default(),
        ),
        ("Options", asked.to_owned()),
        ("Length", seconds(length)),
        ("Samples", samples),
        ("Not seen", unseen),
        ("Written by", WRITER.to_owned()),
    ];
    Program {
        name: name(program.as_deref().unwrap_or(&command)),
        facts: facts
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect(),
    }
}

fn command_line() -> String {
    let bytes = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words = bytes.split(|&byte| byte == 0).filter(|it| !it.is_empty());
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    words.join(" ")
}

/// The first word, without its folder.
fn name(command: &str) -> String {
    let word = command.split_whitespace().next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default().to_owned()
}

fn seconds(length: Duration) -> String {
    format!("{:.1} s", length.as_secs_f64())
}

/// What cpu=samples has found, looking every so many milliseconds.
pub(crate) fn samples(found: u64, interval: u32) -> String {
    format!("{found}, one look every {interval} ms")
}

/// What cpu=samples has looked for in vain.
pub(crate) fn unseen(unseen: u64, (looks, stops): (u64, u64)) -> String {
    let mut parts = Vec::new();
    if unseen > 0 {
        parts.push(format!(
            "{unseen} samples of virtual threads, which are in no trace"
        ));
    }
    if stops > 0 {
        parts.push(format!(
            "{stops} of {looks} looks found the VM stopped, for a collection say"
        ));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs() {
        for (command, expected) in [
            ("com.acme.Main a b", "com.acme.Main"),
            ("/opt/x/app.jar --port 1", "app.jar"),
            ("", ""),
        ] {
            assert_eq!(name(command), expected);
        }
        assert_eq!(seconds(Duration::from_millis(2040)), "2.0 s");
    }
}
