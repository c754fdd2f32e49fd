//! Which code the methods of a class have. What is known of them by bytecode index, their lines, is of one code only,
//! and other threads run the next one before whoever had it made has come back from the VM.

use std::sync::atomic::{AtomicU64, Ordering};

/// One that is changing the code.
const CHANGE: u64 = 1;

/// The next code; below it there is room for all who are changing it.
const NEXT: u64 = 1 << 32;

/// How many are changing code of classes that have no records yet: what is found of new ones is not certain.
static OF_UNKNOWN: AtomicU64 = AtomicU64::new(0);

/// While there is one, classes that nobody knows may be changing.
#[derive(Debug)]
#[must_use]
pub(crate) struct UnknownChanging(());

impl UnknownChanging {
    /// To be had before it is looked which classes are known.
    pub(crate) fn begin() -> Self {
        // Partner: `ClassCode::version`, which is asked when the class has its record.
        OF_UNKNOWN.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for UnknownChanging {
    fn drop(&mut self) {
        OF_UNKNOWN.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The code of one class.
#[derive(Debug, Default)]
pub(crate) struct ClassCode(AtomicU64);

/// Of which code something is known; of none for certain if that was changing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(Option<u64>);

impl ClassCode {
    /// To be asked before what is known of it.
    pub(crate) fn version(&self) -> Version {
        let is_known = OF_UNKNOWN.load(Ordering::SeqCst) == 0;
        let state = self.0.load(Ordering::SeqCst);
        Version((is_known && state.is_multiple_of(NEXT)).then_some(state))
    }

    /// Whether it is this one, and nobody is changing it.
    pub(crate) fn is(&self, version: Version) -> bool {
        version.0 == Some(self.0.load(Ordering::Acquire))
    }

    /// From before the VM is asked for other code until it has come back.
    pub(crate) fn changing(&self) -> Changing<'_> {
        self.begin_change();
        Changing(self)
    }

    /// The same for who keeps the class; [`ClassCode::end_change`] has to follow.
    pub(crate) fn begin_change(&self) {
        self.0.fetch_add(CHANGE, Ordering::SeqCst);
    }

    /// The other end of it.
    pub(crate) fn end_change(&self) {
        self.0.fetch_add(NEXT - CHANGE, Ordering::SeqCst);
    }
}

/// While there is one nothing is certain.
#[derive(Debug)]
#[must_use]
pub(crate) struct Changing<'a>(&'a ClassCode);

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.0.end_change();
    }
}

#[cfg(test)]
mod tests {
    use super::{ClassCode, UnknownChanging};

    #[test]
    fn what_was_known_before_a_change_and_within_it_is_void() {
        let code = ClassCode::default();
        let first = code.version();
        assert!(code.is(first));
        let change = code.changing();
        assert!(!code.is(first));
        let within = code.version();
        assert!(!code.is(within));
        let other = code.changing();
        drop(change);
        assert!(!code.is(within) && !code.is(code.version()));
        drop(other);
        assert!(!code.is(first) && !code.is(within));
        assert!(code.is(code.version()));
        let change = UnknownChanging::begin();
        let within = code.version();
        drop(change);
        assert!(!code.is(within) && code.is(code.version()));
    }
}
