//! What is shown of how far something is: on a terminal, in one line that is gone behind it, and
//! nowhere else.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use xrun_tests::fixture::native;
use xrun_tests::jdk::{Jdk, each_jdk, on_jdk};
use xrun_tests::product;
use xrun_tests::run::{self, Java, Run, agent_path};

use crate::attach_command::served;
use crate::containers::vm_below;

/// What a terminal shows that was told this.
fn screen(told: &str) -> String {
    let mut shown: Vec<Vec<char>> = vec![Vec::new()];
    let mut column = 0;
    let mut rest = told;
    while let Some(letter) = rest.chars().next() {
        let line = shown.last_mut().unwrap();
        if let Some(behind) = rest.strip_prefix("\u{1b}[K") {
            line.truncate(column);
            rest = behind;
            continue;
        }
        match letter {
            '\r' => column = 0,
            '\n' => shown.push(Vec::new()),
            letter => {
                assert!(!letter.is_control(), "{told:?}");
                line.resize(line.len().max(column + 1), ' ');
                line[column] = letter;
                column += 1;
            }
        }
        rest = &rest[letter.len_utf8()..];
    }
    let lines = shown.iter().map(|line| line.iter().collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_screen_is_written_over() {
    assert_eq!(screen("a\r\nbcd\rx"), "a\nxcd");
    assert_eq!(screen("a\r\nbcd\r\u{1b}[Kx\r\u{1b}[K"), "a\n");
}

/// Runs it on a terminal, and stops it again and again behind this line, so that whatever it does
/// then takes more than two seconds, until it has said how far `what` is. All that the terminal is told.
fn slowly(java: Java, line: &str, what: &str) -> String {
    let java = java.shell(
        "for word; do printf \"'%s' \" \"$word\"; done >command
        exec script -qefc 'exec sh ./command' typescript",
    );
    // It is in a session of `script`'s: that it waits for a processor is not seen there.
    let java = java.limit(240);
    let typescript = java.file("typescript");
    let mut running = java.start();
    running.wait_for_line(line);
    let vm = vm_below(running.pid()).expect("a VM");
    let send = |signal: &str| {
        // It may be gone.
        let mut kill = Command::new("sh");
        let _ = kill
            .args(["-c", "kill -s \"$0\" \"$1\"", signal, &vm])
            .status();
    };
    let told = || fs::read_to_string(&typescript).unwrap_or_default();
    while !running.has_ended() && !told().contains(what) {
        send("STOP");
        sleep(Duration::from_millis(2200));
        send("CONT");
        sleep(Duration::from_millis(200));
    }
    let run = running.finish().exits(0);
    assert!(!run.stdout.is_empty(), "{run}");
    run.stdout
}

fn asks_for_a_dump(jdk: &Jdk) -> Java {
    Java::with_helper(jdk, "many_objects", "").main("ManyObjects")
}

#[test]
fn a_heap_dump_says_how_far_it_is() {
    each_jdk(|jdk| {
        let told = slowly(asks_for_a_dump(jdk), "asking", "jvmpi: heap dump: ");
        assert!(told.contains("\r\u{1b}[Kjvmpi: heap dump: "), "{told:?}");
        assert_eq!(screen(&told), "asking\nheard\nprompt> ", "{told:?}");
    });
}

#[test]
fn elsewhere_it_does_not() {
    each_jdk(|jdk| {
        let mut running = asks_for_a_dump(jdk).start();
        running.wait_for_line("asking");
        running.signal("STOP");
        sleep(Duration::from_millis(2200));
        running.signal("CONT");
        let run = running.finish().exits(0);
        assert_eq!(run.stderr, "heard\nprompt> ", "{run}");
    });
}

#[test]
fn hprof_says_how_far_its_dump_is() {
    product::hprof();
    each_jdk(|jdk| {
        let java = Java::with_shim(jdk).arg("-Xrunhprof:heap=dump,file=profile");
        let java = java.main("ManyObjects later");
        let told = slowly(java, "asking", "hprof: heap dump:");
        assert!(told.contains("\u{1b}[Khprof: heap dump:"), "{told:?}");
        let shown = screen(&told);
        let end = "Dumping Java heap ... done: profile\n";
        assert!(
            shown.starts_with("asking\n") && shown.ends_with(end),
            "{told:?}"
        );
    });
}

/// xrun on a terminal.
fn xrun(folder: &Path, words: &str) -> Run {
    let mut script = Command::new("script");
    let line = format!("{} {words}", product::xrun().display());
    script
        .args(["-qefc", &line, "/dev/null"])
        .current_dir(folder);
    run::output(script, 60)
}

#[test]
fn attach_says_how_far_it_is() {
    on_jdk(17, |jdk| {
        let run = served(Java::of(jdk), |running| {
            let pid = running.pid();
            let hprof = "-Xrunhprof:cpu=samples,file=profile";
            let words = format!("attach {pid} --duration 1s {hprof}");
            let told = xrun(Path::new("."), &words).exits(0).stdout;
            let line = format!("\r\u{1b}[Kprofiling {pid} for 1 s \u{2026} ");
            assert!(told.contains(&line), "{told:?}");
            let shown = screen(&told);
            assert!(shown.contains("hprof has been told"), "{shown}");
            assert!(!shown.contains("profiling"), "{shown}");
        });
        drop(run);
    });
}

/// A replay's line is gone when the agent writes, at the VM's end or when it ends the process, and while xrun says something.
#[test]
fn a_replay_says_how_far_it_is() {
    let library = native("sleeps");
    on_jdk(17, |jdk| {
        let java = Java::of(jdk).arg(agent_path(&product::shim(), "trace=run.rec"));
        let java = java.library(&library).arg("-Xrunsleeps:1");
        let run = java.main("Hello").run().exits(0);
        let agent = library.display();
        let said = |options: &str| {
            let words = format!("replay run.rec --agent {agent}:{options}");
            let told = xrun(run.folder(), &words).exits(0).stdout;
            let line = "\r\u{1b}[Kxrun: replay of run.rec: ";
            assert!(told.contains(line), "{told:?}");
            screen(&told)
        };
        let (ended, left) = std::thread::scope(|scope| {
            let ended = scope.spawn(|| said("5000,jni"));
            let left = said("5000,exit");
            (ended.join().unwrap(), left)
        });
        assert!(ended.starts_with("xrun: the agent calls JNI "), "{ended:?}");
        assert!(ended.contains("\ncounted "), "{ended:?}");
        assert_eq!(left, "left\n");
    });
}
