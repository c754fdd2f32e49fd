//! Objects whose class the survey has not met: read by JNI after the walk.

use std::collections::{HashMap, HashSet};

use dump_format::{HeapWriter, KindWriter, Level, ObjectKind, Type, WriteError};
use id_map::{Kind, ObjectId};

use crate::base::log;
use crate::delivery::announce;
use crate::events::dumps::object::{Asking, NoRecord};
use crate::events::dumps::survey::{self, Survey};
use crate::events::dumps::walk::Walked;
use crate::model::classes;
use crate::model::tables::IDS;
use crate::os::mapping::Mapping;

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
/// objects: as they are now, but for what they have been given since the walk.
pub(super) fn write_strangers(
    asking: Asking<'_>,
    survey: &Survey,
    level: Level,
    walked: &Walked,
    front: &mut HeapWriter<Mapping>,
    objects: &mut Mapping,
) -> Result<Late, WriteError> {
    if walked.strangers.is_empty() {
        return Ok(Late::new());
    }
    let Asking {
        jvmti, jni, own, ..
    } = asking;
    // What is younger than the walk has no record.
    let asking = Asking {
        met: Some(&walked.places),
        ..asking
    };
    // The VM's archive has classes that were never loaded or prepared, and objects of
    // them: nothing may be asked of these.
    let classes = classes::loaded(jvmti, jni).unwrap_or_default();
    let prepared: HashSet<u64> = classes
        .iter()
        .filter(|class| {
            let mirror = class.mirror(jni);
            mirror.is_some_and(|mirror| classes::mirror_is_prepared(jvmti, mirror.get()))
        })
        .map(|class| class.id.raw())
        .collect();
    let of_classes = classes::class_of_classes().map_or(0, ObjectId::raw);
    let strangers = walked.strangers.iter().filter(|&&(id, class)| match class {
        0 => true,
        class if class == of_classes => prepared.contains(&id.raw()),
        class => prepared.contains(&class),
    });
    let mut tags: Vec<u64> = strangers.map(|(id, _)| id.raw()).collect();
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
