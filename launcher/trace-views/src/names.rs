//! What the ids of a recording name, as the agent was told; those of classes and methods without
//! what is another in each run.

use std::collections::HashMap;

use recording_format::{Space, Value, What};

use crate::scrubbed::scrubbed;

/// Names of ids, learnt from the events that define them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    names: HashMap<(Space, u64), String>,
    groups: HashMap<u64, String>,
}

impl Names {
    /// Takes what a record defines. Records come in their order.
    pub(crate) fn learn(&mut self, what: &What<'_>) {
        match what {
            What::Event { number, values, .. } => self.learn_event(*number, values),
            What::Call {
                slot: 7,
                arguments,
                results: Some(results),
            } => {
                if let (Some(name), Some(id)) = (text(arguments, 0), id(results, 0)) {
                    self.names.insert((Space::Monitor, id), scrubbed(&name));
                }
            }
            What::Call { .. } | What::Run { .. } | What::Unsent { .. } | What::Leave { .. } => {}
        }
    }

    fn learn_event(&mut self, number: i32, values: &[Value<'_>]) {
        match number {
            33 => {
                let (Some(name), Some(object), Some(env)) =
                    (text(values, 0), id(values, 3), id(values, 4))
                else {
                    return;
                };
                self.groups.insert(env, text(values, 1).unwrap_or_default());
                self.names
                    .insert((Space::Object, object), scrubbed(&format!("thread {name}")));
                self.names.insert((Space::Env, env), name);
            }
            42 => {
                let (Some(class), Some(class_id)) = (text(values, 0), id(values, 6)) else {
                    return;
                };
                let methods = values.get(3).map(Value::rows).unwrap_or_default();
                for method in methods {
                    if let (Some(name), Some(signature), Some(id)) =
                        (text(method, 0), text(method, 1), id(method, 4))
                    {
                        self.names.insert(
                            (Space::Method, id),
                            scrubbed(&format!("{class}.{name}{signature}")),
                        );
                    }
                }
                self.names
                    .insert((Space::Object, class_id), scrubbed(&class));
            }
            _ => {}
        }
    }

    /// The name of an id, if it was told; a method's is `Class.name(signature)`.
    pub(crate) fn of(&self, space: Space, id: u64) -> Option<&str> {
        self.names
            .get(&(space.of_numbers(), id))
            .map(String::as_str)
    }

    /// The group of a thread.
    pub(crate) fn group(&self, env: u64) -> Option<&str> {
        self.groups.get(&env).map(String::as_str)
    }
}

fn text(values: &[Value<'_>], place: usize) -> Option<String> {
    let bytes = values.get(place)?.bytes()?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn id(values: &[Value<'_>], place: usize) -> Option<u64> {
    values.get(place)?.id()
}
