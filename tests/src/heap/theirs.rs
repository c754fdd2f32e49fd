//! A dump that the VM writes itself.

use std::collections::HashMap;

use jvm_hprof::heap_dump::{FieldType, FieldValue, PrimitiveArray, PrimitiveArrayType, SubRecord};
use jvm_hprof::{Id, IdSize, RecordTag};

use super::{Class, Contents, Heap, Object, Value, width};

fn id(id: Option<Id>) -> u64 {
    id.map_or(0, |id| id.id())
}

fn value(read: FieldValue) -> Value {
    match read {
        FieldValue::ObjectId(to) => Value::To(id(to)),
        FieldValue::Boolean(bit) => Value::Bits(4, u64::from(bit)),
        FieldValue::Char(unit) => Value::Bits(5, u64::from(unit)),
        FieldValue::Float(float) => Value::Bits(6, u64::from(float.to_bits())),
        FieldValue::Double(double) => Value::Bits(7, double.to_bits()),
        FieldValue::Byte(byte) => Value::Bits(8, u64::from(byte.cast_unsigned())),
        FieldValue::Short(short) => Value::Bits(9, u64::from(short.cast_unsigned())),
        FieldValue::Int(int) => Value::Bits(10, u64::from(int.cast_unsigned())),
        FieldValue::Long(long) => Value::Bits(11, long.cast_unsigned()),
    }
}

/// The reader's own type numbers are not public.
fn ty(ty: FieldType) -> u8 {
    match ty {
        FieldType::ObjectId => 2,
        FieldType::Boolean => 4,
        FieldType::Char => 5,
        FieldType::Float => 6,
        FieldType::Double => 7,
        FieldType::Byte => 8,
        FieldType::Short => 9,
        FieldType::Int => 10,
        FieldType::Long => 11,
    }
}

/// The elements, big-endian.
fn elements(array: &PrimitiveArray<'_>) -> Vec<u8> {
    macro_rules! bytes {
        ($iter:ident, $map:expr) => {
            array
                .$iter()
                .expect("the type")
                .flat_map(|element| $map(element.expect("an element")))
                .collect()
        };
    }
    match array.primitive_type() {
        PrimitiveArrayType::Boolean => bytes!(booleans, |bit| [u8::from(bit)]),
        PrimitiveArrayType::Char => bytes!(chars, u16::to_be_bytes),
        PrimitiveArrayType::Float => bytes!(floats, |float: f32| float.to_bits().to_be_bytes()),
        PrimitiveArrayType::Double => bytes!(doubles, |double: f64| double.to_bits().to_be_bytes()),
        PrimitiveArrayType::Byte => bytes!(bytes, i8::to_be_bytes),
        PrimitiveArrayType::Short => bytes!(shorts, i16::to_be_bytes),
        PrimitiveArrayType::Int => bytes!(ints, i32::to_be_bytes),
        PrimitiveArrayType::Long => bytes!(longs, i64::to_be_bytes),
    }
}

/// Reads it.
///
/// # Panics
/// If it cannot be read.
pub fn read(file: &[u8]) -> Heap {
    const SIZE: IdSize = IdSize::U64;
    let hprof = jvm_hprof::parse_hprof(file).expect("a header");
    let mut texts: HashMap<Id, String> = HashMap::new();
    let mut names: HashMap<Id, Id> = HashMap::new();
    let mut heap = Heap::default();
    let mut instances = Vec::new();
    let mut arrays = Vec::new();
    for record in hprof.records_iter() {
        let record = record.expect("a record");
        match record.tag() {
            RecordTag::Utf8 => {
                let text = record.as_utf_8().expect("text").expect("text");
                let string = String::from_utf8_lossy(text.text()).into_owned();
                texts.insert(text.name_id(), string);
            }
            RecordTag::LoadClass => {
                let load = record.as_load_class().expect("a class").expect("a class");
                names.insert(load.class_obj_id(), load.class_name_id());
            }
            RecordTag::HeapDump | RecordTag::HeapDumpSegment => {
                let segment = record.as_heap_dump_segment().expect("a segment");
                for sub in segment.expect("a segment").sub_records() {
                    match sub.expect("a record") {
                        SubRecord::Class(class) => {
                            let text = |id: Id| texts.get(&id).cloned().unwrap_or_default();
                            let name = names.get(&class.obj_id()).map(|&name| text(name));
                            let statics = class.static_fields().map(|field| {
                                let field = field.expect("a field");
                                (text(field.name_id()), value(field.value()))
                            });
                            let fields = class.instance_field_descriptors().map(|field| {
                                let field = field.expect("a field");
                                (text(field.name_id()), ty(field.field_type()))
                            });
                            let known = Class {
                                // A hidden class is `a/Foo+0x1` there.
                                name: name
                                    .unwrap_or_default()
                                    .replace('/', ".")
                                    .replace("+0x", "/0x"),
                                superclass: id(class.super_class_obj_id()),
                                loader: id(class.class_loader_obj_id()),
                                signers: id(class.signers_obj_id()),
                                domain: id(class.protection_domain_obj_id()),
                                statics: statics.collect(),
                                fields: fields.collect(),
                                size: class.instance_size_bytes(),
                                ..Class::default()
                            };
                            heap.classes.insert(class.obj_id().id(), known);
                        }
                        SubRecord::Instance(instance) => instances.push(instance),
                        SubRecord::ObjectArray(array) => arrays.push(array),
                        SubRecord::PrimitiveArray(array) => {
                            let ty = array.primitive_type();
                            let class = format!("{}[]", ty.java_type_name());
                            let contents = Contents::Primitives(ty.type_code(), elements(&array));
                            heap.objects
                                .insert(array.obj_id().id(), Object { class, contents });
                        }
                        SubRecord::GcRootSystemClass(root) => {
                            heap.roots.push((5, root.obj_id().id()))
                        }
                        SubRecord::GcRootJniGlobal(root) => {
                            heap.roots.push((1, root.obj_id().id()))
                        }
                        SubRecord::GcRootThreadObj(root) => {
                            heap.roots.push((8, id(root.thread_obj_id())))
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    for array in arrays {
        let class = element_class(heap.name(array.array_class_obj_id().id()));
        let ids = array
            .elements(SIZE)
            .map(|element| id(element.expect("an element")));
        let contents = Contents::References(ids.collect());
        let object = Object {
            class: format!("{class}[]"),
            contents,
        };
        heap.objects.insert(array.obj_id().id(), object);
    }
    for instance in instances {
        let mut fields = Vec::new();
        let mut rest: &[u8] = instance.fields();
        let mut class = instance.class_obj_id().id();
        while class != 0 {
            let known = &heap.classes[&class];
            for (name, ty) in &known.fields {
                let (bytes, behind) = rest.split_at(width(*ty));
                let bits = bytes
                    .iter()
                    .fold(0, |bits, &byte| bits << 8 | u64::from(byte));
                let value = if *ty == 2 {
                    Value::To(bits)
                } else {
                    Value::Bits(*ty, bits)
                };
                fields.push((class, name.clone(), value));
                rest = behind;
            }
            class = known.superclass;
        }
        let object = Object {
            class: heap.name(instance.class_obj_id().id()).to_owned(),
            contents: Contents::Fields(fields),
        };
        heap.objects.insert(instance.obj_id().id(), object);
    }
    heap
}

/// `java.lang.String` of `[Ljava.lang.String;`, `[I` of `[[I`.
fn element_class(array: &str) -> &str {
    let element = array.strip_prefix('[').unwrap_or(array);
    match element.strip_prefix('L') {
        Some(name) => name.strip_suffix(';').unwrap_or(name),
        None => element,
    }
}
