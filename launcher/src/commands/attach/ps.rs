//! `xrun ps`: the JVMs that there are.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use terminal_text::printable::printable;

use super::process::Process;
use super::system;
use super::trouble::Trouble;
use super::vm::Vm;
use crate::base::say::{self, Failure};

/// A heading, and a line on stdout for each, by their ids: process, user, JDK, what it runs, and why
/// it cannot be attached to, if that is known.
pub(crate) fn run() -> Result<(), Failure> {
    let mut pids: Vec<i32> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    pids.sort_unstable();
    let heading = ["PID", "USER", "JDK", "PROGRAM"].map(str::to_owned);
    let rows = pids.into_iter().filter_map(row);
    let mut text = String::new();
    for [pid, user, jdk, program] in std::iter::once(heading).chain(rows) {
        // A string takes all that is written to it.
        let _ = writeln!(
            text,
            "{pid:>7}  {user:<10} {jdk:<12} {}",
            printable(&program)
        );
    }
    say::out(text.as_bytes())
}

fn row(pid: i32) -> Option<[String; 4]> {
    let process = Process::find(pid).ok()?;
    let user = user_name(process.uid);
    if system::user() != 0 && system::user() != process.uid {
        // Its performance memory cannot be read, but it is there.
        return has_performance_memory(pid).then(|| {
            let program = "(of another user: attach as that one, or as root)".to_owned();
            [pid.to_string(), user, "?".to_owned(), program]
        });
    }
    let why_not = process.why_not_ours();
    let vm = match Vm::of(process) {
        Ok(vm) => vm,
        // Root without its rights, in a container.
        Err(failure) if failure.code == Trouble::NotYours as u8 && has_performance_memory(pid) => {
            return Some([
                pid.to_string(),
                user,
                "?".to_owned(),
                format!("({why_not})"),
            ]);
        }
        Err(_) => return None,
    };
    let mut program = vm.program();
    if let Some(why) = vm.too_old().or_else(|| vm.refusal().map(str::to_owned)) {
        let _ = write!(program, " (cannot be attached to: {why})");
    } else if vm.shim.is_some() {
        program += " (libjvmpi.so is loaded)";
    }
    let jdk = vm.version().unwrap_or_else(|| "?".to_owned());
    Some([pid.to_string(), user, jdk, program])
}

fn has_performance_memory(pid: i32) -> bool {
    let folders = fs::read_dir(Path::new("/tmp"))
        .into_iter()
        .flatten()
        .flatten();
    let mut folders =
        folders.filter(|it| it.file_name().to_string_lossy().starts_with("hsperfdata_"));
    folders.any(|folder| folder.path().join(pid.to_string()).exists())
}

/// The name of a user; the number if it has none here.
fn user_name(uid: u32) -> String {
    let text = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of_uid = text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid.to_string()).then(|| name.to_owned())
    });
    of_uid.unwrap_or_else(|| uid.to_string())
}
