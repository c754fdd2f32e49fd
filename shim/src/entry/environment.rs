//! Our JVMTI environment, with its callbacks and the events that are always on.

use event_translate::needs::{On, VmEvent};
use jvmpi_headers::jni::JavaVM;

use crate::base::log;
use crate::entry::vm_callbacks;
use crate::os::children;
use crate::vm::capabilities;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::finding;
use crate::vm::this_vm;

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
    finding::at_load(vm, jvmti);
    // Callbacks do nothing until it is known.
    this_vm::set_jvmti(Some(jvmti));
    if !children::at_fork(in_child) {
        log::warning!(
            "no memory: in children that the agent forks JVMPI's functions may wait for ever"
        );
    }
    let begun = vm_callbacks::install(jvmti).and_then(|()| {
        let mut always = VmEvent::ALL.iter().filter(|event| event.on() == On::Always);
        always.try_for_each(|&event| jvmti.set_event(event, true))
    });
    if let Err(error) = begun {
        log::warning!("{error}: JVMPI cannot be provided");
        this_vm::set_jvmti(None);
        jvmti.dispose();
        return false;
    }
    true
}

/// A child that is forked has the VM's memory and not its threads: what the agent calls there, in its exit handlers
/// say, finds a VM that has ended.
extern "C" fn in_child() {
    this_vm::begin_child();
}
