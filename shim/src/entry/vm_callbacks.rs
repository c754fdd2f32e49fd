//! What the VM calls: thin functions that hand over to the modules of the events. Long since it is
//! a list: one function for each of the VM's events.
//!
//! # Safety
//! Called by the VM on a thread it knows, with live references and that
//! thread's env (null before VMStart).
#![allow(unsafe_code, reason = "JVMTI callbacks are C functions")]

use std::ffi::{CStr, c_char, c_void};
use std::slice;

use jvmpi_headers::jni::{JNIEnv, jclass, jmethodID, jobject, jvalue};
use jvmpi_headers::jvmti::{jvmtiAddrLocationMap, jvmtiEnv, jvmtiEventCallbacks};

use crate::base::boundary::{callback, unlogged};
use crate::base::log;
use crate::events::call_traces::method_ids;
use crate::events::compiled_code::compiled;
use crate::events::gc::{collections, object_free};
use crate::events::methods::exact_method_events;
use crate::events::monitors::monitor_events;
use crate::events::objects::allocations;
use crate::events::threads::mounted;
use crate::events::vm_life::{lifecycle, thread_lifetime, virtual_threads};
use crate::hooks::{class_file, class_hook, class_prepare, hook_loaders, native_methods};
use crate::observe::jvmti::{callbacks, lending, natives};
use crate::vm::capabilities;
use crate::vm::env::{Jvmti, Result};
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::jni::Jni;
use crate::vm::jni::wrappers;
use crate::vm::member_ids::MethodId;
use crate::vm::pause;
use crate::vm::refs::ObjectRef;
use crate::vm::sizes;
use crate::vm::this_vm;

/// Tells the VM our callbacks.
pub(crate) fn install(jvmti: Jvmti) -> Result<()> {
    jvmti.set_callbacks(&callbacks())?;
    mounts::set_callbacks(jvmti, virtual_thread_mount, virtual_thread_unmount);
    Ok(())
}

/// One for each [`event_translate::needs::VmEvent`].
fn callbacks() -> jvmtiEventCallbacks {
    jvmtiEventCallbacks {
        VMStart: Some(vm_start),
        VMInit: Some(vm_init),
        VMDeath: Some(vm_death),
        ThreadStart: Some(thread_start),
        ThreadEnd: Some(thread_end),
        VirtualThreadStart: Some(virtual_thread_start),
        VirtualThreadEnd: Some(virtual_thread_end),
        ClassLoad: Some(class_load),
        ClassPrepare: Some(class_prepare),
        ClassFileLoadHook: Some(class_file_load_hook),
        DataDumpRequest: Some(data_dump_request),
        NativeMethodBind: Some(native_method_bind),
        MethodEntry: Some(method_entry),
        MethodExit: Some(method_exit),
        MonitorContendedEnter: Some(monitor_contended_enter),
        MonitorContendedEntered: Some(monitor_contended_entered),
        MonitorWait: Some(monitor_wait),
        MonitorWaited: Some(monitor_waited),
        CompiledMethodLoad: Some(compiled_method_load),
        CompiledMethodUnload: Some(compiled_method_unload),
        SampledObjectAlloc: Some(sampled_object_alloc),
        VMObjectAlloc: Some(vm_object_alloc),
        ObjectFree: Some(object_free),
        GarbageCollectionStart: Some(garbage_collection_start),
        GarbageCollectionFinish: Some(garbage_collection_finish),
        ..jvmtiEventCallbacks::default()
    }
}

/// The environment and the thread of a callback; nothing once the VM is dead.
fn context(env: *mut JNIEnv) -> Option<(Jvmti, Jni)> {
    // SAFETY: the VM passes the current thread's env or null.
    Some((this_vm::jvmti()?, unsafe { Jni::from_raw(env) }?))
}

/// The same, and what a callback is about.
fn context_of(env: *mut JNIEnv, about: &jobject) -> Option<(Jvmti, Jni, ObjectRef<'_>)> {
    let (jvmti, jni) = context(env)?;
    Some((jvmti, jni, lent(about)?))
}

/// A reference that the VM has passed, until the callback returns; `None` for null.
fn lent(argument: &jobject) -> Option<ObjectRef<'_>> {
    // SAFETY: as the module says.
    unsafe { ObjectRef::lent(argument) }
}

unsafe extern "C" fn vm_start(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    callback("VMStart", || {
        if let Some((jvmti, jni)) = context(env) {
            wrappers::keep_vms_own(jvmti);
            lifecycle::vm_started(jni);
        }
    });
}

unsafe extern "C" fn vm_init(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    callback("VMInit", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            lifecycle::vm_ready(jvmti, jni, thread);
        }
    });
}

unsafe extern "C" fn vm_death(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    callback("VMDeath", || {
        if let Some((jvmti, jni)) = context(env) {
            lifecycle::vm_died(jvmti, jni);
        }
    });
}

unsafe extern "C" fn thread_start(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    callback("ThreadStart", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            thread_lifetime::started(jvmti, jni, thread);
        }
    });
}

unsafe extern "C" fn thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    callback("ThreadEnd", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            let sampled = lending::ending(thread);
            if thread_lifetime::ended(jvmti, jni, thread) {
                lifecycle::vm_ends(jvmti, jni);
            } else if let Some(id) = sampled {
                lending::thread_ended(id);
            }
        } else if object_free::is_left_on()
            && let Some(jvmti) = this_vm::jvmti_to_the_end()
            // SAFETY: the VM passes the current thread's env or null.
            && let Some(jni) = unsafe { Jni::from_raw(env) }
        {
            thread_lifetime::ended_without_agent(jvmti, jni);
        }
    });
}

unsafe extern "C" fn virtual_thread_start(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    callback("VirtualThreadStart", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            virtual_threads::started(jvmti, jni, thread);
        }
    });
}

unsafe extern "C" fn virtual_thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    callback("VirtualThreadEnd", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            let sampled = lending::ending(thread);
            virtual_threads::ended(jvmti, jni, thread);
            if let Some(id) = sampled {
                lending::thread_ended(id);
            }
        }
    });
}

/// An extension event; millions of them in some programs.
unsafe extern "C" fn virtual_thread_mount(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    unlogged("VirtualThreadMount", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            virtual_threads::mounted(jvmti, jni, thread);
        }
    });
}

/// The same.
unsafe extern "C" fn virtual_thread_unmount(_: *mut jvmtiEnv, _: *mut JNIEnv, _: jobject) {
    unlogged("VirtualThreadUnmount", mounted::unmount);
}

/// On for the hooks' sake, and for that of `vm/hotspot/stacks/async_trace.rs`, which needs only that.
unsafe extern "C" fn class_load(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject, class: jclass) {
    callback("ClassLoad", || {
        if let Some((jvmti, jni, class)) = context_of(env, &class) {
            hook_loaders::class_is_loaded(jvmti, jni, class);
        }
    });
}

unsafe extern "C" fn class_prepare(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject, class: jclass) {
    callback("ClassPrepare", || {
        if let Some((jvmti, jni, class)) = context_of(env, &class) {
            method_ids::prepared(jvmti, class);
            class_prepare::prepared(jvmti, jni, class);
        }
    });
}

/// In every phase; `env` is null in the earliest.
unsafe extern "C" fn native_method_bind(
    _: *mut jvmtiEnv,
    _: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
    address: *mut c_void,
    new_address: *mut *mut c_void,
) {
    callback("NativeMethodBind", || {
        natives::bound(method.addr(), address.addr());
        if let Some(jvmti) = this_vm::jvmti()
            && let Some(thunk) = native_methods::bound(
                jvmti,
                MethodId::from_jni(method),
                address.expose_provenance(),
            )
        {
            // SAFETY: the VM's out-parameter.
            unsafe { new_address.write(thunk) };
        }
    });
}

unsafe extern "C" fn method_entry(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
) {
    unlogged("MethodEntry", || {
        if let Some((jvmti, jni)) = context(env) {
            exact_method_events::entered(jvmti, jni, MethodId::from_jni(method));
        }
    });
}

unsafe extern "C" fn method_exit(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
    _by_exception: u8,
    _value: jvalue,
) {
    unlogged("MethodExit", || {
        if let Some((jvmti, jni)) = context(env) {
            exact_method_events::left(jvmti, jni, MethodId::from_jni(method));
        }
    });
}

unsafe extern "C" fn monitor_contended_enter(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    object: jobject,
) {
    callback("MonitorContendedEnter", || {
        if let (Some((jvmti, jni, thread)), Some(object)) =
            (context_of(env, &thread), lent(&object))
        {
            monitor_events::contended_enter(jvmti, jni, thread, object);
        }
    });
}

unsafe extern "C" fn monitor_contended_entered(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    _: jobject,
) {
    callback("MonitorContendedEntered", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            monitor_events::contended_entered(jvmti, jni, thread);
        }
    });
}

unsafe extern "C" fn monitor_wait(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    object: jobject,
    millis: i64,
) {
    callback("MonitorWait", || {
        if let (Some((jvmti, jni, thread)), Some(object)) =
            (context_of(env, &thread), lent(&object))
        {
            monitor_events::wait(jvmti, jni, thread, object, millis);
        }
    });
}

unsafe extern "C" fn monitor_waited(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    _: jobject,
    _timed_out: u8,
) {
    callback("MonitorWaited", || {
        if let Some((jvmti, jni, thread)) = context_of(env, &thread) {
            monitor_events::waited(jvmti, jni, thread);
        }
    });
}

/// On the VM's Service Thread, or on the caller of GenerateEvents.
unsafe extern "C" fn compiled_method_load(
    _: *mut jvmtiEnv,
    method: jmethodID,
    size: i32,
    address: *const c_void,
    map_length: i32,
    map: *const jvmtiAddrLocationMap,
    _: *const c_void,
) {
    callback("CompiledMethodLoad", || {
        let entries = if map.is_null() {
            &[]
        } else {
            // SAFETY: the VM's table, valid during the callback.
            unsafe { slice::from_raw_parts(map, usize::try_from(map_length).unwrap_or(0)) }
        };
        let pairs = entries
            .iter()
            .map(|entry| (entry.start_address.addr(), entry.location));
        compiled::loaded(
            MethodId::from_jni(method),
            address.expose_provenance(),
            size,
            pairs,
        );
    });
}

unsafe extern "C" fn compiled_method_unload(
    _: *mut jvmtiEnv,
    _: jmethodID,
    address: *const c_void,
) {
    callback("CompiledMethodUnload", || {
        compiled::unloaded(address.expose_provenance());
    });
}

unsafe extern "C" fn sampled_object_alloc(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    object: jobject,
    class: jclass,
    size: i64,
) {
    callback("SampledObjectAlloc", || {
        if let (Some((jvmti, jni, object)), Some(class)) = (context_of(env, &object), lent(&class))
        {
            let thread = lent(&thread);
            allocations::allocated(jvmti, jni, thread, object, class, sizes::bytes(size));
        }
    });
    if capabilities::is_sampling_lent() {
        let words = [
            env.addr(),
            thread.addr(),
            object.addr(),
            class.addr(),
            size.cast_unsigned() as usize,
        ];
        // SAFETY: what the VM has just passed.
        unsafe { callbacks::sampled(words) };
    }
}

unsafe extern "C" fn vm_object_alloc(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    object: jobject,
    _: jclass,
    size: i64,
) {
    callback("VMObjectAlloc", || {
        if let Some((jvmti, jni, object)) = context_of(env, &object) {
            allocations::allocated_by_vm(jvmti, jni, object, sizes::bytes(size));
        }
    });
}

/// On a thread of the collector, or on the VM's Service Thread: no JNI, no JVMTI.
unsafe extern "C" fn object_free(_: *mut jvmtiEnv, tag: i64) {
    callback("ObjectFree", || collections::died(tag.cast_unsigned()));
}

/// On a thread of the collector.
unsafe extern "C" fn garbage_collection_start(_: *mut jvmtiEnv) {
    callback("GarbageCollectionStart", pause::begin);
}

/// On a thread of the collector.
unsafe extern "C" fn garbage_collection_finish(_: *mut jvmtiEnv) {
    callback("GarbageCollectionFinish", collections::pause_ended);
}

unsafe extern "C" fn data_dump_request(_: *mut jvmtiEnv) {
    callback("DataDumpRequest", lifecycle::dump_requested);
}

#[allow(clippy::too_many_arguments, reason = "JVMTI's signature")]
unsafe extern "C" fn class_file_load_hook(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    being_redefined: jclass,
    loader: jobject,
    name: *const c_char,
    _protection_domain: jobject,
    len: i32,
    bytes: *const u8,
    new_len: *mut i32,
    new_bytes: *mut *mut u8,
) {
    callback("ClassFileLoadHook", || {
        // SAFETY: the VM's class file, valid during the callback.
        let class_file = unsafe { slice::from_raw_parts(bytes, usize::try_from(len).unwrap_or(0)) };
        let Some((jvmti, jni)) = context(env) else {
            // The agent goes.
            // SAFETY: the VM passes the current thread's env or null.
            let jni = unsafe { Jni::from_raw(env) };
            if let Some((jvmti, jni)) = this_vm::jvmti_to_the_end().zip(jni)
                && let Some(class) = lent(&being_redefined)
                && let Some(bytes) = class_hook::as_redefined(jvmti, jni, class, class_file)
            {
                // SAFETY: the VM's out-parameters.
                unsafe { replace(jvmti, &bytes, new_len, new_bytes) };
            }
            return;
        };
        let name = if name.is_null() {
            c"?"
        } else {
            // SAFETY: the VM's text, valid during the callback.
            unsafe { CStr::from_ptr(name) }
        };
        let Some(replacement) = class_file::replacement(
            jvmti,
            jni,
            lent(&being_redefined),
            lent(&loader),
            name.to_bytes(),
            class_file,
        ) else {
            return;
        };
        // SAFETY: the VM's out-parameters.
        unsafe { replace(jvmti, &replacement, new_len, new_bytes) };
    });
}

/// Gives the VM another class file.
///
/// # Safety
/// Both can be written to.
unsafe fn replace(jvmti: Jvmti, replacement: &[u8], new_len: *mut i32, new_bytes: *mut *mut u8) {
    let Ok(size) = i32::try_from(replacement.len()) else {
        return;
    };
    match jvmti.allocate(replacement.len()) {
        Ok(memory) => {
            // SAFETY: as many bytes as were allocated.
            unsafe {
                memory
                    .as_ptr()
                    .copy_from_nonoverlapping(replacement.as_ptr(), replacement.len())
            };
            // SAFETY: the caller's promise.
            unsafe { new_len.write(size) };
            // SAFETY: as above.
            unsafe { new_bytes.write(memory.as_ptr()) };
        }
        Err(error) => {
            log::warn_once!("CLASS_LOAD_HOOK: {error}; a replaced class stays as it was")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use event_translate::needs::VmEvent;

    use super::*;
    use crate::vm::event_numbers::number;

    #[test]
    fn what_is_switched_on_has_a_callback_and_nothing_else_has() {
        const FIRST: usize = 50;
        const WORDS: usize = size_of::<jvmtiEventCallbacks>() / size_of::<usize>();
        let callbacks = callbacks();
        // SAFETY: it has only functions, each a word that may be null.
        let words = unsafe {
            std::ptr::from_ref(&callbacks)
                .cast::<[*const (); WORDS]>()
                .read()
        };
        let there = words.iter().enumerate().filter(|(_, word)| !word.is_null());
        let there: BTreeSet<_> = there.map(|(at, _)| at + FIRST).collect();
        let switched = VmEvent::ALL.map(|event| number(event) as usize);
        assert_eq!(there, BTreeSet::from(switched));
        assert_eq!(there.len(), VmEvent::ALL.len());
    }
}
