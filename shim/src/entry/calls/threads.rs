//! Threads: CPU time, status, system threads, local storage. Suspension is in `suspension.rs`.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

use event_translate::thread_status;
use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JNIEnv, jint, jlong};
use jvmpi_headers::jvmpi::JVMPI_FAIL;
use shim_options::CpuTime;

use crate::agent::agent_call::ThreadEntry;
use crate::base::boundary::{guarded, uncancelled};
use crate::base::{config, log};
use crate::delivery::system_thread::{self, Whose};
use crate::entry::calls::suspension::{is_self, target};
use crate::events::call_traces::round;
use crate::events::methods::beginning;
use crate::events::threads::mounted;
use crate::hooks::blind_spots;
use crate::model::tables::MONITORS;
use crate::model::thread::{Thread, current};
use crate::model::threads;
use crate::os::{cpu_clock, memory, ticks};
use crate::vm::refs::ThreadRef;
use crate::vm::this_vm::{self, Phase};

/// Nanoseconds of the current thread, attached or not; wall-clock time with
/// `cpu-time=wall`, as hosts without CPU clocks gave it (JVMPI facts B.6).
pub(crate) unsafe extern "C" fn get_current_thread_cpu_time() -> jlong {
    guarded("GetCurrentThreadCpuTime", 0, || {
        let nanos = match config::options().cpu_time {
            CpuTime::Cpu => current::with_own(Thread::cpu_time).unwrap_or_else(cpu_clock::nanos),
            CpuTime::Wall => ticks::nanos(),
        }
        .cast_signed();
        if config::options().host.row().clock_in_ms {
            nanos - nanos % 1_000_000
        } else {
            nanos
        }
    })
}

pub(crate) unsafe extern "C" fn get_thread_status(env: *mut JNIEnv) -> jint {
    uncancelled("GetThreadStatus", JVMPI_FAIL, || {
        let Some(thread) = target("GetThreadStatus", env, "JVMPI_FAIL") else {
            return JVMPI_FAIL;
        };
        let Some((jvmti, _)) = this_vm::for_call("GetThreadStatus") else {
            return JVMPI_FAIL;
        };
        let held = thread.object();
        let object = if is_self(&thread) {
            Some(ThreadRef::CURRENT)
        } else {
            held.as_ref().map(|held| held.get().into())
        };
        let Some(object) = object else {
            log::warn_once!(
                "GetThreadStatus: the VM does not tell the thread's object yet; JVMPI_FAIL"
            );
            return JVMPI_FAIL;
        };
        let others = !is_self(&thread);
        let question = others.then(|| round::Question::begin(jvmti)).flatten();
        let state = jvmti.thread_state(object);
        state.map_or(JVMPI_FAIL, |state| {
            let raw = thread.raw_wait().map(|raw| {
                // A virtual thread enters raw monitors as its carrier.
                let carrier = thread.carrier();
                let native = carrier.as_deref().unwrap_or(&thread).native();
                let key = native.key.load(Ordering::Acquire);
                // Notified, it waits for the monitor itself.
                let comes_back = raw == thread_status::CONDVAR_WAIT && MONITORS.is_entering(key);
                if comes_back {
                    thread_status::MONITOR_WAIT
                } else {
                    raw
                }
            });
            let status = thread_status::in_raw_monitor(thread_status::from_jvmti(state), raw);
            if !mounted::are_followed() {
                blind_spots::note_virtual(&thread, status);
            }
            let status = if is_self(&thread) || thread.raw_wait().is_some() {
                status
            } else {
                thread.status_in_vm(state, status)
            };
            let now = thread.shown_status(status);
            match &question {
                Some(_) => round::status_then(&thread, now),
                None => now,
            }
        })
    })
}

pub(crate) unsafe extern "C" fn thread_has_run(env: *mut JNIEnv) -> u8 {
    uncancelled("ThreadHasRun", 0, || {
        target("ThreadHasRun", env, "JNI_FALSE").map_or(0, |thread| u8::from(thread.has_run()))
    })
}

/// The thread's THREAD_START has been sent when this returns, unless its handler
/// waits for the caller (specification: events are sent during the call).
pub(crate) unsafe extern "C" fn create_system_thread(
    name: *mut c_char,
    priority: jint,
    entry: Option<ThreadEntry>,
) -> jint {
    uncancelled("CreateSystemThread", JNI_ERR, || {
        let Some(entry) = entry else {
            log::warn_once!("CreateSystemThread: no function was given (NULL)");
            return JNI_ERR;
        };
        if this_vm::phase() != Phase::Live {
            log::warn_once!("CreateSystemThread: only between JVM_INIT_DONE and JVM_SHUT_DOWN");
            return JNI_ERR;
        }
        let Some((jvmti, jni)) = this_vm::for_call("CreateSystemThread") else {
            return JNI_ERR;
        };
        let Some(name) = memory::c_string(name) else {
            log::warn_once!("CreateSystemThread({name:p}): not a readable name; JNI_ERR");
            return JNI_ERR;
        };
        // The new thread's methods are told of, also while the handler that makes it waits for it.
        beginning::note_call();
        if system_thread::start(jvmti, jni, &name, priority, Whose::Agents, entry) {
            JNI_OK
        } else {
            JNI_ERR
        }
    })
}

pub(crate) unsafe extern "C" fn set_thread_local_storage(env: *mut JNIEnv, value: *mut c_void) {
    guarded("SetThreadLocalStorage", (), || {
        let own = |own: &Thread| {
            let mine = own.env == env.addr();
            if mine {
                own.local
                    .store(value.expose_provenance(), Ordering::Release);
            }
            mine
        };
        // The fast path: once for every event of many agents.
        if current::with_own(own) == Some(true) {
            return;
        }
        match threads::by_env(env) {
            Some(thread) => thread
                .local
                .store(value.expose_provenance(), Ordering::Release),
            None => log::warn_once!(
                "SetThreadLocalStorage({env:p}): not the JNIEnv of a live thread; nothing stored"
            ),
        }
    });
}

pub(crate) unsafe extern "C" fn get_thread_local_storage(env: *mut JNIEnv) -> *mut c_void {
    guarded("GetThreadLocalStorage", ptr::null_mut(), || {
        let own = |own: &Thread| (own.env == env.addr()).then(|| own.local.load(Ordering::Acquire));
        if let Some(value) = current::with_own(own).flatten() {
            return ptr::with_exposed_provenance_mut(value);
        }
        let Some(thread) = threads::by_env(env) else {
            log::warn_once!(
                "GetThreadLocalStorage({env:p}): not the JNIEnv of a live thread; NULL"
            );
            return ptr::null_mut();
        };
        ptr::with_exposed_provenance_mut(thread.local.load(Ordering::Acquire))
    })
}
