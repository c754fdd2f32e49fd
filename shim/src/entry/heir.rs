//! The next life: an agent that has gone leaves this copy of ours muted. The next agent gets a
//! fresh copy of the library, in memory and not in a file, to which the VM's calls are passed on.
#![allow(
    unsafe_code,
    reason = "entry points of the copy, called as the VM calls ours"
)]

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::AtomicBool;

use jvmpi_headers::jni::{JNI_OK, JNIEnv, JavaVM, jclass, jint};
use parking_lot::Mutex;
use terminal_text::raw_text;

use crate::base::boundary::guarded;
use crate::base::guards::Turn;
use crate::base::{life, log};
use crate::entry::hook_natives::Java_java_lang_JvmpiHooks_register;
use crate::os::library::{self, Library};

type OnAttach = unsafe extern "system" fn(*mut JavaVM, *mut c_char, *mut c_void) -> jint;
type BeginLife = unsafe extern "C" fn(u32, *const c_char);

type Register = unsafe extern "system" fn(*mut JNIEnv, jclass);

#[derive(Clone, Copy)]
struct Heir {
    library: Library,
    on_attach: OnAttach,
}

static HEIR: Mutex<Option<Heir>> = Mutex::new(None);

fn known() -> Option<Heir> {
    *HEIR.lock()
}

/// Whether there is one.
pub(crate) fn exists() -> bool {
    known().is_some()
}

/// One that is made now, without the lock: loading a library runs code of others. The VM attaches
/// one agent at a time; a second caller is refused.
fn made() -> Option<Heir> {
    static MAKING: AtomicBool = AtomicBool::new(false);
    let Some(_making) = Turn::take(&MAKING) else {
        log::warning!("another agent is being attached at this moment; try again");
        return None;
    };
    if let Some(made) = known() {
        return Some(made);
    }
    match make() {
        Ok(made) => *HEIR.lock() = Some(made),
        Err(reason) => log::warning!("{}", refusal(&reason)),
    }
    known()
}

/// Passes on what the VM has called us with; the heir is made if there is none. False, with one
/// line, if there can be none.
pub(crate) fn attach(vm: *mut JavaVM, options: &str) -> bool {
    let Some(Heir { on_attach, .. }) = known().or_else(made) else {
        return false;
    };
    let Ok(options) = CString::new(raw_text::encode(options)) else {
        return false;
    };
    // SAFETY: the VM's own JavaVM and a C string that outlives the call.
    let code = unsafe { on_attach(vm, options.as_ptr().cast_mut(), ptr::null_mut()) };
    code == JNI_OK
}

fn refusal(reason: &str) -> String {
    let lives = life::number() + 1;
    if reason.contains("static TLS") {
        return format!(
            "{lives} agents were in this VM one after the other, and glibc has no thread-local storage for \
             one more copy of libjvmpi.so; start the program anew, with \
             GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384 for more of them"
        );
    }
    format!(
        "an agent was here and has gone; libjvmpi.so cannot be loaded once more: {reason}; start the program anew"
    )
}

fn make() -> Result<Heir, String> {
    let own = library::own_path().ok_or("its file is not known")?;
    let copy = library::open_copy(&own)?;
    let missing = || format!("{} is another version by now", own.display());
    let begin = copy.symbol(c"xrun_begin_life").ok_or_else(missing)?;
    let on_attach = copy.symbol(c"Agent_OnAttach").ok_or_else(missing)?;
    let path = CString::new(own.as_os_str().as_bytes()).unwrap_or_default();
    // SAFETY: the type of our own export.
    let begin = unsafe { mem::transmute::<*mut c_void, BeginLife>(begin.as_ptr()) };
    // SAFETY: a C string that outlives the call.
    unsafe { begin(life::number() + 1, path.as_ptr()) };
    // SAFETY: the type of JVMTI's entry point.
    let on_attach = unsafe { mem::transmute::<*mut c_void, OnAttach>(on_attach.as_ptr()) };
    Ok(Heir {
        library: copy,
        on_attach,
    })
}

/// What registers the hook class of this life: our own, or that of the next one.
fn register_of(number: u32, name: &CStr) -> Option<Register> {
    if life::number() == number {
        return Some(Java_java_lang_JvmpiHooks_register);
    }
    let next = known()?.library.symbol(name)?;
    // SAFETY: the type of this very export of the copy's.
    Some(unsafe { mem::transmute::<*mut c_void, Register>(next.as_ptr()) })
}

/// `register()` of the hook classes of later lives ([`crate::model::classes::hook_class`]). The VM
/// looks for them in the libraries that it has loaded itself, so in that of the first life, which
/// passes them on.
macro_rules! registers {
    ($($life:literal $symbol:ident)+) => {$(
        /// # Safety
        /// Called by the VM from the class's own Java code.
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $symbol(env: *mut JNIEnv, class: jclass) {
            let name = concat!(stringify!($symbol), "\0").as_bytes();
            let of_life = || register_of($life, CStr::from_bytes_with_nul(name).ok()?);
            if let Some(register) = guarded("register", None, of_life) {
                // SAFETY: what the VM has passed.
                unsafe { register(env, class) };
            }
        }
    )+};
}

// More than glibc has room for ([`attach`] says so).
registers! {
    1 Java_java_lang_JvmpiHooks1_register
    2 Java_java_lang_JvmpiHooks2_register
    3 Java_java_lang_JvmpiHooks3_register
    4 Java_java_lang_JvmpiHooks4_register
    5 Java_java_lang_JvmpiHooks5_register
    6 Java_java_lang_JvmpiHooks6_register
    7 Java_java_lang_JvmpiHooks7_register
}
