//! A record as it is compared with that of another run: names in place of ids.

use std::fmt::Write as _;

use recording_format::{Field, Type, Value, What, checksum};

use crate::names::Names;
use crate::text::put_event;

pub(crate) fn describe(text: &mut String, what: &What<'_>, names: &Names) {
    let _ = write!(text, "{}", what.subject());
    let (fields, values) = what.values();
    put_row(text, fields, values, names);
    // One that gives nothing back is the same whether something was recorded in it or not.
    if let Some((fields, values)) = what.results().filter(|(fields, _)| !fields.is_empty()) {
        text.push_str(" ->");
        put_row(text, fields, values, names);
    }
}

fn put_row(text: &mut String, fields: &[Field], values: &[Value<'_>], names: &Names) {
    for (field, value) in fields.iter().zip(values) {
        let _ = write!(text, " {}=", field.name);
        match (value, field.kind) {
            (Value::Id(0), _) => text.push_str("NULL"),
            (Value::Id(id), Type::Id(space)) => match names.of(space, *id) {
                Some(name) => put_scrubbed(text, name),
                None => text.push_str(space.word()),
            },
            (Value::Text(None), _) => text.push_str("NULL"),
            (Value::Text(Some(bytes)), _) => put_scrubbed(text, &String::from_utf8_lossy(bytes)),
            (Value::Bytes(bytes), _) => {
                let _ = write!(text, "<{:016x}>", checksum(bytes));
            }
            (Value::List(rows), Type::List(fields)) => {
                // JVMTI gives methods and fields in no order.
                let mut lines: Vec<String> = Vec::new();
                for row in rows {
                    let mut line = String::new();
                    put_row(&mut line, fields, row, names);
                    lines.push(line);
                }
                lines.sort_unstable();
                let _ = write!(text, "[{}]", lines.join(","));
            }
            (Value::Int(number), kind @ (Type::Event | Type::JvmtiEvent)) => {
                let _ = put_event(text, kind, *number);
            }
            (Value::Int(number), _) => {
                let _ = write!(text, "{number}");
            }
            (Value::Id(_) | Value::List(_), _) => {}
        }
    }
}

/// A name without what the VM puts into the names of classes that it makes: addresses and counts.
#[must_use]
pub fn scrubbed(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    put_scrubbed(&mut text, name);
    text
}

fn put_scrubbed(text: &mut String, name: &str) {
    const LAMBDA: &str = "$$Lambda";
    let mut rest = name;
    if let Some((before, after)) = rest.split_once(LAMBDA) {
        // `$$Lambda$14/0x00007f…`, and whatever follows.
        text.push_str(before);
        text.push_str(LAMBDA);
        let is_number = |c: char| c.is_ascii_hexdigit() || matches!(c, '$' | '/' | 'x');
        let rest_of_signature = after.trim_start_matches(is_number);
        rest = match rest_of_signature.strip_prefix(".0x") {
            Some(address) => address.trim_start_matches(|c: char| c.is_ascii_hexdigit()),
            None => rest_of_signature,
        };
    }
    while let Some((before, after)) = rest.split_once("0x") {
        // What JVMPI's names have as `/0x`, signatures have as `.0x`.
        text.push_str(before.strip_suffix('.').unwrap_or(before));
        if before.ends_with('.') {
            text.push('/');
        }
        text.push_str("0x");
        rest = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    text.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_vm_makes_are_the_same_each_time() {
        assert_eq!(scrubbed("A$$Lambda$14/0x00007f12"), "A$$Lambda");
        assert_eq!(scrubbed("A$$Lambda/0x00007f13.run()V"), "A$$Lambda.run()V");
        assert_eq!(scrubbed("LambdaForm$MH/0x12ab"), "LambdaForm$MH/0x");
        assert_eq!(scrubbed("com.acme.Main"), "com.acme.Main");
        assert_eq!(scrubbed("A$$Lambda$14.0x00007f12"), "A$$Lambda");
        assert_eq!(scrubbed("A$$Lambda.0x7f13.run()V"), "A$$Lambda.run()V");
        assert_eq!(scrubbed("LambdaForm$MH.0x12ab"), "LambdaForm$MH/0x");
    }
}
