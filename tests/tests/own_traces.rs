//! GetCallTrace of the calling thread gives what GetStackTrace gives, whichever way it is taken.

use event_translate::internals::NEWEST_KNOWN_JDK;
use xrun_tests::collector::each_collector;
use xrun_tests::fixture::native;
use xrun_tests::jdk::each_jdk;
use xrun_tests::product;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{Java, agent_path};

/// In every kind of event, while classes are unloaded and get hooks and lose them: inlined
/// frames, deep ones, some that are made invalid, lambdas, reflection, exceptions.
#[test]
fn frames_are_those_of_the_vm() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let library = native("own_traces");
            let java = Java::of(jdk)
                .arg(agent_path(&product::shim(), "log=info"))
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
            let said = |text| run.stderr.contains(text);
            // Of a JDK that nobody has tried it on the VM's own walk is asked instead.
            let is_known = i64::from(jdk.major) <= i64::from(NEWEST_KNOWN_JDK);
            let way = "gives a thread's own call traces from now on";
            let no_way = "not used of this VM: own-stacks";
            assert_eq!((said(way), said(no_way)), (is_known, !is_known), "{run}");
            assert!(!said("not the same"), "{run}");
            // Walks that are wrong at their end are refused and give nothing but work: deep stacks, too, have
            // to be had without GetStackTrace, or that they are walked is no gain.
            let of_long = report.lines().find(|line| line.starts_with("long="));
            let count = |key| field(of_long?, key)?.parse::<u64>().ok();
            let (long, walked) = (count("long").unwrap(), count("walked").unwrap());
            assert!(long > 100, "{report}");
            assert_eq!(walked > long / 4, is_known, "{report}");
        });
    });
}

/// Lines are those of the code that a method has, from the moment on when it has got hooks or lost them: other threads
/// call it before whoever has changed it comes back from the VM.
#[test]
fn lines_are_those_of_the_code_that_runs() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "own_traces", "");
        let run = java.main("LinesChange 1500").run().exits(0);
        assert_checks(&run.file("report.txt"), 2);
    });
}
