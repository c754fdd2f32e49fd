//! JNI_GLOBALREF_ALLOC and FREE, and the weak ones.

pub(crate) mod global_refs;
mod known;
