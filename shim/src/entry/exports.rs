//! The library's entry points.
//!
//! # Safety
//! The VM calls these with its own JavaVM: Agent_OnLoad and JVM_OnLoad before `main`, once for each option that names
//! us, Agent_OnAttach while the program runs, once for each attaching and each detaching. Options are null or a C string. What
//! `xrun_…` is called by says each of them.
#![allow(unsafe_code, reason = "exported C symbols")]

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JavaVM, jint};
use terminal_text::raw_text;

use crate::agent::start;
use crate::base::boundary::{guarded, quiet_panics};
use crate::base::life;
use crate::entry::{attach, environment, get_env, launcher_thread, other_copy, settings, wiring};
use crate::observe::jvmti::saw;

/// # Safety
/// NULL or a C string.
unsafe fn text(options: *const c_char) -> Option<String> {
    if options.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let options = unsafe { CStr::from_ptr(options) };
    Some(raw_text::decode(options.to_bytes()))
}

/// What the VM calls to begin with: all is in place before `begin`, which says whether we have started.
fn entered(name: &'static str, begin: impl FnOnce() -> bool) -> jint {
    guarded(name, JNI_ERR, || {
        quiet_panics();
        wiring::connect();
        if begin() { JNI_OK } else { JNI_ERR }
    })
}

/// The same while the VM is starting, where a copy of us that is there already does all.
///
/// # Safety
/// The VM's own JavaVM.
unsafe fn entered_at_start(
    name: &'static str,
    vm: *mut JavaVM,
    begin: impl FnOnce() -> bool,
) -> jint {
    entered(name, || {
        if other_copy::is_there(vm) {
            return true;
        }
        // SAFETY: the caller's promise.
        unsafe { get_env::install(vm) };
        begin()
    })
}

/// `-agentpath:libjvmpi.so[=…]`, also through JAVA_TOOL_OPTIONS.
///
/// # Safety
/// See the module documentation.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    let begin = || {
        // SAFETY: the VM's promise.
        let options = unsafe { text(options) };
        let spec = settings::read(options.as_deref());
        environment::create(vm) && start::open_for_vm_start(spec)
    };
    // SAFETY: the VM's promise.
    unsafe { entered_at_start("Agent_OnLoad", vm, begin) }
}

/// `jcmd PID JVMTI.agent_load libjvmpi.so agent:options`: into a running VM.
///
/// # Safety
/// See the module documentation.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Agent_OnAttach(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    entered("Agent_OnAttach", || {
        // SAFETY: the VM's own JavaVM.
        let install = || unsafe { get_env::install(vm) };
        // SAFETY: the VM's promise.
        let options = unsafe { text(options) };
        attach::called(vm, options.as_deref(), &install)
    })
}

/// Called by an earlier life of this library, of which this is a copy (`entry/heir.rs`).
///
/// # Safety
/// `file` is a C string, the path of the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn xrun_begin_life(number: u32, file: *const c_char) {
    guarded("the next life", (), || {
        quiet_panics();
        // SAFETY: the caller's promise.
        let file = unsafe { CStr::from_ptr(file) };
        life::begin(number, OsStr::from_bytes(file.to_bytes()).into());
    });
}

/// `xrun_saw.h`, for an agent that is linked with us; the import tables of others are filled in.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn xrun_saw(noun: usize, name: usize, amount: i64) {
    // SAFETY: the caller's promise.
    unsafe { saw::saw::<0>(noun, name, amount) }
}

/// The same.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn xrun_saw_stack(env: usize, count: i32, methods: *const usize) {
    // SAFETY: the caller's promise.
    unsafe { saw::saw_stack::<0>(env, count, methods) }
}

/// `-Xrunjvmpi:agent:options`, or `-Xrunfoo:options` with a link `libfoo.so` to
/// this library. An agent in one library with us has its own, under this name.
///
/// # Safety
/// See the module documentation.
#[cfg_attr(not(feature = "static-library"), unsafe(export_name = "JVM_OnLoad"))]
#[cfg_attr(feature = "static-library", unsafe(export_name = "xrun_JVM_OnLoad"))]
pub(crate) unsafe extern "system" fn jvm_on_load(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    let begin = || {
        // SAFETY: the VM's promise.
        let options = unsafe { text(options) };
        let spec = match start::behind_our_name(options.as_deref()) {
            Some(spec) => {
                // The text is the agent's; ours may stand in the environment.
                settings::read(None);
                Some(spec)
            }
            None => settings::read(options.as_deref()),
        };
        start::open_for_vm_start(spec) && launcher_thread::arrange(vm)
    };
    // SAFETY: the VM's promise.
    unsafe { entered_at_start("JVM_OnLoad", vm, begin) }
}
