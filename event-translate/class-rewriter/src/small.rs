//! Methods so small that telling of a call takes longer than the call.

use super::bytes::{Malformed, Reader, u2_at};
use super::class_file::{ClassFile, CodeAttribute, Method};
use super::instructions::{Instruction, Switch, instructions};
use super::opcodes::{
    ALOAD, ALOAD_0, ALOAD_3, ANEWARRAY, INVOKEDYNAMIC, INVOKESPECIAL, INVOKEVIRTUAL, ISTORE, JSR,
    JSR_W, LDC, LDC_W, LDC2_W, LOOKUPSWITCH, MONITORENTER, MULTIANEWARRAY, NEWARRAY, PUTFIELD, RET,
    RETURN, SWAP, TABLESWITCH, WIDE, never_throws, stack_effect,
};
use crate::bytes::i4_at;

/// The longest code of a small method, in bytes: what HotSpot compiles into callers however
/// seldom they are called (MaxInlineSize).
pub const SMALL: usize = 35;

impl ClassFile<'_> {
    /// A method of this class has few bytecodes, at most [`SMALL`] bytes of them, each of which
    /// runs once at most and takes some nanoseconds: no call, no loop, no array that is made, no
    /// lock that is waited for, and no handler of exceptions.
    ///
    /// Of constructors only those that nothing can leave but their end: they call that of
    /// `java.lang.Object`, and set fields that the class itself declares to arguments and
    /// numbers. By an exception out of any other its subclasses' ends are known.
    #[must_use]
    pub fn is_small(&self, method: &Method<'_>) -> bool {
        let brief = |code: CodeAttribute<'_>| {
            let code = short_code(code)?;
            if method.is_constructor() {
                return self.only_sets_fields(code);
            }
            let brief = |instruction: Result<Instruction, Malformed>| {
                instruction.is_ok_and(|instruction| is_brief(code, instruction) == Ok(true))
            };
            Some(instructions(code).all(brief))
        };
        !method.is_synchronized() && method.code.and_then(brief) == Some(true)
    }

    /// Statement by statement: `this` is pushed, then what never throws, and a field of its own takes
    /// what is above `this`.
    fn only_sets_fields(&self, code: &[u8]) -> Option<bool> {
        // That of Object itself calls none.
        let (mut depth, mut calls) = (0, usize::from(self.superclass().is_none()));
        for instruction in instructions(code) {
            let instruction = instruction.ok()?;
            let index = || u2_at(code, instruction.at + 1);
            match instruction.opcode {
                ALOAD_0 if depth == 0 => depth = 1,
                INVOKESPECIAL if depth == 1 && self.is_of_object(index()?)? => {
                    calls += 1;
                    depth = 0;
                }
                PUTFIELD => {
                    let slots = self.slots_of_own_field(index()?)?;
                    if depth != 1 + slots {
                        return Some(false);
                    }
                    depth = 0;
                }
                RETURN => return Some(depth == 0 && calls == 1 && instruction.end() == code.len()),
                opcode => {
                    let is_number = match opcode {
                        LDC => self.pool.is_number((*code.get(instruction.at + 1)?).into()),
                        LDC_W | LDC2_W => self.pool.is_number(index()?),
                        // A local that is written may be that of `this`, and who shifts values on the
                        // stack shifts that.
                        ISTORE..=SWAP => false,
                        _ => never_throws(opcode),
                    };
                    let (popped, pushed) = match opcode {
                        ALOAD | ALOAD_0..=ALOAD_3 => (0, 1),
                        _ => stack_effect(opcode),
                    };
                    if depth == 0 || !is_number {
                        return Some(false);
                    }
                    depth = (depth + usize::from(pushed)).checked_sub(popped.into())?;
                }
            }
        }
        None
    }

    /// The constructor of this class's superclass, if that is `java.lang.Object`.
    fn is_of_object(&self, method: u16) -> Option<bool> {
        const OBJECT: &[u8] = b"java/lang/Object";
        let owner = self.pool.class_of_member(method).ok()?;
        let (name, _) = self.pool.member(method).ok()?;
        Some(self.superclass() == Some(OBJECT) && owner == OBJECT && name == b"<init>")
    }

    /// How many slots the value of a field takes that this class declares and each of its objects has.
    fn slots_of_own_field(&self, field: u16) -> Option<usize> {
        let (name, descriptor) = self.pool.member(field).ok()?;
        let is_own = self.pool.class_of_member(field).ok()? == self.name()
            && self.has_field(name, descriptor).ok()?;
        is_own.then_some(match descriptor {
            b"J" | b"D" => 2,
            _ => 1,
        })
    }
}

/// Code of at most [`SMALL`] bytes without handlers.
fn short_code(code: CodeAttribute<'_>) -> Option<&[u8]> {
    let mut reader = Reader::new(code.info);
    reader.u4().ok()?; // max_stack, max_locals
    let code = reader.take_counted().ok()?;
    let handlers = reader.u2().ok()?;
    (handlers == 0 && code.len() <= SMALL).then_some(code)
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
