//! What is written is read.

use super::*;

fn profile() -> Builder {
    let mut builder = Builder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let method = |name| Method {
        name,
        system_name: name,
        file: "A.java",
    };
    let work = builder.location(method("a.A.work"), 7);
    let main = builder.location(method("a.A.main"), -3);
    assert_eq!(builder.location(method("a.A.work"), 7), work);
    assert_ne!(builder.location(method("a.A.work"), 8), work);
    builder.sample(vec![work, main], &[3, 30], &[("host", "h"), ("thread", "")]);
    builder.period("cpu", "nanoseconds", 10_000_000);
    builder.comment("made up");
    builder
}

#[test]
fn what_is_the_same_has_one_number() {
    let mut bytes = Vec::new();
    profile().write(&mut bytes).unwrap();
    let read = read(&bytes).unwrap();
    assert_eq!(read, profile().profile);
    assert_eq!((read.function.len(), read.location.len()), (2, 3));
    let text = |at: i64| read.string_table[usize::try_from(at).unwrap()].as_str();
    let types: Vec<_> = read.sample_type.iter().map(|it| text(it.r#type)).collect();
    assert_eq!(types, ["samples", "cpu"]);
    assert_eq!(text(read.default_sample_type), "cpu");
    let [sample] = &read.sample[..] else { panic!() };
    assert_eq!(sample.value, [3, 30]);
    let labels: Vec<_> = sample
        .label
        .iter()
        .map(|it| (text(it.key), text(it.str)))
        .collect();
    assert_eq!(labels, [("host", "h")], "what is not known is not said");
    assert_eq!(read.location[1].line[0].line, 0);
    assert_eq!(text(0), "");
}

#[test]
fn what_is_shown_first_is_there() {
    let shown = |types: &[(&str, &str)]| {
        let mut bytes = Vec::new();
        Builder::new(types).write(&mut bytes).unwrap();
        let read = read(&bytes).unwrap();
        read.string_table[usize::try_from(read.default_sample_type).unwrap()].clone()
    };
    let parks = ("parks", "count");
    assert_eq!(shown(&[("alloc_objects", "count"), parks]), "alloc_objects");
    assert_eq!(shown(&[parks, ("cpu", "nanoseconds")]), "cpu");
    assert_eq!(shown(&[]), "");
}

#[test]
fn what_is_none_is_said() {
    let mut bytes = Vec::new();
    profile().write(&mut bytes).unwrap();
    let half = &bytes[..bytes.len() / 2];
    assert!(read(half).unwrap_err().contains("cut off"));
    assert!(
        read(b"JAVA PROFILE 1.0.1\0")
            .unwrap_err()
            .contains("no profile.proto")
    );
}
