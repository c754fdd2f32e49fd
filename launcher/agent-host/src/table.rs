//! The `JVMPI_Interface`: each function asks the host.
//!
//! # Safety
//! Called by agents, with what the specification has for each function.
#![allow(unsafe_code, reason = "a table of C functions")]

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use event_translate::EventKind;
use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JNIEnv, jint, jlong, jmethodID, jobject};
use jvmpi_headers::jvmpi::*;
use parking_lot::{Mutex, MutexGuard};
use recording_format::{GET_ENV, Value};

use crate::asking::{ask, id, int, number, of, of_env, text};
use crate::host::{Host, host, lock};
use crate::memory::readable;
use crate::ours::Ours;
use crate::storage;
use crate::values::frames;

struct Table(UnsafeCell<JVMPI_Interface>);

// SAFETY: its two changing words are accessed as atomics.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new(JVMPI_Interface {
    version: JVMPI_VERSION_1,
    NotifyEvent: None,
    EnableEvent: Some(enable_event),
    DisableEvent: Some(disable_event),
    RequestEvent: Some(request_event),
    GetCallTrace: Some(get_call_trace),
    ProfilerExit: Some(profiler_exit),
    RawMonitorCreate: Some(raw_monitor_create),
    RawMonitorEnter: Some(raw_monitor_enter),
    RawMonitorExit: Some(raw_monitor_exit),
    RawMonitorWait: Some(raw_monitor_wait),
    RawMonitorNotifyAll: Some(raw_monitor_notify_all),
    RawMonitorDestroy: Some(raw_monitor_destroy),
    GetCurrentThreadCpuTime: Some(get_current_thread_cpu_time),
    SuspendThread: Some(suspend_thread),
    ResumeThread: Some(resume_thread),
    GetThreadStatus: Some(get_thread_status),
    ThreadHasRun: Some(thread_has_run),
    CreateSystemThread: Some(create_system_thread),
    SetThreadLocalStorage: Some(storage::set),
    GetThreadLocalStorage: Some(storage::get),
    DisableGC: Some(disable_gc),
    EnableGC: Some(enable_gc),
    RunGC: Some(run_gc),
    GetThreadObject: Some(get_thread_object),
    GetMethodClass: Some(get_method_class),
    jobjectID2jobject: Some(jobject_id_to_jobject),
    jobject2jobjectID: Some(jobject_to_jobject_id),
    SuspendThreadList: Some(suspend_thread_list),
    ResumeThreadList: Some(resume_thread_list),
}));

/// The table, for whoever asks for this version, or JNI's code if the host has none of it.
pub(crate) fn interface(version: jint) -> Result<*mut JVMPI_Interface, jint> {
    let answer = ask(GET_ENV, &[number(version)]).unwrap_or_default();
    let said = |place| jint::try_from(answer.get(place).and_then(Value::int)?).ok();
    // Where nobody answers, every version is one.
    let code = said(0).unwrap_or(JNI_OK);
    if code != JNI_OK {
        return Err(code);
    }
    // No recording has it.
    let version = said(1).unwrap_or(version);
    let table = TABLE.0.get();
    // SAFETY: the first word of our static is the version.
    let mark = unsafe { AtomicI32::from_ptr(table.cast()) };
    // Relaxed: all of the table but this number and NotifyEvent is the same for ever.
    mark.fetch_max(version, Ordering::Relaxed);
    Ok(table)
}

/// The agent's NotifyEvent.
pub(crate) fn notify_event() -> Option<NotifyEvent> {
    let slot = TABLE.0.get().cast::<*mut c_void>().wrapping_add(1);
    // SAFETY: the second word of our static.
    let slot = unsafe { AtomicPtr::from_ptr(slot) };
    let agent = slot.load(Ordering::Acquire);
    // SAFETY: null, or what the agent promises to be a NotifyEvent.
    unsafe { std::mem::transmute::<*mut c_void, Option<NotifyEvent>>(agent) }
}

unsafe extern "C" fn enable_event(event: jint, _: *mut c_void) -> jint {
    if let Some(host) = host() {
        host.note_enabled(event.into());
    }
    let known = EventKind::from_raw(event).is_some();
    let otherwise = if known {
        JVMPI_SUCCESS
    } else {
        JVMPI_NOT_AVAILABLE
    };
    int(2, &[number(event), Value::Id(0)], otherwise)
}

unsafe extern "C" fn disable_event(event: jint, _: *mut c_void) -> jint {
    let known = EventKind::from_raw(event).is_some();
    let otherwise = if known {
        JVMPI_SUCCESS
    } else {
        JVMPI_NOT_AVAILABLE
    };
    int(3, &[number(event), Value::Id(0)], otherwise)
}

unsafe extern "C" fn request_event(event: jint, argument: *mut c_void) -> jint {
    let mut level = -1;
    let mut named = argument.addr() as u64;
    if event == JVMPI_EVENT_HEAP_DUMP {
        let argument = argument.cast::<JVMPI_HeapDumpArg>();
        if readable(argument, 1) {
            // SAFETY: what the specification has for this event.
            level = unsafe { (*argument).heap_dump_level };
            // As recordings have it: an argument that says no level is known by its address.
            if level >= 0 {
                named = 0;
            }
        }
    }
    let arguments = [number(event), Value::Id(named), number(level)];
    int(4, &arguments, JVMPI_FAIL)
}

unsafe extern "C" fn get_call_trace(trace: *mut JVMPI_CallTrace, depth: jint) {
    if !readable(trace, 1) {
        ask(5, &[Value::Id(0), number(depth)]);
        return;
    }
    // SAFETY: the agent's trace.
    let env = unsafe { (*trace).env_id };
    let answer = ask(5, &[of_env(env), number(depth)]).unwrap_or_default();
    let frames = frames(answer.get(1).map(Value::rows).unwrap_or_default());
    let count = frames.len().min(usize::try_from(depth).unwrap_or(0));
    // SAFETY: as above.
    let room = unsafe { (*trace).frames };
    let count = if readable(room, count) { count } else { 0 };
    if count > 0 {
        // SAFETY: room for `depth` frames, by the specification.
        unsafe { ptr::copy_nonoverlapping(frames.as_ptr(), room, count) };
    }
    // SAFETY: as above.
    unsafe { (*trace).num_frames = jint::try_from(count).unwrap_or(0) };
}

unsafe extern "C" fn profiler_exit(code: jint) {
    match host() {
        Some(host) => host.exit(code),
        // SAFETY: any code.
        None => unsafe { libc::exit(code) },
    }
}

unsafe extern "C" fn raw_monitor_create(name: *mut c_char) -> JVMPI_RawMonitor {
    id(7, &[Value::Text(text(name))])
}

/// Asks, unless the host can do it without a call.
fn ask_unless(slot: u8, monitor: JVMPI_RawMonitor, done: fn(&'static dyn Host, u64) -> bool) {
    if !host().is_some_and(|host| done(host, monitor.addr() as u64)) {
        ask(slot, &[of(monitor)]);
    }
}

unsafe extern "C" fn raw_monitor_enter(monitor: JVMPI_RawMonitor) {
    ask_unless(8, monitor, |host, monitor| host.enter(monitor));
}

unsafe extern "C" fn raw_monitor_exit(monitor: JVMPI_RawMonitor) {
    ask_unless(9, monitor, |host, monitor| host.leave(monitor));
}

unsafe extern "C" fn raw_monitor_wait(monitor: JVMPI_RawMonitor, millis: jlong) {
    if ask(10, &[of(monitor), Value::Int(millis)]).is_none()
        && let Some(host) = host()
    {
        host.wait_elsewhere(millis);
    }
}

unsafe extern "C" fn raw_monitor_notify_all(monitor: JVMPI_RawMonitor) {
    ask_unless(11, monitor, |host, monitor| host.has_no_waiters(monitor));
}

unsafe extern "C" fn raw_monitor_destroy(monitor: JVMPI_RawMonitor) {
    ask(12, &[of(monitor)]);
}

unsafe extern "C" fn get_current_thread_cpu_time() -> jlong {
    let recorded = ask(13, &[]).and_then(|values| values.first()?.int());
    // Not asked there: a clock goes on all the same.
    let now = || host()?.now().and_then(|nanos| jlong::try_from(nanos).ok());
    recorded.or_else(now).unwrap_or(0)
}

unsafe extern "C" fn suspend_thread(env: *mut JNIEnv) {
    ask(14, &[of_env(env)]);
}

unsafe extern "C" fn resume_thread(env: *mut JNIEnv) {
    ask(15, &[of_env(env)]);
}

unsafe extern "C" fn get_thread_status(env: *mut JNIEnv) -> jint {
    int(16, &[of_env(env)], JVMPI_FAIL)
}

unsafe extern "C" fn thread_has_run(env: *mut JNIEnv) -> u8 {
    u8::from(int(17, &[of_env(env)], 0) != 0)
}

type Functions = HashMap<u64, Vec<SystemThreadFunction>>;

/// The functions of system threads, by their recorded addresses.
fn functions() -> Option<MutexGuard<'static, Option<Functions>>> {
    static FUNCTIONS: Mutex<Option<Functions>> = Mutex::new(None);
    lock(&FUNCTIONS)
}

unsafe extern "C" fn create_system_thread(
    name: *mut c_char,
    priority: jint,
    function: Option<SystemThreadFunction>,
) -> jint {
    let Some(ours) = Ours::begin() else {
        return JNI_ERR;
    };
    let mut arguments = [Value::Text(text(name)), number(priority), Value::Id(0)];
    let Some(host) = host() else {
        return JNI_ERR;
    };
    // Before the call: the new thread may be waiting for it to begin.
    if let (Some(function), Some(recorded)) = (function, host.next_system_thread(&arguments)) {
        let [.., asked] = &mut arguments;
        *asked = Value::Id(recorded);
        if let Some(mut functions) = functions() {
            let all = functions.get_or_insert_default();
            all.entry(recorded).or_default().push(function);
        }
    }
    drop(ours);
    let [.., Value::Id(recorded)] = arguments else {
        return int(18, &arguments, JNI_ERR);
    };
    let code = int(18, &arguments, JNI_ERR);
    if code != JNI_OK && recorded != 0 {
        let _ = taken(recorded, Vec::pop);
    }
    code
}

/// One of the functions that stand for a recorded one, by `take`; the last leaves nothing behind.
fn taken(
    recorded: u64,
    take: impl FnOnce(&mut Vec<SystemThreadFunction>) -> Option<SystemThreadFunction>,
) -> Option<SystemThreadFunction> {
    let mut functions = functions()?;
    let all = functions.get_or_insert_default();
    let of_it = all.get_mut(&recorded)?;
    let function = take(of_it);
    if of_it.is_empty() {
        all.remove(&recorded);
    }
    function
}

/// Runs what stands for a function of the recording on the calling thread; nothing if
/// the agent has not asked for it.
pub fn run_system_thread(recorded: u64) {
    let first = |all: &mut Vec<_>| (!all.is_empty()).then(|| all.remove(0));
    if let Some(function) = taken(recorded, first) {
        let _agents = Ours::pause();
        // SAFETY: the agent's own function; its argument is NULL (JVMPI facts B.10).
        unsafe { function(ptr::null_mut()) };
    }
}

unsafe extern "C" fn disable_gc() {
    ask(21, &[]);
}

unsafe extern "C" fn enable_gc() {
    ask(22, &[]);
}

unsafe extern "C" fn run_gc() {
    ask(23, &[]);
}

unsafe extern "C" fn get_thread_object(env: *mut JNIEnv) -> jobjectID {
    id(24, &[of_env(env)])
}

unsafe extern "C" fn get_method_class(method: jmethodID) -> jobjectID {
    id(25, &[of(method)])
}

unsafe extern "C" fn jobject_id_to_jobject(object: jobjectID) -> jobject {
    id(26, &[of(object)])
}

unsafe extern "C" fn jobject_to_jobject_id(object: jobject) -> jobjectID {
    id(27, &[of(object)])
}

unsafe extern "C" fn suspend_thread_list(count: jint, envs: *mut *mut JNIEnv, results: *mut jint) {
    list(28, count, envs, results);
}

unsafe extern "C" fn resume_thread_list(count: jint, envs: *mut *mut JNIEnv, results: *mut jint) {
    list(29, count, envs, results);
}

/// No VM has as many threads: whoever says more has no such list.
const LONGEST_LIST: usize = 1 << 16;

fn list(slot: u8, count: jint, envs: *mut *mut JNIEnv, results: *mut jint) {
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 || count > LONGEST_LIST || !readable(envs, count) {
        ask(slot, &[Value::List(Vec::new())]);
        return;
    }
    // SAFETY: as many as the agent says.
    let envs = unsafe { std::slice::from_raw_parts(envs, count) };
    let rows = envs.iter().map(|&env| vec![of_env(env)]).collect();
    let answer = ask(slot, &[Value::List(rows)]).unwrap_or_default();
    let codes = answer.first().map(Value::rows).unwrap_or_default();
    let count = if readable(results, count) { count } else { 0 };
    for place in 0..count {
        let code = codes.get(place).and_then(|row| row.first()?.int());
        let code = code.and_then(|code| jint::try_from(code).ok());
        // SAFETY: as many as there are envs.
        unsafe {
            results
                .wrapping_add(place)
                .write(code.unwrap_or(JVMPI_FAIL))
        };
    }
}
