//! JNI references with an owner.

use jvmpi_headers::jni::jobject;

use crate::vm::jni::Jni;

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

    /// The reference as a number, not deleted any more; [`Weak::from_number`] takes it back.
    pub(crate) fn into_number(self) -> u64 {
        std::mem::ManuallyDrop::new(self).0 as u64
    }

    /// Takes over what [`Weak::into_number`] gave.
    pub(crate) fn from_number(number: u64) -> Self {
        Self(usize::try_from(number).unwrap_or_default())
    }

    /// Whether the object of such a number has not been collected.
    pub(crate) fn is_alive(number: u64, jni: Jni) -> bool {
        let weak = std::mem::ManuallyDrop::new(Self::from_number(number));
        !jni.same(
            std::ptr::with_exposed_provenance_mut(weak.0),
            std::ptr::null_mut(),
        )
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
