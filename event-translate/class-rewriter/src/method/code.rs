//! The parts of a method's code.

use crate::bytes::{Malformed, Reader};
use crate::class_file::{Attribute, ClassFile};
use crate::exceptions::{self, Handler};
use crate::refusal::MethodRefusal;

/// The first version whose verifier wants a `StackMapTable`.
pub(super) const STACK_MAPS: u16 = 50;

/// The parts of a Code attribute.
pub(super) struct Code<'a> {
    pub(super) max_stack: u16,
    pub(super) max_locals: u16,
    pub(super) code: &'a [u8],
    pub(super) attributes: Reader<'a>,
}

impl<'a> Code<'a> {
    pub(super) fn read(info: &'a [u8], handlers: &mut Vec<Handler>) -> Result<Self, Malformed> {
        let mut reader = Reader::new(info);
        let max_stack = reader.u2()?;
        let max_locals = reader.u2()?;
        let code = reader.take_counted()?;
        if code.is_empty() || code.len() > usize::from(u16::MAX) {
            return Err(Malformed("has no code, or too much"));
        }
        exceptions::read(&mut reader, handlers)?;
        Ok(Self {
            max_stack,
            max_locals,
            code,
            attributes: reader,
        })
    }

    pub(super) fn stack_map(&self, class: &ClassFile<'a>) -> Result<Option<&'a [u8]>, Malformed> {
        let mut reader = self.attributes;
        for _ in 0..reader.u2()? {
            let attribute = Attribute::read(&mut reader, &class.pool)?;
            if attribute.name == b"StackMapTable" {
                return Ok(Some(attribute.info));
            }
        }
        Ok(None)
    }
}

pub(super) fn as_u4(value: usize) -> Result<u32, MethodRefusal> {
    u32::try_from(value).map_err(|_| MethodRefusal::TooLarge)
}
