//! CLASS_LOAD: when it is due, and what it says: name, source, methods and fields of a class.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use event_translate::call_trace::LineTable;
use event_translate::class_name::class_name;
use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};
use jvmpi_headers::jvmpi::{
    JVMPI_Event_class_load, JVMPI_Field, JVMPI_Method, JVMPI_REQUESTED_EVENT,
};
use once_cell::sync::OnceCell;

use crate::base::patience::Patience;
use crate::base::{config, log};
use crate::delivery::announce::once::{Told, once, requested};
use crate::delivery::dispatch::{self, Sent};
use crate::model::classes::{Class, is_loaded, is_prepared, methods};
use crate::model::tables::IDS;
use crate::model::thread::{Thread, current};
use crate::model::{ids, wanted};
use crate::vm::env::{Jvmti, JvmtiError, Result};
use crate::vm::hotspot::classes::link;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::memory::Text;
use crate::vm::refs::ObjectRef;

impl Class {
    /// Whether it is still to come, to an agent that listens.
    pub(crate) fn owes_its_load(&self) -> bool {
        // In this order: see `is_due`.
        dispatch::reaches_agent(EventKind::ClassLoad) && self.is_due()
    }

    /// Whether the agent knows it, or can ask for it.
    pub(crate) fn is_known(&self, jvmti: Jvmti, jni: Jni) -> bool {
        self.announced.is_done() || is_prepared(jvmti, jni, self) && !self.owes_its_load()
    }

    /// Whether an answer may name it: the agent knows it, is hearing of it from this thread, or does not want to
    /// be told. Not one whose CLASS_LOAD cannot be sent now.
    pub(crate) fn may_be_named(&self) -> bool {
        self.announced.is_done_for(current::key()) || !self.owes_its_load()
    }

    /// Whether a dump may name it. Who has listened to CLASS_LOAD reads a dump with the help
    /// of what it was told; who never did asks for each class.
    pub(crate) fn may_be_dumped(&self) -> bool {
        self.announced.is_done_for(current::key())
            || self.may_be_named() && !wanted::listens_no_more(EventKind::ClassLoad)
    }
}

/// Objects of a class that was never linked lie in the VM's archive: boxed numbers and the like.
/// Their class is the VM's own, which linking neither verifies nor asks a loader for; a class of
/// the program is never linked. Nor is a Class object that is not its class's own: the VM would end with SIGSEGV.
pub(crate) fn link_archived(jvmti: Jvmti, jni: Jni, class: &Class) {
    if !is_prepared(jvmti, jni, class)
        && let Some(mirror) = class.mirror(jni)
        && jni.may_be_loaded(mirror.get())
        && jvmti.class_loader(jni, mirror.get()).is_none()
        && is_loaded(jvmti, jni, class)
    {
        link::link(jni, mirror.get());
    }
}

/// Sends CLASS_LOAD unless it was sent: whether the agent knows the class now.
pub(super) fn send(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    class: &Arc<Class>,
    patience: Patience,
) -> Told {
    let Some(mirror) = class.mirror(jni) else {
        return Told::No;
    };
    let load = match Load::collect(jvmti, jni, class, mirror.get()) {
        Ok(load) => load,
        Err(error) => {
            if error.code != JvmtiError::CLASS_NOT_PREPARED {
                log::info!("a class gets no CLASS_LOAD: {error}");
            }
            return Told::No;
        }
    };
    once(
        &class.announced,
        patience,
        || load.send(sender, EventKind::ClassLoad.raw()),
        || tell_waiting(sender, class.id),
    )
}

/// Sends a requested CLASS_LOAD; none of a class that is not linked yet, since an event without
/// members would be a lie.
pub(crate) fn requested_class(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    class: &Arc<Class>,
) -> bool {
    let Some(mirror) = class.mirror(jni) else {
        return false;
    };
    let load = Load::collect(jvmti, jni, class, mirror.get());
    let load = match load {
        Ok(load) => load,
        Err(error) if error.code == JvmtiError::CLASS_NOT_PREPARED => {
            log::info!("RequestEvent(CLASS_LOAD): the class is not linked yet; JVMPI_FAIL");
            return false;
        }
        Err(error) => {
            log::warn_once!("RequestEvent(CLASS_LOAD): the class cannot be described ({error})");
            return false;
        }
    };
    let event_type = EventKind::ClassLoad.raw() | JVMPI_REQUESTED_EVENT;
    requested(
        &class.announced,
        || load.send(sender, event_type),
        || tell_waiting(sender, class.id),
    )
}

static WAITING: OnceCell<fn(&Thread, ObjectId)> = OnceCell::new();

/// Has `tell` called on the thread that has sent a CLASS_LOAD, with the id of the class: there are
/// events that wait for it.
pub(crate) fn on_class_load(tell: fn(&Thread, ObjectId)) {
    let _ = WAITING.set(tell);
}

fn tell_waiting(sender: &Thread, class: ObjectId) {
    if let Some(tell) = WAITING.get() {
        tell(sender, class);
    }
}

/// The contents of one CLASS_LOAD; the texts live as long as this.
pub(crate) struct Load {
    class: Arc<Class>,
    source: Option<Text>,
    interfaces: i32,
    methods: Vec<JVMPI_Method>,
    statics: Vec<JVMPI_Field>,
    instances: Vec<JVMPI_Field>,
    _texts: Vec<Text>,
}

impl Load {
    /// From the VM; an error if the class is not prepared.
    pub(crate) fn collect(
        jvmti: Jvmti,
        jni: Jni,
        class: &Arc<Class>,
        mirror: ObjectRef<'_>,
    ) -> Result<Self> {
        // First, since this is what fails for a class that is not prepared.
        let ids = jvmti.methods(mirror)?;
        IDS.set(class.id, Flag::PREPARED);
        methods::note_listed(class, ids.as_slice());
        if class.name.get().is_none() {
            let signature = jvmti.class_signature(mirror)?;
            let name = class_name(signature.bytes(), config::options().class_names);
            let _ = class.name.set(CString::new(name).unwrap_or_default());
        }
        let mut texts = Vec::with_capacity(2 * ids.as_slice().len());
        let mut methods = Vec::with_capacity(ids.as_slice().len());
        for &method in ids.as_slice() {
            methods.push(describe_method(jvmti, method, &mut texts)?);
        }
        let (mut statics, mut instances) = (Vec::new(), Vec::new());
        for &field in jvmti.fields(mirror)?.as_slice() {
            let (name, signature) = jvmti.field_name(mirror, field)?;
            let described = JVMPI_Field {
                field_name: name.as_ptr(),
                field_signature: signature.as_ptr(),
            };
            let is_static = jvmti.field_is_static(mirror, field)?;
            if is_static {
                &mut statics
            } else {
                &mut instances
            }
            .push(described);
            texts.extend([name, signature]);
        }
        Ok(Self {
            class: Arc::clone(class),
            source: jvmti.source_file(mirror),
            interfaces: count_interfaces(jvmti, jni, mirror)?,
            methods,
            statics,
            instances,
            _texts: texts,
        })
    }

    /// Gives it to the agent.
    pub(crate) fn send(&self, sender: &Thread, event_type: i32) -> Sent {
        let name = self
            .class
            .name
            .get()
            .map_or(ptr::null_mut(), |name| name.as_ptr().cast_mut());
        // Agents compare and copy it unseen, so an unknown source is an empty text.
        let source = self
            .source
            .as_ref()
            .map_or(c"".as_ptr().cast_mut(), Text::as_ptr);
        let count = |len: usize| i32::try_from(len).unwrap_or(i32::MAX);
        dispatch::deliver_filled(sender, event_type, |event| {
            IDS.set(self.class.id, Flag::KNOWN);
            event.u.class_load = JVMPI_Event_class_load {
                class_name: name,
                source_name: source,
                num_interfaces: self.interfaces,
                num_methods: count(self.methods.len()),
                methods: self.methods.as_ptr().cast_mut(),
                num_static_fields: count(self.statics.len()),
                statics: self.statics.as_ptr().cast_mut(),
                num_instance_fields: count(self.instances.len()),
                instances: self.instances.as_ptr().cast_mut(),
                class_id: ids::object_id(Some(self.class.id)),
            };
        })
    }
}

fn describe_method(jvmti: Jvmti, method: MethodId, texts: &mut Vec<Text>) -> Result<JVMPI_Method> {
    let (name, signature) = jvmti.method_name(method)?;
    let lines = methods::line_table(jvmti, method);
    let (start_lineno, end_lineno) =
        lines.map_or((-1, -1), |lines: LineTable| lines.first_and_last());
    let described = JVMPI_Method {
        method_name: name.as_ptr(),
        method_signature: signature.as_ptr(),
        start_lineno,
        end_lineno,
        method_id: method.to_jni(),
    };
    texts.extend([name, signature]);
    Ok(described)
}

fn count_interfaces(jvmti: Jvmti, jni: Jni, mirror: ObjectRef<'_>) -> Result<i32> {
    let interfaces = jvmti.interfaces(jni, mirror)?;
    Ok(i32::try_from(interfaces.len()).unwrap_or(i32::MAX))
}
