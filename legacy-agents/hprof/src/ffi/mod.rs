//! Everything that touches C: the host's functions, its events, the clock.

mod boundary;
pub(crate) mod clock;
pub(crate) mod event;
mod exports;
pub(crate) mod extension;
pub(crate) mod file_lock;
pub(crate) mod frequent_events;
pub(crate) mod host;
pub(crate) mod id_table;
pub(crate) mod parked_threads;
pub(crate) mod process;
pub(crate) mod services;
