//! What recorded agents that speak JVMTI do now and then: walks over the heap, functions of extensions,
//! JNI's table, capabilities that only one can have; and agents that cannot be recorded.

use std::collections::BTreeMap;

use xrun_tests::fixture::{debian_jar, native, native_as};
use xrun_tests::jdk::{Jdk, compiler, each_jdk, each_jdk_if, not_run, why_not_here};
use xrun_tests::product;
use xrun_tests::run::{Java, Run, agent_path};

use crate::jvmti_agents::{recorded, xrun};

fn ways(options: &str) -> String {
    agent_path(&native("port_ways"), options)
}

/// What the agent has found; its checks have passed.
fn report(run: &Run) -> String {
    let report = run.file("ways.txt");
    assert!(!report.contains("FAIL"), "{report}\n{run}");
    assert!(report.ends_with("ended\n"), "{report}\n{run}");
    report
}

fn dump(run: &Run) -> String {
    xrun(run.folder(), &["trace", "dump", "run.rec"])
}

/// How often each callback of a walk was called stands behind the walk.
#[test]
fn walks_over_the_heap_are_counted() {
    const NAMES: [&str; 9] = [
        "heap_iteration_callback",
        "heap_reference_callback",
        "primitive_field_callback",
        "array_primitive_value_callback",
        "string_primitive_value_callback",
        "heap_root_callback",
        "stack_ref_callback",
        "object_ref_callback",
        "heap_object_callback",
    ];
    each_jdk(|jdk| {
        let run = recorded(jdk).arg(ways("we")).main("Hello").run().exits(0);
        let report = report(&run);
        let mut told: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for line in report.lines() {
            if let Some(count) = line.strip_prefix("count ") {
                let words: Vec<_> = count.split(' ').collect();
                let name = NAMES[words[1].parse::<usize>().unwrap()];
                let walk = told.entry(words[0]).or_default();
                walk.push(format!("\"{name}\" {}", words[2]));
            }
        }
        assert_eq!(told.len(), 6, "{report}");
        let dump = dump(&run);
        let walks = dump.lines().filter(|line| line.contains(" HeapWalk "));
        let walks: Vec<_> = walks.collect();
        assert_eq!(walks.len(), 6, "{dump}");
        for (walk, counts) in &told {
            let is_it = |line: &&&str| counts.iter().all(|count| line.contains(count.as_str()));
            assert!(walks.iter().any(|line| is_it(&line)), "{walk}: {counts:?}");
        }
        let results = dump.matches("end jvmti Iterate").count();
        assert_eq!(results, 6, "{dump}");
        let extension = "call jvmti IsClassUnloadingEnabled environment=1 -> result=0 is_enabled=1";
        assert!(dump.contains(extension), "{dump}");
    });
}

/// An agent that puts its own functions into JNI's table hears what it hears alone: nothing of ours.
#[test]
fn our_calls_of_jni_are_nobodys_business() {
    each_jdk(|jdk| {
        let alone = Java::of(jdk).arg(ways("j")).main("Threads").run();
        let alone = report(&alone.exits(0));
        let run = recorded(jdk).arg(ways("j")).main("Threads").run().exits(0);
        assert_eq!(report(&run), alone, "{run}");
        assert!(alone.contains("count 3 100\n"), "{alone}");
    });
}

/// Which one is in the way, and who has it.
#[test]
fn capabilities_of_somebody_else() {
    each_jdk(|jdk| {
        let run = recorded(jdk).arg(ways("c")).main("Hello").run().exits(0);
        report(&run);
        let line = "because of can_generate_breakpoint_events (libport_ways.so has it, and only one environment can)";
        assert!(run.stderr.contains(line), "{run}");
    });
}

/// Sampled allocations that are lent go to the thread that was named; all virtual threads can be
/// suspended, also by an environment of ours that does not know them.
#[test]
fn what_is_lent_is_lent_in_part() {
    each_jdk(|jdk| {
        let profile = "-Xrunhprof:heap=sites,cutoff=0,file=sites.txt";
        for (virtual_threads, options) in [("threads", "t"), ("carriers", "vt")] {
            if jdk.major < 21 && options.contains('v') {
                continue;
            }
            let set = format!("virtual-threads={virtual_threads}");
            let java = recorded(jdk).before(&["--set", &set]);
            let java = java.args([&ways(options), profile]);
            let run = java.main("Busy").run().exits(0);
            report(&run);
            assert!(run.file("sites.txt").contains("SITES BEGIN"), "{run}");
        }
    });
}

/// Each time by the name that it has then, also where its JNIEnv lies where it lay: that of the main thread, which is
/// attached once more to end the VM.
#[test]
fn a_thread_that_attaches_twice_has_two_names() {
    each_jdk(|jdk| {
        let run = recorded(jdk).arg(ways("a")).main("Hello").run().exits(0);
        report(&run);
        let dump = dump(&run);
        for name in ["main", "first life", "second life", "DestroyJavaVM"] {
            let name = format!(" name=\"{name}\"");
            let is_it = |line: &str| line.contains(" defined thread ") && line.ends_with(&name);
            assert!(dump.lines().any(is_it), "{name}: {run}\n{dump}");
        }
    });
}

/// One line says what to do, and the program ends as it ends without us.
#[test]
fn agents_that_cannot_be_recorded() {
    each_jdk(|jdk| {
        let first = recorded(jdk).arg(ways("l")).main("Hello").run();
        assert!(
            first
                .stderr
                .contains("libport_ways.so asks for JVMTI 99, this VM has"),
            "{first}"
        );
        assert!(first.stdout.contains("done 100"), "{first}");

        let shim = agent_path(&product::shim(), "trace=run.rec");
        for java in [
            Java::of(jdk).args([&ways("e"), &shim]),
            Java::of(jdk).env("JDK_JAVA_OPTIONS", ways("e")).arg(&shim),
        ] {
            let run = java.main("Hello").run().exits(0);
            let line = "libport_ways.so stood before libjvmpi.so: what it has asked for by then is not recorded";
            assert_eq!(run.stderr.matches(line).count(), 1, "{run}");
            report(&run);
        }

        // Before JDK 21 the VM loads one of -Xrun early, and starts it behind all others; it may ask again later.
        let jdwp = "jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0";
        let spellings = [("-agentlib:", 1), ("-Xrun", usize::from(jdk.major >= 21))];
        for (spelling, said) in spellings
            .into_iter()
            .filter(|_| jdk.has_library("libjdwp.so"))
        {
            let jdwp = format!(
                "{spelling}{}",
                jdwp.replacen('=', if spelling == "-Xrun" { ":" } else { "=" }, 1)
            );
            let run = Java::of(jdk)
                .args([&jdwp, &shim])
                .main("Hello")
                .run()
                .exits(0);
            let lines = run
                .stderr
                .matches("libjdwp.so stood before libjvmpi.so")
                .count();
            assert_eq!(lines, said, "{run}");
        }

        let refuses = |java: Java| java.arg(ways("r")).main("Hello").run().exits(1);
        let alone = refuses(Java::of(jdk));
        let run = refuses(recorded(jdk)).says(&alone.stdout);
        let stats = xrun(run.folder(), &["trace", "stats", "run.rec"]);
        assert!(
            stats.contains("an agent refused to start"),
            "{stats}\n{run}"
        );
    });
}

/// A library that shows no entry point: some VMs say so, JDK 25 crashes.
#[test]
fn a_library_that_is_no_agent() {
    let jdk = compiler();
    let hidden = native_as(
        "port_ways",
        "libhidden.so",
        &["-DJNIEXPORT=", "-fvisibility=hidden"],
    );
    let run = recorded(jdk)
        .arg(agent_path(&hidden, ""))
        .main("Hello")
        .run();
    assert!(
        run.stderr
            .contains("libhidden.so shows neither Agent_OnLoad (JVMTI)"),
        "{run}"
    );
}

/// What a recording lacks that cannot be compared is said with why.
#[test]
fn a_recording_without_its_end_cannot_be_compared() {
    let jdk = compiler();
    product::agent("counter");
    let run = recorded(jdk)
        .arg("-Xrunjvmpi_counter")
        .main("Hello")
        .run()
        .exits(0);
    let folder = run.folder();
    let whole = std::fs::read(folder.join("run.rec")).unwrap();
    std::fs::write(folder.join("cut.rec"), &whole[..100]).unwrap();
    let mut command = product::xrun_command();
    command
        .args(["compare", "run.rec", "cut.rec"])
        .current_dir(folder);
    let said = xrun_tests::run::output(command, 60).stderr;
    assert!(
        said.contains("no agent that speaks JVMTI in it") && said.contains("(it was cut off: "),
        "{said}"
    );
}

/// Two runs of the same agent differ in no address.
#[test]
fn what_methods_return_is_compared_by_type() {
    let jdk = compiler();
    if let Some(why) = why_not_here() {
        return not_run(&format!("JDK {}", jdk.major), why);
    }
    let port = agent_path(&native("jvmti_port"), "mv");
    let run = |name: &str| {
        let java = Java::of(jdk).through(&product::xrun());
        let java = java.before(&["trace", "-o", name]).arg(&port);
        java.main("Threads").run().exits(0)
    };
    let (first, second) = (run("one.rec"), run("two.rec"));
    let words = |all: bool| {
        let mut words = vec!["trace", "diff"];
        words.extend(all.then_some("--whole"));
        let files = [
            first.folder().join("one.rec"),
            second.folder().join("two.rec"),
        ];
        let mut command = product::xrun_command();
        command.args(words).args(files);
        xrun_tests::run::output(command, 60).stdout
    };
    let said = words(true);
    let value = |line: &&str| {
        let value = line.split(" return_value=").nth(1);
        value.is_some_and(|value| value.len() > 12)
    };
    assert!(!said.lines().any(|line| value(&line)), "{said}");
}

/// The way of working of a sampler: SIGPROF, AsyncGetCallTrace in its handler, a thread of its own that
/// attaches itself, another one of the VM's.
#[test]
fn a_sampler_by_signals() {
    each_jdk(|jdk| {
        let agent = agent_path(&native("signal_sampler"), "");
        // It makes the file "stop".
        let sampled = |java: Java| java.arg(&agent).main("Hot 50000 stop").run().exits(0);
        let alone = sampled(Java::of(jdk));
        let run = sampled(recorded(jdk)).says(&alone.stdout);
        for run in [&alone, &run] {
            let report = run.file("samples.txt");
            assert!(!report.contains("FAIL"), "{report}\n{run}");
            assert!(report.ends_with("ended\n"), "{report}\n{run}");
        }
        let dump = dump(&run);
        for call in ["RunAgentThread", "DisposeEnvironment", "GetMethodName"] {
            assert!(dump.contains(&format!(" {call} ")), "{call}: {run}");
        }
    });
}

/// Byteman of Debian (`libbyteman-java`), a Java agent that nobody here has written: it rewrites a class
/// of the program.
#[test]
fn byteman() {
    let jar = debian_jar("byteman.jar");
    let has = |_: &Jdk| jar.as_ref().map(|_| ()).ok_or("no byteman.jar".to_owned());
    each_jdk_if(has, |jdk| {
        let jar = jar.as_ref().unwrap().display();
        let rule = "RULE main\nCLASS Hello\nMETHOD main\nAT ENTRY\nIF true\nDO System.out.println(\"entered\")\nENDRULE\n";
        let run = |java: Java| {
            std::fs::write(java.file("rules.btm"), rule).unwrap();
            let java = java.arg(format!("-javaagent:{jar}=script:rules.btm"));
            java.main("Hello").run().exits(0)
        };
        let alone = run(Java::of(jdk));
        assert!(alone.stdout.starts_with("entered\n"), "{alone}");
        let run = run(recorded(jdk)).says(&alone.stdout);
        assert!(dump(&run).contains("agent=\"libinstrument.so\""), "{run}");
    });
}
