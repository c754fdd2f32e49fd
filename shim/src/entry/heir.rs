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

use jvmpi_headers::jni::{JNI_OK, JNIEnv, JavaVM, jclass, jint};
use parking_lot::Mutex;
use terminal_text::raw_text;

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

/// Whether there is one.
pub(crate) fn exists() -> bool {
    HEIR.lock().is_some()
}

/// Passes on what the VM has called us with; the heir is made if there is none. False, with one
/// line, if there can be none.
pub(crate) fn attach(vm: *mut JavaVM, options: &str) -> bool {
    let heir = {
        let mut heir = HEIR.lock();
        if heir.is_none() {
            match make() {
                Ok(made) => *heir = Some(made),
                Err(reason) => log::warning!("{}", refusal(&reason)),
            }
        }
        *heir
    };
    let Some(Heir { on_attach, .. }) = heir else {
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

/// `register()` of the hook classes of later lives ([`crate::model::classes::hook_class`]). The VM
/// looks for them in the libraries that it has loaded itself, so in that of the first life, which
/// passes them on.
macro_rules! registers {
    ($($life:literal $symbol:ident)+) => {$(
        /// # Safety
        /// Called by the VM from the class's own Java code.
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $symbol(env: *mut JNIEnv, class: jclass) {
            if life::number() == $life {
                // SAFETY: what the VM has passed.
                unsafe { Java_java_lang_JvmpiHooks_register(env, class) };
                return;
            }
            let heir = *HEIR.lock();
            let name = concat!(stringify!($symbol), "\0").as_bytes();
            let next = CStr::from_bytes_with_nul(name)
                .ok()
                .zip(heir)
                .and_then(|(name, heir)| heir.library.symbol(name));
            let Some(next) = next else { return };
            // SAFETY: the type of this very export of the copy's.
            let next = unsafe { mem::transmute::<*mut c_void, Register>(next.as_ptr()) };
            // SAFETY: what the VM has passed.
            unsafe { next(env, class) };
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
