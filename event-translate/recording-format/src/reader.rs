//! Reads recordings, whole, cut off or damaged: what can be read is.

mod clock;
mod items;

use std::collections::BTreeMap;
use std::collections::binary_heap::BinaryHeap;
use std::fmt;

use clock::{Clock, Scale};
use items::Next;

use super::block::{self, Found, State};
use super::bytes::Input;
use super::codec::Deltas;
use super::encoder::tag;
use super::fields::{
    Field, Space, Type, Value, call_arguments, event_fields, fields_of_version, run_fields,
};
use super::header::Header;
use super::jvmti::{self, Definition};
use super::layout::{Error, HEADER_LEN, PAGE};
use super::record::{Item, What};
use super::subject::{Subject, results_of};

pub use items::Items;

/// Who has the memory of a recording, and is told how far it has been read.
pub trait Source: fmt::Debug + Sync {
    /// Another block, of up to 1 MiB, has been looked at, or is read now.
    fn block_read(&self);
}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    /// What is known of the run.
    pub header: Header,
    threads: BTreeMap<u32, Vec<Found<'a>>>,
    problems: Vec<String>,
    clock: Clock,
    version: u32,
    source: Option<&'a dyn Source>,
}

/// One thread of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its number in the recording.
    pub number: u32,
    /// The kernel's number.
    pub tid: u32,
}

impl<'a> Recording<'a> {
    /// Reads the head of a file and of each block.
    ///
    /// # Errors
    /// If it is no recording. Damage is no error: see [`Recording::problems`].
    pub fn read(file: &'a [u8]) -> Result<Self, Error> {
        Self::read_noting(file, None)
    }

    /// The same; `source` is told of each block, now and whenever it is read.
    ///
    /// # Errors
    /// As [`Recording::read`].
    pub fn read_noting(file: &'a [u8], source: Option<&'a dyn Source>) -> Result<Self, Error> {
        let (header, version, problem) = Header::decode(file)?;
        let mut recording = Self {
            header,
            threads: BTreeMap::new(),
            problems: problem.into_iter().collect(),
            clock: Clock::default(),
            version,
            source,
        };
        if recording.problems.is_empty() {
            recording.clock.learn(recording.header.first_tick, 0);
        }
        recording.find_blocks(file);
        recording.check();
        Ok(recording)
    }

    fn find_blocks(&mut self, file: &'a [u8]) {
        let mut at = HEADER_LEN;
        let mut lost = 0;
        while let Some(rest) = file.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(found) = block::read(rest) else {
                let page = rest.get(..PAGE).unwrap_or(rest);
                lost += usize::from(page.iter().any(|&byte| byte != 0));
                at += PAGE;
                continue;
            };
            if found.head.capacity > rest.len() {
                self.problems.push(format!(
                    "the file is cut off: the block at {at} should have {} bytes, {} are there",
                    found.head.capacity,
                    rest.len()
                ));
            } else if found.state == State::Damaged {
                self.problems.push(format!(
                    "the block at {at} (thread {}, number {}) is damaged",
                    found.head.thread, found.head.sequence
                ));
            }
            at = at.saturating_add(found.head.capacity);
            self.clock.learn(found.head.tick, found.head.nanos);
            let blocks = self.threads.entry(found.head.thread).or_default();
            blocks.push(found);
            if let Some(source) = self.source {
                source.block_read();
            }
        }
        if lost > 0 {
            self.problems.push(format!(
                "{lost} pages of {PAGE} bytes are no part of any block"
            ));
        }
    }

    fn check(&mut self) {
        for (thread, blocks) in &mut self.threads {
            blocks.sort_by_key(|found| found.head.sequence);
            let mut next = 0;
            for found in blocks {
                let sequence = found.head.sequence;
                if sequence > next {
                    self.problems.push(format!(
                        "thread {thread}: blocks {next} to {} are missing",
                        sequence - 1
                    ));
                }
                next = sequence.saturating_add(1);
            }
        }
    }

    /// What is wrong with the file, a line each; nothing for one that was ended well.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Whether the process ended before all was sealed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let mut blocks = self.threads.values().flatten();
        blocks.any(|found| found.state == State::Open)
    }

    /// All threads that have records.
    pub fn threads(&self) -> impl Iterator<Item = Thread> {
        self.threads.iter().map(|(&number, blocks)| Thread {
            number,
            tid: blocks.first().map_or(0, |found| found.head.tid),
        })
    }

    /// The records of one thread, by its number.
    #[must_use]
    pub fn records(&self, thread: u32) -> Records<'_, 'a> {
        let blocks = self.threads.get(&thread).map_or(&[][..], Vec::as_slice);
        Records {
            thread,
            blocks: blocks.iter(),
            block: None,
            scale: self.clock.scale(),
            version: self.version,
            source: self.source,
            index: 0,
            nanos: 0,
        }
    }

    /// All records, in the order of time.
    #[must_use]
    pub fn items(&self) -> Items<'_, 'a> {
        let mut heads = BinaryHeap::new();
        for &thread in self.threads.keys() {
            let mut records = self.records(thread);
            if let Some(item) = records.next() {
                heads.push(Box::new(Next { item, records }));
            }
        }
        Items { heads }
    }
}

/// The records of one thread, in their order.
#[derive(Debug)]
pub struct Records<'r, 'a> {
    thread: u32,
    blocks: std::slice::Iter<'r, Found<'a>>,
    block: Option<Cursor<'a>>,
    scale: Scale,
    version: u32,
    source: Option<&'a dyn Source>,
    index: u64,
    /// Time never goes back.
    nanos: u64,
}

#[derive(Debug)]
struct Cursor<'a> {
    input: Input<'a>,
    tick: u64,
    env: u64,
    deltas: Deltas,
    version: u32,
}

impl<'a> Records<'_, 'a> {
    /// Puts the next record in the place of this one, whose memory is used again; false at the end.
    pub(super) fn next_into(&mut self, item: &mut Item<'a>) -> bool {
        loop {
            let Some(block) = &mut self.block else {
                let Some(found) = self.blocks.next() else {
                    return false;
                };
                if let Some(source) = self.source {
                    source.block_read();
                }
                self.block = Some(Cursor {
                    input: Input::new(found.records),
                    tick: found.head.tick,
                    env: 0,
                    deltas: Deltas::default(),
                    version: self.version,
                });
                continue;
            };
            if block.record(&mut item.what).is_none() {
                // Its end, or what the end of the process, or damage, has left of it.
                self.block = None;
                continue;
            }
            self.nanos = self.nanos.max(self.scale.nanos(block.tick));
            item.nanos = self.nanos;
            item.thread = self.thread;
            item.index = self.index;
            self.index += 1;
            return true;
        }
    }
}

impl<'a> Iterator for Records<'_, 'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let mut item = Item {
            nanos: 0,
            thread: 0,
            index: 0,
            what: What::Unsent { number: 0 },
        };
        self.next_into(&mut item).then_some(item)
    }
}

impl<'a> Cursor<'a> {
    /// Puts the next record there; `None` if there is none, and nothing of use there then.
    fn record(&mut self, what: &mut What<'a>) -> Option<()> {
        let input = &mut self.input;
        let deltas = &mut self.deltas;
        let mut first = input.byte()?;
        if first == tag::ENV {
            const ENV: &[Field] = &[Field {
                name: "env_id",
                kind: Type::Id(Space::Env),
            }];
            self.env = deltas.take(input, ENV)?.first()?.id()?;
            first = input.byte()?;
        }
        let base = first & !(tag::REQUESTED | tag::LEAF);
        // Of a call, of what is left, of what JVMTI numbers.
        let slot = match base {
            tag::CALL
            | tag::LEAVE
            | tag::JVMTI_EVENT
            | tag::JVMTI_CALL
            | tag::DEFINED
            | tag::JVMTI_EVENT_LEFT
            | tag::JVMTI_CALL_LEFT => input.byte()?,
            _ => 0,
        };
        if base == tag::END {
            return None;
        }
        self.tick = self.tick.wrapping_add(input.varint()?);
        let is_leaf = first & tag::LEAF != 0;
        let results = |deltas: &mut Deltas, input: &mut Input<'a>, subject| {
            if is_leaf {
                deltas.take(input, results_of(subject)).map(Some)
            } else {
                Some(None)
            }
        };
        let left = |deltas: &mut Deltas, input: &mut Input<'a>, subject| {
            let results = deltas.take(input, results_of(subject))?;
            Some(What::Leave { subject, results })
        };
        *what = match base {
            tag::CALL => What::Call {
                slot,
                arguments: deltas.take(input, call_arguments(slot))?,
                results: results(deltas, input, Subject::Call(slot))?,
            },
            tag::RUN => What::Run {
                values: deltas.take(input, run_fields())?,
                results: results(deltas, input, Subject::Run)?,
            },
            tag::UNSENT => What::Unsent {
                number: i32::try_from(input.signed()?).ok()?,
            },
            tag::LEAVE => {
                let subject = match slot {
                    tag::RUN => Subject::Run,
                    slot if slot & tag::SLOT != 0 => Subject::Call(slot & !tag::SLOT),
                    number => Subject::Event(i32::from(number)),
                };
                left(deltas, input, subject)?
            }
            tag::JVMTI_EVENT_LEFT => left(deltas, input, Subject::JvmtiEvent(slot))?,
            tag::JVMTI_CALL_LEFT => left(deltas, input, Subject::JvmtiCall(slot))?,
            tag::JVMTI_CALL => What::JvmtiCall {
                number: slot,
                environment: u32::try_from(input.varint()?).ok()?,
                arguments: deltas.take(input, jvmti::call_arguments(slot))?,
                results: results(deltas, input, Subject::JvmtiCall(slot))?,
            },
            tag::JVMTI_EVENT => {
                let environment = u32::try_from(input.varint()?).ok()?;
                let mut values = memory_of(what);
                deltas.take_into(&mut values, input, jvmti::event_fields(slot))?;
                What::JvmtiEvent {
                    number: slot,
                    environment,
                    env: self.env,
                    values,
                    results: results(deltas, input, Subject::JvmtiEvent(slot))?,
                }
            }
            tag::DEFINED => {
                let definition = Definition::from_raw(slot)?;
                What::Defined {
                    definition,
                    values: deltas.take(input, definition.fields())?,
                }
            }
            _ => {
                let number = if base == tag::OTHER_EVENT {
                    i32::try_from(input.signed()?).ok()?
                } else if super::encoder::has_tag(i32::from(base)) {
                    i32::from(base)
                } else {
                    return None;
                };
                let (recorded, newer) = event_fields(number)
                    .split_at_checked(fields_of_version(self.version, number))?;
                let mut values = memory_of(what);
                deltas.take_into(&mut values, input, recorded)?;
                values.extend(newer.iter().map(|field| field.kind.nothing()));
                What::Event {
                    number,
                    requested: first & tag::REQUESTED != 0,
                    env: self.env,
                    values,
                    results: results(deltas, input, Subject::Event(number))?,
                }
            }
        };
        Some(())
    }
}

/// Nearly all are events: theirs is the memory that is used again.
fn memory_of<'a>(what: &mut What<'a>) -> Vec<Value<'a>> {
    let mut values = match what {
        What::Event { values, .. } | What::JvmtiEvent { values, .. } => std::mem::take(values),
        What::Call { .. }
        | What::Run { .. }
        | What::Unsent { .. }
        | What::JvmtiCall { .. }
        | What::Defined { .. }
        | What::Leave { .. } => Vec::new(),
    };
    values.clear();
    values
}
