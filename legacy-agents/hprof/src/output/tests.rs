//! What is written when.

use super::*;
use crate::formats::sample::profile;
use crate::options::{Asked, parse};
use crate::profile::{ClassRef, MethodRef, SiteKind};

fn output(options: &str) -> Output {
    match parse(options) {
        Ok(Asked::Profile(options)) => Output::open(&options).unwrap(),
        other => panic!("{options}: {other:?}"),
    }
}

/// It starts between the picture of all threads and the list of what is new.
#[test]
fn a_thread_that_starts_while_a_dump_is_made_comes_with_the_next() {
    let name = format!("hprof-younger-{}", std::process::id());
    let file = std::env::temp_dir().join(name);
    let mut output = output(&format!("cpu=samples,file={}", file.display()));
    let mut profile = profile();
    let changes = [1, 2].map(Change::Start);
    let changes = [&changes[..], &[Change::End(1), Change::End(2)]].concat();
    output.news(&profile, &changes[..3], 0);
    let mut younger = profile.threads[0].clone();
    younger.serial = 2;
    profile.threads.push(younger);
    output.news(&profile, &changes, 0);
    output.news(&profile, &changes, 0);
    output.complete();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    let is_change = |line: &&str| line.starts_with("THREAD ") && line.contains("id = ");
    let lines = text.lines().filter(is_change);
    let lines: Vec<_> = lines
        .map(|line| (line.contains("START"), line.contains("id = 1")))
        .collect();
    let expected = [(true, true), (true, false), (false, true), (false, false)];
    assert_eq!(lines, expected, "{text}");
}

/// The records of a file of `format=b`, tag and body.
fn records(mut file: &[u8]) -> Vec<(u8, Vec<u8>)> {
    file = &file[31..];
    let mut records = Vec::new();
    while let [tag, rest @ ..] = file {
        let length = u32::from_be_bytes(rest[4..8].try_into().unwrap()) as usize;
        records.push((*tag, rest[8..8 + length].to_vec()));
        file = &rest[8 + length..];
    }
    records
}

/// Two dumps of a profile with `format=b`.
fn two_in_binary(name: &str, options: &str, profile: &Profile) -> Vec<(u8, Vec<u8>)> {
    let file = std::env::temp_dir().join(format!("hprof-{name}-{}", std::process::id()));
    let mut output = output(&format!("{options},format=b,file={}", file.display()));
    for _ in 0..2 {
        output.news(profile, &[], 0);
        output.tables(profile, None);
        output.complete();
    }
    let bytes = std::fs::read(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    records(&bytes)
}

#[test]
fn classes_are_unloaded_behind_all_that_names_them() {
    let mut profile = profile();
    profile.classes.insert(0, profile.classes[0].clone());
    profile.classes[1].unloaded = true;
    for method in &mut profile.methods {
        method.class = ClassRef(1);
    }
    profile.sites.as_mut().unwrap()[1].kind = SiteKind::Array(Some(ClassRef(1)));
    let records = two_in_binary("unloads", "cpu=samples,heap=sites", &profile);
    const UTF8: u8 = 1;
    let tags: Vec<_> = records.iter().map(|&(tag, _)| tag).collect();
    let tags: Vec<_> = tags.into_iter().filter(|&tag| tag != UTF8).collect();
    // LOAD CLASS, FRAME and TRACE, ALLOC SITES and CPU SAMPLES, UNLOAD CLASS: once.
    let first = [0x0e, 2, 5, 4, 4, 5, 4, 4, 5, 6, 0x0d, 3];
    assert_eq!(tags, [&first[..], &[6, 0x0d]].concat());
}

#[test]
fn binary_has_the_notes_whatever_was_asked_for() {
    let mut profile = profile();
    profile.notes = vec!["note 1".to_owned(), "note 2".to_owned()];
    profile.sites = None;
    let records = two_in_binary("notes", "cpu=samples", &profile);
    let texts = records.iter().filter(|&(tag, _)| *tag == 1);
    let texts: Vec<_> = texts
        .map(|(_, body)| String::from_utf8_lossy(&body[size_of::<usize>()..]))
        .collect();
    assert_eq!(texts[1..3], ["note 1", "note 2"]);
    assert_eq!(texts.iter().filter(|text| text.contains("note")).count(), 2);
}

/// Scripts know its lines since JDK 1.1, and read no head.
#[test]
fn cpu_old_alone_is_a_table_with_notes_behind_it_if_there_are_any() {
    let file = std::env::temp_dir().join(format!("hprof-old-{}", std::process::id()));
    let mut profile = profile();
    (profile.sites, profile.locks, profile.parked) = (None, None, None);
    profile.cpu = Some(Cpu::Old(Vec::new()));
    let written = |profile: &Profile| {
        let mut output = output(&format!("cpu=old,file={}", file.display()));
        output.news(profile, &[], 0);
        output.tables(profile, None);
        output.complete();
        std::fs::read_to_string(&file).unwrap()
    };
    const TABLE: &str = "count callee caller time\n";
    assert_eq!(written(&profile), TABLE);
    profile.notes = vec!["note 1".to_owned()];
    profile.left_out = Some(vec![(MethodRef(2), 7000)]);
    let text = written(&profile);
    let notes = text.strip_prefix(TABLE).expect("the table first");
    let lines: Vec<_> = notes.lines().collect();
    assert!(lines[1].contains("written by HPROF for xrun "), "{text}");
    assert_eq!(lines[3], "NOTE: note 1", "{text}");
    assert!(
        lines[5].starts_with("METHODS LEFT OUT BEGIN (total = 1) "),
        "{text}"
    );
    assert!(lines[7].ends_with("7000  a.Main.work"), "{text}");
    assert_eq!(lines.last(), Some(&"METHODS LEFT OUT END"), "{text}");
    std::fs::remove_file(file).unwrap();
}
