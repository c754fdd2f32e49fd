//! What the ids of a recording are, and what they name: JVMTI's events carry no names.
//!
//! Methods and fields are their own ids. Classes and threads have those that JVMPI's events name
//! them by; objects only if they have one already, since an id costs a tag that the VM keeps.
//!
//! # Threads
//! Those that may call JVMTI. Where the VM refuses, 0 is recorded.

use std::collections::HashSet;

use id_map::Kind;
use parking_lot::Mutex;
use recording_format::Value;
use recording_format::jvmti::Definition;

use crate::model::ids;
use crate::observe::trace;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::jni::Jni;
use crate::vm::member_ids::{FieldId, MethodId};
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// It has neither begun nor ended.
const THREAD_STATE_NEW: i32 = 0;

/// What the recording has named already.
static NAMED: Mutex<Option<HashSet<(Definition, u64)>>> = Mutex::new(None);

/// Whether the recording names this. Whoever finds that it does not names it and says so behind
/// that: two may do it at once, and neither uses an id that has no name yet.
fn is_named(what: Definition, id: u64) -> bool {
    let named = NAMED.lock();
    named
        .as_ref()
        .is_some_and(|named| named.contains(&(what, id)))
}

fn note_named(what: Definition, id: u64) {
    NAMED.lock().get_or_insert_default().insert((what, id));
}

/// Ids have been given back, and may name other classes from now on: all are named again.
pub(crate) fn ids_have_ended() {
    if let Some(named) = NAMED.lock().as_mut() {
        named.retain(|(what, _)| *what == Definition::Method);
    }
}

/// A method; its name is in the recording once it has come here.
#[inline]
pub(crate) fn method(method: usize) -> u64 {
    let id = method as u64;
    if id != 0 && !trace::knows_method(id) {
        name_method(method);
    }
    id
}

#[cold]
fn name_method(number: usize) {
    let id = number as u64;
    let Some(jvmti) = this_vm::jvmti_to_the_end() else {
        return;
    };
    let method = MethodId::from_number(number);
    if is_named(Definition::Method, id) {
        return trace::note_method(id);
    }
    let Ok((name, signature)) = jvmti.method_name(method) else {
        return;
    };
    let class = Jni::of_this_thread()
        .and_then(|jni| {
            let class = jvmti.declaring_class(jni, method).ok()?;
            class_id(jvmti, jni, class.get())
        })
        .unwrap_or(0);
    trace::defined(
        Definition::Method,
        &[
            Value::Id(id),
            Value::Id(class),
            Value::Text(Some(name.bytes())),
            Value::Text(Some(signature.bytes())),
        ],
    );
    note_named(Definition::Method, id);
    trace::note_method(id);
}

/// A field of this class.
pub(super) fn field(class: Option<ObjectRef<'_>>, field: Option<FieldId>) -> u64 {
    let Some(field) = field else { return 0 };
    let id = field.number() as u64;
    if let Some(class) = class {
        name_field(class, field, id);
    }
    id
}

fn name_field(class: ObjectRef<'_>, field: FieldId, id: u64) -> Option<()> {
    let (jvmti, jni) = this_vm::jvmti_to_the_end().zip(Jni::of_this_thread())?;
    let of = class_id(jvmti, jni, class)?;
    // Its id is the place of its value: many classes have one of the same number.
    if !is_named(Definition::Field, id ^ of << 32) {
        let (name, signature) = jvmti.field_name(class, field).ok()?;
        trace::defined(
            Definition::Field,
            &[
                Value::Id(id),
                Value::Id(of),
                Value::Text(Some(name.bytes())),
                Value::Text(Some(signature.bytes())),
            ],
        );
        note_named(Definition::Field, id ^ of << 32);
    }
    Some(())
}

/// A class; its signature is in the recording once it has come here.
pub(super) fn class(class: Option<ObjectRef<'_>>) -> u64 {
    let found = class.and_then(|class| {
        let jvmti = this_vm::jvmti_to_the_end()?;
        if let Ok(tag) = jvmti.tag(class)
            && tag != 0
            && is_named(Definition::Class, tag)
        {
            return Some(tag);
        }
        name_class(jvmti, Jni::of_this_thread()?, class)
    });
    found.unwrap_or(0)
}

fn class_id(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>) -> Option<u64> {
    let id = ids::id_of(jvmti, jni, class, Kind::Class)?.raw();
    if !is_named(Definition::Class, id) {
        return name_class(jvmti, jni, class);
    }
    Some(id)
}

fn name_class(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>) -> Option<u64> {
    let id = ids::id_of(jvmti, jni, class, Kind::Class)?.raw();
    let signature = jvmti.class_signature(class).ok()?;
    trace::defined(
        Definition::Class,
        &[Value::Id(id), Value::Text(Some(signature.bytes()))],
    );
    note_named(Definition::Class, id);
    Some(id)
}

/// The class of an object.
pub(super) fn class_of(object: Option<ObjectRef<'_>>) -> u64 {
    let found = object.and_then(|object| {
        let jni = Jni::of_this_thread()?;
        let local = jni.class_of(object)?;
        Some(class(Some(local.get())))
    });
    found.unwrap_or(0)
}

/// An object, if it has an id.
pub(super) fn object(object: Option<ObjectRef<'_>>) -> u64 {
    let tag = object.and_then(|object| this_vm::jvmti_to_the_end()?.tag(object).ok());
    tag.unwrap_or(0)
}

/// A thread; null is the calling one, and 0.
pub(super) fn thread(thread: Option<ObjectRef<'_>>) -> u64 {
    let found = thread.and_then(|thread| {
        let jvmti = this_vm::jvmti_to_the_end()?;
        let jni = Jni::of_this_thread()?;
        Some(ids::id_of(jvmti, jni, thread, Kind::Thread)?.raw())
    });
    found.unwrap_or(0)
}

/// Names the calling thread, by its env; `None` if that cannot be done now. Not while it carries a
/// virtual one: whose env it is, JVMTI does not say then. Nor while it is being attached, before its
/// constructor has run: a name that it has by then may be none (JDK 25).
#[cold]
pub(super) fn name_calling_thread(env: u64) -> Option<()> {
    let (jvmti, jni) = this_vm::jvmti_to_the_end().zip(Jni::of_this_thread())?;
    let own = jvmti.current_thread(jni)?;
    if mounts::identifier_of_virtual(jni, own.get()).is_some() {
        return None;
    }
    if jvmti.thread_state(own.get().into()).ok()? == THREAD_STATE_NEW {
        return None;
    }
    let (name, _) = jvmti.thread_info(jni, own.get()).ok()?;
    let (name, id) = (name?, ids::id_of(jvmti, jni, own.get(), Kind::Thread)?);
    let values = [
        Value::Id(env),
        Value::Id(id.raw()),
        Value::Text(Some(name.bytes())),
    ];
    trace::defined(Definition::Thread, &values);
    Some(())
}
