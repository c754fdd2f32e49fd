//! The one gate between C and our code: no panic passes it, and errno stays the caller's.

use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::base::cancellation::Uncancelled;
use crate::base::errno::ErrnoKept;
use crate::base::log;

/// Runs the body of a function that C calls. A panic becomes one line in the log
/// and `fallback`, the old API's own failure value. errno stays as it is.
pub(crate) fn guarded<T>(name: &'static str, fallback: T, body: impl FnOnce() -> T) -> T {
    let _errno = ErrnoKept::here();
    log::trace!("{name}");
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            contain(name, payload);
            fallback
        }
    }
}

/// The same of a function that may wait, write or call the agent: a thread is cancelled behind it.
pub(crate) fn uncancelled<T>(name: &'static str, fallback: T, body: impl FnOnce() -> T) -> T {
    let _state = Uncancelled::here();
    guarded(name, fallback, body)
}

/// [`guarded`] without a line in the log.
#[inline]
pub(crate) fn unlogged(name: &'static str, body: impl FnOnce()) {
    let _errno = ErrnoKept::here();
    bare(name, (), body);
}

/// The panic alone is seen to: for what happens a hundred million times a second, and makes no
/// system call of ours; what an agent's handler does to errno there, the program sees.
#[inline]
pub(crate) fn bare<T>(name: &'static str, fallback: T, body: impl FnOnce() -> T) -> T {
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            contain(name, payload);
            fallback
        }
    }
}

/// The same for callbacks of the VM, which the panicking test build sabotages.
pub(crate) fn callback(name: &'static str, body: impl FnOnce()) {
    guarded(name, (), || {
        #[cfg(feature = "panic-in-callbacks")]
        sabotage(name);
        body();
    });
}

#[cfg(feature = "panic-in-callbacks")]
#[allow(clippy::panic, reason = "the test build exists to panic")]
fn sabotage(name: &'static str) {
    panic!("test build: {name}");
}

#[cold]
fn contain(name: &'static str, payload: Box<dyn Any + Send>) {
    // Dropping a payload may panic itself; a leak of a few bytes cannot.
    mem::forget(payload);
    log::warn_once!("internal error in {name}; the call gave its failure value (please report)");
}

/// Replaces the default panic hook, which writes several lines to stderr. The
/// cdylib has its own std, so this stays private to us.
pub(crate) fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| log::info!("{info}")));
    });
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_becomes_the_failure_value() {
        assert_eq!(guarded("test", -1, || panic!("inside")), -1);
        assert_eq!(guarded("test", -1, || 0), 0);
    }

    #[test]
    fn panics_unwind_in_this_profile() {
        const { assert!(cfg!(panic = "unwind")) };
    }
}
