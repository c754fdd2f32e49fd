//! A JNIEnv for each thread of the recording.
//!
//! There is no Java: each function of JNI that the agent calls fails, and one line says which.
//!
//! # Safety
//! Envs are made by us, never freed, and agents give back what we gave.
#![allow(unsafe_code, reason = "tables of C functions")]

use std::cell::{Cell, UnsafeCell};
use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use jvmpi_headers::jni::{JNIEnv, JavaVM};
use parking_lot::{Mutex, MutexGuard};

use crate::host::lock;
use crate::missing::Function;
#[cfg(not(target_arch = "x86"))]
use crate::missing::missing;
use crate::ours::Ours;

/// Slots of JNI's function table, all versions'.
const SLOTS: usize = 240;

/// A JNIEnv as C sees it, and what it stands for.
#[repr(C)]
struct Env {
    functions: *mut [Function; SLOTS],
    recorded: u64,
}

/// What GetJavaVM gives.
static VM: AtomicPtr<JavaVM> = AtomicPtr::new(ptr::null_mut());

/// All envs belong to this JavaVM.
pub(crate) fn set_vm(vm: *mut JavaVM) {
    VM.store(vm, Ordering::Release);
}

/// Of a thread that has had no event.
const UNKNOWN: u64 = u64::MAX;

thread_local! {
    static CURRENT: Cell<u64> = const { Cell::new(UNKNOWN) };
}

/// The env of the calling thread as it was recorded; of a thread that has had no event, a
/// number that no other has.
pub(crate) fn current() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    if is_unknown() {
        // Relaxed: numbers that differ.
        CURRENT.set(NEXT.fetch_add(1, Ordering::Relaxed));
    }
    CURRENT.get()
}

/// Whether the calling thread has had no event, and is not attached.
pub(crate) fn is_unknown() -> bool {
    CURRENT.get() == UNKNOWN
}

/// It is no longer.
pub(crate) fn forget_current() {
    CURRENT.set(UNKNOWN);
}

/// The calling thread has this env. NULL, which events of collections have, says nothing of it.
pub fn set_current(recorded: u64) {
    if recorded != 0 {
        CURRENT.set(recorded);
    }
}

/// While it lives the calling thread has an event of some env. Events lie in each other, and not all are of the thread
/// that they come on: behind one in another the thread is again what it was.
pub(crate) struct Event {
    before: u64,
}

impl Event {
    pub(crate) fn begin(recorded: u64) -> Self {
        let before = CURRENT.get();
        set_current(recorded);
        Self { before }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.before != UNKNOWN {
            CURRENT.set(self.before);
        }
    }
}

/// Makes the envs of a recording, before anything else may take their places.
pub fn prepare(recorded: impl IntoIterator<Item = u64>) {
    for env in recorded {
        of(env);
    }
}

/// Our env for a recorded one, at the recorded address if that can be had: agents print
/// envs and sort by them. NULL for NULL.
pub(crate) fn of(recorded: u64) -> *mut JNIEnv {
    thread_local! {
        /// What the thread asked for last, mostly its own; at first NULL, which is NULL.
        static LAST: Cell<(u64, usize)> = const { Cell::new((0, 0)) };
    }
    let (asked, address) = LAST.get();
    if asked == recorded {
        return ptr::with_exposed_provenance_mut(address);
    }
    let env = look_up(recorded);
    // None was found in a child, say.
    if !env.is_null() {
        LAST.set((recorded, env.expose_provenance()));
    }
    env
}

fn look_up(recorded: u64) -> *mut JNIEnv {
    static ENVS: Mutex<Option<HashMap<u64, usize>>> = Mutex::new(None);
    if recorded == 0 {
        return ptr::null_mut();
    }
    // None for a child that cannot find it.
    let Some(mut envs) = lock(&ENVS) else {
        return ptr::null_mut();
    };
    let env = *envs
        .get_or_insert_default()
        .entry(recorded)
        .or_insert_with(|| {
            let place = place_at(recorded);
            // SAFETY: ours for ever, and large enough.
            unsafe {
                place.write(Env {
                    functions: FUNCTIONS.0.get(),
                    recorded,
                });
            }
            let address = place.expose_provenance();
            if let Some(mut known) = known() {
                known.get_or_insert_default().insert(address);
            }
            address
        });
    ptr::with_exposed_provenance_mut(env)
}

/// Where our env for a recorded one is.
#[must_use]
pub fn address(recorded: u64) -> usize {
    of(recorded).addr()
}

/// Memory for an env: where it was, or somewhere else.
fn place_at(recorded: u64) -> *mut Env {
    const PAGE: usize = 4096;
    static PAGES: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    // Only behind the lock of all envs.
    let mut pages = PAGES.lock();
    let address = usize::try_from(recorded).unwrap_or(0);
    let last = address.saturating_add(size_of::<Env>() - 1);
    let mut is_ours = |page: usize| {
        if pages.contains(&page) {
            return true;
        }
        // SAFETY: takes no page that is in use.
        let mapped = unsafe {
            libc::mmap(
                ptr::without_provenance_mut(page),
                PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        let here = mapped.addr() == page;
        if here {
            pages.push(page);
        }
        here
    };
    // Page 0 is nobody's, and stands for an address that this process cannot have.
    let is_aligned = address >= PAGE && address.is_multiple_of(align_of::<Env>());
    if is_aligned && is_ours(address & !(PAGE - 1)) && is_ours(last & !(PAGE - 1)) {
        return ptr::with_exposed_provenance_mut(address);
    }
    Box::into_raw(Box::new(Env {
        functions: FUNCTIONS.0.get(),
        recorded,
    }))
}

fn known() -> Option<MutexGuard<'static, Option<HashSet<usize>>>> {
    static KNOWN: Mutex<Option<HashSet<usize>>> = Mutex::new(None);
    lock(&KNOWN)
}

/// What was recorded of an env that the agent names; the number itself if it is none.
pub(crate) fn recorded(env: *mut JNIEnv) -> u64 {
    // Nobody is asked in the middle of our code, which may have the lock.
    let Some(_ours) = Ours::begin() else {
        return env.addr() as u64;
    };
    let is_known = || {
        let known = known();
        let all = known.as_ref().and_then(|known| known.as_ref());
        all.is_some_and(|all| all.contains(&env.addr()))
    };
    if env.is_null() || !is_known() {
        return env.addr() as u64;
    }
    // SAFETY: one of ours.
    unsafe { (*env.cast::<Env>()).recorded }
}

/// Of a replay.
#[cfg(not(target_arch = "x86"))]
unsafe extern "C" fn version() -> usize {
    0x000a_0000
}

/// Of a replay: ExceptionCheck, ExceptionClear, DeleteLocalRef and the like: nothing is pending, and
/// nothing is held.
#[cfg(not(target_arch = "x86"))]
unsafe extern "C" fn nothing() -> usize {
    0
}

unsafe extern "C" fn get_java_vm(_: *mut JNIEnv, out: *mut *mut JavaVM) -> usize {
    // SAFETY: the agent's place for it.
    unsafe { out.write(VM.load(Ordering::Acquire)) };
    0
}

#[cfg(target_arch = "x86")]
use crate::jni::function;

/// The function in a slot: a replay has none.
#[cfg(not(target_arch = "x86"))]
const fn function<const SLOT: usize>() -> Function {
    match SLOT {
        15..=17 | 22 | 23 | 227 | 228 => nothing,
        _ => missing::<SLOT>,
    }
}

macro_rules! functions {
    ($($tens:literal)+) => {
        [$(
            function::<{ $tens * 10 }>(), function::<{ $tens * 10 + 1 }>(),
            function::<{ $tens * 10 + 2 }>(), function::<{ $tens * 10 + 3 }>(),
            function::<{ $tens * 10 + 4 }>(), function::<{ $tens * 10 + 5 }>(),
            function::<{ $tens * 10 + 6 }>(), function::<{ $tens * 10 + 7 }>(),
            function::<{ $tens * 10 + 8 }>(), function::<{ $tens * 10 + 9 }>(),
        )+]
    };
}

/// JNI's function table. Agents put functions of their own into it, as into a VM's.
struct Functions(UnsafeCell<[Function; SLOTS]>);

// SAFETY: nobody here reads it, and what agents write they answer for.
unsafe impl Sync for Functions {}

#[allow(clippy::indexing_slicing, reason = "a wrong index does not compile")]
static FUNCTIONS: Functions = Functions(UnsafeCell::new({
    let mut table: [Function; SLOTS] =
        functions!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23);
    // JNI specification, chapter 4.
    const GET_JAVA_VM: usize = 219;
    #[cfg(not(target_arch = "x86"))]
    {
        table[4] = version;
    }
    // SAFETY: a C function; the caller passes what it takes.
    table[GET_JAVA_VM] = unsafe {
        std::mem::transmute::<unsafe extern "C" fn(*mut JNIEnv, *mut *mut JavaVM) -> usize, Function>(
            get_java_vm,
        )
    };
    table
}));

#[cfg(test)]
mod tests {
    use super::{Env, of};

    #[test]
    fn agents_may_change_the_table() {
        let env = of(0x1_0000_0005).cast::<Env>();
        // SAFETY: ours.
        let functions = unsafe { (*env).functions }.cast::<usize>();
        let last = functions.wrapping_add(239);
        // SAFETY: the table's last slot.
        let before = unsafe { last.read_volatile() };
        // SAFETY: what is there already.
        unsafe { last.write_volatile(before) };
    }

    #[test]
    fn each_is_always_the_same_and_null_is_null() {
        let (one, other) = (of(0x1_0000_0001), of(0x1_0000_0003));
        assert!(!one.is_null() && !other.is_null() && one != other);
        assert!(of(0).is_null());
        assert_eq!((of(0x1_0000_0001), of(0x1_0000_0003)), (one, other));
    }
}
