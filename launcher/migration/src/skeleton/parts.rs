//! What several events and functions share.

use super::jvmti::{self, Event};

/// A part of the skeleton; templates know it by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Raw monitors are entered.
    Monitors,
    /// Tags.
    Ids,
    /// Data of each thread.
    Storage,
    /// Classes are told of once.
    Classes,
    /// Objects get a tag when they are born.
    Births,
    /// Tags tell of deaths.
    Deaths,
    /// `include=` for classes.
    Filter,
    /// `include=` for methods.
    MethodFilter,
}

/// What it is called and takes.
#[derive(Debug)]
pub(super) struct PartRow {
    pub(super) name: &'static str,
    pub(super) needs: &'static [Part],
    pub(super) jvmti: &'static [Event],
    pub(super) capabilities: &'static [&'static str],
}

impl Part {
    pub(super) const fn row(self) -> PartRow {
        let (name, needs, jvmti, capabilities): (_, &[_], &[_], &[_]) = match self {
            Self::Monitors => ("monitors", &[], &[], &[]),
            Self::Ids => ("ids", &[Self::Monitors], &[], &["can_tag_objects"]),
            // What a thread has is freed when it ends.
            Self::Storage => ("storage", &[Self::Monitors], &[jvmti::THREAD_END], &[]),
            Self::Classes => (
                "classes",
                &[Self::Ids, Self::Filter],
                &[jvmti::CLASS_PREPARE],
                &[],
            ),
            // A walk over the heap knows classes by their tags.
            Self::Births => (
                "births",
                &[Self::Classes],
                &[jvmti::SAMPLED_OBJECT_ALLOC, jvmti::VM_OBJECT_ALLOC],
                &[],
            ),
            Self::Deaths => ("deaths", &[Self::Ids], &[jvmti::OBJECT_FREE], &[]),
            Self::Filter => ("filter", &[], &[], &[]),
            Self::MethodFilter => ("method-filter", &[], &[], &[]),
        };
        PartRow {
            name,
            needs,
            jvmti,
            capabilities,
        }
    }
}
