//! HPROF in processes that come and go: names that many have at once, and what is left of a
//! profile when its process ends in any way.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, each_jdk, not_run, on_jdk};
use xrun_tests::product;
use xrun_tests::run::Java;

fn java(jdk: &Jdk, options: &str) -> Java {
    product::hprof();
    Java::with_shim(jdk).arg(format!("-Xrunhprof:{options}"))
}

fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").expect("the kernel's");
    name.trim().to_owned()
}

/// Waits until something is true of a file, for a minute.
fn wait_for(path: &Path, what: &str, mut is_true: impl FnMut(&Path) -> bool) {
    for _ in 0..1200 {
        if is_true(path) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{}: {what} is not to be seen", path.display());
}

fn has_content(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.len() > 0)
}

#[test]
fn every_output_has_the_names_of_its_process() {
    on_jdk(17, |jdk| {
        let run = java(jdk, "heap=sites,file=%h-%x{POD}-%p-%t.txt")
            .env("POD", "web-0")
            .env("JVMPI_OPTIONS", "log-file=%x{POD}-%h.log,log=info")
            .main("HprofSites")
            .run()
            .exits(0);
        let names: Vec<String> = run.files();
        let (host, year) = (host(), "-20");
        let profile = names
            .iter()
            .find(|name| name.starts_with(&format!("{host}-web-0-")) && name.ends_with(".txt"));
        let profile = profile.unwrap_or_else(|| panic!("{names:?}"));
        assert!(profile.contains(year), "{profile}");
        assert!(names.contains(&format!("web-0-{host}.log")), "{names:?}");
        assert!(hprof_ascii::read(&run.file(profile)).is_ok());

        let run = java(jdk, "heap=sites,file=a%x{NO_SUCH}b.txt")
            .main("HprofSites")
            .run()
            .exits(0);
        assert!(
            run.stderr.contains(
                "hprof: %x{NO_SUCH} in file= is not set: nothing stands there; writing ab.txt\n"
            ),
            "{run}"
        );
        assert!(run.files().contains(&"ab.txt".to_owned()));

        let recorded = Java::of(jdk)
            .arg(xrun_tests::run::agent_path(
                &product::shim(),
                "trace=%h-%x{POD}.rec",
            ))
            .arg("-Xrunhprof:heap=sites,file=profile")
            .env("POD", "web-0")
            .main("HprofSites")
            .run()
            .exits(0);
        assert!(recorded.files().contains(&format!("{host}-web-0.rec")));
    });
}

#[test]
fn who_is_terminated_leaves_a_profile() {
    each_jdk(|jdk| {
        for format in ["a", "b", "collapsed", "json", "flame"] {
            let options = format!("heap=sites,format={format},file=profile");
            let java = java(jdk, &options);
            let profile = java.file("profile");
            let mut running = java.main("Dumped").start();
            running.wait_for_line("ready");
            assert!(!has_content(&profile));
            running.signal("TERM");
            let run = running.finish();
            assert_eq!(run.status.code(), Some(143), "{run}");
            assert!(has_content(&profile), "{format}: {run}");
        }
    });
}

/// As after a crash, or a kill for want of memory.
#[test]
fn who_is_killed_leaves_the_profile_so_far() {
    on_jdk(17, |jdk| {
        for format in ["a", "b", "collapsed", "json"] {
            let options = format!("heap=sites,cpu=samples,format={format},rewrite=1s,file=profile");
            let options = match format {
                "collapsed" => options.replace("cpu=samples,", ""),
                _ => options,
            };
            let java = java(jdk, &options);
            let profile = java.file("profile");
            let mut running = java.main("Dumped").start();
            running.wait_for_line("ready");
            wait_for(&profile, "a profile", has_content);
            let first = profile.metadata().expect("it is there").ino();
            // Whoever looks meanwhile sees whole ones.
            wait_for(&profile, "another one", |path| {
                let bytes = fs::read(path).expect("it is there");
                assert_whole(format, &bytes);
                path.metadata().is_ok_and(|data| data.ino() != first)
            });
            running.signal("KILL");
            let run = running.finish();
            assert_whole(format, &run.bytes("profile"));
            assert!(!run.stderr.contains("Dumping"), "{run}");
        }
    });
}

/// All that was to be in it is there, and once.
fn assert_whole(format: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match format {
        "a" => {
            let ascii = hprof_ascii::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!((ascii.sites.len(), ascii.cpu.len()), (1, 1), "{text}");
        }
        "b" => {
            assert!(bytes.starts_with(b"JAVA PROFILE 1.0.1\0"));
            assert_eq!(text.matches("JAVA PROFILE").count(), 1);
        }
        "collapsed" => assert!(text.ends_with('\n') && text.lines().count() > 1, "{text}"),
        _ => assert!(text.starts_with('{') && text.ends_with("}\n"), "{text}"),
    }
}

/// The end is a dump like the others; nobody rewrites into a pipe.
#[test]
fn the_last_profile_is_that_of_the_end() {
    on_jdk(17, |jdk| {
        let java_ = java(jdk, "heap=sites,rewrite=1,file=profile");
        let (profile, end) = (java_.file("profile"), java_.file("end"));
        let mut running = java_.main("Dumped").start();
        running.wait_for_line("ready");
        wait_for(&profile, "a profile", has_content);
        fs::write(end, "").expect("a folder of ours");
        let run = running.finish().exits(0);
        let ascii = hprof_ascii::read(&run.file("profile")).expect("a profile");
        assert_eq!(ascii.sites.len(), 1, "{run}");
        assert!(run.stderr.contains(" done: profile\n"), "{run}");
        let run = java(jdk, "heap=sites,rewrite=60s,file=/dev/stderr")
            .main("HprofSites")
            .run()
            .exits(0);
        assert!(
            run.stderr
                .contains("/dev/stderr is no file: rewrite= does nothing"),
            "{run}"
        );
    });
}

/// As in a container whose root cannot be written and whose /tmp is small.
#[test]
fn little_room_is_one_line() {
    let made = Command::new("unshare").args(["-m", "true"]).output();
    if !made.is_ok_and(|made| made.status.success()) {
        not_run(
            "HPROF in a container with little room",
            "unshare(1) as root makes one",
        );
        return;
    }
    on_jdk(17, |jdk| {
        for (mount, says) in [
            ("ro", "cannot write room/profile: Read-only file system"),
            ("size=4k", "room/profile: No space left on device"),
        ] {
            for options in [
                "heap=sites",
                "heap=dump,format=b",
                "heap=sites,format=json,rewrite=1s",
            ] {
                let line = format!(
                    "mkdir room && exec unshare -m sh -c 'mount -t tmpfs -o {mount} none room && exec \"$@\"' x \"$@\""
                );
                let run = java(jdk, &format!("{options},depth=30,file=room/profile"))
                    .main("HprofSites")
                    .shell(&line)
                    .run()
                    .exits(0)
                    .says("done\n");
                let lines: Vec<&str> = run
                    .stderr
                    .lines()
                    .filter(|line| line.starts_with("hprof: "))
                    .collect();
                assert!(
                    matches!(&lines[..], [line] if line.contains(says)),
                    "{options}, {mount}: {run}"
                );
            }
        }
    });
}
