//! The size of a class's instances.
//!
//! The VM tells it of an object, not of a class. Of a class with no instance at hand
//! it is put together as HotSpot does from JDK 15 on: header, the fields of all
//! superclasses, rounded up.

use std::sync::Arc;

use dump_format::{Field, Type};
use once_cell::sync::OnceCell;

use crate::events::dumps::survey;
use crate::model::classes::{Anatomy, Class};
use crate::model::tables::IDS;
use crate::model::thread::attention;
use crate::model::thread::attention_guard::Attention;
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::Local;

/// What the sizes of this VM's objects are made of.
#[derive(Clone, Copy, Debug)]
struct Model {
    header: u32,
    reference: u32,
}

fn model(jvmti: Jvmti, jni: Jni) -> Model {
    static MODEL: OnceCell<Model> = OnceCell::new();
    if let Some(&known) = MODEL.get() {
        return known;
    }
    let measured = measure(jvmti, jni);
    let _ = MODEL.set(measured.unwrap_or_default());
    measured.unwrap_or_default()
}

impl Default for Model {
    fn default() -> Self {
        Self {
            header: 12,
            reference: 4,
        }
    }
}

/// From objects that every VM has, or that we make for it.
fn measure(jvmti: Jvmti, jni: Jni) -> Option<Model> {
    const MANY: u32 = 64;
    let own = threads::own()?;
    let object = jni.object_class(own.object()?.get())?;
    let _aside = ExceptionAside::put(jni);
    let _silent = Attention::set(&own, attention::SILENT);
    let size = |object: Option<Local>| jvmti.object_size(object?.get()).ok();
    let empty = size(jni.new_array(0, object.get()));
    let many = size(jni.new_array(64, object.get()));
    let plain = size(jni.allocate(object.get()));
    let byte = class_loaders::of_boot_loader(jni, c"java/lang/Byte");
    let byte = byte.and_then(|byte| size(jni.allocate(byte.get())));
    let header = match (plain?, byte?) {
        // Compact headers.
        (8, _) => 8,
        // A byte fits behind a header of 12, not behind one of 16.
        (16, 16) => 12,
        _ => 16,
    };
    Some(Model {
        header,
        reference: (many? - empty?) / MANY,
    })
}

/// Bytes of an instance, header included; of an interface those of an object, 0 for arrays.
pub(super) fn of_instance(jvmti: Jvmti, jni: Jni, class: &Arc<Class>) -> u32 {
    let array = IDS
        .get(class.id)
        .and_then(|entry| entry.shape)
        .is_some_and(|shape| shape.array != 0);
    let model = model(jvmti, jni);
    let mut bytes = model.header;
    let mut next = Some(Arc::clone(class));
    while let Some(class) = next.filter(|_| !array) {
        let Some(anatomy) = class.anatomy.get() else {
            break;
        };
        bytes += bytes_of_fields(anatomy, model.reference);
        next = anatomy.superclass.and_then(survey::class);
    }
    if array { 0 } else { bytes.next_multiple_of(8) }
}

/// How many bytes an instance's fields have in the VM, roughly: of a class of which
/// no instance was met.
fn bytes_of_fields(anatomy: &Anatomy, reference: u32) -> u32 {
    let width = |field: &Field| match field.ty {
        Type::Reference => reference,
        Type::Primitive(ty) => u32::try_from(ty.width()).unwrap_or(8),
    };
    anatomy
        .fields
        .iter()
        .filter(|field| !field.is_static)
        .map(width)
        .sum()
}
