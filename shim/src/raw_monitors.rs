//! RAW_MONITOR_CONTENDED_ENTER, ENTERED and EXIT.

use std::cell::Cell;
use std::ffi::CStr;

use event_translate::table::EventKind;
use jvmpi_headers::jvmpi::{JVMPI_Event_raw_monitor, JVMPI_RawMonitor};

use crate::jvmti::jni::Jni;
use crate::{dispatch, state, threads};

thread_local! {
    /// A handler of one of these events uses raw monitors too, and those may be
    /// contended: their events would recurse without end.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Sends one contention event on this thread, unless the monitor's name begins
/// with `_` (specification, RawMonitorCreate) or the VM does not know the thread.
/// Inside a bracket nobody hears of it: afterwards the monitor may be gone. False if
/// it was not sent though wanted.
pub(crate) fn announce(kind: EventKind, monitor: JVMPI_RawMonitor, name: &CStr) -> bool {
    if name.to_bytes().starts_with(b"_") || !dispatch::reaches_agent(kind) || INSIDE.get() {
        return true;
    }
    let (Some(jvmti), Some(jni)) = (state::jvmti(), Jni::of_this_thread()) else {
        return true;
    };
    let Some(own) = threads::own() else {
        return true;
    };
    INSIDE.set(true);
    dispatch::introduce(jvmti, jni, &own);
    let mut event = dispatch::blank(kind.raw(), &own);
    event.u.raw_monitor = JVMPI_Event_raw_monitor {
        name: name.as_ptr().cast_mut(),
        id: monitor,
    };
    let sent = dispatch::deliver(&own, &mut event);
    INSIDE.set(false);
    sent != dispatch::Sent::Later
}
