//! A few values, without asking for memory: callbacks come on threads that must not.

use recording_format::Value;

const MOST: usize = 12;

/// Values of one event or call.
pub(crate) struct Values<'a> {
    values: [Value<'a>; MOST],
    count: usize,
}

impl<'a> Values<'a> {
    /// None.
    pub(crate) fn new() -> Self {
        Self {
            values: [const { Value::Int(0) }; MOST],
            count: 0,
        }
    }

    /// One more. No row of the tables has more than there is room for.
    pub(crate) fn push(&mut self, value: Value<'a>) {
        if let Some(place) = self.values.get_mut(self.count) {
            *place = value;
            self.count += 1;
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Value<'a>] {
        self.values.get(..self.count).unwrap_or_default()
    }
}
