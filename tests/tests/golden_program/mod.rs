//! `java/Golden.java` as agents see it, in golden files: events thread by thread with all they
//! say, stacks, arenas, and HPROF's outputs.
//!
//! Left out is what is another on each JDK or in each run: ids (they are numbered in the order
//! in which the file has them), times, classes that are not the program's, monitors of such that two threads
//! want at once, and what JDK 27 and later tell of where it is chance: how a notified thread gets its monitor back.

mod heap_records;
mod hprof_binary;
mod hprof_text;

use std::collections::HashMap;
use std::fmt::Write as _;

use xrun_tests::golden;
use xrun_tests::jdk::Jdk;
use xrun_tests::monitor_trace::without_ways_back;
use xrun_tests::product;
use xrun_tests::report::field;
use xrun_tests::run::{Java, agent_path};

/// The threads that have events, and those that stand about at the end.
const THREADS: [&str; 2] = ["main", "worker"];
const STANDERS: [&str; 5] = ["owner", "blocked", "waiter", "timed", "sleeper"];

/// Whether objects of this class are of another size on each JDK: those that extend the JDK's.
fn has_foreign_fields(class: &str) -> bool {
    ["Golden$Worker", "Golden$Stander", "Golden$Thrown"].contains(&class)
}

/// The tracer's options, by which its file `trace.txt` has only what is the program's.
pub(crate) fn shown_options(options: &str) -> String {
    format!("file=trace.txt,ids=stable,noheader,noseq,none,{options},classes=Golden")
}

/// The program with the tracer, which shows only what is the program's.
fn traced(jdk: &Jdk, shim: &str, options: &str) -> String {
    product::agent("trace");
    let options = shown_options(options);
    let java = Java::of(jdk)
        .with_usual_headers(jdk)
        .arg(agent_path(&product::shim(), shim))
        .arg(format!("-Xrunjvmpi_trace:{options}"));
    let run = java.main("Golden").run().exits(0).says("done\n");
    without_ways_back(jdk, &run.file("trace.txt")).0
}

/// Ids by the order in which they come: `obj=o17` is `obj=o1` if it is the first.
fn renumbered(text: &str) -> String {
    let mut numbers: HashMap<String, String> = HashMap::new();
    let mut counts: HashMap<char, usize> = HashMap::new();
    let mut word = |word: &str| {
        let is_id = |(key, id): (&str, &str)| -> Option<String> {
            let letter = id
                .chars()
                .next()
                .filter(|letter| "ocmtx".contains(*letter))?;
            id[1..].parse::<u32>().ok()?;
            let new = numbers.entry(id.to_owned()).or_insert_with(|| {
                let count = counts.entry(letter).or_default();
                *count += 1;
                format!("{letter}{count}")
            });
            Some(format!("{key}={new}"))
        };
        let renamed = word.split_once('=').and_then(is_id);
        renamed.unwrap_or_else(|| word.to_owned())
    };
    let mut line = |line: &str| line.split(' ').map(&mut word).collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(&mut line).collect()
}

/// The events of each thread in their order, then who died.
pub(crate) fn by_thread(trace: &str) -> String {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut classes: HashMap<&str, &str> = HashMap::new();
    let mut asked: HashMap<&str, i64> = HashMap::new();
    let mut lines: Vec<(&str, String)> = Vec::new();
    let mut dead = Vec::new();
    // Whether what follows belongs to an event that is left out.
    let mut left_out = false;
    for line in trace.lines() {
        if line.trim_start().starts_with("no frames ") || left_out && line.starts_with(' ') {
            continue;
        }
        if line.starts_with(' ') {
            let sender = lines.last().map_or("VM", |(sender, _)| sender);
            lines.push((sender, line.to_owned()));
            continue;
        }
        let kind = line.split(' ').next().unwrap_or_default();
        let of = |key| field(line, key).unwrap_or_default();
        let env = of("env");
        let mut shown = line.to_owned();
        // Whether others are in the way at a monitor of the JDK's is chance. The file has no class of those.
        let object = of("obj");
        let is_contended = kind.starts_with("MONITOR_CONTENDED_");
        assert!(!is_contended || object != "(nil)", "{line}\n{trace}");
        left_out = is_contended && !classes.contains_key(object);
        if left_out {
            continue;
        }
        match kind {
            "THREAD_START" => {
                names.insert(of("tenv"), of("name"));
            }
            "OBJECT_ALLOC" => {
                let class = line.split(' ').nth(4).unwrap_or_default();
                classes.insert(of("obj"), class);
                if has_foreign_fields(class) {
                    shown = line.replace(&format!("size={}", of("size")), "size=-");
                }
            }
            "OBJECT_FREE" => {
                dead.push(classes.get(of("obj")).copied().unwrap_or_default());
                continue;
            }
            "GC_START" | "GC_FINISH" => continue,
            "MONITOR_WAIT" => {
                asked.insert(env, of("timeout").parse().unwrap());
            }
            "MONITOR_WAITED" if of("timeout").parse::<i64>().unwrap() >= asked[env] => {
                shown = line.replace(&format!("timeout={}", of("timeout")), "timeout=enough");
            }
            _ => {}
        }
        let sender = names.get(env).copied().unwrap_or("VM");
        lines.push((sender, shown));
    }
    let mut text = String::new();
    for sender in THREADS.into_iter().chain(["VM"]) {
        let _ = writeln!(text, "[{sender}]");
        for (_, line) in lines.iter().filter(|(of, _)| *of == sender) {
            let _ = writeln!(text, "{line}");
        }
    }
    dead.sort_unstable();
    let _ = writeln!(text, "[dead]\n{}", dead.join("\n"));
    renumbered(&text)
}

/// What `Golden.events` has.
pub(crate) const EVENTS: &str = "+THREAD_START,+THREAD_END,+METHOD_ENTRY2,+METHOD_EXIT,+OBJECT_ALLOC,\
                      +OBJECT_FREE,+GC_START,+GC_FINISH,+MONITOR_CONTENDED_ENTER,\
                      +MONITOR_CONTENDED_ENTERED,+MONITOR_WAIT,+MONITOR_WAITED,\
                      threads=main,threads=worker";

/// Not MONITOR_CONTENDED_EXIT: whether the owner has been told of the other one by then is chance.
const MONITORS: &str = "+MONITOR_CONTENDED_ENTER,+MONITOR_CONTENDED_ENTERED,+MONITOR_WAIT,\
                        +MONITOR_WAITED";

#[test]
fn events() {
    golden::agrees("Golden.events", |jdk| by_thread(&traced(jdk, "", EVENTS)));
}

/// Where the program was, by method and line.
#[test]
fn stacks() {
    golden::agrees("Golden.stacks", |jdk| {
        let options = format!(
            "+THREAD_START,+THREAD_END,+OBJECT_ALLOC,{MONITORS},threads=main,threads=worker,traces=8"
        );
        by_thread(&traced(jdk, "", &options))
    });
}

/// What collectors of other kinds would have said: their arenas, where objects begin, and the
/// bracket of the program's own System.gc().
#[test]
fn arenas() {
    golden::agrees("Golden.arenas", |jdk| {
        let mut text = String::new();
        for model in [
            "hotspot",
            "mark-sweep",
            "mark-compact",
            "generational",
            "cvm",
        ] {
            let options = "+OBJECT_ALLOC,+OBJECT_FREE,+OBJECT_MOVE,+ARENA_NEW,+ARENA_DELETE,\
                           +GC_START,+GC_FINISH";
            let trace = traced(jdk, &format!("arenas={model}"), options);
            let _ = write!(text, "[{model}]\n{}", bracket(&trace));
        }
        text
    });
}

/// Without the envs, on whose thread a bracket comes is free; objects by their classes.
fn bracket(trace: &str) -> String {
    let mut classes: HashMap<&str, &str> = HashMap::new();
    let (mut own, mut lines, mut in_bracket) = (false, Vec::new(), Vec::new());
    for line in trace.lines() {
        let kind = line.split(' ').next().unwrap_or_default();
        let of = |key| field(line, key).unwrap_or_default();
        let class = |key| classes.get(of(key)).copied().unwrap_or_default();
        let made = line.split(' ').nth(4).unwrap_or_default();
        match kind {
            // The bracket comes soon after the collection: perhaps before this, perhaps not.
            "OBJECT_ALLOC" if made == "Golden$Worker" => {
                classes.insert(of("obj"), made);
            }
            "OBJECT_MOVE" if class("obj") == "Golden$Worker" => {}
            "OBJECT_ALLOC" => {
                own = true;
                classes.insert(of("obj"), made);
                lines.push(format!(
                    "{kind} {made} array={} arena={}",
                    of("array"),
                    of("arena")
                ));
            }
            "OBJECT_FREE" => in_bracket.push(format!("{kind} {}", class("obj"))),
            "OBJECT_MOVE" => in_bracket.push(format!(
                "{kind} {} from {} to {}, then {}",
                class("obj"),
                of("arena"),
                of("newarena"),
                class("newobj")
            )),
            "ARENA_NEW" | "ARENA_DELETE" => {
                let name = line.split_once(" name=").map_or("", |(_, name)| name);
                let line = format!("{kind} {} {name}", of("arena"))
                    .trim_end()
                    .to_owned();
                if own { &mut in_bracket } else { &mut lines }.push(line);
            }
            "GC_FINISH" if own => break,
            _ => {}
        }
    }
    // Arenas come and go in their order; objects in none that is promised.
    let is_of_arena = |line: &&String| line.starts_with("ARENA_");
    let arenas: Vec<_> = in_bracket.iter().filter(is_of_arena).cloned().collect();
    in_bracket.retain(|line| !line.starts_with("ARENA_"));
    in_bracket.sort_unstable();
    lines.push("GC_START".to_owned());
    lines.extend(in_bracket);
    lines.extend(arenas);
    lines.push("GC_FINISH\n".to_owned());
    lines.join("\n")
}
