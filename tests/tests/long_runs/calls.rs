//! An agent that calls everything with anything.

use xrun_tests::jdk::each_jdk;
use xrun_tests::long_run::{amount, seed, tell};
use xrun_tests::report::field;
use xrun_tests::run::Java;

/// Programs in which threads, objects or classes go, and what they say at their end.
const PROGRAMS: [(&str, &str); 2] = [
    (
        "AllocStorm 3 600 churn gc hash",
        "LIVE AllocStorm$Trash 0\n",
    ),
    ("UnloadStorm 400", "LOADED 400\n"),
];

#[test]
fn wild_calls_leave_the_program_alone() {
    let wanted = amount(2_000);
    each_jdk(|jdk| {
        let mut made = 0;
        for number in seed().. {
            for (main, says) in PROGRAMS {
                let options = format!("{number},1000000");
                let java = Java::with_helper(jdk, "fn_wild", &options).arg("-Xcheck:jni");
                let run = java.main(main).limit(180).run().exits(0);
                assert!(run.stdout.ends_with(says), "{jdk}, seed {number}: {run}");
                let report = run.file("report.txt");
                assert!(
                    report.contains(" ended=1 "),
                    "{jdk}, seed {number}: {report}{run}"
                );
                assert!(!run.stderr.contains("internal error in"), "{run}");
                let calls = field(&report, "made").and_then(|text| text.parse::<u64>().ok());
                made += calls.unwrap_or(0);
            }
            if made >= wanted {
                break;
            }
        }
        tell(Some(jdk), made, "");
    });
}
