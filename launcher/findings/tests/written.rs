//! One run with findings of all kinds, in both formats.

use findings::{Ended, Finding, Format, Place, Rule, Severity, Suite, Suppressions};

fn suite() -> Suite {
    let rule = |id: &str, severity| Rule {
        id: id.to_owned(),
        name: id.replace('-', " "),
        severity,
    };
    let finding = |rule: &str, severity, line: u32| Finding {
        rule: rule.to_owned(),
        severity,
        text: "GetCallTrace(env=<0x7f>): \"gone\"".to_owned(),
        count: 3,
        place: Some(Place {
            library: Some("/opt/libfoo.so".to_owned()),
            offset: Some(4660),
            function: Some("resolve".to_owned()),
            distance: Some(44),
            file: Some("/src/foo.c".to_owned()),
            line: Some(line),
        }),
        suppressed: None,
    };
    Suite {
        job: "check".to_owned(),
        about: vec![("agent".to_owned(), "libfoo.so".to_owned())],
        rules: vec![
            rule("stale-id", Severity::Error),
            rule("lock-order", Severity::Warning),
            rule("unknown-id", Severity::Error),
        ],
        findings: vec![
            finding("stale-id", Severity::Error, 12),
            finding("stale-id", Severity::Error, 40),
            finding("lock-order", Severity::Warning, 99),
        ],
        ended: Ended {
            exit_code: 7,
            problem: None,
        },
        is_once_each: false,
    }
}

#[test]
fn what_is_suppressed_is_written_but_no_failure() {
    let mut suites = [suite()];
    let rules = ["stale-id", "lock-order", "unknown-id"];
    let file = "stale-id foo.c:12 -- ticket 7\nunknown-id -- no more\nlock-order other -- x";
    let mut known = Suppressions::read(file, &rules).unwrap();
    known.apply(&mut suites);
    let unused: Vec<String> = known.unused().collect();
    assert_eq!(
        unused,
        [
            "line 2: unknown-id: nothing of it was found",
            "line 3: lock-order other: nothing of it was found"
        ]
    );
    let [suite] = &suites;
    assert_eq!(suite.open(Severity::Error).count(), 1);
    let json: serde_json::Value = serde_json::from_str(&Format::Json.text(&suites)).unwrap();
    assert_eq!(json["format"], "xrun-findings");
    assert_eq!(
        [&json["errors"], &json["warnings"], &json["suppressed"]],
        [1, 1, 1]
    );
    let run = &json["runs"][0];
    assert_eq!(run["exit_code"], 7);
    assert_eq!(run["about"]["agent"], "libfoo.so");
    let finding = &run["findings"][0];
    assert_eq!(finding["suppressed"], "ticket 7");
    assert_eq!(finding["place"]["line"], 12);
    assert_eq!(run["findings"][1]["suppressed"], serde_json::Value::Null);
    assert_eq!(run["rules"][2]["severity"], "error");
}

#[test]
fn junit_has_a_test_for_each_rule_and_finding() {
    let mut suites = [suite()];
    let mut known = Suppressions::read("lock-order -- never mind", &["lock-order"]).unwrap();
    known.apply(&mut suites);
    let text = Format::Junit.text(&suites);
    assert!(
        text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "),
        "{text}"
    );
    let counts = "tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"1\"";
    assert!(
        text.contains(&format!("<testsuite name=\"xrun.check\" {counts}")),
        "{text}"
    );
    assert_eq!(text.matches("<testcase ").count(), 5, "{text}");
    assert_eq!(text.matches("<failure ").count(), 2, "{text}");
    assert!(text.contains("<skipped message=\"never mind\"/>"), "{text}");
    assert!(text.contains(" file=\"/src/foo.c\" line=\"12\">"), "{text}");
    assert!(
        text.contains("env=&lt;0x7f&gt;): &quot;gone&quot;"),
        "{text}"
    );
    assert!(
        text.contains("name=\"unknown-id: unknown id\" time=\"0\"/>"),
        "{text}"
    );
    assert!(Format::is_one(text.as_bytes()));
    suites[0].ended.problem = Some("killed by signal 11".to_owned());
    let text = Format::Junit.text(&suites);
    assert!(
        text.contains("<error message=\"killed by signal 11\" type=\"run\">"),
        "{text}"
    );
    assert!(Format::is_one(Format::Json.text(&suites).as_bytes()));
}
