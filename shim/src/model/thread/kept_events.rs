//! What a thread keeps, since it could not send it at once: [`protocols::kept`], with the bits of
//! [`attention`] that its fast paths look at.

use crate::model::thread::attention_guard::Attention;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::{Thread, attention};

impl Thread {
    /// Keeps an event until the gate is open again; see [`crate::delivery::deferred::flush`].
    pub(crate) fn keep(&self, event: impl Deferred<Self> + 'static) {
        self.kept().lock().keep(Box::new(event));
        self.set_attention(attention::KEPT);
    }

    /// Keeps a CLASS_LOAD, once.
    pub(crate) fn keep_class(&self, load: impl Deferred<Self> + 'static) {
        let class = load.class();
        let mut kept = self.kept().lock();
        kept.keep_unless(|other| other.class() == class, Box::new(load));
        drop(kept);
        self.set_attention(attention::KEPT);
    }

    /// How many events it keeps.
    pub(crate) fn count_kept(&self) -> usize {
        self.kept().lock().count()
    }

    /// Whether it has kept something and is not just sending it.
    #[inline]
    pub(crate) fn has_kept(&self) -> bool {
        self.attention() & (attention::KEPT | attention::FLUSHING) == attention::KEPT
    }
}

/// While this lives its thread, the calling one, sends what it has kept.
pub(crate) struct Sending<'a> {
    own: &'a Thread,
    _flushing: Attention<'a>,
}

impl<'a> Sending<'a> {
    /// `None` if nothing is due.
    pub(crate) fn begin(own: &'a Thread) -> Option<Self> {
        if !own.has_kept() || !own.kept().lock().begin() {
            return None;
        }
        let flushing = Attention::set(own, attention::FLUSHING);
        own.clear_attention(attention::KEPT);
        Some(Self {
            own,
            _flushing: flushing,
        })
    }

    /// The next one, if it `may` be sent now; to be sent, or kept again.
    pub(crate) fn next(
        &self,
        may: impl FnOnce(&dyn Deferred<Thread>) -> bool,
    ) -> Option<Box<dyn Deferred<Thread>>> {
        self.own.kept().lock().next(|event| may(&**event))
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        let mut kept = self.own.kept().lock();
        kept.end();
        if kept.is_due() {
            self.own.set_attention(attention::KEPT);
        }
    }
}
