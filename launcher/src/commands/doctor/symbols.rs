//! What the symbols that an agent wants of others say of it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::report::Report;
use crate::libraries::elf::{Symbols, Target, defined_by, target_of};

/// Variables of C libraries up to glibc 2.2; code that was compiled for several threads calls functions.
pub(super) const OLD_VARIABLES: [&str; 2] = ["errno", "h_errno"];

/// Whether it imports such variables, and nothing that is preloaded has them: then it cannot be tried.
pub(super) fn old_variables(library: &Path, report: &mut Report) -> bool {
    let preloaded = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    let wanted = undefined(library);
    let lacking = lacking_variables(&wanted, &preloaded);
    if lacking.is_empty() {
        return false;
    }
    let target = target_of(library).ok();
    let width = target.map_or("", |it| if it.is_i386() { "-m32 " } else { "" });
    let version = target.map_or("GLIBC_2.0", first_version);
    report.problem(
        &format!(
            "{} imports {} as a variable, as code did that was compiled without -D_REENTRANT: C libraries of today have \
             one for each thread, so the agent either cannot be loaded, or reads and writes memory that is not its own \
             and ends the program",
            library.display(),
            lacking.join(" and ")
        ),
        &format!(
            "preload a library that has them (they are 0 then, whatever fails), under the version of old C libraries, for \
             without that it takes them from the system's own libraries: echo 'int errno, h_errno;' > errno.c; echo \
             '{version} {{ errno; h_errno; }};' > errno.map; gcc {width}-shared -fPIC -Wl,--version-script=errno.map errno.c \
             -o liberrno.so; LD_PRELOAD=$PWD/liberrno.so"
        ),
    );
    true
}

/// The version that the first symbols of the C library have there.
fn first_version(target: Target) -> &'static str {
    if target.is_x86_64() {
        "GLIBC_2.2.5"
    } else if target.is_aarch64() {
        "GLIBC_2.17"
    } else {
        "GLIBC_2.0"
    }
}

fn lacking_variables<'a>(wanted: &'a [String], preloaded: &OsStr) -> Vec<&'a str> {
    let files = preloaded.as_bytes().split(|byte| b" :".contains(byte));
    let there: Vec<_> = files
        .filter(|file| file.contains(&b'/'))
        .map(|file| defined_by(Path::new(OsStr::from_bytes(file))))
        .collect();
    let wanted = wanted.iter().map(String::as_str);
    wanted
        .filter(|name| OLD_VARIABLES.contains(name))
        .filter(|name| !there.iter().any(|symbols| symbols.contains(*name)))
        .collect()
}

/// What an agent finds in its own process where it may expect the VM's.
pub(super) fn of_another_process(library: &Path, report: &mut Report) {
    let wanted = undefined(library);
    if let Some(handles) = some_of(
        &wanted,
        &["sigaction", "signal", "bsd_signal", "__sysv_signal"],
    ) {
        report.ok(&format!(
            "it handles signals ({handles}), of which it gets those of its own process: to kill -USR1 the VM does not \
             reach it, and ends the program; send the signal to the process xrun-host32 instead"
        ));
    }
    if let Some(asks) = some_of(&wanted, &["setitimer", "getrusage", "times", "clock"]) {
        report.ok(&format!(
            "it asks for the time that a process has used ({asks}), which is that of its own process, xrun-host32, and \
             not the program's; GetCurrentThreadCpuTime tells of the program's threads"
        ));
    }
}

fn some_of(wanted: &[String], names: &[&str]) -> Option<String> {
    let found = names
        .iter()
        .filter(|name| wanted.iter().any(|it| it == *name));
    let found: Vec<&str> = found.copied().collect();
    (!found.is_empty()).then(|| found.join(", "))
}

fn undefined(library: &Path) -> Vec<String> {
    Symbols::of(library).map_or_else(|_| Vec::new(), |symbols| symbols.undefined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_told_from_functions() {
        let wanted = ["errno", "__errno_location", "printf"].map(str::to_owned);
        assert_eq!(lacking_variables(&wanted, OsStr::new("")), ["errno"]);
        assert!(lacking_variables(&wanted[1..], OsStr::new("")).is_empty());
    }

    /// An agent that wants them under a version takes them under no other.
    #[test]
    fn the_oldest_version_is_the_processors() {
        let elf = |class, machine| {
            let mut head = [0; Target::HEAD];
            head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1]);
            head[18] = machine;
            first_version(Target::from_head(&head).unwrap())
        };
        assert_eq!(elf(1, 3), "GLIBC_2.0");
        assert_eq!(elf(2, 62), "GLIBC_2.2.5");
        assert_eq!(elf(2, 183), "GLIBC_2.17");
    }

    #[test]
    fn names_are_listed() {
        let wanted = ["times", "printf", "clock"].map(str::to_owned);
        let found = some_of(&wanted, &["setitimer", "times", "clock"]);
        assert_eq!(found.as_deref(), Some("times, clock"));
        assert_eq!(some_of(&wanted[1..2], &["times"]), None);
    }
}
