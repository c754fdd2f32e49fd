//! One tree of many stacks.

/// What stands for all that is below `cutoff=`.
pub const REST: &str = "(below the cutoff)";

/// The name of the root, which no frame has.
pub const ALL: &str = "";

/// A stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack {
    /// Numbers of names, the root's first; 0 is that of [`ALL`].
    pub frames: Vec<u32>,
    /// One for each weight.
    pub values: Vec<u64>,
}

/// A tree in preorder: a node's descendants follow it, its children by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// How far from the root each node is; the root itself is 0.
    pub depth: Vec<u32>,
    /// The name of each, the root's 0.
    pub name: Vec<u32>,
    /// The weights of each, without its children's: one list for each weight.
    pub own: Vec<Vec<u64>>,
}

impl Tree {
    /// The tree of sorted stacks with so many weights each.
    #[must_use]
    pub fn new(stacks: &[Stack], weights: usize) -> Self {
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

    /// Without the nodes that have less than this share of the whole of each weight: what
    /// they have is one child of this name, their parent's last.
    #[must_use]
    pub fn cut(&self, share: f64, rest: u32) -> Self {
        let totals: Vec<Vec<u64>> = self.own.iter().map(|own| self.totals(own)).collect();
        let of = |at: usize| {
            totals
                .iter()
                .map(move |totals| totals.get(at).copied().unwrap_or_default())
        };
        let least: Vec<f64> = of(0).map(|whole| share * in_floats(whole)).collect();
        let kept = |at| {
            let mut both = of(at).zip(&least);
            both.any(|(total, &least)| total > 0 && in_floats(total) >= least)
        };
        let mut tree = Self {
            own: vec![Vec::new(); self.own.len()],
            ..Self::default()
        };
        // The way to the last node that stayed: what each has lost. Below it, what goes.
        let mut way: Vec<Vec<u64>> = Vec::new();
        for (at, (&depth, &name)) in self.depth.iter().zip(&self.name).enumerate() {
            let above = usize::try_from(depth).unwrap_or(usize::MAX);
            if above > way.len() {
                continue;
            }
            while way.len() > above {
                tree.put_rest(&mut way, rest);
            }
            if at == 0 || kept(at) {
                tree.node(depth, name);
                tree.weigh(self.own.iter().filter_map(|own| own.get(at)));
                way.push(vec![0; self.own.len()]);
            } else if let Some(lost) = way.last_mut() {
                for (sum, total) in lost.iter_mut().zip(of(at)) {
                    *sum += total;
                }
            }
        }
        while !way.is_empty() {
            tree.put_rest(&mut way, rest);
        }
        tree
    }

    /// Leaves the last node of the way; what it has lost becomes its last child.
    fn put_rest(&mut self, way: &mut Vec<Vec<u64>>, rest: u32) {
        let depth = u32::try_from(way.len()).unwrap_or(u32::MAX);
        if let Some(lost) = way.pop()
            && lost.iter().any(|&lost| lost > 0)
        {
            self.node(depth, rest);
            self.weigh(lost.iter());
        }
    }

    /// Gives weights to the last node.
    fn weigh<'a>(&mut self, values: impl Iterator<Item = &'a u64>) {
        for (own, value) in self.own.iter_mut().zip(values) {
            if let Some(last) = own.last_mut() {
                *last += value;
            }
        }
    }

    /// What each node has with all below it.
    fn totals(&self, own: &[u64]) -> Vec<u64> {
        let mut totals = own.to_vec();
        // From the end: at each depth, what the nodes there have whose parent is to come.
        let mut open: Vec<u64> = Vec::new();
        for (&depth, total) in self.depth.iter().zip(&mut totals).rev() {
            let depth = usize::try_from(depth).unwrap_or(0);
            open.resize(open.len().max(depth + 2), 0);
            *total += open.get_mut(depth + 1).map_or(0, std::mem::take);
            if let Some(sum) = open.get_mut(depth) {
                *sum += *total;
            }
        }
        totals
    }

    fn node(&mut self, depth: u32, name: u32) {
        self.depth.push(depth);
        self.name.push(name);
        for own in &mut self.own {
            own.push(0);
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "compared with a rough share")]
fn in_floats(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_nodes_become_one() {
        let tree = Tree {
            depth: vec![0, 1, 2, 3, 2, 2, 1, 1, 2],
            name: vec![0, 1, 2, 3, 3, 4, 2, 3, 1],
            own: vec![
                vec![1, 0, 2, 4, 80, 3, 5, 1, 4],
                vec![0, 0, 0, 0, 0, 0, 0, 1, 0],
            ],
        };
        assert_eq!(
            tree.totals(&[1, 0, 2, 4, 80, 3, 5, 1, 4]),
            [100, 89, 6, 4, 80, 3, 5, 5, 4]
        );
        let cut = tree.cut(0.1, 9);
        // Of the last node the second weight is large.
        assert_eq!(cut.depth, [0, 1, 2, 2, 1, 2, 1]);
        assert_eq!(cut.name, [0, 1, 3, 9, 3, 9, 9]);
        assert_eq!(cut.own, [[1, 0, 80, 9, 1, 4, 5], [0, 0, 0, 0, 1, 0, 0]]);
        let whole = tree.cut(0.0, 9);
        assert_eq!((&whole.depth, &whole.own), (&tree.depth, &tree.own));
    }

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
