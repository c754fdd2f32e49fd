//! Value objects (JDK 28, preview): every mode goes on where there is no identity to name.

use dump_format::Detail;
use xrun_tests::census::Judgement;
use xrun_tests::fixture::classes_of_28;
use xrun_tests::heap::{Contents, Heap, Value, ours, theirs};
use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run, agent_path};

const SAYS: &str = "monitor IdentityException\nnotify IllegalMonitorStateException\nweak IdentityException\n\
    thrown IllegalStateException\nnegative IllegalArgumentException\nsame true\nkept 4 true true\n";

fn has_them(jdk: &Jdk) -> Result<(), String> {
    if jdk.major < 28 {
        return Err("it has no value objects".to_owned());
    }
    let compiles = jdk.tool("javac").is_file().then_some(());
    compiles.ok_or_else(|| "it has no compiler".to_owned())
}

fn run(jdk: &Jdk, agent: &str) -> Run {
    run_with(Java::with_shim(jdk).arg(agent), jdk)
}

fn run_with(java: Java, jdk: &Jdk) -> Run {
    let java = java.arg("--enable-preview");
    // Constructors of value classes have frames that older class files have not.
    let java = java.args([
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+BytecodeVerificationLocal",
        "-XX:+BytecodeVerificationRemote",
    ]);
    let run = java.main_in(&classes_of_28(jdk), "Values 400").run();
    assert!(!run.stderr.contains("bad StackMapTable"), "{run}");
    run.exits(0).says(SAYS)
}

/// How many of a dump's objects are of this class.
fn instances(dump: &str, class: &str) -> usize {
    let of = format!("class={class}@");
    let mut lines = dump.lines();
    lines
        .by_ref()
        .filter(|line| line.starts_with("OBJ ") && line.contains(&of))
        .count()
}

/// METHOD_ENTRY2 comes of methods of value classes, records and abstract ones among them, without a receiver; those that
/// have identity have one, and only they are born.
fn assert_no_receivers(trace: &str, run: &str) {
    let of = |event: &str, name: &str| -> Vec<&str> {
        let lines = trace.lines().filter(|line| line.contains(event));
        lines.filter(|line| line.contains(name)).collect()
    };
    for method in [
        "Values$Square.area",
        "Values$Base.next",
        "Values$Leaf.number",
    ] {
        let entered = of("METHOD_ENTRY2 ", method);
        assert!(entered.len() >= 400, "{method}: {}: {run}", entered.len());
        let with = entered.iter().find(|line| !line.ends_with(" obj=(nil)"));
        assert_eq!(with, None, "{run}");
    }
    // Nor is there one yet where it is made, with hooks as by JVMTI's own event.
    for class in ["Values$Square", "Values$Leaf", "Values$Base"] {
        let made = of("METHOD_ENTRY2 ", &format!("{class}.<init>"));
        assert!(made.len() >= 400, "{class}: {}: {run}", made.len());
        let with = made.iter().find(|line| !line.ends_with(" obj=(nil)"));
        assert_eq!(with, None, "{run}");
    }
    let with = of("METHOD_ENTRY2 ", "Values$Marker.has");
    assert!(!with.is_empty(), "{run}");
    let without = with.iter().find(|line| line.ends_with(" obj=(nil)"));
    assert_eq!(without, None, "{run}");
    // Arrays of them have identity.
    for class in ["Values$Square array=0", "Values$Leaf array=0"] {
        assert_eq!(of("OBJECT_ALLOC ", class), [""; 0], "{run}");
    }
    assert!(
        !of("OBJECT_ALLOC ", "Values$Marker array=0").is_empty(),
        "{run}"
    );
}

/// The judge finds nothing wrong; METHOD_ENTRY2 has no receiver, also where each method's event is JVMTI's own; none is
/// born, and all that value objects alone hold is in a dump, with each of those that differ once.
#[test]
fn have_no_ids() {
    product::agent("check");
    product::agent("trace");
    product::hprof();
    each_jdk_if(has_them, |jdk| {
        let judge = "-Xrunjvmpi_check:file=report.txt,dump=20,rungc=40,heap";
        let judged = run(jdk, judge);
        let report = judged.file("report.txt");
        assert_eq!(
            Judgement::read(&report).violations,
            Some(0),
            "{report}\n{judged}"
        );
        assert!(!judged.stderr.contains("METHOD_ENTRY2"), "{judged}");

        for options in ["", "method-events=exact"] {
            let traced = run_with(
                Java::of(jdk)
                    .arg(agent_path(&product::shim(), options))
                    .arg("-Xrunjvmpi_trace:file=trace.txt,none,+OBJECT_ALLOC,+METHOD_ENTRY2,classes=Values"),
                jdk,
            );
            assert_no_receivers(&traced.file("trace.txt"), &format!("{options} {traced}"));
        }

        let profiled = run(jdk, "-Xrunhprof:heap=all,cutoff=0,file=profile");
        let profile = profiled.file("profile");
        let (_, dump) = profile.split_once("HEAP DUMP BEGIN").expect("a dump");
        // Four keepers, each with nine leaves that differ, the marker of one of them, and of squares
        // those of eight sides and of round, round + 1, …
        assert_eq!(instances(dump, "Values$Keeper"), 4, "{profiled}");
        assert_eq!(instances(dump, "Values$Marker"), 4, "{profiled}");
        assert_eq!(instances(dump, "Values$Leaf"), 36, "{profiled}");
        assert_eq!(instances(dump, "Values$Square"), 32, "{profiled}");
        let square = dump
            .lines()
            .find(|line| line.contains("class=Values$Square@"));
        assert!(
            square.is_some_and(|line| line.contains("sz=16")),
            "{square:?}"
        );

        for mode in ["cpu=times", "cpu=samples,monitor=y", "heap=sites,sample=8k"] {
            run(jdk, &format!("-Xrunhprof:{mode},file=profile"));
        }
    });
}

/// A dump has each of a few; too many to be compared with one another have no records, but all that they hold does.
#[test]
fn too_many_are_no_hang_and_no_crash() {
    product::agent("check");
    product::hprof();
    each_jdk_if(has_them, |jdk| {
        let run = |agent: &str| {
            let java = Java::with_shim(jdk).args(["--enable-preview", agent]);
            let run = java.main_in(&classes_of_28(jdk), "ManyValues").run();
            let run = run.exits(0).says("made\n");
            assert_eq!(run.stderr.matches("have no records").count(), 1, "{run}");
            run
        };
        let judged = run(
            "-Xrunjvmpi_check:file=report.txt,heap,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT",
        );
        let report = judged.file("report.txt");
        let violations = Judgement::read(&report).violations;
        assert_eq!(violations, Some(0), "{report}\n{judged}");

        let profiled = run("-Xrunhprof:heap=dump,cutoff=0,file=profile");
        let profile = profiled.file("profile");
        let (_, dump) = profile.split_once("HEAP DUMP BEGIN").expect("a dump");
        assert_eq!(instances(dump, "ManyValues$Few"), 100, "{profiled}");
        assert_eq!(instances(dump, "ManyValues$Many"), 0, "{profiled}");
        assert_eq!(instances(dump, "ManyValues$Link"), 0, "{profiled}");
        assert_eq!(instances(dump, "ManyValues$Marker"), 101, "{profiled}");
    });
}

/// Wherever a program can have them the judge finds nothing wrong, and no mode of HPROF hangs or ends it.
#[test]
fn wherever_a_program_has_them() {
    product::agent("check");
    product::hprof();
    each_jdk_if(has_them, |jdk| {
        let run = |agent: &str| {
            // By the JDK's own code arrays have the layouts that no source can ask for yet.
            let java = Java::with_shim(jdk).args([
                "--enable-preview",
                "--add-exports=java.base/jdk.internal.value=ALL-UNNAMED",
                agent,
            ]);
            let java = java.main_in(&classes_of_28(jdk), "ValuesAnywhere 12 50");
            java.limit(120)
                .run()
                .exits(0)
                .says("done 12 true held 77\n")
        };
        let judged = run(
            "-Xrunjvmpi_check:file=report.txt,dump=50,rungc=100,suspend=100,ask=10,trace=10,heap",
        );
        let report = judged.file("report.txt");
        let violations = Judgement::read(&report).violations;
        assert_eq!(violations, Some(0), "{report}\n{judged}");
        for mode in [
            "heap=all,cutoff=0",
            "heap=dump,format=b",
            "cpu=times",
            "cpu=samples,monitor=y",
            "heap=sites,sample=8k",
        ] {
            run(&format!("-Xrunhprof:{mode},file=profile"));
        }
    });
}

/// But for dumps: the ids that one gives are gone when nobody reads it any more.
#[test]
fn have_ids_while_a_dump_is_read() {
    each_jdk_if(has_them, |jdk| {
        let run = run_with(Java::with_helper(jdk, "value_ids", ""), jdk);
        assert_checks(&run.file("report.txt"), 14);
    });
}

/// Beside what is said of one that has identity: ids, references of JNI, OBJECT_DUMP outside of a dump's handler, monitors.
#[test]
fn nothing_names_them() {
    each_jdk_if(has_them, |jdk| {
        let java = Java::with_helper(jdk, "value_facts", "").arg("--enable-preview");
        let run = java.main_in(&classes_of_28(jdk), "ValueFacts").run();
        let run = run.exits(0).says("said 3 true\n");
        assert_checks(&run.file("report.txt"), 52);
    });
}

/// The fields of an object, by name; `None` of an id that has no record of an instance.
fn fields(heap: &Heap, value: Value) -> Option<Vec<(&str, Value)>> {
    let Value::To(id) = value else { return None };
    let Contents::Fields(fields) = &heap.objects.get(&id)?.contents else {
        return None;
    };
    Some(
        fields
            .iter()
            .map(|(_, name, value)| (&**name, *value))
            .collect(),
    )
}

fn field(heap: &Heap, value: Value, name: &str) -> Value {
    let fields = fields(heap, value);
    let found = fields.iter().flatten().find(|(its, _)| *its == name);
    found
        .unwrap_or_else(|| panic!("no {name} in {fields:x?}"))
        .1
}

fn elements(heap: &Heap, array: Value) -> Vec<Value> {
    let Value::To(id) = array else {
        panic!("{array:?}")
    };
    match &heap.objects[&id].contents {
        Contents::References(all) => all.iter().copied().map(Value::To).collect(),
        other => panic!("{other:?}"),
    }
}

/// What keepers of Values.java hold, as the program has put it there.
fn assert_kept(heap: &Heap, what: &str) {
    const INT: u8 = 10;
    let int = |bits: u64| Value::Bits(INT, bits);
    let keepers = heap.objects.iter();
    let keepers = keepers.filter(|(_, object)| object.class == "Values$Keeper");
    let mut rounds = Vec::new();
    for (&keeper, _) in keepers {
        let of = |name: &str| field(heap, Value::To(keeper), name);
        let side = |square: Value| field(heap, square, "side");
        let Value::Bits(INT, round) = side(of("square")) else {
            panic!("{what}: {:?}", side(of("square")));
        };
        rounds.push(round);
        assert_eq!(side(of("shape")), int(round + 1), "{what}");
        let leaf = of("leaf");
        assert_eq!(field(heap, leaf, "number"), int(round), "{what}");
        let marker = field(heap, leaf, "held");
        assert_eq!(field(heap, marker, "mark"), int(round), "{what}");
        let [squares, leaves, objects] =
            ["squares", "leaves", "objects"].map(|name| elements(heap, of(name)));
        assert_eq!(
            [squares.len(), leaves.len(), objects.len()],
            [8; 3],
            "{what}"
        );
        for at in 0..8 {
            let one = usize::try_from(at).unwrap();
            assert_eq!(side(squares[one]), int(round + at), "{what}: {at}");
            assert_eq!(side(objects[one]), int(at), "{what}: {at}");
            assert_eq!(field(heap, leaves[one], "number"), int(at), "{what}: {at}");
            // One id for all that are equal.
            assert_eq!(field(heap, leaves[one], "held"), leaf, "{what}: {at}");
        }
    }
    rounds.sort_unstable();
    assert_eq!(rounds, [0, 100, 200, 300], "{what}");
}

/// HEAP_DUMP, OBJECT_DUMP while it is read, and HPROF's binary file have what value objects hold, where the VM has
/// flattened them and where it has not.
#[test]
fn dumps_have_what_they_hold() {
    product::agent("dump");
    product::hprof();
    each_jdk_if(has_them, |jdk| {
        for flat in ["+", "-"] {
            let layout = [
                "-XX:+UnlockDiagnosticVMOptions".to_owned(),
                format!("-XX:{flat}UseFieldFlattening"),
                format!("-XX:{flat}UseArrayFlattening"),
            ];
            let what = format!("{jdk}, {flat}");
            let java = Java::with_shim(jdk).args(&layout);
            let java = java.arg("-Xrunjvmpi_dump:file=d,levels=2,at=end,objects");
            let dumped = run_with(java, jdk);
            let text = dumped.file("d.txt");
            let asked = text.lines().find(|line| line.starts_with("ASKED"));
            let all = asked.is_some_and(|line| line.ends_with(" wrong 0 refused 0 left 0"));
            assert!(all, "{what}: {asked:?} {dumped}");
            let heap = ours::read(&text, &dumped.bytes("d.1.2"), 1, Detail::Values);
            assert_kept(&heap, &what);

            let java = Java::with_shim(jdk).args(&layout);
            let profiled = run_with(java.arg("-Xrunhprof:heap=dump,format=b,file=profile"), jdk);
            assert_kept(
                &theirs::read(&profiled.bytes("profile")),
                &format!("{what}, HPROF"),
            );
        }
    });
}
