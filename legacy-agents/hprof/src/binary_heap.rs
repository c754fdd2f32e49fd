//! HEAP DUMP in binary (facts E.4), in one record or, where that cannot hold it, in the
//! segments of format 1.0.2.
//!
//! Arrays of references name their own class, as today's readers take it, and not that
//! of their elements, as HPROF once did: `Foo[]` would count as `Foo`. The class is that
//! of the same name and loader; a host that dumps no such classes gives the element's.

use std::io::{self, Write};
use std::rc::Rc;

use dump_format::{
    ClassDump, Constants, Instance, ObjectArray, PrimitiveArray, Record, Root, Type, Value, Values,
};
use rustc_hash::FxHashMap;

use crate::binary::{self, Binary, Body};
use crate::heap::Heap;

/// From element classes to array classes.
type ArrayClasses = FxHashMap<usize, usize>;

mod tag {
    pub(super) const HEAP_DUMP: u8 = 0x0c;
    pub(super) const HEAP_DUMP_SEGMENT: u8 = 0x1c;
    pub(super) const HEAP_DUMP_END: u8 = 0x2c;
    pub(super) const THREAD_OBJ: u8 = 0x08;
}

/// Bytes of a segment, more or less.
const SEGMENT: usize = 16 << 20;

/// Sub-records on their way: counted, or written in pieces.
struct Pieces<'a> {
    body: Body,
    written: u64,
    out: Option<&'a mut dyn Write>,
    /// The time of segments; `None`: all is one record.
    segments: Option<u32>,
}

impl Pieces<'_> {
    /// A sub-record is complete.
    fn cut(&mut self, at: usize) -> io::Result<()> {
        if self.body.0.len() < at {
            return Ok(());
        }
        self.written += u64::try_from(self.body.0.len()).unwrap_or(0);
        if let Some(out) = &mut self.out {
            match self.segments {
                Some(time) => binary::record(*out, tag::HEAP_DUMP_SEGMENT, time, &self.body)?,
                None => out.write_all(&self.body.0)?,
            }
        }
        self.body.0.clear();
        Ok(())
    }
}

/// Writes the whole dump; [`Binary::news`] comes first. More than `one_record` bytes are
/// split.
pub(crate) fn heap(
    out: &mut dyn Write,
    binary: &mut Binary,
    heap: &Heap<'_>,
    one_record: u64,
    mut progress: impl FnMut(),
) -> io::Result<()> {
    let mut classes = FxHashMap::default();
    for record in heap.records() {
        if let Record::Class(class) = record.map_err(io::Error::other)? {
            names(out, binary, heap, class.head.class)?;
            if let Some(known) = heap.class(class.head.class) {
                let name = Rc::clone(&known.name);
                classes.insert((name, class.head.loader), class.head.class);
            }
        }
    }
    let arrays = array_classes(&classes);
    let mut count = Pieces {
        body: Body::default(),
        written: 0,
        out: None,
        segments: None,
    };
    all(&mut count, binary, heap, &arrays, &mut || {})?;
    let length = u32::try_from(count.written)
        .ok()
        .filter(|&length| u64::from(length) <= one_record);
    let time = binary.time();
    if let Some(length) = length {
        binary::head(out, tag::HEAP_DUMP, time, length)?;
    }
    let segments = length.is_none().then_some(time);
    let mut pieces = Pieces {
        body: Body::default(),
        written: 0,
        out: Some(out),
        segments,
    };
    all(&mut pieces, binary, heap, &arrays, &mut progress)?;
    if segments.is_some() {
        binary::head(out, tag::HEAP_DUMP_END, time, 0)?;
    }
    Ok(())
}

/// Classes come by name and loader, which an array has from its elements.
fn array_classes(classes: &FxHashMap<(Rc<str>, usize), usize>) -> ArrayClasses {
    let pairs = classes.iter().filter_map(|((name, loader), &array)| {
        let element = name.strip_prefix('[')?;
        let element = match element.strip_prefix('L') {
            Some(class) => class.strip_suffix(';')?,
            None => element,
        };
        Some((*classes.get(&(Rc::from(element), *loader))?, array))
    });
    pairs.collect()
}

/// The strings of a class's fields.
fn names(
    out: &mut dyn Write,
    binary: &mut Binary,
    heap: &Heap<'_>,
    class: usize,
) -> io::Result<()> {
    if let Some(class) = heap.class(class) {
        for name in class
            .members
            .static_names
            .iter()
            .chain(class.members.field_names)
        {
            binary.string(out, name)?;
        }
    }
    Ok(())
}

fn all(
    pieces: &mut Pieces<'_>,
    binary: &Binary,
    heap: &Heap<'_>,
    arrays: &ArrayClasses,
    progress: &mut impl FnMut(),
) -> io::Result<()> {
    for thread in &heap.threads {
        let body = &mut pieces.body;
        body.u1(tag::THREAD_OBJ)
            .id(thread.object)
            .u4(thread.serial)
            .u4(thread.trace);
    }
    for record in heap.records() {
        let body = &mut pieces.body;
        match record.map_err(io::Error::other)? {
            Record::Root(found) => root(body, heap, found),
            Record::Class(class) => class_dump(body, binary, heap, class),
            Record::Instance(found) => instance(body, heap, &found),
            Record::ObjectArray(array) => object_array(body, heap, arrays, array),
            Record::PrimitiveArray(array) => primitive_array(body, heap, &array),
        }
        pieces.cut(SEGMENT)?;
        progress();
    }
    pieces.cut(1)
}

fn root(body: &mut Body, heap: &Heap<'_>, root: Root) {
    body.u1(root.tag().raw());
    match root {
        Root::Unknown { object } | Root::MonitorUsed { object } => {
            body.id(object);
        }
        Root::StickyClass { class } => {
            body.id(class);
        }
        Root::JniGlobal { object, reference } => {
            body.id(object).id(reference);
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
            body.id(object)
                .u4(heap.thread(thread))
                .u4(frame.cast_unsigned());
        }
        Root::NativeStack { object, thread } | Root::ThreadBlock { object, thread } => {
            body.id(object).u4(heap.thread(thread));
        }
    }
}

fn value(body: &mut Body, value: Value) {
    match value {
        Value::Reference(id) => {
            body.id(id);
        }
        Value::Primitive(ty, bits) => {
            let bytes = bits.to_be_bytes();
            let used = bytes.len() - ty.width();
            body.0
                .extend_from_slice(bytes.get(used..).unwrap_or_default());
        }
    }
}

fn class_dump(body: &mut Body, binary: &Binary, heap: &Heap<'_>, dump: ClassDump<'_>) {
    let head = dump.head;
    let (_, trace) = heap.size_and_trace(head.class);
    let members = heap
        .class(head.class)
        .map(|class| class.members)
        .unwrap_or_default();
    body.u1(0x20).id(head.class).u4(trace);
    body.id(head.superclass)
        .id(head.loader)
        .id(head.signers)
        .id(head.protection_domain);
    body.id(0).id(0).u4(head.instance_size);
    constants(body, dump.constants);
    statics(
        body,
        binary,
        members.static_names,
        members.statics,
        dump.statics,
    );
    body.u2(members.fields.len());
    for (ty, name) in members.fields.iter().zip(members.field_names) {
        body.number(binary.id_of(name)).u1(ty.raw());
    }
}

fn constants(body: &mut Body, constants: Constants<'_>) {
    body.u2(constants.clone().count());
    for (index, constant) in constants {
        body.u2(usize::from(index)).u1(constant.ty().raw());
        value(body, constant);
    }
}

fn statics(
    body: &mut Body,
    binary: &Binary,
    names: &[Box<str>],
    types: &[Type],
    values: Values<'_>,
) {
    body.u2(types.len());
    for (index, found) in values {
        let name = names.get(index).map_or(0, |name| binary.id_of(name));
        body.number(name).u1(found.ty().raw());
        value(body, found);
    }
}

fn instance(body: &mut Body, heap: &Heap<'_>, instance: &Instance<'_>) {
    let (_, trace) = heap.size_and_trace(instance.object);
    body.u1(0x21)
        .id(instance.object)
        .u4(trace)
        .id(instance.class);
    body.u4_of(u64::try_from(instance.bytes.len()).unwrap_or(0));
    let layout = heap.layout(instance.class);
    match instance.fields(&layout.types) {
        Ok(fields) => fields.for_each(|(_, found)| value(body, found)),
        // Without its superclasses nothing is known of its fields.
        Err(_) => body.0.extend_from_slice(instance.bytes),
    }
}

fn object_array(body: &mut Body, heap: &Heap<'_>, arrays: &ArrayClasses, array: ObjectArray<'_>) {
    let (_, trace) = heap.size_and_trace(array.array);
    body.u1(0x22).id(array.array).u4(trace);
    body.u4_of(u64::try_from(array.elements.len()).unwrap_or(0));
    let element = array.element_class;
    body.id(arrays.get(&element).copied().unwrap_or(element));
    for id in array.elements {
        body.id(id);
    }
}

fn primitive_array(body: &mut Body, heap: &Heap<'_>, array: &PrimitiveArray<'_>) {
    let (_, trace) = heap.size_and_trace(array.array);
    body.u1(0x23).id(array.array).u4(trace);
    body.u4_of(u64::try_from(array.length).unwrap_or(0))
        .u1(array.ty.raw());
    body.0.extend_from_slice(array.bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
