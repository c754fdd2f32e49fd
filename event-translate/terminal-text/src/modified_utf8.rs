//! The VM's strings, modified UTF-8 (JVMS §4.4.7): characters beyond the first 65 536 are two surrogates of three bytes
//! each, U+0000 is two bytes.

use std::borrow::Cow;

/// As a Rust string. UTF-8 stays what it is, for not all that is shown comes from the VM; what is neither becomes U+FFFD.
#[must_use]
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(from_modified(bytes)),
    }
}

fn from_modified(bytes: &[u8]) -> String {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let goes_on = |byte: u8| byte & 0xc0 == 0x80;
    loop {
        let (unit, length) = match *rest {
            [] => break,
            [a, ..] if a < 0x80 => (u16::from(a), 1),
            [a, b, ..] if a & 0xe0 == 0xc0 && goes_on(b) => {
                (u16::from(a & 0x1f) << 6 | u16::from(b & 0x3f), 2)
            }
            [a, b, c, ..] if a & 0xf0 == 0xe0 && goes_on(b) && goes_on(c) => {
                let high = u16::from(a & 0x0f) << 12 | u16::from(b & 0x3f) << 6;
                (high | u16::from(c & 0x3f), 3)
            }
            // UTF-8's own four bytes, beside something that is neither.
            [a, b, c, d, ..] if a & 0xf8 == 0xf0 && [b, c, d].into_iter().all(goes_on) => {
                let bits = [(a & 0x07, 18), (b & 0x3f, 12), (c & 0x3f, 6), (d & 0x3f, 0)];
                let code = bits
                    .iter()
                    .fold(0, |all, &(bits, by)| all | u32::from(bits) << by);
                let letter = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                units.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
                rest = rest.get(4..).unwrap_or_default();
                continue;
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
    use super::text;

    #[test]
    fn the_vms_and_others_are_read() {
        assert_eq!(text(b"java.lang.String"), "java.lang.String");
        assert_eq!(text("grün \u{1f600}".as_bytes()), "grün \u{1f600}");
        assert_eq!(text(b"\xed\xa0\xbd\xed\xb8\x80"), "\u{1f600}");
        assert_eq!(text(b"a\xc0\x80b"), "a\0b");
        // A surrogate alone is no character.
        assert_eq!(text(b"a\xed\xa0\xbdb"), "a\u{fffd}b");
    }

    #[test]
    fn what_is_neither_swallows_nothing() {
        assert_eq!(text(b"\xff"), "\u{fffd}");
        assert_eq!(text(b"\xf0\x9f\x98\x80\xff"), "\u{1f600}\u{fffd}");
        assert_eq!(text(b"\xe9(a)"), "\u{fffd}(a)");
        assert_eq!(text(b"a\xc3"), "a\u{fffd}");
    }
}
