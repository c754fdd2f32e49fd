//! JNI's global references.

pub(crate) mod global_refs;
