//! Moves a `StackMapTable` (JVMS §4.7.4) and appends frames to it.

use super::bytes::{Malformed, Put, Reader};
use super::layout::{Layout, as_u2};

pub(super) const UNINITIALIZED_THIS: u8 = 6;
/// Before a frame, since class files of JDK 28 (preview): the strict fields that `this`, not yet initialised, has still
/// to get. It holds for the frames behind it until another one comes.
const EARLY_LARVAL: u8 = 246;
const OBJECT: u8 = 7;
const UNINITIALIZED: u8 = 8;
const BAD: Malformed = Malformed("has a bad StackMapTable");

/// A verification type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// One of those that are only a tag.
    Plain(u8),
    /// With its class.
    Object(u16),
    /// With the `new` it comes from, in the original code.
    Uninitialized(u16),
    /// That of a local that holds an argument from the beginning: its number, that of
    /// `this` being 0 and not given to another.
    Argument(usize),
}

pub(super) fn read_type(reader: &mut Reader<'_>) -> Result<Type, Malformed> {
    Ok(match reader.u1()? {
        tag @ 0..=UNINITIALIZED_THIS => Type::Plain(tag),
        OBJECT => Type::Object(reader.u2()?),
        UNINITIALIZED => Type::Uninitialized(reader.u2()?),
        _ => return Err(BAD),
    })
}

/// A frame to append.
#[derive(Clone, Debug)]
pub(super) struct HandlerFrame {
    /// Where in the new code.
    pub(super) at: u32,
    pub(super) locals: Vec<Type>,
    /// What is on the stack; a Throwable if that is not said.
    pub(super) caught: Option<Type>,
}

impl HandlerFrame {
    /// Whether it is reached before `this` is initialised.
    pub(super) fn is_early(&self) -> bool {
        self.locals.contains(&Type::Plain(UNINITIALIZED_THIS))
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Same,
    SameWithStack,
    Chop(u8),
    Append(u8),
    Full,
}

/// What stands before a frame if the class file's version knows strict fields: the bytes, which are constants'
/// indices and so stay as they are.
pub(super) fn early_larval<'a>(
    reader: &mut Reader<'a>,
    knows_strict: bool,
) -> Result<&'a [u8], Malformed> {
    let mut ahead = *reader;
    if !knows_strict || ahead.u1()? != EARLY_LARVAL {
        return Ok(&[]);
    }
    let fields = ahead.u2()?;
    reader.take(1 + 2 * (1 + usize::from(fields)))
}

/// The head of a frame; its types are still to be read.
pub(super) fn frame(reader: &mut Reader<'_>) -> Result<(Kind, u16), Malformed> {
    let tag = reader.u1()?;
    Ok(match tag {
        0..=63 => (Kind::Same, tag.into()),
        64..=127 => (Kind::SameWithStack, u16::from(tag - 64)),
        247 => (Kind::SameWithStack, reader.u2()?),
        248..=250 => (Kind::Chop(251 - tag), reader.u2()?),
        251 => (Kind::Same, reader.u2()?),
        252..=254 => (Kind::Append(tag - 251), reader.u2()?),
        255 => (Kind::Full, reader.u2()?),
        _ => return Err(BAD),
    })
}

/// Counts the deltas of frames up to indices into code.
#[derive(Debug, Default)]
pub(super) struct Position {
    next: usize,
}

impl Position {
    pub(super) fn advance(&mut self, delta: u16) -> usize {
        let at = self.next + usize::from(delta);
        self.next = at + 1;
        at
    }
}

/// Writes the attribute's content anew, the original one in `info` if there is
/// one, with our frames behind it. They must be behind all others. `strict`: the `NameAndType`s
/// of fields of which none may have been set where a handler of ours is reached early; `None` where the class file's
/// version knows none.
pub(super) fn rewrite(
    info: Option<&[u8]>,
    layout: &Layout,
    handlers: &[HandlerFrame],
    (throwable, strict): (u16, Option<&[u16]>),
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let mut reader = Reader::new(info.unwrap_or(&[0, 0]));
    let count = reader.u2()?;
    let total = usize::from(count) + handlers.len();
    out.put_u2(u16::try_from(total).map_err(|_| BAD)?);

    let mut old = Position::default();
    // One behind the last frame: what the next delta counts from.
    let mut new = 0;
    for _ in 0..count {
        out.extend_from_slice(early_larval(&mut reader, strict.is_some())?);
        let (kind, delta) = frame(&mut reader)?;
        let at = layout.entry(old.advance(delta))?;
        let delta = as_u2(at.checked_sub(new).ok_or(BAD)?)?;
        new = at + 1;
        let short = u8::try_from(delta).ok().filter(|&delta| delta < 64);
        match (kind, short) {
            (Kind::Same, Some(delta)) => out.put_u1(delta),
            (Kind::Same, None) => tag_and_delta(251, delta, out),
            (Kind::SameWithStack, _) => {
                match short {
                    Some(delta) => out.put_u1(64 + delta),
                    None => tag_and_delta(247, delta, out),
                }
                types(&mut reader, 1, layout, out)?;
            }
            (Kind::Chop(locals), _) => tag_and_delta(251 - locals, delta, out),
            (Kind::Append(locals), _) => {
                tag_and_delta(251 + locals, delta, out);
                types(&mut reader, locals.into(), layout, out)?;
            }
            (Kind::Full, _) => {
                tag_and_delta(255, delta, out);
                for _ in ["locals", "stack"] {
                    let count = reader.u2()?;
                    out.put_u2(count);
                    types(&mut reader, count, layout, out)?;
                }
            }
        }
    }
    reader.finish()?;

    for handler in handlers {
        let delta = handler.at.checked_sub(new).ok_or(BAD)?;
        new = handler.at + 1;
        if let Some(strict) = strict.filter(|strict| !strict.is_empty() && handler.is_early()) {
            out.put_u1(EARLY_LARVAL);
            out.put_u2(u16::try_from(strict.len()).map_err(|_| BAD)?);
            for &field in strict {
                out.put_u2(field);
            }
        }
        tag_and_delta(255, as_u2(delta)?, out);
        out.put_u2(u16::try_from(handler.locals.len()).map_err(|_| BAD)?);
        for &local in &handler.locals {
            put_type(local, layout, out)?;
        }
        out.put_u2(1);
        put_type(
            handler.caught.unwrap_or(Type::Object(throwable)),
            layout,
            out,
        )?;
    }
    Ok(())
}

fn put_type(type_: Type, layout: &Layout, out: &mut Vec<u8>) -> Result<(), Malformed> {
    match type_ {
        Type::Plain(tag) => out.put_u1(tag),
        Type::Object(class) => {
            out.put_u1(OBJECT);
            out.put_u2(class);
        }
        Type::Uninitialized(new) => {
            out.put_u1(UNINITIALIZED);
            out.put_u2(as_u2(layout.place(new.into())?.at)?);
        }
        Type::Argument(_) => return Err(BAD),
    }
    Ok(())
}

fn tag_and_delta(tag: u8, delta: u16, out: &mut Vec<u8>) {
    out.put_u1(tag);
    out.put_u2(delta);
}

/// Copies verification types; an uninitialised object's names its `new`.
fn types(
    reader: &mut Reader<'_>,
    count: u16,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    for _ in 0..count {
        put_type(read_type(reader)?, layout, out)?;
    }
    Ok(())
}
