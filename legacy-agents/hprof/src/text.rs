//! The VM's strings: modified UTF-8, kept as they are; and how they are shown.

use std::borrow::Cow;

use terminal_text::modified_utf8;
use terminal_text::printable::is_printable;

/// As a Rust string; what is no text becomes U+FFFD. Obfuscated classes may differ in nothing but letters that are
/// not shown: names are told apart by this.
pub(crate) fn decode(bytes: &[u8]) -> String {
    modified_utf8::text(bytes).into_owned()
}

/// For text: what is not shown but obeyed is `?`, so that a line of output stays one line and a terminal shows what is
/// there.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| !is_printable(c);
    if name.contains(is_obeyed) {
        Cow::Owned(name.replace(is_obeyed, "?"))
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modified_utf_8() {
        assert_eq!(decode(b"java.lang.String"), "java.lang.String");
        assert_eq!(decode("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
        assert_eq!(decode(b"\xed\xa0\xbd\xed\xb8\x80"), "\u{1f600}");
        assert_eq!(decode(b"a\xc0\x80b\nc"), "a\0b\nc");
        assert_eq!(decode(b"\xff"), "\u{fffd}");
    }

    #[test]
    fn what_is_obeyed_is_not_shown() {
        assert_eq!(shown("gr\u{fc}n \u{1f600}"), "gr\u{fc}n \u{1f600}");
        assert_eq!(shown("a\0b\nc"), "a?b?c");
        assert_eq!(shown("\u{202e}a\u{9b}b"), "?a?b");
    }
}
