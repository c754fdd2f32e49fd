//! Dumps for an agent whose ids have four bytes, made from the VM's, whose have eight.
//!
//! Objects and raw monitors are numbered below 2^32. What is not, threads and references, is left
//! open here and put in where its number is known: the two halves are [`narrow`], in the VM's process,
//! and [`fill`], in the agent's.

use std::collections::HashMap;

use dump_format::{
    ClassDump, Detail, HeapReader, Ids, KindReader, Level, MonitorId, MonitorReader, MonitorTag,
    ObjectKind, Record, Root, Shape, Tag, Type, Value, Values,
};
use recording_format::event_fields;

#[cfg(all(test, target_pointer_width = "64", target_endian = "little"))]
mod tests;

/// What the records of a class and of its instances consist of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassShape {
    /// Its superclass's id, or 0.
    pub superclass: usize,
    /// How many interfaces it names.
    pub interfaces: usize,
    /// Its static fields, in the order of CLASS_LOAD.
    pub statics: Vec<Type>,
    /// Its own instance fields, in the order of CLASS_LOAD.
    pub fields: Vec<Type>,
}

/// The classes of a dump, by their ids.
pub type Shapes = HashMap<usize, ClassShape>;

/// What is left open in a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Open {
    /// A `JNIEnv*`.
    Env,
    /// A reference of JNI's.
    Token,
}

/// Which dump it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// HEAP_DUMP of a level.
    Heap(Level),
    /// OBJECT_DUMP.
    Object,
    /// MONITOR_DUMP.
    Monitors,
}

/// Where the dump is among the values of an event; `None` if that has none.
#[must_use]
pub fn place(number: i32) -> Option<usize> {
    // HEAP_DUMP, OBJECT_DUMP, MONITOR_DUMP.
    let has_one = matches!(number, 37 | 50 | 59);
    let mut fields = event_fields(number).iter();
    fields.position(|field| has_one && field.kind == recording_format::Type::Bytes)
}

/// No agent of 32 bits can hold more beside all else. What else the event says has some room up to the largest memory
/// that a message can be read into there, which grows by being doubled.
const MOST: usize = (1 << 30) - (1 << 24);

/// Of what [`fill`] needs: where, what, and which.
const ROW: usize = 4 + 1 + 8;

/// The dump with ids of four bytes, and behind it what [`fill`] needs.
///
/// # Errors
/// Why there is none.
pub fn narrow(dump: &[u8], which: Dump, shapes: &Shapes) -> Result<Vec<u8>, String> {
    narrow_to(MOST, dump, which, shapes)
}

fn narrow_to(most: usize, dump: &[u8], which: Dump, shapes: &Shapes) -> Result<Vec<u8>, String> {
    let mut out = Narrow {
        most,
        bytes: Vec::new(),
        open: Vec::new(),
    };
    match which {
        Dump::Heap(Level::Kinds) => {
            for object in KindReader::new(dump) {
                let (kind, object) = object.map_err(|error| error.to_string())?;
                out.kind(kind, object)?;
                out.fits()?;
            }
        }
        Dump::Heap(Level::Records(detail)) => out.records(dump, detail, shapes)?,
        Dump::Object => out.records(dump, Detail::Values, shapes)?,
        Dump::Monitors => {
            for monitor in MonitorReader::new(dump) {
                out.monitor(monitor.map_err(|error| error.to_string())?)?;
                out.fits()?;
            }
        }
    }
    Ok(out.packed())
}

struct Narrow {
    most: usize,
    bytes: Vec<u8>,
    /// Where, what, and which.
    open: Vec<(u32, Open, u64)>,
}

impl Narrow {
    fn fits(&self) -> Result<(), String> {
        let packed = self.bytes.len() + self.open.len() * ROW;
        if packed > self.most {
            return Err("it is larger than an agent of 32 bits can hold".to_owned());
        }
        Ok(())
    }

    /// The id of an object.
    fn id(&mut self, id: usize) -> Result<(), String> {
        let id = u32::try_from(id).map_err(|_| format!("{id:#x} is too large for 32 bits"))?;
        self.bytes.extend(id.to_ne_bytes());
        Ok(())
    }

    fn ids(&mut self, ids: Ids<'_>) -> Result<(), String> {
        ids.into_iter().try_for_each(|id| self.id(id))
    }

    fn open(&mut self, what: Open, id: usize) -> Result<(), String> {
        if id != 0 {
            let place = u32::try_from(self.bytes.len());
            let place = place.map_err(|_| "it is too large for 32 bits".to_owned())?;
            self.open.push((place, what, id as u64));
        }
        self.id(0)
    }

    fn count(&mut self, count: usize) -> Result<(), String> {
        let count = u32::try_from(count).map_err(|_| "a list is too long".to_owned())?;
        self.bytes.extend(count.to_be_bytes());
        Ok(())
    }

    fn value(&mut self, value: Value) -> Result<(), String> {
        match value {
            Value::Reference(id) => self.id(id),
            Value::Primitive(ty, bits) => {
                let bytes = bits.to_be_bytes();
                let start = bytes.len() - ty.width();
                self.bytes.extend(bytes.get(start..).unwrap_or_default());
                Ok(())
            }
        }
    }

    fn values(&mut self, mut values: Values<'_>) -> Result<(), String> {
        values.try_for_each(|(_, value)| self.value(value))
    }

    fn kind(&mut self, kind: ObjectKind, object: usize) -> Result<(), String> {
        self.bytes.push(kind.raw());
        self.id(object)
    }

    fn records(&mut self, dump: &[u8], detail: Detail, shapes: &Shapes) -> Result<(), String> {
        let mut lineages = Lineages::new(shapes);
        let shape = |class: usize| {
            shapes.get(&class).map(|class| Shape {
                interfaces: class.interfaces,
                statics: &class.statics,
            })
        };
        for record in HeapReader::new(dump, detail, shape) {
            match record.map_err(|error| error.to_string())? {
                Record::Root(root) => self.root(root)?,
                Record::Class(class) => self.class(class)?,
                Record::Instance(instance) => {
                    let fields = instance.fields(lineages.of(instance.class));
                    let fields = fields.map_err(|error| error.to_string())?;
                    self.bytes.push(Tag::InstanceDump.raw());
                    self.id(instance.object)?;
                    self.id(instance.class)?;
                    let length = self.bytes.len();
                    self.count(0)?;
                    self.values(fields)?;
                    let bytes = self.bytes.len() - length - size_of::<u32>();
                    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes();
                    if let Some(place) = self.bytes.get_mut(length..length + bytes.len()) {
                        place.copy_from_slice(&bytes);
                    }
                }
                Record::ObjectArray(array) => {
                    self.bytes.push(Tag::ObjectArrayDump.raw());
                    self.id(array.array)?;
                    self.count(array.elements.len())?;
                    self.id(array.element_class)?;
                    self.ids(array.elements)?;
                }
                Record::PrimitiveArray(array) => {
                    self.bytes.push(Tag::PrimitiveArrayDump.raw());
                    self.id(array.array)?;
                    self.count(array.length)?;
                    self.bytes.push(array.ty.raw());
                    self.bytes.extend(array.bytes);
                }
            }
            self.fits()?;
        }
        Ok(())
    }

    fn root(&mut self, root: Root) -> Result<(), String> {
        self.bytes.push(root.tag().raw());
        match root {
            Root::Unknown { object } | Root::MonitorUsed { object } => self.id(object),
            Root::StickyClass { class } => self.id(class),
            Root::JniGlobal { object, reference } => {
                self.id(object)?;
                self.open(Open::Token, reference)
            }
            Root::NativeStack { object, thread } | Root::ThreadBlock { object, thread } => {
                self.id(object)?;
                self.open(Open::Env, thread)
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
                self.id(object)?;
                self.open(Open::Env, thread)?;
                self.bytes.extend(frame.to_be_bytes());
                Ok(())
            }
        }
    }

    fn class(&mut self, class: ClassDump<'_>) -> Result<(), String> {
        self.bytes.push(Tag::ClassDump.raw());
        let head = &class.head;
        for id in [
            head.class,
            head.superclass,
            head.loader,
            head.signers,
            head.protection_domain,
            head.name,
            0,
        ] {
            self.id(id)?;
        }
        self.bytes.extend(head.instance_size.to_be_bytes());
        self.ids(class.interfaces)?;
        let constants = u16::try_from(class.constants.clone().count()).unwrap_or(u16::MAX);
        self.bytes.extend(constants.to_be_bytes());
        for (index, value) in class.constants {
            self.bytes.extend(index.to_be_bytes());
            self.bytes.push(value.ty().raw());
            self.value(value)?;
        }
        self.values(class.statics)
    }

    fn monitor(&mut self, monitor: dump_format::Monitor<'_>) -> Result<(), String> {
        match monitor.id {
            MonitorId::Java(object) => {
                self.bytes.push(MonitorTag::Java.raw());
                self.id(object)?;
            }
            MonitorId::Raw { id, .. } => {
                self.bytes.push(MonitorTag::Raw.raw());
                // The name is the agent's own text, over there.
                self.id(0)?;
                self.id(id)?;
            }
        }
        self.open(Open::Env, monitor.owner)?;
        self.bytes.extend(monitor.entry_count.to_be_bytes());
        for waiting in [monitor.wait_to_enter, monitor.wait_to_be_notified] {
            self.count(waiting.len())?;
            for thread in waiting {
                self.open(Open::Env, thread)?;
            }
        }
        Ok(())
    }

    /// What is open stands behind, and how much that is last.
    fn packed(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        let count = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        for (place, what, id) in self.open {
            bytes.extend(place.to_le_bytes());
            bytes.push(what as u8);
            bytes.extend(id.to_le_bytes());
        }
        bytes.extend(count.to_le_bytes());
        bytes
    }
}

/// The fields of a class's instances: its own, those of its superclass, and so on.
struct Lineages<'a> {
    shapes: &'a Shapes,
    known: HashMap<usize, Vec<Type>>,
}

impl<'a> Lineages<'a> {
    fn new(shapes: &'a Shapes) -> Self {
        Self {
            shapes,
            known: HashMap::new(),
        }
    }

    fn of(&mut self, class: usize) -> &[Type] {
        let shapes = self.shapes;
        self.known.entry(class).or_insert_with(|| {
            let mut fields = Vec::new();
            let mut next = shapes.get(&class);
            while let Some(shape) = next {
                fields.extend(&shape.fields);
                next = shapes.get(&shape.superclass);
            }
            fields
        })
    }
}

/// Puts in what [`narrow`] has left open; the dump. `None` if it is none.
#[must_use]
pub fn fill(packed: &[u8], mut number: impl FnMut(Open, u64) -> u32) -> Option<Vec<u8>> {
    let (rest, count) = packed.split_last_chunk()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    let (dump, open) = rest.split_at_checked(rest.len().checked_sub(count.checked_mul(ROW)?)?)?;
    let mut dump = dump.to_vec();
    for row in open.as_chunks::<ROW>().0 {
        let (place, row) = row.split_first_chunk()?;
        let (what, id) = row.split_first()?;
        let what = match what {
            0 => Open::Env,
            _ => Open::Token,
        };
        let id = u64::from_le_bytes(*id.first_chunk()?);
        let place = usize::try_from(u32::from_le_bytes(*place)).ok()?;
        let place = dump.get_mut(place..)?.first_chunk_mut()?;
        *place = number(what, id).to_ne_bytes();
    }
    Some(dump)
}
