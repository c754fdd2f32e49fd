//! Stacks of all processes in one tree, and the numbers of each.
//!
//! A tree of a thousand processes may be larger than memory. When it comes near to that, the nodes
//! that have least become one with their neighbours, `(below the cutoff)`: no sum changes.

use std::rc::Rc;

use profile_formats::tree::REST;
use rustc_hash::FxHashMap;

use crate::children::Children;
use crate::node::{Cell, Node, ROOT, number, place, tidy};
use crate::part::{Part, Process, Series};

/// All that was read.
#[derive(Debug)]
pub struct Merged {
    /// Nanoseconds between two samples.
    pub interval: Option<u64>,
    /// From when on the first was profiled and until when the last, in nanoseconds since 1970, as far as
    /// files say.
    pub time: Option<(u64, u64)>,
    /// Who was profiled.
    pub processes: Vec<Process>,
    /// Of frames; the root's first, which is empty.
    pub names: Vec<Rc<str>>,
    /// The root first.
    pub nodes: Vec<Node>,
    /// What was counted, and how much of it where.
    pub series: Vec<(Series, Vec<Cell>)>,
    /// Small nodes were made one to keep within memory.
    pub folded: bool,
    /// There are two processes, which are held against each other: what is large in either is kept.
    pub compared: bool,
    /// Of each series.
    sums: Vec<u64>,
    numbers: FxHashMap<Rc<str>, u32>,
    children: Children,
    /// Bytes of [`Merged::names`].
    length_of_names: usize,
    /// Nodes and numbers that are kept at most.
    room: usize,
}

/// Nodes and numbers of them take some 200 MB.
const ROOM: usize = 6_000_000;
/// Of names, that weigh as much as a node and its number.
const BYTES: usize = 32;
/// What a name weighs beside its letters: an allocation, its places in the list and in the table.
const OF_A_NAME: usize = 64;

impl Default for Merged {
    fn default() -> Self {
        Self::with_room(ROOM)
    }
}

impl Merged {
    /// Nothing yet, with room for so many nodes and numbers.
    #[must_use]
    pub fn with_room(room: usize) -> Self {
        Self {
            interval: None,
            time: None,
            processes: Vec::new(),
            names: vec!["".into()],
            nodes: vec![ROOT],
            series: Vec::new(),
            folded: false,
            compared: false,
            sums: Vec::new(),
            numbers: FxHashMap::from_iter([("".into(), 0)]),
            children: Children::of(&[ROOT]),
            length_of_names: 0,
            room,
        }
    }

    /// Adds what stands in a file.
    ///
    /// # Errors
    /// Why it cannot be added to the others; it is not then.
    pub fn add(&mut self, part: &Part) -> Result<(), String> {
        if let (Some(one), Some(other)) = (self.interval, part.interval)
            && one != other
        {
            return Err(format!(
                "it has a sample every {}, and those before every {}: they cannot be added up; merge \
                 files of one interval",
                span(other),
                span(one)
            ));
        }
        let sums = self.sums_with(part).ok_or(
            "with those before it its numbers add up to more than 64 bits hold: merge it with fewer",
        )?;
        self.interval = self.interval.or(part.interval);
        let times = self.time.into_iter().chain(part.time);
        self.time = times.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let first = number(self.processes.len());
        self.processes.extend(part.processes.iter().cloned());
        let names: Vec<u32> = part.names.iter().map(|name| self.name(name)).collect();
        let series: Vec<usize> = part.series.iter().map(|one| self.series_of(one)).collect();
        self.sums = sums;
        let old: Vec<usize> = self.series.iter().map(|(_, cells)| cells.len()).collect();
        let nodes = self.nodes_of(part, &names);
        for entry in &part.entries {
            let cell = Cell {
                process: first + entry.process,
                node: nodes.get(place(entry.node)).copied().unwrap_or(0),
                value: entry.value,
            };
            let place = series.get(place(entry.series)).copied();
            if let Some((_, cells)) = place.and_then(|at| self.series.get_mut(at)) {
                cells.push(cell);
            }
        }
        // Its processes come behind all others.
        for ((_, cells), old) in self.series.iter_mut().zip(old) {
            let mut new = cells.split_off(old);
            tidy(&mut new);
            cells.append(&mut new);
        }
        if self.size() > self.room {
            // Half of it, so that this is not done for each file.
            self.shrink_to(self.room / 2, 1e-9);
        }
        Ok(())
    }

    /// What the series come to with this, those behind that are new; `None` if that is too much.
    fn sums_with(&self, part: &Part) -> Option<Vec<u64>> {
        let mut sums = self.sums.clone();
        let mut new = self.sums.len();
        let places: Vec<usize> = part
            .series
            .iter()
            .map(|series| {
                let known = self.series.iter().position(|(known, _)| known == series);
                known.unwrap_or_else(|| {
                    new += 1;
                    new - 1
                })
            })
            .collect();
        sums.resize(new, 0);
        for entry in &part.entries {
            let place = places.get(place(entry.series)).copied();
            if let Some(sum) = place.and_then(|place| sums.get_mut(place)) {
                *sum = sum.checked_add(entry.value)?;
            }
        }
        Some(sums)
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let number = number(self.names.len());
        self.length_of_names += name.len();
        let name: Rc<str> = name.into();
        self.names.push(Rc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    fn series_of(&mut self, series: &Series) -> usize {
        let known = self.series.iter().position(|(known, _)| known == series);
        known.unwrap_or_else(|| {
            self.series.push((series.clone(), Vec::new()));
            self.series.len() - 1
        })
    }

    /// Where the nodes of a part are here; those that have nothing, nor anything below, are not.
    fn nodes_of(&mut self, part: &Part, names: &[u32]) -> Vec<u32> {
        let mut is_needed = vec![false; part.nodes.len()];
        for entry in &part.entries {
            if let Some(needed) = is_needed.get_mut(place(entry.node)) {
                *needed = true;
            }
        }
        // A caller stands before what it calls.
        for (at, node) in part.nodes.iter().enumerate().rev() {
            if is_needed.get(at) == Some(&true)
                && let Some(caller) = is_needed.get_mut(place(node.parent))
            {
                *caller = true;
            }
        }
        let mut nodes = vec![0; part.nodes.len()];
        let needed = part.nodes.iter().zip(&is_needed).enumerate().skip(1);
        for (at, (node, _)) in needed.filter(|(_, (_, is_needed))| **is_needed) {
            let parent = nodes.get(place(node.parent)).copied().unwrap_or(0);
            let name = names.get(place(node.name)).copied().unwrap_or(0);
            let wanted = Node { parent, name };
            if let Some(node) = nodes.get_mut(at) {
                *node = self.children.child(&mut self.nodes, wanted);
            }
        }
        nodes
    }

    /// How much of each series there is.
    #[must_use]
    pub fn totals(&self) -> Vec<(&Series, u64)> {
        let sum = |cells: &[Cell]| cells.iter().map(|cell| cell.value).sum();
        let all = self.series.iter();
        all.map(|(series, cells)| (series, sum(cells))).collect()
    }

    /// Of some numbers those of one process.
    pub(crate) fn of_process(cells: &[Cell], process: u32) -> Vec<Cell> {
        let own = cells.iter().filter(|cell| cell.process == process);
        own.copied().collect()
    }

    /// What it takes: nodes and numbers, and as many as its names are like.
    fn size(&self) -> usize {
        let cells = self.series.iter().map(|(_, cells)| cells.len());
        let names = (self.length_of_names + OF_A_NAME * self.names.len()) / BYTES;
        self.nodes.len().max(cells.sum()) + names
    }

    /// Makes small nodes one, from this share of the whole on, until it takes no more than that.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rough share"
    )]
    fn shrink_to(&mut self, size: usize, share: f64) {
        let mut share = share;
        while self.size() > size && share < 1.0 {
            let shares = self.shares();
            // All is written anew: not for a few.
            let few = (shares.len() as f64 * size as f64 / self.size() as f64) as usize;
            while share < 1.0 && shares.iter().filter(|&&of| of >= share).count() > few {
                share *= 2.0;
            }
            self.fold(&shares, share);
            self.folded = true;
            share *= 2.0;
        }
    }

    /// What of this is drawn: nodes below this share are one, and larger ones if there are too many
    /// numbers for a page.
    pub fn cut(&mut self, share: f64, most: usize) {
        if share > 0.0 {
            self.fold(&self.shares(), share);
        }
        self.shrink_to(most, share.max(1e-6));
    }

    /// What each node has with all below it.
    pub(crate) fn with_callees(&self, cells: &[Cell]) -> Vec<u64> {
        let mut totals = vec![0_u64; self.nodes.len()];
        for cell in cells {
            if let Some(total) = totals.get_mut(place(cell.node)) {
                *total += cell.value;
            }
        }
        // A caller stands before what it calls.
        for (at, node) in self.nodes.iter().enumerate().skip(1).rev() {
            let below = totals.get(at).copied().unwrap_or(0);
            if let Some(total) = totals.get_mut(place(node.parent)) {
                *total += below;
            }
        }
        totals
    }

    /// How much of the whole each node has with all below it, in the series of which it has most.
    #[allow(clippy::cast_precision_loss, reason = "a rough share")]
    fn shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0_f64; self.nodes.len()];
        let mut note = |cells: &[Cell]| {
            let totals = self.with_callees(cells);
            let whole = totals.first().copied().unwrap_or(0).max(1) as f64;
            for (share, total) in shares.iter_mut().zip(totals) {
                *share = share.max(total as f64 / whole);
            }
        };
        for (_, cells) in &self.series {
            if self.compared {
                (0..2).for_each(|side| note(&Self::of_process(cells, side)));
            } else {
                note(cells);
            }
        }
        shares
    }

    /// Nodes that have less than this become one with their neighbours.
    fn fold(&mut self, shares: &[f64], least: f64) {
        let rest = self.name(REST);
        let nodes = std::mem::replace(&mut self.nodes, vec![ROOT]);
        self.children = Children::default();
        // What stands for the small ones under each.
        let mut rests: FxHashMap<u32, u32> = FxHashMap::default();
        let mut add = |nodes: &mut Vec<Node>, node: Node| {
            let mut push = || {
                nodes.push(node);
                number(nodes.len() - 1)
            };
            match node.name == rest {
                true => *rests.entry(node.parent).or_insert_with(push),
                false => push(),
            }
        };
        // Where each node is from now on, and whether it is itself there.
        let mut moved: Vec<(u32, bool)> = vec![(0, true)];
        for (node, &share) in nodes.iter().zip(shares).skip(1) {
            let kept = share >= least;
            let (parent, whole) = moved.get(place(node.parent)).copied().unwrap_or((0, true));
            moved.push(match whole {
                false => (parent, false),
                true => {
                    let name = if kept { node.name } else { rest };
                    let new = add(&mut self.nodes, Node { parent, name });
                    (new, kept || node.name == rest)
                }
            });
        }
        for (_, cells) in &mut self.series {
            for cell in cells.iter_mut() {
                cell.node = moved.get(place(cell.node)).map_or(0, |moved| moved.0);
            }
            tidy(cells);
            cells.shrink_to_fit();
        }
        self.forget_names();
    }

    /// Names that no node has any more are gone.
    fn forget_names(&mut self) {
        let old = std::mem::replace(&mut self.names, vec!["".into()]);
        let mut moved = vec![None; old.len()];
        if let Some(root) = moved.first_mut() {
            *root = Some(0);
        }
        for node in &mut self.nodes {
            let Some(new) = moved.get_mut(place(node.name)) else {
                continue;
            };
            let name = || {
                old.get(place(node.name))
                    .map_or_else(|| "".into(), Rc::clone)
            };
            node.name = *new.get_or_insert_with(|| {
                self.names.push(name());
                number(self.names.len() - 1)
            });
        }
        self.length_of_names = self.names.iter().map(|name| name.len()).sum();
        let numbered = self.names.iter().map(Rc::clone).zip(0..);
        self.numbers = numbered.collect();
        self.children = Children::of(&self.nodes);
    }

    /// The name of a node.
    pub(crate) fn name_of(&self, node: u32) -> &str {
        let node = self.nodes.get(place(node));
        let name = node.and_then(|node| self.names.get(place(node.name)));
        name.map_or("", |name| name)
    }

    /// Nodes with their depths: the root first, each behind its caller, those of one caller by name;
    /// without those that are not wanted and all below them.
    pub(crate) fn preorder(
        &self,
        is_wanted: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = (u32, usize)> {
        let mut open = vec![(0, 0)];
        std::iter::from_fn(move || {
            let (node, depth) = open.pop()?;
            let below = open.len();
            let children = self.children.below(node).filter(|child| is_wanted(*child));
            open.extend(children.map(|child| (child, depth + 1)));
            let below = open.get_mut(below..).unwrap_or_default();
            below.sort_unstable_by(|one, other| self.name_of(other.0).cmp(self.name_of(one.0)));
            Some((node, depth))
        })
    }
}

/// `10 ms`.
fn span(nanos: u64) -> String {
    if nanos.is_multiple_of(1_000_000) {
        format!("{} ms", nanos / 1_000_000)
    } else {
        format!("{nanos} ns")
    }
}
