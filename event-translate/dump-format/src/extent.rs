//! How far the record of an object reaches, read from its first bytes.

use crate::tags::Tag;
use crate::values::{Detail, Primitive, Type, WORD};

/// The record of an object that is no class, as offsets from the dump's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Whose it is.
    pub object: usize,
    /// Its tag.
    pub begin: usize,
    /// Its first field or element.
    pub values: usize,
    /// One past its last byte, where the next record begins.
    pub end: usize,
}

impl Extent {
    /// The record that begins here; `None` for a root or a class, and for one that is cut
    /// short.
    #[must_use]
    #[inline]
    pub fn at(dump: &[u8], begin: usize, detail: Detail) -> Option<Self> {
        let (&tag, rest) = dump.get(begin..)?.split_first()?;
        let (&object, rest) = rest.split_first_chunk()?;
        // What Tag::parts says, for those whose list is the last thing in them.
        let (fixed, count, width) = match tag {
            INSTANCE => (Tag::InstanceDump.fixed(), rest.get(WORD..)?, 1),
            OBJECTS => (Tag::ObjectArrayDump.fixed(), rest, WORD),
            PRIMITIVES => {
                let ty = Primitive::from_raw(*rest.get(size_of::<u32>())?)?;
                let width = detail.width(Type::Primitive(ty));
                (Tag::PrimitiveArrayDump.fixed(), rest, width)
            }
            _ => return None,
        };
        let count = u32::from_be_bytes(*count.first_chunk()?);
        let values = begin.checked_add(fixed)?;
        let length = usize::try_from(count).ok()?.checked_mul(width)?;
        let end = values.checked_add(length).filter(|&end| end <= dump.len());
        Some(Self {
            object: usize::from_ne_bytes(object),
            begin,
            values,
            end: end?,
        })
    }
}

const INSTANCE: u8 = Tag::InstanceDump.raw();
const OBJECTS: u8 = Tag::ObjectArrayDump.raw();
const PRIMITIVES: u8 = Tag::PrimitiveArrayDump.raw();
