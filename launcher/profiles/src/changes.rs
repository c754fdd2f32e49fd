//! What each method has in one of two profiles, and in the other.

use std::collections::BTreeMap;

use crate::merged::Merged;
use crate::node::{Cell, Node, place};

/// Shares of the whole, before and after: profiles of different length can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The method.
    pub name: String,
    /// Without what it calls.
    pub own: [f64; 2],
    /// With it; a recursive method counts once a stack.
    pub total: [f64; 2],
}

impl Change {
    /// By how much its own share has grown, of the whole.
    #[must_use]
    pub fn growth(&self) -> f64 {
        self.own[1] - self.own[0]
    }
}

/// Those that have grown or shrunk, most of all first.
#[must_use]
pub fn of(merged: &Merged, cells: &[Cell]) -> Vec<Change> {
    let mut methods: BTreeMap<u32, Change> = BTreeMap::new();
    let outermost = outermost(merged);
    for side in 0..2 {
        let cells = Merged::of_process(cells, side);
        let totals = merged.with_callees(&cells);
        let whole = totals.first().copied().unwrap_or(0);
        let at = place(side);
        let nodes = merged.nodes.iter().zip(&totals).zip(&outermost).skip(1);
        for ((node, &total), _) in
            nodes.filter(|((_, total), outermost)| **outermost && **total > 0)
        {
            let method = method(&mut methods, merged, node.name);
            add(&mut method.total, at, share(total, whole));
        }
        for cell in cells.iter().filter(|cell| cell.node != 0) {
            if let Some(node) = merged.nodes.get(place(cell.node)) {
                let method = method(&mut methods, merged, node.name);
                add(&mut method.own, at, share(cell.value, whole));
            }
        }
    }
    let mut changes: Vec<Change> = methods.into_values().collect();
    changes.sort_by(|one, other| {
        let size = |change: &Change| change.growth().abs();
        size(other)
            .total_cmp(&size(one))
            .then_with(|| one.name.cmp(&other.name))
    });
    changes
}

fn method<'a>(
    methods: &'a mut BTreeMap<u32, Change>,
    merged: &Merged,
    name: u32,
) -> &'a mut Change {
    methods.entry(name).or_insert_with(|| Change {
        name: merged
            .names
            .get(place(name))
            .map_or_else(String::new, |name| (**name).to_owned()),
        own: [0.0; 2],
        total: [0.0; 2],
    })
}

fn add(sides: &mut [f64; 2], side: usize, share: f64) {
    if let Some(sum) = sides.get_mut(side) {
        *sum += share;
    }
}

#[allow(clippy::cast_precision_loss, reason = "52 bits are enough for a share")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / (whole.max(1)) as f64
}

/// Of each node whether none of those that called it has its name.
fn outermost(merged: &Merged) -> Vec<bool> {
    let is_outermost = |node: &Node| {
        let mut at = node.parent;
        while at != 0
            && let Some(caller) = merged.nodes.get(place(at))
        {
            if caller.name == node.name {
                return false;
            }
            at = caller.parent;
        }
        true
    };
    merged.nodes.iter().map(is_outermost).collect()
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::merged::Merged;
    use crate::read::read;

    #[test]
    fn shares_are_compared_and_recursion_counts_once() {
        let mut merged = Merged::default();
        merged.compared = true;
        for (side, text) in [
            ("before", "a.main;a.work 6\na.main;a.rec;a.rec 4\n"),
            (
                "after",
                "a.main;a.work 10\na.main;a.rec;a.rec 5\na.main 5\n",
            ),
        ] {
            let mut part = read(side, &mut text.as_bytes()).unwrap();
            part.be_side(side);
            merged.add(&part).unwrap();
        }
        let changes = of(&merged, &merged.series[0].1);
        let shown = |name: &str| {
            let change = changes.iter().find(|change| change.name == name).unwrap();
            let rounded = |sides: [f64; 2]| sides.map(|share| (share * 100.0).round());
            (rounded(change.own), rounded(change.total))
        };
        assert_eq!(shown("a.main"), ([0.0, 25.0], [100.0, 100.0]));
        assert_eq!(shown("a.work"), ([60.0, 50.0], [60.0, 50.0]));
        assert_eq!(shown("a.rec"), ([40.0, 25.0], [40.0, 25.0]));
        assert_eq!(changes[0].name, "a.main");
    }
}
