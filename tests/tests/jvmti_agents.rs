//! Agents that speak JVMTI, recorded: what they count is what stands in the recording, and they and
//! the program do what they do without us.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use xrun_tests::collector::each_collector;
use xrun_tests::fixture::{jar, native};
use xrun_tests::jdk::{Jdk, compiler, each_jdk, each_jdk_if};
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{product, workspace};

/// `xrun trace -o run.rec java …`.
pub(crate) fn recorded(jdk: &Jdk) -> Java {
    let java = Java::of(jdk).through(&product::xrun());
    java.before(&["trace", "-o", "run.rec"])
}

/// Runs xrun in a folder.
pub(crate) fn xrun(folder: &Path, words: &[&str]) -> String {
    let mut command = product::xrun_command();
    command.args(words).current_dir(folder);
    run::output(command, 60).exits(0).stdout
}

fn stats(run: &Run) -> Value {
    let text = xrun(run.folder(), &["trace", "stats", "--json", "run.rec"]);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The environments of agents with this name.
fn environments<'a>(stats: &'a Value, agent: &str) -> Vec<&'a Value> {
    let all = stats["environments"].as_array().unwrap();
    all.iter().filter(|one| one["agent"] == agent).collect()
}

/// How often each event came to an environment.
fn events(environment: &Value) -> BTreeMap<String, u64> {
    let events = environment["events"].as_object().unwrap();
    let count = |(name, count): (&String, &Value)| (name.clone(), count["times"].as_u64().unwrap());
    events.iter().map(count).collect()
}

/// What the agent itself has counted; its checks have passed.
fn counted(run: &Run) -> BTreeMap<String, u64> {
    let report = run.file("port.txt");
    assert!(!report.contains("FAIL"), "{report}\n{run}");
    assert!(report.contains("ok its thread has run"), "{report}\n{run}");
    let counts = report.lines().filter_map(|line| {
        let (name, count) = line.strip_prefix("count ")?.split_once(' ')?;
        Some((name.to_owned(), count.parse::<u64>().unwrap()))
    });
    counts.filter(|(_, count)| *count > 0).collect()
}

fn port(options: &str) -> String {
    agent_path(&native("jvmti_port"), options)
}

/// All kinds of events, exactly as often as the agent has heard of them.
#[test]
fn what_it_counts_is_recorded() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let java = collector.on(recorded(jdk), jdk, 256);
            let run = java
                .args([port("msvpxcfl"), "-Xcheck:jni".to_owned()])
                .main("Busy")
                .limit(120)
                .run()
                .exits(0);
            let stats = stats(&run);
            let found = environments(&stats, "libjvmti_port.so");
            assert_eq!(found.len(), 3, "{run}");
            let counted = counted(&run);
            assert_eq!(events(found[0]), counted, "{run}");
            let seen = [
                "MethodEntry",
                "ObjectFree",
                "SampledObjectAlloc",
                "ClassPrepare",
            ];
            assert!(seen.iter().all(|name| counted[*name] > 100), "{counted:?}");
        });
    });
}

/// What ids name is in the recording once, before it is needed.
#[test]
fn names_are_recorded() {
    each_jdk(|jdk| {
        let run = recorded(jdk).arg(port("mf")).main("Threads").run();
        let run = run.exits(0);
        let dump = xrun(run.folder(), &["trace", "dump", "run.rec"]);
        let defined = |what: &str, rest: &str| {
            let of =
                |line: &&str| line.contains(&format!(" defined {what} ")) && line.ends_with(rest);
            let line = dump.lines().find(of);
            let line = line.unwrap_or_else(|| panic!("no {what} {rest}\n{run}"));
            let id = line.split(&format!(" {what}=")).nth(1).unwrap();
            id.split(' ').next().unwrap().to_owned()
        };
        let class = defined("class", "signature=\"LThreads;\"");
        let main = format!("class={class} name=\"main\" signature=\"([Ljava/lang/String;)V\"");
        let entered = format!(" method={}", defined("method", &main));
        let entries = dump.lines().filter(|line| line.contains(" MethodEntry "));
        assert_eq!(
            entries.filter(|line| line.ends_with(&entered)).count(),
            1,
            "{run}"
        );
        defined("thread", "name=\"main\"");
        defined("environment", "agent=\"libjvmti_port.so\"");
        let integer = defined("class", "signature=\"Ljava/lang/Integer;\"");
        defined(
            "field",
            &format!("class={integer} name=\"value\" signature=\"I\""),
        );
        let capabilities =
            "call jvmti AddCapabilities environment=1 capabilities=[\"can_tag_objects\"";
        assert!(dump.contains(capabilities), "{run}");
        // A part has them, too.
        let filter = ["trace", "filter", "--event", "MethodEntry", "-o"];
        xrun(
            run.folder(),
            &[&filter[..], &["part.rec", "run.rec"]].concat(),
        );
        let part = xrun(run.folder(), &["trace", "dump", "part.rec"]);
        assert!(part.contains(&main) && !part.contains(" MethodExit "));
        let stats = xrun(run.folder(), &["trace", "stats", "part.rec"]);
        let head = "\nagent    libjvmti_port.so (JVMTI)\n";
        assert!(
            stats.contains(head) && stats.contains("  MethodEntry\n"),
            "{stats}"
        );
    });
}

/// Others than C agents, several at once, each with its own environments: the debugger, a Java agent
/// that rewrites classes.
#[test]
fn several_agents() {
    let manifest =
        "Premain-Class: Weaver\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n";
    let weaver = format!("-javaagent:{}", jar("weaver.jar", manifest).display());
    let has_debugger = |jdk: &Jdk| {
        let has = jdk.has_library("libjdwp.so") && jdk.has_library("libinstrument.so");
        has.then_some(()).ok_or("no libjdwp.so".to_owned())
    };
    each_jdk_if(has_debugger, |jdk| {
        let words = [
            weaver.clone(),
            port(""),
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0"
                .to_owned(),
        ];
        let without = Java::of(jdk).args(&words).main("Weighed").run().exits(0);
        let run = recorded(jdk).args(&words).main("Weighed").run();
        let run = run.exits(0).says(&without.stdout);
        let stats = stats(&run);
        for agent in ["libinstrument.so", "libjdwp.so", "libjvmti_port.so"] {
            assert!(
                !environments(&stats, agent).is_empty(),
                "{agent}: {stats}\n{run}"
            );
        }
        let rewritten = environments(&stats, "libinstrument.so");
        let hooks: u64 = rewritten
            .iter()
            .filter_map(|one| events(one).get("ClassFileLoadHook").copied())
            .sum();
        assert!(hooks > 10, "{stats}");
        assert_eq!(
            events(environments(&stats, "libjvmti_port.so")[0]),
            counted(&run)
        );
    });
}

/// A session of jdb: what it says, but for numbers, which differ from run to run.
fn debugged(jdk: &Jdk, options: &str) -> String {
    let classes = xrun_tests::fixture::classes();
    let launch = format!(
        "com.sun.jdi.CommandLineLaunch:options={options} -cp {},main=Threads",
        classes.display()
    );
    let mut jdb = Command::new(jdk.tool("jdb"))
        .args(["-connect", &launch])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut to, from) = (jdb.stdin.take().unwrap(), jdb.stdout.take().unwrap());
    let (sender, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for byte in BufReader::new(from).bytes() {
            let _ = sender.send(byte.unwrap());
        }
    });
    let mut text = String::new();
    let mut answer = |question: &str, end: &str, prompt: &str| {
        writeln!(to, "{question}").unwrap();
        let begin = text.len();
        let has_said = |text: &str| {
            let end = text[begin..].split_once(end);
            end.is_some_and(|(_, rest)| rest.contains(prompt))
        };
        while !has_said(&text) {
            let byte = said.recv_timeout(Duration::from_secs(60));
            text.push(char::from(
                byte.unwrap_or_else(|_| panic!("no {end} after {text}")),
            ));
        }
    };
    const STOPPED: &str = "main[1] ";
    answer("stop in Threads.main", "It will be set after", "> ");
    answer("run", "Breakpoint hit:", STOPPED);
    answer("where", "[1] Threads.main", STOPPED);
    answer("step", "Step completed:", STOPPED);
    answer("next", "Step completed:", STOPPED);
    answer("threads", "Reference Handler", STOPPED);
    answer("watch java.lang.Thread.name", "Set watch", STOPPED);
    answer("cont", "java.lang.Thread.name", STOPPED);
    answer("unwatch java.lang.Thread.name", "Removed:", STOPPED);
    answer("clear Threads.main", "Removed:", STOPPED);
    answer("cont", "Exception occurred:", "throwing[1] ");
    answer("cont", "The application exited", "");
    jdb.wait().unwrap();
    // What the VM's own threads do just then is chance, as are numbers, and where a prompt comes
    // between other lines.
    for prompt in ["main[1] ", "throwing[1] ", "> "] {
        text = text.replace(prompt, "");
    }
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("  ("));
    let lines: Vec<_> = lines.collect();
    let lines = lines.join("\n");
    lines.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The JDK's debugger: an agent with its own threads and raw monitors, which stops threads, and steps.
#[test]
fn a_session_of_the_debugger() {
    let has_debugger = |jdk: &Jdk| {
        let has = jdk.tool("jdb").exists();
        has.then_some(()).ok_or("no jdb".to_owned())
    };
    each_jdk_if(has_debugger, |jdk| {
        let folder = xrun_tests::fixture::unique("jdb");
        let file = folder.join("run.rec");
        let without = debugged(jdk, "-Dx=1");
        let shim = agent_path(&product::shim(), &format!("trace={}", file.display()));
        assert_eq!(debugged(jdk, &shim), without, "{jdk}");
        let stats = xrun(&folder, &["trace", "stats", "--json", "run.rec"]);
        let stats: Value = serde_json::from_str(&stats).unwrap();
        let events = events(environments(&stats, "libjdwp.so")[0]);
        for name in [
            "Breakpoint",
            "SingleStep",
            "FieldModification",
            "ThreadStart",
        ] {
            assert!(events[name] > 0, "{name}: {stats}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    });
}

/// One that leaves the VM's interval of sampling as it is gets one allocation in half a megabyte.
#[test]
fn the_vms_own_interval() {
    each_jdk(|jdk| {
        let run = recorded(jdk).arg(port("d")).main("Busy").run().exits(0);
        let counted = counted(&run);
        let samples = counted.get("SampledObjectAlloc").copied().unwrap_or(0);
        assert!(samples < 200, "{samples}: {run}");
        let stats = stats(&run);
        assert_eq!(events(environments(&stats, "libjvmti_port.so")[0]), counted);
    });
}

/// Those of JAVA_TOOL_OPTIONS are loaded first of all, but for us then.
#[test]
fn agents_of_variables() {
    each_jdk(|jdk| {
        let java = recorded(jdk).env("JAVA_TOOL_OPTIONS", port("v"));
        let run = java.main("Hello").run().exits(0);
        let stats = stats(&run);
        assert_eq!(
            events(environments(&stats, "libjvmti_port.so")[0]),
            counted(&run)
        );
    });
}

/// Beside an agent of JVMPI that needs what only one environment can have: both have it, and the
/// other one has it also in the same picture.
#[test]
fn beside_an_agent_of_jvmpi() {
    lent(recorded);
}

/// The same where nobody has touched the command line: the VM calls the agent of -Xrun behind all others.
#[test]
fn beside_an_untouched_xrun() {
    lent(|jdk| {
        let shim = agent_path(&product::shim(), "trace=run.rec");
        Java::of(jdk).arg(shim).library(&product::hprof())
    });
}

fn lent(recorded: impl Fn(&Jdk) -> Java + Sync) {
    each_jdk(|jdk| {
        let profile = "-Xrunhprof:heap=sites,cutoff=0,file=sites.txt";
        let java = recorded(jdk).args([&port("svp"), profile]);
        let run = java.main("Busy").run().exits(0);
        let stats = stats(&run);
        let counted = counted(&run);
        assert_eq!(
            events(environments(&stats, "libjvmti_port.so")[0]),
            counted,
            "{run}"
        );
        assert!(counted["SampledObjectAlloc"] > 500, "{counted:?}");
        let births = stats["events"]["OBJECT_ALLOC"]["times"].as_u64().unwrap();
        assert!(births > counted["SampledObjectAlloc"], "{stats}");
        assert!(run.file("sites.txt").contains("SITES BEGIN"), "{run}");
        assert!(!run.stderr.contains("holds the VM's"), "{run}");
    });
}

/// An agent that comes late: the VM loads it into a program that runs.
#[test]
fn an_agent_that_is_attached() {
    let library = native("jvmti_port");
    each_jdk(|jdk| {
        let java = recorded(jdk)
            .arg("-XX:+EnableDynamicAgentLoading")
            .main("Serving");
        let end = java.file("end");
        let mut running = java.start();
        running.wait_for_line("ready");
        let mut command = Command::new(compiler().tool("jcmd"));
        command
            .arg(running.pid().to_string())
            .arg("JVMTI.agent_load");
        command.arg(&library);
        let said = run::output(command, 240).stdout;
        assert!(said.contains("return code: 0"), "{said}");
        std::fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        let stats = stats(&run);
        let events = events(environments(&stats, "libjvmti_port.so")[0]);
        assert!(
            events["ThreadStart"] > 0 && events["VMDeath"] == 1,
            "{stats}\n{run}"
        );
    });
}

/// Recordings of all formats are read as they were when theirs was the newest.
#[test]
fn recordings_of_all_formats_are_read() {
    let folder = workspace().join("tests/recordings");
    for format in [2, 3, 4, 5] {
        let dump = xrun(&folder, &["trace", "dump", &format!("format{format}.rec")]);
        let then = std::fs::read_to_string(folder.join(format!("format{format}.txt"))).unwrap();
        assert_eq!(dump, then, "format {format}");
    }
}
