//! The events of JVMTI that a skeleton may take.

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    /// Its place among the callbacks.
    pub(super) name: &'static str,
    /// Its number.
    pub(super) constant: &'static str,
    /// What it takes.
    pub(super) capabilities: &'static [&'static str],
}

macro_rules! events {
    ($($name:ident = $callback:literal, $constant:literal, $capabilities:expr;)+) => {
        $(pub(super) const $name: Event = Event {
            name: $callback, constant: concat!("JVMTI_EVENT_", $constant), capabilities: &$capabilities,
        };)+
    };
}

events! {
    VM_START = "VMStart", "VM_START", [];
    VM_INIT = "VMInit", "VM_INIT", [];
    VM_DEATH = "VMDeath", "VM_DEATH", [];
    THREAD_START = "ThreadStart", "THREAD_START", [];
    THREAD_END = "ThreadEnd", "THREAD_END", [];
    CLASS_PREPARE = "ClassPrepare", "CLASS_PREPARE", [];
    CLASS_FILE_LOAD_HOOK = "ClassFileLoadHook", "CLASS_FILE_LOAD_HOOK",
        ["can_generate_all_class_hook_events", "can_retransform_classes"];
    METHOD_ENTRY = "MethodEntry", "METHOD_ENTRY", ["can_generate_method_entry_events"];
    METHOD_EXIT = "MethodExit", "METHOD_EXIT", ["can_generate_method_exit_events"];
    SINGLE_STEP = "SingleStep", "SINGLE_STEP", ["can_generate_single_step_events"];
    COMPILED_METHOD_LOAD = "CompiledMethodLoad", "COMPILED_METHOD_LOAD",
        ["can_generate_compiled_method_load_events"];
    COMPILED_METHOD_UNLOAD = "CompiledMethodUnload", "COMPILED_METHOD_UNLOAD",
        ["can_generate_compiled_method_load_events"];
    SAMPLED_OBJECT_ALLOC = "SampledObjectAlloc", "SAMPLED_OBJECT_ALLOC",
        ["can_generate_sampled_object_alloc_events"];
    VM_OBJECT_ALLOC = "VMObjectAlloc", "VM_OBJECT_ALLOC", ["can_generate_vm_object_alloc_events"];
    OBJECT_FREE = "ObjectFree", "OBJECT_FREE", ["can_generate_object_free_events"];
    MONITOR_CONTENDED_ENTER = "MonitorContendedEnter", "MONITOR_CONTENDED_ENTER",
        ["can_generate_monitor_events"];
    MONITOR_CONTENDED_ENTERED = "MonitorContendedEntered", "MONITOR_CONTENDED_ENTERED",
        ["can_generate_monitor_events"];
    MONITOR_WAIT = "MonitorWait", "MONITOR_WAIT", ["can_generate_monitor_events"];
    MONITOR_WAITED = "MonitorWaited", "MONITOR_WAITED", ["can_generate_monitor_events"];
    GARBAGE_COLLECTION_START = "GarbageCollectionStart", "GARBAGE_COLLECTION_START",
        ["can_generate_garbage_collection_events"];
    GARBAGE_COLLECTION_FINISH = "GarbageCollectionFinish", "GARBAGE_COLLECTION_FINISH",
        ["can_generate_garbage_collection_events"];
    DATA_DUMP_REQUEST = "DataDumpRequest", "DATA_DUMP_REQUEST", [];
}

impl Event {
    /// Whether it is enabled in Agent_OnLoad; the others are in VMInit, when most of JVMTI may be
    /// called. Births come from VMInit on, if they are enabled before there are threads.
    pub(super) fn is_early(self) -> bool {
        [
            VM_START,
            VM_INIT,
            VM_DEATH,
            SAMPLED_OBJECT_ALLOC,
            VM_OBJECT_ALLOC,
        ]
        .contains(&self)
    }
}
