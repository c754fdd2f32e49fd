//! The exception table of code (JVMS §4.7.3).

use super::bytes::{Malformed, Put, Reader};
use super::layout::{Layout, as_u2};

/// An entry, as indices into the original code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handler {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) target: usize,
    pub(super) catch_type: u16,
}

/// Reads the table into `handlers`.
pub(super) fn read(reader: &mut Reader<'_>, handlers: &mut Vec<Handler>) -> Result<(), Malformed> {
    handlers.clear();
    for _ in 0..reader.u2()? {
        handlers.push(Handler {
            start: reader.u2()?.into(),
            end: reader.u2()?.into(),
            target: reader.u2()?.into(),
            catch_type: reader.u2()?,
        });
    }
    Ok(())
}

/// An entry of ours that catches everything, as indices into the new code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CatchAny {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) target: u32,
}

/// Writes the table anew, ours last: the method's own handlers come first.
pub(super) fn write(
    handlers: &[Handler],
    ours: &[CatchAny],
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let count = u16::try_from(handlers.len() + ours.len());
    out.put_u2(count.map_err(|_| Malformed("has too many handlers"))?);
    for handler in handlers {
        out.put_u2(as_u2(layout.entry(handler.start)?)?);
        out.put_u2(as_u2(layout.entry(handler.end)?)?);
        out.put_u2(as_u2(layout.entry(handler.target)?)?);
        out.put_u2(handler.catch_type);
    }
    for handler in ours {
        out.put_u2(as_u2(handler.start)?);
        out.put_u2(as_u2(handler.end)?);
        out.put_u2(as_u2(handler.target)?);
        out.put_u2(0);
    }
    Ok(())
}
