//! Virtual threads that are being made: the VM's walk would end with SIGSEGV.
//!
//! Each virtual thread that it looks into the walk asks whether its continuation is done, and one whose constructor has not
//! come to that has none (JVMTI facts 20). So it looks into those only that were there at a moment since which all that were
//! being made have been made: nothing keeps the program from making others. A thread is being made for long where it is in a
//! handler that waits for what the agent holds that asks for the dump, or that asks itself. Where it is not known who
//! makes them it looks into none; so too while nobody has made one, since somebody may at any moment.

use std::collections::HashSet;

use id_map::{Kind, ObjectId};

use crate::base::patience;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::threads::virtual_threads;
use crate::model::{classes, ids, threads};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::heap;
use crate::vm::heap::follow::Referent;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::virtual_threads::makers;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::stack;

/// Seen on 25, 26 and 27, and not on 21; 22 to 24 were not tried, and are refused likewise.
const FIRST: i32 = 22;

/// A handler's own Java code, and what it has called, may lie above the constructor.
const DEPTH: usize = 2048;

/// The virtual threads that a walk may look into.
#[derive(Debug)]
pub(super) enum Whole {
    All,
    /// Of this class those with these tags.
    Of(u64, HashSet<u64>),
}

impl Whole {
    /// Waits until those that are being made now have been made; an error if one stays.
    pub(super) fn take(jvmti: Jvmti, jni: Jni) -> Result<Self, String> {
        if jvmti.feature_version() < FIRST {
            return Ok(Self::All);
        }
        let makers = makers::methods(jvmti, jni);
        let class = class_loaders::of_boot_loader(jni, c"java/lang/VirtualThread");
        let class = class.and_then(|class| classes::of(jvmti, jni, class.get()));
        let class = class
            .ok_or("the VM does not show the class of virtual threads")?
            .id;
        let Some(makers) = makers else {
            return Ok(Self::Of(class.raw(), HashSet::new()));
        };
        let there = tag_instances(jvmti, jni, class)?;
        if !are_made(jvmti, makers) {
            return Err("a virtual thread is being made, and stays so".to_owned());
        }
        Ok(Self::Of(class.raw(), there))
    }

    /// Whether the walk may look into this object, which has this tag by now.
    #[inline]
    pub(super) fn may_be_visited(&self, object: Referent, tag: u64) -> bool {
        match self {
            Self::Of(class, there) if *class == object.class => there.contains(&tag),
            Self::All | Self::Of(..) => true,
        }
    }
}

/// The tags of all instances, which have some from now on.
fn tag_instances(jvmti: Jvmti, jni: Jni, class: ObjectId) -> Result<HashSet<u64>, String> {
    let _walking = ids::Walking::begin(jvmti, jni);
    let mut tags = HashSet::new();
    let tagged = heap::each_object(jvmti, |its_class, _, tag| {
        if its_class != class.raw() {
            return;
        }
        let known = ObjectId::from_raw(tag.cast_unsigned()).filter(|&id| IDS.get(id).is_some());
        if let Some(id) = known.or_else(|| IDS.allocate(Kind::Object)) {
            *tag = id.raw().cast_signed();
            tags.insert(id.raw());
        }
    });
    tagged.map_err(|error| error.to_string())?;
    Ok(tags)
}

/// Waits until who is making one now has made it; false if one stays.
fn are_made(jvmti: Jvmti, makers: &[MethodId]) -> bool {
    let mut making = threads::all();
    making.retain(|thread| makes_one(jvmti, thread, makers));
    making.is_empty()
        || patience::HALF_MADE.until(|| {
            making.retain(|thread| makes_one(jvmti, thread, makers));
            making.is_empty()
        })
}

/// Whether the thread, or the one that it carries, makes one.
fn makes_one(jvmti: Jvmti, thread: &Thread, makers: &[MethodId]) -> bool {
    let is_maker = |frame: &Frame| makers.contains(&frame.method);
    let makes = |thread: &Thread| {
        thread.object().is_some_and(|object| {
            let object = object.get().into();
            let made = stack::take(jvmti, object, DEPTH, |frames| frames.iter().any(is_maker));
            made.unwrap_or(false)
        })
    };
    makes(thread) || virtual_threads::carried_by(thread).is_some_and(|carried| makes(&carried))
}
