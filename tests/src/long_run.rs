//! How much of a long run a test makes, and what it says of it: `tests/long.sh` runs the same tests as
//! `./check` with larger amounts, in pieces.

use std::fs::File;
use std::io::Write as _;
use std::ops::Range;

use recording_format::{BLOCK_HEAD, HEADER_LEN, PAGE, checksum};

use crate::jdk::Jdk;
use crate::run::{Running, Wait};

/// How much is wanted (`XRUN_AMOUNT`); `short` in `./check`.
pub fn amount(short: u64) -> u64 {
    number("XRUN_AMOUNT").unwrap_or(short)
}

/// Where chances begin (`XRUN_SEED`), so that a piece tries what those before have not.
pub fn seed() -> u64 {
    number("XRUN_SEED").unwrap_or(1)
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name}={text}: no number")))
}

/// Says what was done and seen, in the file that `XRUN_TOLD` names.
///
/// # Panics
/// If it cannot be written.
pub fn tell(jdk: Option<&Jdk>, done: u64, seen: &str) {
    let Some(path) = std::env::var_os("XRUN_TOLD") else {
        return;
    };
    let jdk = jdk.map_or("-".to_owned(), |jdk| jdk.major.to_string());
    let file = File::options().create(true).append(true).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{jdk}\t{done}\t{seen}"));
    written.expect("XRUN_TOLD can be written");
}

/// The memory of its own that a program has, in MB, looked at twice a second to its end: each quarter's mean. (The heap
/// of some collectors is memory of a file, which is mapped in several places and counted in each.)
///
/// # Panics
/// If it hangs.
pub fn resident(running: &mut Running) -> [u64; 4] {
    let mut seen = Vec::new();
    let mut wait = Wait::begins();
    while !running.has_ended() {
        let resident = running.status("RssAnon");
        let kb = resident.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        seen.extend(kb);
        running.assert_in_time(&mut wait, "still running");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    quarters(&seen).map(|kb| kb >> 10)
}

fn quarters(seen: &[u64]) -> [u64; 4] {
    [0, 1, 2, 3].map(|at| {
        let part = &seen[seen.len() * at / 4..seen.len() * (at + 1) / 4];
        part.iter().sum::<u64>() / (part.len().max(1) as u64)
    })
}

/// Numbers by chance that are the same again for the same seed.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Those of a seed; of its neighbour they are quite others.
    pub fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next one.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// One below this.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.any() >> 11) % end.max(1) as u64) as usize
    }

    /// One of these.
    ///
    /// # Panics
    /// If there are none.
    pub fn of_these<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Some bytes, or pieces of them, become others; at times it is cut off.
    pub fn spoil(&mut self, bytes: &mut Vec<u8>) {
        const EDGES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'"', b'\n', b'9'];
        for _ in 0..1 + self.below(6) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(10) {
                0..3 => bytes[at] = self.any() as u8,
                3..5 => bytes[at] = *self.of_these(&EDGES),
                5 => bytes[at] ^= 1 << self.below(8),
                6 => {
                    let length = self.below(16).min(bytes.len() - at);
                    let from = self.below(bytes.len() - length + 1);
                    bytes.copy_within(from..from + length, at);
                }
                7 => {
                    let length = self.below(40).min(bytes.len() - at);
                    let copy = bytes[at..at + length].to_vec();
                    let to = self.below(bytes.len() + 1);
                    bytes.splice(to..to, copy);
                }
                8 => {
                    let length = self.below(40).min(bytes.len() - at);
                    bytes.drain(at..at + length);
                }
                _ if self.below(4) == 0 => bytes.truncate(at),
                _ => bytes.insert(at, *self.of_these(&EDGES)),
            }
        }
    }
}

/// Spoils one block of a recording and puts the checksums right: without that the block is dropped as a whole, and what
/// decodes it never sees it. `fuzz/fuzz_targets/recordings.rs` does the same.
pub fn spoil_block(random: &mut Random, file: &mut Vec<u8>) {
    let blocks: Vec<_> = blocks(file).collect();
    if blocks.is_empty() {
        return random.spoil(file);
    }
    let at = *random.of_these(&blocks);
    // Not what says where it begins and ends: that is spoilt where nothing is put right.
    let records = records(file, at).unwrap_or(at + BLOCK_HEAD..file.len());
    let length = records.len();
    let mut bytes = file[records.clone()].to_vec();
    random.spoil(&mut bytes);
    bytes.resize(length, 0);
    file[records].copy_from_slice(&bytes);
    for at in blocks {
        mend(file, at);
    }
}

/// Where the blocks of a recording begin.
fn blocks(file: &[u8]) -> impl Iterator<Item = usize> {
    let places = (HEADER_LEN..file.len()).step_by(PAGE);
    places.filter(|at| file[*at..].starts_with(b"xr") && file.len() >= at + BLOCK_HEAD)
}

/// Where the records of a block are that is not open: an open one says 0.
fn records(file: &[u8], at: usize) -> Option<Range<usize>> {
    let length = file.get(at + 8..at + 12)?.try_into().ok()?;
    let length = u32::from_le_bytes(length) as usize;
    let range = at + BLOCK_HEAD..at + BLOCK_HEAD + length;
    (length > 0 && range.end <= file.len()).then_some(range)
}

fn mend(file: &mut [u8], at: usize) {
    let put = |file: &mut [u8], at: usize, sum: u64| {
        file[at..at + 8].copy_from_slice(&sum.to_le_bytes());
    };
    if let Some(records) = records(file, at) {
        let sum = checksum(&file[records]);
        put(file, at + 16, sum);
    }
    let end = at + BLOCK_HEAD - 8;
    let mut head = file[at..end].to_vec();
    head[8..24].fill(0);
    put(file, end, checksum(&head));
}

#[cfg(test)]
mod tests {
    use recording_format::Recording;

    use super::{Random, quarters, spoil_block};
    use crate::workspace;

    #[test]
    fn quarters_are_means() {
        assert_eq!(quarters(&[1, 3, 10, 10, 20, 22, 7, 9]), [2, 10, 21, 8]);
        assert_eq!(quarters(&[]), [0; 4]);
    }

    #[test]
    fn the_same_seed_spoils_the_same() {
        let spoilt = |seed| {
            let mut bytes = b"as it was before".repeat(20);
            Random::of(seed).spoil(&mut bytes);
            bytes
        };
        for seed in 1..100 {
            assert_eq!(spoilt(seed), spoilt(seed));
        }
        assert_ne!(spoilt(1), spoilt(2));
    }

    /// Nothing is dropped unseen, and something is another thing than it was.
    #[test]
    fn spoilt_blocks_are_decoded() {
        let says = |file: &[u8]| {
            let recording = Recording::read(file).expect("its header is as it was");
            let items = recording.items().map(|item| format!("{:?}", item.what));
            let items: Vec<_> = items.collect();
            (items, recording.problems().to_vec())
        };
        for format in ["format4", "format5"] {
            let path = workspace().join(format!("tests/recordings/{format}.rec"));
            let good = std::fs::read(path).unwrap();
            let was = says(&good);
            let mut others = 0;
            for seed in 1..60 {
                let mut file = good.clone();
                spoil_block(&mut Random::of(seed), &mut file);
                assert_eq!(file.len(), good.len());
                let is = says(&file);
                let dropped = is.1.iter().find(|problem| problem.ends_with("is damaged"));
                assert_eq!(dropped, None, "{format} {seed}");
                others += usize::from(is != was);
            }
            assert!(others > 30, "{format}: {others} of 59");
        }
    }
}
