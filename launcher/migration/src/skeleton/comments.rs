//! Comments of C.

use std::fmt::Write;

use super::events::row_of;
use super::functions::is_gap;
use super::plan::Plan;
use crate::counterparts::{self, of_function};
use crate::report::in_one_line;
use event_translate::table::EventKind;

const WIDTH: usize = 112;

/// Text that neither ends a comment nor looks as if it began one.
pub(super) fn inside(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = ' ';
    for c in in_one_line(text).chars() {
        // The last of them is a trigraph.
        if matches!((before, c), ('*', '/') | ('/', '*') | ('?', '?')) {
            safe.push(' ');
        }
        safe.push(c);
        before = c;
    }
    safe
}

/// Adds a paragraph, each line behind ` * `; what it is indented by, further lines are by more.
fn paragraph(lines: &mut String, text: &str) {
    let text = inside(text);
    let indent = text.len() - text.trim_start().len();
    let mut line = " ".repeat(indent);
    for word in text.split_whitespace() {
        let is_first = line.trim_start().is_empty();
        if !is_first && line.chars().count() + word.chars().count() >= WIDTH {
            let _ = writeln!(lines, " * {line}");
            line = " ".repeat(indent + 2);
        } else if !is_first {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(lines, " * {line}");
}

fn comment(paragraphs: &[String]) -> String {
    let mut lines = String::new();
    for text in paragraphs {
        paragraph(&mut lines, text);
    }
    let lines = lines.trim_end();
    format!("/*{} */\n", lines.strip_prefix(" *").unwrap_or(lines))
}

/// Agent, VM and the like.
pub(super) fn origin(plan: &Plan<'_>) -> String {
    let mut lines = String::new();
    for (key, value) in plan.subject.about {
        if !value.is_empty() {
            paragraph(&mut lines, &format!("  {key}: {value}"));
        }
    }
    lines
}

/// What stands over a handler.
pub(super) fn of_event(plan: &Plan<'_>, event: EventKind) -> String {
    let row = row_of(event);
    let counterpart = counterparts::of_event(event);
    let all: u64 = plan.subject.usage.events(event).iter().sum();
    let mut text = vec![format!("{event}: {all} in the recorded run.")];
    let called: Vec<_> = plan.called_in(event).map(|it| it.name()).collect();
    if !called.is_empty() {
        text.push(format!("The old handler called {}.", called.join(", ")));
    }
    if !row.fields.is_empty() {
        text.push("What JVMPI gave, and where it comes from now:".to_owned());
        let fields = row.fields.iter();
        text.extend(fields.map(|(name, from)| format!("  {name}: {from}")));
    }
    text.push(format!("Count: {}.", plan.count_of(event).words()));
    text.push(format!("To know: {}.", counterpart.differences));
    comment(&text)
}

/// What the agent called, and what is there for it.
pub(super) fn of_functions(plan: &Plan<'_>) -> String {
    let functions = plan.functions.iter().filter(|it| !is_gap(**it));
    let text: Vec<_> = functions
        .map(|function| {
            let row = of_function(*function);
            let calls: u64 = plan.subject.usage.calls(*function).iter().sum();
            let name = function.name();
            format!(
                "{name} (calls: {calls}): {}. {}.",
                row.instead, row.differences
            )
        })
        .collect();
    if text.is_empty() {
        return String::new();
    }
    comment(&text)
}

/// What JVMTI has nothing for, and the ways round it.
pub(super) fn of_gaps(plan: &Plan<'_>) -> String {
    let mut all = String::new();
    let events = plan.gaps().map(|event| {
        let number: u64 = plan.subject.usage.events(event).iter().sum();
        (event.name(), number, counterparts::of_event(event))
    });
    let functions = plan.functions.iter().filter(|it| is_gap(**it));
    let functions = functions.map(|function| {
        let number: u64 = plan.subject.usage.calls(*function).iter().sum();
        (function.name(), number, of_function(*function))
    });
    for (name, number, row) in events.chain(functions) {
        all.push('\n');
        all.push_str(&comment(&[
            format!("GAP: {name} ({number} in the recorded run)"),
            format!("Instead: {}.", row.instead),
            format!("To know: {}.", row.differences),
        ]));
    }
    all
}
