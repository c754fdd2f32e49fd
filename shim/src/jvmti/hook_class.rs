//! The class in java.lang whose native methods rewritten code calls.
#![allow(unsafe_code, reason = "functions of the JNI table")]

use std::ffi::{CString, c_char};
use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::rewrite::{CONTENDED, HOOKS, hook_class};
use jvmpi_headers::jni::{JNINativeMethod, jclass};
use once_cell::sync::OnceCell;

use crate::ffi::{hook_natives, library, sleep};
use crate::jvmti::jni::Jni;
use crate::jvmti::refs::{Global, Local};
use crate::{log, native_methods, state};

/// Its name; `register`'s symbol is made from it.
pub(crate) const NAME: &str = "java/lang/JvmpiHooks";

/// The class, and the number of its field [`CONTENDED`].
static FIELD: OnceCell<(Global, usize)> = OnceCell::new();

/// Whether rewritten code is to tell which monitors it leaves.
pub(crate) fn set_contended(jni: Jni, on: bool) {
    if let Some((class, field)) = FIELD.get() {
        let field = std::ptr::with_exposed_provenance_mut(*field);
        jni.set_static_boolean(class.get(), field, on);
    }
}

static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Defines the class and binds its methods, before any class is rewritten: the first
/// call of a native method runs Java code. `None`, with one line, if the VM refuses.
///
/// # Phase
/// Live.
pub(crate) fn define(jni: Jni) -> Option<Local> {
    let pending = jni.take_exception();
    let library = library::own_path().unwrap_or_default();
    let bytes = hook_class(NAME, &library.to_string_lossy());
    let class = jni.define_boot_class(NAME, &bytes);
    if let Some(class) = &class {
        jni.call_static(class.get(), c"bind");
        if !REGISTERED.load(Ordering::Acquire) {
            // The VM looks for natives in agents, and -Xrun alone makes us none.
            drop(jni.take_exception());
            jni.call_static(class.get(), c"load");
            drop(jni.take_exception());
            jni.call_static(class.get(), c"bind");
        }
    }
    drop(jni.take_exception());
    jni.rethrow(pending);
    if class.is_none() || !REGISTERED.load(Ordering::Acquire) {
        log::warning!(
            "the class {NAME} cannot be had in this VM: no method events (method-events=exact may help)"
        );
        return None;
    }
    class
}

/// Has the class's own code call [`register`] once more.
pub(crate) fn bind_again(jni: Jni) {
    let pending = jni.take_exception();
    let name = CString::new(NAME).unwrap_or_default();
    if let Some(class) = jni.find_class(&name) {
        jni.call_static(class.get(), c"bind");
    }
    drop(jni.take_exception());
    jni.rethrow(pending);
}

/// Tells the VM the functions behind the class's methods, and whatever else is wanted in
/// front of native methods.
pub(crate) fn register(jni: Jni, class: jclass) {
    if !REGISTERED.load(Ordering::Acquire) {
        register_hooks(jni, class);
    }
    if let Some(jvmti) = state::jvmti() {
        native_methods::catch_up(jvmti, jni);
        sleep::install(jvmti, jni);
    }
}

fn register_hooks(jni: Jni, class: jclass) {
    let texts = HOOKS.map(|(_, name, descriptor)| {
        [name, descriptor].map(|text| CString::new(text).unwrap_or_default())
    });
    let methods: Vec<JNINativeMethod> = HOOKS
        .iter()
        .zip(&texts)
        .map(|(&(hook, ..), [name, descriptor])| JNINativeMethod {
            name: name.as_ptr().cast_mut().cast::<c_char>(),
            signature: descriptor.as_ptr().cast_mut().cast::<c_char>(),
            fnPtr: hook_natives::function(hook).cast_mut(),
        })
        .collect();
    let name = CString::new(CONTENDED).unwrap_or_default();
    if let Some(field) = jni.static_field(class, &name, c"Z")
        && let Some(class) = Global::new(jni, class)
    {
        let _ = FIELD.set((class, field.expose_provenance()));
    }
    if jni.register_natives(class, &methods) {
        REGISTERED.store(true, Ordering::Release);
    }
}
