//! Writes monitor dumps (facts D.5).

use super::sink::{Out, count};
use crate::records::MonitorId;
use crate::sink::{Sink, WriteError};
use crate::tags::MonitorTag;

/// Appends one record for each monitor: those of objects first, then the raw ones.
#[derive(Debug)]
pub struct MonitorWriter<S> {
    sink: S,
}

impl<S: Sink> MonitorWriter<S> {
    /// Appends to `sink`.
    pub const fn new(sink: S) -> Self {
        Self { sink }
    }

    /// A monitor and its threads, each by its `JNIEnv*`. The owner may be 0; then
    /// `entry_count`, how often the owner has entered, is 0 too.
    ///
    /// # Errors
    ///
    /// [`WriteError::TooLong`] beyond 2³² threads, [`WriteError::NoMemory`].
    pub fn monitor(
        &mut self,
        id: MonitorId,
        owner: usize,
        entry_count: u32,
        wait_to_enter: &[usize],
        wait_to_be_notified: &[usize],
    ) -> Result<(), WriteError> {
        let lists = size_of_val(wait_to_enter) + size_of_val(wait_to_be_notified);
        let (enter_count, notify_count) = (count(wait_to_enter)?, count(wait_to_be_notified)?);
        let tag = match id {
            MonitorId::Java(_) => MonitorTag::Java,
            MonitorId::Raw { .. } => MonitorTag::Raw,
        };
        let mut out = Out(self.sink.grow(tag.fixed() + lists)?);
        out.u1(tag.raw());
        match id {
            MonitorId::Java(object) => out.word(object),
            MonitorId::Raw { name, id } => out.words(&[name, id]),
        }
        out.word(owner);
        out.u4(entry_count);
        out.u4(enter_count);
        out.words(wait_to_enter);
        out.u4(notify_count);
        out.words(wait_to_be_notified);
        Ok(())
    }

    /// The sink, with the dump.
    pub fn into_sink(self) -> S {
        self.sink
    }
}
