//! What stands in place of each event.

use super::row::Effort::{Direct, Large, Medium, Missing, Small};
use super::row::{Counterpart, row};
use event_translate::table::EventKind;

/// What stands in place of an event.
#[must_use]
pub const fn of_event(event: EventKind) -> Counterpart {
    use EventKind as E;
    match event {
        E::MethodEntry => row(
            "rewrite the bytecode in ClassFileLoadHook; or MethodEntry",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
                "can_generate_method_entry_events",
            ],
            Large,
            "MethodEntry covers native methods, but HotSpot interprets everything while it is enabled (some hundred times slower; the specification advises against it for profiling), and it comes in the live phase only. Calls of a static method from rewritten code stay compiled. Classes that are older than the agent: RetransformClasses in the live phase, which can add no method. Not to be rewritten: hidden classes, native methods (SetNativeMethodPrefix with can_set_native_method_prefix, or NativeMethodBind with can_generate_native_method_bind_events). Count or sample instead if that answers the question: JFR's jdk.ExecutionSample",
        ),
        E::MethodEntry2 => row(
            "rewrite the bytecode in ClassFileLoadHook, with the receiver as an argument of the hook; or MethodEntry with GetLocalInstance",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
                "can_generate_method_entry_events",
                "can_access_local_variables",
            ],
            Large,
            "as METHOD_ENTRY. GetLocalInstance (JVMTI 1.2) works for native methods as well, not for static ones. Rewritten code may not pass `this` on before super() has been called. can_access_local_variables switches escape analysis off on JDK 11",
        ),
        E::MethodExit => row(
            "rewrite the bytecode in ClassFileLoadHook; or MethodExit",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
                "can_generate_method_exit_events",
            ],
            Large,
            "as METHOD_ENTRY. MethodExit tells whether an exception was the reason (was_popped_by_exception), and else the result. Holding can_generate_method_exit_events alone makes HotSpot throw exceptions some three times slower. Rewritten code needs a handler for everything thrown, with a stack-map frame; constructors cannot be covered before super()",
        ),
        E::ObjectAlloc => row(
            "SampledObjectAlloc (JDK 11), with SetHeapSamplingInterval(0) for every one; SetTag for ids",
            &[
                "can_generate_sampled_object_alloc_events",
                "can_tag_objects",
            ],
            Medium,
            "Enough for most questions, and cheap, with the interval as it is (512 KB on average). A new interval takes effect some allocations later in each thread. What compiled code does not allocate (escape analysis) is not seen. Live phase only: objects that are older by IterateThroughHeap. In HotSpot one agent at a time may hold the capability. No arena. Class and size are arguments, the element class of an array is not. VMObjectAlloc sees only what the VM allocates by itself. JDK 28: value objects come with can_support_value_objects only, as NULL",
        ),
        E::ObjectFree => row(
            "ObjectFree, of objects with a tag (SetTag)",
            &["can_generate_object_free_events", "can_tag_objects"],
            Small,
            "Only the tag is passed, and only of tagged objects (not of value objects). No JNI in the callback, and of JVMTI only raw monitors, memory and GetEnvironmentLocalStorage. From JDK 17 on HotSpot sends it after the collection, on a Java thread, not between GarbageCollectionStart and GarbageCollectionFinish",
        ),
        E::ObjectMove => row(
            "nothing; tags stay with the object",
            &[],
            Missing,
            "Objects have no address for agents any more. What kept a table by address keeps it by tag: the handler goes away",
        ),
        E::CompiledMethodLoad => row(
            "CompiledMethodLoad",
            &["can_generate_compiled_method_load_events"],
            Small,
            "The map is address to bytecode index (NULL if there is none): GetLineNumberTable, with can_get_line_numbers, gives the line. Inlined methods are in compile_info (HotSpot: jvmticmlr.h). GenerateEvents tells of code that is older than the agent, perhaps on another thread; no Java and no JNI while it does. No JNIEnv is passed. From the start phase on",
        ),
        E::CompiledMethodUnload => row(
            "CompiledMethodUnload",
            &["can_generate_compiled_method_load_events"],
            Small,
            "The address is passed as well: use it as key. May be sent later than the unloading, on another thread, when the class is gone: the jmethodID is good for comparing only",
        ),
        E::InstructionStart => row(
            "rewrite the bytecode in ClassFileLoadHook; or SingleStep",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
                "can_generate_single_step_events",
            ],
            Large,
            "SingleStep (live phase only, not in native methods) makes HotSpot interpret everything and does not tell which way a branch goes: that is known at the next step. For coverage: probes in the bytecode, one for each branch",
        ),
        E::ThreadStart => row(
            "ThreadStart, GetThreadInfo, GetThreadGroupInfo",
            &[],
            Small,
            "The jthread is a local reference. The event comes from the start phase on, GetThreadInfo may be called in the live phase only: look older threads up in VMInit, with GetAllThreads. Other events of a thread may come before it; that of the main thread comes after VMInit. Virtual threads have events of their own (VirtualThreadStart, can_support_virtual_threads, JDK 21)",
        ),
        E::ThreadEnd => row(
            "ThreadEnd",
            &[],
            Small,
            "The thread is passed; per-thread data by GetThreadLocalStorage of JVMTI. Nothing comes on a thread after it. Virtual threads: VirtualThreadEnd, with can_support_virtual_threads",
        ),
        E::ClassLoadHook => row(
            "ClassFileLoadHook",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
            ],
            Small,
            "Leave new_class_data alone to change nothing; memory by Allocate. Name (it may be NULL) and loader are passed. With several agents each sees what the one before wrote. Comes again at RedefineClasses and RetransformClasses (class_being_redefined is set): only then is a class that is older than the agent seen, and HotSpot lets it gain no fields or methods. can_retransform_classes must be held before the event is enabled first. Classes before VMInit come in the start phase, when most of JVMTI may not be called. Written classes need stack maps (version 51 and later)",
        ),
        E::HeapDump => row(
            "FollowReferences, IterateThroughHeap; or HotSpotDiagnosticMXBean.dumpHeap",
            &["can_tag_objects"],
            Large,
            "No dump comes out: callbacks tell of references, fields and arrays, one at a time, with tags for ids; no JNI inside, and of JVMTI only what may be called in callbacks. Roots have another set of kinds (JVMTI_HEAP_REFERENCE_JNI_GLOBAL and so on). Field indices count those of superclasses and interfaces, too. IterateThroughHeap visits unreachable objects as well. If the dump itself is wanted, the JDK writes one in HPROF's format (jcmd GC.heap_dump)",
        ),
        E::JniGlobalrefAlloc | E::JniWeakGlobalrefAlloc => row(
            "SetJNIFunctionTable: a wrapper around NewGlobalRef or NewWeakGlobalRef",
            &[],
            Medium,
            "From the start phase on (GetJNIFunctionTable gives a copy to change). The wrapper sees native code only, not the VM's own references. Other agents wrap the same functions: keep what was in the table and call it",
        ),
        E::JniGlobalrefFree | E::JniWeakGlobalrefFree => row(
            "SetJNIFunctionTable: a wrapper around DeleteGlobalRef or DeleteWeakGlobalRef",
            &[],
            Medium,
            "as for the allocation; the event must come before the reference is deleted, or another thread may have it",
        ),
        E::ClassLoad => row(
            "ClassPrepare; GetClassSignature, GetSourceFileName, GetImplementedInterfaces, GetClassMethods with GetMethodName, GetClassFields with GetFieldName, GetLineNumberTable",
            &["can_get_source_file_name", "can_get_line_numbers"],
            Small,
            "ClassLoad comes before there are members. Names are signatures (Ljava/lang/String;), not java.lang.String. The event has none of the members: ask for what is needed. Fields come in the order of the class file, methods only with can_maintain_original_method_order. Arrays have no event, and classes may be older than the agent: GetLoadedClasses in VMInit (classes that are not prepared yet answer JVMTI_ERROR_CLASS_NOT_PREPARED). The signature of a hidden class (JDK 15) has a suffix after a `.` and is no descriptor",
        ),
        E::ClassUnload => row(
            "ObjectFree of the Class object, which has a tag (SetTag)",
            &["can_tag_objects", "can_generate_object_free_events"],
            Small,
            "JVMTI has no such event (HotSpot has an extension, GetExtensionEvents): tag the class when it is prepared. No JNI in the callback. jmethodIDs of the class are invalid from then on",
        ),
        E::DataDumpRequest => row(
            "DataDumpRequest",
            &[],
            Direct,
            "No thread and no JNIEnv are passed. HotSpot sends it on a thread of its own and prints its thread dump as well. Live phase only",
        ),
        E::DataResetRequest => row(
            "nothing; an own command (a socket, jcmd JVMTI.agent_load with options)",
            &[],
            Missing,
            "The same signal meant both",
        ),
        E::JvmInitDone => row(
            "VMInit",
            &[],
            Direct,
            "Other events may come before it. From VMStart on JNI works, most of JVMTI only from VMInit on",
        ),
        E::JvmShutDown => row(
            "VMDeath",
            &[],
            Direct,
            "Other threads go on while it is handled: their events may still come. Afterwards only Agent_OnUnload is called",
        ),
        E::ArenaNew | E::ArenaDelete => row(
            "nothing; MemoryPoolMXBean",
            &[],
            Missing,
            "Arenas were never sent by the hosts most agents ran on (everything lived in arena 1): usually the handler can go",
        ),
        E::ObjectDump => row(
            "GetClassFields, then JNI's Get<Type>Field and Get<Type>ArrayRegion; or IterateThroughHeap with JVMTI_HEAP_FILTER_UNTAGGED",
            &["can_tag_objects"],
            Medium,
            "The object is a reference, not an id: GetObjectsWithTags finds it, in HotSpot in time proportional to all tags. Fields of superclasses are asked for class by class. The filter spares callbacks, not the walk over the whole heap",
        ),
        E::RawMonitorContendedEnter
        | E::RawMonitorContendedEntered
        | E::RawMonitorContendedExit => row(
            "nothing; measure around RawMonitorEnter",
            &[],
            Missing,
            "These tell of the agent's own locks: a wrapper of its own around RawMonitorEnter tells the same",
        ),
        E::MonitorContendedEnter => row(
            "MonitorContendedEnter; or JFR's jdk.JavaMonitorEnter",
            &["can_generate_monitor_events"],
            Small,
            "Thread and object are local references; JNI is allowed. JFR's event has the time waited, with a threshold. Live phase only",
        ),
        E::MonitorContendedEntered => row(
            "MonitorContendedEntered; or JFR's jdk.JavaMonitorEnter",
            &["can_generate_monitor_events"],
            Small,
            "as MONITOR_CONTENDED_ENTER",
        ),
        E::MonitorContendedExit => row(
            "nothing; GetObjectMonitorUsage when somebody enters",
            &["can_generate_monitor_events", "can_get_monitor_info"],
            Medium,
            "The owner does not learn that others waited. Who holds it is to be asked when MonitorContendedEnter comes. Virtual threads are reported neither as owners nor as waiters (JDK 21)",
        ),
        E::MonitorWait => row(
            "MonitorWait; or JFR's jdk.JavaMonitorWait",
            &["can_generate_monitor_events"],
            Small,
            "The timeout is passed, in milliseconds. Not for Thread.sleep: JFR has jdk.ThreadSleep, and jdk.ThreadPark for java.util.concurrent",
        ),
        E::MonitorWaited => row(
            "MonitorWaited; or JFR's jdk.JavaMonitorWait",
            &["can_generate_monitor_events"],
            Small,
            "Tells whether the time ran out, not how long it was: measure. Not for Thread.sleep",
        ),
        E::MonitorDump => row(
            "GetAllStackTraces, GetOwnedMonitorStackDepthInfo, GetCurrentContendedMonitor, GetObjectMonitorUsage; or ThreadMXBean.dumpAllThreads",
            &[
                "can_get_owned_monitor_stack_depth_info",
                "can_get_current_contended_monitor",
                "can_get_monitor_info",
            ],
            Medium,
            "GetAllStackTraces gives all stacks and states of one moment, without suspending; monitors are asked for thread by thread, so they are of other moments unless the threads are suspended (can_suspend). Monitors that nobody owns or waits for cannot be listed, nor raw monitors. Virtual threads are left out",
        ),
        E::GcStart => row(
            "GarbageCollectionStart; or JFR's jdk.GarbageCollection",
            &["can_generate_garbage_collection_events"],
            Medium,
            "Sent while the VM stands still: no JNI, and of JVMTI only raw monitors, memory and GetEnvironmentLocalStorage; a raw monitor that a stopped thread may hold is a deadlock. Only pauses: concurrent work is not told, and some collectors may send nothing. Locks that agents took here until GC_FINISH, to keep others out, are not needed: all others stand still",
        ),
        E::GcFinish => row(
            "GarbageCollectionFinish; heap sizes from MemoryMXBean or jdk.GCHeapSummary",
            &["can_generate_garbage_collection_events"],
            Medium,
            "as GC_START. The three numbers are not passed; counting objects takes IterateThroughHeap. Notify a raw monitor and work on a thread of the agent's own (RunAgentThread), as the specification says. Objects may be reported free later (see OBJECT_FREE)",
        ),
    }
}
