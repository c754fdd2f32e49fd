//! How many value objects of each class a dump may give ids to.
//!
//! A tag of a value object is one for all that are equal. To find it JDK 28 compares the object with each of its class that has
//! one, and what those refer to, by recursion on the VM's own stack (JVMTI facts 20): the time goes with the square of
//! their number, with its cube in lists of them, and a long list of equal ones ends the process. So they are counted before the walk, by
//! one that gives no tags, and classes of which there are too many get no ids.
//!
//! # Threads
//! As for `walk`.

use std::collections::{HashMap, HashSet};

use dump_format::{Primitive, Value};

use crate::events::dumps::half_made::Whole;
use crate::vm::env::{Jvmti, Result};
use crate::vm::heap::follow::{self, Next, Referent, Visitor, Way};

/// So many comparisons of one object with another in all: some five seconds.
const MOST_COMPARISONS: u64 = 32_000_000;

/// The program runs between the count and the walk: of a class that may have ids a quarter more may have them, and this
/// many, where that costs no more than is left. Of a class that had none nothing is known, not even whether it is one of
/// lists: it gets none.
const MORE: u64 = 100;

/// So deep the VM may compare, if classes refer to themselves. Its stack has 1 MB.
const MOST_DEEP: u64 = 1000;

/// What is known of the value objects of one class, which is named by its tag.
#[derive(Default, Debug)]
struct Count {
    /// References to them: as many or more as there are.
    references: u64,
    /// The classes of value objects that their fields refer to.
    fields: HashSet<(i32, u64)>,
}

/// By the tag of the class.
#[derive(Debug)]
pub(super) struct ValueCounts {
    classes: HashMap<u64, Count>,
    /// References from one value object to another.
    inner: u64,
}

impl ValueCounts {
    /// Counts those of the classes with these tags; the world stands still meanwhile.
    pub(super) fn take(
        jvmti: Jvmti,
        classes: impl Iterator<Item = u64>,
        whole: &Whole,
    ) -> Result<Self> {
        let mut counting = Counting {
            counts: Self::of(classes),
            whole,
        };
        follow::from_roots(jvmti, &mut counting, false)?;
        Ok(counting.counts)
    }

    /// One reference.
    fn note(&mut self, way: Way, from: (u64, u64), to: Referent) {
        if let Some(count) = self.classes.get_mut(&to.class) {
            count.references += 1;
            if let Way::Field(field) = way
                && let Some(holder) = self.classes.get_mut(&from.0)
            {
                holder.fields.insert((field, to.class));
                self.inner += 1;
            }
        }
    }

    fn of(classes: impl Iterator<Item = u64>) -> Self {
        Self {
            classes: classes.map(|class| (class, Count::default())).collect(),
            inner: 0,
        }
    }

    /// Whether there are some of the class.
    pub(super) fn has(&self, class: u64) -> bool {
        let count = self.classes.get(&class);
        count.is_some_and(|count| count.references != 0)
    }

    /// Of each class so many may have ids: all that were counted and, where there is room, some that the program may make
    /// before the walk; or none.
    pub(super) fn allowed(&self) -> HashMap<u64, u64> {
        let mut known = HashMap::new();
        let mut costs: Vec<(u64, u64, u64, u64)> = Vec::with_capacity(self.classes.len());
        for (&class, count) in &self.classes {
            let each = self.cost(class, &mut known);
            costs.push((
                of_all(count.references, each),
                class,
                count.references,
                each,
            ));
        }
        costs.sort_unstable();
        let mut left = MOST_COMPARISONS;
        let mut allowed = HashMap::with_capacity(costs.len());
        for &(cost, class, references, _) in &costs {
            let rest = left.checked_sub(cost);
            left = rest.unwrap_or(left);
            allowed.insert(class, rest.map_or(0, |_| references));
        }
        // Only what no counted object needs is for those that may come.
        for (cost, class, references, each) in costs {
            let more = references.saturating_add(references / 4 + MORE);
            // Lists grow with their links.
            let dearer = each.saturating_add(each / 4);
            let further = of_all(more, dearer).saturating_sub(cost);
            if references != 0
                && let Some(count) = allowed.get_mut(&class)
                && *count == references
                && let Some(rest) = left.checked_sub(further)
            {
                left = rest;
                *count = more;
            }
        }
        allowed
    }

    /// How many objects are compared, at most, to compare two of this class. `known` has those of other classes; of one that
    /// is under way, and so refers to itself, all there are.
    fn cost(&self, class: u64, known: &mut HashMap<u64, u64>) -> u64 {
        if let Some(&cost) = known.get(&class) {
            return cost;
        }
        let whole = if self.inner < MOST_DEEP {
            self.inner
        } else {
            u64::MAX
        };
        known.insert(class, whole);
        let fields = self.classes.get(&class).map(|count| &count.fields);
        let mut dearest: HashMap<i32, u64> = HashMap::new();
        for &(field, to) in fields.into_iter().flatten() {
            let its = self.cost(to, known);
            let most = dearest.entry(field).or_default();
            *most = its.max(*most);
        }
        let costs = dearest.into_values();
        let cost = costs.fold(1_u64, |sum, its| sum.saturating_add(its));
        known.insert(class, cost);
        cost
    }
}

/// Each of so many is compared with each, which takes so much.
const fn of_all(count: u64, each: u64) -> u64 {
    count.saturating_mul(count).saturating_mul(each)
}

/// The walk that counts.
struct Counting<'a> {
    counts: ValueCounts,
    whole: &'a Whole,
}

impl Visitor for Counting<'_> {
    fn reference(&mut self, way: Way, from: (u64, u64), to: Referent) -> (Option<u64>, Next) {
        self.counts.note(way, from, to);
        match self.whole.may_be_visited(to, to.tag) {
            true => (None, Next::GoOn),
            false => (None, Next::Past),
        }
    }

    fn primitive(&mut self, _: Way, _: (u64, u64), _: Value) -> Next {
        Next::GoOn
    }

    fn elements(&mut self, _: u64, _: Primitive, _: &[u8]) -> Next {
        Next::GoOn
    }
}

#[cfg(test)]
mod tests {
    use super::ValueCounts;
    use crate::vm::heap::follow::{Referent, Way};

    const HOLDER: u64 = 16;
    const POINT: u64 = 32;
    const LINE: u64 = 48;
    const LINK: u64 = 64;

    fn counted(references: &[(u64, Way, u64, usize)]) -> [u64; 3] {
        let mut counts = ValueCounts::of([POINT, LINE, LINK].into_iter());
        for &(from, way, class, times) in references {
            let to = Referent {
                class,
                tag: 0,
                size: 16,
                length: -1,
            };
            for _ in 0..times {
                counts.note(way, (from, 0), to);
            }
        }
        let allowed = counts.allowed();
        [POINT, LINE, LINK].map(|class| allowed[&class])
    }

    #[test]
    fn few_have_ids_and_many_have_none() {
        assert_eq!(
            counted(&[(HOLDER, Way::Element(0), POINT, 4000)]),
            [5100, 0, 0]
        );
        assert_eq!(
            counted(&[(HOLDER, Way::Element(0), POINT, 6000)]),
            [0, 0, 0]
        );
    }

    #[test]
    fn there_is_room_for_some_more_only_where_it_costs_little() {
        // 5500 with a quarter more would take 48 million.
        assert_eq!(
            counted(&[(HOLDER, Way::Element(0), POINT, 5500)]),
            [5500, 0, 0]
        );
        let both = [
            (HOLDER, Way::Element(0), POINT, 4000),
            (HOLDER, Way::Element(0), LINE, 3900),
        ];
        // Room for what comes is not taken from what is there.
        assert_eq!(counted(&both), [4000, 3900, 0]);
    }

    /// One class of which there are too many takes no ids from those of which there are few.
    #[test]
    fn the_dearest_goes_without() {
        let many = [
            (HOLDER, Way::Element(0), POINT, 100_000),
            (HOLDER, Way::Field(1), LINE, 300),
        ];
        assert_eq!(counted(&many), [0, 475, 0]);
    }

    #[test]
    fn what_lies_in_others_is_compared_with_them() {
        let lines = |count| {
            counted(&[
                (HOLDER, Way::Field(0), LINE, count),
                (LINE, Way::Field(0), POINT, count),
                (LINE, Way::Field(1), POINT, count),
            ])
        };
        assert_eq!(lines(1000), [2600, 1350, 0]);
        // Two points and itself for each pair.
        assert_eq!(lines(4000), [0, 0, 0]);
    }

    #[test]
    fn a_list_is_compared_to_its_end() {
        let links = |count| {
            counted(&[
                (HOLDER, Way::Field(0), LINK, 1),
                (LINK, Way::Field(1), LINK, count),
            ])
        };
        assert_eq!(links(200), [0, 0, 351]);
        assert_eq!(links(400), [0, 0, 0]);
        assert_eq!(links(1_000_000), [0, 0, 0]);
    }
}
