//! Agents of another width than this program's, most of which are as old as JVMPI: whether the dynamic linker finds
//! what they need, and what of theirs systems of today may not like.
//!
//! Nothing of an agent runs here: its own dynamic linker is asked, as ldd does.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agent_host::{VM_FUNCTIONS, VM_LIBRARIES};

use super::advice;
use super::child;
use super::report::Report;
use crate::libraries::elf::{defined_by, target_of};
use crate::libraries::linker_needs::{self, Stack, Wishes};

const LIMIT: Duration = Duration::from_secs(20);

/// Has a library looked at by the dynamic linker of the program that is to load it, for the problems that it would
/// have; `well` is said if there are none. A VM's own symbols are there, too.
pub(crate) fn try_loading(
    program: &Wishes,
    library: &Path,
    libjvm: Option<&Path>,
    well: &str,
    report: &mut Report,
) {
    let Some(loader) = &program.loader else {
        return report.ok("whether it loads could not be tried: what is to load it cannot be read");
    };
    let mut command = Command::new(loader);
    command.arg(library);
    // ldd -r, with what the program has loaded by then, and what the user has it preload.
    let mut preloaded = OsString::from(program.needed.join(":"));
    if let Some(own) = std::env::var_os("LD_PRELOAD") {
        preloaded.push(":");
        preloaded.push(own);
    }
    command
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .env("LD_WARN", "yes")
        .env("LD_BIND_NOW", "yes")
        .env("LD_PRELOAD", preloaded);
    let outcome = match child::run(&mut command, LIMIT) {
        Ok(outcome) => outcome,
        Err(error) => {
            let what = format!("whether it loads could not be tried: {}: {error}", loader);
            return report.ok(&what);
        }
    };
    let mut found = Troubles::read(&format!("{}\n{}", outcome.stdout, outcome.stderr));
    // A VM has its libraries by then, and what runs agents beside one makes them.
    let of_vm = match libjvm {
        Some(libjvm) => defined_by(libjvm),
        None => VM_FUNCTIONS.map(str::to_owned).into(),
    };
    let is_there =
        |name: &str| VM_LIBRARIES.contains(&name) && (libjvm.is_none() || name != advice::HPI);
    found.missing.retain(|name| !is_there(name));
    found.lacking.retain(|symbol| !of_vm.contains(symbol));
    let path = library.display();
    for name in &found.missing {
        report.problem(
            &format!("{path} needs {name}, which is not there for 32-bit programs"),
            &where_to_get(name),
        );
    }
    for line in &found.versions {
        report.problem(
            &format!("{path} cannot be loaded: {line}"),
            "it was built for a newer system; get an older build, or run it on a newer system",
        );
    }
    // What a missing library would have had.
    if !found.lacking.is_empty() && found.missing.is_empty() {
        report.problem(
            &format!(
                "{path} loads, but calls what neither the program that loads it nor any library it names has: {}",
                found.lacking.join(", ")
            ),
            "that program ends when such a call is made; get a build that does not need them, or preload a library that has them (LD_PRELOAD)",
        );
    }
    if found.is_none() {
        if outcome.succeeded() {
            report.ok(well);
        } else {
            report.problem(
                &format!("{path} cannot be loaded: {}", outcome.complaint()),
                advice::load_advice(&outcome.complaint()),
            );
        }
    }
}

/// What the dynamic linker has missed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Troubles {
    /// Libraries.
    missing: Vec<String>,
    /// Versions of symbols, in its own words.
    versions: Vec<String>,
    /// Symbols.
    lacking: Vec<String>,
}

impl Troubles {
    fn read(said: &str) -> Self {
        let mut found = Self::default();
        for line in said.lines().map(str::trim) {
            if let Some((name, _)) = line.split_once(" => not found") {
                found.missing.push(name.to_owned());
            } else if line.contains(": version `") {
                found.versions.push(line.to_owned());
            } else if let Some((_, rest)) = line.split_once("undefined symbol: ") {
                let name = rest.split([',', ' ', '\t']).next();
                found.lacking.extend(name.map(str::to_owned));
            } else if let Some(name) = without_version(line) {
                found.lacking.push(name.to_owned());
            }
        }
        for list in [&mut found.missing, &mut found.versions, &mut found.lacking] {
            list.sort();
            list.dedup();
        }
        found
    }

    fn is_none(&self) -> bool {
        self.missing.is_empty() && self.versions.is_empty() && self.lacking.is_empty()
    }
}

/// The symbol of which a library does not have the version, as glibc before 2.35 says it.
fn without_version(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(" not defined in file ")?;
    let (_, symbol) = before.split_once("symbol ")?;
    Some(symbol.split_once(", version ")?.0)
}

/// Where a library for 32-bit x86 is to be had.
fn where_to_get(library: &str) -> String {
    const FOREIGN: &str = "dpkg --add-architecture i386, apt-get update, apt-get install ";
    const PATH: &str = "or put the folder of the old file on LD_LIBRARY_PATH";
    let packages = [
        ("libstdc++.so.5", "libstdc++5:i386"),
        ("libstdc++.so.6", "lib32stdc++6"),
        ("libgcc_s.so.1", "lib32gcc-s1"),
        ("libz.so.1", "lib32z1"),
    ];
    if library == advice::HPI {
        return advice::NO_HPI.to_owned();
    }
    if let Some((_, package)) = packages.iter().find(|(name, _)| *name == library) {
        let before = if package.ends_with(":i386") {
            FOREIGN
        } else {
            ""
        };
        return format!("install it (Debian: {before}{package}), {PATH}");
    }
    if library.starts_with("libstdc++") {
        return "no package of today has this C++ library: take the file from a system of its time (Red Hat: \
                compat-libstdc++, Debian 3.1: libstdc++2.10-glibc2.2), and put its folder on LD_LIBRARY_PATH"
            .to_owned();
    }
    format!("install its package for i386 (Debian: {FOREIGN}NAME:i386), {PATH}")
}

/// Says what an agent for x86 asks of the system, and what of it may be refused.
pub(crate) fn describe(library: &Path, report: &mut Report) {
    let Ok(target) = target_of(library) else {
        return;
    };
    if !target.is_i386() && !target.is_x86_64() {
        return;
    }
    let Some(wishes) = linker_needs::of(library) else {
        return;
    };
    let needed = wishes.needed.iter().map(|name| {
        let versions = wishes.versions.iter().find(|(library, _)| library == name);
        let versions = versions.map(|(_, versions)| format!(" ({})", versions.join(", ")));
        format!("{name}{}", versions.unwrap_or_default())
    });
    let needed: Vec<String> = needed.collect();
    if !needed.is_empty() && target.is_i386() {
        report.ok(&format!("it names {}", needed.join(", ")));
    }
    let signs = signs_of_age(&wishes, target.is_i386());
    if !signs.is_empty() {
        report.ok(&format!("it is an old binary: {}", signs.join("; ")));
    }
}

fn signs_of_age(wishes: &Wishes, narrow: bool) -> Vec<String> {
    let mut signs = Vec::new();
    if wishes.text_relocations {
        signs.push("text relocations: its code is written to when it is loaded, which SELinux may forbid (execmod)".to_owned());
    }
    let what = match wishes.stack {
        Stack::Plain => None,
        Stack::Executable => Some("it wants an executable stack"),
        Stack::Unmarked => {
            Some("no mark for its stack, which counts as a wish for an executable one")
        }
    };
    if let Some(what) = what {
        let (where_to, beside) = if narrow {
            (
                "in a VM of 32 bits unless that",
                ", beside one of 64 bits its process sees to that itself",
            )
        } else {
            ("unless the VM", "")
        };
        signs.push(format!(
            "{what}: all stacks of the process become so, and a VM that it comes to late warns of that; glibc 2.41 and later refuse it \
             {where_to} is started with GLIBC_TUNABLES=glibc.rtld.execstack=2, as xrun does (or the mark taken off a copy: patchelf \
             --clear-execstack){beside}"
        ));
    }
    if wishes.old_hash {
        signs.push(
            "only the first kind of hash table for its symbols, which is still read".to_owned(),
        );
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_linker_says_is_read() {
        let said = "\tlinux-gate.so.1 (0xf7f0)\n\tlibstdc++.so.5 => not found\n\tlibc.so.6 => /lib32/libc.so.6 (0x1)\n\
                    undefined symbol: old_cxx\t(/a/libfoo.so)\nundefined symbol: _Znwj, version GLIBCPP_3.2\t(/a/libfoo.so)\n\
                    /a/libfoo.so: /lib32/libc.so.6: version `GLIBC_2.99' not found (required by /a/libfoo.so)\n";
        let found = Troubles::read(said);
        assert_eq!(found.missing, ["libstdc++.so.5"]);
        assert_eq!(found.lacking, ["_Znwj", "old_cxx"]);
        assert_eq!(found.versions.len(), 1);
        let said = "/a/libfoo.so: symbol old_one, version GLIBC_2.0 not defined in file libc.so.6 with link time \
                    reference\t(/a/libfoo.so)\n";
        assert_eq!(Troubles::read(said).lacking, ["old_one"]);
        assert!(Troubles::read("\tlibc.so.6 => /lib32/libc.so.6 (0x1)\n").is_none());
    }

    #[test]
    fn packages_are_named() {
        assert!(where_to_get("libstdc++.so.5").contains("apt-get install libstdc++5:i386"));
        assert!(where_to_get("libz.so.1").contains("(Debian: lib32z1)"));
        assert!(where_to_get("libstdc++-libc6.2-2.so.3").contains("of its time"));
        assert_eq!(where_to_get("libhpi.so"), advice::NO_HPI);
        assert!(where_to_get("libXt.so.6").contains("NAME:i386"));
    }

    #[test]
    fn signs_are_told_where_there_are_some() {
        assert!(signs_of_age(&Wishes::default(), true).is_empty());
        let old = Wishes {
            text_relocations: true,
            stack: Stack::Unmarked,
            old_hash: true,
            ..Wishes::default()
        };
        assert_eq!(signs_of_age(&old, true).len(), 3);
        assert!(!signs_of_age(&old, false).join(" ").contains("32 bits"));
    }
}
