//! Inserts hook calls into class files.
//!
//! A class file goes in, one whose methods call static methods of a *hook class*
//! comes out: at their beginning, before each return, when an exception leaves
//! them, and, if wanted, before each instruction. Everything that the calls move
//! is moved; everything else, the constants above all, stays byte for byte.
//!
//! ```
//! use class_rewriter::{ClassFile, Entry, Wish, hook_class, rewrite};
//!
//! // A class file like any other.
//! let bytes = hook_class("java/lang/Hooks", "java/lang/Object", Some("/lib/libhooks.so"));
//! let wish = Wish {
//!     hook_class: "java/lang/Hooks",
//!     entry: Entry::Number,
//!     exit: true,
//!     instructions: false,
//!     monitors: false,
//!     sleeps: false,
//!     parks: false,
//! };
//! let class = ClassFile::read(&bytes)?;
//! let base = 1000; // its methods have the numbers up to base + class.methods().len()
//! let result = rewrite(&class, &wish, base, |method| method.name() == b"bind")?;
//! assert_eq!((result.hooked, result.refused.len()), (1, 0));
//! # Ok::<_, class_rewriter::Refusal>(())
//! ```
//!
//! # What is seen of a constructor
//!
//! Its entry hook gets no receiver, there is none yet. An exception out of the
//! call of the superclass's constructor (or of `this(…)`) leaves unseen: code
//! with a handler around that call does not verify. One out of the evaluation of
//! its arguments is seen.
//!
//! # What hooks must not do
//!
//! Throw. If one does (a `StackOverflowError` on its call), the method's own
//! handlers see it, ours only where it was an instruction's.
//!
//! # References
//!
//! The Java Virtual Machine Specification (JVMS), chapter 4.
#![forbid(unsafe_code)]

mod annotations;
pub mod branches;
mod bytes;
mod class_file;
mod constant_pool;
mod descriptor;
mod exceptions;
mod fragments;
mod frames;
mod hook_class;
mod hooks;
mod instructions;
mod layout;
mod leaving;
mod lock_depths;
mod method;
mod opcodes;
mod refusal;
mod small;
mod stack_map;
mod tables;
mod uninitialized;
mod wish;

pub use bytes::Malformed;
pub use class_file::{ClassFile, Method};
pub use hook_class::hook_class;
pub use hooks::{CONTENDED, CONTENDED_TYPE, HOOKS, Hook, LEAVES, LEAVES_CALLER};
pub use lock_depths::LockDepths;
pub use opcodes::MONITORENTER;
pub use refusal::{MethodRefusal, Refusal};
pub use small::SMALL;
pub use wish::{Entry, Wish};

use constant_pool::Additions;
use method::{Job, Scratch};

/// A class file with hooks.
#[derive(Debug)]
pub struct Rewritten {
    /// The class file; `None` if no method was changed.
    pub bytes: Option<Vec<u8>>,
    /// How many methods were changed.
    pub hooked: usize,
    /// Indices of methods with code that stayed as they were although they were
    /// to get hooks, with the reason.
    pub refused: Vec<(u16, MethodRefusal)>,
    /// Indices of constructors where no exception that leaves is seen.
    pub uncovered: Vec<u16>,
    /// Comparisons of references that may see an uninitialised object, which no
    /// verifier lets us hand out: method and index in its original code. They
    /// call [`Hook::Instruction`].
    pub without_operands: Vec<(u16, usize)>,
}

/// Inserts the hooks into all methods with code; those of entry and exit only into methods that
/// `select` takes.
///
/// A method's number, which its hooks get, is `base` plus its index.
///
/// # Errors
///
/// [`Refusal::NoNumbersLeft`]. Everything else concerns single methods and is
/// part of the result.
pub fn rewrite(
    class: &ClassFile<'_>,
    wish: &Wish<'_>,
    base: i32,
    mut select: impl FnMut(&Method<'_>) -> bool,
) -> Result<Rewritten, Refusal> {
    let mut result = Rewritten {
        bytes: None,
        hooked: 0,
        refused: Vec::new(),
        uncovered: Vec::new(),
        without_operands: Vec::new(),
    };
    if !wish.concerns_all() && !wish.monitors && !wish.sleeps && !wish.parks {
        return Ok(result);
    }
    let mut additions = Additions::to(&class.pool, wish.hook_class.as_bytes());
    let mut scratch = Scratch::default();
    let mut methods = Vec::with_capacity(class.length() + class.length() / 4);
    for method in class.methods() {
        let number = base.checked_add(method.index().into());
        let number = number.ok_or(Refusal::NoNumbersLeft)?;
        let unselected = wish.without_calls();
        let wish = if select(method) { wish } else { &unselected };
        let concerns = |code: &class_file::CodeAttribute<'_>| {
            let leaves = || method.is_synchronized() || leaving::is_in(code);
            wish.concerns_all()
                || wish.monitors && leaves()
                || wish.of_sleep(class, method).is_some()
                || wish.of_park(class, method).is_some()
        };
        let code = method.code.filter(|code| concerns(code));
        let Some(code) = code else {
            methods.extend_from_slice(method.whole);
            continue;
        };
        let start = methods.len();
        let mark = additions.mark();
        let job = Job {
            class,
            method,
            code,
            wish,
            number,
        };
        match method::rewrite(job, &mut additions, &mut scratch, &mut methods) {
            Ok(outcome) => {
                result.hooked += 1;
                if outcome.uncovered {
                    result.uncovered.push(method.index());
                }
                let without = outcome.without_operands.into_iter();
                let without = without.map(|at| (method.index(), at));
                result.without_operands.extend(without);
            }
            Err(reason) => {
                additions.back_to(mark);
                methods.truncate(start);
                methods.extend_from_slice(method.whole);
                result.refused.push((method.index(), reason));
            }
        }
    }
    if result.hooked == 0 {
        return Ok(result);
    }
    let (constants, count) = additions.finish();
    let parts = [
        class.head,
        &count.to_be_bytes(),
        class.constants,
        &constants,
        class.middle,
        &methods,
        class.tail,
    ];
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        bytes.extend_from_slice(part);
    }
    result.bytes = Some(bytes);
    Ok(result)
}
