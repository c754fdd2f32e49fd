//! What cannot be compared, and how all of it is shown.

use recording_format::jvmti::Definition;
use recording_format::{Recording, Value, What};

use super::made::{self, Made, SAW, compared, pair};
use crate::rules::RULES;
use crate::{Observed, Wish, Wrong, compare, document, json, markdown, suite, text};

#[test]
fn a_side_is_missing() {
    let [old, new] = pair(&[1], &[65]);
    let [old, new] = [old.observed(), new.observed()];
    let failed = |first, second| compare(first, second, Wish::default()).unwrap_err();
    assert_eq!(failed(&new, Some(&old)), Wrong::NoOld);
    assert_eq!(failed(&old, Some(&old)), Wrong::NoPort);
    assert_eq!(failed(&old, None), Wrong::NoPort);
    assert_eq!(failed(&new, None), Wrong::NoOld);
    assert!(
        failed(&old, None)
            .to_string()
            .contains("xrun trace -o new.rec")
    );
}

#[test]
fn an_agent_can_be_named() {
    let named = |name| Wish {
        agent: Some(name),
        ..Wish::default()
    };
    let [old, new] = pair(&[1], &[65]);
    let [old, new] = [old.observed(), new.observed()];
    for name in ["port", "libport.so"] {
        assert!(compare(&old, Some(&new), named(name)).is_ok());
    }
    let wrong = compare(&old, Some(&new), named("other")).unwrap_err();
    assert_eq!(wrong, Wrong::NoSuchPort(vec!["libport.so".to_owned()]));
}

/// One of the JDK's beside it is not what is meant; alone it is.
#[test]
fn agents_of_the_jdk_are_no_ports_beside_others() {
    let named = |second: &[&'static str]| {
        let [old, mut new] = pair(&[1], &[65]);
        for (number, name) in (2..).zip(second) {
            new.add(What::Defined {
                definition: Definition::Environment,
                values: vec![Value::Int(number), made::text(name)],
            });
        }
        let [old, new] = [old.observed(), new.observed()];
        compare(&old, Some(&new), Wish::default()).map(|it| it.agents)
    };
    for second in [&["libinstrument.so", "libjdwp.so"][..], &[]] {
        assert_eq!(named(second).unwrap()[1], "libport.so");
    }
    let names = ["libother.so", "libport.so"].map(str::to_owned);
    let wrong = named(&["libother.so"]).unwrap_err();
    assert_eq!(wrong, Wrong::Ports(names.to_vec()));
}

#[test]
fn programs_have_to_be_the_same() {
    let mut both = [Made::of("java -Xrunold Work 1"), Made::of("java Other 1")];
    both[0].enables(&[1]);
    both[1].listens(&[65]);
    let [old, new] = [both[0].observed(), both[1].observed()];
    let wrong = compare(&old, Some(&new), Wish::default()).unwrap_err();
    assert_eq!(
        wrong,
        Wrong::Programs("Work".to_owned(), "Other".to_owned())
    );
    let forced = Wish {
        force: true,
        ..Wish::default()
    };
    let forced = compare(&old, Some(&new), forced).unwrap();
    assert!(
        forced.notes[0].contains("Work and Other"),
        "{:?}",
        forced.notes
    );
}

#[test]
fn what_was_cut_off_is_said() {
    let mut both = pair(&[1], &[65]);
    both[0].starts().ends();
    both[1].starts();
    let notes = compared(&both).notes;
    assert!(
        matches!(&notes[..], [one] if one.starts_with("The new recording was cut off (the VM's end"))
    );
    let whole = both[1].bytes();
    let cut = &whole[..whole.len() - 100];
    let observed = Observed::of(&Recording::read(cut).unwrap());
    let wrong = compare(&both[0].observed(), Some(&observed), Wish::default());
    let said = wrong.map_or_else(|wrong| wrong.to_string(), |it| it.notes.join(" "));
    assert!(said.contains("cut off") || said.contains("JVMTI"), "{said}");
}

/// Names are the program's: anything may be in them.
#[test]
fn it_is_shown_in_three_ways() {
    let mut both = pair(&[42], &[56]);
    both[0].loads("A|\"`<b>", 0x100).starts().ends();
    both[1].starts().ends();
    let comparison = compared(&both);
    assert!(comparison.differs());
    let text = text(&comparison);
    assert!(
        text.contains("classes loaded") && text.contains("misses 1 of 1 `A|\"`<b>`"),
        "{text}"
    );
    assert!(
        text.starts_with("libold.so (JVMPI) and libport.so (JVMTI): "),
        "{text}"
    );
    let json = json(&comparison);
    assert!(
        json.contains("\"name\":\"A|\\\"`<b>\"") && json.contains("\"differs\":true"),
        "{json}"
    );
    let page = markdown(&comparison);
    assert!(page.contains("| `A\\|\"'<b>` |"), "{page}");
    assert_eq!(page.matches("\n## ").count(), RULES.len());
}

/// A terminal obeys an escape, and a newline would begin a line, or a row, that nobody has written.
#[test]
fn nothing_in_names_is_obeyed() {
    let mut both = pair(&[42], &[56]);
    both[0].loads("A\u{1b}[2J\nB", 0x100).starts().ends();
    both[1].starts().ends();
    let noun = made::text("no\u{1b}[2J\nnoun");
    both[1].call(SAW, vec![noun, made::text("x"), Value::Int(0)], vec![]);
    let comparison = compared(&both);
    for shown in [text(&comparison), markdown(&comparison)] {
        for name in ["A\\u{1b}[2J\\u{a}B", "no\\u{1b}[2J\\u{a}noun"] {
            assert!(shown.contains(name), "no {name}: {shown}");
        }
        assert!(!shown.contains('\u{1b}'), "{shown}");
        let is_broken = |line: &str| line.starts_with('B') || line.starts_with("noun");
        assert!(!shown.lines().any(is_broken), "{shown}");
    }
}

/// A CI counts failures of one test from run to run.
#[test]
fn a_test_has_the_same_name_whatever_comes_out() {
    let names = |times: u64| {
        let mut both = pair(&[42], &[56]);
        for class in 0..times {
            both[0].loads("Work", 0x100 + class * 2);
        }
        both[0].starts().ends();
        both[1].starts().ends();
        let junit = findings::junit(&[suite(&compared(&both))]);
        assert_eq!(
            junit.contains(&format!("message=\"misses {times} of {times} `Work`")),
            times > 0,
            "{junit}"
        );
        let of = |line: &str| Some(line.split_once(" name=\"")?.1.split_once('"')?.0.to_owned());
        let tests = junit.lines().filter(|line| line.contains("<testcase"));
        tests.filter_map(of).collect::<Vec<_>>()
    };
    assert!(names(0).iter().any(|it| it.starts_with("classes-loaded: ")));
    assert_eq!(names(0), names(3));
    assert_eq!(names(1), names(3));
}

#[test]
fn each_noun_has_one_rule() {
    let mut nouns: Vec<_> = RULES.iter().map(|rule| rule.noun).collect();
    nouns.sort_unstable();
    nouns.dedup();
    assert_eq!(nouns.len(), RULES.len());
}

#[test]
fn the_document_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compare.md");
    let checked_in = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        checked_in == document::render(),
        "docs/compare.md is not what the rules say; run\n    \
         cargo run -p comparison --example rules > docs/compare.md"
    );
}
