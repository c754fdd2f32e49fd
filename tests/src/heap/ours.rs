//! The files that the agent `dump` leaves.

use std::collections::HashMap;

use dump_format::{
    Detail, HeapReader, NO_FRAME, Primitive, Record, Root, Shape, Type, Value as Read,
};

use super::{Class, Contents, Framed, Heap, Object, Value};

/// The class of an array whose elements' class the dump does not name: it is not linked.
pub const NO_ELEMENT: &str = "?[]";

/// What CLASS_LOAD said.
#[derive(Debug, Default)]
struct Load {
    name: String,
    interfaces: usize,
    statics: Vec<(String, Type)>,
    fields: Vec<(String, Type)>,
}

impl Load {
    fn types(fields: &[(String, Type)]) -> Vec<Type> {
        fields.iter().map(|(_, ty)| *ty).collect()
    }
}

fn hexadecimal(word: &str) -> u64 {
    u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap_or(0)
}

/// The classes that were loaded when a dump was shown: a line HEAP of this number and
/// level.
fn loads(text: &str, heap: &str) -> HashMap<usize, Load> {
    let mut loads: HashMap<usize, Load> = HashMap::new();
    let mut current = 0;
    for line in text.lines().take_while(|line| !line.starts_with(heap)) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        match words[..] {
            ["CLASS", id, interfaces, name] => {
                current = usize::try_from(hexadecimal(id)).unwrap();
                let load = Load {
                    name: plain(name).to_owned(),
                    interfaces: interfaces.parse().unwrap(),
                    ..Load::default()
                };
                loads.insert(current, load);
            }
            [kind @ ("STATIC" | "FIELD"), name, signature] => {
                let load = loads.get_mut(&current).expect("a CLASS before");
                let ty = Type::from_signature(signature.as_bytes()).expect("a signature");
                if kind == "STATIC" {
                    &mut load.statics
                } else {
                    &mut load.fields
                }
                .push((name.to_owned(), ty));
            }
            _ => {}
        }
    }
    loads
}

/// JDK 11 has a number behind the names of lambdas' classes, which its dump leaves out.
fn plain(name: &str) -> &str {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once('/') {
        Some((plain, suffix)) if is_number(suffix) => plain,
        _ => name,
    }
}

fn value(read: Read) -> Value {
    match read {
        Read::Reference(id) => Value::To(id as u64),
        Read::Primitive(ty, bits) => Value::Bits(ty.raw(), bits),
    }
}

fn array_of(ty: Primitive) -> &'static str {
    match ty {
        Primitive::Boolean => "boolean[]",
        Primitive::Char => "char[]",
        Primitive::Float => "float[]",
        Primitive::Double => "double[]",
        Primitive::Byte => "byte[]",
        Primitive::Short => "short[]",
        Primitive::Int => "int[]",
        Primitive::Long => "long[]",
    }
}

/// Reads dump `number` of level 1 or 2 from the agent's text and bytes.
///
/// # Panics
/// If it is not as the format says, an object comes twice, or a class is unknown.
pub fn read(text: &str, dump: &[u8], number: u32, detail: Detail) -> Heap {
    let level = if detail == Detail::Values { 2 } else { 1 };
    let loads = loads(text, &format!("HEAP {number} {level} "));
    let statics: HashMap<usize, (usize, Vec<Type>)> = loads
        .iter()
        .map(|(&id, load)| (id, (load.interfaces, Load::types(&load.statics))))
        .collect();
    let shapes = |id: usize| {
        let (interfaces, statics) = statics.get(&id)?;
        Some(Shape {
            interfaces: *interfaces,
            statics,
        })
    };
    let mut heap = Heap::default();
    let mut instances = Vec::new();
    let mut supers = HashMap::new();
    for record in HeapReader::new(dump, detail, shapes) {
        match record.unwrap_or_else(|error| panic!("a dump of {} bytes: {error}", dump.len())) {
            Record::Root(root) => add_root(&mut heap, root),
            Record::Class(class) => {
                let load = &loads[&class.head.class];
                let interfaces: Vec<usize> = class.interfaces.collect();
                let above = interfaces.iter().chain([&class.head.superclass]);
                for id in above.filter(|&&id| id != 0) {
                    assert!(
                        loads.contains_key(id),
                        "{id:#x}, above {}, is unknown",
                        load.name
                    );
                }
                let names = load.statics.iter();
                let statics = class
                    .statics
                    .map(|(at, read)| (names.as_slice()[at].0.clone(), value(read)));
                let known = Class {
                    name: load.name.clone(),
                    superclass: class.head.superclass as u64,
                    loader: class.head.loader as u64,
                    signers: class.head.signers as u64,
                    domain: class.head.protection_domain as u64,
                    interfaces: interfaces.iter().map(|&id| id as u64).collect(),
                    constants: class
                        .constants
                        .filter_map(|(_, read)| match value(read) {
                            Value::To(id) => Some(id),
                            Value::Bits(..) => None,
                        })
                        .collect(),
                    string: class.head.name as u64,
                    statics: statics.collect(),
                    size: class.head.instance_size,
                    fields: load
                        .fields
                        .iter()
                        .map(|(name, ty)| (name.clone(), ty.raw()))
                        .collect(),
                };
                supers.insert(class.head.class, class.head.superclass);
                let id = class.head.class as u64;
                assert!(
                    heap.classes.insert(id, known).is_none(),
                    "{id:#x} comes twice"
                );
            }
            Record::Instance(instance) => instances.push(instance),
            Record::ObjectArray(array) => {
                let class = match array.element_class {
                    0 => NO_ELEMENT.to_owned(),
                    element => format!("{}[]", loads[&element].name),
                };
                let ids = array.elements.map(|id| id as u64).collect();
                add(&mut heap, array.array, &class, Contents::References(ids));
            }
            Record::PrimitiveArray(array) => {
                let contents = Contents::Primitives(array.ty.raw(), array.bytes.to_vec());
                add(&mut heap, array.array, array_of(array.ty), contents);
            }
        }
    }
    for instance in instances {
        let mut fields: Vec<(usize, &str, Type)> = Vec::new();
        let mut class = instance.class;
        while class != 0 {
            let load = loads
                .get(&class)
                .unwrap_or_else(|| panic!("no CLASS_LOAD of {class:#x}"));
            fields.extend(load.fields.iter().map(|(name, ty)| (class, &**name, *ty)));
            class = supers[&class];
        }
        let types: Vec<Type> = fields.iter().map(|(_, _, ty)| *ty).collect();
        let values = instance
            .fields(&types)
            .unwrap_or_else(|error| panic!("a {}: {error}", loads[&instance.class].name));
        let contents = values.map(|(at, read)| {
            let (class, name, _) = fields[at];
            (class as u64, name.to_owned(), value(read))
        });
        let contents = Contents::Fields(contents.collect());
        add(
            &mut heap,
            instance.object,
            &loads[&instance.class].name,
            contents,
        );
    }
    heap
}

fn add(heap: &mut Heap, id: usize, class: &str, contents: Contents) {
    let object = Object {
        class: class.to_owned(),
        contents,
    };
    let before = heap.objects.insert(id as u64, object);
    assert!(before.is_none(), "{id:#x}, a {class}, comes twice");
}

fn add_root(heap: &mut Heap, root: Root) {
    let tag = root.tag().raw();
    let object = match root {
        Root::JniGlobal { object, reference } => {
            heap.globals.push((reference as u64, object as u64));
            object
        }
        Root::JniLocal {
            object,
            thread,
            frame,
        }
        | Root::JavaFrame {
            object,
            thread,
            frame,
        } => {
            heap.framed.push(Framed {
                tag,
                object: object as u64,
                thread: thread as u64,
                frame,
            });
            object
        }
        Root::ThreadBlock { object, thread } => {
            heap.framed.push(Framed {
                tag,
                object: object as u64,
                thread: thread as u64,
                frame: NO_FRAME,
            });
            object
        }
        Root::Unknown { object }
        | Root::NativeStack { object, .. }
        | Root::StickyClass { class: object }
        | Root::MonitorUsed { object } => object,
    };
    heap.roots.push((tag, object as u64));
}
