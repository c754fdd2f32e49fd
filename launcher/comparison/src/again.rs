//! One event of which several environments of an agent are told, one after the other: it is one all the same.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use recording_format::Value;

/// The event that came last on each thread, as deep in callbacks.
#[derive(Debug, Default)]
pub(crate) struct Again {
    last: HashMap<(u32, usize), Told>,
}

/// Of one event.
#[derive(Debug, Default)]
struct Told {
    /// Of its number and values.
    hash: u64,
    environments: Vec<u32>,
}

impl Again {
    /// Whether another environment has just been told of this, on the same thread and as deep.
    pub(crate) fn is(
        &mut self,
        place: (u32, usize),
        environment: u32,
        event: (u8, &[Value<'_>]),
    ) -> bool {
        let mut hasher = DefaultHasher::new();
        event.hash(&mut hasher);
        let hash = hasher.finish();
        let last = self.last.entry(place).or_default();
        let is_again = last.hash == hash && !last.environments.contains(&environment);
        if !is_again {
            last.hash = hash;
            last.environments.clear();
        }
        last.environments.push(environment);
        is_again
    }
}
