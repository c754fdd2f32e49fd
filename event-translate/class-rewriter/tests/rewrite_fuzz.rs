//! The rewriter against class files that no compiler made.
//!
//! Fixed seeds: a failure names one, and `XRUN_SEED` begins with it. Some seconds,
//! or some minutes with `XRUN_LONG=1`.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the exceptions for tests do not reach what a test calls"
)]

mod classes;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use class_rewriter::branches::Branches;
use class_rewriter::{ClassFile, Entry, Wish, rewrite};
use classes::{Class, HOOK_CLASS, assert_only_hooks_added};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Values at the edges of what fields hold.
const EDGES: [u8; 10] = [0, 1, 3, 0x7f, 0x80, 0xff, 0xfe, 0xab, 0xaa, 0xc4];

/// Mostly in a method's code: a VM looks no further than at what is malformed
/// outside of it.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let class = Class::read(bytes);
    let mut codes = class.methods.iter().filter_map(|m| m.code.as_ref());
    let count = codes.clone().count();
    let code = (count > 0)
        .then(|| codes.nth(random.below(count)))
        .flatten();
    let code = code.map_or(&bytes[..], |code| &code.bytes);
    let length = code.len();
    let start = bytes.windows(length).position(|part| part == code);
    let anywhere = random.below(4) == 0;
    for _ in 0..1 + random.below(4) {
        let at = match start {
            Some(start) if !anywhere => (start + random.below(length)).min(bytes.len() - 1),
            _ => random.below(bytes.len()),
        };
        match random.below(8) {
            0..3 => bytes[at] = random.next() as u8,
            3..5 => bytes[at] = EDGES[random.below(EDGES.len())],
            5 => bytes[at] ^= 1 << random.below(8),
            6 => {
                // Copies a piece over another.
                let length = random.below(8).min(bytes.len() - at);
                let from = random.below(bytes.len() - length + 1);
                bytes.copy_within(from..from + length, at);
            }
            _ if anywhere && random.below(8) == 0 => bytes.truncate(at.max(1)),
            _ if anywhere => bytes.insert(at, random.next() as u8),
            _ => bytes[at] = bytes[random.below(bytes.len())],
        }
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite/corpus");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "class")
        })
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Writes mutants that were rewritten to the file that `XRUN_MUTANTS` names, each
/// with what it was before, for a VM to compare: `Mutants.java`.
#[test]
fn mutants_for_a_vm() {
    let Some(file) = std::env::var_os("XRUN_MUTANTS") else {
        return;
    };
    let corpus = corpus();
    let mut out = Vec::new();
    for seed in 1..60_000_u64 {
        let mut random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1);
        let mut bytes = corpus[random.below(corpus.len())].clone();
        mutate(&mut bytes, &mut random);
        let wish = Wish {
            hook_class: HOOK_CLASS,
            entry: Entry::Receiver,
            exit: true,
            instructions: seed % 2 == 0,
            monitors: seed % 3 == 0,
            sleeps: true,
            parks: true,
        };
        let class = ClassFile::read(&bytes);
        let new = class.and_then(|class| rewrite(&class, &wish, 30_000, |_| true));
        if let Ok(Some(new)) = new.map(|result| result.bytes) {
            for bytes in [&bytes, &new] {
                out.extend((bytes.len() as u32).to_be_bytes());
                out.extend(bytes);
            }
        }
    }
    fs::write(file, out).unwrap();
}

/// Rewrites in all ways; the result must be the input with hooks.
fn try_all(bytes: &[u8]) -> usize {
    let Ok(class) = ClassFile::read(bytes) else {
        return 0;
    };
    let _ = Branches::of(&class);
    let mut hooked = 0;
    for (entry, exit, instructions) in [
        (Entry::Number, true, false),
        (Entry::Receiver, true, true),
        (Entry::Off, false, true),
    ] {
        let wish = Wish {
            hook_class: HOOK_CLASS,
            entry,
            exit,
            instructions,
            monitors: false,
            sleeps: false,
            parks: false,
        };
        let result = rewrite(&class, &wish, 30_000, |_| true).unwrap();
        hooked += result.hooked;
        // The comparison understands classes without nonsense only: where the
        // rewriter left out a method, it may stumble over that.
        if let Some(new) = result.bytes {
            ClassFile::read(&new).unwrap();
            if result.refused.is_empty() {
                assert_only_hooks_added(bytes, &new, 30_000);
            }
        }
    }
    hooked
}

#[test]
fn mutated_classes_are_refused_or_rewritten_but_never_broken() {
    let long = std::env::var_os("XRUN_LONG").is_some_and(|value| value == "1");
    let time = Duration::from_secs(if long { 300 } else { 4 });
    let start = Instant::now();
    let corpus = corpus();
    let first: u64 = std::env::var("XRUN_SEED").map_or(1, |seed| seed.parse().unwrap());
    let (mut read, mut hooked, mut seed) = (0_u64, 0, first - 1);
    while start.elapsed() < time {
        seed += 1;
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut bytes = corpus[random.below(corpus.len())].clone();
        mutate(&mut bytes, &mut random);
        let outcome = catch_unwind(AssertUnwindSafe(|| try_all(&bytes)));
        let count = outcome.unwrap_or_else(|_| panic!("seed {seed}"));
        read += u64::from(count > 0);
        hooked += count;
    }
    let tried = seed + 1 - first;
    println!("{tried} class files, {read} of them readable, {hooked} methods");
    assert!(read > tried / 20);
}

#[test]
fn no_length_is_fatal() {
    for bytes in corpus().into_iter().filter(|bytes| bytes.len() < 2000) {
        for length in 0..bytes.len() {
            assert_eq!(try_all(&bytes[..length]), 0);
        }
    }
}
