//! Reads heap dumps and object dumps.

use std::iter;

use super::input::Input;
use crate::input::Malformed;
use crate::read_objects::{ClassDump, Instance, ObjectArray, PrimitiveArray, Shape};
use crate::records::Root;
use crate::tags::Tag;
use crate::values::{Detail, ObjectKind};

/// The objects of a heap dump of level 0 (facts D.2), an error the last.
#[derive(Clone, Debug)]
pub struct KindReader<'a>(Input<'a>);

impl<'a> KindReader<'a> {
    /// Reads the bytes from `begin` to `end`.
    #[must_use]
    pub const fn new(dump: &'a [u8]) -> Self {
        Self(Input::new(dump))
    }

    #[inline]
    fn object(&mut self) -> Result<(ObjectKind, usize), Malformed> {
        let kind = self.0.byte(ObjectKind::from_raw, "a type of object")?;
        Ok((kind, self.0.word("an object")?))
    }
}

impl Iterator for KindReader<'_> {
    type Item = Result<(ObjectKind, usize), Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let object = self.object();
        if object.is_err() {
            self.0.give_up();
        }
        Some(object)
    }
}

impl iter::FusedIterator for KindReader<'_> {}

/// The records of a heap dump of level 1 or 2 (facts D.3), an error the last.
///
/// `S` gives the shape of a class by its id, `None` if there was no CLASS_LOAD.
#[derive(Clone, Debug)]
pub struct HeapReader<'a, S> {
    input: Input<'a>,
    detail: Detail,
    shapes: S,
}

impl<'a, S: FnMut(usize) -> Option<Shape<'a>>> HeapReader<'a, S> {
    /// Reads the bytes from `begin` to `end`.
    pub const fn new(dump: &'a [u8], detail: Detail, shapes: S) -> Self {
        Self {
            input: Input::new(dump),
            detail,
            shapes,
        }
    }

    /// Where the next record begins.
    pub const fn offset(&self) -> usize {
        self.input.offset()
    }
}

impl<'a, S: FnMut(usize) -> Option<Shape<'a>>> Iterator for HeapReader<'a, S> {
    type Item = Result<Record<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.input.is_empty() {
            return None;
        }
        let record = record(&mut self.input, self.detail, &mut self.shapes);
        if record.is_err() {
            self.input.give_up();
        }
        Some(record)
    }
}

impl<'a, S: FnMut(usize) -> Option<Shape<'a>>> iter::FusedIterator for HeapReader<'a, S> {}

/// The one record of an object dump (facts D.4); `shapes` as for [`HeapReader`].
///
/// # Errors
///
/// [`Malformed`], also if it is a root or more follows.
pub fn read_object<'a>(
    dump: &'a [u8],
    shapes: impl FnOnce(usize) -> Option<Shape<'a>>,
) -> Result<Record<'a>, Malformed> {
    let mut input = Input::new(dump);
    let object = record(&mut input, Detail::Values, shapes)?;
    if matches!(object, Record::Root(_)) {
        return Err(Input::new(dump).malformed("the tag of an object"));
    }
    if !input.is_empty() {
        return Err(input.malformed("the end of the dump"));
    }
    Ok(object)
}

/// A record of a heap dump.
#[derive(Clone, Debug)]
pub enum Record<'a> {
    /// Why an object lives.
    Root(Root),
    /// A class.
    Class(ClassDump<'a>),
    /// An object that is neither a class nor an array.
    Instance(Instance<'a>),
    /// An array of references.
    ObjectArray(ObjectArray<'a>),
    /// An array of primitives.
    PrimitiveArray(PrimitiveArray<'a>),
}

#[inline]
fn record<'a>(
    input: &mut Input<'a>,
    detail: Detail,
    shapes: impl FnOnce(usize) -> Option<Shape<'a>>,
) -> Result<Record<'a>, Malformed> {
    Ok(match input.byte(Tag::from_raw, "the tag of a record")? {
        Tag::ClassDump => Record::Class(ClassDump::read(input, detail, shapes)?),
        Tag::InstanceDump => Record::Instance(Instance::read(input, detail)?),
        Tag::ObjectArrayDump => Record::ObjectArray(ObjectArray::read(input)?),
        Tag::PrimitiveArrayDump => Record::PrimitiveArray(PrimitiveArray::read(input, detail)?),
        Tag::RootUnknown => Record::Root(Root::Unknown {
            object: rooted(input)?,
        }),
        Tag::RootJniGlobal => Record::Root(Root::JniGlobal {
            object: rooted(input)?,
            reference: input.word("the reference of a root")?,
        }),
        Tag::RootJniLocal => Record::Root(Root::JniLocal {
            object: rooted(input)?,
            thread: thread(input)?,
            frame: input.i4("the frame of a root")?,
        }),
        Tag::RootJavaFrame => Record::Root(Root::JavaFrame {
            object: rooted(input)?,
            thread: thread(input)?,
            frame: input.i4("the frame of a root")?,
        }),
        Tag::RootNativeStack => Record::Root(Root::NativeStack {
            object: rooted(input)?,
            thread: thread(input)?,
        }),
        Tag::RootStickyClass => Record::Root(Root::StickyClass {
            class: rooted(input)?,
        }),
        Tag::RootThreadBlock => Record::Root(Root::ThreadBlock {
            object: rooted(input)?,
            thread: thread(input)?,
        }),
        Tag::RootMonitorUsed => Record::Root(Root::MonitorUsed {
            object: rooted(input)?,
        }),
    })
}

#[inline]
fn rooted(input: &mut Input<'_>) -> Result<usize, Malformed> {
    input.word("the object of a root")
}

#[inline]
fn thread(input: &mut Input<'_>) -> Result<usize, Malformed> {
    input.word("the thread of a root")
}
