//! Reads the records of a block, one after the other.

use crate::block::{BLOCK_HEAD, Found, State};
use crate::bytes::Input;
use crate::codec::Ids;
use crate::encoder::{has_tag, tag};
use crate::fields::{
    Field, Space, Type, Value, call_arguments, event_fields, fields_of_version, run_fields,
};
use crate::jvmti::{self, Definition};
use crate::packed;
use crate::recent::Inside;
use crate::record::What;
use crate::subject::{Subject, results_of};
use crate::times::Times;

/// The first version that has times apart from records, and short numbers.
const APART: u32 = 4;
const METHOD_EXIT: i32 = 3;

/// Where in a block we are.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    records: Bytes<'a>,
    texts: &'a [u8],
    /// Where the next record is, and its texts, if they lie apart.
    places: (usize, usize),
    times: Times<'a>,
    step: u32,
    tick: u64,
    env: u64,
    ids: Ids,
    inside: Inside,
    version: u32,
}

#[derive(Debug)]
enum Bytes<'a> {
    InFile(&'a [u8]),
    Unpacked(Vec<u8>),
}

impl<'a> Cursor<'a> {
    /// At the begin of a block; `None` if it cannot be read.
    pub(super) fn new(found: &Found<'a>, version: u32) -> Option<Self> {
        let records = found.records;
        let (records, times, texts) = if found.is_packed {
            // What was packed means nothing when a bit of it is wrong.
            let intact = found.state == State::Sealed;
            let unpacked = packed::unpack(records).filter(|_| intact)?;
            (
                Bytes::Unpacked(unpacked.records),
                unpacked.times,
                unpacked.texts,
            )
        } else if version < APART {
            (Bytes::InFile(records), Times::Within, records)
        } else {
            // The end of one that is not all there is not the end that times were written from.
            let is_whole = records.len() + BLOCK_HEAD == found.head.capacity;
            let times = if is_whole { records } else { &[] };
            let times = Times::Above(times, times.len());
            (Bytes::InFile(records), times, records)
        };
        let mut ids = Ids::default();
        if version >= APART {
            ids.begin();
        }
        Some(Self {
            records,
            texts,
            places: (0, 0),
            times,
            step: found.head.step.min(u64::BITS - 1),
            tick: found.head.tick,
            env: 0,
            ids,
            inside: Inside::default(),
            version,
        })
    }

    /// The clock's when the record was written that was read last.
    pub(super) const fn tick(&self) -> u64 {
        self.tick
    }

    /// Puts the next record there; `None` if there is none, and nothing of use there then.
    pub(super) fn record(&mut self, what: &mut What<'a>) -> Option<()> {
        let (at, text_at) = self.places;
        let mut here = match &self.records {
            Bytes::InFile(records) => Input::at(records, at),
            Bytes::Unpacked(records) => Input::apart((records, at), (self.texts, text_at)),
        };
        let input = &mut here;
        let ids = &mut self.ids;
        let mut first = input.byte()?;
        if first == tag::ENV {
            const ENV: &[Field] = &[Field {
                name: "env_id",
                kind: Type::Id(Space::Env),
            }];
            self.env = ids.take(input, ENV)?.first()?.id()?;
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
        if matches!(self.times, Times::Within) {
            self.tick = self.tick.wrapping_add(input.varint()?);
        } else {
            let step = subject_of(base, slot).step(self.step);
            let steps = self.times.next()?;
            self.tick = self.tick.wrapping_add(steps << step);
        }
        let is_leaf = first & tag::LEAF != 0;
        let results = |ids: &mut Ids, input: &mut Input<'_, 'a>, subject| {
            if is_leaf {
                ids.take(input, results_of(subject)).map(Some)
            } else {
                Some(None)
            }
        };
        let left = |ids: &mut Ids, input: &mut Input<'_, 'a>, subject| {
            let results = ids.take(input, results_of(subject))?;
            Some(What::Leave { subject, results })
        };
        *what = match base {
            tag::CALL => What::Call {
                slot,
                arguments: ids.take(input, call_arguments(slot))?,
                results: results(ids, input, Subject::Call(slot))?,
            },
            tag::RUN => What::Run {
                values: ids.take(input, run_fields())?,
                results: results(ids, input, Subject::Run)?,
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
                left(ids, input, subject)?
            }
            tag::JVMTI_EVENT_LEFT => left(ids, input, Subject::JvmtiEvent(slot))?,
            tag::JVMTI_CALL_LEFT => left(ids, input, Subject::JvmtiCall(slot))?,
            tag::JVMTI_CALL => What::JvmtiCall {
                number: slot,
                environment: u32::try_from(input.varint()?).ok()?,
                arguments: ids.take(input, jvmti::call_arguments(slot))?,
                results: results(ids, input, Subject::JvmtiCall(slot))?,
            },
            tag::JVMTI_EVENT => {
                let environment = u32::try_from(input.varint()?).ok()?;
                let mut values = memory_of(what);
                ids.take_into(&mut values, input, jvmti::event_fields(slot))?;
                What::JvmtiEvent {
                    number: slot,
                    environment,
                    env: self.env,
                    values,
                    results: results(ids, input, Subject::JvmtiEvent(slot))?,
                }
            }
            tag::DEFINED => {
                let definition = Definition::from_raw(slot)?;
                What::Defined {
                    definition,
                    values: ids.take(input, definition.fields())?,
                }
            }
            tag::RETURNED if self.version >= APART => {
                let mut values = memory_of(what);
                values.push(Value::Id(self.inside.innermost()?));
                self.inside.heard(METHOD_EXIT, 0);
                What::Event {
                    number: METHOD_EXIT,
                    requested: false,
                    env: self.env,
                    values,
                    results: results(ids, input, Subject::Event(METHOD_EXIT))?,
                }
            }
            _ => {
                let number = if base == tag::OTHER_EVENT {
                    i32::try_from(input.signed()?).ok()?
                } else if has_tag(i32::from(base)) {
                    i32::from(base)
                } else {
                    return None;
                };
                let (recorded, newer) = event_fields(number)
                    .split_at_checked(fields_of_version(self.version, number))?;
                let mut values = memory_of(what);
                ids.take_into(&mut values, input, recorded)?;
                if let (1..=3, [Value::Id(method), ..]) = (number, values.as_slice()) {
                    self.inside.heard(number, *method);
                }
                values.extend(newer.iter().map(|field| field.kind.nothing()));
                What::Event {
                    number,
                    requested: first & tag::REQUESTED != 0,
                    env: self.env,
                    values,
                    results: results(ids, input, Subject::Event(number))?,
                }
            }
        };
        self.places = here.places();
        Some(())
    }
}

/// What the record of this tag and number is of, as far as its time depends on it.
const fn subject_of(base: u8, number: u8) -> Subject {
    match base {
        tag::JVMTI_EVENT => Subject::JvmtiEvent(number),
        tag::RETURNED => Subject::Event(METHOD_EXIT),
        _ => Subject::Event(base as i32),
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
