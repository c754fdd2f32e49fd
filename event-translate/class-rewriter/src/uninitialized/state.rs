//! What is known before an instruction: the marks on the operand stack and in the locals.

use super::super::bytes::Malformed;

/// What kind of value a slot holds.
pub(super) type Mark = u32;
pub(super) const PLAIN: Mark = 0;
pub(super) const THIS: Mark = 1;

/// Marks the object made by the `new` at an index.
pub(super) fn made_at(index: usize) -> Mark {
    u32::try_from(index).map_or(u32::MAX, |index| index.saturating_add(2))
}

/// Values that matter before an instruction; all others are plain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The superclass's constructor has not been called.
    pub(super) before_super: bool,
    /// Slots on the operand stack.
    pub(super) depth: usize,
    /// Slot and mark, lowest slot first.
    pub(super) stack: Vec<(usize, Mark)>,
    pub(super) locals: Vec<(usize, Mark)>,
}

impl State {
    pub(super) fn push(&mut self, mark: Mark) {
        if mark != PLAIN {
            self.stack.push((self.depth, mark));
        }
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) -> Result<Mark, Malformed> {
        let underflow = Malformed("pops from an empty operand stack");
        self.depth = self.depth.checked_sub(1).ok_or(underflow)?;
        let mut top = PLAIN;
        // A slot has several marks where branches meet.
        while let Some((_, mark)) = self.stack.pop_if(|(slot, _)| *slot == self.depth) {
            top = mark;
        }
        Ok(top)
    }

    pub(super) fn pop_many(&mut self, count: usize) -> Result<bool, Malformed> {
        let mut any = false;
        for _ in 0..count {
            any |= self.pop()? != PLAIN;
        }
        Ok(any)
    }

    pub(super) fn push_plain(&mut self, count: usize) {
        self.depth += count;
    }

    /// Pops `values` slots, then `below` slots, and puts the values above and
    /// below them.
    pub(super) fn duplicate(&mut self, values: usize, below: usize) -> Result<(), Malformed> {
        let mut tops = Vec::with_capacity(values);
        for _ in 0..values {
            tops.push(self.pop()?);
        }
        let mut others = Vec::with_capacity(below);
        for _ in 0..below {
            others.push(self.pop()?);
        }
        let back = tops.iter().chain(&others).chain(&tops);
        back.rev().for_each(|&mark| self.push(mark));
        Ok(())
    }

    pub(super) fn local(&self, slot: usize) -> Mark {
        let found = self.locals.iter().find(|(local, _)| *local == slot);
        found.map_or(PLAIN, |&(_, mark)| mark)
    }

    pub(super) fn set_local(&mut self, slot: usize, mark: Mark) {
        self.locals.retain(|(local, _)| *local != slot);
        if mark != PLAIN {
            self.locals.push((slot, mark));
            self.locals.sort_unstable();
        }
    }

    /// A constructor was called: all copies of the object are initialised.
    pub(super) fn initialise(&mut self, mark: Mark) {
        self.stack.retain(|&(_, other)| other != mark);
        self.locals.retain(|&(_, other)| other != mark);
    }

    /// Takes in what another way to the same instruction brings; says whether
    /// that was anything new.
    pub(super) fn join(&mut self, other: &Self) -> Result<bool, Malformed> {
        if self.depth != other.depth {
            return Err(Malformed("has operand stacks that do not meet"));
        }
        let mut changed = other.before_super && !self.before_super;
        self.before_super |= other.before_super;
        for (mine, theirs) in [
            (&mut self.stack, &other.stack),
            (&mut self.locals, &other.locals),
        ] {
            let length = mine.len();
            for mark in theirs {
                if !mine.contains(mark) {
                    mine.push(*mark);
                }
            }
            if mine.len() != length {
                mine.sort_unstable();
                changed = true;
            }
        }
        Ok(changed)
    }
}
