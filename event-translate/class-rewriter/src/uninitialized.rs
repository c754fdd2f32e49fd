//! Follows objects that are not initialised yet through code.
//!
//! A verifier lets an uninitialised object go nowhere but into its constructor
//! (JVMS §4.10.1.4, §4.10.2.4), so the rewriter has to know two things: where a
//! constructor has not called the one of its superclass yet (a handler there
//! needs another frame), and which comparisons may see such an object (it cannot
//! be handed to a hook). Both are found by running the code with nothing but
//! marks for such objects.

mod state;

use std::collections::HashMap;

use super::bytes::Malformed;
use super::class_file::{ClassFile, Method};
use super::descriptor;
use super::exceptions::Handler;
use super::instructions::{Instruction, Switch};
use super::opcodes::{
    ALOAD, ALOAD_0, ALOAD_3, ASTORE, ASTORE_3, ATHROW, DUP, DUP_X1, DUP_X2, DUP2, DUP2_X1, DUP2_X2,
    GETFIELD, GETSTATIC, GOTO, GOTO_W, IF_ACMPEQ, IF_ACMPNE, IFNONNULL, IFNULL, INVOKEDYNAMIC,
    INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL, IRETURN, ISTORE, ISTORE_0, JSR, JSR_W,
    LOOKUPSWITCH, MULTIANEWARRAY, NEW, PUTFIELD, PUTSTATIC, RET, RETURN, SWAP, TABLESWITCH, WIDE,
    stack_effect,
};
use super::{bytes, instructions};
use state::{PLAIN, State, THIS, made_at};

/// Instructions looked at before we give up; the JDK's longest method needs a
/// hundredth.
const MOST_STEPS: usize = 1 << 20;

/// What an instruction sees before the superclass's constructor is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeforeSuper {
    /// Local 0 is the uninitialised `this`.
    ThisInLocal0,
    /// Something else is in local 0.
    Other,
    /// It is the call of that constructor itself.
    Call,
}

/// What was found in a method.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Instructions that run before `this` is initialised.
    pub(super) before_super: HashMap<usize, BeforeSuper>,
    /// Comparisons of references that may see an uninitialised object.
    pub(super) comparisons: Vec<usize>,
}

/// What shall be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Only what is before the call of the superclass's constructor.
    BeforeSuper,
    /// Everything.
    Everywhere,
}

/// Runs a method. `None`: it cannot be told (a subroutine before the call of the
/// superclass's constructor, or too much to look at).
pub(super) fn explore(
    class: &ClassFile<'_>,
    method: &Method<'_>,
    code: &[u8],
    handlers: &[Handler],
    look: Look,
) -> Result<Option<Findings>, Malformed> {
    let mut first = State::default();
    if method.is_constructor() && class.superclass().is_some() {
        first.before_super = true;
        first.locals.push((0, THIS));
    }
    let mut explorer = Explorer {
        class,
        code,
        handlers,
        look,
        joins: HashMap::new(),
        open: Vec::new(),
        steps: 0,
        findings: Findings::default(),
    };
    explorer.flow(0, &first)?;
    while let Some(at) = explorer.open.pop() {
        if explorer.run(at)? == Run::GivenUp {
            return Ok(None);
        }
    }
    Ok(Some(explorer.findings))
}

#[derive(Debug, PartialEq, Eq)]
enum Run {
    Done,
    GivenUp,
}

#[derive(Debug)]
struct Explorer<'a> {
    class: &'a ClassFile<'a>,
    code: &'a [u8],
    handlers: &'a [Handler],
    look: Look,
    joins: HashMap<usize, State>,
    open: Vec<usize>,
    steps: usize,
    findings: Findings,
}

impl Explorer<'_> {
    /// Control may go to an instruction with a state.
    fn flow(&mut self, to: usize, state: &State) -> Result<(), Malformed> {
        if let Some(known) = self.joins.get_mut(&to) {
            if !known.join(state)? {
                return Ok(());
            }
        } else {
            self.joins.insert(to, state.clone());
        }
        self.open.push(to);
        Ok(())
    }

    /// Runs from where control flows together until it does so again.
    fn run(&mut self, from: usize) -> Result<Run, Malformed> {
        let Some(mut state) = self.joins.get(&from).cloned() else {
            return Ok(Run::Done);
        };
        let mut at = from;
        loop {
            if self.look == Look::BeforeSuper && !state.before_super {
                return Ok(Run::Done);
            }
            let instruction = Instruction::read(self.code, at)?;
            let subroutine = matches!(instruction.opcode, JSR | JSR_W | RET);
            self.steps += 1 + self.handlers.len() + state.stack.len();
            if self.steps > MOST_STEPS || (subroutine && state.before_super) {
                return Ok(Run::GivenUp);
            }
            self.flow_to_handlers(at, &state)?;
            if !self.step(instruction, &mut state)? {
                return Ok(Run::Done);
            }
            at = instruction.end();
            if self.joins.contains_key(&at) {
                self.flow(at, &state)?;
                return Ok(Run::Done);
            }
        }
    }

    fn flow_to_handlers(&mut self, at: usize, state: &State) -> Result<(), Malformed> {
        for handler in self.handlers {
            if (handler.start..handler.end).contains(&at) {
                let caught = State {
                    before_super: state.before_super,
                    depth: 1,
                    stack: Vec::new(),
                    locals: state.locals.clone(),
                };
                self.flow(handler.target, &caught)?;
            }
        }
        Ok(())
    }

    /// Executes one instruction; says whether the next one may follow.
    fn step(&mut self, instruction: Instruction, state: &mut State) -> Result<bool, Malformed> {
        let Instruction { at, opcode, .. } = instruction;
        if state.before_super {
            let seen = if state.local(0) == THIS {
                BeforeSuper::ThisInLocal0
            } else {
                BeforeSuper::Other
            };
            let known = self.findings.before_super.entry(at).or_insert(seen);
            if seen == BeforeSuper::Other && *known == BeforeSuper::ThisInLocal0 {
                *known = seen;
            }
        }
        let operand = || bytes::u2_at(self.code, at + 1).ok_or(Malformed("lacks an operand"));
        let byte = |index: usize| self.code.get(at + index).copied().unwrap_or_default();
        match opcode {
            ALOAD => state.push(state.local(byte(1).into())),
            ALOAD_0..=ALOAD_3 => state.push(state.local((opcode - ALOAD_0).into())),
            WIDE => {
                let slot = bytes::u2_at(self.code, at + 2).unwrap_or_default();
                match byte(1) {
                    ALOAD => state.push(state.local(slot.into())),
                    store @ ISTORE..=ASTORE => store_to(state, store, slot.into())?,
                    RET => return Ok(false),
                    other => {
                        let (pops, pushes) = stack_effect(other);
                        state.pop_many(pops.into())?;
                        state.push_plain(pushes.into());
                    }
                }
            }
            ISTORE..=ASTORE => store_to(state, opcode, byte(1).into())?,
            ISTORE_0..=ASTORE_3 => {
                let number = opcode - ISTORE_0;
                store_to(state, ISTORE + number / 4, (number % 4).into())?;
            }
            DUP => state.duplicate(1, 0)?,
            DUP_X1 => state.duplicate(1, 1)?,
            DUP_X2 => state.duplicate(1, 2)?,
            DUP2 => state.duplicate(2, 0)?,
            DUP2_X1 => state.duplicate(2, 1)?,
            DUP2_X2 => state.duplicate(2, 2)?,
            SWAP => {
                let (top, below) = (state.pop()?, state.pop()?);
                state.push(top);
                state.push(below);
            }
            GETSTATIC..=PUTFIELD => {
                let (_, descriptor) = self.class.pool.member(operand()?)?;
                let slots = descriptor::slots(descriptor)?;
                match opcode {
                    GETSTATIC => state.push_plain(slots),
                    PUTSTATIC => {
                        state.pop_many(slots)?;
                    }
                    GETFIELD => {
                        state.pop()?;
                        state.push_plain(slots);
                    }
                    _ => {
                        state.pop_many(slots + 1)?;
                    }
                }
            }
            INVOKEVIRTUAL..=INVOKEDYNAMIC => self.invoke(instruction, operand()?, state)?,
            NEW => state.push(made_at(at)),
            MULTIANEWARRAY => {
                state.pop_many(byte(3).into())?;
                state.push_plain(1);
            }
            IRETURN..=RETURN | ATHROW | RET => return Ok(false),
            JSR | JSR_W => {
                // The subroutine is looked at as if it came back with the stack
                // and the locals it was given.
                let mut called = state.clone();
                called.push_plain(1);
                self.flow(self.target(instruction)?, &called)?;
            }
            GOTO | GOTO_W => {
                self.flow(self.target(instruction)?, state)?;
                return Ok(false);
            }
            TABLESWITCH | LOOKUPSWITCH => {
                state.pop()?;
                let targets = Switch::read(self.code, at)?.offsets();
                for offset in targets {
                    let offset = bytes::i4_at(self.code, offset).unwrap_or_default();
                    self.steps += 1;
                    self.flow(instruction.relative(offset)?, state)?;
                }
                return Ok(false);
            }
            _ => {
                let (pops, pushes) = stack_effect(opcode);
                let marked = state.pop_many(pops.into())?;
                state.push_plain(pushes.into());
                if marked && matches!(opcode, IF_ACMPEQ | IF_ACMPNE | IFNULL | IFNONNULL) {
                    self.findings.comparisons.push(at);
                }
                if let Some(target) = instruction.target(self.code)? {
                    self.flow(target, state)?;
                }
            }
        }
        Ok(true)
    }

    fn target(&self, branch: Instruction) -> Result<usize, Malformed> {
        let target = branch.target(self.code)?;
        target.ok_or(Malformed("has a branch without a target"))
    }

    fn invoke(
        &mut self,
        instruction: Instruction,
        member: u16,
        state: &mut State,
    ) -> Result<(), Malformed> {
        let (name, descriptor) = self.class.pool.member(member)?;
        let shape = descriptor::method(descriptor)?;
        state.pop_many(shape.argument_slots)?;
        match instruction.opcode {
            INVOKESTATIC | INVOKEDYNAMIC => {}
            INVOKESPECIAL if name == b"<init>" => {
                let receiver = state.pop()?;
                if receiver == THIS {
                    let call = self.findings.before_super.get_mut(&instruction.at);
                    if let Some(seen) = call {
                        *seen = BeforeSuper::Call;
                    }
                    state.before_super = false;
                }
                if receiver != PLAIN {
                    state.initialise(receiver);
                }
            }
            _ => {
                state.pop()?;
            }
        }
        state.push_plain(shape.result_slots);
        Ok(())
    }
}

/// A store takes the place of whatever was in its locals.
fn store_to(state: &mut State, opcode: u8, slot: usize) -> Result<(), Malformed> {
    let mark = state.pop()?;
    state.set_local(slot, mark);
    // lstore and dstore
    if matches!(opcode - ISTORE, 1 | 3) {
        state.pop()?;
        state.set_local(slot + 1, PLAIN);
    }
    Ok(())
}

/// Whether a method makes objects and compares references.
pub(super) fn may_compare_uninitialised(method: &Method<'_>, code: &[u8]) -> bool {
    let (mut makes, mut compares) = (method.is_constructor(), false);
    for instruction in instructions::instructions(code).map_while(Result::ok) {
        match instruction.opcode {
            NEW => makes = true,
            IF_ACMPEQ | IF_ACMPNE | IFNULL | IFNONNULL => compares = true,
            _ => {}
        }
    }
    makes && compares
}
