//! Rewrites the code of one method (JVMS §4.7.3).

mod code;
mod plan;
mod write;

use super::bytes::Put;
use super::class_file::{ClassFile, CodeAttribute, Method};
use super::constant_pool::Additions;
use super::exceptions::{self, Handler};
use super::fragments::Locked;
use super::frames;
use super::leaving;
use super::opcodes::{ATHROW, RETURN};
use super::refusal::MethodRefusal;
use super::stack_map::Type;
use super::uninitialized::{self, Findings, Look};
use super::wish::Wish;
use code::{Code, STACK_MAPS};
pub(super) use plan::Scratch;
use plan::plan;
use write::{write_attributes, write_code};

/// What is worth knowing of a method that was rewritten.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// It is a constructor no handler could be given to.
    pub(super) uncovered: bool,
    /// Comparisons whose operands the hook does not get.
    pub(super) without_operands: Vec<usize>,
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
    // A VM to come may take them, and want frames that only previews have so far.
    if method.is_constructor() && class.strict_without_preview {
        return Err(MethodRefusal::StrictFields);
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
    scratch.fragments.prepare(
        wish,
        job.number,
        receiver,
        locked,
        (wish.of_sleep(class, method), wish.of_park(class, method)),
        additions,
    )?;
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
    let constructs = method.is_constructor() && class.superclass().is_some() && wish.exit;
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
        let frames = frames::before_super(info, class, method)?;
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
