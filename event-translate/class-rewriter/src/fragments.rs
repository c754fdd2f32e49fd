//! The bytes of hook calls.

use super::bytes::Put;
use super::constant_pool::Additions;
use super::hooks::Hook;
use super::instructions::Instruction;
use super::opcodes::{
    ACONST_NULL, ALOAD_0, ATHROW, BIPUSH, DUP, DUP2, ICONST_0, IF_ACMPEQ, IF_ACMPNE, IF_ICMPEQ,
    IF_ICMPLE, IFEQ, IFLE, IFNONNULL, IFNULL, INVOKESTATIC, LDC, LDC_W, LLOAD_0, LOOKUPSWITCH,
    SIPUSH, TABLESWITCH,
};
use super::refusal::MethodRefusal;
use super::wish::{Entry, Parking, Wish};

/// Whose monitor a synchronized method leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Locked<'a> {
    /// It is not synchronized, or its monitor cannot be had.
    Nothing,
    /// That of `this`, which is in local 0.
    Receiver,
    /// That of its class, which it can load.
    Class(&'a [u8]),
    /// That of its class, which has to be found by the stack.
    Caller,
}

/// What is inserted into one method. All are empty where nothing is wanted.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    pub(super) enter: Vec<u8>,
    pub(super) exit: Vec<u8>,
    /// A handler's code.
    pub(super) unwind: Vec<u8>,
    /// Before `monitorexit`.
    pub(super) leave: Vec<u8>,
    /// Before a synchronized method ends.
    pub(super) leave_method: Vec<u8>,
    /// Pushes the method's number.
    number: Vec<u8>,
}

impl Fragments {
    /// For a method with a number; `receiver` says whether local 0 is its
    /// initialised receiver.
    pub(super) fn prepare(
        &mut self,
        wish: &Wish<'_>,
        number: i32,
        receiver: bool,
        locked: Locked<'_>,
        (of_sleep, of_park): (Option<Hook>, Option<Parking>),
        additions: &mut Additions<'_>,
    ) -> Result<(), MethodRefusal> {
        for fragment in [
            &mut self.enter,
            &mut self.exit,
            &mut self.unwind,
            &mut self.leave,
            &mut self.leave_method,
            &mut self.number,
        ] {
            fragment.clear();
        }
        if wish.monitors {
            self.leave.put_u1(DUP);
            call(Hook::Leave, additions, &mut self.leave)?;
            let hook = match locked {
                Locked::Nothing => None,
                Locked::Caller => Some(Hook::LeaveCaller),
                Locked::Receiver => {
                    self.leave_method.put_u1(ALOAD_0);
                    Some(Hook::Leave)
                }
                Locked::Class(name) => {
                    let index = additions.class(name)?;
                    self.leave_method.put_u1(LDC_W);
                    self.leave_method.put_u2(index);
                    Some(Hook::Leave)
                }
            };
            if let Some(hook) = hook {
                call(hook, additions, &mut self.leave_method)?;
            }
        }
        if of_park.is_some() {
            // While METHOD_EXIT has not come; an error may come out of it, too.
            for end in [&mut self.exit, &mut self.unwind] {
                call(Hook::Parked, additions, end)?;
            }
        }
        if wish.concerns_all() {
            self.number_and_hooks(wish, number, receiver, additions)?;
        }
        if let Some(hook) = of_sleep {
            self.enter.extend((hook == Hook::Sleeps).then_some(LLOAD_0));
            call(hook, additions, &mut self.enter)?;
        }
        if let Some(parking) = of_park {
            self.enter.put_u1(match parking {
                Parking::Blocker => ALOAD_0,
                Parking::NoBlocker => ACONST_NULL,
            });
            call(Hook::Parks, additions, &mut self.enter)?;
        }
        if !self.unwind.is_empty() || !self.leave_method.is_empty() {
            self.unwind.extend_from_slice(&self.leave_method);
            self.unwind.put_u1(ATHROW);
        }
        Ok(())
    }

    /// The hooks that get the method's number.
    fn number_and_hooks(
        &mut self,
        wish: &Wish<'_>,
        number: i32,
        receiver: bool,
        additions: &mut Additions<'_>,
    ) -> Result<(), MethodRefusal> {
        push_int(number, additions, &mut self.number)?;
        let enter = match wish.entry {
            Entry::Off => None,
            Entry::Number => Some(Hook::Enter),
            Entry::Receiver => {
                let load = if receiver { ALOAD_0 } else { ACONST_NULL };
                self.enter.put_u1(load);
                Some(Hook::EnterReceiver)
            }
        };
        if let Some(hook) = enter {
            self.enter.extend_from_slice(&self.number);
            call(hook, additions, &mut self.enter)?;
        }
        if wish.exit {
            self.exit.extend_from_slice(&self.number);
            call(Hook::Exit, additions, &mut self.exit)?;
            self.unwind.extend_from_slice(&self.number);
            call(Hook::Unwind, additions, &mut self.unwind)?;
        }
        Ok(())
    }

    /// How long the call before an instruction is, in bytes, and how many stack
    /// slots it takes.
    pub(super) fn instruction_size(
        &self,
        instruction: Instruction,
        operands: bool,
    ) -> Result<(usize, u16), MethodRefusal> {
        let (dup, slots) = match duplicated(instruction.opcode, operands).1 {
            Some(DUP2) => (1, 4),
            Some(_) => (1, 3),
            None => (0, 2),
        };
        let index = match instruction.at {
            0..=5 => 1,
            6..=0x7f => 2,
            0x80..=0x7fff => 3,
            // With so many instructions before it the method gets too large.
            _ => return Err(MethodRefusal::TooLarge),
        };
        Ok((dup + self.number.len() + index + 3, slots))
    }

    /// Writes the call before an instruction.
    pub(super) fn instruction(
        &self,
        instruction: Instruction,
        operands: bool,
        additions: &mut Additions<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MethodRefusal> {
        let (hook, dup) = duplicated(instruction.opcode, operands);
        out.extend(dup);
        out.extend_from_slice(&self.number);
        let index = i32::try_from(instruction.at).map_err(|_| MethodRefusal::TooLarge)?;
        push_int(index, additions, out)?;
        call(hook, additions, out)
    }
}

/// The hook before an instruction and what duplicates its operands.
fn duplicated(opcode: u8, operands: bool) -> (Hook, Option<u8>) {
    match opcode {
        _ if !operands => (Hook::Instruction, None),
        IFEQ..=IFLE => (Hook::IfInt, Some(DUP)),
        IF_ICMPEQ..=IF_ICMPLE => (Hook::IfInts, Some(DUP2)),
        IF_ACMPEQ | IF_ACMPNE => (Hook::IfReferences, Some(DUP2)),
        IFNULL | IFNONNULL => (Hook::IfReference, Some(DUP)),
        TABLESWITCH | LOOKUPSWITCH => (Hook::Switch, Some(DUP)),
        _ => (Hook::Instruction, None),
    }
}

pub(super) fn call(
    hook: Hook,
    additions: &mut Additions<'_>,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let index = additions.hook(hook)?;
    out.put_u1(INVOKESTATIC);
    out.put_u2(index);
    Ok(())
}

/// Pushes an int by the shortest instruction.
fn push_int(
    value: i32,
    additions: &mut Additions<'_>,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    if let Ok(small @ 0..=5) = u8::try_from(value) {
        out.put_u1(ICONST_0 + small);
    } else if let Ok(byte) = i8::try_from(value) {
        out.extend([BIPUSH, byte.cast_unsigned()]);
    } else if let Ok(short) = i16::try_from(value) {
        out.put_u1(SIPUSH);
        out.put_u2(short.cast_unsigned());
    } else {
        let index = additions.integer(value)?;
        if let Ok(index) = u8::try_from(index) {
            out.extend([LDC, index]);
        } else {
            out.put_u1(LDC_W);
            out.put_u2(index);
        }
    }
    Ok(())
}
