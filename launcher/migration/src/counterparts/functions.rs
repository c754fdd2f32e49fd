//! What stands in place of each function.

use super::row::Effort::{Direct, Medium, Small};
use super::row::{Counterpart, row};
use event_translate::table::Function;

/// What stands in place of a function.
#[must_use]
pub const fn of_function(function: Function) -> Counterpart {
    use Function as F;
    match function {
        F::EnableEvent | F::DisableEvent => row(
            "SetEventNotificationMode",
            &[],
            Small,
            "The handler of each event is a function of its own (SetEventCallbacks). The event's capability must have been added first (AddCapabilities), for several only in Agent_OnLoad. Most events can be limited to one thread. OnLoad and live phase only",
        ),
        F::RequestEvent => row(
            "nothing of the kind: ask directly (GetClassSignature, GetThreadInfo, GetObjectSize, FollowReferences)",
            &["can_tag_objects"],
            Medium,
            "What was an id is a reference or a tag. Turn each handler of a requested event into a function that asks. GenerateEvents knows only CompiledMethodLoad and DynamicCodeGenerated",
        ),
        F::GetCallTrace => row(
            "GetStackTrace; GetLineNumberTable",
            &["can_get_line_numbers"],
            Small,
            "Frames have bytecode indices, -1 for native methods; a method without a table answers JVMTI_ERROR_ABSENT_INFORMATION. Live phase only. Any thread, suspended or not; HotSpot takes the stack at a safepoint, so samplers see safepoints, not where time goes. AsyncGetCallTrace (not a standard) and JFR's jdk.ExecutionSample do not have this fault",
        ),
        F::ProfilerExit => row(
            "exit(3), or System.exit by JNI",
            &[],
            Small,
            "Ending the program from an agent is bad manners: in Agent_OnLoad return JNI_ERR instead",
        ),
        F::RawMonitorCreate => row(
            "CreateRawMonitor",
            &[],
            Direct,
            "OnLoad and live phase only, not between them",
        ),
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
            "JVMTI_ERROR_INTERRUPT is new: the wait may end by Thread.interrupt. 0 waits without end, as it did; who is not inside gets JVMTI_ERROR_NOT_MONITOR_OWNER",
        ),
        F::RawMonitorNotifyAll => row(
            "RawMonitorNotifyAll",
            &[],
            Direct,
            "RawMonitorNotify is there as well",
        ),
        F::RawMonitorDestroy => row(
            "DestroyRawMonitor",
            &[],
            Direct,
            "The caller may own it; if another thread does it stays, and JVMTI_ERROR_NOT_MONITOR_OWNER is the answer. OnLoad and live phase only",
        ),
        F::GetCurrentThreadCpuTime => row(
            "GetCurrentThreadCpuTime",
            &["can_get_current_thread_cpu_time"],
            Direct,
            "From the start phase on. A VM need not answer for virtual threads (JVMTI_ERROR_UNSUPPORTED_OPERATION). Agents that measured contention by it had a host whose clock was the one on the wall: GetTime",
        ),
        F::SuspendThread => row(
            "SuspendThread",
            &["can_suspend"],
            Small,
            "A jthread instead of a JNIEnv. JVMTI_ERROR_THREAD_SUSPENDED for the second time. A thread that suspends itself stays in the call. GC need not be disabled, and cannot be. To sample, GetThreadListStackTraces needs no suspension. Live phase only",
        ),
        F::ResumeThread => row(
            "ResumeThread",
            &["can_suspend"],
            Small,
            "A jthread instead of a JNIEnv. JVMTI_ERROR_THREAD_NOT_SUSPENDED if it was not",
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
            "Bits instead of numbers: JVMTI_THREAD_STATE_RUNNABLE, JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, JVMTI_THREAD_STATE_WAITING with its kinds, JVMTI_THREAD_STATE_SUSPENDED, JVMTI_THREAD_STATE_INTERRUPTED; JVMTI_JAVA_LANG_THREAD_STATE_MASK gives that of java.lang.Thread. A thread in native code is runnable, also when it waits there. Live phase only",
        ),
        F::ThreadHasRun => row(
            "GetThreadCpuTime, compared with the time before",
            &["can_get_thread_cpu_time"],
            Small,
            "There is no such question; threads in native code have run, too. A VM need not answer for virtual threads. Live phase only",
        ),
        F::CreateSystemThread => row(
            "RunAgentThread",
            &[],
            Small,
            "The java.lang.Thread is the agent's to make (JNI: FindClass, NewObject), not started. It becomes a daemon, outside of its thread group. The function gets jvmtiEnv, JNIEnv and an argument. Live phase only",
        ),
        F::SetThreadLocalStorage => row(
            "SetThreadLocalStorage",
            &[],
            Small,
            "A jthread, NULL for the current thread, instead of a JNIEnv. From the start phase on",
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
            "Callbacks of the collection come on other threads; deaths may come after it has returned (see OBJECT_FREE). Live phase only",
        ),
        F::GetThreadObject => row(
            "GetCurrentThread, or the jthread that the event passes",
            &[],
            Small,
            "Threads are named by jthread throughout; nothing maps a JNIEnv of another thread. From the start phase on",
        ),
        F::GetMethodClass => row(
            "GetMethodDeclaringClass",
            &[],
            Small,
            "A local reference; its tag is the class's id. From the start phase on",
        ),
        F::JobjectIdToJobject => row(
            "GetObjectsWithTags",
            &["can_tag_objects"],
            Medium,
            "In HotSpot in time proportional to the number of all tags; better to keep a weak global reference. Live phase only",
        ),
        F::JobjectToJobjectId => row(
            "GetTag, SetTag",
            &["can_tag_objects"],
            Small,
            "0 until a tag is set; other agents have tags of their own. From the start phase on",
        ),
    }
}
