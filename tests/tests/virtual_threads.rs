//! Virtual threads are threads to the agent (JDK 21 and later): their whole protocol is held to the
//! rules, under load and on every collector, and their JNIEnv is one.

use xrun_tests::census::Judgement;
use xrun_tests::collector::{Collector, each_collector};
use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{Java, Run, agent_path};
use xrun_tests::{long, product};

fn has_them(jdk: &Jdk) -> Result<(), String> {
    match jdk.major {
        21.. => Ok(()),
        _ => Err("it has no virtual threads".to_owned()),
    }
}

fn storm(java: Java, threads: u32) -> Run {
    let run = java.main(&format!("VirtualStorm {threads}")).run();
    run.exits(0)
}

/// What the program says of itself: `work 2000`, a line each.
fn said(run: &Run, what: &str) -> u64 {
    let of = |line: &str| line.strip_prefix(what)?.strip_prefix(' ')?.parse().ok();
    let said = run.stdout.lines().find_map(of);
    said.unwrap_or_else(|| panic!("{what}: {run}"))
}

/// The judge holds all rules for each of them, with dumps, collections, requests and call traces
/// all the time.
#[test]
fn every_rule_holds() {
    product::agent("check");
    each_jdk_if(has_them, |jdk| {
        each_collector(jdk, |collector: &Collector| {
            let judge = "-Xrunjvmpi_check:file=check.txt,classes=VirtualStorm,dump=50,rungc=100,ask=50,trace=20,heap";
            let java = collector.on(Java::with_shim(jdk), jdk, 256);
            let threads = if long() { 100_000 } else { 2000 };
            let limit = if long() { 1200 } else { 120 };
            let run = storm(java.arg(judge).limit(limit), threads);
            let text = run.file("check.txt");
            let judgement = Judgement::read(&text);
            assert_eq!(judgement.violations, Some(0), "{text}\n{run}");
            let cells = judgement.of("VirtualStorm$Cell").allocs;
            assert_eq!(cells, said(&run, "Cell"), "{text}");
            let of_threads = text.lines().find(|line| line.starts_with("threads start"));
            let of_threads = of_threads.unwrap();
            let number = |key| field(of_threads, key).unwrap().parse::<u64>().unwrap();
            assert!(number("end") >= u64::from(threads), "{of_threads}");
            assert!(number("start") >= number("end"), "{of_threads}");
            assert!(number("live") < 100, "{of_threads}");
        });
    });
}

/// Methods are counted as the program counts them, each entry with its exit.
#[test]
fn methods_are_counted() {
    each_jdk_if(has_them, |jdk| {
        // Where all is interpreted fewer are enough.
        for (mode, threads) in [("", 2000), ("method-events=exact", 100)] {
            let shim = agent_path(&product::shim(), mode);
            let library = fixture::native("methods");
            let java = Java::of(jdk).arg(shim).library(&library);
            let run = storm(java.arg("-Xrunmethods:VirtualStorm").limit(120), threads);
            let report = run.file("report.txt");
            assert_checks(&report, 7);
            for name in ["work", "recurse", "fail"] {
                let start = format!("METHOD VirtualStorm.{name}(");
                let line = report.lines().find(|line| line.starts_with(&start));
                let counts = said(&run, name);
                let expected = format!(" {counts} {counts} {counts}");
                assert!(line.unwrap().ends_with(&expected), "{line:?} {expected}");
            }
        }
    });
}

/// A sampler suspends them and takes their stacks all the time.
#[test]
fn a_sampler_stops_them() {
    product::agent("sampler");
    each_jdk_if(has_them, |jdk| {
        each_collector(jdk, |collector: &Collector| {
            let java = collector.on(Java::with_shim(jdk), jdk, 256);
            let run = storm(java.arg("-Xrunjvmpi_sampler:interval=1").limit(120), 5000);
            assert!(run.stderr.contains("CPU samples: "), "{run}");
        });
    });
}

/// JNI by their env, questions and suspensions from another thread.
#[test]
fn their_env_is_one() {
    each_jdk_if(has_them, |jdk| {
        let java = Java::with_helper(jdk, "virtual_envs", "").arg("-Xcheck:jni");
        let run = java.main("VirtualEnvs").run().exits(0);
        let said = run.stdout.lines().filter(|line| *line == "done").count();
        assert_eq!(said, 1, "{run}");
        assert_checks(&run.file("report.txt"), 25);
        assert!(
            run.stderr
                .contains("of a virtual thread that is not the calling one"),
            "{run}"
        );
    });
}

/// HPROF has them in all that it says of methods, and as many threads as there were.
#[test]
fn hprof_profiles_them() {
    each_jdk_if(has_them, |jdk| {
        let java = Java::with_shim(jdk);
        let hprof = "-Xrunhprof:cpu=times,heap=sites,monitor=y,file=out.txt,cutoff=0,depth=6";
        let run = storm(java.arg(hprof).limit(120), 500);
        let text = run.file("out.txt");
        let counted = |method: &str| -> u64 {
            let rows = text.split("CPU TIME (ms) BEGIN").nth(1).unwrap().lines();
            let rows = rows.filter(|line| line.ends_with(method));
            let count = |line: &str| line.split_whitespace().nth(3)?.parse::<u64>().ok();
            rows.filter_map(count).sum()
        };
        assert_eq!(
            counted("VirtualStorm.recurse"),
            said(&run, "recurse"),
            "{run}"
        );
        assert_eq!(counted("VirtualStorm.work"), said(&run, "work"), "{run}");
    });
}

/// HPROF of a server with a thread for each request counts the same whether they are virtual or not,
/// and a sampler finds the same methods the hottest.
#[test]
fn a_server_profiles_as_with_other_threads() {
    let run = |jdk: &Jdk, threads: &str, hprof: &str, requests: u32| {
        let java = Java::with_shim(jdk).limit(120);
        let java = java.arg(format!("-Xrunhprof:{hprof},file=out.txt"));
        let main = format!("PerRequest {threads} 0 4 {requests}");
        let run = java.main_in(&fixture::classes_of_17(), &main).run();
        run.exits(0)
    };
    // Count and method of the rows of a table.
    let rows = |text: &str, table: &str, count: usize| -> Vec<(u64, String)> {
        let table = text.split(&format!("{table} BEGIN")).nth(1);
        let row = |line: &str| {
            let words: Vec<_> = line.split_whitespace().collect();
            let count = words.get(count)?.parse().ok()?;
            Some((count, (*words.last()?).to_owned()))
        };
        let lines = table.unwrap_or_default().lines();
        let lines = lines.take_while(|line| !line.contains(" END"));
        lines.filter_map(row).collect()
    };
    let sum = |rows: &[(u64, String)], name: &str| -> u64 {
        let of_name = rows.iter().filter(|(_, other)| other == name);
        of_name.map(|(count, _)| count).sum()
    };
    each_jdk_if(has_them, |jdk| {
        for threads in ["virtual", "platform"] {
            let exact = "cpu=times,clock=wall,heap=sites,monitor=y,cutoff=0,depth=2";
            let exact = run(jdk, threads, exact, 50);
            let text = exact.file("out.txt");
            let times = rows(&text, "CPU TIME (ms)", 3);
            let sites = rows(&text, "SITES", 6);
            let requests = said(&exact, "handle");
            assert_eq!(requests, 200, "{exact}");
            for method in ["handle", "mix", "collatz", "page", "book"] {
                let counted = sum(&times, &format!("PerRequest.{method}"));
                assert_eq!(counted, requests, "{jdk}, {threads}: {method}");
            }
            let cells = sum(&sites, "PerRequest$Cell");
            assert_eq!(cells, said(&exact, "Cell"), "{jdk}, {threads}");
            assert!(text.contains("MONITOR TIME BEGIN"), "{exact}");

            let sampled = run(
                jdk,
                threads,
                "cpu=samples,interval=1,cutoff=0,depth=1",
                1000,
            );
            let samples = rows(&sampled.file("out.txt"), "CPU SAMPLES", 3);
            let of_program = samples
                .iter()
                .filter(|(_, name)| name.starts_with("PerRequest."));
            let hottest = of_program.max_by_key(|(count, _)| *count);
            let hottest = hottest.map(|(_, name)| &**name);
            assert_eq!(
                hottest,
                Some("PerRequest.mix"),
                "{jdk}, {threads}: {samples:?}"
            );
            // Who starts or ends during a look has no frames.
            let by_vm = ["run", "runWith"]
                .map(|name| sum(&samples, &format!("java.lang.VirtualThread.{name}")));
            let by_vm = by_vm[0]
                + by_vm[1]
                + sum(
                    &samples,
                    "java.lang.VirtualThread$VThreadContinuation$1.run",
                );
            let all: u64 = samples.iter().map(|(count, _)| count).sum();
            assert!(
                all > 50 && by_vm * 20 < all,
                "{jdk}, {threads}: {by_vm} of {all}"
            );
        }
    });
}
