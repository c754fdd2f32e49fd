//! References of JNI: lent ones, which end with what they are borrowed from, and those that have an
//! owner, which deletes them.
#![allow(
    unsafe_code,
    reason = "the JNI function table, and references of others"
)]

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

use jvmpi_headers::jni::jobject;

use crate::vm::jni_env::{Jni, invoke};
use crate::vm::memory::Array;

/// A reference that somebody else owns: the VM, until the callback returns that it has given it
/// to, or one of the owners below. Not null. (A weak one may lead to no object any more.)
///
/// # Threads
/// The one that has it.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct ObjectRef<'a>(NonNull<c_void>, PhantomData<&'a ()>);

impl<'a> ObjectRef<'a> {
    /// What a caller in C has passed, as long as the place that it lies in; `None` for null.
    ///
    /// # Safety
    /// A live reference that the calling thread may use, or null, as long as the place.
    #[inline(always)]
    pub(crate) unsafe fn lent(place: &'a jobject) -> Option<Self> {
        Some(Self(NonNull::new(*place)?.cast(), PhantomData))
    }

    /// The same of a word among a call's arguments.
    ///
    /// # Safety
    /// As for [`ObjectRef::lent`].
    pub(crate) unsafe fn of_word(place: &'a usize) -> Option<Self> {
        let reference = ptr::with_exposed_provenance_mut::<c_void>(*place);
        Some(Self(NonNull::new(reference)?, PhantomData))
    }

    /// For functions of the VM, and for events.
    #[inline(always)]
    pub(crate) fn to_jni(self) -> jobject {
        self.0.as_ptr().cast()
    }

    /// By which events name it.
    pub(crate) fn number(self) -> usize {
        self.to_jni().expose_provenance()
    }

    /// The same as [`ObjectRef::to_jni`] where null means something.
    #[inline(always)]
    pub(crate) fn or_null(object: Option<Self>) -> jobject {
        object.map_or(ptr::null_mut(), Self::to_jni)
    }
}

// Slices of them are the VM's arrays.
const _: () = assert!(size_of::<ObjectRef<'_>>() == size_of::<jobject>());

/// A thread to ask about: that of an object, or the calling one, for which JVMTI has null.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct ThreadRef<'a>(Option<ObjectRef<'a>>);

impl ThreadRef<'static> {
    pub(crate) const CURRENT: Self = Self(None);
}

impl<'a> From<ObjectRef<'a>> for ThreadRef<'a> {
    fn from(thread: ObjectRef<'a>) -> Self {
        Self(Some(thread))
    }
}

impl ThreadRef<'_> {
    /// The calling one is meant, and not named.
    pub(crate) fn is_current(self) -> bool {
        self.0.is_none()
    }

    /// For functions of the VM.
    pub(crate) fn to_jni(self) -> jobject {
        ObjectRef::or_null(self.0)
    }
}

/// For an owner, who lends it for no longer than it lives itself.
fn owned(object: jobject) -> Option<ObjectRef<'static>> {
    Some(ObjectRef(NonNull::new(object)?.cast(), PhantomData))
}

/// A local reference, deleted when dropped; of use on its own thread only.
pub(crate) struct Local {
    jni: Jni,
    object: ObjectRef<'static>,
}

impl Local {
    /// Takes over a local reference that the VM made; `None` for null.
    pub(super) fn adopt(jni: Jni, object: jobject) -> Option<Self> {
        owned(object).map(|object| Self { jni, object })
    }

    /// Takes over all of an array that the VM made.
    pub(super) fn adopt_all(jni: Jni, objects: &Array<jobject>) -> Vec<Self> {
        let objects = objects.as_slice().iter();
        objects
            .filter_map(|&object| Self::adopt(jni, object))
            .collect()
    }

    pub(crate) fn get(&self) -> ObjectRef<'_> {
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
pub(crate) struct Global(ObjectRef<'static>);

// SAFETY: global references are for all threads (JNI specification, "Global and Local References").
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

impl Global {
    pub(crate) fn new(jni: Jni, object: ObjectRef<'_>) -> Option<Self> {
        owned(jni.new_global(object)).map(Self)
    }

    pub(crate) fn get(&self) -> ObjectRef<'_> {
        self.0
    }
}

impl Drop for Global {
    fn drop(&mut self) {
        // The last holder may be a thread the VM does not know: then the
        // reference stays, which costs one object.
        if let Some(jni) = Jni::of_this_thread() {
            jni.delete_global(self.0);
        }
    }
}

/// A weak global reference: names its object without keeping it alive.
#[derive(Debug)]
pub(crate) struct Weak(ObjectRef<'static>);

// SAFETY: as for `Global`.
unsafe impl Send for Weak {}
// SAFETY: as above.
unsafe impl Sync for Weak {}

impl Weak {
    pub(crate) fn new(jni: Jni, object: ObjectRef<'_>) -> Option<Self> {
        let weak = owned(jni.new_weak(object)).map(Self);
        if weak.is_none() {
            // The VM has thrown that it is out of memory: the program did not ask for this.
            drop(jni.take_exception());
        }
        weak
    }

    /// The reference as a number; [`Weak::of_number`] makes it one again.
    pub(crate) fn into_number(self) -> usize {
        ManuallyDrop::new(self).0.number()
    }

    /// What [`Weak::into_number`] gave; `None` for 0.
    ///
    /// # Safety
    /// The number is of a reference that was not deleted, and nobody else makes one of it.
    pub(crate) unsafe fn of_number(number: usize) -> Option<Self> {
        owned(ptr::with_exposed_provenance_mut(number)).map(Self)
    }

    /// The word that HotSpot's structures know it by.
    pub(crate) fn number(&self) -> usize {
        self.0.number()
    }

    /// For functions of JNI and JVMTI, which take it like any other; that the object was collected
    /// is an error to them, or null.
    pub(crate) fn get(&self) -> ObjectRef<'_> {
        self.0
    }

    /// A local reference to the object, or `None` once it was collected.
    pub(crate) fn upgrade(&self, jni: Jni) -> Option<Local> {
        jni.local(self.0)
    }
}

impl Drop for Weak {
    fn drop(&mut self) {
        if let Some(jni) = Jni::of_this_thread() {
            jni.delete_weak(self.0);
        }
    }
}

impl Jni {
    fn delete_local(self, object: ObjectRef<'_>) {
        invoke!(self.v1_2.DeleteLocalRef(object.to_jni()));
    }

    fn new_global(self, object: ObjectRef<'_>) -> jobject {
        invoke!(self.v1_2.NewGlobalRef(object.to_jni()))
    }

    fn delete_global(self, object: ObjectRef<'_>) {
        invoke!(self.v1_2.DeleteGlobalRef(object.to_jni()));
    }

    fn new_weak(self, object: ObjectRef<'_>) -> jobject {
        invoke!(self.v1_2.NewWeakGlobalRef(object.to_jni()))
    }

    fn delete_weak(self, object: ObjectRef<'_>) {
        invoke!(self.v1_2.DeleteWeakGlobalRef(object.to_jni()));
    }
}
