//! What comes of an agent's handlers.

use xrun_tests::jdk::{each_jdk_if, on_jdk_if};
use xrun_tests::report::assert_checks;

use super::{has_compiler, with_helper, with_native_helper};

/// The class file that a handler leaves, in memory from `malloc_f` or where it was shown, is what runs.
#[test]
fn classes_are_replaced() {
    each_jdk_if(has_compiler, |jdk| {
        for mode in ["", ",place"] {
            let java = with_helper(jdk, "hook", &format!("original-=replaced-{mode}"));
            let run = java
                .main("Patched")
                .run()
                .exits(0)
                .says("replaced-1\nreplaced-2\njava.lang.Exception: x 5\nnull\n");
            assert_eq!(
                run.file("report.txt"),
                "hooks=yes replaced=2 empty=0 after_init=yes\n",
                "{run}"
            );
        }
    });
}

/// A signal's handler calls JVMPI and JNI while its thread talks with the VM: it gets nothing, and the thread its answers.
#[test]
fn signals_come_in_the_middle_of_a_word() {
    on_jdk_if(17, has_compiler, |jdk| {
        let java = with_helper(jdk, "interrupts", "");
        let run = java.main("Hot 1000").limit(120).run();
        let run = run.exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 4);
    });
}

/// NotifyEvent is read over there at each delivery, as it is in the VM's process; nobody has heard what came meanwhile.
#[test]
fn nothing_while_notify_event_is_null() {
    each_jdk_if(has_compiler, |jdk| {
        let run = with_helper(jdk, "order", "tcn").main("Plain").run();
        let run = run.exits(0);
        assert_eq!(run.file("report.txt"), "", "{run}");

        let run = with_native_helper(jdk, "order", "tcl").main("Listen").run();
        let run = run.exits(0).says("done\n");
        let report = run.file("report.txt");
        assert!(report.starts_with("listening\n"), "{report}\n{run}");
        assert!(report.ends_with("\ndeaf\n"), "{report}\n{run}");
        // Who sends is introduced, though its own start went unheard.
        let started = |name: &str| report.contains(&format!(" name={name}\n"));
        assert!(started("heard") && started("main"), "{report}\n{run}");
        assert!(
            !started("unheard-1") && !started("unheard-2"),
            "{report}\n{run}"
        );
        assert_eq!(report.matches("THREAD_END").count(), 1, "{report}\n{run}");
    });
}

/// As in the VM's process, also of what is used when the call has returned, and while NotifyEvent is NULL.
#[test]
fn enable_disable_request_event() {
    each_jdk_if(has_compiler, |jdk| {
        let java = with_native_helper(jdk, "fn_events", "").main("Events");
        let run = java.limit(120).run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 102);
    });
}

/// Of the hosts of the period, over there as here.
#[test]
fn get_env_answers_as_the_host() {
    each_jdk_if(has_compiler, |jdk| {
        for (host, codes) in [
            ("any", "0 0 0, version 10000003"),
            ("cvm", "0 0 -3, version 10000001"),
            ("classic-1.2", "0 -3 -3, version 10000001"),
        ] {
            let java = with_helper(jdk, "loaded", "").env("JVMPI_OPTIONS", format!("host={host}"));
            let run = java.main("Plain").run();
            let report = run.file("report.txt");
            let said = format!("\nGetEnv {codes}\n");
            assert!(report.contains(&said), "{host}: {report}\n{run}");
        }
    });
}

/// From every kind of thread, at any time, and with no place for the answer.
#[test]
fn get_env_from_everywhere() {
    each_jdk_if(has_compiler, |jdk| {
        let run = with_native_helper(jdk, "getenv", "").main("GetEnv").run();
        let run = run.exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 49);
    });
}
