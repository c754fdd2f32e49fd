//! Parked threads: the agent's function of `xrun_ext.h`, and HPROF's PARKED TIME.

use std::collections::BTreeMap;

use serde_json::Value;
use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run};

fn hprof(jdk: &Jdk, options: &str, words: &str) -> Run {
    product::hprof();
    let java = Java::with_shim(jdk).arg("-Xcheck:jni");
    let java = java.arg(format!(
        "-Xrunhprof:monitor=y,depth=32,cutoff=0,file=profile{options}"
    ));
    java.main(&format!("HprofParks{words}")).run()
}

/// The words of the program for all threads that this JDK has.
fn kinds(jdk: &Jdk) -> &'static [&'static str] {
    if jdk.major >= 21 {
        &["", " virtual"]
    } else {
        &[""]
    }
}

/// What `HprofParks` does by method: the blocker, and how often it parks.
const KNOWN: [(&str, Option<&str>, u64); 6] = [
    ("Initialised.<clinit>", Some("HprofParks$Blocker"), 2),
    ("nanos", Some("HprofParks$Blocker"), 5),
    ("permitted", Some("HprofParks$Blocker"), 3),
    ("interrupted", Some("HprofParks$Blocker"), 2),
    ("without", None, 3),
    ("pinned", Some("HprofParks$Blocker"), 2),
];

/// What it waits for 100 ms at least; how often it has to be parked for that is the JDK's affair.
const WAITS: [(&str, &str); 5] = [
    (
        "lock",
        "java.util.concurrent.locks.ReentrantLock$NonfairSync",
    ),
    ("acquire", "java.util.concurrent.Semaphore$NonfairSync"),
    ("take", CONDITION),
    ("await", CONDITION),
    ("get", "java.util.concurrent.FutureTask"),
];

const CONDITION: &str = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject";

type Parked = BTreeMap<(String, Option<String>), (u64, u64)>;

/// How often and for how many nanoseconds, by the program's method that is nearest to the top and
/// the blocker; of those that had ended, or that were `still` parked.
fn by_method(json: &Value, still: bool) -> Parked {
    let mut found = Parked::new();
    let parked = json["parked"].as_array().expect("a list").iter();
    for park in parked.filter(|park| park["still"].as_bool().unwrap_or(false) == still) {
        let trace = json["traces"].as_array().unwrap().iter();
        let trace = trace.clone().find(|trace| trace["id"] == park["trace"]);
        let mut at = trace.expect("a trace")["frame"].as_u64();
        let mut method = None;
        while let Some(frame) = at.map(|at| &json["frames"][usize::try_from(at).unwrap()]) {
            let named = &json["methods"][usize::try_from(frame[0].as_u64().unwrap()).unwrap()];
            let (class, name) = (named["class"].as_str().unwrap(), &named["name"]);
            let name = name.as_str().unwrap();
            // Called by others of them.
            if class == "HprofParks" && name != "permits" {
                method.get_or_insert_with(|| name.to_owned());
            } else if class == "HprofParks$Initialised" {
                method.get_or_insert_with(|| format!("Initialised.{name}"));
            }
            at = frame[2].as_u64();
        }
        let blocker = park["blocker"].as_str().map(str::to_owned);
        let sum = found
            .entry((method.unwrap_or_default(), blocker))
            .or_default();
        sum.0 += park["count"].as_u64().unwrap();
        sum.1 += park["ns"].as_u64().unwrap();
    }
    found
}

#[test]
fn who_was_parked_where_and_how_long() {
    each_jdk(|jdk| {
        for words in kinds(jdk) {
            let run = hprof(jdk, ",format=json", words).exits(0);
            assert_eq!(run.stdout, "done\n", "{run}");
            let json = serde_json::from_str(&run.file("profile")).unwrap();
            let found = by_method(&json, false);
            for (method, blocker, count) in KNOWN {
                let key = (method.to_owned(), blocker.map(str::to_owned));
                let (counted, nanos) = found.get(&key).copied().unwrap_or_default();
                assert_eq!(counted, count, "{method}{words}: {found:?}\n{run}");
                assert!(nanos > 0, "{method}{words}: {found:?}");
            }
            for (method, blocker) in WAITS {
                let key = (method.to_owned(), Some(blocker.to_owned()));
                let (counted, nanos) = found.get(&key).copied().unwrap_or_default();
                assert!(
                    counted > 0 && nanos >= 100_000_000,
                    "{method}{words}: {found:?}\n{run}"
                );
            }
            let ended = found.keys().find(|(method, _)| method == "forever");
            assert_eq!(ended, None, "{words}");
            let still = by_method(&json, true);
            let key = ("forever".to_owned(), Some("HprofParks$Blocker".to_owned()));
            let (counted, nanos) = still.get(&key).copied().unwrap_or_default();
            assert!(counted == 1 && nanos > 0, "{words}: {still:?}\n{run}");
        }
    });
}

/// Text for scripts, and stacks for tools.
#[test]
fn every_format_has_them() {
    each_jdk(|jdk| {
        let run = hprof(jdk, ",verbose=y", "").exits(0).says("done\n");
        let said = " parked, for locks, queues and futures of java.util.concurrent, or idle";
        assert!(run.stderr.contains(said), "{run}");
        let ascii = hprof_ascii::read(&run.file("profile"));
        let ascii = ascii.unwrap_or_else(|error| panic!("{error}\n{run}"));
        let [table] = &ascii.parked[..] else {
            panic!("{} tables\n{run}", ascii.parked.len());
        };
        assert!(table.total >= 500, "{}", table.total);
        let rows = table.rows.iter();
        let sum = |name| -> u64 {
            let rows = rows.clone().filter(|row| row.blocker == name);
            rows.map(|row| row.count).sum()
        };
        assert_eq!(sum("HprofParks$Blocker"), 14, "{run}");
        assert_eq!(sum("HprofParks$Blocker (still parked)"), 1, "{run}");
        assert!(sum("<no blocker>") >= 3, "{run}");
        let run = hprof(jdk, ",format=collapsed", "").exits(0).says("done\n");
        let stack = "HprofParks.get;java.util.concurrent.FutureTask.get;";
        let stacks = run.file("profile");
        let line = stacks.lines().find(|line| line.contains(stack));
        let is_park = |line: &str| line.contains(";park java.util.concurrent.FutureTask ");
        assert!(line.is_some_and(is_park), "{stacks}");
    });
}

#[test]
fn they_are_watched_as_long_as_the_agent_wishes() {
    each_jdk(|jdk| {
        for option in ["-Xcheck:jni", "-Xint"] {
            for words in kinds(jdk) {
                let java = Java::with_helper(jdk, "parks", "").arg(option);
                let run = java.main(&format!("Parks{words}")).run().exits(0);
                let run = run.says("done\n");
                assert_checks(&run.file("report.txt"), 12);
            }
        }
    });
}
