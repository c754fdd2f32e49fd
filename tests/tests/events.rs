//! The events: what comes, how often, in which order.
//! Longer than most: each test is short, and there is one for each thing that can be said of an event.

use std::collections::{HashMap, HashSet};
use std::process::Command;

use xrun_tests::fixture::program;
use xrun_tests::jdk::{compiler, each_jdk};
use xrun_tests::product;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{self, Java, Run};

/// The lines of agent `order`, which is told what to enable.
fn lines(run: &Run) -> Vec<String> {
    run.file("report.txt").lines().map(str::to_owned).collect()
}

fn starts_with(lines: &[String], word: &str) -> Vec<usize> {
    lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with(word))
        .map(|(at, _)| at)
        .collect()
}

fn word<'line>(line: &'line str, key: &str) -> &'line str {
    field(line, key).unwrap_or_else(|| panic!("no {key} in `{line}`"))
}

/// Every class once: boot, hidden, lambda, proxy and array classes, one that was
/// named before it was prepared, 500 from five threads at once. The agent checks
/// against JVMTI's own list. And primitive ones, which are in no list, when they are named.
#[test]
fn class_load_once_per_class() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "loads", "")
            .arg("-Xcheck:jni")
            .main("Loads")
            .run()
            .exits(0);
        let run = run.says("lambda 2.5 7 3\n2 1\ndone\n");
        assert_checks(&run.file("report.txt"), 35);
    });
}

/// The same on the VM's own log: whatever it says it loaded has its event.
#[test]
fn class_load_of_all_that_the_vm_logs() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "order", "c")
            .arg("-Xlog:class+load:file=loaded.txt:none")
            .main("Plain");
        let run = java.run().exits(0);
        let log = run.file("loaded.txt");
        let events: HashMap<String, usize> = lines(&run)
            .iter()
            .filter(|line| line.starts_with("CLASS_LOAD"))
            .map(|line| line.split_once(" name=").expect("a name").1.to_owned())
            .fold(HashMap::new(), |mut counts, name| {
                *counts.entry(name).or_default() += 1;
                counts
            });
        let logged: HashSet<&str> = log
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert!(logged.len() > 350, "{log}");
        // The log has classes that are loaded, events come for those prepared: all
        // events are in the log, and all that the program loaded is in the events.
        let unknown: Vec<&String> = events
            .keys()
            .filter(|name| {
                !name.starts_with('[') && !name.contains('/') && !logged.contains(name.as_str())
            })
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        for name in [
            "java.lang.Object",
            "java.lang.Thread",
            "java.util.HashMap",
            "Plain",
            "Plain$1",
        ] {
            assert!(
                logged.contains(&name) && events.get(name) == Some(&1),
                "{name}: {:?}",
                events.get(name)
            );
        }
        let twice: Vec<_> = events
            .iter()
            .filter(|(name, count)| **count != 1 && !name.contains("Lambda"))
            .collect();
        assert!(twice.is_empty(), "{twice:?}");
    });
}

/// A thread that is being attached tells of nothing before its THREAD_START, whatever it loads meanwhile.
#[test]
fn a_thread_that_is_attached_begins_with_its_start() {
    each_jdk(|jdk| {
        for how in ["fast", "exact"] {
            let java = Java::with_helper(jdk, "attached_loads", "");
            let java = java.env("JVMPI_OPTIONS", format!("method-events={how}"));
            let run = java.main("AttachedLoads").limit(120).run();
            let run = run.exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 4);
        }
    });
}

/// Each thread has one START, before, and one END, as its last event, on itself.
#[test]
fn threads_start_and_end_in_pairs() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "order", "tc")
            .arg("-Xcheck:jni")
            .main("Threads")
            .run()
            .exits(0);
        let run = run.says("thrown\ndone\n");
        let lines = lines(&run);
        let mut live: HashMap<&str, &str> = HashMap::new();
        let mut ended = Vec::new();
        for line in &lines {
            let env = word(line, "env");
            if line.starts_with("THREAD_START") {
                let name = line.split_once(" name=").unwrap().1;
                let old = live.insert(word(line, "tenv"), name);
                assert!(old.is_none(), "{line}: the env of {old:?} is in use");
            } else if line.starts_with("THREAD_END") {
                ended.push(
                    live.remove(env)
                        .unwrap_or_else(|| panic!("{line}: no such thread")),
                );
            }
            // R15: whoever sends is known; THREAD_END is the last event of its env.
            assert!(
                line.starts_with("THREAD_END") || live.contains_key(env),
                "{line}"
            );
        }
        for number in 0..200 {
            let name = format!("numbered-{number}");
            assert_eq!(
                ended.iter().filter(|ended| **ended == name).count(),
                1,
                "{name}: {run}"
            );
        }
        for name in ["throwing", "grouped", "main"] {
            assert_eq!(
                ended.iter().filter(|ended| **ended == name).count(),
                1,
                "{name}: {run}"
            );
        }
        let started = |name: &str| {
            let end = format!(" name={name}");
            lines
                .iter()
                .find(|line| line.starts_with("THREAD_START") && line.ends_with(&end))
                .unwrap()
                .clone()
        };
        let grouped = started("grouped");
        assert_eq!(
            (word(&grouped, "group"), word(&grouped, "parent")),
            ("inner", "outer")
        );
        assert_eq!(
            word(&grouped, "env"),
            word(&grouped, "tenv"),
            "sent by the thread itself"
        );
        let numbered = started("numbered-7");
        assert_eq!(
            (word(&numbered, "group"), word(&numbered, "parent")),
            ("main", "system")
        );
    });
}

/// Facts B.0: THREAD_START of main, CLASS_LOADs, the other THREAD_STARTs, then
/// JVM_INIT_DONE, all on the main thread.
#[test]
fn replay_comes_before_init_done() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "order", "tc")
            .main("Plain")
            .run()
            .exits(0);
        let lines = lines(&run);
        let done = starts_with(&lines, "INIT_DONE");
        assert_eq!(done.len(), 1, "{run}");
        let replay = &lines[..done[0]];
        assert!(
            replay[0].starts_with("THREAD_START") && replay[0].ends_with(" name=main"),
            "{}",
            replay[0]
        );
        assert_eq!(
            (word(&replay[0], "group"), word(&replay[0], "parent")),
            ("main", "system")
        );
        let main = (word(&replay[0], "tenv"), word(&replay[0], "tid"));
        let loads = starts_with(replay, "CLASS_LOAD");
        let starts = starts_with(replay, "THREAD_START");
        assert!(loads.len() > 300, "{}", loads.len());
        let others: Vec<&str> = starts[1..]
            .iter()
            .map(|&at| replay[at].split_once(" name=").unwrap().1)
            .collect();
        for name in ["Finalizer", "Reference Handler", "Signal Dispatcher"] {
            assert!(others.contains(&name), "{name}: {others:?}");
        }
        // Threads of the VM run already and may load classes of their own meanwhile.
        let own_loads: Vec<usize> = loads
            .into_iter()
            .filter(|&at| word(&replay[at], "env") == main.0)
            .collect();
        assert!(own_loads.iter().all(|&load| load > 0), "{run}");
        let own_starts: Vec<usize> = starts[1..]
            .iter()
            .copied()
            .filter(|&at| word(&replay[at], "env") == main.0)
            .collect();
        assert!(
            own_starts
                .iter()
                .all(|start| own_loads.iter().filter(|load| *load > start).count() < 20),
            "{run}"
        );
        assert_eq!(
            (word(&lines[done[0]], "env"), word(&lines[done[0]], "tid")),
            main,
            "{run}"
        );
        assert!(
            !replay.iter().any(|line| line.ends_with("name=Plain")),
            "{run}"
        );
    });
}

/// Before JVM_INIT_DONE nothing else happens, after it main is loaded.
#[test]
fn init_done_comes_before_main() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "order", "c")
            .main("Plain")
            .run()
            .exits(0);
        let lines = lines(&run);
        let done = starts_with(&lines, "INIT_DONE")[0];
        let plain = lines
            .iter()
            .position(|line| line.ends_with(" name=Plain"))
            .expect("CLASS_LOAD of Plain");
        assert!(done < plain, "{run}");
    });
}

#[test]
fn shut_down_is_last_whatever_ends_the_vm() {
    each_jdk(|jdk| {
        for (end, code) in [
            ("return", 0),
            ("exit", 3),
            ("throw", 1),
            ("exit-elsewhere", 5),
            ("daemon", 0),
            ("halt", 4),
        ] {
            let run = Java::with_helper(jdk, "order", "tc")
                .main(&format!("Plain {end}"))
                .run();
            assert_eq!(run.code(), code, "{end}: {run}");
            assert_shut_down(&run);
        }
    });
}

/// JVM_SHUT_DOWN comes once and last, from a thread that is known and has not ended (R15).
fn assert_shut_down(run: &Run) {
    let lines = lines(run);
    let downs = starts_with(&lines, "SHUT_DOWN");
    assert_eq!(downs.len(), 1, "{run}");
    let down = downs[0];
    assert_eq!(down, lines.len() - 1, "{}", lines[down..].join("\n"));
    let env = word(&lines[down], "env");
    let last = |event, key| {
        let of_env = |line: &String| line.starts_with(event) && word(line, key) == env;
        lines.iter().rposition(of_env)
    };
    let (known, ended) = (last("THREAD_START", "tenv"), last("THREAD_END", "env"));
    assert!(known.is_some() && known > ended, "{run}");
}

/// The env of the last thread of this name.
fn env_of<'a>(lines: &'a [String], name: &str) -> &'a str {
    let end = format!(" name={name}");
    let started = lines.iter().rfind(|line| line.ends_with(&end));
    word(started.expect("the thread has started"), "tenv")
}

fn ends(lines: &[String], env: &str) -> bool {
    let mut ends = lines.iter().filter(|line| line.starts_with("THREAD_END"));
    ends.any(|line| word(line, "env") == env)
}

/// The VM ends on the thread that calls DestroyJavaVM, whatever its name and whoever has it, too.
#[test]
fn shut_down_is_that_of_destroy_java_vm() {
    let embedder = program("embedder");
    each_jdk(|jdk| {
        let java = || Java::with_helper(jdk, "order", "tc");
        let run = java().main("Plain namesake").run().exits(0);
        assert_shut_down(&run);
        let told = lines(&run);
        let named: Vec<_> = told
            .iter()
            .filter(|line| line.ends_with(" name=DestroyJavaVM"))
            .map(|line| word(line, "tenv"))
            .collect();
        assert!(named.len() == 2 && ends(&told, named[0]), "{run}");

        let run = java()
            .embedded_by(jdk, &embedder)
            .main("Plain")
            .run()
            .exits(0);
        assert_shut_down(&run);
        let told = lines(&run);
        let main = env_of(&told, "main");
        assert!(!ends(&told, main), "{run}");
        assert_eq!(word(&told[told.len() - 1], "env"), main, "{run}");
    });
}

/// Loaded into a VM that runs, whose main thread is in DestroyJavaVM by then or is not.
#[test]
fn shut_down_of_a_vm_that_was_running() {
    let jcmd = compiler().tool("jcmd");
    let agent = xrun_tests::fixture::native("order");
    each_jdk(|jdk| {
        for elsewhere in ["", " elsewhere"] {
            let java = Java::of(jdk).natives(jdk, &agent).library(&agent);
            let java = java.main(&format!("Dumped{elsewhere}"));
            let end = java.file("end");
            let mut running = java.start();
            running.wait_for_line("ready");
            let mut command = Command::new(&jcmd);
            let pid = running.pid().to_string();
            let shim = product::shim();
            command.args([
                &pid,
                "JVMTI.agent_load",
                &shim.to_string_lossy(),
                "order:tc",
            ]);
            let said = run::output(command, 240).exits(0).stdout;
            assert!(said.contains("return code: 0"), "{said}");
            std::fs::write(end, "").unwrap();
            let run = running.finish().exits(0);
            assert_shut_down(&run);
            let told = lines(&run);
            assert_eq!(starts_with(&told, "INIT_DONE").len(), 1, "{run}");
            let waiter = if elsewhere.is_empty() {
                "main"
            } else {
                "waiter"
            };
            assert!(ends(&told, env_of(&told, waiter)), "{run}");
        }
    });
}

/// kill -QUIT: dump, then reset, on one thread, each time.
#[test]
fn user_signal_requests_dump_then_reset() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "order", "tdg").main("Dumped");
        let end = java.file("end");
        let report = java.file("report.txt");
        let mut running = java.start();
        running.wait_for_line("ready");
        for round in 1..=3 {
            running.signal("QUIT");
            running.until("DATA_RESET_REQUEST", || {
                let told = std::fs::read_to_string(&report).unwrap();
                (told.matches("RESET_REQUEST").count() >= round).then_some(())
            });
        }
        std::fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        // The VM's own answer to the signal is still there.
        assert!(run.stdout.contains("Full thread dump"), "{run}");
        let lines = lines(&run);
        let requests: Vec<&String> = lines
            .iter()
            .filter(|line| line.contains("_REQUEST"))
            .collect();
        assert_eq!(requests.len(), 6, "{run}");
        // Agents dump the heap there, behind two collections.
        let dumps = lines.iter().filter(|line| line.starts_with("HEAP_DUMP"));
        let answers = lines.iter().filter(|line| *line == "answered 0");
        assert_eq!((dumps.count(), answers.count()), (3, 3), "{run}");
        for pair in requests.chunks(2) {
            assert!(
                pair[0].starts_with("DUMP_REQUEST") && pair[1].starts_with("RESET_REQUEST"),
                "{run}"
            );
            assert_eq!(word(pair[0], "tid"), word(pair[1], "tid"), "{run}");
            assert_eq!(word(pair[0], "env"), word(pair[1], "env"), "{run}");
        }
        let env = word(requests[0], "env");
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("THREAD_START") && word(line, "tenv") == env),
            "{run}"
        );
    });
}

const ORIGINAL: &str = "original-1\noriginal-2\njava.lang.Exception: x 5\nnull\n";

/// The agent's replacement, from `malloc_f` or in place, is what runs.
#[test]
fn class_load_hook_replaces_classes() {
    each_jdk(|jdk| {
        for mode in ["", ",place"] {
            let java = Java::with_helper(jdk, "hook", &format!("original-=replaced-{mode}"))
                .arg("-Xcheck:jni");
            let run = java
                .main("Patched")
                .run()
                .exits(0)
                .says("replaced-1\nreplaced-2\njava.lang.Exception: x 5\nnull\n");
            assert_eq!(
                run.file("report.txt"),
                "hooks=yes replaced=2 empty=0 after_init=yes\n",
                "{run}"
            );
        }
    });
}

/// Also in a class that was loaded before the agent could be asked.
#[test]
fn class_load_hook_replaces_older_classes() {
    each_jdk(|jdk| {
        // A constant of java.lang.String.valueOf(Object): the text "null" is in
        // other classes too, so a longer one is taken: Throwable's "Caused by: ".
        let run = Java::with_helper(jdk, "hook", "Caused by: =CAUSED BY: ")
            .main("Caused")
            .run()
            .exits(0);
        assert!(
            run.stdout.contains("CAUSED BY: ") && !run.stdout.contains("Caused by: "),
            "{run}"
        );
        assert!(run.file("report.txt").contains("empty=0"), "{run}");
    });
}

/// An agent that changes nothing, in the ways agents had of saying so.
#[test]
fn class_load_hook_leaves_classes_alone() {
    each_jdk(|jdk| {
        for options in [
            "",
            "original-=original-,untouched",
            "original-=replaced-,bad",
            "original-=replaced-,nowhere",
        ] {
            let run = Java::with_helper(jdk, "hook", options)
                .main("Patched")
                .run()
                .exits(0)
                .says(ORIGINAL);
            let said = run
                .stderr
                .lines()
                .filter(|line| line.contains("CLASS_LOAD_HOOK"))
                .count();
            assert_eq!(
                said,
                usize::from(options.ends_with("bad") || options.ends_with("nowhere")),
                "{options}: {run}"
            );
        }
    });
}

/// NotifyEvent is read at each delivery.
#[test]
fn nothing_while_notify_event_is_null() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "order", "tcn")
            .main("Plain")
            .run()
            .exits(0);
        assert_eq!(run.file("report.txt"), "", "{run}");

        let run = Java::with_helper(jdk, "order", "tcl")
            .main("Listen")
            .run()
            .exits(0)
            .says("done\n");
        let lines = lines(&run);
        assert_eq!(lines[0], "listening", "{run}");
        assert_eq!(lines.last().map(String::as_str), Some("deaf"), "{run}");
        let names: HashSet<&str> = lines
            .iter()
            .filter_map(|line| line.split_once(" name="))
            .map(|(_, name)| name)
            .collect();
        assert!(names.contains("heard"), "{run}");
        assert!(
            !names.contains("unheard-1") && !names.contains("unheard-2"),
            "{run}"
        );
        // Who sends is introduced, though its own start went unheard.
        let ends = lines
            .iter()
            .filter(|line| line.starts_with("THREAD_END"))
            .count();
        assert_eq!(ends, 1, "{run}");
    });
}

/// Disabled events stop, enabled ones come, at any time.
#[test]
fn enabling_and_disabling_while_the_program_runs() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "toggle", "")
            .main("Toggle")
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 8);
    });
}
