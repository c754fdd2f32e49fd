//! The classes whose native methods rewritten code calls: one in java.lang for the VM's own
//! loaders, one of its own for each other loader ([`crate::hooks::hook_loaders`] says which).
#![allow(unsafe_code, reason = "functions of the JNI table")]

use std::ffi::{CString, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use class_rewriter::{CONTENDED, CONTENDED_TYPE, HOOKS, Hook, LEAVES, LEAVES_CALLER, hook_class};
use jvmpi_headers::jni::JNINativeMethod;
use once_cell::sync::OnceCell;
use parking_lot::{Condvar, Mutex};

use crate::base::log;
use crate::base::patience;
use crate::hooks::{native_methods, retransform};
use crate::model::classes;
use crate::model::thread::attention;
use crate::model::thread::attention_guard::with_attention;
use crate::os::library;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::stacks::hidden_frames;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::{Global, Local, ObjectRef};
use crate::vm::this_vm;

/// The VM's own; `register`'s symbol is made from that of the first life.
pub(crate) fn name() -> &'static str {
    static NAME: OnceCell<String> = OnceCell::new();
    NAME.get_or_init(|| format!("java/lang/{}", classes::hook_class()))
}

/// The array that all of them have in their field [`CONTENDED`].
static CONTENTION: OnceCell<Global> = OnceCell::new();

/// Whether rewritten code is to tell which monitors it leaves.
pub(crate) fn set_contended(jni: Jni, on: bool) {
    if let Some(array) = CONTENTION.get() {
        jni.set_boolean(array.get(), on);
    }
}

/// Whether the VM's own hook class is there.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unknown,
    Defining,
    Known(bool),
}

static STATE: Mutex<State> = Mutex::new(State::Unknown);
static CHANGED: Condvar = Condvar::new();

/// The calling thread defines it. When this is dropped, by a panic, too, the others hear whether it is there.
struct Defining {
    is_there: bool,
}

impl Drop for Defining {
    fn drop(&mut self) {
        *STATE.lock() = State::Known(self.is_there);
        CHANGED.notify_all();
    }
}

/// Defines the VM's own hook class, once; false if it cannot be had.
pub(crate) fn ensure(jvmti: Jvmti, jni: Jni) -> bool {
    // Who defines it runs a few lines of the JDK's.
    let deadline = patience::HOOK_CLASS.deadline();
    let mut state = STATE.lock();
    while *state == State::Defining {
        // Who enables an event counts on it when that returns.
        if retransform::is_ours() || CHANGED.wait_until(&mut state, deadline).timed_out() {
            return false;
        }
    }
    if let State::Known(there) = *state {
        return there;
    }
    *state = State::Defining;
    drop(state);
    let mut defining = Defining { is_there: false };
    let class = with_attention(attention::REWRITING, || define(jni));
    let record = class.and_then(|class| classes::of(jvmti, jni, class.get()));
    defining.is_there = record.is_some();
    defining.is_there
}

static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Defines the VM's own and binds its methods, before any class is rewritten: the first
/// call of a native method runs Java code. `None`, with one line, if the VM refuses.
///
/// # Phase
/// Live.
fn define(jni: Jni) -> Option<Local> {
    let _pending = ExceptionAside::put(jni);
    if CONTENTION.get().is_none()
        && let Some(array) = jni.boolean_array()
        && let Some(array) = Global::new(jni, array.get())
    {
        let _ = CONTENTION.set(array);
    }
    let library = library::own_path().unwrap_or_default();
    let name = name();
    let bytes = hook_class(name, "java/lang/Object", Some(&library.to_string_lossy()));
    let class = jni.define_class(name, None, &bytes);
    if let Some(class) = &class {
        jni.call_static(class.get(), c"bind");
        if !REGISTERED.load(Ordering::Acquire) {
            // The VM looks for natives in agents, and -Xrun alone makes us none.
            drop(jni.take_exception());
            jni.call_static(class.get(), c"load");
            drop(jni.take_exception());
            jni.call_static(class.get(), c"bind");
        }
    }
    drop(jni.take_exception());
    if let Some(class) = &class {
        hidden_frames::learn(&natives(jni, class.get()));
    }
    if class.is_none() || !REGISTERED.load(Ordering::Acquire) {
        log::warning!(
            "the class {name} cannot be had in this VM: no method events (method-events=exact may help)"
        );
        return None;
    }
    class
}

/// Defines one for a loader of the program's, and binds it. `None` if the VM refuses, for
/// one because the loader has it.
pub(crate) fn define_in(
    jni: Jni,
    loader: ObjectRef<'_>,
    name: &str,
    superclass: &str,
) -> Option<Local> {
    let bytes = hook_class(name, superclass, None);
    let class = jni.define_class(name, Some(loader), &bytes);
    drop(jni.take_exception());
    class.filter(|class| {
        hide(jni, class.get());
        bind(jni, class.get())
    })
}

/// The VM hides frames by an annotation, but not of classes of such loaders.
fn hide(jni: Jni, class: ObjectRef<'_>) {
    let mut methods = natives(jni, class);
    if hidden_frames::compare(&methods) {
        let (_, leave) = Hook::Leave.signature();
        let (_, leave_caller) = Hook::LeaveCaller.signature();
        methods.extend(ids(
            jni,
            class,
            [(LEAVES, leave), (LEAVES_CALLER, leave_caller)],
        ));
        hidden_frames::hide(&methods);
    }
}

/// The methods of [`HOOKS`].
fn natives(jni: Jni, class: ObjectRef<'_>) -> Vec<MethodId> {
    ids(
        jni,
        class,
        HOOKS.map(|(_, name, descriptor)| (name, descriptor)),
    )
}

fn ids<const N: usize>(
    jni: Jni,
    class: ObjectRef<'_>,
    methods: [(&str, &str); N],
) -> Vec<MethodId> {
    let found = methods
        .map(|(name, descriptor)| jni.static_method(class, &c_string(name), &c_string(descriptor)));
    found.into_iter().flatten().collect()
}

/// Binds a loader's, if another thread that defines it has not come so far: until then code
/// that calls it must not run. False if the VM refuses.
pub(crate) fn bind(jni: Jni, class: ObjectRef<'_>) -> bool {
    // The array is put in last.
    let is_bound = jni.static_object(class, &c_string(CONTENDED), &c_string(CONTENDED_TYPE));
    let done = is_bound.is_some() || bind_hooks(jni, class);
    drop(jni.take_exception());
    done
}

/// Has the VM's own class's code call [`register`] once more.
pub(crate) fn bind_again(jni: Jni) {
    with_attention(attention::REWRITING, || {
        let _pending = ExceptionAside::put(jni);
        if let Some(class) = class_loaders::of_boot_loader(jni, &c_string(name())) {
            jni.call_static(class.get(), c"bind");
            // -Xcheck:jni wants it looked at.
            drop(jni.take_exception());
        }
    });
}

/// What else is to be done in the hook class's own code.
type Inside = fn(Jvmti, Jni);

static INSIDE: Mutex<Vec<Inside>> = Mutex::new(Vec::new());

/// To be done whenever [`register`] is called: there the VM lets us replace its native methods
/// without a warning on stdout (JVMTI facts 18).
pub(crate) fn do_inside(body: Inside) {
    INSIDE.lock().push(body);
}

/// Tells the VM the functions behind the class's methods, and whatever else is wanted in
/// front of native methods.
pub(crate) fn register(jni: Jni, class: ObjectRef<'_>) {
    if !REGISTERED.load(Ordering::Acquire) && bind_hooks(jni, class) {
        REGISTERED.store(true, Ordering::Release);
    }
    if let Some(jvmti) = this_vm::jvmti() {
        native_methods::catch_up(jvmti, jni);
        let others = INSIDE.lock().clone();
        for body in others {
            body(jvmti, jni);
        }
    }
}

/// The C function of each hook.
pub(crate) type Functions = fn(Hook) -> *const c_void;

static FUNCTIONS: OnceCell<Functions> = OnceCell::new();

/// What rewritten code calls: put in at load.
pub(crate) fn set_functions(functions: Functions) {
    let _ = FUNCTIONS.set(functions);
}

fn bind_hooks(jni: Jni, class: ObjectRef<'_>) -> bool {
    let Some(function) = FUNCTIONS.get() else {
        return false;
    };
    let texts = HOOKS.map(|(_, name, descriptor)| [name, descriptor].map(c_string));
    let methods: Vec<JNINativeMethod> = HOOKS
        .iter()
        .zip(&texts)
        .map(|(&(hook, ..), [name, descriptor])| JNINativeMethod {
            name: name.as_ptr().cast_mut().cast::<c_char>(),
            signature: descriptor.as_ptr().cast_mut().cast::<c_char>(),
            fnPtr: function(hook).cast_mut(),
        })
        .collect();
    if !jni.register_natives(class, &methods) {
        return false;
    }
    let field = jni.static_field(class, &c_string(CONTENDED), &c_string(CONTENDED_TYPE));
    let (Some(field), Some(array)) = (field, CONTENTION.get()) else {
        return false;
    };
    jni.set_static_object(class, field, array.get());
    true
}

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}
