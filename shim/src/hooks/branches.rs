//! Where the branches of classes go that have a hook in front of each instruction.

use std::collections::BTreeMap;
use std::sync::Arc;

use class_rewriter::ClassFile;
use class_rewriter::branches::Branches;
use parking_lot::RwLock;

use crate::model::classes::method_numbers::Range;

/// The branches of each class, by the first number of its methods.
static BRANCHES: RwLock<BTreeMap<i32, Arc<Branches>>> = RwLock::new(BTreeMap::new());

/// Remembers the branches of a class that gets hooks.
pub(crate) fn note(base: i32, class: &ClassFile<'_>) {
    let branches = Arc::new(Branches::of(class));
    BRANCHES.write().insert(base, branches);
}

/// The class is gone.
pub(crate) fn forget(numbers: Range) {
    BRANCHES.write().remove(&numbers.base);
}

/// Those of the class that the method of this number is in, and which of its methods that is.
pub(crate) fn of(number: i32) -> Option<(u16, Arc<Branches>)> {
    let known = BRANCHES.read();
    let (base, branches) = known.range(..=number).next_back()?;
    let method = u16::try_from(number - base).ok()?;
    Some((method, Arc::clone(branches)))
}
