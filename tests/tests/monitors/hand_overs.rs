//! MONITOR_CONTENDED_EXIT: whatever makes an owner leave a monitor, it says so itself.

use event_translate::internals::NEWEST_KNOWN_JDK;
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if};
use xrun_tests::long;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::Java;

/// With the agent `monitors`.
fn agent(jdk: &Jdk, options: &str) -> Java {
    Java::with_helper(jdk, "monitors", options).arg("-Xcheck:jni")
}

/// The report of the agent, which has found nothing wrong.
fn play(java: Java, words: &str) -> String {
    let run = java
        .main(words)
        .limit(if long() { 900 } else { 240 })
        .run()
        .exits(0);
    let report = run.file("report.txt");
    assert_checks(&report, 0);
    run.says("done\n");
    report
}

/// Two threads hand locks over and over in one way: as many ENTER as ENTERED, and in
/// between one EXIT for each.
fn hand_over(java: Java, program: &str, how: &str, times: i64) {
    let report = play(java, &format!("{program} {how} {times}"));
    let line = report.lines().find(|line| line.starts_with("COUNTS "));
    let count = |key: &str| -> i64 {
        let value = line.and_then(|line| field(line, key)?.parse().ok());
        value.unwrap_or_else(|| panic!("{report}"))
    };
    let what = format!("{how}\n{report}");
    assert_eq!(count("enter"), count("entered"), "{what}");
    assert!(count("enter") > times, "{what}");
    // The first and the last of all, and those between other threads.
    let apart = count("exit") - count("entered");
    assert!((-2..=2).contains(&apart), "{what}");
    assert!(count("missing") <= 2, "{what}");
}

#[test]
fn ping_pong() {
    let times = if long() { 50_000 } else { 500 };
    each_jdk(|jdk| {
        for how in ["block", "method", "recursive", "wait"] {
            hand_over(agent(jdk, "all"), "HandOvers", how, times);
        }
    });
}

#[test]
fn by_an_exception() {
    let times = if long() { 5_000 } else { 200 };
    each_jdk(|jdk| {
        for how in [
            "thrown-block",
            "thrown-nested",
            "thrown-method",
            "thrown-instance",
        ] {
            hand_over(agent(jdk, "all"), "HandOvers", how, times);
        }
    });
}

/// Synchronized native methods, JNI's MonitorExit, and static methods of class files that
/// cannot name their class.
#[test]
fn by_native_and_by_old_code() {
    let times = if long() { 5_000 } else { 200 };
    each_jdk(|jdk| {
        for how in ["native", "native-instance", "jni", "jni-thrown", "old"] {
            hand_over(agent(jdk, "all"), "HandOvers", how, times);
        }
    });
}

/// A handler meets no exception of the program's, and the program none of a handler's; its
/// own comes out of the way that was left as it went in.
#[test]
fn exceptions_pass_unchanged() {
    let times = if long() { 5_000 } else { 100 };
    each_jdk(|jdk| {
        for how in [
            "native-instance",
            "jni-thrown",
            "thrown-nested",
            "thrown-method",
            "old",
            "native",
            "jni",
        ] {
            play(agent(jdk, "throws"), &format!("HandOvers {how} {times}"));
        }
    });
}

/// EXIT comes with the last entry that is left, also of a lock whose first entries the VM
/// does not count: it had no monitor yet. Owners that have waited themselves, and such of a
/// lock that was handed over a moment ago, are known to be counted.
#[test]
fn with_entries_within_entries() {
    let times = if long() { 5_000 } else { 200 };
    each_jdk(|jdk| {
        for how in ["thin", "waited", "between", "again", "two", "waits"] {
            hand_over(agent(jdk, "all"), "NestedLocks", how, times);
        }
    });
}

/// The same where the VM's count cannot be read: the owner asks the VM each time. That stops the program:
/// fewer times are enough.
#[test]
fn with_entries_that_the_vm_is_asked_for() {
    let times = if long() { 500 } else { 50 };
    each_jdk(|jdk| {
        for how in ["thin", "two", "waits"] {
            let java = agent(jdk, "all").env("JVMPI_OPTIONS", "without=contended-monitor");
            hand_over(java, "NestedLocks", how, times);
        }
    });
}

/// How a virtual thread leaves. Of its entries JVMTI says nothing from JDK 23 on: where the VM's own count cannot be
/// read it may tell at an inner one, and only who leaves all at once tells when it should.
fn ways_of_virtual_threads(jdk: &Jdk) -> &'static [&'static str] {
    if i64::from(jdk.major) > i64::from(NEWEST_KNOWN_JDK) {
        &["waits"]
    } else {
        &["thin", "between", "again", "waits"]
    }
}

/// A virtual thread hands over to one that is none.
#[test]
fn with_entries_of_virtual_threads() {
    let times = if long() { 5_000 } else { 100 };
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        for how in ways_of_virtual_threads(jdk) {
            // The agent counts what each carrier tells.
            let java = agent(jdk, "all")
                .arg("-Djdk.virtualThreadScheduler.parallelism=1")
                .arg("-Djdk.virtualThreadScheduler.maxPoolSize=1");
            hand_over(java, "NestedLocks virtual", how, times);
        }
    });
}

/// One that leaves, comes back before anybody else got in, and leaves again, has handed over
/// once. How often it comes back in time is chance.
#[test]
fn an_owner_that_comes_back_says_it_once() {
    let times = if long() { 5_000 } else { 200 };
    each_jdk(|jdk| {
        play(agent(jdk, "all"), &format!("NestedLocks impatient {times}"));
    });
}

/// A native thread that detaches itself leaves what it has entered by JNI: it says so, and then ends.
#[test]
fn by_detaching() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "detached_owner", "");
        let run = java.main("DetachedOwner").run().exits(0).says("done\n");
        let report = run.file("report.txt");
        assert_checks(&report, 1);
        let events: Vec<_> = report
            .lines()
            .filter_map(|line| line.strip_prefix("EVENT "))
            .collect();
        let expected = ["main ENTER", "owner EXIT", "owner END", "main ENTERED"];
        assert_eq!(events, expected, "{report}");
    });
}
