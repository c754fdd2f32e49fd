//! Classes that are loaded and not linked stay so: no event links one, which would make the
//! program's loaders run in the middle of whatever the program does; and dumps name no class
//! that the agent was not told of.

use std::process::Command;

use xrun_tests::census::Judgement;
use xrun_tests::collector::{Collector, each_collector, rotated};
use xrun_tests::jdk::{Jdk, compiler, each_jdk, not_run};
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{fixture, product, programs};

/// What the program says, what its loader is asked among it.
fn said(run: &Run) -> String {
    run.stdout.lines().collect::<Vec<_>>().join("\n")
}

fn alone(jdk: &Jdk, words: &str) -> String {
    let run = Java::of(jdk).main(&format!("Unlinked {words}")).run();
    let said = said(&run.exits(0));
    assert!(said.contains("asked for Unlinked$Below"), "{said}");
    said
}

/// In all modes of HPROF.
#[test]
fn the_loader_is_asked_what_it_is_asked_without_us() {
    const MODES: [&str; 5] = [
        "heap=sites",
        "heap=dump,format=b",
        "cpu=samples,monitor=y",
        "cpu=times",
        "heap=all,cpu=times",
    ];
    each_jdk(|jdk| {
        let alone = alone(jdk, "");
        product::hprof();
        for mode in MODES {
            let options = format!("hprof:{mode},file=profile");
            let run = Java::of(jdk).arg(agent_path(&product::shim(), &options));
            let run = run.main("Unlinked").run().exits(0);
            assert_eq!(said(&run), alone, "{jdk}, {mode}\n{run}");
        }
    });
}

/// With every event that may name it, from the start or enabled late.
#[test]
fn it_is_told_of_when_it_is_linked() {
    each_jdk(|jdk| {
        let alone = alone(jdk, "");
        for (options, checks) in [("", 18), ("late", 16)] {
            let run = Java::with_helper(jdk, "unlinked", options).main("Unlinked");
            let run = run.run().exits(0);
            assert_checks(&run.file("report.txt"), checks);
            assert_eq!(said(&run), alone, "{jdk}, `{options}`\n{run}");
        }
    });
}

/// Hooks are put into hundreds of classes while threads link them: at once, or when they are.
#[test]
fn methods_of_all_that_are_linked_later() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "unlinked", "late").main("Unlinked many");
        let run = run.run().exits(0).says("done true\n");
        assert_checks(&run.file("report.txt"), 1);
    });
}

/// A thread has the loader's lock and waits for a monitor; its owner makes an array, enables
/// events and asks for dumps.
#[test]
fn nobody_waits_for_a_loader() {
    const SECONDS: u64 = 30;
    each_jdk(|jdk| {
        let alone = alone(jdk, "hang");
        for options in ["", "late"] {
            let run = Java::with_helper(jdk, "unlinked", options).limit(SECONDS);
            let run = run.main("Unlinked hang").run().exits(0);
            assert_checks(&run.file("report.txt"), 6);
            assert_eq!(said(&run), alone, "{jdk}, `{options}`\n{run}");
        }
    });
}

/// HPROF comes by `jcmd` while the class waits to be linked.
#[test]
fn coming_late_links_nothing() {
    let jcmd = compiler().tool("jcmd");
    each_jdk(|jdk| {
        product::hprof();
        let java = Java::of(jdk).main("Unlinked wait");
        let end = java.file("end");
        std::fs::write(&end, "").unwrap();
        let alone = said(&java.run().exits(0));
        for mode in ["cpu=times", "heap=all"] {
            let java = Java::of(jdk).main("Unlinked wait");
            let end = java.file("end");
            let mut running = java.start();
            running.wait_for_line("waits");
            let options = format!("\"hprof:{mode},file=profile\"");
            let mut command = Command::new(&jcmd);
            command
                .args([&running.pid().to_string(), "JVMTI.agent_load"])
                .arg(product::shim())
                .arg(options);
            let answer = run::output(command, 240).exits(0).stdout;
            assert!(answer.contains("return code: 0"), "{answer}");
            std::fs::write(end, "").unwrap();
            let run = running.finish().exits(0);
            assert_eq!(said(&run), alone, "{jdk}, {mode}\n{run}");
            let profile = run.file("profile");
            assert!(
                mode != "cpu=times" || profile.contains("Unlinked$Apart.run"),
                "{jdk}: no hooks\n{run}"
            );
        }
    });
}

// ---- dumps ---------------------------------------------------------------------------

/// The agent `check` disables every event in JVM_SHUT_DOWN and then asks for dumps of all levels.
fn dumped_at_the_end(
    jdk: &Jdk,
    collector: &Collector,
    only: &str,
    program: impl FnOnce(Java) -> Java,
) {
    product::agent("check");
    let java = collector.on(Java::with_shim(jdk), jdk, 256).limit(180);
    let java = java.arg(format!("-Xrunjvmpi_check:file=check.txt,heap{only}"));
    let run = program(java).run().exits(0);
    let report = run.file("check.txt");
    let judgement = Judgement::read(&report);
    let what = format!("{jdk}, {collector}, `{only}`");
    assert_eq!(
        judgement.violations,
        Some(0),
        "{what}\n{}\n{run}",
        judgement.head()
    );
    let heap = report.lines().find(|line| line.starts_with("heap "));
    let number = |key| heap.and_then(|line| field(line, key)?.parse::<u64>().ok());
    assert_eq!(number("dumps"), Some(3), "{what}\n{report}");
    // Levels 1 and 2 have every class; arrays are among them.
    assert!(number("classes") > Some(600), "{what}\n{report}");
    assert!(number("records") > Some(9_000), "{what}\n{report}");
}

/// What Sun's HPROF enables for heap dumps.
const LIKE_HPROF: &str = ",only=CLASS_LOAD+CLASS_UNLOAD+THREAD_START+THREAD_END+GC_START+GC_FINISH\
    +OBJECT_ALLOC+OBJECT_MOVE+OBJECT_FREE+ARENA_NEW+ARENA_DELETE+JNI_GLOBALREF_ALLOC+JNI_GLOBALREF_FREE";

#[test]
fn dumps_name_what_the_agent_knows() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            dumped_at_the_end(jdk, collector, LIKE_HPROF, |java| java.main("Unlinked"));
        });
        let few = ",only=CLASS_LOAD+THREAD_START+THREAD_END+CLASS_UNLOAD";
        dumped_at_the_end(jdk, &rotated(jdk, 1), few, |java| {
            java.main("Shapes /dev/null 50")
        });
        dumped_at_the_end(jdk, &rotated(jdk, 2), "", |java| java.main("Unlinked"));
    });
}

#[test]
fn dumps_of_a_real_program_do_too() {
    each_jdk(|jdk| {
        let collector = rotated(jdk, 3);
        let folder = fixture::unique("javac");
        match programs::program("javac", jdk, &folder) {
            Ok(javac) => {
                dumped_at_the_end(jdk, &collector, LIKE_HPROF, |java| java.args(&javac.words))
            }
            Err(missing) => not_run(&format!("JDK {}, javac", jdk.major), missing),
        }
        let _ = std::fs::remove_dir_all(folder);
    });
}
