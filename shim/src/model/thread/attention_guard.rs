//! Keeps a thread from its fast paths for a while.

use std::sync::Arc;

use crate::model::thread::{Thread, current};

/// Bits of [`crate::model::thread::attention`] that are set on a thread.
pub(crate) struct Attention<'a> {
    thread: &'a Thread,
    /// Those that were not set before.
    bits: u32,
}

impl<'a> Attention<'a> {
    /// On the calling thread, whose record is `own`.
    pub(crate) fn set(own: &'a Thread, bits: u32) -> Self {
        let before = own.set_attention(bits);
        Self {
            thread: own,
            bits: bits & !before,
        }
    }
}

impl Drop for Attention<'_> {
    fn drop(&mut self) {
        self.thread.clear_attention(self.bits);
    }
}

/// Runs `body` while these bits are set on the calling thread.
pub(crate) fn with_attention<T>(bits: u32, body: impl FnOnce() -> T) -> T {
    let own: Option<Arc<Thread>> = current::own();
    let _set = own.as_deref().map(|own| Attention::set(own, bits));
    body()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::Attention;
    use crate::model::thread::Thread;
    use crate::model::thread::attention::{REWRITING, SILENT};

    #[test]
    fn a_panic_leaves_no_attention() {
        let thread = Thread::new(16);
        thread.set_attention(REWRITING);
        let before = thread.attention();
        let panicking = AssertUnwindSafe(|| {
            let _set = Attention::set(&thread, SILENT | REWRITING);
            assert_eq!(thread.attention(), before | SILENT);
            panic!("inside");
        });
        assert!(catch_unwind(panicking).is_err());
        // What somebody further out has set stays his.
        assert_eq!(thread.attention(), before);
    }
}
