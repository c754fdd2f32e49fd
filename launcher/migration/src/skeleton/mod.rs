//! `xrun report --skeleton`: a JVMTI agent in C that begins where the recorded one leaves off.
//!
//! Made of tables and templates: what each event and function of JVMPI takes ([`events`],
//! [`functions`]), what JVMTI's events take ([`jvmti`]), and C with conditions (`c/*.c`,
//! [`template`]). Nothing is read or written here.

mod comments;
mod events;
mod functions;
mod jvmti;
mod parts;
mod plan;
mod readme;
mod row;
mod source;
mod template;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use crate::Subject;
use plan::Plan;

/// The names of its files.
pub const FILES: [&str; 3] = ["agent.c", "Makefile", "README.md"];

/// A file of the skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkeletonFile {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub text: String,
}

/// In the order in which C wants them.
const TEMPLATES: [&str; 10] = [
    include_str!("c/head.c"),
    include_str!("c/threads.c"),
    include_str!("c/classes.c"),
    include_str!("c/objects.c"),
    include_str!("c/methods.c"),
    include_str!("c/monitors.c"),
    include_str!("c/references.c"),
    include_str!("c/dumps.c"),
    include_str!("c/functions.c"),
    include_str!("c/life.c"),
];

const MAKEFILE: &str = include_str!("Makefile.txt");

/// The agent, its Makefile, and what is to be known of it.
#[must_use]
pub fn skeleton(subject: &Subject<'_>) -> [SkeletonFile; 3] {
    let plan = Plan::of(subject);
    let mut code = String::new();
    for part in TEMPLATES {
        template::render(part, &plan, &mut code);
    }
    let [agent, makefile, about] = FILES;
    [
        file(agent, "/* ", " */", &code),
        file(makefile, "# ", "", MAKEFILE),
        file(about, "<!-- ", " -->", &readme::text(&plan)),
    ]
}

const MARK: &str = "xrun report --skeleton, unchanged as long as this is its checksum: ";

/// The file with a first line that tells whether somebody has worked on it.
fn file(name: &'static str, open: &str, close: &str, body: &str) -> SkeletonFile {
    let mut text = String::with_capacity(body.len() + 100);
    let checksum = recording_format::checksum(body.as_bytes());
    let _ = writeln!(text, "{open}{MARK}{checksum:016x}{close}");
    text.push_str(body);
    SkeletonFile { name, text }
}

/// Whether this is a file of a skeleton, and as it was written: nobody's work is lost with it.
#[must_use]
pub fn is_untouched(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let Some((head, body)) = text.split_once('\n') else {
        return false;
    };
    let Some((_, sum)) = head.split_once(MARK) else {
        return false;
    };
    let sum = sum.split(' ').next().unwrap_or_default();
    u64::from_str_radix(sum, 16) == Ok(recording_format::checksum(body.as_bytes()))
}
