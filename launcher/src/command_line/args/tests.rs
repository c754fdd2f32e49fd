use super::*;
use crate::base::test_folder::Folder;

fn read(line: &str) -> Result<Invocation, String> {
    let words = line.split(' ').filter(|w| !w.is_empty());
    parse(words.map(OsString::from).collect()).map_err(|failure| {
        assert_eq!(failure.code, 2);
        failure.text
    })
}

fn command(line: &str) -> (Globals, Vec<OsString>, Vec<OsString>) {
    let Invocation { globals, action } = read(line).unwrap();
    let Action::Run(RunCommand { xruns, words }) = action else {
        panic!("{line}: {action:?}");
    };
    (
        globals,
        xruns.iter().map(XrunOption::to_word).collect(),
        words,
    )
}

#[test]
fn what_follows_the_command_is_the_commands() {
    let (globals, xruns, words) = command("--print java --print --agents -Xrunfoo doctor --");
    assert!(globals.print && globals.agents.is_empty() && xruns.is_empty());
    assert_eq!(
        words,
        ["java", "--print", "--agents", "-Xrunfoo", "doctor", "--"]
    );
    let (_, xruns, words) = command("-Xrunfoo:a=b -- -odd --print");
    assert_eq!(xruns, ["-Xrunfoo:a=b"]);
    assert_eq!(words, ["-odd", "--print"]);
    assert_eq!(command("-- doctor foo").2, ["doctor", "foo"]);
}

#[test]
fn flags_with_values() {
    let (included, ..) = command("--include com.acme. --exclude=com.acme.gen c");
    let (set, ..) = command("--set include=com.acme. --set exclude=com.acme.gen c");
    assert_eq!(included.settings, set.settings);
    let (globals, ..) = command("--agents a --agents=b --set log=info --set=trace=y=z --jvmpi j c");
    assert_eq!(globals.agents, [PathBuf::from("a"), PathBuf::from("b")]);
    assert_eq!(globals.settings, ["log=info", "trace=y=z"]);
    assert_eq!(globals.jvmpi, Some(PathBuf::from("j")));
}

#[test]
fn flags_stand_before_or_after_a_subcommand() {
    let expected = read("--agents D --set ids=renumber doctor foo").unwrap();
    assert_eq!(
        read("doctor --agents D foo --set ids=renumber").unwrap(),
        expected
    );
    assert_eq!(
        read("--agents D doctor foo --set=ids=renumber").unwrap(),
        expected
    );
    assert_eq!(
        read("-Xrunfoo --agents D --set ids=renumber doctor").unwrap(),
        expected
    );
    assert_eq!(read("doctor").unwrap().action, Action::Doctor(None));
    for (words, path) in [
        ("--help", ""),
        ("help", ""),
        ("help trace dump", "trace dump"),
        ("doctor --help", "doctor"),
        ("report --help", "report"),
        ("replay --help", "replay"),
        ("replay F -h", "replay"),
        ("trace --help", "trace"),
        ("trace dump --help", "trace dump"),
        ("trace -o F --help", "trace"),
        ("completions -h", "completions"),
        ("attach 7 --help", "attach"),
        ("detach --help", "detach"),
        ("ps -h", "ps"),
    ] {
        let path = path.split(' ').filter(|word| !word.is_empty());
        let expected = Action::Help(path.map(OsString::from).collect());
        assert_eq!(read(words).unwrap().action, expected, "{words}");
    }
    assert_eq!(read("doctor -V").unwrap().action, Action::Version);
    let Action::Doctor(Some(agent)) = read("doctor libfoo.so").unwrap().action else {
        panic!("no agent");
    };
    assert_eq!(agent.name, "./libfoo.so");
}

#[test]
fn checks_and_profiles() {
    let (globals, ..) = command("--check --profile a.toml --profile=b.toml --no-settings c");
    assert_eq!(globals.settings, ["check=on"]);
    assert_eq!(
        globals.profiles,
        [PathBuf::from("a.toml"), PathBuf::from("b.toml")]
    );
    assert!(globals.no_settings);
    assert_eq!(command("--check=fail c").0.settings, ["check=fail"]);
}

#[test]
fn reports_are_of_files_or_commands() {
    let of = |line: &str| {
        let Action::Report(source, to) = read(line).unwrap().action else {
            panic!("{line}: no report");
        };
        (source, to)
    };
    let (source, to) = of("report --html out.html --skeleton new Cargo.toml");
    assert_eq!(source, Source::File("Cargo.toml".into()));
    assert_eq!(to.html, Some(PathBuf::from("out.html")));
    assert_eq!(to.skeleton, Some(PathBuf::from("new")));
    for line in [
        "report java -Xrunfoo",
        "report -- java -Xrunfoo",
        "report --agents D java -Xrunfoo",
    ] {
        let (Source::Command(command), to) = of(line) else {
            panic!("{line}");
        };
        assert_eq!(to, ReportTo::default(), "{line}");
        assert_eq!(command.words, ["java", "-Xrunfoo"], "{line}");
    }
    let (Source::Command(command), _) = of("report -Xrunfoo Cargo.toml") else {
        panic!("a command with an agent before it");
    };
    assert_eq!((command.xruns.len(), command.words.len()), (1, 1));
    assert!(read("report").unwrap_err().contains("a recording"));
    assert!(read("report --html").unwrap_err().contains("--html needs"));
    let wrong = read("report --skeleton").unwrap_err();
    assert!(wrong.contains("--skeleton needs a folder"), "{wrong}");
}

#[test]
fn flags_may_follow_what_is_reported() {
    let folder = Folder::new("report-flags");
    let usage = folder.file("usage", b"jvmpi usage 1\nend\n");
    let recording = folder.file("run.rec", &[0; 4096]);
    for file in [&usage, &recording] {
        let of = |behind: &str| read(&format!("report {}{behind}", file.display()));
        for behind in ["", " --html out.html --force", " --skeleton new"] {
            let Action::Report(source, to) = of(behind).unwrap().action else {
                panic!("{behind}: no report");
            };
            assert_eq!(source, Source::File(file.clone()), "{behind}");
            assert_eq!(to == ReportTo::default(), behind.is_empty(), "{behind}");
        }
        let help = of(" --help").unwrap().action;
        assert_eq!(help, Action::Help(vec!["report".into()]));
        for (behind, what) in [
            (" --html o b.rec", "b.rec behind "),
            (" --html o -Xrunfoo", "no use for it"),
            (" --htlm o", "--htlm: no flag"),
        ] {
            let wrong = of(behind).unwrap_err();
            assert!(wrong.contains(what), "{behind}: {wrong}");
        }
        // A program that happens to be called so.
        let Action::Report(source, _) = of(" -Xrunfoo App").unwrap().action else {
            panic!("no report");
        };
        assert!(matches!(source, Source::Command(_)));
    }
}

#[test]
fn attaching_in_any_order() {
    let expected = read("attach 7 --duration 30s --check --agents D -Xrunfoo:a=b,c=d").unwrap();
    let Action::Attach(asked) = &expected.action else {
        panic!("{expected:?}");
    };
    assert_eq!(
        (asked.pid, &*asked.agent.to_word()),
        (7, OsStr::new("-Xrunfoo:a=b,c=d"))
    );
    assert_eq!(asked.duration, Some(std::time::Duration::from_secs(30)));
    assert_eq!(expected.globals.settings, ["check=on"]);
    for line in [
        "-Xrunfoo:a=b,c=d attach --duration=30000ms --agents=D 7 --check",
        "--agents D attach 7 --check -Xrunfoo:a=b,c=d --duration 30",
        "attach --check 7 --duration 30s -agentlib:foo=a=b,c=d --agents D",
    ] {
        assert_eq!(read(line).unwrap(), expected, "{line}");
    }
    assert!(
        read("attach 7 --no-settings -Xrunfoo")
            .unwrap()
            .globals
            .no_settings
    );
}

#[test]
fn attaching_what_is_wrong() {
    for (line, part) in [
        ("attach", "xrun attach PID"),
        ("attach 7", "xrun attach PID"),
        ("attach 7 --check", "xrun attach PID"),
        ("attach -Xrunfoo", "xrun attach PID"),
        ("attach x -Xrunfoo", "a process id is wanted"),
        ("attach 0 -Xrunfoo", "a process id is wanted"),
        ("attach -7 -Xrunfoo", "no flag of it"),
        ("attach 7 8 -Xrunfoo", "one process at a time"),
        ("attach 7 -Xrunfoo -Xrunbar", "one agent per VM"),
        ("-Xrunfoo attach 7 -agentlib:bar", "one agent per VM"),
        ("attach 7 -Xrunfoo --duration", "--duration needs a time"),
        ("attach 7 -Xrunfoo --duration 0", "--duration needs a time"),
        ("attach 7 -Xrunfoo --duration 3d", "--duration needs a time"),
        (
            "attach 7 -Xrunfoo --duration 99999999999999999999h",
            "--duration needs a time",
        ),
        ("attach 7 -Xrunfoo --frob", "no flag of it"),
        ("attach 7 --check=fail -Xrunfoo", "exit code"),
        ("--check=fail attach 7 -Xrunfoo", "exit code"),
        ("attach 7 -Xrunfoo --set check=fail", "exit code"),
        (
            "--print attach 7 -Xrunfoo",
            "--print: attach has no use for it",
        ),
        (
            "attach 7 -Xrunfoo --print",
            "--print: attach has no use for it",
        ),
        (
            "attach 7 --keep-options -Xrunfoo",
            "--keep-options: attach has no use",
        ),
        (
            "attach 7 -Xrunfoo --version",
            "--version: attach has no use for it",
        ),
    ] {
        let text = read(line).unwrap_err();
        assert!(text.contains(part), "{line}: {text}");
    }
}

#[test]
fn wrong_uses_say_what_to_do() {
    for (line, part) in [
        ("", "xrun java -Xrunfoo"),
        ("--", "no command after --"),
        ("-Xrunfoo", "no command given"),
        ("--agents", "--agents needs a folder"),
        ("--set= x", "--set needs key=value"),
        ("--set log x", "key=value"),
        ("--set =x x", "key=value"),
        ("--set agent=foo x", "-Xrunfoo"),
        ("--set log-file=a,b x", "','"),
        ("report missing.rec", "missing.rec: no such file"),
        ("report ./no-such", "./no-such: no such file"),
        ("--set check=fial x", "check=off|on|fail"),
        ("--set host=hotspot x", "hotspot-1.4.2"),
        ("--set chek=on x", "no such option; it has log, "),
        ("--set check-suppress=stale-id+slow x", "CHECKS.md"),
        ("trace -o F --set check=fial x", "check=off|on|fail"),
        ("-jar app.jar", "xrun java -jar"),
        ("--agentsx y", "no flag of xrun"),
        ("doctor a b", "one agent"),
        ("doctor --frob", "no flag of it"),
    ] {
        let text = read(line).unwrap_err();
        assert!(text.contains(part), "{line}: {text}");
    }
}

#[test]
fn flags_that_do_nothing_are_refused() {
    for (line, flag) in [
        ("--print doctor", "--print"),
        ("doctor --keep-options", "--keep-options"),
        ("--check replay F", "--check"),
        ("--agents D trace dump F", "--agents"),
        ("report --check Cargo.toml", "--check"),
        ("--set log=info completions bash", "--set"),
        ("-Xrunfoo ps", "-Xrun"),
        ("-Xrunfoo detach 7", "-Xrun"),
        ("-Xrunfoo replay F", "-Xrun"),
        ("-Xrunfoo man", "-Xrun"),
        ("-Xrunfoo completions bash", "-Xrun"),
        ("-Xrunfoo trace dump F", "-Xrun"),
        ("report --print java -Xrunfoo Main", "--print"),
        ("--print report java -Xrunfoo Main", "--print"),
        ("trace -o F report java -Xrunfoo Main", "trace -o"),
        ("trace -o F ps", "trace -o"),
        ("trace -o F detach 7", "trace -o"),
        ("trace -o F attach 7 -Xrunfoo", "trace -o"),
        ("trace -o F doctor", "trace -o"),
        ("trace -o F replay F", "trace -o"),
        ("trace -o F man", "trace -o"),
        ("trace -o F completions bash", "trace -o"),
        ("trace -o F trace dump F", "trace -o"),
    ] {
        let text = read(line).unwrap_err();
        assert!(
            text.starts_with(flag) && text.contains("has no use for it"),
            "{line}: {text}"
        );
    }
    assert!(read("--agents D replay F").is_ok());
    // What attach was given may stand there again.
    assert!(read("--agents D detach 7").is_ok());
    assert!(read("--agents D --check detach 7").is_err());
    assert!(read("report --check java").is_ok());
}

#[test]
fn the_nearest_word_is_named() {
    for (line, meant) in [
        ("--agnets D java", "did you mean --agents?"),
        ("--keep-option java", "did you mean --keep-options?"),
        ("trace stat F", "did you mean stats?"),
    ] {
        let text = read(line).unwrap_err();
        assert!(text.contains(meant), "{line}: {text}");
    }
}

/// What is described is what is read.
#[test]
fn the_description_is_of_this_reader() {
    for flag in description::flags_of(&[]) {
        let line = match read(&format!("{flag} java")) {
            Ok(_) => continue,
            Err(_) if flag == "--set" => format!("{flag} log=info java"),
            Err(_) => format!("{flag} x java"),
        };
        assert!(read(&line).is_ok(), "{line}");
        assert!(description::at(&["trace".into()]).is_ok());
    }
    // And the other way round.
    let described = description::flags_of(&[]);
    for flag in crate::command_line::flags::names() {
        assert!(described.iter().any(|known| known == flag), "{flag}");
    }
}
