//! What HPROF writes of one program is the same to `xrun merge`, whatever its format.

use std::collections::BTreeMap;

use xrun_tests::jdk::{Jdk, on_jdk};
use xrun_tests::run::{Run, output};
use xrun_tests::{hprof_ascii, product};

use super::{binary, own_pprof, profiled};

const FORMATS: [&str; 5] = ["a", "b", "collapsed", "json", "pprof"];

/// Weights by stack.
type Stacks = BTreeMap<String, u64>;

/// One kind of what a run's profile says.
fn merged(run: &Run, kind: &str) -> Stacks {
    let mut xrun = product::xrun_command();
    xrun.args([
        "merge",
        "--force",
        "-o",
        "all.collapsed",
        "--kind",
        kind,
        "profile",
    ])
    .current_dir(run.folder());
    let said = output(xrun, 60).exits(0);
    assert_eq!(said.stderr, "", "{said}");
    let text = run.file("all.collapsed");
    let lines = text.lines().skip(1).map(|line| {
        let (stack, value) = line.rsplit_once(' ').expect(line);
        (stack.to_owned(), value.parse().expect(line))
    });
    lines.collect()
}

/// Objects of the program's own classes: others are not the same in two runs.
fn own(mut stacks: Stacks) -> Stacks {
    stacks.retain(|stack, _| stack.contains(";new HprofSites$"));
    stacks
}

/// The samples that the file itself says it has.
fn samples(run: &Run, format: &str) -> u64 {
    match format {
        "a" => hprof_ascii::read(&run.file("profile")).expect("text").cpu[0].total,
        "b" => binary::read(&run.bytes("profile")).samples[0].0.into(),
        "json" => {
            let json: serde_json::Value = serde_json::from_str(&run.file("profile")).expect("JSON");
            let entries = json["cpu"]["entries"].as_array().expect("entries").iter();
            entries
                .map(|it| it["count"].as_u64().expect("a number"))
                .sum()
        }
        "pprof" => {
            let sum = own_pprof::read(&run.bytes("profile")).sum("samples", |_| true);
            u64::try_from(sum).expect("a count")
        }
        other => panic!("{other}"),
    }
}

/// Bytes and objects that were allocated.
fn allocated(jdk: &Jdk, format: &str, thread: &str) -> [Stacks; 2] {
    let alone = format == "collapsed";
    let cpu = if alone { "" } else { "cpu=samples,interval=1," };
    let options = format!("{cpu}heap=sites,depth=32,cutoff=0,thread={thread},format={format}");
    let run = profiled(jdk, &options, "HprofSites");
    let bytes = own(merged(&run, "Allocated"));
    if alone {
        return [bytes, Stacks::new()];
    }
    let sum: u64 = merged(&run, "CPU samples").values().sum();
    assert_eq!(sum, samples(&run, format), "{options}: {run}");
    [bytes, own(merged(&run, "Allocations"))]
}

#[test]
fn every_format_says_the_same_of_one_program() {
    on_jdk(17, |jdk| {
        for thread in ["n", "y"] {
            let found = std::thread::scope(|scope| {
                let start = |format| scope.spawn(move || allocated(jdk, format, thread));
                let running = FORMATS.map(start);
                running.map(|one| one.join().expect("it has not failed"))
            });
            let [[bytes, objects], others @ ..] = &found;
            let first = if thread == "y" { "[main];" } else { "" };
            for (way, times) in [("here", 1000), ("there", 500)] {
                let stack = format!(
                    "{first}HprofSites.main;HprofSites.{way};HprofSites.kept;new HprofSites$Kept"
                );
                assert_eq!(objects.get(&stack), Some(&times), "{objects:#?}");
            }
            for (format, [others_bytes, others_objects]) in FORMATS.iter().skip(1).zip(others) {
                assert_eq!(others_bytes, bytes, "{format}, thread={thread}");
                let has = *format != "collapsed";
                assert!(
                    !has || others_objects == objects,
                    "{format}, thread={thread}"
                );
            }
        }
    });
}
