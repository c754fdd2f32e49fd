//! `trace=FILE`, `xrun trace` and `xrun replay`: what is recorded is what happened, and
//! played again it happens again. What makes a recording, shows it and plays it is tried on the same
//! few recordings, so it is one file, and long.

use std::collections::HashMap;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use xrun_tests::jdk::{Jdk, compiler, each_jdk, not_run};
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{fixture, product, workspace};

/// A program under the shim that records into `NAME.rec`, and the path of that file.
fn recorded(jdk: &Jdk, name: &str) -> (Java, PathBuf) {
    let options = format!("trace={name}.rec");
    let java = Java::of(jdk).arg(agent_path(&product::shim(), &options));
    let file = java.file(&format!("{name}.rec"));
    (java, file)
}

/// Runs xrun in a folder; it must end within a minute, and whatever it has started.
fn xrun(folder: &Path, words: &[&str]) -> Run {
    ends_within(60, folder, words)
}

fn ends_within(seconds: u64, folder: &Path, words: &[&str]) -> Run {
    let mut command = product::xrun_command();
    command.args(words).current_dir(folder);
    run::output(command, seconds)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeds(folder: &Path, words: &[&str]) -> String {
    xrun(folder, words).exits(0).stdout
}

/// What an agent wrote in a direct run, and in two replays of its recording.
fn three_times(jdk: &Jdk, agent: &str, options: &str, main: &str) -> [String; 3] {
    let library = product::agent(agent);
    let (java, file) = recorded(jdk, "run");
    let folder = file.parent().unwrap().to_owned();
    let options = format!("{options}file=report.txt");
    let java = java.arg(format!("-Xrunjvmpi_{agent}:{options}"));
    let run = java.main(main).run().exits(0);
    let direct = run.file("report.txt");
    let replayed = [(); 2].map(|()| {
        std::fs::remove_file(folder.join("report.txt")).unwrap();
        let spec = format!("{}:{options}", library.display());
        let output = xrun(&folder, &["replay", "run.rec", "--agent", &spec]);
        let said = &output.stderr;
        assert!(output.status.success(), "{said}\n{run}");
        assert!(said.contains("calls answered as recorded"), "{said}");
        for trouble in [
            "another place",
            "not in the recording",
            "left out",
            "not played",
            "not reached",
        ] {
            assert!(!said.contains(trouble), "{jdk}: {said}\n{run}");
        }
        run.file("report.txt")
    });
    let [one, two] = replayed;
    assert!(!direct.is_empty(), "{run}");
    [direct, one, two]
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

#[test]
fn counter_counts_the_same() {
    each_jdk(|jdk| {
        let [direct, one, two] = three_times(jdk, "counter", "", "Hello");
        let lines = |report: &str| sorted(report.lines().map(str::to_owned));
        assert_eq!(lines(&direct), lines(&one));
        assert_eq!(one, two);
    });
}

/// The lines of each thread, in their order. How threads met at the agent's own lock is
/// not recorded.
fn by_thread(report: &str) -> Vec<String> {
    let lines = report.lines().filter(|line| !line.starts_with("COUNT"));
    let mut threads: std::collections::BTreeMap<String, Vec<&str>> = Default::default();
    for line in lines {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let env = line
            .split_whitespace()
            .find(|word| word.starts_with("env="));
        threads
            .entry(env.unwrap_or_default().to_owned())
            .or_default()
            .push(line);
    }
    threads
        .into_values()
        .map(|lines| lines.join("\n"))
        .collect()
}

#[test]
fn trace_tells_the_same() {
    each_jdk(|jdk| {
        let [direct, one, two] = three_times(jdk, "trace", "", "Hello");
        assert!(direct.lines().count() > 1000);
        assert!(
            by_thread(&direct) == by_thread(&one),
            "{jdk}: the replay differs"
        );
        assert!(one == two, "{jdk}: two replays differ");
    });
}

#[test]
fn check_finds_the_same() {
    each_jdk(|jdk| {
        let options = "classes=Hello,ask=50,trace=4,";
        let [direct, one, _] = three_times(jdk, "check", options, "Hello");
        let plain = |report: &str| {
            let line = |line: &str| line.split(" longest_ms=").next().unwrap().to_owned();
            report.lines().map(line).collect::<Vec<_>>()
        };
        assert_eq!(plain(&direct), plain(&one), "{jdk}");
    });
}

/// A thread of the agent's, suspensions and call traces.
#[test]
fn sampler_samples_the_same() {
    let options = "interval=5,top=9,traces=3,depth=8,threads,";
    let [direct, one, two] = three_times(compiler(), "sampler", options, "Hot");
    // But for how long it took.
    let plain = |report: &str| {
        let (head, rest) = report.split_once('\n').unwrap();
        let (samples, _) = head.split_once(" in ").unwrap();
        let (_, ticks) = head.split_once("every ").unwrap();
        format!("{samples} {ticks}\n{rest}")
    };
    assert_eq!(plain(&direct), plain(&one));
    assert_eq!(plain(&one), plain(&two));
}

/// HPROF in its modes, and what of its output is held against the replay's. With kernel=n:
/// a recording does not know what the kernel says of a thread. Not cpu=times and monitor=y as
/// collapsed and flame: those show the stacks that took time, and time is another one; it must cut off no row, either.
const HPROF_MODES: [(&str, &str, Plain); 21] = [
    ("heap=dump", "Hello", text_of),
    ("heap=sites", "Hello", text_of),
    ("heap=all,thread=y,depth=8", "Hello", text_of),
    ("cpu=times,cutoff=0", "Hello", text_of),
    ("cpu=times,clock=wall,cutoff=0", "Hello", text_of),
    ("cpu=old,cutoff=0", "Hello", pairs_of),
    ("monitor=y,cutoff=0", "HprofLocks", text_of),
    ("heap=dump,format=b", "Hello", records_of),
    ("heap=sites,format=b", "Hello", records_of),
    ("heap=sites,format=collapsed", "Hello", lines_of),
    ("cpu=times,format=json,cutoff=0", "Hello", pieces_of),
    ("heap=all,format=b,thread=y", "Hello", records_of),
    ("heap=sites,format=flame,cutoff=0", "Hello", pieces_of),
    (
        "heap=sites,thread=y,format=json,cutoff=0",
        "Hello",
        pieces_of,
    ),
    ("monitor=y,format=json,cutoff=0", "HprofLocks", pieces_of),
    ("cpu=samples,kernel=n,interval=2,cutoff=0", HOT, text_of),
    ("cpu=samples,kernel=n,format=b,thread=y", HOT, records_of),
    ("cpu=samples,kernel=n,format=collapsed", HOT, lines_of),
    ("cpu=samples,kernel=n,format=flame", HOT, pieces_of),
    ("cpu=samples,kernel=n,format=json", HOT, pieces_of),
    (
        "heap=all,cpu=samples,kernel=n,monitor=y,cutoff=0",
        "HprofLocks exit",
        text_of,
    ),
];

/// It exits, as all do that are sampled: whether the agent knew of a thread's end before the sampler's last look at it is for
/// the agent's own lock to say, which nobody records, and where processors are scarce that end waits no longer for the look.
const HOT: &str = "Hot 400 none exit";

type Plain = fn(&[u8]) -> Vec<String>;

/// All but dates, times, and numbers of threads and traces: those are in the order in
/// which threads got the agent's own lock, which nobody records.
fn text_of(profile: &[u8]) -> Vec<String> {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    const NUMBERED: [&str; 7] = [
        "TRACE ", "trace=", "trace ", "THREAD ", "thread ", "thread=", "id = ",
    ];
    let mut section = String::new();
    let line = |line: &str| {
        let dated = |day: &&str| line.find(&format!(" {day} "));
        let line = &line[..DAYS.iter().find_map(dated).unwrap_or(line.len())];
        if line.contains(" BEGIN (") {
            section = line.split(' ').next().unwrap_or_default().to_owned();
            // What follows is a total, of a time or of what rows have.
            return line.split(" (").next().unwrap_or_default().to_owned();
        }
        let mut words: Vec<_> = line.split_whitespace().collect();
        if words.get(1).is_some_and(|word| word.ends_with('%')) {
            // rank, self, accum; the trace is behind the counts.
            words.remove(if section == "SITES" { 7 } else { 4 });
            return words[3..].join(" ");
        }
        let mut line = line.to_owned();
        for key in NUMBERED {
            let mut parts = line.split(key);
            let mut left = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                left.push_str(key);
                left.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
            }
            line = left;
        }
        line
    };
    sorted(text(profile).lines().map(line))
}

fn lines_of(profile: &[u8]) -> Vec<String> {
    // Behind its last ";(" the first stack of a collapsed profile has the process, which is another.
    let unnamed = |line: &str| match line.rsplit_once(";(") {
        Some((head, _)) if line.starts_with("(HPROF for ") => head.to_owned(),
        _ => line.to_owned(),
    };
    sorted(text(profile).lines().map(unnamed))
}

/// `count callee caller time` without the time.
fn pairs_of(profile: &[u8]) -> Vec<String> {
    let pair = |line: &str| line.rsplit_once(' ').unwrap_or((line, "")).0.to_owned();
    sorted(text(profile).lines().map(pair))
}

/// Objects of JSON without numbers, and what stands between them: which of two alike is the last is not recorded.
fn pieces_of(profile: &[u8]) -> Vec<String> {
    let unnumbered = |piece: &str| {
        let letters = piece.chars().filter(|c| !c.is_ascii_digit() && *c != '.');
        letters.collect::<String>()
    };
    // What was profiled is another process.
    let is_head = |piece: &&str| piece.starts_with("\"program\":") || piece.contains("<title>");
    let all = text(profile);
    sorted(
        all.split(['{', '}'])
            .filter(|piece| !is_head(piece))
            .map(unnumbered),
    )
}

/// Names and the sizes of all other records.
fn records_of(profile: &[u8]) -> Vec<String> {
    let (start, mut rest) = profile.split_at(31);
    assert!(start.starts_with(b"JAVA PROFILE 1.0."));
    let mut records = Vec::new();
    while let [tag, _, _, _, _, a, b, c, d, more @ ..] = rest {
        let (body, behind) = more.split_at(u32::from_be_bytes([*a, *b, *c, *d]) as usize);
        records.push(match tag {
            1 => text(&body[xrun_tests::width_of_ids()..]),
            _ => format!("{tag}: {}", body.len()),
        });
        rest = behind;
    }
    assert!(rest.is_empty());
    sorted(records.into_iter())
}

#[test]
fn hprof_profiles_the_same() {
    let differing = HPROF_MODES.iter().filter_map(|&(mode, main, plain)| {
        let differs = profiles_the_same(mode, main, plain).err()?;
        Some(format!("{mode}: the replay differs: {differs}"))
    });
    let differing: Vec<_> = differing.collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Records a run and replays it. Whether a sampler has a thread that has just begun on its list when it looks next is for the
/// agent's own lock to say, which nobody records: a replay where that went the other way says so by its code, and another run
/// is recorded then.
fn profiles_the_same(mode: &str, main: &str, plain: Plain) -> Result<(), String> {
    const RUNS: usize = 3;
    let mut said = String::new();
    for _ in 0..RUNS {
        match profiles_the_same_once(mode, main, plain) {
            Ok(()) => return Ok(()),
            Err(Differs { how, is_said: true }) => said.push_str(&how),
            Err(Differs { how, .. }) => return Err(how),
        }
    }
    Err(said)
}

/// A replay's profile is another.
struct Differs {
    how: String,
    /// The replay has said that its agent was answered otherwise.
    is_said: bool,
}

/// What goes to a program that listens, too.
#[test]
fn hprof_sends_the_same() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let sent = std::thread::spawn(move || {
        [(); 2].map(|()| {
            let mut profile = Vec::new();
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_to_end(&mut profile).unwrap();
            records_of(&profile)
        })
    });
    let (java, file) = recorded(compiler(), "run");
    let java = java.arg(format!("-Xrunhprof:heap=all,format=b,net=127.0.0.1:{port}"));
    let _run = java.main("Hello").run().exits(0);
    succeeds(file.parent().unwrap(), &["replay", "run.rec"]);
    let [direct, replayed] = sent.join().unwrap();
    assert!(direct.len() > 20 && direct == replayed);
}

fn profiles_the_same_once(mode: &str, main: &str, plain: Plain) -> Result<(), Differs> {
    let (java, file) = recorded(compiler(), "run");
    let folder = file.parent().unwrap().to_owned();
    let profile = folder.join("profile");
    let java = java.arg(format!("-Xrunhprof:depth=6,{mode},file=profile"));
    let run = java.main(main).run().exits(0);
    let direct = plain(&std::fs::read(&profile).unwrap());
    // One of stacks may be short, text and binary are not.
    let is_short = ["collapsed", "json", "flame"]
        .iter()
        .any(|format| mode.contains(format));
    let least = if is_short { 0 } else { 20 };
    assert!(direct.len() > least, "{mode}: {run}");
    // The recorded agent with the recorded options.
    std::fs::remove_file(&profile).unwrap();
    let output = xrun(&folder, &["replay", "run.rec"]);
    // Whose turn it was to be put on its list of threads, a sampler does not ask us.
    let codes = if mode.contains("samples") {
        0..=3
    } else {
        0..=0
    };
    let code = output.status.code();
    assert!(code.is_some_and(|code| codes.contains(&code)), "{output}");
    let replayed = plain(&std::fs::read(&profile).unwrap());
    if direct == replayed {
        return Ok(());
    }
    // Lines that stand oftener in one of the two.
    let more = |these: &[String], others: &[String]| {
        let mut left = HashMap::<&str, usize>::new();
        others
            .iter()
            .for_each(|line| *left.entry(line).or_default() += 1);
        let more = these
            .iter()
            .filter(|line| match left.get_mut(line.as_str()) {
                Some(times) if *times > 0 => {
                    *times -= 1;
                    false
                }
                _ => true,
            });
        let cut = more.map(|line| line.chars().take(200).collect::<String>());
        cut.take(10).collect::<Vec<_>>()
    };
    let [one, other] = [more(&direct, &replayed), more(&replayed, &direct)];
    Err(Differs {
        how: format!("the run: {one:#?}, the replay: {other:#?}, which said {output}"),
        is_said: code == Some(3),
    })
}

/// The same run as collectors of other kinds would have reported it: the checker keeps
/// its books of arenas and moves.
#[test]
fn replays_at_other_arenas() {
    product::agent("check");
    let (java, file) = recorded(compiler(), "run");
    let folder = file.parent().unwrap().to_owned();
    let only = "OBJECT_ALLOC+OBJECT_FREE+OBJECT_MOVE+ARENA_NEW+ARENA_DELETE+GC_START+GC_FINISH+\
                CLASS_LOAD+CLASS_UNLOAD+THREAD_START+THREAD_END";
    let java = java.arg(format!("-Xrunjvmpi_check:file=report.txt,only={only}"));
    let run = java.main("UnloadStorm 20").run().exits(0);
    let direct = run.file("report.txt");
    assert!(direct.starts_with("check: 0 violations"), "{direct}");
    let number = |report: &str, key: &str| {
        let found = report
            .split_whitespace()
            .find_map(|word| word.strip_prefix(key));
        found.unwrap_or("0").parse::<u64>().unwrap()
    };
    for (model, arenas, moves) in [
        ("hotspot", false, false),
        ("mark-sweep", true, false),
        ("mark-compact", true, true),
        ("two-space", true, true),
        ("generational", true, true),
    ] {
        let output = xrun(&folder, &["replay", "run.rec", "--arenas", model]);
        // What it asks about arenas was not recorded.
        let exact = output.status.code() == Some(0);
        assert!(exact || output.status.code() == Some(3), "{output}");
        let report = run.file("report.txt");
        assert!(
            report.starts_with("check: 0 violations"),
            "{model}: {report}"
        );
        assert_eq!(
            number(&report, "ARENA_NEW=") > 0,
            arenas,
            "{model}: {report}"
        );
        assert_eq!(
            number(&report, "OBJECT_MOVE=") > 0,
            moves,
            "{model}: {report}"
        );
        let count = number(&report, "OBJECT_ALLOC=");
        assert_eq!(count, number(&direct, "OBJECT_ALLOC="), "{model}");
    }
    let refused = xrun(&folder, &["replay", "run.rec", "--arenas=copying"]);
    let said = &refused.stderr;
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("two-space, generational"), "{said}");
}

/// Events of the agent, enough to tell two programs apart.
fn watched(jdk: &Jdk, name: &str, main: &str) -> (Run, PathBuf) {
    product::agent("trace");
    let (java, file) = recorded(jdk, name);
    let java = java.arg("-Xrunjvmpi_trace:file=/dev/null");
    (java.main(main).run().exits(0), file)
}

#[test]
fn diff_names_the_first_difference() {
    let jdk = compiler();
    let (_one, a) = watched(jdk, "a", "Hello");
    let (_two, b) = watched(jdk, "b", "Hello");
    let (_three, c) = watched(jdk, "c", "Mon");
    let [a, b, c] = [&a, &b, &c].map(|path| path.to_str().unwrap());
    let diff = |words: &[&str]| xrun(Path::new("."), &[&["trace", "diff"], words].concat());
    let same = diff(&[a, b]);
    let number = same.stdout.strip_prefix("same: ");
    let number = number.and_then(|rest| rest.strip_suffix(" events and calls compared\n"));
    let number: Option<u64> = number.and_then(|number| number.parse().ok());
    assert!(number.is_some_and(|number| number > 10), "{same}");
    assert_eq!(same.status.code(), Some(0));
    let other = diff(&[a, c]);
    let said = &other.stdout;
    assert_eq!(other.status.code(), Some(1), "{said}");
    let (counts, lines) = said.split_once("\nthread main, record ").unwrap();
    for (side, class) in [("A", "Hello"), ("B", "Mon")] {
        let (_, only) = counts
            .split_once(&format!("only in {side}, by class\n"))
            .unwrap_or_else(|| panic!("{said}"));
        let (only, _) = only.split_once("\n\n").unwrap_or((only, ""));
        let mut rows = only.lines().map(|line| line.split_whitespace().nth(1));
        assert!(rows.any(|name| name == Some(class)), "{class}: {said}");
    }
    assert!(counts.contains("  by event and call\n"), "{said}");
    assert!(
        lines.contains("class_name=Hello ") && lines.contains("class_name=Mon "),
        "{said}"
    );
    let longest = |text: &str| text.lines().map(str::len).max();
    let whole = diff(&["--whole", a, c]).stdout;
    assert!(longest(&whole) > longest(said), "{whole}");
    assert!(
        said.contains("(--whole)") && !whole.contains("--whole"),
        "{whole}"
    );
}

/// Of the same program on each JDK, with lambdas, proxies and reflection: what each makes for
/// these is not taken for a difference, neither from JDK to JDK nor, with `--all`, by its name.
#[test]
fn diff_sees_no_difference_of_names_that_are_made() {
    let first: std::cell::RefCell<Option<(Run, PathBuf)>> = std::cell::RefCell::default();
    each_jdk(|jdk| {
        let (run, file) = watched(jdk, "run", "MadeNames");
        let words = ["trace", "dump", "--event", "CLASS_LOAD", "run.rec"];
        let classes = succeeds(file.parent().unwrap(), &words);
        for made in ["LambdaForm$MH/", "MadeNames$$Lambda", "$Proxy0\""] {
            assert!(classes.contains(made), "{jdk}: no {made}");
        }
        let mut first = first.borrow_mut();
        let Some((_, before)) = &*first else {
            *first = Some((run, file));
            return;
        };
        let [a, b] = [before, &file].map(|path| path.to_str().unwrap());
        let output = xrun(Path::new("."), &["trace", "diff", a, b]);
        assert_eq!(output.status.code(), Some(0), "{jdk}: {output}");
        // The JDKs have other classes, each of which has one name.
        let said = xrun(Path::new("."), &["trace", "diff", "--all", "--whole", a, b]).stdout;
        let (counts, _) = said.split_once("\nthread ").unwrap();
        let made = ["/0x", "MH/", "$Lambda$", "$Proxy0", "$Proxy1", "Accessor1"];
        let odd = |line: &&str| made.iter().any(|made| line.contains(made));
        assert_eq!(counts.lines().find(odd), None, "{jdk}");
    });
}

/// What the agent does around events that differ from run to run is compared, too; how
/// much was not is said.
#[test]
fn diff_sees_what_an_agent_does_in_its_handlers() {
    let library = fixture::native("asks_more");
    let run = |options: &str, name: &str| {
        let (java, file) = recorded(compiler(), name);
        let java = java
            .library(&library)
            .arg(format!("-Xrunasks_more:{options}"));
        (java.main("Hello").run().exits(0), file)
    };
    let (less, more, again) = (run("less", "a"), run("more", "b"), run("more", "c"));
    let diff = |a: &(Run, PathBuf), b: &(Run, PathBuf)| {
        let [a, b] = [&a.1, &b.1].map(|path| path.to_str().unwrap());
        xrun(Path::new("."), &["trace", "diff", a, b])
    };
    let same = diff(&more, &again);
    assert_eq!(same.status.code(), Some(0), "{}", &same.stdout);
    let noted = &same.stderr;
    assert!(
        noted.contains("not compared one by one") && noted.contains("RawMonitorEnter"),
        "{noted}"
    );
    let other = diff(&less, &more);
    let said = &other.stdout;
    assert_eq!(other.status.code(), Some(1), "{said}");
    assert!(said.contains(" in the handler of CLASS_LOAD"), "{said}");
    assert!(
        said.contains("- never in ") && said.contains("+ 4"),
        "{said}"
    );
    let (_run, foreign) = watched(compiler(), "d", "Hello");
    let foreign = xrun(
        Path::new("."),
        &[
            "trace",
            "diff",
            less.1.to_str().unwrap(),
            foreign.to_str().unwrap(),
        ],
    );
    let noted = &foreign.stderr;
    assert!(
        noted.contains("another agent: ") && noted.contains("libjvmpi_trace.so"),
        "{noted}"
    );
}

/// One JVM after the other, of one command: each has its recording. Those of an earlier
/// command are written over.
#[test]
fn consecutive_processes_have_recordings_of_their_own() {
    if xrun_tests::is_i386() {
        return not_run(
            "JDK 17/i586",
            "it runs the java with the compiler, of 64 bits",
        );
    }
    let library = fixture::native("asks_more");
    let folder = fixture::unique("consecutive");
    let java = |main: &str| {
        let classes = fixture::classes();
        let java = compiler().tool("java");
        format!("{} -cp {} {main}", java.display(), classes.display())
    };
    let line = format!("{}; {}", java("Hello"), java("Mon"));
    let agent = format!("-Xrun{}:less", library.display());
    for _ in 0..2 {
        let words = ["trace", "-o", "s.rec", &agent, "sh", "-c", &line];
        let output = xrun(&folder, &words);
        let said = &output.stderr;
        assert!(output.status.success(), "{said}");
        let (_, own) = said
            .split_once("another process has recorded there; this one does in ")
            .unwrap();
        let own = own.lines().next().unwrap();
        for (file, main) in [("s.rec", "Hello"), (own, "Mon")] {
            let dump = succeeds(&folder, &["trace", "dump", file]);
            assert!(
                dump.contains(&format!("class_name=\"{main}\"")),
                "{file}: {dump}"
            );
        }
        std::fs::remove_file(own).unwrap();
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn recordings_are_shown_counted_and_cut() {
    let (_run, file) = watched(compiler(), "run", "Hello");
    let folder = file.parent().unwrap();
    let dump = succeeds(folder, &["trace", "dump", "run.rec"]);
    let hello = dump
        .lines()
        .find(|line| line.contains("CLASS_LOAD ") && line.contains("class_name=\"Hello\""));
    assert!(hello.is_some_and(|line| line.contains("\"main\" \"([Ljava/lang/String;)V\"")));
    assert!(dump.contains("call EnableEvent event_type=THREAD_START arg=0 -> result=0"));
    let count = |event: &str| dump.matches(&format!(" {event} env=")).count();
    let stats = succeeds(folder, &["trace", "stats", "run.rec"]);
    for event in [
        "METHOD_ENTRY",
        "OBJECT_ALLOC",
        "THREAD_START",
        "CLASS_LOAD",
        "JVM_SHUT_DOWN",
    ] {
        let line = stats
            .lines()
            .find(|line| line.trim_start().ends_with(&format!("  {event}")));
        let number = line
            .unwrap_or_else(|| panic!("{event}\n{stats}"))
            .split_whitespace()
            .next();
        assert_eq!(number.unwrap(), count(event).to_string(), "{stats}");
    }
    let json = succeeds(folder, &["trace", "stats", "--json", "run.rec"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["events"]["THREAD_START"]["times"],
        count("THREAD_START")
    );
    assert!(
        json["threads"]
            .as_array()
            .is_some_and(|threads| !threads.is_empty())
    );
    let json = succeeds(
        folder,
        &[
            "trace",
            "dump",
            "--json",
            "--event",
            "THREAD_START",
            "run.rec",
        ],
    );
    assert_eq!(json.lines().count(), count("THREAD_START"));
    for line in json.lines() {
        assert!(
            line.starts_with("{\"nanos\":") && line.ends_with('}'),
            "{line}"
        );
        assert!(line.contains("\"event\":\"THREAD_START\""), "{line}");
    }
    succeeds(
        folder,
        &[
            "trace",
            "filter",
            "--event",
            "CLASS_LOAD",
            "-o",
            "part.rec",
            "run.rec",
        ],
    );
    let part = succeeds(folder, &["trace", "dump", "part.rec"]);
    assert_eq!(part.lines().count(), count("CLASS_LOAD"));
}

/// The process is killed: what was recorded until then is there.
#[test]
fn a_killed_process_leaves_a_recording() {
    product::agent("trace");
    let (java, file) = recorded(compiler(), "killed");
    let java = java.arg("-Xrunjvmpi_trace:file=/dev/null");
    let mut running = java.main("Dumped").start();
    running.wait_for_line("ready");
    running.signal("KILL");
    let run = running.finish();
    assert_eq!(run.code(), -9);
    let folder = file.parent().unwrap();
    let dump = succeeds(folder, &["trace", "dump", "killed.rec"]);
    assert!(dump.contains("class_name=\"Dumped\""));
    assert!(dump.contains(" JVM_INIT_DONE env="));
    assert!(!dump.contains(" JVM_SHUT_DOWN"));
}

/// Killed after many blocks were packed, in the middle of one: each call that the program had made
/// is there.
#[test]
fn a_process_that_is_killed_loses_no_call() {
    const ROUNDS: usize = 100_000;
    product::agent("counter");
    let (java, file) = recorded(compiler(), "endless");
    let java = java.arg("-Xrunjvmpi_counter:file=/dev/null");
    let mut running = java.main("Endless").limit(120).start();
    running.wait_for_line(&format!("rounds {ROUNDS} "));
    running.signal("KILL");
    let killed = running.finish();
    assert_eq!(killed.code(), -9);
    let folder = killed.folder();
    let packed = std::fs::read(&file).unwrap();
    let packed = packed
        .chunks_exact(4096)
        .filter(|page| page.starts_with(b"xrP1"));
    assert!(packed.count() > 10);
    let run = xrun(folder, &["trace", "stats", "endless.rec"]).exits(0);
    let entered = run.stdout.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let count = words.next()?.parse::<usize>().ok()?;
        (words.next() == Some("METHOD_ENTRY")).then_some(count)
    });
    // A round is three calls.
    assert!(entered.is_some_and(|count| count >= 3 * ROUNDS), "{run}");
    assert!(
        !run.stderr.contains("damaged") && !run.stderr.contains("missing"),
        "{run}"
    );
}

/// Nothing was recorded behind JVM_OnLoad, and the agent asks for more there: nobody else
/// will go on before it has returned.
#[test]
fn an_agent_may_ask_more_in_onload_than_was_recorded() {
    product::agent("trace");
    let library = fixture::native("early_end");
    let (java, file) = recorded(compiler(), "early");
    let java = java.library(&library).arg("-Xrunearly_end:die");
    let _run = java.main("Dumped").run().exits(7);
    let folder = file.parent().unwrap();
    let dump = succeeds(folder, &["trace", "dump", "early.rec"]);
    assert_eq!(dump.lines().count(), 1, "{dump}");
    for options in ["more", "wait"] {
        let spec = format!("{}:{options}", library.display());
        let output = xrun(folder, &["replay", "early.rec", "--agent", &spec]);
        let said = &output.stderr;
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert_eq!(&output.stdout, "loaded\n", "{said}");
        assert!(said.contains("not in the recording"), "{said}");
    }
}

/// The last thing that a thread does may be an event in which the recorded agent asked
/// nothing; the one that is played to asks.
#[test]
fn an_agent_may_ask_more_in_handlers_than_was_recorded() {
    let library = fixture::native("asks_more");
    let (java, file) = recorded(compiler(), "less");
    let java = java.library(&library).arg("-Xrunasks_more:less");
    let _run = java.main("Hello").run().exits(0);
    let folder = file.parent().unwrap();
    let spec = format!("{}:more", library.display());
    let output = ends_soon(folder, &["replay", "less.rec", "--agent", &spec]);
    let said = &output.stderr;
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("not in the recording"), "{said}");
    for trouble in ["left out", "not played"] {
        assert!(!said.contains(trouble), "{said}");
    }
}

/// Where the shim finds that an argument cannot be read, a replay does.
#[test]
fn nonsense_is_answered_in_a_replay() {
    let library = fixture::native("asks_more");
    let (java, file) = recorded(compiler(), "nonsense");
    let java = java.library(&library).arg("-Xrunasks_more:nonsense");
    let _run = java.main("Hello").run().exits(0);
    let agents = library.parent().unwrap().to_str().unwrap();
    let words = [
        "replay",
        "nonsense.rec",
        "--agents",
        agents,
        "--agent",
        "asks_more:nonsense",
    ];
    let output = ends_soon(file.parent().unwrap(), &words);
    let said = &output.stderr;
    assert!(output.status.success(), "{said}");
    for trouble in ["another place", "not in the recording", "left out"] {
        assert!(!said.contains(trouble), "{said}");
    }
}

/// What the agent reads of compiled code it reads in a replay, too.
#[test]
fn compiled_code_can_be_read_in_a_replay() {
    let library = fixture::native("code_bytes");
    let spec = |report: &str| format!("{}:{report}", library.display());
    each_jdk(|jdk| {
        let (java, file) = recorded(jdk, "code");
        let java = java.library(&library).arg("-Xruncode_bytes:code.txt");
        let run = java.arg("-Xcomp").arg("-XX:TieredStopAtLevel=1");
        let run = run.main("UnloadStorm 20").run().exits(0);
        succeeds(
            file.parent().unwrap(),
            &["replay", "code.rec", "--agent", &spec("again.txt")],
        );
        let (direct, again) = (run.file("code.txt"), run.file("again.txt"));
        assert!(direct.lines().count() > 200, "{direct}\n{run}");
        assert_eq!(direct.lines().count(), again.lines().count());
        assert_eq!(direct.lines().last(), again.lines().last());
        assert!(again.ends_with("of what was never loaded 0\n"), "{again}");
        // The VM patches code while it is recorded, and before it is read.
        let pairs = direct.lines().zip(again.lines());
        let same = pairs.filter(|(direct, again)| direct == again).count();
        assert!(same * 100 > direct.lines().count() * 90, "{jdk}: {same}");
    });
}

/// What format 1 has recorded is played; the code, which it does not have, is zeros.
#[test]
fn recordings_of_the_first_format_are_played() {
    let library = fixture::native("code_bytes");
    let folder = fixture::unique("format1");
    let old = workspace().join("tests/recordings/format1.rec");
    let old = old.to_str().unwrap();
    let spec = format!("{}:code.txt", library.display());
    succeeds(&folder, &["replay", old, "--agent", &spec]);
    let report = std::fs::read_to_string(folder.join("code.txt")).unwrap();
    let of_zeros = |line: &str| {
        let (size, hash) = line.split_once(" bytes: ")?;
        let zero = |hash: u64, _| hash.wrapping_mul(1_099_511_628_211);
        let zeros = (0..size.parse::<u32>().ok()?).fold(14_695_981_039_346_656_037, zero);
        Some(hash == format!("{zeros:x}"))
    };
    let zeros: Vec<_> = report.lines().filter_map(of_zeros).collect();
    assert_eq!(zeros, [true; 50], "{report}");
    assert!(
        report.ends_with("unloads 50, of what was never loaded 0\n"),
        "{report}"
    );
    let dump = succeeds(
        &folder,
        &["trace", "dump", "--event", "COMPILED_METHOD_LOAD", old],
    );
    assert_eq!(dump.matches(" code=<0 bytes ").count(), 50, "{dump}");
    // A part of it is of today's format, and the same.
    succeeds(&folder, &["trace", "filter", "-o", "new.rec", old]);
    let all = |file| succeeds(&folder, &["trace", "dump", file]);
    assert_eq!(all(old), all("new.rec"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// An agent may take longer in a handler than anybody waits for a lock.
#[test]
fn a_handler_that_sleeps_is_waited_for() {
    let library = fixture::native("sleeps");
    let (java, file) = recorded(compiler(), "sleeps");
    let java = java.library(&library).arg("-Xrunsleeps:0");
    let run = java.main("Hello").run().exits(0);
    let counted = |stdout: &str| {
        let line = stdout.lines().find(|line| line.starts_with("counted "));
        line.unwrap_or_else(|| panic!("{stdout}\n{run}")).to_owned()
    };
    // Longer than it took there.
    let spec = format!("{}:4000", library.display());
    let replayed = succeeds(
        file.parent().unwrap(),
        &["replay", "sleeps.rec", "--agent", &spec],
    );
    assert_eq!(counted(&replayed), counted(&run.stdout));
}

/// What was not played as it was is seen by the exit code.
#[test]
fn a_replay_that_is_not_exact_says_so_by_its_exit_code() {
    let library = fixture::native("asks_more");
    let (java, file) = recorded(compiler(), "less");
    let java = java.library(&library).arg("-Xrunasks_more:less");
    let _run = java.main("Hello").run().exits(0);
    for (options, code) in [("less", 0), ("more", 3)] {
        let spec = format!("{}:{options}", library.display());
        let output = xrun(
            file.parent().unwrap(),
            &["replay", "less.rec", "--agent", &spec],
        );
        assert_eq!(output.status.code(), Some(code), "{output}");
    }
}

/// A replay takes no memory for what lies before and behind what it plays, a comparison none for
/// what is the same.
#[test]
fn a_replay_needs_less_memory_than_its_recording() {
    let library = fixture::native("sleeps");
    let (java, file) = recorded(compiler(), "long");
    let java = java.library(&library).arg("-Xrunsleeps:0");
    let _run = java.main("Allocates 3000000").run().exits(0);
    let recording = std::fs::metadata(&file).unwrap().len();
    assert!(recording > 2 << 20, "{recording}");
    let agent = format!("{}:0", library.display());
    for words in [
        &["replay", "long.rec", "--agent", &agent][..],
        &["trace", "diff", "--all", "long.rec", "long.rec"],
    ] {
        let mut command = Command::new("sh");
        // Of memory that is not the file's: 64 MiB, with stacks and libraries.
        command.args(["-c", "ulimit -d 65536; exec \"$@\"", "sh"]);
        command.arg(product::xrun()).args(words);
        command.current_dir(file.parent().unwrap());
        let output = run::output(command, 60);
        assert_eq!(output.status.code(), Some(0), "{output}");
    }
}

/// What was recorded of one agent is played into all the others, whatever they make of it.
#[test]
fn other_agents_come_to_their_end() {
    let agents = [
        ("counter", product::agent("counter")),
        ("trace", product::agent("trace")),
        ("check", product::agent("check")),
        ("sampler", product::agent("sampler")),
        ("hprof", product::hprof()),
    ];
    for (name, _) in &agents {
        let (java, file) = recorded(compiler(), "run");
        let name = match *name {
            "hprof" => "hprof".to_owned(),
            name => format!("jvmpi_{name}"),
        };
        let java = java.arg(format!("-Xrun{name}:file=report.txt"));
        let _run = java.main("Hello").run().exits(0);
        for (_, other) in &agents {
            let spec = format!("{}:file=other.txt", other.display());
            let folder = file.parent().unwrap();
            let output = ends_soon(folder, &["replay", "run.rec", "--agent", &spec]);
            let said = &output.stderr;
            assert!(said.contains("events played"), "{name} into {spec}: {said}");
        }
    }
}

/// Runs xrun in a folder; it must end in less time than a wait for somebody who never comes, less what it waits
/// for a processor.
fn ends_soon(folder: &Path, words: &[&str]) -> Run {
    ends_within(20, folder, words)
}

#[test]
fn files_that_are_no_recordings_are_refused() {
    let folder = std::env::temp_dir();
    let own = product::xrun();
    let own = own.to_str().unwrap();
    for (words, part) in [
        (["trace", "dump", own].as_slice(), "not a recording"),
        (&["trace", "stats", "/dev/null"], "nothing was recorded"),
        (&["trace", "dump", "/no/such/file"], "No such file"),
        (&["replay", own], "not a recording"),
        (&["trace", "diff", own], "2 values required for '<A> <B>'"),
        (
            &["trace", "dump", "--event", "FOO", own],
            "has such an event",
        ),
    ] {
        let output = xrun(&folder, words);
        let said = &output.stderr;
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(
            said.contains(part) && said.lines().count() == 1,
            "{words:?}: {said}"
        );
    }
}

/// A recording of which a part is missing or nonsense, the same each time.
fn damaged(recording: &[u8], seed: u64) -> Vec<u8> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |end: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % end as u64) as usize
    };
    let mut file = recording.to_vec();
    match seed % 3 {
        0 => file.truncate(below(recording.len())),
        1 => {
            for _ in 0..=below(30) {
                file[below(recording.len())] = below(256) as u8;
            }
        }
        // Blocks whose checksums are right all the same: what they hold is read, whatever it is.
        _ => {
            let pages = recording.chunks_exact(4096).enumerate();
            let blocks = pages.filter(|(_, page)| page.starts_with(b"xrP1"));
            let blocks: Vec<_> = blocks.map(|(number, _)| number * 4096).collect();
            for _ in 0..=below(8) {
                let block = &mut file[blocks[below(blocks.len())]..];
                let (head, body) = block.split_at_mut(64);
                let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
                let body = &mut body[..length as usize];
                body[below(body.len())] = below(256) as u8;
                head[16..24].copy_from_slice(&recording_format::checksum(body).to_le_bytes());
            }
        }
    }
    file
}

/// Whatever is in a file: it ends soon, and not by a signal.
#[test]
fn damaged_recordings_are_read_and_played_as_far_as_they_go() {
    const MUTANTS: u64 = 12;
    for (agent, main) in [
        ("jvmpi_trace:file=/dev/null", "Hello"),
        ("hprof:heap=all,file=/dev/null", "Hello"),
        (
            "hprof:cpu=samples,kernel=n,monitor=y,file=/dev/null",
            "HprofLocks",
        ),
    ] {
        product::agent("trace");
        let (java, file) = recorded(compiler(), "run");
        let folder = file.parent().unwrap().to_owned();
        let _run = java.arg(format!("-Xrun{agent}")).main(main).run().exits(0);
        let whole = std::fs::read(&file).unwrap();
        for seed in 0..MUTANTS {
            std::fs::write(folder.join("part.rec"), damaged(&whole, seed)).unwrap();
            // Each is played, and read by one of the readers.
            let readers = [
                ["trace", "dump", "part.rec"].as_slice(),
                &["trace", "dump", "--json", "part.rec"],
                &["trace", "stats", "part.rec"],
                &[
                    "trace",
                    "filter",
                    "--call",
                    "GetCallTrace",
                    "-o",
                    "less.rec",
                    "part.rec",
                ],
                &["trace", "diff", "run.rec", "part.rec"],
                &["report", "part.rec"],
            ];
            for words in [
                &["replay", "part.rec"],
                readers[seed as usize % readers.len()],
            ] {
                let output = ends_soon(&folder, words);
                let said = &output.stderr;
                let code = output.status.code();
                assert!(
                    matches!(code, Some(0..=4)) && !said.contains("panicked"),
                    "{agent}, {words:?}, damage {seed}: {output}"
                );
            }
        }
    }
}

/// A file that cannot be made costs one line, not the program.
#[test]
fn no_room_for_a_recording() {
    product::agent("counter");
    let options = "trace=/no/such/folder/x.rec";
    let java = Java::of(compiler()).arg(agent_path(&product::shim(), options));
    let run = java
        .arg("-Xrunjvmpi_counter:file=/dev/null")
        .main("Hello")
        .run()
        .exits(0);
    assert_eq!(
        run.stderr.matches("nothing is recorded").count(),
        1,
        "{run}"
    );
}
