//! The fields of a message, which are all that is known of it.

/// A field: its number, all its bytes, and its body if it is a text or a message.
type Field<'a> = (u64, &'a [u8], &'a [u8]);

/// What a message has without those of this number; `None` if it is none.
pub(super) fn without(message: &[u8], number: u64) -> Option<Vec<u8>> {
    let mut rest = message;
    let mut others = Vec::new();
    while !rest.is_empty() {
        let (known, whole, _) = next(&mut rest)?;
        if known != number {
            others.extend_from_slice(whole);
        }
    }
    Some(others)
}

/// The bodies of those of this number.
pub(super) fn bodies(message: &[u8], number: u64) -> impl Iterator<Item = &[u8]> {
    let mut rest = message;
    let fields = std::iter::from_fn(move || next(&mut rest));
    fields
        .filter(move |(known, _, _)| *known == number)
        .map(|(_, _, body)| body)
}

fn next<'a>(rest: &mut &'a [u8]) -> Option<Field<'a>> {
    let begin = *rest;
    let key = varint(rest)?;
    let body = match key & 7 {
        0 => varint(rest).map(|_| &[][..])?,
        1 => take(rest, 8)?,
        2 => {
            let length = varint(rest)?;
            take(rest, usize::try_from(length).ok()?)?
        }
        5 => take(rest, 4)?,
        _ => return None,
    };
    let (whole, _) = begin.split_at_checked(begin.len() - rest.len())?;
    Some((key >> 3, whole, body))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    rest.split_off(..count)
}

/// Seven bits a byte, the lowest first; all but the last have the eighth.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = rest.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
