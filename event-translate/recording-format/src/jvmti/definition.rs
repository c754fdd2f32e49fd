//! What ids name: JVMTI's events carry no names, so the recording has them once each.

use crate::fields::Space::{Class, Env, Field as FieldId, Method, Object};
use crate::fields::Type::{Id, Int, Text};
use crate::fields::{Field, fields};

/// What is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Definition {
    /// An environment: whose it is.
    Environment = 1,
    /// A class.
    Class = 2,
    /// A method.
    Method = 3,
    /// A field.
    Field = 4,
    /// A thread.
    Thread = 5,
}

impl Definition {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Environment,
        Self::Class,
        Self::Method,
        Self::Field,
        Self::Thread,
    ];

    /// The one of this number.
    pub(crate) fn from_raw(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&one| one as u8 == number)
    }

    /// How it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Class => "class",
            Self::Method => "method",
            Self::Field => "field",
            Self::Thread => "thread",
        }
    }

    /// What is said of it.
    #[must_use]
    pub const fn fields(self) -> &'static [Field] {
        match self {
            Self::Environment => fields!["environment": Int, "agent": Text],
            Self::Class => fields!["class": Id(Class), "signature": Text],
            Self::Method => fields![
                "method": Id(Method), "class": Id(Class), "name": Text, "signature": Text,
            ],
            Self::Field => fields![
                "field": Id(FieldId), "class": Id(Class), "name": Text, "signature": Text,
            ],
            Self::Thread => fields!["env": Id(Env), "thread": Id(Object), "name": Text],
        }
    }
}
