//! HEAP DUMP in binary (facts E.4), in one record or, where that cannot hold it, in the
//! segments of format 1.0.2. An array that no segment can hold is cut short.
//!
//! Arrays of references name their own class, as today's readers take it, and not that
//! of their elements, as HPROF once did: `Foo[]` would count as `Foo`. The class is that
//! of the same name and loader; a host that dumps no such classes gives the element's.

use std::io::{self, ErrorKind, Write};
use std::rc::Rc;

use dump_format::{
    ClassDump, Constants, Instance, ObjectArray, PrimitiveArray, Record, Root, Type, Value, Values,
};
use rustc_hash::FxHashMap;

use crate::binary::{self, Binary, Body};
use crate::heap::Heap;

/// Bytes of an id.
const WORD: usize = size_of::<usize>();

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

/// How a dump is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// In a record of so many bytes.
    One(u32),
    Segments,
}

/// Sub-records on their way: counted, or written in pieces.
struct Pieces<'a> {
    body: Body,
    /// Bytes of a record at most.
    most: u32,
    written: u64,
    /// Arrays that have lost elements.
    shortened: u64,
    out: Option<&'a mut dyn Write>,
    /// The time of segments; `None`: all is one record.
    segments: Option<u32>,
}

impl<'a> Pieces<'a> {
    fn new(most: u32, out: Option<&'a mut dyn Write>, segments: Option<u32>) -> Self {
        Self {
            body: Body::default(),
            most,
            written: 0,
            shortened: 0,
            out,
            segments,
        }
    }

    /// How many elements of `count`, of so many bytes each, a record has room for behind the sub-record's head.
    fn elements(&mut self, head: usize, width: usize, count: usize) -> usize {
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        let room = most.saturating_sub(head) / width;
        self.shortened += u64::from(count > room);
        count.min(room)
    }

    /// A sub-record is complete, the last one, which begins here.
    fn cut(&mut self, begin: usize, at: usize) -> io::Result<()> {
        let length = self.body.0.len();
        if length < at {
            return Ok(());
        }
        // With those before it may be more than a segment can have.
        let is_one = u32::try_from(length).is_ok_and(|length| length <= self.most);
        let begin = if is_one { length } else { begin };
        let (before, last) = self.body.0.split_at_checked(begin).unwrap_or_default();
        for part in [before, last] {
            let Some(out) = self.out.as_mut().filter(|_| !part.is_empty()) else {
                continue;
            };
            if let Some(time) = self.segments {
                let length = u32::try_from(part.len()).map_err(|_| ErrorKind::FileTooLarge)?;
                binary::head(*out, tag::HEAP_DUMP_SEGMENT, time, length)?;
            }
            out.write_all(part)?;
        }
        self.written += u64::try_from(length).unwrap_or(0);
        self.body.0.clear();
        Ok(())
    }
}

/// How the dump is written if a record has `most` bytes at most: its length has four.
pub(crate) fn records(heap: &Heap<'_>, most: u32) -> io::Result<Records> {
    let mut count = Pieces::new(most, None, None);
    // What is named, and how, is no matter of length.
    all(
        &mut count,
        &Binary::default(),
        heap,
        &ArrayClasses::default(),
        &mut || {},
    )?;
    let length = u32::try_from(count.written).ok();
    let length = length.filter(|&length| length <= most && count.shortened == 0);
    Ok(length.map_or(Records::Segments, Records::One))
}

/// Writes the whole dump, as [`records`] has it; [`Binary::news`] comes first. Says how many arrays were cut short.
pub(crate) fn heap(
    out: &mut dyn Write,
    binary: &mut Binary,
    heap: &Heap<'_>,
    (records, most): (Records, u32),
    mut progress: impl FnMut(),
) -> io::Result<u64> {
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
    let time = binary.time();
    let segments = match records {
        Records::One(length) => {
            binary::head(out, tag::HEAP_DUMP, time, length)?;
            None
        }
        Records::Segments => Some(time),
    };
    let mut pieces = Pieces::new(most, Some(out), segments);
    all(&mut pieces, binary, heap, &arrays, &mut progress)?;
    let shortened = pieces.shortened;
    if segments.is_some() {
        binary::head(out, tag::HEAP_DUMP_END, time, 0)?;
    }
    Ok(shortened)
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
    let segment = usize::try_from(pieces.most).map_or(SEGMENT, |most| most.min(SEGMENT));
    for thread in &heap.threads {
        let begin = pieces.body.0.len();
        let body = &mut pieces.body;
        body.u1(tag::THREAD_OBJ)
            .id(thread.object)
            .u4(thread.serial)
            .u4(thread.trace);
        pieces.cut(begin, segment)?;
    }
    for record in heap.records() {
        let begin = pieces.body.0.len();
        let body = &mut pieces.body;
        match record.map_err(io::Error::other)? {
            Record::Root(found) => root(body, heap, found),
            Record::Class(class) => class_dump(body, binary, heap, class),
            Record::Instance(found) => instance(body, heap, &found),
            Record::ObjectArray(array) => object_array(pieces, heap, arrays, array),
            Record::PrimitiveArray(array) => primitive_array(pieces, heap, &array),
        }
        pieces.cut(begin, segment)?;
        progress();
    }
    pieces.cut(0, 1)
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

fn object_array(
    pieces: &mut Pieces<'_>,
    heap: &Heap<'_>,
    arrays: &ArrayClasses,
    array: ObjectArray<'_>,
) {
    const HEAD: usize = 1 + 4 + 4 + 2 * WORD;
    let (_, trace) = heap.size_and_trace(array.array);
    let length = pieces.elements(HEAD, WORD, array.elements.len());
    let body = &mut pieces.body;
    body.u1(0x22).id(array.array).u4(trace);
    body.u4_of(u64::try_from(length).unwrap_or(0));
    let element = array.element_class;
    body.id(arrays.get(&element).copied().unwrap_or(element));
    for id in array.elements.take(length) {
        body.id(id);
    }
}

fn primitive_array(pieces: &mut Pieces<'_>, heap: &Heap<'_>, array: &PrimitiveArray<'_>) {
    const HEAD: usize = 1 + 4 + 4 + 1 + WORD;
    let (_, trace) = heap.size_and_trace(array.array);
    let width = array.ty.width();
    let length = pieces.elements(HEAD, width, array.length);
    let body = &mut pieces.body;
    body.u1(0x23).id(array.array).u4(trace);
    body.u4_of(u64::try_from(length).unwrap_or(0))
        .u1(array.ty.raw());
    let bytes = array.bytes.get(..length * width);
    body.0.extend_from_slice(bytes.unwrap_or(array.bytes));
}

#[cfg(test)]
mod tests;
