//! Reads recordings, whole, cut off or damaged: what can be read is.

mod clock;
mod cursor;
mod items;

use std::collections::BTreeMap;
use std::collections::binary_heap::BinaryHeap;
use std::fmt;

use clock::{Clock, Scale};
use cursor::Cursor;
use items::Next;

use super::block::{self, Found, State};
use super::header::Header;
use super::layout::{Error, HEADER_LEN, PAGE};
use super::packed;
use super::record::{Item, What};

pub use items::Items;

/// What is said of a recording without [`What::is_the_vms_end`]: its VM was killed, has crashed or runs still, or the file
/// was cut off between two blocks, which nothing in it tells.
pub const NO_END: &str = "the VM's end is not in it";

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
        recording.check(file.len());
        Ok(recording)
    }

    fn find_blocks(&mut self, file: &'a [u8]) {
        let mut at = HEADER_LEN;
        let mut lost = 0;
        while let Some(rest) = file.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(mut found) = block::read(rest, at) else {
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
            }
            at = at.saturating_add(found.head.capacity);
            self.clock.learn(found.head.tick, found.head.nanos);
            // Looked at now: the block's memory may be given back then.
            if found.is_packed && found.state == State::Sealed {
                found.is_sound = packed::is_sound(found.records);
            }
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

    /// Keeps one of each block, and looks at what is kept.
    fn check(&mut self, file_len: usize) {
        for (thread, blocks) in &mut self.threads {
            // One that was just sealed may still be there open, and the other way round: a copy that
            // the end of the process has cut off costs nothing while the open one is there.
            blocks.sort_by_key(|found| (found.head.sequence, found.state));
            blocks.dedup_by_key(|found| found.head.sequence);
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
                // Of one that is cut off with the file there is a line.
                let is_there = found.head.capacity <= file_len.saturating_sub(found.at);
                let wrong = match found.state {
                    State::Damaged if is_there => "is damaged",
                    State::Sealed if !found.is_sound => "cannot be unpacked",
                    State::Sealed | State::Open | State::Damaged => continue,
                };
                self.problems.push(format!(
                    "the block at {} (thread {thread}, number {sequence}) {wrong}",
                    found.at
                ));
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
            let Some(first) = records.blocks.as_slice().first() else {
                continue;
            };
            // None of its records is earlier.
            records.nanos = records.scale.nanos(first.head.tick);
            let item = Item {
                nanos: records.nanos,
                thread,
                ..NOTHING
            };
            heads.push(Box::new(Next {
                item,
                begun: false,
                records,
            }));
        }
        Items { heads }
    }
}

/// The place of a record that is to come.
const NOTHING: Item<'static> = Item {
    nanos: 0,
    thread: 0,
    index: 0,
    what: What::Unsent { number: 0 },
};

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
                self.block = Cursor::new(found, self.version);
                continue;
            };
            if block.record(&mut item.what).is_none() {
                // Its end, or what the end of the process, or damage, has left of it.
                self.block = None;
                continue;
            }
            self.nanos = self.nanos.max(self.scale.nanos(block.tick()));
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
        let mut item = NOTHING;
        self.next_into(&mut item).then_some(item)
    }
}
