//! Records of agents that speak JVMTI, and of what ids name.

use super::{Encoder, Line, Open, tag};
use crate::fields::Value;
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
        fill: impl FnOnce(&mut Line<'_>) -> Option<()>,
    ) -> Option<Open> {
        if env != self.env {
            return None;
        }
        let begin = u16::from_le_bytes([tag::JVMTI_EVENT, number]);
        let begin = (begin.into(), u16::BITS);
        let subject = Subject::JvmtiEvent(number);
        self.end_line(block, tick, subject, begin, |line| {
            line.push(environment.into());
            fill(line)
        })
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
        let subject = Subject::JvmtiEvent(number);
        self.record(
            block,
            tick,
            subject,
            subject.step(self.step),
            |out, mut last| {
                last.env(out, env);
                let at = out.end();
                out.byte(tag::JVMTI_EVENT);
                out.byte(number);
                out.varint(environment.into());
                last.ids.put(out, jvmti::event_fields(number), values);
                at
            },
        )
    }

    /// Such an agent calls a function of JVMTI.
    pub fn jvmti_call(
        &mut self,
        block: &mut [u8],
        tick: u64,
        (environment, number): (u32, u8),
        arguments: &[Value<'_>],
    ) -> Option<Open> {
        self.record(block, tick, Subject::JvmtiCall(number), 0, |out, last| {
            let at = out.end();
            out.byte(tag::JVMTI_CALL);
            out.byte(number);
            out.varint(environment.into());
            last.ids.put(out, jvmti::call_arguments(number), arguments);
            at
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
        let subject = Subject::Definition(definition);
        self.record(block, tick, subject, 0, |out, last| {
            let at = out.end();
            out.byte(tag::DEFINED);
            out.byte(definition as u8);
            last.ids.put(out, definition.fields(), values);
            at
        })?;
        Some(())
    }
}
