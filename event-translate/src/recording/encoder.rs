//! Writes records into a block.

use super::block::BLOCK_HEAD;
use super::bytes::{Out, short_varint};
use super::codec::{Deltas, room_for};
use super::fields::{
    Space, Value, call_arguments, call_results, event_fields, event_results, run_fields,
    run_results,
};

/// What a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// An event, by its number without the bit of requested ones.
    Event(i32),
    /// A call of a function of the table, by its slot.
    Call(u8),
    /// A function of the agent's that the VM calls: JVM_OnLoad, or a system thread's.
    Run,
}

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
    pub(crate) const CALL: u8 = 62;
    pub(crate) const LEAVE: u8 = 63;
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

/// No event of [`is_small`] is longer: tag, time, env and five fields.
const SMALL: usize = 96;

/// Whether an event has numbers and ids only: those that come by the million.
const fn is_small(number: i32) -> bool {
    matches!(number, 1..=6 | 38..=41)
}

/// A record whose end is to come.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    subject: Subject,
    /// Where its tag is.
    at: usize,
    /// The records of the thread, with this one.
    count: u64,
}

impl Open {
    /// What it is of.
    #[must_use]
    pub const fn subject(&self) -> Subject {
        self.subject
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
        let number = raw & !super::REQUESTED;
        let requested = if number == raw { 0 } else { tag::REQUESTED };
        if is_small(number)
            && let Some(room) = block.get_mut(self.at..self.at + SMALL)
        {
            return self.small_event(room, tick, env, number, requested, values);
        }
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

    /// The same for an event that fits in any case: nothing has to be undone.
    #[inline]
    fn small_event(
        &mut self,
        room: &mut [u8],
        tick: u64,
        env: u64,
        number: i32,
        requested: u8,
        values: &[Value<'_>],
    ) -> Option<Open> {
        let mut out = Out::new(room, 0);
        if self.env != env {
            out.byte(tag::ENV);
            self.deltas.put_id(&mut out, Space::Env, env);
            self.env = env;
        }
        let at = out.end()?;
        out.byte(u8::try_from(number).unwrap_or(0) | requested);
        out.varint(tick.wrapping_sub(self.tick));
        self.tick = tick;
        self.deltas.put(&mut out, event_fields(number), values);
        let end = out.end()?;
        let at = self.at + at;
        self.at += end;
        self.count += 1;
        Some(Open {
            subject: Subject::Event(number),
            at,
            count: self.count,
        })
    }

    /// METHOD_ENTRY or METHOD_EXIT: what [`Encoder::event`] writes, in a straight line, since
    /// these come a hundred times as often as anything else. `None`: not this way, and nothing
    /// has changed.
    #[inline]
    pub fn method(
        &mut self,
        block: &mut [u8],
        tick: u64,
        env: u64,
        number: u8,
        method: u64,
    ) -> Option<Open> {
        let (time, time_length) = short_varint(tick.wrapping_sub(self.tick))?;
        let (id, id_length) = short_varint(self.deltas.method_code(method))?;
        let length = 1 + time_length + id_length;
        let word = u64::from(number) | time << 8 | id << (8 + 8 * time_length);
        let room = block.get_mut(self.at..)?.first_chunk_mut()?;
        if length > u64::BITS / 8 || env != self.env || method == 0 {
            return None;
        }
        // What is behind the record is zero anyway.
        *room = word.to_le_bytes();
        let at = self.at;
        self.at += length as usize;
        self.tick = tick;
        self.deltas.set_method(method);
        self.count += 1;
        Some(Open {
            subject: Subject::Event(number.into()),
            at,
            count: self.count,
        })
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
    pub fn leave_leaf(&mut self, block: &mut [u8], open: Open, results: &[Value<'_>]) -> bool {
        if open.count != self.count {
            return false;
        }
        let fields = results_of(open.subject);
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
        if open.count != self.count || open.subject != subject {
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
            out.byte(tag::LEAVE);
            out.byte(match subject {
                Subject::Event(number) if has_tag(number) => u8::try_from(number).unwrap_or(0),
                Subject::Event(_) => tag::OTHER_EVENT,
                Subject::Call(slot) => slot | tag::SLOT,
                Subject::Run => tag::RUN,
            });
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
        Some(Open {
            subject,
            at,
            count: self.count,
        })
    }

    /// Half a record is none.
    #[cold]
    fn wipe(&self, block: &mut [u8]) {
        if let Some(rest) = block.get_mut(self.at..) {
            rest.fill(0);
        }
    }
}

pub(super) const fn results_of(subject: Subject) -> &'static [super::Field] {
    match subject {
        Subject::Event(number) => event_results(number),
        Subject::Call(slot) => call_results(slot),
        Subject::Run => run_results(),
    }
}

/// No fewer bytes than a block needs for a record of these values.
#[must_use]
pub fn block_for(values: &[Value<'_>]) -> usize {
    BLOCK_HEAD + 64 + room_for(values)
}

#[cfg(test)]
mod tests;
