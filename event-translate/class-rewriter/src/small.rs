//! Methods so small that telling of a call takes longer than the call.

use super::bytes::Reader;
use super::class_file::Method;
use super::instructions::{Instruction, Switch, instructions};
use super::opcodes::{
    ANEWARRAY, INVOKEDYNAMIC, INVOKEVIRTUAL, JSR, JSR_W, LOOKUPSWITCH, MONITORENTER,
    MULTIANEWARRAY, NEWARRAY, RET, TABLESWITCH, WIDE,
};
use crate::bytes::{Malformed, i4_at};

/// The longest code of a small method, in bytes: what HotSpot compiles into callers however
/// seldom they are called (MaxInlineSize).
pub const SMALL: usize = 35;

impl Method<'_> {
    /// It has few bytecodes, at most [`SMALL`] bytes of them, each of which runs once at most and
    /// takes some nanoseconds: no call, no loop, no array that is made, no lock that is waited
    /// for, and no handler of exceptions.
    #[must_use]
    pub fn is_small(&self) -> bool {
        !self.is_synchronized() && self.runs_straight() == Some(true)
    }

    fn runs_straight(&self) -> Option<bool> {
        let mut reader = Reader::new(self.code?.info);
        reader.u4().ok()?; // max_stack, max_locals
        let code = reader.take_counted().ok()?;
        let handlers = reader.u2().ok()?;
        let brief = |instruction: Result<Instruction, Malformed>| {
            instruction.is_ok_and(|instruction| is_brief(code, instruction) == Ok(true))
        };
        Some(handlers == 0 && code.len() <= SMALL && instructions(code).all(brief))
    }
}

/// Whether it calls nothing, waits for nothing, and leads nowhere but forward.
fn is_brief(code: &[u8], instruction: Instruction) -> Result<bool, Malformed> {
    let forward = match instruction.opcode {
        INVOKEVIRTUAL..=INVOKEDYNAMIC | NEWARRAY | ANEWARRAY | MULTIANEWARRAY | MONITORENTER => {
            false
        }
        // Subroutines of before Java 6; `wide` may be a `ret`.
        JSR | JSR_W | RET => false,
        WIDE => code.get(instruction.at + 1) != Some(&RET),
        TABLESWITCH | LOOKUPSWITCH => {
            let mut offsets = Switch::read(code, instruction.at)?.offsets();
            offsets.all(|at| i4_at(code, at).is_some_and(|offset| offset > 0))
        }
        _ => instruction
            .target(code)?
            .is_none_or(|target| target > instruction.at),
    };
    Ok(forward)
}
