//! SuspendThread, ResumeThread, and both for lists.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use jvmpi_headers::jni::{JNIEnv, jint};
use jvmpi_headers::jvmpi::JVMPI_FAIL;

use crate::base::boundary::uncancelled;
use crate::base::log;
use crate::base::patience;
use crate::delivery::deferred;
use crate::events::call_traces::{call_trace, round};
use crate::events::gc::disabling;
use crate::events::threads::stopped;
use crate::model::thread::object::HeldObject;
use crate::model::thread::{Thread, current};
use crate::model::threads;
use crate::os::memory;
use crate::vm::capabilities;
use crate::vm::env::{Jvmti, JvmtiError};
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm::{self, Phase};

/// The thread an agent means; one line if it is none, with what the call does then.
pub(super) fn target(call: &'static str, env: *mut JNIEnv, otherwise: &str) -> Option<Arc<Thread>> {
    let found = threads::by_env(env);
    if found.is_none() {
        log::warn_once_for!(
            call,
            "({env:p}): not the JNIEnv of a live thread; {otherwise}"
        );
    }
    found
}

pub(super) fn is_self(thread: &Thread) -> bool {
    current::is_own(thread.env)
}

/// Our own thread runs no Java code, and stopped it could send no bracket: its
/// suspension is one in name, which GetThreadStatus shows. False for other threads.
fn pretend(thread: &Thread, suspended: bool) -> bool {
    if !thread.native().is_workers.load(Ordering::Acquire) {
        return false;
    }
    thread.stopped_in_name.store(suspended, Ordering::Release);
    true
}

/// The agent has been detached while it suspended the thread: nobody would resume it.
/// Its object is the caller's: the record may have given it up.
fn let_go_if_detached(jvmti: Jvmti, thread: &Thread, object: ObjectRef<'_>) {
    if this_vm::phase() == Phase::Dead {
        thread.resuming();
        // It may have been let go by who detached it.
        let _ = jvmti.resume(object);
    }
}

/// Those that have an object, with it.
fn with_objects(threads: &[Arc<Thread>]) -> Vec<(&Arc<Thread>, HeldObject<'_>)> {
    let held = threads
        .iter()
        .filter_map(|thread| Some((thread, thread.object()?)));
    held.collect()
}

/// What has to be known of a thread that is about to be suspended.
fn before_suspension(jvmti: Jvmti, thread: &Thread) {
    let cpu_time = || thread.used_cpu_time(jvmti);
    thread.note_cpu_time(cpu_time());
    if call_trace::capture(jvmti, thread) {
        // What our signal cost the thread is not the thread's own doing.
        thread.correct_cpu_time(cpu_time());
    }
}

/// The thread stops at its next step in Java, JNI or JVMTI; native code of its
/// own goes on until then.
pub(crate) unsafe extern "C" fn suspend_thread(env: *mut JNIEnv) {
    uncancelled("SuspendThread", (), || {
        let Some(thread) = target("SuspendThread", env, "nothing done") else {
            return;
        };
        if pretend(&thread, true) {
            return;
        }
        if is_self(&thread) {
            log::warn_once!(
                "SuspendThread: a thread cannot suspend itself here, nobody might resume it; nothing done"
            );
            return;
        }
        let Some((jvmti, _)) = this_vm::for_call("SuspendThread") else {
            return;
        };
        let Some(object) = thread.object() else {
            log::warn_once!(
                "SuspendThread: the VM does not tell the thread's object yet; nothing done"
            );
            return;
        };
        let _question = round::Question::begin(jvmti);
        before_suspension(jvmti, &thread);
        if !capabilities::can_suspend(jvmti) {
            return;
        }
        let suspend = || {
            jvmti.suspend(object.get())?;
            thread.suspended();
            let_go_if_detached(jvmti, &thread, object.get());
            Ok::<(), JvmtiError>(())
        };
        match stopped::suspending(suspend).unwrap_or(Ok(())) {
            Ok(()) => {}
            Err(error) if error.is_gone() || error.code == JvmtiError::THREAD_SUSPENDED => {}
            Err(error) => log::warn_once!("SuspendThread: {error}"),
        }
    });
}

pub(crate) unsafe extern "C" fn resume_thread(env: *mut JNIEnv) {
    uncancelled("ResumeThread", (), || {
        let Some(thread) = target("ResumeThread", env, "nothing done") else {
            return;
        };
        let Some((jvmti, _)) = this_vm::for_call_to_the_end("ResumeThread") else {
            return;
        };
        if pretend(&thread, false) {
            return;
        }
        thread.resuming();
        let Some(object) = thread.object().filter(|_| capabilities::can_suspend(jvmti)) else {
            return;
        };
        if let Err(error) =
            stopped::outside_of_looks(patience::LOOK_AT_RESUME, || jvmti.resume(object.get()))
            && !error.is_gone()
            && this_vm::phase() != Phase::Dead
        {
            let what = if error.code == JvmtiError::THREAD_NOT_SUSPENDED {
                "the thread was not suspended".to_owned()
            } else {
                error.to_string()
            };
            log::warn_once!("ResumeThread: {what}");
        }
        deferred::flush_after_suspension(disabling::is_held());
    });
}

/// `results[i]`: 0, or JVMTI's error; -1 for an env that is no live thread's.
pub(crate) unsafe extern "C" fn suspend_thread_list(
    count: jint,
    envs: *mut *mut JNIEnv,
    results: *mut jint,
) {
    uncancelled("SuspendThreadList", (), || {
        list(Change::Suspend, count, envs, results, |jvmti, threads| {
            let _question = round::Question::begin(jvmti);
            let held = with_objects(threads);
            let objects: Vec<_> = held.iter().map(|(_, object)| object.get()).collect();
            for thread in threads {
                before_suspension(jvmti, thread);
            }
            if held.len() < threads.len() || !capabilities::can_suspend(jvmti) {
                return Ok(vec![JVMPI_FAIL; threads.len()]);
            }
            let suspend = || {
                let codes = jvmti.suspend_list(&objects)?;
                let stopped = held.iter().zip(&codes).filter(|(_, code)| **code == 0);
                stopped.for_each(|((thread, object), _)| {
                    thread.suspended();
                    let_go_if_detached(jvmti, thread, object.get());
                });
                Ok(codes)
            };
            let gone = || Ok(vec![JVMPI_FAIL; threads.len()]);
            stopped::suspending(suspend).unwrap_or_else(gone)
        });
    });
}

pub(crate) unsafe extern "C" fn resume_thread_list(
    count: jint,
    envs: *mut *mut JNIEnv,
    results: *mut jint,
) {
    uncancelled("ResumeThreadList", (), || {
        list(Change::Resume, count, envs, results, |jvmti, threads| {
            let held = with_objects(threads);
            // Gone when the agent is detached, which lets all go on.
            if held.len() < threads.len() || !capabilities::can_suspend(jvmti) {
                return Ok(vec![JVMPI_FAIL; threads.len()]);
            }
            let objects: Vec<_> = held.iter().map(|(_, object)| object.get()).collect();
            threads.iter().for_each(|thread| thread.resuming());
            stopped::outside_of_looks(patience::LOOK_AT_RESUME, || jvmti.resume_list(&objects))
        });
        deferred::flush_after_suspension(disabling::is_held());
    });
}

/// What a list of threads is passed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Suspend,
    Resume,
}

impl Change {
    /// By which function.
    const fn call(self) -> &'static str {
        match self {
            Self::Suspend => "SuspendThreadList",
            Self::Resume => "ResumeThreadList",
        }
    }
}

/// Does `act` for the live threads among `envs` and reports each one's result.
fn list(
    change: Change,
    count: jint,
    envs: *mut *mut JNIEnv,
    results: *mut jint,
    act: impl FnOnce(Jvmti, &[Arc<Thread>]) -> crate::vm::env::Result<Vec<i32>>,
) {
    let call = change.call();
    let Ok(count) = usize::try_from(count) else {
        log::warn_once_for!(call, ": a negative count; nothing done");
        return;
    };
    if count == 0 {
        return;
    }
    let Some(envs) = memory::pointers(envs.cast(), count) else {
        log::warn_once_for!(call, ": the list of threads cannot be read; nothing done");
        return;
    };
    let suspends = change == Change::Suspend;
    let mut codes = vec![JVMPI_FAIL; count];
    let (mut places, mut known, mut answered) = (Vec::new(), Vec::new(), 0);
    for (place, env) in envs.into_iter().enumerate() {
        let thread = threads::by_env(ptr::with_exposed_provenance_mut(env));
        if let (Some(thread), Some(code)) = (&thread, codes.get_mut(place))
            && pretend(thread, suspends)
        {
            *code = 0;
            answered += 1;
            continue;
        }
        if let Some(thread) = thread.filter(|thread| !is_self(thread) && thread.object().is_some())
        {
            places.push(place);
            known.push(thread);
        }
    }
    if known.len() + answered < count {
        log::warn_once_for!(
            call,
            ": some entries are not the JNIEnv of another live thread"
        );
    }
    // Whatever happens, each entry gets an answer.
    let vm = if suspends {
        this_vm::for_call(call)
    } else {
        this_vm::for_call_to_the_end(call)
    };
    let found = vm.map(|(jvmti, _)| act(jvmti, &known));
    match found {
        Some(Ok(found)) => {
            for (place, code) in places.into_iter().zip(found) {
                if let Some(slot) = codes.get_mut(place) {
                    *slot = code;
                }
            }
        }
        Some(Err(error)) => log::warn_once_for!(call, ": {error}"),
        None => {}
    }
    if !results.is_null() && !memory::store(results, &codes) {
        log::warn_once_for!(call, ": the list of results cannot be written");
    }
}
