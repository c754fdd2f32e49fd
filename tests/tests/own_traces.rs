//! GetCallTrace of the calling thread gives what GetStackTrace gives, whichever way it is taken.

use event_translate::internals::NEWEST_KNOWN_JDK;
use xrun_tests::collector::{Collector, each_collector, rotated};
use xrun_tests::cross;
use xrun_tests::fixture::{jar, native};
use xrun_tests::jdk::{Jdk, each_jdk, not_run};
use xrun_tests::product;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{Java, agent_path};

/// By what a thread's own stack may be taken, and what the log says of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    KnownCode,
    AsyncGetCallTrace,
}

impl Way {
    /// Up to this JDK it is there.
    fn newest(self) -> i32 {
        match self {
            // Later a method's id does not lead to the method.
            Self::KnownCode => 25,
            Self::AsyncGetCallTrace => NEWEST_KNOWN_JDK,
        }
    }

    fn is_there(self, jdk: &Jdk) -> bool {
        let has_processor =
            self != Self::KnownCode || cross().is_none() && cfg!(target_arch = "x86_64");
        has_processor && i64::from(jdk.major) <= i64::from(self.newest())
    }

    fn name(self) -> &'static str {
        match self {
            Self::KnownCode => "the walk by known code",
            Self::AsyncGetCallTrace => "AsyncGetCallTrace",
        }
    }
}

/// In every kind of event, while classes are unloaded and get hooks and lose them: inlined
/// frames, deep ones, some that are made invalid, lambdas, reflection, exceptions.
#[test]
fn frames_are_those_of_the_vm() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let ways = [Way::KnownCode, Way::AsyncGetCallTrace];
            let way = ways.into_iter().find(|way| way.is_there(jdk));
            compare(jdk, collector, "log=info", way);
        });
        if Way::KnownCode.is_there(jdk) {
            let way = Some(Way::AsyncGetCallTrace);
            compare(jdk, &rotated(jdk, 0), "log=info,without=own-frames", way);
        }
    });
}

/// All comes by `way`, `None`: by GetStackTrace.
fn compare(jdk: &Jdk, collector: &Collector, options: &str, way: Option<Way>) {
    let library = native("own_traces");
    let java = Java::of(jdk)
        .arg(agent_path(&product::shim(), options))
        .natives(jdk, &library)
        .library(&library)
        .args(["-Xrunown_traces", "-Xcheck:jni"]);
    let run = collector
        .on(java, jdk, 512)
        .main("OwnTraces 500")
        .limit(120)
        .run()
        .exits(0);
    let report = run.file("report.txt");
    assert_checks(&report, 10);
    let is_used = |way: Way| {
        let said = format!(
            "{} gives a thread's own call traces from now on",
            way.name()
        );
        run.stderr.contains(&said)
    };
    assert_eq!(
        is_used(Way::KnownCode),
        way == Some(Way::KnownCode),
        "{run}"
    );
    // Where code is not known it goes the other way.
    if way != Some(Way::KnownCode) {
        assert_eq!(is_used(Way::AsyncGetCallTrace), way.is_some(), "{run}");
    }
    let no_way = "not used of this VM: own-stacks";
    assert_eq!(
        run.stderr.contains(no_way),
        !Way::AsyncGetCallTrace.is_there(jdk),
        "{run}"
    );
    assert!(!run.stderr.contains("not the same"), "{run}");
    // Walks that are wrong at their end are refused and give nothing but work: deep stacks, too, have
    // to be had without GetStackTrace, or that they are walked is no gain.
    let of_long = report.lines().find(|line| line.starts_with("long="));
    let count = |key| field(of_long?, key)?.parse::<u64>().ok();
    let (long, walked) = (count("long").unwrap(), count("walked").unwrap());
    assert!(long > 100, "{report}");
    assert_eq!(walked > long / 4, way.is_some(), "{report}");
}

/// Up to JDK 21 GetStackTrace gives ids that are none, beside redefinitions; whoever asks the VM about one ends it.
#[test]
fn ids_that_are_none_are_not_followed() {
    each_jdk(|jdk| {
        if jdk.major > 21 {
            return not_run(
                &format!("JDK {}", jdk.major),
                "its GetStackTrace gives no such ids",
            );
        }
        let java = Java::with_helper(jdk, "own_traces", "wrong ids");
        let run = java.main("OwnTraces 100").limit(120).run().exits(0);
        assert_checks(&run.file("report.txt"), 11);
    });
}

/// Lines are those of the code that a method has, from the moment on when it has got hooks or lost them: other threads
/// call it before whoever has changed it comes back from the VM.
#[test]
fn lines_are_those_of_the_code_that_runs() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "own_traces", "");
        let run = java.main("LinesChange 1500").limit(120).run().exits(0);
        assert_checks(&run.file("report.txt"), 2);
    });
}

/// The same where a Java agent gives methods other lines and no other code, so that their ids stay; with and without what
/// has the VM show the shim class files.
#[test]
fn lines_are_those_of_redefined_classes() {
    let manifest = "Premain-Class: LinesRedefined\nCan-Redefine-Classes: true\n\
                    Can-Retransform-Classes: true\n";
    let agent = format!("-javaagent:{}", jar("redefines.jar", manifest).display());
    each_jdk(|jdk| {
        for events in ["few lines", "lines"] {
            let java = Java::with_helper(jdk, "own_traces", events).arg(&agent);
            let run = java.main("LinesRedefined 800").limit(120).run().exits(0);
            assert_checks(&run.file("report.txt"), 3);
        }
    });
}
