//! A sampler of the period does its job.

use std::path::Path;

use event_translate::internals::NEWEST_KNOWN_JDK;
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if};
use xrun_tests::product;
use xrun_tests::run::{Java, Run};

/// `83.50%  method (File.java:8)` of the first line of the ranking.
fn first(run: &Run) -> (f64, String) {
    let report = run.file("profile.txt");
    let line = report
        .lines()
        .find(|line| line.trim_start().starts_with("1 ") && line.contains('%'))
        .unwrap_or_else(|| panic!("no ranking:\n{report}\n{run}"));
    let mut words = line.split_whitespace();
    let share = words.nth(1).unwrap().trim_end_matches('%').parse().unwrap();
    (share, words.skip(2).collect::<Vec<_>>().join(" "))
}

/// The number behind these words.
fn number(report: &str, after: &str) -> f64 {
    let rest = report.split(after).nth(1).unwrap().trim_start();
    let end = rest.find([' ', ',']).unwrap();
    rest[..end].parse().unwrap()
}

/// Whether one that is to look every 5 ms did so less than a third as often: the machine has much else to do.
fn looked_seldom(report: &str) -> bool {
    let (seconds, looks) = (number(report, " in "), number(report, "(every 5 ms, "));
    3.0 * 0.005 * looks < seconds
}

/// A program of x86-64 in a container of a machine of another kind: qemu-user before 9.0 gives handlers of signals a
/// stack that no function of C expects.
#[test]
fn known_hot_method_comes_first_under_qemu() {
    product::agent("sampler");
    let qemu = Path::new("/usr/bin/qemu-x86_64-static");
    let needs = |jdk: &Jdk| match () {
        () if xrun_tests::cross().is_some() => Err("for x86-64".into()),
        () if !qemu.exists() => Err("no qemu-x86_64-static (Debian: qemu-user-static)".into()),
        // Here they do not start so, whoever is attached.
        () if jdk.major > 25 => Err("a C library of its own".into()),
        () => Ok(()),
    };
    each_jdk_if(needs, |jdk| {
        let java = Java::with_shim(jdk).arg("-Xrunjvmpi_sampler:interval=5,file=profile.txt");
        let run = java.through(qemu).main("Hot").run().exits(0).says("done\n");
        let (share, method) = first(&run);
        let report = run.file("profile.txt");
        assert!(method.starts_with("Hot.hot (Hot.java:"), "{report}");
        assert!(share > 80.0, "{report}");
    });
}

#[test]
fn known_hot_method_comes_first() {
    product::agent("sampler");
    each_jdk(|jdk| {
        let java =
            Java::with_shim(jdk).arg("-Xrunjvmpi_sampler:interval=5,file=profile.txt,threads");
        let run = java.main("Hot").run().exits(0).says("done\n");
        let (share, method) = first(&run);
        let report = run.file("profile.txt");
        assert!(method.starts_with("Hot.hot (Hot.java:"), "{report}");
        // The loop: its head or its body.
        let line: u32 = method
            .rsplit(':')
            .next()
            .unwrap()
            .trim_end_matches(')')
            .parse()
            .unwrap();
        assert!((7..=8).contains(&line), "{report}");
        assert!(share > 80.0, "{report}");
        assert!(!report.contains("never announced"), "{report}");
        // 2 s at 5 ms are 400 ticks; on a loaded machine there is a small part of them, and at some of these it has
        // not run since the last one.
        let samples = number(&report, "CPU samples: ");
        let few = looked_seldom(&report) && 10.0 * samples > number(&report, "ms, ");
        assert!(samples > 20.0 || few, "{report}");
    });
}

/// What compiled code has the VM's own routines do is the time of the method that calls them,
/// not of the one it returns to.
#[test]
fn copying_is_the_copier_s_time() {
    product::agent("sampler");
    let has_signal_stacks = |jdk: &Jdk| {
        let is_known = i64::from(jdk.major) <= i64::from(NEWEST_KNOWN_JDK);
        let none = || "it is too new for stacks by a signal".to_owned();
        is_known.then_some(()).ok_or_else(none)
    };
    each_jdk_if(has_signal_stacks, |jdk| {
        let java = Java::with_shim(jdk)
            .arg("-Xrunjvmpi_sampler:interval=5,file=profile.txt")
            .args([
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=dontinline,Copies.*",
            ]);
        let run = java.main("Copies").limit(120).run().exits(0);
        let report = run.file("profile.txt");
        let samples = |method: &str| -> f64 {
            let lines = report.lines().filter(|line| line.contains(method));
            let counts = lines.filter_map(|line| {
                let mut words = line.split_whitespace();
                words.next()?.parse::<u32>().ok()?;
                words.next()?.strip_suffix('%')?;
                words.nth(1)?.parse::<f64>().ok()
            });
            counts.sum()
        };
        // Of what it does itself: how long it takes to begin is the machine's affair.
        let all = samples("Copies.");
        assert!(all >= 10.0, "{report}");
        let share = |method: &str| 100.0 * samples(method) / all;
        let copied: f64 = run.stdout.trim().parse().unwrap();
        assert!((10.0..90.0).contains(&copied), "{run}");
        // Where much else runs there are few samples: four standard errors. And who has no processor gives no stack by a
        // signal: some of those that are taken where it stops are of `main`.
        let off = 4.0 * (copied * (100.0 - copied) / all).sqrt();
        let (most_off, most_of_main) = if looked_seldom(&report) {
            (off.max(15.0), (copied / 2.0).max(10.0))
        } else {
            (15.0, 10.0)
        };
        let (copy, main) = (share("Copies.copy ("), share("Copies.main ("));
        assert!(
            (copy - copied).abs() < most_off && main < most_of_main,
            "{copied}\n{report}"
        );
    });
}

/// How often a thread of this process has waited: a sampler does so several times for each look.
fn waits(pid: u32, name: &str) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let read = |task: &Path, file: &str| std::fs::read_to_string(task.join(file));
    let mut tasks = tasks.flatten().map(|task| task.path());
    let own = tasks.find(|task| read(task, "comm").is_ok_and(|comm| comm.trim() == name));
    let status = own.and_then(|task| read(&task, "status").ok());
    let status = status.unwrap_or_default();
    let key = "voluntary_ctxt_switches:";
    let waits = status.lines().find_map(|line| line.strip_prefix(key));
    waits.map_or(0, |waits| waits.trim().parse().unwrap())
}

/// An idle program gives no samples: ThreadHasRun tells.
#[test]
fn idle_program_gives_few_samples() {
    product::agent("sampler");
    each_jdk(|jdk| {
        let java = Java::with_shim(jdk).arg("-Xrunjvmpi_sampler:interval=5,file=profile.txt");
        let end = java.file("end");
        let mut running = java.main("Dumped").start();
        running.wait_for_line("ready");
        // On a loaded machine it looks seldom.
        for _ in 0..40 {
            std::thread::sleep(std::time::Duration::from_millis(1500));
            if waits(running.pid(), "jvmpi sampler") > 200 {
                break;
            }
        }
        std::fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        let report = run.file("profile.txt");
        let (samples, ticks) = (number(&report, "CPU samples: "), number(&report, "ms, "));
        assert!(ticks > 10.0, "{report}");
        // It wakes every 5 ms to look for the file: some samples, not one a tick and thread.
        assert!(samples < 3.0 * ticks, "{report}");
    });
}

/// kill -QUIT prints a profile while the program goes on.
#[test]
fn profile_on_demand() {
    product::agent("sampler");
    each_jdk(|jdk| {
        let java = Java::with_shim(jdk).arg("-Xrunjvmpi_sampler:interval=5,file=profile.txt");
        let [profile, end] = ["profile.txt", "end"].map(|name| java.file(name));
        let mut running = java.main("Hot 40000 end").start();
        let mut early = String::new();
        // Until it has been sampled.
        for _ in 0..300 {
            running.signal("QUIT");
            std::thread::sleep(std::time::Duration::from_millis(100));
            early = std::fs::read_to_string(&profile).unwrap_or_default();
            if early.contains("Hot.hot") {
                break;
            }
        }
        assert!(early.contains("Hot.hot"), "{early}");
        std::fs::write(end, "").unwrap();
        running.finish().exits(0);
    });
}

/// The issue's own command line: `xrun java -Xrunfoo App`.
#[test]
fn through_xrun() {
    product::agent("sampler");
    each_jdk(|jdk| {
        let java = Java::of(jdk)
            .no_libraries()
            .arg("-Xrunjvmpi_sampler:interval=5,file=profile.txt")
            .main("Hot");
        let run = java.through(&product::xrun()).run().exits(0).says("done\n");
        let (share, method) = first(&run);
        assert!(
            method.starts_with("Hot.hot (Hot.java:") && share > 80.0,
            "{}",
            run.file("profile.txt")
        );
    });
}
