//! One call of the agent's, by the table that any agent has.
//!
//! # Safety
//! The functions of our own table, with arguments of their types; what the agent made up they
//! answer as they answer any agent.
#![allow(unsafe_code, reason = "the functions of a C table")]

use std::ffi::CString;
use std::ptr;

use event_translate::Function;
use jvmpi_headers::jni::{JNI_ERR, JNI_OK, jint, jlong};
use jvmpi_headers::jvmpi::*;
use recording_format::Value::{Id, Int, List};
use recording_format::{GET_ENV, Value};
use shim_options::CpuTime;

use crate::agent::event_values;
use crate::agent::table::{self, NotifyBeside};
use crate::base::config;
use crate::bridge::thin::{self, Here, Look};
use crate::delivery::system_thread::Handed;
use crate::events::vm_life::abandoned;
use crate::model::tables::MONITORS;
use crate::model::thread::{Thread, current};
use crate::vm::{java_vm, this_vm};

/// Call traces are no deeper.
const DEEPEST: usize = 1 << 16;

fn interface() -> &'static JVMPI_Interface {
    // SAFETY: static for ever; only NotifyEvent changes, which nobody reads here.
    unsafe { &*table::interface(JVMPI_VERSION_1) }
}

fn pointer<T>(id: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(usize::try_from(id).unwrap_or(0))
}

fn id<T>(pointer: *mut T) -> Value<'static> {
    Id(pointer.expose_provenance() as u64)
}

/// Arguments by their places.
struct Arguments<'a>(&'a [Value<'a>]);

impl Arguments<'_> {
    fn long(&self, place: usize) -> i64 {
        self.0.get(place).and_then(Value::int).unwrap_or(0)
    }

    fn int(&self, place: usize) -> jint {
        jint::try_from(self.long(place)).unwrap_or(0)
    }

    fn raw(&self, place: usize) -> u64 {
        self.0.get(place).and_then(Value::id).unwrap_or(0)
    }

    fn pointer<T>(&self, place: usize) -> *mut T {
        pointer(self.raw(place))
    }

    fn text(&self, place: usize) -> Option<CString> {
        CString::new(self.0.get(place)?.bytes()?).ok()
    }
}

/// Calls the table's function with this name.
macro_rules! table_call {
    ($name:ident($($argument:expr),*)) => {
        // SAFETY: see the module documentation.
        interface().$name.map(|function| unsafe { function($($argument),*) })
    };
}

/// What the VM gets in the place of the agent's functions.
pub(super) struct Ours {
    pub(super) notify: NotifyBeside,
    pub(super) system_thread: SystemThreadFunction,
}

/// What a thread has used of the processor in both processes, as GetCurrentThreadCpuTime gives it.
///
/// The thread over there is a carrier's, and what it used for a virtual thread is not known.
fn with_there(nanos: jlong, there: u64) -> jlong {
    let options = config::options();
    if options.cpu_time == CpuTime::Wall || current::with_own(Thread::is_virtual) == Some(true) {
        return nanos;
    }
    let both = nanos.saturating_add_unsigned(there);
    if options.host.row().clock_in_ms {
        both - both % 1_000_000
    } else {
        both
    }
}

/// The call in this slot, of a thread that has used so many nanoseconds of the processor over there; `None` if it
/// comes to nothing.
pub(super) fn call(
    slot: i32,
    there: u64,
    arguments: &[Value<'_>],
    ours: &Ours,
) -> Option<Vec<Value<'static>>> {
    let slot = u8::try_from(slot).ok()?;
    let given = Arguments(arguments);
    if slot == GET_ENV {
        let (code, said) = match get_env(given.int(0)) {
            Ok(version) => {
                table::set_notify_beside(ours.notify);
                (JNI_OK, version)
            }
            Err(code) => (code, 0),
        };
        return Some(vec![Int(code.into()), Int(said.into())]);
    }
    let nothing = |_: ()| Vec::new();
    let one = |code: jint| vec![Int(code.into())];
    match Function::from_slot(slot)? {
        Function::EnableEvent => table_call!(EnableEvent(given.int(0), ptr::null_mut())).map(one),
        Function::DisableEvent => table_call!(DisableEvent(given.int(0), ptr::null_mut())).map(one),
        Function::RequestEvent => Some(one(request(&given))),
        Function::GetCallTrace => call_trace(&given),
        Function::ProfilerExit => table_call!(ProfilerExit(given.int(0))).map(nothing),
        Function::RawMonitorCreate => {
            let name = given.text(0)?;
            let monitor = table_call!(RawMonitorCreate(name.as_ptr().cast_mut()))?;
            thin::open(monitor.addr() as u64);
            Some(vec![id(monitor)])
        }
        Function::RawMonitorEnter => {
            let _here = Here::begin(given.raw(0));
            table_call!(RawMonitorEnter(given.pointer(0))).map(nothing)
        }
        Function::RawMonitorExit => {
            let _here = Here::begin(given.raw(0));
            table_call!(RawMonitorExit(given.pointer(0))).map(nothing)
        }
        Function::RawMonitorWait => {
            let _here = Here::begin(given.raw(0));
            table_call!(RawMonitorWait(given.pointer(0), given.long(1))).map(nothing)
        }
        Function::RawMonitorNotifyAll => {
            let _here = Here::begin(given.raw(0));
            table_call!(RawMonitorNotifyAll(given.pointer(0))).map(nothing)
        }
        Function::RawMonitorDestroy => {
            let _here = Here::begin(given.raw(0));
            table_call!(RawMonitorDestroy(given.pointer(0))).map(nothing)
        }
        Function::GetCurrentThreadCpuTime => {
            table_call!(GetCurrentThreadCpuTime()).map(|nanos| vec![Int(with_there(nanos, there))])
        }
        Function::SuspendThread => {
            let done = table_call!(SuspendThread(given.pointer(0)));
            undo_of_dead();
            done.map(nothing)
        }
        Function::ResumeThread => table_call!(ResumeThread(given.pointer(0))).map(nothing),
        Function::GetThreadStatus => table_call!(GetThreadStatus(given.pointer(0))).map(one),
        Function::ThreadHasRun => {
            table_call!(ThreadHasRun(given.pointer(0))).map(|run| one(run.into()))
        }
        Function::CreateSystemThread => {
            let name = given.text(0);
            let name = name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
            // By the number the other process finds its function.
            let _number = Handed::begin(usize::try_from(given.raw(2)).unwrap_or(0));
            // Numbers begin at 1: no function is as none in one process.
            let function = (given.raw(2) != 0).then_some(ours.system_thread);
            table_call!(CreateSystemThread(name.cast_mut(), given.int(1), function)).map(one)
        }
        Function::SetThreadLocalStorage => {
            table_call!(SetThreadLocalStorage(given.pointer(0), given.pointer(1))).map(nothing)
        }
        Function::GetThreadLocalStorage => {
            table_call!(GetThreadLocalStorage(given.pointer(0))).map(|value| vec![id(value)])
        }
        Function::DisableGC => {
            let done = table_call!(DisableGC());
            undo_of_dead();
            done.map(nothing)
        }
        Function::EnableGC => table_call!(EnableGC()).map(nothing),
        Function::RunGC => table_call!(RunGC()).map(nothing),
        Function::GetThreadObject => {
            table_call!(GetThreadObject(given.pointer(0))).map(|object| vec![id(object)])
        }
        Function::GetMethodClass => {
            table_call!(GetMethodClass(given.pointer(0))).map(|class| vec![id(class)])
        }
        Function::JobjectIdToJobject => {
            table_call!(jobjectID2jobject(given.pointer(0))).map(|reference| vec![id(reference)])
        }
        Function::JobjectToJobjectId => {
            table_call!(jobject2jobjectID(given.pointer(0))).map(|object| vec![id(object)])
        }
        Function::SuspendThreadList => {
            let answer = list(&given, interface().SuspendThreadList);
            undo_of_dead();
            answer
        }
        Function::ResumeThreadList => list(&given, interface().ResumeThreadList),
    }
}

/// Asks GetEnv as an agent in this process would; what the table says of its version, or JNI's code.
fn get_env(version: jint) -> Result<jint, jint> {
    let vm = java_vm::get().ok_or(JNI_ERR)?;
    java_vm::ask_as_agent(vm, version)?;
    Ok(table::version())
}

/// The level of a heap dump, if it could be read over there, comes as a number; an argument that was not NULL and says
/// none comes with one that is none, for its address means something else here.
fn request(given: &Arguments<'_>) -> jint {
    let event = given.int(0);
    let _look = (event == JVMPI_EVENT_MONITOR_DUMP).then(Look::begin);
    let mut level = JVMPI_HeapDumpArg {
        heap_dump_level: given.int(2),
    };
    let is_said = level.heap_dump_level >= 0 || given.raw(1) != 0;
    let argument = if event == JVMPI_EVENT_HEAP_DUMP && is_said {
        (&raw mut level).cast()
    } else {
        given.pointer(1)
    };
    table_call!(RequestEvent(event, argument)).unwrap_or(JVMPI_FAIL)
}

fn call_trace(given: &Arguments<'_>) -> Option<Vec<Value<'static>>> {
    let depth = usize::try_from(given.int(1)).unwrap_or(0).min(DEEPEST);
    let none = JVMPI_CallFrame {
        lineno: 0,
        method_id: ptr::null_mut(),
    };
    let mut frames = vec![none; depth];
    let mut trace = JVMPI_CallTrace {
        env_id: given.pointer(0),
        num_frames: 0,
        frames: frames.as_mut_ptr(),
    };
    let depth = jint::try_from(depth).ok()?;
    table_call!(GetCallTrace(&raw mut trace, depth))?;
    let count = trace.num_frames.clamp(0, depth);
    // SAFETY: our own frames, at most as many as there are.
    let frames = unsafe { event_values::frames(trace.frames, count) };
    Some(vec![Int(trace.num_frames.into()), frames])
}

type ForList = unsafe extern "C" fn(jint, *mut *mut jvmpi_headers::jni::JNIEnv, *mut jint);

fn list(given: &Arguments<'_>, function: Option<ForList>) -> Option<Vec<Value<'static>>> {
    let rows = given.0.first().map(Value::rows).unwrap_or_default();
    let mut envs: Vec<_> = rows.iter().map(|row| Arguments(row).pointer(0)).collect();
    let mut codes = vec![JVMPI_FAIL; envs.len()];
    let count = jint::try_from(envs.len()).ok()?;
    // SAFETY: as many codes as envs.
    unsafe { function?(count, envs.as_mut_ptr(), codes.as_mut_ptr()) };
    let rows = codes.into_iter().map(|code| vec![Int(code.into())]);
    Some(vec![List(rows.collect())])
}

/// The agent is gone, and with it whoever would leave its raw monitors, or notify them: nobody waits for one any more.
/// On a thread that no agent can have suspended.
pub(super) fn agent_died() {
    abandoned::agent_died();
    for monitor in MONITORS.snapshot() {
        MONITORS.destroy(monitor.id, current::key());
    }
    java_vm::while_attached(undo_of_dead);
}

/// What was done for an agent that has died meanwhile.
fn undo_of_dead() {
    if let Some(jvmti) = this_vm::jvmti() {
        abandoned::undo(jvmti);
    }
}
