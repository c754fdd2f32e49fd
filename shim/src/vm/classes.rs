//! What the VM tells of classes, and of their methods and fields; retransforming them.
#![allow(unsafe_code, reason = "the JVMTI function table")]

use std::ffi::c_char;
use std::ptr;

use jvmpi_headers::jvmti as sys;

use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::vm::jni::Jni;
use crate::vm::member_ids::{FieldId, MethodId};
use crate::vm::memory::{Array, Text};
use crate::vm::method_ids_twice;
use crate::vm::refs::{Local, ObjectRef};

/// Access flags (JVMS tables 4.5-A and 4.6-A).
pub(crate) const ACC_STATIC: i32 = 0x8;
pub(crate) const ACC_SYNCHRONIZED: i32 = 0x20;
pub(crate) const ACC_NATIVE: i32 = 0x100;

impl Jvmti {
    /// Calls `body` with each loaded class; it keeps no local reference that it makes.
    pub(crate) fn each_loaded_class(
        self,
        jni: Jni,
        mut body: impl FnMut(ObjectRef<'_>),
    ) -> Result<()> {
        // The VM returns a local reference per class; none of them is left when an
        // agent's handler runs. It gives no room for more than this.
        const ROOM: usize = 65536;
        jni.with_frame(ROOM, || {
            let (mut count, mut classes) = (0, ptr::null_mut());
            invoke!(self.GetLoadedClasses(&raw mut count, &raw mut classes))?;
            let classes = Array::new(self, classes, count);
            for class in classes.as_slice() {
                // SAFETY: it lives as long as the frame.
                if let Some(class) = unsafe { ObjectRef::lent(class) } {
                    body(class);
                }
            }
            Ok(())
        })
    }

    pub(crate) fn class_status(self, class: ObjectRef<'_>) -> Result<i32> {
        let mut status = 0;
        invoke!(self.GetClassStatus(class.to_jni(), &raw mut status))?;
        Ok(status)
    }

    pub(crate) fn class_signature(self, class: ObjectRef<'_>) -> Result<Text> {
        let mut signature = ptr::null_mut();
        invoke!(self.GetClassSignature(class.to_jni(), &raw mut signature, ptr::null_mut()))?;
        Text::new(self, signature).ok_or(JvmtiError {
            call: "GetClassSignature",
            code: NOT_AVAILABLE,
        })
    }

    pub(crate) fn source_file(self, class: ObjectRef<'_>) -> Option<Text> {
        let mut name = ptr::null_mut();
        invoke!(self.GetSourceFileName(class.to_jni(), &raw mut name)).ok()?;
        Text::new(self, name)
    }

    /// The interfaces the class names itself.
    pub(crate) fn interfaces(self, jni: Jni, class: ObjectRef<'_>) -> Result<Vec<Local>> {
        let (mut count, mut interfaces) = (0, ptr::null_mut());
        invoke!(self.GetImplementedInterfaces(
            class.to_jni(),
            &raw mut count,
            &raw mut interfaces
        ))?;
        Ok(Local::adopt_all(jni, &Array::new(self, interfaces, count)))
    }

    pub(crate) fn methods(self, class: ObjectRef<'_>) -> Result<Array<MethodId>> {
        /// The ids of one that another thread redefines may be none ([`method_ids_twice`]).
        const TIMES: usize = 4;
        let mut methods = self.methods_once(class)?;
        if self.feature_version() < method_ids_twice::RIGHT_SINCE {
            for _ in 1..TIMES {
                let again = self.methods_once(class)?;
                let are_same = again.as_slice() == methods.as_slice();
                methods = again;
                if are_same {
                    break;
                }
            }
        }
        Ok(methods)
    }

    fn methods_once(self, class: ObjectRef<'_>) -> Result<Array<MethodId>> {
        let (mut count, mut methods) = (0, ptr::null_mut());
        invoke!(self.GetClassMethods(class.to_jni(), &raw mut count, &raw mut methods))?;
        Ok(Array::new(self, methods.cast(), count))
    }

    pub(crate) fn fields(self, class: ObjectRef<'_>) -> Result<Array<FieldId>> {
        let (mut count, mut fields) = (0, ptr::null_mut());
        invoke!(self.GetClassFields(class.to_jni(), &raw mut count, &raw mut fields))?;
        Ok(Array::new(self, fields.cast(), count))
    }

    pub(crate) fn method_name(self, method: MethodId) -> Result<(Text, Text)> {
        let (mut name, mut signature) = (ptr::null_mut(), ptr::null_mut());
        invoke!(self.GetMethodName(
            method.to_jni(),
            &raw mut name,
            &raw mut signature,
            ptr::null_mut()
        ))?;
        self.both("GetMethodName", name, signature)
    }

    pub(crate) fn field_name(self, class: ObjectRef<'_>, field: FieldId) -> Result<(Text, Text)> {
        let (mut name, mut signature) = (ptr::null_mut(), ptr::null_mut());
        invoke!(self.GetFieldName(
            class.to_jni(),
            field.to_jni(),
            &raw mut name,
            &raw mut signature,
            ptr::null_mut()
        ))?;
        self.both("GetFieldName", name, signature)
    }

    /// Name and signature of a member, as that call has given them.
    fn both(
        self,
        call: &'static str,
        name: *mut c_char,
        signature: *mut c_char,
    ) -> Result<(Text, Text)> {
        let code = NOT_AVAILABLE;
        let name = Text::new(self, name);
        name.zip(Text::new(self, signature))
            .ok_or(JvmtiError { call, code })
    }

    pub(crate) fn field_is_static(self, class: ObjectRef<'_>, field: FieldId) -> Result<bool> {
        let mut modifiers = 0;
        invoke!(self.GetFieldModifiers(class.to_jni(), field.to_jni(), &raw mut modifiers))?;
        Ok(modifiers & ACC_STATIC != 0)
    }

    /// (bytecode index, source line) pairs, unsorted; an error for native and
    /// abstract methods and for classes without line numbers.
    pub(crate) fn line_numbers(self, method: MethodId) -> Result<Array<sys::jvmtiLineNumberEntry>> {
        let (mut count, mut lines) = (0, ptr::null_mut());
        invoke!(self.GetLineNumberTable(method.to_jni(), &raw mut count, &raw mut lines))?;
        Ok(Array::new(self, lines, count))
    }

    pub(crate) fn method_is_obsolete(self, method: MethodId) -> Result<bool> {
        let mut obsolete = 0;
        invoke!(self.IsMethodObsolete(method.to_jni(), &raw mut obsolete))?;
        Ok(obsolete != 0)
    }

    /// The class that declares the method.
    pub(crate) fn declaring_class(self, jni: Jni, method: MethodId) -> Result<Local> {
        let mut class = ptr::null_mut();
        invoke!(self.GetMethodDeclaringClass(method.to_jni(), &raw mut class))?;
        Local::adopt(jni, class).ok_or(JvmtiError {
            call: "GetMethodDeclaringClass",
            code: NOT_AVAILABLE,
        })
    }

    /// The class's loader; `None` for the boot loader.
    pub(crate) fn class_loader(self, jni: Jni, class: ObjectRef<'_>) -> Option<Local> {
        let mut loader = ptr::null_mut();
        invoke!(self.GetClassLoader(class.to_jni(), &raw mut loader)).ok()?;
        Local::adopt(jni, loader)
    }

    /// The signature of the class that declares the method.
    pub(crate) fn declaring_class_signature(self, method: MethodId) -> Option<Text> {
        // A thread in the VM's start phase may call JNI.
        let jni = Jni::of_this_thread()?;
        let class = self.declaring_class(jni, method).ok()?;
        self.class_signature(class.get()).ok()
    }

    /// Its access flags.
    pub(crate) fn method_modifiers(self, method: MethodId) -> Option<i32> {
        let mut modifiers = 0;
        invoke!(self.GetMethodModifiers(method.to_jni(), &raw mut modifiers)).ok()?;
        Some(modifiers)
    }

    pub(crate) fn method_is_native(self, method: MethodId) -> Option<bool> {
        Some(self.method_modifiers(method)? & ACC_NATIVE != 0)
    }

    pub(crate) fn method_is_static(self, method: MethodId) -> Option<bool> {
        Some(self.method_modifiers(method)? & ACC_STATIC != 0)
    }

    pub(crate) fn is_modifiable(self, class: ObjectRef<'_>) -> bool {
        let mut answer = 0;
        invoke!(self.IsModifiableClass(class.to_jni(), &raw mut answer)).is_ok() && answer != 0
    }

    /// Of no class, to see who is called.
    pub(crate) fn redefine_none(self) -> Result<()> {
        invoke!(self.RedefineClasses(0, ptr::null()))
    }

    pub(crate) fn retransform(self, classes: &[ObjectRef<'_>]) -> Result<()> {
        let count = i32::try_from(classes.len()).unwrap_or(0);
        invoke!(self.RetransformClasses(count, classes.as_ptr().cast()))
    }
}
