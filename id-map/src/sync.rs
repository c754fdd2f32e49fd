//! The atomics of std, or loom's, whose orders can be weakened to see whether that is noticed.

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

#[cfg(loom)]
pub(crate) use of_loom::{AtomicBool, AtomicU32, AtomicU64};
#[cfg(loom)]
pub use of_loom::{Weaker, weaken};

/// `const fn`, but for loom: its atomics are made while the test runs.
macro_rules! const_fn {
    ($(#[$attribute:meta])* $visible:vis fn $($rest:tt)*) => {
        #[cfg(not(loom))]
        $(#[$attribute])*
        $visible const fn $($rest)*
        #[cfg(loom)]
        $(#[$attribute])*
        $visible fn $($rest)*
    };
}

pub(crate) use const_fn;

#[cfg(loom)]
mod of_loom {
    use std::sync::atomic::{AtomicU8, Ordering as Of};

    use loom::sync::atomic::{Ordering, fence};

    /// Which accesses are weaker than they are written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Weaker {
        /// None.
        None = 0,
        /// What has a place in the one order of all such accesses only acquires and releases.
        OneOrder = 1,
        /// Stores that release are relaxed.
        Stores = 2,
        /// Loads that acquire are relaxed.
        Loads = 3,
        /// Changes that acquire and release are relaxed.
        Changes = 4,
    }

    static WEAKER: AtomicU8 = AtomicU8::new(0);

    /// In this process, from now on.
    pub fn weaken(which: Weaker) {
        WEAKER.store(which as u8, Of::SeqCst);
    }

    fn is(which: Weaker) -> bool {
        WEAKER.load(Of::SeqCst) == which as u8
    }

    /// The order of one access. Loom takes `SeqCst` for acquire and release; what all such accesses
    /// have beyond that among each other a fence in front of each of them gives.
    fn order(written: Ordering) -> Ordering {
        // Relaxed: too weak, on purpose.
        match written {
            Ordering::SeqCst if is(Weaker::OneOrder) => {}
            Ordering::SeqCst => fence(Ordering::SeqCst),
            Ordering::Release if is(Weaker::Stores) => return Ordering::Relaxed,
            Ordering::Acquire if is(Weaker::Loads) => return Ordering::Relaxed,
            Ordering::AcqRel if is(Weaker::Changes) => return Ordering::Relaxed,
            _ => {}
        }
        written
    }

    macro_rules! atomic {
        ($name:ident, $of:ty, $default:expr) => {
            #[derive(Debug)]
            pub(crate) struct $name(loom::sync::atomic::$name);

            impl Default for $name {
                fn default() -> Self {
                    Self::new($default)
                }
            }

            #[allow(dead_code, reason = "each has what some of them need")]
            impl $name {
                pub(crate) fn new(value: $of) -> Self {
                    Self(loom::sync::atomic::$name::new(value))
                }

                pub(crate) fn load(&self, written: Ordering) -> $of {
                    self.0.load(order(written))
                }

                pub(crate) fn store(&self, value: $of, written: Ordering) {
                    self.0.store(value, order(written));
                }

                pub(crate) fn swap(&self, value: $of, written: Ordering) -> $of {
                    self.0.swap(value, order(written))
                }

                pub(crate) fn fetch_or(&self, value: $of, written: Ordering) -> $of {
                    self.0.fetch_or(value, order(written))
                }

                pub(crate) fn fetch_and(&self, value: $of, written: Ordering) -> $of {
                    self.0.fetch_and(value, order(written))
                }

                pub(crate) fn compare_exchange(
                    &self,
                    from: $of,
                    to: $of,
                    written: Ordering,
                    failed: Ordering,
                ) -> Result<$of, $of> {
                    self.0
                        .compare_exchange(from, to, order(written), order(failed))
                }
            }
        };
    }

    macro_rules! number {
        ($name:ident, $of:ty) => {
            atomic!($name, $of, 0);

            #[allow(dead_code, reason = "each has what some of them need")]
            impl $name {
                pub(crate) fn fetch_add(&self, value: $of, written: Ordering) -> $of {
                    self.0.fetch_add(value, order(written))
                }

                pub(crate) fn fetch_sub(&self, value: $of, written: Ordering) -> $of {
                    self.0.fetch_sub(value, order(written))
                }

                pub(crate) fn fetch_update(
                    &self,
                    written: Ordering,
                    failed: Ordering,
                    change: impl FnMut($of) -> Option<$of>,
                ) -> Result<$of, $of> {
                    self.0.fetch_update(order(written), order(failed), change)
                }
            }
        };
    }

    atomic!(AtomicBool, bool, false);
    number!(AtomicU32, u32);
    number!(AtomicU64, u64);
}
