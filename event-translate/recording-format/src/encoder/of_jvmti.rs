//! Records of agents that speak JVMTI, and of what ids name.

use super::{Encoder, Line, Open, tag};
use crate::fields::{Space, Value};
use crate::jvmti::{self, Definition};
use crate::subject::Subject;

impl Encoder {
    /// What [`Encoder::jvmti_event`] writes, as [`Encoder::line`] does it.
    #[inline]
    pub fn jvmti_line(
        &mut self,
        block: &mut [u8],
        tick: u64,
        env: u64,
        (environment, number): (u32, u8),
        fill: impl FnOnce(Line) -> Option<Line>,
    ) -> Option<Open> {
        if env != self.env {
            return None;
        }
        let empty = Line {
            word: u128::from(u16::from_le_bytes([tag::JVMTI_EVENT, number])),
            bits: u16::BITS,
            deltas: self.deltas,
        };
        let fill = |line: Line| fill(line.push(environment.into())?);
        self.end_line(block, tick, Subject::JvmtiEvent(number), empty, fill)
    }

    /// An event is given to an agent that speaks JVMTI.
    pub fn jvmti_event(
        &mut self,
        block: &mut [u8],
        tick: u64,
        env: u64,
        (environment, number): (u32, u8),
        values: &[Value<'_>],
    ) -> Option<Open> {
        self.record(block, Subject::JvmtiEvent(number), |deltas, out, last| {
            if last.env != env {
                out.byte(tag::ENV);
                deltas.put_id(out, Space::Env, env);
            }
            let at = out.end();
            out.byte(tag::JVMTI_EVENT);
            out.byte(number);
            out.varint(tick.wrapping_sub(last.tick));
            out.varint(environment.into());
            deltas.put(out, jvmti::event_fields(number), values);
            (at, tick, env)
        })
    }

    /// Such an agent calls a function of JVMTI.
    pub fn jvmti_call(
        &mut self,
        block: &mut [u8],
        tick: u64,
        (environment, number): (u32, u8),
        arguments: &[Value<'_>],
    ) -> Option<Open> {
        self.record(block, Subject::JvmtiCall(number), |deltas, out, last| {
            let at = out.end();
            out.byte(tag::JVMTI_CALL);
            out.byte(number);
            out.varint(tick.wrapping_sub(last.tick));
            out.varint(environment.into());
            deltas.put(out, jvmti::call_arguments(number), arguments);
            (at, tick, last.env)
        })
    }

    /// What an id names.
    pub fn defined(
        &mut self,
        block: &mut [u8],
        tick: u64,
        definition: Definition,
        values: &[Value<'_>],
    ) -> Option<()> {
        self.record(
            block,
            Subject::Definition(definition),
            |deltas, out, last| {
                let at = out.end();
                out.byte(tag::DEFINED);
                out.byte(definition as u8);
                out.varint(tick.wrapping_sub(last.tick));
                deltas.put(out, definition.fields(), values);
                (at, tick, last.env)
            },
        )?;
        Some(())
    }
}
