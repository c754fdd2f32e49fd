//! A node of the tree, and the numbers by which nodes and names are known.

/// A frame under its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Who called it, which stands before it; its own place for the root.
    pub parent: u32,
    /// Of [`Merged::names`](crate::merged::Merged::names).
    pub name: u32,
}

pub(crate) fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(crate) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
