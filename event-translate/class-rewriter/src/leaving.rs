//! Where methods leave monitors, and which ones: what [`Hook::Leave`] needs.
//!
//! A synchronized block has a handler that leaves the monitor and throws again (JVMS
//! §3.14), and compilers have it cover itself. No hook may stand in it: if its call found
//! no room on the stack, it would be tried for ever. So it stays as it is, and whatever
//! led to it leads to a *detour* of ours first, from which everything that happens leads
//! back to it.

use super::bytes::Malformed;
use super::class_file::{ClassFile, CodeAttribute, Method};
use super::constant_pool::Additions;
use super::exceptions::Handler;
use super::fragments::{self, Locked};
use super::frames;
use super::hooks::Hook;
use super::instructions::{Instruction, instructions};
use super::opcodes::{ALOAD, ALOAD_0, ALOAD_3, ASTORE, ASTORE_0, ASTORE_3, MONITOREXIT, WIDE};
use super::refusal::MethodRefusal;
use super::stack_map::{Type, UNINITIALIZED_THIS};

/// Whether there may be a `monitorexit`: the byte occurs in the attribute.
pub(super) fn is_in(code: &CodeAttribute<'_>) -> bool {
    code.info.contains(&MONITOREXIT)
}

/// What a synchronized method leaves when it ends. `stack_map`: its frames, if it has any.
pub(super) fn locked<'a>(
    class: &'a ClassFile<'_>,
    method: &Method<'_>,
    code: &[u8],
    stack_map: Option<&[u8]>,
) -> Result<Locked<'a>, Malformed> {
    /// The first version that can load its own class as a constant.
    const CLASS_CONSTANTS: u16 = 49;
    Ok(if !method.is_synchronized() || method.is_constructor() {
        Locked::Nothing
    } else if method.is_static() {
        if class.major >= CLASS_CONSTANTS {
            Locked::Class(class.name())
        } else {
            Locked::Caller
        }
    } else if writes_local_0(code) {
        Locked::Nothing
    } else {
        let stays = match stack_map {
            Some(info) => frames::keep_this(info, class, method)?,
            None => true,
        };
        if stays {
            Locked::Receiver
        } else {
            Locked::Nothing
        }
    })
}

/// Whether something is stored where `this` was, or that cannot be told.
fn writes_local_0(code: &[u8]) -> bool {
    instructions(code).any(|instruction| {
        let Ok(instruction) = instruction else {
            return true;
        };
        let operand = |at: usize| code.get(instruction.at + at).copied();
        match instruction.opcode {
            59 | 63 | 67 | 71 | 75 => true,
            54..=58 => operand(1) == Some(0),
            WIDE => {
                matches!(operand(1), Some(54..=58))
                    && operand(2) == Some(0)
                    && operand(3) == Some(0)
            }
            _ => false,
        }
    })
}

/// Whether a hook may stand before this instruction: not in a handler that covers itself.
pub(super) fn may_tell(handlers: &[Handler], at: usize) -> bool {
    !handlers
        .iter()
        .any(|handler| handler.start <= at && at < handler.end && handler.target <= at)
}

/// What stands between the code that a handler covers and the handler.
#[derive(Debug)]
pub(super) struct Detour {
    /// The handler, in the original code.
    pub(super) target: usize,
    /// Loads the monitor's object and calls the hook.
    pub(super) code: Vec<u8>,
    /// The handler's own frame; nothing where no verifier reads frames.
    pub(super) locals: Vec<Type>,
    pub(super) caught: Option<Type>,
}

/// Finds the handlers that need one.
pub(super) fn detours(
    class: &ClassFile<'_>,
    method: &Method<'_>,
    code: &[u8],
    handlers: &[Handler],
    stack_map: Option<Option<&[u8]>>,
    additions: &mut Additions<'_>,
) -> Result<Vec<Detour>, MethodRefusal> {
    let mut found: Vec<Detour> = Vec::new();
    for handler in handlers.iter().filter(|handler| handler.leads_in()) {
        let target = handler.target;
        if found.iter().any(|detour| detour.target == target) {
            continue;
        }
        let Some((load, exit)) = loads_what_it_leaves(code, target) else {
            continue;
        };
        if may_tell(handlers, exit) {
            // It has a hook of its own.
            continue;
        }
        let (mut locals, mut caught) = (Vec::new(), None);
        if let Some(info) = stack_map {
            let mut frame = None;
            frames::walk(
                info.unwrap_or(&[0, 0]),
                class,
                method,
                |at, locals, stack| {
                    if at == target {
                        frame = Some((locals.to_vec(), stack.first().copied()));
                    }
                },
            )?;
            let Some((known, stack)) = frame else {
                continue;
            };
            for type_ in known {
                locals.push(frames::settled(type_, class, method, additions)?);
            }
            caught = stack;
        }
        if class.has_strict_fields() && locals.contains(&Type::Plain(UNINITIALIZED_THIS)) {
            // Which fields are set there is not known here.
            continue;
        }
        let mut detour = load.to_vec();
        fragments::call(Hook::Leave, additions, &mut detour)?;
        found.push(Detour {
            target,
            code: detour,
            locals,
            caught,
        });
    }
    Ok(found)
}

/// The beginning of a handler as compilers write it, the exception stored or left on the
/// stack, the object loaded, `monitorexit`: the load and the index of `monitorexit`.
fn loads_what_it_leaves(code: &[u8], target: usize) -> Option<(&[u8], usize)> {
    let mut instruction = Instruction::read(code, target).ok()?;
    let stored = variable(code, instruction, ASTORE, ASTORE_0..=ASTORE_3);
    if stored.is_some() {
        instruction = Instruction::read(code, instruction.end()).ok()?;
    }
    let loaded = variable(code, instruction, ALOAD, ALOAD_0..=ALOAD_3)?;
    let exit = Instruction::read(code, instruction.end()).ok()?;
    let fits = exit.opcode == MONITOREXIT && stored != Some(loaded);
    let load = code.get(instruction.at..instruction.end())?;
    fits.then_some((load, exit.at))
}

/// The local variable of a load or a store.
fn variable(
    code: &[u8],
    instruction: Instruction,
    long: u8,
    short: std::ops::RangeInclusive<u8>,
) -> Option<u16> {
    let operand = |at: usize| code.get(instruction.at + at).copied();
    match instruction.opcode {
        opcode if opcode == long => operand(1).map(u16::from),
        WIDE if operand(1) == Some(long) => Some(u16::from_be_bytes([operand(2)?, operand(3)?])),
        opcode if short.contains(&opcode) => Some(u16::from(opcode - short.start())),
        _ => None,
    }
}
