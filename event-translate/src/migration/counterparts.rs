//! What JVMTI (or JFR, or JNI) has in place of each event and function of JVMPI.
//!
//! Names and capabilities are those of the JVM Tool Interface, version 11 to 28; where
//! a version matters the row names it.

use self::Effort::{Direct, Large, Medium, Missing, Small};
use crate::table::{EventKind, Function};

/// How much work a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// Another name.
    Direct,
    /// Other arguments, a look-up more: lines.
    Small,
    /// Another way to the same result: a module.
    Medium,
    /// The agent's design has to change.
    Large,
    /// It cannot be had.
    Missing,
}

impl Effort {
    /// The word in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Direct => "none",
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::Missing => "no counterpart",
        }
    }

    /// What it weighs in the rating.
    #[must_use]
    pub const fn weight(self) -> u32 {
        match self {
            Self::Direct => 0,
            Self::Small => 1,
            Self::Medium => 3,
            Self::Large => 8,
            Self::Missing => 5,
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// What to use now.
    pub instead: &'static str,
    /// JVMTI capabilities it takes.
    pub capabilities: &'static [&'static str],
    /// What is different, and what goes wrong if nobody thinks of it.
    pub differences: &'static str,
    /// How much work it is.
    pub effort: Effort,
}

const fn row(
    instead: &'static str,
    capabilities: &'static [&'static str],
    effort: Effort,
    differences: &'static str,
) -> Counterpart {
    Counterpart {
        instead,
        capabilities,
        differences,
        effort,
    }
}

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
            "MethodEntry makes the VM interpret everything (some hundred times slower): fit for tests only. Calls of a static method from rewritten code stay compiled. Not to be rewritten: hidden classes, native methods (SetNativeMethodPrefix or NativeMethodBind). Count or sample instead if that answers the question: JFR's jdk.ExecutionSample",
        ),
        E::MethodEntry2 => row(
            "as METHOD_ENTRY; the receiver by GetLocalInstance or as an argument of the hook",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
                "can_access_local_variables",
            ],
            Large,
            "as METHOD_ENTRY. `this` may not be passed on before super() has been called. can_access_local_variables switches escape analysis off on JDK 11",
        ),
        E::MethodExit => row(
            "rewrite the bytecode in ClassFileLoadHook; or MethodExit",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
                "can_generate_method_exit_events",
            ],
            Large,
            "as METHOD_ENTRY. MethodExit tells whether an exception was the reason, and the result. Holding can_generate_method_exit_events alone slows exceptions. A handler for everything thrown costs a stack-map frame; constructors cannot be covered before super()",
        ),
        E::ObjectAlloc => row(
            "SampledObjectAlloc, with SetHeapSamplingInterval(0) for every one; tags as ids",
            &[
                "can_generate_sampled_object_alloc_events",
                "can_tag_objects",
            ],
            Medium,
            "Enough for most questions, and cheap, with the interval as it is. One agent at a time may hold the capability. Id: SetTag. No arena. Class and size are arguments, the element class of an array is not. VMObjectAlloc sees only what the VM allocates by itself. JDK 28 passes NULL for value objects",
        ),
        E::ObjectFree => row(
            "ObjectFree",
            &["can_generate_object_free_events", "can_tag_objects"],
            Small,
            "Only the tag is passed, and only of tagged objects; no JNI and almost no JVMTI in the callback. From JDK 17 on it comes after the collection, on a Java thread, and not between GarbageCollectionStart and Finish",
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
            "The map is address to bytecode index: GetLineNumberTable gives the line. Inlined methods are in compile_info. GenerateEvents tells of code that is older than the agent. May come on any thread",
        ),
        E::CompiledMethodUnload => row(
            "CompiledMethodUnload",
            &["can_generate_compiled_method_load_events"],
            Small,
            "The address is passed as well. Sent later than the unloading, when the jmethodID's class may be gone: use the address as key",
        ),
        E::InstructionStart => row(
            "rewrite the bytecode in ClassFileLoadHook; or SingleStep",
            &[
                "can_generate_all_class_hook_events",
                "can_generate_single_step_events",
            ],
            Large,
            "SingleStep interprets everything and does not tell which way a branch goes. For coverage: probes in the bytecode, one for each branch",
        ),
        E::ThreadStart => row(
            "ThreadStart, GetThreadInfo, GetThreadGroupInfo",
            &[],
            Small,
            "The jthread is a local reference. Threads that are older than the agent: GetAllThreads in VMInit. Virtual threads have events of their own (VirtualThreadStart, can_support_virtual_threads, JDK 21)",
        ),
        E::ThreadEnd => row(
            "ThreadEnd",
            &[],
            Small,
            "The thread is passed; per-thread data by Get/SetThreadLocalStorage of JVMTI. Virtual threads: VirtualThreadEnd",
        ),
        E::ClassLoadHook => row(
            "ClassFileLoadHook",
            &[
                "can_generate_all_class_hook_events",
                "can_retransform_classes",
            ],
            Small,
            "Leave new_class_data alone to change nothing; memory by Allocate. Name and loader are passed. Comes again at redefinition (class_being_redefined). What adds fields or methods works only before the class is defined. Written classes need stack maps (version 50 and later)",
        ),
        E::HeapDump => row(
            "FollowReferences and IterateThroughHeap; or HotSpotDiagnosticMXBean.dumpHeap",
            &["can_tag_objects"],
            Large,
            "No dump comes out: callbacks tell of references, fields and arrays, one at a time, with tags for ids; no JNI inside. Roots have another set of kinds. If the dump itself is wanted, the JDK writes one in HPROF's format (jcmd GC.heap_dump)",
        ),
        E::JniGlobalrefAlloc | E::JniWeakGlobalrefAlloc => row(
            "SetJNIFunctionTable: a wrapper around NewGlobalRef or NewWeakGlobalRef",
            &[],
            Medium,
            "The wrapper sees native code only, not the VM's own references. Other agents wrap the same functions: keep what was in the table and call it",
        ),
        E::JniGlobalrefFree | E::JniWeakGlobalrefFree => row(
            "SetJNIFunctionTable: a wrapper around DeleteGlobalRef or DeleteWeakGlobalRef",
            &[],
            Medium,
            "as for the allocation; the event must come before the reference is deleted, or another thread may have it",
        ),
        E::ClassLoad => row(
            "ClassPrepare; GetClassSignature, GetSourceFileName, GetClassMethods, GetClassFields, GetLineNumberTable",
            &["can_get_source_file_name", "can_get_line_numbers"],
            Small,
            "ClassLoad comes before there are members. Names are signatures (Ljava/lang/String;), not java.lang.String. The event has none of the members: ask for what is needed. Classes that are older than the agent, and arrays: GetLoadedClasses in VMInit. Hidden classes (JDK 15) have a `/` or `.` in their names that is no package",
        ),
        E::ClassUnload => row(
            "ObjectFree of the tagged Class object",
            &["can_tag_objects", "can_generate_object_free_events"],
            Small,
            "There is no event: tag the class when it is prepared. jmethodIDs of the class are invalid from then on",
        ),
        E::DataDumpRequest => row(
            "DataDumpRequest",
            &[],
            Direct,
            "On a thread of the VM's; the VM prints its thread dump as well",
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
            "VMStart comes earlier; JNI works there, most of JVMTI does not",
        ),
        E::JvmShutDown => row(
            "VMDeath",
            &[],
            Direct,
            "Other threads go on while it is handled: their events still come. No event after it, but Agent_OnUnload",
        ),
        E::ArenaNew | E::ArenaDelete => row(
            "nothing; MemoryPoolMXBean",
            &[],
            Missing,
            "Arenas were never sent by the hosts most agents ran on (everything lived in arena 1): usually the handler can go",
        ),
        E::ObjectDump => row(
            "JNI's Get<Type>Field and Get<Type>ArrayRegion; or IterateThroughHeap with a filter",
            &["can_tag_objects"],
            Medium,
            "The object is a reference, not an id: GetObjectsWithTags finds it, in time proportional to the tags",
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
            "Thread and object are references; JNI is allowed. JFR's event has the time waited, with a threshold",
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
            "The owner does not learn that others waited. Who holds it is to be asked when MonitorContendedEnter comes. Virtual threads are not reported as owners (JDK 21)",
        ),
        E::MonitorWait => row(
            "MonitorWait; or JFR's jdk.JavaMonitorWait",
            &["can_generate_monitor_events"],
            Small,
            "Not for Thread.sleep: JFR has jdk.ThreadSleep, and jdk.ThreadPark for java.util.concurrent",
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
            "To be put together thread by thread, so not of one moment unless they are suspended. Raw monitors are not listed",
        ),
        E::GcStart => row(
            "GarbageCollectionStart; or JFR's jdk.GarbageCollection",
            &["can_generate_garbage_collection_events"],
            Medium,
            "Sent while the VM stands still: no JNI, no locks that a Java thread may hold, a raw monitor at most. Only pauses: concurrent phases are not told. Locks cannot be kept until the end, there is no thread for it",
        ),
        E::GcFinish => row(
            "GarbageCollectionFinish; heap sizes from MemoryMXBean or jdk.GCHeapSummary",
            &["can_generate_garbage_collection_events"],
            Medium,
            "as GC_START. The three numbers are not passed; counting objects takes a walk over the heap. Notify a thread of the agent's own and work there",
        ),
    }
}

/// What stands in place of a function.
#[must_use]
pub const fn of_function(function: Function) -> Counterpart {
    use Function as F;
    match function {
        F::EnableEvent | F::DisableEvent => row(
            "SetEventNotificationMode",
            &[],
            Small,
            "The handler of each event is a function of its own (SetEventCallbacks). The event's capability must have been added first (AddCapabilities), for several only in Agent_OnLoad. Can be limited to one thread",
        ),
        F::RequestEvent => row(
            "nothing of the kind: ask directly (GetClassSignature, GetThreadInfo, GetObjectSize, heap functions)",
            &["can_tag_objects"],
            Medium,
            "What was an id is a reference or a tag. Turn each handler of a requested event into a function that asks. GenerateEvents knows only compiled code and DynamicCodeGenerated",
        ),
        F::GetCallTrace => row(
            "GetStackTrace; GetLineNumberTable",
            &["can_get_line_numbers"],
            Small,
            "Frames have bytecode indices, -1 for native methods. Any thread, suspended or not, at a safepoint: samplers see safepoints, not where time goes. AsyncGetCallTrace (not a standard) or JFR's jdk.ExecutionSample do not",
        ),
        F::ProfilerExit => row(
            "exit(3), or System.exit by JNI",
            &[],
            Small,
            "Ending the program from an agent is bad manners: in Agent_OnLoad return JNI_ERR instead",
        ),
        F::RawMonitorCreate => row("CreateRawMonitor", &[], Direct, "Phase OnLoad or live"),
        F::RawMonitorEnter => row(
            "RawMonitorEnter",
            &[],
            Direct,
            "Not in callbacks of a collection if a Java thread may hold it",
        ),
        F::RawMonitorExit => row(
            "RawMonitorExit",
            &[],
            Direct,
            "JVMTI_ERROR_NOT_MONITOR_OWNER instead of silence",
        ),
        F::RawMonitorWait => row(
            "RawMonitorWait",
            &[],
            Direct,
            "JVMTI_ERROR_INTERRUPT is new: the wait may end by Thread.interrupt",
        ),
        F::RawMonitorNotifyAll => row(
            "RawMonitorNotifyAll",
            &[],
            Direct,
            "RawMonitorNotify is there as well",
        ),
        F::RawMonitorDestroy => row("DestroyRawMonitor", &[], Direct, "The caller may own it"),
        F::GetCurrentThreadCpuTime => row(
            "GetCurrentThreadCpuTime",
            &["can_get_current_thread_cpu_time"],
            Direct,
            "Not for virtual threads (JVMTI_ERROR_UNSUPPORTED_OPERATION). Agents that measured contention by it had a host whose clock was the one on the wall: GetTime",
        ),
        F::SuspendThread => row(
            "SuspendThread",
            &["can_suspend"],
            Small,
            "A jthread instead of a JNIEnv. JVMTI_ERROR_THREAD_SUSPENDED for the second time. GC need not be disabled, and cannot be. To sample, GetThreadListStackTraces needs no suspension",
        ),
        F::ResumeThread => row(
            "ResumeThread",
            &["can_suspend"],
            Small,
            "A jthread instead of a JNIEnv",
        ),
        F::SuspendThreadList => row(
            "SuspendThreadList",
            &["can_suspend"],
            Small,
            "jthreads; results are JVMTI errors, 0 for success",
        ),
        F::ResumeThreadList => row(
            "ResumeThreadList",
            &["can_suspend"],
            Small,
            "jthreads; results are JVMTI errors, 0 for success",
        ),
        F::GetThreadStatus => row(
            "GetThreadState",
            &[],
            Small,
            "Bits instead of numbers: RUNNABLE, BLOCKED_ON_MONITOR_ENTER, WAITING with its kinds, SUSPENDED, INTERRUPTED; masks for java.lang.Thread.State",
        ),
        F::ThreadHasRun => row(
            "GetThreadCpuTime, compared with the time before",
            &["can_get_thread_cpu_time"],
            Small,
            "There is no such question; threads in native code have run, too",
        ),
        F::CreateSystemThread => row(
            "RunAgentThread",
            &[],
            Small,
            "The java.lang.Thread is the agent's to make (JNI: FindClass, NewObject). The function gets jvmtiEnv and JNIEnv. Live phase only",
        ),
        F::SetThreadLocalStorage => row(
            "SetThreadLocalStorage",
            &[],
            Small,
            "A jthread, NULL for the current thread, instead of a JNIEnv",
        ),
        F::GetThreadLocalStorage => row(
            "GetThreadLocalStorage",
            &[],
            Small,
            "as SetThreadLocalStorage; __thread of C is faster for the own thread",
        ),
        F::DisableGC | F::EnableGC => row(
            "nothing: references keep objects alive",
            &[],
            Small,
            "The pair goes away: a local or global reference, or a tag, stays valid. Do not look for a replacement (GetPrimitiveArrayCritical is none)",
        ),
        F::RunGC => row(
            "ForceGarbageCollection",
            &[],
            Direct,
            "Callbacks of the collection come on other threads; deaths may come later (see OBJECT_FREE)",
        ),
        F::GetThreadObject => row(
            "GetCurrentThread, or the jthread that the event passes",
            &[],
            Small,
            "Threads are named by jthread throughout; nothing maps a JNIEnv of another thread",
        ),
        F::GetMethodClass => row(
            "GetMethodDeclaringClass",
            &[],
            Small,
            "A local reference; its tag is the class's id",
        ),
        F::JobjectIdToJobject => row(
            "GetObjectsWithTags",
            &["can_tag_objects"],
            Medium,
            "In time proportional to the number of tags; better to keep a weak global reference",
        ),
        F::JobjectToJobjectId => row(
            "GetTag, SetTag",
            &["can_tag_objects"],
            Small,
            "0 until a tag is set",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{EVENTS, FUNCTIONS};

    #[test]
    fn rows_say_enough() {
        let events = EVENTS.iter().map(|row| of_event(row.kind));
        let functions = FUNCTIONS.iter().map(|row| of_function(row.function));
        for row in events.chain(functions) {
            assert!(row.instead.len() > 5 && !row.differences.contains('|'));
            assert!(
                row.effort == Direct || row.differences.len() > 15,
                "{}",
                row.instead
            );
            assert!(row.capabilities.iter().all(|name| name.starts_with("can_")));
        }
    }
}
