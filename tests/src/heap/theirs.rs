//! A dump that the VM writes itself: format "JAVA PROFILE 1.0.2", with identifiers as wide as its words. HPROF's
//! `format=b` is 1.0.1, with the dump in one record.

use std::collections::HashMap;

use super::{Class, Contents, Heap, Object, Value, width};
use crate::width_of_ids;

/// What is left of a piece of the file. Whatever is not as it should be is a panic.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    /// A number of so many bytes, the highest first.
    fn number(&mut self, width: usize) -> u64 {
        let bytes = self.take(width);
        bytes
            .iter()
            .fold(0, |bits, &byte| bits << 8 | u64::from(byte))
    }

    fn u1(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn count(&mut self, width: usize) -> usize {
        usize::try_from(self.number(width)).expect("64 bits")
    }

    fn id(&mut self) -> u64 {
        self.number(width_of_ids())
    }

    fn value(&mut self, ty: u8) -> Value {
        let bits = self.number(width(ty));
        match ty {
            2 => Value::To(bits),
            _ => Value::Bits(ty, bits),
        }
    }
}

/// The names of primitive types by their numbers, from 4 on.
const PRIMITIVES: [&str; 8] = [
    "boolean", "char", "float", "double", "byte", "short", "int", "long",
];

#[derive(Default)]
struct Reader<'a> {
    texts: HashMap<u64, String>,
    /// Of each class, that of its name.
    names: HashMap<u64, u64>,
    heap: Heap,
    /// Object, class, fields.
    instances: Vec<(u64, u64, &'a [u8])>,
    /// Object, class, elements.
    arrays: Vec<(u64, u64, Vec<u64>)>,
}

/// Reads it.
///
/// # Panics
/// If it cannot be read.
pub fn read(file: &[u8]) -> Heap {
    let mut file = Bytes(file);
    let heads = [b"JAVA PROFILE 1.0.2\0", b"JAVA PROFILE 1.0.1\0"];
    let head = file.take(heads[0].len());
    assert!(heads.iter().any(|known| head == *known), "{head:?}");
    assert_eq!(file.count(4), width_of_ids(), "the size of identifiers");
    // When it was written.
    file.take(8);
    let mut reader = Reader::default();
    while !file.0.is_empty() {
        let tag = file.u1();
        // When, in microseconds.
        file.take(4);
        let length = file.count(4);
        let mut body = Bytes(file.take(length));
        match tag {
            0x01 => {
                let id = body.id();
                let text = String::from_utf8_lossy(body.0).into_owned();
                reader.texts.insert(id, text);
            }
            0x02 => {
                // Its serial number, and that of a stack.
                body.take(4);
                let class = body.id();
                body.take(4);
                reader.names.insert(class, body.id());
            }
            0x0c | 0x1c => {
                while !body.0.is_empty() {
                    reader.record(&mut body);
                }
            }
            _ => {}
        }
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn record(&mut self, bytes: &mut Bytes<'a>) {
        let tag = bytes.u1();
        let id = bytes.id();
        match tag {
            // A sticky class, a busy monitor, one of an unknown kind.
            0x05 => self.heap.roots.push((5, id)),
            0x07 | 0xff => {}
            // A JNI global: and its reference.
            0x01 => {
                bytes.id();
                self.heap.roots.push((1, id));
            }
            // A thread: and serial numbers of it and of its stack.
            0x08 => {
                bytes.take(8);
                self.heap.roots.push((8, id));
            }
            // A JNI local, a Java frame: thread and frame.
            0x02 | 0x03 => drop(bytes.take(8)),
            // A native stack, a thread block: the thread.
            0x04 | 0x06 => drop(bytes.take(4)),
            0x20 => self.class(id, bytes),
            0x21 => {
                bytes.take(4);
                let class = bytes.id();
                let length = bytes.count(4);
                self.instances.push((id, class, bytes.take(length)));
            }
            0x22 => {
                bytes.take(4);
                let length = bytes.count(4);
                let class = bytes.id();
                let elements = (0..length).map(|_| bytes.id()).collect();
                self.arrays.push((id, class, elements));
            }
            0x23 => {
                bytes.take(4);
                let length = bytes.count(4);
                let ty = bytes.u1();
                let elements = bytes.take(length * width(ty)).to_vec();
                let name = PRIMITIVES[usize::from(ty) - 4];
                let object = Object {
                    class: format!("{name}[]"),
                    contents: Contents::Primitives(ty, elements),
                };
                self.heap.objects.insert(id, object);
            }
            _ => panic!("a record of type {tag:#x}"),
        }
    }

    fn class(&mut self, id: u64, bytes: &mut Bytes<'a>) {
        let text = |id: u64| self.texts.get(&id).cloned().unwrap_or_default();
        bytes.take(4);
        let [superclass, loader, signers, domain, _, _] = [(); 6].map(|()| bytes.id());
        let size = u32::try_from(bytes.number(4)).expect("four bytes");
        for _ in 0..bytes.count(2) {
            // The constant's place.
            bytes.take(2);
            let ty = bytes.u1();
            bytes.value(ty);
        }
        let mut statics = Vec::new();
        for _ in 0..bytes.count(2) {
            let name = text(bytes.id());
            let ty = bytes.u1();
            statics.push((name, bytes.value(ty)));
        }
        let mut fields = Vec::new();
        for _ in 0..bytes.count(2) {
            fields.push((text(bytes.id()), bytes.u1()));
        }
        let name = self.names.get(&id).map(|&name| text(name));
        let class = Class {
            // A hidden class is `a/Foo+0x1` there.
            name: name
                .unwrap_or_default()
                .replace('/', ".")
                .replace("+0x", "/0x"),
            superclass,
            loader,
            signers,
            domain,
            statics,
            fields,
            size,
            ..Class::default()
        };
        self.heap.classes.insert(id, class);
    }

    /// Classes come before or behind their objects.
    fn finish(self) -> Heap {
        let mut heap = self.heap;
        for (id, class, elements) in self.arrays {
            let class = element_class(heap.name(class));
            let object = Object {
                class: format!("{class}[]"),
                contents: Contents::References(elements),
            };
            heap.objects.insert(id, object);
        }
        for (id, of, fields) in self.instances {
            let mut rest = Bytes(fields);
            let mut values = Vec::new();
            let mut class = of;
            while class != 0 {
                let known = &heap.classes[&class];
                for (name, ty) in &known.fields {
                    values.push((class, name.clone(), rest.value(*ty)));
                }
                class = known.superclass;
            }
            let object = Object {
                class: heap.name(of).to_owned(),
                contents: Contents::Fields(values),
            };
            heap.objects.insert(id, object);
        }
        heap
    }
}

/// `java.lang.String` of `[Ljava.lang.String;`, `[I` of `[[I`.
fn element_class(array: &str) -> &str {
    let element = array.strip_prefix('[').unwrap_or(array);
    match element.strip_prefix('L') {
        Some(name) => name.strip_suffix(';').unwrap_or(name),
        None => element,
    }
}
