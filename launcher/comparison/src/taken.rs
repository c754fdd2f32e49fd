//! Stacks that a port takes outside of callbacks.

use std::collections::BTreeMap;

use recording_format::Value;
use recording_format::jvmti::FunctionKind;

use crate::known::{Frames, Known, Name, id, int};
use crate::side::Counting;

const THREAD_STATE_RUNNABLE: i64 = 4;

/// What GetStackTrace has read last, by the thread that asked: the next page of the same stack may follow.
#[derive(Debug, Default)]
pub(crate) struct Taken(BTreeMap<u32, Stack>);

/// As far as it has been read.
#[derive(Debug)]
struct Stack {
    thread: u64,
    name: Name,
    frames: Frames,
    /// Up to this depth, hidden ones as well.
    read: i64,
    asked: i64,
}

impl Taken {
    /// What a call of one of the three functions, on this thread, has answered: its rows are threads with their frames,
    /// or frames.
    pub(crate) fn stacks(
        &mut self,
        side: &mut Counting,
        known: &mut Known,
        (function, on): (FunctionKind, u32),
        arguments: &[Value<'_>],
        rows: &[Vec<Value<'_>>],
    ) {
        if function == FunctionKind::GetStackTrace {
            let (before, start) = (side.setup.start_depth, int(arguments, 1));
            side.setup.start_depth = Some(before.map_or(start, |least| least.min(start)));
            self.page(side, known, on, arguments, rows);
            return;
        }
        let asked = arguments.last().and_then(Value::int).unwrap_or(0);
        for row in rows {
            // Whoever lists all may leave out what does not run.
            let is_running = int(row, 1) & THREAD_STATE_RUNNABLE != 0;
            let is_chosen = function == FunctionKind::GetThreadListStackTraces || is_running;
            let frames = row.get(2).map(Value::rows).unwrap_or_default();
            if let Some(stack) = stack(known, id(row, 0), asked, frames) {
                add(side, stack, is_chosen);
            }
        }
    }

    /// A stack from its start_depth on, or more of the one before: what begins where that has ended.
    fn page(
        &mut self,
        side: &mut Counting,
        known: &mut Known,
        on: u32,
        arguments: &[Value<'_>],
        rows: &[Vec<Value<'_>>],
    ) {
        let (thread, start, asked) = (id(arguments, 0), int(arguments, 1), int(arguments, 2));
        let Some(mut page) = stack(known, thread, asked, rows) else {
            return;
        };
        let last = self.0.get_mut(&on);
        if let Some(last) =
            last.filter(|last| start > 0 && (last.thread, last.read) == (thread, start))
        {
            last.frames.shown.extend(page.frames.shown);
            last.frames.hidden += page.frames.hidden;
            last.read += page.read;
            last.asked = last.asked.saturating_add(page.asked);
            return;
        }
        page.read = page.read.saturating_add(start.max(0));
        if let Some(last) = self.0.insert(on, page) {
            add(side, last, true);
        }
    }

    /// No more pages follow.
    pub(crate) fn finish(self, side: &mut Counting) {
        for stack in self.0.into_values() {
            add(side, stack, true);
        }
    }
}

/// None of a thread of the VM's own.
fn stack(known: &mut Known, thread: u64, asked: i64, rows: &[Vec<Value<'_>>]) -> Option<Stack> {
    if known.is_of_the_vm(thread) {
        return None;
    }
    Some(Stack {
        thread,
        name: known.thread(thread).unwrap_or_else(|| known.number("?")),
        frames: known.frames(rows.iter().map(|row| id(row, 0))),
        read: i64::try_from(rows.len()).unwrap_or(i64::MAX),
        asked,
    })
}

fn add(side: &mut Counting, stack: Stack, is_chosen: bool) {
    if is_chosen {
        side.takes_stack_of(stack.name, &stack.frames);
    }
    side.add_stack(stack.frames, stack.asked, (stack.thread, is_chosen));
}
