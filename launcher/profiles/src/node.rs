//! A node of the tree, what it has, and the numbers by which nodes and names are known.

/// A frame under its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Who called it, which stands before it; its own place for the root.
    pub parent: u32,
    /// Of [`Merged::names`](crate::merged::Merged::names), or of [`Part::names`](crate::part::Part::names).
    pub name: u32,
}

/// Under which all others are.
pub(crate) const ROOT: Node = Node { parent: 0, name: 0 };

/// A number: of which node, of which process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Of [`Merged::processes`](crate::merged::Merged::processes).
    pub process: u32,
    /// Of [`Merged::nodes`](crate::merged::Merged::nodes).
    pub node: u32,
    /// How much.
    pub value: u64,
}

pub(crate) fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(crate) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// In order, each node of each process once.
pub(crate) fn tidy(cells: &mut Vec<Cell>) {
    if !cells.is_sorted() {
        cells.sort();
    }
    cells.dedup_by(|next, kept| {
        let same = (next.process, next.node) == (kept.process, kept.node);
        if same {
            kept.value += next.value;
        }
        same
    });
}
