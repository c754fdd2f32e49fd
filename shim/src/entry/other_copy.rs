//! Another copy of ours in the VM: `libjvmpi.so` from somewhere else, or a library that has us and
//! an agent in it. Two would take classes, threads and the agent's calls from each other.

use jvmpi_headers::jni::JavaVM;
use jvmpi_headers::xrun_ext::XRUN_EXT_VERSION_1;

use crate::base::{life, log};
use crate::os::library;
use crate::vm::java_vm;

/// Whether one is there, which stays; then this one does nothing, and says so in one line.
pub(crate) fn is_there(vm: *mut JavaVM) -> bool {
    if java_vm::is_installed() || life::number() > 0 {
        // Who answers is ourselves, or an earlier life of ours.
        return false;
    }
    let Some(answer) = java_vm::ask(vm, XRUN_EXT_VERSION_1) else {
        return false;
    };
    let other = library::path_of(answer.addr().get()).unwrap_or_default();
    log::warning!(
        "JVMPI knows one agent per VM, and {} is there already: {} does nothing; start the program with one of the two",
        other.display(),
        library::own_path().unwrap_or_default().display(),
    );
    true
}
