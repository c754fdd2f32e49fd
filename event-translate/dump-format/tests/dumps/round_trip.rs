//! What was written is what is read.

use dump_format::{
    Detail, Extent, HeapReader, HeapWriter, KindReader, KindWriter, Primitive, Record, Sink, Value,
    WORD, WriteError, read_object,
};

use super::model::{read_monitors, write_monitors};
use super::random::Random;

const SEEDS: u64 = if cfg!(miri) { 3 } else { 2000 };
const DETAILS: [Detail; 2] = [Detail::References, Detail::Values];

#[test]
fn heaps() {
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let heap = random.heap();
        for detail in DETAILS {
            let dump = heap.write(detail);
            let expected: Vec<_> = heap.items.iter().map(|item| item.at(detail)).collect();
            assert_eq!(heap.read(&dump, detail), Ok(expected), "seed {seed}");
            assert_eq!(dump, heap.write_piecemeal(detail, &mut random), "{seed}");
        }
    }
}

/// An object's record reaches from its first byte to the next record's.
#[test]
fn extents() {
    for seed in 0..SEEDS {
        let heap = Random(seed).heap();
        for detail in DETAILS {
            let dump = heap.write(detail);
            let mut records = HeapReader::new(&dump, detail, |id| heap.shape(id));
            let mut begin = 0;
            while let Some(record) = records.next() {
                let object = match record.expect("a record") {
                    Record::Root(_) | Record::Class(_) => None,
                    Record::Instance(instance) => Some(instance.object),
                    Record::ObjectArray(array) => Some(array.array),
                    Record::PrimitiveArray(array) => Some(array.array),
                };
                let extent = Extent::at(&dump, begin, detail);
                assert_eq!(extent.map(|extent| extent.object), object, "seed {seed}");
                begin = records.offset();
                if let Some(extent) = extent {
                    assert_eq!(extent.end, begin, "seed {seed}");
                    assert!(extent.begin < extent.values && extent.values <= extent.end);
                }
            }
        }
    }
}

#[test]
fn objects() {
    for seed in 0..SEEDS {
        let heap = Random(seed).object();
        let mut dump = heap.write(Detail::Values);
        let record = read_object(&dump, |id| heap.shape(id)).expect("a record");
        assert_eq!(heap.item(record).as_ref(), Ok(&heap.items[0]));

        let end = dump.len();
        dump.push(0x21);
        let error = read_object(&dump, |id| heap.shape(id)).expect_err("more than a record");
        assert_eq!((error.offset, error.expected), (end, "the end of the dump"));
    }
}

#[test]
fn kinds() {
    for seed in 0..SEEDS {
        let kinds = Random(seed).kinds();
        let mut dump = KindWriter::new(Vec::new());
        for &(kind, object) in &kinds {
            dump.object(kind, object).expect("memory");
        }
        let dump = dump.into_sink();
        let read: Result<Vec<_>, _> = KindReader::new(&dump).collect();
        assert_eq!(read, Ok(kinds));
    }
}

#[test]
fn monitors() {
    for seed in 0..SEEDS {
        let monitors = Random(seed).monitors();
        let dump = write_monitors(Vec::new(), &monitors).expect("memory");
        assert_eq!(read_monitors(&dump), Ok(monitors));
    }
}

#[test]
fn a_long_array() {
    const LENGTH: u32 = if cfg!(miri) { 1000 } else { 1_000_000 };
    let host: Vec<_> = (0..u64::from(LENGTH)).flat_map(u64::to_ne_bytes).collect();
    let ids: Vec<_> = (0..LENGTH as usize).collect();
    let mut heap = HeapWriter::new(Vec::new(), Detail::Values);
    heap.primitive_array(1, Primitive::Long, LENGTH, &host)
        .expect("memory");
    heap.object_array(2, 0, &ids).expect("memory");
    let dump = heap.into_sink();

    let mut records = HeapReader::new(&dump, Detail::Values, |_| None);
    let Some(Ok(Record::PrimitiveArray(array))) = records.next() else {
        panic!("no array of primitives");
    };
    let longs = (0..u64::from(LENGTH)).map(|bits| Value::Primitive(Primitive::Long, bits));
    assert!(array.values().eq(longs));
    let Some(Ok(Record::ObjectArray(array))) = records.next() else {
        panic!("no array of objects");
    };
    assert_eq!(array.elements.len(), ids.len());
    assert!(array.elements.eq(ids));
    assert!(records.next().is_none());
}

/// A sink that has only so much memory.
struct Limited {
    bytes: Vec<u8>,
    limit: usize,
}

impl Sink for Limited {
    fn grow(&mut self, bytes: usize) -> Result<&mut [u8], WriteError> {
        if bytes > self.limit - self.bytes.len() {
            return Err(WriteError::NoMemory);
        }
        self.bytes.grow(bytes)
    }

    fn written(&mut self) -> &mut [u8] {
        self.bytes.written()
    }
}

#[test]
fn without_memory_the_dump_ends_with_a_whole_record() {
    for seed in 0..SEEDS / 20 + 1 {
        let heap = Random(seed).heap();
        for detail in DETAILS {
            let whole = heap.write(detail);
            for limit in (0..whole.len()).step_by(7) {
                let mut sink = Limited {
                    bytes: Vec::new(),
                    limit,
                };
                let error = heap.write_to(&mut sink, detail).err();
                assert_eq!(error, Some(WriteError::NoMemory));
                assert!(whole.starts_with(&sink.bytes));
                let read = heap.read(&sink.bytes, detail).expect("whole records");
                let expected = heap.items[..read.len()].iter();
                let expected: Vec<_> = expected.map(|item| item.at(detail)).collect();
                assert_eq!(read, expected);
            }
        }
        let monitors = Random(seed).monitors();
        let whole = write_monitors(Vec::new(), &monitors).expect("memory");
        for limit in 0..whole.len() {
            let mut sink = Limited {
                bytes: Vec::new(),
                limit,
            };
            let error = write_monitors(&mut sink, &monitors).err();
            assert_eq!(error, Some(WriteError::NoMemory));
            let read = read_monitors(&sink.bytes).expect("whole records");
            assert_eq!(read, monitors[..read.len()]);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let limited = || Limited {
        bytes: Vec::new(),
        limit: 1 << 20,
    };
    let mut heap = HeapWriter::new(limited(), Detail::Values);
    let full = Err(WriteError::NoMemory);
    assert_eq!(heap.open_instance(1, 2, u32::MAX), full);
    assert_eq!(heap.open_object_array(1, 2, u32::MAX), full);
    assert_eq!(
        heap.open_primitive_array(1, Primitive::Long, u32::MAX),
        full
    );
    assert_eq!(
        heap.open_primitive_array(1, Primitive::Byte, u32::MAX),
        full
    );

    let constants = vec![(0, 0); 0x1_0000];
    let class = heap.class(&Default::default(), &[], &constants, &[]);
    assert_eq!(class, Err(WriteError::TooLong));
    let class = heap.class(&Default::default(), &[], &constants[1..], &[]);
    assert_eq!(class, Ok(()));

    for (ty, length, bytes) in [
        (Primitive::Int, 1, 3),
        (Primitive::Int, 1, 5),
        (Primitive::Int, 0, 4),
        (Primitive::Byte, 2, 1),
        (Primitive::Long, u32::MAX, 0),
    ] {
        let array = heap.primitive_array(1, ty, length, &vec![0; bytes]);
        assert_eq!(array, Err(WriteError::Misfit), "{ty:?}");
    }

    let mut heap = HeapWriter::new(Vec::new(), Detail::Values);
    let first = heap.open_object_array(1, 2, 2).expect("memory");
    let misfit = Err(WriteError::Misfit);
    let id = Value::Reference(7);
    assert_eq!(heap.set(first + WORD, id), Ok(()));
    assert_eq!(heap.set(first + WORD + 1, id), misfit);
    assert_eq!(heap.set(first + 2 * WORD, id), misfit);
    assert_eq!(heap.set(usize::MAX, id), misfit);
    assert_eq!(heap.fill(first, Primitive::Char, &[1, 2, 3]), misfit);
    assert_eq!(
        heap.fill(first + 2 * WORD, Primitive::Char, &[1, 2]),
        misfit
    );
    assert_eq!(heap.fill(first + 2 * WORD, Primitive::Char, &[]), Ok(()));

    let mut heap = HeapWriter::new(heap.into_sink(), Detail::References);
    let int = Value::Primitive(Primitive::Int, 1);
    assert_eq!(heap.set(first + 2 * WORD, int), Ok(()), "left out");
    assert_eq!(heap.fill(first, Primitive::Char, &[1, 2, 3]), Ok(()));
    // Of no use: nothing of the elements is written.
    assert_eq!(
        heap.primitive_array(3, Primitive::Int, u32::MAX, &[]),
        Ok(())
    );
    let dump = heap.into_sink();
    assert_eq!(
        dump[first..first + 2 * WORD],
        [[0; WORD], 7usize.to_ne_bytes()].concat()
    );
    assert_eq!(dump.len(), first + 2 * WORD + 1 + WORD + 4 + 1);
}
