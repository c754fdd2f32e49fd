//! No fast path on this kind of processor.

pub(super) fn start() -> Result<(), &'static str> {
    Err("it is known for x86-64 only")
}

#[inline]
pub(super) fn nanos() -> Option<u64> {
    None
}
