//! `xrun attach`, `detach` and `ps`: agents in programs that are running, and what can be wrong.
//! Longer than most: all of it is done to one program, and looked at in the same ways.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use xrun_tests::fixture::{self, classes_of_17, jar, native};
use xrun_tests::jdk::{Jdk, compiler, each_jdk, each_jdk_if, not_run, on_jdk};
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{self, Java, Run, Running};

/// What the program says if nothing has disturbed it.
pub(crate) const SERVED: [&str; 5] = ["ready", "done", "socket 42", "class Plain true", "served"];

/// Runs xrun with these words; `PID` is the program's.
fn xrun(running: &Running, words: &str) -> Run {
    let pid = running.pid().to_string();
    let mut command = product::xrun_command();
    command.args(words.split(' ').map(|word| match word {
        "PID" => &pid,
        word => word,
    }));
    run::output(command, 240)
}

/// The same, refused with this code and one line that has this in it.
fn refused(running: &Running, words: &str, code: i32, part: &str) {
    let run = xrun(running, words);
    assert_eq!(run.code(), code, "{words}: {run}");
    assert_eq!(run.stderr.lines().count(), 1, "{words}: {run}");
    assert!(run.stderr.contains(part), "{words}: {run}");
    assert_eq!(run.stdout, "", "{words}: {run}");
}

fn done(running: &Running, words: &str) -> Run {
    let run = xrun(running, words).exits(0);
    assert_eq!(run.stdout, "", "{words}: {run}");
    run
}

/// A program that waits, is treated so, and then does all that it has not done yet.
pub(crate) fn served(java: Java, treat: impl FnOnce(&mut Running)) -> Run {
    product::hprof();
    let java = java.main("Serving");
    let end = java.file("end");
    let mut running = java.start();
    running.wait_for_line("ready");
    treat(&mut running);
    fs::write(end, "").unwrap();
    let run = running.finish().no_crash().exits(0);
    let own: Vec<&str> = run.stdout.lines().filter(|line| !of_the_vm(line)).collect();
    assert_eq!(own, SERVED, "{run}");
    run
}

/// What the VM itself says to whoever asks it for JVMPI.
fn of_the_vm(line: &str) -> bool {
    line.starts_with("ERROR: JVMPI, an experimental")
        || line.starts_with("Please use the supported")
}

/// Has the VM load a JVMTI agent of somebody else's.
fn load(running: &Running, library: &Path, options: &str) {
    let mut command = Command::new(compiler().tool("jcmd"));
    command.args([&*running.pid().to_string(), "JVMTI.agent_load"]);
    command.arg(library).arg(options);
    // What the VM does for it waits for a processor, too.
    let said = run::output(command, 240).stdout;
    assert!(said.contains("return code: 0"), "{said}");
}

/// The folder in which a program runs.
fn folder(running: &Running) -> PathBuf {
    fs::read_link(format!("/proc/{}/cwd", running.pid())).unwrap()
}

fn file(running: &Running, name: &str) -> String {
    fs::read_to_string(folder(running).join(name)).unwrap_or_default()
}

/// The profile is there when xrun returns, and the next one can be taken: of the same agent, in
/// another mode, into the same file.
#[test]
fn profiles_for_a_while_one_after_the_other() {
    each_jdk(|jdk| {
        let run = served(Java::of(jdk), |running| {
            for (options, section) in [
                ("cpu=times,file=profile", "CPU TIME (ms) BEGIN"),
                ("cpu=samples,file=profile", "CPU SAMPLES BEGIN"),
            ] {
                let words = format!("attach PID --duration 300ms -Xrunhprof:{options}");
                let run = done(running, &words);
                // The agent's own word, and ours.
                assert!(run.stderr.contains(" done: profile\n"), "{run}");
                assert!(run.stderr.contains("hprof has been told"), "{run}");
                let profile = file(running, "profile");
                assert!(profile.contains(section), "{options}: {profile}");
                let late = "Attached to a program that was running";
                assert!(profile.contains(late), "{options}: {profile}");
            }
        });
        assert!(!run.stderr.contains("warning: "), "{run}");
    });
}

/// Until it is detached; and then everything is as it was: nobody answers for JVMPI, and what can
/// be had by one agent at a time is free.
#[test]
fn stays_until_it_is_detached() {
    let visitor = native("visitor");
    each_jdk(|jdk| {
        let run = served(Java::of(jdk).library(&visitor), |running| {
            refused(running, "detach PID", 19, "no agent of xrun's");
            let run = done(
                running,
                "attach PID -Xrunhprof:heap=sites,cpu=samples,file=profile",
            );
            assert!(
                run.stderr.contains("late: objects that were there"),
                "{run}"
            );
            let hint = format!("xrun detach {} ends it", running.pid());
            assert!(run.stderr.contains(&hint), "{run}");
            assert_eq!(file(running, "profile"), "");
            let hprof = "attach PID -Xrunhprof:cpu=samples,file=other";
            refused(running, hprof, 16, "or detach that one: xrun detach");
            // Not another's: it goes on.
            refused(running, "detach PID foo", 20, "hprof is in it, and stays");
            assert_eq!(file(running, "profile"), "");
            let run = done(running, "detach PID -Xrunhprof");
            assert!(run.stderr.contains("hprof has been told"), "{run}");
            assert!(file(running, "profile").contains("SITES BEGIN"));
            refused(running, "detach PID", 19, "no agent to detach");
            load(running, &visitor, "x");
            let left = file(running, "visitor.txt");
            assert_eq!(left, "JVMPI no\nsuspend free\nallocations free\n");
        });
        // Who was refused has been told; the program has done nothing.
        assert!(!run.stderr.contains("jvmpi: "), "{run}");
    });
}

/// What others have made of a class with hooks stays when these are taken out.
#[test]
fn a_detach_leaves_what_others_have_redefined() {
    let manifest = "Premain-Class: Detached\nCan-Redefine-Classes: true\n";
    let agent = format!("-javaagent:{}", jar("detached.jar", manifest).display());
    product::hprof();
    each_jdk(|jdk| {
        let java = Java::of(jdk).arg(&agent).main("Detached");
        let (redefine, end) = (java.file("redefine"), java.file("end"));
        let mut running = java.start();
        running.wait_for_line("as-it-was");
        done(&running, "attach PID -Xrunhprof:cpu=times,file=profile");
        fs::write(redefine, "").unwrap();
        running.wait_for_line("by-others");
        done(&running, "detach PID");
        fs::write(end, "").unwrap();
        let run = running.finish().no_crash().exits(0);
        let lines: Vec<&str> = run.stdout.lines().filter(|line| !of_the_vm(line)).collect();
        assert_eq!(lines, ["as-it-was", "by-others", "by-others"], "{run}");
    });
}

/// The program's methods are told of while the handler of JVM_INIT_DONE runs, and none before it.
#[test]
fn methods_begin_with_the_handler_of_init_done() {
    each_jdk(|jdk| {
        let agents = native("first_methods");
        let agents = agents.parent().unwrap().display();
        // With us and without an agent it is the same.
        for java in [Java::of(jdk), Java::with_shim(jdk)] {
            let java = java.main("Dumped");
            let end = java.file("end");
            let mut running = java.start();
            running.wait_for_line("ready");
            done(
                &running,
                &format!("attach --agents {agents} PID -Xrunfirst_methods:looks"),
            );
            fs::write(end, "").unwrap();
            let run = running.finish().no_crash().exits(0);
            assert_checks(&run.file("report.txt"), 3);
        }
    });
}

/// Agents of ours write what they write at the end, with events of every kind on.
#[test]
fn agents_write_what_they_write_at_the_end() {
    /// Handlers that are under way when an agent is detached come to their end.
    const UNDER_WAY: usize = 20;
    each_jdk(|jdk| {
        for (agent, what, after) in [
            ("jvmpi_trace", " JVM_SHUT_DOWN ", UNDER_WAY),
            ("jvmpi_sampler:interval=1", "CPU samples: ", 0),
            ("jvmpi_check", "check: 0 violations", 0),
        ] {
            let run = served(Java::of(jdk), |running| {
                let run = done(running, &format!("attach PID -Xrun{agent}"));
                if agent == "jvmpi_check" {
                    for late in [
                        "methods that are running have no METHOD_ENTRY",
                        "objects that were there before are told of",
                        "references of JNI that were there before",
                    ] {
                        assert!(run.stderr.contains(&format!("late: {late}")), "{run}");
                    }
                }
                done(running, "detach PID");
                // Into the stream itself, so that it stands where the agent has ended.
                let stderr = format!("/proc/{}/fd/2", running.pid());
                fs::write(stderr, "detached\n").unwrap();
            });
            let (before, behind) = run.stderr.split_once("detached\n").unwrap();
            assert!(before.contains(what), "{agent}: {run}");
            assert!(
                behind.lines().count() <= after,
                "{agent} is not muted: {run}"
            );
        }
        let run = served(Java::of(jdk), |running| {
            done(running, "attach PID --duration 100ms -Xrunjvmpi_dump");
            assert!(!file(running, "jvmpi.dump.txt").is_empty());
        });
        drop(run);
    });
}

/// An agent that is there from the start, too.
#[test]
fn detaches_what_was_there_from_the_start() {
    each_jdk(|jdk| {
        let java = Java::with_shim(jdk).arg("-Xrunhprof:cpu=times,file=profile");
        served(java, |running| {
            // The VM has started it: its name is its library's.
            refused(running, "detach PID foo", 20, "hprof is in it, and stays; ");
            let run = done(running, "detach PID hprof");
            assert!(run.stderr.contains("\nhprof has been told"), "{run}");
            assert!(file(running, "profile").contains("CPU TIME"));
            let words = "attach PID --duration 100ms -Xrunhprof:heap=sites,file=other";
            done(running, words);
            assert!(file(running, "other").contains("SITES BEGIN"));
        });
    });
}

/// The VM never rests from telling of deaths: the agent goes all the same, whoever detaches it is told,
/// and the program goes on to its end.
#[test]
fn detaches_while_the_vm_tells_of_deaths() {
    let visitor = native("visitor");
    // Of those from JDK 16 on, each of which would take eleven seconds.
    on_jdk(21, |jdk| {
        served(Java::of(jdk).library(&visitor), |running| {
            done(running, "attach PID -Xrunhprof:heap=sites,file=profile");
            let busy = folder(running).join("busy");
            fs::write(&busy, "").unwrap();
            load(running, &visitor, "busy");
            let run = done(running, "detach PID");
            let told = "telling of dead objects all the time";
            assert!(run.stderr.contains(told), "{run}");
            assert!(file(running, "profile").contains("SITES BEGIN"));
            fs::remove_file(busy).unwrap();
        });
    });
}

/// Nothing keeps the program's threads when the agent has gone, in whichever of its lives.
#[test]
fn threads_are_collected_after_it() {
    product::hprof();
    each_jdk(|jdk| {
        let java = Java::of(jdk).main("Collected");
        let end = java.file("end");
        let mut running = java.start();
        running.wait_for_line("ready");
        for profile in ["one", "two"] {
            let options = format!("cpu=samples,heap=sites,monitor=y,file={profile}");
            done(&running, &format!("attach PID -Xrunhprof:{options}"));
            done(&running, "detach PID");
        }
        fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        assert!(run.stdout.ends_with("\nleft 0\n"), "{run}");
    });
}

/// Hooks go with the agent, of whichever of its lives.
#[test]
fn hooks_are_taken_out() {
    let visitor = native("visitor");
    each_jdk(|jdk| {
        let run = served(Java::of(jdk).library(&visitor), |running| {
            let code = || {
                load(running, &visitor, "code");
                file(running, "visitor.txt").trim().parse::<i64>().unwrap()
            };
            let before = code();
            // In each method, and in those that park.
            for (profile, option, more) in [
                ("one", "cpu=times", 1000),
                ("parked", "monitor=y", 20),
                ("two", "cpu=times", 1000),
            ] {
                done(
                    running,
                    &format!("attach PID -Xrunhprof:{option},file={profile}"),
                );
                let with = code();
                assert!(
                    with > before + more,
                    "no hooks in {profile}: {before}, {with}"
                );
                done(running, "detach PID");
                assert_eq!(code(), before, "{profile}");
            }
        });
        drop(run);
    });
}

/// Virtual threads go on, mounted or not; those that compute all the time are in the samples.
#[test]
fn virtual_threads_go_on() {
    product::hprof();
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let java = Java::of(jdk).main_in(&classes_of_17(), "Spinning");
        let end = java.file("end");
        let mut running = java.start();
        running.wait_for_line("ready");
        let computes = |duration: &str, options: &str, section: &str| {
            let name = options.rsplit('=').next().unwrap_or_default();
            let words = format!("attach PID --duration {duration} -Xrunhprof:{options}");
            done(&running, &words);
            let profile = file(&running, name);
            let found = profile.split(section).nth(1);
            found.expect(section).contains("Spinning.compute")
        };
        // What had begun before has no METHOD_ENTRY.
        let entered = computes(
            "300ms",
            "cpu=times,monitor=y,file=one",
            "CPU TIME (ms) BEGIN",
        );
        assert!(!entered, "{jdk}");
        // On a busy machine neither of the two may get a processor for a while.
        let seen = ["300ms", "3s", "30s"].iter().any(|duration| {
            let options = format!("cpu=samples,interval=1,file=for-{duration}");
            computes(duration, &options, "CPU SAMPLES BEGIN")
        });
        assert!(seen, "{jdk}");
        fs::write(end, "").unwrap();
        let run = running.finish().no_crash().exits(0);
        assert!(run.stdout.ends_with("done\n"), "{run}");
    });
}

/// A profile for longer than the program lives is that of its whole life.
#[test]
fn a_duration_longer_than_the_program() {
    each_jdk(|jdk| {
        let mut waiting = None;
        let run = served(Java::of(jdk), |running| {
            waiting = Some(Waiting::attached(running, "1h"));
        });
        let (code, said) = waiting.unwrap().ends();
        assert_eq!(code, Some(18), "{said}");
        assert!(said.contains("the program has ended; "), "{said}");
        assert!(run.file("profile").contains("SITES BEGIN"), "{run}");
    });
}

/// Who interrupts it ends the profile, not xrun before it is written.
#[test]
fn an_interrupt_ends_the_profile() {
    each_jdk(|jdk| {
        served(Java::of(jdk), |running| {
            let (code, said) = Waiting::attached(running, "1h").interrupted();
            assert_eq!(code, Some(0), "{said}");
            assert!(file(running, "profile").contains("SITES BEGIN"), "{said}");
        });
    });
}

/// Somebody else has detached it meanwhile, and attached another: that one goes on.
#[test]
fn the_end_of_a_duration_is_that_of_its_own_agent() {
    on_jdk(17, |jdk| {
        served(Java::of(jdk), |running| {
            let waiting = Waiting::attached(running, "1h");
            done(running, "detach PID");
            let counter = product::agent("counter");
            done(
                running,
                &format!("attach PID -agentpath:{}", counter.display()),
            );
            let (code, said) = waiting.interrupted();
            assert_eq!(code, Some(20), "{said}");
            assert!(
                said.contains("jvmpi_counter is in it, and stays; "),
                "{said}"
            );
            // As it was named.
            done(
                running,
                &format!("detach PID -agentpath:{}", counter.display()),
            );
            let waiting = Waiting::attached(running, "1h");
            done(running, "detach PID");
            let (code, said) = waiting.interrupted();
            assert_eq!(code, Some(19), "{said}");
        });
    });
}

/// glibc has room for some copies of the libraries; who comes when there is none is told so.
#[test]
fn as_many_as_there_is_room_for() {
    const MORE_THAN_THERE_IS_ROOM_FOR: usize = 9;
    on_jdk(17, |jdk| {
        // What the C library has without being asked for more.
        let java = Java::of(jdk).env("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=512");
        let run = served(java, |running| {
            let words = "attach PID --duration 1ms -Xrunhprof:cpu=samples,file=profile";
            let mut tries = (0..MORE_THAN_THERE_IS_ROOM_FOR).map(|_| xrun(running, words));
            let came = tries.by_ref().take_while(|run| run.code() == 0).count();
            assert!(came >= 3, "{came}");
            refused(
                running,
                words,
                1,
                "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=",
            );
        });
        drop(run);
    });
}

/// An xrun that has attached HPROF for a while, and waits.
struct Waiting {
    xrun: Child,
    said: BufReader<ChildStderr>,
}

impl Waiting {
    fn attached(running: &Running, duration: &str) -> Self {
        let mut xrun = product::xrun_command()
            .args(["attach", &running.pid().to_string(), "--duration", duration])
            .arg("-Xrunhprof:heap=sites,file=profile")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(xrun.stderr.take().unwrap());
        let mut line = String::new();
        // What the agent has to tell comes when it is there.
        said.read_line(&mut line).unwrap();
        assert!(line.contains("late: objects that were there"), "{line}");
        Self { xrun, said }
    }

    /// The same once it has been interrupted.
    fn interrupted(self) -> (Option<i32>, String) {
        let pid = self.xrun.id().to_string();
        let status = Command::new("kill").args(["-INT", &pid]).status();
        assert!(status.unwrap().success());
        self.ends()
    }

    /// Its exit code, and what it has said since.
    fn ends(mut self) -> (Option<i32>, String) {
        let mut text = String::new();
        self.said.read_to_string(&mut text).unwrap();
        (self.xrun.wait().unwrap().code(), text)
    }
}

/// Each one line and a code of its own; the program goes on.
#[test]
fn what_cannot_be_attached_is_left_alone() {
    let (refuses, visitor) = (native("refuses"), native("visitor"));
    each_jdk(|jdk| {
        let run = served(Java::of(jdk).library(&refuses), |running| {
            let by_name = |words: &str, code, part| refused(running, words, code, part);
            by_name("attach PID -Xrunnosuch", 1, "no libnosuch.so");
            by_name(
                "attach PID -Xrunhprof:cpu=bogus",
                1,
                "samples, times or old expected",
            );
            let jvmti = format!("attach PID -Xrun{}:x", visitor.display());
            by_name(&jvmti, 17, "has neither JVM_OnLoad");
            let zip = format!(
                "attach PID -Xrun{}",
                jdk.home.join("lib/libzip.so").display()
            );
            by_name(&zip, 17, "so it is no agent");
            let bad = format!("attach PID -Xrun{}:bad", refuses.display());
            by_name(&bad, 1, "JVM_OnLoad of");
            by_name("attach PID", 2, "xrun attach PID");
            by_name(
                "attach PID --duration 3d -Xrunhprof",
                2,
                "--duration needs a time",
            );
            // A start that has failed is no agent.
            by_name("detach PID", 19, "no agent to detach");
        });
        assert!(!run.stderr.contains("Full thread dump"), "{run}");
        assert!(!run.stderr.contains("jvmpi: "), "{run}");
        let run = served(
            Java::of(jdk).arg("-XX:+DisableAttachMechanism"),
            |running| {
                let words = "attach PID -Xrunhprof:cpu=samples";
                refused(running, words, 13, "-XX:+DisableAttachMechanism");
            },
        );
        // That is what the VM answers a SIGQUIT with.
        assert!(!run.stderr.contains("Full thread dump"), "{run}");
        served(
            Java::of(jdk).arg("-XX:-EnableDynamicAgentLoading"),
            |running| {
                let words = "attach PID -Xrunhprof:cpu=samples";
                refused(running, words, 14, "-XX:-EnableDynamicAgentLoading");
            },
        );
        served(Java::of(jdk), |running| {
            let request = format!("/tmp/.attach_pid{}", running.pid());
            fs::write(&request, "").unwrap();
            let words = "attach PID -Xrunhprof:cpu=samples,file=profile";
            refused(running, words, 15, "another attach is under way");
            fs::remove_file(&request).unwrap();
            done(running, words);
        });
        served(Java::of(jdk), |running| {
            let profiles = "attach PID --duration 200ms -Xrunhprof:cpu=samples,file=profile";
            refused_while_stopped(running, profiles);
            done(running, profiles);
            // It has a socket by now, which takes connections though nobody answers.
            refused_while_stopped(running, profiles);
            refused_while_stopped(running, "detach PID");
        });
    });
}

fn refused_while_stopped(running: &mut Running, words: &str) {
    running.signal("STOP");
    // The kernel stops it when it comes to it.
    let state = |running: &Running| running.status("State").unwrap_or_default();
    while !state(running).starts_with('T') {
        std::thread::yield_now();
    }
    refused(running, words, 13, "is stopped");
    running.signal("CONT");
}

/// Processes that are no VMs are never sent a signal: it would end them.
#[test]
fn other_processes_are_left_alone() {
    let pid = |words: String| {
        let mut command = product::xrun_command();
        command.args(words.split(' '));
        run::output(command, 60)
    };
    let run = pid(format!("attach {} -Xrunhprof", i32::MAX));
    assert_eq!((run.code(), run.stderr.lines().count()), (10, 1), "{run}");
    let mut sleep = Command::new("sleep").arg("100").spawn().unwrap();
    for words in ["attach PID -Xrunhprof", "detach PID"] {
        let run = pid(words.replace("PID", &sleep.id().to_string()));
        assert_eq!((run.code(), run.stderr.lines().count()), (11, 1), "{run}");
        assert!(run.stderr.contains("not a JVM"), "{run}");
    }
    assert!(sleep.try_wait().unwrap().is_none(), "it was ended");
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    for (files, part) in [
        (["libjvm.so", "ld-musl-x86_64.so.1"], "a VM for musl"),
        (["libjvm.so", "libj9vm29.so"], "an OpenJ9 VM"),
    ] {
        let folder = fixture::unique("mapped");
        let files = files.map(|name| folder.join(name));
        for file in &files {
            fs::write(file, "mapped").unwrap();
        }
        let mut maps = Command::new("python3");
        maps.args(["-c", MAPS]).args(&files).stdout(Stdio::piped());
        let mut maps = maps.spawn().unwrap();
        let mut ready = String::new();
        let mut said = BufReader::new(maps.stdout.take().unwrap());
        said.read_line(&mut ready).unwrap();
        let run = pid(format!("attach {} -Xrunhprof", maps.id()));
        maps.kill().unwrap();
        maps.wait().unwrap();
        fs::remove_dir_all(folder).unwrap();
        assert_eq!((run.code(), run.stderr.lines().count()), (11, 1), "{run}");
        assert!(run.stderr.contains(part), "{run}");
    }
}

/// Has these files mapped, until it is ended.
const MAPS: &str = "
import mmap, sys, time
files = [open(name, 'rb') for name in sys.argv[1:]]
maps = [mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) for file in files]
print('ready', flush=True)
time.sleep(100)
";

/// As root for another user's program; as another user not.
#[test]
fn users() {
    const NOBODY: u32 = 65534;
    if !is_root() {
        return not_run("another user's program", "only root can be another user");
    }
    each_jdk(|jdk| {
        served(Java::of(jdk), |running| {
            // Where others can run it.
            let copy = std::env::temp_dir().join(format!("xrun-of-others-{}", running.pid()));
            fs::create_dir(&copy).unwrap();
            fs::set_permissions(&copy, Permissions::from_mode(0o755)).unwrap();
            fs::copy(product::xrun(), copy.join("xrun")).unwrap();
            fs::copy(product::shim(), copy.join("libjvmpi.so")).unwrap();
            let mut command = Command::new(copy.join("xrun"));
            let pid = running.pid().to_string();
            command.args(["attach", &pid, "-Xrunhprof"]);
            command.current_dir("/").uid(NOBODY).gid(NOBODY);
            let run = run::output(command, 60);
            let mut command = Command::new(copy.join("xrun"));
            command.arg("ps").current_dir("/").uid(NOBODY).gid(NOBODY);
            let listed = row_of(running, &run::output(command, 60).exits(0));
            fs::remove_dir_all(&copy).unwrap();
            assert_eq!((run.code(), run.stderr.lines().count()), (12, 1), "{run}");
            assert!(run.stderr.contains("another user"), "{run}");
            assert!(listed.contains("(of another user"), "{listed}");
        });
    });
}

pub(crate) fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Uid:\t0\t0\t"))
}

/// Version 1 of the VM's protocol takes 1024 bytes, version 2 any number.
#[test]
fn long_options() {
    let is_new = |jdk: &Jdk| jdk.major >= 25;
    let words = |depths: usize| {
        let depths = "depth=8,".repeat(depths);
        format!("attach PID -Xrunhprof:{depths}cpu=samples,file=profile")
    };
    each_jdk(|jdk| {
        served(Java::of(jdk), |running| {
            if is_new(jdk) {
                done(running, &words(400));
            } else {
                refused(running, &words(400), 2, "no options longer than 1024 bytes");
                done(running, &words(60));
            }
            done(running, "detach PID");
            assert!(file(running, "profile").contains("CPU SAMPLES BEGIN"));
        });
    });
}

/// The row of this program in a list.
fn row_of(running: &Running, ps: &Run) -> String {
    let pid = running.pid().to_string();
    let own = |line: &&str| line.split_whitespace().next() == Some(&*pid);
    ps.stdout.lines().find(own).unwrap_or_default().to_owned()
}

#[test]
fn ps_lists_what_can_be_attached_to() {
    each_jdk(|jdk| {
        for (option, note) in [
            ("-Dx=y", ""),
            ("-XX:+DisableAttachMechanism", "cannot be attached"),
        ] {
            served(Java::of(jdk).arg(option), |running| {
                let run = xrun(running, "ps").exits(0);
                let heading: Vec<&str> = run.stdout.lines().take(1).collect();
                assert_eq!(
                    heading,
                    ["    PID  USER       JDK          PROGRAM"],
                    "{run}"
                );
                let line = row_of(running, &run);
                assert!(line.contains(" Serving") && line.contains(note), "{run}");
                assert!(jdk.is_in_row(&line), "{run}");
                refused(running, "ps x", 2, "nothing behind it");
                if note.is_empty() {
                    assert!(!line.contains("libjvmpi"), "{line}");
                    done(running, "attach PID -Xrunhprof:cpu=samples,file=profile");
                    let line = row_of(running, &xrun(running, "ps").exits(0));
                    assert!(line.ends_with("(libjvmpi.so is loaded)"), "{line}");
                }
            });
        }
    });
}

/// In a container root mostly lacks the right to look into processes that have more than it.
#[test]
fn root_without_its_rights_is_told_what_to_do() {
    const LESS: &str = "-sys_ptrace,-perfmon,-sys_admin";
    let less = |words: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set", LESS, "--inh-caps", LESS]);
        command.args(words);
        command
    };
    // Root that never had them has as many as the program, and may look.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let bits = effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    let has_all = bits.is_some_and(|bits| bits >> 19 & 1 != 0);
    if !has_all || !less(&["true"]).output().is_ok_and(|it| it.status.success()) {
        return not_run("JDK 17", "setpriv(1) as root takes rights away");
    }
    on_jdk(17, |jdk| {
        served(Java::of(jdk), |running| {
            let xrun = product::xrun().display().to_string();
            let pid = running.pid().to_string();
            let advice = "the container with --cap-add SYS_PTRACE";
            let run = run::output(less(&[&xrun, "attach", &pid, "-Xrunhprof"]), 60);
            assert_eq!(run.code(), 12, "{run}");
            assert!(run.stderr.contains(advice), "{run}");
            let run = run::output(less(&[&xrun, "ps"]), 60).exits(0);
            assert!(row_of(running, &run).contains(advice), "{run}");
        });
    });
}
