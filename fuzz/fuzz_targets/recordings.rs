//! Recordings: what can be read is, and shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recording_format::{BLOCK_HEAD, HEADER_LEN, PAGE, Recording, checksum};
use trace_views::{Names, json, line, stats, stats_json};

/// How much is shown of one that says it has more.
const MOST: usize = 20_000;

/// Puts the checksums right: what is behind them is of interest.
fn mend(file: &mut [u8]) {
    let put = |file: &mut [u8], at: usize, sum: u64| {
        if let Some(place) = file.get_mut(at..at + 8) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
    };
    let word = |file: &[u8], at: usize| {
        let bytes = file.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes) as usize)
    };
    // Magic, version, length, checksum, and what it is of.
    if let Some(body) = word(file, 20).and_then(|len| file.get(32..32 + len)) {
        put(file, 24, checksum(body));
    }
    for at in (HEADER_LEN..file.len()).step_by(PAGE) {
        if !file[at..].starts_with(b"xr") || file.len() < at + BLOCK_HEAD {
            continue;
        }
        // An open one says 0.
        let len = word(file, at + 8).unwrap_or(0);
        let records = file.get(at + BLOCK_HEAD..at + BLOCK_HEAD + len);
        if let Some(records) = records.filter(|_| len > 0) {
            put(file, at + 16, checksum(records));
        }
        let mut head = file[at..at + BLOCK_HEAD - 8].to_vec();
        head[8..24].fill(0);
        put(file, at + BLOCK_HEAD - 8, checksum(&head));
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&which, bytes)) = data.split_last() else {
        return;
    };
    let mut file = bytes.to_vec();
    if which & 1 == 0 {
        mend(&mut file);
    }
    let Ok(recording) = Recording::read(&file) else {
        return;
    };
    let mut names = Names::default();
    let mut count = 0;
    for item in recording.items().take(MOST) {
        names.learn(&item.what);
        let _ = (line(&item, 0), json(&item, 1));
        count += 1;
    }
    if count < MOST {
        let _ = (stats(&recording), stats_json(&recording));
    }
    for thread in recording.threads() {
        let _ = recording.records(thread.number).take(MOST).count();
    }
    let _ = recording.problems();
});
