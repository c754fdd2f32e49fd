//! An agent and us in one library (`./build-static`): nothing else is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use xrun_tests::fixture::{classes, linked, linked_by, unique};
use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::report::assert_checks;
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{product, workspace};

use crate::attaching::{load, served};

/// Runs the check on each JDK, with these agents of `agents/` as such libraries.
fn each_with<const COUNT: usize>(names: [&str; COUNT], check: impl Fn(&Jdk, [&Path; COUNT])) {
    let made = names.map(linked);
    let missing = made.iter().find_map(|made| made.clone().err());
    let made = made.map(Result::unwrap_or_default);
    let libraries = made.each_ref().map(PathBuf::as_path);
    each_jdk_if(
        |_| missing.clone().map_or(Ok(()), Err),
        |jdk| check(jdk, libraries),
    );
}

fn plain(java: Java) -> Run {
    java.main("Plain").run().exits(0).says("begin\nwork\nend\n")
}

/// What the agent `loaded` reports.
fn report(run: &Run) -> String {
    run.file("report.txt")
}

const LOADED: &str = "GetEnv 0 0 0, version 10000003\nINIT_DONE 1\nTHREAD_START of worker 1\nCLASS_LOAD of Plain 1\nSHUT_DOWN 1\n";

fn warnings(run: &Run) -> Vec<&str> {
    let lines = run.stderr.lines();
    lines.filter(|line| line.starts_with("jvmpi: ")).collect()
}

/// All of it is the agent's, whatever it looks like to us.
#[test]
fn options_are_the_agents() {
    each_with(["loaded"], |jdk, [library]| {
        let agent = |options: &str| {
            let java = Java::of(jdk).no_libraries();
            plain(java.arg(format!("-agentpath:{}{options}", library.display())))
        };
        let xrun = |options: &str| {
            let java = Java::of(jdk).no_libraries().library(library);
            plain(java.arg(format!("-Xrunloaded{options}")))
        };
        for (run, options) in [
            (agent(""), "(null)"),
            (agent("="), ""),
            (agent("=a=b,c:d"), "a=b,c:d"),
            (agent("=log=info,agent=foo:x"), "log=info,agent=foo:x"),
            (agent("=xrun-report=x,detach"), "xrun-report=x,detach"),
            // The VM finds no JVM_OnLoad, and takes it for an agent of JVMTI's.
            (xrun(""), "(null)"),
            (xrun(":a=b,c:d"), "a=b,c:d"),
        ] {
            assert_eq!(
                report(&run),
                format!("options {options}\n{LOADED}"),
                "{run}"
            );
            assert_eq!(warnings(&run), [""; 0], "{run}");
        }
        let run = Java::of(jdk)
            .arg("-Xrunloaded:x")
            .library(library)
            .main("Plain");
        let run = run.through(&product::xrun()).run().exits(0);
        assert_eq!(report(&run), format!("options x\n{LOADED}"), "{run}");
        assert_eq!(warnings(&run), [""; 0], "{run}");
    });
}

/// From JVM_OnLoad, a native method, threads of C's own.
#[test]
fn get_env_from_everywhere() {
    each_with(["getenv"], |jdk, [library]| {
        let java = Java::of(jdk).natives(jdk, library);
        let java = java.arg(agent_path(library, "")).main("GetEnv");
        let run = java.run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 49);
    });
}

/// The program and the first of them are as they are without the second.
#[test]
fn a_second_one_does_nothing() {
    each_with(["loaded", "refuses"], |jdk, [first, second]| {
        let (shim, by_shim) = (product::shim(), format!("{}:bad", second.display()));
        for (others, what) in [
            (vec![agent_path(second, "bad")], second),
            (vec![agent_path(&shim, "")], &shim),
            (vec![agent_path(&shim, &by_shim)], &shim),
            (vec!["-Xrunrefuses:bad".to_owned()], second),
            (
                vec![agent_path(second, "bad"), agent_path(second, "bad")],
                second,
            ),
        ] {
            let java = Java::of(jdk).no_libraries().library(second);
            let run = plain(java.arg(agent_path(first, "a")).args(&others));
            assert_eq!(report(&run), format!("options a\n{LOADED}"), "{run}");
            let said = format!(
                "jvmpi: warning: JVMPI knows one agent per VM, and {} is there already: {} does nothing; start the program with one of the two",
                first.display(),
                what.display()
            );
            assert_eq!(warnings(&run), vec![said; others.len()], "{run}");
            assert!(!run.stderr.contains("refuses: "), "{run}");
        }
        // One of ours that nobody uses is the first as well.
        let java = Java::of(jdk).env("JAVA_TOOL_OPTIONS", agent_path(&shim, ""));
        let run = plain(java.arg(agent_path(second, "bad")));
        let said = warnings(&run);
        assert!(
            said.len() == 1 && said[0].contains("librefuses.so does nothing"),
            "{run}"
        );
    });
}

#[test]
fn one_that_fails_ends_the_vm_as_xrun_does() {
    each_with(["failing"], |jdk, [library]| {
        for agent in [agent_path(library, "x"), "-Xrunfailing:x".to_owned()] {
            let java = Java::of(jdk).library(library).arg(agent).main("Plain");
            let run = java.run().exits(1).no_crash();
            let said = "-Xrun library failed to init: failing";
            assert!(run.stdout.contains(said), "{run}");
        }
    });
}

/// A start that fails leaves the program as it was; the next one works, and then there is one.
#[test]
fn into_a_program_that_runs() {
    each_with(["refuses", "loaded"], |jdk, [refuses, other]| {
        let run = served(Java::of(jdk), |running| {
            for (library, options, code) in [
                (refuses, "bad", -1),
                (refuses, "good", 0),
                (refuses, "good", -1),
                (other, "x", -1),
                (&product::shim(), "hprof:cpu:samples", -1),
            ] {
                let said = load(running, library, options);
                assert!(said.contains(&format!("return code: {code}")), "{said}");
            }
        });
        let own = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("refuses: "));
        let own: Vec<_> = own.collect();
        assert_eq!(
            own,
            ["refuses: INIT_DONE 1, CLASS_LOAD many, THREAD_START many"],
            "{run}"
        );
        let said = warnings(&run);
        let parts = [
            "JVM_OnLoad of `refuses` failed",
            "`refuses` runs: `refuses` is not loaded",
            "libloaded.so does nothing",
            "libjvmpi.so does nothing",
        ];
        assert_eq!(said.len(), parts.len(), "{run}");
        for (line, part) in said.iter().zip(parts) {
            assert!(line.contains(part), "{part}: {run}");
        }
    });
}

/// What the agent calls is told from what we call, though one import table has both.
#[test]
fn checks_are_of_the_agent_alone() {
    each_with(["breaks"], |jdk, [library]| {
        let of = |options: &str, suppressed: &str| {
            let java = Java::of(jdk)
                .natives(jdk, library)
                .arg(agent_path(library, options));
            let settings = format!("check=on,check-suppress=slow-handler{suppressed}");
            let run = java.env("JVMPI_OPTIONS", settings).main("Checked").run();
            run.exits(0).says("done\n").stderr
        };
        let kept = of("keep", "");
        assert!(kept.contains("jvmpi: check: nothing found"), "{kept}");
        for rule in ["allocates-in-gc", "blocks-in-gc", "jni-in-handler"] {
            let broken = of(&format!("break,{rule}"), "");
            assert!(broken.contains(&format!("[{rule}] ")), "{broken}");
            assert!(broken.contains("at libbreaks.so: "), "{broken}");
        }
    });
}

/// Two languages' exceptions in one library, and what each linker makes of our thread-local words.
#[test]
fn exceptions_of_the_agent_end_in_a_line() {
    for linker in ["bfd", "gold"] {
        let made = linked_by(linker, "throws");
        let needs = |_: &Jdk| made.clone().map(drop);
        each_jdk_if(needs, |jdk| {
            let library = made.as_deref().unwrap();
            let run = plain(Java::of(jdk).arg(agent_path(library, "")));
            let said = warnings(&run);
            assert!(said.len() == 1 && said[0].contains("exception"), "{run}");
        });
    }
}

/// `legacy-agents/one-library`, as it says there, and the same agent by xrun.
#[test]
fn the_example_does_what_xrun_does() {
    let missing = || {
        let tools = ["make", "pkg-config"];
        let runs = |tool: &&str| Command::new(tool).arg("--version").output().is_ok();
        let missing = tools.iter().find(|tool| !runs(tool));
        missing.map_or(Ok(()), |tool| {
            Err(format!("no {tool}: apt-get install {tool}"))
        })
    };
    product::agent("coverage");
    each_jdk_if(
        |_| missing(),
        |jdk| {
            let prefix = product::static_library();
            let folder = unique("one-library");
            let mut make = Command::new("make");
            make.arg("-C")
                .arg(workspace().join("legacy-agents/one-library"));
            make.arg(format!("OUT={}", folder.display()));
            let packages = prefix.join("lib/pkgconfig");
            make.arg(format!(
                "PKG_CONFIG=PKG_CONFIG_PATH={} pkg-config",
                packages.display()
            ));
            run::output(make, 60).exits(0);
            let library = folder.join("libcoverage.so");

            let mut symbols = Command::new("nm");
            symbols.args(["-D", "--defined-only", "-P"]).arg(&library);
            let symbols = run::output(symbols, 60).exits(0).stdout;
            let names = symbols.lines().filter_map(|line| line.split(' ').next());
            let names: Vec<_> = names.collect();
            let entries = [
                "Agent_OnAttach",
                "Agent_OnLoad",
                "Java_java_lang_JvmpiHooks_register",
                "xrun_saw",
                "xrun_saw_stack",
            ];
            assert_eq!(names, entries, "{symbols}");

            let of = |java: Java| {
                let java = java.env("JVMPI_OPTIONS", "instructions=on,include=Branches");
                let java = java.main_in(&classes(), "Branches");
                let run = java.run().exits(0);
                assert_eq!(warnings(&run), [""; 0], "{run}");
                let mut lines: Vec<String> =
                    run.file("report.txt").lines().map(str::to_owned).collect();
                lines.sort();
                (run.stdout, lines)
            };
            let one = of(Java::of(jdk)
                .no_libraries()
                .arg(agent_path(&library, "file=report.txt")));
            let java = Java::of(jdk).arg("-Xrunjvmpi_coverage:file=report.txt");
            assert_eq!(one, of(java.through(&product::xrun())), "{jdk}");
            let line = "Branches.ifInt(I)I: 6 instructions have run, branches taken 150";
            assert!(one.1.iter().any(|said| said == line), "{one:?}");
            let _ = std::fs::remove_dir_all(folder);
        },
    );
}
