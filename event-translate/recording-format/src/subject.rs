//! What a record is of, and by which name.

use std::fmt::{self, Write};

use event_translate::{EventKind, Function};

use super::fields::{Field, GET_ENV, call_results, event_results, run_results};
use super::jvmti::{self, Definition};

/// The bit of requested events.
pub(super) const REQUESTED: i32 = 0x1000_0000;

/// What a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// An event, by its number without the bit of requested ones.
    Event(i32),
    /// A call of a function of the table, by its slot.
    Call(u8),
    /// A function of the agent's that the VM calls: JVM_OnLoad, or a system thread's.
    Run,
    /// An event of JVMTI, by its number.
    JvmtiEvent(u8),
    /// A call of a function of JVMTI, by its number.
    JvmtiCall(u8),
    /// What an id names.
    Definition(Definition),
}

impl Subject {
    /// Its times are in steps of two to this many ticks, of a block with this [`crate::BlockHead::step`]:
    /// what comes by the million takes a byte less then. Methods are each thread's own
    /// affair; objects go from one to another.
    #[inline]
    pub(super) const fn step(self, step: u32) -> u32 {
        match self {
            Self::Event(1 | 3) | Self::JvmtiEvent(60 | 65 | 66) => step,
            Self::Event(2 | 4 | 5) => step.saturating_sub(1),
            Self::Event(_)
            | Self::Call(_)
            | Self::Run
            | Self::JvmtiEvent(_)
            | Self::JvmtiCall(_)
            | Self::Definition(_) => 0,
        }
    }

    pub(super) const fn word(self) -> u64 {
        match self {
            Self::Event(number) => number.cast_unsigned() as u64,
            Self::Call(slot) => 1 << 32 | slot as u64,
            Self::Run => 2 << 32,
            Self::JvmtiEvent(number) => 3 << 32 | number as u64,
            Self::JvmtiCall(number) => 4 << 32 | number as u64,
            Self::Definition(what) => 5 << 32 | what as u64,
        }
    }
}

/// What a record is of, by its name in the specification.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Event(number) => event_name(f, number),
            Self::Call(GET_ENV) => f.write_str("GetEnv"),
            Self::Call(slot) => match Function::from_slot(slot) {
                Some(function) => f.write_str(function.row().name),
                None => write!(f, "slot {slot}"),
            },
            Self::Run => f.write_str("agent function"),
            Self::JvmtiEvent(number) => match jvmti::event(number) {
                Some(event) => f.write_str(event.name),
                None => write!(f, "JVMTI event {number}"),
            },
            // Some of JVMPI's functions have the same names.
            Self::JvmtiCall(number) => match jvmti::function(number) {
                Some(function) if function.is_ours() => f.write_str(function.name),
                Some(function) => write!(f, "jvmti {}", function.name),
                None => write!(f, "jvmti function {number}"),
            },
            Self::Definition(what) => f.write_str(what.name()),
        }
    }
}

fn event_name(out: &mut impl Write, number: i32) -> fmt::Result {
    match EventKind::from_raw(number & !REQUESTED) {
        Some(kind) => out.write_str(kind.name()),
        None => write!(out, "event {number}"),
    }
}

/// The values that its end has.
pub(super) const fn results_of(subject: Subject) -> &'static [Field] {
    match subject {
        Subject::Event(number) => event_results(number),
        Subject::Call(slot) => call_results(slot),
        Subject::Run => run_results(),
        Subject::JvmtiEvent(number) => jvmti::event_results(number),
        Subject::JvmtiCall(number) => jvmti::call_results(number),
        Subject::Definition(_) => &[],
    }
}
