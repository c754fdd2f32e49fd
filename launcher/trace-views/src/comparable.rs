//! A record as it is compared with that of another run: names in place of ids.

use std::fmt::Write as _;

use recording_format::{Field, Space, Type, Value, What, checksum};
use terminal_text::modified_utf8;

use crate::jvalue;
use crate::names::Names;
use crate::scrubbed::put_scrubbed;
use crate::text::put_event;

pub(crate) fn describe(text: &mut String, what: &What<'_>, names: &Names) {
    let _ = write!(text, "{}", what.subject());
    let (fields, values) = what.values();
    let word = jvalue::type_of(what, names);
    put_row(text, fields, values, (names, word));
    // One that gives nothing back is the same whether something was recorded in it or not.
    if let Some((fields, values)) = what.results().filter(|(fields, _)| !fields.is_empty()) {
        text.push_str(" ->");
        put_row(text, fields, values, (names, None));
    }
}

/// `word` is of which type the one is that may be anything.
fn put_row(
    text: &mut String,
    fields: &[Field],
    values: &[Value<'_>],
    (names, word): (&Names, Option<char>),
) {
    for (field, value) in fields.iter().zip(values) {
        let _ = write!(text, " {}=", field.name);
        match (value, field.kind) {
            (Value::Id(0), _) => text.push_str("NULL"),
            (Value::Id(id), Type::Id(space)) => match names.of(space, *id) {
                // Names of threads are as the program gave them.
                Some(name) if space == Space::Env => put_scrubbed(text, name),
                Some(name) => text.push_str(name),
                None => text.push_str(space.word()),
            },
            (Value::Text(None), _) => text.push_str("NULL"),
            (Value::Text(Some(bytes)), _) => put_scrubbed(text, &modified_utf8::text(bytes)),
            (Value::Bytes(bytes), _) => {
                let _ = write!(text, "<{:016x}>", checksum(bytes));
            }
            (Value::List(rows), Type::List(fields)) => {
                // JVMTI gives methods and fields in no order.
                let mut lines: Vec<String> = Vec::new();
                for row in rows {
                    let mut line = String::new();
                    put_row(&mut line, fields, row, (names, None));
                    lines.push(line);
                }
                lines.sort_unstable();
                let _ = write!(text, "[{}]", lines.join(","));
            }
            (Value::Int(number), kind @ (Type::Event | Type::JvmtiEvent)) => {
                let _ = put_event(text, kind, *number);
            }
            (Value::Int(number), _) if matches!(field.name, "return_value" | "new_value") => {
                jvalue::put(text, word, *number);
            }
            (tag, Type::Int) if field.name == "tag" => jvalue::put_tag(text, tag),
            (Value::Int(number), _) => {
                let _ = write!(text, "{number}");
            }
            (Value::Id(_) | Value::List(_), _) => {}
        }
    }
}
