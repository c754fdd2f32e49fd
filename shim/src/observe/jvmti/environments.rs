//! The environments of other agents: which are recorded, and what stands behind our functions.
//!
//! # Threads
//! Any, also those that have no JNI, and signal handlers: nothing is locked or allocated once an
//! environment is here.
//!
//! # Safety
//! An environment is a pointer to a pointer to a table of functions. The VM's own table is left
//! alone here; what we put in its place is never freed, for somebody may be about to look.
#![allow(unsafe_code, reason = "tables of C functions")]

use std::ffi::c_void;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, Ordering};

use parking_lot::Mutex;

use crate::base::log;
use crate::observe::jvmti::sample_threads::SampleThreads;
use crate::os::memory;

/// Functions of JVMTI have numbers from 1 on; a VM to come may have more.
pub(crate) const FUNCTIONS: usize = 156;
const MOST: usize = 200;

/// Events have numbers from here on.
pub(crate) const FIRST_EVENT: usize = 50;
/// Words that a function takes at most, behind its environment.
pub(crate) const WORDS: usize = 5;
type Any = unsafe extern "C" fn(*mut c_void, usize, usize, usize, usize, usize) -> i32;

/// What the VM answers for an environment that it does not know.
pub(crate) const INVALID_ENVIRONMENT: i32 = 116;

/// Callbacks that can be kept: more than there will be.
pub(crate) const CALLBACKS: usize = 64;

/// One of them.
pub(crate) struct Environment {
    env: AtomicPtr<c_void>,
    vms_table: *mut c_void,
    table: Vec<*mut c_void>,
    /// By which the recording names it.
    pub(crate) number: u32,
    /// Whose it is: the name of his library.
    pub(super) agent: String,
    /// What the agent has given, by the event; one that was there is never taken away, for it may be
    /// under way.
    callbacks: [AtomicPtr<c_void>; CALLBACKS],
    /// What it seems to have and our environment holds: [`LENT_SUSPENSION`], [`LENT_SAMPLING`].
    pub(super) lent: AtomicU8,
    /// It has a callback for sampled allocations now.
    pub(super) hears_samples: AtomicBool,
    /// It has enabled the event that tells of every birth (`births.rs`).
    pub(super) hears_births: AtomicBool,
    /// It is about to be disposed of.
    goes: AtomicBool,
    /// Of whose sampled allocations it wants to hear, which are lent.
    pub(super) samples: SampleThreads,
    /// The same for events of extensions, by our number of them.
    extensions: [AtomicPtr<c_void>; EXTENSIONS],
}

/// A capability that is lent.
pub(super) const LENT_SUSPENSION: u8 = 1;
/// Another one.
pub(super) const LENT_SAMPLING: u8 = 2;

/// Events of extensions that can be told apart.
pub(crate) const EXTENSIONS: usize = 3;

// SAFETY: what is not atomic is not changed, once it is known to others.
unsafe impl Sync for Environment {}
// SAFETY: likewise.
unsafe impl Send for Environment {}

const PLACES: usize = 64;

/// Those that are recorded; the places of those that were disposed of are used again.
static ENVIRONMENTS: [AtomicPtr<Environment>; PLACES] =
    [const { AtomicPtr::new(ptr::null_mut()) }; PLACES];
static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// The word that an environment begins with.
unsafe fn first_word<'a>(env: *mut c_void) -> &'a AtomicPtr<c_void> {
    // SAFETY: the caller's promise that it is an environment.
    unsafe { AtomicPtr::from_ptr(env.cast()) }
}

/// Puts our functions in the places of this environment's, those that `ours` has by their numbers;
/// by which it is known from now on. `None` if they are there already, or if there are too many.
///
/// # Safety
/// `env` is an environment that the VM has just made for somebody else.
pub(super) unsafe fn take(
    env: *mut c_void,
    agent: &str,
    ours: impl Fn(u8) -> Option<*mut c_void>,
) -> Option<u32> {
    static TAKING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = TAKING.lock();
    if of(env).is_some() {
        return None;
    }
    let is_free = |place: &&AtomicPtr<Environment>| {
        // SAFETY: null, or never freed.
        let known = unsafe { place.load(Ordering::Acquire).as_ref() };
        // Relaxed: what an environment is stands behind `place`, which is read with acquire.
        known.is_none_or(|known| known.env.load(Ordering::Relaxed).is_null())
    };
    let Some(place) = ENVIRONMENTS.iter().find(is_free) else {
        log::warn_once!(
            "trace: more than {PLACES} JVMTI environments; further ones are not recorded"
        );
        return None;
    };
    // SAFETY: the caller's promise.
    let word = unsafe { first_word(env) };
    let vms_table = word.load(Ordering::Acquire);
    // SAFETY: an environment of JVMTI 1.2 or later has as many functions.
    let mut table = unsafe { memory::table(vms_table.cast(), FUNCTIONS, MOST) };
    for (slot, number) in table.iter_mut().zip(1..=u8::MAX) {
        if let Some(ours) = ours(number).filter(|_| !slot.is_null()) {
            *slot = ours;
        }
    }
    let number = NUMBERS.fetch_add(1, Ordering::Relaxed) + 1;
    let environment = Box::leak(Box::new(Environment {
        env: AtomicPtr::new(env),
        vms_table,
        table,
        number,
        agent: agent.to_owned(),
        callbacks: [const { AtomicPtr::new(ptr::null_mut()) }; CALLBACKS],
        lent: AtomicU8::new(0),
        samples: SampleThreads::new(),
        hears_samples: AtomicBool::new(false),
        hears_births: AtomicBool::new(false),
        goes: AtomicBool::new(false),
        extensions: [const { AtomicPtr::new(ptr::null_mut()) }; EXTENSIONS],
    }));
    let ours = environment.table.as_mut_ptr().cast();
    place.store(environment, Ordering::Release);
    word.store(ours, Ordering::Release);
    Some(number)
}

/// The environment that this is, if it is recorded.
#[inline]
pub(crate) fn of(env: *mut c_void) -> Option<&'static Environment> {
    for place in &ENVIRONMENTS {
        // SAFETY: null, or never freed.
        let known = unsafe { place.load(Ordering::Acquire).as_ref() };
        if known.is_some_and(|known| known.env.load(Ordering::Relaxed) == env) {
            return known;
        }
    }
    None
}

/// The function of this number in the VM's table.
///
/// # Safety
/// It is such a table.
pub(super) unsafe fn function(table: *mut c_void, number: u8) -> *mut c_void {
    let place = usize::from(number).saturating_sub(1);
    if place >= FUNCTIONS {
        return ptr::null_mut();
    }
    // SAFETY: it has as many.
    let slot = unsafe { table.cast::<*mut c_void>().add(place) };
    // SAFETY: as above.
    unsafe { slot.read() }
}

/// Calls a function of the VM's.
///
/// # Safety
/// `words` are what it takes, or null.
pub(super) unsafe fn invoke(
    function: *mut c_void,
    env: *mut c_void,
    [first, second, third, fourth, fifth]: [usize; WORDS],
) -> i32 {
    if function.is_null() {
        return INVALID_ENVIRONMENT;
    }
    // SAFETY: it takes no more words than that, and does not look at what it does not take.
    let function: Any = unsafe { mem::transmute(function) };
    // SAFETY: the caller's promise.
    unsafe { function(env, first, second, third, fourth, fifth) }
}

/// All that there are.
pub(super) fn all() -> impl Iterator<Item = (*mut c_void, &'static Environment)> {
    ENVIRONMENTS.iter().filter_map(|place| {
        // SAFETY: null, or never freed.
        let known = unsafe { place.load(Ordering::Acquire).as_ref() }?;
        let env = known.env.load(Ordering::Acquire);
        (!env.is_null()).then_some((env, known))
    })
}

impl Environment {
    /// Whether that is lent to it.
    #[inline]
    pub(super) fn has(&self, lent: u8) -> bool {
        self.lent.load(Ordering::Acquire) & lent != 0
    }

    /// The VM's own function.
    #[inline]
    pub(crate) fn vms_own(&self, number: u8) -> *mut c_void {
        // SAFETY: the VM's table.
        unsafe { function(self.vms_table, number) }
    }

    /// The VM's own function does it.
    ///
    /// # Safety
    /// `words` are what the caller has passed to the function of this number, by `env`.
    pub(crate) unsafe fn call(&self, env: *mut c_void, number: u8, words: [usize; WORDS]) -> i32 {
        // SAFETY: the VM's own, and the caller's promise.
        unsafe { invoke(self.vms_own(number), env, words) }
    }

    /// The agent's callback for an event, once it has given one.
    #[inline]
    pub(crate) fn callback(&self, number: usize) -> Option<&AtomicPtr<c_void>> {
        self.callbacks.get(number.wrapping_sub(FIRST_EVENT))
    }

    /// The same for an event of an extension.
    pub(crate) fn extension(&self, place: usize) -> Option<&AtomicPtr<c_void>> {
        self.extensions.get(place)
    }

    /// The environment is about to be disposed of: it is the VM's alone again. False if another
    /// thread is about to do so, or has done it.
    pub(crate) fn give_back(&self) -> bool {
        let env = self.env.load(Ordering::Acquire);
        if env.is_null() || self.goes.swap(true, Ordering::AcqRel) {
            return false;
        }
        // SAFETY: not yet disposed of.
        let word = unsafe { first_word(env) };
        word.store(self.vms_table, Ordering::Release);
        true
    }

    /// The VM has not disposed of it.
    pub(crate) fn take_again(&self) {
        // SAFETY: as above.
        let word = unsafe { first_word(self.env.load(Ordering::Acquire)) };
        let ours: *const *mut c_void = self.table.as_ptr();
        word.store(ours.cast_mut().cast(), Ordering::Release);
        self.goes.store(false, Ordering::Release);
    }

    /// It is no more. The VM may make another one at the same address.
    pub(crate) fn forget(&self) {
        self.env.store(ptr::null_mut(), Ordering::Release);
    }
}
