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
    let name = jvmti.system_property(c"java.vm.name");
    let name = name.map(|name| name.as_c_str().to_string_lossy().into_owned());
    if let Some(what) = trouble(jvmti.feature_version(), name.as_deref()) {
        log::warning!(
            "{what}: JVMPI cannot be provided (a HotSpot VM of JDK 11 or later is needed)"
        );
        jvmti.dispose();
        return false;
    }
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

/// Why a VM of this version and name is none for us. 0: it does not tell its version.
fn trouble(version: i32, name: Option<&str>) -> Option<String> {
    const FIRST: i32 = 11;
    // 8 and earlier tell of JVMTI's own version, 1.
    if (1..FIRST).contains(&version) {
        return Some("this VM is older than JDK 11".to_owned());
    }
    let name = name.filter(|name| name.contains("J9"))?;
    Some(format!("this VM is {name}"))
}

/// A child that is forked has the VM's memory and not its threads: what the agent calls there, in its exit handlers
/// say, finds a VM that has ended.
extern "C" fn in_child() {
    this_vm::begin_child();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vms_that_are_none_for_us() {
        for (version, name) in [
            (1, "OpenJDK 64-Bit Server VM"),
            (10, "OpenJDK 64-Bit Server VM"),
            (17, "Eclipse OpenJ9 VM"),
            (11, "IBM J9 VM"),
        ] {
            assert!(trouble(version, Some(name)).is_some(), "{version} {name}");
        }
        for (version, name) in [
            (11, Some("OpenJDK 64-Bit Server VM")),
            (25, Some("Java HotSpot(TM) 64-Bit Server VM")),
            (21, Some("Zulu 64-Bit Server VM")),
            (27, None),
            (0, None),
        ] {
            assert_eq!(trouble(version, name), None, "{version} {name:?}");
        }
    }
}
