//! The ids in use, and the agent's numbers for them.

use id_map::{ObjectTable, Renumbering};

/// Which ids are in use.
pub(crate) static IDS: ObjectTable = ObjectTable::new();
/// The agent's numbers of objects that the arena model has moved.
pub(crate) static NUMBERS: Renumbering = Renumbering::new();
