//! Ids that do not fit into 32 bits: methods and references. An agent gets a small number
//! for each, always the same, and what it gives back is the id again.

use std::collections::HashMap;

use recording_format::{Field, Space, Type, Value};

/// The numbers that have been given out.
#[derive(Debug, Default)]
pub struct Tokens {
    of_id: HashMap<u64, u32>,
    ids: Vec<u64>,
}

/// Numbers look like pointers: agents hash them without their last bits.
const STEP: u64 = 16;
const FIRST: u64 = 0x1000;

fn has_token(space: Space) -> bool {
    match space {
        Space::Method | Space::Reference => true,
        // Objects and raw monitors are numbered below 2^31; envs and addresses are places in the agent's memory.
        Space::Object
        | Space::Class
        | Space::Monitor
        | Space::Env
        | Space::Address
        | Space::Field => false,
    }
}

impl Tokens {
    /// Whether values of these fields can have a number in place of an id.
    #[must_use]
    pub fn concern(fields: &[Field]) -> bool {
        fields.iter().any(|field| match field.kind {
            Type::Id(space) => has_token(space),
            Type::List(fields) => Self::concern(fields),
            Type::Int | Type::Event | Type::JvmtiEvent | Type::Text | Type::Bytes => false,
        })
    }

    /// Ids become numbers.
    pub fn narrow(&mut self, fields: &[Field], values: &mut [Value<'_>]) {
        change(fields, values, &mut |id| self.token(id));
    }

    /// Numbers become ids; what never was one stays.
    pub fn widen(&self, fields: &[Field], values: &mut [Value<'_>]) {
        change(fields, values, &mut |token| self.id(token));
    }

    /// The number of an id that is too large.
    pub fn token(&mut self, id: u64) -> u64 {
        if id == 0 {
            return 0;
        }
        let place = *self.of_id.entry(id).or_insert_with(|| {
            self.ids.push(id);
            u32::try_from(self.ids.len() - 1).unwrap_or(u32::MAX)
        });
        FIRST + u64::from(place) * STEP
    }

    fn id(&self, token: u64) -> u64 {
        let place = token.checked_sub(FIRST).filter(|off| off % STEP == 0);
        let place = place.and_then(|off| usize::try_from(off / STEP).ok());
        place
            .and_then(|place| self.ids.get(place).copied())
            .unwrap_or(token)
    }
}

fn change(fields: &[Field], values: &mut [Value<'_>], with: &mut dyn FnMut(u64) -> u64) {
    for (field, value) in fields.iter().zip(values) {
        match (field.kind, value) {
            (Type::Id(space), Value::Id(id)) if has_token(space) => *id = with(*id),
            (Type::List(fields), Value::List(rows)) => {
                for row in rows {
                    change(fields, row, with);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use recording_format::{Value, call_arguments, event_fields};

    use super::Tokens;

    #[test]
    fn methods_fit_and_come_back() {
        let mut tokens = Tokens::default();
        let ids = [0x7f00_1234_5678, 0x7f00_1234_5680, 0x7f00_1234_5678, 0];
        let narrowed = ids.map(|id| {
            let mut values = [Value::Id(id)];
            tokens.narrow(event_fields(1), &mut values);
            let [value] = values;
            value.id().unwrap()
        });
        assert_eq!(narrowed[0], narrowed[2]);
        assert_ne!(narrowed[0], narrowed[1]);
        assert_eq!(narrowed[3], 0);
        for (id, token) in ids.into_iter().zip(narrowed) {
            assert!(token < 1 << 31, "{token:x}");
            let mut values = [Value::Id(token)];
            tokens.widen(call_arguments(25), &mut values);
            assert_eq!(values, [Value::Id(id)]);
        }
    }

    #[test]
    fn rows_are_changed_and_objects_are_not() {
        let mut tokens = Tokens::default();
        let method = vec![
            Value::Text(None),
            Value::Text(None),
            Value::Int(1),
            Value::Int(2),
        ];
        let method = [method, vec![Value::Id(1 << 40)]].concat();
        let list = || Value::List(Vec::new());
        let mut values = [
            Value::Text(None),
            Value::Text(None),
            Value::Int(0),
            Value::List(vec![method]),
            list(),
            list(),
            Value::Id(0x40),
        ];
        assert!(Tokens::concern(event_fields(42)) && !Tokens::concern(event_fields(4)));
        tokens.narrow(event_fields(42), &mut values);
        assert_eq!(values[6], Value::Id(0x40));
        let id = values[3].rows()[0][4].id().unwrap();
        assert!(id < 1 << 31);
        // What an agent makes up is nobody's id, and stays what it is.
        let mut made_up = [Value::Id(id + 1)];
        tokens.widen(call_arguments(25), &mut made_up);
        assert_eq!(made_up, [Value::Id(id + 1)]);
    }
}
