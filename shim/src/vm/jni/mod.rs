//! JNI. The functions the shim uses are in this file; beside it are
//!
//! - `scopes`, what JNI begins and ends around a piece of code;
//! - [`wrappers`], ours in front of some of the VM's functions;
//! - [`forwarding_env`], the environments of virtual threads.
//!
//! A line belongs here if it calls JNI or stands in its table. The environment itself, and references, are below
//! ([`super::jni_env`], [`super::refs`]): whatever is deleted by JNI needs them.
#![allow(unsafe_code, reason = "the JNI function table")]

#[cfg(test)]
pub(crate) mod fake_jni;
pub(crate) mod forwarding_env;
mod scopes;
pub(crate) mod wrappers;

use std::ffi::{CStr, CString};

use jvmpi_headers::jni::{JNINativeMethod, jmethodID, jobject, jvalue};

use once_cell::sync::OnceCell;

use crate::vm::jni_env::invoke;
use crate::vm::member_ids::{FieldId, MethodId};
use crate::vm::refs::{Local, ObjectRef};

pub(crate) use crate::vm::jni_env::Jni;

/// The functions that find a member by its name and descriptor; an exception is pending if there
/// is none.
macro_rules! members {
    ($($name:ident: $function:ident -> $id:ty, $from:expr;)+) => {$(
        pub(crate) fn $name(
            self,
            class: ObjectRef<'_>,
            name: &CStr,
            signature: &CStr,
        ) -> Option<$id> {
            let (class, name, signature) = (class.to_jni(), name.as_ptr(), signature.as_ptr());
            $from(invoke!(self.v1_2.$function(class, name, signature)))
        }
    )+};
}

impl Jni {
    /// By the loader of the Java code that runs: see [`crate::vm::hotspot::classes::class_loaders::of_boot_loader`].
    pub(crate) fn find_class(self, name: &CStr) -> Option<Local> {
        let class = invoke!(self.v1_2.FindClass(name.as_ptr()));
        Local::adopt(self, class)
    }

    members! {
        method: GetMethodID -> MethodId,
            |method: jmethodID| (!method.is_null()).then(|| MethodId::from_jni(method));
        static_method: GetStaticMethodID -> MethodId,
            |method: jmethodID| (!method.is_null()).then(|| MethodId::from_jni(method));
        field: GetFieldID -> FieldId, FieldId::from_jni;
        static_field: GetStaticFieldID -> FieldId, FieldId::from_jni;
    }

    pub(crate) fn set_static_object(
        self,
        class: ObjectRef<'_>,
        field: FieldId,
        value: ObjectRef<'_>,
    ) {
        invoke!(
            self.v1_2
                .SetStaticObjectField(class.to_jni(), field.to_jni(), value.to_jni())
        );
    }

    /// A `boolean[1]`.
    pub(crate) fn boolean_array(self) -> Option<Local> {
        Local::adopt(self, invoke!(self.v1_2.NewBooleanArray(1)))
    }

    /// Sets the first element of a `boolean[]`.
    pub(crate) fn set_boolean(self, array: ObjectRef<'_>, value: bool) {
        invoke!(
            self.v1_2
                .SetBooleanArrayRegion(array.to_jni(), 0, 1, &raw const value)
        );
    }

    /// Calls a method of an object that takes one object and gives one; an exception may be
    /// pending afterwards.
    pub(crate) fn call(
        self,
        object: ObjectRef<'_>,
        method: MethodId,
        argument: ObjectRef<'_>,
    ) -> Option<Local> {
        let argument = jvalue {
            l: argument.to_jni(),
        };
        let result = invoke!(self.v1_2.CallObjectMethodA(
            object.to_jni(),
            method.to_jni(),
            &raw const argument
        ));
        Local::adopt(self, result)
    }

    pub(crate) fn long_field(self, object: ObjectRef<'_>, field: FieldId) -> i64 {
        invoke!(self.v1_2.GetLongField(object.to_jni(), field.to_jni()))
    }

    /// Calls a method of an object that gives a long; an exception may be pending afterwards.
    pub(crate) fn call_long(self, object: ObjectRef<'_>, method: MethodId) -> i64 {
        let none: [jvalue; 0] = [];
        invoke!(
            self.v1_2
                .CallLongMethodA(object.to_jni(), method.to_jni(), none.as_ptr())
        )
    }

    pub(crate) fn new_object(
        self,
        class: ObjectRef<'_>,
        constructor: MethodId,
        arguments: &[ObjectRef<'_>],
    ) -> Option<Local> {
        let arguments: Vec<jvalue> = arguments
            .iter()
            .map(|object| jvalue { l: object.to_jni() })
            .collect();
        let object = invoke!(self.v1_2.NewObjectA(
            class.to_jni(),
            constructor.to_jni(),
            arguments.as_ptr()
        ));
        Local::adopt(self, object)
    }

    /// A field of any object.
    pub(crate) fn object_field(self, object: ObjectRef<'_>, field: FieldId) -> Option<Local> {
        Local::adopt(
            self,
            invoke!(self.v1_2.GetObjectField(object.to_jni(), field.to_jni())),
        )
    }

    /// A static field of a class.
    pub(crate) fn static_object(
        self,
        class: ObjectRef<'_>,
        name: &CStr,
        ty: &CStr,
    ) -> Option<Local> {
        let Some(field) = self.static_field(class, name, ty) else {
            drop(self.take_exception());
            return None;
        };
        let field = field.to_jni();
        Local::adopt(
            self,
            invoke!(self.v1_2.GetStaticObjectField(class.to_jni(), field)),
        )
    }

    /// The superclass; `None` for `java.lang.Object` and for interfaces.
    pub(crate) fn superclass(self, class: ObjectRef<'_>) -> Option<Local> {
        Local::adopt(self, invoke!(self.v1_2.GetSuperclass(class.to_jni())))
    }

    /// A new array of this class; `None` (and nothing pending) if there is no room.
    pub(crate) fn new_array(self, length: usize, class: ObjectRef<'_>) -> Option<Local> {
        let length = i32::try_from(length).ok()?;
        let null = std::ptr::null_mut();
        let array = Local::adopt(
            self,
            invoke!(self.v1_2.NewObjectArray(length, class.to_jni(), null)),
        );
        if array.is_none() {
            drop(self.take_exception());
        }
        array
    }

    pub(crate) fn set_element(self, array: ObjectRef<'_>, at: usize, object: ObjectRef<'_>) {
        let at = i32::try_from(at).unwrap_or(-1);
        invoke!(
            self.v1_2
                .SetObjectArrayElement(array.to_jni(), at, object.to_jni())
        );
    }

    /// An object without running a constructor.
    pub(crate) fn allocate(self, class: ObjectRef<'_>) -> Option<Local> {
        Local::adopt(self, invoke!(self.v1_2.AllocObject(class.to_jni())))
    }

    /// The object's class.
    pub(crate) fn class_of(self, object: ObjectRef<'_>) -> Option<Local> {
        Local::adopt(self, invoke!(self.v1_2.GetObjectClass(object.to_jni())))
    }

    /// `java.lang.Object`, from any object.
    pub(crate) fn object_class(self, object: ObjectRef<'_>) -> Option<Local> {
        let mut class = self.class_of(object)?;
        while let Some(above) =
            Local::adopt(self, invoke!(self.v1_2.GetSuperclass(class.get().to_jni())))
        {
            class = above;
        }
        Some(class)
    }

    /// Whether a loader may have defined the class. Of others the VM has objects in its archive of
    /// classes, which can be reached and of which it can be asked nothing but their names: most
    /// are in no module yet. Not to be asked before `JVM_INIT_DONE`, when none is.
    pub(crate) fn may_be_loaded(self, class: ObjectRef<'_>) -> bool {
        Local::adopt(self, invoke!(self.v9.GetModule(class.to_jni()))).is_some()
    }

    /// The element class of an array class: a field of `java.lang.Class` in every
    /// JDK from 9 on, so that no Java code runs.
    pub(crate) fn component(self, array_class: ObjectRef<'_>) -> Option<Local> {
        static FIELD: OnceCell<FieldId> = OnceCell::new();
        let field = match FIELD.get() {
            Some(&known) => known,
            None => {
                // Not by FindClass, which may ask a class loader of the program's; and
                // outside of the cell: nobody may wait for a thread that is in the VM.
                let class = self.class_of(array_class)?;
                let field = self.field(class.get(), c"componentType", c"Ljava/lang/Class;");
                let Some(field) = field else {
                    drop(self.take_exception());
                    return None;
                };
                let _ = FIELD.set(field);
                field
            }
        };
        self.object_field(array_class, field)
    }

    /// A local reference to what any reference names; `None` if that is gone.
    pub(crate) fn local(self, reference: ObjectRef<'_>) -> Option<Local> {
        Local::adopt(self, self.hand_out(reference))
    }

    /// A new local reference for a caller in Java or C, who deletes it; null if it leads nowhere.
    pub(crate) fn hand_out(self, reference: ObjectRef<'_>) -> jobject {
        invoke!(self.v1_2.NewLocalRef(reference.to_jni()))
    }

    /// A `java.lang.String` of any text.
    pub(crate) fn string(self, text: &str) -> Option<Local> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let count = i32::try_from(units.len()).ok()?;
        Local::adopt(self, invoke!(self.v1_2.NewString(units.as_ptr(), count)))
    }

    /// The text of a `java.lang.String`, in modified UTF-8.
    pub(crate) fn text(self, string: ObjectRef<'_>) -> Option<CString> {
        let units = invoke!(self.v1_2.GetStringLength(string.to_jni()));
        if units == 0 {
            // Most virtual threads' names.
            return Some(CString::default());
        }
        let length = invoke!(self.v1_2.GetStringUTFLength(string.to_jni()));
        // The VM writes a zero behind it.
        let mut bytes = vec![0_u8; usize::try_from(length).ok()? + 1];
        let start = bytes.as_mut_ptr().cast();
        invoke!(
            self.v1_2
                .GetStringUTFRegion(string.to_jni(), 0, units, start)
        );
        CString::from_vec_with_nul(bytes).ok()
    }

    pub(crate) fn is_instance(self, object: ObjectRef<'_>, class: ObjectRef<'_>) -> bool {
        invoke!(self.v1_2.IsInstanceOf(object.to_jni(), class.to_jni()))
    }

    pub(crate) fn same(self, one: ObjectRef<'_>, other: ObjectRef<'_>) -> bool {
        invoke!(self.v1_2.IsSameObject(one.to_jni(), other.to_jni()))
    }

    /// The same for one, by modified UTF-8.
    pub(crate) fn register_native(
        self,
        class: ObjectRef<'_>,
        name: &[u8],
        descriptor: &[u8],
        function: *mut std::ffi::c_void,
    ) -> bool {
        let texts = [name, descriptor].map(CString::new);
        let [Ok(name), Ok(signature)] = texts else {
            return false;
        };
        let method = JNINativeMethod {
            name: name.as_ptr().cast_mut(),
            signature: signature.as_ptr().cast_mut(),
            fnPtr: function,
        };
        self.register_natives(class, &[method])
    }

    /// Throws one of this class; false if that fails.
    pub(crate) fn throw_new(self, class: ObjectRef<'_>) -> bool {
        invoke!(self.v1_2.ThrowNew(class.to_jni(), c"".as_ptr())) == 0
    }

    /// Whether an exception is pending.
    #[inline]
    pub(crate) fn has_exception(self) -> bool {
        invoke!(self.v1_2.ExceptionCheck())
    }

    /// Defines a class of a loader (`None`: the boot loader), in the package that its name
    /// says; an exception may be pending afterwards.
    pub(crate) fn define_class(
        self,
        name: &str,
        loader: Option<ObjectRef<'_>>,
        class_file: &[u8],
    ) -> Option<Local> {
        let name = CString::new(name).ok()?;
        let length = i32::try_from(class_file.len()).ok()?;
        let bytes = class_file.as_ptr().cast();
        Local::adopt(
            self,
            invoke!(self.v1_2.DefineClass(
                name.as_ptr(),
                ObjectRef::or_null(loader),
                bytes,
                length
            )),
        )
    }

    /// Calls a static method `()V`; an exception may be pending afterwards.
    pub(crate) fn call_static(self, class: ObjectRef<'_>, name: &CStr) {
        if let Some(method) = self.static_method(class, name, c"()V") {
            invoke!(self.v1_2.CallStaticVoidMethodA(
                class.to_jni(),
                method.to_jni(),
                std::ptr::null()
            ));
        }
    }

    /// Calls a static method of one object that gives nothing; an exception may be pending
    /// afterwards.
    pub(crate) fn call_static_with(
        self,
        class: ObjectRef<'_>,
        (name, signature): (&CStr, &CStr),
        argument: ObjectRef<'_>,
    ) {
        let argument = jvalue {
            l: argument.to_jni(),
        };
        if let Some(method) = self.static_method(class, name, signature) {
            invoke!(self.v1_2.CallStaticVoidMethodA(
                class.to_jni(),
                method.to_jni(),
                &raw const argument
            ));
        }
    }

    /// Tells the VM the functions behind native methods; false if it refuses.
    pub(crate) fn register_natives(
        self,
        class: ObjectRef<'_>,
        methods: &[JNINativeMethod],
    ) -> bool {
        let count = i32::try_from(methods.len()).unwrap_or(0);
        invoke!(
            self.v1_2
                .RegisterNatives(class.to_jni(), methods.as_ptr(), count)
        ) == 0
    }

    /// Takes a pending exception away. (One that is to be given back:
    /// [`crate::vm::hotspot::threads::pending_exception::ExceptionAside`].)
    pub(crate) fn take_exception(self) -> Option<Local> {
        let thrown = Local::adopt(self, invoke!(self.v1_2.ExceptionOccurred()))?;
        invoke!(self.v1_2.ExceptionClear());
        Some(thrown)
    }

    pub(crate) fn rethrow(self, thrown: Option<Local>) {
        if let Some(thrown) = thrown {
            invoke!(self.v1_2.Throw(thrown.get().to_jni()));
        }
    }

    pub(crate) fn array_length(self, array: ObjectRef<'_>) -> i32 {
        invoke!(self.v1_2.GetArrayLength(array.to_jni()))
    }
}
