//! What is written is for its owner alone, and costs nothing that was there; what others put
//! in the way harms nobody; names are shown and not obeyed.
//! Longer than most: there are many who write files.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
use std::path::Path;
use std::process::Command;

use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, compiler, each_jdk, on_jdk};
use xrun_tests::product;
use xrun_tests::run::{self, Java, Run, agent_path};

const OLD: &str = "JAVA PROFILE 1.0.1, of the run before\n";

fn hprof(jdk: &Jdk, options: &str) -> Java {
    product::hprof();
    Java::with_shim(jdk).arg(format!("-Xrunhprof:{options}"))
}

fn mode(file: &Path) -> u32 {
    std::fs::metadata(file).unwrap().permissions().mode() & 0o777
}

/// Names in a folder that begin so.
fn named(folder: &Path, begin: &str) -> Vec<String> {
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(begin))
        .collect();
    found.sort();
    found
}

fn is_whole(text: &str) -> bool {
    text.starts_with("JAVA PROFILE 1.0.1, created") && text.contains("SITES END")
}

fn is_root(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(file).unwrap().uid() == 0
}

#[test]
fn a_profile_stays_until_the_next_one_is_whole() {
    each_jdk(|jdk| {
        let java = hprof(jdk, "heap=sites,file=profile");
        let folder = java.folder().to_owned();
        let (profile, end) = (folder.join("profile"), folder.join("end"));
        std::fs::write(&profile, OLD).unwrap();
        let mut killed = java.main("Dumped").start();
        killed.wait_for_line("ready");
        assert_eq!(std::fs::read_to_string(&profile).unwrap(), OLD);
        killed.signal("KILL");
        let killed = killed.finish();
        assert_eq!(
            (killed.code(), killed.file("profile")),
            (-9, OLD.to_owned())
        );
        assert_eq!(named(&folder, "profile"), ["profile"]);

        let options = format!("heap=sites,file={}", profile.display());
        std::fs::write(&end, "").unwrap();
        let run = hprof(jdk, &options).main("HprofSites").run();
        run.exits(0).says("done\n");
        assert!(is_whole(&killed.file("profile")));
        assert_eq!(
            (named(&folder, "profile").len(), mode(&profile)),
            (1, 0o600)
        );
    });
}

/// A dump on demand is there as soon as it is made, and whole: what shows all there is comes anew,
/// text behind that of the dumps before. A link stays one, and whoever was given a dump has the next.
#[test]
fn each_dump_takes_its_place_when_it_is_made() {
    each_jdk(|jdk| dumps_take_their_place(jdk, "json"));
    on_jdk(17, |jdk| dumps_take_their_place(jdk, "a"));
}

fn dumps_take_their_place(jdk: &Jdk, format: &str) {
    let java = hprof(jdk, &format!("heap=sites,format={format},file=link"));
    let (folder, end) = (java.folder().to_owned(), java.file("end"));
    let (profile, link) = (folder.join("profile"), folder.join("link"));
    std::fs::write(&profile, OLD).unwrap();
    std::fs::set_permissions(&profile, Permissions::from_mode(0o644)).unwrap();
    symlink("profile", &link).unwrap();
    let mut running = java.main("Dumped").start();
    running.wait_for_line("ready");
    let inode = || {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata(&profile).unwrap().ino()
    };
    let assert_dumps = |dumps: usize| {
        let text = std::fs::read_to_string(&profile).unwrap();
        match format {
            "a" => {
                let read = hprof_ascii::read(&text).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(read.sites.len(), dumps, "{text}");
            }
            _ => drop(serde_json::from_str::<serde_json::Value>(&text).expect("a whole one")),
        }
    };
    let mut seen = vec![inode()];
    for dumps in 1..=2 {
        running.signal("QUIT");
        running.until("new dump", || (Some(&inode()) != seen.last()).then_some(()));
        assert_dumps(dumps);
        assert_eq!(mode(&profile), [0o600, 0o640][dumps - 1]);
        std::fs::set_permissions(&profile, Permissions::from_mode(0o640)).unwrap();
        seen.push(inode());
    }
    std::fs::write(end, "").unwrap();
    let run = running.finish().exits(0);
    assert_dumps(3);
    assert_eq!(mode(&profile), 0o640);
    assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("profile"));
    assert_eq!(named(&folder, "profile"), ["profile"], "{run}");
}

/// Nothing is put in the place of what is no file.
#[test]
fn a_pipe_and_standard_output_are_written_as_they_are() {
    const LINE: &str = r#"
        mkfifo pipe && ln -s /dev/stdout out || exit 9
        cat pipe > piped & "$@" -Xrunhprof:heap=sites,file=pipe -cp "$CLASSES" HprofSites
        wait
        "$@" -Xrunhprof:heap=sites,file=out,verbose=n -cp "$CLASSES" HprofSites > both
        test -p pipe && test -L out
    "#;
    product::hprof();
    let run = Java::with_shim(compiler())
        .shell(LINE)
        .env("CLASSES", xrun_tests::fixture::classes())
        .run()
        .exits(0)
        .says("done\n");
    assert!(is_whole(&run.file("piped")), "{run}");
    let both = run.file("both");
    let (said, profile) = both.split_at("done\n".len());
    assert!(said == "done\n" && is_whole(profile), "{run}");
}

#[test]
fn links_of_somebody_else_are_not_followed() {
    let folder = xrun_tests::fixture::unique("links");
    if !is_root(&folder) {
        xrun_tests::jdk::not_run("links_of_somebody_else", "only root can make them");
        return;
    }
    product::hprof();
    let precious = folder.join("precious");
    std::fs::write(&precious, "precious").unwrap();
    let xrun = product::xrun();
    for (agent, name) in [
        ("-Xrunhprof:heap=sites,file=LINK", "profile"),
        ("-Xrunhprof:heap=sites,format=b", "java.hprof"),
        ("-agentpath:SHIM=trace=LINK,agent=hprof", "run.rec"),
        ("-agentpath:SHIM=usage=LINK,agent=hprof", "usage"),
        ("-agentpath:SHIM=log-file=LINK,agent=hprof", "log"),
    ] {
        let java = Java::with_shim(compiler());
        let link = java.file(name);
        symlink(&precious, &link).unwrap();
        lchown(&link, Some(65534), Some(65534)).unwrap();
        let shim = product::shim();
        let agent = agent
            .replace("LINK", &link.display().to_string())
            .replace("SHIM", &shim.display().to_string());
        let run = if agent.starts_with("-agentpath") {
            Java::of(compiler())
        } else {
            Java::of(compiler()).arg(agent_path(&shim, ""))
        };
        let run = run.arg(agent).main("HprofSites");
        // In the folder where the link is, for the default name.
        let line = format!("cd {} && \"$@\"", java.folder().display());
        let run = run.shell(&line).run().exits(0).says("done\n");
        assert!(
            run.stderr.contains("another user has made"),
            "{name}: {run}"
        );
        assert_eq!(
            std::fs::read_to_string(&precious).unwrap(),
            "precious",
            "{run}"
        );
    }
    // xrun's own.
    let link = folder.join("page.html");
    symlink(folder.join("nothing"), &link).unwrap();
    lchown(&link, Some(65534), Some(65534)).unwrap();
    let rec = folder.join("run.rec");
    let options = format!("trace={}", rec.display());
    let java = Java::of(compiler()).arg(agent_path(&product::shim(), &options));
    java.arg("-Xrunhprof:cpu=samples,doe=n")
        .main("Plain")
        .run()
        .exits(0);
    let mut command = Command::new(xrun);
    command.args(["report", "--html"]).arg(&link).arg(&rec);
    let run = run::output(command, 60).exits(2);
    assert!(run.stderr.contains("another user has made"), "{run}");
    assert!(!folder.join("nothing").exists());
}

fn xrun(folder: &Path, words: &[&str]) -> Run {
    let mut command = product::xrun_command();
    command.args(words).current_dir(folder);
    run::output(command, 60)
}

/// A mistyped name costs no file.
#[test]
fn what_is_no_recording_and_no_report_stays() {
    const NOTES: &str = "notes that took a week\n";
    const LINE: &str = r#"
        for file in run.rec part.rec page.html shim.rec; do cp notes $file; done
        not() { "$@"; test $? = 2; }
        not "$XRUN" trace -o run.rec "$@" &&
        "$XRUN" --set trace=shim.rec "$@" &&
        cmp notes run.rec && cmp notes shim.rec &&
        "$XRUN" trace -o run.rec --force "$@" &&
        "$XRUN" trace -o run.rec "$@" &&
        not "$XRUN" trace filter -o part.rec run.rec && cmp notes part.rec &&
        not "$XRUN" report --html page.html run.rec && cmp notes page.html &&
        "$XRUN" trace filter --force -o part.rec run.rec &&
        "$XRUN" trace filter -o part.rec run.rec &&
        "$XRUN" report --html page.html --force run.rec &&
        "$XRUN" report --html page.html run.rec
    "#;
    product::agent("counter");
    let java = Java::of(compiler());
    std::fs::write(java.file("notes"), NOTES).unwrap();
    let run = java
        .arg("-Xrunjvmpi_counter:file=n.txt")
        .main("Plain")
        .shell(LINE)
        .env("XRUN", product::xrun())
        .run()
        .exits(0);
    let refusals = run.stderr.matches("--force replaces it").count();
    assert_eq!(refusals, 3, "{run}");
    assert!(run.stderr.contains("no recording; trace-force=on"), "{run}");
}

/// What holds the program's secrets is for its owner's eyes, whatever the umask is, also where
/// everybody could read what was there before.
#[test]
fn recordings_and_reports_are_for_their_owner() {
    const LINE: &str = r#"
        umask 0
        : > run.rec; : > page.html; chmod 644 run.rec page.html
        "$XRUN" trace -o run.rec "$@" && "$XRUN" trace filter -o part.rec run.rec &&
        "$XRUN" report --html page.html run.rec && "$XRUN" --set usage=usage.txt "$@" &&
        stat -c '%a %n' run.rec part.rec page.html usage.txt > modes
    "#;
    product::agent("counter");
    let run = Java::of(compiler())
        .arg("-Xrunjvmpi_counter:file=n.txt")
        .main("Plain")
        .shell(LINE)
        .env("XRUN", product::xrun())
        .run()
        .exits(0);
    let expected = "600 run.rec\n600 part.rec\n600 page.html\n600 usage.txt\n";
    assert_eq!(run.file("modes"), expected, "{run}");
}

/// A folder that is there already is somebody else's.
#[test]
fn a_report_makes_a_folder_of_its_own() {
    const LINE: &str = r#"
        mkdir temp; export TMPDIR="$PWD/temp"
        (
            theirs="$TMPDIR/xrun-report-$(exec sh -c 'echo $PPID')"
            mkdir -m 777 "$theirs" && echo theirs > "$theirs/theirs"
            exec "$XRUN" report sh -c 'stat -c %a "$TMPDIR"/xrun-report-* > modes; exec "$@"' sh "$@"
        ) > run.md || exit 9
        cat "$TMPDIR"/xrun-report-*/theirs
        ls "$TMPDIR" | wc -l
    "#;
    product::agent("counter");
    let run = Java::of(compiler())
        .arg("-Xrunjvmpi_counter:file=n.txt")
        .main("Plain")
        .shell(LINE)
        .env("XRUN", product::xrun())
        .run()
        .exits(0)
        .says("theirs\n1\n");
    let modes = run.file("modes");
    let mut modes: Vec<_> = modes.lines().collect();
    modes.sort_unstable();
    assert_eq!(modes, ["700", "777"], "{run}");
}

/// A file of counters, as the VM makes them, with those that are read of it.
fn counters() -> Vec<u8> {
    let mut file = vec![0xCA, 0xFE, 0xC0, 0xC0, 1, 2, 0, 1];
    file.resize(24, 0);
    for word in [32u32, 2] {
        file.extend(word.to_ne_bytes());
    }
    for name in ["used", "capacity"] {
        let name = format!("sun.gc.generation.0.space.0.{name}\0");
        let data = (20 + name.len()).next_multiple_of(8);
        for word in [data + 8, 20, 0] {
            file.extend(u32::try_from(word).unwrap().to_ne_bytes());
        }
        file.extend([b'J', 0, 0, 0]);
        file.extend(u32::try_from(data).unwrap().to_ne_bytes());
        let begin = file.len() - 20;
        file.extend(name.bytes());
        file.resize(begin + data, 0);
        file.extend((1u64 << 20).to_ne_bytes());
    }
    file.resize(32 << 10, 0);
    file
}

/// In the folder where anybody may put a file of its name. (A pipe there hangs every other VM
/// that starts and looks for what it can remove: `perf_memory` has a test for it.)
#[test]
fn no_file_of_counters_harms_the_vm() {
    each_jdk(|jdk| {
        for (make, words) in [
            // As it should be; only then anything of it is used.
            ("cp counters $file", ""),
            ("cp counters $file", "0"),
            ("truncate -s 8T $file", ""),
        ] {
            let line = format!(
                "folder=/tmp/hsperfdata_$(id -un); file=$folder/$$
                mkdir -p -m 755 $folder; {make}; exec \"$@\""
            );
            let java = hprof(jdk, "heap=sites,file=profile");
            std::fs::write(java.file("counters"), counters()).unwrap();
            let run = java
                .arg("-XX:+PerfDisableSharedMem")
                .main(&format!("CutOff {words}"))
                .shell(&line)
                .run();
            assert!(
                is_whole(&run.exits(0).says("done\n").file("profile")),
                "{make}"
            );
        }
    });
}

fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c == '\n' || !c.is_control() && c != '\u{202e}')
}

#[test]
fn names_are_shown_and_not_obeyed() {
    const ODD: &str = "\u{1b}[2J\u{202e}odd";
    product::hprof();
    each_jdk(|jdk| {
        // An option of the shim's; a file; the name of a thread, in what is recorded.
        let options = format!("{ODD}=1,trace=run.rec");
        let run = Java::of(jdk)
            .arg(agent_path(&product::shim(), &options))
            .arg(format!("-Xrunhprof:thread=y,cpu=samples,file={ODD}"))
            .main("OddNames")
            .run()
            .exits(0)
            .says("done\n");
        assert!(is_plain(&run.stderr), "{run:?}");
        let shown = "\\u{1b}[2J\\u{202e}odd";
        // What it is not, twice what it may have been meant as, and the file.
        assert_eq!(run.stderr.matches(shown).count(), 4, "{run}");
        let profile = run.file(ODD);
        // Frames begin with a tab.
        assert!(is_plain(&profile.replace('\t', "")), "{run} {profile:?}");
        assert!(profile.contains("?[31mred?agent??kcab"), "{run} {profile}");
        std::fs::write(run.folder().join(ODD), "no recording").unwrap();
        for (words, code) in [
            (&["trace", "stats", "run.rec"][..], 0),
            (&["trace", "dump", "run.rec"], 0),
            (&["trace", "diff", "run.rec", ODD], 2),
            (&["trace", "stats", ODD], 2),
            (&["report", "run.rec"], 0),
            (&["replay", ODD], 2),
            (&["doctor", ODD], 1),
            (&["--set", ODD, "java"], 2),
            (&[ODD], 127),
        ] {
            let said = xrun(run.folder(), words).exits(code);
            let all = format!("{}{}", said.stdout, said.stderr);
            assert!(is_plain(&all) && !all.is_empty(), "{words:?}: {said:?}");
        }
    });
}
