//! Who is in a handler now, and what for.

use parking_lot::Mutex;
use protocols::gate::handlers::{Straggler, Waits};

use crate::model::tables::{self, MONITORS, SUSPENDED};
use crate::model::thread::native_thread::NativeThread;
use crate::model::thread::{Thread, current};

use std::sync::Arc;
use std::sync::atomic::Ordering;

fn own_env() -> usize {
    current::with_own(|own| own.native().env).unwrap_or(0)
}

fn is_inside(thread: &Thread, me: usize) -> bool {
    thread.native().env != me && thread.native().depth.is_inside()
}

/// Whether nobody but these, and the calling thread, is in a handler.
pub(super) fn are_among(envs: &[usize]) -> bool {
    let me = own_env();
    !tables::THREADS.any(|thread| is_inside(thread, me) && !envs.contains(&thread.env))
}

/// Whether one of them waits for something other than a processor.
pub(super) fn anybody_waits() -> bool {
    let me = own_env();
    // The kernel is asked outside of the lock.
    let threads = tables::THREADS.snapshot();
    threads.iter().any(|thread| {
        is_inside(thread, me) && thread.native().waits() != Some(false) && is_inside(thread, me)
    })
}

/// Adds those that surely do.
pub(super) fn note_waiting(envs: &mut Vec<usize>) {
    let me = own_env();
    let threads = tables::THREADS.snapshot();
    let others = threads.iter().filter(|thread| {
        is_inside(thread, me)
            && !envs.contains(&thread.env)
            && thread.native().waits() == Some(true)
            && is_inside(thread, me)
    });
    let others: Vec<usize> = others.map(|thread| thread.env).collect();
    envs.extend(others);
}

/// All that are in a handler; `me` is the key of the calling thread, which sends a bracket.
pub(super) fn look(me: u64) -> Vec<Straggler> {
    let env = own_env();
    let threads = tables::THREADS.snapshot();
    let inside = threads.iter().filter(|thread| is_inside(thread, env));
    let waits = waits(me);
    let by_agent = !current::with_own(is_workers).unwrap_or(false);
    inside
        .map(|thread| {
            let native = thread.native();
            Straggler {
                env: thread.env,
                waits_for_sender: waits.lead(native.key.load(Ordering::Acquire), me)
                    || by_agent && waits_for_what_was_asked(native),
            }
        })
        .collect()
}

fn is_workers(own: &Thread) -> bool {
    // Relaxed: the thread's own.
    own.native().is_workers.load(Ordering::Relaxed)
}

/// DATA_DUMP_REQUEST, whose handler has a thread of the agent's collect and dump, and waits for that. GC is enabled there
/// (JVMPI facts C): such a handler and a bracket are nothing to each other.
fn waits_for_what_was_asked(native: &NativeThread) -> bool {
    // Relaxed: who sees it late tries again.
    native.serves_user.load(Ordering::Relaxed) && native.waits() == Some(true)
}

/// Who cannot go on before whom, as far as that is ours to know.
fn waits(me: u64) -> Waits {
    let mut waits = Waits::default();
    for monitor in MONITORS.snapshot() {
        for &entering in &monitor.entering {
            waits.note(entering, monitor.owner);
        }
    }
    for thread in SUSPENDED.snapshot() {
        // To the VM it is suspended while it is still running C.
        let running = thread.carrier().unwrap_or_else(|| Arc::clone(&thread));
        if running.native().waits() == Some(true) {
            waits.note(
                running.native().key.load(Ordering::Acquire),
                thread.stopped_by(),
            );
        }
    }
    for &wanting in WANTING.lock().iter() {
        waits.note(wanting, me);
    }
    waits
}

/// Threads in RunGC that wait for the bracket of another.
static WANTING: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// While this lives, the calling thread waits for the end of another's bracket.
pub(crate) struct WantsBracket(u64);

impl WantsBracket {
    pub(crate) fn begin() -> Self {
        let me = current::key();
        WANTING.lock().push(me);
        Self(me)
    }
}

impl Drop for WantsBracket {
    fn drop(&mut self) {
        let mut wanting = WANTING.lock();
        if let Some(at) = wanting.iter().position(|&key| key == self.0) {
            wanting.swap_remove(at);
        }
    }
}
