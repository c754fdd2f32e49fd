//! What a port tags.

use std::collections::HashMap;

use crate::known::Name;

/// What tags stand for: a port may give one tag to many objects.
#[derive(Debug, Default)]
pub(crate) struct Tags {
    all: HashMap<i64, Tagged>,
    /// Of what had another one already, which the VM has lost.
    again: HashMap<i64, u64>,
}

/// Of one tag.
#[derive(Debug)]
struct Tagged {
    /// `None` if there are several.
    class: Option<Name>,
    objects: u64,
}

impl Tags {
    /// As many as a table of 4 Mi places holds.
    const MOST: usize = 3_600_000;

    pub(crate) fn give(&mut self, tag: i64, class: Name) {
        if let Some(known) = self.all.get_mut(&tag) {
            known.objects += 1;
            known.class = known.class.filter(|&other| other == class);
        } else if self.all.len() < Self::MOST {
            let class = Some(class);
            self.all.insert(tag, Tagged { class, objects: 1 });
        }
    }

    /// Whether this is a second one, minus the first: so a port says that it knows the object, whose
    /// tag is lost (a clone's, JDK 21).
    pub(crate) fn is_again(&mut self, tag: i64) -> bool {
        let is_known = |first: i64| first > 0 && self.all.contains_key(&first);
        let is_again = tag.checked_neg().is_some_and(is_known);
        if is_again {
            self.give_again(tag);
        }
        is_again
    }

    /// To what is counted already.
    pub(crate) fn give_again(&mut self, tag: i64) {
        if let Some(times) = self.again.get_mut(&tag) {
            *times += 1;
        } else if self.again.len() < Self::MOST {
            self.again.insert(tag, 1);
        }
    }

    /// One with this tag has died: its class; `None` if nothing was born with it, `Some(None)` if it
    /// may be of several.
    pub(crate) fn take(&mut self, tag: i64) -> Option<Option<Name>> {
        let known = self.all.get_mut(&tag)?;
        known.objects = known.objects.saturating_sub(1);
        let class = known.class;
        if known.objects == 0 {
            self.all.remove(&tag);
        }
        Some(class)
    }

    /// One with this tag, a second one, has died: whether it was one.
    pub(crate) fn take_again(&mut self, tag: i64) -> bool {
        let Some(times) = self.again.get_mut(&tag) else {
            return false;
        };
        *times -= 1;
        if *times == 0 {
            self.again.remove(&tag);
        }
        true
    }
}
