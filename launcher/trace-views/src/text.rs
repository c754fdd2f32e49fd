//! Records as lines of text and as JSON. Both are for programs, too: a change of either
//! is a change of the interface.

use std::fmt::{self, Write};

use recording_format::{Field, Item, Subject, Type, Value, What, checksum};
use terminal_text::modified_utf8;
use terminal_text::printable::is_printable;

/// One line for a record: seconds, thread, and what it says, indented by how deep it
/// lies in others of its thread.
#[must_use]
pub fn line(item: &Item<'_>, depth: usize) -> String {
    let mut text = format!(
        "{}.{:09} t{} {:indent$}",
        item.nanos / 1_000_000_000,
        item.nanos % 1_000_000_000,
        item.thread,
        "",
        indent = depth * 2
    );
    // Writing to a String does not fail.
    let _ = describe(&mut text, &item.what);
    text
}

fn describe(text: &mut String, what: &What<'_>) -> fmt::Result {
    let (fields, values) = what.values();
    match what {
        What::Event { requested, env, .. } => {
            write!(text, "{} env={env:x}", what.subject())?;
            if *requested {
                text.push_str(" requested");
            }
        }
        What::Call { .. } | What::Run { .. } => write!(text, "call {}", what.subject())?,
        What::JvmtiEvent {
            environment, env, ..
        } => write!(
            text,
            "{} environment={environment} env={env:x}",
            what.subject()
        )?,
        What::JvmtiCall { environment, .. } => {
            write!(text, "call {} environment={environment}", what.subject())?;
        }
        What::Defined { .. } => write!(text, "defined {}", what.subject())?,
        What::Unsent { .. } => write!(text, "{} (not enabled)", what.subject())?,
        What::Leave { .. } => write!(text, "end {}", what.subject())?,
    }
    put_fields(text, fields, values)?;
    if let Some((fields, values)) = what.results() {
        if !fields.is_empty() && !matches!(what, What::Leave { .. }) {
            text.push_str(" ->");
        }
        put_fields(text, fields, values)?;
    } else if what.is_open() {
        text.push_str(" ...");
    }
    Ok(())
}

fn put_fields(text: &mut String, fields: &[Field], values: &[Value<'_>]) -> fmt::Result {
    for (field, value) in fields.iter().zip(values) {
        write!(text, " {}=", field.name)?;
        put_value(text, field.kind, value)?;
    }
    Ok(())
}

fn is_event(kind: Type) -> bool {
    matches!(kind, Type::Event | Type::JvmtiEvent)
}

/// An event by its name.
pub(crate) fn put_event(text: &mut String, kind: Type, number: i64) -> fmt::Result {
    let event = if kind == Type::JvmtiEvent {
        Subject::JvmtiEvent(u8::try_from(number).unwrap_or(0))
    } else {
        Subject::Event(i32::try_from(number).unwrap_or(0))
    };
    write!(text, "{event}")
}

fn put_value(text: &mut String, kind: Type, value: &Value<'_>) -> fmt::Result {
    match value {
        Value::Int(number) if is_event(kind) => put_event(text, kind, *number),
        Value::Int(number) => write!(text, "{number}"),
        Value::Id(id) => write!(text, "{id:x}"),
        Value::Text(None) => text.write_str("NULL"),
        Value::Text(Some(bytes)) => put_quoted(text, bytes),
        Value::Bytes(bytes) => write!(text, "<{} bytes {:016x}>", bytes.len(), checksum(bytes)),
        Value::List(rows) => {
            let Type::List(fields) = kind else {
                return Ok(());
            };
            text.push('[');
            for (place, row) in rows.iter().enumerate() {
                if place > 0 {
                    text.push_str(", ");
                }
                for (place, (field, value)) in fields.iter().zip(row).enumerate() {
                    if place > 0 {
                        text.push(' ');
                    }
                    put_value(text, field.kind, value)?;
                }
            }
            text.push(']');
            Ok(())
        }
    }
}

/// A text as JSON has it, with its quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    // A String takes everything.
    let _ = put_quoted(&mut quoted, text.as_bytes());
    quoted
}

/// As in JSON; bytes that are neither UTF-8 nor a string of the VM's are replaced.
pub(crate) fn put_quoted(text: &mut String, bytes: &[u8]) -> fmt::Result {
    text.push('"');
    for character in modified_utf8::text(bytes).chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            c if !is_printable(c) => put_escape(text, c)?,
            c => text.push(c),
        }
    }
    text.push('"');
    Ok(())
}

/// By its number, as in JSON: in two parts if it has more than four digits.
fn put_escape(text: &mut String, character: char) -> fmt::Result {
    for unit in character.encode_utf16(&mut [0; 2]) {
        write!(text, "\\u{unit:04x}")?;
    }
    Ok(())
}

/// One line of JSON for a record. Ids are strings of hexadecimal digits, for they may be
/// larger than numbers of JSON.
#[must_use]
pub fn json(item: &Item<'_>, depth: usize) -> String {
    let mut text = format!(
        "{{\"nanos\":{},\"thread\":{},\"depth\":{depth}",
        item.nanos, item.thread
    );
    let _ = describe_json(&mut text, &item.what);
    text.push('}');
    text
}

fn describe_json(text: &mut String, what: &What<'_>) -> fmt::Result {
    let word = match what {
        What::Event { .. } | What::JvmtiEvent { .. } => "event",
        What::Call { .. } | What::JvmtiCall { .. } => "call",
        What::Run { .. } => "run",
        What::Unsent { .. } => "unsent",
        What::Leave { .. } => "end",
        What::Defined { .. } => "defined",
    };
    write!(text, ",\"{word}\":\"{}\"", what.subject())?;
    if let What::Event { requested, env, .. } = what {
        write!(text, ",\"env\":\"{env:x}\",\"requested\":{requested}")?;
    }
    if let What::JvmtiEvent { environment, .. } | What::JvmtiCall { environment, .. } = what {
        write!(text, ",\"environment\":{environment}")?;
    }
    if let What::JvmtiEvent { env, .. } = what {
        write!(text, ",\"env\":\"{env:x}\"")?;
    }
    let (fields, values) = what.values();
    json_fields(text, "values", fields, values)?;
    if let Some((fields, values)) = what.results() {
        json_fields(text, "results", fields, values)?;
    } else if what.is_open() {
        text.push_str(",\"open\":true");
    }
    Ok(())
}

fn json_fields(
    text: &mut String,
    name: &str,
    fields: &[Field],
    values: &[Value<'_>],
) -> fmt::Result {
    if !fields.is_empty() {
        write!(text, ",\"{name}\":")?;
        json_row(text, fields, values)?;
    }
    Ok(())
}

fn json_row(text: &mut String, fields: &[Field], values: &[Value<'_>]) -> fmt::Result {
    text.push('{');
    for (place, (field, value)) in fields.iter().zip(values).enumerate() {
        if place > 0 {
            text.push(',');
        }
        write!(text, "\"{}\":", field.name)?;
        json_value(text, field.kind, value)?;
    }
    text.push('}');
    Ok(())
}

fn json_value(text: &mut String, kind: Type, value: &Value<'_>) -> fmt::Result {
    match value {
        Value::Int(number) if is_event(kind) => {
            text.push('"');
            put_event(text, kind, *number)?;
            text.push('"');
            Ok(())
        }
        Value::Int(number) => write!(text, "{number}"),
        Value::Id(id) => write!(text, "\"{id:x}\""),
        Value::Text(None) => text.write_str("null"),
        Value::Text(Some(bytes)) => put_quoted(text, bytes),
        Value::Bytes(bytes) => write!(
            text,
            "{{\"length\":{},\"checksum\":\"{:016x}\"}}",
            bytes.len(),
            checksum(bytes)
        ),
        Value::List(rows) => {
            let Type::List(fields) = kind else {
                return text.write_str("[]");
            };
            text.push('[');
            for (place, row) in rows.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                json_row(text, fields, row)?;
            }
            text.push(']');
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(what: What<'static>) -> Item<'static> {
        Item {
            nanos: 1_000_000_007,
            thread: 3,
            index: 0,
            what,
        }
    }

    #[test]
    fn an_event_and_a_call() {
        let start = item(What::Event {
            number: 48,
            requested: true,
            env: 0x7f00,
            values: vec![Value::Int(1), Value::Text(Some(b"a\"b\n"))],
            results: Some(Vec::new()),
        });
        assert_eq!(
            line(&start, 1),
            "1.000000007 t3   ARENA_NEW env=7f00 requested arena_id=1 arena_name=\"a\\\"b\\u000a\""
        );
        assert_eq!(
            json(&start, 1),
            "{\"nanos\":1000000007,\"thread\":3,\"depth\":1,\"event\":\"ARENA_NEW\",\"env\":\"7f00\",\
             \"requested\":true,\"values\":{\"arena_id\":1,\"arena_name\":\"a\\\"b\\u000a\"}}"
        );
        let call = item(What::Call {
            slot: 5,
            arguments: vec![Value::Id(16), Value::Int(4)],
            results: Some(vec![
                Value::Int(1),
                Value::List(vec![vec![Value::Int(7), Value::Id(255)]]),
            ]),
        });
        assert_eq!(
            line(&call, 0),
            "1.000000007 t3 call GetCallTrace env_id=10 depth=4 -> num_frames=1 frames=[7 ff]"
        );
        let enable = item(What::Call {
            slot: 2,
            arguments: vec![Value::Int(60), Value::Id(0)],
            results: None,
        });
        assert_eq!(
            line(&enable, 0),
            "1.000000007 t3 call EnableEvent event_type=GC_START arg=0 ..."
        );
        assert!(json(&enable, 0).ends_with("\"arg\":\"0\"},\"open\":true}"));
        let end = item(What::Leave {
            subject: Subject::Call(2),
            results: vec![Value::Int(1)],
        });
        assert_eq!(line(&end, 0), "1.000000007 t3 end EnableEvent result=1");
    }
}
