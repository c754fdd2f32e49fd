//! What an agent makes of the events of an arena model is what happened.
//!
//! A simulated program allocates and forgets objects over many brackets. The
//! agent follows the events alone and checks the ordering rules of facts C.3.
//! The program knows where each object lies by the collector's own rule: it
//! keeps every arena as a list in the order of addresses, and holds the events
//! against the grammar of facts G.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "the exceptions for tests do not reach what a test calls"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::{mem, thread};

use arena_models::{ArenaEvent, Kind, Model, Resident};

const SEEDS: u64 = if cfg!(miri) { 1 } else { 100 };
const BRACKETS: usize = 40;

#[test]
fn agents_know_where_everything_is() {
    for kind in Kind::ALL {
        for renumber in [false, true] {
            for seed in 0..SEEDS {
                let mut program = Program::new(kind, renumber, seed);
                for _ in 0..BRACKETS {
                    program.bracket();
                }
            }
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in 1..items.len() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// Knows nothing but events.
#[derive(Default)]
struct Agent {
    /// The arenas that are live, with their objects.
    arenas: BTreeMap<u8, BTreeSet<u64>>,
}

impl Agent {
    fn new(start: &[ArenaEvent]) -> Self {
        let mut agent = Self::default();
        if start.is_empty() {
            agent.arenas.insert(1, BTreeSet::new()); // R6: the constant 1
        }
        for &event in start {
            agent.event(event);
        }
        agent
    }

    /// R3 and R4: the id is new, in whatever arena. R6: the arena is live.
    fn add(&mut self, object: u64, arena: u8) {
        let live = self.arenas.values().any(|all| all.contains(&object));
        assert!(!live, "{object} is live already");
        let objects = self.arenas.get_mut(&arena).expect("a live arena");
        objects.insert(object);
    }

    fn event(&mut self, event: ArenaEvent) {
        match event {
            ArenaEvent::New { arena, name } => {
                assert!(arena > 0 && !name.is_empty());
                let before = self.arenas.insert(arena, BTreeSet::new());
                assert_eq!(before, None, "arena {arena} is live already");
            }
            ArenaEvent::Delete { arena } => {
                assert!(self.arenas.remove(&arena).is_some(), "R5: arena {arena}");
            }
            ArenaEvent::Free { object } => {
                let freed = self.arenas.values_mut().any(|all| all.remove(&object));
                assert!(freed, "R4: FREE of {object}");
            }
            ArenaEvent::Move {
                object,
                arena,
                new_object,
                new_arena,
            } => {
                let objects = self.arenas.get_mut(&arena).expect("a live arena");
                assert!(objects.remove(&object), "R4: MOVE of {object}");
                self.add(new_object, new_arena);
            }
        }
    }
}

/// The events of a bracket, taken off phase by phase.
struct Script<'a>(&'a [ArenaEvent]);

impl Script<'_> {
    fn frees(&mut self) -> Vec<u64> {
        let mut objects = Vec::new();
        while let [ArenaEvent::Free { object }, rest @ ..] = self.0 {
            objects.push(*object);
            self.0 = rest;
        }
        objects
    }

    fn moves(&mut self, from: u8, to: u8) -> Vec<u64> {
        let mut objects = Vec::new();
        while let [
            ArenaEvent::Move {
                object,
                arena,
                new_arena,
                ..
            },
            rest @ ..,
        ] = self.0
            && (*arena, *new_arena) == (from, to)
        {
            objects.push(*object);
            self.0 = rest;
        }
        objects
    }

    fn anew(&mut self, id: u8) {
        let [
            ArenaEvent::Delete { arena },
            ArenaEvent::New {
                arena: new_arena, ..
            },
            rest @ ..,
        ] = self.0
        else {
            panic!("not DELETE and NEW: {:?}", self.0);
        };
        assert_eq!((*arena, *new_arena), (id, id));
        self.0 = rest;
    }
}

/// An object, whatever ids it goes by.
type Name = usize;

/// The program under test, and the model's caller.
struct Program {
    kind: Kind,
    model: Model,
    agent: Agent,
    seed: u64,
    random: Random,
    renumber: bool,
    last_id: u64,
    /// Each object's id now, or its last one.
    ids: Vec<u64>,
    /// By arena id: the objects that the agent must believe in, lowest address
    /// first.
    heap: [Vec<Name>; 4],
    /// Where an allocation goes that overlooks the last bracket.
    stale_nursery: u8,
}

impl Program {
    fn new(kind: Kind, renumber: bool, seed: u64) -> Self {
        let model = Model::new(kind);
        Self {
            kind,
            agent: Agent::new(&model.start()),
            stale_nursery: model.nursery(),
            model,
            seed,
            random: Random(seed),
            renumber,
            last_id: 0,
            ids: Vec::new(),
            heap: Default::default(),
        }
    }

    fn allocate(&mut self, arena: u8) {
        self.last_id += 1 + self.random.below(3);
        self.heap[usize::from(arena)].push(self.ids.len());
        self.ids.push(self.last_id);
        self.agent.add(self.last_id, arena);
    }

    /// These objects by id.
    fn residents(&self, which: impl Fn(Name) -> bool) -> Vec<Resident> {
        let arenas = (0..).zip(&self.heap);
        let all = arenas.flat_map(|(arena, names)| names.iter().map(move |&name| (name, arena)));
        let resident = |(name, arena)| Resident {
            object: self.ids[name],
            arena,
        };
        let mut residents: Vec<_> = all.filter(|all| which(all.0)).map(resident).collect();
        residents.sort_by_key(|resident| resident.object);
        residents
    }

    fn bracket(&mut self) {
        for _ in 0..self.random.below(6) {
            self.allocate(self.model.nursery());
        }
        if self.random.below(4) == 0 {
            self.allocate(self.stale_nursery);
        }
        self.stale_nursery = self.model.nursery();
        let mortality = [0, 1, 5, 5, 20, 90][self.random.below(6) as usize];
        let dies: Vec<bool> = (self.ids.iter())
            .map(|_| self.random.below(100) < mortality)
            .collect();
        let mut dead = self.residents(|name| dies[name]);
        self.random.shuffle(&mut dead);
        let live = self.residents(|name| !dies[name]);

        let mut renamed = Vec::new();
        let mut events = Vec::new();
        self.model.collect(
            &dead,
            if self.model.wants_live() { &live } else { &[] },
            &mut |object| {
                self.last_id += 1;
                let new_object = if self.renumber { self.last_id } else { object };
                renamed.push((object, new_object));
                new_object
            },
            &mut |event| events.push(event),
        );

        self.follow(&events, &dead, &dies);
        let moves = events.iter().filter_map(|event| match *event {
            ArenaEvent::Move {
                object, new_object, ..
            } => Some((object, new_object)),
            ArenaEvent::New { .. } | ArenaEvent::Delete { .. } | ArenaEvent::Free { .. } => None,
        });
        assert!(moves.eq(renamed.iter().copied()), "one question per move");
        let renamed = BTreeMap::from_iter(renamed);
        for id in &mut self.ids {
            *id = *renamed.get(id).unwrap_or(id);
        }

        for event in events {
            self.agent.event(event);
        }
        let believed: Vec<_> = self.agent.arenas.iter().collect();
        let mut truth = BTreeMap::new();
        for arena in 1..=arenas(self.kind) {
            let names = &self.heap[usize::from(arena)];
            truth.insert(arena, names.iter().map(|&name| self.ids[name]).collect());
        }
        assert_eq!(believed, truth.iter().collect::<Vec<_>>());
    }

    /// Collects the heap as such a collector does, in step with the events:
    /// facts G, with the ids of before the bracket.
    fn follow(&mut self, events: &[ArenaEvent], dead: &[Resident], dies: &[bool]) {
        let mut script = Script(events);
        let ids = |names: &[Name]| Vec::from_iter(names.iter().map(|&name| self.ids[name]));
        let survivors = |names: &mut Vec<Name>| {
            let mut names = mem::take(names);
            names.retain(|&name| !dies[name]);
            names
        };
        // Frees come before all else, in the order of `dead`.
        let sweep = |script: &mut Script<'_>, arena| {
            let dead = dead.iter().filter(|dead| dead.arena == arena);
            let dead: Vec<_> = dead.map(|dead| dead.object).collect();
            assert_eq!(script.frees(), dead);
        };
        // What lies behind the first hole moves.
        let slide = |script: &mut Script<'_>, arena, names: &mut Vec<Name>| {
            let hole = names.iter().position(|&name| dies[name]);
            let mut behind = names.split_off(hole.unwrap_or(names.len()));
            behind.retain(|&name| !dies[name]);
            assert_eq!(script.moves(arena, arena), ids(&behind));
            names.append(&mut behind);
        };
        let [_, one, two, three] = &mut self.heap;
        match self.kind {
            Kind::Hotspot | Kind::MarkSweep | Kind::ReferenceCounting => {
                sweep(&mut script, 1);
                *one = survivors(one);
            }
            Kind::MarkCompact => {
                sweep(&mut script, 1);
                slide(&mut script, 1, one);
            }
            Kind::TwoSpace => {
                let from = self.stale_nursery;
                let to = 3 - from;
                let (leave, enter) = if from == 1 { (one, two) } else { (two, one) };
                sweep(&mut script, to);
                *enter = survivors(enter);
                let mut moved = survivors(leave);
                moved.sort_by_key(|&name| self.ids[name]);
                assert_eq!(script.moves(from, to), ids(&moved));
                script.anew(from);
                enter.append(&mut moved);
                assert_eq!(self.model.nursery(), to);
            }
            Kind::Cvm => {
                let dead_of = |arena| {
                    let dead = dead.iter().filter(move |dead| dead.arena == arena);
                    dead.map(|dead| dead.object)
                };
                let before = script.frees();
                slide(&mut script, 3, three);
                let mut moved = survivors(two);
                assert_eq!(script.moves(2, 3), ids(&moved));
                three.append(&mut moved);
                // With no move between them the two runs are one.
                let frees: Vec<_> = before.into_iter().chain(script.frees()).collect();
                assert_eq!(frees, dead_of(3).chain(dead_of(2)).collect::<Vec<_>>());
            }
            Kind::Generational => {
                sweep(&mut script, 3);
                slide(&mut script, 3, three);
                if two.iter().any(|&name| dies[name]) {
                    let mut moved = survivors(two);
                    assert_eq!(script.moves(2, 3), ids(&moved));
                    script.anew(2);
                    three.append(&mut moved);
                }
                let mut moved = survivors(one);
                assert_eq!(script.moves(1, 2), ids(&moved));
                script.anew(1);
                two.append(&mut moved);
            }
        }
        assert_eq!(script.0, [], "more than the grammar has");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if thread::panicking() {
            let (kind, renumber, seed) = (self.kind.name(), self.renumber, self.seed);
            eprintln!("arenas={kind}, renumber {renumber}, seed {seed}");
        }
    }
}

fn arenas(kind: Kind) -> u8 {
    match kind {
        Kind::Hotspot | Kind::MarkSweep | Kind::MarkCompact | Kind::ReferenceCounting => 1,
        Kind::TwoSpace => 2,
        Kind::Generational | Kind::Cvm => 3,
    }
}
