//! Makes a recording in memory: a part of another, or one for a test.

use std::collections::BTreeMap;

use super::block::{BLOCK_HEAD, BlockHead, seal};
use super::encoder::{Encoder, block_for};
use super::fields::Value;
use super::header::Header;
use super::layout::{HEADER_LEN, PAGE};
use super::record::{Item, What};
use super::subject::REQUESTED;

/// A recording that grows.
#[derive(Debug)]
pub struct Writer {
    file: Vec<u8>,
    threads: BTreeMap<u32, Current>,
}

/// A thread's block.
#[derive(Debug)]
struct Current {
    bytes: Vec<u8>,
    tid: u32,
    sequence: u32,
    encoder: Encoder,
}

impl Writer {
    /// One without records. Its clock's tick is a nanosecond.
    #[must_use]
    pub fn new(header: &Header) -> Self {
        let mut file = vec![0; HEADER_LEN];
        let header = Header {
            first_tick: 0,
            ..header.clone()
        };
        header.encode(&mut file);
        Self {
            file,
            threads: BTreeMap::new(),
        }
    }

    /// Names a thread by the kernel's number, before its first record.
    pub fn thread(&mut self, number: u32, tid: u32) {
        self.current(number).tid = tid;
    }

    fn current(&mut self, number: u32) -> &mut Current {
        self.threads.entry(number).or_insert_with(|| Current {
            bytes: Vec::new(),
            tid: 0,
            sequence: 0,
            encoder: Encoder::default(),
        })
    }

    /// Adds a record. Those of a thread must come in their order.
    pub fn add(&mut self, item: &Item<'_>) {
        const ENOUGH: usize = 16 * PAGE;
        let tick = item.nanos;
        let thread = item.thread;
        let (_, values) = item.what.values();
        let results = item.what.results().map(|(_, values)| values);
        let room = block_for(values) + results.map_or(0, block_for);
        let current = self.current(thread);
        let mut full = Vec::new();
        if current.bytes.len() < current.encoder.end() + room {
            full = current.end();
            current.begin(thread, tick, room.max(ENOUGH));
        }
        current.put(tick, &item.what, results);
        self.file.extend(full);
    }

    /// What of the file is ready; what follows comes with the next call, or with the last,
    /// [`Writer::finish`].
    pub fn ready(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.file)
    }

    /// The file, or the rest of it.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        for current in self.threads.values_mut() {
            self.file.extend(current.end());
        }
        self.file
    }
}

impl Current {
    fn begin(&mut self, thread: u32, tick: u64, room: usize) {
        let capacity = room.next_multiple_of(PAGE);
        self.bytes = vec![0; capacity];
        let head = BlockHead {
            capacity,
            thread,
            tid: self.tid,
            sequence: self.sequence,
            tick,
            nanos: tick,
        };
        head.open(&mut self.bytes);
        self.sequence += 1;
        self.encoder = Encoder::new(tick, self.encoder.count());
    }

    /// The sealed block, no longer than it needs to be.
    fn end(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        let end = self.encoder.end();
        if bytes.is_empty() || end == BLOCK_HEAD {
            return Vec::new();
        }
        let capacity = end.next_multiple_of(PAGE);
        bytes.truncate(capacity);
        if let Some(found) = super::block::read(&bytes) {
            let head = BlockHead {
                capacity,
                ..found.head
            };
            head.open(&mut bytes);
        }
        seal(&mut bytes, end);
        bytes
    }

    /// There is room.
    fn put(&mut self, tick: u64, what: &What<'_>, results: Option<&[Value<'_>]>) {
        let (block, encoder) = (&mut self.bytes, &mut self.encoder);
        let open = match what {
            What::Event {
                number,
                requested,
                env,
                values,
                ..
            } => {
                let bit = if *requested { REQUESTED } else { 0 };
                encoder.event(block, tick, *env, number | bit, values)
            }
            What::Call {
                slot, arguments, ..
            } => encoder.call(block, tick, *slot, arguments),
            What::Run { values, .. } => encoder.run(block, tick, values),
            What::Unsent { number } => {
                encoder.unsent(block, tick, *number);
                return;
            }
            What::JvmtiEvent {
                number,
                environment,
                env,
                values,
                ..
            } => encoder.jvmti_event(block, tick, *env, (*environment, *number), values),
            What::JvmtiCall {
                number,
                environment,
                arguments,
                ..
            } => encoder.jvmti_call(block, tick, (*environment, *number), arguments),
            What::Defined { definition, values } => {
                encoder.defined(block, tick, *definition, values);
                return;
            }
            What::Leave { subject, results } => {
                encoder.leave(block, tick, *subject, results);
                return;
            }
        };
        if let (Some(open), Some(results)) = (open, results) {
            encoder.leave_leaf(block, open, what.subject(), results);
        }
    }
}
