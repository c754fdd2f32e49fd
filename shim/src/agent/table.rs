//! The two `JVMPI_Interface`s that agents can hold: static, for ever. Which functions stand in
//! them others say, before any agent can get one.
//!
//! Agents overwrite NotifyEvent in it, at any time and from any thread; it is
//! read at every delivery (JVMPI facts B.0).
#![allow(unsafe_code, reason = "a table that C code writes to")]

use std::ffi::c_void;
use std::mem::{self, offset_of};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_Interface, JVMPI_VERSION_1, NotifyEvent};

use crate::agent::park_handler;
use crate::base::{config, observer};

/// How many functions the VM provides.
pub(crate) const FUNCTIONS: usize = 28;

/// A `JVMPI_Interface`, with members that several threads may write to.
#[repr(C)]
pub(crate) struct Table {
    version: AtomicI32,
    notify_event: AtomicPtr<c_void>,
    functions: [AtomicPtr<c_void>; FUNCTIONS],
}

const _: () = assert!(size_of::<Table>() == size_of::<JVMPI_Interface>());
const _: () = assert!(offset_of!(Table, notify_event) == offset_of!(JVMPI_Interface, NotifyEvent));
const _: () = assert!(offset_of!(Table, functions) == offset_of!(JVMPI_Interface, EnableEvent));

/// The functions themselves.
pub(crate) static PLAIN: Table = Table::new();
/// Functions that let others look on, for agents that ask while somebody does.
pub(crate) static OBSERVED: Table = Table::new();

impl Table {
    const fn new() -> Self {
        Self {
            version: AtomicI32::new(JVMPI_VERSION_1),
            notify_event: AtomicPtr::new(ptr::null_mut()),
            functions: [const { AtomicPtr::new(ptr::null_mut()) }; FUNCTIONS],
        }
    }

    /// Puts the functions in, each in its place behind NotifyEvent.
    pub(crate) fn fill(&self, functions: [*mut c_void; FUNCTIONS]) {
        for (slot, function) in self.functions.iter().zip(functions) {
            // Relaxed: before the VM's table leads to GetEnv, by a release whose partner is there.
            slot.store(function, Ordering::Relaxed);
        }
    }

    /// The function in this place behind NotifyEvent.
    pub(crate) fn function(&self, index: usize) -> Option<*mut c_void> {
        let slot = self.functions.get(index)?;
        Some(slot.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn notify_event(&self) -> Option<NotifyEvent> {
        let agent = self.notify_event.load(Ordering::Acquire);
        // SAFETY: null or a function that the agent promises to be a NotifyEvent.
        unsafe { mem::transmute::<*mut c_void, Option<NotifyEvent>>(agent) }
    }
}

/// The table that agents get, marked with the highest version asked for so far: some
/// agents compare the two, and whoever has asked for more goes on using it.
pub(crate) fn interface(version: jint) -> *mut JVMPI_Interface {
    let table = handed_out();
    observer::tell(|observer| observer.asked(version));
    let said = if config::options().host.row().says_version_1 {
        JVMPI_VERSION_1
    } else {
        version
    };
    table.version.fetch_max(said, Ordering::Relaxed);
    ptr::from_ref(table).cast_mut().cast()
}

/// The plain table, or the one that lets others look on.
fn handed_out() -> &'static Table {
    if observer::is_on() { &OBSERVED } else { &PLAIN }
}

/// The agent's NotifyEvent, if it has set one.
pub(crate) fn notify_event() -> Option<NotifyEvent> {
    handed_out().notify_event()
}

/// The same while nobody looks ([`crate::base::observer`]).
#[inline(always)]
pub(crate) fn notify_event_unobserved() -> Option<NotifyEvent> {
    PLAIN.notify_event()
}

/// What the table says of its version.
pub(crate) fn version() -> jint {
    handed_out().version.load(Ordering::Relaxed)
}

/// What an agent does by a store into its table.
#[cfg(test)]
pub(crate) fn set_notify_event(agent: NotifyEvent) {
    set_notify(agent as *mut c_void);
}

fn set_notify(agent: *mut c_void) {
    handed_out().notify_event.store(agent, Ordering::Release);
}

/// What stands for the NotifyEvent of an agent that has no table in this process. Unlike an agent's own it can fail:
/// it returns [`NOT_TOLD`] then.
pub(crate) type NotifyBeside = unsafe extern "C-unwind" fn(*mut JVMPI_Event) -> usize;

/// The agent has not been told: nobody could, or its NotifyEvent is NULL.
pub(crate) const NOT_TOLD: usize = 1;

static BESIDE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// What an agent does by a store into its table, for one that has none in this process.
pub(crate) fn set_notify_beside(agent: NotifyBeside) {
    let agent = agent as *mut c_void;
    BESIDE.store(agent, Ordering::Release);
    set_notify(agent);
}

/// Whether what is called by this NotifyEvent is a [`NotifyBeside`], and has something to return.
pub(crate) fn is_beside(agent: NotifyEvent) -> bool {
    BESIDE.load(Ordering::Acquire) == agent as *mut c_void
}

/// Nobody is listening any more: the agent's start has failed.
pub(crate) fn forget_agent() {
    for table in [&PLAIN, &OBSERVED] {
        table.notify_event.store(ptr::null_mut(), Ordering::Release);
    }
    park_handler::set(None);
}
