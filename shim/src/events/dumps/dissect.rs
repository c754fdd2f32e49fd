//! What a class has: its fields, its superclass, its interfaces.

use dump_format::{Field, Type};

use crate::model::classes::{self, Anatomy, Class};
use crate::vm::env::{Jvmti, Result};
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

/// The anatomy of a class; `None` while it is not prepared.
pub(crate) fn anatomy<'a>(
    jvmti: Jvmti,
    jni: Jni,
    class: &'a Class,
    mirror: ObjectRef<'_>,
) -> Option<&'a Anatomy> {
    if class.anatomy.get().is_none() && classes::mirror_is_prepared(jvmti, mirror) {
        let _ = class.anatomy.set(dissect(jvmti, jni, mirror).ok()?);
    }
    class.anatomy.get()
}

fn dissect(jvmti: Jvmti, jni: Jni, mirror: ObjectRef<'_>) -> Result<Anatomy> {
    let id_of = |class: Local| Some(classes::of(jvmti, jni, class.get())?.id);
    let field_ids = jvmti.fields(mirror)?;
    let mut fields = Vec::with_capacity(field_ids.as_slice().len());
    for &field in field_ids.as_slice() {
        let (_, signature) = jvmti.field_name(mirror, field)?;
        fields.push(Field {
            ty: Type::from_signature(signature.bytes()).unwrap_or(Type::Reference),
            is_static: jvmti.field_is_static(mirror, field)?,
        });
    }
    let interfaces = jvmti.interfaces(jni, mirror)?.into_iter();
    Ok(Anatomy {
        superclass: superclass(jni, mirror).and_then(id_of),
        interfaces: interfaces.filter_map(id_of).collect(),
        fields: fields.into(),
        field_ids: field_ids.as_slice().into(),
    })
}

/// The superclass as class files have it: that of an interface is `java.lang.Object`.
pub(crate) fn superclass(jni: Jni, mirror: ObjectRef<'_>) -> Option<Local> {
    jni.superclass(mirror).or_else(|| {
        let object = jni.object_class(mirror)?;
        (!jni.same(object.get(), mirror)).then_some(object)
    })
}
