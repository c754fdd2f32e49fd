//! The VM's strings: modified UTF-8.

use terminal_text::printable::is_printable;

/// As a Rust string; what is no text becomes U+FFFD, what is not shown but obeyed `?`, so
/// that a line of output stays one line and a terminal shows what is there.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let mut text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => from_modified(bytes),
    };
    let is_obeyed = |c: char| !is_printable(c);
    if text.contains(is_obeyed) {
        text = text.replace(is_obeyed, "?");
    }
    text
}

/// Characters beyond the first 65 536 are two surrogates of three bytes each, U+0000 is
/// two bytes.
fn from_modified(bytes: &[u8]) -> String {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let (unit, length) = match *rest {
            [] => break,
            [a, ..] if a < 0x80 => (u16::from(a), 1),
            [a, b, ..] if a & 0xe0 == 0xc0 => (u16::from(a & 0x1f) << 6 | u16::from(b & 0x3f), 2),
            [a, b, c, ..] if a & 0xf0 == 0xe0 => {
                let high = u16::from(a & 0x0f) << 12 | u16::from(b & 0x3f) << 6;
                (high | u16::from(c & 0x3f), 3)
            }
            _ => (0xfffd, 1),
        };
        units.push(unit);
        rest = rest.get(length..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn modified_utf_8() {
        assert_eq!(decode(b"java.lang.String"), "java.lang.String");
        assert_eq!(decode("grün".as_bytes()), "grün");
        assert_eq!(decode(b"\xed\xa0\xbd\xed\xb8\x80"), "\u{1f600}");
        assert_eq!(decode(b"a\xc0\x80b\nc"), "a?b?c");
        assert_eq!(decode("\u{202e}a\u{9b}b".as_bytes()), "?a?b");
        assert_eq!(decode(b"\xff"), "\u{fffd}");
    }
}
