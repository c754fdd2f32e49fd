//! Writes records into a block.

use super::block::BLOCK_HEAD;
use super::bytes::{Out, short_varint, zigzag};
use super::codec::{Deltas, room_for};
use super::fields::{Space, Value, call_arguments, event_fields, run_fields};
use super::subject::{REQUESTED, Subject, results_of};

/// Tags of records; those between are the numbers of events.
pub(super) mod tag {
    /// Nothing more in this block.
    pub(crate) const END: u8 = 0;
    /// An event of a number that JVMPI does not have.
    pub(crate) const OTHER_EVENT: u8 = 10;
    /// The env of the events that follow.
    pub(crate) const ENV: u8 = 11;
    pub(crate) const RUN: u8 = 12;
    /// An event whose moment came, but which the agent had not enabled.
    pub(crate) const UNSENT: u8 = 13;
    /// Followed by the number of an event, or of a function; by what is named.
    pub(crate) const JVMTI_EVENT: u8 = 14;
    pub(crate) const JVMTI_CALL: u8 = 15;
    pub(crate) const DEFINED: u8 = 16;
    pub(crate) const CALL: u8 = 62;
    pub(crate) const LEAVE: u8 = 63;
    /// As [`LEAVE`], of an event of JVMTI and of a call; the number follows.
    pub(crate) const JVMTI_EVENT_LEFT: u8 = 17;
    pub(crate) const JVMTI_CALL_LEFT: u8 = 18;
    /// Bit: the event was requested.
    pub(crate) const REQUESTED: u8 = 0x40;
    /// Bit: it has returned and nothing was recorded in between; the results follow.
    pub(crate) const LEAF: u8 = 0x80;
    /// What [`LEAVE`] leaves: a slot plus this, or the number of an event.
    pub(crate) const SLOT: u8 = 0x80;
}

/// Whether an event of this number has a tag of its own.
pub(super) const fn has_tag(number: i32) -> bool {
    matches!(number, 1..=9 | 33..=35 | 37..=61)
}

/// The record of an event of numbers and ids alone, while it is put together in a register.
///
/// Functions return `None` for what is long: [`Encoder::event`] has to write it then.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    word: u128,
    bits: u32,
    deltas: Deltas,
}

impl Line {
    #[inline]
    fn push(mut self, number: u64) -> Option<Self> {
        let (bytes, length) = short_varint(number)?;
        // What does not fit is noticed at the end.
        self.word |= u128::from(bytes).wrapping_shl(self.bits);
        self.bits += 8 * length;
        Some(self)
    }

    /// Appends a field of [`crate::Type::Int`].
    #[inline]
    #[must_use]
    pub fn int(self, number: i32) -> Option<Self> {
        self.push(zigzag(number.into()))
    }

    /// Appends a field of [`crate::Type::Int`] that is a `jlong`.
    #[inline]
    #[must_use]
    pub fn long(self, number: i64) -> Option<Self> {
        self.push(zigzag(number))
    }

    /// Appends a field of [`crate::Type::Id`]; 0 is NULL.
    #[inline]
    #[must_use]
    pub fn id(mut self, space: Space, id: u64) -> Option<Self> {
        let code = self.deltas.code(space, id)?;
        self.push(code)
    }
}

/// A record whose end is to come.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// What it is of, as one word: it is compared right after it was written, and processors
    /// are slow to read in one piece what was written in two.
    subject: u64,
    /// Where its tag is.
    at: usize,
    /// The records of the thread, with this one.
    count: u64,
}

impl Open {
    const fn new(subject: Subject, at: usize, count: u64) -> Self {
        let subject = subject.word();
        Self { subject, at, count }
    }

    /// Whether it is of this.
    #[inline]
    #[must_use]
    pub const fn is_of(&self, subject: Subject) -> bool {
        self.subject == subject.word()
    }
}

/// The state of a thread's current block.
///
/// Functions that write return `None` if there is no room, and nothing has changed then:
/// the caller seals the block at [`Encoder::end`], begins another and calls again.
#[derive(Clone, Debug)]
pub struct Encoder {
    at: usize,
    tick: u64,
    env: u64,
    deltas: Deltas,
    count: u64,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl Encoder {
    /// For a block that was begun at `tick`, by a thread that has written `count` records.
    #[must_use]
    pub fn new(tick: u64, count: u64) -> Self {
        Self {
            at: BLOCK_HEAD,
            tick,
            env: 0,
            deltas: Deltas::default(),
            count,
        }
    }

    /// Where the records end.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.at
    }

    /// The records of the thread so far.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// An event is given to the agent; `raw` is its number as the agent sees it.
    #[inline]
    pub fn event(
        &mut self,
        block: &mut [u8],
        tick: u64,
        env: u64,
        raw: i32,
        values: &[Value<'_>],
    ) -> Option<Open> {
        let number = raw & !REQUESTED;
        let requested = if number == raw { 0 } else { tag::REQUESTED };
        self.record(block, Subject::Event(number), |deltas, out, last| {
            if last.env != env {
                out.byte(tag::ENV);
                deltas.put_id(out, Space::Env, env);
            }
            let at = out.end();
            if has_tag(number) {
                out.byte(u8::try_from(number).unwrap_or(0) | requested);
                out.varint(tick.wrapping_sub(last.tick));
                deltas.put(out, event_fields(number), values);
            } else {
                out.byte(tag::OTHER_EVENT | requested);
                out.varint(tick.wrapping_sub(last.tick));
                out.signed(i64::from(number));
            }
            (at, tick, env)
        })
    }

    /// What [`Encoder::event`] writes, in a straight line, for the events that come by the
    /// million; `fill` appends the fields. `None`: not this way (another env, something long),
    /// and nothing has changed.
    #[inline]
    pub fn line(
        &mut self,
        block: &mut [u8],
        tick: u64,
        env: u64,
        number: u8,
        fill: impl FnOnce(Line) -> Option<Line>,
    ) -> Option<Open> {
        if env != self.env {
            return None;
        }
        let empty = Line {
            word: number.into(),
            bits: u8::BITS,
            deltas: self.deltas,
        };
        self.end_line(block, tick, Subject::Event(number.into()), empty, fill)
    }

    #[inline]
    fn end_line(
        &mut self,
        block: &mut [u8],
        tick: u64,
        subject: Subject,
        empty: Line,
        fill: impl FnOnce(Line) -> Option<Line>,
    ) -> Option<Open> {
        let line = fill(empty.push(tick.wrapping_sub(self.tick))?)?;
        let room = block.get_mut(self.at..)?.first_chunk_mut()?;
        if line.bits > u128::BITS {
            return None;
        }
        let at = self.at;
        self.at += (line.bits / 8) as usize;
        self.tick = tick;
        self.deltas = line.deltas;
        self.count += 1;
        // Last, so that words of `deltas` that are as before need no writing. What is behind
        // the record is zero anyway.
        *room = line.word.to_le_bytes();
        Some(Open::new(subject, at, self.count))
    }

    /// The agent calls a function.
    #[inline]
    pub fn call(
        &mut self,
        block: &mut [u8],
        tick: u64,
        slot: u8,
        arguments: &[Value<'_>],
    ) -> Option<Open> {
        self.record(block, Subject::Call(slot), |deltas, out, last| {
            let at = out.end();
            out.byte(tag::CALL);
            out.byte(slot);
            out.varint(tick.wrapping_sub(last.tick));
            deltas.put(out, call_arguments(slot), arguments);
            (at, tick, last.env)
        })
    }

    /// A function of the agent's is called.
    pub fn run(&mut self, block: &mut [u8], tick: u64, values: &[Value<'_>]) -> Option<Open> {
        self.record(block, Subject::Run, |deltas, out, last| {
            let at = out.end();
            out.byte(tag::RUN);
            out.varint(tick.wrapping_sub(last.tick));
            deltas.put(out, run_fields(), values);
            (at, tick, last.env)
        })
    }

    /// The moment of an event that is not sent, for nobody has enabled it.
    pub fn unsent(&mut self, block: &mut [u8], tick: u64, number: i32) -> Option<()> {
        self.record(block, Subject::Event(number), |_, out, last| {
            let at = out.end();
            out.byte(tag::UNSENT);
            out.varint(tick.wrapping_sub(last.tick));
            out.signed(i64::from(number));
            (at, tick, last.env)
        })?;
        Some(())
    }

    /// Ends a record in which nothing was recorded, without its time; false if something
    /// was, or if there is no room: then [`Encoder::leave`] has to end it.
    #[inline]
    pub fn leave_leaf(
        &mut self,
        block: &mut [u8],
        open: Open,
        subject: Subject,
        results: &[Value<'_>],
    ) -> bool {
        if open.count != self.count || !open.is_of(subject) {
            return false;
        }
        let fields = results_of(subject);
        if !fields.is_empty() {
            let mut deltas = self.deltas;
            let mut out = Out::new(block, self.at);
            deltas.put(&mut out, fields, results);
            let Some(end) = out.end() else {
                self.wipe(block);
                return false;
            };
            self.deltas = deltas;
            self.at = end;
        }
        if let Some(place) = block.get_mut(open.at) {
            *place |= tag::LEAF;
        }
        true
    }

    /// [`Encoder::leave_leaf`] for a record of this subject that has no results; false if it is
    /// another.
    #[inline]
    pub fn leave_plain(&self, block: &mut [u8], open: Open, subject: Subject) -> bool {
        if open.count != self.count || !open.is_of(subject) {
            return false;
        }
        block
            .get_mut(open.at)
            .map(|place| *place |= tag::LEAF)
            .is_some()
    }

    /// Ends a record.
    pub fn leave(
        &mut self,
        block: &mut [u8],
        tick: u64,
        subject: Subject,
        results: &[Value<'_>],
    ) -> Option<()> {
        self.record(block, subject, |deltas, out, last| {
            let at = out.end();
            let (tag, left) = match subject {
                Subject::Event(number) if has_tag(number) => {
                    (tag::LEAVE, u8::try_from(number).unwrap_or(0))
                }
                Subject::Event(_) => (tag::LEAVE, tag::OTHER_EVENT),
                Subject::Call(slot) => (tag::LEAVE, slot | tag::SLOT),
                Subject::Run => (tag::LEAVE, tag::RUN),
                Subject::JvmtiEvent(number) => (tag::JVMTI_EVENT_LEFT, number),
                Subject::JvmtiCall(number) => (tag::JVMTI_CALL_LEFT, number),
                // It has no end.
                Subject::Definition(_) => return (None, tick, last.env),
            };
            out.byte(tag);
            out.byte(left);
            out.varint(tick.wrapping_sub(last.tick));
            deltas.put(out, results_of(subject), results);
            (at, tick, last.env)
        })?;
        Some(())
    }

    /// Lets `write` append one record; it returns where its tag is, and tick and env from
    /// then on.
    #[inline]
    fn record(
        &mut self,
        block: &mut [u8],
        subject: Subject,
        write: impl FnOnce(&mut Deltas, &mut Out<'_>, &Self) -> (Option<usize>, u64, u64),
    ) -> Option<Open> {
        let mut deltas = self.deltas;
        let mut out = Out::new(block, self.at);
        let (at, tick, env) = write(&mut deltas, &mut out, self);
        let end = out.end();
        let (Some(at), Some(end)) = (at, end) else {
            self.wipe(block);
            return None;
        };
        self.at = end;
        self.tick = tick;
        self.env = env;
        self.deltas = deltas;
        self.count += 1;
        Some(Open::new(subject, at, self.count))
    }

    /// Half a record is none.
    #[cold]
    fn wipe(&self, block: &mut [u8]) {
        if let Some(rest) = block.get_mut(self.at..) {
            rest.fill(0);
        }
    }
}

/// No fewer bytes than a block needs for a record of these values.
#[must_use]
pub fn block_for(values: &[Value<'_>]) -> usize {
    BLOCK_HEAD + 64 + room_for(values)
}

mod of_jvmti;
#[cfg(test)]
mod tests;
