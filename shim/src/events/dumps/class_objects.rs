//! The objects that are classes, and what only they hold.

use std::sync::Arc;

use dump_format::{Primitive, Type};
use id_map::{Flag, Kind, ObjectId};

use crate::events::dumps::dissect::anatomy;
use crate::model::classes::{self, Class};
use crate::model::ids;
use crate::model::tables::IDS;
use crate::model::thread::attention_guard::Attention;
use crate::model::thread::{Thread, attention};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::member_ids::FieldId;
use crate::vm::refs::{Global, Local};

/// The tag of what [`Names::hold`] gives: no id.
pub(crate) const HELD: u64 = 2;

/// `int.class` and the others: no agent hears of them, and no record can be made.
pub(super) fn primitive_classes(jvmti: Jvmti, jni: Jni, loaded: &[Arc<Class>]) -> Vec<ObjectId> {
    let of_arrays = loaded.iter().filter_map(|class| {
        let shape = IDS.get(class.id)?.shape?;
        Primitive::from_raw(shape.array)?;
        jni.component(class.mirror(jni)?.get())
    });
    let void = class_loaders::of_boot_loader(jni, c"java/lang/Void");
    let void = void.and_then(|class| jni.static_object(class.get(), c"TYPE", c"Ljava/lang/Class;"));
    let id_of = |class: Local| ids::id_of(jvmti, jni, class.get(), Kind::Class);
    let found: Vec<_> = of_arrays.chain(void).filter_map(id_of).collect();
    for &id in &found {
        IDS.set(id, Flag::KNOWN);
    }
    found
}

/// What only a `java.lang.Class` holds: JVMTI follows no instance field of a class
/// object, so the walk is given these as roots, in an array of our own.
pub(super) struct Names {
    fields: Vec<FieldId>,
    name: Option<FieldId>,
    held: Vec<Local>,
}

impl Names {
    pub(super) fn new(jvmti: Jvmti, jni: Jni, loaded: &[Arc<Class>]) -> Self {
        let mut names = Self {
            fields: Vec::new(),
            name: None,
            held: Vec::new(),
        };
        let class = loaded
            .iter()
            .find(|class| classes::is_class_of_classes(class.id));
        let mirror = class.and_then(|class| Some((class, class.mirror(jni)?)));
        let Some((class, mirror)) = mirror else {
            return names;
        };
        if let Some(anatomy) = anatomy(jvmti, jni, class, mirror.get()) {
            let fields = anatomy.fields.iter().zip(&anatomy.field_ids);
            names.fields = fields
                .filter(|(field, _)| field.ty == Type::Reference && !field.is_static)
                .map(|(_, &id)| id)
                .collect();
        }
        names.name = jni.field(mirror.get(), c"name", c"Ljava/lang/String;");
        drop(jni.take_exception());
        names
    }

    /// Keeps what the class holds, and itself; the id of its name, if it has been asked
    /// for its name yet.
    pub(super) fn note(&mut self, jvmti: Jvmti, jni: Jni, mirror: Local) -> Option<ObjectId> {
        let held = self.fields.iter();
        self.held
            .extend(held.filter_map(|&field| jni.object_field(mirror.get(), field)));
        let name = self
            .name
            .and_then(|field| jni.object_field(mirror.get(), field));
        self.held.push(mirror);
        ids::id_of(jvmti, jni, name?.get(), Kind::Object)
    }

    /// The array that holds them all; without memory for it they are not held.
    pub(super) fn hold(self, jvmti: Jvmti, jni: Jni, own: &Thread) -> Option<Global> {
        let _aside = ExceptionAside::put(jni);
        let silent = Attention::set(own, attention::SILENT);
        let object = self
            .held
            .first()
            .and_then(|any| jni.object_class(any.get()));
        let array = object.and_then(|object| jni.new_array(self.held.len(), object.get()));
        drop(silent);
        array.and_then(|array| {
            for (at, object) in self.held.iter().enumerate() {
                jni.set_element(array.get(), at, object.get());
            }
            jvmti.set_tag(array.get(), HELD).ok()?;
            Global::new(jni, array.get())
        })
    }
}
