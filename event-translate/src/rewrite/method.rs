//! Rewrites the code of one method (JVMS §4.7.3).

use super::bytes::{Malformed, Put, Reader, i4_at};
use super::class_file::{Attribute, ClassFile, CodeAttribute, Method};
use super::constant_pool::Additions;
use super::exceptions::{self, CatchAny, Handler};
use super::fragments::Fragments;
use super::frames::Type;
use super::instructions::{Instruction, Switch, instructions};
use super::layout::{Layout, Place};
use super::leaving::{self, Detour, Locked, may_tell};
use super::opcodes::{
    ATHROW, GOTO_W, IFEQ, IFNONNULL, IFNULL, IRETURN, JSR, JSR_W, LOOKUPSWITCH, MONITOREXIT, RET,
    RETURN, TABLESWITCH, never_throws,
};
use super::stack_map::{self, HandlerFrame, UNINITIALIZED_THIS};
use super::uninitialized::{self, BeforeSuper, Findings, Look};
use super::{MethodRefusal, Wish, descriptor, tables};

/// The first version whose verifier wants a `StackMapTable`.
const STACK_MAPS: u16 = 50;

/// What one method's rewriting needs and the next one's can use again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    handlers: Vec<Handler>,
    layout: Layout,
    fragments: Fragments,
    /// Instructions that change or have something inserted before them.
    sites: Vec<Instruction>,
    runs: Vec<Run>,
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

/// What is worth knowing of a method that was rewritten.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// It is a constructor no handler could be given to.
    pub(super) uncovered: bool,
    /// Comparisons whose operands the hook does not get.
    pub(super) without_operands: Vec<usize>,
}

/// Code that one handler of ours covers, as indices into the new code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: u32,
    end: u32,
    locals: HandlerLocals,
    /// An instruction in it may throw.
    throws: bool,
}

/// The parts of a Code attribute.
struct Code<'a> {
    max_stack: u16,
    max_locals: u16,
    code: &'a [u8],
    attributes: Reader<'a>,
}

impl<'a> Code<'a> {
    fn read(info: &'a [u8], handlers: &mut Vec<Handler>) -> Result<Self, Malformed> {
        let mut reader = Reader::new(info);
        let max_stack = reader.u2()?;
        let max_locals = reader.u2()?;
        let code = reader.take_counted()?;
        if code.is_empty() || code.len() > usize::from(u16::MAX) {
            return Err(Malformed("has no code, or too much"));
        }
        exceptions::read(&mut reader, handlers)?;
        Ok(Self {
            max_stack,
            max_locals,
            code,
            attributes: reader,
        })
    }

    fn stack_map(&self, class: &ClassFile<'a>) -> Result<Option<&'a [u8]>, Malformed> {
        let mut reader = self.attributes;
        for _ in 0..reader.u2()? {
            let attribute = Attribute::read(&mut reader, &class.pool)?;
            if attribute.name == b"StackMapTable" {
                return Ok(Some(attribute.info));
            }
        }
        Ok(None)
    }
}

/// A method to rewrite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) class: &'a ClassFile<'a>,
    pub(super) method: &'a Method<'a>,
    pub(super) code: CodeAttribute<'a>,
    pub(super) wish: &'a Wish<'a>,
    /// What its hooks are told.
    pub(super) number: i32,
}

/// Appends the rewritten `method_info` to `out`. After an error what was
/// appended to `out` and `additions` means nothing.
pub(super) fn rewrite(
    job: Job<'_>,
    additions: &mut Additions<'_>,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Outcome, MethodRefusal> {
    let Job {
        class,
        method,
        wish,
        ..
    } = job;
    let code = Code::read(job.code.info, &mut scratch.handlers)?;
    // A finalize() of nothing but `return` tells HotSpot that there is nothing
    // to finalize; in Object it would make every class finalizable (measured:
    // the VM crashes at its start).
    if method.name() == b"finalize" && code.code == [RETURN] {
        return Err(MethodRefusal::EmptyFinalizer);
    }
    let receiver = !method.is_static() && !method.is_constructor();
    let findings = find(job, &code, &scratch.handlers)?;
    let (mut locked, mut detours) = (Locked::Nothing, Vec::new());
    if wish.monitors {
        let info = code.stack_map(class)?;
        locked = leaving::locked(class, method, code.code, info)?;
        // The verifiers of older versions read no frames.
        let frames = (class.major >= STACK_MAPS).then_some(info);
        let handlers = &scratch.handlers;
        detours = leaving::detours(class, method, code.code, handlers, frames, additions)?;
    }
    scratch
        .fragments
        .prepare(wish, job.number, receiver, locked, additions)?;
    let this = if locked == Locked::Receiver {
        Some(Type::Object(additions.class(class.name())?))
    } else {
        None
    };
    let plan = plan(&code, wish, findings.as_ref(), this, &detours, scratch)?;

    out.extend_from_slice(job.code.before);
    let length_at = out.len();
    out.put_u4(0);
    out.put_u2(plan.max_stack);
    out.put_u2(code.max_locals);
    out.put_u4(plan.length);
    write_code(&code, wish, findings.as_ref(), scratch, additions, out)?;
    let frames = &plan.frames;
    for _ in plan.detours.len()..frames.len() {
        out.extend_from_slice(&scratch.fragments.unwind);
    }
    let layout = &scratch.layout;
    for detour in &detours {
        out.extend_from_slice(&detour.code);
        out.put_u1(ATHROW);
    }
    exceptions::write(&scratch.handlers, &plan.detours, &plan.catches, layout, out)?;
    write_attributes(class, &code, frames, layout, additions, out)?;
    let length = u32::try_from(out.len() - length_at - 4).map_err(|_| MethodRefusal::TooLarge)?;
    out.patch(length_at, &length.to_be_bytes());
    out.extend_from_slice(job.code.after);
    Ok(Outcome {
        uncovered: wish.exit && !plan.covered,
        without_operands: findings.map_or_else(Vec::new, |findings| findings.comparisons),
    })
}

/// Looks for uninitialised objects where they matter. `None`: it cannot be told
/// where they are.
fn find(
    job: Job<'_>,
    code: &Code<'_>,
    handlers: &[Handler],
) -> Result<Option<Findings>, MethodRefusal> {
    let Job {
        class,
        method,
        wish,
        ..
    } = job;
    let constructs = method.is_constructor() && class.has_super && wish.exit;
    let compares = wish.instructions && uninitialized::may_compare_uninitialised(method, code.code);
    let look = match (constructs, compares) {
        (_, true) => Look::Everywhere,
        (true, false) => Look::BeforeSuper,
        (false, false) => return Ok(Some(Findings::default())),
    };
    let Some(findings) = uninitialized::explore(class, method, code.code, handlers, look)? else {
        return Ok(None);
    };
    if constructs && let Some(info) = code.stack_map(class)? {
        let arguments = descriptor::method(method.descriptor())?.arguments;
        let frames = stack_map::before_super(info, arguments)?;
        // Code that nothing leads to is verified by its frame all the same.
        if frames
            .iter()
            .any(|at| !findings.before_super.contains_key(at))
        {
            return Ok(None);
        }
    }
    Ok(Some(findings))
}

/// Sizes and places in the new code.
struct Plan {
    max_stack: u16,
    length: u32,
    frames: Vec<HandlerFrame>,
    catches: Vec<CatchAny>,
    /// Handlers of the original code that are reached by a detour, and where that begins.
    detours: Vec<(usize, u32)>,
    /// An exception that leaves the method is seen, but for that of `super()`.
    covered: bool,
}

fn plan(
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
        if wish.instructions {
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
fn operands(instruction: Instruction, findings: Option<&Findings>) -> bool {
    // Not told where uninitialised objects are, we hand out no references.
    findings.map_or(!compares_references(instruction.opcode), |findings| {
        !findings.comparisons.contains(&instruction.at)
    })
}

fn compares_references(opcode: u8) -> bool {
    use super::opcodes::{IF_ACMPEQ, IF_ACMPNE};
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

fn as_u4(value: usize) -> Result<u32, MethodRefusal> {
    u32::try_from(value).map_err(|_| MethodRefusal::TooLarge)
}

fn write_code(
    code: &Code<'_>,
    wish: &Wish<'_>,
    findings: Option<&Findings>,
    scratch: &Scratch,
    additions: &mut Additions<'_>,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let Scratch {
        layout,
        fragments,
        sites,
        handlers,
        ..
    } = scratch;
    let bytes = code.code;
    out.extend_from_slice(&fragments.enter);
    let mut copied = 0;
    for site in sites {
        out.extend_from_slice(bytes.get(copied..site.at).unwrap_or_default());
        copied = site.end();
        if wish.instructions {
            fragments.instruction(*site, operands(*site, findings), additions, out)?;
        }
        let at = layout.place(site.at)?.at;
        match site.opcode {
            TABLESWITCH | LOOKUPSWITCH => write_switch(bytes, *site, layout, out)?,
            opcode => {
                if matches!(opcode, IRETURN..=RETURN) {
                    out.extend_from_slice(&fragments.exit);
                    out.extend_from_slice(&fragments.leave_method);
                } else if opcode == MONITOREXIT && may_tell(handlers, site.at) {
                    out.extend_from_slice(&fragments.leave);
                }
                match site.target(bytes)? {
                    Some(target) => {
                        let offset = offset(at, layout.entry(target)?);
                        out.put_u1(opcode);
                        if matches!(opcode, GOTO_W | JSR_W) {
                            out.extend_from_slice(&offset.to_be_bytes());
                        } else {
                            let short = i16::try_from(offset);
                            let short = short.map_err(|_| MethodRefusal::BranchTooFar)?;
                            out.extend_from_slice(&short.to_be_bytes());
                        }
                    }
                    None => {
                        let same = bytes.get(site.at..copied);
                        out.extend_from_slice(same.unwrap_or_default());
                    }
                }
            }
        }
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    Ok(())
}

/// Both are below 2²¹: code of 65535 bytes with some 20 inserted at each.
fn offset(from: u32, to: u32) -> i32 {
    to.cast_signed().wrapping_sub(from.cast_signed())
}

fn write_switch(
    code: &[u8],
    site: Instruction,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let at = layout.place(site.at)?.at;
    out.put_u1(site.opcode);
    for _ in 0..3 - at % 4 {
        out.put_u1(0);
    }
    let switch = Switch::read(code, site.at)?;
    let operands_at = out.len();
    let operands = code.get(switch.operands..switch.end);
    out.extend_from_slice(operands.unwrap_or_default());
    for field in switch.offsets() {
        let old = i4_at(code, field).ok_or(Malformed("has a short switch"))?;
        let target = layout.entry(site.relative(old)?)?;
        let new = offset(at, target);
        out.patch(operands_at + field - switch.operands, &new.to_be_bytes());
    }
    Ok(())
}

fn write_attributes(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    frames: &[HandlerFrame],
    layout: &Layout,
    additions: &mut Additions<'_>,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let throwable = if frames.is_empty() || class.major < STACK_MAPS {
        0
    } else {
        additions.throwable()?
    };
    // The verifiers of older versions read no frames.
    let frames = if class.major < STACK_MAPS {
        &[]
    } else {
        frames
    };
    let mut reader = code.attributes;
    let count = reader.u2()?;
    let count_at = out.len();
    let mut written = count;
    out.put_u2(0);
    let mut mapped = false;
    for _ in 0..count {
        let attribute = Attribute::read(&mut reader, &class.pool)?;
        if attribute.name == b"StackMap" {
            // CLDC's; no VM of ours reads it, and it would be wrong.
            written -= 1;
            continue;
        }
        out.put_u2(attribute.name_index);
        if attribute.name == b"StackMapTable" {
            if mapped {
                return Err(Malformed("has two StackMapTables").into());
            }
            mapped = true;
            write_stack_map(Some(attribute.info), layout, frames, throwable, out)?;
            continue;
        }
        out.put_u4(as_u4(attribute.info.len())?);
        let at = out.len();
        let info = attribute.info;
        out.extend_from_slice(info);
        match attribute.name {
            b"LineNumberTable" => tables::line_numbers(info, layout, out, at)?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                tables::local_variables(info, layout, out, at)?;
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                tables::type_annotations(info, layout, out, at);
            }
            _ => {}
        }
    }
    reader.finish()?;
    if !mapped && !frames.is_empty() {
        written = written.checked_add(1).ok_or(Malformed("is too full"))?;
        out.put_u2(additions.stack_map_name()?);
        write_stack_map(None, layout, frames, throwable, out)?;
    }
    out.patch(count_at, &written.to_be_bytes());
    Ok(())
}

fn write_stack_map(
    info: Option<&[u8]>,
    layout: &Layout,
    frames: &[HandlerFrame],
    throwable: u16,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let length_at = out.len();
    out.put_u4(0);
    stack_map::rewrite(info, layout, frames, throwable, out)?;
    let length = as_u4(out.len() - length_at - 4)?;
    out.patch(length_at, &length.to_be_bytes());
    Ok(())
}
