//! What methods do: compiled code, entries and exits.

use xrun_tests::jdk::each_jdk;
use xrun_tests::product;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::Java;

/// Address, size and lines of compiled code.
#[test]
fn compiled_code_has_lines() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "compiled", "")
            .arg("-Xcheck:jni")
            .main("Hot")
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 7);
    });
}

/// Each COMPILED_METHOD_UNLOAD belongs to a LOAD and comes before its class is unloaded.
#[test]
fn compiled_code_of_unloaded_classes() {
    product::agent("check");
    each_jdk(|jdk| {
        let run = Java::with_shim(jdk)
            .args(["-Xcomp", "-XX:TieredStopAtLevel=1", "-Xmx64m"])
            .arg("-Xrunjvmpi_check:file=check.txt")
            .main("UnloadStorm 300")
            .limit(120)
            .run()
            .exits(0);
        let report = run.file("check.txt");
        assert!(report.starts_with("check: 0 violations"), "{report}\n{run}");
        let counted = |event: &str| -> u32 {
            let line = report.lines().find(|line| line.starts_with("events "));
            line.and_then(|line| field(line, event)?.parse().ok())
                .unwrap_or(0)
        };
        assert!(counted("COMPILED_METHOD_LOAD") > 300, "{report}");
        assert!(counted("COMPILED_METHOD_UNLOAD") > 30, "{report}");
        assert_eq!(counted("CLASS_UNLOAD"), 300, "{report}");
    });
}
