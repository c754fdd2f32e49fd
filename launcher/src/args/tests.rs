use super::*;

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
        let Action::Report(source, html) = read(line).unwrap().action else {
            panic!("{line}: no report");
        };
        (source, html)
    };
    let (source, html) = of("report --html out.html Cargo.toml");
    assert_eq!(source, Source::File("Cargo.toml".into()));
    assert_eq!(html, Some(PathBuf::from("out.html")));
    for line in [
        "report java -Xrunfoo",
        "report -- java -Xrunfoo",
        "report --agents D java -Xrunfoo",
    ] {
        let (Source::Command(command), None) = of(line) else {
            panic!("{line}");
        };
        assert_eq!(command.words, ["java", "-Xrunfoo"], "{line}");
    }
    let (Source::Command(command), _) = of("report -Xrunfoo Cargo.toml") else {
        panic!("a command with an agent before it");
    };
    assert_eq!((command.xruns.len(), command.words.len()), (1, 1));
    assert!(read("report").unwrap_err().contains("a recording"));
    assert!(read("report --html").unwrap_err().contains("--html needs"));
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
        ("doctor --frob", "no flag of xrun"),
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
    ] {
        let text = read(line).unwrap_err();
        assert!(
            text.starts_with(flag) && text.contains("has no use for it"),
            "{line}: {text}"
        );
    }
    assert!(read("--agents D replay F").is_ok());
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
    for flag in [
        "--print",
        "--check",
        "--no-settings",
        "--keep-options",
        "--agents",
        "--jvmpi",
    ]
    .into_iter()
    .chain(["--profile", "--set", "--include", "--exclude"])
    {
        assert!(
            description::flags_of(&[]).iter().any(|known| known == flag),
            "{flag}"
        );
    }
}
