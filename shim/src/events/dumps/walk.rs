//! The walk: what the VM shows of the heap becomes records.
//!
//! An object's record is opened when the first reference to it is seen, and its
//! fields are filled in as they come. Classes are gathered and written at the end,
//! before the objects, where agents look for superclasses.
//!
//! # Threads
//! The walk's callbacks run on the VM's thread while the requester waits. They
//! take memory from the system and locks of a few instructions, nothing else.

mod meeting;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use dump_format::{
    Detail, HeapWriter, KindWriter, Level, ObjectKind, Primitive, Value, WriteError,
};
use event_translate::EventKind;
use id_map::{ObjectId, Supply};

use crate::base::log;
use crate::base::progress;
use crate::base::terminal::Progress;
use crate::events::dumps::class_objects::HELD;
use crate::events::dumps::half_made::Whole;
use crate::events::dumps::record_index::{Place, RecordIndex};
use crate::events::dumps::survey::{Row, Survey};
use crate::events::dumps::traces::Framed;
use crate::model::tables::IDS;
use crate::model::wanted;
use crate::os::mapping::Mapping;
use crate::vm::heap::follow::{Next, Referent, Visitor, Way};

/// Room for roots and classes before the objects: addresses, not memory.
const GAP: usize = 1 << 28;

pub(super) enum Output {
    Kinds(KindWriter<Mapping>),
    Records(HeapWriter<Mapping>),
}

pub(super) struct Walk<'survey> {
    pub(super) survey: &'survey mut Survey,
    pub(super) places: RecordIndex,
    /// The object that was written to last.
    last: Last,
    /// Roots, then classes.
    pub(super) front: HeapWriter<Mapping>,
    pub(super) output: Output,
    supply: Supply,
    arena: u8,
    class_of_classes: u64,
    /// The classes of our hooks, which rewritten classes have as a constant.
    hooks: HashSet<usize>,
    /// Whether there are classes that nothing may name.
    any_unknown: bool,
    /// Whether the agent can no longer be told of classes that the survey has not met.
    is_closed: bool,
    /// Which virtual threads may be visited.
    whole: Whole,
    gap: usize,
    pub(super) strangers: Vec<Stranger>,
    /// Their roots.
    pub(super) roots_of_strangers: Vec<RootOfStranger>,
    pub(super) framed: Vec<Framed>,
    pub(super) objects: u64,
    error: Option<WriteError>,
    clock: Clock,
}

/// Where what an object holds is written to.
#[derive(Clone, Copy)]
enum Target {
    None,
    Record {
        values: usize,
        /// Its class's.
        row: Option<usize>,
    },
    /// The row of the class that it is.
    Class(usize),
}

struct Last {
    tag: u64,
    target: Target,
}

impl Last {
    const NONE: Self = Self {
        tag: 0,
        target: Target::None,
    };
}

struct Clock {
    started: Instant,
    said: Instant,
    /// On a terminal.
    shown: Progress,
}

/// What a walk leaves.
pub(super) struct Walked {
    pub(super) places: RecordIndex,
    pub(super) front: HeapWriter<Mapping>,
    /// The objects, behind a gap of so many bytes.
    pub(super) objects: Mapping,
    pub(super) gap: usize,
    pub(super) strangers: Vec<Stranger>,
    pub(super) roots_of_strangers: Vec<RootOfStranger>,
    pub(super) framed: Vec<Framed>,
    pub(super) count: u64,
}

/// An object whose class the survey has not met, or not prepared.
#[derive(Clone, Copy)]
pub(super) struct Stranger {
    pub(super) id: ObjectId,
    /// Its class's tag.
    pub(super) class: u64,
    /// Nothing has named it before.
    pub(super) is_new: bool,
}

/// A root of an object that may have a record after the walk.
pub(super) struct RootOfStranger {
    pub(super) object: ObjectId,
    pub(super) root: dump_format::Root,
    /// Where it is, of one in a frame; without an offset yet.
    pub(super) framed: Option<Framed>,
}

impl<'survey> Walk<'survey> {
    pub(super) fn new(
        survey: &'survey mut Survey,
        level: Level,
        whole: Whole,
        arena: u8,
    ) -> Option<Self> {
        let (gap, objects) = (GAP, Mapping::with_gap(GAP)?);
        let (output, detail) = match level {
            Level::Kinds => (Output::Kinds(KindWriter::new(objects)), Detail::References),
            Level::Records(detail) => (Output::Records(HeapWriter::new(objects, detail)), detail),
        };
        let mut places = RecordIndex::new(detail);
        for (number, row) in survey.rows.iter().enumerate() {
            if !places.add_class(row.class.id, number) {
                return None;
            }
        }
        for &id in &survey.without_record {
            if !places.add_bare(id) {
                return None;
            }
        }
        let hooks = survey.rows.iter().filter(|row| row.class.is_hidden());
        let hooks = hooks.map(|row| row.head.class).collect();
        Some(Self {
            any_unknown: !survey.unknown.is_empty(),
            is_closed: wanted::listens_no_more(EventKind::ClassLoad),
            whole,
            gap,
            survey,
            hooks,
            places,
            last: Last::NONE,
            front: HeapWriter::new(Mapping::new(), detail),
            output,
            supply: Supply::new(),
            arena,
            class_of_classes: crate::model::classes::class_of_classes().map_or(0, ObjectId::raw),
            strangers: Vec::new(),
            roots_of_strangers: Vec::new(),
            framed: Vec::new(),
            objects: 0,
            error: None,
            clock: Clock {
                started: Instant::now(),
                said: Instant::now(),
                shown: Progress::begin(),
            },
        })
    }

    /// The walk is over: the classes follow the roots.
    pub(super) fn finish(mut self) -> Result<Walked, WriteError> {
        IDS.retire(&self.supply);
        if let Some(error) = self.error {
            return Err(error);
        }
        if let Output::Kinds(kinds) = &mut self.output {
            for row in self.survey.rows.iter().filter(|row| row.prepared) {
                kinds.object(ObjectKind::Normal, row.head.class)?;
            }
        }
        Ok(Walked {
            places: self.places,
            front: self.front,
            objects: match self.output {
                Output::Kinds(kinds) => kinds.into_sink(),
                Output::Records(records) => records.into_sink(),
            },
            gap: self.gap,
            strangers: self.strangers,
            roots_of_strangers: self.roots_of_strangers,
            framed: self.framed,
            count: self.objects,
        })
    }

    fn fail(&mut self, error: WriteError) -> Next {
        self.error.get_or_insert(error);
        Next::Stop
    }

    /// The row of the class with this tag.
    #[inline]
    pub(super) fn row(&self, class: u64) -> Option<usize> {
        self.places.row(ObjectId::from_raw(class)?)
    }

    /// Where what the object `of` (class tag, tag) holds is written to. All that it holds
    /// comes one after the other.
    #[inline]
    fn target(&mut self, of: (u64, u64)) -> Target {
        if self.last.tag == of.1 {
            return self.last.target;
        }
        self.find_target(of)
    }

    fn find_target(&mut self, of: (u64, u64)) -> Target {
        let Some(id) = ObjectId::from_raw(of.1) else {
            return Target::None;
        };
        let bytes = match &self.output {
            Output::Kinds(_) => &[],
            Output::Records(records) => records.sink().bytes(),
        };
        let target = match self.places.find(id, bytes) {
            // It may have one in a moment.
            Place::None => return Target::None,
            Place::Bare => Target::None,
            Place::Class(row) => Target::Class(row),
            Place::Record(record) => Target::Record {
                values: record.values,
                row: self.row(of.0),
            },
        };
        self.last = Last { tag: of.1, target };
        target
    }

    /// Writes a value into the record of the object `of` (class tag, tag).
    #[inline]
    fn put(&mut self, way: Way, of: (u64, u64), value: Value) -> Result<(), WriteError> {
        match (way, self.target(of)) {
            (Way::Field(index), Target::Record { values, row }) => {
                let row = row.and_then(|row| self.survey.rows.get(row));
                if let Some(at) = row.and_then(|row| row.places.get(index)) {
                    self.set(values + at, value)?;
                }
            }
            (Way::Element(index), Target::Record { values, .. }) => {
                let at = usize::try_from(index).unwrap_or(0) * dump_format::WORD;
                self.set(values + at, value)?;
            }
            (Way::Static(index), Target::Class(row)) => {
                if let Some(row) = self.survey.rows.get_mut(row)
                    && let Some(at) = row.statics.get(index)
                    && let Some(place) = row.values.get_mut(at)
                    && place.ty() == value.ty()
                {
                    *place = value;
                }
            }
            (_, Target::Class(row)) => {
                if let (Some(row), Value::Reference(to)) = (self.survey.rows.get_mut(row), value)
                    && !self.hooks.contains(&to)
                {
                    relate(row, way, to);
                }
            }
            (_, Target::None | Target::Record { .. }) => {}
        }
        Ok(())
    }

    #[inline]
    fn set(&mut self, offset: usize, value: Value) -> Result<(), WriteError> {
        match &mut self.output {
            Output::Kinds(_) => Ok(()),
            Output::Records(records) => records.set(offset, value),
        }
    }
}

/// What a class refers to besides its fields.
fn relate(row: &mut Row, way: Way, to: usize) {
    match way {
        Way::Loader => row.head.loader = to,
        Way::Signers => row.head.signers = to,
        Way::Domain => row.head.protection_domain = to,
        Way::Constant(index) => {
            if let Ok(index) = u16::try_from(index)
                && to != 0
            {
                row.constants.push((index, to));
            }
        }
        Way::Root(_) | Way::Field(_) | Way::Element(_) | Way::Static(_) | Way::Other => {}
    }
}

impl Visitor for Walk<'_> {
    #[inline]
    fn reference(&mut self, way: Way, from: (u64, u64), to: Referent) -> (Option<u64>, Next) {
        let (number, tag) = match self.meet(to) {
            Ok(met) => met,
            Err(error) => return (None, self.fail(error)),
        };
        let written = match way {
            Way::Other => Ok(()),
            Way::Root(root) if number != 0 => {
                let id = ObjectId::from_raw(tag.unwrap_or(to.tag));
                self.root(root, number, id)
            }
            Way::Root(_) => Ok(()),
            _ if from.1 == HELD => Ok(()),
            Way::Field(_)
            | Way::Element(_)
            | Way::Static(_)
            | Way::Loader
            | Way::Signers
            | Way::Domain
            | Way::Constant(_) => {
                // An object that refers to itself may have got its tag just now.
                self.put(way, from, Value::Reference(number))
            }
        };
        match written {
            Ok(()) if self.whole.may_be_visited(to, tag.unwrap_or(to.tag)) => (tag, Next::GoOn),
            Ok(()) => (tag, Next::Past),
            Err(error) => (tag, self.fail(error)),
        }
    }

    #[inline]
    fn primitive(&mut self, way: Way, of: (u64, u64), value: Value) -> Next {
        match self.put(way, of, value) {
            Ok(()) => Next::GoOn,
            Err(error) => self.fail(error),
        }
    }

    fn elements(&mut self, array: u64, ty: Primitive, elements: &[u8]) -> Next {
        const LONG: usize = 1 << 20;
        if elements.len() >= LONG {
            self.clock.say(self.objects);
        }
        let Target::Record { values, .. } = self.target((0, array)) else {
            return Next::GoOn;
        };
        let written = match &mut self.output {
            Output::Kinds(_) => Ok(()),
            Output::Records(records) => records.fill(values, ty, elements),
        };
        match written {
            Ok(()) => Next::GoOn,
            Err(error) => self.fail(error),
        }
    }
}

impl Clock {
    /// One more object; a line in the log every few seconds.
    #[inline]
    fn tick(&mut self, objects: &mut u64) {
        *objects += 1;
        if objects.is_multiple_of(1 << 16) {
            self.say(*objects);
        }
    }

    #[cold]
    fn say(&mut self, objects: u64) {
        const EVERY: Duration = Duration::from_secs(2);
        // Whoever waits at the gate has patience as long as it goes on.
        progress::note();
        self.shown
            .show(format_args!("heap dump: {objects} objects"));
        if self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            let seconds = self.started.elapsed().as_secs();
            log::info!("HEAP_DUMP: {objects} objects after {seconds} s");
        }
    }
}
