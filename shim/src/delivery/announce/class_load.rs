//! What one CLASS_LOAD says: name, source, methods and fields of a class.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use event_translate::call_trace::LineTable;
use event_translate::class_name::class_name;
use id_map::Flag;
use jvmpi_headers::jni::{jclass, jmethodID};
use jvmpi_headers::jvmpi::{JVMPI_Event_class_load, JVMPI_Field, JVMPI_Method};

use crate::base::config;
use crate::delivery::dispatch::{self, Sent};
use crate::model::classes::Class;
use crate::model::ids;
use crate::model::methods;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::vm::env::{Jvmti, Result};
use crate::vm::jni::Jni;
use crate::vm::memory::Text;
use crate::vm::refs::Local;

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
        mirror: jclass,
    ) -> Result<Self> {
        // First, since this is what fails for a class that is not prepared.
        let ids = jvmti.methods(mirror)?;
        IDS.set(class.id, Flag::LINKED);
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

fn describe_method(jvmti: Jvmti, method: jmethodID, texts: &mut Vec<Text>) -> Result<JVMPI_Method> {
    let (name, signature) = jvmti.method_name(method)?;
    let lines = methods::line_table(jvmti, method);
    let (start_lineno, end_lineno) =
        lines.map_or((-1, -1), |lines: LineTable| lines.first_and_last());
    let described = JVMPI_Method {
        method_name: name.as_ptr(),
        method_signature: signature.as_ptr(),
        start_lineno,
        end_lineno,
        method_id: method,
    };
    texts.extend([name, signature]);
    Ok(described)
}

fn count_interfaces(jvmti: Jvmti, jni: Jni, mirror: jclass) -> Result<i32> {
    let interfaces = jvmti.interfaces(mirror)?;
    for &interface in interfaces.as_slice() {
        drop(Local::adopt(jni, interface));
    }
    Ok(i32::try_from(interfaces.as_slice().len()).unwrap_or(i32::MAX))
}
