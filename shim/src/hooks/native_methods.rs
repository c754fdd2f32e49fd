//! Thunks in front of native methods, for their method events and for what synchronized ones do
//! at their end ([`crate::hooks::native_thunks`]).
//!
//! The VM tells of every native method that it binds, in its earliest phase by numbers
//! only, which can be named later (JVMTI facts 18). So all are remembered, and get their
//! thunks when an agent wants such events.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use event_translate::small_natives;
use id_map::ObjectId;
use native_layout::native_arguments::{self, Convention};
use parking_lot::Mutex;

use crate::base::{config, log};
use crate::hooks::left_out;
use crate::hooks::native_thunks::{self, Thunk};
use crate::hooks::wanted_hooks;
use crate::model::classes::method_numbers::{self, Range};
use crate::model::{classes, ids};
use crate::vm::classes::{ACC_STATIC, ACC_SYNCHRONIZED};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm::{self, Phase};

/// A method that the VM has bound.
struct Bound {
    /// Its class, unless that is never unloaded.
    class: Option<ObjectId>,
    /// The address it was bound to last, our thunks excluded.
    address: usize,
    /// The same, our wrapper of Thread.sleep excluded, too.
    real: Option<usize>,
    /// Its thunks. Programs register the same natives again and again.
    thunks: Vec<Made>,
    /// It has none because it is small, and is counted.
    is_left_out: bool,
}

/// A thunk that was made: what is behind it, its own address and the number it uses.
struct Made {
    address: usize,
    thunk: usize,
    number: Range,
}

static BOUND: Mutex<Option<HashMap<MethodId, Bound>>> = Mutex::new(None);
/// The methods that the agent may hear of.
pub(crate) const METHODS: u32 = 1;
/// The synchronized ones.
pub(crate) const SYNCHRONIZED: u32 = 2;

/// Which of the two an agent wants.
static WANTED: AtomicU32 = AtomicU32::new(0);
/// From now on each of these gets its thunk when it is bound.
static ON: AtomicU32 = AtomicU32::new(0);

/// Native methods of these kinds are to get thunks when the hook class's own code runs
/// next. True if that is still to be done.
pub(crate) fn want(kinds: u32) -> bool {
    WANTED.fetch_or(kinds, Ordering::AcqRel);
    kinds & !ON.load(Ordering::Acquire) != 0
}

/// Functions of ours that stand in front of one native method each.
static WRAPPERS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Puts one in front of its method; false if the VM refuses. Called where [`catch_up`] is.
pub(crate) fn wrap(
    jni: Jni,
    class: ObjectRef<'_>,
    name: &[u8],
    descriptor: &[u8],
    wrapper: *mut c_void,
) -> bool {
    WRAPPERS.lock().insert(wrapper.addr());
    jni.register_native(class, name, descriptor, wrapper)
}

/// What the VM bound to a native method, our wrapper aside.
pub(crate) fn address_of(method: MethodId) -> Option<usize> {
    BOUND.lock().as_ref()?.get(&method)?.real
}

/// The classes are gone, and so are their natives.
pub(crate) fn forget(dead: &HashSet<ObjectId>) {
    let mut gone = Vec::new();
    if let Some(all) = BOUND.lock().as_mut() {
        let dies = |bound: &Bound| bound.class.is_some_and(|class| dead.contains(&class));
        gone.extend(all.extract_if(|_, bound| dies(bound)));
    }
    for made in gone.iter().flat_map(|(_, bound)| &bound.thunks) {
        native_thunks::give_back(made.thunk);
        method_numbers::release(made.number);
    }
}

/// The method's class, if it may be unloaded.
fn mortal_class(jvmti: Jvmti, method: MethodId) -> Option<ObjectId> {
    if this_vm::phase() != Phase::Live {
        // The boot loader's, and what the application loader has by then.
        return None;
    }
    let jni = Jni::of_this_thread()?;
    let class = jvmti.declaring_class(jni, method).ok()?;
    jvmti.class_loader(jni, class.get())?;
    Some(classes::of(jvmti, jni, class.get())?.id)
}

/// NativeMethodBind: what the VM shall call, or `None` for `address` itself. In the
/// primordial phase nothing of the VM may be called.
pub(crate) fn bound(jvmti: Jvmti, method: MethodId, address: usize) -> Option<*mut c_void> {
    if native_thunks::is_thunk(address) {
        return None;
    }
    let class = mortal_class(jvmti, method);
    let is_wrapper = WRAPPERS.lock().contains(&address);
    {
        let mut bound = BOUND.lock();
        let bound = bound
            .get_or_insert_default()
            .entry(method)
            .or_insert_with(|| Bound {
                class,
                address,
                real: None,
                thunks: Vec::new(),
                is_left_out: false,
            });
        bound.address = address;
        if !is_wrapper {
            bound.real = Some(address);
        }
    }
    let on = ON.load(Ordering::Acquire);
    if on == 0 {
        return None;
    }
    let native = Native::of(jvmti, method, on)?;
    native.thunk(jvmti, method, address)
}

/// Some of the thunks may be of classes that are gone.
fn make_room(jvmti: Jvmti) {
    const STEP: usize = 1024;
    static LIMIT: AtomicUsize = AtomicUsize::new(STEP);
    // Relaxed: a limit that is a guess.
    let (limit, used) = (LIMIT.load(Ordering::Relaxed), native_thunks::count());
    if used >= limit
        && this_vm::phase() == Phase::Live
        && let Some(jni) = Jni::of_this_thread()
    {
        LIMIT.store(used + STEP, Ordering::Relaxed);
        ids::grown(jvmti, jni);
    }
}

/// Each once: programs register the same natives again and again.
fn count_left_out(method: MethodId) {
    let mut bound = BOUND.lock();
    let bound = bound.as_mut().and_then(|bound| bound.get_mut(&method));
    if bound.is_some_and(|bound| !std::mem::replace(&mut bound.is_left_out, true)) {
        left_out::count_small_native();
    }
}

/// A native method with all that a thunk needs.
struct Native {
    name: Vec<u8>,
    descriptor: Vec<u8>,
    is_static: bool,
    is_synchronized: bool,
    /// The agent may hear of it.
    is_taken: bool,
}

impl Native {
    /// `None` if it cannot be named, or is of none of these kinds.
    fn of(jvmti: Jvmti, method: MethodId, kinds: u32) -> Option<Self> {
        let class = jvmti.declaring_class_signature(method)?;
        let class = class.bytes().strip_prefix(b"L")?.strip_suffix(b";")?;
        let modifiers = jvmti.method_modifiers(method)?;
        let is_synchronized = modifiers & ACC_SYNCHRONIZED != 0;
        let (name, descriptor) = jvmti.method_name(method).ok()?;
        let is_small =
            config::options().skip_small_methods && small_natives::is_small(class, name.bytes());
        let mut is_taken = wanted_hooks::takes(class);
        if is_small && is_taken && kinds & METHODS != 0 {
            count_left_out(method);
        }
        is_taken &= !is_small;
        if !(is_taken && kinds & METHODS != 0 || is_synchronized && kinds & SYNCHRONIZED != 0) {
            return None;
        }
        Some(Self {
            name: name.bytes().to_vec(),
            descriptor: descriptor.bytes().to_vec(),
            is_static: modifiers & ACC_STATIC != 0,
            is_synchronized,
            is_taken,
        })
    }

    fn thunk(&self, jvmti: Jvmti, method: MethodId, address: usize) -> Option<*mut c_void> {
        make_room(jvmti);
        let stack_words = native_arguments::stack_words(&self.descriptor, Convention::HERE)?;
        let mut bound = BOUND.lock();
        let thunks = &mut bound.as_mut()?.get_mut(&method)?.thunks;
        if let Some(made) = thunks.iter().find(|made| made.address == address) {
            return Some(ptr::with_exposed_provenance_mut(made.thunk));
        }
        let number = method_numbers::reserve_for_native()?;
        let thunk = native_thunks::make(Thunk {
            address,
            stack_words,
            number: number.base,
            is_taken: self.is_taken,
            has_receiver: !self.is_static,
            is_synchronized: self.is_synchronized,
        });
        if let Some(thunk) = thunk {
            thunks.push(Made {
                address,
                thunk: thunk.expose_provenance(),
                number,
            });
        } else {
            drop(bound);
            method_numbers::release(number);
            log::warn_once!("too many native methods: some have no events");
        }
        thunk
    }
}

/// Puts thunks in front of what was bound so far. Called from a native method of the
/// hook class's own code: elsewhere the VM would print warnings (JVMTI facts 18).
pub(crate) fn catch_up(jvmti: Jvmti, jni: Jni) {
    let wanted = WANTED.load(Ordering::Acquire);
    if wanted & !ON.fetch_or(wanted, Ordering::AcqRel) == 0 {
        return;
    }
    let bound: Vec<_> = {
        let bound = BOUND.lock();
        let all = bound.iter().flatten();
        all.map(|(&method, bound)| (method, bound.address))
            .collect()
    };
    let count = bound.len();
    for (method, address) in bound {
        let Some(native) = Native::of(jvmti, method, wanted) else {
            continue;
        };
        let Ok(class) = jvmti.declaring_class(jni, method) else {
            continue;
        };
        if let Some(thunk) = native.thunk(jvmti, method, address) {
            let done = jni.register_native(class.get(), &native.name, &native.descriptor, thunk);
            if !done {
                drop(jni.take_exception());
            }
        }
    }
    log::info!("{count} native methods were bound before their events were wanted");
}
