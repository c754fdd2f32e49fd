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

use crate::base::boundary::bare;
use crate::base::{log, observer};
use crate::os::own_words::{self, MOUNTED_ENV};
use crate::os::stub_code::{STUB, stubs};

/// More functions than any JNI table has (236 in JDK 25); the first [`RESERVED`] are null.
const FUNCTIONS: usize = 256;
const RESERVED: usize = 4;

/// What the agent has a pointer to.
#[repr(C)]
#[derive(Debug)]
struct Env {
    /// The table, as JNI wants it.
    functions: AtomicUsize,
    /// The env of the thread that carries the virtual one, else 0.
    carriers: AtomicUsize,
    /// Whose it is.
    owner: AtomicU64,
}

/// Envs are never given back to the system: an agent may call one whose thread has ended.
struct Envs {
    all: Vec<&'static [Env]>,
    free: Vec<&'static Env>,
}

static ENVS: Mutex<Envs> = Mutex::new(Envs {
    all: Vec::new(),
    free: Vec::new(),
});

impl Envs {
    /// Twice as many as there are.
    fn grow(&mut self) {
        const FEWEST: usize = 64;
        let there: usize = self.all.iter().map(|some| some.len()).sum();
        let fresh = || Env {
            functions: AtomicUsize::new(table()),
            carriers: AtomicUsize::new(0),
            owner: AtomicU64::new(0),
        };
        let fresh: Vec<Env> = std::iter::repeat_with(fresh)
            .take(there.max(FEWEST))
            .collect();
        let fresh: &[Env] = fresh.leak();
        self.free.extend(fresh);
        self.all.push(fresh);
    }

    /// The one at this address.
    fn at(&self, address: usize) -> Option<&'static Env> {
        self.all.iter().find_map(|some| {
            let distance = address.checked_sub(some.as_ptr().addr())?;
            let env = some.get(distance / size_of::<Env>())?;
            distance.is_multiple_of(size_of::<Env>()).then_some(env)
        })
    }
}

/// The number that was given for the env at this address.
pub(crate) fn whose(address: usize) -> Option<u64> {
    let env = ENVS.lock().at(address)?;
    Some(env.owner.load(Ordering::Acquire))
}

/// The JNIEnv of one virtual thread, as long as this lives.
#[derive(Debug)]
pub(crate) struct ForwardingEnv(&'static Env);

impl ForwardingEnv {
    /// Whether they can be had on this processor.
    pub(crate) const EXIST: bool = cfg!(target_arch = "x86_64");

    /// No other thread ever gets it.
    pub(crate) fn keep(&self) {
        self.0.owner.store(0, Ordering::Release);
    }

    /// For the thread of this number.
    pub(crate) fn new(owner: u64) -> Self {
        let mut envs = ENVS.lock();
        if envs.free.is_empty() {
            envs.grow();
        }
        let env = envs.free.pop();
        drop(envs);
        let env = env.unwrap_or(&NONE);
        env.owner.store(owner, Ordering::Release);
        Self(env)
    }

    /// The address by which agents know the thread.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self.0).expose_provenance()
    }

    /// The VM's own env of whoever carries the thread now; 0 if nobody does.
    pub(crate) fn carriers(&self) -> usize {
        self.0.carriers.load(Ordering::Acquire)
    }

    /// From now on the calling thread, whose own env is `carriers`, carries the virtual one.
    pub(crate) fn mount(&self, carriers: usize) {
        self.0.carriers.store(carriers, Ordering::Release);
        own_words::set::<MOUNTED_ENV>(std::ptr::with_exposed_provenance_mut(self.address()));
    }

    /// The calling thread has carried it up to now.
    pub(crate) fn unmount(&self) {
        own_words::set::<MOUNTED_ENV>(std::ptr::null_mut());
        self.0.carriers.store(0, Ordering::Relaxed);
    }
}

impl Drop for ForwardingEnv {
    fn drop(&mut self) {
        if self.0.owner.load(Ordering::Acquire) != 0 {
            ENVS.lock().free.push(self.0);
        }
    }
}

/// Where there is no memory for one.
static NONE: Env = Env {
    functions: AtomicUsize::new(0),
    carriers: AtomicUsize::new(0),
    owner: AtomicU64::new(0),
};

/// The address of the table that all have in common.
fn table() -> usize {
    static TABLE: OnceLock<[usize; FUNCTIONS]> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let stubs = stubs_address();
        std::array::from_fn(|at| if at < RESERVED { 0 } else { stubs + at * STUB })
    });
    table.as_ptr().expose_provenance()
}

/// Called in place of a function of an env that is not the calling thread's: what it returns.
extern "C" fn refuse(function: usize, env: *mut JNIEnv, caller: usize) -> isize {
    bare("JNI", -1, || {
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

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn jvmpi_forwarding_env();
}

#[cfg(target_arch = "x86_64")]
fn stubs_address() -> usize {
    (jvmpi_forwarding_env as *const ()).expose_provenance()
}

#[cfg(not(target_arch = "x86_64"))]
fn stubs_address() -> usize {
    0
}

// All argument registers stay as they are, al too, but for the env itself.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    stubs!("jvmpi_forwarding_env", "jvmpi_forward", "mov r11d, offset jvmpi_stub"),
    ".p2align 4",
    ".type jvmpi_forward,@function",
    "jvmpi_forward:",
    ".cfi_startproc",
    "mov r10, qword ptr [rip + jvmpi_own@GOTTPOFF]",
    "cmp rdi, qword ptr fs:[r10 + 8 * {mounted}]",
    "jne 2f",
    "mov rdi, [rdi + 8]",
    "mov r10, [rdi]",
    "jmp [r10 + 8 * r11]",
    "2:",
    "mov rdx, [rsp]",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "mov rsi, rdi",
    "mov rdi, r11",
    "call {refuse}",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "pxor xmm0, xmm0",
    "ret",
    ".cfi_endproc",
    ".size jvmpi_forward, . - jvmpi_forward",
    room = const FUNCTIONS,
    mounted = const MOUNTED_ENV,
    refuse = sym refuse,
);

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
        let envs = ENVS.lock();
        let free = envs.free.iter().map(|env| std::ptr::from_ref(*env).addr());
        let free: Vec<_> = free.collect();
        assert!(free.contains(&address));
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
