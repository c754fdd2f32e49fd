//! What the ids of a recording name, as the agent was told; those of classes and methods without
//! what is another in each run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recording_format::jvmti::Definition;
use recording_format::{Space, Value, What};
use terminal_text::modified_utf8;

use crate::scrubbed::scrubbed;

/// Names of ids, learnt from the events that define them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Shared by all ids that one thing has had.
    names: HashMap<(Space, u64), Arc<str>>,
    groups: HashMap<u64, String>,
    environments: BTreeMap<u32, String>,
}

impl Names {
    /// Takes what a record defines. Records come in their order.
    pub fn learn(&mut self, what: &What<'_>) {
        match what {
            What::Event { number, values, .. } => self.learn_event(*number, values),
            What::Call {
                slot: 7,
                arguments,
                results: Some(results),
            } => {
                if let (Some(name), Some(id)) = (text(arguments, 0), id(results, 0)) {
                    self.put(Space::Monitor, id, &scrubbed(&name));
                }
            }
            What::Defined { definition, values } => self.learn_definition(*definition, values),
            What::Call { .. }
            | What::Run { .. }
            | What::Unsent { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. }
            | What::Leave { .. } => {}
        }
    }

    fn learn_definition(&mut self, definition: Definition, values: &[Value<'_>]) {
        let Some(first) = values.first() else { return };
        match definition {
            Definition::Environment => {
                let number = first.int().and_then(|number| u32::try_from(number).ok());
                if let (Some(number), Some(agent)) = (number, text(values, 1)) {
                    self.environments.insert(number, agent);
                }
            }
            Definition::Class => {
                if let (Some(id), Some(signature)) = (first.id(), text(values, 1)) {
                    let name = class_of_signature(&scrubbed(&signature));
                    self.put(Space::Object, id, &name);
                }
            }
            Definition::Method | Definition::Field => {
                let (space, between) = if definition == Definition::Field {
                    (Space::Field, " ")
                } else {
                    (Space::Method, "")
                };
                if let (Some(member), Some(class), Some(name), Some(signature)) =
                    (first.id(), id(values, 1), text(values, 2), text(values, 3))
                {
                    let class = self.of(Space::Class, class).unwrap_or("?");
                    let name = format!("{class}.{name}{between}{signature}");
                    self.put(space, member, &scrubbed(&name));
                }
            }
            Definition::Thread => {
                if let (Some(env), Some(thread), Some(name)) =
                    (first.id(), id(values, 1), text(values, 2))
                {
                    let thread_name = scrubbed(&format!("thread {name}"));
                    self.put(Space::Object, thread, &thread_name);
                    self.put(Space::Env, env, &name);
                }
            }
        }
    }

    fn learn_event(&mut self, number: i32, values: &[Value<'_>]) {
        match number {
            // Of a class or a thread. Agents that speak JVMTI go on with the id that it had.
            6 => {
                let (Some(old), Some(new)) = (id(values, 1), id(values, 3)) else {
                    return;
                };
                if old == new {
                    return;
                }
                match self.names.get(&(Space::Object, old)).cloned() {
                    Some(name) => self.names.insert((Space::Object, new), name),
                    None => self.names.remove(&(Space::Object, new)),
                };
            }
            33 => {
                let (Some(name), Some(object), Some(env)) =
                    (text(values, 0), id(values, 3), id(values, 4))
                else {
                    return;
                };
                self.groups.insert(env, text(values, 1).unwrap_or_default());
                let thread_name = scrubbed(&format!("thread {name}"));
                self.put(Space::Object, object, &thread_name);
                self.put(Space::Env, env, &name);
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
                        let name = scrubbed(&format!("{class}.{name}{signature}"));
                        self.put(Space::Method, id, &name);
                    }
                }
                self.put(Space::Object, class_id, &scrubbed(&class));
            }
            _ => {}
        }
    }

    /// The name of an id, if it was told; a method's is `Class.name(signature)`.
    pub fn of(&self, space: Space, id: u64) -> Option<&str> {
        self.names
            .get(&(space.of_numbers(), id))
            .map(|name| &**name)
    }

    fn put(&mut self, space: Space, id: u64, name: &str) {
        self.names.insert((space, id), name.into());
    }

    /// The agents that speak JVMTI: the number of each environment, and whose it is.
    pub const fn environments(&self) -> &BTreeMap<u32, String> {
        &self.environments
    }

    /// The group of a thread.
    pub fn group(&self, env: u64) -> Option<&str> {
        self.groups.get(&env).map(String::as_str)
    }
}

/// `java.lang.String` of `Ljava/lang/String;`; arrays and primitive types stay as they are.
fn class_of_signature(signature: &str) -> String {
    let plain = signature
        .strip_prefix('L')
        .and_then(|rest| rest.strip_suffix(';'));
    plain.map_or_else(|| signature.to_owned(), |name| name.replace('/', "."))
}

fn text(values: &[Value<'_>], place: usize) -> Option<String> {
    let bytes = values.get(place)?.bytes()?;
    Some(modified_utf8::text(bytes).into_owned())
}

fn id(values: &[Value<'_>], place: usize) -> Option<u64> {
    values.get(place)?.id()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class that each collection moves has one name in memory, not one for each id.
    #[test]
    fn what_moves_keeps_its_name_and_there_is_one() {
        let mut names = Names::default();
        names.put(Space::Object, 1, "A");
        for old in 1..9 {
            let moved = [0, old, 0, old + 1].map(Value::Id);
            names.learn_event(6, &moved);
        }
        assert_eq!(names.of(Space::Object, 9), Some("A"));
        let of = |id| &names.names[&(Space::Object, id)];
        assert!(Arc::ptr_eq(of(1), of(9)));
    }
}
