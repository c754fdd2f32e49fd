//! Agents of 32 bits, which run in a process of their own beside a 64-bit VM.

mod deaths;
mod ends;
mod handlers;
mod programs;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk_if, on_jdk_if};
use xrun_tests::product;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{Java, Running, agent_path};

fn has_agent(_: &Jdk) -> Result<(), String> {
    product::agent_of_32_bits("check").map(|_| ())
}

/// For tests that compile agents of their own, too.
fn has_compiler(jdk: &Jdk) -> Result<(), String> {
    has_agent(jdk)?;
    fixture::compiles_for_32_bits()
}

/// With an agent of ours, for tests that have asked [`has_agent`].
fn with_agent(jdk: &Jdk, name: &str, options: &str) -> Java {
    let agent = product::agent_of_32_bits(name).expect("has_agent");
    let colon = if options.is_empty() { "" } else { ":" };
    let words = format!("{}{colon}{options}", agent.display());
    Java::of(jdk).arg(agent_path(&product::shim(), &words))
}

/// An agent of the tests, built for 32 bits.
fn with_helper(jdk: &Jdk, name: &str, options: &str) -> Java {
    let agent = fixture::native_as(name, &format!("lib{name}_32.so"), &["-m32"]);
    let words = format!("{}:{options}", agent.display());
    Java::of(jdk).arg(agent_path(&product::shim(), &words))
}

/// The same for a program that calls class `Native`, which has a library of the VM's width.
fn with_native_helper(jdk: &Jdk, name: &str, options: &str) -> Java {
    let java = with_helper(jdk, name, options).env("TAKE_NATIVES", "1");
    java.natives(jdk, &fixture::native(name))
}

/// The strict agent hears the whole program, and finds nothing wrong.
#[test]
fn a_32_bit_agent_hears_what_it_should() {
    each_jdk_if(has_agent, |jdk| {
        let java = with_agent(jdk, "check", "");
        let run = java.arg("-Xint").main("Plain").limit(120).run();
        let run = run.exits(0).says("begin\nwork\nend\n");
        assert!(run.stderr.contains("check: 0 violations"), "{run}");
        let events = run.stderr.lines().find(|line| line.starts_with("events "));
        let events = events.unwrap_or_else(|| panic!("no counts: {run}"));
        let count = |name| field(events, name).map_or(0, |count| count.parse().unwrap_or(0));
        // main and worker at least; both ends of each method; the classes of the JDK itself.
        assert!(count("THREAD_START") >= 3, "{run}");
        assert!(count("CLASS_LOAD") > 300, "{run}");
        assert!(count("METHOD_ENTRY") > 1000, "{run}");
        assert!(count("OBJECT_ALLOC") > 1000, "{run}");
        assert_eq!(
            (count("JVM_INIT_DONE"), count("JVM_SHUT_DOWN")),
            (1, 1),
            "{run}"
        );
    });
}

/// The number of the process in which the agent of this VM runs.
fn host_of(vm: u32) -> Option<u32> {
    let pids = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let (head, rest) = stat.rsplit_once(')').unwrap_or_default();
        head.ends_with("(xrun-host32") && rest.split_whitespace().nth(1) == Some(&vm.to_string())
    })
}

fn within_a_minute<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if let Some(found) = look() {
            return Some(found);
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}

/// A program in the middle of its events, and its agent's process.
fn started(jdk: &Jdk) -> (Running, PathBuf, u32) {
    let java = with_agent(jdk, "check", "").main("Dumped").limit(120);
    let end = java.folder().join("end");
    let mut running = java.shell("exec 9>held; exec \"$@\"").start();
    running.wait_for_line("ready");
    let host = within_a_minute(|| host_of(running.pid())).expect("the agent's process");
    (running, end, host)
}

/// Whether the process has the file open that [`started`] has opened for the program.
fn has_held_file(pid: u32) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd"))
        .expect("it runs")
        .flatten();
    let mut files = open.filter_map(|file| fs::read_link(file.path()).ok());
    files.any(|file| file.ends_with("held"))
}

/// Whether there was such a process.
fn kill(pid: u32) -> bool {
    // A builtin of every shell, but a package of its own otherwise.
    let mut command = std::process::Command::new("sh");
    let status = command.args(["-c", "kill -9 \"$0\" 2>&-", &pid.to_string()]);
    status.status().unwrap().success()
}

/// Processes with this current directory, or one below it.
fn processes_in(folder: &Path) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").expect("procfs").flatten();
    let inside = processes.filter(|process| {
        fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    });
    inside.map(|process| process.path()).collect()
}

#[test]
fn the_program_goes_on_without_the_agents_process() {
    on_jdk_if(17, has_agent, |jdk| {
        let (mut running, end, host) = started(jdk);
        assert!(kill(host));
        // Once the program's end has begun nobody says so.
        running.wait_for_warning("was ended by signal 9; the program goes on");
        fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        assert_eq!(run.stdout, "ready\ndone\n", "{run}");
    });
}

#[test]
fn the_agents_process_does_not_outlive_a_vm_that_is_killed() {
    on_jdk_if(25, has_agent, |jdk| {
        let (mut running, _, host) = started(jdk);
        // What it has open of the program's stays open when the program closes it.
        assert!(has_held_file(running.pid()) && !has_held_file(host));
        running.signal("KILL");
        let gone = within_a_minute(|| {
            let stat = fs::read_to_string(format!("/proc/{host}/stat")).unwrap_or_default();
            let lives = stat
                .rsplit_once(')')
                .is_some_and(|(_, rest)| !rest.starts_with(" Z"));
            (!lives).then_some(())
        });
        assert!(gone.is_some(), "process {host} is left");
    });
}

/// Every form of a call, every type, strings, arrays and exceptions; the same agent finds the
/// same in the VM's own process.
#[test]
fn jni_is_called_there() {
    const CHECKS: usize = 68;
    each_jdk_if(has_compiler, |jdk| {
        for words in [&["-m32"][..], &[]] {
            let agent = fixture::native_as("jni_calls", "libjni_calls.so", words);
            let path = agent_path(&product::shim(), &agent.display().to_string());
            let run = Java::of(jdk).arg(path).main("Plain").limit(60).run();
            let run = run.exits(0).says("begin\nwork\nend\n");
            assert_checks(&run.file("report.txt"), CHECKS);
        }
    });
}

/// Threads of C's that the agent attaches are the VM's until they are detached; the same in the VM's own process,
/// but for what is not safe there.
#[test]
fn the_agents_own_threads_are_attached() {
    each_jdk_if(has_compiler, |jdk| {
        for (words, options, checks) in [(&["-m32"][..], "bridge", 35), (&[], "", 32)] {
            let agent = fixture::native_as("attaches", "libattaches.so", words);
            let words = format!("{}:{options}", agent.display());
            let java = Java::of(jdk).arg(agent_path(&product::shim(), &words));
            let run = java.main("Dumped").limit(60).run();
            let run = run.exits(0).says("ready\ndone\n");
            assert_checks(&run.file("report.txt"), checks);
        }
    });
}

/// Each runs its own function, also where several are made at once, and its clock counts what it does there, as in the
/// VM's own process. pthread_exit and pthread_cancel end it with its THREAD_END.
#[test]
fn system_threads_are_as_in_one_process() {
    each_jdk_if(has_compiler, |jdk| {
        // Old compilers made none, and then no frame of ours is unwound.
        let without_tables = [
            "-m32",
            "-fno-asynchronous-unwind-tables",
            "-fno-unwind-tables",
        ];
        let ways = [
            (&["-m32"][..], "ends", 10),
            (&without_tables, "deep ends", 12),
            (&[], "ends", 10),
        ];
        for (words, options, checks) in ways {
            let agent = fixture::native_as("system_threads", "libsystem_threads.so", words);
            let words = format!("{}:{options}", agent.display());
            let java = Java::of(jdk).arg(agent_path(&product::shim(), &words));
            let run = java.main("Plain").limit(120).run();
            let run = run.exits(0).says("begin\nwork\nend\n");
            assert_checks(&run.file("report.txt"), checks);
        }
    });
}

/// Each function of JNI's table, in the VM's process and over the bridge: the same comes of it, but of
/// direct buffers. What the VM's table lacks fails there, as does Java code that loads such a library itself.
#[test]
fn all_of_jni_answers_as_in_one_process() {
    const HERE: &str = "here: ";
    each_jdk_if(has_compiler, |jdk| {
        let report = |words: &[&str], options| {
            let agent = fixture::native_as("jni_all", "libjni_all.so", words);
            let path = agent_path(&product::shim(), &format!("{}:{options}", agent.display()));
            let run = Java::of(jdk).arg(path).main("Plain").limit(60).run();
            let run = run.exits(0).says("begin\nwork\nend\n");
            let lines: Vec<_> = run.file("report.txt").lines().map(str::to_owned).collect();
            (lines, run.stderr)
        };
        let (mut here, _) = report(&[], "");
        let (mut there, said) = report(&["-m32"], "bridged");
        let failed = there.iter().filter_map(|line| line.strip_prefix(HERE));
        let failed: Vec<_> = failed.map(str::to_owned).collect();
        // IsVirtualThread, GetStringUTFLengthAsLong and HasIdentity came late.
        let first_beyond = match jdk.major {
            ..19 => 234,
            19..24 => 235,
            24..28 => 236,
            28.. => 237,
        };
        let beyond = first_beyond..240;
        let slots = beyond.clone().map(|slot| format!("slot {slot} 0"));
        let rest = [
            "committed 5, aborted 0",
            "buffer 0",
            "its address 0",
            "its capacity 0",
            "loads 0",
        ];
        let expected: Vec<_> = slots.chain(rest.map(str::to_owned)).collect();
        assert_eq!(failed, expected, "{said}");
        for slot in [229, 230, 231].into_iter().chain(beyond) {
            let line = format!("the agent calls JNI (function {slot} of its table)");
            assert_eq!(said.matches(&line).count(), 1, "{said}");
        }
        here.retain(|line| !line.starts_with(HERE));
        there.retain(|line| !line.starts_with(HERE));
        assert!(
            here.len() > 150 && here.last().is_some_and(|line| line == "done"),
            "{here:#?}"
        );
        let differs = here.iter().zip(&there).find(|(here, there)| here != there);
        assert!(
            here.len() == there.len() && differs.is_none(),
            "{differs:?}: {said}"
        );
    });
}

/// The code of compiled methods lies in the agent's own memory, to its end, and goes by the address that it came by.
#[test]
fn compiled_code_can_be_read_there() {
    on_jdk_if(17, has_compiler, |jdk| {
        let agent = fixture::native_as("code_bytes", "libcode_bytes.so", &["-m32"]);
        let path = agent_path(&product::shim(), &format!("{}:code.txt", agent.display()));
        let java = Java::of(jdk).arg(path).arg("-XX:TieredStopAtLevel=1");
        let report = java.main("UnloadStorm 5").run().exits(0).file("code.txt");
        let read: BTreeSet<&str> = report
            .lines()
            .filter(|line| line.contains(" bytes: "))
            .collect();
        assert!(read.len() > 30, "{report}");
        assert!(report.ends_with("of what was never loaded 0\n"), "{report}");
    });
}

/// Dumps of all kinds are read by the strict agent to their ends.
#[test]
fn dumps_have_ids_of_four_bytes() {
    each_jdk_if(has_agent, |jdk| {
        let agent = product::agent_of_32_bits("check").expect("looked for");
        let options =
            "dump=20,rungc=30,heap,file=check.txt,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT";
        let agent = format!("{}:{options}", agent.display());
        let java = Java::of(jdk).arg(agent_path(&product::shim(), &agent));
        let run = java.main("Busy 0").limit(120).run();
        let report = run.exits(0).file("check.txt");
        assert!(report.starts_with("check: 0 violations"), "{report}");
        let line = |start: &str| report.lines().find(|line| line.starts_with(start));
        let count = |line: Option<&str>, name| {
            let line = line.unwrap_or_else(|| panic!("{report}"));
            field(line, name).map_or(0, |count| count.parse().unwrap_or(0))
        };
        let heap = line("heap ");
        assert!(count(heap, "dumps") > 0, "{report}");
        assert!(count(heap, "classes") > 300, "{report}");
        assert!(count(heap, "records") > 3000, "{report}");
        assert!(count(line("dumps="), "raw") > 0, "{report}");
    });
}

/// HPROF built for 32 bits: a heap, and where its threads run.
#[test]
fn hprof_of_32_bits_profiles_the_vm() {
    on_jdk_if(17, has_agent, |jdk| {
        let check = product::agent_of_32_bits("check").expect("has_agent");
        let hprof = check.with_file_name("libhprof.so");
        let profile = |options: &str, main: &str| {
            let agent = format!("{}:{options},file=out.txt", hprof.display());
            let java = Java::of(jdk).arg(agent_path(&product::shim(), &agent));
            let run = java.main(main).limit(120).run().exits(0);
            run.file("out.txt")
        };
        let heap = profile("heap=dump", "Plain");
        let records = |kind: &str| heap.lines().filter(|line| line.starts_with(kind)).count();
        assert!(records("CLS ") > 300, "{heap}");
        assert!(records("OBJ ") > 1000, "{heap}");
        assert!(records("ROOT ") > 20, "{heap}");
        let sampled = |millis: u32| {
            let samples = profile("cpu=samples,interval=5", &format!("Hot {millis}"));
            let total = samples
                .split("CPU SAMPLES BEGIN (total = ")
                .nth(1)
                .and_then(|rest| rest.split(')').next()?.parse().ok());
            (total, samples)
        };
        // On a busy machine it looks seldom.
        let (mut total, mut samples) = sampled(1000);
        if total <= Some(20) {
            (total, samples) = sampled(20_000);
        }
        assert!(total > Some(20), "{samples}");
    });
}
