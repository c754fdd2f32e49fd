//! Dumps with small limits, and classes of arrays.

use dump_format::{Detail, HeapWriter, Primitive};

use super::*;
use crate::agent::{Agent, without_a_host};
use crate::dump::write_heap;

#[test]
fn an_array_class_is_found_by_its_elements_name_and_loader() {
    let classes = [
        (("a.B", 1), 10),
        (("a.B", 2), 20),
        (("[La.B;", 1), 11),
        (("[La.B;", 2), 21),
        (("[[La.B;", 2), 22),
        (("[I", 0), 30),
        (("[[I", 0), 31),
    ];
    let classes = classes.map(|((name, loader), id)| ((Rc::from(name), loader), id));
    let mut found: Vec<_> = array_classes(&FxHashMap::from_iter(classes))
        .into_iter()
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(10, 11), (20, 21), (21, 22), (30, 31)]);
}

/// Arrays of bytes, each filled with its number, and one of references behind them.
fn dump(lengths: &[u32], references: usize) -> Vec<u8> {
    let mut writer = HeapWriter::new(Vec::new(), Detail::Values);
    for (number, &length) in (1_u8..).zip(lengths) {
        let bytes = vec![number; length as usize];
        let array = ARRAYS + usize::from(number) * 16;
        writer
            .primitive_array(array, Primitive::Byte, length, &bytes)
            .unwrap();
    }
    writer
        .object_array(ARRAYS, 0, &vec![7; references])
        .unwrap();
    writer.into_sink()
}

/// Ids that no other test has.
const ARRAYS: usize = 0x7e57_0000;
/// Bytes of an array of bytes without its elements, and of one of references.
const BYTES: usize = 10 + WORD;
const REFERENCES: usize = 9 + 2 * WORD;

/// The lengths of the arrays in sub-records, which have to be whole.
fn lengths(mut body: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    while let Some(&tag) = body.first() {
        let at = 5 + WORD;
        let length = u32::from_be_bytes(body[at..at + 4].try_into().unwrap()) as usize;
        let all = match tag {
            0x22 => REFERENCES + length * WORD,
            0x23 => BYTES + length,
            other => panic!("{other:x}"),
        };
        body = &body[all..];
        found.push(length);
    }
    found
}

/// The format of a file, and the tags and bodies of its records of heap dumps.
fn read(mut file: &[u8]) -> (String, Vec<(u8, Vec<u8>)>) {
    let format = String::from_utf8(file[..18].to_vec()).unwrap();
    file = &file[31..];
    let mut records = Vec::new();
    while let Some((&tag, rest)) = file.split_first() {
        let length = u32::from_be_bytes(rest[4..8].try_into().unwrap()) as usize;
        if [tag::HEAP_DUMP, tag::HEAP_DUMP_SEGMENT, tag::HEAP_DUMP_END].contains(&tag) {
            records.push((tag, rest[8..8 + length].to_vec()));
        }
        file = &rest[8 + length..];
    }
    (format, records)
}

/// Whose profile goes to a file of this name, and that.
fn agent(name: &str) -> (Agent, std::path::PathBuf) {
    let file = std::env::temp_dir().join(format!("hprof-{name}-{}", std::process::id()));
    let options = format!("heap=dump,format=b,verbose=n,file={}", file.display());
    (without_a_host(&options), file)
}

/// Writes a dump, and reads the file.
fn written(
    (agent, file): &(Agent, std::path::PathBuf),
    bytes: &[u8],
    most: u32,
) -> (String, Vec<(u8, Vec<u8>)>) {
    let heap = Heap::new(agent, bytes, &[]).unwrap();
    write_heap(agent, &heap, most);
    agent.output.lock().complete();
    read(&std::fs::read(file).unwrap())
}

#[test]
fn a_file_that_gets_segments_says_so_in_its_head() {
    let bytes = dump(&[20, 30, 40], 3);
    let own = agent("segments");
    let (format, records) = written(&own, &bytes, u32::MAX);
    assert_eq!(format, "JAVA PROFILE 1.0.1");
    assert_eq!(records.len(), 1);
    assert_eq!(lengths(&records[0].1), [20, 30, 40, 3]);
    // It is there already, or the first.
    for (own, before) in [(own, 1), (agent("first-segments"), 0)] {
        let (format, records) = written(&own, &bytes, 100);
        assert_eq!(format, "JAVA PROFILE 1.0.2");
        let (old, new) = records.split_at(before);
        assert!(old.iter().all(|(tag, _)| *tag == tag::HEAP_DUMP));
        let (end, segments) = new.split_last().unwrap();
        assert_eq!(*end, (tag::HEAP_DUMP_END, Vec::new()));
        let is_small =
            |(tag, body): &(u8, Vec<u8>)| *tag == tag::HEAP_DUMP_SEGMENT && body.len() <= 100;
        assert!(segments.iter().all(is_small));
        let found = segments.iter().flat_map(|(_, body)| lengths(body));
        assert!(found.eq([20, 30, 40, 3]));
        std::fs::remove_file(own.1).unwrap();
    }
}

#[test]
fn arrays_that_no_segment_can_hold_are_cut_short() {
    const MOST: usize = 100;
    let own = agent("long-arrays");
    let bytes = dump(&[20, 1000, 30], 50);
    let heap = Heap::new(&own.0, &bytes, &[]).unwrap();
    let how = records(&heap, 100).unwrap();
    assert_eq!(how, Records::Segments);
    let mut out = Vec::new();
    let shortened = super::heap(&mut out, &mut Binary::default(), &heap, (how, 100), || {});
    assert_eq!(shortened.unwrap(), 2);
    let (_, records) = written(&own, &bytes, 100);
    let found = records.iter().flat_map(|(_, body)| lengths(body));
    let expected = [20, MOST - BYTES, 30, (MOST - REFERENCES) / WORD];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(records.iter().all(|(_, body)| body.len() <= MOST));
    // What comes then is written as well.
    let (_, more) = written(&own, &dump(&[5], 1), 100);
    assert_eq!(lengths(&more.last().unwrap().1), [5, 1]);
    std::fs::remove_file(own.1).unwrap();
}
