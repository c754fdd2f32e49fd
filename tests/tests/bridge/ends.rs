//! How either process comes to its end by its own will, and others that they start.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk_if, on_jdk_if};
use xrun_tests::product;
use xrun_tests::run::{Java, Running, agent_path};

use super::{has_compiler, host_of, kill, processes_in, with_helper, within_a_minute};

/// exit() in the agent ends the program, wherever it is called, with all that exit() does.
#[test]
fn exit_in_the_agent_ends_the_program() {
    each_jdk_if(has_compiler, |jdk| {
        for (from, code, stdout) in [
            ("load", 20, ""),
            ("handler", 21, "begin\n"),
            ("system", 22, ""),
            ("own", 23, ""),
            ("down", 24, "begin\nwork\nend\n"),
        ] {
            let java = with_helper(jdk, "leaves", from);
            let run = java.main("Plain").run().exits(code).says(stdout);
            let report = run.file("report.txt");
            assert!(report.ends_with("leaving\nexit handler\n"), "{report}{run}");
            assert_eq!(
                report.contains("SHUT_DOWN"),
                from == "down",
                "{report}{run}"
            );
            assert!(!report.contains("FAIL"), "{report}{run}");
            assert_eq!(run.file("buffered.txt"), "buffered\n", "{run}");
        }
    });
}

#[test]
fn profiler_exit_ends_the_program() {
    each_jdk_if(has_compiler, |jdk| {
        for (from, code, stdout) in [
            ("load", 11, ""),
            ("init", 12, ""),
            ("thread", 13, ""),
            ("start", 14, "begin\n"),
            ("down", 15, "begin\nwork\nend\n"),
        ] {
            let java = with_helper(jdk, "fn_exit", from);
            let run = java.main("Plain").run().exits(code);
            // A thread of its own is somewhere in the middle.
            assert!(from == "thread" || run.stdout == stdout, "{run}");
            let report = run.file("report.txt");
            assert!(
                report.ends_with("leaving\n") && !report.contains("FAIL"),
                "{report}{run}"
            );
            assert_eq!(run.file("buffered.txt"), "buffered\n", "{run}");
        }
    });
}

/// Children of the agent's, which end as programs do, from a handler, a system thread and a thread of its own.
#[test]
fn the_agent_forks() {
    each_jdk_if(has_compiler, |jdk| {
        let java = with_helper(jdk, "leaves", "fork");
        let run = java.main("Plain").run();
        let run = run.exits(0).says("begin\nwork\nend\n");
        let report = run.file("report.txt");
        let ended = report.matches(": a child that ended with 5\n").count();
        assert!(ended == 3 && !report.contains("FAIL"), "{report}{run}");
        assert_eq!(report.matches("SHUT_DOWN\n").count(), 1, "{report}{run}");
    });
}

/// What an agent sees of its process, and of programs that it starts, it sees in the VM's own: also in one that has to
/// begin with an executable stack.
#[test]
fn the_agents_process_is_as_the_vms() {
    on_jdk_if(17, has_compiler, |jdk| {
        let run = |words: &[&str], tunables: Option<&str>, linker: Option<&Path>| {
            let agent = fixture::native_as("process", "libprocess_stack.so", words);
            let java =
                Java::of(jdk).arg(agent_path(&product::shim(), &agent.display().to_string()));
            // A library of the other width the VM's linker complains of, and goes on.
            let java = linker
                .iter()
                .fold(java, |java, file| java.env("LD_PRELOAD", file));
            let java = tunables
                .iter()
                .fold(java, |java, text| java.env("GLIBC_TUNABLES", text));
            let run = java.main("Plain").run().exits(0);
            // The VM flushes what is buffered in its process; else exit() does.
            assert_eq!(
                run.stdout.matches("the agent's, buffered\n").count(),
                1,
                "{run}"
            );
            let own = run.stdout.replace("the agent's, buffered\n", "");
            assert_eq!(own, "begin\nwork\nend\n", "{run}");
            assert_eq!(
                run.stderr.matches("the agent's, at once\n").count(),
                1,
                "{run}"
            );
            let folder = run.folder().display().to_string();
            let report = run.file("report.txt");
            assert!(
                report.contains(&format!("folder of a child {folder}, 0\n")),
                "{report}"
            );
            report.replace(&folder, "FOLDER")
        };
        let linker = fixture::native_as("refuses_stacks", "librefuses_stacks.so", &["-m32"]);
        for tunables in [None, Some("glibc.malloc.tcache_count=7")] {
            let here = run(&[], tunables, None);
            assert!(
                here.ends_with("moves 0\nfolder of a child /, 0\n"),
                "{here}"
            );
            assert_eq!(run(&["-m32"], tunables, None), here);
            let wants = ["-m32", "-Wl,-z,execstack"];
            assert_eq!(run(&wants, tunables, None), here);
            assert_eq!(run(&wants, tunables, Some(&linker)), here);
        }
    });
}

fn waiting(jdk: &Jdk) -> (Running, u32) {
    let mut running = with_helper(jdk, "leaves", "").main("Dumped").start();
    running.wait_for_line("ready");
    let host = within_a_minute(|| host_of(running.pid())).expect("the agent's process");
    (running, host)
}

/// As a terminal does: the program's end is heard by the agent, whose exit handlers run.
#[test]
fn signals_to_the_group() {
    each_jdk_if(has_compiler, |jdk| {
        for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
            let (running, host) = waiting(jdk);
            running.signal_group(signal);
            let run = running.finish();
            assert_eq!(run.code(), code, "{run}");
            assert_eq!(run.file("report.txt"), "SHUT_DOWN\nexit handler\n", "{run}");
            let gone = within_a_minute(|| (!lives(host)).then_some(()));
            assert!(gone.is_some(), "process {host} is left");
        }
        let (mut running, _) = waiting(jdk);
        let end = running.folder().join("end");
        running.signal("QUIT");
        running.wait_for_line("Full thread dump");
        running.signal_group("QUIT");
        fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        assert!(run.stdout.contains("\ndone\n"), "{run}");
        assert_eq!(run.file("report.txt"), "SHUT_DOWN\nexit handler\n", "{run}");
    });
}

/// Nanoseconds of processor time that a process's threads have had.
fn processor_time(pid: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .expect("it runs")
        .flatten();
    let times = threads.map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        let first = text
            .split(' ')
            .next()
            .and_then(|time| time.parse::<u64>().ok());
        first.expect("the kernel counts it")
    });
    times.sum()
}

/// Nobody looks for long at a lane on which nothing is said: below a millisecond of processor time a second.
#[test]
fn an_idle_agent_costs_nothing() {
    on_jdk_if(25, has_compiler, |jdk| {
        let (running, host) = waiting(jdk);
        let in_a_second = || {
            let before = processor_time(host);
            sleep(Duration::from_secs(1));
            processor_time(host) - before
        };
        // The VM may still have something to tell.
        let mut times = Vec::new();
        while times.len() < 30 && times.last().is_none_or(|time| *time >= 1_000_000) {
            times.push(in_a_second());
        }
        assert!(
            times.last().is_some_and(|time| *time < 1_000_000),
            "{times:?}"
        );
        fs::write(running.folder().join("end"), "").unwrap();
        running.finish().exits(0);
    });
}

/// Exit handlers that take longer than the program waits for come to their end without it, but not without a program
/// that is killed.
#[test]
fn slow_exit_handlers_come_to_their_end() {
    on_jdk_if(25, has_compiler, |jdk| {
        let run = with_helper(jdk, "leaves", "slow").main("Plain").run();
        let run = run.exits(0).says("begin\nwork\nend\n");
        assert!(
            run.stderr.contains("the program ends without them"),
            "{run}"
        );
        let ended = within_a_minute(|| {
            run.file("report.txt")
                .ends_with("\nexit handler\n")
                .then_some(())
        });
        assert!(ended.is_some(), "{}{run}", run.file("report.txt"));

        let mut running = with_helper(jdk, "leaves", "slow").main("Dumped").start();
        running.wait_for_line("ready");
        let host = within_a_minute(|| host_of(running.pid())).expect("the agent's process");
        let folder = running.folder().to_owned();
        fs::write(folder.join("end"), "").unwrap();
        let begins = || {
            let report = fs::read_to_string(folder.join("report.txt")).unwrap_or_default();
            report.contains("begins to exit").then_some(())
        };
        assert!(within_a_minute(begins).is_some());
        running.signal("KILL");
        let gone = within_a_minute(|| (!lives(host)).then_some(()));
        let report = running.finish().file("report.txt");
        assert!(gone.is_some(), "process {host} is left: {report}");
        assert!(!report.contains("exit handler"), "{report}");
    });
}

fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.starts_with(" Z"))
}

fn signal(pid: u32, name: &str) {
    let mut command = std::process::Command::new("sh");
    let status = command.args(["-c", "kill -$0 $1", name, &pid.to_string()]);
    assert!(status.status().unwrap().success());
}

/// An agent closes what it has not opened, and signals come: its process hears of the VM's end all the same, and of nothing
/// before.
#[test]
fn the_agent_closes_whatever_is_open() {
    on_jdk_if(17, has_compiler, |jdk| {
        for is_killed in [false, true] {
            let mut running = with_helper(jdk, "closes", "").main("Dumped").start();
            running.wait_for_line("ready");
            let host = within_a_minute(|| host_of(running.pid())).expect("the agent's process");
            // What waits in the kernel begins anew, with what those numbers are by then.
            signal(host, "STOP");
            sleep(Duration::from_millis(100));
            signal(host, "CONT");
            sleep(Duration::from_millis(100));
            if is_killed {
                running.signal("KILL");
            } else {
                fs::write(running.folder().join("end"), "").unwrap();
            }
            let run = running.finish();
            let gone = within_a_minute(|| (!lives(host)).then_some(()));
            assert!(gone.is_some(), "process {host} is left: {run}");
            assert_eq!(run.code(), if is_killed { -9 } else { 0 }, "{run}");
            let heard = "SHUT_DOWN, signals 1, on threads of others 0\n";
            let report = run.file("report.txt");
            assert_eq!(report, if is_killed { "" } else { heard }, "{run}");
            assert!(is_killed || run.stdout == "ready\ndone\n", "{run}");
        }
    });
}

/// What is refused is refused in one process and in two alike.
#[test]
fn what_is_refused_is_as_in_one_process() {
    on_jdk_if(17, has_compiler, |jdk| {
        let of = |java: Java| {
            let run = java.main("Plain").run().exits(0);
            run.says("begin\nwork\nend\n").file("report.txt")
        };
        let here = of(Java::with_helper(jdk, "refused", ""));
        assert_eq!(here.matches(", NULL\n").count(), 6, "{here}");
        assert_eq!(of(with_helper(jdk, "refused", "")), here);
    });
}

/// The kernel has no memory that is a file; files are to be small; and the VM is one that may not be looked into.
#[test]
fn a_process_is_made_for_the_agent_all_the_same() {
    on_jdk_if(17, has_compiler, |jdk| {
        let harsh = fixture::program("harsh");
        let undumpable = fixture::native("undumpable");
        let start = |shell: &str, before: Option<&Path>| {
            let java = Java::of(jdk);
            let java = before.iter().fold(java, |java, library| {
                java.arg(format!("-agentpath:{}", library.display()))
            });
            let agent = fixture::native_as("leaves", "libleaves_32.so", &["-m32"]);
            let words = format!("{}:", agent.display());
            let java = java.arg(agent_path(&product::shim(), &words));
            java.env("HARSH", &harsh).shell(shell).main("Plain").run()
        };
        for (shell, before) in [
            ("exec \"$HARSH\" memfd_create -- \"$@\"", None),
            ("ulimit -S -f 2000; exec \"$@\"", None),
            ("exec \"$@\"", Some(&*undumpable)),
        ] {
            let run = start(shell, before).exits(0);
            let run = run.says("begin\nwork\nend\n");
            let report = run.file("report.txt");
            assert_eq!(report, "SHUT_DOWN\nexit handler\n", "{shell}: {run}");
        }
        let run = start("ulimit -f 2000; exec \"$@\"", None);
        assert!(run.code() != 0 && !run.stdout.contains("begin"), "{run}");
        assert!(
            run.stderr.contains("the limit for files is") && run.stderr.contains("(ulimit -f)"),
            "{run}"
        );
    });
}

fn forks(jdk: &Jdk, how: &str) -> Running {
    let natives = fixture::native("forks");
    let java = with_helper(jdk, "leaves", "").natives(jdk, &natives);
    java.main(&format!("Forks {how}")).start()
}

/// A program that has forked is killed: its child has all that it had, and the agent's process ends all the same.
#[test]
fn the_program_forks() {
    on_jdk_if(17, has_compiler, |jdk| {
        for is_killed in [false, true] {
            let mut running = forks(jdk, "fork");
            let child = running.wait_for_line("child ");
            let child = child
                .trim_start_matches("child ")
                .parse()
                .expect("a number");
            let host = within_a_minute(|| host_of(running.pid())).expect("the agent's process");
            if is_killed {
                running.signal("KILL");
            } else {
                fs::write(running.folder().join("end"), "").unwrap();
            }
            let gone = within_a_minute(|| (!lives(host)).then_some(()));
            kill(child);
            let run = running.finish();
            assert!(gone.is_some(), "process {host} is left: {run}");
            assert_eq!(run.code(), if is_killed { -9 } else { 0 }, "{run}");
            assert!(run.stdout.starts_with("started\nended with 3\n"), "{run}");
            let report = run.file("report.txt");
            assert_eq!(report.contains("SHUT_DOWN"), !is_killed, "{report}");
        }
    });
}

/// A program becomes another one: the agent's process ends, without having heard of an end, as in one process.
#[test]
fn the_program_becomes_another() {
    on_jdk_if(25, has_compiler, |jdk| {
        let mut running = forks(jdk, "exec");
        running.wait_for_line("another program");
        let folder = running.folder().to_owned();
        let run = running.finish().exits(0);
        let run = run.says("started\nended with 3\nchild 0\nanother program\n");
        let gone = within_a_minute(|| processes_in(&folder).is_empty().then_some(()));
        assert!(gone.is_some(), "{:?} are left", processes_in(&folder));
        assert_eq!(run.file("report.txt"), "", "{run}");
    });
}
