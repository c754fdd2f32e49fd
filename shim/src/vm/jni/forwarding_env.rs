//! A JNIEnv for each virtual thread.
//!
//! JVMPI knows a thread by its JNIEnv, and a virtual thread has none: it runs on that of its carrier,
//! another one after each unmounting. So it gets one of ours, whose functions pass each call on to
//! the env of whoever carries the thread at the moment. On another thread, or while nobody
//! carries it, they do nothing and give JNI's failure: the VM would not survive it.
#![allow(
    unsafe_code,
    reason = "a table of assembler functions, called by agents"
)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use jvmpi_headers::jni::JNIEnv;
use parking_lot::Mutex;

use crate::base::boundary::guarded;
use crate::base::{log, observer};
use crate::os::own_words::{self, MOUNTED_ENV};
use crate::os::processor::{FORWARDS, STUB, forwarding_envs};

/// More functions than any JNI table has (236 in JDK 25); the first [`RESERVED`] are null.
const FUNCTIONS: usize = 256;
const RESERVED: usize = 4;

/// What the agent has a pointer to.
#[repr(C)]
#[derive(Debug)]
struct Env {
    /// The table, as JNI wants it.
    functions: AtomicUsize,
    /// The env of the thread that carries the virtual one, else 0; with [`FOUND`] beside it if that thread has not
    /// told so itself.
    carriers: AtomicUsize,
    /// Whose it is; of one that nobody has, [`FREE`] and the address of the next of those.
    owner: AtomicU64,
}

impl Env {
    fn new() -> Self {
        Self {
            functions: AtomicUsize::new(table()),
            carriers: AtomicUsize::new(0),
            owner: AtomicU64::new(FREE),
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).expose_provenance()
    }
}

/// Nobody has it. Numbers of threads are smaller, and addresses too.
const FREE: u64 = 1 << 63;
/// Beside the address of a carrier's env, which is even.
const FOUND: usize = 1;
/// Beside its owner's number: nobody else ever gets it.
const KEPT: u64 = 1 << 62;

/// Envs are never given back to the system: an agent may call one whose thread has ended.
struct Envs {
    /// In the order of their addresses.
    all: Vec<&'static [Env]>,
    /// The first that nobody has.
    free: Option<&'static Env>,
}

static ENVS: Mutex<Envs> = Mutex::new(Envs {
    all: Vec::new(),
    free: None,
});

impl Envs {
    /// Twice as many as there are, until that is many.
    fn grow(&mut self) {
        const FEWEST: usize = 64;
        const MOST: usize = 8192;
        let there: usize = self.all.iter().map(|some| some.len()).sum();
        let fresh: Vec<Env> = std::iter::repeat_with(Env::new)
            .take(there.clamp(FEWEST, MOST))
            .collect();
        let fresh: &'static [Env] = fresh.leak();
        let before = |some: &&[Env]| some.as_ptr().addr() < fresh.as_ptr().addr();
        let place = self.all.partition_point(before);
        self.all.insert(place, fresh);
        fresh.iter().rev().for_each(|env| self.give(env));
    }

    /// Nobody has this one any more.
    fn give(&mut self, env: &'static Env) {
        let next = self.free.map_or(0, Env::address);
        env.owner.store(FREE | next as u64, Ordering::Release);
        self.free = Some(env);
    }

    /// One that nobody has.
    fn take(&mut self) -> &'static Env {
        let env = loop {
            match self.free {
                Some(env) => break env,
                None => self.grow(),
            }
        };
        // Relaxed: with the lock held, here; and on the one thread that has read it.
        let next = usize::try_from(env.owner.load(Ordering::Relaxed) & !FREE);
        self.free = next.ok().and_then(|next| self.at(next));
        env
    }

    /// The one at this address.
    fn at(&self, address: usize) -> Option<&'static Env> {
        let not_behind = |some: &&[Env]| some.as_ptr().addr() <= address;
        let place = self.all.partition_point(not_behind).checked_sub(1)?;
        let some = self.all.get(place)?;
        let distance = address.checked_sub(some.as_ptr().addr())?;
        let env = some.get(distance / size_of::<Env>())?;
        distance.is_multiple_of(size_of::<Env>()).then_some(env)
    }
}

/// The number that was given for the env at this address; one that no thread has, if nobody has it.
pub(crate) fn whose(address: usize) -> Option<u64> {
    let env = ENVS.lock().at(address)?;
    Some(env.owner.load(Ordering::Acquire))
}

/// The JNIEnv of one virtual thread, as long as this lives.
#[derive(Debug)]
pub(crate) struct ForwardingEnv(&'static Env);

impl ForwardingEnv {
    /// Whether they can be had on this processor.
    pub(crate) const EXIST: bool = FORWARDS;

    /// No other thread ever gets it.
    pub(crate) fn keep(&self) {
        self.0.owner.fetch_or(KEPT, Ordering::Release);
    }

    /// For the thread of this number.
    pub(crate) fn new(owner: u64) -> Self {
        let env = ENVS.lock().take();
        // Its last owner may have been found on a carrier.
        env.carriers.store(0, Ordering::Relaxed);
        env.owner.store(owner, Ordering::Release);
        Self(env)
    }

    /// The number that was given for it.
    pub(crate) fn owner(&self) -> u64 {
        self.0.owner.load(Ordering::Acquire) & !KEPT
    }

    /// The address by which agents know the thread.
    pub(crate) fn address(&self) -> usize {
        self.0.address()
    }

    /// The VM's own env of whoever carries the thread now; 0 if nobody does.
    pub(crate) fn carriers(&self) -> usize {
        self.0.carriers.load(Ordering::Acquire) & !FOUND
    }

    /// From now on the calling thread, whose own env is `carriers`, carries the virtual one.
    pub(crate) fn mount(&self, carriers: usize) {
        self.0.carriers.store(carriers, Ordering::Release);
        own_words::set::<MOUNTED_ENV>(std::ptr::with_exposed_provenance_mut(self.address()));
    }

    /// The same of another thread, which has not told of it itself: until it does, the env works nowhere.
    pub(crate) fn is_carried_by(&self, carriers: usize) {
        self.0.carriers.store(carriers | FOUND, Ordering::Release);
    }

    /// On another thread: that one does not, if nobody has told of it since.
    pub(crate) fn is_not_carried_by(&self, carriers: usize) {
        let (new, failed) = (Ordering::AcqRel, Ordering::Relaxed);
        let _ = self
            .0
            .carriers
            .compare_exchange(carriers | FOUND, 0, new, failed);
    }

    /// The calling thread has carried it up to now.
    pub(crate) fn unmount(&self) {
        own_words::set::<MOUNTED_ENV>(std::ptr::null_mut());
        // Who finds nobody here sees what the thread has used.
        self.0.carriers.store(0, Ordering::Release);
    }
}

impl Drop for ForwardingEnv {
    fn drop(&mut self) {
        if self.0.owner.load(Ordering::Acquire) & KEPT == 0 {
            ENVS.lock().give(self.0);
        }
    }
}

/// The address of the table that all have in common.
fn table() -> usize {
    static TABLE: OnceLock<[usize; FUNCTIONS]> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let stubs = code();
        std::array::from_fn(|at| if at < RESERVED { 0 } else { stubs + at * STUB })
    });
    table.as_ptr().expose_provenance()
}

/// Called in place of a function of an env that is not the calling thread's: what it returns.
extern "C" fn refuse(function: usize, env: *mut JNIEnv, caller: usize) -> isize {
    guarded("JNI", -1, || {
        log::warn_once!(
            "JNI with the JNIEnv {env:p} of a virtual thread that is not the calling one, or is not \
             mounted: nothing done, JNI's failure (each thread has its own; ask GetEnv for it)"
        );
        observer::tell(|observer| observer.foreign_env(function, caller));
        if gives_a_status(function) { -1 } else { 0 }
    })
}

/// Whether this function's failure is a negative number: of the others it is null or zero.
fn gives_a_status(function: usize) -> bool {
    const THROW: usize = 13;
    const THROW_NEW: usize = 14;
    const PUSH_LOCAL_FRAME: usize = 19;
    const ENSURE_LOCAL_CAPACITY: usize = 26;
    const REGISTER_NATIVES: usize = 215;
    const GET_JAVA_VM: usize = 219;
    matches!(
        function,
        THROW | THROW_NEW | PUSH_LOCAL_FRAME | ENSURE_LOCAL_CAPACITY | REGISTER_NATIVES
            ..=GET_JAVA_VM
    )
}

forwarding_envs!(FUNCTIONS, MOUNTED_ENV, refuse);

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::ffi::c_void;

    use super::*;

    type OfThree = unsafe extern "C" fn(*mut c_void, i64, f64) -> f64;

    unsafe extern "C" fn adds(env: *mut c_void, one: i64, two: f64) -> f64 {
        let env = env.addr() as f64;
        env * 0.0 + one as f64 + two
    }

    #[test]
    fn calls_reach_the_carrier_on_its_own_thread_only() {
        let mut functions: [usize; FUNCTIONS] = [0; FUNCTIONS];
        functions[6] = (adds as *const ()).expose_provenance();
        let real = Box::new(functions.as_ptr().expose_provenance());
        let env = ForwardingEnv::new(1);
        let address = env.address();
        let call = move |function: usize| {
            let env: *mut *const OfThree = std::ptr::with_exposed_provenance_mut(address);
            // SAFETY: an env.
            let table = unsafe { *env };
            // SAFETY: its table has so many.
            let function = unsafe { table.add(function) };
            // SAFETY: one of them; the others may be of other types.
            let function = unsafe { function.read() };
            // SAFETY: a function that takes these, or refuses them.
            unsafe { function(env.cast(), 40, 2.0) }
        };
        assert!(call(6) == 0.0, "not mounted");
        env.mount(std::ptr::from_ref(&*real).expose_provenance());
        assert!(call(6) == 42.0);
        let elsewhere = std::thread::spawn(move || call(6)).join();
        assert!(elsewhere.is_ok_and(|refused| refused == 0.0));
        env.unmount();
        assert!(call(6) == 0.0, "mounted no more");
    }

    #[test]
    fn an_env_is_used_again() {
        let first = ForwardingEnv::new(7);
        let address = first.address();
        let second = ForwardingEnv::new(8);
        assert_eq!(
            (whose(address), whose(second.address())),
            (Some(7), Some(8))
        );
        assert_eq!((whose(address + 8), whose(0)), (None, None));
        assert_ne!(address, second.address());
        drop(first);
        assert!(whose(address).is_some_and(|owner| owner & FREE != 0));
        // Other tests may take some meanwhile.
        let mut taken: Vec<ForwardingEnv> = Vec::new();
        while taken.last().is_none_or(|env| env.address() != address) {
            assert!(taken.len() < 100_000);
            taken.push(ForwardingEnv::new(9));
        }
        assert_eq!(whose(address), Some(9));
    }

    #[test]
    fn each_of_very_many_has_one_of_its_own() {
        let envs: Vec<_> = (0..20_000)
            .map(|number| ForwardingEnv::new(1 << 40 | number))
            .collect();
        for (env, number) in envs.iter().zip(0..) {
            assert_eq!(whose(env.address()), Some(1 << 40 | number));
            assert_eq!(env.owner(), 1 << 40 | number);
        }
    }

    #[test]
    fn what_is_kept_is_nobody_elses() {
        let env = ForwardingEnv::new(7);
        let address = env.address();
        env.keep();
        assert_eq!(env.owner(), 7);
        assert_ne!(whose(address), Some(7));
        drop(env);
        assert!(whose(address).is_some_and(|owner| owner & FREE == 0));
    }

    #[test]
    fn failures_are_those_of_jni() {
        assert!(
            [13, 14, 19, 26, 215, 216, 217, 218, 219]
                .into_iter()
                .all(gives_a_status)
        );
        assert!(
            ![6, 15, 20, 27, 214, 220, 228]
                .into_iter()
                .any(gives_a_status)
        );
    }
}
