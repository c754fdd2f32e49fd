//! Who looks at what passes between the agent and us: the recording, the checks, the counts. They
//! are told by [`crate::base::observer`], and nothing below `entry` knows them.

pub(crate) mod call;
pub(crate) mod call_values;
pub(crate) mod check;
pub(crate) mod event_line;
pub(crate) mod jvmti;
pub(crate) mod observed;
pub(crate) mod observers;
pub(crate) mod own_trace;
pub(crate) mod recorder;
pub(crate) mod recording;
pub(crate) mod trace;
pub(crate) mod trace_file;
pub(crate) mod unnamed;
mod usage;
