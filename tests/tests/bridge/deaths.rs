//! One of the two processes is killed, at whatever moment.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use xrun_tests::jdk::{Jdk, on_jdk_if};
use xrun_tests::long;
use xrun_tests::run::{Java, Run};

use super::{has_agent, host_of, kill, processes_in, with_agent, within_a_minute};

/// Agents that suspend threads, hold raw monitors, have threads of the VM's and of their own, ask for dumps and
/// collections and have GC disabled, by turns.
const AGENTS: [(&str, &str); 4] = [
    (
        "check",
        "suspend=2,lock,file=check.txt,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT+OBJECT_ALLOC",
    ),
    ("sampler", "interval=1,file=profile.txt"),
    (
        "rude",
        "monitors,storm,pthread,threads,reentrant,file=rude.txt",
    ),
    (
        "check",
        "dump=20,rungc=10,disablegc=3,file=check.txt,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT",
    ),
];

/// Moments within the second that the program takes with such an agent, in no order.
fn moment(round: usize) -> Duration {
    let round = u64::try_from(round).expect("small");
    Duration::from_micros(round.wrapping_mul(2_654_435_761) % 1_500_000)
}

fn busy(jdk: &Jdk, round: usize) -> Java {
    let (agent, options) = AGENTS[round % AGENTS.len()];
    let java = with_agent(jdk, agent, options);
    java.main("Busy").limit(120)
}

/// The agent's process is killed so long behind the program's first line.
fn run_killed(java: Java, moment: Duration) -> Run {
    let mut running = java.start();
    running.wait_for_line("begin");
    let host = within_a_minute(|| host_of(running.pid())).expect("the agent's process");
    sleep(moment);
    // It may have ended.
    kill(host);
    running.finish()
}

fn the_program_goes_on(jdk: &Jdk, rounds: usize) {
    let whole = Java::of(jdk).main("Busy").run().exits(0).stdout;
    let mut killed = 0;
    for round in 0..rounds {
        let java = busy(jdk, round);
        let run = run_killed(java, moment(round));
        let run = run.exits(0).says(&whole);
        let lines = run
            .stderr
            .matches("was ended by signal 9; the program goes on")
            .count();
        // Where the program's end had begun nobody says anything.
        assert!(lines <= 1, "{run}");
        killed += lines;
    }
    // Of two rounds the second may come too late on a fast machine.
    assert!(2 * killed >= rounds, "{killed} of {rounds} were killed");
    if long() {
        eprintln!(
            "JDK {}: {killed} of {rounds} hosts killed in time",
            jdk.major
        );
    }
}

#[test]
fn the_program_goes_on_whenever_the_agents_process_is_killed() {
    let majors: &[u32] = if long() { &[17, 25] } else { &[17] };
    for &major in majors {
        on_jdk_if(major, has_agent, |jdk| {
            the_program_goes_on(jdk, if long() { 200 } else { 2 })
        });
    }
}

#[test]
fn nothing_is_left_whenever_the_vm_is_killed() {
    let majors: &[u32] = if long() { &[17, 25] } else { &[25] };
    for &major in majors {
        on_jdk_if(major, has_agent, |jdk| {
            for round in 0..if long() { 100 } else { 2 } {
                let java = busy(jdk, round);
                let folder = java.folder().to_owned();
                let mut running = java.start();
                running.wait_for_line("begin");
                let host = within_a_minute(|| host_of(running.pid()));
                assert!(host.is_some(), "there is no process for the agent");
                sleep(moment(round));
                // It may have ended.
                kill(running.pid());
                // Its parent takes note of its end, and only then is it no process any more.
                let run = running.finish();
                let gone = within_a_minute(|| processes_in(&folder).is_empty().then_some(()));
                assert!(
                    gone.is_some(),
                    "{:?} are left: {run}",
                    processes_in(&folder)
                );
                let mut files = run.files();
                files.retain(|name| !name.ends_with(".txt"));
                assert!(files.is_empty(), "{files:?}");
            }
        });
    }
}

/// A number of `/proc/PID/status`, as `VmRSS`.
fn status(pid: u32, key: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_else(|| panic!("{pid} has no {key}"))
}

/// Memory of both processes and threads of the agent's.
fn sizes(vm: u32, host: u32) -> [u64; 3] {
    [
        status(vm, "VmRSS"),
        status(host, "VmRSS"),
        status(host, "Threads"),
    ]
}

/// Lanes are given back, and whatever there is of a thread on both sides.
#[test]
fn threads_leave_nothing_behind() {
    on_jdk_if(17, has_agent, |jdk| {
        let all = if long() { 100_000 } else { 3000 };
        let options = "file=check.txt,only=THREAD_START+THREAD_END";
        let java = with_agent(jdk, "check", options);
        let java = java.args([
            "-Xmx64m",
            "-Xms64m",
            "-XX:+UseSerialGC",
            "-XX:+AlwaysPreTouch",
        ]);
        let end = java.folder().join("end");
        let mut running = java.main(&format!("ManyThreads {all}")).limit(1200).start();
        running.wait_for_line("a fifth");
        let host = within_a_minute(|| host_of(running.pid())).expect("the agent's process");
        let before = sizes(running.pid(), host);
        running.wait_for_line("three fifths");
        let between = sizes(running.pid(), host);
        running.wait_for_line("all");
        let after = sizes(running.pid(), host);
        fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        let report = run.file("check.txt");
        assert!(report.starts_with("check: 0 violations"), "{report}");
        if long() {
            eprintln!(
                "{all} threads: KB of the VM, of the agent, its threads: {before:?}, {between:?}, {after:?}"
            );
        }
        // What threads leave behind grows with them, in both halves; what is made once does not. 100 bytes a thread would
        // be 4 MB.
        let grown = |of: usize| {
            let first = between[of].saturating_sub(before[of]);
            first.min(after[of].saturating_sub(between[of]))
        };
        let seen = format!("{before:?} {between:?} {after:?}");
        assert!(grown(0) < 3000, "the VM: {seen}");
        assert!(grown(1) < 1500, "the agent: {seen}");
        assert!(after[2] < 100, "threads: {seen}");
    });
}
