//! The numbers by which rewritten code calls its methods, and the id behind each.
//!
//! A class keeps its numbers for life. The id is filled in when the class is prepared, or
//! at the first call, from the stack.

use std::collections::BTreeSet;

use event_translate::shadow::ENDS_UNSEEN;
use id_map::MethodNumbers;
use parking_lot::Mutex;

use crate::vm::member_ids::MethodId;

/// What rewritten code calls its methods: the id that CLASS_LOAD announced, [`CONSTRUCTOR`] and
/// [`UNSEEN`].
static NUMBERS: MethodNumbers = MethodNumbers::new();

/// The numbers of native methods, which are no class's.
static NATIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The lowest bit; the id, which is a pointer or a small number (JDK 26), above it.
const CONSTRUCTOR: usize = 1;
#[cfg(target_pointer_width = "64")]
const ID: u32 = 1;
/// The sign: the fast path finds it together with an id of 0.
#[cfg(target_pointer_width = "64")]
const UNSEEN: usize = 1 << (usize::BITS - 1);
/// Here an id is a pointer that may have any bit but the lowest two: it points to a pointer.
#[cfg(target_pointer_width = "32")]
const ID: u32 = 0;
#[cfg(target_pointer_width = "32")]
const UNSEEN: usize = 2;

/// The method of this number has this id, under which CLASS_LOAD announces it.
pub(crate) fn set(number: i32, id: MethodId, is_constructor: bool) {
    NUMBERS.update(number, |old| {
        let bits = match is_constructor {
            true => old & UNSEEN | CONSTRUCTOR,
            false => 0,
        };
        id.number() << ID | bits
    });
}

/// The constructors among these may end unseen: what the ones that they call throw no hook sees.
pub(crate) fn set_unseen(range: Range) {
    for number in (range.base..).take(range.count) {
        // Without an id it is not known yet which they are.
        NUMBERS.update(number, |old| match old {
            0 => UNSEEN,
            some if some & CONSTRUCTOR != 0 => some | UNSEEN,
            some => some,
        });
    }
}

/// What the shadow is to have in place of the stack pointer at which this method begins.
#[inline]
pub(crate) fn shadowed(number: i32, stack: usize) -> usize {
    if NUMBERS.get(number) & UNSEEN == 0 {
        stack
    } else {
        ENDS_UNSEEN
    }
}

/// The announced id of the method of this number, once it is known.
#[inline(always)]
pub(crate) fn id(number: i32) -> Option<MethodId> {
    let id = (NUMBERS.get(number) & !(UNSEEN | CONSTRUCTOR)) >> ID;
    (id != 0).then_some(MethodId::from_number(id))
}

/// The same for the fast path: `None` also of one that may end unseen.
#[inline(always)]
pub(crate) fn id_at_once(number: i32) -> Option<MethodId> {
    if cfg!(target_pointer_width = "32") {
        return id(number).filter(|_| NUMBERS.get(number) & UNSEEN == 0);
    }
    let id = NUMBERS.get(number).cast_signed() >> ID;
    (id > 0).then_some(MethodId::from_number(id.cast_unsigned()))
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

/// A number for a native method's thunk.
pub(crate) fn reserve_for_native() -> Option<Range> {
    let range = reserve(1)?;
    NATIVE.lock().insert(range.base);
    Some(range)
}

/// Whether it is a native method's.
pub(crate) fn is_native(number: i32) -> bool {
    NATIVE.lock().contains(&number)
}

/// The class is gone.
pub(crate) fn release(range: Range) {
    if range.count == 1 {
        NATIVE.lock().remove(&range.base);
    }
    NUMBERS.release(range.base, range.count);
}

/// The numbers of a class's methods, once it has been rewritten: of each order in which its class files have had them, as
/// who redefines a class may put them into another one, and code of before may be running.
#[derive(Debug, Default)]
pub(crate) struct ClassNumbers(Mutex<Vec<(u64, Range)>>);

impl ClassNumbers {
    /// Those of methods in this order, of which this is the hash.
    pub(crate) fn of(&self, order: u64) -> Option<Range> {
        let known = self.0.lock();
        let (_, numbers) = known.iter().find(|(known, _)| *known == order)?;
        Some(*numbers)
    }

    /// Two threads may come with the same: each range is given back once.
    pub(crate) fn add(&self, order: u64, numbers: Range) {
        let mut known = self.0.lock();
        if known.iter().all(|(_, known)| known.base != numbers.base) {
            known.push((order, numbers));
        }
    }

    /// All of them: its own as long as the class is there.
    pub(crate) fn all(&self) -> Vec<Range> {
        let known = self.0.lock();
        known.iter().map(|&(_, numbers)| numbers).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also of those that are in use: another agent has redefined the class.
    #[test]
    fn constructors_end_unseen_and_keep_their_ids() {
        let range = reserve(3).unwrap();
        let [constructor, method, unknown] = [0, 1, 2].map(|index| range.base + index);
        let id = MethodId::from_number(0x1000);
        set(constructor, id, true);
        set(method, id, false);
        set_unseen(range);
        assert_eq!(
            [constructor, method, unknown].map(id_at_once),
            [None, Some(id), None]
        );
        assert_eq!(super::id(constructor), Some(id));
        let on_stack = |number| shadowed(number, 8) == 8;
        assert_eq!(
            [constructor, method, unknown].map(on_stack),
            [false, true, false]
        );
        set(unknown, id, true);
        assert!(is_constructor(unknown) && !on_stack(unknown));
        set(unknown, id, false);
        assert!(on_stack(unknown));
    }
}
