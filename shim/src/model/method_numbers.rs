//! The numbers by which rewritten code calls its methods, and the id behind each.
//!
//! A class keeps its numbers for life. The id is filled in when the class is prepared, or
//! at the first call, from the stack.

use id_map::MethodNumbers;

use crate::vm::member_ids::MethodId;

/// What rewritten code calls its methods: the id that CLASS_LOAD announced, and
/// [`CONSTRUCTOR`].
static NUMBERS: MethodNumbers = MethodNumbers::new();

/// The lowest bit; the id, which is a pointer or a small number (JDK 26), above it.
const CONSTRUCTOR: usize = 1;
const ID: u32 = 1;

/// The method of this number has this id, under which CLASS_LOAD announces it.
pub(crate) fn set(number: i32, id: MethodId, is_constructor: bool) {
    let bit = usize::from(is_constructor);
    NUMBERS.set(number, id.number() << ID | bit);
}

/// The announced id of the method of this number, once it is known.
#[inline(always)]
pub(crate) fn id(number: i32) -> Option<MethodId> {
    let id = NUMBERS.get(number) >> ID;
    (id != 0).then_some(MethodId::from_number(id))
}

/// Whether it is known as a constructor.
pub(crate) fn is_constructor(number: i32) -> bool {
    NUMBERS.get(number) & CONSTRUCTOR != 0
}

/// The numbers of a class's methods, in the class file's order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) base: i32,
    pub(crate) count: usize,
}

/// Numbers for that many methods of a class.
pub(crate) fn reserve(count: usize) -> Option<Range> {
    let base = NUMBERS.reserve(count)?;
    Some(Range { base, count })
}

/// The class is gone.
pub(crate) fn release(range: Range) {
    NUMBERS.release(range.base, range.count);
}
