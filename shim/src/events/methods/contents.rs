//! What METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT say.

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_Event_method, JVMPI_Event_method_entry2};

use crate::model::ids;
use crate::vm::member_ids::MethodId;

/// Fills in one of them, with the receiver of METHOD_ENTRY2.
#[inline]
pub(super) fn fill(
    event: &mut JVMPI_Event,
    kind: EventKind,
    method: MethodId,
    receiver: Option<ObjectId>,
) {
    let method_id = method.to_jni();
    if kind == EventKind::MethodEntry2 {
        event.u.method_entry2 = JVMPI_Event_method_entry2 {
            method_id,
            obj_id: ids::object_id(receiver),
        };
    } else {
        event.u.method = JVMPI_Event_method { method_id };
    }
}
