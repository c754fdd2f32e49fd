//! What we offer agents beside JVMPI: `xrun_ext.h`.
#![allow(unsafe_code, reason = "functions that C calls, with C strings")]

use std::ffi::{CStr, CString, c_char};
use std::mem::{MaybeUninit, size_of};
use std::sync::Arc;
use std::{ptr, slice};

use id_map::Flag;
use jvmpi_headers::jni::{JNIEnv, jint, jlong, jmethodID};
use jvmpi_headers::jvmpi::{JVMPI_FAIL, JVMPI_NOT_AVAILABLE, JVMPI_SUCCESS, jobjectID};
use jvmpi_headers::xrun_ext::{
    XRUN_EXT_VERSION_1, XRUN_RESTS, XRUN_RUNS_JAVA, XRUN_UNKNOWN, XRun_Extension, XRun_ParkHandler,
};

use crate::base::boundary::guarded;
use crate::base::{attach_report, config, life, log};
use crate::entry::running_traces::{get_mounted, get_running_traces};
use crate::events::dumps::by_vm::{self, NoDump};
use crate::events::monitors::parks;
use crate::events::vm_life::agent_requests;
use crate::hooks::left_out;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::{ids, threads, wanted};
use crate::os::memory::{readable, writable};
use crate::vm::hotspot::flags;
use crate::vm::hotspot::threads::thread_state::{self, Activity};
use crate::vm::this_vm::{self, Phase};

/// What GetEnv gives.
pub(crate) static EXTENSION: XRun_Extension = XRun_Extension {
    size: size_of::<XRun_Extension>() as jint,
    version: XRUN_EXT_VERSION_1,
    set_option,
    get_option,
    is_sampled,
    dump_heap,
    tell,
    get_left_out,
    watch_parks,
    list_parked,
    get_kernel_thread,
    get_running_traces,
    get_mounted,
    get_activities,
};

/// # Safety
/// Null or a C string that stays as long as the call.
unsafe fn text<'a>(from: *const c_char) -> Option<&'a str> {
    if from.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(from) }.to_str().ok()
}

unsafe extern "C" fn set_option(name: *const c_char, value: *const c_char) -> jint {
    guarded("set_option", JVMPI_FAIL, || {
        // SAFETY: the agent's promise, as `xrun_ext.h` has it.
        let name = unsafe { text(name) };
        // SAFETY: likewise.
        let value = unsafe { text(value) };
        let (Some(name), Some(value)) = (name, value) else {
            log::warning!("set_option: NULL, or no UTF-8; JVMPI_FAIL");
            return JVMPI_FAIL;
        };
        if !wanted::ever_wanted().is_empty() {
            log::warning!(
                "set_option({name}, {value}): too late, behind an EnableEvent; JVMPI_NOT_AVAILABLE"
            );
            return JVMPI_NOT_AVAILABLE;
        }
        let mut options = config::options().clone();
        if let Err(complaint) = options.apply_for_agent(name, value) {
            log::warning!("set_option: {complaint}; JVMPI_FAIL");
            return JVMPI_FAIL;
        }
        config::set_options(options);
        log::info!("the agent sets {name}={value}");
        JVMPI_SUCCESS
    })
}

unsafe extern "C" fn get_option(name: *const c_char, buffer: *mut c_char, length: jint) -> jint {
    guarded("get_option", JVMPI_FAIL, || {
        // SAFETY: the agent's promise.
        let name = unsafe { text(name) };
        let value = name.and_then(|name| {
            let option = config::options().value_for_agent(name);
            option.or_else(|| fact(name))
        });
        let Some(value) = value else {
            log::warn_once!("get_option: no such option for agents; JVMPI_FAIL");
            return JVMPI_FAIL;
        };
        let value = CString::new(value).unwrap_or_default();
        let bytes = value.as_bytes_with_nul();
        if !buffer.is_null() && usize::try_from(length).is_ok_and(|length| bytes.len() <= length) {
            // SAFETY: the agent's promise that there are `length` bytes.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast(), bytes.len()) };
        }
        jint::try_from(bytes.len()).unwrap_or(JVMPI_FAIL)
    })
}

/// What can be asked for like an option, and not be set: what the agent is in.
fn fact(name: &str) -> Option<String> {
    match name {
        "vm" => this_vm::vm_name(),
        "program" => {
            let value = this_vm::jvmti()?.system_property(c"sun.java.command")?;
            Some(value.as_c_str().to_string_lossy().into_owned())
        }
        "collector" => flags::collector().map(str::to_owned),
        "trace" => on_or_off(config::options().trace.is_some()),
        "late" => on_or_off(life::is_late()),
        _ => None,
    }
}

fn on_or_off(is_on: bool) -> Option<String> {
    Some(if is_on { "on" } else { "off" }.to_owned())
}

unsafe extern "C" fn tell(line: *const c_char) {
    guarded("tell", (), || {
        // SAFETY: the agent's promise, as `xrun_ext.h` has it.
        if let Some(line) = unsafe { text(line) } {
            attach_report::line(line);
        }
    });
}

unsafe extern "C" fn is_sampled(object: jobjectID) -> jint {
    guarded("is_sampled", 0, || {
        let id = ids::named(object.addr());
        jint::from(id.is_some_and(|id| IDS.has(id, Flag::PICKED)))
    })
}

unsafe extern "C" fn dump_heap(path: *const c_char) -> jint {
    guarded("dump_heap", JVMPI_FAIL, || {
        if path.is_null() {
            return if by_vm::can() {
                JVMPI_SUCCESS
            } else {
                JVMPI_NOT_AVAILABLE
            };
        }
        // SAFETY: the agent's promise.
        let Some(path) = (unsafe { text(path) }) else {
            log::warning!("dump_heap: a path that is no UTF-8; JVMPI_FAIL");
            return JVMPI_FAIL;
        };
        match by_vm::write(path) {
            Ok(()) => JVMPI_SUCCESS,
            Err(NoDump::NotAvailable) => JVMPI_NOT_AVAILABLE,
            Err(NoDump::Failed) => JVMPI_FAIL,
        }
    })
}

unsafe extern "C" fn get_left_out(index: jint, method: *mut jmethodID, calls: *mut jlong) -> jint {
    guarded("get_left_out", JVMPI_FAIL, || {
        let Some(left_out) = usize::try_from(index).ok().and_then(left_out::get) else {
            return JVMPI_FAIL;
        };
        if !method.is_null() {
            // SAFETY: the agent's promise that there is room.
            unsafe { *method = left_out.method.to_jni() };
        }
        if !calls.is_null() {
            // SAFETY: likewise.
            unsafe { *calls = jlong::try_from(left_out.calls).unwrap_or(jlong::MAX) };
        }
        JVMPI_SUCCESS
    })
}

unsafe extern "C" fn watch_parks(handler: Option<XRun_ParkHandler>) -> jint {
    guarded("watch_parks", JVMPI_FAIL, || {
        agent_requests::watch_parks(handler)
    })
}

unsafe extern "C" fn list_parked(still: Option<XRun_ParkHandler>) -> jint {
    guarded("list_parked", JVMPI_FAIL, || {
        let Some(still) = still else {
            log::warn_once!("list_parked: no function was given (NULL); JVMPI_FAIL");
            return JVMPI_FAIL;
        };
        parks::list(still).map_or(JVMPI_FAIL, |count| {
            jint::try_from(count).unwrap_or(jint::MAX)
        })
    })
}

unsafe extern "C" fn get_kernel_thread(env: *mut JNIEnv) -> jint {
    guarded("get_kernel_thread", 0, || {
        // Of a virtual thread there is none of its own; and in a replay it would be nobody's.
        let has_one =
            |thread: &Arc<Thread>| !thread.is_virtual() && config::options().trace.is_none();
        let thread = threads::by_env(env).filter(has_one);
        let number = thread.and_then(|thread| thread.native().kernels());
        number.map_or(0, |number| jint::try_from(number).unwrap_or(0))
    })
}

/// # Safety
/// Of both arrays, `count` elements.
unsafe extern "C" fn get_activities(
    count: jint,
    envs: *const *mut JNIEnv,
    activities: *mut jint,
) -> jint {
    guarded("get_activities", JVMPI_FAIL, || {
        let count = usize::try_from(count).unwrap_or(0);
        if count == 0 {
            return JVMPI_SUCCESS;
        }
        if !readable(envs, count.saturating_mul(size_of::<*mut JNIEnv>()))
            || !writable(activities, count.saturating_mul(size_of::<jint>()))
        {
            log::warn_once!("get_activities: no {count} at {envs:p} or {activities:p}; JVMPI_FAIL");
            return JVMPI_FAIL;
        }
        // SAFETY: readable, and the agent's word that there are so many.
        let envs = unsafe { slice::from_raw_parts(envs, count) };
        let activities = activities.cast::<MaybeUninit<jint>>();
        // SAFETY: writable, likewise.
        let out = unsafe { slice::from_raw_parts_mut(activities, count) };
        // Behind the live phase we are not told of a thread's end.
        if config::options().trace.is_some() || this_vm::phase() != Phase::Live {
            out.fill(MaybeUninit::new(XRUN_UNKNOWN));
            return JVMPI_SUCCESS;
        }
        let mut places = out.iter_mut();
        thread_state::of_each(envs.iter().map(|env| env.addr()), |activity| {
            let activity = match activity {
                Some(Activity::Rests) => XRUN_RESTS,
                Some(Activity::RunsJava) => XRUN_RUNS_JAVA,
                Some(Activity::Elsewhere) | None => XRUN_UNKNOWN,
            };
            if let Some(place) = places.next() {
                place.write(activity);
            }
        });
        JVMPI_SUCCESS
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::gate;

    fn set(name: &CStr, value: &CStr) -> jint {
        // SAFETY: C strings.
        unsafe { (EXTENSION.set_option)(name.as_ptr(), value.as_ptr()) }
    }

    fn get(name: &CStr, buffer: &mut [u8]) -> jint {
        let length = jint::try_from(buffer.len()).unwrap_or(0);
        // SAFETY: a C string and a buffer of that length.
        unsafe { (EXTENSION.get_option)(name.as_ptr(), buffer.as_mut_ptr().cast(), length) }
    }

    #[test]
    fn options_by_name() {
        // No other test wants events meanwhile.
        let _alone = gate::opened();
        let mut few = *b"xxxxxx";
        assert_eq!(get(c"alloc-interval", &mut few), 2);
        assert_eq!(&few, b"0\0xxxx");
        assert_eq!(set(c"alloc-interval", c"512k"), JVMPI_SUCCESS);
        few = *b"xxxxxx";
        assert_eq!(
            get(c"alloc-interval", &mut few),
            7,
            "too long for the buffer"
        );
        assert_eq!(&few, b"xxxxxx");
        let mut enough = [1; 7];
        assert_eq!(get(c"alloc-interval", &mut enough), 7);
        assert_eq!(&enough, b"524288\0");
        // SAFETY: no buffer, of no bytes.
        let asked = unsafe { (EXTENSION.get_option)(c"include".as_ptr(), ptr::null_mut(), 0) };
        assert_eq!(asked, 1);
        assert_eq!(get(c"small-methods", &mut enough), 4);
        assert_eq!(set(c"method-budget", c"20"), JVMPI_SUCCESS);
        assert_eq!(get(c"method-budget", &mut enough), 3);
        assert_eq!(&enough[..3], b"20\0");
        for index in [0, -1] {
            // SAFETY: nowhere to write to.
            let none = unsafe { (EXTENSION.get_left_out)(index, ptr::null_mut(), ptr::null_mut()) };
            assert_eq!(none, JVMPI_FAIL);
        }
        for (name, value) in [
            (c"trace", c"x"),
            (c"nonsense", c""),
            (c"alloc-interval", c"x"),
        ] {
            assert_eq!(set(name, value), JVMPI_FAIL, "{name:?}");
        }
        assert_eq!(get(c"log", &mut enough), JVMPI_FAIL);
        // SAFETY: NULL is one of the wrong arguments that are answered.
        let null = unsafe { (EXTENSION.set_option)(ptr::null(), ptr::null()) };
        assert_eq!(null, JVMPI_FAIL);
        assert_eq!(config::options().alloc_interval, 1 << 19);
    }
}
