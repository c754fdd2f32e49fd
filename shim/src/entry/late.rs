//! Starting without Agent_OnLoad.
//!
//! A library named only by -Xrun is called before JVMTI exists (JVMTI facts 1).
//! So GetEnv is in place at once, and the rest, the agent that we have to start
//! ourselves among it, waits for the first JNI call that the launcher's main thread makes in the live phase,
//! still before `main` (JVMTI facts 17).

use jvmpi_headers::jni::JavaVM;

use crate::base::log;
use crate::entry::{environment, launcher_thread};
use crate::events::vm_life::lifecycle;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::this_vm;

/// Arranges for [`start`] to run before `main`. True if it will, or need not.
pub(crate) fn arrange(vm: *mut JavaVM) -> bool {
    if this_vm::jvmti().is_some() {
        // -agentpath named us too: VMInit does everything.
        return true;
    }
    if is_time(vm) {
        // JDK 8 calls -Xrun libraries late enough.
        return start(vm);
    }
    let Some(jni) = Jni::of_this_thread() else {
        log::warning!("JVM_OnLoad: no JNI on this thread; JVMPI cannot be provided");
        return false;
    };
    launcher_thread::watch(jni);
    true
}

/// Whether the VM is far enough for [`start`].
pub(crate) fn is_time(vm: *mut JavaVM) -> bool {
    const LIVE: u32 = 4;
    // Before that phase the VM gives out no environment.
    Jvmti::create(vm).is_some_and(|probe| {
        let phase = probe.phase();
        probe.dispose();
        phase == Ok(LIVE)
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
    lifecycle::vm_ready(jvmti, jni, thread.get());
    true
}
