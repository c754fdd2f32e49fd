//! Writes records into a block: what they say from its head upwards, their times from its end
//! downwards.

pub use line::Line;

use super::block::{BLOCK_HEAD, BlockHead, seal};
use super::bytes::{Out, Texts};
use super::codec::{Ids, room_for};
use super::fields::{Space, Value, call_arguments, event_fields, run_fields};
use super::packed;
use super::recent::Inside;
use super::subject::{REQUESTED, Subject, results_of};
use super::times;

/// Whether an event of this number has a tag of its own.
pub(super) const fn has_tag(number: i32) -> bool {
    matches!(number, 1..=9 | 33..=35 | 37..=61)
}

const METHOD_EXIT: u8 = 3;

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
/// Functions that write return `None` if there is no room, and nothing has changed then, but that
/// nothing more is written into this block: the caller packs it, begins another and calls again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoder {
    /// Where the next record goes, and above what times are.
    at: usize,
    times: usize,
    /// The block's end.
    len: usize,
    step: u32,
    tick: u64,
    env: u64,
    ids: Ids,
    inside: Inside,
    texts: Texts,
    count: u64,
    /// Something has not fitted.
    full: bool,
}

impl Default for Encoder {
    /// Of no block.
    fn default() -> Self {
        Self {
            at: BLOCK_HEAD,
            times: 0,
            len: 0,
            step: 0,
            tick: 0,
            env: 0,
            ids: Ids::default(),
            inside: Inside::default(),
            texts: Texts::new(),
            count: 0,
            full: false,
        }
    }
}

/// What a record changes beside what it writes.
struct Last<'e> {
    env: &'e mut u64,
    ids: &'e mut Ids,
}

impl Last<'_> {
    /// Names the env of an event, if it is another one than the last.
    fn env(&mut self, out: &mut Out<'_>, env: u64) {
        if *self.env != env {
            out.byte(tag::ENV);
            self.ids.put_id(out, Space::Env, env);
            *self.env = env;
        }
    }
}

impl Encoder {
    /// Begins a block of zeros behind its head; the thread's records go on being counted.
    pub fn begin(&mut self, head: &BlockHead) {
        self.at = BLOCK_HEAD;
        self.times = head.capacity;
        self.len = head.capacity;
        self.step = head.step.min(u64::BITS - 1);
        self.tick = head.tick;
        self.env = 0;
        self.ids.begin();
        self.inside = Inside::default();
        self.texts.clear();
        self.full = false;
    }

    /// Whether the block has no records.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.at == BLOCK_HEAD
    }

    /// How many bytes are left in the block.
    #[must_use]
    pub const fn room(&self) -> usize {
        self.limit().saturating_sub(self.at)
    }

    /// The records of the thread so far.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The block as it is kept, whole pages, with a head like this one; `None` if it is so long that
    /// it stays where it is ([`Encoder::seal`]), or there is no memory.
    #[must_use]
    pub fn pack(&self, block: &[u8], head: &BlockHead) -> Option<Vec<u8>> {
        let block = block.get(..self.len).unwrap_or(block);
        packed::pack(head, block, (self.at, self.times), &self.texts)
    }

    /// Ends the block where it is, whole: its times are at its end.
    pub fn seal(&self, block: &mut [u8]) {
        seal(block, self.len);
    }

    /// Makes all behind the head zeros again: it can be begun anew.
    pub fn wipe(&self, block: &mut [u8]) {
        for written in [BLOCK_HEAD..self.at, self.times..self.len] {
            if let Some(bytes) = block.get_mut(written) {
                bytes.fill(0);
            }
        }
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
        let method = match (number, values) {
            (1..=3, [Value::Id(method), ..]) => *method,
            _ => 0,
        };
        let returns = raw == i32::from(METHOD_EXIT) && self.inside.innermost() == Some(method);
        let subject = Subject::Event(number);
        let open = self.record(
            block,
            tick,
            subject,
            subject.step(self.step),
            |out, mut last| {
                last.env(out, env);
                let at = out.end();
                if returns {
                    out.byte(tag::RETURNED);
                } else if has_tag(number) {
                    out.byte(u8::try_from(number).unwrap_or(0) | requested);
                    last.ids.put(out, event_fields(number), values);
                } else {
                    out.byte(tag::OTHER_EVENT | requested);
                    out.signed(i64::from(number));
                }
                at
            },
        );
        if open.is_some() {
            self.inside.heard(number, method);
        }
        open
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
        self.record(block, tick, Subject::Call(slot), 0, |out, last| {
            let at = out.end();
            out.byte(tag::CALL);
            out.byte(slot);
            last.ids.put(out, call_arguments(slot), arguments);
            at
        })
    }

    /// A function of the agent's is called.
    pub fn run(&mut self, block: &mut [u8], tick: u64, values: &[Value<'_>]) -> Option<Open> {
        self.record(block, tick, Subject::Run, 0, |out, last| {
            let at = out.end();
            out.byte(tag::RUN);
            last.ids.put(out, run_fields(), values);
            at
        })
    }

    /// The moment of an event that is not sent, for nobody has enabled it.
    pub fn unsent(&mut self, block: &mut [u8], tick: u64, number: i32) -> Option<()> {
        self.record(block, tick, Subject::Event(number), 0, |out, _| {
            let at = out.end();
            out.byte(tag::UNSENT);
            out.signed(i64::from(number));
            at
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
            let texts = self.texts.len();
            let room = block.get_mut(..self.limit()).unwrap_or_default();
            let mut out = Out::noting(room, self.at, &mut self.texts);
            self.ids.put(&mut out, fields, results);
            let Some(end) = out.end() else {
                self.is_full(block, texts);
                return false;
            };
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
        self.record(block, tick, subject, 0, |out, last| {
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
                Subject::Definition(_) => return None,
            };
            out.byte(tag);
            out.byte(left);
            last.ids.put(out, results_of(subject), results);
            at
        })?;
        Some(())
    }

    /// Lets `write` append one record; it returns where its tag is.
    #[inline]
    fn record(
        &mut self,
        block: &mut [u8],
        tick: u64,
        subject: Subject,
        step: u32,
        write: impl FnOnce(&mut Out<'_>, Last<'_>) -> Option<usize>,
    ) -> Option<Open> {
        let texts = self.texts.len();
        let mut env = self.env;
        let room = block.get_mut(..self.limit()).unwrap_or_default();
        let mut out = Out::noting(room, self.at, &mut self.texts);
        let last = Last {
            env: &mut env,
            ids: &mut self.ids,
        };
        let at = write(&mut out, last);
        let (Some(at), Some(end)) = (at, out.end()) else {
            self.is_full(block, texts);
            return None;
        };
        self.at = end;
        self.env = env;
        self.time(block, tick, step);
        self.count += 1;
        Some(Open::new(subject, at, self.count))
    }

    /// Writes the time of a record that has been written, in steps of two to this many ticks.
    #[inline]
    fn time(&mut self, block: &mut [u8], tick: u64, step: u32) {
        let steps = tick.saturating_sub(self.tick) >> step;
        self.tick += steps << step;
        self.times = times::put(block, self.times, steps);
    }

    /// What a record says ends before this, so that its time has room, and a zero is between.
    #[inline]
    const fn limit(&self) -> usize {
        if self.full {
            0
        } else {
            self.times.saturating_sub(times::LONGEST + 1)
        }
    }

    /// Half a record is none. What it would have had others remember is not to be relied on, so
    /// nothing more is written here.
    #[cold]
    fn is_full(&mut self, block: &mut [u8], texts: usize) {
        if let Some(rest) = block.get_mut(self.at..self.limit()) {
            rest.fill(0);
        }
        self.texts.truncate(texts);
        self.full = true;
    }
}

/// No fewer bytes than a block needs for a record of these values.
#[must_use]
pub fn block_for(values: &[Value<'_>]) -> usize {
    BLOCK_HEAD + 64 + room_for(values)
}

mod line;
mod of_jvmti;
pub(super) mod tag;
#[cfg(test)]
mod tests;
