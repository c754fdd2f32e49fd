//! JVMTI's numbers of the VM's events.

use event_translate::needs::VmEvent;
use jvmpi_headers::jvmti as sys;

pub(crate) const fn number(event: VmEvent) -> u32 {
    match event {
        VmEvent::VMStart => sys::JVMTI_EVENT_VM_START,
        VmEvent::VMInit => sys::JVMTI_EVENT_VM_INIT,
        VmEvent::VMDeath => sys::JVMTI_EVENT_VM_DEATH,
        VmEvent::ThreadStart => sys::JVMTI_EVENT_THREAD_START,
        VmEvent::ThreadEnd => sys::JVMTI_EVENT_THREAD_END,
        VmEvent::VirtualThreadStart => sys::JVMTI_EVENT_VIRTUAL_THREAD_START,
        VmEvent::VirtualThreadEnd => sys::JVMTI_EVENT_VIRTUAL_THREAD_END,
        VmEvent::NativeMethodBind => sys::JVMTI_EVENT_NATIVE_METHOD_BIND,
        VmEvent::ClassLoad => sys::JVMTI_EVENT_CLASS_LOAD,
        VmEvent::ClassPrepare => sys::JVMTI_EVENT_CLASS_PREPARE,
        VmEvent::ClassFileLoadHook => sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
        VmEvent::MethodEntry => sys::JVMTI_EVENT_METHOD_ENTRY,
        VmEvent::MethodExit => sys::JVMTI_EVENT_METHOD_EXIT,
        VmEvent::CompiledMethodLoad => sys::JVMTI_EVENT_COMPILED_METHOD_LOAD,
        VmEvent::CompiledMethodUnload => sys::JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
        VmEvent::MonitorContendedEnter => sys::JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
        VmEvent::MonitorContendedEntered => sys::JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
        VmEvent::MonitorWait => sys::JVMTI_EVENT_MONITOR_WAIT,
        VmEvent::MonitorWaited => sys::JVMTI_EVENT_MONITOR_WAITED,
        VmEvent::DataDumpRequest => sys::JVMTI_EVENT_DATA_DUMP_REQUEST,
        VmEvent::SampledObjectAlloc => sys::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
        VmEvent::VMObjectAlloc => sys::JVMTI_EVENT_VM_OBJECT_ALLOC,
        VmEvent::ObjectFree => sys::JVMTI_EVENT_OBJECT_FREE,
        VmEvent::GarbageCollectionStart => sys::JVMTI_EVENT_GARBAGE_COLLECTION_START,
        VmEvent::GarbageCollectionFinish => sys::JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
    }
}
