//! What one object holds, read by JNI: fields and elements.
//!
//! # Safety
//! Fields are those that JVMTI lists for the object's own class or a superclass of
//! it, with their types (`dumps::survey`); regions lie within the array's length.
#![allow(unsafe_code, reason = "the JNI function table")]

use dump_format::{Primitive, Type, Value};

use crate::vm::jni::Jni;
use crate::vm::member_ids::FieldId;
use crate::vm::refs::{Local, ObjectRef};

/// Calls a JNI function of the current thread's env.
macro_rules! invoke {
    ($jni:ident.$name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the environment is the current thread's.
        let table = unsafe { *$jni.env() };
        // SAFETY: every VM from 11 on has the functions of this version.
        let function = unsafe { (*table).v1_2.$name };
        // SAFETY: live references; see the module doc.
        unsafe { function($jni.env(), $($argument),*) }
    }};
}

/// The value of a field of `of`, the class itself for a static one; `id_of` gives the
/// number of an object.
pub(crate) fn field(
    jni: Jni,
    of: ObjectRef<'_>,
    field: FieldId,
    (ty, is_static): (Type, bool),
    id_of: &mut dyn FnMut(Local) -> usize,
) -> Value {
    macro_rules! read {
        ($instance:ident, $static:ident) => {
            if is_static {
                invoke!(jni.$static(of.to_jni(), field.to_jni()))
            } else {
                invoke!(jni.$instance(of.to_jni(), field.to_jni()))
            }
        };
    }
    let Type::Primitive(ty) = ty else {
        let object = Local::adopt(jni, read!(GetObjectField, GetStaticObjectField));
        return Value::Reference(object.map_or(0, id_of));
    };
    let bits = match ty {
        Primitive::Boolean => u64::from(u8::from(read!(GetBooleanField, GetStaticBooleanField))),
        Primitive::Byte => u64::from(read!(GetByteField, GetStaticByteField).cast_unsigned()),
        Primitive::Char => u64::from(read!(GetCharField, GetStaticCharField)),
        Primitive::Short => u64::from(read!(GetShortField, GetStaticShortField).cast_unsigned()),
        Primitive::Int => u64::from(read!(GetIntField, GetStaticIntField).cast_unsigned()),
        Primitive::Long => read!(GetLongField, GetStaticLongField).cast_unsigned(),
        Primitive::Float => u64::from(read!(GetFloatField, GetStaticFloatField).to_bits()),
        Primitive::Double => read!(GetDoubleField, GetStaticDoubleField).to_bits(),
    };
    Value::Primitive(ty, bits)
}

/// The length of an array.
pub(crate) fn length(jni: Jni, array: ObjectRef<'_>) -> u32 {
    u32::try_from(invoke!(jni.GetArrayLength(array.to_jni()))).unwrap_or(0)
}

/// An element of an array of references.
pub(crate) fn element(jni: Jni, array: ObjectRef<'_>, at: u32) -> Option<Local> {
    let at = i32::try_from(at).ok()?;
    Local::adopt(jni, invoke!(jni.GetObjectArrayElement(array.to_jni(), at)))
}

/// Elements of an array of primitives, from `at` on, as many as `room` has bytes for.
pub(crate) fn elements(jni: Jni, array: ObjectRef<'_>, ty: Primitive, at: u32, room: &mut [u8]) {
    let count = i32::try_from(room.len() / ty.width()).unwrap_or(0);
    let at = i32::try_from(at).unwrap_or(0);
    let to = room.as_mut_ptr();
    match ty {
        Primitive::Boolean => {
            invoke!(jni.GetBooleanArrayRegion(array.to_jni(), at, count, to.cast()))
        }
        Primitive::Byte => invoke!(jni.GetByteArrayRegion(array.to_jni(), at, count, to.cast())),
        Primitive::Char => invoke!(jni.GetCharArrayRegion(array.to_jni(), at, count, to.cast())),
        Primitive::Short => invoke!(jni.GetShortArrayRegion(array.to_jni(), at, count, to.cast())),
        Primitive::Int => invoke!(jni.GetIntArrayRegion(array.to_jni(), at, count, to.cast())),
        Primitive::Long => invoke!(jni.GetLongArrayRegion(array.to_jni(), at, count, to.cast())),
        Primitive::Float => invoke!(jni.GetFloatArrayRegion(array.to_jni(), at, count, to.cast())),
        Primitive::Double => {
            invoke!(jni.GetDoubleArrayRegion(array.to_jni(), at, count, to.cast()))
        }
    }
}
