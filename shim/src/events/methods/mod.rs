//! METHOD_ENTRY, METHOD_ENTRY2, METHOD_EXIT and INSTRUCTION_START, from hooks or from JVMTI.

pub(crate) mod beginning;
pub(crate) mod calling_method;
mod contents;
pub(crate) mod exact_method_events;
pub(crate) mod fast_path;
pub(crate) mod instruction_events;
mod late_event;
pub(crate) mod metering;
pub(crate) mod method_events;
