//! What each function of JVMPI takes in a skeleton.

use super::parts::Part;
use crate::counterparts::of_function;
use event_translate::table::Function;

/// The parts that what stands for it rests on.
pub(super) const fn parts_of(function: Function) -> &'static [Part] {
    use Function as F;
    match function {
        F::RawMonitorCreate
        | F::RawMonitorEnter
        | F::RawMonitorExit
        | F::RawMonitorWait
        | F::RawMonitorNotifyAll
        | F::RawMonitorDestroy
        | F::CreateSystemThread => &[Part::Monitors],
        F::SetThreadLocalStorage | F::GetThreadLocalStorage | F::ThreadHasRun => &[Part::Storage],
        F::JobjectToJobjectId => &[Part::Ids],
        F::EnableEvent
        | F::DisableEvent
        | F::RequestEvent
        | F::GetCallTrace
        | F::ProfilerExit
        | F::GetCurrentThreadCpuTime
        | F::SuspendThread
        | F::ResumeThread
        | F::SuspendThreadList
        | F::ResumeThreadList
        | F::GetThreadStatus
        | F::DisableGC
        | F::EnableGC
        | F::RunGC
        | F::GetThreadObject
        | F::GetMethodClass
        | F::JobjectIdToJobject => &[],
    }
}

/// The capabilities that what stands for it takes.
pub(super) const fn capabilities_of(function: Function) -> &'static [&'static str] {
    // What it is asked for has them.
    if matches!(function, Function::RequestEvent) {
        return &[];
    }
    of_function(function).capabilities
}

/// Whether there is nothing for it.
pub(super) fn is_gap(function: Function) -> bool {
    [Function::DisableGC, Function::EnableGC].contains(&function)
}
