//! Whether the calling thread is in our code or in the agent's.
//!
//! A handler of the agent's for a signal may call JVMPI or JNI in the middle of ours: while a lock is taken, while memory is
//! allocated, while something is said to the VM, for which its own words would be taken. It gets nothing then, as on a
//! thread that nobody answers.

use std::cell::Cell;

thread_local! {
    static IS_OURS: Cell<bool> = const { Cell::new(false) };
}

/// While it lives the calling thread is in our code, or is in the agent's again.
#[derive(Debug)]
pub struct Ours {
    before: bool,
}

impl Ours {
    /// `None` if it is there already.
    #[must_use]
    pub fn begin() -> Option<Self> {
        let before = IS_OURS.replace(true);
        (!before).then_some(Self { before })
    }

    /// A function of the agent's is called.
    pub(crate) fn pause() -> Self {
        let before = IS_OURS.replace(false);
        Self { before }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        IS_OURS.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::Ours;

    #[test]
    fn nothing_begins_in_the_middle() {
        let outer = Ours::begin();
        assert!(outer.is_some() && Ours::begin().is_none());
        {
            let _agents = Ours::pause();
            let inner = Ours::begin();
            assert!(inner.is_some() && Ours::begin().is_none());
        }
        assert!(Ours::begin().is_none());
        drop(outer);
        assert!(Ours::begin().is_some());
    }
}
