//! Classes as JVMPI names them, and when their CLASS_LOAD is due ([`crate::delivery::announce::class_load`] has
//! what it says). Their records are in this file; beside it are
//!
//! - [`methods`], their records; [`method_numbers`], by which rewritten code calls them;
//! - [`class_files`], what is kept of those of one class, and [`by_loader`], what is kept of classes without a record yet;
//! - [`code_versions`], which code a class has, and [`others_code`], when others than we give it another one;
//! - [`known_code`], which methods a place in the VM's code stands for.
//!
//! A line belongs here if it is about classes, methods or their code, whoever looks at them.

pub(crate) mod by_loader;
pub(crate) mod class_files;
pub(crate) mod code_versions;
pub(crate) mod known_code;
pub(crate) mod method_numbers;
pub(crate) mod methods;
pub(crate) mod others_code;

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use dump_format::Field;
use event_translate::class_name;
use id_map::{Announcement, Directory, Flag, Kind, ObjectId, Shape};
use jvmpi_headers::jvmti::{
    JVMTI_CLASS_STATUS_ARRAY, JVMTI_CLASS_STATUS_PREPARED, JVMTI_CLASS_STATUS_PRIMITIVE,
};
use once_cell::sync::OnceCell;

use crate::base::life;
use crate::model::classes::class_files::ClassFiles;
use crate::model::classes::code_versions::ClassCode;
use crate::model::classes::method_numbers::ClassNumbers;
use crate::model::ids;
use crate::model::tables::IDS;
use crate::vm::env::{Jvmti, Result};
use crate::vm::jni::Jni;
use crate::vm::member_ids::FieldId;
use crate::vm::refs::{Local, ObjectRef, Weak};

/// Classes by id.
pub(crate) static CLASSES: Directory<Class> = Directory::new();

/// What is known of one class.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) id: ObjectId,
    mirror: Weak,
    /// CLASS_LOAD.
    pub(crate) announced: Announcement,
    /// Prepared while CLASS_LOAD was off: the agent asks for it if it wants it
    /// (specification, "JVMPI IDs").
    missed: AtomicBool,
    /// The class of our hooks.
    hidden: bool,
    /// What is to be done when it is linked ([`crate::hooks::unlinked_classes`]).
    pub(crate) put_off: AtomicU32,
    /// Its methods, once `methods::class_that_lists` knows them.
    pub(crate) listed: OnceCell<Box<[u64]>>,
    /// Of its Class object.
    size: OnceCell<u32>,
    /// Its class files.
    pub(crate) file: ClassFiles,
    pub(crate) numbers: ClassNumbers,
    /// The name as events carry it. Kept as long as the record, since agents use
    /// it after RequestEvent has returned (JVMPI facts B.2).
    pub(crate) name: OnceCell<CString>,
    /// What dumps need of it, once it is prepared.
    pub(crate) anatomy: OnceCell<Anatomy>,
    /// Which code its methods have.
    pub(crate) code: ClassCode,
}

/// What dumps need of a class, its superclass, interfaces and fields: nothing of it changes once the class is prepared.
#[derive(Debug)]
pub(crate) struct Anatomy {
    pub(crate) superclass: Option<ObjectId>,
    pub(crate) interfaces: Box<[ObjectId]>,
    /// In the order of CLASS_LOAD.
    pub(crate) fields: Box<[Field]>,
    pub(crate) field_ids: Box<[FieldId]>,
}

impl Class {
    /// Whether its CLASS_LOAD must still come before the class is mentioned.
    pub(crate) fn is_due(&self) -> bool {
        // Relaxed: set before CLASS_LOAD is wanted, which who reads this has read with acquire.
        !self.announced.is_done() && !self.missed.load(Ordering::Relaxed)
    }

    /// Whether it is the class of our hooks, of which no agent hears.
    pub(crate) fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// The size of its Class object, in bytes; of an unloaded class, if it was asked
    /// for before.
    pub(crate) fn size(&self, jvmti: Jvmti, jni: Jni) -> Option<u32> {
        let ask = || jvmti.object_size(self.mirror(jni)?.get()).ok();
        self.size.get().copied().or_else(|| {
            let size = ask()?;
            Some(*self.size.get_or_init(|| size))
        })
    }

    /// A reference to the class, or `None` once it was unloaded.
    pub(crate) fn mirror(&self, jni: Jni) -> Option<Local> {
        self.mirror.upgrade(jni)
    }
}

/// What the classes of our hooks are called, without their package; a number behind it is that of
/// the library's life.
const HOOK_CLASS: &str = "JvmpiHooks";

/// The same in this life: code that still runs may call the hooks of an earlier one.
pub(crate) fn hook_class() -> String {
    match life::number() {
        0 => HOOK_CLASS.to_owned(),
        life => format!("{HOOK_CLASS}{life}"),
    }
}

/// Whether a class of this name is one of our hooks, of whatever life.
pub(crate) fn is_hook_class(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let end = name.len() - digits.count();
    let name = name.get(..end).unwrap_or_default();
    name.strip_suffix(HOOK_CLASS.as_bytes())
        .is_some_and(|package| package.ends_with(b"/"))
}

/// The record of a class, made if need be.
pub(crate) fn of(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>) -> Option<Arc<Class>> {
    let id = ids::id_of(jvmti, jni, class, Kind::Class)?;
    if let Some(known) = CLASSES.get(id.raw()) {
        return Some(known);
    }
    let hidden = jvmti.class_signature(class).is_ok_and(|signature| {
        let name = signature.bytes().strip_prefix(b"L");
        name.and_then(|name| name.strip_suffix(b";"))
            .is_some_and(is_hook_class)
    });
    let record = Class {
        id,
        mirror: Weak::new(jni, class)?,
        announced: Announcement::new(),
        missed: AtomicBool::new(hidden),
        hidden,
        put_off: AtomicU32::new(0),
        listed: OnceCell::new(),
        size: OnceCell::new(),
        file: ClassFiles::default(),
        numbers: ClassNumbers::default(),
        name: OnceCell::new(),
        anatomy: OnceCell::new(),
        code: ClassCode::default(),
    };
    describe(jvmti, jni, class, id);
    Some(CLASSES.get_or_insert(id.raw(), Arc::new(record)).0)
}

/// The id of `java.lang.Class` itself, once it is known.
static CLASS_OF_CLASSES: AtomicU64 = AtomicU64::new(0);

/// `java.lang.Class` itself, once it is known.
pub(crate) fn class_of_classes() -> Option<ObjectId> {
    ObjectId::from_raw(CLASS_OF_CLASSES.load(Ordering::Acquire))
}

/// Whether this is `java.lang.Class`.
pub(crate) fn is_class_of_classes(id: ObjectId) -> bool {
    id.raw() == CLASS_OF_CLASSES.load(Ordering::Acquire)
}

/// What the VM fills gaps between objects with (JDK 21 and later), so that a walk over the heap meets them, too. They are
/// nobody's, and what the array's signature says is not so: it has the bytes of an `int[]`.
const FILLERS: [&[u8]; 2] = [
    b"Ljdk/internal/vm/FillerObject;",
    b"[Ljdk/internal/vm/FillerElement;",
];

/// Writes down what instances of the class look like; of fillers nothing, so that none is told of.
fn describe(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>, id: ObjectId) {
    let Ok(signature) = jvmti.class_signature(class) else {
        return;
    };
    if FILLERS.contains(&signature.bytes()) {
        return;
    }
    if signature.bytes() == b"Ljava/lang/Class;" {
        CLASS_OF_CLASSES.store(id.raw(), Ordering::Release);
    }
    let array = class_name::array_type(signature.bytes());
    let shape = Shape {
        class: match array {
            None => Some(id),
            Some(class_name::ARRAY_OF_REFERENCES) => jni
                .component(class)
                .and_then(|component| of(jvmti, jni, component.get()))
                .map(|component| component.id),
            Some(_) => None,
        },
        array: array.unwrap_or(0),
    };
    IDS.describe(id, Kind::Class, shape, 0, 1);
    // A primitive type has no modifiers that say so.
    if array.is_none() && signature.bytes().starts_with(b"L") && jvmti.is_of_values(class) {
        IDS.set(id, Flag::VALUES);
    }
}

/// Whether the class has members, and may be named as the class of something.
pub(crate) fn is_prepared(jvmti: Jvmti, jni: Jni, class: &Class) -> bool {
    let asked = || {
        class
            .mirror(jni)
            .is_some_and(|mirror| mirror_is_prepared(jvmti, mirror.get()))
    };
    if IDS.has(class.id, Flag::PREPARED) {
        return true;
    }
    let prepared = asked();
    if prepared {
        IDS.set(class.id, Flag::PREPARED);
    }
    prepared
}

/// The classes the VM has by now, primitive ones aside.
pub(crate) fn loaded(jvmti: Jvmti, jni: Jni) -> Result<Vec<Arc<Class>>> {
    let mut records = Vec::new();
    jvmti.each_loaded_class(jni, |mirror| {
        if !is_primitive(jvmti, mirror) {
            records.extend(of(jvmti, jni, mirror));
        }
    })?;
    Ok(records)
}

/// Whether the VM has the class among those that it has loaded. Other Class objects are reached, too: those of the VM's archive,
/// whose class nobody has loaded, and the second one of a class that has been redefined, which is that of a copy. They may be in
/// a module and be no class that can be linked, and nothing but their names may be asked of them. Not cheap.
pub(crate) fn is_loaded(jvmti: Jvmti, jni: Jni, class: &Class) -> bool {
    let mut found = false;
    let listed = jvmti.each_loaded_class(jni, |mirror| {
        found = found || jvmti.tag(mirror) == Ok(class.id.raw());
    });
    listed.is_ok() && found
}

/// Whether the VM can tell of the class's members; of a primitive one that it has none.
pub(crate) fn has_members(jvmti: Jvmti, jni: Jni, class: &Class) -> bool {
    is_prepared(jvmti, jni, class)
        || class
            .mirror(jni)
            .is_some_and(|mirror| is_primitive(jvmti, mirror.get()))
}

/// CLASS_LOAD is about to be enabled late: the classes prepared so far have missed it.
pub(crate) fn note_missed(jvmti: Jvmti, jni: Jni) {
    let prepared = |class: &Class| {
        class
            .mirror(jni)
            .is_some_and(|mirror| mirror_is_prepared(jvmti, mirror.get()))
    };
    for class in loaded(jvmti, jni).unwrap_or_default() {
        if prepared(&class) {
            class.missed.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether the class has members (an array class has none, and needs none).
pub(crate) fn mirror_is_prepared(jvmti: Jvmti, class: ObjectRef<'_>) -> bool {
    jvmti
        .class_status(class)
        .is_ok_and(|status| status & (JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY) != 0)
}

pub(crate) fn is_primitive(jvmti: Jvmti, class: ObjectRef<'_>) -> bool {
    jvmti
        .class_status(class)
        .is_ok_and(|status| status & JVMTI_CLASS_STATUS_PRIMITIVE != 0)
}

/// Whether instances of the class are threads, as far as that is known; `thread` is one.
pub(crate) fn is_of_threads(
    jvmti: Jvmti,
    jni: Jni,
    thread: Option<ObjectRef<'_>>,
    class: &Class,
) -> bool {
    static THREADS: OnceCell<ObjectId> = OnceCell::new();
    // `java.lang.Thread` is the one below `java.lang.Object` among the classes of any thread.
    let threads = || {
        let mut class = jni.class_of(thread?)?;
        loop {
            let above = jni.superclass(class.get())?;
            if jni.superclass(above.get()).is_none() {
                return Some(of(jvmti, jni, class.get())?.id);
            }
            class = above;
        }
    };
    // Asked for outside of the cell: nobody waits for a thread that may have been stopped in that.
    let known = THREADS.get().copied();
    let Some(threads) = known.or_else(threads) else {
        return true;
    };
    let _ = THREADS.set(threads);
    let mut at = class.mirror(jni);
    while let Some(class) = at {
        if jvmti.tag(class.get()) == Ok(threads.raw()) {
            return true;
        }
        at = jni.superclass(class.get());
    }
    false
}
