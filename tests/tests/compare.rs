//! `xrun compare`: faithful ports of five agents see what the agents saw; what spoilt ones do not is said,
//! with its cause. (Longer than others: half of it is the table of pairs.)

use std::path::Path;

use serde_json::Value;
use xrun_tests::fixture::{native, unique};
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if};
use xrun_tests::rounds::Rounds;
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{long, product};

/// An agent of `legacy-agents` and its port in `agents/ported.c`.
pub(crate) struct Pair {
    pub(crate) agent: &'static str,
    /// Its options.
    pub(crate) options: &'static str,
    /// Options of xrun with the old side.
    pub(crate) xrun: &'static [&'static str],
    /// The program's arguments.
    pub(crate) program: &'static str,
    /// Nouns that are compared, and equal with the faithful port.
    pub(crate) nouns: &'static [&'static str],
    /// Other ways to be faithful.
    pub(crate) variants: &'static [&'static str],
    pub(crate) spoilt: &'static [Spoilt],
}

/// What is wrong with a port, and what is said of it.
pub(crate) struct Spoilt {
    /// Words that `agents/ported.c` knows.
    how: &'static str,
    noun: &'static str,
    verdicts: &'static [&'static str],
    /// In the difference that is shown, if one is: the name, and how often.
    difference: Option<(&'static str, [&'static str; 2])>,
    /// A part of the most probable cause.
    cause: &'static str,
}

const fn spoilt(
    how: &'static str,
    noun: &'static str,
    verdicts: &'static [&'static str],
    cause: &'static str,
) -> Spoilt {
    Spoilt {
        how,
        noun,
        verdicts,
        difference: None,
        cause,
    }
}

const EQUAL: &[&str] = &["equal", "equal but"];
const MISSES: &[&str] = &["misses"];
const MORE: &[&str] = &["sees more"];
const NOT_COMPARED: &[&str] = &["not compared"];
const DIFFERS: &[&str] = &["differs"];

const PAIRS: [Pair; 5] = [
    Pair {
        agent: "counter",
        options: "",
        xrun: &[],
        program: "",
        nouns: &["threads started", "threads ended", "methods entered"],
        variants: &[],
        spoilt: &[
            Spoilt {
                difference: Some(("Reference Handler", ["1", "0"])),
                ..spoilt("no-threads", "threads started", MISSES, "GetAllThreads")
            },
            Spoilt {
                difference: Some(("Ported$Worker.run()V", ["3", "0"])),
                ..spoilt("one-thread", "methods entered", MISSES, "single threads")
            },
            Spoilt {
                difference: Some(("Ported$Item.clone()LPorted$Item;", ["300", "0"])),
                ..spoilt("late", "methods entered", MISSES, "after VMInit")
            },
            Spoilt {
                difference: Some(("Ported$Worker.run()V", ["3", "0"])),
                ..spoilt("filter", "methods entered", MISSES, "filter list")
            },
            spoilt(
                "no-capability",
                "methods entered",
                NOT_COMPARED,
                "MUST_POSSESS_CAPABILITY",
            ),
        ],
    },
    Pair {
        agent: "coverage",
        options: "",
        xrun: &["--set", "instructions=on", "--include", "Ported"],
        program: "",
        nouns: &["classes loaded", "instructions run"],
        variants: &[],
        spoilt: &[
            Spoilt {
                difference: Some(("Ported$Unlinked", ["0", "1"])),
                ..spoilt("class-load", "classes loaded", MORE, "ClassPrepare is what")
            },
            spoilt(
                "no-classes",
                "classes loaded",
                MISSES,
                "does not ask with GetLoadedClasses",
            ),
            Spoilt {
                ..spoilt("one-thread", "instructions run", MISSES, "single threads")
            },
        ],
    },
    Pair {
        agent: "dump",
        options: "at=end,",
        xrun: &[],
        program: "",
        nouns: &[
            "threads started",
            "classes loaded",
            "dumps",
            "dumped objects",
        ],
        variants: &[],
        spoilt: &[
            spoilt("no-walk", "dumps", MISSES, "FollowReferences"),
            Spoilt {
                difference: Some(("Ported$Garbage", ["0", "50"])),
                ..spoilt("iterate", "dumped objects", MORE, "garbage already")
            },
            Spoilt {
                difference: Some(("Ported$Item", ["40", "0"])),
                ..spoilt("one-level", "dumped objects", MISSES, "JVMTI_VISIT_OBJECTS")
            },
        ],
    },
    Pair {
        agent: "sampler",
        options: "interval=3,",
        xrun: &[],
        program: "3000",
        nouns: &[
            "threads started",
            "classes loaded",
            "samples by method",
            "samples by stack",
        ],
        variants: &["async"],
        spoilt: &[
            spoilt("waiting", "samples by method", DIFFERS, "threads that wait"),
            spoilt("one-level", "samples by stack", MISSES, "fewer frames"),
            spoilt("class-load", "classes loaded", MORE, "ClassPrepare is what"),
        ],
    },
    Pair {
        agent: "trace",
        // With a bracket's end, until which the agent has a lock.
        options: "none,+THREAD_START,+THREAD_END,+CLASS_LOAD,+OBJECT_ALLOC,+OBJECT_FREE,\
                  +METHOD_ENTRY,+METHOD_EXIT,+MONITOR_CONTENDED_ENTER,+MONITOR_CONTENDED_ENTERED,\
                  +MONITOR_WAIT,+MONITOR_WAITED,+GC_START,+GC_FINISH,",
        xrun: &[],
        program: "",
        nouns: &[
            "threads started",
            "threads ended",
            "classes loaded",
            "methods entered",
            "methods left",
            "objects born",
            "objects freed",
            "monitors contended",
            "waits begun",
            "waits ended",
            "collections",
        ],
        variants: &[],
        spoilt: &[
            Spoilt {
                difference: Some(("Ported$Item", ["601", "300"])),
                ..spoilt("by-vm", "objects born", MISSES, "VMObjectAlloc alone")
            },
            spoilt("interval", "objects born", MISSES, "one object in 512 KB"),
            spoilt("no-free", "objects freed", NOT_COMPARED, ""),
            spoilt("class-load", "classes loaded", MORE, "ClassPrepare is what"),
        ],
    },
];

/// `java … Ported` with these agents, recorded.
pub(crate) fn recorded(jdk: &Jdk, pair: &Pair, xrun: &[&str], agents: &[String]) -> Run {
    let java = Java::of(jdk).through(&product::xrun()).limit(120);
    let java = java.before(&["trace", "-o", "run.rec"]).before(xrun);
    let java = java.args(agents);
    java.main(&format!("Ported {}", pair.program))
        .run()
        .exits(0)
}

pub(crate) fn old_agent(pair: &Pair) -> String {
    format!("-Xrunjvmpi_{}:{}file=old.txt", pair.agent, pair.options)
}

fn port(pair: &Pair, how: &str) -> String {
    let options = format!("{},{how}", pair.agent);
    agent_path(&native("ported"), options.trim_end_matches(','))
}

fn compare(folder: &Path, words: &[&str]) -> Run {
    let mut command = product::xrun_command();
    command.arg("compare").args(words).current_dir(folder);
    run::output(command, 60)
}

/// What comes out for these runs.
fn compared(words: &[&str], runs: &[&Run]) -> (Run, Value) {
    let files: Vec<String> = runs
        .iter()
        .map(|run| run.folder().join("run.rec").display().to_string())
        .collect();
    let mut all = vec!["--format", "json"];
    all.extend(words);
    all.extend(files.iter().map(String::as_str));
    let said = compare(runs[0].folder(), &all);
    let found = serde_json::from_str(&said.stdout);
    let found = found.unwrap_or_else(|error| panic!("{error}: {said}"));
    (said, found)
}

/// The same, where the exit code is this one.
pub(crate) fn verdicts(words: &[&str], runs: &[&Run], code: i32) -> Value {
    let (said, found) = compared(words, runs);
    said.exits(code);
    found
}

pub(crate) fn noun<'a>(found: &'a Value, name: &str) -> &'a Value {
    let nouns = found["nouns"].as_array().unwrap();
    let it = nouns.iter().find(|it| it["noun"] == name);
    it.unwrap_or_else(|| panic!("no {name}: {found}"))
}

fn is(found: &Value, name: &str, verdicts: &[&str]) -> bool {
    verdicts.contains(&noun(found, name)["verdict"].as_str().unwrap())
}

#[track_caller]
pub(crate) fn assert_is(what: &str, found: &Value, name: &str, verdicts: &[&str]) {
    assert!(is(found, name, verdicts), "{what}, {name}: {found:#}");
}

/// Nothing but what is equal, and all of these nouns are.
fn is_faithful(found: &Value, nouns: &[&str]) -> bool {
    found["differs"] == false && nouns.iter().all(|name| is(found, name, EQUAL))
}

#[track_caller]
fn assert_faithful(what: &str, found: &Value, nouns: &[&str]) {
    assert!(is_faithful(found, nouns), "{what}: {found:#}");
}

fn assert_spoilt(what: &str, found: &Value, spoilt: &Spoilt) {
    let Spoilt { noun: name, .. } = spoilt;
    assert_is(what, found, name, spoilt.verdicts);
    let verdict = noun(found, name);
    let causes = verdict["causes"].to_string();
    assert!(causes.contains(spoilt.cause), "{what}: {verdict:#}");
    let Some((name, counts)) = spoilt.difference else {
        return;
    };
    let all = verdict["differences"].as_array().unwrap();
    let it = all.iter().find(|it| it["name"] == name);
    let it = it.unwrap_or_else(|| panic!("{what}: no {name}: {verdict:#}"));
    let shown = ["old", "new"].map(|side| it[side].as_str().unwrap());
    assert_eq!(shown, counts, "{what}: {name}");
}

/// What the issue of ports asks for: these JDKs.
pub(crate) fn is_wanted(jdk: &Jdk) -> Result<(), String> {
    let wanted = (jdk.major >= 17).then_some(());
    wanted.ok_or_else(|| "17 and later will do".to_owned())
}

/// What one pair has to say.
fn hold(jdk: &Jdk, pair: &Pair) {
    let old = recorded(jdk, pair, pair.xrun, &[old_agent(pair)]);
    let new = |how: &str| recorded(jdk, pair, &[], &[port(pair, how)]);
    for how in std::iter::once("").chain(pair.variants.iter().copied()) {
        let what = format!("{jdk}: {} {how}", pair.agent);
        let found = verdicts(&["--strict"], &[&old, &new(how)], 0);
        assert_faithful(&what, &found, pair.nouns);
    }
    for spoilt in pair.spoilt {
        let what = format!("{jdk}: {} {}", pair.agent, spoilt.how);
        let found = verdicts(&["--strict"], &[&old, &new(spoilt.how)], 3);
        assert_spoilt(&what, &found, spoilt);
    }
}

#[test]
fn counters() {
    each_jdk_if(is_wanted, |jdk| hold(jdk, &PAIRS[0]));
}

#[test]
fn coverage() {
    each_jdk_if(is_wanted, |jdk| hold(jdk, &PAIRS[1]));
}

#[test]
fn dumpers() {
    each_jdk_if(is_wanted, |jdk| hold(jdk, &PAIRS[2]));
}

#[test]
fn samplers() {
    each_jdk_if(is_wanted, |jdk| hold(jdk, &PAIRS[3]));
}

#[test]
fn tracers() {
    each_jdk_if(is_wanted, |jdk| hold(jdk, &PAIRS[4]));
}

/// The tag of a clone is lost in VMs from 21 on.
#[test]
fn a_clone_is_told_of_twice() {
    let has_both = |jdk: &Jdk| {
        let lost = (jdk.major >= 21).then_some(());
        lost.ok_or_else(|| "tags of clones stay".to_owned())
    };
    each_jdk_if(has_both, |jdk| {
        let pair = &PAIRS[4];
        let [old, new] = [old_agent(pair), port(pair, "twice")]
            .map(|agent| recorded(jdk, pair, pair.xrun, &[agent]));
        let twice = Spoilt {
            difference: Some(("Ported$Item", ["601", "901"])),
            ..spoilt("twice", "objects born", MORE, "leave VMObjectAlloc out")
        };
        let found = verdicts(&[], &[&old, &new], 3);
        assert_spoilt(&jdk.to_string(), &found, &twice);
    });
}

/// JVMTI alone tells of the end of the thread that calls System.exit, and of the frames of lambdas' classes.
#[test]
fn exit_and_lambdas() {
    each_jdk_if(is_wanted, |jdk| {
        for (pair, program) in [(&PAIRS[0], "exit"), (&PAIRS[3], "3000 lambda")] {
            let pair = Pair {
                program,
                variants: &[],
                spoilt: &[],
                ..*pair
            };
            hold(jdk, &pair);
            let (run, nouns) = in_one(jdk, &pair);
            let found = verdicts(&["--strict"], &[&run], 0);
            assert_faithful(&format!("{jdk}: {program} in one VM"), &found, &nouns);
        }
    });
}

/// A vendor's CI goes on with what is known.
#[test]
fn what_is_known_is_no_failure() {
    each_jdk_if(is_wanted, |jdk| {
        let pair = &PAIRS[0];
        let [old, new] = [old_agent(pair), port(pair, "no-threads")]
            .map(|agent| recorded(jdk, pair, pair.xrun, &[agent]));
        let recordings = [&old, &new].map(|run| run.folder().join("run.rec"));
        let recordings = recordings.each_ref().map(|file| file.to_str().unwrap());
        let held = |words: &[&str]| compare(old.folder(), &[words, &recordings].concat());
        let known = |lines: &str| {
            std::fs::write(old.folder().join("known.txt"), lines).unwrap();
            held(&[
                "--suppress",
                "known.txt",
                "--findings",
                "found.json",
                "--force",
            ])
        };
        held(&[]).exits(3);
        let said = known("# of ours\nthreads-started -- since 1.2\n").exits(0);
        let line = "threads-started is known to differ: since 1.2";
        assert!(said.stderr.contains(line), "{said}");
        assert!(said.stdout.contains("threads started"), "{said}");
        let found = std::fs::read_to_string(old.folder().join("found.json")).unwrap();
        let found: Value = serde_json::from_str(&found).unwrap();
        let run = &found["runs"][0];
        assert_eq!(run["exit_code"], 0, "{found:#}");
        assert_eq!(run["findings"][0]["suppressed"], "since 1.2", "{found:#}");
        let said = known("waits-begun -- since 1.2\n").exits(3);
        let line = "known.txt, line 1: waits-begun: nothing of it was found";
        assert!(said.stderr.contains(line), "{said}");
        let said = known("thread-started -- since 1.2\n").exits(2);
        assert!(
            said.stderr.contains("did you mean threads-started?"),
            "{said}"
        );
    });
}

/// Both in one VM: what has hooks there is compared where the VM's own events are the agent's.
fn in_one(jdk: &Jdk, pair: &Pair) -> (Run, Vec<&'static str>) {
    let exact = ["--set", "method-events=exact"];
    let xrun: Vec<&str> = pair.xrun.iter().copied().chain(exact).collect();
    let run = recorded(jdk, pair, &xrun, &[old_agent(pair), port(pair, "")]);
    let nouns = pair.nouns.iter().copied();
    (
        run,
        nouns.filter(|noun| *noun != "instructions run").collect(),
    )
}

#[test]
fn both_in_one_vm() {
    each_jdk_if(is_wanted, |jdk| {
        for pair in &PAIRS {
            let (run, nouns) = in_one(jdk, pair);
            let found = verdicts(&["--strict"], &[&run], 0);
            assert_faithful(&format!("{jdk}: {} in one VM", pair.agent), &found, &nouns);
        }
    });
}

/// A false alarm is one of many runs: so many there are with `./check --long`, in two VMs and in one. Those of this
/// build are counted, and go on where they were stopped. On a busy machine a sampler may have taken too
/// few stacks for any verdict: that comparison is made again, if that does not become the rule.
#[test]
fn faithful_ports_raise_no_alarm() {
    const ROUNDS: usize = 50;
    const VERDICTS: [&str; 3] = ["equal", "no verdict", "ALARM"];
    if !long() {
        return;
    }
    each_jdk_if(is_wanted, |jdk| {
        let agents = PAIRS.iter().map(|pair| product::agent(pair.agent));
        let agents: Vec<_> = agents.chain([native("ported")]).collect();
        let mut done = Rounds::of("faithful_ports", &agents);
        let parts = format!("{} ", jdk.major);
        for round in 1..=ROUNDS {
            for (pair, vms) in PAIRS.iter().flat_map(|pair| [(pair, 2), (pair, 1)]) {
                let part = format!("{parts}{} in {vms}", pair.agent);
                let is_done = |done: &Rounds| {
                    done.count(&part, VERDICTS[0]) + done.count(&part, VERDICTS[2]) >= round
                };
                let mut tries = 0;
                while !is_done(&done) {
                    assert!(
                        tries < 10,
                        "{jdk}: {part}: too busy for a verdict, {tries} times"
                    );
                    tries += 1;
                    let (verdict, text) = faithful(jdk, pair, vms);
                    done.add(&part, VERDICTS[verdict as usize]);
                    if let Some(text) = text {
                        println!("{jdk}: {part}, round {round}: {text}");
                    }
                }
            }
            let [equal, without, alarms] = VERDICTS.map(|it| done.count_all(&parts, it));
            println!(
                "{jdk}: {round} rounds, {equal} equal, {without} without a verdict, {alarms} alarms"
            );
        }
        let [equal, without, alarms] = VERDICTS.map(|it| done.count_others(&parts, it));
        println!(
            "{jdk}: with {} other builds {equal} equal, {without} without a verdict, {alarms} alarms",
            done.other_builds(&parts)
        );
        let [equal, without, alarms] = VERDICTS.map(|it| done.count_all(&parts, it));
        let file = done.file().display();
        assert_eq!(
            alarms, 0,
            "{jdk}: alarms in {file}: what was said then names the recordings"
        );
        let held = equal + without + alarms;
        assert!(
            without * 2 < held,
            "{jdk}: {without} of {held} without a verdict, in {file}"
        );
    });
}

/// What came of one comparison of a faithful port.
#[derive(Clone, Copy)]
enum Faithful {
    Equal,
    NoVerdict,
    Alarm,
}

/// With what was said, if that is an alarm; its recordings are kept.
fn faithful(jdk: &Jdk, pair: &Pair, vms: usize) -> (Faithful, Option<String>) {
    let (runs, nouns) = if vms == 1 {
        let (both, nouns) = in_one(jdk, pair);
        (vec![both], nouns)
    } else {
        let sides = [(pair.xrun, old_agent(pair)), (&[], port(pair, ""))];
        let runs = sides.map(|(xrun, agent)| recorded(jdk, pair, xrun, &[agent]));
        (runs.into(), pair.nouns.to_vec())
    };
    let (said, found) = compared(&["--strict"], &runs.iter().collect::<Vec<_>>());
    said.exits(if found["differs"] == true { 3 } else { 0 });
    if is_faithful(&found, &nouns) {
        return (Faithful::Equal, None);
    }
    let has_too_few = pair.agent == "sampler"
        && is(&found, "samples by method", NOT_COMPARED)
        && found["differs"] == false;
    if has_too_few {
        return (Faithful::NoVerdict, None);
    }
    let kept = unique("alarm");
    for (number, run) in runs.iter().enumerate() {
        let to = kept.join(format!("{number}.rec"));
        std::fs::copy(run.folder().join("run.rec"), to).unwrap();
    }
    let text = format!("recordings in {}: {found:#}", kept.display());
    (Faithful::Alarm, Some(text))
}

/// For people and for CI.
#[test]
fn as_a_page_and_as_junit() {
    each_jdk(|jdk| {
        let pair = &PAIRS[0];
        let run = recorded(jdk, pair, &[], &[old_agent(pair), port(pair, "")]);
        let said = compare(run.folder(), &["-o", "page.html", "run.rec"]).exits(0);
        for line in [
            "threads started             equal",
            "methods entered             not compared: the hooks of the one",
            "objects born                not compared: neither agent has enabled OBJECT_ALLOC",
        ] {
            assert!(said.stdout.contains(line), "no {line}: {said}\n{run}");
        }
        let page = std::fs::read_to_string(run.folder().join("page.html")).unwrap();
        assert!(page.contains("<h2>threads started</h2>"), "{page}");
        let said = compare(run.folder(), &["--format", "junit", "run.rec"]).exits(0);
        for part in [
            "<testsuite name=\"xrun.compare\" ",
            "failures=\"0\"",
            "name=\"threads-started: threads of the program",
        ] {
            assert!(said.stdout.contains(part), "no {part}: {said}");
        }
        let blind = recorded(jdk, pair, &[], &[port(pair, "no-threads")]);
        let blind = blind.folder().join("run.rec").display().to_string();
        let said = compare(run.folder(), &["--format", "junit", "run.rec", &blind]).exits(3);
        assert!(
            said.stdout
                .contains("<failure message=\"misses 1 of 1 `Finalizer` and 1 other"),
            "{said}"
        );
    });
}

/// One line each, which says what to do; exit code 2.
#[test]
fn what_cannot_be_compared_is_refused() {
    each_jdk(|jdk| {
        let pair = &PAIRS[0];
        let run = recorded(jdk, pair, &[], &[port(pair, "no-capability")]);
        let refused = |words: &[&str], text: &str| {
            let said = compare(run.folder(), words).exits(2);
            assert!(
                said.stderr.contains(text) && said.stderr.lines().count() == 1,
                "{said}"
            );
            assert_eq!(said.stdout, "", "{said}");
        };
        refused(
            &["run.rec"],
            "run.rec: there is no agent that speaks JVMPI in it: record",
        );
        refused(&["none.rec", "run.rec"], "none.rec: No such file");
        // Twice is once.
        refused(
            &["--force", "--force", "none.rec", "run.rec"],
            "No such file",
        );
        refused(&["--format", "xml", "run.rec"], "text, json and junit");
        refused(&["a", "b", "c"], "xrun help compare says more");
        std::fs::write(run.folder().join("page.html"), "mine").unwrap();
        refused(&["-o", "page.html", "run.rec"], "--force replaces it");
        let cut = std::fs::read(run.folder().join("run.rec")).unwrap();
        std::fs::write(run.folder().join("cut.rec"), &cut[..100]).unwrap();
        refused(&["cut.rec", "run.rec"], "cut.rec: ");
    });
}
