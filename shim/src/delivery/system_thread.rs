//! System threads: Java threads that run a function of the agent.
#![allow(unsafe_code, reason = "the start function has a C signature")]

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jvmpi_headers::jni::JNIEnv;
use jvmpi_headers::jvmti::jvmtiEnv;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::agent::agent_call::{self, ThreadEntry};
use crate::base::boundary::guarded;
use crate::base::patience;
use crate::base::{log, observer};
use crate::delivery::announce::{self};
use crate::model::thread::{Thread, current};
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::Local;
use crate::vm::this_vm;

/// Whose code a new thread runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The agent's (CreateSystemThread).
    Agents,
    /// The shim's.
    Ours,
}

/// The arguments of threads that are about to be made through the table, which has no place for one; each with
/// the number of the thread that makes it, the last one last.
static HANDED: Mutex<Vec<(u64, usize)>> = Mutex::new(Vec::new());

/// Where those of the calling thread end.
fn last_handed(handed: &[(u64, usize)]) -> Option<usize> {
    let own = current::key();
    handed.iter().rposition(|(key, _)| *key == own)
}

/// What the calling thread makes by CreateSystemThread has this argument, as long as it lives.
pub(crate) struct Handed(());

impl Handed {
    pub(crate) fn begin(argument: usize) -> Self {
        HANDED.lock().push((current::key(), argument));
        Self(())
    }

    fn argument() -> usize {
        let handed = HANDED.lock();
        let last = last_handed(&handed).and_then(|place| handed.get(place));
        last.map_or(0, |(_, argument)| *argument)
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        let mut handed = HANDED.lock();
        if let Some(last) = last_handed(&handed) {
            handed.remove(last);
        }
    }
}

/// What a new thread is to do, and whether its THREAD_START is over.
struct Launch {
    whose: Whose,
    entry: ThreadEntry,
    /// 0, but for the bridge's.
    argument: usize,
    /// The new thread, as soon as it runs.
    record: OnceCell<Arc<Thread>>,
    introduced: AtomicBool,
}

impl Launch {
    /// Waits for the THREAD_START: as long as a loaded machine may take to run the
    /// thread, but not long for a handler that has begun, for it may need a lock that
    /// the caller holds.
    fn wait(&self) {
        let introduced = || self.introduced.load(Ordering::Acquire);
        let in_handler = |record: &Arc<Thread>| record.native().depth.is_inside();
        let runs = || introduced() || self.record.get().is_some_and(in_handler);
        if patience::NEW_THREAD_RUNS.until(runs) {
            patience::NEW_THREAD_SAYS_HELLO.until(introduced);
        }
    }
}

/// Makes a daemon thread in the system group and starts `entry` on it; false, with
/// one line in the log, if that fails. The thread sends its THREAD_START itself;
/// the caller waits for that, unless its handler waits for the caller. A pending
/// exception of the caller survives.
///
/// # Phase
/// Live only: the thread's constructor is Java code.
pub(crate) fn start(
    jvmti: Jvmti,
    jni: Jni,
    name: &CStr,
    priority: i32,
    whose: Whose,
    entry: ThreadEntry,
) -> bool {
    let handed = match whose {
        Whose::Agents => Handed::argument(),
        Whose::Ours => 0,
    };
    let aside = ExceptionAside::put(jni);
    let thread = new_thread(jvmti, jni, name);
    let failed = jni.has_exception();
    drop(aside);
    let Some(thread) = thread.filter(|_| !failed) else {
        log::warn_once!("CreateSystemThread: the VM could not make a thread object");
        return false;
    };
    let launch = Arc::new(Launch {
        whose,
        entry,
        argument: handed,
        record: OnceCell::new(),
        introduced: AtomicBool::new(false),
    });
    let argument = Arc::into_raw(Arc::clone(&launch));
    let priority = priority.clamp(1, 10);
    match jvmti.run_agent_thread(
        thread.get(),
        Some(start_function()),
        argument.cast(),
        priority,
    ) {
        Ok(()) => {
            if whose == Whose::Agents {
                launch.wait();
            }
            true
        }
        Err(error) => {
            // SAFETY: the VM did not take it.
            drop(unsafe { Arc::from_raw(argument) });
            log::warn_once!("CreateSystemThread: {error}");
            false
        }
    }
}

/// `new Thread(systemGroup, name)`: not in the caller's group, which belongs to
/// the program.
fn new_thread(jvmti: Jvmti, jni: Jni, name: &CStr) -> Option<Local> {
    let system = jvmti.top_thread_groups(jni).ok()?.into_iter().next()?;
    let class = class_loaders::of_boot_loader(jni, c"java/lang/Thread")?;
    let constructor = jni.method(
        class.get(),
        c"<init>",
        c"(Ljava/lang/ThreadGroup;Ljava/lang/String;)V",
    )?;
    let name = jni.string(&name.to_string_lossy())?;
    jni.new_object(class.get(), constructor, &[system.get(), name.get()])
}

/// [`run`] as JVMTI wants it. It may be unwound, should an agent end its thread where that is not stopped behind the
/// agent's function ([`agent_call::run_thread`]): no frame on the way may catch it.
fn start_function() -> unsafe extern "C" fn(*mut jvmtiEnv, *mut JNIEnv, *mut c_void) {
    type Unwinding = unsafe extern "C-unwind" fn(*mut jvmtiEnv, *mut JNIEnv, *mut c_void);
    type Plain = unsafe extern "C" fn(*mut jvmtiEnv, *mut JNIEnv, *mut c_void);
    // SAFETY: the two differ in what may unwind through them, not in how they are called.
    unsafe { std::mem::transmute::<Unwinding, Plain>(run) }
}

unsafe extern "C-unwind" fn run(_jvmti: *mut jvmtiEnv, env: *mut JNIEnv, argument: *mut c_void) {
    let entry: Option<(ThreadEntry, usize, bool)> = guarded("a system thread", None, || {
        // SAFETY: made by `start`, and the VM starts each thread once.
        let launch = unsafe { Arc::from_raw(argument.cast::<Launch>().cast_const()) };
        // SAFETY: the VM passes the new thread's own env.
        let jni = unsafe { Jni::from_raw(env) };
        if let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), jni)
            && let Some(own) = threads::own()
        {
            let _ = launch.record.set(Arc::clone(&own));
            // Before anybody can name it, and suspend it.
            own.native()
                .is_workers
                .store(launch.whose == Whose::Ours, Ordering::Release);
            announce::thread(jvmti, jni, &own, &own, patience::DEFINITION);
            own.native()
                .is_agents
                .store(launch.whose == Whose::Agents, Ordering::Release);
        }
        launch.introduced.store(true, Ordering::Release);
        Some((launch.entry, launch.argument, launch.whose == Whose::Agents))
    });
    // Nothing that would need dropping is alive here.
    if let Some((entry, argument, watched)) = entry {
        if watched {
            observer::tell(|observer| observer.run_begins(entry as usize));
        }
        agent_call::run_thread(entry, ptr::without_provenance_mut(argument));
        if watched {
            observer::tell(|observer| observer.run_ends());
        }
    }
}
