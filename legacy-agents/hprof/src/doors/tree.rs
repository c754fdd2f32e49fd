//! One tree of many stacks.

use super::charts::Stack;

/// A tree in preorder: a node's descendants follow it, its children by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    /// How far from the root each node is; the root itself is 0.
    pub(super) depth: Vec<u32>,
    /// The name of each, the root's 0.
    pub(super) name: Vec<u32>,
    /// The weights of each, without its children's: one list for each weight.
    pub(super) own: Vec<Vec<u64>>,
}

impl Tree {
    /// The tree of sorted stacks with so many weights each.
    pub(super) fn new(stacks: &[Stack], weights: usize) -> Self {
        let mut tree = Self {
            own: vec![Vec::new(); weights],
            ..Self::default()
        };
        tree.node(0, 0);
        let mut last: &[u32] = &[];
        for stack in stacks {
            let shared = last
                .iter()
                .zip(&stack.frames)
                .take_while(|(one, other)| one == other)
                .count();
            for (depth, name) in (1..).zip(&stack.frames).skip(shared) {
                tree.node(depth, *name);
            }
            for (own, value) in tree.own.iter_mut().zip(&stack.values) {
                if let Some(last) = own.last_mut() {
                    *last += value;
                }
            }
            last = &stack.frames;
        }
        tree
    }

    fn node(&mut self, depth: u32, name: u32) {
        self.depth.push(depth);
        self.name.push(name);
        for own in &mut self.own {
            own.push(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_share_what_they_begin_with() {
        let stack = |frames: &[u32], value: u64| Stack {
            frames: frames.to_vec(),
            values: vec![value, 1],
        };
        let stacks = [
            stack(&[], 1),
            stack(&[1, 2], 2),
            stack(&[1, 2, 3], 4),
            stack(&[1, 3], 8),
            stack(&[2, 3], 16),
        ];
        let tree = Tree::new(&stacks, 2);
        assert_eq!(tree.depth, [0, 1, 2, 3, 2, 1, 2]);
        assert_eq!(tree.name, [0, 1, 2, 3, 3, 2, 3]);
        assert_eq!(tree.own, [[1, 0, 2, 4, 8, 0, 16], [1, 0, 1, 1, 1, 0, 1]]);
    }

    #[test]
    fn without_stacks_there_is_a_root() {
        let tree = Tree::new(&[], 1);
        assert_eq!((tree.depth, tree.own), (vec![0], vec![vec![0]]));
    }
}
