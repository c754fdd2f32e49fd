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

impl Handler {
    /// Whether it leads into a handler of any exception from outside of that.
    pub(super) fn leads_in(&self) -> bool {
        self.catch_type == 0 && self.start != self.target
    }
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

/// Writes the table anew, ours last: the method's own handlers come first. `detours`: which
/// of them are reached by way of which place in the new code.
pub(super) fn write(
    handlers: &[Handler],
    detours: &[(usize, u32)],
    ours: &[CatchAny],
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let count_at = out.len();
    out.put_u2(0);
    let mut count = ours.len();
    let mut put = |start: u32, end: u32, target: u32, catch_type: u16| {
        count += 1;
        for place in [start, end, target] {
            out.put_u2(as_u2(place)?);
        }
        out.put_u2(catch_type);
        Ok(())
    };
    for handler in handlers {
        let detour = detours
            .iter()
            .find(|(target, _)| *target == handler.target && handler.leads_in());
        let mut start = layout.entry(handler.start)?;
        let (end, target) = (layout.entry(handler.end)?, layout.entry(handler.target)?);
        if let Some(&(_, detour)) = detour {
            let covers_itself = (handler.start..handler.end).contains(&handler.target);
            let outside = if covers_itself { target } else { end };
            put(start, outside, detour, handler.catch_type)?;
            start = outside;
        }
        if detour.is_none() || start < end {
            put(start, end, target, handler.catch_type)?;
        }
    }
    for handler in ours {
        out.put_u2(as_u2(handler.start)?);
        out.put_u2(as_u2(handler.end)?);
        out.put_u2(as_u2(handler.target)?);
        out.put_u2(0);
    }
    let count = u16::try_from(count).map_err(|_| Malformed("has too many handlers"))?;
    out.patch(count_at, &count.to_be_bytes());
    Ok(())
}
