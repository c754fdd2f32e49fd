//! Whether an agent's library is there and can be loaded.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::advice;
use super::child;
use super::java::Java;
use super::old_binary;
use super::probe::{self, Verdict};
use super::report::Report;
use super::symbols;
use crate::command_line::agent::XrunOption;
use crate::command_line::quote;
use crate::java::jdk::Jdk;
use crate::libraries::elf::{AgentKind, NoLibrary, Symbols, Target, target_of};
use crate::libraries::find::{Found, Place, Unfit, agents_in, short_name};
use crate::libraries::linker_needs;
use crate::libraries::needed_libraries;
use crate::run::context::Context;

/// Under qemu a program takes its time to start.
const BESIDE_LIMIT: Duration = Duration::from_secs(20);

/// What the dynamic linker says of an agent that is linked with the VM, where there is none.
const NO_VM_THERE: &str = "libjvm.so: cannot open shared object file";

/// Looks at one agent, as `java`'s VM would.
pub(crate) fn examine(
    context: &Context,
    java: Option<&Java>,
    xrun: &XrunOption,
    report: &mut Report,
) {
    let name = xrun.name.display();
    if xrun.name == "jdwp" {
        return report.ok("-Xrunjdwp is the JDK's debugger, no JVMPI agent; xrun leaves it alone");
    }
    let jdk = java.and_then(|java| java.jdk.as_ref());
    let target = jdk
        .and_then(Jdk::target)
        .or_else(|| target_of(&context.shim.path).ok());
    let boot = jdk.map(|jdk| jdk.boot.clone()).into_iter().collect();
    let search = context.search(boot, target);
    let found = match search.find(&xrun.name) {
        Ok(found) => found,
        Err(missing) => {
            for (path, reason) in &missing.unfit {
                report.problem(
                    &format!("{} {reason}", path.display()),
                    unfit_advice(reason),
                );
            }
            if missing.unfit.is_empty() {
                if Path::new(&xrun.name).is_dir() {
                    report.problem(
                        &format!("{name} is a folder"),
                        &format!("name the agent in it as well: xrun doctor --agents {name} foo"),
                    );
                    return;
                }
                if xrun.name.as_bytes().contains(&b'/') {
                    report.problem(&format!("{name}: no such file"), "check the path");
                    return;
                }
                let (_, meant) = search.others(&xrun.name);
                let meant = meant.map(|meant| format!("did you mean {meant}? Or "));
                report.problem(
                    &format!("no agent {name}: not in the JDK's library folder, --agents, LD_LIBRARY_PATH, the system's library folders or beside xrun"),
                    &format!(
                        "{}name the folder of its library with --agents DIR, or check the name: foo is libfoo.so",
                        meant.unwrap_or_default()
                    ),
                );
            }
            return;
        }
    };
    report.ok(&format!(
        "{} {}",
        found.path.display(),
        place_text(found.place)
    ));
    let parts = if found.kind == AgentKind::Neither {
        needed_libraries::with_entry(&found.path)
    } else {
        Vec::new()
    };
    entry_points(&found, &parts, report);
    if found.kind != AgentKind::Neither || !parts.is_empty() {
        match search.host32.as_deref().filter(|_| found.beside) {
            _ if symbols::old_variables(&found.path, report) => {}
            Some(program) if matches!(found.kind, AgentKind::Jvmpi | AgentKind::Neither) => {
                loads_beside(program, &found, target, report);
            }
            // What runs beside the VM calls JVM_OnLoad; a JVMTI agent is loaded by the VM itself.
            Some(_) => report.problem(
                "it is for 32-bit x86, and a VM of another kind cannot load it; only JVMPI agents run in a process of their own",
                "get a build of the agent for this VM, or run a java as wide as the agent",
            ),
            None => match (target_of(&found.path).ok(), java.zip(jdk)) {
                // Of another width than this program.
                (its, Some((java, jdk))) if its.is_some() && its != Target::OWN => {
                    let program = linker_needs::of(&java.path).unwrap_or_default();
                    let in_vm = "it loads, and all symbols it needs are there";
                    old_binary::try_loading(&program, &found.path, Some(&jdk.libjvm), in_vm, report);
                }
                _ => load(&found, jdk, report),
            },
        }
        old_binary::describe(&found.path, report);
    }
    if !report.all_well() {
        return;
    }
    if matches!(found.kind, AgentKind::Jvmti | AgentKind::WithShim) {
        let path = quote::for_shell(found.path.as_os_str().as_bytes());
        let path = String::from_utf8_lossy(&path);
        report.ok(&format!("run it: java -agentpath:{path}=OPTIONS …"));
    } else {
        let name = short_name(&found.path).unwrap_or_else(|| name.to_string());
        let agents = match (found.place, found.path.parent()) {
            (Place::Agents | Place::Path, Some(folder)) => {
                let folder = quote::for_shell(folder.as_os_str().as_bytes());
                format!("--agents {} ", String::from_utf8_lossy(&folder))
            }
            _ => String::new(),
        };
        report.ok(&format!("run it: xrun {agents}java -Xrun{name}:OPTIONS …"));
        if ends_processes(&found.path) {
            report.ok(
                "it can call exit() itself, as agents do on options they do not like: load it with a VM, \
                 not by jcmd into a service that must go on",
            );
        }
    }
}

/// Names the agents that would be found without knowing them.
pub(crate) fn list(context: &Context, java: Option<&Java>, report: &mut Report) {
    let target = java.and_then(|java| java.jdk.as_ref()?.target());
    for folder in context.agents.iter().chain(&context.own) {
        let names = agents_in(folder, target);
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        report.ok(&format!("agents in {}: {names}", folder.display()));
    }
}

/// `parts`: libraries that it needs, if it has none itself.
fn entry_points(found: &Found, parts: &[String], report: &mut Report) {
    let path = found.path.display();
    match found.kind {
        AgentKind::Jvmpi => report.ok("it has JVM_OnLoad, as an agent for -Xrun must"),
        AgentKind::Jvmti => report.ok(
            "it has Agent_OnLoad only: a JVMTI agent, which runs on today's JVMs without xrun (xrun passes it on)",
        ),
        AgentKind::WithShim => report.ok(
            "it has libjvmpi in it, and runs on today's JVMs without xrun (which then adds no libjvmpi.so)",
        ),
        AgentKind::Neither if !parts.is_empty() => report.ok(&format!(
            "it has neither JVM_OnLoad nor Agent_OnLoad; it is an agent if one of these has: {}",
            parts.join(", ")
        )),
        AgentKind::Neither => report.problem(
            &format!("{path} has neither JVM_OnLoad nor Agent_OnLoad: no agent, or only a part of one"),
            "name the agent's own library; the profiler's manual says which one goes after -Xrun",
        ),
    }
}

fn load(found: &Found, jdk: Option<&Jdk>, report: &mut Report) {
    let path = found.path.display();
    let libjvm = jdk.map(|jdk| &*jdk.libjvm);
    let probe::Found {
        verdict,
        without_vm,
    } = probe::ask(libjvm, &found.path);
    // It has a C library of its own, say.
    let without_vm = libjvm.zip(without_vm).map(|(libjvm, why)| {
        format!(
            "{} cannot be opened here but by its own java: {why}",
            libjvm.display()
        )
    });
    match (verdict, without_vm) {
        (Verdict::Loads, None) => report.ok("it loads, and all symbols it needs are there"),
        (Verdict::Loads, Some(why)) => report.ok(&format!(
            "it loads, and all symbols it needs are there, the VM's by its table of symbols ({why})"
        )),
        (Verdict::Lacks(symbols), _) => report.problem(
            &format!(
                "{path} loads, but calls what neither this VM nor any library it names has: {}",
                symbols.join(", ")
            ),
            "the VM ends when such a call is made; get a build that does not need them, or preload a library that has them (LD_PRELOAD)",
        ),
        (Verdict::Fails(said), Some(why)) if said.contains("undefined symbol") => report.ok(&format!(
            "whether it loads could not be tried: {said}, which the VM may have, but {why}"
        )),
        (Verdict::Fails(said), without_vm) if said.starts_with(NO_VM_THERE) => report.ok(&format!(
            "whether it loads could not be tried: it is linked with libjvm.so, which in a VM is there{}",
            without_vm.map(|why| format!(", but {why}")).unwrap_or_default()
        )),
        (Verdict::Fails(why), _) => {
            report.problem(&format!("{path} cannot be loaded: {why}"), advice::load_advice(&why));
        }
        (Verdict::Crashes(how), _) => report.problem(
            &format!("{path} does not survive being loaded by itself: {how}"),
            "its own start-up code fails outside a VM; try it with xrun java, and look for another build if it fails there, too",
        ),
    }
}

/// Of an agent for another processor: whether its process can be had, and loads it.
fn loads_beside(program: &Path, found: &Found, vm: Option<Target>, report: &mut Report) {
    let Some(trouble) = trouble_beside(&mut Command::new(program)) else {
        let beside = "it is for 32-bit x86, and runs in a process of its own beside this VM";
        symbols::of_another_process(&found.path, report);
        let asks = linker_needs::of(program).filter(|_| vm.is_some_and(Target::is_x86_64));
        return match asks {
            Some(asks) => {
                let there = format!("{beside}; the libraries and symbols that it needs are there");
                old_binary::try_loading(&asks, &found.path, None, &there, report);
            }
            None => report.ok(&format!("{beside}; whether it loads there is not tried")),
        };
    };
    report.problem(
        &format!(
            "it is for 32-bit x86, and {}, in which it would run, does not: {trouble}",
            program.display()
        ),
        if vm.is_some_and(Target::is_x86_64) {
            "install the C library for programs of 32 bits (Debian: lib32gcc-s1, which brings libc6-i386)"
        } else {
            "programs for x86 run on other machines once these have qemu-user (Debian: qemu-user-static) and the C library \
             for i386 (Debian: libc6:i386 and libgcc-s1:i386, or a folder that has it in QEMU_LD_PREFIX)"
        },
    );
}

/// Why the program of agents for another processor does not run, if it does not.
fn trouble_beside(program: &mut Command) -> Option<String> {
    match child::run(program, BESIDE_LIMIT) {
        // Without words it says what it is for, and ends with this. What starts it, qemu or the dynamic
        // linker, ends with others if it cannot.
        Ok(outcome) if outcome.status.and_then(|status| status.code()) == Some(2) => None,
        Ok(outcome) => Some(outcome.complaint()),
        Err(error) => Some(error.to_string()),
    }
}

/// Whether it imports what ends the process it is in.
fn ends_processes(path: &Path) -> bool {
    let ends = |symbol: &String| matches!(&**symbol, "exit" | "_exit" | "abort");
    Symbols::of(path)
        .is_ok_and(|symbols| symbols.kind == AgentKind::Jvmpi && symbols.undefined.iter().any(ends))
}

fn place_text(place: Place) -> &'static str {
    match place {
        Place::JdkLib => "is in the JDK's library folder: the VM finds it by itself",
        Place::Agents => "is in a folder of --agents",
        Place::LibraryPath => "is on LD_LIBRARY_PATH: the VM finds it by itself",
        Place::OwnFolder => "is beside xrun",
        Place::System => "is in the system's library folders: the VM finds it by itself",
        Place::Path => "is there",
    }
}

fn unfit_advice(unfit: &Unfit) -> &'static str {
    match unfit {
        Unfit::BuiltFor { its, vm } if its.is_i386() && vm.is_x86_64() => {
            "get a build of the agent for this VM, or run a java (and a libjvmpi.so) as wide as the agent"
        }
        Unfit::BuiltFor { its, vm } if its.is_i386() && vm.is_aarch64() => {
            "get a build of the agent for AArch64, or compile its source (with xrun's jvmpi.h); for what HPROF has, use \
             xrun's own; or put that program beside libjvmpi.so, and have qemu-user (Debian: qemu-user-static) run it, with a C library for i386"
        }
        Unfit::BuiltFor { its, vm } if its.is_x86_64() && vm.is_aarch64() => {
            "no code for x86 runs in an AArch64 VM: get a build of the agent for AArch64, or compile its source (with xrun's jvmpi.h); \
             for what HPROF has, use xrun's own; else run the program on an x86-64 machine (or a java for x86-64 under qemu-user, \
             many times slower)"
        }
        Unfit::BuiltFor { .. } | Unfit::NoLibrary(NoLibrary::Foreign(_)) => {
            "get a build of the agent for this machine"
        }
        Unfit::NoLibrary(NoLibrary::Unreadable(_)) => "make it readable (chmod a+r)",
        Unfit::Folder | Unfit::NoLibrary(_) => "put the agent's real library there",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_for_x86_is_nothing_for_arm() {
        let of = |class: u8, machine: u8| {
            let mut head = *b"\x7fELF\0\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\0\0";
            (head[4], head[18]) = (class, machine);
            Target::from_head(&head).unwrap()
        };
        let (i386, x86_64, aarch64) = (of(1, 3), of(2, 62), of(2, 183));
        let advice = |its, vm| unfit_advice(&Unfit::BuiltFor { its, vm });
        for (agent, qemu_runs) in [(x86_64, "a java"), (i386, "that program")] {
            let said = advice(agent, aarch64);
            assert!(said.contains("compile its source"), "{said}");
            assert!(said.contains(qemu_runs), "{said}");
            assert!(advice(aarch64, agent).ends_with("for this machine"));
        }
        assert!(advice(i386, x86_64).contains("as wide as the agent"));
        assert!(advice(x86_64, i386).ends_with("for this machine"));
    }

    #[test]
    fn what_starts_does_not_yet_run() {
        let trouble = |script: &str| trouble_beside(Command::new("/bin/sh").args(["-c", script]));
        assert_eq!(trouble("echo it is started by >&2; exit 2"), None);
        let said = "Could not open '/lib/ld-linux.so.2'";
        let script = format!("echo \"{said}\" >&2; exit 255");
        assert_eq!(trouble(&script).as_deref(), Some(said));
        assert!(trouble("exit 0").is_some());
        assert!(trouble("kill -SEGV $$").is_some());
        assert!(trouble_beside(&mut Command::new("/nowhere/xrun-host32")).is_some());
    }
}
