//! Where profiles go: containers, mounts, folders that others write into, and where there is little room.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use xrun_tests::jdk::{Jdk, not_run, on_jdk, on_jdk_if};
use xrun_tests::run::{Java, agent_path};
use xrun_tests::{product, workspace};

use super::{assert_whole, at_once, has_content, java, options, wait_for};

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

/// As in `/tmp`: a file of another user's keeps its name there, whoever may write it. It was that user's from the
/// start, or was given to him meanwhile.
#[test]
fn what_is_somebody_elses_in_a_sticky_folder_is_written_over() {
    const NOBODY: u32 = 65534;
    const LINE: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"";
    let hprof = product::hprof();
    let can = |words: &[&OsStr]| {
        let mut tried = Command::new("sh");
        let tried = tried.args(["-c", LINE, "sh"]).args(words).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    if !can(&["test".as_ref(), "-r".as_ref(), hprof.as_ref()]) {
        let why = "setpriv(1) as root makes another user who can read all of this";
        return not_run("HPROF in a sticky folder", why);
    }
    let runs = |jdk: &Jdk| {
        let java = jdk.java();
        let is_run = can(&[java.as_ref(), "-version".as_ref()]);
        let why = || "another user cannot run it".to_owned();
        is_run.then_some(()).ok_or_else(why)
    };
    on_jdk_if(17, runs, |jdk| {
        at_once(&["theirs json", "ours a", "ours pprof"], |case| {
            let (whose, format) = case.split_once(' ').expect("two words");
            let options = format!("{},rewrite=1s,file=room/profile", options(format));
            let java = java(jdk, &options).shell(&format!("exec {LINE}"));
            let (room, end) = (java.file("room"), java.file("end"));
            let profile = room.join("profile");
            let data = || profile.metadata().expect("it is there");
            make(&room, 0o1777, |room| fs::create_dir(room));
            if whose == "theirs" {
                make(&profile, 0o666, |profile| fs::write(profile, ""));
            }
            let mut running = java.main("Dumped").start();
            running.wait_for_line("ready");
            wait_for(&profile, "a profile", has_content);
            if whose == "ours" {
                assert_eq!(data().uid(), NOBODY);
                chown(&profile, Some(0), None).expect("as root");
            }
            let first = data();
            wait_for(&profile, "another one", |_| {
                data().modified().ok() != first.modified().ok()
            });
            fs::write(&end, "").expect("a folder of ours");
            let run = running.finish().exits(0);
            let same = (data().ino(), data().uid()) == (first.ino(), 0);
            assert!(same, "{case}: {run}");
            assert_whole(format, &fs::read(&profile).expect("it is there"));
            assert_eq!(run.stderr.matches("is written over").count(), 1, "{run}");
            assert_eq!(fs::read_dir(&room).expect("it is there").count(), 1);
        });
        let line = "mkdir room && : >room/run.rec && chmod 1777 room && chmod 666 room/run.rec";
        let run = Java::of(jdk)
            .arg(agent_path(&product::shim(), "trace=room/run.rec"))
            .arg("-Xrunhprof:heap=sites,file=/dev/null")
            .main("HprofSites")
            .shell(&format!("{line} && {LINE}"))
            .run()
            .exits(0);
        assert_eq!(run.stderr.matches("is written over").count(), 1, "{run}");
        assert!(has_content(&run.folder().join("room/run.rec")), "{run}");
        let room = fs::read_dir(run.folder().join("room"));
        assert_eq!(room.expect("it is there").count(), 1, "{run}");
        // Who is neither root nor this user would read what is in it.
        let theirs = "chown 65533 room/run.rec";
        for (options, left) in [
            ("trace=room/run.rec", 1),
            (
                "hprof:heap=sites,format=json,verbose=n,file=room/run.rec",
                2,
            ),
        ] {
            product::hprof();
            let run = Java::of(jdk)
                .arg(agent_path(&product::shim(), options))
                .main("HprofSites")
                .shell(&format!("{line} && {theirs} && {LINE}"))
                .run();
            assert_eq!(run.stderr.matches("another user's").count(), 1, "{run}");
            assert_eq!(run.bytes("room/run.rec"), b"", "{run}");
            let room = fs::read_dir(run.folder().join("room")).expect("it is there");
            let files: Vec<_> = room.flatten().map(|file| file.path()).collect();
            assert_eq!(files.len(), left, "{files:?}: {run}");
            for file in files.iter().filter(|file| !file.ends_with("run.rec")) {
                assert_whole("json", &fs::read(file).expect("it is there"));
                assert!(run.stderr.contains("/room/run.rec."), "{run}");
            }
        }
    });
}

/// For whom this mode says, whatever the mask.
fn make(path: &Path, mode: u32, by: impl FnOnce(&Path) -> io::Result<()>) {
    let made = by(path).and_then(|()| fs::set_permissions(path, Permissions::from_mode(mode)));
    made.expect("a folder of ours");
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
