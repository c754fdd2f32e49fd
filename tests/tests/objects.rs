//! Objects, arenas and collections, on every JDK and collector: the agent `check`
//! judges every event, and what it counted is what the programs counted.
//!
//! Longer than most: all of it is one case, run and judged in the same way.

use std::fmt::{Debug, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use event_translate::internals::NEWEST_KNOWN_JDK;
use xrun_tests::census::{Judgement, Said, histogram};
use xrun_tests::collector::{Collector, dealt, each_collector, rotated};
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if, not_run};
use xrun_tests::long_run::{amount, tell};
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{self, Java, Run};
use xrun_tests::{fixture, is_i386, long, product};

/// A run of a program with the agent `check` beside it, as somebody asked for it.
struct Case<'case> {
    jdk: &'case Jdk,
    collector: Collector,
    /// MB.
    heap: u32,
    /// Of the shim: `arenas=two-space` say.
    shim: &'case str,
    /// Of the agent.
    check: &'case str,
    /// Of the VM.
    vm: &'case [&'case str],
    /// Seconds, on a machine with nothing else to do.
    takes: u64,
}

impl<'case> Case<'case> {
    fn of(jdk: &'case Jdk, collector: &Collector) -> Self {
        Self {
            jdk,
            collector: *collector,
            heap: 256,
            shim: "",
            check: "",
            vm: &[],
            takes: 10,
        }
    }

    /// The command line but for the program.
    fn java(&self) -> Java {
        product::agent("check");
        let mut options = "file=check.txt,classes=".to_owned();
        if !self.check.is_empty() {
            let _ = write!(options, ",{}", self.check);
        }
        self.collector
            .on(Java::with_shim(self.jdk), self.jdk, self.heap)
            .env("JVMPI_OPTIONS", self.shim)
            .args(self.vm)
            .arg(format!("-Xrunjvmpi_check:{options}"))
            // A loaded machine may be ten times slower; a hang lasts for ever.
            .limit(30 + 10 * self.takes)
    }

    /// Runs it. It ends well and the agent found nothing.
    fn run(&self, main: &str) -> Judged {
        Judged::of(self, self.java().main(main).run().exits(0))
    }

    /// Runs `AllocStorm THREADS MILLISms WORDS`; the agent counts right and sees it collect.
    /// While collections are forbidden half of the time and the machine has more to do, a
    /// concurrent collector may end none in seconds (at load 9 in 7 of 341 runs of 1.5 s):
    /// that run is made once more, ten times as long.
    fn collecting_storm(&mut self, threads: u32, millis: u64, words: &str) -> Judged {
        let mut stormed = |millis: u64| {
            self.takes = millis / 1000 + 5;
            self.run(&format!("AllocStorm {threads} {millis}ms {words}"))
        };
        let mut judged = stormed(millis);
        if !judged.has_collected() {
            judged.counts();
            judged = stormed(10 * millis);
        }
        judged.counts().collections();
        judged
    }
}

/// What came of it.
struct Judged {
    run: Run,
    said: Said,
    judgement: Judgement,
    what: String,
}

impl Judged {
    fn of(case: &Case<'_>, run: Run) -> Self {
        let judgement = Judgement::read(&run.file("check.txt"));
        let what = format!(
            "{}, {}, shim `{}`, check `{}`",
            case.jdk, case.collector, case.shim, case.check
        );
        assert_eq!(
            judgement.violations,
            Some(0),
            "{what}\n{}\n{run}",
            judgement.head()
        );
        Self {
            said: Said::read(&run.stdout),
            run,
            judgement,
            what,
        }
    }

    fn number(&self, line: &str, key: &str) -> u64 {
        self.judgement.number(line, key)
    }

    fn is_complete(&self) -> bool {
        self.judgement.miscounted(&self.said).is_empty()
    }

    /// OBJECT_ALLOC for each object that the program made, and for no other.
    fn counts(&self) -> &Self {
        assert!(!self.said.made.is_empty(), "{}", self.run);
        self.agree(&self.judgement.miscounted(&self.said))
    }

    /// OBJECT_FREE for each that died, and for no other.
    fn lives(&self) -> &Self {
        assert!(!self.said.live.is_empty(), "{}", self.run);
        self.agree(&self.judgement.misjudged_live(&self.said.live))
    }

    /// Brackets, and the dead that they told of.
    fn collected(&self) -> (u64, u64) {
        (
            self.number("brackets", "brackets"),
            self.number("objects", "free"),
        )
    }

    fn has_collected(&self) -> bool {
        let (brackets, frees) = self.collected();
        brackets > 0 && frees > 0
    }

    /// The agent saw collections, and in them the dead.
    fn collections(&self) -> &Self {
        let (brackets, frees) = self.collected();
        assert!(
            self.has_collected(),
            "{}: {brackets} brackets, {frees} frees\n{}\n{}",
            self.what,
            self.judgement.head(),
            self.run
        );
        self
    }

    fn agree(&self, wrong: &[String]) -> &Self {
        assert!(
            wrong.is_empty(),
            "{}:\n{}\n{}\n{}",
            self.what,
            wrong.join("\n"),
            self.judgement.head(),
            self.run
        );
        self
    }
}

/// Runs the check for each case that is dealt to this JDK, with its number; all of them,
/// before it fails.
fn each_case<T: Copy + Debug>(jdk: &Jdk, cases: &[T], check: impl Fn(usize, T)) {
    let mut failed = Vec::new();
    for (number, case) in dealt(jdk, cases) {
        if catch_unwind(AssertUnwindSafe(|| check(number, case))).is_err() {
            failed.push(case);
        }
    }
    assert!(
        failed.is_empty(),
        "failed: {failed:?}; what went wrong stands above"
    );
}

// ---- births -----------------------------------------------------------------

/// One thread, and several at once: N allocations by every path are N events.
#[test]
fn every_path_of_allocation_is_counted() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            Case::of(jdk, collector)
                .run("AllocPaths 3 1000")
                .counts()
                .collections();
        });
    });
}

#[test]
fn every_path_on_one_thread() {
    each_jdk(|jdk| {
        each_case(jdk, &["500", "12000"], |number, rounds| {
            Case::of(jdk, &rotated(jdk, number))
                .run(&format!("AllocPaths 1 {rounds}"))
                .counts();
        });
    });
}

/// In the interpreter and in code of C1 other functions of the VM allocate: there
/// a clone loses its tag (JVMTI facts 3).
#[test]
fn every_path_without_the_compilers() {
    // All references of a VM of 32 bits are as wide as its words: it has no such option.
    let wide: &[&str] = match is_i386() {
        true => &["-XX:-UsePerfData"],
        false => &["-XX:-UsePerfData", "-XX:-UseCompressedOops"],
    };
    each_jdk(|jdk| {
        each_case(
            jdk,
            &[
                &["-Xint"] as &[&str],
                &["-XX:TieredStopAtLevel=1"],
                &["-XX:-UseTLAB"],
                wide,
            ],
            |number, vm| {
                let mut case = Case::of(jdk, &rotated(jdk, number));
                case.vm = vm;
                case.run("AllocPaths 2 1000").counts();
            },
        );
    });
}

/// NewObject, AllocObject, NewObjectArray, and references by JNI.
#[test]
fn jni_allocates_and_refers() {
    each_jdk(|jdk| {
        let library = fixture::native("refs");
        let case = Case::of(jdk, &rotated(jdk, 0));
        let java = case.java().natives(jdk, &library).main("Refs 4 2000");
        let judged = Judged::of(&case, java.run().exits(0));
        judged.counts();
        assert!(judged.run.stdout.ends_with("done\n"), "{}", judged.run);
    });
}

/// Each reference of a native has its events, on its thread, with its object.
#[test]
fn references_by_jni() {
    each_jdk(|jdk| {
        for shim in ["", "arenas=two-space,ids=renumber"] {
            let run = Java::with_helper(jdk, "refs", "")
                .env("JVMPI_OPTIONS", shim)
                .arg("-Xcheck:jni")
                .main("Refs 4 2000")
                .run()
                .exits(0);
            assert!(run.stdout.ends_with("done\n"), "{run}");
            assert!(!run.stdout.contains("left"), "{run}");
            assert_checks(&run.file("report.txt"), 12);
        }
    });
}

/// Who is a monitor has the id that it was born with, and it dies once; only objects of its class get tags for it.
#[test]
fn monitors_are_found_class_by_class() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let java = Java::with_helper(jdk, "sought", "");
            let java = java.env("JVMPI_OPTIONS", "log=info").arg("-Xcheck:jni");
            let run = collector.on(java, jdk, 256).main("Sought").run();
            let run = run.exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 2);
            if i64::from(jdk.major) <= i64::from(NEWEST_KNOWN_JDK) {
                let found = "objects of one more class are asked for their ids: ";
                let classes = run.stderr.matches(found).count();
                assert!(classes >= 4, "{run}");
                assert!(!run.stderr.contains(" objects are asked for"), "{run}");
            }
        });
    });
}

/// Brackets at odd moments of a run, and threads that end in them.
#[test]
fn brackets_at_odd_moments() {
    each_jdk(|jdk| {
        for number in 0..2 {
            let collector = rotated(jdk, number);
            let stops = collector.stops_the_world();
            let options = if stops { "stw" } else { "" };
            let java = collector.on(Java::with_helper(jdk, "brackets", options), jdk, 64);
            let run = java.main("Brackets").limit(120).run().exits(0);
            assert_eq!(run.stdout, "done 1337\n", "{run}");
            assert_checks(&run.file("report.txt"), 22 + usize::from(stops));
        }
    });
}

/// What GC_START and GC_FINISH switch for each other: the count of objects and the deaths come all the same.
#[test]
fn the_ends_of_brackets_switch_events() {
    each_jdk(|jdk| {
        let collector = rotated(jdk, 0);
        for what in ["finish", "alloc", "gc"] {
            let java = Java::with_helper(jdk, "bracket_switches", what);
            let run = collector.on(java, jdk, 64).limit(120);
            let run = run.main("AllocStorm 2 3000").run().exits(0);
            assert_checks(&run.file("report.txt"), 4);
        }
    });
}

/// Enabled for two parts of a run only: all that is allocated there, and nothing
/// of the rest.
#[test]
fn a_part_of_a_run() {
    each_jdk(|jdk| {
        for number in 0..2 {
            let collector = rotated(jdk, number);
            let java = collector.on(Java::with_helper(jdk, "partial", ""), jdk, 128);
            let run = java.main("PartialAlloc 3 20000").limit(120).run().exits(0);
            let report = run.file("report.txt");
            assert_checks(&report, 10);
            let phase = |name: &str| {
                let begin = format!("PHASE PartialAlloc$Phase{name} ");
                let line = report.lines().find(|line| line.starts_with(&begin));
                line.and_then(|line| field(line, "allocs")?.parse().ok())
                    .unwrap_or(0)
            };
            let phases: Vec<u64> = ["A", "B", "C", "D", "E"].map(phase).into();
            assert_eq!(
                phases,
                [0, 60_000, 0, 60_000, 0],
                "{jdk}, {collector}\n{report}\n{run}"
            );
        }
    });
}

/// The time counts, and not how often the worker was woken by collections: to switch allocations on again costs one.
#[test]
fn births_end_after_some_seconds_without_wishes() {
    let one_of_two = |jdk: &Jdk| match jdk.major {
        11 | 25 => Ok(()),
        _ => Err("tried on 11 and 25".to_owned()),
    };
    each_jdk_if(one_of_two, |jdk| {
        let java = Java::with_helper(jdk, "idle_births", "");
        let java = java.env("JVMPI_OPTIONS", "log=info");
        let run = java.main("IdleBirths").limit(120).run().exits(0);
        let report = run.file("report.txt");
        assert_checks(&report, 14);
        let ends = run.stderr.matches("the VM no longer reports them").count();
        assert!(ends == 1 || report.contains("ok stalled"), "{run}");
    });
}

// ---- deaths -----------------------------------------------------------------

/// Eight threads, garbage and survivors, collections all the time.
#[test]
fn storm() {
    let rounds = if long() { 20_000 } else { 120 };
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let mut case = Case::of(jdk, collector);
            case.heap = 24;
            case.takes = if long() { 240 } else { 10 };
            let main = format!("AllocStorm 8 {rounds} hash");
            let mut judged = case.run(&main);
            // MATRIX.md: JDK 11 has been seen to lose a few, once in hundreds of runs. What
            // is lost for a reason of ours is lost again.
            if jdk.major == 11 && !judged.is_complete() {
                judged = case.run(&main);
            }
            judged.counts().lives().collections();
        });
    });
}

/// What is left for the agent is what the program holds, and what the VM itself
/// counts.
#[test]
fn live_set_is_that_of_a_histogram() {
    each_jdk(|jdk| {
        let jcmd = jdk.tool("jcmd");
        if !jcmd.is_file() {
            not_run(
                &format!("JDK {}", jdk.major),
                "no jcmd: no histogram to compare with",
            );
        }
        each_collector(jdk, |collector| {
            let case = Case::of(jdk, collector);
            let java = case.java().main("LiveSet end");
            let end = java.file("end");
            let mut running = java.start();
            running.wait_for_line("ready");
            let shown = jcmd.is_file().then(|| {
                let mut command = Command::new(&jcmd);
                command
                    .env_remove("JAVA_TOOL_OPTIONS")
                    .args([&running.pid().to_string(), "GC.class_histogram"]);
                histogram(&run::output(command, 240).exits(0).stdout, "LiveSet$")
            });
            std::fs::write(end, "").unwrap();
            let judged = Judged::of(&case, running.finish().exits(0));
            judged.counts().lives();
            if let Some(shown) = shown {
                assert!(shown.len() >= 6, "{shown:?}");
                judged.agree(&judged.judgement.misjudged_live(&shown));
            }
        });
    });
}

/// Classes that die, with their objects and arrays; 4000 of them (10 000 with XRUN_LONG) on one
/// collector of each JDK.
#[test]
fn classes_are_unloaded() {
    each_jdk(|jdk| {
        let most = rotated(jdk, 1).name;
        each_collector(jdk, |collector| {
            let all = if long() { 10_000 } else { 4000 };
            let classes = if collector.name == most {
                all
            } else {
                all / 10
            };
            let mut case = Case::of(jdk, collector);
            case.heap = 64;
            case.takes = 20;
            let judged = case.run(&format!("UnloadStorm {classes}"));
            assert_eq!(
                judged.run.stdout,
                format!("LOADED {classes}\n"),
                "{}",
                judged.run
            );
            let objects = judged.judgement.of("UnloadStorm$T0*");
            // An object and an array of each.
            assert_eq!(objects.allocs, 2 * classes, "{}", judged.judgement.head());
            if collector.unloads_classes(jdk) {
                assert_eq!(
                    objects.frees,
                    objects.allocs,
                    "{}: {objects:?}\n{}",
                    judged.what,
                    judged.judgement.head()
                );
                let unloads = judged.number("classes", "unload");
                assert!(
                    unloads >= classes,
                    "{}: {unloads} of {classes} unloaded\n{}",
                    judged.what,
                    judged.judgement.head()
                );
            }
        });
    });
}

// ---- models -----------------------------------------------------------------

const MODELS: [&str; 6] = [
    "hotspot",
    "mark-sweep",
    "mark-compact",
    "two-space",
    "generational",
    "reference-counting",
];

fn models(ids: &str) {
    each_jdk(|jdk| {
        each_case(jdk, &MODELS, |number, model| {
            let shim = format!("arenas={model},ids={ids}");
            let mut case = Case::of(jdk, &rotated(jdk, number));
            case.heap = 32;
            case.shim = &shim;
            case.check = "ask=50";
            let judged = case.run("AllocStorm 4 100 gc hash");
            judged.counts().lives();
            assert!(
                judged.number("brackets", "brackets") > 0,
                "{}",
                judged.judgement.head()
            );
        });
    });
}

/// Every model of arenas keeps its grammar.
#[test]
fn arenas() {
    models("stable");
}

/// Likewise where objects that move get new ids.
#[test]
fn arenas_with_new_ids() {
    models("renumber");
}

/// Classes die in every model.
#[test]
fn arenas_and_unloading() {
    each_jdk(|jdk| {
        each_case(
            jdk,
            &[
                "arenas=two-space,ids=renumber",
                "arenas=generational,ids=renumber",
                "arenas=mark-compact,ids=renumber",
            ],
            |number, shim| {
                let mut case = Case::of(jdk, &rotated(jdk, number));
                case.heap = 64;
                case.shim = shim;
                case.takes = 15;
                case.run("UnloadStorm 500");
            },
        );
    });
}

// ---- functions --------------------------------------------------------------

/// Agents that ask, take locks, collect and forbid collections beside it all.
#[test]
fn agents_that_do_more_than_listen() {
    each_jdk(|jdk| {
        each_case(
            jdk,
            &[
                "lock",
                "ask=100",
                "disablegc=50",
                "rungc=300",
                "lock,ask=100,disablegc=200,rungc=300,trace=4",
            ],
            |number, check| {
                let mut case = Case::of(jdk, &rotated(jdk, number));
                case.heap = 48;
                case.check = check;
                let judged = case.collecting_storm(4, 800, "stacks churn hash");
                // Who forbids collections when the program ends hears of no more.
                if !check.contains("disablegc") {
                    judged.lives();
                }
            },
        );
    });
}

/// Only some of the events, as real agents have it.
#[test]
fn agents_that_want_less() {
    each_jdk(|jdk| {
        each_case(
            jdk,
            &[
                "only=GC_START+GC_FINISH",
                "only=OBJECT_ALLOC",
                "only=OBJECT_ALLOC+OBJECT_FREE+GC_START+GC_FINISH",
                "only=OBJECT_FREE+GC_START+GC_FINISH+THREAD_START+THREAD_END",
                "without=CLASS_LOAD+CLASS_UNLOAD",
                "without=THREAD_START+THREAD_END",
            ],
            |number, check| {
                let mut case = Case::of(jdk, &rotated(jdk, number));
                case.heap = 32;
                case.check = check;
                case.run("AllocStorm 3 100 gc churn");
            },
        );
    });
}

/// Round trips, kinds, nonsense, stale ids, RunGC and DisableGC: the checks stand
/// in `agents/fn_objects.c`.
#[test]
fn objects_by_request() {
    each_jdk(|jdk| {
        each_case(
            jdk,
            &[
                ("", ""),
                ("renumber", "arenas=mark-compact,ids=renumber"),
                ("renumber", "arenas=two-space,ids=renumber"),
                ("", "arenas=generational"),
            ],
            |number, (options, shim)| {
                let collector = rotated(jdk, number);
                let immortal = if collector.unloads_classes(jdk) {
                    ""
                } else {
                    ",immortal"
                };
                let options = format!("{options}{immortal}");
                let java = collector.on(Java::with_helper(jdk, "fn_objects", &options), jdk, 64);
                let run = java
                    .env("JVMPI_OPTIONS", shim)
                    .arg("-Xcheck:jni")
                    .main("Objects")
                    .limit(180)
                    .run();
                eprintln!("{jdk}, {collector}, {shim}");
                let report = run.file("report.txt");
                assert!(!report.contains("FAIL"), "{report}\n{run}");
                run.exits(0).says("done\n");
                assert!(report.ends_with("ok the end\n"), "{report}");
            },
        );
    });
}

/// What the VM fills gaps in its heap with is no object: the replay told of arrays of references whose elements' class was
/// `int`, and the VM ended with SIGSEGV when the record of one was asked for.
#[test]
fn gaps_are_no_objects() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let java = Java::with_helper(jdk, "gaps", "");
            let run = collector.on(java, jdk, 64).main("Hello").run();
            eprintln!("{jdk}, {collector}");
            assert_checks(&run.exits(0).file("report.txt"), 4);
        });
    });
}

/// Who has lived for long is asked for its id: the ids are those of OBJECT_ALLOC, before and after
/// the VM was first asked for any, and who dies has the id it was born with.
#[test]
fn ids_that_are_asked_for_late() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let java = Java::with_helper(jdk, "births", "").arg("-Xcheck:jni");
            let run = collector.on(java, jdk, 64).main("Births").run();
            eprintln!("{jdk}, {collector}");
            let run = run.exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 6);
        });
        let java = Java::with_helper(jdk, "births", "");
        let java = java.env("JVMPI_OPTIONS", "log=info,without=weak-slots");
        let run = java.main("Births").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 6);
        assert!(
            run.stderr.contains("not used of this VM: weak-slots"),
            "{run}"
        );
    });
}

// ---- hangs ------------------------------------------------------------------

/// Safepoints all the time, threads that come and go, RunGC from a thread of the
/// agent: what found the hang of a forced flush (JVMTI facts 4). 30 s in all, or
/// 5 min for each JDK and collector; an hour by `tests/long.sh hangs`.
#[test]
fn nothing_hangs() {
    let millis = if long() { 1000 * amount(300) } else { 1500 };
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let mut case = Case::of(jdk, collector);
            case.heap = 48;
            case.check = "rungc=50,disablegc=150";
            case.collecting_storm(3, millis, "stacks churn");
            tell(Some(jdk), millis / 1000, &collector.to_string());
        });
    });
}

/// Programs that do a bit of everything, or end in some way of their own.
#[test]
fn ordinary_programs() {
    each_jdk(|jdk| {
        each_case(
            jdk,
            &[
                ("Hello", 0),
                ("Mon", 0),
                ("Busy", 0),
                ("Churn 500 classes", 0),
                ("Plain", 0),
                ("Plain exit", 3),
                ("Plain daemon", 0),
                ("Plain exit-elsewhere", 5),
                ("Plain throw", 1),
            ],
            |number, (main, code)| {
                let mut case = Case::of(jdk, &rotated(jdk, number));
                case.vm = &["-Xcheck:jni"];
                let without = case.collector.on(Java::of(jdk), jdk, case.heap);
                let without = without.args(case.vm).main(main).run().exits(code).stdout;
                let run = case.java().main(main).run().exits(code);
                let judged = Judged::of(&case, run);
                assert_eq!(judged.run.stdout, without, "{}", judged.run);
            },
        );
    });
}
