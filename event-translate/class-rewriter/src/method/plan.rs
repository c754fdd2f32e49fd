//! The first walk over a method's code: the place of everything in the new code, and what
//! our handlers cover.

use super::code::{Code, as_u4};
use crate::exceptions::{CatchAny, Handler};
use crate::fragments::Fragments;
use crate::instructions::{Instruction, Switch, instructions};
use crate::layout::{Layout, Place};
use crate::leaving::{Detour, may_tell};
use crate::opcodes::{
    IFEQ, IFNONNULL, IFNULL, IRETURN, JSR, JSR_W, LOOKUPSWITCH, MONITOREXIT, RET, RETURN,
    TABLESWITCH, never_throws,
};
use crate::refusal::MethodRefusal;
use crate::stack_map::{HandlerFrame, Type, UNINITIALIZED_THIS};
use crate::uninitialized::{BeforeSuper, Findings};
use crate::wish::Wish;

/// What one method's rewriting needs and the next one's can use again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) handlers: Vec<Handler>,
    pub(super) layout: Layout,
    pub(super) fragments: Fragments,
    /// Instructions that change or have something inserted before them.
    pub(super) sites: Vec<Instruction>,
    pub(super) runs: Vec<Run>,
}

/// The locals that the frame of a handler of ours has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandlerLocals {
    /// None: any code may be covered that has initialised `this`.
    None,
    /// `this`, for a hook that gets it.
    This,
    /// `this`, uninitialised: a frame without it cannot be reached before the
    /// call of the superclass's constructor.
    UninitializedThis,
}

/// Code that one handler of ours covers, as indices into the new code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    start: u32,
    end: u32,
    locals: HandlerLocals,
    /// An instruction in it may throw.
    throws: bool,
}

/// Sizes and places in the new code.
pub(super) struct Plan {
    pub(super) max_stack: u16,
    pub(super) length: u32,
    pub(super) frames: Vec<HandlerFrame>,
    pub(super) catches: Vec<CatchAny>,
    /// Handlers of the original code that are reached by a detour, and where that begins.
    pub(super) detours: Vec<(usize, u32)>,
    /// An exception that leaves the method is seen, but for that of `super()`.
    pub(super) covered: bool,
}

/// The first walk.
pub(super) fn plan(
    code: &Code<'_>,
    wish: &Wish<'_>,
    findings: Option<&Findings>,
    this: Option<Type>,
    detours: &[Detour],
    scratch: &mut Scratch,
) -> Result<Plan, MethodRefusal> {
    let Scratch {
        layout,
        fragments,
        sites,
        runs,
        handlers,
    } = scratch;
    let unwinds = !fragments.unwind.is_empty();
    let usual = if this.is_some() {
        HandlerLocals::This
    } else {
        HandlerLocals::None
    };
    layout.clear(code.code.len());
    sites.clear();
    runs.clear();
    let mut extra_stack = u16::from(unwinds || wish.monitors);
    let mut next = fragments.enter.len();
    for instruction in instructions(code.code) {
        let instruction = instruction?;
        let opcode = instruction.opcode;
        let entry = next;
        if wish.instructions && may_tell(handlers, instruction.at) {
            let operands = operands(instruction, findings);
            let (length, slots) = fragments.instruction_size(instruction, operands)?;
            next += length;
            extra_stack = extra_stack.max(slots);
        }
        let returns = matches!(opcode, IRETURN..=RETURN);
        if returns {
            next += fragments.exit.len() + fragments.leave_method.len();
        }
        let leaves = opcode == MONITOREXIT && wish.monitors && may_tell(handlers, instruction.at);
        if leaves {
            next += fragments.leave.len();
        }
        let place = Place {
            entry: as_u4(entry)?,
            at: as_u4(next)?,
        };
        layout.set(instruction.at, place);
        next += match opcode {
            TABLESWITCH | LOOKUPSWITCH => {
                let operands = Switch::read(code.code, instruction.at)?.operands;
                // The opcode, the new padding and the operands.
                (4 - next % 4) + (instruction.end() - operands)
            }
            _ => instruction.length,
        };
        if wish.instructions || leaves || moves(opcode) {
            sites.push(instruction);
        }
        // Neither the exit hook nor its return: an exception out of them must
        // not be seen as a second exit.
        if unwinds && !returns {
            let end = as_u4(next)?;
            cover(runs, instruction, findings, usual, place.entry, end);
        }
    }
    let end = as_u4(next)?;
    layout.set(
        code.code.len(),
        Place {
            entry: end,
            at: end,
        },
    );

    let mut plan = Plan {
        max_stack: 0,
        length: 0,
        frames: Vec::new(),
        catches: Vec::new(),
        detours: Vec::new(),
        covered: findings.is_some(),
    };
    runs.retain(|run| run.throws);
    let mut targets = Vec::new();
    for locals in [usual, HandlerLocals::UninitializedThis] {
        if runs.iter().any(|run| run.locals == locals) {
            let at = as_u4(next)?;
            targets.push((locals, at));
            plan.frames.push(HandlerFrame {
                at,
                locals: match locals {
                    HandlerLocals::None => Vec::new(),
                    HandlerLocals::This => this.into_iter().collect(),
                    HandlerLocals::UninitializedThis => vec![Type::Plain(UNINITIALIZED_THIS)],
                },
                caught: None,
            });
            next += fragments.unwind.len();
        }
    }
    for run in runs.iter() {
        let target = targets.iter().find(|(locals, _)| *locals == run.locals);
        plan.catches.extend(target.map(|&(_, target)| CatchAny {
            start: run.start,
            end: run.end,
            target,
        }));
    }
    for detour in detours {
        /// `athrow`, into the handler: C1 compiles no method in which a handler is reached
        /// without an exception.
        const BACK: usize = 1;
        let at = as_u4(next)?;
        let end = next + detour.code.len() + BACK;
        plan.detours.push((detour.target, at));
        plan.frames.push(HandlerFrame {
            at,
            locals: detour.locals.clone(),
            caught: detour.caught,
        });
        plan.catches.push(CatchAny {
            start: at,
            end: as_u4(end)?,
            target: layout.entry(detour.target)?,
        });
        next = end;
    }
    if next > usize::from(u16::MAX) {
        return Err(MethodRefusal::TooLarge);
    }
    plan.length = as_u4(next)?;
    let deeper = code.max_stack.checked_add(extra_stack);
    // The entry hook's and a handler's operands stand alone on the stack.
    plan.max_stack = deeper.ok_or(MethodRefusal::StackTooDeep)?.max(2);
    Ok(plan)
}

/// An instruction that cannot be copied as it is, or has an exit hook.
fn moves(opcode: u8) -> bool {
    matches!(opcode, IFEQ..=JSR | TABLESWITCH..=RETURN | IFNULL..=JSR_W) && opcode != RET
}

/// Whether a hook may have the operands of a comparison.
pub(super) fn operands(instruction: Instruction, findings: Option<&Findings>) -> bool {
    // Not told where uninitialised objects are, we hand out no references.
    findings.map_or(!compares_references(instruction.opcode), |findings| {
        !findings.comparisons.contains(&instruction.at)
    })
}

fn compares_references(opcode: u8) -> bool {
    use crate::opcodes::{IF_ACMPEQ, IF_ACMPNE};
    matches!(opcode, IF_ACMPEQ | IF_ACMPNE | IFNULL | IFNONNULL)
}

/// Adds an instruction to the code that is covered by a handler.
fn cover(
    runs: &mut Vec<Run>,
    instruction: Instruction,
    findings: Option<&Findings>,
    usual: HandlerLocals,
    start: u32,
    end: u32,
) {
    let Some(findings) = findings else {
        return;
    };
    let locals = match findings.before_super.get(&instruction.at) {
        None => usual,
        Some(BeforeSuper::ThisInLocal0) => HandlerLocals::UninitializedThis,
        // A handler that covers the call of super() does not verify, nor does
        // one that needs `this` where it is not.
        Some(BeforeSuper::Other | BeforeSuper::Call) => return,
    };
    let throws = !never_throws(instruction.opcode);
    match runs.last_mut() {
        Some(run) if run.locals == locals && run.end == start => {
            run.end = end;
            run.throws |= throws;
        }
        _ => runs.push(Run {
            start,
            end,
            locals,
            throws,
        }),
    }
}
