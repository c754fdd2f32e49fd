//! What is written is read.

use super::*;

/// With as many samples.
fn profile(samples: usize) -> Vec<u8> {
    let mut to = Writer::new(Vec::new(), &[("samples", "count"), ("cpu", "nanoseconds")]);
    let method = |name| Method {
        name,
        system_name: name,
        file: "A.java",
    };
    let work = to.location(method("a.A.work"), 7);
    let main = to.location(method("a.A.main"), -3);
    assert_eq!(to.location(method("a.A.work"), 7), work);
    assert_ne!(to.location(method("a.A.work"), 8), work);
    for _ in 0..samples {
        let labels = [("host", "h"), ("thread", "")];
        to.sample(vec![work, main], &[3, 30], &labels).unwrap();
    }
    // Behind what is written already.
    let last = to.name_only("a.A.last");
    to.sample(vec![last], &[1, 10], &[]).unwrap();
    to.period("cpu", "nanoseconds", 10_000_000);
    to.comment("made up");
    to.finish().unwrap()
}

fn text(read: &Read<'_>, at: i64) -> String {
    read.profile.string_table[usize::try_from(at).unwrap()].clone()
}

#[test]
fn what_is_the_same_has_one_number() {
    for samples in [1, 2 * TOGETHER + 5] {
        let bytes = profile(samples);
        let read = read(&bytes).unwrap();
        let all: Vec<Sample> = read.samples().map(Result::unwrap).collect();
        let profile = &read.profile;
        assert_eq!(all.len(), samples + 1);
        assert_eq!((profile.function.len(), profile.location.len()), (3, 4));
        let types = profile.sample_type.iter();
        let types: Vec<_> = types.map(|it| text(&read, it.r#type)).collect();
        assert_eq!(types, ["samples", "cpu"]);
        assert_eq!(text(&read, profile.default_sample_type), "cpu");
        assert_eq!(profile.period, 10_000_000);
        let comments: Vec<_> = profile.comment.iter().map(|it| text(&read, *it)).collect();
        assert_eq!(comments, ["made up"]);
        let [last, others @ ..] = &mut { all }[..] else {
            panic!()
        };
        std::mem::swap(last, &mut others[samples - 1]);
        assert_eq!(
            (&last.value[..], &last.location_id[..]),
            (&[1, 10][..], &[4][..])
        );
        assert_eq!(text(&read, profile.function[2].name), "a.A.last");
        for sample in others {
            assert_eq!(sample.value, [3, 30]);
            assert_eq!(sample.location_id, [1, 2]);
            let labels = sample.label.iter();
            let labels: Vec<_> = labels
                .map(|it| (text(&read, it.key), text(&read, it.str)))
                .collect();
            // What is not known is not said.
            assert_eq!(labels, [("host".to_owned(), "h".to_owned())]);
        }
        assert_eq!(profile.location[1].line[0].line, 0);
        assert_eq!(text(&read, 0), "");
    }
}

#[test]
fn what_is_shown_first_is_there() {
    let shown = |types: &[(&str, &str)]| {
        let bytes = Writer::new(Vec::new(), types).finish().unwrap();
        let read = read(&bytes).unwrap();
        text(&read, read.profile.default_sample_type)
    };
    let parks = ("parks", "count");
    assert_eq!(shown(&[("alloc_objects", "count"), parks]), "alloc_objects");
    assert_eq!(shown(&[parks, ("cpu", "nanoseconds")]), "cpu");
    assert_eq!(shown(&[]), "");
}

#[test]
fn what_has_no_room_is_refused() {
    let mut to = Writer::new(Vec::new(), &[("samples", "count")]);
    assert!(to.sample(Vec::new(), &[1 << 63], &[]).is_err());
    assert!(to.sample(Vec::new(), &[(1 << 63) - 1], &[]).is_ok());
}

/// As bgzip and pigz write it.
#[test]
fn several_members_are_one_file() {
    let whole = profile(1);
    let mut plain = Vec::new();
    MultiGzDecoder::new(&*whole)
        .read_to_end(&mut plain)
        .unwrap();
    let (one, other) = plain.split_at(plain.len() / 2);
    let mut members = Vec::new();
    for part in [one, other] {
        let mut to = GzEncoder::new(&mut members, Compression::fast());
        to.write_all(part).unwrap();
        to.finish().unwrap();
    }
    assert_eq!(
        read(&members).unwrap().profile,
        read(&whole).unwrap().profile
    );
    assert_eq!(read(&plain).unwrap().profile, read(&whole).unwrap().profile);
}

#[test]
fn what_is_none_is_said() {
    let bytes = profile(1);
    let half = &bytes[..bytes.len() / 2];
    assert!(read(half).unwrap_err().contains("cut off"));
    let mut plain = Vec::new();
    MultiGzDecoder::new(&*bytes)
        .read_to_end(&mut plain)
        .unwrap();
    for none in [&b"JAVA PROFILE 1.0.1\0"[..], &plain[..plain.len() - 1]] {
        assert!(read(none).unwrap_err().contains("no profile.proto"));
    }
}
