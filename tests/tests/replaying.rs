//! What an agent is answered in a replay, and what `xrun replay` ends with.

use std::path::{Path, PathBuf};

use recording_format::{Recording, Writer};
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{fixture, product};

/// The agent with its usual options, recorded; its library.
fn recorded(jdk: &Jdk) -> (Run, PathBuf) {
    let library = fixture::native("answers");
    let java = Java::of(jdk).arg(agent_path(&product::shim(), "trace=run.rec"));
    let java = java.library(&library).arg("-Xrunanswers:plain");
    (java.main("Hello").run().exits(0), library)
}

/// The recording, played into the agent with these options.
fn replayed(folder: &Path, library: &Path, options: &str) -> Run {
    let mut command = product::xrun_command();
    let spec = format!("{}:{options}", library.display());
    command.args(["replay", "run.rec", "--agent", &spec]);
    command.current_dir(folder);
    run::output(command, 60)
}

fn lines<'r>(report: &'r str, begin: &str) -> Vec<&'r str> {
    let lines = report.lines();
    lines.filter_map(|line| line.strip_prefix(begin)).collect()
}

#[test]
fn answers_are_those_of_the_recording() {
    each_jdk(|jdk| {
        let (run, library) = recorded(jdk);
        let direct = run.file("report.txt");
        // One of the list is no thread.
        assert_eq!(
            lines(&direct, "suspended "),
            ["0 -1, resumed 0 -1"],
            "{run}"
        );
        assert_eq!(lines(&direct, "kept "), ["own other"], "{run}");
        let replay = replayed(run.folder(), &library, "plain").exits(0);
        assert_eq!(run.file("report.txt"), direct, "{jdk}: {replay}");
    });
}

/// What was not asked there is answered as it was at the nearest time; what was never asked, as
/// any host would.
#[test]
fn the_nearest_answer_is_given() {
    each_jdk(|jdk| {
        let (run, library) = recorded(jdk);
        let direct = run.file("report.txt");
        let (ready, end) = (lines(&direct, "time "), lines(&direct, "end "));
        assert_ne!(ready, end, "{direct}");
        let replay = replayed(run.folder(), &library, "more").exits(3);
        let said = "; 1 answered from another place of the recording; 4 not in the recording";
        assert!(replay.stderr.contains(said), "{replay}");
        let report = run.file("report.txt");
        let times = lines(&report, "time ");
        assert_eq!(times, [ready[0], ready[0]], "{jdk}: {report}");
        assert_eq!(lines(&report, "end "), end, "{jdk}: {report}");
        assert_eq!(lines(&report, "monitors "), ["1"], "{jdk}: {report}");
        // There is no event 1000.
        assert_eq!(lines(&report, "enabled "), ["0 1"], "{jdk}: {report}");
    });
}

/// An agent of this name lies beside xrun, too.
#[test]
fn agents_of_folders_come_before_those_of_xrun() {
    let _ = product::agent("counter");
    each_jdk(|jdk| {
        let (run, library) = recorded(jdk);
        let direct = run.file("report.txt");
        let own = run.folder().join("libjvmpi_counter.so");
        std::fs::copy(library, own).unwrap();
        std::fs::remove_file(run.folder().join("report.txt")).unwrap();
        for folder in [&["--agents", "."][..], &["--agents=."]] {
            let mut command = product::xrun_command();
            command.args(["replay", "run.rec"]).args(folder);
            command.args(["--agent", "jvmpi_counter:plain"]);
            command.current_dir(run.folder());
            let replay = run::output(command, 60).exits(0);
            assert_eq!(run.file("report.txt"), direct, "{jdk}: {replay}");
        }
    });
}

/// A handler that never returns: the others come to their end, and that is said.
#[test]
fn what_was_not_reached_is_seen_by_the_exit_code() {
    each_jdk(|jdk| {
        let (run, library) = recorded(jdk);
        let replay = replayed(run.folder(), &library, "stuck").exits(4);
        let said = "records not reached, for a thread waits for what does not come\n";
        assert!(replay.stderr.ends_with(said), "{replay}");
        let report = run.file("report.txt");
        assert_eq!(lines(&report, "end ").len(), 1, "{jdk}: {report}");
    });
}

#[test]
fn an_agent_that_ends_the_replay_is_said() {
    each_jdk(|jdk| {
        let (run, library) = recorded(jdk);
        let replay = replayed(run.folder(), &library, "leaves").exits(3);
        let said = "xrun: replay: the agent has ended it by ProfilerExit(3)\n";
        assert_eq!(replay.stderr, said, "{replay}");
    });
}

/// What comes before the VM's end, as a recording of its own.
fn up_to_the_end(recording: &[u8]) -> Vec<u8> {
    let recording = Recording::read(recording).unwrap();
    let mut writer = Writer::new(&recording.header);
    for thread in recording.threads() {
        writer.thread(thread.number, thread.tid);
    }
    let items = recording.items();
    for item in items.take_while(|item| !item.what.is_the_vms_end()) {
        writer.add(&item);
    }
    writer.finish()
}

/// A file that was cut between two blocks has nothing in it that says so.
#[test]
fn what_is_missing_of_a_recording_is_said() {
    each_jdk(|jdk| {
        let (run, library) = recorded(jdk);
        let whole = std::fs::read(run.folder().join("run.rec")).unwrap();
        let played = || {
            let replay = ["replay", "run.rec", "--findings", "f.json", "--agent"];
            let mut command = product::xrun_command();
            command.args(replay).arg(&library).current_dir(run.folder());
            let replay = run::output(command, 60);
            (replay, run.file("f.json"))
        };
        let counted = || {
            let mut command = product::xrun_command();
            command.args(["trace", "stats", "run.rec"]);
            command.current_dir(run.folder());
            run::output(command, 60).exits(0)
        };
        const NO_END: &str = "the VM's end is not in it\n";
        let (replay, findings) = played();
        assert!(findings.contains("\"problem\": null"), "{findings}");
        let replay = replay.exits(0);
        assert!(!replay.stderr.contains(NO_END), "{jdk}: {replay}");
        assert!(!counted().stdout.contains(NO_END));

        let cut = up_to_the_end(&whole);
        std::fs::write(run.folder().join("run.rec"), cut).unwrap();
        let (replay, _) = played();
        let replay = replay.exits(0);
        assert!(replay.stderr.contains(NO_END), "{jdk}: {replay}");
        assert!(counted().stdout.contains(NO_END));

        let mut damaged = whole;
        let at = damaged.len() - 1 - damaged.iter().rev().position(|&byte| byte != 0).unwrap();
        damaged[at] ^= 1;
        std::fs::write(run.folder().join("run.rec"), damaged).unwrap();
        let (replay, findings) = played();
        let replay = replay.exits(4);
        let said = "not all that was recorded could be played: the block at ";
        assert!(findings.contains(said), "{jdk}: {findings}{replay}");
    });
}
