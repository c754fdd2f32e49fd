//! Writes heap dumps and object dumps, record by record.
//! Longer than most: one writer for each level, and each has all records of its own.
//!
//! # Threads
//!
//! Fit for callbacks of a heap walk: nothing here calls the VM, and memory is
//! asked for only through the [`Sink`].

use super::sink::{Out, count};
use crate::records::{ClassHead, Root};
use crate::sink::{Sink, WriteError};
use crate::tags::Tag;
use crate::values::{Detail, ObjectKind, Primitive, Type, Value, WORD};

/// Writes a heap dump of level 0 (facts D.2).
#[derive(Debug)]
pub struct KindWriter<S> {
    sink: S,
}

impl<S: Sink> KindWriter<S> {
    /// Appends to `sink`.
    pub const fn new(sink: S) -> Self {
        Self { sink }
    }

    /// One object of the heap.
    ///
    /// # Errors
    ///
    /// [`WriteError::NoMemory`].
    #[inline]
    pub fn object(&mut self, kind: ObjectKind, object: usize) -> Result<(), WriteError> {
        let mut out = Out(self.sink.grow(1 + WORD)?);
        out.u1(kind.raw());
        out.word(object);
        Ok(())
    }

    /// The sink, with the dump.
    pub fn into_sink(self) -> S {
        self.sink
    }
}

/// Writes a heap dump of level 1 or 2 (facts D.3), or an object dump (D.4): one
/// record that is no root, with [`Detail::Values`].
///
/// A walk that learns an object's values one by one *opens* its record, keeps the
/// offset of the values, and [sets](Self::set) them as they come, in any order;
/// what is never set is zero or null. Where a field lies is the sum of the
/// [widths](Detail::width) of those before it.
#[derive(Debug)]
pub struct HeapWriter<S> {
    sink: S,
    detail: Detail,
}

impl<S: Sink> HeapWriter<S> {
    /// Appends to `sink`.
    pub const fn new(sink: S, detail: Detail) -> Self {
        Self { sink, detail }
    }

    /// How much of the contents is written.
    #[inline]
    pub const fn detail(&self) -> Detail {
        self.detail
    }

    /// A root.
    ///
    /// # Errors
    ///
    /// [`WriteError::NoMemory`].
    #[inline]
    pub fn root(&mut self, root: Root) -> Result<(), WriteError> {
        let mut out = self.start(root.tag(), 0)?;
        match root {
            Root::Unknown { object } | Root::MonitorUsed { object } => out.word(object),
            Root::StickyClass { class } => out.word(class),
            Root::JniGlobal { object, reference } => out.words(&[object, reference]),
            Root::NativeStack { object, thread } | Root::ThreadBlock { object, thread } => {
                out.words(&[object, thread]);
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
                out.words(&[object, thread]);
                out.put(frame.to_be_bytes());
            }
        }
        Ok(())
    }

    /// A class: its interfaces; of its constant pool the entries that are resolved
    /// to a string or a class, by index (agents take every constant for an id);
    /// its static fields, in the order of its CLASS_LOAD, all of them at either
    /// level.
    ///
    /// # Errors
    ///
    /// [`WriteError::TooLong`] beyond 65535 constants, [`WriteError::NoMemory`].
    pub fn class(
        &mut self,
        head: &ClassHead,
        interfaces: &[usize],
        constants: &[(u16, usize)],
        statics: &[Value],
    ) -> Result<(), WriteError> {
        const CONSTANT: usize = 2 + 1 + WORD;
        let constant_count = u16::try_from(constants.len()).map_err(|_| WriteError::TooLong)?;
        let lists = size_of_val(interfaces) + constants.len() * CONSTANT + self.size_of(statics);
        let detail = self.detail;
        let mut out = self.start(Tag::ClassDump, lists)?;
        out.words(&[
            head.class,
            head.superclass,
            head.loader,
            head.signers,
            head.protection_domain,
            head.name,
            0,
        ]);
        out.u4(head.instance_size);
        out.words(interfaces);
        out.u2(constant_count);
        for &(index, id) in constants {
            out.u2(index);
            out.u1(Type::Reference.raw());
            out.word(id);
        }
        values(&mut out, detail, statics);
        Ok(())
    }

    /// An object that is neither a class nor an array: the fields of its class, of
    /// the superclass and so on up, each in the order of CLASS_LOAD, all of them at
    /// either level.
    ///
    /// # Errors
    ///
    /// [`WriteError::TooLong`] beyond 4 GiB, [`WriteError::NoMemory`].
    #[inline]
    pub fn instance(
        &mut self,
        object: usize,
        class: usize,
        fields: &[Value],
    ) -> Result<(), WriteError> {
        let bytes = u32::try_from(self.size_of(fields)).map_err(|_| WriteError::TooLong)?;
        let detail = self.detail;
        let mut out = self.start_instance(object, class, bytes)?;
        values(&mut out, detail, fields);
        Ok(())
    }

    /// An object with this many bytes of field values; gives their offset.
    ///
    /// # Errors
    ///
    /// [`WriteError::NoMemory`].
    #[inline]
    pub fn open_instance(
        &mut self,
        object: usize,
        class: usize,
        bytes: u32,
    ) -> Result<usize, WriteError> {
        let values = self.start_instance(object, class, bytes)?.0.len();
        Ok(self.offset_of_last(values))
    }

    /// An array of references; the element class may be 0.
    ///
    /// # Errors
    ///
    /// [`WriteError::TooLong`] beyond 2³² elements, [`WriteError::NoMemory`].
    #[inline]
    pub fn object_array(
        &mut self,
        array: usize,
        element_class: usize,
        elements: &[usize],
    ) -> Result<(), WriteError> {
        self.start_objects(array, element_class, count(elements)?)?
            .words(elements);
        Ok(())
    }

    /// An array of this many references; gives the offset of the first.
    ///
    /// # Errors
    ///
    /// [`WriteError::TooLong`] if no memory is so large, [`WriteError::NoMemory`].
    #[inline]
    pub fn open_object_array(
        &mut self,
        array: usize,
        element_class: usize,
        length: u32,
    ) -> Result<usize, WriteError> {
        let values = self.start_objects(array, element_class, length)?.0.len();
        Ok(self.offset_of_last(values))
    }

    /// An array of `length` primitives, which lie in `host` as in the machine's
    /// memory; at level 1 `host` counts for nothing.
    ///
    /// # Errors
    ///
    /// [`WriteError::Misfit`] if `host` is not so long, [`WriteError::TooLong`],
    /// [`WriteError::NoMemory`].
    #[inline]
    pub fn primitive_array(
        &mut self,
        array: usize,
        ty: Primitive,
        length: u32,
        host: &[u8],
    ) -> Result<(), WriteError> {
        if self.detail == Detail::Values && Some(host.len()) != bytes_of(length, ty.width()) {
            return Err(WriteError::Misfit);
        }
        self.start_primitives(array, ty, length)?.elements(ty, host);
        Ok(())
    }

    /// An array of this many primitives; gives the offset of the first.
    ///
    /// # Errors
    ///
    /// [`WriteError::TooLong`] if no memory is so large, [`WriteError::NoMemory`].
    #[inline]
    pub fn open_primitive_array(
        &mut self,
        array: usize,
        ty: Primitive,
        length: u32,
    ) -> Result<usize, WriteError> {
        let values = self.start_primitives(array, ty, length)?.0.len();
        Ok(self.offset_of_last(values))
    }

    /// Writes a value at this offset from the first byte of the sink, over what is
    /// there. A primitive at level 1 has no place and is left out.
    ///
    /// # Errors
    ///
    /// [`WriteError::Misfit`] beyond the end of the dump.
    #[inline]
    pub fn set(&mut self, offset: usize, value: Value) -> Result<(), WriteError> {
        let width = self.detail.width(value.ty());
        if width > 0 {
            self.place(offset, width)?.value(value);
        }
        Ok(())
    }

    /// Writes elements of an array of `ty`, as they lie in the machine's memory, at
    /// this offset; at level 1 nothing.
    ///
    /// # Errors
    ///
    /// [`WriteError::Misfit`] beyond the end of the dump, or if the last element is
    /// incomplete.
    #[inline]
    pub fn fill(&mut self, offset: usize, ty: Primitive, host: &[u8]) -> Result<(), WriteError> {
        if self.detail == Detail::References {
            return Ok(());
        }
        if !host.len().is_multiple_of(ty.width()) {
            return Err(WriteError::Misfit);
        }
        self.place(offset, host.len())?.elements(ty, host);
        Ok(())
    }

    /// Records that have been written elsewhere.
    ///
    /// # Errors
    ///
    /// [`WriteError::NoMemory`].
    pub fn append(&mut self, records: &[u8]) -> Result<(), WriteError> {
        self.sink.grow(records.len())?.copy_from_slice(records);
        Ok(())
    }

    /// How many bytes the sink has.
    #[allow(
        clippy::len_without_is_empty,
        reason = "a sink that begins with a gap is never empty"
    )]
    pub fn len(&mut self) -> usize {
        self.sink.written().len()
    }

    /// What it writes to.
    #[inline]
    pub const fn sink(&self) -> &S {
        &self.sink
    }

    /// The sink, with the dump.
    pub fn into_sink(self) -> S {
        self.sink
    }

    /// The record's fixed part and `lists` bytes behind; the tag is written.
    #[inline]
    fn start(&mut self, tag: Tag, lists: usize) -> Result<Out<'_>, WriteError> {
        let bytes = tag.fixed().checked_add(lists).ok_or(WriteError::TooLong)?;
        let mut out = Out(self.sink.grow(bytes)?);
        out.u1(tag.raw());
        Ok(out)
    }

    #[inline]
    fn start_instance(
        &mut self,
        object: usize,
        class: usize,
        bytes: u32,
    ) -> Result<Out<'_>, WriteError> {
        let lists = bytes_of(bytes, 1).ok_or(WriteError::TooLong)?;
        let mut out = self.start(Tag::InstanceDump, lists)?;
        out.words(&[object, class]);
        out.u4(bytes);
        Ok(out)
    }

    #[inline]
    fn start_objects(
        &mut self,
        array: usize,
        element_class: usize,
        length: u32,
    ) -> Result<Out<'_>, WriteError> {
        let lists = bytes_of(length, WORD).ok_or(WriteError::TooLong)?;
        let mut out = self.start(Tag::ObjectArrayDump, lists)?;
        out.word(array);
        out.u4(length);
        out.word(element_class);
        Ok(out)
    }

    #[inline]
    fn start_primitives(
        &mut self,
        array: usize,
        ty: Primitive,
        length: u32,
    ) -> Result<Out<'_>, WriteError> {
        let width = self.detail.width(Type::Primitive(ty));
        let lists = bytes_of(length, width).ok_or(WriteError::TooLong)?;
        let mut out = self.start(Tag::PrimitiveArrayDump, lists)?;
        out.word(array);
        out.u4(length);
        out.u1(ty.raw());
        Ok(out)
    }

    #[inline]
    fn size_of(&self, values: &[Value]) -> usize {
        let widths = values.iter().map(|value| self.detail.width(value.ty()));
        widths.sum()
    }

    /// The offset of the last `bytes` bytes.
    #[inline]
    fn offset_of_last(&mut self, bytes: usize) -> usize {
        self.sink.written().len().saturating_sub(bytes)
    }

    #[inline]
    fn place(&mut self, offset: usize, bytes: usize) -> Result<Out<'_>, WriteError> {
        let rest = self.sink.written().get_mut(offset..);
        let place = rest.and_then(|rest| rest.get_mut(..bytes));
        place.map(Out).ok_or(WriteError::Misfit)
    }
}

#[inline]
fn values(out: &mut Out<'_>, detail: Detail, values: &[Value]) {
    for &value in values {
        if detail.width(value.ty()) > 0 {
            out.value(value);
        }
    }
}

#[inline]
fn bytes_of(count: u32, width: usize) -> Option<usize> {
    usize::try_from(count).ok()?.checked_mul(width)
}
