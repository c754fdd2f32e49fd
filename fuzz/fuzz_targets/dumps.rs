//! Dumps: as they come of a VM, and as they go to an agent of 32 bits; and the messages that bring them.
#![no_main]

use std::collections::HashMap;

use dump_format::{
    Detail, Extent, HeapReader, KindReader, Level, MonitorReader, Primitive, Record, Shape, Type,
    read_object,
};
use lanes::{ClassShape, Dump, Message, Shapes, fill_dump, narrow_dump};
use libfuzzer_sys::fuzz_target;

const TYPES: [Type; 5] = [
    Type::Reference,
    Type::Primitive(Primitive::Boolean),
    Type::Primitive(Primitive::Short),
    Type::Primitive(Primitive::Long),
    Type::Reference,
];

/// What CLASS_LOAD has said of a class is made of its id, small ones as often as not.
fn shape(id: usize) -> Option<Shape<'static>> {
    let statics = TYPES.get(..id & 3)?;
    (id & 0x80 == 0).then_some(Shape {
        interfaces: id >> 2 & 3,
        statics,
    })
}

fn shapes() -> Shapes {
    let of = |id: usize| {
        Some((
            id,
            ClassShape {
                superclass: id >> 1,
                interfaces: id >> 2 & 3,
                statics: shape(id)?.statics.to_vec(),
                fields: TYPES[..id % 5].to_vec(),
            },
        ))
    };
    // No class has the id 0, which ends the line of superclasses.
    (1..256).filter_map(of).collect::<HashMap<_, _>>()
}

fuzz_target!(|data: &[u8]| {
    let Some((&which, dump)) = data.split_last() else {
        return;
    };
    for detail in [Detail::References, Detail::Values] {
        for record in HeapReader::new(dump, detail, |id| shape(id)) {
            match record {
                Ok(Record::Class(class)) => {
                    let _ = (
                        class.interfaces.count(),
                        class.constants.count(),
                        class.statics.count(),
                    );
                }
                Ok(Record::Instance(instance)) => {
                    let _ = instance.fields(&TYPES).map(Iterator::count);
                }
                Ok(Record::ObjectArray(array)) => {
                    let _ = array.elements.count();
                }
                Ok(Record::PrimitiveArray(array)) => {
                    let _ = array.values().count();
                }
                Ok(Record::Root(_)) => {}
                Err(error) => assert!(error.offset <= dump.len()),
            }
        }
        for begin in 0..=dump.len().min(64) {
            let extent = Extent::at(dump, begin, detail);
            assert!(extent.is_none_or(|extent| begin < extent.end && extent.end <= dump.len()));
        }
    }
    let _ = read_object(dump, |id| shape(id));
    let _ = KindReader::new(dump).count();
    let _ = MonitorReader::new(dump).count();
    let _ = MonitorReader::names(dump);
    let kind = match which & 7 {
        0 => Dump::Heap(Level::Kinds),
        1 => Dump::Heap(Level::Records(Detail::References)),
        2 => Dump::Heap(Level::Records(Detail::Values)),
        3 => Dump::Object,
        _ => Dump::Monitors,
    };
    if let Ok(packed) = narrow_dump(dump, kind, &shapes()) {
        fill_dump(&packed, |_, id| id as u32).expect("what was packed is unpacked");
    }
    let _ = fill_dump(dump, |_, id| id as u32);
    if let Some(message) = Message::read(dump) {
        let mut again = Vec::new();
        message.write(&mut again);
        assert!(Message::read(&again).is_some());
    }
});
