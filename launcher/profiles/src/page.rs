//! A page with a flame graph for each series, of all processes or one.

use std::io::{self, Write};

use profile_formats::flame::{self, Data, Drawn, Head, Process, Weighed};

use crate::merged::Merged;
use crate::node::{Cell, number, place};

/// What the page says beside its graphs.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Its title.
    pub title: &'a str,
    /// When it was made, ms since 1970.
    pub taken: u64,
    /// Names and values.
    pub facts: &'a [(&'a str, String)],
    /// What a reader has to know.
    pub notes: &'a [String],
}

/// Writes it; what is too small has been [cut](Merged::cut).
///
/// # Errors
/// Those of `out`.
pub fn write(merged: &Merged, about: About<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<&str> = merged.names.iter().map(|name| &**name).collect();
    let series = merged.series.iter();
    let drawn: Vec<Graph> = series.map(|(_, cells)| graph(merged, cells)).collect();
    let processes = merged.processes.iter();
    let processes: Vec<Process<'_>> = processes
        .map(|it| Process {
            name: &it.name,
            host: &it.host,
        })
        .collect();
    let trees = merged
        .series
        .iter()
        .zip(&drawn)
        .map(|((series, _), graph)| Drawn {
            kind: &series.kind,
            depth: &graph.depth,
            name: &graph.name,
            weights: vec![Weighed {
                title: &series.title,
                unit: &series.unit,
                own: &graph.own,
                variance: None,
                variance_unit: None,
                parts: graph.parts.clone(),
            }],
        });
    let data = Data {
        taken: about.taken,
        depth: 0,
        cut: 0,
        notes: about.notes,
        left_out: &[],
        names: &names,
        trees: trees.collect(),
        head: Head {
            program: about.title,
            started: 0,
            facts: about.facts,
            processes: &processes,
            compared: merged.compared,
        },
    };
    flame::write(&data, out)
}

struct Graph {
    depth: Vec<u32>,
    name: Vec<u32>,
    own: Vec<u64>,
    parts: Vec<Vec<u64>>,
}

/// Of one series: the nodes that have something of it, in preorder.
fn graph(merged: &Merged, cells: &[Cell]) -> Graph {
    let totals = merged.with_callees(cells);
    let has_some = |node: u32| totals.get(place(node)).is_some_and(|&total| total > 0);
    let mut graph = Graph {
        depth: Vec::new(),
        name: Vec::new(),
        own: Vec::new(),
        parts: vec![Vec::new(); merged.processes.len()],
    };
    let mut places = vec![0_usize; merged.nodes.len()];
    for (node, depth) in merged.preorder(has_some) {
        let at = place(node);
        if let Some(place) = places.get_mut(at) {
            *place = graph.depth.len();
        }
        graph.depth.push(number(depth));
        let node = merged.nodes.get(at);
        graph.name.push(node.map_or(0, |node| node.name));
        graph.own.push(0);
    }
    for cell in cells {
        let at = places.get(place(cell.node)).copied().unwrap_or(0);
        if let Some(own) = graph.own.get_mut(at) {
            *own += cell.value;
        }
        if let Some(part) = graph.parts.get_mut(place(cell.process)) {
            part.extend([u64::from(number(at)), cell.value]);
        }
    }
    graph
}
