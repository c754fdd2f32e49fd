//! Values that JVMTI passes as words: of a `jvalue` only the bytes of its type count, references are
//! addresses of the moment, and tags of an agent often are.

use std::fmt::Write as _;

use recording_format::{Space, Value, What};

use crate::names::Names;

const FIELD_MODIFICATION: u8 = 64;
const METHOD_EXIT: u8 = 66;

/// The type of the word in a record, as the first letter of a signature; `None` if it has no such word,
/// or if nobody knows.
pub(crate) fn type_of(what: &What<'_>, names: &Names) -> Option<char> {
    let What::JvmtiEvent { number, values, .. } = what else {
        return None;
    };
    match *number {
        METHOD_EXIT => {
            let (method, thrown) = (values.first()?.id()?, values.get(1)?.int()?);
            if thrown != 0 {
                return Some('V');
            }
            let name = names.of(Space::Method, method)?;
            name.rsplit_once(')')?.1.chars().next()
        }
        FIELD_MODIFICATION => {
            let letter = values.get(5)?.int()?;
            char::from_u32(u32::try_from(letter).ok()?)
        }
        _ => None,
    }
}

/// Appends such a word: what of it is the same in each run.
pub(crate) fn put(text: &mut String, kind: Option<char>, word: i64) {
    let [first, second, third, fourth, ..] = word.to_le_bytes();
    let short = [first, second];
    let half = [first, second, third, fourth];
    let number = match kind {
        Some('J' | 'D') => word,
        Some('I' | 'F') => i32::from_le_bytes(half).into(),
        Some('S') => i16::from_le_bytes(short).into(),
        Some('C') => u16::from_le_bytes(short).into(),
        Some('B') => i8::from_le_bytes([first]).into(),
        Some('Z') => i64::from(first != 0),
        Some('L' | '[') if word == 0 => return text.push_str("NULL"),
        Some('L' | '[') => return text.push_str("object"),
        Some('V') => return text.push_str("none"),
        Some(_) | None => return text.push('?'),
    };
    let _ = write!(text, "{number}");
}

/// Appends a tag; one that must be an address as such.
pub(crate) fn put_tag(text: &mut String, tag: &Value<'_>) {
    const LOWEST: i64 = 1 << 32;
    const HIGHEST: i64 = 1 << 47;
    let Value::Int(tag) = tag else { return };
    if (LOWEST..HIGHEST).contains(tag) && tag % 8 == 0 {
        return text.push_str("address");
    }
    let _ = write!(text, "{tag}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bytes_of_the_type_count() {
        let shown = |kind, word| {
            let mut text = String::new();
            put(&mut text, kind, word);
            text
        };
        let word = 0x1234_5678_ffff_ffff;
        for (kind, says) in [
            (Some('I'), "-1"),
            (Some('S'), "-1"),
            (Some('C'), "65535"),
            (Some('B'), "-1"),
            (Some('Z'), "1"),
            (Some('J'), "1311768469162688511"),
            (Some('L'), "object"),
            (Some('['), "object"),
            (Some('V'), "none"),
            (None, "?"),
        ] {
            assert_eq!(shown(kind, word), says, "{kind:?}");
        }
        assert_eq!(shown(Some('L'), 0), "NULL");
    }

    #[test]
    fn tags_that_are_addresses() {
        let shown = |tag| {
            let mut text = String::new();
            put_tag(&mut text, &Value::Int(tag));
            text
        };
        assert_eq!(shown(0x7f12_3456_7890), "address");
        assert_eq!(shown(17), "17");
        assert_eq!(shown(-8), "-8");
    }
}
