//! How fast dumps are written and read:
//! `cargo run --release -p dump-format --example dump_speed`.
//!
//! Ten million INSTANCE_DUMP records, each with a reference, an int and a long,
//! are written into memory of known size: into pages that are fresh, as the caller
//! in a VM has them, and again into the same ones. Once all values are given with
//! the object, once they are set one by one as a heap walk learns them. Then they
//! are read, records only and every field.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "an ordinary program that says what it measured"
)]

use std::hint::black_box;
use std::time::Instant;

use dump_format::{
    Detail, HeapReader, HeapWriter, Primitive, Record, Shape, Sink, Tag, Type, Value, WORD,
    WriteError,
};

const OBJECTS: usize = 10_000_000;
const CLASS: usize = 1;
const FIELDS: [Type; 3] = [
    Type::Reference,
    Type::Primitive(Primitive::Int),
    Type::Primitive(Primitive::Long),
];
const BYTES: usize = WORD + 4 + 8;

/// Memory that is there from the start, as an address range of the system's is.
struct Range {
    bytes: Vec<u8>,
    end: usize,
}

impl Sink for Range {
    #[inline]
    fn grow(&mut self, bytes: usize) -> Result<&mut [u8], WriteError> {
        let start = self.end;
        let end = start.checked_add(bytes).ok_or(WriteError::NoMemory)?;
        let grown = self.bytes.get_mut(start..end);
        let grown = grown.ok_or(WriteError::NoMemory)?;
        self.end = end;
        Ok(grown)
    }

    #[inline]
    fn written(&mut self) -> &mut [u8] {
        self.bytes.get_mut(..self.end).unwrap_or_default()
    }
}

fn fields(object: usize) -> [Value; 3] {
    let bits = object as u64;
    [
        Value::Reference(object / 2),
        Value::Primitive(Primitive::Int, bits),
        Value::Primitive(Primitive::Long, bits),
    ]
}

type Write = fn(&mut HeapWriter<&mut Range>) -> Result<(), WriteError>;

fn write_whole(heap: &mut HeapWriter<&mut Range>) -> Result<(), WriteError> {
    for object in 1..=OBJECTS {
        heap.instance(object, CLASS, &fields(black_box(object)))?;
    }
    Ok(())
}

fn write_piecemeal(heap: &mut HeapWriter<&mut Range>) -> Result<(), WriteError> {
    for object in 1..=OBJECTS {
        let [reference, int, long] = fields(black_box(object));
        let at = heap.open_instance(object, CLASS, BYTES as u32)?;
        heap.set(black_box(at), reference)?;
        heap.set(black_box(at + WORD), int)?;
        heap.set(black_box(at + WORD + 4), long)?;
    }
    Ok(())
}

fn measure(what: &str, bytes: usize, work: impl FnOnce()) {
    let started = Instant::now();
    work();
    let seconds = started.elapsed().as_secs_f64();
    let speed = bytes as f64 / 1e6 / seconds;
    println!(
        "{what:<34} {speed:>6.0} MB/s  {:>5.1} ns per object",
        seconds * 1e9 / OBJECTS as f64
    );
}

fn main() {
    let size = OBJECTS * (Tag::InstanceDump.fixed() + BYTES);
    println!("{OBJECTS} objects, {} MB", size / 1_000_000);
    let mut range = Range {
        bytes: vec![0; size],
        end: 0,
    };
    // What fresh pages cost whoever writes to them.
    measure("touch fresh pages", size, || {
        let pages = range.bytes.iter_mut().step_by(4096);
        pages.for_each(|byte| *byte = black_box(1));
    });
    let writers: [(&str, Write); 4] = [
        ("write whole, fresh pages", write_whole),
        ("write whole, same pages", write_whole),
        ("write piecemeal, fresh pages", write_piecemeal),
        ("write piecemeal, same pages", write_piecemeal),
    ];
    for (what, write) in writers {
        if what.ends_with("fresh pages") {
            range.bytes = Vec::new();
            range.bytes = vec![0; size];
        }
        range.end = 0;
        let mut heap = HeapWriter::new(&mut range, Detail::Values);
        measure(what, size, || write(&mut heap).expect("room"));
        assert_eq!(range.written().len(), size);
    }
    let dump = range.written();
    let shape = |_| Some(Shape::default());
    measure("read records", size, || {
        let mut objects = 0;
        for record in HeapReader::new(dump, Detail::Values, shape) {
            if let Record::Instance(instance) = record.expect("a record") {
                objects += usize::from(instance.class == CLASS);
            }
        }
        assert_eq!(objects, OBJECTS);
    });
    measure("read records and fields", size, || {
        let mut sum = 0usize;
        for record in HeapReader::new(dump, Detail::Values, shape) {
            let Record::Instance(instance) = record.expect("a record") else {
                continue;
            };
            for (_, value) in instance.fields(&FIELDS).expect("the class's fields") {
                sum = sum.wrapping_add(match value {
                    Value::Reference(id) => id,
                    Value::Primitive(_, bits) => bits as usize,
                });
            }
        }
        black_box(sum);
    });
}
