//! How long it takes to record an event: `cargo run --release -p recording-format
//! --example recording_speed`.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a program of its own"
)]

use std::hint::black_box;
use std::time::Instant;

use recording_format::{BlockHead, Encoder, Space, Subject, Value, seal};

const EVENTS: u64 = 100_000;

fn main() {
    let mut block = vec![0; 4 << 20];
    for (name, number) in [("METHOD_ENTRY", 1), ("OBJECT_ALLOC", 4)] {
        let mut best = u128::MAX;
        let mut bytes = 0;
        for _ in 0..200 {
            block.fill(0);
            let head = BlockHead {
                capacity: block.len(),
                thread: 0,
                tid: 0,
                sequence: 0,
                tick: 0,
                nanos: 0,
            };
            head.open(&mut block);
            let mut encoder = Encoder::new(0, 0);
            // The first of a method is a long one.
            encoder.event(&mut block, 0, 0, 1, &[Value::Id(0x7f00_0000_0000)]);
            let begin = Instant::now();
            for event in 0..EVENTS {
                let id = 0x7f00_0000_0000 + event % 97 * 8;
                let tick = event * 170;
                let block = black_box(&mut block);
                let open = if number == 4 {
                    encoder.line(block, tick, 0, number, |line| {
                        line.int(1)?
                            .id(Space::Class, event % 13 + 16)?
                            .int(0)?
                            .int(24)?
                            .id(Space::Object, event)
                    })
                } else {
                    encoder.line(block, tick, 0, number, |line| line.id(Space::Method, id))
                };
                if let Some(open) = open {
                    encoder.leave_plain(block, open, Subject::Event(number.into()));
                }
            }
            best = best.min(begin.elapsed().as_nanos());
            bytes = encoder.end();
        }
        let begin = Instant::now();
        seal(&mut block, bytes);
        let sealed = begin.elapsed().as_nanos() as f64;
        let count = EVENTS as f64;
        println!(
            "{name}: {:.1} ns, {:.1} bytes; {:.2} ns for the checksum",
            best as f64 / count,
            bytes as f64 / count,
            sealed / count
        );
    }
}
