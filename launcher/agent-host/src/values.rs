//! Values of a recording as C has them.

use std::ptr;

use jvmpi_headers::jvmpi::JVMPI_CallFrame;
use recording_format::Value;

/// A number of a recording as a C int: that is what it was.
#[allow(clippy::cast_possible_truncation, reason = "it was one")]
const fn jint(number: i64) -> i32 {
    number as i32
}

/// An id of a recording as a pointer.
pub(crate) fn pointer<T>(id: u64) -> *mut T {
    ptr::without_provenance_mut(usize::try_from(id).unwrap_or(0))
}

/// The values of a record by place.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r>(pub(crate) &'r [Value<'r>]);

impl<'r> Row<'r> {
    pub(crate) fn int(self, place: usize) -> i32 {
        jint(self.long(place))
    }

    pub(crate) fn long(self, place: usize) -> i64 {
        self.0.get(place).and_then(Value::int).unwrap_or(0)
    }

    pub(crate) fn raw(self, place: usize) -> u64 {
        self.0.get(place).and_then(Value::id).unwrap_or(0)
    }

    pub(crate) fn id<T>(self, place: usize) -> *mut T {
        pointer(self.raw(place))
    }

    pub(crate) fn bytes(self, place: usize) -> Option<&'r [u8]> {
        self.0.get(place)?.bytes()
    }

    pub(crate) fn rows(self, place: usize) -> impl Iterator<Item = Row<'r>> {
        let rows = self.0.get(place).map(Value::rows).unwrap_or_default();
        rows.iter().map(|row| Row(row))
    }
}

/// One frame.
pub(crate) fn frame(row: Row<'_>) -> JVMPI_CallFrame {
    JVMPI_CallFrame {
        lineno: row.int(0),
        method_id: row.id(1),
    }
}

/// The frames of a call's answer.
pub(crate) fn frames(value: &[Vec<Value<'static>>]) -> Vec<JVMPI_CallFrame> {
    value.iter().map(|row| frame(Row(row))).collect()
}
