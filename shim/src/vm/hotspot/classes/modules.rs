//! Modules, for classes of agents that know of none.
//!
//! JVMTI's own AddModuleReads takes no "all unnamed modules", calls Java code, which an agent
//! may have changed, and can fail for want of stack. What that code ends in is a function of
//! libjvm (`Module.addReads0`, exported on every JDK from 9 on): it takes one lock of the VM
//! and sets a flag, and no Java code can see it.
#![allow(unsafe_code, reason = "a function of libjvm found by name")]

use std::ffi::{CStr, CString};
use std::ptr;

use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::vm::hotspot::found::{AddReads, HOTSPOT, SOMETHING_ELSE, Why, function};
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

pub(in crate::vm::hotspot) fn find(jni: Jni) -> std::result::Result<AddReads, Why> {
    let function = function!(c"JVM_AddReadsModule" as AddReads)?;
    let refuses = !add_reads(jni, function, None);
    if refuses {
        Ok(function)
    } else {
        Err(SOMETHING_ELSE)
    }
}

/// Lets a class (`java/lang/Object`) of this loader (`None`: the boot loader), loaded or about
/// to be, call classes of all unnamed modules, the loader's own among them: its module reads
/// them from now on. False if the VM refuses; true also if the class is in no named module.
/// To be told twice costs next to nothing.
///
/// # Phase
/// Live: the VM knows no module of a name before.
pub(crate) fn read_unnamed(
    jvmti: Jvmti,
    jni: Jni,
    loader: Option<ObjectRef<'_>>,
    class: &[u8],
) -> bool {
    let Some(end) = class.iter().rposition(|&byte| byte == b'/') else {
        return true;
    };
    let Ok(package) = CString::new(class.split_at(end).0) else {
        return false;
    };
    match jvmti.named_module(jni, loader, &package) {
        Ok(Some(module)) => read_all_unnamed(jni, module.get()),
        Ok(None) => true,
        Err(_) => false,
    }
}

fn read_all_unnamed(jni: Jni, module: ObjectRef<'_>) -> bool {
    let Some(&function) = HOTSPOT.module_reads.get() else {
        return false;
    };
    let pending = jni.take_exception();
    let done = add_reads(jni, function, Some(module));
    jni.rethrow(pending);
    done
}

/// False if the VM refuses, which it does by an exception.
fn add_reads(jni: Jni, function: AddReads, module: Option<ObjectRef<'_>>) -> bool {
    // SAFETY: a live module or null, on its env's own thread, in native state; null in its place
    // behind that is all unnamed ones.
    unsafe { function(jni.env(), ObjectRef::or_null(module), ptr::null_mut()) };
    jni.take_exception().is_none()
}

impl Jvmti {
    /// The named module in which this loader's classes of a package (`java/lang`) are.
    pub(super) fn named_module(
        self,
        jni: Jni,
        loader: Option<ObjectRef<'_>>,
        package: &CStr,
    ) -> Result<Option<Local>> {
        let mut module = ptr::null_mut();
        invoke!(self.GetNamedModule(
            ObjectRef::or_null(loader),
            package.as_ptr(),
            &raw mut module
        ))?;
        Ok(Local::adopt(jni, module))
    }
}
