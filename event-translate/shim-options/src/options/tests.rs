//! Every option, and what is said of a wrong one.

use super::*;

#[test]
fn defaults() {
    let options = Options::default();
    assert_eq!(options.log, LogLevel::Warn);
    assert_eq!(options.log_file, None);
    assert_eq!(options.class_names, ClassNames::Dots);
    assert_eq!(options.cpu_time, CpuTime::Cpu);
}

#[test]
fn each_value_of_the_table_is_taken_and_defaults_are_true() {
    for row in &OPTIONS {
        assert!(!row.doc.is_empty() && !row.doc.contains('\n'));
        if !row.values.contains('|') {
            continue;
        }
        let mut seen = Vec::new();
        for value in row.values.split('|') {
            let mut options = Options::default();
            assert_eq!(options.apply(row.name, value), Ok(()));
            assert_eq!(options == Options::default(), value == row.default);
            assert!(!seen.contains(&options), "{}={value}", row.name);
            seen.push(options);
        }
        assert!(row.values.split('|').any(|value| value == row.default));
    }
}

#[test]
fn values_arrive() {
    let mut options = Options::default();
    for (key, value) in [
        ("log", "trace"),
        ("log-file", "/tmp/%p.log"),
        ("class-names", "slashes"),
        ("cpu-time", "wall"),
        ("arenas", "two-space"),
        ("ids", "renumber"),
    ] {
        options.apply(key, value).unwrap();
    }
    assert_eq!(
        options,
        Options {
            log: LogLevel::Trace,
            log_file: Some("/tmp/%p.log".to_owned()),
            class_names: ClassNames::Slashes,
            cpu_time: CpuTime::Wall,
            arenas: arena_models::Kind::TwoSpace,
            renumber: true,
            ..Options::default()
        }
    );
}

#[test]
fn complaints_are_one_clear_line_and_change_nothing() {
    let mut options = Options::default();
    assert_eq!(
        options.apply("x", "y").unwrap_err(),
        "unknown option `x=y`; known: log, log-file, class-names, cpu-time, arenas, ids, \
         method-events, instructions, include, exclude, small-methods, method-budget, alloc-interval, virtual-threads, trace, trace-since, trace-force, trace-jvmti, host, lookupswitch, check, check-suppress, check-report, agent-needed, usage, without"
    );
    assert_eq!(
        options.apply("log", "loud").unwrap_err(),
        "option `log=loud` ignored; log=off|warn|info|trace, default warn"
    );
    for (key, value) in [
        ("", ""),
        ("Log", "info"),
        ("method-budget", "0"),
        ("method-budget", "101"),
        ("small-methods", "some"),
        ("log", ""),
        ("log", "INFO"),
        ("log-file", ""),
        ("class-names", "dots "),
        ("cpu-time", "real"),
        ("without", ""),
        ("without", "flags+nonsense"),
    ] {
        let complaint = options.apply(key, value).unwrap_err();
        assert!(!complaint.contains('\n'));
    }
    assert_eq!(options, Options::default());
}

#[test]
fn what_the_vm_is_without() {
    let without = |value: &str| {
        let mut options = Options::default();
        options.apply("without", value).unwrap();
        let all = Internal::ALL.iter();
        all.filter(|&&it| options.without.contains(it))
            .map(|it| it.row().name)
            .collect::<Vec<_>>()
    };
    assert_eq!(without("flags+link"), ["flags", "link"]);
    let untried = without("untried");
    assert!(untried.contains(&"halt") && !untried.contains(&"flags"));
}

#[test]
fn sizes() {
    let interval = |text: &str| {
        let mut options = Options::default();
        options.apply("alloc-interval", text).ok()?;
        Some(options.alloc_interval)
    };
    for (text, bytes) in [
        ("0", 0),
        ("1", 1),
        ("512k", 524_288),
        ("512K", 524_288),
        ("1m", 1 << 20),
        ("2147483647", i32::MAX),
    ] {
        assert_eq!(interval(text), Some(bytes), "{text}");
    }
    for text in [
        "",
        "k",
        "-1",
        "+1",
        "1.5m",
        "512 k",
        "512kb",
        "2048m",
        "2147483648",
        "1g",
        "é",
    ] {
        assert_eq!(interval(text), None, "{text}");
    }
}

#[test]
fn agents_set_some() {
    let mut options = Options::default();
    assert_eq!(options.value_for_agent("include").as_deref(), Some(""));
    for (key, value, is) in [
        ("alloc-interval", "512k", "524288"),
        ("include", "com/acme/+org.x.", "com.acme.+org.x."),
        ("exclude", "a.B", "a.B"),
    ] {
        options.apply_for_agent(key, value).unwrap();
        assert_eq!(options.value_for_agent(key).as_deref(), Some(is));
    }
    for (key, value) in [
        ("trace", "x"),
        ("log", "info"),
        ("alloc-interval", "x"),
        ("", ""),
    ] {
        let before = options.clone();
        assert!(
            !options
                .apply_for_agent(key, value)
                .unwrap_err()
                .contains('\n')
        );
        assert_eq!(options, before);
    }
    assert_eq!(options.value_for_agent("trace"), None);
}

#[test]
fn what_nobody_reads_is_said() {
    let of = |pairs: &[(&str, &str)]| {
        let mut options = Options::default();
        for (key, value) in pairs {
            options.apply(key, value).unwrap();
        }
        options.without_effect()
    };
    for (row, reader) in [
        (("ids", "renumber"), ("arenas", "generational")),
        (("ids", "renumber"), ("host", "cvm")),
        (("lookupswitch", "is-default"), ("instructions", "on")),
        (("check-suppress", "stale-id"), ("check", "on")),
        (("trace-since", "1"), ("trace", "file")),
    ] {
        let alone = of(&[row]);
        assert!(
            alone.len() == 1 && alone[0].contains(row.0) && !alone[0].contains('\n'),
            "{alone:?}"
        );
        assert!(of(&[row, reader]).is_empty(), "{row:?} {reader:?}");
    }
    assert_eq!(of(&[("include", "a."), ("method-events", "off")]).len(), 1);
    for (key, value) in [("small-methods", "skip"), ("method-budget", "20")] {
        assert_eq!(of(&[(key, value), ("method-events", "exact")]).len(), 1);
        assert!(of(&[(key, value)]).is_empty());
    }
    assert!(of(&[("include", "a.")]).is_empty() && of(&[]).is_empty());
}

#[test]
fn hosts_set_options_and_later_ones_win() {
    let mut options = Options::default();
    options.apply("host", "classic-1.2").unwrap();
    assert_eq!(options.class_names, ClassNames::Slashes);
    assert_eq!(options.cpu_time, CpuTime::Wall);
    options.apply("class-names", "dots").unwrap();
    assert_eq!(options.class_names, ClassNames::Dots);
    assert_eq!(options.host.row().version, event_translate::Version::V1);
    options.apply("host", "any").unwrap();
    assert_eq!(options, Options::default());
}
