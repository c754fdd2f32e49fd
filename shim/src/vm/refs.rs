//! JNI references with an owner.

use jvmpi_headers::jni::jobject;

use crate::vm::jni_env::Jni;

/// A local reference, deleted when dropped; of use on its own thread only.
pub(crate) struct Local {
    jni: Jni,
    object: jobject,
}

impl Local {
    /// Takes over a local reference that the VM made; `None` for null.
    pub(crate) fn adopt(jni: Jni, object: jobject) -> Option<Self> {
        (!object.is_null()).then(|| Self { jni, object })
    }

    pub(crate) fn get(&self) -> jobject {
        self.object
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.jni.delete_local(self.object);
    }
}

/// A global reference: keeps its object alive.
#[derive(Debug)]
pub(crate) struct Global(usize);

impl Global {
    pub(crate) fn new(jni: Jni, object: jobject) -> Option<Self> {
        let global = jni.new_global(object);
        (!global.is_null()).then(|| Self(global.expose_provenance()))
    }

    pub(crate) fn get(&self) -> jobject {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

impl Drop for Global {
    fn drop(&mut self) {
        // The last holder may be a thread the VM does not know: then the
        // reference stays, which costs one object.
        if let Some(jni) = Jni::of_this_thread() {
            jni.delete_global(self.get());
        }
    }
}

/// A weak global reference: names its object without keeping it alive.
#[derive(Debug)]
pub(crate) struct Weak(usize);

impl Weak {
    pub(crate) fn new(jni: Jni, object: jobject) -> Option<Self> {
        let weak = jni.new_weak(object);
        (!weak.is_null()).then(|| Self(weak.expose_provenance()))
    }

    /// A local reference to the object, or `None` once it was collected.
    pub(crate) fn upgrade(&self, jni: Jni) -> Option<Local> {
        Local::adopt(
            jni,
            jni.new_local(std::ptr::with_exposed_provenance_mut(self.0)),
        )
    }
}

impl Drop for Weak {
    fn drop(&mut self) {
        if let Some(jni) = Jni::of_this_thread() {
            jni.delete_weak(std::ptr::with_exposed_provenance_mut(self.0));
        }
    }
}
