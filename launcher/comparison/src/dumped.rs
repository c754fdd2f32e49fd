//! What is in a dump of JVMPI's, by class.

use std::collections::HashMap;

use dump_format::{Detail, HeapReader, Primitive, Record, Shape, Type};
use recording_format::Value;

use crate::known::{Known, Name, id, int};
use crate::rules::Noun;
use crate::side::Counting;

/// By the class: how many interfaces it has, and of which types its static fields are.
#[derive(Debug, Default)]
pub(crate) struct Shapes(HashMap<u64, (usize, Vec<Type>)>);

impl Shapes {
    /// CLASS_LOAD has said this.
    pub(crate) fn learn(&mut self, values: &[Value<'_>]) {
        let statics = values.get(4).map(Value::rows).unwrap_or_default();
        let types = statics.iter().filter_map(|row| {
            let signature = row.get(1).and_then(Value::bytes).unwrap_or_default();
            Type::from_signature(signature)
        });
        let interfaces = usize::try_from(int(values, 2)).unwrap_or(0);
        self.0.insert(id(values, 6), (interfaces, types.collect()));
    }
}

/// HEAP_DUMP.
pub(crate) fn heap(side: &mut Counting, known: &mut Known, shapes: &Shapes, values: &[Value<'_>]) {
    let detail = match int(values, 0) {
        1 => Detail::References,
        2 => Detail::Values,
        _ => {
            side.setup.nameless_dumps += 1;
            return;
        }
    };
    let bytes = values.get(1).and_then(Value::bytes).unwrap_or_default();
    let mut counts: HashMap<Name, u64> = HashMap::new();
    let shape = |class: usize| {
        let (interfaces, statics) = shapes.0.get(&(class as u64))?;
        Some(Shape {
            interfaces: *interfaces,
            statics,
        })
    };
    for record in HeapReader::new(bytes, detail, shape) {
        // Numbers of types as OBJECT_ALLOC has them.
        let (kind, class) = match record {
            Ok(Record::Root(_) | Record::Class(_)) => continue,
            Ok(Record::Instance(instance)) => (0, instance.class),
            Ok(Record::ObjectArray(array)) => (2, array.element_class),
            Ok(Record::PrimitiveArray(array)) => (i64::from(Primitive::raw(array.ty)), 0),
            Err(_) => {
                side.setup.nameless_dumps += 1;
                return;
            }
        };
        *counts
            .entry(known.allocated(kind, class as u64))
            .or_default() += 1;
    }
    for (class, times) in counts {
        side.add_all(Noun::Dumped, class, times);
    }
}
