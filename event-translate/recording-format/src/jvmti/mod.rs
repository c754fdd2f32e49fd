//! What a recording holds of an agent that speaks JVMTI: its events, its calls, and names.

mod capabilities;
mod definition;
mod events;
mod functions;
mod row;

pub use capabilities::CAPABILITIES;
pub use definition::Definition;
pub use events::{EventKind, event};
pub use functions::{FunctionKind, function};
pub use row::{Event, Function, Head, Kind, Parameter};

use crate::fields::Field;

/// The values of an event.
pub(crate) const fn event_fields(number: u8) -> &'static [Field] {
    match event(number) {
        Some(event) => event.value_fields,
        None => &[],
    }
}

/// What an event's callback gives.
pub(crate) const fn event_results(number: u8) -> &'static [Field] {
    match event(number) {
        Some(event) => event.result_fields,
        None => &[],
    }
}

/// The arguments of a function.
pub(crate) const fn call_arguments(number: u8) -> &'static [Field] {
    match function(number) {
        Some(function) => function.argument_fields,
        None => &[],
    }
}

/// What a function gives back.
pub(crate) const fn call_results(number: u8) -> &'static [Field] {
    match function(number) {
        Some(function) => function.result_fields,
        None => &[],
    }
}
