//! Who sends a bracket: one thread at a time.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::patience::{self, Patience};
use crate::base::progress;
use crate::delivery::gate;
use crate::model::thread::current;

/// The thread that prepares or sends a bracket; 0 if none.
static CLAIM: AtomicU64 = AtomicU64::new(0);

/// The right to send brackets, until it is dropped.
pub(crate) struct Claim;

impl Claim {
    pub(crate) fn take(patience: Patience) -> Option<Self> {
        let me = current::key();
        let mut wants = None;
        let taken = patience.until_some(|| {
            match CLAIM.compare_exchange(0, me, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => Some(true),
                // A handler in the bracket asks for another: not inside this one.
                Err(owner) if owner == me => Some(false),
                Err(_) if patience.most.is_zero() => Some(false),
                Err(_) => {
                    wants.get_or_insert_with(gate::WantsBracket::begin);
                    None
                }
            }
        });
        (taken == Some(true)).then(|| Self)
    }

    /// Waits for a bracket of another thread as long as that gets on.
    pub(crate) fn take_patiently() -> Option<Self> {
        loop {
            let progress = progress::count();
            let claim = Self::take(patience::SENDER);

            if claim.is_some() || is_mine() || progress::count() == progress {
                return claim;
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIM.store(0, Ordering::Release);
    }
}

/// Whether the calling thread sends one.
pub(crate) fn is_mine() -> bool {
    CLAIM.load(Ordering::Acquire) == current::key()
}
