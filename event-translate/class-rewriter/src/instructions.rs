//! Walks over code, instruction by instruction (JVMS §4.7.3, §6.5).

use super::bytes::{Malformed, i4_at, u2_at};
use super::opcodes::{GOTO_W, RET};
use super::opcodes::{
    IFEQ, IFNONNULL, IFNULL, IINC, JSR, JSR_W, LENGTHS, LOOKUPSWITCH, TABLESWITCH, WIDE,
};

const NO_CODE: Malformed = Malformed("has bytes in its code that are no instruction");

/// An instruction in its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    /// Its index in the code: below 65536.
    pub(super) at: usize,
    pub(super) opcode: u8,
    /// In bytes.
    pub(super) length: usize,
}

impl Instruction {
    /// The index behind it.
    pub(super) fn end(&self) -> usize {
        self.at + self.length
    }

    /// Reads the one at an index.
    #[inline]
    pub(super) fn read(code: &[u8], at: usize) -> Result<Self, Malformed> {
        let opcode = *code.get(at).ok_or(NO_CODE)?;
        let length = match LENGTHS.get(usize::from(opcode)) {
            Some(0) | None => variable_length(code, at, opcode)?,
            Some(&length) => length.into(),
        };
        if at + length > code.len() {
            return Err(NO_CODE);
        }
        Ok(Self { at, opcode, length })
    }

    /// Where a branch that is no switch goes.
    pub(super) fn target(&self, code: &[u8]) -> Result<Option<usize>, Malformed> {
        let offset = match self.opcode {
            IFEQ..=JSR | IFNULL | IFNONNULL => {
                let offset = u2_at(code, self.at + 1).ok_or(NO_CODE)?;
                i32::from(offset.cast_signed())
            }
            GOTO_W | JSR_W => i4_at(code, self.at + 1).ok_or(NO_CODE)?,
            _ => return Ok(None),
        };
        self.relative(offset).map(Some)
    }

    /// The index that is an offset away.
    pub(super) fn relative(&self, offset: i32) -> Result<usize, Malformed> {
        let at = i64::try_from(self.at).map_err(|_| NO_CODE)? + i64::from(offset);
        usize::try_from(at).map_err(|_| Malformed("has a branch out of its code"))
    }
}

/// All instructions of some code; the walk ends with the first error.
pub(super) fn instructions(
    code: &[u8],
) -> impl Iterator<Item = Result<Instruction, Malformed>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= code.len() {
            return None;
        }
        let instruction = Instruction::read(code, at);
        at = instruction.map_or(code.len(), |i| i.end());
        Some(instruction)
    })
}

#[cold]
fn variable_length(code: &[u8], at: usize, opcode: u8) -> Result<usize, Malformed> {
    match opcode {
        WIDE => match code.get(at + 1) {
            Some(&IINC) => Ok(6),
            Some(&(21..=25 | 54..=58 | RET)) => Ok(4),
            _ => Err(NO_CODE),
        },
        TABLESWITCH | LOOKUPSWITCH => Switch::read(code, at).map(|s| s.end - at),
        _ => Err(NO_CODE),
    }
}

/// A `tableswitch` or `lookupswitch`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    /// Where its operands begin, behind the padding.
    pub(super) operands: usize,
    /// Where its cases begin.
    pub(super) cases: usize,
    /// Bytes of a case, the last four of which are its offset.
    pub(super) stride: usize,
    pub(super) end: usize,
}

impl Switch {
    pub(super) fn read(code: &[u8], at: usize) -> Result<Self, Malformed> {
        // Aligned from the code's start (JVMS §6.5.tableswitch).
        let operands = (at + 4) & !3;
        let operand = |index: usize| i4_at(code, operands + 4 * index).ok_or(NO_CODE);
        let (count, cases, stride) = if code.get(at) == Some(&TABLESWITCH) {
            let count = i64::from(operand(2)?) - i64::from(operand(1)?) + 1;
            (count, operands + 12, 4)
        } else {
            (i64::from(operand(1)?), operands + 8, 8)
        };
        let count = usize::try_from(count).map_err(|_| NO_CODE)?;
        if count > code.len() {
            return Err(NO_CODE);
        }
        Ok(Self {
            operands,
            cases,
            stride,
            end: cases + stride * count,
        })
    }

    /// Where the offsets of all its targets are in the code, default first.
    pub(super) fn offsets(self) -> impl Iterator<Item = usize> {
        let cases = (self.cases..self.end).step_by(self.stride);
        std::iter::once(self.operands).chain(cases.map(move |case| case + self.stride - 4))
    }
}
