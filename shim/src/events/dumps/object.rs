//! One object's record, read by JNI: no walk over the heap.

use std::sync::Arc;

use dump_format::{ClassHead, Detail, Field, HeapWriter, Primitive, Sink, Value, WORD, WriteError};
use event_translate::EventKind;
use id_map::{Flag, Kind, ObjectId};

use crate::base::config;
use crate::delivery::announce;
use crate::events::dumps::dissect::anatomy;
use crate::events::dumps::record_index::RecordIndex;
use crate::events::dumps::sizes;
use crate::events::dumps::survey::{self, outward};
use crate::model::classes::{self, Anatomy, Class};
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::{ids, wanted};
use crate::vm::env::Jvmti;
use crate::vm::heap::contents;
use crate::vm::hotspot::classes::signers;
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

/// Why an object has no record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoRecord {
    /// It is gone.
    Gone,
    /// A class without members yet, a primitive one, or one that the agent does not know and
    /// can no longer be told of; an instance of that.
    Unprepared,
    Write(WriteError),
}

impl From<WriteError> for NoRecord {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

/// Who asks, and whom.
#[derive(Clone, Copy)]
pub(super) struct Asking<'own> {
    pub(super) jvmti: Jvmti,
    pub(super) jni: Jni,
    pub(super) own: &'own Arc<Thread>,
    /// What a dump's walk has met: nothing else is named in records that belong to that dump.
    pub(super) met: Option<&'own RecordIndex>,
}

impl Asking<'_> {
    /// The number of an object; what defines it is sent first.
    fn number(self, object: &Local) -> usize {
        if wanted::listens_no_more(EventKind::ClassLoad) && self.is_unknown(object) {
            return 0;
        }
        if self.met.is_some_and(|met| !self.has_been_met(met, object)) {
            return 0;
        }
        let id = if self.is_primitive_class(object.get()) {
            ids::id_of(self.jvmti, self.jni, object.get(), Kind::Class)
        } else {
            announce::object(self.jvmti, self.jni, self.own, object.get())
        };
        id.map_or(0, |id| {
            IDS.set(id, Flag::KNOWN);
            outward(id)
        })
    }

    /// Whether the walk has met it, which gave each object a tag that had none.
    fn has_been_met(self, met: &RecordIndex, object: &Local) -> bool {
        let tag = self.jvmti.tag(object.get()).ok();
        tag.and_then(ObjectId::from_raw)
            .is_some_and(|id| met.has(id))
    }

    /// Whether it is a class that the agent does not know, or an instance of one.
    fn is_unknown(self, object: &Local) -> bool {
        let of = |object: ObjectRef<'_>| classes::of(self.jvmti, self.jni, object);
        let class = self.jni.class_of(object.get());
        let class = class.and_then(|class| of(class.get()));
        let class = match class {
            Some(its) if classes::is_class_of_classes(its.id) => {
                if self.is_primitive_class(object.get()) {
                    return false;
                }
                of(object.get())
            }
            // The record of an array names its elements' class only.
            its => its.filter(|its| {
                let shape = IDS.get(its.id).and_then(|entry| entry.shape);
                shape.is_some_and(|shape| shape.array == 0)
            }),
        };
        class.is_some_and(|class| !class.may_be_dumped())
    }

    fn is_primitive_class(self, object: ObjectRef<'_>) -> bool {
        // Asked of a class object only: other objects are refused.
        classes::is_primitive(self.jvmti, object)
    }

    /// Appends the record of an object with an id.
    pub(super) fn write<S: Sink>(
        self,
        id: ObjectId,
        object: &Local,
        to: &mut HeapWriter<S>,
    ) -> Result<(), NoRecord> {
        let class = self.jni.class_of(object.get()).ok_or(NoRecord::Gone)?;
        let class = classes::of(self.jvmti, self.jni, class.get()).ok_or(NoRecord::Gone)?;
        if classes::is_class_of_classes(class.id) {
            return self.write_class(object, to);
        }
        // The agent reads the record with the help of the class's CLASS_LOAD.
        announce::instances_of(self.jvmti, self.jni, self.own, &class);
        let shape = IDS.get(class.id).and_then(|entry| entry.shape);
        let shape = shape.ok_or(NoRecord::Gone)?;
        match (shape.array, Primitive::from_raw(shape.array)) {
            (_, Some(ty)) => self.write_primitives(id, object, ty, to),
            (0, None) if !class.may_be_dumped() => Err(NoRecord::Unprepared),
            (0, None) => self.write_plain(id, object, &class, to),
            (_, None) => self.write_references(id, object, shape.class, to),
        }
    }

    fn write_plain<S: Sink>(
        self,
        id: ObjectId,
        object: &Local,
        class: &Arc<Class>,
        to: &mut HeapWriter<S>,
    ) -> Result<(), NoRecord> {
        let mut values = Vec::new();
        let mut next = Some(Arc::clone(class));
        while let Some(class) = next {
            let mirror = class.mirror(self.jni).ok_or(NoRecord::Gone)?;
            let anatomy = anatomy(self.jvmti, self.jni, &class, mirror.get());
            let anatomy = anatomy.ok_or(NoRecord::Unprepared)?;
            self.values(object.get(), anatomy, |field| !field.is_static, &mut values);
            next = anatomy.superclass.and_then(survey::class);
        }
        Ok(to.instance(outward(id), outward(class.id), &values)?)
    }

    fn values(
        self,
        of: ObjectRef<'_>,
        anatomy: &Anatomy,
        which: impl Fn(&Field) -> bool,
        values: &mut Vec<Value>,
    ) {
        let fields = anatomy.fields.iter().zip(&anatomy.field_ids);
        for (field, &field_id) in fields.filter(|(field, _)| which(field)) {
            let kind = (field.ty, field.is_static);
            let mut number = |object: Local| self.number(&object);
            values.push(contents::field(self.jni, of, field_id, kind, &mut number));
        }
    }

    fn write_references<S: Sink>(
        self,
        id: ObjectId,
        array: &Local,
        element: Option<ObjectId>,
        to: &mut HeapWriter<S>,
    ) -> Result<(), NoRecord> {
        let length = contents::length(self.jni, array.get());
        let element = element.filter(|&element| self.is_shown(element));
        let element = element.map_or(0, outward);
        let mut offset = to.open_object_array(outward(id), element, length)?;
        for at in 0..length {
            if let Some(object) = contents::element(self.jni, array.get(), at) {
                to.set(offset, Value::Reference(self.number(&object)))?;
            }
            offset += WORD;
        }
        Ok(())
    }

    fn write_primitives<S: Sink>(
        self,
        id: ObjectId,
        array: &Local,
        ty: Primitive,
        to: &mut HeapWriter<S>,
    ) -> Result<(), NoRecord> {
        const PIECE: usize = 1 << 16;
        let length = contents::length(self.jni, array.get());
        let mut offset = to.open_primitive_array(outward(id), ty, length)?;
        if to.detail() == Detail::References {
            return Ok(());
        }
        // Not on the stack: a handler that asks may be at its end already.
        let mut room = vec![0; PIECE.min(usize::try_from(length).unwrap_or(PIECE) * ty.width())];
        let mut at = 0;
        while at < length {
            let left = usize::try_from(length - at).unwrap_or(0) * ty.width();
            let piece = room.get_mut(..left.min(PIECE)).unwrap_or_default();
            contents::elements(self.jni, array.get(), ty, at, piece);
            to.fill(offset, ty, piece)?;
            offset += piece.len();
            at += u32::try_from(piece.len() / ty.width()).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    fn write_class<S: Sink>(self, mirror: &Local, to: &mut HeapWriter<S>) -> Result<(), NoRecord> {
        if self.is_primitive_class(mirror.get()) {
            return Err(NoRecord::Unprepared);
        }
        let class = classes::of(self.jvmti, self.jni, mirror.get()).ok_or(NoRecord::Gone)?;
        announce::instances_of(self.jvmti, self.jni, self.own, &class);
        let anatomy = anatomy(self.jvmti, self.jni, &class, mirror.get());
        let anatomy = anatomy.filter(|_| class.may_be_dumped());
        let anatomy = anatomy.ok_or(NoRecord::Unprepared)?;
        let shown = |&id: &ObjectId| if self.is_shown(id) { outward(id) } else { 0 };
        let number = |object: Option<Local>| object.map_or(0, |object| self.number(&object));
        let head = ClassHead {
            class: outward(class.id),
            superclass: anatomy.superclass.as_ref().map_or(0, shown),
            loader: number(self.jvmti.class_loader(self.jni, mirror.get())),
            signers: number(signers::signers(self.jni, mirror.get())),
            protection_domain: number(signers::protection_domain(self.jni, mirror.get())),
            name: if config::options().host.row().no_class_name_in_dumps {
                0
            } else {
                number(name_of(self.jni, mirror))
            },
            instance_size: sizes::of_instance(self.jvmti, self.jni, &class),
        };
        let interfaces: Vec<usize> = anatomy.interfaces.iter().map(shown).collect();
        let mut statics = Vec::new();
        self.values(mirror.get(), anatomy, |field| field.is_static, &mut statics);
        Ok(to.class(&head, &interfaces, &[], &statics)?)
    }

    /// Whether a record may have this class in it.
    fn is_shown(&self, id: ObjectId) -> bool {
        match survey::class(id) {
            Some(class) => {
                class.may_be_dumped() && classes::is_prepared(self.jvmti, self.jni, &class)
            }
            None => IDS.has(id, Flag::PREPARED),
        }
    }
}

/// The class's name, if it has been asked for its name yet.
fn name_of(jni: Jni, mirror: &Local) -> Option<Local> {
    let of_classes = jni.class_of(mirror.get())?;
    let field = jni.field(of_classes.get(), c"name", c"Ljava/lang/String;");
    if field.is_none() {
        drop(jni.take_exception());
    }
    jni.object_field(mirror.get(), field?)
}
