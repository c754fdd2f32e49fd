//! What one record of a recording says.

use event_translate::EventKind;

use super::fields::{Field, Value, call_arguments, event_fields, run_fields};
use super::jvmti::{self, Definition};
use super::subject::{Subject, results_of};

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// Nanoseconds since recording began.
    pub nanos: u64,
    /// The thread's number in the recording.
    pub thread: u32,
    /// Which record of its thread it is.
    pub index: u64,
    /// What it says.
    pub what: What<'a>,
}

/// What a record says. `results` are those of a record in which nothing else was
/// recorded; otherwise they come with its [`What::Leave`], or never, if the process ended
/// before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What<'a> {
    /// An event was given to the agent.
    Event {
        /// Its number, without the bit of requested ones.
        number: i32,
        /// Whether it had that bit.
        requested: bool,
        /// Its env.
        env: u64,
        /// The values of [`event_fields`].
        values: Vec<Value<'a>>,
        /// The values of [`crate::event_results`].
        results: Option<Vec<Value<'a>>>,
    },
    /// The agent has called a function.
    Call {
        /// Its slot; [`crate::GET_ENV`] for GetEnv.
        slot: u8,
        /// The values of [`call_arguments`].
        arguments: Vec<Value<'a>>,
        /// The values of [`crate::call_results`].
        results: Option<Vec<Value<'a>>>,
    },
    /// The VM has called a function of the agent's.
    Run {
        /// The values of [`run_fields`].
        values: Vec<Value<'a>>,
        /// The values of [`crate::run_results`].
        results: Option<Vec<Value<'a>>>,
    },
    /// JVM_INIT_DONE or JVM_SHUT_DOWN would have come, had the agent enabled it.
    Unsent {
        /// The event's number.
        number: i32,
    },
    /// An event was given to an agent that speaks JVMTI.
    JvmtiEvent {
        /// Its number.
        number: u8,
        /// Which environment's, by the recording's number.
        environment: u32,
        /// The thread's `JNIEnv`; 0 if it comes without.
        env: u64,
        /// The values of [`jvmti::event`].
        values: Vec<Value<'a>>,
        /// What the callback gave.
        results: Option<Vec<Value<'a>>>,
    },
    /// Such an agent has called a function of JVMTI.
    JvmtiCall {
        /// Its number.
        number: u8,
        /// Which environment's, by the recording's number.
        environment: u32,
        /// The arguments of [`jvmti::function`].
        arguments: Vec<Value<'a>>,
        /// The error code, and what came by pointers.
        results: Option<Vec<Value<'a>>>,
    },
    /// What ids name that other records have: [`Definition::fields`].
    Defined {
        /// What it is.
        definition: Definition,
        /// What is said of it.
        values: Vec<Value<'a>>,
    },
    /// The innermost of those on this thread ends.
    Leave {
        /// Which it is.
        subject: Subject,
        /// What it gave.
        results: Vec<Value<'a>>,
    },
}

impl<'a> What<'a> {
    /// What the record is of.
    #[must_use]
    pub const fn subject(&self) -> Subject {
        match self {
            Self::Event { number, .. } | Self::Unsent { number } => Subject::Event(*number),
            Self::Call { slot, .. } => Subject::Call(*slot),
            Self::Run { .. } => Subject::Run,
            Self::JvmtiEvent { number, .. } => Subject::JvmtiEvent(*number),
            Self::JvmtiCall { number, .. } => Subject::JvmtiCall(*number),
            Self::Defined { definition, .. } => Subject::Definition(*definition),
            Self::Leave { subject, .. } => *subject,
        }
    }

    /// Whether the VM ends here, for an agent of either kind.
    #[must_use]
    pub fn is_the_vms_end(&self) -> bool {
        match self.subject() {
            Subject::Event(number) => number == EventKind::JvmShutDown.raw(),
            Subject::JvmtiEvent(number) => {
                jvmti::EventKind::from_number(number) == Some(jvmti::EventKind::VMDeath)
            }
            Subject::Call(_) | Subject::Run | Subject::JvmtiCall(_) | Subject::Definition(_) => {
                false
            }
        }
    }

    /// Its values with their fields; none for an end.
    #[must_use]
    pub fn values(&self) -> (&'static [Field], &[Value<'a>]) {
        match self {
            Self::Event { number, values, .. } => (event_fields(*number), values),
            Self::Call {
                slot, arguments, ..
            } => (call_arguments(*slot), arguments),
            Self::Run { values, .. } => (run_fields(), values),
            Self::JvmtiEvent { number, values, .. } => (jvmti::event_fields(*number), values),
            Self::JvmtiCall {
                number, arguments, ..
            } => (jvmti::call_arguments(*number), arguments),
            Self::Defined { definition, values } => (definition.fields(), values),
            Self::Unsent { .. } | Self::Leave { .. } => (&[], &[]),
        }
    }

    /// Its results with their fields, if it has them.
    #[must_use]
    pub fn results(&self) -> Option<(&'static [Field], &[Value<'a>])> {
        let results = match self {
            Self::Event { results, .. }
            | Self::Call { results, .. }
            | Self::Run { results, .. }
            | Self::JvmtiEvent { results, .. }
            | Self::JvmtiCall { results, .. } => results.as_ref()?,
            Self::Leave { results, .. } => results,
            Self::Unsent { .. } | Self::Defined { .. } => return None,
        };
        Some((results_of(self.subject()), results))
    }

    /// Whether an end of it is to come.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        match self {
            Self::Event { results, .. }
            | Self::Call { results, .. }
            | Self::Run { results, .. }
            | Self::JvmtiEvent { results, .. }
            | Self::JvmtiCall { results, .. } => results.is_none(),
            Self::Unsent { .. } | Self::Defined { .. } | Self::Leave { .. } => false,
        }
    }
}
