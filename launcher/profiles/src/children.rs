//! Which child of a node has which name.
//!
//! Stacks of a process that shares little with others are new from some frame on. Most nodes have few
//! children, so these are lists: a new one costs a word beside its caller's, where a table of millions
//! costs a look into memory that no cache holds. Only callers of many have a table.

use rustc_hash::FxHashMap;

use crate::node::{Node, number, place};

/// Children of a node that are a list.
const FEW: u8 = 16;

/// The children of all nodes, which are named by their places.
#[derive(Debug, Default)]
pub(crate) struct Children {
    /// Of each node its last child; 0, which is nobody's child, if it has none.
    last: Vec<u32>,
    /// Of each node the child of its caller that came before it, or 0.
    before: Vec<u32>,
    /// How many children each node has, up to one more than are a list.
    count: Vec<u8>,
    /// Children of nodes that have many.
    of_many: FxHashMap<Node, u32>,
}

impl Children {
    /// Of nodes that are there.
    pub(crate) fn of(nodes: &[Node]) -> Self {
        let mut children = Self::default();
        for at in 0..nodes.len() {
            children.add(nodes.get(..=at).unwrap_or_default());
        }
        children
    }

    /// The child of this caller and name, which is added if it is not there.
    pub(crate) fn child(&mut self, nodes: &mut Vec<Node>, wanted: Node) -> u32 {
        self.find(nodes, wanted).unwrap_or_else(|| {
            nodes.push(wanted);
            self.add(nodes);
            number(nodes.len() - 1)
        })
    }

    /// All children of a node, the last first.
    pub(crate) fn below(&self, node: u32) -> impl Iterator<Item = u32> {
        let last = self.last.get(place(node)).copied();
        let before = |child: &u32| self.before.get(place(*child)).copied();
        std::iter::successors(last, before).take_while(|child| *child != 0)
    }

    /// The last of these nodes is new.
    fn add(&mut self, nodes: &[Node]) {
        let Some((new, older)) = nodes.split_last() else {
            return;
        };
        let child = number(older.len());
        self.last.push(0);
        self.count.push(0);
        // The root is its own caller.
        let caller = (child > 0).then(|| place(new.parent));
        let both = caller.and_then(|at| Some((self.last.get_mut(at)?, self.count.get_mut(at)?)));
        let Some((last, count)) = both else {
            self.before.push(0);
            return;
        };
        self.before.push(std::mem::replace(last, child));
        if *count < FEW {
            *count += 1;
            return;
        }
        if *count > FEW {
            self.of_many.insert(*new, child);
            return;
        }
        *count += 1;
        let mut at = child;
        while at != 0 {
            if let Some(node) = nodes.get(place(at)) {
                self.of_many.insert(*node, at);
            }
            at = self.before.get(place(at)).copied().unwrap_or(0);
        }
    }

    /// The child of this caller and name, if it is there.
    fn find(&self, nodes: &[Node], wanted: Node) -> Option<u32> {
        let caller = place(wanted.parent);
        if self.count.get(caller).copied()? > FEW {
            return self.of_many.get(&wanted).copied();
        }
        let mut at = self.last.get(caller).copied()?;
        while at != 0 {
            if nodes.get(place(at))?.name == wanted.name {
                return Some(at);
            }
            at = self.before.get(place(at)).copied()?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_among_few_and_many() {
        let mut nodes = vec![Node { parent: 0, name: 0 }];
        let mut children = Children::of(&nodes);
        let mut known = FxHashMap::default();
        // 40 children of the root, 3 of each of those, 20 of one.
        for round in 0..4_u32 {
            for name in 1..=40 {
                let parent = if round == 0 { 0 } else { name };
                let node = Node {
                    parent,
                    name: name + 100 * round,
                };
                assert_eq!(children.find(&nodes, node), None, "{node:?}");
                known.insert(node, number(nodes.len()));
                nodes.push(node);
                children.add(&nodes);
            }
        }
        for name in 1000..1020 {
            let node = Node { parent: 7, name };
            assert_eq!(children.find(&nodes, node), None, "{node:?}");
            known.insert(node, number(nodes.len()));
            nodes.push(node);
            children.add(&nodes);
        }
        let again = Children::of(&nodes);
        let below: Vec<u32> = again.below(7).collect();
        let own = (1..).zip(&nodes[1..]).filter(|(_, node)| node.parent == 7);
        let own: Vec<u32> = own.map(|(at, _)| at).collect();
        assert_eq!(own.len(), 23);
        assert!(below.iter().rev().eq(&own), "{below:?} {own:?}");
        for (node, place) in known {
            assert_eq!(children.find(&nodes, node), Some(place), "{node:?}");
            assert_eq!(again.find(&nodes, node), Some(place), "{node:?}");
            let other = Node {
                name: node.name + 5000,
                ..node
            };
            assert_eq!(children.find(&nodes, other), None, "{other:?}");
        }
    }
}
