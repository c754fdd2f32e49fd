//! Ends of threads that wait to be counted: that of the thread which ends the VM is none.

use std::collections::HashMap;

use recording_format::jvmti::EventKind;

use crate::known::Name;

/// An end, by the name of the thread and by its object.
pub(crate) type End = (Name, u64);

/// What ended last on each thread of the recording: the VM's end may be next.
#[derive(Debug, Default)]
pub(crate) struct Ends(HashMap<u32, (End, u64)>);

impl Ends {
    /// One more, in the ThreadEnd with this JNIEnv; what ended on the same thread before that.
    pub(crate) fn add(&mut self, on: u32, end: End, env: u64) -> Option<End> {
        self.0.insert(on, (end, env)).map(|(end, _)| end)
    }

    /// An event comes behind it, in no callback: what ended was not the VM's last thread. (The same thread of the
    /// system may be another one of the VM's: that of main is DestroyJavaVM's.)
    pub(crate) fn goes_on(&mut self, on: u32, event: Option<EventKind>) -> Option<End> {
        // The VM may tell of objects at its end before VMDeath, on the thread that ends it.
        use EventKind::{ObjectFree, ThreadEnd, VMDeath};
        if matches!(event, Some(VMDeath | ThreadEnd | ObjectFree)) {
            return None;
        }
        self.0.remove(&on).map(|(end, _)| end)
    }

    /// The VM's end comes on this thread, perhaps with a JNIEnv: who ends it, if nothing says that it is another one.
    pub(crate) fn of_the_vm(&mut self, on: u32, env: Option<u64>) -> Option<End> {
        let is_another =
            |of_end: u64| env.is_some_and(|env| env != 0 && of_end != 0 && env != of_end);
        let (end, of_end) = self.0.get(&on).copied()?;
        if is_another(of_end) {
            return None;
        }
        self.0.remove(&on);
        Some(end)
    }

    /// All that wait.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = End> {
        std::mem::take(&mut self.0)
            .into_values()
            .map(|(end, _)| end)
    }
}
