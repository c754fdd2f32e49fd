//! What an agent does where records cannot be compared one by one.
//!
//! How many objects a run allocates and frees, when it collects, what it compiles, who
//! waits for whom, how often a thread of the agent's own comes to do something: no two runs
//! agree, for the VM's own threads and the machine's load have a say in it. What an agent
//! does about each of these does not hang on that. So what counts is a call, with what it
//! gave back, that is made in one recording and never in the other, though there was
//! occasion for it [`SURE`] times.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use recording_format::{Item, Subject, Value, What};

/// So often something has to be expected before that it never came says anything.
const SURE: u64 = 10;

/// Where a call is made: in the innermost handler of an event, or in none.
type Place = Option<Subject>;

/// A function, and what it gave back.
type Call = (Subject, String);

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Habits {
    /// Events, and calls outside of handlers.
    occasions: BTreeMap<Place, u64>,
    calls: BTreeMap<(Place, Call), u64>,
    /// All events and calls.
    pub(super) all: BTreeMap<Subject, u64>,
    /// What is open on each thread.
    open: BTreeMap<u32, Vec<Subject>>,
}

impl Habits {
    /// The next record.
    pub(super) fn note(&mut self, item: &Item<'_>) {
        let subject = item.what.subject();
        let open = self.open.entry(item.thread).or_default();
        if let What::Leave { .. } = item.what
            && let Some(level) = open.iter().rposition(|other| *other == subject)
        {
            open.truncate(level);
        }
        let place = open.iter().rfind(|open| matches!(open, Subject::Event(_)));
        let place = place.copied();
        if item.what.is_open() {
            open.push(subject);
        }
        match item.what {
            What::Event { .. } => self.count(Some(subject), subject),
            What::Call { .. } if place.is_none() => self.count(None, subject),
            What::Call { .. } => *self.all.entry(subject).or_default() += 1,
            // The habits are those of an agent that speaks JVMPI.
            What::JvmtiEvent { .. } | What::JvmtiCall { .. } => {
                *self.all.entry(subject).or_default() += 1;
            }
            What::Run { .. } | What::Unsent { .. } | What::Defined { .. } | What::Leave { .. } => {}
        }
        if let Subject::Call(slot) = subject
            && let Some((_, results)) = item.what.results()
        {
            let call = (subject, outcome(slot, results));
            *self.calls.entry((place, call)).or_default() += 1;
        }
    }

    fn count(&mut self, place: Place, subject: Subject) {
        *self.occasions.entry(place).or_default() += 1;
        *self.all.entry(subject).or_default() += 1;
    }

    fn occasions(&self, place: Place) -> u64 {
        self.occasions.get(&place).copied().unwrap_or(0)
    }

    /// The first habit that only one of them has, in some lines.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        self.event_of_one(other).or_else(|| self.call_of_one(other))
    }

    fn event_of_one(&self, other: &Self) -> Option<String> {
        let mut places = self.occasions.keys().chain(other.occasions.keys());
        places.find_map(|&place| {
            let counts = [self, other].map(|habits| habits.occasions(place));
            let event = place.filter(|_| counts.contains(&0) && counts.iter().sum::<u64>() >= SURE);
            // Whether anybody has to wait is chance.
            let event = event.filter(|event| !matches!(event, Subject::Event(51..=56)))?;
            let [one, two] = counts.map(times);
            Some(format!("{event}:\n- {one}\n+ {two}\n"))
        })
    }

    fn call_of_one(&self, other: &Self) -> Option<String> {
        let mut keys = self.calls.keys().chain(other.calls.keys());
        keys.find_map(|key| {
            let (place, (function, gave)) = key;
            let both = [self, other];
            let counts = both.map(|habits| habits.calls.get(key).copied().unwrap_or(0));
            let occasions = both.map(|habits| habits.occasions(*place));
            let expected = match (counts, occasions) {
                ([0, many], [here, there]) | ([many, 0], [there, here]) => {
                    u128::from(many) * u128::from(here) / u128::from(there.max(1))
                }
                _ => 0,
            };
            if expected < u128::from(SURE) {
                return None;
            }
            let mut text = match place {
                Some(event) => format!("{function} in the handler of {event}"),
                None => format!("{function} outside of handlers"),
            };
            if !gave.is_empty() {
                let _ = write!(text, ", giving {gave}");
            }
            text.push_str(":\n");
            let of = if place.is_some() { "events" } else { "calls" };
            for ((mark, count), occasions) in ['-', '+'].iter().zip(counts).zip(occasions) {
                let count = times(count);
                let _ = writeln!(text, "{mark} {count} in {occasions} {of}");
            }
            Some(text)
        })
    }
}

fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}

/// What a call gave back, as far as it is the same each time: codes, and whether there
/// was anything. Times and states of threads are not.
fn outcome(slot: u8, results: &[Value<'_>]) -> String {
    const GET_CALL_TRACE: u8 = 5;
    const CODES: [u8; 4] = [2, 3, 4, 18];
    match results.first() {
        _ if slot == GET_CALL_TRACE => {
            let rows = results.get(1).map(Value::rows).unwrap_or_default();
            if rows.is_empty() {
                "no frames"
            } else {
                "frames"
            }
            .to_owned()
        }
        Some(Value::Int(code)) if CODES.contains(&slot) => code.to_string(),
        Some(Value::Id(0)) => "NULL".to_owned(),
        Some(Value::Id(_)) => "an id".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOC: Subject = Subject::Event(4);

    fn habits(events: u64, calls: &[(u8, &str, u64)]) -> Habits {
        let mut habits = Habits::default();
        habits.occasions.insert(Some(ALLOC), events);
        for &(slot, gave, count) in calls {
            let call = (Subject::Call(slot), gave.to_owned());
            habits.calls.insert((Some(ALLOC), call), count);
        }
        habits
    }

    #[test]
    fn how_often_is_no_difference_but_never_is() {
        let one = habits(1000, &[(5, "frames", 1000), (20, "an id", 3)]);
        assert_eq!(
            one.difference(&habits(1200, &[(5, "frames", 1100)])),
            None,
            "a thing seldom done may be left out"
        );
        let said = one.difference(&habits(1200, &[(5, "no frames", 1200)]));
        assert_eq!(
            said.unwrap(),
            "GetCallTrace in the handler of OBJECT_ALLOC, giving frames:\n\
             - 1000 times in 1000 events\n+ never in 1200 events\n"
        );
        assert_eq!(one.difference(&habits(5, &[])), None, "too few to say");
    }

    #[test]
    fn an_event_that_only_one_has() {
        let said = habits(0, &[]).difference(&habits(12, &[]));
        assert_eq!(said.unwrap(), "OBJECT_ALLOC:\n- never\n+ 12 times\n");
    }

    #[test]
    fn outcomes_are_what_stays_the_same() {
        assert_eq!(outcome(2, &[Value::Int(0)]), "0");
        assert_eq!(outcome(13, &[Value::Int(12345)]), "", "a time");
        assert_eq!(outcome(24, &[Value::Id(0)]), "NULL");
        assert_eq!(outcome(24, &[Value::Id(77)]), "an id");
        let frame = Value::List(vec![vec![Value::Int(1), Value::Id(2)]]);
        assert_eq!(outcome(5, &[Value::Int(1), frame]), "frames");
        assert_eq!(
            outcome(5, &[Value::Int(0), Value::List(Vec::new())]),
            "no frames"
        );
    }
}
