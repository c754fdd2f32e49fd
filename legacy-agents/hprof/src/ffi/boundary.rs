//! The gate between C and this agent: no panic passes it.

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::say;

/// Runs the body of a function that C calls. A panic gives `fallback`.
#[inline]
pub(crate) fn guarded<T>(name: &'static str, fallback: T, body: impl FnOnce() -> T) -> T {
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            // Dropping a payload may panic itself.
            mem::forget(payload);
            contain(name);
            fallback
        }
    }
}

#[cold]
fn contain(name: &'static str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    // Relaxed: of those who ask the first.
    if !SAID.swap(true, Ordering::Relaxed) {
        say::error(format_args!(
            "internal error in {name}; the profile may be incomplete"
        ));
    }
}

/// Replaces the panic hook, which would write several lines to stderr. The library
/// has a std of its own, so this stays private to it.
pub(crate) fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            if std::env::var_os("HPROF_DEBUG").is_some() {
                say::error(format_args!("{info}"));
            }
        }));
    });
}
