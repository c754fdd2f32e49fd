//! Looks up what is in [`super::found`], in two steps: what can be known when our environment is
//! made, and what only a thread in the live phase can try.

use std::sync::atomic::Ordering;

use jvmpi_headers::jni::JavaVM;

use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::{class_loaders, link, modules, redefinition, signers};
use crate::vm::hotspot::found::HOTSPOT;
use crate::vm::hotspot::frame_layout::FrameLayout;
use crate::vm::hotspot::heap::vm_counters;
use crate::vm::hotspot::stacks::{async_walk, last_frame};
use crate::vm::hotspot::threads::{os_thread, pending_exception, sleep, thread_env, thread_state};
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::hotspot::{flags, halt, structures, vm_monitors};
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// The first step; before anything here is used.
pub(crate) fn at_load(vm: *mut JavaVM, jvmti: Jvmti) {
    // Relaxed: at load, when there is one thread.
    HOTSPOT
        .jdk
        .store(jvmti.feature_version(), Ordering::Relaxed);
    HOTSPOT.structures.find(structures::find);
    HOTSPOT.redefinition.find(|| redefinition::find(vm, jvmti));
    HOTSPOT.halt.find(halt::find);
    HOTSPOT.sleep.find(sleep::find);
    HOTSPOT.signal_stacks.find(async_walk::find);
    HOTSPOT.parallel_loaders.find(|| Ok(()));
    HOTSPOT.built_in_loaders.find(|| Ok(()));
}

/// The second; the calling thread is `thread`, no exception is pending, and no agent hears what
/// is done here. Makes a few objects and an exception; no code of the program's runs.
///
/// # Phase
/// Live.
pub(crate) fn in_live_phase(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    thread_env::learn(jni, thread);
    HOTSPOT.thread_number.find(|| os_thread::find(jni));
    HOTSPOT.thread_state.find(|| thread_state::find(jni));
    HOTSPOT.contended_monitor.find(vm_monitors::find);
    HOTSPOT.own_stacks.find(last_frame::find);
    HOTSPOT.flags.find(flags::find);
    HOTSPOT.collections.find(vm_counters::find_collections);
    HOTSPOT.heap_space.find(vm_counters::find_heap_space);
    HOTSPOT.holds_lock.find(|| vm_monitors::find_holds(jni));
    let Some(root) = jni.object_class(thread) else {
        return;
    };
    let root = root.get();
    HOTSPOT
        .boot_loader
        .find(|| class_loaders::find_boot_loader(jni, root));
    HOTSPOT
        .resolve
        .find(|| class_loaders::find_resolve(jni, root));
    let error = || class_loaders::of_boot_loader(jni, c"java/lang/Error");
    HOTSPOT
        .pending_exception
        .find(|| pending_exception::find(jni, error));
    HOTSPOT.module_reads.find(|| modules::find(jni));
    HOTSPOT.own_frames.find(|| FrameLayout::find(jni, root));
    HOTSPOT.signers.find(|| signers::find(jni, root));
    if jvmti.feature_version() >= mounts::FIRST_JDK {
        HOTSPOT.mounts.find(|| mounts::find(jvmti, jni, thread));
    }
}

/// Whether nobody has looked for what only an agent needs ([`for_an_agent`]).
pub(crate) fn owes_to_agents() -> bool {
    !HOTSPOT.link.was_looked_for()
}

/// What only an agent of JVMPI needs: it initialises `java.lang.reflect.Constructor`, of which an agent of JVMTI that we
/// merely record would be told. As [`in_live_phase`], and behind it.
pub(crate) fn for_an_agent(jni: Jni, any: ObjectRef<'_>) {
    if let Some(root) = jni.object_class(any) {
        HOTSPOT.link.find(|| link::find(jni, root.get()));
    }
}
