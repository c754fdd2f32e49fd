//! The record's answers to calls that it does not have where they are made: what was answered
//! to the same question at the nearest time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use recording_format::{Field, Recording, Space, Type, Value, What, call_arguments};

pub(crate) const RAW_MONITOR_WAIT: u8 = 10;

/// So many questions are known, and of each so many answers: memory has an end, and
/// recordings have none.
const QUESTIONS: usize = 1 << 20;
const ANSWERS: usize = 256;
/// And of all together so many values and so many answers, some 100 MiB each.
const VALUES: usize = 1 << 21;
const ALL_ANSWERS: usize = 1 << 22;

/// The same answer from one time to another.
#[derive(Clone, Copy, Debug)]
struct Answer {
    from: u64,
    until: u64,
    /// Its place in [`Answers::results`].
    results: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// By what was asked, in the order of time.
    known: HashMap<u64, Vec<Answer>>,
    /// What was answered, each only once.
    results: Vec<Vec<Value<'static>>>,
}

impl Answers {
    pub(crate) fn of(recording: &Recording<'static>) -> Self {
        let mut answers = Self::default();
        let mut places: HashMap<u64, u32> = HashMap::new();
        let (mut values, mut count) = (0, 0);
        for item in recording.items() {
            let What::Call {
                slot,
                arguments,
                results: Some(results),
            } = item.what
            else {
                continue;
            };
            let key = key(slot, &arguments);
            if answers.known.len() >= QUESTIONS && !answers.known.contains_key(&key) {
                continue;
            }
            let hash = hash_of(&results);
            let known = places.get(&hash).copied();
            let known = known.filter(|&place| answers.given(place) == Some(&results));
            let place = match known {
                Some(place) => place,
                None => {
                    values += size(&results);
                    if values > VALUES || count > ALL_ANSWERS {
                        continue;
                    }
                    let place = u32::try_from(answers.results.len()).unwrap_or(u32::MAX);
                    answers.results.push(results);
                    places.insert(hash, place);
                    place
                }
            };
            let all = answers.known.entry(key).or_default();
            match all.last_mut() {
                Some(last) if last.results == place => last.until = item.nanos,
                _ => {
                    count += 1;
                    all.push(Answer {
                        from: item.nanos,
                        until: item.nanos,
                        results: place,
                    });
                }
            }
            if all.len() > ANSWERS {
                count -= all.len() / 2;
                let mut odd = false;
                all.retain(|_| {
                    odd = !odd;
                    odd
                });
            }
        }
        answers
    }

    /// The answer to this question that was given nearest to this time.
    pub(crate) fn nearest(
        &self,
        slot: u8,
        arguments: &[Value<'_>],
        nanos: u64,
    ) -> Option<Vec<Value<'static>>> {
        let all = self.known.get(&key(slot, arguments))?;
        let distance = |answer: &&Answer| {
            let before = answer.from.saturating_sub(nanos);
            before.max(nanos.saturating_sub(answer.until))
        };
        let nearest = all.iter().min_by_key(distance)?;
        self.given(nearest.results).cloned()
    }

    fn given(&self, place: u32) -> Option<&Vec<Value<'static>>> {
        self.results.get(usize::try_from(place).ok()?)
    }
}

/// Whether these are the same question. Addresses differ from process to process.
pub(crate) fn same(slot: u8, a: &[Value<'_>], b: &[Value<'_>]) -> bool {
    let values = a.iter().zip(b).zip(call_arguments(slot));
    a.len() == b.len()
        && values
            .into_iter()
            .all(|((a, b), field)| !counts(slot, field) || a == b)
}

/// Whether this argument makes one call another. Addresses are another run's, and how long
/// an agent waits it may have from a clock that nobody records.
fn counts(slot: u8, field: &Field) -> bool {
    field.kind != Type::Id(Space::Address) && (slot != RAW_MONITOR_WAIT || field.kind != Type::Int)
}

/// How many values there are, those of lists with them.
fn size(values: &[Value<'_>]) -> usize {
    let of = |value: &Value<'_>| 1 + value.rows().iter().map(|row| size(row) + 1).sum::<usize>();
    values.iter().map(of).sum()
}

fn hash_of(values: &[Value<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.hash(&mut hasher);
    hasher.finish()
}

fn key(slot: u8, arguments: &[Value<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    slot.hash(&mut hasher);
    for (value, field) in arguments.iter().zip(call_arguments(slot)) {
        if counts(slot, field) {
            value.hash(&mut hasher);
        }
    }
    hasher.finish()
}
