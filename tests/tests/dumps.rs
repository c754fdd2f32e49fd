//! HEAP_DUMP and OBJECT_DUMP, on every JDK and collector: the agent `dump` writes
//! them to files, and they say what the VM's own dump says.
//! Longer than most: one agent's files, read in one way.

use std::collections::HashSet;
use std::process::Command;

use dump_format::{Detail, KindReader, ObjectKind};
use event_translate::table::EventKind;
use xrun_tests::collector::{Collector, each_collector, rotated};
use xrun_tests::fixture;
use xrun_tests::heap::{Contents, Framed, Heap, Value, differences, ours, theirs};
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if, not_run};
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{self, Java, Running};

fn java(jdk: &Jdk, collector: &Collector, options: &str) -> Java {
    product::agent("dump");
    collector
        .on(Java::with_shim(jdk), jdk, 192)
        .arg(format!("-Xrunjvmpi_dump:file=d,{options}"))
        .limit(180)
}

/// Waits for the line that the agent writes when it has asked for everything.
fn wait_for(running: &mut Running, text: &std::path::Path, line: &str) -> String {
    let what = format!("line `{line}` in {}", text.display());
    running.until(&what, || {
        let said = std::fs::read_to_string(text).unwrap_or_default();
        said.contains(line).then_some(said)
    })
}

/// Every field, array and reference of a program that has all kinds of them is what
/// `jcmd GC.heap_dump` says at the same point.
#[test]
fn says_what_the_vm_says() {
    each_jdk(|jdk| {
        if !jdk.tool("jcmd").is_file() {
            not_run(
                &format!("JDK {}", jdk.major),
                "no jcmd: nothing to compare with",
            );
            return;
        }
        each_collector(jdk, |collector| {
            let java = java(jdk, collector, "levels=12").main("Shapes end 3000");
            compared_with_jcmd(jdk, java, "Shapes", &format!("{collector}"));
        });
    });
}

/// The same of what Java has had since then: records, sealed and hidden classes, virtual
/// threads.
#[test]
fn says_what_the_vm_says_of_records() {
    each_jdk(|jdk| {
        let what = format!("JDK {}", jdk.major);
        let missing = match jdk.major {
            ..17 => Some("there are no records"),
            _ if !jdk.tool("jcmd").is_file() => Some("no jcmd: nothing to compare with"),
            _ => None,
        };
        if let Some(missing) = missing {
            not_run(&what, missing);
            return;
        }
        let cases = if xrun_tests::long() { 5 } else { 2 };
        for number in 0..cases {
            let collector = &rotated(jdk, number + 4);
            let java = java(jdk, collector, "levels=12");
            let java = java.main_in(&fixture::classes_of_17(), "Modern end 8000");
            let heap = compared_with_jcmd(jdk, java, "Modern", &format!("{collector}"));
            let on_virtual_stacks = heap.counts().get("Modern$OfVirtual").copied();
            assert_eq!(
                on_virtual_stacks,
                (jdk.major >= 21).then_some(20),
                "{jdk}, {collector}"
            );
        }
    });
}

/// What a CLASS_DUMP has of the class file: no dump of the VM's has it.
#[test]
fn classes_say_what_their_files_say() {
    each_jdk(|jdk| {
        let run = java(jdk, &rotated(jdk, 3), "at=end")
            .main("Shapes /dev/null 50")
            .run()
            .exits(0);
        let heap = ours::read(&run.file("d.txt"), &run.bytes("d.1.2"), 1, Detail::Values);
        let (_, leaf) = heap.class_named("Shapes$Leaf");
        let interfaces = leaf.interfaces.iter().map(|id| &*heap.classes[id].name);
        assert_eq!(
            interfaces.collect::<Vec<_>>(),
            ["Shapes$One", "java.lang.Comparable"],
            "{jdk}"
        );
        let (_, shapes) = heap.class_named("Shapes");
        let strings = shapes.constants.iter();
        let strings: Vec<_> = strings
            // Classes that have no members yet have no record.
            .filter(|id| heap.objects.contains_key(id))
            .map(|id| heap.text(*id))
            .collect();
        for resolved in ["ready", "key", "with a cause"] {
            let is_there = strings.iter().any(|text| text.starts_with(resolved));
            assert!(is_there, "{jdk}: {resolved}, {strings:?}");
        }
        let classes = shapes
            .constants
            .iter()
            .filter_map(|id| heap.classes.get(id));
        let classes: Vec<_> = classes.map(|class| &*class.name).collect();
        for resolved in ["Shapes$Empty", "java.util.HashMap"] {
            assert!(classes.contains(&resolved), "{jdk}: {classes:?}");
        }
        let mut named = 0;
        for class in heap.classes.values().filter(|class| class.string != 0) {
            named += 1;
            // A number behind the name of a hidden class is left out in the other.
            let text = heap.text(class.string);
            let plain = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
            assert_eq!(plain(&text), plain(&class.name), "{jdk}");
        }
        assert!(named > 10, "{jdk}: {named}");
    });
}

/// The same of the heaps of real programs: two compilers' and a database's. ./check does not
/// install Debian's: without them they are not run.
#[test]
fn says_what_the_vm_says_of_real_programs() {
    each_jdk(|jdk| {
        let what = format!("JDK {}", jdk.major);
        if !jdk.tool("jcmd").is_file() {
            not_run(&what, "no jcmd: nothing to compare with");
            return;
        }
        for (number, program) in ["javac", "ecj", "h2"].into_iter().enumerate() {
            let jar = fixture::debian_jar(&format!("{program}.jar"));
            let missing = match program {
                "javac" if !jdk.tool("javac").is_file() => Some("no compiler"),
                "ecj" if jar.is_none() => Some("no ecj.jar (libecj-java)"),
                "h2" if jar.is_none() => Some("no h2.jar (libh2-java)"),
                _ => None,
            };
            if let Some(missing) = missing {
                not_run(&what, missing);
                continue;
            }
            let collector = &rotated(jdk, number);
            // What the compiler has still to do between the two dumps makes no exceptions then.
            let java = java(jdk, collector, "levels=12").arg("-XX:-OmitStackTraceInFastThrow");
            let java = java.main(&format!("Held {program} end")).args(jar);
            compared_with_jcmd(jdk, java, "Held", &format!("{collector}, {program}"));
        }
    });
}

/// Dumps by the agent and by `jcmd GC.heap_dump`, of a program that lies still between
/// its line `ready` and the file `end`.
fn compared_with_jcmd(jdk: &Jdk, java: Java, program: &str, what: &str) -> Heap {
    let [end, text, dump, hprof] = ["end", "d.txt", "d.1.2", "hprof"].map(|name| java.file(name));
    let mut running = java.start();
    running.wait_for_line("ready");
    running.signal("QUIT");
    let said = wait_for(&mut running, &text, "DONE 1");
    let mut jcmd = Command::new(jdk.tool("jcmd"));
    jcmd.env_remove("JAVA_TOOL_OPTIONS")
        .args([&running.pid().to_string(), "GC.heap_dump"])
        .arg(&hprof);
    run::output(jcmd, 240).exits(0);
    let ours = ours::read(&said, &std::fs::read(dump).unwrap(), 1, Detail::Values);
    let theirs = theirs::read(&std::fs::read(hprof).unwrap());
    std::fs::write(end, "").unwrap();
    running.finish().exits(0);
    compare(&ours, &theirs, program, &format!("{jdk}, {what}"));
    ours
}

fn compare(ours: &Heap, theirs: &Heap, program: &str, what: &str) {
    const OBJECTS: usize = 20_000;
    let of_program = |name: &str| name.starts_with(program);
    // The VM's own clocks and caches, and the workers of virtual threads' scheduler, which end when they have had nothing to
    // do for half a minute (on a busy machine so much may lie between the two).
    let changes = |field: &str| {
        field.starts_with("java.lang.ref.")
            || field.starts_with("java.util.concurrent.ForkJoinPool.")
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
    // Primitive classes, and what only a call site's constants or the VM's archive of classes
    // hold (MATRIX.md); and what the VM fills gaps between objects with.
    let no_record = |name: &str| {
        name == "java.lang.Class"
            || name.contains("$$")
            || ["java.lang.invoke.", "java.lang.StringConcatHelper$"]
                .iter()
                .chain(&["jdk.internal.module.", "jdk.internal.math.FDBigInteger"])
                .chain(&["java.util.jar.Attributes$Name", "jdk.internal.vm.Filler"])
                .any(|start| name.starts_with(start))
    };
    // Nor is an array of a class that is not linked named for it.
    let linked: HashSet<&str> = ours.classes.values().map(|class| &*class.name).collect();
    let is_nameless = |name: &str| {
        let element = name.strip_suffix("[]");
        counts.contains_key(ours::NO_ELEMENT) && element.is_some_and(|name| !linked.contains(name))
    };
    let left_out = others
        .keys()
        .filter(|class| !counts.contains_key(**class) && !no_record(class) && !is_nameless(class));
    let left_out: Vec<_> = left_out.collect();
    assert!(left_out.is_empty(), "{what}: not in ours: {left_out:?}");
}

/// The levels have the same objects, and level 1 the same references.
#[test]
fn levels_agree() {
    each_jdk(|jdk| {
        for number in 0..2 {
            let collector = &rotated(jdk, number);
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
        }
    });
}

/// A word of a line of the agent's text, by the line's other words.
fn hexadecimal(word: &str) -> u64 {
    u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap_or(0)
}

/// A root in a frame lies in a frame that its thread's trace has, and one by a JNI
/// global reference has the reference that JNI_GLOBALREF_ALLOC told of.
#[test]
fn roots_are_where_they_are_said_to_be() {
    each_jdk(|jdk| {
        let collector = rotated(jdk, 2);
        let run = java(jdk, &collector, "at=end")
            .main("Shapes /dev/null 50")
            .run()
            .exits(0);
        let text = run.file("d.txt");
        let heap = ours::read(&text, &run.bytes("d.1.2"), 1, Detail::Values);
        let (class, _) = heap.class_named("Shapes$Leaf");
        let is_local = |object: u64| {
            let Some(Contents::Fields(fields)) = heap.objects.get(&object).map(|o| &o.contents)
            else {
                return false;
            };
            fields
                .iter()
                .any(|field| *field == (class, "l".to_owned(), Value::Bits(11, 4711)))
        };
        let locals = heap.framed.iter().filter(|root| root.tag == 3);
        let methods: Vec<_> = locals
            .filter(|root| is_local(root.object))
            .map(|root| method_at(&text, root))
            .collect();
        assert!(!methods.is_empty(), "{jdk}: no local variable\n{run}");
        assert!(
            methods.iter().all(Option::is_some)
                && methods
                    .iter()
                    .flatten()
                    .any(|name| name.contains("lambda$main$")),
            "{jdk}: {methods:?}\n{run}"
        );
        let mut references = std::collections::HashMap::new();
        for line in text
            .lines()
            .take_while(|line| !line.starts_with("HEAP 1 2 "))
        {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["REF", reference, object] => {
                    references.insert(hexadecimal(reference), hexadecimal(object));
                }
                ["UNREF", reference] => {
                    references.remove(&hexadecimal(reference));
                }
                _ => {}
            }
        }
        for (reference, object) in &heap.globals {
            assert_eq!(
                references.get(reference),
                Some(object),
                "{jdk}: {reference:#x}"
            );
        }
        assert_eq!(
            heap.globals.len(),
            references.len(),
            "{jdk}: {references:x?}"
        );
        let holds = |kind: u8, object: u64| heap.roots.contains(&(kind, object));
        let (string, _) = heap.class_named("java.lang.String");
        assert!(holds(5, string), "{jdk}: String is no STICKY_CLASS");
        let threads = heap.roots.iter().filter(|(kind, _)| *kind == 6);
        let threads = threads.filter(|(_, object)| {
            let object = heap.objects.get(object);
            object.is_some_and(|object| object.class.contains("Thread"))
        });
        assert!(threads.count() > 3, "{jdk}: {:?}", heap.roots);
        for (tag, object) in &heap.roots {
            let known = heap.classes.contains_key(object) || heap.objects.contains_key(object);
            assert!(known || *tag == 0xff, "{jdk}: root {tag} of {object:#x}");
        }
    });
}

/// Roots by the objects that they hold: JNI's local references, with thread and frame;
/// threads; the monitors that threads have entered; and of virtual threads frames, too, of one that no
/// carrier runs and of one that runs.
#[test]
fn roots_hold_what_they_are_said_to() {
    each_jdk(|jdk| {
        for number in 0..2 {
            let collector = rotated(jdk, number + 3);
            let java = java(jdk, &collector, "levels=2").natives(jdk, &fixture::native("roots"));
            let has_virtual = jdk.has_virtual_threads().is_ok();
            let java = if has_virtual {
                // One is pinned, and one runs.
                java.arg("-Djdk.virtualThreadScheduler.parallelism=4")
                    .main("Roots end virtual")
            } else {
                java.main("Roots end")
            };
            let (heap, said) = dumped_when_ready(java);
            let what = format!("{jdk}, {collector}");
            assert_roots(&heap, &said, &what, has_virtual);
        }
    });
}

/// The dump of a program that waits when it is ready, and what the agent has written.
fn dumped_when_ready(java: Java) -> (Heap, String) {
    let [end, text, dump] = ["end", "d.txt", "d.1.2"].map(|name| java.file(name));
    let mut running = java.start();
    running.wait_for_line("ready");
    running.signal("QUIT");
    let said = wait_for(&mut running, &text, "DONE 1");
    let heap = ours::read(&said, &std::fs::read(dump).unwrap(), 1, Detail::Values);
    std::fs::write(end, "").unwrap();
    running.finish().exits(0);
    (heap, said)
}

/// Monitors that virtual threads have entered are roots like those of others, though JDK 21 names
/// them by references of their carriers.
#[test]
fn roots_hold_what_virtual_threads_have_entered() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let collector = rotated(jdk, 4);
        let java = java(jdk, &collector, "levels=2").arg("-Xcheck:jni");
        // For those that are pinned.
        let java = java.arg("-Djdk.virtualThreadScheduler.parallelism=8");
        let java = java.main("VirtualDumped heap");
        let (heap, said) = dumped_when_ready(java);
        let entered = heap.roots.iter().filter(|(tag, _)| *tag == 7);
        let classes = entered.filter_map(|(_, object)| Some(&*heap.objects.get(object)?.class));
        let mut of_program: Vec<_> = classes
            .filter(|name| name.starts_with("VirtualDumped"))
            .collect();
        of_program.sort_unstable();
        let expected = ["VirtualDumped$Entered", "VirtualDumped$Kept"];
        assert_eq!(of_program, expected, "{jdk}, {collector}\n{said}");
    });
}

fn assert_roots(heap: &Heap, said: &str, what: &str, has_virtual: bool) {
    let number_of = |object: u64| match &heap.objects.get(&object)?.contents {
        Contents::Fields(fields) => fields.iter().find_map(|(class, name, value)| {
            let is_its = heap.classes[class].name == "Roots$Held" && name == "number";
            match value {
                Value::Bits(10, bits) if is_its => Some(*bits),
                Value::Bits(..) | Value::To(_) => None,
            }
        }),
        Contents::References(_) | Contents::Primitives(..) => None,
    };
    let held_by = |tag: u8| {
        let roots = heap.framed.iter().filter(|root| root.tag == tag);
        let mut roots: Vec<_> = roots
            .filter_map(|root| {
                let method = method_at(said, root).and_then(|line| line.split(' ').nth(2));
                let number = number_of(root.object)?;
                Some((number, thread_named(said, root.thread)?, method))
            })
            .collect();
        roots.sort_unstable();
        roots
    };
    let mut expected = vec![
        (1, "below", Some("below")),
        (2, "top", Some("top")),
        (3, "attached", None),
        (6, "entered", Some("entered")),
    ];
    if has_virtual {
        expected.push((10, "pinned", Some("below")));
        let mut of_frames = held_by(3);
        of_frames.retain(|(number, ..)| *number > 10);
        of_frames.dedup();
        let expected = [
            (11, "parked", Some("parks")),
            (12, "spinning", Some("spins")),
        ];
        assert_eq!(of_frames, expected, "{what}\n{said}");
    }
    assert_eq!(held_by(2), expected, "{what}\n{said}");
    for name in ["below", "attached", "waiting", "blocked"] {
        let line = said
            .lines()
            .find(|line| line.starts_with("THREAD ") && line.ends_with(name));
        let words: Vec<&str> = line.expect(name).split(' ').collect();
        let (env, thread) = (hexadecimal(words[1]), hexadecimal(words[2]));
        let block = heap
            .framed
            .iter()
            .find(|root| root.tag == 6 && root.thread == env);
        let held = block.map(|root| root.object);
        assert_eq!(held, Some(thread), "{what}: the block of {name}");
    }
    let entered = heap.roots.iter().filter(|(tag, _)| *tag == 7);
    let mut numbers: Vec<_> = entered
        .clone()
        .filter_map(|root| number_of(root.1))
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [4, 5, 6, 9], "{what}: {:?}", heap.roots);
    let (class, _) = heap.class_named("Roots");
    assert_eq!(entered.filter(|root| root.1 == class).count(), 1, "{what}");
}

/// The name of the thread with this JNIEnv.
fn thread_named(said: &str, env: u64) -> Option<&str> {
    let start = format!("THREAD {env:#x} ");
    let line = said.lines().rfind(|line| line.starts_with(&start))?;
    line.splitn(4, ' ').nth(3)
}

/// The line of the method that a root's frame runs, in dump 1 of level 2.
fn method_at<'said>(said: &'said str, root: &Framed) -> Option<&'said str> {
    let dump = said.split("HEAP 1 2 ").nth(1)?;
    let mut frames = dump
        .lines()
        .skip_while(|line| !line.starts_with(&format!("TRACE {:#x} ", root.thread)))
        .skip(1)
        .take_while(|line| line.starts_with("FRAME "));
    let frame = frames.nth(usize::try_from(root.frame).ok()?)?;
    let start = format!("METHOD {} ", frame.split(' ').nth(1)?);
    said.lines().find(|line| line.starts_with(&start))
}

/// Without memory for it a dump is refused, in one line, and the program goes on.
#[test]
fn no_memory() {
    each_jdk(|jdk| {
        let java = java(jdk, &rotated(jdk, 0), "levels=2").main("Shapes end 50");
        let [end, text] = ["end", "d.txt"].map(|name| java.file(name));
        let mut running = java.start();
        running.wait_for_line("ready");
        let size = running.status("VmSize").unwrap();
        let kib: u64 = size.trim_end_matches(" kB").parse().unwrap();
        let limit = format!("--as={}", (kib + 100_000) * 1024);
        let limited = Command::new("prlimit")
            .args(["--pid", &running.pid().to_string(), &limit])
            .status();
        if !limited.is_ok_and(|status| status.success()) {
            not_run(&format!("JDK {}", jdk.major), "no prlimit (util-linux)");
        } else {
            running.signal("QUIT");
            let said = wait_for(&mut running, &text, "DONE 1");
            assert!(said.contains("ANSWER 1 2 -1"), "{jdk}: {said}");
        }
        std::fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        assert!(run.stdout.contains("done true"), "{run}");
        let lines = run.stderr.lines().filter(|line| line.contains("HEAP_DUMP"));
        assert!(lines.count() <= 1, "{run}");
    });
}

/// While threads allocate, classes come and go, and ids with them: whatever a dump
/// names has been announced, and is answered for as long as the dump is read.
#[test]
fn while_classes_come_and_go() {
    each_jdk(|jdk| {
        let collector = rotated(jdk, 1);
        let java = java(jdk, &collector, "alloc,objects").main("UnloadStorm 30000");
        let text = java.file("d.txt");
        let mut running = java.start();
        running.wait_for_line("UNDER WAY");
        for number in 1..=3 {
            running.signal("QUIT");
            wait_for(&mut running, &text, &format!("DONE {number}"));
        }
        let dumps: Vec<_> = (1..=3).map(|number| java_file(&text, number)).collect();
        let run = running.finish().exits(0);
        let text = run.file("d.txt");
        let asked: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("ASKED"))
            .collect();
        assert_eq!(asked.len(), 3, "{jdk}, {collector}: {run}");
        for line in asked {
            assert!(
                line.ends_with(" wrong 0 refused 0 left 0"),
                "{jdk}, {collector}: {line}"
            );
        }
        for (number, dump) in (1..=3).zip(dumps) {
            let heap = ours::read(&text, &dump, number, Detail::Values);
            let told = announced(&text, &format!("HEAP {number} 2 "));
            let missing = heap.objects.iter().find(|(id, _)| !told.contains(id));
            assert!(missing.is_none(), "{jdk}, {collector}: {missing:x?}");
        }
    });
}

fn java_file(text: &std::path::Path, number: u32) -> Vec<u8> {
    std::fs::read(text.with_file_name(format!("d.{number}.2"))).unwrap()
}

/// While threads come and go: those in a dump, in its traces and its roots, have had their
/// THREAD_START and not their THREAD_END.
#[test]
fn while_threads_come_and_go() {
    const DUMPS: u32 = 20;
    each_jdk(|jdk| {
        let collector = rotated(jdk, 4);
        let java = java(jdk, &collector, "levels=1").main("ThreadStorm end");
        let [end, text] = ["end", "d.txt"].map(|name| java.file(name));
        let mut running = java.start();
        running.wait_for_line("ready");
        for number in 1..=DUMPS {
            running.signal("QUIT");
            wait_for(&mut running, &text, &format!("DONE {number}"));
        }
        let dumps = (1..=DUMPS).map(|number| {
            let dump = text.with_file_name(format!("d.{number}.1"));
            std::fs::read(dump).unwrap()
        });
        let dumps: Vec<_> = dumps.collect();
        std::fs::write(end, "").unwrap();
        let text = running.finish().exits(0).file("d.txt");
        let (mut in_traces, mut in_roots) = (0, 0);
        for (number, dump) in (1..=DUMPS).zip(dumps) {
            let what = format!("{jdk}, {collector}: dump {number}");
            let known = living(&text, &format!("HEAP {number} 1 "));
            let shown = text.split(&format!("HEAP {number} 1 ")).nth(1).unwrap();
            let shown = shown.lines().skip(1);
            for line in shown.take_while(|line| !line.starts_with("ANSWER")) {
                if let Some(env) = line.strip_prefix("TRACE ") {
                    let env = hexadecimal(env.split(' ').next().unwrap());
                    assert!(known.contains(&env), "{what}: a trace of {env:#x}");
                    in_traces += 1;
                }
            }
            let heap = ours::read(&text, &dump, number, Detail::References);
            for root in &heap.framed {
                assert!(known.contains(&root.thread), "{what}: {root:x?}");
                in_roots += 1;
            }
        }
        assert!(
            in_traces > 5 * DUMPS && in_roots > 5 * DUMPS,
            "{jdk}: {in_traces} {in_roots}"
        );
    });
}

/// The threads that have started and not ended when a line comes.
fn living(text: &str, end: &str) -> HashSet<u64> {
    let mut known = HashSet::new();
    for line in text.lines().take_while(|line| !line.starts_with(end)) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["THREAD", env, ..] => {
                known.insert(hexadecimal(env));
            }
            ["END", env] => {
                known.remove(&hexadecimal(env));
            }
            _ => {}
        }
    }
    known
}

/// The objects that are announced and have not been freed when a line comes.
fn announced(text: &str, end: &str) -> HashSet<u64> {
    let mut told = HashSet::new();
    for line in text.lines().take_while(|line| !line.starts_with(end)) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["ALLOC", id, ..] => {
                told.insert(hexadecimal(id));
            }
            ["FREE", id] => {
                told.remove(&hexadecimal(id));
            }
            _ => {}
        }
    }
    told
}

/// What a dump has is answered for until its handler returns, also in that of another dump.
#[test]
fn an_object_that_dies_while_it_is_read_about() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "dying", "").main("Dying");
        let run = run.run().exits(0);
        assert_checks(&run.file("report.txt"), 9);
    });
}

/// Near the stack's end, too, where requests within handlers of requests ended the process without a word.
#[test]
fn requests_at_the_stacks_end() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "deep_requests", "").main("DeepRequests");
        let run = run.limit(60).run().exits(0).says("3 times\n");
        assert_checks(&run.file("report.txt"), 2);
    });
}

/// A class that is loaded while a dump is made is read after the walk: its record names no object that is younger, of
/// which there is none.
#[test]
fn what_a_class_gets_behind_the_walk_is_not_named() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "later_held", "").main("LaterHeld");
        let run = run.run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 5);
    });
}

/// A class that lies in the VM's archive and that nobody has loaded has no record; asking for it ended JDK 17 and 25.
#[test]
fn classes_of_the_archive_that_nobody_has_loaded() {
    // From which JDK on, for the VM, and lines of shell that start it.
    const ARCHIVES: [(u32, &str, &str); 4] = [
        (0, "-XX:+UseG1GC", "exec \"$@\""),
        (0, "-XX:-UseCompressedOops", "exec \"$@\""),
        (
            17,
            "-XX:SharedArchiveFile=app.jsa",
            r#""$1" -XX:ArchiveClassesAtExit=app.jsa -Xlog:disable -cp "$JAR" Internals >/dev/null && exec "$@""#,
        ),
        (
            25,
            "-XX:AOTCache=app.aot",
            r#""$1" -XX:AOTCacheOutput=app.aot -Xlog:disable -cp "$JAR" Internals >/dev/null && exec "$@""#,
        ),
    ];
    each_jdk(|jdk| {
        for (from, flag, shell) in ARCHIVES {
            if jdk.major < from {
                continue;
            }
            let jar = fixture::jar("archived.jar", "");
            // Without the flag that allows native code by name, with which the VM does without an archive.
            let library = fixture::native("archived");
            let agent = format!("-Dagent={}", library.display());
            let java = Java::with_shim(jdk).library(&library);
            let java = java.args([agent.as_str(), "-Xrunarchived", "-XX:+UseG1GC", flag]);
            let java = java.env("JAR", &jar).shell(shell);
            let run = java.main_in(&jar, "Dying").run();
            let run = run.exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 4);
        }
    });
}

/// Classes that get hooks leave second Class objects behind; asking for their dump ended JDK 17 and 25.
#[test]
fn second_class_objects_of_classes_with_hooks() {
    each_jdk(|jdk| {
        for hooks in ["entry", "exit", "load"] {
            let run = Java::with_helper(jdk, "archived", hooks).main("Dying");
            let run = run.run().exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 4);
        }
    });
}

/// The class of our hooks, which loaders define beside the program's, is none for an agent; nor is one whose CLASS_LOAD
/// is still with the agent.
#[test]
fn hooks_are_defined_beside_dumps() {
    each_jdk(|jdk| {
        for hooks in ["monitors", "methods"] {
            let java = Java::with_helper(jdk, "dumps_beside_loads", hooks).limit(180);
            let run = java.main("UnloadStorm 8000").run().exits(0);
            assert_checks(&run.file("report.txt"), 3);
        }
    });
}

/// What a dump names has been told of, to the end of the handler.
#[test]
fn while_an_object_is_born() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "asked_in_births", "").main("AskedInBirths");
        let run = run.run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 2);
    });
}

/// A dump may be asked for in the handler of any event, also with a raw monitor held,
/// and what it names in the dump's own handler.
#[test]
fn in_any_handler() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "dump_anywhere", "").limit(180);
        let run = run.main("Busy").run().exits(0);
        let report = run.file("report.txt");
        let wrong: Vec<&str> = report
            .lines()
            .filter(|line| line.starts_with("FAIL"))
            .collect();
        assert!(wrong.is_empty(), "{jdk}: {wrong:#?}\n{run}");
        for kind in [
            EventKind::MethodEntry,
            EventKind::MethodExit,
            EventKind::ObjectAlloc,
            EventKind::ObjectFree,
            EventKind::CompiledMethodLoad,
            EventKind::ThreadStart,
            EventKind::ThreadEnd,
            EventKind::ClassLoadHook,
            EventKind::ClassLoad,
            EventKind::JvmInitDone,
            EventKind::JvmShutDown,
            EventKind::MonitorWait,
            EventKind::MonitorWaited,
            EventKind::GcStart,
            EventKind::GcFinish,
        ] {
            let line = format!("ok event {}", kind.raw());
            assert!(
                report.lines().any(|one| one == line),
                "{jdk}: {kind:?}\n{report}\n{run}"
            );
        }
    });
}
