//! Makes a recording in memory: a part of another, or one for a test.

use std::collections::BTreeMap;

use super::block::BlockHead;
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
    head: BlockHead,
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
        self.current(number).head.tid = tid;
    }

    fn current(&mut self, number: u32) -> &mut Current {
        self.threads.entry(number).or_insert_with(|| Current {
            bytes: Vec::new(),
            head: BlockHead {
                capacity: 0,
                thread: number,
                tid: 0,
                sequence: 0,
                tick: 0,
                nanos: 0,
                step: 0,
            },
            encoder: Encoder::default(),
        })
    }

    /// Adds a record. Those of a thread must come in their order.
    pub fn add(&mut self, item: &Item<'_>) {
        const SMALL: usize = 16 * PAGE;
        const LARGE: usize = 128 * PAGE;
        let tick = item.nanos;
        let thread = item.thread;
        let (_, values) = item.what.values();
        let results = item.what.results().map(|(_, values)| values);
        let room = block_for(values) + results.map_or(0, block_for);
        let current = self.current(thread);
        let mut full = Vec::new();
        if current.encoder.room() < room {
            full = current.end();
            let len = LARGE.min(SMALL << current.head.sequence.min(8));
            current.begin(tick, len.max(room));
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
    fn begin(&mut self, tick: u64, room: usize) {
        let capacity = room.next_multiple_of(PAGE);
        if self.bytes.len() < capacity {
            self.bytes = vec![0; capacity];
        }
        self.head.capacity = self.bytes.len();
        self.head.tick = tick;
        self.head.nanos = tick;
        self.encoder.begin(&self.head);
    }

    /// The block as it is kept.
    fn end(&mut self) -> Vec<u8> {
        if self.encoder.is_empty() {
            return Vec::new();
        }
        let packed = self.encoder.pack(&self.bytes, &self.head);
        if packed.is_some() {
            self.encoder.wipe(&mut self.bytes);
        } else {
            self.head.open(&mut self.bytes);
            self.encoder.seal(&mut self.bytes);
        }
        self.head.sequence += 1;
        packed.unwrap_or_else(|| std::mem::take(&mut self.bytes))
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
