//! The numbers by which the code of one class calls its methods.

use parking_lot::Mutex;

use crate::model::method_numbers::Range;

/// The numbers of a class's methods, once it has been rewritten: of each order in which its class files have had them, as
/// who redefines a class may put them into another one, and code of before may be running.
#[derive(Debug, Default)]
pub(crate) struct ClassNumbers(Mutex<Vec<(u64, Range)>>);

impl ClassNumbers {
    /// Those of methods in this order, of which this is the hash.
    pub(crate) fn of(&self, order: u64) -> Option<Range> {
        let known = self.0.lock();
        let (_, numbers) = known.iter().find(|(known, _)| *known == order)?;
        Some(*numbers)
    }

    /// Two threads may come with the same: each range is given back once.
    pub(crate) fn add(&self, order: u64, numbers: Range) {
        let mut known = self.0.lock();
        if known.iter().all(|(_, known)| known.base != numbers.base) {
            known.push((order, numbers));
        }
    }

    /// All of them: its own as long as the class is there.
    pub(crate) fn all(&self) -> Vec<Range> {
        let known = self.0.lock();
        known.iter().map(|&(_, numbers)| numbers).collect()
    }
}
