//! Our JVMTI environment, with its callbacks and the events that are always on.

use jvmpi_headers::jni::JavaVM;
use jvmpi_headers::jvmti as sys;

use crate::base::log;
use crate::entry::vm_callbacks;
use crate::vm::capabilities;
use crate::vm::env::Jvmti;
use crate::vm::this_vm;

/// The events that are always on. None of them is frequent.
const ALWAYS: [u32; 6] = [
    sys::JVMTI_EVENT_VM_START,
    sys::JVMTI_EVENT_VM_INIT,
    sys::JVMTI_EVENT_VM_DEATH,
    sys::JVMTI_EVENT_THREAD_START,
    sys::JVMTI_EVENT_THREAD_END,
    sys::JVMTI_EVENT_NATIVE_METHOD_BIND,
];

/// Makes our JVMTI environment and switches on what must be on; false, after one
/// line, if the VM refuses.
pub(crate) fn create(vm: *mut JavaVM) -> bool {
    if this_vm::jvmti().is_some() {
        // Named twice on the command line: the first one counts.
        return true;
    }
    let Some(jvmti) = Jvmti::create(vm) else {
        log::warning!(
            "this VM offers no JVMTI 1.2: JVMPI cannot be provided (JDK 11 or later is needed)"
        );
        return false;
    };
    capabilities::claim(jvmti);
    // Callbacks do nothing until it is known.
    this_vm::set_jvmti(Some(jvmti));
    let begun = vm_callbacks::install(jvmti).and_then(|()| {
        ALWAYS
            .iter()
            .try_for_each(|&event| jvmti.set_event(event, true))
    });
    if let Err(error) = begun {
        log::warning!("{error}: JVMPI cannot be provided");
        this_vm::set_jvmti(None);
        jvmti.dispose();
        return false;
    }
    true
}
