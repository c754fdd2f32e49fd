//! What kind of id each function takes, and what an agent passed instead.

use super::rules::Rule;
use event_translate::table::{EventKind, Function};

/// [`crate::Call::bad`] of a name that was read from the memory of an event.
pub const POISONED: &str =
    "the name is read from the memory of an event whose handler has returned";

/// The kind of id that a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None.
    Nothing,
    /// A jobjectID.
    Object,
    /// The jobjectID of a class.
    Class,
    /// The jobjectID of a thread's object.
    Thread,
    /// A JNIEnv.
    Env,
    /// A jmethodID.
    Method,
    /// A raw monitor.
    Monitor,
}

/// What a number turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// NULL.
    Null,
    /// What the memory of an event is overwritten with ([`POISON`]).
    Poison,
    /// Nothing that was ever given out.
    Unknown,
    /// Something that has ended.
    Stale,
    /// A plain object or an array.
    Object,
    /// A class.
    Class,
    /// The object of a thread that lives.
    Thread,
    /// The JNIEnv of a thread that lives.
    Env,
    /// A method.
    Method,
    /// A raw monitor.
    Monitor,
}

/// The byte that an event's memory is overwritten with.
pub const POISON: u8 = 0xdb;

/// Whether a word was read from overwritten memory; it may have been moved a little, as the
/// address of a member is, and its last byte may be the zero at a string's end.
#[must_use]
pub const fn is_poison(word: u64) -> bool {
    const MIDDLE: u64 = 0x00ff_ffff_ffff_0000;
    let last = word >> 56;
    (word & MIDDLE == u64::from_ne_bytes([POISON; 8]) & MIDDLE
        && (last == 0 || last == POISON as u64))
        || word == 0xdbdb_dbdb
}

/// What a function takes; of `RequestEvent` that depends on the event.
#[must_use]
pub const fn wanted(function: Function, event: Option<EventKind>) -> Wanted {
    match function {
        Function::RequestEvent => match event {
            Some(EventKind::ClassLoad) => Wanted::Class,
            Some(EventKind::ThreadStart) => Wanted::Thread,
            Some(EventKind::ObjectAlloc | EventKind::ObjectDump) => Wanted::Object,
            _ => Wanted::Nothing,
        },
        Function::GetCallTrace
        | Function::SuspendThread
        | Function::ResumeThread
        | Function::GetThreadStatus
        | Function::ThreadHasRun
        | Function::SetThreadLocalStorage
        | Function::GetThreadLocalStorage
        | Function::GetThreadObject
        | Function::SuspendThreadList
        | Function::ResumeThreadList => Wanted::Env,
        Function::RawMonitorEnter
        | Function::RawMonitorExit
        | Function::RawMonitorWait
        | Function::RawMonitorNotifyAll
        | Function::RawMonitorDestroy => Wanted::Monitor,
        Function::GetMethodClass => Wanted::Method,
        Function::JobjectIdToJobject => Wanted::Object,
        Function::EnableEvent
        | Function::DisableEvent
        | Function::ProfilerExit
        | Function::RawMonitorCreate
        | Function::GetCurrentThreadCpuTime
        | Function::CreateSystemThread
        | Function::DisableGC
        | Function::EnableGC
        | Function::RunGC
        | Function::JobjectToJobjectId => Wanted::Nothing,
    }
}

impl Wanted {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Object => "a jobjectID",
            Self::Class => "the jobjectID of a class",
            Self::Thread => "the jobjectID of a thread's object",
            Self::Env => "the JNIEnv of a live thread",
            Self::Method => "a jmethodID",
            Self::Monitor => "a raw monitor",
        }
    }

    /// The rule that passing this breaks.
    #[must_use]
    pub const fn broken_by(self, named: Named) -> Option<Rule> {
        match (self, named) {
            (Self::Nothing, _)
            | (Self::Object, Named::Object | Named::Class | Named::Thread)
            | (Self::Class, Named::Class)
            | (Self::Thread, Named::Thread)
            | (Self::Env, Named::Env)
            | (Self::Method, Named::Method)
            | (Self::Monitor, Named::Monitor) => None,
            (_, Named::Poison) => Some(Rule::EventMemory),
            (_, Named::Null | Named::Unknown) => Some(Rule::UnknownId),
            (_, Named::Stale) => Some(Rule::StaleId),
            _ => Some(Rule::WrongKind),
        }
    }
}

impl Named {
    /// In words, behind "is".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Poison => "read from the memory of an event whose handler has returned",
            Self::Unknown => "no id that was ever given out",
            Self::Stale => "the id of something that has ended",
            Self::Object => "the id of an object",
            Self::Class => "the id of a class",
            Self::Thread => "the id of a thread's object",
            Self::Env => "a JNIEnv",
            Self::Method => "a jmethodID",
            Self::Monitor => "a raw monitor",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_from_the_others() {
        use Named::*;
        let all = [
            Null, Poison, Unknown, Stale, Object, Class, Thread, Env, Method, Monitor,
        ];
        let accepted = |wanted: Wanted| {
            let fits = |named: &&Named| wanted.broken_by(**named).is_none();
            all.iter().filter(fits).copied().collect::<Vec<_>>()
        };
        assert_eq!(accepted(Wanted::Object), [Object, Class, Thread]);
        assert_eq!(accepted(Wanted::Class), [Class]);
        assert_eq!(accepted(Wanted::Thread), [Thread]);
        assert_eq!(accepted(Wanted::Env), [Env]);
        assert_eq!(accepted(Wanted::Method), [Method]);
        assert_eq!(accepted(Wanted::Monitor), [Monitor]);
        assert_eq!(accepted(Wanted::Nothing).len(), all.len());
        assert_eq!(Wanted::Class.broken_by(Object), Some(Rule::WrongKind));
        assert_eq!(Wanted::Env.broken_by(Stale), Some(Rule::StaleId));
        assert_eq!(Wanted::Monitor.broken_by(Null), Some(Rule::UnknownId));
        assert_eq!(Wanted::Object.broken_by(Poison), Some(Rule::EventMemory));
    }

    #[test]
    fn poison_is_recognised() {
        assert!(is_poison(0xdbdb_dbdb_dbdb_dbdb) && is_poison(0xdbdb_dbdb_dbdb_dbe0));
        assert!(is_poison(0xdbdb_dbdb) && is_poison(0x00db_dbdb_dbdb_dbdb));
        assert!(!is_poison(0) && !is_poison(0xdbdb) && !is_poison(0x7f00_dbdb_dbdb));
    }

    #[test]
    fn requests_want_what_the_event_is_about() {
        assert_eq!(
            wanted(Function::RequestEvent, Some(EventKind::ClassLoad)),
            Wanted::Class
        );
        assert_eq!(
            wanted(Function::RequestEvent, Some(EventKind::HeapDump)),
            Wanted::Nothing
        );
        assert_eq!(wanted(Function::RequestEvent, None), Wanted::Nothing);
    }
}
