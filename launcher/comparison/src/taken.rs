//! Stacks that a port takes outside of callbacks.

use recording_format::Value;

use crate::known::{Frames, Known, id, int};
use crate::side::Counting;

const GET_THREAD_LIST_STACK_TRACES: u8 = 101;
const GET_STACK_TRACE: u8 = 104;
const THREAD_STATE_RUNNABLE: i64 = 4;

/// What a call of one of the three functions has answered: its rows are threads with their frames, or frames.
pub(crate) fn stacks(
    side: &mut Counting,
    known: &mut Known,
    number: u8,
    arguments: &[Value<'_>],
    rows: &[Vec<Value<'_>>],
) {
    if number == GET_STACK_TRACE {
        let (before, start) = (side.setup.start_depth, int(arguments, 1));
        side.setup.start_depth = Some(before.map_or(start, |least| least.min(start)));
        let thread = id(arguments, 0);
        stack(side, known, (thread, true), int(arguments, 2), rows);
        return;
    }
    let asked = arguments.last().and_then(Value::int).unwrap_or(0);
    for row in rows {
        // Whoever lists all may leave out what does not run.
        let is_running = int(row, 1) & THREAD_STATE_RUNNABLE != 0;
        let is_chosen = number == GET_THREAD_LIST_STACK_TRACES || is_running;
        let frames = row.get(2).map(Value::rows).unwrap_or_default();
        stack(side, known, (id(row, 0), is_chosen), asked, frames);
    }
}

fn stack(
    side: &mut Counting,
    known: &mut Known,
    (thread, is_chosen): (u64, bool),
    asked: i64,
    frames: &[Vec<Value<'_>>],
) {
    if known.is_of_the_vm(thread) {
        return;
    }
    let frames: Frames = known.frames(frames.iter().map(|row| id(row, 0)));
    if is_chosen {
        let name = known.thread(thread).unwrap_or_else(|| known.number("?"));
        side.takes_stack_of(name, &frames);
    }
    side.add_stack(frames, asked, (thread, is_chosen));
}
