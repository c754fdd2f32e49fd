//! The atomics of std, or those of loom.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};

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
