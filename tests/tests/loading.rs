//! The ways into the VM, and what goes wrong there.
//!
//! Longer than most: each way in is a few lines, and there is one for each.

use xrun_tests::fixture::{native, native_as, program};
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run, agent_path};

const PLAIN: &str = "begin\nwork\nend\n";

/// The agent `loaded` says its options and counts events; this is its report.
fn assert_loaded(run: Run, options: &str) {
    let run = run.exits(0).says(PLAIN);
    let report = run.file("report.txt");
    let expected = [
        &*format!("options {options}"),
        "GetEnv 0 0 0, version 10000003",
        "INIT_DONE 1",
        "THREAD_START of worker 1",
        "CLASS_LOAD of Plain 1",
        "SHUT_DOWN 1",
    ];
    assert_eq!(report.lines().collect::<Vec<_>>(), expected, "{run}");
    assert!(!run.stderr.contains("jvmpi: "), "{run}");
    assert!(!run.stderr.contains("no longer supported"), "{run}");
}

fn plain(java: Java) -> Run {
    java.main("Plain").run()
}

#[test]
fn beside_xrun_in_both_orders() {
    let agent = native("loaded");
    let shim = agent_path(&product::shim(), "");
    each_jdk(|jdk| {
        let java = || Java::of(jdk).library(&agent);
        assert_loaded(plain(java().arg(&shim).arg("-Xrunloaded:a=b,c")), "a=b,c");
        assert_loaded(plain(java().arg("-Xrunloaded:a=b,c").arg(&shim)), "a=b,c");
        assert_loaded(plain(java().arg("-Xrunloaded").arg(&shim)), "(null)");
        assert_loaded(plain(java().arg("-Xrunloaded:").arg(&shim)), "");
    });
}

/// Also where the C library refuses it in a process that has not begun with one, as that of 26 and later does here
/// (JVMTI facts 48).
#[test]
fn an_executable_stack_is_had_through_xrun() {
    let agent = native_as("loaded", "libstacks.so", &["-Wl,-z,execstack"]);
    each_jdk(|jdk| {
        let java = Java::of(jdk).library(&agent).through(&product::xrun());
        assert_loaded(plain(java.arg("-Xrunstacks:a=b,c")), "a=b,c");
    });
}

#[test]
fn through_java_tool_options() {
    let agent = native("loaded");
    let shim = agent_path(&product::shim(), "");
    each_jdk(|jdk| {
        let java = Java::of(jdk)
            .library(&agent)
            .env("JAVA_TOOL_OPTIONS", &shim);
        assert_loaded(plain(java.arg("-Xrunloaded:x")), "x");
        let both = format!("-Xrunloaded:y {shim}");
        assert_loaded(
            plain(Java::of(jdk).library(&agent).env("JAVA_TOOL_OPTIONS", both)),
            "y",
        );
    });
}

#[test]
fn agent_named_in_the_agent_path() {
    let agent = native("loaded");
    let path = agent.display();
    let cases: Vec<(String, &str)> = vec![
        ("loaded".to_owned(), "(null)"),
        ("loaded:".to_owned(), ""),
        ("loaded:x".to_owned(), "x"),
        ("loaded:a=b,c=d".to_owned(), "a=b,c=d"),
        ("loaded:a:b".to_owned(), "a:b"),
        (format!("{path}"), "(null)"),
        (format!("{path}:a=b"), "a=b"),
        ("agent=loaded".to_owned(), "(null)"),
        ("agent=loaded:a=b".to_owned(), "a=b"),
        ("log=warn,agent=loaded:a=b,log=x".to_owned(), "a=b,log=x"),
        (
            format!("class-names=dots,cpu-time=wall,agent={path}:x"),
            "x",
        ),
    ];
    each_jdk(|jdk| {
        for (options, seen) in &cases {
            let java = Java::of(jdk)
                .library(&agent)
                .arg(agent_path(&product::shim(), options));
            assert_loaded(plain(java), seen);
        }
    });
}

#[test]
fn as_an_xrun_library_itself() {
    let agent = native("loaded");
    each_jdk(|jdk| {
        let java = || Java::of(jdk).library(&agent);
        assert_loaded(plain(java().arg("-Xrunjvmpi:loaded:a=b")), "a=b");
        assert_loaded(plain(java().arg("-Xrunjvmpi:loaded")), "(null)");
        assert_loaded(plain(java().arg("-Xrunjvmpi:agent=loaded:z")), "z");
    });
}

/// A command line that nobody can edit: the library lies first on the search
/// path under the agent's name, the agent behind it.
#[test]
fn under_the_agents_own_name() {
    let agent = native_as("loaded", "liboldprof.so", &[]);
    each_jdk(|jdk| {
        for copied in [false, true] {
            let java = Java::of(jdk).library(&agent);
            let folder = java.file("first");
            std::fs::create_dir(&folder).unwrap();
            let link = folder.join("liboldprof.so");
            if copied {
                std::fs::copy(product::shim(), &link).unwrap();
            } else {
                std::os::unix::fs::symlink(product::shim(), &link).unwrap();
            }
            assert_loaded(
                plain(java.library(&link).arg("-Xrunoldprof:a=b,c:d")),
                "a=b,c:d",
            );
        }
    });
}

#[test]
fn xrun_in_front() {
    let agent = native("loaded");
    each_jdk(|jdk| {
        let java = Java::of(jdk)
            .library(&agent)
            .arg("-Xrunloaded:a=b")
            .main("Plain");
        assert_loaded(java.through(&product::xrun()).run(), "a=b");
    });
}

/// A library of the program's asks for JVMPI when it runs.
#[test]
fn an_agent_that_nobody_has_named() {
    let agent = native("unnamed");
    each_jdk(|jdk| {
        let java = Java::with_shim(jdk).natives(jdk, &agent);
        // Other collectors have no objects of the archive on 17.
        let java = java.arg("-XX:+UseG1GC").main("Events");
        let run = java.limit(120).run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 10);
    });
}

/// `GetEnv` from everywhere: JVM_OnLoad, a native long after, a thread of C's
/// own before and after it attaches, through GetJavaVM and GetCreatedJavaVMs.
#[test]
fn get_env_from_everywhere() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "getenv", "")
            .main("GetEnv")
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 49);
        // What the VM says to those who ask for JVMDI is the VM's own business.
        let text = run.stdout.clone() + &run.stderr;
        assert!(!text.contains("JVMPI, an experimental interface"), "{run}");
    });
}

/// Other versions get the VM's own answer: the same as without us.
#[test]
fn other_versions_untouched() {
    let library = native("versions");
    each_jdk(|jdk| {
        let java = |java: Java| {
            java.natives(jdk, &library)
                .library(&library)
                .arg("-Xrunversions")
                .main("GetEnv")
                .run()
                .exits(0)
        };
        let without = java(Java::of(jdk));
        let with = java(Java::with_shim(jdk));
        let report = with.file("report.txt");
        assert!(report.lines().count() > 20, "{report}");
        assert_eq!(report, without.file("report.txt"), "{with}");
        assert!(report.contains("20000001"), "{report}");
        assert_eq!(with.stdout, without.stdout);
        assert_eq!(with.stderr, without.stderr);
    });
}

/// Runs a command line that must end as the VM ends it without us.
fn same_end(jdk: &Jdk, without: Java, with: Java) -> (Run, Run) {
    let (without, with) = (plain(without), plain(with));
    assert_eq!(without.code(), 1, "{jdk}: {without}");
    assert_eq!(with.code(), without.code(), "{with}");
    (without.no_crash(), with.no_crash())
}

#[test]
fn failing_agent_ends_the_vm_as_today() {
    let agent = native("failing");
    let shim = product::shim();
    each_jdk(|jdk| {
        let java = || Java::of(jdk).library(&agent);
        let (without, with) = same_end(
            jdk,
            java().arg("-Xrunfailing"),
            java().arg(agent_path(&shim, "")).arg("-Xrunfailing"),
        );
        assert_eq!(
            (&with.stdout, &with.stderr),
            (&without.stdout, &without.stderr),
            "{with}"
        );
        assert!(
            without
                .stdout
                .contains("-Xrun library failed to init: failing"),
            "{without}"
        );

        // Ours to end: the same words.
        let named = java().arg(agent_path(&shim, "failing:x"));
        let (without, with) = same_end(jdk, java().arg("-Xrunfailing:x"), named);
        assert_eq!(
            (&with.stdout, &with.stderr),
            (&without.stdout, &without.stderr),
            "{with}"
        );

        // We are on the command line, but it is the agent that fails.
        let behind = plain(java().arg("-Xrunjvmpi:failing")).no_crash();
        assert_eq!(behind.code(), 1, "{behind}");
        assert!(
            behind
                .stdout
                .contains("-Xrun library failed to init: failing"),
            "{behind}"
        );
    });
}

#[test]
fn missing_agent_stops_the_vm() {
    let shim = product::shim();
    each_jdk(|jdk| {
        // The VM's own search, untouched.
        let (without, with) = same_end(
            jdk,
            Java::of(jdk).arg("-Xrunnosuch"),
            Java::of(jdk).arg(agent_path(&shim, "")).arg("-Xrunnosuch"),
        );
        assert_eq!(
            (&with.stdout, &with.stderr),
            (&without.stdout, &without.stderr),
            "{with}"
        );

        for options in [
            "nosuch",
            "nosuch:a=b",
            "agent=nosuch",
            "/no/such/libnosuch.so:x",
        ] {
            let run = plain(Java::of(jdk).arg(agent_path(&shim, options))).no_crash();
            assert_eq!(run.code(), 1, "{run}");
            let lines: Vec<_> = run
                .stderr
                .lines()
                .filter(|line| line.starts_with("jvmpi: "))
                .collect();
            assert_eq!(lines.len(), 1, "{run}");
            assert!(
                lines[0].contains("nosuch") && lines[0].contains("cannot be loaded"),
                "{run}"
            );
            assert!(!run.stdout.contains("begin"), "{run}");
        }
        let run = plain(Java::of(jdk).arg("-Xrunjvmpi:nosuch")).no_crash();
        assert_eq!(run.code(), 1, "{run}");
        assert!(run.stderr.contains("nosuch` cannot be loaded"), "{run}");
    });
}

/// A program of somebody's that loads libjvm does not say where the JDK's other libraries are, and the VM has not
/// loaded them yet when the agent comes.
#[test]
fn an_agent_that_is_linked_with_the_jdks_libraries() {
    let embedder = program("embedder");
    let java = native_as("old_java", "libjava.so", &["-Wl,-soname,libjava.so"]);
    let verify = native_as("old_java", "libverify.so", &["-Wl,-soname,libverify.so"]);
    let words = [&java, &verify].map(|path| path.to_str().expect("a path of ours"));
    let words = ["-Wl,--no-as-needed", words[0], words[1]];
    let agent = native_as("loaded", "libof_jdk.so", &words);
    let options = agent_path(&product::shim(), &format!("{}:x", agent.display()));
    each_jdk(|jdk| {
        let java = Java::of(jdk).arg(&options).embedded_by(jdk, &embedder);
        assert_loaded(plain(java), "x");
    });
}

#[test]
fn text_file_as_agent() {
    let shim = product::shim();
    each_jdk(|jdk| {
        let java = Java::of(jdk);
        let text = java.file("libtext.so");
        std::fs::write(&text, "not a library\n").unwrap();
        let run = plain(java.arg(agent_path(&shim, &format!("{}:x", text.display())))).no_crash();
        assert_eq!(run.code(), 1, "{run}");
        let lines: Vec<_> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("jvmpi: "))
            .collect();
        assert_eq!(lines.len(), 1, "{run}");
        assert!(lines[0].contains("libtext.so` cannot be loaded"), "{run}");
    });
}

#[test]
fn jvmti_agent_as_agent_is_explained() {
    let agent = native("second_jvmti");
    let shim = product::shim();
    each_jdk(|jdk| {
        let run = plain(
            Java::of(jdk)
                .library(&agent)
                .arg(agent_path(&shim, "second_jvmti:x")),
        )
        .no_crash();
        assert_eq!(run.code(), 1, "{run}");
        let lines: Vec<_> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("jvmpi: "))
            .collect();
        assert_eq!(lines.len(), 1, "{run}");
        assert!(
            lines[0].contains("is a JVMTI agent") && lines[0].contains("-agentpath"),
            "{run}"
        );
    });
}

#[test]
fn unknown_options_cost_a_line_each() {
    let agent = native("loaded");
    let shim = product::shim();
    each_jdk(|jdk| {
        let options = "colour=green,log=loudest,class-names=dots,nonsense,agent=loaded:x";
        let run = plain(
            Java::of(jdk)
                .library(&agent)
                .arg(agent_path(&shim, options)),
        )
        .exits(0)
        .says(PLAIN);
        assert!(run.file("report.txt").contains("SHUT_DOWN 1"), "{run}");
        let lines: Vec<_> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("jvmpi: warning: "))
            .collect();
        assert_eq!(lines.len(), 3, "{run}");
        for word in ["colour", "loudest", "nonsense"] {
            assert_eq!(
                lines.iter().filter(|line| line.contains(word)).count(),
                1,
                "{word}: {run}"
            );
        }
        // The same from the environment.
        let java = Java::with_shim(jdk)
            .library(&agent)
            .arg("-Xrunloaded")
            .env("JVMPI_OPTIONS", "colour=green");
        let run = plain(java).exits(0).says(PLAIN);
        assert_eq!(
            run.stderr
                .lines()
                .filter(|line| line.contains("colour"))
                .count(),
            1,
            "{run}"
        );
    });
}

#[test]
fn log_goes_where_it_is_told() {
    let agent = native("loaded");
    let shim = product::shim();
    each_jdk(|jdk| {
        let java = Java::of(jdk).library(&agent).arg(agent_path(
            &shim,
            "log-file=ours-%p.log,colour=green,agent=loaded",
        ));
        let running = java.main("Plain").start();
        let pid = running.pid();
        let run = running.finish().exits(0).says(PLAIN);
        assert!(!run.stderr.contains("jvmpi: "), "{run}");
        assert!(
            run.file(&format!("ours-{pid}.log")).contains("colour"),
            "{run}"
        );

        let java = Java::of(jdk)
            .library(&agent)
            .arg(agent_path(&shim, "log=off,colour=green,agent=loaded"));
        let run = plain(java).exits(0).says(PLAIN);
        assert!(!run.stderr.contains("jvmpi: "), "{run}");

        // A file that cannot be written costs one line.
        let options = "log-file=/no/such/folder/log,agent=loaded";
        let run = plain(
            Java::of(jdk)
                .library(&agent)
                .arg(agent_path(&shim, options)),
        )
        .exits(0)
        .says(PLAIN);
        assert_eq!(
            run.stderr
                .lines()
                .filter(|line| line.contains("/no/such/folder/log"))
                .count(),
            1,
            "{run}"
        );
    });
}

/// Without an agent there is nothing to do, and nothing to say.
#[test]
fn alone_it_is_silent() {
    each_jdk(|jdk| {
        let run = plain(Java::with_shim(jdk)).exits(0).says(PLAIN);
        assert_eq!(run.stderr, "", "{run}");
    });
}

#[test]
fn class_names_as_chosen() {
    let agent = native("names");
    each_jdk(|jdk| {
        let names = |options: &str| {
            let run = plain(
                Java::of(jdk)
                    .library(&agent)
                    .arg(agent_path(&product::shim(), options)),
            )
            .exits(0);
            run.file("report.txt")
        };
        for options in ["agent=names", "class-names=dots,agent=names"] {
            let report = names(options);
            assert!(
                report.lines().any(|line| line == "java.lang.String"),
                "{report}"
            );
            assert!(
                report.lines().any(|line| line == "[Ljava.lang.String;"),
                "{report}"
            );
            assert!(!report.contains("java/lang/"), "{report}");
        }
        let report = names("class-names=slashes,agent=names");
        assert!(
            report.lines().any(|line| line == "java/lang/String"),
            "{report}"
        );
        assert!(
            report.lines().any(|line| line == "[Ljava/lang/String;"),
            "{report}"
        );
        assert!(!report.contains("java.lang."), "{report}");
    });
}
