//! What is kept of the class files of one class.

use std::mem;

use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::model::thread::current;

/// The class files of one class.
#[derive(Debug, Default)]
pub(crate) struct ClassFiles {
    /// The hash of the one it was loaded from: the VM begins with that when a class is
    /// retransformed, also if it has been redefined (HotSpot 11 to 25, measured).
    pub(crate) loaded: OnceCell<u64>,
    history: Mutex<History>,
}

/// What others than we have made of a class since it was loaded.
#[derive(Debug, Default)]
pub(crate) enum Since {
    /// What counts is what the agent made of it then.
    #[default]
    Nothing,
    /// It is as it was found.
    AsFound,
    /// The bytes that the last redefinition by others has left.
    Became(Box<[u8]>),
}

#[derive(Debug, Default)]
struct History {
    since: Since,
    /// What it was before a change to which the VM has not answered yet, and whose thread asks for that.
    before: Option<(u64, Since)>,
}

impl ClassFiles {
    /// Looks at what others have made of it, under a lock.
    pub(crate) fn with_since<O>(&self, look: impl FnOnce(&Since) -> O) -> O {
        look(&self.history.lock().since)
    }

    /// The calling thread has the VM make this of it. The VM shows the file before it looks whether it takes it, and other
    /// threads may retransform the class as soon as it has: so this counts at once, until
    /// [`ClassFiles::is_answered`] says otherwise.
    pub(crate) fn note(&self, since: Since) {
        let mut history = self.history.lock();
        let before = mem::replace(&mut history.since, since);
        let is_anothers = |(by, _): &(u64, Since)| *by != current::key();
        if history.before.as_ref().is_none_or(is_anothers) {
            history.before = Some((current::key(), before));
        }
    }

    /// The VM has taken what the calling thread wanted of it, or refused that: then the class is what it was.
    pub(crate) fn is_answered(&self, is_taken: bool) {
        let mut history = self.history.lock();
        // Another thread may have come next, as the VM has one after the other change a class.
        let own = history.before.take_if(|(by, _)| *by == current::key());
        if let Some((_, before)) = own
            && !is_taken
        {
            history.since = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{ClassFiles, Since};

    fn became(bytes: &[u8]) -> Since {
        Since::Became(bytes.into())
    }

    fn is(file: &ClassFiles, bytes: &[u8]) -> bool {
        file.with_since(|since| matches!(since, Since::Became(known) if **known == *bytes))
    }

    #[test]
    fn what_the_vm_has_refused_is_taken_back() {
        let file = ClassFiles::default();
        file.note(became(b"refused"));
        assert!(is(&file, b"refused"), "the VM may have taken it");
        file.is_answered(false);
        assert!(file.with_since(|since| matches!(since, Since::Nothing)));
        file.note(became(b"first"));
        file.is_answered(true);
        // Twice in one call.
        file.note(became(b"second"));
        file.note(became(b"third"));
        file.is_answered(false);
        assert!(is(&file, b"first"));
        file.is_answered(false);
        assert!(is(&file, b"first"), "nothing was under way");
    }

    #[test]
    fn an_answer_is_that_of_its_own_thread() {
        let file = ClassFiles::default();
        file.note(became(b"refused"));
        thread::scope(|scope| {
            scope.spawn(|| {
                file.note(became(b"taken"));
                file.is_answered(true);
            });
        });
        file.is_answered(false);
        assert!(is(&file, b"taken"));
    }
}
