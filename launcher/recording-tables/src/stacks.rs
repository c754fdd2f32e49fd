//! Rows of `stacks` and `traces`.

use std::sync::mpsc::SyncSender;

use recording_format::Value;
use rustc_hash::FxHashMap;

use crate::batch::Batch;
use crate::identities::{Identities, id};
use crate::rows::{Rows, Stopped};
use crate::schema::{STACKS, TRACES};

/// Frames of the stacks that are remembered; then it begins anew, and a stack that comes again has
/// another number.
const REMEMBERED: usize = 4 << 20;

#[derive(Debug)]
pub(crate) struct Stacks {
    /// By methods and lines.
    known: FxHashMap<Vec<(i64, i64)>, i64>,
    frames: usize,
    next: i64,
    rows: Rows,
    traces: Rows,
}

impl Stacks {
    pub(crate) fn new(to: &SyncSender<Batch>) -> Self {
        Self {
            known: FxHashMap::default(),
            frames: 0,
            next: 1,
            rows: Rows::of(&STACKS, to),
            traces: Rows::of(&TRACES, to),
        }
    }

    /// The number of a stack; `None` if it has no frames.
    pub(crate) fn number(
        &mut self,
        frames: &[Vec<Value<'_>>],
        identities: &mut Identities,
    ) -> Result<Option<i64>, Stopped> {
        let mut stack = Vec::with_capacity(frames.len());
        for frame in frames {
            let line = frame.first().and_then(Value::int).unwrap_or(-1);
            stack.push((identities.method(id(frame, 1))?, line));
        }
        if stack.is_empty() {
            return Ok(None);
        }
        if let Some(number) = self.known.get(&stack) {
            return Ok(Some(*number));
        }
        let number = self.next;
        self.next += 1;
        for (depth, (method, line)) in (0_i64..).zip(&stack) {
            self.rows.push([
                number.into(),
                depth.into(),
                (*method).into(),
                (*line).into(),
            ])?;
        }
        self.frames += stack.len();
        if self.frames > REMEMBERED {
            self.known.clear();
            self.frames = stack.len();
        }
        self.known.insert(stack, number);
        Ok(Some(number))
    }

    /// The traces of a dump, and their threads' states where it has those.
    pub(crate) fn dump(
        &mut self,
        event: i64,
        traces: &[Vec<Value<'_>>],
        states: &[Vec<Value<'_>>],
        identities: &mut Identities,
    ) -> Result<(), Stopped> {
        for (place, trace) in traces.iter().enumerate() {
            let frames = trace.get(1).map(Value::rows).unwrap_or_default();
            let stack = self.number(frames, identities)?;
            let thread = identities.thread(id(trace, 0))?;
            let status = states.get(place).and_then(|row| row.first()?.int());
            self.traces
                .push([event.into(), thread.into(), status.into(), stack.into()])?;
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<(), Stopped> {
        self.rows.flush()?;
        self.traces.flush()
    }
}
