//! Calls in which an agent may have to wait, in a recording and played again.

use std::path::Path;

use xrun_tests::jdk::each_jdk;
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{fixture, product};

/// What the agent saw when its calls had returned.
const REPORT: &str = "\
CreateSystemThread -1 0
entered after the owner had left 1
woken after the other had entered 1
notified in time 0, when woken 1
collected in RunGC 1
";

/// What its threads did. Every call that may wait has an end of its own, with the moment at
/// which it returned; the others have none.
const OF_MAIN: &str = "\
call CreateSystemThread name=\"nobody\" priority=5 f=0 ...
end CreateSystemThread result=-1
call RawMonitorEnter lock ...
end RawMonitorEnter
call CreateSystemThread name=\"contender\" priority=10 f=contend ...
end CreateSystemThread result=0
call RawMonitorWait lock ms=0 ...
end RawMonitorWait
call RawMonitorExit lock
call CreateSystemThread name=\"waiter\" priority=1 f=wait_twice ...
end CreateSystemThread result=0
call RawMonitorEnter lock ...
end RawMonitorEnter
call RawMonitorNotifyAll lock
call RawMonitorWait lock ms=0 ...
end RawMonitorWait
call RawMonitorExit lock
call RunGC ...
end RunGC
call DisableEvent event_type=GC_FINISH arg=0 -> result=0
call RunGC ...
end RunGC
end JVM_INIT_DONE
";
const OF_CONTENDER: &str = "\
call agent function function=contend options=NULL ...
call RawMonitorEnter lock ...
end RawMonitorEnter
call RawMonitorNotifyAll lock
call RawMonitorExit lock
end agent function result=0
";
const OF_WAITER: &str = "\
call agent function function=wait_twice options=NULL ...
call RawMonitorEnter lock ...
end RawMonitorEnter
call RawMonitorWait lock ms=20 ...
end RawMonitorWait
call RawMonitorWait lock ms=5000000000 ...
end RawMonitorWait
call RawMonitorNotifyAll lock
call RawMonitorExit lock
end agent function result=0
";

fn xrun(folder: &Path, words: &[&str]) -> Run {
    let mut command = product::xrun_command();
    command.args(words).current_dir(folder);
    run::output(command, 60).exits(0)
}

/// A record of the dump: its thread, and what it says.
type Record = (String, String);

/// The records from JVM_INIT_DONE to its end, in the order of time; what is named by address,
/// by its name.
fn records(dump: &str) -> Vec<Record> {
    let word_behind = |mark: &str| {
        let found = dump.split_once(mark).unwrap_or_else(|| panic!("{dump}"));
        found.1.split_whitespace().next().unwrap()
    };
    let lock = word_behind("lock_name=\"_lock\" -> result=");
    let contend = word_behind("name=\"contender\" priority=10 f=");
    let wait_twice = word_behind("name=\"waiter\" priority=1 f=");
    assert_ne!(contend, wait_twice);
    let mut records = Vec::new();
    for line in dump.lines() {
        let (_time, rest) = line.split_once(' ').unwrap();
        let (thread, text) = rest.split_once(' ').unwrap();
        let text = text.trim().replace(&format!("lock_id={lock}"), "lock");
        let text = text.replace(&format!("={contend} "), "=contend ");
        let text = text.replace(&format!("={wait_twice} "), "=wait_twice ");
        if !records.is_empty() || text.starts_with("JVM_INIT_DONE ") {
            let is_last = text == "end JVM_INIT_DONE";
            records.push((thread.to_owned(), text));
            if is_last {
                break;
            }
        }
    }
    records
}

/// The thread that did this.
fn doer<'r>(records: &'r [Record], what: &str) -> &'r str {
    let mut all = records.iter();
    let found = all.find(|(_, text)| text.starts_with(what));
    &found.unwrap_or_else(|| panic!("{what}: {records:#?}")).0
}

/// What a thread did but for collections, whose number is the VM's affair.
fn done_by(records: &[Record], thread: &str) -> String {
    let own = records.iter().filter(|(of, _)| of == thread);
    let calls = own.filter(|(_, text)| !text.contains("JVM_INIT_DONE env="));
    let calls = calls.filter(|(_, text)| !text.starts_with("GC_FINISH "));
    calls.map(|(_, text)| format!("{text}\n")).collect()
}

#[test]
fn calls_that_wait_are_recorded_from_beginning_to_end() {
    let library = fixture::native("blocking");
    each_jdk(|jdk| {
        let java = Java::of(jdk).arg(agent_path(&product::shim(), "trace=run.rec"));
        let java = java.library(&library).arg("-Xrunblocking").main("Hello");
        let run = java.run().exits(0);
        assert_eq!(run.file("report.txt"), REPORT, "{jdk}\n{run}");
        let dump = xrun(run.folder(), &["trace", "dump", "run.rec"]).stdout;
        let records = records(&dump);
        let main = doer(&records, "JVM_INIT_DONE ");
        let contender = doer(&records, "call agent function function=contend ");
        let waiter = doer(&records, "call agent function function=wait_twice ");
        assert_eq!(done_by(&records, main), OF_MAIN, "{jdk}\n{dump}");
        assert_eq!(done_by(&records, contender), OF_CONTENDER, "{jdk}\n{dump}");
        assert_eq!(done_by(&records, waiter), OF_WAITER, "{jdk}\n{dump}");
        // Who waited for whom.
        let place = |thread: &str, what: &str, number: usize| {
            let mut all = records.iter().enumerate();
            let is_it = |(_, (of, text)): &(usize, &Record)| of == thread && text.starts_with(what);
            let found = all.by_ref().filter(is_it).nth(number);
            found.unwrap_or_else(|| panic!("{what}\n{dump}")).0
        };
        let of_main = |what: &str, number| place(main, what, number);
        let of_contender = |what: &str| place(contender, what, 0);
        let in_order = [
            of_contender("call RawMonitorEnter"),
            of_main("call RawMonitorWait", 0),
            of_contender("end RawMonitorEnter"),
            of_contender("call RawMonitorNotifyAll"),
            of_contender("call RawMonitorExit"),
            of_main("end RawMonitorWait", 0),
            place(waiter, "call RawMonitorWait", 1),
            of_main("call RawMonitorNotifyAll", 0),
            of_main("call RawMonitorWait", 1),
            place(waiter, "end RawMonitorWait", 1),
            place(waiter, "call RawMonitorExit", 0),
            of_main("end RawMonitorWait", 1),
        ];
        assert!(in_order.is_sorted(), "{jdk}: {in_order:?}\n{dump}");
        let in_gc = &records[of_main("call RunGC", 0)..of_main("end RunGC", 0)];
        assert!(
            in_gc.iter().any(|(_, text)| text.starts_with("GC_FINISH ")),
            "{jdk}\n{dump}"
        );

        // Played again, it is the same.
        std::fs::remove_file(run.folder().join("report.txt")).unwrap();
        let replayed = xrun(run.folder(), &["replay", "run.rec"]);
        assert_eq!(run.file("report.txt"), REPORT, "{jdk}: {replayed}\n{dump}");
        let calls = OF_MAIN.matches("call ").count()
            + [OF_CONTENDER, OF_WAITER]
                .map(|text| text.matches("call RawMonitor").count())
                .iter()
                .sum::<usize>();
        // JVM_OnLoad: GetEnv, one monitor, three events.
        let said = format!("{} calls answered as recorded\n", calls + 5);
        assert!(
            replayed.stderr.ends_with(&said),
            "{jdk}: {replayed}\n{said}"
        );
    });
}
