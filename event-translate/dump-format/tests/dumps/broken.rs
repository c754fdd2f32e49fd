//! Whatever the readers get, they say what is wrong and where.

use std::time::{Duration, Instant};
use std::{env, slice};

use dump_format::{
    Detail, Extent, HeapReader, KindReader, Malformed, MonitorReader, Primitive, Record, Shape,
    Type, Value, WORD, read_object,
};

use super::model::write_monitors;
use super::random::Random;

const DETAILS: [Detail; 2] = [Detail::References, Detail::Values];

/// Reads to the end in every way there is.
fn read_all(heap: &super::model::Heap, dump: &[u8]) {
    for detail in DETAILS {
        let shapes = |id| heap.shape(id);
        bounded(HeapReader::new(dump, detail, shapes), dump, 1 + WORD);
        sound(heap.read(dump, detail), dump);
        for begin in 0..=dump.len() {
            let extent = Extent::at(dump, begin, detail);
            assert!(extent.is_none_or(|extent| begin < extent.end && extent.end <= dump.len()));
        }
    }
    let object = read_object(dump, |id| heap.shape(id));
    sound(object.and_then(|record| heap.item(record)), dump);
    bounded(KindReader::new(dump), dump, 1 + WORD);
    bounded(MonitorReader::new(dump), dump, 1 + 2 * WORD + 12);
    sound(super::model::read_monitors(dump), dump);
}

/// No more records than there is room for; after an error nothing.
fn bounded<T>(records: impl Iterator<Item = Result<T, Malformed>>, dump: &[u8], smallest: usize) {
    let records: Vec<_> = records.take(dump.len() + 2).collect();
    assert!(records.len() <= dump.len() / smallest + 1);
    let errors = records.iter().filter(|record| record.is_err()).count();
    let last = records.last().is_some_and(Result::is_err);
    assert_eq!(errors, usize::from(last), "the last if any");
    for record in records {
        sound(record, dump);
    }
}

fn sound<T>(read: Result<T, Malformed>, dump: &[u8]) {
    if let Err(error) = read {
        assert!(error.offset <= dump.len(), "{error}");
        assert!(!error.expected.is_empty());
    }
}

#[test]
fn mutations() {
    let long = env::var_os("XRUN_LONG").is_some_and(|value| value != "0");
    let time = Duration::from_secs(if long { 600 } else { 2 });
    let started = Instant::now();
    let least = if cfg!(miri) { 5 } else { 1000 };
    for seed in 0.. {
        if seed >= least && (cfg!(miri) || started.elapsed() > time) {
            break;
        }
        let mut random = Random(seed);
        let heap = random.heap();
        let mut dump = match random.below(4) {
            0 => write_monitors(Vec::new(), &random.monitors()).expect("memory"),
            1 => random.object().write(Detail::Values),
            2 => heap.write(Detail::References),
            _ => heap.write(Detail::Values),
        };
        random.breaks(&mut dump);
        read_all(&heap, &dump);
    }
}

#[test]
fn noise() {
    for seed in 0..if cfg!(miri) { 5 } else { 20_000 } {
        let mut random = Random(seed);
        let heap = random.heap();
        let dump: Vec<_> = (0..random.below(300))
            .map(|_| random.next() as u8)
            .collect();
        read_all(&heap, &dump);
    }
}

#[test]
fn a_dump_cut_short_says_where() {
    for seed in 0..if cfg!(miri) { 1 } else { 30 } {
        let mut random = Random(seed);
        let heap = random.heap();
        for detail in DETAILS {
            let dump = heap.write(detail);
            let whole = heap.read(&dump, detail).expect("whole");
            let mut ends = vec![0];
            for count in 1..=whole.len() {
                let first = super::model::Heap {
                    classes: Vec::new(),
                    items: heap.items[..count].to_vec(),
                };
                ends.push(first.write(detail).len());
            }
            for cut in 0..dump.len() {
                match heap.read(&dump[..cut], detail) {
                    Ok(read) => assert_eq!(ends[read.len()], cut),
                    Err(error) => {
                        let begins = ends.iter().rev().find(|&&end| end < cut);
                        assert!(!ends.contains(&cut), "{error}");
                        assert!(error.offset >= *begins.expect("0"), "{error}");
                        assert!(error.offset <= cut, "{error}");
                    }
                }
            }
        }
        let monitors = random.monitors();
        let dump = write_monitors(Vec::new(), &monitors).expect("memory");
        for cut in 0..dump.len() {
            let prefix = &dump[..cut];
            match super::model::read_monitors(prefix) {
                Ok(read) => assert_eq!(write_monitors(Vec::new(), &read).as_deref(), Ok(prefix)),
                Err(error) => assert!(error.offset <= cut),
            }
        }
    }
}

fn heap_error(dump: &[u8], detail: Detail) -> String {
    let statics = [Type::Reference];
    let shape = |id| {
        (id == 1).then_some(Shape {
            interfaces: 1,
            statics: &statics,
        })
    };
    let last = HeapReader::new(dump, detail, shape).take(9).last();
    last.expect("a record").expect_err("an error").to_string()
}

#[test]
fn fields_are_those_of_the_class() {
    let root = [vec![5], 1usize.to_ne_bytes().to_vec()].concat();
    let ids = [5usize, 1].map(usize::to_ne_bytes).concat();
    let dump = [&root[..], &[0x21], &ids, &[0, 0, 0, 1, 1]].concat();
    let record = HeapReader::new(&dump, Detail::Values, |_| None).nth(1);
    let Some(Ok(Record::Instance(instance))) = record else {
        panic!("{record:?}");
    };
    let boolean = Type::Primitive(Primitive::Boolean);
    let mut fields = instance.fields(slice::from_ref(&boolean)).expect("one");
    assert_eq!(
        fields.next(),
        Some((0, Value::Primitive(Primitive::Boolean, 1)))
    );
    assert_eq!(fields.next(), None);
    for types in [&[][..], &[boolean; 2], &[Type::Reference]] {
        let error = instance.fields(types).err().map(|error| error.to_string());
        let expected = "the length of the fields of the class and its superclasses";
        let expected = format!("expected {expected} at offset {}", 2 + 3 * WORD);
        assert_eq!(error, Some(expected));
    }
}

#[test]
fn errors_say_what_was_expected() {
    let word = |number: usize| number.to_ne_bytes().to_vec();
    let values = |parts: &[&[u8]]| heap_error(&parts.concat(), Detail::Values);
    assert_eq!(values(&[&[8]]), "expected the tag of a record at offset 0");
    assert_eq!(
        values(&[&[0xff], &word(1), &[0xff, 0]]),
        format!("expected the object of a root at offset {}", 2 + WORD)
    );
    assert_eq!(
        values(&[&[0x20], &word(2)]),
        "expected a class that CLASS_LOAD has told of at offset 1"
    );
    assert_eq!(
        values(&[&[0x20], &word(1).repeat(7), &[0; 4]]),
        format!(
            "expected as many interfaces as the class has at offset {}",
            5 + 7 * WORD
        )
    );
    let class = [vec![0x20], word(1).repeat(7), vec![0; 4], word(3)].concat();
    assert_eq!(
        values(&[&class, &[0, 1, 0, 9, 0], &word(1)]),
        format!(
            "expected the type of a constant at offset {}",
            class.len() + 4
        )
    );
    assert_eq!(
        values(&[&class, &[0, 2, 0, 9, 2], &word(1)]),
        format!(
            "expected the index of a constant at offset {}",
            class.len() + 5 + WORD
        )
    );
    assert_eq!(
        values(&[&class, &[0, 0], &[1]]),
        format!(
            "expected as many static fields as the class has at offset {}",
            class.len() + 2
        )
    );
    assert_eq!(
        values(&[&[0x21], &word(5), &word(1), &[0, 0, 0, 3, 1, 2]]),
        format!(
            "expected as many bytes of fields as announced at offset {}",
            5 + 2 * WORD
        )
    );
    assert_eq!(
        values(&[&[0x22], &word(5), &[0xff; 4], &word(1), &word(2)]),
        format!(
            "expected as many elements as announced at offset {}",
            5 + 2 * WORD
        )
    );
    assert_eq!(
        values(&[&[0x23], &word(5), &[0, 0, 0, 1, 2]]),
        format!("expected a primitive type at offset {}", 5 + WORD)
    );
    assert_eq!(
        values(&[&[0x23], &word(5), &[0, 0, 0, 1, 11], &[0; 7]]),
        format!(
            "expected as many elements as announced at offset {}",
            6 + WORD
        )
    );
    let kinds = KindReader::new(&[3]).next().expect("an object");
    assert_eq!(
        kinds.expect_err("no kind").to_string(),
        "expected a type of object at offset 0"
    );
    let monitor = [
        vec![1],
        word(1),
        word(0),
        vec![0; 4],
        vec![0, 0, 0, 2],
        word(4),
    ]
    .concat();
    let monitor = MonitorReader::new(&monitor).next().expect("a monitor");
    assert_eq!(
        monitor.expect_err("no monitor").to_string(),
        format!(
            "expected as many threads as announced at offset {}",
            9 + 2 * WORD
        )
    );
    let root = [vec![5], word(1)].concat();
    let object = read_object(&root, |_| None);
    assert_eq!(
        object.expect_err("a root").to_string(),
        "expected the tag of an object at offset 0"
    );
}
