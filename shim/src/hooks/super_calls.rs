//! Constructors that others call by super() or this(): while one of these calls no handler of
//! exceptions may be around it, so its end is known by the hooks of what it calls
//! ([`crate::events::methods::method_events`]). Which constructors may lose their hooks by
//! `method-budget=` without anybody's end being lost.
//!
//! # Threads
//! Any; no lock is held while code of others runs.

use std::collections::{BTreeMap, HashMap, HashSet};

use class_rewriter::ClassFile;
use parking_lot::Mutex;

use crate::base::config;
use crate::hooks::wanted_hooks;
use crate::model::classes::method_numbers::Range;

const OBJECT: &[u8] = b"java/lang/Object";

/// A class with hooks.
struct Hooked {
    count: usize,
    name: Box<[u8]>,
    superclass: Box<[u8]>,
    /// Some of its constructors call others of them.
    chains: bool,
}

#[derive(Default)]
struct Known {
    /// By the first number of each.
    classes: BTreeMap<i32, Hooked>,
    /// How many of them have a superclass of this name, whoever has loaded it.
    below: HashMap<Box<[u8]>, usize>,
    /// Constructors of classes of these names have lost their hooks.
    left_out: HashSet<Box<[u8]>>,
}

impl Known {
    /// Whether constructors of its superclass have lost their hooks.
    fn add(&mut self, base: i32, class: Hooked) -> bool {
        let superclass = class.superclass.clone();
        let unseen = self.left_out.contains(&superclass);
        *self.below.entry(superclass).or_default() += 1;
        self.classes.insert(base, class);
        unseen
    }

    /// Some of its constructors call others of them from now on; whether such have lost their hooks. Never taken back: code
    /// of before may be running.
    fn chains(&mut self, base: i32) -> bool {
        let Some(class) = self.classes.get_mut(&base) else {
            return false;
        };
        class.chains = true;
        self.left_out.contains(&class.name)
    }

    /// Its constructor is to lose its hooks, unless another one with hooks calls it.
    fn leave_out(&mut self, number: i32) -> bool {
        let Some(class) = self.class(number).filter(|class| !self.is_called(class)) else {
            return false;
        };
        let name = class.name.clone();
        self.left_out.insert(name);
        true
    }

    fn class(&self, number: i32) -> Option<&Hooked> {
        let (base, class) = self.classes.range(..=number).next_back()?;
        let index = usize::try_from(number.checked_sub(*base)?).ok()?;
        (index < class.count).then_some(class)
    }

    fn is_called(&self, class: &Hooked) -> bool {
        class.chains || self.below.contains_key(&class.name)
    }
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// A class gets hooks, and its methods these numbers. Whether its constructors may end unseen, since
/// no hook tells what its superclass's throw; those of Object throw nothing.
pub(crate) fn note(class: &ClassFile<'_>, numbers: Range) -> bool {
    let superclass = class.superclass().unwrap_or(OBJECT);
    if superclass != OBJECT && !wanted_hooks::takes(superclass) {
        return true;
    }
    // Without methods there is no constructor, and the first number is another class's.
    if config::options().method_budget.is_none() || numbers.count == 0 {
        return false;
    }
    let hooked = Hooked {
        count: numbers.count,
        name: class.name().into(),
        superclass: superclass.into(),
        chains: class.has_chained_constructors(),
    };
    let mut known = KNOWN.lock();
    known.get_or_insert_default().add(numbers.base, hooked)
}

/// A class is rewritten once more, and has these numbers: another agent may have given its constructors other code. Whether
/// these may end unseen from now on.
pub(crate) fn note_again(class: &ClassFile<'_>, numbers: Range) -> bool {
    if config::options().method_budget.is_none() || !class.has_chained_constructors() {
        return false;
    }
    let mut known = KNOWN.lock();
    known
        .as_mut()
        .is_some_and(|known| known.chains(numbers.base))
}

/// These numbers are nobody's any more.
pub(crate) fn forget(numbers: Range) {
    if numbers.count == 0 {
        return;
    }
    let mut known = KNOWN.lock();
    let Some(known) = known.as_mut() else { return };
    if let Some(class) = known.classes.remove(&numbers.base)
        && let Some(below) = known.below.get_mut(&class.superclass)
    {
        *below -= 1;
        if *below == 0 {
            known.below.remove(&class.superclass);
        }
    }
}

/// Whether the constructor of this number can lose its hooks.
pub(crate) fn may_be_left_out(number: i32) -> bool {
    let known = KNOWN.lock();
    let class = known
        .as_ref()
        .and_then(|known| Some((known, known.class(number)?)));
    class.is_some_and(|(known, class)| !known.is_called(class))
}

/// It is to lose them, unless that is not so any more: classes below its own that come from now on
/// are told so.
pub(crate) fn leave_out(number: i32) -> bool {
    let mut known = KNOWN.lock();
    known.as_mut().is_some_and(|known| known.leave_out(number))
}

#[cfg(test)]
mod tests {
    use super::{Hooked, Known};

    fn class(name: &str, superclass: &str) -> Hooked {
        Hooked {
            count: 3,
            name: name.as_bytes().into(),
            superclass: superclass.as_bytes().into(),
            chains: false,
        }
    }

    #[test]
    fn who_is_called_since_another_agent_has_redefined_its_class_keeps_its_hooks() {
        let mut known = Known::default();
        known.add(1, class("A", "java/lang/Object"));
        known.add(4, class("B", "java/lang/Object"));
        assert!(!known.chains(1), "none had lost its hooks");
        assert!(!known.leave_out(2) && known.leave_out(5));
        assert!(known.chains(4), "one had");
        assert!(!known.leave_out(6));
        assert!(known.add(7, class("C", "B")) && !known.add(10, class("D", "A")));
    }
}
