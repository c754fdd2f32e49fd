//! How long it takes to record an event: `cargo run --release -p recording-format
//! --example recording_speed`.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a program of its own"
)]

use std::hint::black_box;
use std::time::Instant;

use recording_format::{BlockHead, Encoder, Space, Subject, Value};

const EVENTS: u64 = 100_000;

fn main() {
    let mut block = vec![0; 4 << 20];
    for (name, number) in [("METHOD_ENTRY", 1), ("OBJECT_ALLOC", 4)] {
        let mut best = u128::MAX;
        let mut encoder = Encoder::default();
        let head = BlockHead {
            capacity: block.len(),
            thread: 0,
            tid: 0,
            sequence: 0,
            tick: 0,
            nanos: 0,
            step: 6,
        };
        for _ in 0..200 {
            encoder.wipe(&mut block);
            head.open(&mut block);
            encoder.begin(&head);
            for new in 0..97 {
                let values = [Value::Id(0x7f00_0000_0000 + new * 8)];
                encoder.event(&mut block, 0, 0, 1, &values);
                let class = 16 + new % 13;
                let values = [
                    Value::Int(1),
                    Value::Id(class),
                    Value::Int(0),
                    Value::Int(24),
                    Value::Id(0),
                ];
                encoder.event(&mut block, 0, 0, 4, &values);
            }
            let begin = Instant::now();
            for event in 0..EVENTS {
                let id = 0x7f00_0000_0000 + event % 97 * 8;
                let tick = event * 170;
                let block = black_box(&mut block);
                let open = if number == 4 {
                    encoder.line(block, tick, 0, number, |line| {
                        line.int(1);
                        line.id(Space::Class, event % 13 + 16)?;
                        line.int(0);
                        line.int(24);
                        line.id(Space::Object, event)
                    })
                } else {
                    encoder.line(block, tick, 0, number, |line| line.id(Space::Method, id))
                };
                if let Some(open) = open {
                    encoder.leave_plain(block, open, Subject::Event(number.into()));
                }
            }
            best = best.min(begin.elapsed().as_nanos());
        }
        let begin = Instant::now();
        let packed = encoder.pack(&block, &head).unwrap_or_default();
        let took = begin.elapsed().as_nanos() as f64;
        let count = EVENTS as f64;
        println!(
            "{name}: {:.1} ns, {:.1} bytes; packed in {:.2} ns: {:.2} bytes",
            best as f64 / count,
            (head.capacity - encoder.room()) as f64 / count,
            took / count,
            packed.len() as f64 / count
        );
    }
}
