//! What happened on each thread of a recording, in little memory: not each record is kept, but a
//! number for each [`PART`] of them, in which all before have a share. Where two stories part is
//! found in these, and then in one part of each recording, which is read once more.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use recording_format::{Recording, Subject, What};

use crate::comparable::describe;
use crate::habits::Habits;
use crate::tally::Tally;
use crate::text::line;
use crate::walk::{FIRST, NAMELESS, Seen, walk};

/// Records of a thread that are found or passed over together.
const PART: usize = 1024;

/// The compared records of one thread.
#[derive(Debug, Default)]
struct Records {
    count: usize,
    /// Of all records so far.
    hash: u64,
    /// That of the end of each part.
    parts: Vec<u64>,
}

impl Records {
    fn add(&mut self, text: &str) {
        let mut hasher = DefaultHasher::new();
        self.hash.hash(&mut hasher);
        text.hash(&mut hasher);
        self.hash = hasher.finish();
        self.count += 1;
        if self.count.is_multiple_of(PART) {
            self.parts.push(self.hash);
        }
    }

    /// The part in which the two are different; none if they are the same.
    fn different_part(&self, other: &Self) -> Option<usize> {
        if (self.count, self.hash) == (other.count, other.hash) {
            return None;
        }
        let parts = self.parts.iter().zip(&other.parts);
        Some(parts.take_while(|(one, two)| one == two).count())
    }
}

/// All of a recording.
#[derive(Debug)]
pub(crate) struct Story {
    threads: BTreeMap<String, Records>,
    numbers: BTreeMap<String, u32>,
    pub(crate) tally: Tally,
    pub(crate) habits: Habits,
    /// How many of each event and function are compared.
    pub(crate) compared: BTreeMap<Subject, u64>,
}

impl Story {
    pub(crate) fn of(recording: &Recording<'_>, all: bool) -> Self {
        let mut records: BTreeMap<u32, Records> = BTreeMap::new();
        let mut counts: BTreeMap<u32, BTreeMap<Subject, u64>> = BTreeMap::new();
        let (mut tally, mut habits) = (Tally::default(), Habits::default());
        let mut of_first = Tally::default();
        let mut text = String::new();
        let names = walk(recording, all, |seen| {
            habits.note(seen.item);
            if !seen.counts {
                return;
            }
            text.clear();
            describe(&mut text, &seen.item.what, seen.names);
            records.entry(seen.item.thread).or_default().add(&text);
            if let What::Event { .. }
            | What::Call { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. } = seen.item.what
            {
                let counts = counts.entry(seen.item.thread).or_default();
                *counts.entry(seen.item.what.subject()).or_default() += 1;
                match seen.of_compared {
                    Some(true) => tally.note(&seen.item.what, seen.names),
                    None => of_first.note(&seen.item.what, seen.names),
                    Some(false) => {}
                }
            }
        });
        if names.contains_key(&FIRST) {
            tally.add(of_first);
        }
        let mut story = Self {
            threads: BTreeMap::new(),
            numbers: BTreeMap::new(),
            tally,
            habits,
            compared: BTreeMap::new(),
        };
        for (number, name) in names {
            let counts = counts.remove(&number).unwrap_or_default();
            story.tally.note_thread(&name, counts.values().sum());
            for (subject, count) in counts {
                *story.compared.entry(subject).or_default() += count;
            }
            if let Some(records) = records.remove(&number) {
                story.threads.insert(name.clone(), records);
            }
            story.numbers.insert(name, number);
        }
        story
    }

    /// The first thread without a name is called as in this recording of the same program.
    pub(crate) fn learn_first(&mut self, other: &Self) {
        let mut named = other.numbers.iter().filter(|(_, number)| **number == FIRST);
        let Some((name, _)) = named.next() else {
            return;
        };
        if self.numbers.contains_key(name) {
            return;
        }
        if let Some(number) = self.numbers.remove(NAMELESS) {
            self.numbers.insert(name.clone(), number);
            self.tally.rename_thread(NAMELESS, name);
        }
        if let Some(records) = self.threads.remove(NAMELESS) {
            self.threads.insert(name.clone(), records);
        }
    }

    fn records(&self, thread: &str) -> Option<&Records> {
        self.threads.get(thread)
    }
}

/// Where the records of a thread begin to differ.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) thread: String,
    /// How many are the same before it.
    pub(crate) at: usize,
    /// When, in each of them; none if it is over there.
    nanos: [Option<u64>; 2],
    /// The record in each of them: as it is compared, and whole.
    pub(crate) lines: [Option<(String, String)>; 2],
}

/// A recording with its story.
pub(crate) type Told<'r, 'a> = (&'r Recording<'a>, &'r Story);

/// The first difference of each thread that has one, the earliest first; at most so many, and
/// how many there are.
pub(crate) fn differences(both: [Told<'_, '_>; 2], all: bool, most: usize) -> (Vec<Place>, usize) {
    let [(_, one), (_, two)] = both;
    let none = Records::default();
    let names = one.threads.keys().chain(two.threads.keys());
    let parts: BTreeMap<&String, usize> = names
        .filter_map(|name| {
            let [one, two] = [one, two].map(|story| story.records(name).unwrap_or(&none));
            Some((name, one.different_part(two)?))
        })
        .collect();
    if parts.is_empty() {
        return (Vec::new(), 0);
    }
    let [one, two] = both.map(|told| read_parts(told, &parts, all));
    let mut places = Vec::new();
    for (name, part) in parts {
        let empty = Vec::new();
        let [one, two] = [&one, &two].map(|read| read.get(name.as_str()).unwrap_or(&empty));
        let same = one.iter().zip(two).take_while(|((a, _), (b, _))| a == b);
        let at = same.count();
        let nanos = [one, two].map(|part| part.get(at).map(|(_, nanos)| *nanos));
        places.push(Place {
            thread: name.clone(),
            at: part * PART + at,
            nanos,
            lines: [None, None],
        });
    }
    let count = places.len();
    places.sort_by_key(|place| place.nanos.into_iter().flatten().min());
    places.truncate(most);
    for (side, told) in both.into_iter().enumerate() {
        put_lines(told, &mut places, side, all);
    }
    (places, count)
}

/// Calls `sink` with each compared record of these threads, and its place among them.
fn each_of(
    (recording, story): Told<'_, '_>,
    threads: &[&str],
    all: bool,
    mut sink: impl FnMut(usize, usize, &Seen<'_>),
) {
    let numbers = threads.iter().map(|name| story.numbers.get(*name));
    let mut places: BTreeMap<u32, (usize, usize)> = numbers
        .enumerate()
        .filter_map(|(index, number)| Some((*number?, (index, 0))))
        .collect();
    walk(recording, all, |seen| {
        if seen.counts
            && let Some((thread, at)) = places.get_mut(&seen.item.thread)
        {
            sink(*thread, *at, seen);
            *at += 1;
        }
    });
}

/// Of each thread the hashes and times of one part of its records.
fn read_parts<'n>(
    told: Told<'_, '_>,
    parts: &BTreeMap<&'n String, usize>,
    all: bool,
) -> BTreeMap<&'n str, Vec<(u64, u64)>> {
    let threads: Vec<&str> = parts.keys().map(|name| name.as_str()).collect();
    let wanted: Vec<usize> = parts.values().copied().collect();
    let mut read: BTreeMap<usize, Vec<(u64, u64)>> = BTreeMap::new();
    let mut text = String::new();
    each_of(told, &threads, all, |thread, at, seen| {
        if wanted.get(thread) == Some(&(at / PART)) {
            text.clear();
            describe(&mut text, &seen.item.what, seen.names);
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            let records = read.entry(thread).or_default();
            records.push((hasher.finish(), seen.item.nanos));
        }
    });
    let names = parts.keys().map(|name| name.as_str());
    let with_index = names.enumerate();
    with_index
        .filter_map(|(index, name)| Some((name, read.remove(&index)?)))
        .collect()
}

fn put_lines(told: Told<'_, '_>, places: &mut [Place], side: usize, all: bool) {
    let wanted: Vec<usize> = places.iter().map(|place| place.at).collect();
    let threads: Vec<String> = places.iter().map(|place| place.thread.clone()).collect();
    let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
    each_of(told, &threads, all, |thread, at, seen| {
        if wanted.get(thread) == Some(&at)
            && let Some(place) = places.get_mut(thread).and_then(|it| it.lines.get_mut(side))
        {
            let mut text = String::new();
            describe(&mut text, &seen.item.what, seen.names);
            *place = Some((text, line(seen.item, 0)));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(count: usize, odd: Option<usize>) -> Records {
        let mut records = Records::default();
        for at in 0..count {
            records.add(if Some(at) == odd { "odd" } else { "even" });
        }
        records
    }

    #[test]
    fn the_part_that_differs_is_found() {
        let same = records(5000, None);
        assert_eq!(same.different_part(&records(5000, None)), None);
        for (at, part) in [(0, 0), (1023, 0), (1024, 1), (4999, 4)] {
            let odd = records(5000, Some(at));
            assert_eq!(same.different_part(&odd), Some(part), "{at}");
            assert_eq!(odd.different_part(&same), Some(part), "{at}");
        }
        for (shorter, part) in [(0, 0), (1024, 1), (4097, 4)] {
            let shorter_one = records(shorter, None);
            assert_eq!(same.different_part(&shorter_one), Some(part), "{shorter}");
        }
    }
}
