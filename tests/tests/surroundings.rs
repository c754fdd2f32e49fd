//! The same program with the judge and with HPROF where something is not to be had, and with what a VM
//! can be asked for: one row each. Full disks of HPROF's: `hprof::trouble_with_the_output_is_one_line`.

use std::process::Command;

use xrun_tests::fixture;
use xrun_tests::heap::theirs;
use xrun_tests::jdk::{Jdk, MATRIX, compiler, each_jdk, not_run, on_jdk};
use xrun_tests::run::{Java, Run, agent_path, output};
use xrun_tests::{long, product};

use crate::internals::{self, CHECK, HPROF, SAYS};

/// What one run is made in.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    /// The first JDK that has it.
    from: u32,
    /// For the VM.
    flags: &'static [&'static str],
    /// Lines of shell that start `"$@"`, or exit with [`NOT_HERE`]; of `$HARSH` and the like see [`run`].
    shell: &'static str,
    /// For the long form.
    takes_long: bool,
    /// What the VM says, on stdout or in `on.txt`, where it has what was asked for; spaces in a row are one.
    on: &'static str,
    /// What our own lines on stderr say, one line each: with the judge, and with HPROF that has all in one run. There is
    /// no other.
    says: [&'static [&'static str]; 2],
}

/// The exit code that says that it is not to be had here.
const NOT_HERE: i32 = 77;

const fn row(
    name: &'static str,
    from: u32,
    flags: &'static [&'static str],
    shell: &'static str,
) -> Row {
    Row {
        name,
        from,
        flags,
        shell,
        takes_long: false,
        on: "",
        says: [&[]; 2],
    }
}

impl Row {
    const fn says(self, judge: &'static [&'static str], hprof: &'static [&'static str]) -> Self {
        Self {
            says: [judge, hprof],
            ..self
        }
    }

    const fn on(self, on: &'static str) -> Self {
        Self { on, ..self }
    }
}

const fn without(name: &'static str, shell: &'static str) -> Row {
    row(name, 0, &[], shell)
}

const fn with(name: &'static str, from: u32, flags: &'static [&'static str]) -> Row {
    row(name, from, flags, "exec \"$@\"")
}

const FAULTS: &[Row] = &[
    without("no membarrier", "exec \"$HARSH\" membarrier -- \"$@\""),
    without(
        "no perf_event_open",
        "exec \"$HARSH\" perf_event_open -- \"$@\"",
    ),
    without("no rseq", "exec \"$HARSH\" rseq -- \"$@\""),
    without("no memfd_create", "exec \"$HARSH\" memfd_create -- \"$@\""),
    without(
        "1100 descriptors taken",
        "exec \"$HARSH\" descriptors -- \"$@\"",
    ),
    without(
        "SIGPROF blocked and ignored",
        "exec \"$HARSH\" sigprof -- \"$@\"",
    ),
    without("no HOME", "exec env -u HOME \"$@\""),
    without("6 GB of addresses", "ulimit -v 6000000; exec \"$@\""),
    without("1.3 GB of data", "ulimit -d 1300000; exec \"$@\""),
    without(
        "80 MB of a cgroup",
        r#"own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup) root=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
        [ -n "$own" ] || { own=$(sed -n 's/^0:://p' /proc/self/cgroup) root=/sys/fs/cgroup limit=memory.max; }
        # Those of runs that were killed.
        for old in "$root$own"/xrun-[0-9]*; do
            [ -e "/proc/${old##*-}" ] || rmdir "$old" 2>/dev/null
        done
        group=$root$own/xrun-$$
        mkdir "$group" 2>/dev/null || exit 77
        trap '{ echo $$ >"$root$own/cgroup.procs"; rmdir "$group"; } 2>/dev/null' EXIT
        trap 'kill "$java" 2>/dev/null; wait "$java"; exit 143' TERM
        # Within our own group, whose limits stay.
        { echo 80000000 >"$group/$limit" && echo $$ >"$group/cgroup.procs"; } 2>/dev/null || exit 77
        "$@" &
        java=$!
        wait "$java""#,
    ),
    without(
        "nothing can be written but the current folder",
        r#"unshare -m true || exit 77
        exec unshare -m sh -c 'mount --bind "$PWD" "$PWD" && cd "$PWD" && mount -o remount,bind,ro / || exit 90
            touch /tmp/here 2>/dev/null && exit 91
            exec "$@"' x "$@""#,
    ),
    without(
        "no /proc",
        r#"unshare -m true || exit 77
        # By itself the dynamic linker does not find what lies beside a program then.
        export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:${1%/bin/java}/lib:${1%/bin/java}/lib/jli"
        exec unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' x "$@""#,
    ),
    row(
        "no memory that is written and run",
        0,
        // All code that there will be has its place when the VM is up.
        &[
            "-XX:-SegmentedCodeCache",
            "-XX:InitialCodeCacheSize=32m",
            "-XX:ReservedCodeCacheSize=32m",
        ],
        r#"java=$1; shift; exec "$java" "-agentpath:$DENIES" "$@""#,
    ),
];

const OTHERS: &str = "another agent (an allocation profiler?) holds the VM's allocation events";

const BESIDE: &[Row] = &[
    with("no class archive", 0, &["-Xshare:off"]),
    with("interpreter only", 0, &["-Xint"]),
    row(
        "large pages",
        0,
        &["-XX:+UseLargePages", "-XX:+PrintFlagsFinal"],
        "grep -q '^HugePages_Total: *[1-9]' /proc/meminfo || exit 77; exec \"$@\"",
    )
    .on("bool UseLargePages = true"),
    with(
        "compact object headers",
        25,
        &["-XX:+UseCompactObjectHeaders", "-XX:+PrintFlagsFinal"],
    )
    .on("bool UseCompactObjectHeaders = true"),
    with(
        "memory given back",
        17,
        &[
            "-XX:+UseZGC",
            "-XX:+ZUncommit",
            "-XX:ZUncommitDelay=1",
            "-Xlog:gc+init:file=on.txt",
        ],
    )
    .on("Uncommit: Enabled"),
    row(
        "transparent huge pages",
        0,
        &["-XX:+UseTransparentHugePages", "-XX:+PrintFlagsFinal"],
        "grep -q '\\[never\\]' /sys/kernel/mm/transparent_hugepage/enabled && exit 77; exec \"$@\"",
    )
    .on("bool UseTransparentHugePages = true"),
    row(
        "an archive of the program's classes",
        17,
        &[
            "-XX:SharedArchiveFile=app.jsa",
            "-Xlog:class+load:file=on.txt",
        ],
        r#""$1" -XX:ArchiveClassesAtExit=app.jsa -Xlog:disable -cp "$JAR" Internals >/dev/null && exec "$@""#,
    )
    // With hooks the program's own classes are not the archive's, but those of the JDK that it has besides are.
    .on("source: shared objects file (top)"),
    Row {
        takes_long: true,
        ..with("compiled at once", 0, &["-Xcomp"])
    },
    row(
        "a cache of code and classes",
        25,
        &["-XX:AOTCache=app.aot", "-Xlog:class+load:file=on.txt"],
        r#""$1" -XX:AOTCacheOutput=app.aot -Xlog:disable -cp "$JAR" Internals >/dev/null && exec "$@""#,
    )
    .on("Internals source: shared objects file"),
    row(
        "a Java agent that retransforms",
        0,
        &[],
        r#"java=$1; shift; exec "$java" "-javaagent:$JAR" "$@""#,
    ),
    row(
        "another agent with SIGPROF",
        0,
        &[],
        r#"java=$1; shift; "$java" "-agentpath:$SIGPROF" "$@" && grep -qx ok sigprof.txt"#,
    ),
    row(
        "another agent with sampled births",
        0,
        &[],
        r#"java=$1; shift; "$java" "-agentpath:$PORT=s" "$@" && ! grep -q FAIL port.txt"#,
    )
    .says(&[OTHERS], &[OTHERS]),
];

/// Not for the judge: docs/surroundings.md says why.
const STEPS: Row = row(
    "a debugger that steps",
    0,
    &[],
    r#"[ -e "${1%/bin/java}/lib/libjdwp.so" ] || exit 77
    "$JAVA" -cp "$CLASSES_11" Stepper Internals 200 "$@" && grep -qx 'steps 200' steps.txt"#,
);

/// The rows of a JDK: its share, so that each row is one's of the matrix, or all if the long tests are wanted.
fn rows<'a>(jdk: &Jdk, all: &'a [Row]) -> impl Iterator<Item = (usize, &'a Row)> {
    let major = jdk.major;
    let rows = all.iter().enumerate();
    rows.filter(move |(number, row)| {
        row.from <= major && (long() || !row.takes_long && is_share_of(major, *number, row.from))
    })
}

/// Whether it is this JDK that has row `number`, of those of the matrix that are new enough. One that is not in the matrix
/// has every fourth, others than the next one.
fn is_share_of(major: u32, number: usize, from: u32) -> bool {
    let matrix = MATRIX.iter().map(|row| row.major);
    let able: Vec<_> = matrix.filter(|major| *major >= from).collect();
    if MATRIX.iter().all(|row| row.major != major) {
        return (number + major as usize).is_multiple_of(4);
    }
    able[number % able.len()] == major
}

fn run(jdk: &Jdk, row: &Row, agent: &str) -> Run {
    let manifest = "Premain-Class: Weaver\nCan-Retransform-Classes: true\n";
    let jar = fixture::jar("beside.jar", manifest);
    let java = Java::of(jdk).arg(agent_path(&product::shim(), ""));
    let java = java.args(row.flags).arg(agent);
    let java = java.main_in(&jar, "Internals");
    let java = java
        .env("HARSH", fixture::program("harsh"))
        .env("DENIES", fixture::native("denies"))
        .env("PORT", fixture::native("jvmti_port"))
        .env("SIGPROF", fixture::native("sigprof"))
        .env("JAR", jar)
        .env("CLASSES_11", fixture::classes_of_11())
        .env("JAVA", compiler().java())
        .shell(row.shell);
    java.limit(240).run()
}

/// What HPROF can be asked for, and what its profile has then; dealt over the rows, for each has one of these.
const MODES: [(&str, &str); 4] = [
    (HPROF, ""),
    (
        "-Xrunhprof:cpu=times,thread=y,file=profile",
        "CPU TIME (ms) BEGIN",
    ),
    (
        "-Xrunhprof:heap=dump,format=b,file=profile",
        "JAVA PROFILE 1.0.1",
    ),
    (
        "-Xrunhprof:heap=sites,sample=8k,file=profile",
        "SITES BEGIN",
    ),
];

/// Which of them a row has on this JDK.
fn mode_of(major: u32, number: usize) -> usize {
    // The JDKs of the matrix have each fourth row.
    (number / MATRIX.len() + major as usize) % MODES.len()
}

/// The program does as without us, the judge finds nothing wrong, and HPROF's profiles are whole: that of the mode that
/// the row has on this JDK, or those of all modes in the long form.
fn assert_works(jdk: &Jdk, number: usize, row: &Row) {
    let judged = run(jdk, row, CHECK);
    if judged.code() == NOT_HERE {
        return not_run(&format!("{jdk}, {}", row.name), "it is not to be had here");
    }
    let judged = judged.exits(0);
    if !is_on(&judged, row) {
        return not_run(&format!("{jdk}, {}", row.name), "the VM goes without it");
    }
    assert!(judged.stdout.ends_with(SAYS), "{}: {judged}", row.name);
    let report = judged.file("report.txt");
    assert!(!report.contains("VIOLATION"), "{}: {report}", row.name);
    assert!(report.contains("events "), "{}: {report}", row.name);
    assert_says(&judged, row, CHECK);
    for (at, (agent, text)) in MODES.into_iter().enumerate() {
        // What reads clocks reads them without rseq as well, and only samples send signals.
        let is_its_own = row.name == "no rseq" && agent.contains("cpu=times")
            || row.name.contains("SIGPROF") && agent == HPROF;
        if long() || is_its_own || at == mode_of(jdk.major, number) {
            let profiled = run(jdk, row, agent).exits(0);
            assert!(is_on(&profiled, row), "{}: {profiled}", row.name);
            assert_says(&profiled, row, agent);
            assert_profiled(&profiled, row, text);
        }
    }
}

fn is_on(run: &Run, row: &Row) -> bool {
    let log = std::fs::read_to_string(run.folder().join("on.txt")).unwrap_or_default();
    let said = format!("{} {log}", run.stdout);
    let said: Vec<&str> = said.split_whitespace().collect();
    said.join(" ").contains(row.on)
}

/// What they are told wherever they run: the judge enables every event, and HPROF counts all objects beside samples.
const ALWAYS: [&[&str]; 2] = [
    &[
        "EnableEvent(INSTRUCTION_START): ",
        "EnableEvent(HEAP_DUMP): ",
    ],
    &["hprof: cpu=samples beside heap= without sample="],
];

/// What comes of the mode, and of a collector that may have stopped when the judge asks for a last collection.
const SOMETIMES: [&str; 3] = [
    // Behind the sixteenth look, which a machine that has much to do may not come to.
    "SIGPROF no longer reaches the threads",
    "hprof: cpu=times measures each call of every method",
    "RunGC: too late for this collector",
];

/// Of what is missing there is a line each, and none of anything else; `agent` is the judge or HPROF that has all in one
/// run, or another which may need less.
fn assert_says(run: &Run, row: &Row, agent: &str) {
    let is_ours = |line: &&str| {
        let ours = ["jvmpi: ", "hprof: ", "HPROF "];
        ours.iter().any(|begin| line.starts_with(begin))
    };
    let mut ours: Vec<&str> = run.stderr.lines().filter(is_ours).collect();
    let at = usize::from(agent != CHECK);
    let always = row.says[at]
        .iter()
        .chain(ALWAYS[at])
        .map(|text| (text, true));
    for (text, always) in always.chain(SOMETIMES.iter().map(|text| (text, false))) {
        let others = ours.len();
        ours.retain(|line| !line.contains(text));
        let lines = others - ours.len();
        let is_wanted = always && [CHECK, HPROF].contains(&agent);
        assert!(
            lines == 1 || lines == 0 && !is_wanted,
            "{}: {lines} of {text}: {run}",
            row.name
        );
    }
    assert!(ours.is_empty(), "{}: {ours:?}: {run}", row.name);
}

fn assert_profiled(run: &Run, row: &Row, text: &str) {
    assert!(run.stdout.ends_with(SAYS), "{}: {run}", row.name);
    if text.is_empty() {
        return internals::assert_whole_profile(run, row.name);
    }
    let profile = run.bytes("profile");
    assert!(
        String::from_utf8_lossy(&profile).contains(text),
        "{}: no {text}: {run}",
        row.name
    );
    if text.starts_with("JAVA PROFILE") {
        let heap = theirs::read(&profile);
        heap.class_named("Internals$Inside");
        assert!(
            heap.objects.len() > 1000,
            "{}: {}",
            row.name,
            heap.objects.len()
        );
    } else if !(row.says[1].contains(&OTHERS) && text.starts_with("SITES")) {
        // Where another agent has the births no site is told of.
        let text = String::from_utf8_lossy(&profile);
        assert!(text.contains("Internals"), "{}: {run}\n{text}", row.name);
    }
}

#[test]
fn where_something_is_not_to_be_had() {
    product::agent("check");
    product::hprof();
    each_jdk(|jdk| {
        for (number, row) in rows(jdk, FAULTS) {
            assert_works(jdk, number, row);
        }
    });
}

#[test]
fn beside_what_a_vm_can_be_asked_for() {
    product::agent("check");
    product::hprof();
    each_jdk(|jdk| {
        for (number, row) in rows(jdk, BESIDE) {
            assert_works(jdk, number, row);
        }
    });
}

#[test]
fn beside_a_debugger_that_steps() {
    product::hprof();
    each_jdk(|jdk| {
        if long() || jdk.major == 25 {
            let profiled = run(jdk, &STEPS, HPROF);
            if profiled.code() == NOT_HERE {
                not_run(
                    &format!("{jdk}, {}", STEPS.name),
                    "it is not to be had here",
                );
            } else {
                assert_profiled(&profiled.exits(0), &STEPS, "");
            }
        }
    });
}

/// HotSpot itself begins with memory that is both written and run: where that is refused from the start the VM ends
/// by itself before the program, with us as without.
#[test]
fn a_vm_that_may_run_no_memory_ends_as_without_us() {
    product::agent("check");
    product::hprof();
    each_jdk(|jdk| {
        let run = |java: Java| {
            let java = java.env("HARSH", fixture::program("harsh"));
            let java = java
                .main("Hello")
                .shell("exec \"$HARSH\" execmem -- \"$@\"");
            java.run()
        };
        let without = run(Java::of(jdk));
        assert!(
            without.code() != 0 && !without.stdout.contains("hello"),
            "{without}"
        );
        for agent in [CHECK, HPROF] {
            let with = run(Java::with_shim(jdk).arg(agent)).exits(without.code());
            assert_eq!(with.stdout, without.stdout, "{with}");
            assert!(with.stderr.ends_with(&without.stderr), "{with}\n{without}");
        }
    });
}

/// The warnings on stderr that name this file.
fn lines_of<'a>(run: &'a Run, file: &'a str) -> impl Iterator<Item = &'a str> {
    let warnings = run.stderr.lines();
    let warnings = warnings.filter_map(|line| line.strip_prefix("jvmpi: warning: "));
    warnings.filter(move |line| line.starts_with(&format!("{file}=")))
}

/// Of each file of ours that cannot be written, the log's own among them, there is one line.
#[test]
fn a_full_disk_is_a_line_of_each_file() {
    product::agent("counter");
    on_jdk(17, |jdk| {
        let options =
            "log=trace,log-file=/dev/full,usage=/dev/full,check=on,check-report=/dev/full";
        let java = Java::of(jdk).arg(agent_path(&product::shim(), options));
        let java = java.arg("-Xrunjvmpi_counter:file=/dev/null");
        let run = java.main("Hello").run().exits(0);
        for file in ["log-file", "usage", "check-report"] {
            let lines: Vec<_> = lines_of(&run, file).collect();
            let [line] = lines[..] else {
                panic!("{file}: {run}");
            };
            assert!(line.contains("No space left on device"), "{line}");
        }
        // Of the log only warnings.
        assert!(!run.stderr.contains("jvmpi: trace: "), "{run}");
    });
}

/// A recording ends where the disk does, and can be read.
#[test]
fn a_recording_ends_where_the_disk_does() {
    product::agent("trace");
    on_jdk(17, |jdk| {
        let java = Java::of(jdk).arg(agent_path(&product::shim(), "trace=run.rec"));
        let java = java
            .arg("-Xrunjvmpi_trace:file=/dev/null")
            .main("Internals");
        // Of 512 bytes each.
        let run = java.shell("ulimit -f 2000; exec \"$@\"").run();
        let run = run.exits(0).says(SAYS);
        let lines: Vec<_> = lines_of(&run, "trace").collect();
        assert!(
            matches!(lines[..], [line] if line.contains("recording stops here")),
            "{run}"
        );
        let mut stats = Command::new(product::xrun());
        stats
            .args(["trace", "stats"])
            .arg(run.folder().join("run.rec"));
        let stats = output(stats, 60);
        assert!(stats.stdout.contains("CLASS_LOAD"), "{stats}");
    });
}

/// Each is dealt to one JDK that has it.
#[test]
fn each_row_is_run_somewhere() {
    let mut modes = [false; MODES.len()];
    for (number, row) in FAULTS.iter().enumerate().chain(BESIDE.iter().enumerate()) {
        let majors = MATRIX.iter().map(|jdk| jdk.major);
        let shares = majors.filter(|major| is_share_of(*major, number, row.from));
        let shares: Vec<_> = shares.collect();
        assert!(
            matches!(shares[..], [major] if major >= row.from),
            "{}: {shares:?}",
            row.name
        );
        for &major in shares.iter().filter(|_| !row.takes_long) {
            modes[mode_of(major, number)] = true;
        }
    }
    assert_eq!(modes, [true; MODES.len()], "HPROF's modes");
}

/// docs/surroundings.md has what was seen of each.
#[test]
fn each_has_its_row_in_the_document() {
    let document = include_str!("../../docs/surroundings.md");
    for row in FAULTS.iter().chain(BESIDE).chain([&STEPS]) {
        let begin = format!("\n| {} |", row.name);
        assert_eq!(document.matches(&begin).count(), 1, "{}", row.name);
    }
    for line in document.lines().filter(|line| line.starts_with('|')) {
        let cells = line.strip_suffix('|').map(|line| line.matches('|').count());
        assert_eq!(cells, Some(4), "{line}");
    }
}
