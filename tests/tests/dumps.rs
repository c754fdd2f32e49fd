//! HEAP_DUMP and OBJECT_DUMP, on every JDK and collector: the agent `dump` writes
//! them to files, and they say what the VM's own dump says.

use std::process::Command;

use event_translate::dumps::{Detail, KindReader, ObjectKind};
use xrun_tests::collector::{Collector, each_collector};
use xrun_tests::heap::{Heap, differences, ours, theirs};
use xrun_tests::jdk::{Jdk, each_jdk, not_run};
use xrun_tests::product;
use xrun_tests::run::{Java, Running};

fn java(jdk: &Jdk, collector: &Collector, options: &str) -> Java {
    product::agent("dump");
    collector
        .on(Java::with_shim(jdk), jdk, 192)
        .arg(format!("-Xrunjvmpi_dump:file=d,{options}"))
        .limit(180)
}

/// Waits for the line that the agent writes when it has asked for everything.
fn wait_for(running: &mut Running, text: &std::path::Path, line: &str) -> String {
    for _ in 0..6000 {
        let said = std::fs::read_to_string(text).unwrap_or_default();
        if said.contains(line) {
            return said;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!(
        "no line `{line}` in {}; process {}",
        text.display(),
        running.pid()
    );
}

/// Every field, array and reference of a program that has all kinds of them is what
/// `jcmd GC.heap_dump` says at the same point.
#[test]
fn says_what_the_vm_says() {
    each_jdk(|jdk| {
        let jcmd = jdk.tool("jcmd");
        if !jcmd.is_file() {
            not_run(
                &format!("JDK {}", jdk.major),
                "no jcmd: nothing to compare with",
            );
            return;
        }
        each_collector(jdk, |collector| {
            let java = java(jdk, collector, "levels=12").main("Shapes end 3000");
            let [end, text, dump, hprof] =
                ["end", "d.txt", "d.1.2", "hprof"].map(|name| java.file(name));
            let mut running = java.start();
            running.wait_for_line("ready");
            running.signal("QUIT");
            let said = wait_for(&mut running, &text, "DONE 1");
            let output = Command::new(&jcmd)
                .env_remove("JAVA_TOOL_OPTIONS")
                .args([&running.pid().to_string(), "GC.heap_dump"])
                .arg(&hprof)
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            let ours = ours::read(&said, &std::fs::read(dump).unwrap(), 1, Detail::Values);
            let theirs = theirs::read(&std::fs::read(hprof).unwrap());
            std::fs::write(end, "").unwrap();
            running.finish().exits(0);
            compare(&ours, &theirs, &format!("{jdk}, {collector}"));
        });
    });
}

fn compare(ours: &Heap, theirs: &Heap, what: &str) {
    const OBJECTS: usize = 20_000;
    let of_program = |name: &str| name.starts_with("Shapes");
    // The VM's own clocks and caches.
    let changes = |field: &str| {
        field.starts_with("java.lang.ref.")
            || field.starts_with("static java.lang.ref.")
            || field.starts_with("java.lang.Thread.")
    };
    let (found, seen) = differences(ours, theirs, of_program, changes);
    assert!(
        found.is_empty(),
        "{what}: after {seen} objects\n{}",
        found.join("\n")
    );
    assert!(seen > OBJECTS, "{what}: only {seen} objects were compared");
    let (counts, others) = (ours.counts(), theirs.counts());
    for (class, count) in counts.iter().filter(|(class, _)| of_program(class)) {
        assert_eq!(others.get(class), Some(count), "{what}: {class}");
    }
}

/// The levels have the same objects, and level 1 the same references.
#[test]
fn levels_agree() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let run = java(jdk, collector, "levels=012,at=end,objects")
                .main("Shapes /dev/null 500")
                .run()
                .exits(0);
            let text = run.file("d.txt");
            let asked = text.lines().find(|line| line.starts_with("ASKED"));
            let asked = asked.unwrap_or_else(|| panic!("{jdk}, {collector}: nothing asked\n{run}"));
            assert!(
                asked.ends_with(" wrong 0 refused 0 left 0"),
                "{jdk}, {collector}: {asked}"
            );
            let read = |level: u32, detail| {
                ours::read(&text, &run.bytes(&format!("d.1.{level}")), 1, detail)
            };
            let (references, values) = (read(1, Detail::References), read(2, Detail::Values));
            let kinds = run.bytes("d.1.0");
            let kinds: Vec<ObjectKind> = KindReader::new(&kinds)
                .map(|kind| kind.unwrap().0)
                .collect();
            for class in ["Shapes$Leaf", "Shapes$Leaf[]", "Shapes$Colour", "double[]"] {
                let count = values.counts().get(class).copied();
                assert!(
                    count.is_some_and(|count| count > 0),
                    "{jdk}, {collector}: no {class}"
                );
                assert_eq!(
                    references.counts().get(class).copied(),
                    count,
                    "{jdk}, {collector}"
                );
            }
            // Those that the VM makes between two dumps.
            let close = |one: usize, other: usize| one.abs_diff(other) < 200;
            let objects = values.objects.len() + values.classes.len();
            assert!(
                close(kinds.len(), objects),
                "{jdk}, {collector}: {} {objects}",
                kinds.len()
            );
            assert!(
                close(references.objects.len(), values.objects.len()),
                "{jdk}, {collector}"
            );
        });
    });
}
