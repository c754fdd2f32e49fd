//! The VM's performance memory: where its counters lie.
//!
//! Format 2.0 in the machine's byte order, as `jdk.internal.jvmstat` reads it: a
//! header of 32 bytes (magic, byte order, version, accessible, used, overflow, time
//! stamp, offset and number of entries), then entries of their own length, each with
//! the offsets of its name and data.

/// Names of all counters of type long with the offsets of their values, aligned to 8.
/// Nothing from memory that is no such file.
#[must_use]
pub fn long_counters(memory: &[u8]) -> Vec<(String, usize)> {
    const LONG: u8 = b'J';
    let longs = entries(memory)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| {
            let inside = entry
                .data
                .checked_add(8)
                .is_some_and(|end| end <= memory.len());
            entry.kind == LONG && entry.vector == 0 && entry.data % 8 == 0 && inside
        });
    longs.map(|entry| (entry.name, entry.data)).collect()
}

/// Names and values of all counters that are texts.
#[must_use]
pub fn texts(memory: &[u8]) -> Vec<(String, String)> {
    const BYTE: u8 = b'B';
    let texts = entries(memory).unwrap_or_default().into_iter();
    texts
        .filter(|entry| entry.kind == BYTE && entry.vector > 0)
        .filter_map(|entry| {
            let bytes = memory.get(entry.data..entry.data.checked_add(entry.vector)?)?;
            let text = bytes.split(|&byte| byte == 0).next()?;
            Some((entry.name, String::from_utf8_lossy(text).into_owned()))
        })
        .collect()
}

struct Entry {
    name: String,
    kind: u8,
    /// How many values it has; 0: one, and no vector.
    vector: usize,
    /// Where they begin.
    data: usize,
}

fn entries(memory: &[u8]) -> Option<Vec<Entry>> {
    const MAGIC: [u8; 4] = [0xCA, 0xFE, 0xC0, 0xC0];
    if memory.get(..4)? != MAGIC || memory.get(5)? != &2 {
        return None;
    }
    let mut at = word(memory, 24)?;
    let mut found = Vec::new();
    for _ in 0..word(memory, 28)? {
        let length = word(memory, at)?;
        let name = at + word(memory, at + 4)?;
        let text = memory.get(name..)?.split(|&byte| byte == 0).next()?;
        found.push(Entry {
            name: String::from_utf8_lossy(text).into_owned(),
            kind: *memory.get(at + 12)?,
            vector: word(memory, at + 8)?,
            data: at + word(memory, at + 16)?,
        });
        if length == 0 {
            return None;
        }
        at = at.checked_add(length)?;
    }
    Some(found)
}

fn word(memory: &[u8], at: usize) -> Option<usize> {
    let bytes = memory.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_ne_bytes(bytes.try_into().ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::{long_counters, texts};

    fn sample() -> Vec<u8> {
        let mut memory = vec![0xCA, 0xFE, 0xC0, 0xC0, 1, 2, 0, 1];
        memory.resize(24, 0);
        memory.extend(32u32.to_ne_bytes());
        memory.extend(1u32.to_ne_bytes());
        for word in [40u32, 20, 0] {
            memory.extend(word.to_ne_bytes());
        }
        memory.extend([b'J', 0, 0, 0]);
        memory.extend(32u32.to_ne_bytes());
        memory.extend(b"a.b.used\0\0\0\0");
        memory.extend(77u64.to_ne_bytes());
        memory
    }

    #[test]
    fn a_counter_is_found() {
        assert_eq!(long_counters(&sample()), [("a.b.used".to_owned(), 64)]);
    }

    #[test]
    fn a_text_is_found() {
        let mut memory = sample();
        let at = memory.iter().position(|&byte| byte == b'J').unwrap();
        memory[at] = b'B';
        memory[at - 4..at].copy_from_slice(&8u32.to_ne_bytes());
        assert_eq!(texts(&memory), [("a.b.used".to_owned(), "M".to_owned())]);
        assert!(long_counters(&memory).is_empty());
        let several = memory.clone();
        memory[at - 4..at].copy_from_slice(&0u32.to_ne_bytes());
        assert!(texts(&memory).is_empty(), "a byte");
        memory = several;
        memory[at] = b'J';
        assert!(texts(&memory).is_empty(), "several numbers");
        memory[at] = b'B';
        memory[at - 4..at].copy_from_slice(&9u32.to_ne_bytes());
        assert!(texts(&memory).is_empty(), "cut off");
    }

    #[test]
    fn nonsense_has_no_counters() {
        let sample = sample();
        for cut in 0..sample.len() {
            assert!(long_counters(&sample[..cut]).is_empty(), "{cut}");
        }
        for at in 0..sample.len() {
            let mut broken = sample.clone();
            broken[at] ^= 0xFF;
            // Anything but a panic.
            let _ = (long_counters(&broken), texts(&broken));
        }
    }
}
