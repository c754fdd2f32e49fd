//! HEAP_DUMP and OBJECT_DUMP: all objects, or one, on request.
//!
//! A heap dump is one walk of the VM ([`mod@walk`]), between a survey of what must be
//! known before ([`survey`]) and the events that define what it names. While the
//! agent reads it no bracket begins, so that every id in it can be asked for.

pub(crate) mod by_vm;
mod class_objects;
mod dissect;
mod half_made;
mod late;
mod object;
mod owned_monitors;
mod record_index;
mod roots;
mod shown;
mod sink;
mod sizes;
mod survey;
mod traces;
mod value_counts;
mod values;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use dump_format::{ClassHead, Detail, HeapWriter, Level, Sink, WriteError};
use event_translate::EventKind;
use id_map::{Flag, Kind};

use crate::base::log;
use crate::delivery::announce;
use crate::delivery::dispatch;
use crate::delivery::gate;
use crate::delivery::worker;
use crate::events::dumps::half_made::Whole;
use crate::events::dumps::late::write_strangers;
use crate::events::dumps::object::Asking;
use crate::events::dumps::shown::{Heap, Snapshot};
use crate::events::dumps::survey::{Instances, Survey, ValueObjects};
use crate::events::dumps::traces::Traces;
use crate::events::dumps::value_counts::ValueCounts;
use crate::events::dumps::values::OfDump;
use crate::events::dumps::walk::{Walk, Walked};
use crate::events::gc::disabling::Hold;
use crate::events::gc::object_free;
use crate::events::threads::in_dumps::UnderWay;
use crate::model::ids;
use crate::model::ids::Walking;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::threads;
use crate::os::mapping::Mapping;
use crate::os::memory;
use crate::vm::env::{self, Jvmti};
use crate::vm::heap::follow;
use crate::vm::heap::value_objects;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

pub(crate) use crate::events::dumps::shown::request_object;

/// RequestEvent(HEAP_DUMP): whether the agent got it.
pub(crate) fn request_heap(argument: usize) -> Option<bool> {
    let level = level_of(argument)?;
    let (jvmti, jni) = this_vm::for_call("RequestEvent(HEAP_DUMP)")?;
    if this_vm::phase() == Phase::Loading {
        log::warn_once!("RequestEvent(HEAP_DUMP): not before JVM_INIT_DONE; JVMPI_FAIL");
        return None;
    }
    let own = threads::own()?;
    let _hold = Hold::take();
    let _under_way = UnderWay::begin(&own);
    let _aside = ExceptionAside::put(jni);
    let mut values = OfDump::begin(jvmti);
    match Heap::take(jvmti, jni, &own, level, &mut values) {
        Ok((heap, traces)) => Some(heap.show(&own, level, &traces)),
        Err(why) => {
            log::warning!("HEAP_DUMP of level {}: {why}; JVMPI_FAIL", level.raw());
            None
        }
    }
}

/// The level of a `JVMPI_HeapDumpArg*`; 2 for NULL (JVMPI facts B.2).
fn level_of(argument: usize) -> Option<Level> {
    if argument == 0 {
        return Some(Level::Records(Detail::Values));
    }
    let Some(number) = memory::int_at(argument) else {
        log::warn_once!("RequestEvent(HEAP_DUMP): {argument:#x} is no JVMPI_HeapDumpArg");
        return None;
    };
    let level = Level::from_raw(number);
    if level.is_none() {
        log::warn_once!("RequestEvent(HEAP_DUMP): {number} is no dump level");
    }
    level
}

impl Heap {
    fn take(
        jvmti: Jvmti,
        jni: Jni,
        own: &Arc<Thread>,
        level: Level,
        values: &mut OfDump,
    ) -> Result<(Self, Traces), String> {
        let began = Instant::now();
        // Ids that the walk gives out are to be given back one day.
        object_free::begin(jvmti, jni);
        worker::ensure(jvmti, jni);
        ids::tag_all(jvmti, jni);
        let detail = match level {
            Level::Kinds => Detail::References,
            Level::Records(detail) => detail,
        };
        const ROOM: usize = 1 << 12;
        let survey = jni.with_frame(ROOM, || Survey::take(jvmti, jni, own, detail));
        let mut survey = survey.map_err(|error| error.to_string())?;
        let asking = Asking {
            jvmti,
            jni,
            own,
            met: None,
        };
        let (stacks, entered) = match level {
            Level::Kinds => (None, None),
            Level::Records(_) => {
                let stacks = traces::take(asking, &mut survey);
                (
                    Some(stacks),
                    Some(owned_monitors::look(jvmti, jni, &survey)),
                )
            }
        };
        let surveyed = began.elapsed();
        // Counting value objects is a walk, too.
        let whole = Whole::take(jvmti, jni)?;
        values.any =
            look_at_values(jvmti, jni, &mut survey, &whole).map_err(|error| error.to_string())?;
        let mut walked = walk(jvmti, jni, &mut survey, (level, whole))?;
        say_what_went_without(&survey);
        let took = began.elapsed() - surveyed;
        let no_memory = |error: WriteError| error.to_string();
        let mut front =
            std::mem::replace(&mut walked.front, HeapWriter::new(Mapping::new(), detail));
        let mut objects = std::mem::replace(&mut walked.objects, Mapping::new());
        if let Some(entered) = entered {
            let asked = (jvmti, jni);
            let written = entered.write(asked, &survey, &walked, objects.bytes(), &mut front);
            written.map_err(no_memory)?;
        }
        gate::let_handlers_end();
        announce(own, &walked);
        /// More the VM does not give.
        const MOST: usize = 60_000;
        let room = (walked.strangers.len() + ROOM).min(MOST);
        let late = jni.with_frame(room, || {
            write_strangers(
                asking,
                &mut survey,
                level,
                &mut walked,
                &mut front,
                &mut objects,
            )
        });
        let late = late.map_err(no_memory)?;
        let mut ranges = Vec::new();
        if level != Level::Kinds {
            ranges = write_classes(asking, &mut survey, &mut front).map_err(no_memory)?;
        }
        let mut front = front.into_sink();
        let traces = stacks.map(|stacks| {
            Traces::new(jvmti, jni, &survey, stacks, &walked.framed, front.written())
        });
        let (begin, front) = join(&front, &mut objects, walked.gap).map_err(no_memory)?;
        log::info!(
            "HEAP_DUMP of level {}: {} objects, {} classes, {} bytes; survey {surveyed:?}, walk {took:?}, {:?} in all",
            level.raw(),
            walked.count,
            survey.rows.len(),
            objects.bytes().len() - begin,
            began.elapsed(),
        );
        let snapshot = (level == Level::Records(Detail::Values)).then_some(Snapshot {
            walked,
            front,
            classes: ranges,
            late,
        });
        let heap = Self {
            bytes: objects,
            begin,
            snapshot,
        };
        Ok((heap, traces.unwrap_or_default()))
    }
}

/// Which classes are of value objects, and how many of theirs may have ids; whether there are such classes.
fn look_at_values(jvmti: Jvmti, jni: Jni, survey: &mut Survey, whole: &Whole) -> env::Result<bool> {
    let rows = survey.rows.iter_mut();
    let mut rows: Vec<_> = rows
        .filter(|row| IDS.has(row.class.id, Flag::VALUES))
        .collect();
    if rows.is_empty() {
        return Ok(false);
    }
    value_objects::may_get_tags();
    let counts = ValueCounts::take(jvmti, rows.iter().map(|row| row.class.id.raw()), whole)?;
    let mut allowed = counts.allowed();
    let mut without = 0;
    for row in &mut rows {
        let class = row.class.id.raw();
        let may_have_ids = allowed.remove(&class).unwrap_or(0);
        let are_too_many = may_have_ids == 0 && counts.has(class);
        row.value_objects = Some(ValueObjects {
            size: sizes::of_instance(jvmti, jni, &row.class),
            may_have_ids,
            are_too_many,
            went_without: false,
        });
        without += usize::from(are_too_many);
    }
    if without != 0 {
        log::warn_once!(
            "HEAP_DUMP: the value objects of some classes ({without}) have no records: too many that the VM would have to compare with one another"
        );
    }
    Ok(true)
}

/// Says that value objects have no records which the program has made since they were counted.
fn say_what_went_without(survey: &Survey) {
    let mut values = survey.rows.iter().filter_map(|row| row.value_objects);
    if values.any(|its| its.went_without && !its.are_too_many) {
        log::warn_once!(
            "HEAP_DUMP: some value objects have no records: more were made while the dump was than had room beside those that were counted"
        );
    }
}

/// The walk itself. Nobody else gives ids to objects meanwhile ([`Walking`]).
fn walk(
    jvmti: Jvmti,
    jni: Jni,
    survey: &mut Survey,
    (level, whole): (Level, Whole),
) -> Result<Walked, String> {
    let no_memory = || WriteError::NoMemory.to_string();
    let arena = ids::nursery();
    let values = level == Level::Records(Detail::Values);
    let result = Walk::new(survey, level, whole, arena).map(|mut walk| {
        let walking = Walking::begin(jvmti, jni);
        let followed = follow::from_roots(jvmti, &mut walk, values);
        drop(walking);
        (followed, walk.finish())
    });
    let (followed, walked) = result.ok_or_else(no_memory)?;
    // The walk's own error says more than that it was stopped.
    let walked = walked.map_err(|error| error.to_string())?;
    followed.map_err(|error| error.to_string())?;
    Ok(walked)
}

/// Sends what defines the dump's objects, as far as it is due; its classes are known.
fn announce(own: &Thread, walked: &Walked) {
    if !dispatch::reaches_agent(EventKind::ObjectAlloc) {
        return;
    }
    for id in walked.places.each() {
        let new = IDS.get(id).is_some_and(|entry| {
            entry.kind != Kind::Class && entry.shape.is_some() && !entry.has(Flag::ALLOCATED)
        });
        if new {
            announce::allocation(own, id);
        }
    }
}

/// CLASS_DUMP of every class that has members; where each begins and ends.
fn write_classes(
    asking: Asking<'_>,
    survey: &mut Survey,
    front: &mut HeapWriter<Mapping>,
) -> Result<Vec<(usize, usize)>, WriteError> {
    let heads: HashMap<usize, (Instances, ClassHead)> = survey
        .rows
        .iter()
        .map(|row| (row.head.class, (row.instances, row.head)))
        .collect();
    let mut ranges = Vec::with_capacity(survey.rows.len());
    for row in &mut survey.rows {
        let begin = front.len();
        if row.prepared {
            // An array class is its elements' class's relative.
            let mut instances = row.instances;
            while let Instances::Arrays(element) = instances
                && let Some((its, head)) = heads.get(&element)
            {
                instances = *its;
                row.head.loader = head.loader;
                row.head.signers = head.signers;
                row.head.protection_domain = head.protection_domain;
            }
            if row.head.instance_size == 0 {
                row.head.instance_size = sizes::of_instance(asking.jvmti, asking.jni, &row.class);
            }
            row.constants.sort_unstable();
            row.constants.dedup();
            front.class(&row.head, &row.interfaces, &row.constants, &row.values)?;
        }
        ranges.push((begin, front.len()));
    }
    Ok(ranges)
}

/// Puts roots and classes in front of the objects; where the dump begins, and they do.
fn join(front: &Mapping, objects: &mut Mapping, gap: usize) -> Result<(usize, usize), WriteError> {
    let front = front.bytes();
    let Some(begin) = gap.checked_sub(front.len()) else {
        // More classes than there is room for: behind, then.
        let end = objects.bytes().len();
        objects.grow(front.len())?.copy_from_slice(front);
        return Ok((gap, end));
    };
    if let Some(room) = objects.written().get_mut(begin..gap) {
        room.copy_from_slice(front);
    }
    Ok((begin, begin))
}
