//! The VM's strings: modified UTF-8.

use terminal_text::modified_utf8;
use terminal_text::printable::is_printable;

/// As a Rust string; what is no text becomes U+FFFD, what is not shown but obeyed `?`, so
/// that a line of output stays one line and a terminal shows what is there.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let mut text = modified_utf8::text(bytes).into_owned();
    let is_obeyed = |c: char| !is_printable(c);
    if text.contains(is_obeyed) {
        text = text.replace(is_obeyed, "?");
    }
    text
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
