//! Records of the events that come by the million, in a straight line.

use super::{Encoder, METHOD_EXIT, Open, tag};
use crate::bytes::{next_of_varint, zigzag};
use crate::codec::{Deltas, KEPT, NULL};
use crate::fields::Space;
use crate::recent::Recent;
use crate::subject::Subject;

/// The record of an event of numbers and ids alone, while it is put together in a register.
///
/// [`Line::id`] returns `None` for what is new: [`Encoder::event`] has to write it then.
#[derive(Debug)]
pub struct Line<'e> {
    word: u128,
    bits: u32,
    last: Deltas,
    recent: &'e Recent,
    method: u64,
}

impl Line<'_> {
    #[inline]
    pub(super) fn push(&mut self, mut number: u64) {
        loop {
            let (bytes, length, rest) = next_of_varint(number);
            // What does not fit is noticed at the end.
            self.word |= u128::from(bytes).wrapping_shl(self.bits);
            self.bits += 8 * length;
            if rest == 0 {
                return;
            }
            number = rest;
        }
    }

    /// Appends a field of [`crate::Type::Int`].
    #[inline]
    pub fn int(&mut self, number: i32) {
        self.push(zigzag(number.into()));
    }

    /// Appends a field of [`crate::Type::Int`] that is a `jlong`.
    #[inline]
    pub fn long(&mut self, number: i64) {
        self.push(zigzag(number));
    }

    /// Appends a field of [`crate::Type::Id`]; 0 is NULL.
    #[inline]
    #[must_use]
    pub fn id(&mut self, space: Space, id: u64) -> Option<()> {
        if matches!(space, Space::Method) {
            self.method = id;
        }
        let code = if id == 0 {
            NULL
        } else if matches!(space, Space::Method | Space::Class) {
            KEPT + self.recent.number(space, id)?
        } else {
            self.last.code(space, id)?
        };
        self.push(code);
        Some(())
    }
}

impl Encoder {
    /// What [`Encoder::event`] writes; `fill` appends the fields. `None`: not this way (another env,
    /// something long or new), and nothing has changed.
    #[inline]
    pub fn line(
        &mut self,
        block: &mut [u8],
        tick: u64,
        env: u64,
        number: u8,
        fill: impl FnOnce(&mut Line<'_>) -> Option<()>,
    ) -> Option<Open> {
        if env != self.env {
            return None;
        }
        let begin = (number.into(), u8::BITS);
        self.end_line(block, tick, Subject::Event(number.into()), begin, fill)
    }

    #[inline]
    pub(super) fn end_line(
        &mut self,
        block: &mut [u8],
        tick: u64,
        subject: Subject,
        (word, bits): (u128, u32),
        fill: impl FnOnce(&mut Line<'_>) -> Option<()>,
    ) -> Option<Open> {
        let mut line = Line {
            word,
            bits,
            last: self.ids.last,
            recent: &self.ids.recent,
            method: 0,
        };
        fill(&mut line)?;
        let Line {
            mut word,
            mut bits,
            last,
            method,
            ..
        } = line;
        if subject == Subject::Event(METHOD_EXIT.into()) && self.inside.innermost() == Some(method)
        {
            (word, bits) = (tag::RETURNED.into(), u8::BITS);
        }
        let limit = self.limit();
        let room = block.get_mut(self.at..limit)?.first_chunk_mut()?;
        if bits > u128::BITS {
            return None;
        }
        // What is behind the record is zero anyway.
        *room = word.to_le_bytes();
        let at = self.at;
        self.at += (bits / 8) as usize;
        self.ids.last = last;
        self.time(block, tick, subject.step(self.step));
        self.count += 1;
        if let Subject::Event(number) = subject {
            self.inside.heard(number, method);
        }
        Some(Open::new(subject, at, self.count))
    }
}
