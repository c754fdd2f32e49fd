//! HPROF in processes that come and go: names that many have at once, and what is left of a
//! profile when its process ends in any way.

mod places;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use profile_formats::pprof;
use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, each_jdk, on_jdk};
use xrun_tests::product;
use xrun_tests::run::{Java, Running, agent_path};

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

        product::agent("trace");
        let named = "file=%h-%x{POD}%x{NO_SUCH}-%p-%t.%x";
        // No name is cut: another file might be there.
        let long = "file=%x{LONG}long.txt,file=%x{TOO_LONG}longer.txt";
        let recorded = Java::of(jdk)
            .arg(agent_path(&product::shim(), "trace=%h-%x{POD}.rec"))
            .arg(format!("-Xrunjvmpi_trace:none,{named},{long}"))
            .env("POD", "web-0")
            .env("LONG", "./".repeat(2000))
            .env("TOO_LONG", "./".repeat(2050))
            .main("HprofSites")
            .run()
            .exits(0);
        let names: Vec<String> = recorded.files();
        assert!(names.contains(&format!("{host}-web-0.rec")), "{names:?}");
        let begin = format!("{host}-web-0-");
        let is_trace = |name: &String| {
            let own = name
                .strip_prefix(&begin)
                .and_then(|it| it.strip_suffix(".%x"));
            let (pid, time) = own.and_then(|it| it.split_once('-')).unwrap_or_default();
            pid.parse::<u32>().is_ok() && time.starts_with("20") && time.len() == 19
        };
        assert!(names.iter().any(is_trace), "{names:?}");
        let unset = "jvmpi_trace: %x{NO_SUCH} in a file's name is not set: nothing stands there\n";
        assert!(recorded.stderr.contains(unset), "{recorded}");
        assert!(names.contains(&"long.txt".to_owned()), "{names:?}");
        let too_long = "jvmpi_trace: cannot write its file: File name too long\n";
        assert!(recorded.stderr.contains(too_long), "{recorded}");
        assert_eq!(names.len(), 3, "{names:?}");
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
