//! Stubs in front of all JNI functions, while an agent is checked.
#![allow(unsafe_code, reason = "the JNI table")]

use agent_check::jni_functions;
use jvmpi_headers::jni::JNINativeInterface_;

use crate::observe::check::tripwires;
use crate::observe::check::wires::Wire;
use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};

/// Puts the stubs in place. They stay.
///
/// # Phase
/// Start or live.
pub(super) fn install(jvmti: Jvmti) -> Result<()> {
    let mut table: *mut JNINativeInterface_ = std::ptr::null_mut();
    invoke!(jvmti.GetJNIFunctionTable((&raw mut table).cast()))?;
    if table.is_null() {
        return Ok(());
    }
    let slots = table.cast::<usize>();
    for slot in jni_functions::SLOTS {
        // SAFETY: the VM's copy for us, which has these slots from JDK 6 on.
        let slot_in_table = unsafe { &mut *slots.wrapping_add(slot) };
        if let Some(stub) = tripwires::lay(Wire::Jni(slot), *slot_in_table) {
            *slot_in_table = stub.expose_provenance();
        }
    }
    let done = invoke!(jvmti.SetJNIFunctionTable(table.cast_const().cast()));
    jvmti.deallocate(table.cast());
    done
}
