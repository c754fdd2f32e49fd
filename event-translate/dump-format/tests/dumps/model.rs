//! Heaps and monitor pictures as plain data, how they are written and read.

use dump_format::{
    ClassHead, Detail, HeapReader, HeapWriter, Malformed, MonitorId, MonitorReader, MonitorWriter,
    Primitive, Record, Root, Shape, Sink, Type, Value, WriteError,
};

use super::random::Random;

#[derive(Debug)]
pub(super) struct Heap {
    pub(super) classes: Vec<Class>,
    pub(super) items: Vec<Item>,
}

/// What agents know from CLASS_LOAD; `fields` with those of superclasses.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) id: usize,
    pub(super) interfaces: usize,
    pub(super) statics: Vec<Type>,
    pub(super) fields: Vec<Type>,
}

/// A record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Root(Root),
    Class {
        head: ClassHead,
        interfaces: Vec<usize>,
        constants: Vec<(u16, usize)>,
        statics: Vec<Value>,
    },
    Instance {
        object: usize,
        class: usize,
        fields: Vec<Value>,
    },
    ObjectArray {
        array: usize,
        element_class: usize,
        elements: Vec<usize>,
    },
    PrimitiveArray {
        array: usize,
        ty: Primitive,
        length: usize,
        elements: Vec<Value>,
    },
}

impl Item {
    /// What a dump of this detail has of it.
    pub(super) fn at(&self, detail: Detail) -> Self {
        let mut item = self.clone();
        match &mut item {
            Self::Root(_) | Self::ObjectArray { .. } => {}
            Self::Class {
                statics: values, ..
            }
            | Self::Instance { fields: values, .. }
            | Self::PrimitiveArray {
                elements: values, ..
            } => values.retain(|value| detail.width(value.ty()) > 0),
        }
        item
    }

    pub(super) fn write<S: Sink>(&self, heap: &mut HeapWriter<S>) -> Result<(), WriteError> {
        match self {
            Self::Root(root) => heap.root(*root),
            Self::Class {
                head,
                interfaces,
                constants,
                statics,
            } => heap.class(head, interfaces, constants, statics),
            Self::Instance {
                object,
                class,
                fields,
            } => heap.instance(*object, *class, fields),
            Self::ObjectArray {
                array,
                element_class,
                elements,
            } => heap.object_array(*array, *element_class, elements),
            Self::PrimitiveArray {
                array,
                ty,
                length,
                elements,
            } => heap.primitive_array(*array, *ty, *length as u32, &in_memory(elements)),
        }
    }

    /// Opens its record and leaves its values, with their offsets, for later.
    pub(super) fn open<S: Sink>(
        &self,
        heap: &mut HeapWriter<S>,
        later: &mut Vec<(usize, Value)>,
    ) -> Result<(), WriteError> {
        let detail = heap.detail();
        let width = |value: &Value| detail.width(value.ty());
        let (mut offset, values) = match self {
            Self::Root(_) | Self::Class { .. } => return self.write(heap),
            Self::Instance {
                object,
                class,
                fields,
            } => {
                let bytes = fields.iter().map(width).sum::<usize>();
                let offset = heap.open_instance(*object, *class, bytes as u32)?;
                (offset, fields.clone())
            }
            Self::ObjectArray {
                array,
                element_class,
                elements,
            } => {
                let length = elements.len() as u32;
                let offset = heap.open_object_array(*array, *element_class, length)?;
                let elements = elements.iter().map(|&id| Value::Reference(id));
                (offset, elements.collect())
            }
            Self::PrimitiveArray {
                array,
                ty,
                length,
                elements,
            } => {
                let offset = heap.open_primitive_array(*array, *ty, *length as u32)?;
                if length % 2 == 0 {
                    return heap.fill(offset, *ty, &in_memory(elements));
                }
                (offset, elements.clone())
            }
        };
        for value in values {
            later.push((offset, value));
            offset += width(&value);
        }
        Ok(())
    }
}

/// Elements of a primitive array as the machine has them.
fn in_memory(elements: &[Value]) -> Vec<u8> {
    let bytes = |value: &Value| match *value {
        Value::Reference(_) => panic!("no primitive"),
        Value::Primitive(ty, bits) => match ty.width() {
            1 => vec![bits as u8],
            2 => (bits as u16).to_ne_bytes().to_vec(),
            4 => (bits as u32).to_ne_bytes().to_vec(),
            _ => bits.to_ne_bytes().to_vec(),
        },
    };
    elements.iter().flat_map(bytes).collect()
}

impl Heap {
    pub(super) fn write_to<S: Sink>(&self, sink: S, detail: Detail) -> Result<S, WriteError> {
        let mut heap = HeapWriter::new(sink, detail);
        for item in &self.items {
            item.write(&mut heap)?;
        }
        Ok(heap.into_sink())
    }

    pub(super) fn write(&self, detail: Detail) -> Vec<u8> {
        self.write_to(Vec::new(), detail).expect("memory")
    }

    /// As a walk does that learns the values one by one, in any order.
    pub(super) fn write_piecemeal(&self, detail: Detail, random: &mut Random) -> Vec<u8> {
        let mut heap = HeapWriter::new(Vec::new(), detail);
        let mut later = Vec::new();
        for item in &self.items {
            item.open(&mut heap, &mut later).expect("memory");
        }
        random.shuffle(&mut later);
        for (offset, value) in later {
            heap.set(offset, value).expect("a place");
        }
        heap.into_sink()
    }

    fn class(&self, id: usize) -> Option<&Class> {
        self.classes.iter().find(|class| class.id == id)
    }

    pub(super) fn shape(&self, id: usize) -> Option<Shape<'_>> {
        let class = self.class(id)?;
        Some(Shape {
            interfaces: class.interfaces,
            statics: &class.statics,
        })
    }

    /// Everything that a dump says.
    pub(super) fn read(&self, dump: &[u8], detail: Detail) -> Result<Vec<Item>, Malformed> {
        HeapReader::new(dump, detail, |id| self.shape(id))
            .map(|record| self.item(record?))
            .collect()
    }

    pub(super) fn item(&self, record: Record<'_>) -> Result<Item, Malformed> {
        Ok(match record {
            Record::Root(root) => Item::Root(root),
            Record::Class(class) => Item::Class {
                head: class.head,
                interfaces: class.interfaces.collect(),
                constants: class
                    .constants
                    .filter_map(|(index, value)| match value {
                        Value::Reference(id) => Some((index, id)),
                        Value::Primitive(..) => None, // by accident only
                    })
                    .collect(),
                statics: class.statics.map(|(_, value)| value).collect(),
            },
            Record::Instance(instance) => {
                let types = self.class(instance.class).map(|class| &class.fields[..]);
                let fields = instance.fields(types.unwrap_or_default())?;
                Item::Instance {
                    object: instance.object,
                    class: instance.class,
                    fields: fields.map(|(_, value)| value).collect(),
                }
            }
            Record::ObjectArray(array) => Item::ObjectArray {
                array: array.array,
                element_class: array.element_class,
                elements: array.elements.collect(),
            },
            Record::PrimitiveArray(array) => Item::PrimitiveArray {
                array: array.array,
                ty: array.ty,
                length: array.length,
                elements: array.values().collect(),
            },
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Monitor {
    pub(super) id: MonitorId,
    pub(super) owner: usize,
    pub(super) entry_count: u32,
    pub(super) wait_to_enter: Vec<usize>,
    pub(super) wait_to_be_notified: Vec<usize>,
}

pub(super) fn write_monitors<S: Sink>(sink: S, monitors: &[Monitor]) -> Result<S, WriteError> {
    let mut dump = MonitorWriter::new(sink);
    for monitor in monitors {
        dump.monitor(
            monitor.id,
            monitor.owner,
            monitor.entry_count,
            &monitor.wait_to_enter,
            &monitor.wait_to_be_notified,
        )?;
    }
    Ok(dump.into_sink())
}

pub(super) fn read_monitors(dump: &[u8]) -> Result<Vec<Monitor>, Malformed> {
    MonitorReader::new(dump)
        .map(|monitor| {
            let monitor = monitor?;
            Ok(Monitor {
                id: monitor.id,
                owner: monitor.owner,
                entry_count: monitor.entry_count,
                wait_to_enter: monitor.wait_to_enter.collect(),
                wait_to_be_notified: monitor.wait_to_be_notified.collect(),
            })
        })
        .collect()
}
