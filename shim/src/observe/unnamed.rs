//! Methods that nothing else in a recording names: those of an agent without CLASS_LOAD.

use event_translate::{EventKind, Function};
use jvmpi_headers::jvmpi::JVMPI_Event;
use recording_format::Value;

use crate::agent::event_values;
use crate::model::wanted;
use crate::observe::call::Call;
use crate::observe::call_values;
use crate::observe::jvmti::identities;

/// Names the method of an event that is about to be recorded.
#[inline]
pub(super) fn of_event(event: &JVMPI_Event) {
    if !wanted::wants(EventKind::ClassLoad)
        && let Some(method) = event_values::method(event)
    {
        identities::method(method);
    }
}

/// The same of the frames that a call has given.
pub(super) fn of_call(call: &Call, result: u64) {
    if call.function != Function::GetCallTrace || wanted::wants(EventKind::ClassLoad) {
        return;
    }
    call_values::results(call.function, call.arguments, result, |values| {
        for frame in values.get(1).map(Value::rows).unwrap_or_default() {
            let method = frame.get(1).and_then(Value::id).unwrap_or(0);
            identities::method(usize::try_from(method).unwrap_or(0));
        }
    });
}
