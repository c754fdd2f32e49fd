//! Beside others: a Java agent, a debugger, the flight recorder, a JVMTI agent of
//! somebody else. Both sides go on working.

use xrun_tests::fixture::{jar, native};
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if};
use xrun_tests::product;
use xrun_tests::report::field;
use xrun_tests::run::{Java, Run, agent_path};

/// A busy JVMPI agent: the tracer with what this version has.
const TRACE: &str =
    "-Xrunjvmpi_trace:file=trace.txt,none,noheader,+THREAD_START,+THREAD_END,+CLASS_LOAD";

/// The tracer heard the program out.
fn assert_traced(run: &Run, main: &str) {
    let trace = run.file("trace.txt");
    assert!(
        trace
            .lines()
            .any(|line| line.contains(" CLASS_LOAD ") && line.contains(&format!(" name={main} "))),
        "{run}"
    );
    assert!(
        trace
            .lines()
            .last()
            .is_some_and(|line| line.contains("JVM_SHUT_DOWN")),
        "{trace}"
    );
}

/// A program's output with and without us.
fn same(without: Java, with: Java, main: &str) -> Run {
    product::agent("trace");
    let without = without.main(main).run().exits(0);
    let run = with
        .arg(TRACE)
        .main(main)
        .run()
        .exits(0)
        .says(&without.stdout);
    assert_traced(&run, main);
    run
}

/// The Java agent transforms on loading and retransforms; our CLASS_LOAD_HOOK agent
/// replaces too, and both changes arrive.
#[test]
fn java_agent() {
    let manifest =
        "Premain-Class: Weaver\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n";
    let jar = jar("weaver.jar", manifest);
    let weaver = format!("-javaagent:{}", jar.display());
    each_jdk(|jdk| {
        let run = same(
            Java::of(jdk).arg(&weaver),
            Java::with_shim(jdk).arg(&weaver),
            "Weighed",
        );
        assert!(run.stdout.starts_with("retransformed\n"), "{run}");
        assert!(run.stdout.contains("weaving-11\nweaving-12\n"), "{run}");

        // The hook changes what the weaver does not, in the same classes.
        let java = Java::with_helper(jdk, "hook", "x 5=x 5")
            .arg(&weaver)
            .main("Patched");
        let run = java.run().exits(0);
        assert!(run.stdout.contains("weaving-11\nweaving-12\n"), "{run}");
        let java = Java::with_helper(jdk, "hook", "original-2=original-9")
            .arg(&weaver)
            .main("Patched");
        let run = java.run().exits(0);
        // Which of the two sees a class first is the VM's to say: both changes are there.
        assert!(
            run.stdout.contains("weaving-11\nweaving-19\n")
                || run.stdout.contains("weaving-11\noriginal-9\n"),
            "{run}"
        );
    });
}

fn has(library: &'static str) -> impl Fn(&Jdk) -> Result<(), String> {
    move |jdk| {
        if jdk.has_library(library) {
            Ok(())
        } else {
            Err(format!("it has no {library}"))
        }
    }
}

/// With a debugger's agent that waits for nobody; it holds `can_suspend`.
#[test]
fn jdwp() {
    product::agent("sampler");
    each_jdk_if(has("libjdwp.so"), |jdk| {
        let debugger =
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0";
        same(
            Java::of(jdk).arg(debugger),
            Java::with_shim(jdk).arg(debugger),
            "Busy",
        );
        // It may hold the capability to suspend: one line then, and no hang.
        let java = Java::with_shim(jdk)
            .arg(debugger)
            .arg("-Xrunjvmpi_sampler:interval=2,file=profile.txt");
        let run = java.main("Busy").run().exits(0);
        assert!(run.stdout.ends_with("deep 610\n"), "{run}");
        assert!(
            run.file("profile.txt").starts_with("CPU samples: "),
            "{run}"
        );
    });
}

/// It makes and deletes references in callbacks of its own when a thread starts and ends, which come before
/// ours or behind them. For the agent a thread has started before, and has not ended yet.
#[test]
fn references_of_a_debugger() {
    product::agent("check");
    let shim = agent_path(&product::shim(), "");
    each_jdk_if(has("libjdwp.so"), |jdk| {
        let debugger =
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0";
        for order in [[debugger, &shim], [&shim, debugger]] {
            let java = Java::of(jdk).args(order);
            let java = java.arg("-Xrunjvmpi_check:file=check.txt").limit(120);
            let run = java.main("Churn 20").run().exits(0);
            let report = run.file("check.txt");
            assert!(report.contains("check: 0 violations"), "{report}");
        }
    });
}

/// The `-Xrunjdwp` of old command lines is a JVMTI agent of today's JDKs.
#[test]
fn xrunjdwp_beside_an_old_agent() {
    product::agent("trace");
    each_jdk_if(has("libjdwp.so"), |jdk| {
        let debugger =
            "-Xrunjdwp:transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0";
        same(
            Java::of(jdk).arg(debugger),
            Java::with_shim(jdk).arg(debugger),
            "Plain",
        );
    });
}

#[test]
fn flight_recorder() {
    each_jdk_if(
        |jdk| {
            let modules = std::fs::read_to_string(jdk.home.join("release")).unwrap_or_default();
            let has = modules.contains("jdk.jfr") || jdk.home.join("lib/jfr").is_dir();
            if has {
                Ok(())
            } else {
                Err("it has no flight recorder".to_owned())
            }
        },
        |jdk| {
            let jfr = "-XX:StartFlightRecording=filename=recording.jfr,settings=profile";
            // It says where it writes, with the process id: stdout is compared without.
            let without = Java::of(jdk).main("Busy").run().exits(0);
            let java = Java::with_shim(jdk)
                .arg(jfr)
                .arg("-Xlog:jfr*=off")
                .arg(TRACE);
            let recording = java.file("recording.jfr");
            let running = java.main("Busy").start();
            let run = running.finish().exits(0);
            assert!(run.stdout.ends_with(&without.stdout), "{run}");
            assert_traced(&run, "Busy");
            let size = std::fs::metadata(&recording).map_or(0, |data| data.len());
            assert!(size > 10_000, "the recording has {size} bytes: {run}");
            // The sampler of the period beside JFR's own.
            let java = Java::with_shim(jdk).arg(jfr).arg("-Xlog:jfr*=off");
            let run = java
                .arg("-Xrunjvmpi_sampler:interval=2,file=profile.txt")
                .main("Busy")
                .run()
                .exits(0);
            assert!(run.stdout.ends_with(&without.stdout), "{run}");
            assert!(
                run.file("profile.txt").starts_with("CPU samples: "),
                "{run}"
            );
        },
    );
}

/// A JVMTI agent with tags and object-free events of its own: its tags are its own.
#[test]
fn second_jvmti_agent() {
    let second = agent_path(&native("second_jvmti"), "");
    each_jdk(|jdk| {
        let shim = agent_path(&product::shim(), "");
        for order in [[&second, &shim], [&shim, &second]] {
            let without = Java::of(jdk).arg(&second);
            let run = same(without, Java::of(jdk).args(order), "Busy");
            let report = run.file("second.txt");
            assert_eq!(field(&report, "tagged"), Some("1000"), "{report}");
            assert_eq!(field(&report, "freed"), Some("1000"), "{report}");
            assert_eq!(field(&report, "prepared"), Some("yes"), "{report}");
        }
    });
}

/// All of them at once.
#[test]
fn everybody_at_once() {
    let second = agent_path(&native("second_jvmti"), "");
    let manifest =
        "Premain-Class: Weaver\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n";
    let weaver = format!("-javaagent:{}", jar("weaver.jar", manifest).display());
    each_jdk_if(has("libjdwp.so"), |jdk| {
        let others = [
            &weaver,
            &second,
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0",
        ];
        let run = same(
            Java::of(jdk).args(others),
            Java::with_shim(jdk).args(others),
            "Weighed",
        );
        assert_eq!(
            field(&run.file("second.txt"), "freed"),
            Some("1000"),
            "{run}"
        );
    });
}

/// Who stops HPROF's sampler, as a debugger stops all threads, keeps no thread from
/// starting or ending meanwhile. (With `kernel=n` the sampler's first step in the VM is a question about another thread.)
#[test]
fn a_sampler_that_is_stopped_stops_nobody() {
    product::hprof();
    let stops = native("stops_sampler");
    each_jdk(|jdk| {
        let java = Java::with_shim(jdk)
            .natives(jdk, &stops)
            .arg(agent_path(&stops, ""))
            .arg("-Xrunhprof:cpu=samples,kernel=n,interval=1,file=profile.txt");
        let run = java.main("SamplerStopped").run().exits(0);
        let says = "stop 0\ngo 0\n".repeat(5) + "done\n";
        assert_eq!(run.stdout, says, "{run}");
        let profile = run.file("profile.txt");
        assert!(profile.contains("CPU SAMPLES END"), "{profile}");
    });
}
