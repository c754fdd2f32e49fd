//! Command-line text that need not be UTF-8.
//!
//! Options of the period are often Latin-1, and an agent must get them byte for
//! byte. Between reading and handing over they are ordinary strings here, in which
//! each stray byte stands as a character of Unicode's private use area.

/// Where the stand-ins for the bytes 0x00 to 0xFF begin.
const STAND_IN: u32 = 0xF_FF00 - 0x100;

/// The text for these bytes.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut buffer = [0; 4];
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match stray(character) {
                None => text.push(character),
                // Somebody's own: it would be read as the byte.
                Some(_) => text.extend(stand_ins(character.encode_utf8(&mut buffer).as_bytes())),
            }
        }
        text.extend(stand_ins(chunk.invalid()));
    }
    text
}

fn stand_ins(bytes: &[u8]) -> impl Iterator<Item = char> {
    bytes
        .iter()
        .filter_map(|&byte| char::from_u32(STAND_IN + u32::from(byte)))
}

/// The byte that this stands for.
fn stray(character: char) -> Option<u8> {
    let byte = u32::from(character).checked_sub(STAND_IN)?;
    u8::try_from(byte).ok()
}

/// The bytes that this text was read from.
#[must_use]
pub fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut buffer = [0; 4];
    for character in text.chars() {
        match stray(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn whatever_comes_in_goes_out() {
        let all: Vec<u8> = (1..=255).collect();
        for bytes in [
            &b"plain"[..],
            "h\u{e9} \u{4e2d}".as_bytes(),
            b"caf\xe9,x",
            b"\xff\xfe",
            "own \u{ffe00} \u{ffeff} \u{fff00}".as_bytes(),
            &all,
            b"",
        ] {
            assert_eq!(encode(&decode(bytes)), bytes);
        }
        assert_eq!(decode(b"caf\xc3\xa9"), "caf\u{e9}");
        // Recordings have it, too.
        assert_eq!(decode(b"caf\xe9"), "caf\u{ffee9}");
    }
}
