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
pub(super) fn pointer<T>(id: u64) -> *mut T {
    ptr::without_provenance_mut(usize::try_from(id).unwrap_or(0))
}

/// The values of a record by place.
#[derive(Clone, Copy)]
pub(super) struct Row<'r>(pub(super) &'r [Value<'static>]);

impl<'r> Row<'r> {
    pub(super) fn int(self, place: usize) -> i32 {
        jint(self.long(place))
    }

    pub(super) fn long(self, place: usize) -> i64 {
        self.0.get(place).and_then(Value::int).unwrap_or(0)
    }

    pub(super) fn raw(self, place: usize) -> u64 {
        self.0.get(place).and_then(Value::id).unwrap_or(0)
    }

    pub(super) fn id<T>(self, place: usize) -> *mut T {
        pointer(self.raw(place))
    }

    pub(super) fn bytes(self, place: usize) -> Option<&'static [u8]> {
        self.0.get(place)?.bytes()
    }

    pub(super) fn rows(self, place: usize) -> impl Iterator<Item = Row<'r>> {
        let rows = self.0.get(place).map(Value::rows).unwrap_or_default();
        rows.iter().map(|row| Row(row))
    }
}

/// One frame.
pub(super) fn frame(row: Row<'_>) -> JVMPI_CallFrame {
    JVMPI_CallFrame {
        lineno: row.int(0),
        method_id: row.id(1),
    }
}

/// The frames of a call's answer.
pub(super) fn frames(value: &[Vec<Value<'static>>]) -> Vec<JVMPI_CallFrame> {
    value.iter().map(|row| frame(Row(row))).collect()
}
