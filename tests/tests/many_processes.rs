//! HPROF in processes that come and go: names that many have at once, and what is left of a
//! profile when its process ends in any way.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use profile_formats::pprof;
use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, each_jdk, not_run, on_jdk};
use xrun_tests::run::{Java, Running, agent_path};
use xrun_tests::{product, workspace};

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
            .arg(agent_path(&product::shim(), "trace=%h-%x{POD}.rec"))
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
        at_once(&FORMATS, |format| {
            let java = java(jdk, &format!("{},file=profile", options(format)));
            let profile = java.file("profile");
            let mut running = java.main("Dumped").start();
            running.wait_for_line("ready");
            assert!(!has_content(&profile));
            running.signal("TERM");
            let run = running.finish();
            assert_eq!(run.status.code(), Some(143), "{run}");
            assert_whole(format, &run.bytes("profile"));
        });
    });
}

/// As after a crash, or a kill for want of memory.
#[test]
fn who_is_killed_leaves_the_profile_so_far() {
    on_jdk(17, |jdk| {
        at_once(&FORMATS, |format| killed(jdk, format, "Dumped", |_| ()));
    });
}

/// Executors and jobs live for seconds; exact modes too write as they go.
#[test]
fn who_is_killed_young_leaves_a_profile() {
    on_jdk(17, |jdk| {
        at_once(&["cpu=times", "monitor=y"], |mode| {
            let java = java(jdk, &format!("{mode},rewrite=60s,file=profile"));
            let profile = java.file("profile");
            let mut running = java.main("Dumped").start();
            running.wait_for_line("ready");
            wait_for(&profile, "a profile", has_content);
            running.signal("KILL");
            let run = running.finish();
            assert!(hprof_ascii::read(&run.file("profile")).is_ok(), "{run}");
        });
    });
}

/// Who does not end in time after SIGTERM is killed: orchestrators do so.
#[test]
fn who_is_killed_while_it_ends_leaves_the_profile_so_far() {
    on_jdk(17, |jdk| {
        killed(jdk, "pprof", "EndsSlowly", |running| {
            running.signal("TERM");
            running.wait_for_line("ending");
        });
    });
}

const FORMATS: [&str; 6] = ["a", "b", "collapsed", "json", "flame", "pprof"];

/// What [`assert_whole`] looks for.
fn options(format: &str) -> String {
    let cpu = if format == "collapsed" {
        ""
    } else {
        "cpu=samples,"
    };
    format!("heap=sites,{cpu}format={format}")
}

/// Waiting takes long and no processor.
fn at_once(formats: &[&str], check: impl Fn(&str) + Sync) {
    std::thread::scope(|scope| {
        for format in formats {
            scope.spawn(|| check(format));
        }
    });
}

/// After `ready` and `before` a profile is to come and another one, and then the process is killed.
fn killed(jdk: &Jdk, format: &str, main: &str, before: impl Fn(&mut Running)) {
    let java = java(jdk, &format!("{},rewrite=1s,file=profile", options(format)));
    let profile = java.file("profile");
    let mut running = java.main(main).start();
    running.wait_for_line("ready");
    before(&mut running);
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
        "json" => assert!(text.starts_with('{') && text.ends_with("}\n"), "{text}"),
        "flame" => {
            assert!(
                text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"),
                "{text}"
            );
            assert_eq!(text.matches("</html>").count(), 1);
        }
        "pprof" => {
            let read = pprof::read(bytes).unwrap_or_else(|error| panic!("{error}"));
            let profile = &read.profile;
            let types = profile.sample_type.iter();
            let types = types.map(|it| &*profile.string_table[it.r#type as usize]);
            let types: Vec<&str> = types.collect();
            assert_eq!(types[..3], ["samples", "cpu", "alloc_objects"], "{types:?}");
            assert!(read.samples().next().is_some_and(|sample| sample.is_ok()));
        }
        other => panic!("{other}"),
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

/// Whether there can be a container here; says so if not.
fn can_be_contained(what: &str) -> bool {
    let made = Command::new("unshare").args(["-m", "true"]).output();
    let can = made.is_ok_and(|made| made.status.success());
    if !can {
        not_run(what, "unshare(1) as root makes one");
    }
    can
}

/// As examples/kubernetes has it: nothing can be written but a volume and a small /tmp.
#[test]
fn a_container_with_a_volume_needs_nothing_else() {
    const LINE: &str = r#"
        mkdir profiles
        exec unshare -m sh -c '
            mount --bind "$PWD" "$PWD" && cd "$PWD" && mount --bind profiles profiles || exit 90
            mount -t tmpfs -o size=16m none /tmp || exit 91
            mount -o remount,bind,ro . && mount -o remount,bind,ro / || exit 92
            (touch here || touch /here) 2>/dev/null && exit 93
            "$@"
            code=$?
            ls -A /tmp | grep -v ^hsperfdata_
            exit $code' x "$@""#;
    const WHAT: &str = "HPROF in a container with a volume";
    if !can_be_contained(WHAT) {
        return;
    }
    if workspace().starts_with("/tmp") {
        return not_run(WHAT, "all is below /tmp, which is covered there");
    }
    on_jdk(17, |jdk| {
        product::hprof();
        // The mixture costs much and says so: that is no complaint.
        let options = format!("hprof:{},verbose=n,rewrite=1s", options("pprof"));
        let options = format!("{options},file=profiles/cpu-%h-%t-%p.pb.gz");
        let java = Java::of(jdk)
            .env("JAVA_TOOL_OPTIONS", agent_path(&product::shim(), &options))
            .shell(LINE);
        let (folder, end) = (java.file("profiles"), java.file("end"));
        let mut running = java.main("Dumped").start();
        running.wait_for_line("ready");
        let profile = || {
            let files = fs::read_dir(&folder).expect("a volume").flatten();
            let mut files = files.map(|file| file.path());
            files.find(|file| file.extension().is_some_and(|end| end == "gz"))
        };
        wait_for(&folder, "a profile", |_| {
            profile().is_some_and(|it| has_content(&it))
        });
        let profile = profile().expect("it is there");
        let first = profile.metadata().expect("it is there").ino();
        wait_for(&profile, "another one", |path| {
            path.metadata().is_ok_and(|data| data.ino() != first)
        });
        fs::write(&end, "").expect("a folder of ours");
        let run = running.finish().exits(0);
        assert_eq!(
            run.stdout, "ready\ndone\n",
            "something is left in /tmp: {run}"
        );
        let complaint = |line: &&str| !line.starts_with("Picked up ");
        assert_eq!(run.stderr.lines().find(complaint), None, "{run}");
        assert_whole("pprof", &fs::read(&profile).expect("it is there"));
    });
}

/// As with `docker -v FILE:FILE`, or a subPath: a mount keeps its name.
#[test]
fn a_file_that_is_a_mount_is_written_over() {
    if !can_be_contained("HPROF into a file that is a mount") {
        return;
    }
    const LINE: &str = "touch profile && exec unshare -m sh -c \
                        'mount --bind profile profile && exec \"$@\"' x \"$@\"";
    on_jdk(17, |jdk| {
        let java = java(jdk, "heap=sites,format=json,rewrite=1s,file=profile").shell(LINE);
        let (profile, end) = (java.file("profile"), java.file("end"));
        let mut running = java.main("Dumped").start();
        running.wait_for_line("ready");
        wait_for(&profile, "a profile", has_content);
        let changed = || profile.metadata().and_then(|data| data.modified()).ok();
        let first = changed();
        wait_for(&profile, "another one", |_| changed() != first);
        fs::write(end, "").expect("a folder of ours");
        let run = running.finish().exits(0);
        assert_whole("json", &run.bytes("profile"));
        assert_eq!(run.stderr.matches("is written over").count(), 1, "{run}");
        let left: Vec<String> = run.files();
        assert!(!left.iter().any(|name| name.ends_with(".new")), "{left:?}");
    });
}

/// As in a container whose root cannot be written and whose /tmp is small.
#[test]
fn little_room_is_one_line() {
    if !can_be_contained("HPROF in a container with little room") {
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
