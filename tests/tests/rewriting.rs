//! What the rewriter makes of class files: VMs verify it and run it.
//!
//! `event-translate/class-rewriter/tests/rewrite/verify.sh` goes further, and without the shim: class files
//! that were spoilt at random, and whether hooks nest.

use std::path::Path;

use xrun_tests::jdk::each_jdk;
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;
use xrun_tests::{fixture, jdk, long, workspace};

/// As a VM verifies the classes of strangers.
const VERIFY: [&str; 3] = [
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+BytecodeVerificationLocal",
    "-XX:+BytecodeVerificationRemote",
];

/// The hooks of methods, and all that there are.
const HOOKS: [(&str, &str); 2] = [("", "log=info"), ("all", "log=info,instructions=on")];

/// Every class of some modules that has hooks is verified: with XRUN_LONG=1 every one, else
/// every sixtieth, and those that the program needs.
#[test]
fn classes_of_the_jdk_verify_with_hooks() {
    const MODULES: &str =
        "java.base java.desktop java.xml jdk.compiler java.logging java.sql jdk.localedata";
    let step = if long() { 1 } else { 60 };
    each_jdk(|jdk| {
        let java = |java: Java| java.args(["--add-modules", "ALL-SYSTEM"]).limit(600);
        let list = java(Java::of(jdk)).main(&format!("Linked list {step} {MODULES}"));
        let names = list.run().exits(0).stdout;
        let folder = fixture::unique("linked");
        let file = folder.join("names");
        std::fs::write(&file, &names).unwrap();
        for (agent, options) in HOOKS {
            let run = java(Java::with_helper(jdk, "all_hooks", agent))
                .env("JVMPI_OPTIONS", options)
                .args(VERIFY)
                .main(&format!("Linked {}", file.display()))
                .run()
                .exits(0);
            assert_checks(&run.file("report.txt"), 1);
            let linked = run.stdout.strip_prefix("LINKED ");
            let linked = linked.and_then(|count| count.trim().parse::<usize>().ok());
            let least = names.lines().count() * 9 / 10;
            assert!(
                linked.is_some_and(|count| count >= least.max(100)),
                "{jdk}, `{agent}`: {least}, {run}"
            );
            assert!(
                !run.stderr.contains("not rewritten"),
                "{jdk}, `{agent}`: {run}"
            );
        }
        let _ = std::fs::remove_dir_all(folder);
    });
}

/// Class files of compilers of the period (jsr, no StackMapTable), a modern one's, and value classes, which only the
/// JDK runs that has them as a preview.
#[test]
fn programs_of_the_period_run_with_hooks() {
    let corpus = workspace().join("event-translate/class-rewriter/tests/rewrite/corpus");
    for (compiler, main, since) in [
        ("ecj1.1", "Period", 11),
        ("ecj1.4", "Period", 11),
        ("ecj1.6", "Period", 11),
        ("javac17", "Modern", 17),
        ("javac28", "Value", 28),
    ] {
        let preview = (compiler == "javac28").then_some("--enable-preview");
        let classes = fixture::unique("corpus");
        take(&corpus, compiler, &classes);
        let needs = |jdk: &jdk::Jdk| {
            let old = jdk.major < since;
            if old {
                Err(format!("{compiler}'s class files are too new"))
            } else if preview.is_some() && jdk.major > since {
                Err(format!(
                    "{compiler}'s class files are another JDK's preview"
                ))
            } else {
                Ok(())
            }
        };
        jdk::each_jdk_if(needs, |jdk| {
            let plain = Java::of(jdk)
                .args(preview)
                .main_in(&classes, main)
                .run()
                .exits(0);
            for (agent, options) in HOOKS {
                let run = Java::with_helper(jdk, "all_hooks", agent)
                    .env("JVMPI_OPTIONS", format!("{options},include={main}"))
                    .args(VERIFY)
                    .args(preview)
                    .main_in(&classes, main)
                    .run()
                    .exits(0);
                assert_eq!(
                    run.stdout, plain.stdout,
                    "{jdk}, {compiler}, `{agent}`: {run}"
                );
            }
        });
        let _ = std::fs::remove_dir_all(&classes);
    }
}

/// The class files of one compiler, under the names that a VM looks for.
fn take(corpus: &Path, compiler: &str, classes: &Path) {
    for file in std::fs::read_dir(corpus).unwrap().flatten() {
        let name = file.file_name().into_string().unwrap();
        if let Some((from, name)) = name.split_once('-')
            && from == compiler
        {
            std::fs::copy(file.path(), classes.join(name)).unwrap();
        }
    }
}
