//! Which hooks are wanted.

use super::class_file::{ClassFile, Method};
use super::hooks::Hook;

/// What the entry hook is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// There is none.
    #[default]
    Off,
    /// The method's number ([`crate::Hook::Enter`]).
    Number,
    /// Also the receiver ([`crate::Hook::EnterReceiver`]).
    Receiver,
}

/// Which hooks are inserted.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// The class that has them; the rewritten class's loader must know it.
    pub hook_class: &'a str,
    /// At the beginning.
    pub entry: Entry,
    /// Before each return, and when an exception leaves the method.
    pub exit: bool,
    /// Before each instruction.
    pub instructions: bool,
    /// Before a monitor is left ([`crate::Hook::Leave`]): by `monitorexit`, and by the end of a
    /// synchronized method, whether it returns or throws.
    pub monitors: bool,
    /// At the beginning of what `Thread.sleep` calls first and last ([`Hook::Sleeps`],
    /// [`Hook::Slept`]), on JDK 21 and later: there virtual threads sleep in Java.
    pub sleeps: bool,
    /// Where `LockSupport.park` and its like begin and return ([`Hook::Parks`],
    /// [`Hook::Parked`]).
    pub parks: bool,
}

/// What `LockSupport.park` and its like have as local 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parking {
    /// The blocker.
    Blocker,
    /// Nothing, or a time.
    NoBlocker,
}

impl Wish<'_> {
    /// What is left of it for a method whose entries and exits are not told of.
    pub(super) fn without_calls(&self) -> Self {
        Self {
            entry: Entry::Off,
            exit: false,
            ..*self
        }
    }

    /// Every method with code gets a hook.
    pub(super) fn concerns_all(&self) -> bool {
        self.entry != Entry::Off || self.exit || self.instructions
    }

    /// What this method tells of `Thread.sleep`, if that is wanted.
    pub(super) fn of_sleep(&self, class: &ClassFile<'_>, method: &Method<'_>) -> Option<Hook> {
        if !self.sleeps || class.name() != b"java/lang/Thread" || !method.is_static() {
            return None;
        }
        match method.name() {
            // Local 0 is the time.
            b"beforeSleep" if method.descriptor().starts_with(b"(J)") => Some(Hook::Sleeps),
            b"afterSleep" => Some(Hook::Slept),
            _ => None,
        }
    }

    /// Whether this method parks its thread, if that is to be told.
    pub(super) fn of_park(&self, class: &ClassFile<'_>, method: &Method<'_>) -> Option<Parking> {
        if !self.parks
            || class.name() != b"java/util/concurrent/locks/LockSupport"
            || !method.is_static()
            || !matches!(method.name(), b"park" | b"parkNanos" | b"parkUntil")
        {
            return None;
        }
        match method.descriptor() {
            b"(Ljava/lang/Object;)V" | b"(Ljava/lang/Object;J)V" => Some(Parking::Blocker),
            b"()V" | b"(J)V" => Some(Parking::NoBlocker),
            _ => None,
        }
    }
}
