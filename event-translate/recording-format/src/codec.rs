//! Values as bytes. Ids are written as what they differ from the last of their space:
//! objects are numbered upwards, and the methods of a class lie side by side. In blocks since
//! format 4, methods and classes that came before have short numbers ([`Recent`]).

use super::bytes::{Input, Out, unzigzag, zigzag};
use super::fields::{Field, Space, Type, Value};
use super::recent::Recent;

/// The last id of each space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Deltas([u64; Space::COUNT]);

/// What ids are written by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ids {
    pub(super) last: Deltas,
    pub(super) recent: Recent,
}

/// Codes of ids: NULL is short and changes nothing; what is far off has its eight bytes.
pub(super) const NULL: u64 = 0;
const WHOLE: u64 = 1;
const DIFFERENCE: u64 = 2;
/// A difference of more is no shorter than the whole.
const FAR: u64 = 1 << 54;
/// Codes of ids of which the recent ones are kept: what is not among them follows as it would
/// otherwise; of those that are, the number.
const NEW: u64 = 1;
pub(super) const KEPT: u64 = 2;

impl Deltas {
    #[inline]
    fn last(&mut self, space: Space) -> &mut u64 {
        // One word for each space: the index is its place in the enum.
        let [
            env,
            method,
            object,
            class,
            reference,
            monitor,
            address,
            field,
        ] = &mut self.0;
        match space {
            Space::Env => env,
            Space::Method => method,
            Space::Object => object,
            Space::Class => class,
            Space::Reference => reference,
            Space::Monitor => monitor,
            Space::Address => address,
            Space::Field => field,
        }
    }

    fn put_id(&mut self, out: &mut Out<'_>, space: Space, id: u64) {
        match self.code(space, id) {
            Some(code) => out.varint(code),
            None => {
                *self.last(space) = id;
                out.varint(WHOLE);
                out.slice(&id.to_le_bytes());
            }
        }
    }

    /// The code of an id, which is the last one then; `None` if it has to be written whole,
    /// and nothing has changed.
    #[inline]
    pub(super) fn code(&mut self, space: Space, id: u64) -> Option<u64> {
        if id == 0 {
            return Some(NULL);
        }
        let last = self.last(space);
        let difference = zigzag(id.wrapping_sub(*last).cast_signed());
        if difference >= FAR {
            return None;
        }
        *last = id;
        Some(difference + DIFFERENCE)
    }

    fn take_id(&mut self, input: &mut Input<'_, '_>, space: Space) -> Option<u64> {
        let id = match input.varint()? {
            NULL => return Some(0),
            WHOLE => input.word()?,
            code => self
                .last(space)
                .wrapping_add(unzigzag(code - DIFFERENCE).cast_unsigned()),
        };
        *self.last(space) = id;
        Some(id)
    }
}

impl Ids {
    /// Those of a block that begins.
    pub(super) fn begin(&mut self) {
        self.last = Deltas::default();
        self.recent.clear();
    }

    #[inline]
    pub(super) fn put_id(&mut self, out: &mut Out<'_>, space: Space, id: u64) {
        if id == 0 {
            out.varint(NULL);
        } else if let Some(number) = self.recent.number(space, id) {
            out.varint(KEPT + number);
        } else {
            if self.recent.keep(space, id) {
                out.varint(NEW);
            }
            self.last.put_id(out, space, id);
        }
    }

    fn take_id(&mut self, input: &mut Input<'_, '_>, space: Space) -> Option<u64> {
        if !self.recent.keeps(space) {
            return self.last.take_id(input, space);
        }
        match input.varint()? {
            NULL => Some(0),
            NEW => {
                let id = self.last.take_id(input, space)?;
                self.recent.keep(space, id);
                Some(id)
            }
            code => self.recent.id(space, code - KEPT),
        }
    }

    /// Writes the values of these fields. A value of another type than its field's is a
    /// mistake of the caller's, and is written as nothing of the right type.
    #[inline]
    pub(super) fn put(&mut self, out: &mut Out<'_>, fields: &[Field], values: &[Value<'_>]) {
        for (place, field) in fields.iter().enumerate() {
            let value = values.get(place);
            match field.kind {
                Type::Int | Type::Event | Type::JvmtiEvent => {
                    out.signed(value.and_then(Value::int).unwrap_or(0))
                }
                Type::Id(space) => {
                    self.put_id(out, space, value.and_then(Value::id).unwrap_or(0));
                }
                Type::Text => out.text(value.and_then(Value::bytes)),
                Type::Bytes => out.bytes(value.and_then(Value::bytes).unwrap_or_default()),
                Type::List(fields) => {
                    let rows = value.map(Value::rows).unwrap_or_default();
                    out.varint(rows.len() as u64);
                    for row in rows {
                        self.put(out, fields, row);
                    }
                }
            }
        }
    }

    /// Reads them again.
    pub(super) fn take<'a>(
        &mut self,
        input: &mut Input<'_, 'a>,
        fields: &[Field],
    ) -> Option<Vec<Value<'a>>> {
        let mut values = Vec::with_capacity(fields.len());
        self.take_into(&mut values, input, fields)?;
        Some(values)
    }

    /// The same, behind what is there.
    pub(super) fn take_into<'a>(
        &mut self,
        values: &mut Vec<Value<'a>>,
        input: &mut Input<'_, 'a>,
        fields: &[Field],
    ) -> Option<()> {
        for field in fields {
            values.push(match field.kind {
                Type::Int | Type::Event | Type::JvmtiEvent => Value::Int(input.signed()?),
                Type::Id(space) => Value::Id(self.take_id(input, space)?),
                Type::Text => Value::Text(input.text()?),
                Type::Bytes => Value::Bytes(input.bytes()?),
                Type::List(fields) => {
                    // Each row has a byte at least, so there are no more than bytes.
                    let count = input.length()?;
                    let mut rows = Vec::new();
                    for _ in 0..count {
                        rows.push(self.take(input, fields)?);
                    }
                    Value::List(rows)
                }
            });
        }
        Some(())
    }
}

/// Writes the values of these fields behind what is there: they stand alone, not in the order of
/// a recording.
pub fn write_values(to: &mut Vec<u8>, fields: &[Field], values: &[Value<'_>]) {
    let begin = to.len();
    to.resize(
        begin
            .saturating_add(room_for(values))
            .saturating_add(10 * fields.len()),
        0,
    );
    let mut out = Out::new(to, begin);
    Ids::default().put(&mut out, fields, values);
    let end = out.end().unwrap_or(begin);
    to.truncate(end);
}

/// Reads them again; `None` if these are no such values.
#[must_use]
pub fn read_values<'a>(bytes: &'a [u8], fields: &[Field]) -> Option<Vec<Value<'a>>> {
    Ids::default().take(&mut Input::new(bytes), fields)
}

/// No fewer bytes than these values take.
pub(super) fn room_for(values: &[Value<'_>]) -> usize {
    values.iter().fold(0, |room, value| {
        room.saturating_add(match value {
            Value::Int(_) | Value::Id(_) | Value::Text(None) => 10,
            Value::Text(Some(bytes)) | Value::Bytes(bytes) => bytes.len().saturating_add(10),
            Value::List(rows) => rows
                .iter()
                .fold(10, |room, row| room.saturating_add(room_for(row))),
        })
    })
}
