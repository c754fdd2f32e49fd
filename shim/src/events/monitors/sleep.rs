//! Thread.sleep: MONITOR_WAIT and MONITOR_WAITED without an object. Platform threads sleep in a
//! native method; virtual ones in Java, so hooks in `Thread` tell of them.
//!
//! # Safety
//! The VM calls the wrapper as it would call what is behind it, which is the address that
//! the VM itself gave for the method.
#![allow(unsafe_code, reason = "a native method of java.lang.Thread")]

use std::ffi::c_void;
use std::sync::Once;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering, fence};

use jvmpi_headers::jni::{JNIEnv, jclass, jlong};

use crate::base::boundary::guarded;
use crate::base::log;
use crate::events::monitors::monitor_events;
use crate::hooks::{hook_class, native_methods};
use crate::model::thread::{Thread, current};
use crate::vm::env::Jvmti;
use crate::vm::hotspot;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::threads::pending_exception;
use crate::vm::jni::Jni;

type Sleep = unsafe extern "system" fn(*mut JNIEnv, jclass, jlong);

/// The native methods behind Thread.sleep, by age, with their descriptor.
const NAMES: [&[u8]; 3] = [b"sleep", b"sleep0", b"sleepNanos0"];
const DESCRIPTOR: &[u8] = b"(J)V";

/// What the wrapper calls; 0 while there is none.
static REAL: AtomicUsize = AtomicUsize::new(0);
/// How many of the argument's units are a millisecond.
static UNITS: AtomicI64 = AtomicI64::new(1);

/// Puts the wrapper in front of the native method, once.
///
/// # Phase
/// Live.
pub(crate) fn wrap(jvmti: Jvmti, jni: Jni) {
    static WANTED: Once = Once::new();
    WANTED.call_once(|| hook_class::do_inside(install));
    if !is_installed() && hook_class::ensure(jvmti, jni) && !is_installed() {
        hook_class::bind_again(jni);
    }
}

fn is_installed() -> bool {
    REAL.load(Ordering::Acquire) != 0
}

fn install(jvmti: Jvmti, jni: Jni) {
    if !is_installed() && !try_install(jvmti, jni) {
        drop(jni.take_exception());
        log::warn_once!("Thread.sleep of this VM is not known: no events of sleeping threads");
    }
}

fn try_install(jvmti: Jvmti, jni: Jni) -> bool {
    let Some(class) = class_loaders::of_boot_loader(jni, c"java/lang/Thread") else {
        return false;
    };
    let Ok(methods) = jvmti.methods(class.get()) else {
        return false;
    };
    let found = methods.as_slice().iter().find_map(|&method| {
        let (name, descriptor) = jvmti.method_name(method).ok()?;
        let fits = NAMES.contains(&name.bytes())
            && descriptor.bytes() == DESCRIPTOR
            && jvmti.method_is_native(method) == Some(true);
        fits.then(|| (method, name.bytes().to_vec()))
    });
    let Some((method, name)) = found else {
        return false;
    };
    let real = native_methods::address_of(method).or_else(hotspot::threads::sleep::address);
    let Some(real) = real else {
        return false;
    };
    // `sleep0` of JDK 19 and 20 still counted milliseconds.
    let nanos = name == b"sleepNanos0" || name == b"sleep0" && jvmti.feature_version() >= 21;
    // Relaxed: in front of REAL, and read behind the same fence.
    UNITS.store(if nanos { 1_000_000 } else { 1 }, Ordering::Relaxed);
    // In front of the method before it can be called: the fence is for the VM's own write of the
    // wrapper's address.
    REAL.store(real, Ordering::Release);
    fence(Ordering::Release);
    let wrapper = (sleep as *const ()).cast_mut().cast::<c_void>();
    let done = native_methods::wrap(jni, class.get(), &name, DESCRIPTOR, wrapper);
    if !done {
        REAL.store(0, Ordering::Release);
    }
    done
}

/// Begun ones count, of so many units each.
fn millis(time: i64, units: i64) -> i64 {
    time.checked_add(units - 1).map_or(time, |up| up) / units
}

unsafe extern "system" fn sleep(env: *mut JNIEnv, class: jclass, time: jlong) {
    // For its read of it.
    fence(Ordering::Acquire);
    let begun = guarded("Thread.sleep", None, || {
        // 0 is "for ever" to an agent; a negative time is an error of the caller's.
        let millis = millis(time, UNITS.load(Ordering::Relaxed));
        // SAFETY: the VM passes the calling thread's environment.
        let jni = unsafe { Jni::from_raw(env) }.filter(|_| time > 0)?;
        let begun = monitor_events::sleep(jni, millis, false);
        // SAFETY: as above.
        unsafe { pending_exception::drop_it(env) };
        begun.map(|begun| (jni, begun))
    });
    let real = std::ptr::with_exposed_provenance::<c_void>(REAL.load(Ordering::Acquire));
    if !real.is_null() {
        // SAFETY: the address of the native method behind which the VM would be.
        let real = unsafe { std::mem::transmute::<*const c_void, Sleep>(real) };
        // SAFETY: what the VM passed.
        unsafe { real(env, class, time) };
    }
    if let Some((jni, begun)) = begun {
        guarded("Thread.sleep", (), || monitor_events::slept(jni, &begun));
    }
}

/// `Thread.sleep` begins, on any thread: a virtual one says so here.
pub(crate) fn virtual_begins(jni: Jni, nanos: i64) {
    if nanos > 0 {
        // Nothing of platform threads, which come here, too.
        if let Some(begun) = monitor_events::sleep(jni, millis(nanos, 1_000_000), true) {
            current::with_own(|own| own.monitor_wait().falls_asleep(begun));
        }
    }
}

/// It is over.
pub(crate) fn virtual_ends(jni: Jni) {
    if let Some(begun) = current::with_own(Thread::wakes).flatten() {
        monitor_events::slept(jni, &begun);
    }
}
