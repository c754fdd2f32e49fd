//! Objects whose class the survey has not met: read by JNI after the walk.

use std::collections::{HashMap, HashSet};

use dump_format::{HeapWriter, KindWriter, Level, ObjectKind, Type, WriteError};
use id_map::{Flag, Kind, ObjectId};

use crate::base::log;
use crate::delivery::announce;
use crate::events::dumps::object::{Asking, NoRecord};
use crate::events::dumps::roots;
use crate::events::dumps::survey::{self, Survey};
use crate::events::dumps::walk::{Stranger, Walked};
use crate::model::classes::{self, CLASSES};
use crate::model::tables::IDS;
use crate::os::mapping::Mapping;
use crate::vm::refs::Local;

/// Records that were written after the walk: where they begin and end, classes from
/// where all classes do, objects from the first byte.
pub(super) type Late = HashMap<ObjectId, (usize, usize)>;

/// So many can be asked for at once: the VM compares each with the tag of each object, and no thread of the program gets on
/// meanwhile. A few seconds.
fn most_tags(objects: u64) -> usize {
    const FEW: u64 = 64;
    const COMPARISONS: u64 = 1 << 32;
    let most = (COMPARISONS / objects.max(1)).max(FEW);
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Records of classes that were loaded between the survey and the walk, and of their
/// objects: as they are now, but for what they have been given since the walk. And their roots.
pub(super) fn write_strangers(
    asking: Asking<'_>,
    survey: &mut Survey,
    level: Level,
    walked: &mut Walked,
    front: &mut HeapWriter<Mapping>,
    objects: &mut Mapping,
) -> Result<Late, WriteError> {
    if walked.strangers.is_empty() {
        return Ok(Late::new());
    }
    // Roots come before classes.
    let mut classes = HeapWriter::new(Mapping::new(), front.detail());
    let mut late = write_records(asking, survey, level, walked, &mut classes, objects)?;
    let has_record = |id: ObjectId| late.get(&id).is_some_and(|(begin, end)| begin < end);
    roots::write_those_of_strangers(walked, has_record, front)?;
    forget_without_record(&walked.strangers, |id| match level {
        Level::Kinds => late.contains_key(&id),
        Level::Records(_) => has_record(id),
    });
    let at = front.len();
    front.append(classes.sink().bytes())?;
    for (id, (begin, end)) in &mut late {
        if IDS.kind_of(*id) == Some(Kind::Class) {
            *begin += at;
            *end += at;
        }
    }
    Ok(late)
}

/// The classes of our hooks are none for an agent. One that has been defined since the survey the walk has taken for the
/// program's.
fn forget_hooks(survey: &mut Survey, strangers: &mut Vec<Stranger>) {
    let is_hook = |id: u64| CLASSES.get(id).is_some_and(|class| class.is_hidden());
    let mut hooks = HashSet::new();
    strangers.retain(|&Stranger { id, class, .. }| {
        let is_ours = is_hook(id.raw()) || is_hook(class);
        if is_ours {
            IDS.clear(id, Flag::KNOWN);
            hooks.insert(survey::outward(id));
        }
        !is_ours
    });
    if !hooks.is_empty() {
        for row in &mut survey.rows {
            row.constants.retain(|(_, to)| !hooks.contains(to));
        }
    }
}

/// Class objects that nothing but the walk has named, and that have no record and no CLASS_LOAD: those of classes that have not come
/// into being, of copies that are made while classes are redefined. Their death is that of nothing that the agent knows.
fn forget_without_record(strangers: &[Stranger], has_record: impl Fn(ObjectId) -> bool) {
    let is_class = |id| IDS.kind_of(id) == Some(Kind::Class);
    let unnamed = strangers.iter().filter(|its| its.is_new);
    for id in unnamed.map(|its| its.id) {
        if !is_class(id) || has_record(id) {
            continue;
        }
        IDS.clear(id, Flag::KNOWN);
        // CLASS_LOAD sets it once it is claimed: it may have come in between.
        let class = CLASSES.get(id.raw());
        if class.is_some_and(|class| class.announced.is_begun() || !class.owes_its_load()) {
            IDS.set(id, Flag::KNOWN);
        }
    }
}

fn write_records(
    asking: Asking<'_>,
    survey: &mut Survey,
    level: Level,
    walked: &mut Walked,
    front: &mut HeapWriter<Mapping>,
    objects: &mut Mapping,
) -> Result<Late, WriteError> {
    let Asking {
        jvmti, jni, own, ..
    } = asking;
    // The VM's archive has classes that were never loaded or prepared, and objects of
    // them: nothing may be asked of these.
    let classes = classes::loaded(jvmti, jni).unwrap_or_default();
    forget_hooks(survey, &mut walked.strangers);
    // What is younger than the walk has no record.
    let asking = Asking {
        met: Some(&walked.places),
        ..asking
    };
    let prepared: HashSet<u64> = classes
        .iter()
        .filter(|class| {
            let mirror = class.mirror(jni);
            mirror.is_some_and(|mirror| classes::mirror_is_prepared(jvmti, mirror.get()))
        })
        .map(|class| class.id.raw())
        .collect();
    let of_classes = classes::class_of_classes().map_or(0, ObjectId::raw);
    let strangers = walked.strangers.iter().filter(|its| match its.class {
        0 => true,
        class if class == of_classes => prepared.contains(&its.id.raw()),
        class => prepared.contains(&class),
    });
    let mut tags: Vec<u64> = strangers.map(|its| its.id.raw()).collect();
    let most = most_tags(walked.count);
    if tags.len() > most {
        log::warn_once!(
            "HEAP_DUMP: {} of {} objects whose class was loaded while the dump was made have no records: to find them \
             among so many the VM would stand still for minutes",
            tags.len() - most,
            tags.len()
        );
        tags.truncate(most);
    }
    let mut late = Late::new();
    for (object, tag) in jvmti.objects_with_tags(jni, &tags).unwrap_or_default() {
        let class = jni.class_of(object.get());
        let class = class.and_then(|class| jvmti.tag(class.get()).ok());
        let id = ObjectId::from_raw(tag).filter(|&id| {
            !late.contains_key(&id) && class.is_some_and(|class| prepared.contains(&class))
        });
        let Some(id) = id else {
            continue;
        };
        announce::object(jvmti, jni, own, object.get());
        let is_class = IDS.kind_of(id) == Some(Kind::Class);
        if level == Level::Kinds && !is_known(asking, id, &object) {
            continue;
        }
        let length = |front: &mut HeapWriter<Mapping>, objects: &Mapping| match is_class {
            true => front.len(),
            false => objects.bytes().len(),
        };
        let begin = length(front, objects);
        let written = match level {
            Level::Kinds => {
                let shape = IDS.get(id).and_then(|entry| entry.shape);
                let array = shape.map_or(0, |shape| shape.array);
                let kind = Type::from_raw(array).filter(|_| !is_class);
                let kind = kind.map_or(ObjectKind::Normal, ObjectKind::Array);
                let mut kinds = KindWriter::new(&mut *objects);
                kinds
                    .object(kind, survey::outward(id))
                    .map_err(NoRecord::Write)
            }
            Level::Records(_) if is_class => asking.write(id, &object, front),
            Level::Records(detail) => {
                asking.write(id, &object, &mut HeapWriter::new(&mut *objects, detail))
            }
        };
        if let Err(NoRecord::Write(error)) = written {
            return Err(error);
        }
        late.insert(id, (begin, length(front, objects)));
        if let Some(class) = survey::class(id) {
            // It may be gone when the agent asks.
            class.size(jvmti, jni);
        }
        if level == Level::Kinds {
            continue;
        }
        // Its class, and those above, may have been prepared since the survey.
        let mut next = if is_class {
            jni.superclass(object.get())
        } else {
            jni.class_of(object.get())
        };
        while let Some(mirror) = next {
            next = jni.superclass(mirror.get());
            if let Some(class) = classes::of(jvmti, jni, mirror.get())
                && let Some(row) = walked.places.row(class.id)
                && survey.rows.get(row).is_some_and(|row| !row.prepared)
                && !late.contains_key(&class.id)
            {
                let begin = front.len();
                if let Err(NoRecord::Write(error)) = asking.write(class.id, &mirror, front) {
                    return Err(error);
                }
                late.insert(class.id, (begin, front.len()));
            }
        }
    }
    Ok(late)
}

/// Whether the agent knows the class that it is, or is of. CLASS_LOAD may still be with the agent on the thread that has
/// loaded the class.
fn is_known(asking: Asking<'_>, id: ObjectId, object: &Local) -> bool {
    let Asking { jvmti, jni, .. } = asking;
    let class = match IDS.kind_of(id) {
        Some(Kind::Class) => classes::of(jvmti, jni, object.get()),
        _ => {
            let class = jni.class_of(object.get());
            let class = class.and_then(|class| classes::of(jvmti, jni, class.get()));
            // Of an array only that it is one is said.
            class.filter(|class| {
                let shape = IDS.get(class.id).and_then(|entry| entry.shape);
                shape.is_some_and(|shape| shape.array == 0)
            })
        }
    };
    class.is_none_or(|class| class.may_be_dumped())
}
