//! The stacks that a thread has been in: a node for each, with what it has cost and where
//! calls from it lead.
//!
//! Only the thread itself adds and counts, without a lock; a dump reads the counters from
//! outside. What an event touches of a node lies in one cache line: with millions of stacks
//! the time goes into fetching those.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

/// The stack of no method.
pub(super) const BOTTOM: u32 = 0;

#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Node {
    count: AtomicU64,
    /// Of the watch.
    ticks: AtomicU64,
    /// The last calls from here that were not among these, the newest first.
    lately: [Call; 3],
}

/// Only the owner reads it.
#[derive(Debug, Default)]
struct Call {
    /// 0: none.
    method: AtomicUsize,
    /// Where it leads.
    node: AtomicU32,
}

const _: () = assert!(size_of::<Node>() == 64, "a cache line");

/// Only the owner writes.
#[inline]
fn add(counter: &AtomicU64, amount: u64) {
    // Relaxed: here and below one thread writes; others read counters only, between the two looks
    // and the fence of `Times::look_at`.
    counter.store(
        counter.load(Ordering::Relaxed).wrapping_add(amount),
        Ordering::Relaxed,
    );
}

impl Node {
    #[inline]
    pub(super) fn called(&self) {
        add(&self.count, 1);
    }

    #[inline]
    pub(super) fn cost(&self, ticks: u64) {
        add(&self.ticks, ticks);
    }

    /// Where a call of this method led, if that was lately.
    #[inline]
    pub(super) fn lately(&self, method: usize) -> Option<u32> {
        let is_it = |call: &&Call| call.method.load(Ordering::Relaxed) == method;
        let call = self.lately.iter().find(is_it)?;
        Some(call.node.load(Ordering::Relaxed))
    }

    /// It is the newest; the oldest goes.
    pub(super) fn leads(&self, method: usize, node: u32) {
        let (mut method, mut node) = (method, node);
        for call in &self.lately {
            // Only the owner writes: a locked exchange would be dear.
            let older = (
                call.method.load(Ordering::Relaxed),
                call.node.load(Ordering::Relaxed),
            );
            call.method.store(method, Ordering::Relaxed);
            call.node.store(node, Ordering::Relaxed);
            (method, node) = older;
        }
    }
}

/// Nodes lie in blocks that stay where they are: the first has so many, each next one twice as
/// many, up to a megabyte.
const FIRST_BLOCK: u32 = 8;
const LARGEST_BLOCK: u32 = 1 << 14;
/// The blocks that are smaller, and what they have room for.
const SMALLER: u32 = LARGEST_BLOCK.ilog2() - FIRST_BLOCK.ilog2();
const IN_SMALLER: u32 = LARGEST_BLOCK - FIRST_BLOCK;

/// The block of a number, and the place in it.
#[inline]
fn place(number: u32) -> (usize, usize) {
    if let Some(above) = number.checked_sub(IN_SMALLER) {
        let block = SMALLER + above / LARGEST_BLOCK;
        return (block as usize, (above % LARGEST_BLOCK) as usize);
    }
    let shifted = number + FIRST_BLOCK;
    let block = shifted.ilog2() - FIRST_BLOCK.ilog2();
    (block as usize, (shifted - (FIRST_BLOCK << block)) as usize)
}

/// How many nodes a block has.
fn size_of_block(block: usize) -> usize {
    (FIRST_BLOCK as usize) << block.min(SMALLER as usize)
}

/// What a dump reads.
#[derive(Debug, Default)]
struct Listed {
    blocks: Vec<Arc<[Node]>>,
    /// By number: indices of methods, callee first.
    methods: Vec<Arc<[u32]>>,
}

/// The list of a thread's nodes, as others see it.
#[derive(Debug, Default)]
pub(super) struct Stacks(Mutex<Listed>);

/// A stack that has been seen: methods (callee first), calls, and ticks.
pub(super) type Cost = (Arc<[u32]>, u64, u64);

impl Stacks {
    /// All that there are.
    pub(super) fn costs(&self) -> Vec<Cost> {
        let (blocks, methods) = {
            let listed = self.0.lock();
            (listed.blocks.clone(), listed.methods.clone())
        };
        let nodes = blocks.iter().flat_map(|block| block.iter());
        methods
            .into_iter()
            .zip(nodes)
            .skip(1) // BOTTOM: nothing is its.
            .map(|(methods, node)| {
                let count = node.count.load(Ordering::Relaxed);
                (methods, count, node.ticks.load(Ordering::Relaxed))
            })
            .collect()
    }

    /// The methods of a node, callee first; none of `BOTTOM`.
    pub(super) fn methods(&self, node: u32) -> Option<Arc<[u32]>> {
        let methods = self.0.lock().methods.get(node as usize).cloned()?;
        (!methods.is_empty()).then_some(methods)
    }
}

/// The same nodes, as their thread has them.
#[derive(Debug)]
pub(super) struct Nodes {
    blocks: Vec<Arc<[Node]>>,
    count: u32,
}

impl Nodes {
    /// With `BOTTOM`.
    pub(super) fn new(stacks: &Stacks) -> Self {
        let mut nodes = Self {
            blocks: Vec::new(),
            count: 0,
        };
        nodes.add(stacks, Arc::default());
        nodes
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&Node> {
        let (block, at) = place(number);
        self.blocks.get(block)?.get(at)
    }

    /// A new one for this stack, callee first; `BOTTOM` if there are too many.
    #[cold]
    pub(super) fn add(&mut self, stacks: &Stacks, methods: Arc<[u32]>) -> u32 {
        let number = self.count;
        let Some(count) = number.checked_add(1) else {
            return BOTTOM;
        };
        let (block, _) = place(number);
        let fresh = (block == self.blocks.len()).then(|| {
            std::iter::repeat_with(Node::default)
                .take(size_of_block(block))
                .collect::<Arc<[Node]>>()
        });
        self.blocks.extend(fresh.clone());
        self.count = count;
        let mut listed = stacks.0.lock();
        listed.blocks.extend(fresh);
        listed.methods.push(methods);
        number
    }

    /// Methods have other ids from now on.
    #[cold]
    pub(super) fn forget_calls(&self) {
        for call in self
            .blocks
            .iter()
            .flat_map(|block| block.iter())
            .flat_map(|node| &node.lately)
        {
            call.method.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_a_place_of_its_own() {
        let mut expected = (0, 0);
        for number in 0..100_000 {
            assert_eq!(place(number), expected);
            expected.1 += 1;
            if expected.1 == size_of_block(expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
        let (block, at) = place(u32::MAX);
        assert!(at < size_of_block(block));
    }

    #[test]
    fn what_a_thread_counts_is_seen_from_outside() {
        let stacks = Stacks::default();
        let mut nodes = Nodes::new(&stacks);
        for number in 1..100 {
            assert_eq!(nodes.add(&stacks, Arc::from([number, 7])), number);
            let node = nodes.get(number).unwrap();
            node.called();
            node.cost(u64::from(number));
        }
        assert_eq!(stacks.methods(BOTTOM), None);
        assert_eq!(stacks.methods(100), None);
        assert_eq!(stacks.methods(42).as_deref(), Some(&[42, 7][..]));
        let expected: Vec<_> = (1..100)
            .map(|number| (Arc::from([number, 7]), 1, u64::from(number)))
            .collect();
        assert_eq!(stacks.costs(), expected);
    }

    #[test]
    fn the_last_calls_are_known_until_they_are_forgotten() {
        let stacks = Stacks::default();
        let mut nodes = Nodes::new(&stacks);
        let from = nodes.add(&stacks, Arc::from([1]));
        let node = nodes.get(from).unwrap();
        let found = |node: &Node| [10, 20, 30, 40].map(|method| node.lately(method));
        assert_eq!(found(node), [None; 4]);
        for (method, to) in [(10, 2), (20, 3), (30, 4)] {
            node.leads(method, to);
        }
        assert_eq!(found(node), [Some(2), Some(3), Some(4), None]);
        node.leads(40, 5);
        assert_eq!(found(node), [None, Some(3), Some(4), Some(5)]);
        nodes.forget_calls();
        assert_eq!(found(nodes.get(from).unwrap()), [None; 4]);
    }
}
