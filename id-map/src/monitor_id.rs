//! A raw monitor from outside: its handle, and what comes of asking for it.

use std::ffi::CStr;
use std::sync::Arc;

/// A raw monitor's handle: slot and generation, so that a destroyed monitor's
/// handle is recognised. Not zero, a multiple of 16, below 2³¹.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MonitorId(u32);

impl MonitorId {
    pub(crate) const INDEX_BITS: u32 = 20;
    pub(crate) const GENERATIONS: u32 = 1 << 7;

    pub(crate) fn new(index: u32, generation: u32) -> Self {
        Self(((generation << Self::INDEX_BITS) | (index + 1)) << 4)
    }

    /// Reads a handle back from an agent; `None` for a number no handle has.
    #[must_use]
    pub fn from_raw(raw: u64) -> Option<Self> {
        let number = u32::try_from(raw).ok()?;
        let id = Self(number);
        let shaped = number.trailing_zeros() >= 4 && number < 1 << 31 && id.index().is_some();
        shaped.then_some(id)
    }

    /// The number agents carry.
    #[must_use]
    pub fn raw(self) -> u64 {
        u64::from(self.0)
    }

    pub(crate) fn index(self) -> Option<usize> {
        let index = (self.0 >> 4) & ((1 << Self::INDEX_BITS) - 1);
        usize::try_from(index.checked_sub(1)?).ok()
    }

    pub(crate) fn generation(self) -> u32 {
        self.0 >> (4 + Self::INDEX_BITS)
    }
}

/// What [`Monitors::try_enter`](crate::Monitors::try_enter) found.
#[derive(Debug, PartialEq, Eq)]
pub enum Enter {
    /// The caller owns the monitor now.
    Entered,
    /// Somebody else owns it. The caller counts as waiting to enter and must go
    /// on with [`Monitors::enter_contended`](crate::Monitors::enter_contended).
    Contended(Arc<CStr>),
    /// No such monitor.
    Unknown,
}

/// What [`Monitors::exit`](crate::Monitors::exit) did.
#[derive(Debug, PartialEq, Eq)]
pub enum Exit {
    /// One level less, or released with nobody waiting to enter.
    Done,
    /// Released while others wait to enter.
    Contended(Arc<CStr>),
    /// The caller does not own it; nothing happened.
    NotOwner,
    /// No such monitor.
    Unknown,
}

/// How [`Monitors::wait`](crate::Monitors::wait) or [`Monitors::notify_all`](crate::Monitors::notify_all) ended.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Outcome {
    /// Notified, or notified all.
    Done,
    /// The time was up.
    TimedOut,
    /// The caller does not own it; nothing happened.
    NotOwner,
    /// No such monitor, or destroyed while waiting.
    Unknown,
}

/// One monitor at one moment; threads by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// Its handle.
    pub id: MonitorId,
    /// Its name.
    pub name: Arc<CStr>,
    /// Who owns it; 0 for nobody.
    pub owner: u64,
    /// How often the owner has entered it.
    pub depth: u32,
    /// Who waits to enter, or to come back from a wait.
    pub entering: Vec<u64>,
    /// Who waits to be notified.
    pub waiting: Vec<u64>,
}
