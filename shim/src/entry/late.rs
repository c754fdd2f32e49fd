//! Starting without Agent_OnLoad.
//!
//! A library named only by -Xrun is called before JVMTI exists (JVMTI facts 1).
//! So GetEnv is in place at once, and the rest, the agent that we have to start
//! ourselves among it, waits for the first JNI call that the launcher's main thread makes in the live phase,
//! still before `main` (JVMTI facts 17).

use jvmpi_headers::jni::JavaVM;
use jvmpi_headers::jvmti::JVMTI_PHASE_LIVE;

use crate::entry::environment;
use crate::events::vm_life::lifecycle;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::jni::wrappers;
use crate::vm::this_vm;

/// Whether the VM is far enough for [`start`].
pub(crate) fn is_time(vm: *mut JavaVM) -> bool {
    // Before that phase the VM gives out no environment.
    Jvmti::create(vm).is_some_and(|probe| {
        let phase = probe.phase();
        probe.dispose();
        phase == Ok(JVMTI_PHASE_LIVE)
    })
}

/// Starts in the live phase: VMInit has gone by, so what it does is done here.
pub(crate) fn start(vm: *mut JavaVM) -> bool {
    if !environment::create(vm) {
        return false;
    }
    let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) else {
        return false;
    };
    let Some(thread) = jvmti.current_thread(jni) else {
        return false;
    };
    wrappers::keep_vms_own(jvmti);
    lifecycle::vm_ready(jvmti, jni, thread.get());
    true
}
