//! What must be known before a heap walk, in which the VM cannot be asked: the
//! classes and their fields, the threads, the references by JNI.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use dump_format::{ClassHead, Detail, Places, Primitive, Type, Value};
use event_translate::EventKind;
use id_map::{Flag, ObjectId};

use crate::base::config;
use crate::base::patience;
use crate::delivery::announce;
use crate::delivery::dispatch;
use crate::events::dumps::class_objects::{Names, primitive_classes};
use crate::events::dumps::dissect::{anatomy, superclass};
use crate::events::references::global_refs;
use crate::model::classes::{self, Anatomy, CLASSES, Class};
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::{ids, threads};
use crate::vm::env::{Jvmti, Result};
use crate::vm::jni::Jni;
use crate::vm::refs::Global;

/// What the instances of a class are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instances {
    Classes,
    Plain,
    /// Arrays of references; the element class as the agent knows it.
    Arrays(usize),
    Primitives(Primitive),
}

/// A class of the dump.
pub(crate) struct Row {
    pub(crate) class: Arc<Class>,
    pub(crate) instances: Instances,
    /// False until it has members, and if the agent does not know it: then it has no record.
    pub(crate) prepared: bool,
    /// Its instances are value objects.
    pub(crate) value_objects: Option<ValueObjects>,
    /// Of an instance's fields, and how long they are together.
    pub(crate) places: Places,
    pub(crate) bytes: u32,
    /// Of static fields.
    pub(crate) statics: Places,
    /// What CLASS_DUMP says, as far as it is known.
    pub(crate) head: ClassHead,
    pub(crate) interfaces: Vec<usize>,
    pub(crate) constants: Vec<(u16, usize)>,
    pub(crate) values: Vec<Value>,
}

/// Value objects of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueObjects {
    /// Of each of them: of one without an address of its own the VM says that of what it lies in.
    pub(crate) size: u32,
    /// So many that have none yet ([`super::value_counts`]).
    pub(crate) may_have_ids: u64,
    /// None of them have, for there are too many: that has been said.
    pub(crate) are_too_many: bool,
    /// The walk has met more than may have ids.
    pub(crate) went_without: bool,
}

/// Everything there is to know beforehand.
pub(crate) struct Survey {
    pub(crate) rows: Vec<Row>,
    /// Classes that the agent does not know and that nothing may name.
    pub(crate) unknown: HashSet<ObjectId>,
    /// Objects that are classes but have no record: `int.class` and its like.
    pub(crate) without_record: Vec<ObjectId>,
    /// Threads by the id of their object.
    pub(crate) threads: HashMap<ObjectId, Arc<Thread>>,
    /// JNI global references that the agent knows, by object.
    pub(crate) references: HashMap<ObjectId, Vec<usize>>,
    /// Holds every class, and what only classes hold, where the walk does not look.
    pub(crate) _held: Option<Global>,
}

impl Survey {
    pub(crate) fn take(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, detail: Detail) -> Result<Self> {
        let loaded = classes::loaded(jvmti, jni)?;
        link_archived(jvmti, jni, &loaded);
        announce(jvmti, jni, own, &loaded);
        let unknown = unknown(jvmti, jni, &loaded);
        let mut threads = HashMap::new();
        for thread in threads::all_kinds() {
            if let Some(id) = thread.id(jvmti, jni) {
                threads.insert(id, thread);
            }
        }
        let mut survey = Self {
            rows: Vec::with_capacity(loaded.len()),
            unknown,
            without_record: primitive_classes(jvmti, jni, &loaded),
            threads,
            references: global_refs::strong(),
            _held: None,
        };
        let mut names = Names::new(jvmti, jni, &loaded);
        // All of them before the first row, which names others: also those that no CLASS_LOAD has told of.
        for class in &loaded {
            classes::is_prepared(jvmti, jni, class);
        }
        for class in loaded {
            if let Some(mirror) = class.mirror(jni) {
                // It may be gone when the agent asks.
                class.size(jvmti, jni);
                // The class of our hooks is none for an agent.
                let prepared = !class.is_hidden()
                    && anatomy(jvmti, jni, &class, mirror.get()).is_some()
                    && !survey.unknown.contains(&class.id)
                    // It may have been prepared just now: its CLASS_LOAD is on its way.
                    && class.may_be_dumped();
                let name = names.note(jvmti, jni, mirror);
                let row = Row::new(class, prepared, name, &survey.unknown);
                survey.rows.push(row);
            }
        }
        survey._held = names.hold(jvmti, jni, own);
        survey.lay_out(detail);
        Ok(survey)
    }

    /// Fills in the places of all fields.
    fn lay_out(&mut self, detail: Detail) {
        let classes: Vec<Arc<Class>> = self.rows.iter().map(|row| Arc::clone(&row.class)).collect();
        let anatomies: HashMap<ObjectId, &Anatomy> = classes
            .iter()
            .filter_map(|class| Some((class.id, class.anatomy.get()?)))
            .collect();
        let mut counts = HashMap::new();
        for (row, class) in self.rows.iter_mut().zip(&classes) {
            let Some(own) = class.anatomy.get() else {
                continue;
            };
            let mut lineage = vec![&*own.fields];
            let mut interfaces = HashSet::new();
            let mut next = Some(own);
            while let Some(anatomy) = next {
                inherit(
                    &anatomies,
                    &mut counts,
                    &anatomy.interfaces,
                    &mut interfaces,
                );
                next = anatomy
                    .superclass
                    .and_then(|id| anatomies.get(&id).copied());
                lineage.extend(next.map(|above| &*above.fields));
            }
            lineage.reverse();
            let inherited: usize = interfaces.iter().map(|id| fields_of(&anatomies, *id)).sum();
            let before =
                lineage.iter().map(|fields| fields.len()).sum::<usize>() - own.fields.len();
            (row.places, row.bytes) = Places::of_instance(inherited, &lineage, detail);
            row.statics = Places::of_statics(inherited + before, &own.fields);
            let values = own.fields.iter().filter(|field| field.is_static);
            row.values = values.map(|field| null(field.ty)).collect();
        }
    }
}

/// The VM's archive has arrays of its own classes, and objects in them, before anybody has
/// linked those: without that they would have no records.
fn link_archived(jvmti: Jvmti, jni: Jni, loaded: &[Arc<Class>]) {
    for class in loaded {
        let shape = IDS.get(class.id).and_then(|entry| entry.shape);
        let element = shape.filter(|shape| shape.array != 0);
        if let Some(element) = element.and_then(|shape| self::class(shape.class?)) {
            announce::class_load::link_archived(jvmti, jni, &element);
        }
    }
}

/// Sends the CLASS_LOADs that are due: what the agent hears of now, the dump may name.
fn announce(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, loaded: &[Arc<Class>]) {
    const ROOM: usize = 16;
    for class in loaded.iter().filter(|class| class.owes_its_load()) {
        jni.with_frame(ROOM, || {
            announce::class(jvmti, jni, own, class, patience::DEFINITION_UNDER_LOCKS);
        });
    }
}

/// The classes that a dump must not name ([`Class::may_be_dumped`]), and those below them: an
/// instance cannot be read without the fields that it has from above.
fn unknown(jvmti: Jvmti, jni: Jni, loaded: &[Arc<Class>]) -> HashSet<ObjectId> {
    let listening = dispatch::reaches_agent(EventKind::ClassLoad);
    let may_be = |class: &Class| {
        // Of one without members its object may be named, to who can still be told of it.
        class.may_be_dumped() || listening && !classes::is_prepared(jvmti, jni, class)
    };
    let unknown = loaded.iter().filter(|class| !may_be(class));
    let mut unknown: HashSet<ObjectId> = unknown.map(|class| class.id).collect();
    if unknown.is_empty() {
        return unknown;
    }
    let mut above = HashMap::new();
    for class in loaded {
        let superclass = || superclass(jni, class.mirror(jni)?.get());
        let id = superclass().and_then(|above| classes::of(jvmti, jni, above.get()));
        above.insert(class.id, id.map(|class| class.id));
    }
    for class in loaded {
        let mut next = Some(class.id);
        while let Some(id) = next.filter(|id| !unknown.contains(id)) {
            next = above.get(&id).copied().flatten();
        }
        if next.is_some() {
            unknown.insert(class.id);
        }
    }
    unknown
}

/// The value of a field that was never set.
pub(crate) fn null(ty: Type) -> Value {
    match ty {
        Type::Reference => Value::Reference(0),
        Type::Primitive(ty) => Value::Primitive(ty, 0),
    }
}

fn fields_of(anatomies: &HashMap<ObjectId, &Anatomy>, class: ObjectId) -> usize {
    anatomies
        .get(&class)
        .map_or(0, |anatomy| anatomy.fields.len())
}

/// Adds interfaces and theirs.
fn inherit(
    anatomies: &HashMap<ObjectId, &Anatomy>,
    known: &mut HashMap<ObjectId, Vec<ObjectId>>,
    interfaces: &[ObjectId],
    to: &mut HashSet<ObjectId>,
) {
    for &interface in interfaces {
        if !to.insert(interface) {
            continue;
        }
        if let Some(above) = known.get(&interface) {
            to.extend(above);
        } else if let Some(anatomy) = anatomies.get(&interface) {
            let mut above = HashSet::new();
            inherit(anatomies, known, &anatomy.interfaces, &mut above);
            to.extend(&above);
            known.insert(interface, above.into_iter().collect());
        }
    }
}

/// An id as a dump has it.
pub(crate) fn outward(id: ObjectId) -> usize {
    ids::object_id(Some(id)).addr()
}

impl Row {
    fn new(
        class: Arc<Class>,
        prepared: bool,
        name: Option<ObjectId>,
        unknown: &HashSet<ObjectId>,
    ) -> Self {
        let shown = |id: &ObjectId| IDS.has(*id, Flag::PREPARED) && !unknown.contains(id);
        let shape = IDS.get(class.id).and_then(|entry| entry.shape);
        let instances = match shape.map(|shape| (shape.array, shape.class)) {
            _ if classes::is_class_of_classes(class.id) => Instances::Classes,
            None | Some((0, _)) => Instances::Plain,
            Some((array, element)) => match Primitive::from_raw(array) {
                Some(ty) => Instances::Primitives(ty),
                None => Instances::Arrays(element.filter(shown).map_or(0, outward)),
            },
        };
        let anatomy = class.anatomy.get();
        let head = ClassHead {
            class: outward(class.id),
            superclass: anatomy
                .and_then(|anatomy| anatomy.superclass)
                .map_or(0, outward),
            name: name
                .filter(|_| !config::options().host.row().no_class_name_in_dumps)
                .map_or(0, outward),
            ..ClassHead::default()
        };
        let interfaces = anatomy.map(|anatomy| anatomy.interfaces.iter());
        Self {
            instances,
            prepared,
            value_objects: None,
            places: Places::default(),
            bytes: 0,
            statics: Places::default(),
            head,
            interfaces: interfaces
                .into_iter()
                .flatten()
                // As many as its CLASS_LOAD has said.
                .map(|id| if shown(id) { outward(*id) } else { 0 })
                .collect(),
            constants: Vec::new(),
            values: Vec::new(),
            class,
        }
    }
}

/// The record of the class with this id.
pub(crate) fn class(id: ObjectId) -> Option<Arc<Class>> {
    CLASSES.get(id.raw())
}
