//! What JVMTI (or JFR, or JNI) has in place of each event and function of JVMPI.
//!
//! Names and capabilities are those of the JVM Tool Interface, version 11 to 28; where
//! a version matters the row names it.

mod events;
mod functions;
mod row;

pub use events::of_event;
pub use functions::of_function;
pub use row::{Counterpart, Effort};

#[cfg(test)]
mod tests {
    use super::*;
    use event_translate::table::{EVENTS, FUNCTIONS};

    #[test]
    fn rows_say_enough() {
        let events = EVENTS.iter().map(|row| of_event(row.kind));
        let functions = FUNCTIONS.iter().map(|row| of_function(row.function));
        for row in events.chain(functions) {
            assert!(row.instead.len() > 5 && !row.differences.contains('|'));
            assert!(
                row.effort == Effort::Direct || row.differences.len() > 15,
                "{}",
                row.instead
            );
            assert!(row.capabilities.iter().all(|name| name.starts_with("can_")));
        }
    }
}
