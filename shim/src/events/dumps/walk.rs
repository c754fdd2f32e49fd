//! The walk: what the VM shows of the heap becomes records.
//!
//! An object's record is opened when the first reference to it is seen, and its
//! fields are filled in as they come. Classes are gathered and written at the end,
//! before the objects, where agents look for superclasses.
//!
//! # Threads
//! The walk's callbacks run on the VM's thread while the requester waits. They
//! take memory from the system and locks of a few instructions, nothing else.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use dump_format::{
    Detail, HeapWriter, KindWriter, Level, ObjectKind, Primitive, Type, Value, WriteError,
};
use event_translate::EventKind;
use id_map::{Entry, Flag, Kind, ObjectId, Shape, Supply};

use crate::base::log;
use crate::base::progress;
use crate::events::dumps::record_index::{Place, RecordIndex};
use crate::events::dumps::survey::{HELD, Instances, Row, Survey, outward};
use crate::events::dumps::traces::Framed;
use crate::model::tables::IDS;
use crate::model::wanted;
use crate::os::mapping::Mapping;
use crate::vm::follow::{Next, Referent, Visitor, Way};

/// Room for roots and classes before the objects: addresses, not memory.
pub(super) const GAP: usize = 1 << 28;

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
    /// Objects whose class the survey has not met, or not prepared, with its tag.
    pub(super) strangers: Vec<(ObjectId, u64)>,
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
}

/// What a walk leaves.
pub(super) struct Walked {
    pub(super) places: RecordIndex,
    pub(super) front: HeapWriter<Mapping>,
    /// The objects, behind a gap.
    pub(super) objects: Mapping,
    pub(super) strangers: Vec<(ObjectId, u64)>,
    pub(super) framed: Vec<Framed>,
    pub(super) count: u64,
}

impl<'survey> Walk<'survey> {
    pub(super) fn new(survey: &'survey mut Survey, level: Level, arena: u8) -> Option<Self> {
        let objects = Mapping::with_gap(GAP)?;
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
            framed: Vec::new(),
            objects: 0,
            error: None,
            clock: Clock {
                started: Instant::now(),
                said: Instant::now(),
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
            strangers: self.strangers,
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

    // ---- objects ------------------------------------------------------------

    /// The object's number in the dump, 0 for one that is ours; and the tag it gets.
    #[inline]
    fn meet(&mut self, seen: Referent) -> Result<(usize, Option<u64>), WriteError> {
        let id = ObjectId::from_raw(seen.tag);
        if let Some(id) = id
            && self.places.has(id)
        {
            return Ok((self.number_of(id), None));
        }
        if seen.tag != 0 && id.is_none() {
            return Ok((0, None));
        }
        self.meet_first(seen, id)
    }

    /// The number of an object that has been met; 0 for a class that nothing may name.
    #[inline]
    fn number_of(&self, id: ObjectId) -> usize {
        if self.any_unknown && self.survey.unknown.contains(&id) {
            0
        } else {
            outward(id)
        }
    }

    /// Whether it is an instance of a class that the agent does not know, or such a class that
    /// the survey has not met: there is no record that it could read, so nothing refers to it.
    fn is_unreadable(&self, class: u64) -> bool {
        let id = ObjectId::from_raw(class);
        match id.filter(|&id| self.places.row(id).is_some() && class != self.class_of_classes) {
            None => self.is_closed,
            Some(id) => self.any_unknown && self.survey.unknown.contains(&id),
        }
    }

    fn meet_first(
        &mut self,
        seen: Referent,
        id: Option<ObjectId>,
    ) -> Result<(usize, Option<u64>), WriteError> {
        self.clock.tick(&mut self.objects);
        // A tag whose id has ended is none.
        let known = id.and_then(|id| Some((id, IDS.get(id)?)));
        let is_class = seen.class == self.class_of_classes;
        let row = self.row(seen.class).filter(|_| !is_class);
        let instances = row.and_then(|row| {
            let row = self.survey.rows.get(row)?;
            // The record of an array names its elements' class only.
            let is_array = !matches!(row.instances, Instances::Classes | Instances::Plain);
            (row.prepared || is_array).then_some(row.instances)
        });
        let (Some(row), Some(instances)) = (row, instances) else {
            if self.is_unreadable(seen.class) {
                return Ok((0, None));
            }
            return self.meet_stranger(known.map(|(id, _)| id), seen.class);
        };
        let shape = self.shape_of(row);
        let size = u32::try_from(seen.size).unwrap_or(u32::MAX >> 1);
        if let Some(row) = self.survey.rows.get_mut(row)
            && row.instances == Instances::Plain
        {
            row.head.instance_size = size;
        }
        let id = match known {
            Some((id, entry)) => {
                if entry.shape.is_none() {
                    IDS.describe(id, entry.kind, shape, size, self.arena);
                }
                IDS.set(id, Flag::KNOWN);
                id
            }
            None => {
                let id = IDS.take_described(&self.supply, shape, size, self.arena);
                let id = id.ok_or(WriteError::NoMemory)?;
                IDS.set_fresh(id, Flag::KNOWN);
                id
            }
        };
        let number = outward(id);
        let begin = self.open(number, row, instances, seen.length)?;
        let placed = match begin {
            Some(begin) => self.places.add_record(id, begin),
            None => self.places.add_kind(id),
        };
        if !placed {
            return Err(WriteError::NoMemory);
        }
        Ok((number, known.is_none().then(|| id.raw())))
    }

    /// A class that was loaded or prepared since the survey, or an object of one.
    #[cold]
    fn meet_stranger(
        &mut self,
        known: Option<ObjectId>,
        class: u64,
    ) -> Result<(usize, Option<u64>), WriteError> {
        let kind = if class == self.class_of_classes {
            Kind::Class
        } else {
            Kind::Object
        };
        let id = known.or_else(|| IDS.allocate(kind));
        let id = id.ok_or(WriteError::NoMemory)?;
        IDS.set(id, Flag::KNOWN);
        self.strangers.push((id, class));
        if !self.places.add_bare(id) {
            return Err(WriteError::NoMemory);
        }
        Ok((outward(id), known.is_none().then(|| id.raw())))
    }

    fn shape_of(&self, row: usize) -> Shape {
        let class = self.survey.rows.get(row).map(|row| row.class.id);
        let shape = class
            .and_then(|class| IDS.get(class))
            .and_then(|class: Entry| class.shape);
        shape.unwrap_or(Shape { class, array: 0 })
    }

    /// Begins the object's record; where, of a dump that has records.
    fn open(
        &mut self,
        object: usize,
        row: usize,
        instances: Instances,
        length: i32,
    ) -> Result<Option<usize>, WriteError> {
        let records = match &mut self.output {
            Output::Kinds(kinds) => {
                let kind = match instances {
                    Instances::Classes | Instances::Plain => ObjectKind::Normal,
                    Instances::Arrays(_) => ObjectKind::Array(Type::Reference),
                    Instances::Primitives(ty) => ObjectKind::Array(Type::Primitive(ty)),
                };
                kinds.object(kind, object)?;
                return Ok(None);
            }
            Output::Records(records) => records,
        };
        let length = u32::try_from(length).unwrap_or(0);
        let begin = records.len();
        match instances {
            Instances::Plain | Instances::Classes => {
                let row = self.survey.rows.get(row);
                let (class, bytes) = row.map_or((0, 0), |row| (row.head.class, row.bytes));
                records.open_instance(object, class, bytes)?
            }
            Instances::Arrays(element) => records.open_object_array(object, element, length)?,
            Instances::Primitives(ty) => records.open_primitive_array(object, ty, length)?,
        };
        Ok(Some(begin))
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
            Ok(()) => (tag, Next::GoOn),
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
        if self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            let seconds = self.started.elapsed().as_secs();
            log::info!("HEAP_DUMP: {objects} objects after {seconds} s");
        }
    }
}
