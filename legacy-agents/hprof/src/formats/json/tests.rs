//! The text of whole profiles.

use super::super::sample;
use super::*;
use crate::profile::MethodRef;

fn written(profile: &Profile) -> String {
    let mut out = Vec::new();
    write(profile, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_whole_profile() {
    let expected = concat!(
        r#"{"format":"xrun-hprof","version":2,"writer":"HPROF for xrun "#,
        env!("CARGO_PKG_VERSION"),
        r#"","started":1000000000123,"taken":1000000002123,"#,
        r#""options":{"depth":4,"cutoff":0.0001,"interval":10,"lineno":true,"thread":true,"sample":null},"notes":[],"#,
        r#""threads":[{"id":1,"name":"main","group":"main","parent":"system","ended":false}],"#,
        r#""methods":[{"class":"a.Main","name":"main","signature":"()V","source":"Main.java"},"#,
        r#"{"class":"a.Main","name":"<init>","signature":"()V","source":"Main.java"},"#,
        r#"{"class":"a.Main","name":"work","signature":"()V","source":"Main.java"}],"#,
        r#""frames":[[0,3,null],[1,7,0],[1,8,0],[2,-3,2]],"#,
        r#""traces":[{"id":1,"thread":null,"frame":null},"#,
        r#"{"id":2,"thread":1,"frame":1},"#,
        r#"{"id":3,"thread":1,"frame":3}],"#,
        r#""cpu":{"kind":"samples","entries":[{"trace":3,"count":10},{"trace":2,"count":5},{"trace":1,"count":2}]},"#,
        r#""sites":[{"class":"[I","trace":2,"live":{"objects":0,"bytes":0},"allocated":{"objects":4,"bytes":100}},"#,
        r#"{"class":"[La.Main;","trace":2,"live":{"objects":1,"bytes":32},"allocated":{"objects":2,"bytes":64}}],"#,
        r#""locks":[{"monitor":"a.Main","raw":false,"id":"30","trace":3,"count":2,"ns":7000000}],"#,
        r#""parked":[{"blocker":"a.Main","trace":2,"count":3,"ns":9000000},{"blocker":null,"trace":3,"count":1,"ns":0}]}"#,
        "\n"
    );
    assert_eq!(written(&sample::profile()), expected);
}

#[test]
fn the_other_kinds_of_cpu() {
    let mut profile = sample::profile();
    (profile.sites, profile.locks, profile.parked) = (None, None, None);
    profile.cpu = Some(Cpu::Times(vec![
        CpuEntry {
            trace: 2,
            count: 1,
            nanos: 3,
        },
        CpuEntry {
            trace: 3,
            count: 2,
            nanos: 4,
        },
    ]));
    let text = written(&profile);
    assert!(
        text.ends_with(concat!(
            r#""cpu":{"kind":"times","entries":[{"trace":3,"calls":2,"ns":4},{"trace":2,"calls":1,"ns":3}]},"#,
            r#""sites":null,"locks":null}"#,
            "\n"
        )),
        "{text}"
    );
    profile.cpu = Some(Cpu::Old(vec![Call {
        callee: MethodRef(1),
        caller: None,
        count: 1,
        nanos: 9,
    }]));
    let text = written(&profile);
    let expected = r#"{"kind":"old","entries":[{"callee":1,"caller":null,"calls":1,"ns":9}]}"#;
    assert!(text.contains(expected), "{text}");
}

#[test]
fn methods_that_nobody_names_are_left_out() {
    let mut profile = sample::profile();
    profile.traces.pop();
    let text = written(&profile);
    assert!(!text.contains(r#""name":"work""#), "{text}");
    profile.cpu = Some(Cpu::Old(vec![Call {
        callee: MethodRef(2),
        caller: Some(MethodRef(99)),
        count: 1,
        nanos: 9,
    }]));
    let text = written(&profile);
    assert!(text.contains(r#""name":"work""#), "{text}");
    assert!(text.contains(r#"{"callee":2,"caller":3,"#), "{text}");
}

#[test]
fn names_are_escaped() {
    let mut profile = sample::profile();
    let name = "a\"b\\c\n\u{1}é𝄞";
    name.clone_into(&mut profile.threads[0].name);
    let read: serde_json::Value = serde_json::from_str(&written(&profile)).unwrap();
    assert_eq!(read["threads"][0]["name"], name);
}
