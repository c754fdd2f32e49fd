//! The records of a recording that are compared, on threads that are.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use recording_format::{Item, Recording, Space, Subject, Value, What};
use terminal_text::modified_utf8;

use crate::names::Names;

/// A record, and what is known when it comes.
pub(crate) struct Seen<'s> {
    pub(crate) item: &'s Item<'s>,
    /// Of all ids so far.
    pub(crate) names: &'s Names,
    /// Whether it is compared, if its thread is.
    pub(crate) counts: bool,
    /// Whether its thread is compared; of the first one without a name that is known at the end only.
    pub(crate) of_compared: Option<bool>,
}

/// What the walk knows of a thread of the recording.
#[derive(Default)]
struct State {
    name: Option<String>,
    is_programs: bool,
    open: Vec<(Subject, bool)>,
}

/// Calls `sink` with each record; the threads that are compared, by name.
pub(crate) fn walk(
    recording: &Recording<'_>,
    all: bool,
    mut sink: impl FnMut(&Seen<'_>),
) -> BTreeMap<u32, String> {
    let mut names = Names::default();
    let mut threads: BTreeMap<u32, State> = BTreeMap::new();
    let mut are_named = false;
    let mut methods = Methods::default();
    let Ok(()) = recording.items().each::<std::convert::Infallible>(|item| {
        names.learn(&item.what);
        are_named |= names_threads(&item.what);
        methods.learn(&item.what);
        let thread = threads.entry(item.thread).or_default();
        if let What::Event { env, .. } | What::JvmtiEvent { env, .. } = item.what
            && thread.name.is_none()
            && let Some(name) = names.of(Space::Env, env)
        {
            thread.name = Some(name.to_owned());
            thread.is_programs = names.group(env) != Some("system");
        }
        let counts = thread.counts(&item.what, all, (&names, &mut methods));
        sink(&Seen {
            item,
            names: &names,
            counts,
            of_compared: match thread.name {
                Some(_) => Some(all || thread.is_programs),
                None => (item.thread != FIRST).then_some(false),
            },
        });
        Ok(())
    });
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut compared = BTreeMap::new();
    for (number, mut state) in threads {
        if number == FIRST && state.name.is_none() && !are_named {
            state.name = Some(NAMELESS.to_owned());
            state.is_programs = true;
        }
        let Some(name) = state.name.filter(|_| all || state.is_programs) else {
            continue;
        };
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times > 1 {
            format!("{name} ({times})")
        } else {
            name
        };
        compared.insert(number, name);
    }
    compared
}

/// Whose methods are: some recordings have little else than their events.
#[derive(Default)]
struct Methods(HashMap<u64, bool>);

impl Methods {
    /// An id may be another method's from here on.
    fn learn(&mut self, what: &What<'_>) {
        const CLASS_LOAD: i32 = 42;
        if let What::Event {
            number: CLASS_LOAD, ..
        }
        | What::Defined { .. } = what
        {
            self.0.clear();
        }
    }

    /// Whether one is of the program.
    fn are_programs(&mut self, method: u64, names: &Names) -> bool {
        let look = || names.of(Space::Method, method).is_some_and(is_programs);
        *self.0.entry(method).or_insert_with(look)
    }
}

/// The thread that the agent was started on, which goes on as main. Of an agent that is not told of threads it is the
/// only one that two recordings are sure to have.
pub(crate) const FIRST: u32 = 0;

/// What it is called where nothing names it.
pub(crate) const NAMELESS: &str = "(the first; no THREAD_START names any)";

/// THREAD_START, which the agent enables, or is told of; an agent of JVMTI has names without it.
fn names_threads(what: &What<'_>) -> bool {
    const ENABLE_EVENT: u8 = 2;
    const THREAD_START: i32 = 33;
    match what {
        What::Event { number, .. } => *number == THREAD_START,
        What::Call {
            slot: ENABLE_EVENT,
            arguments,
            ..
        } => arguments.first().and_then(Value::int) == Some(THREAD_START.into()),
        What::JvmtiEvent { .. } | What::JvmtiCall { .. } | What::Defined { .. } => true,
        What::Call { .. } | What::Run { .. } | What::Unsent { .. } | What::Leave { .. } => false,
    }
}

impl State {
    /// Whether the next record of the thread counts.
    fn counts(
        &mut self,
        what: &What<'_>,
        all: bool,
        (names, methods): (&Names, &mut Methods),
    ) -> bool {
        let subject = what.subject();
        if let What::Leave { .. } = what {
            let Some(place) = self.open.iter().rposition(|(open, _)| *open == subject) else {
                return false;
            };
            let counted = self.open.get(place).is_some_and(|(_, counts)| *counts);
            self.open.truncate(place);
            return counted && what.results().is_some_and(|(fields, _)| !fields.is_empty());
        }
        let inside = self.open.last().is_none_or(|(_, counts)| *counts);
        let counts = all || inside && matters(what, names, methods);
        if what.is_open() {
            self.open.push((subject, counts));
        }
        counts
    }
}

// JVMTI's numbers.
const THREAD_START: u8 = 52;
const THREAD_END: u8 = 53;
const CLASS_LOAD: u8 = 55;
const CLASS_PREPARE: u8 = 56;
const METHOD_ENTRY: u8 = 65;
const METHOD_EXIT: u8 = 66;

/// Whether a record counts when not all do.
fn matters(what: &What<'_>, names: &Names, methods: &mut Methods) -> bool {
    match what {
        What::Event { number, values, .. } => {
            let id = |place: usize| values.get(place).and_then(Value::id).unwrap_or(0);
            match number {
                1..=3 => methods.are_programs(id(0), names),
                33 => values.get(1).and_then(Value::bytes) != Some(b"system"),
                42 => {
                    let name = values.first().and_then(Value::bytes).unwrap_or_default();
                    is_programs(&modified_utf8::text(name))
                }
                34 | 44..=47 => true,
                _ => false,
            }
        }
        // What an agent asks for again and again until it has it differs each time.
        What::Call { slot, .. } => !matches!(slot, 8..=17 | 19 | 20),
        What::JvmtiEvent { number, values, .. } => {
            let id = |place: usize| values.get(place).and_then(Value::id).unwrap_or(0);
            let named = |space, place| names.of(space, id(place)).is_some_and(is_programs);
            match *number {
                METHOD_ENTRY | METHOD_EXIT => methods.are_programs(id(0), names),
                CLASS_LOAD | CLASS_PREPARE => named(Space::Class, 0),
                THREAD_START | THREAD_END => true,
                _ => false,
            }
        }
        // Asked for again and again, as above; and raw monitors, memory, local storage.
        What::JvmtiCall { number, .. } => !matches!(
            number,
            5 | 6 | 17 | 33..=37 | 46 | 47 | 92 | 93 | 102 | 103 | 147 | 148
        ),
        What::Unsent { .. } | What::Defined { .. } => false,
        What::Run { .. } | What::Leave { .. } => true,
    }
}

/// Whether a class is no part of the JDK, and none that it makes while the program runs: what is
/// in those, each version has its own mind about.
fn is_programs(name: &str) -> bool {
    const MADE: [&str; 4] = ["$$InjectedInvoker", "$$Lambda", "$$StringConcat", "$Proxy"];
    const PRIMITIVES: [&str; 9] = [
        "boolean", "byte", "char", "short", "int", "long", "float", "double", "void",
    ];
    let is_array = name.starts_with('[') || name.ends_with("[]");
    let is_made = MADE.iter().any(|made| name.contains(made));
    !is_array && !is_made && !PRIMITIVES.contains(&name) && !is_in_the_jdk(name)
}

/// Whether a class of this name is of one of the JDK's packages.
#[must_use]
pub fn is_in_the_jdk(name: &str) -> bool {
    const PACKAGES: [&str; 9] = [
        "java",
        "jdk",
        "sun",
        "com.sun",
        "netscape.javascript",
        "org.ietf.jgss",
        "org.jcp.xml.dsig",
        "org.w3c.dom",
        "org.xml.sax",
    ];
    // Programs have others, javax.servlet say.
    const OF_JAVAX: [&str; 20] = [
        "accessibility",
        "activity",
        "annotation.processing",
        "crypto",
        "imageio",
        "lang.model",
        "management",
        "naming",
        "net",
        "print",
        "rmi",
        "script",
        "security",
        "smartcardio",
        "sound",
        "sql",
        "swing",
        "tools",
        "transaction.xa",
        "xml",
    ];
    let name = if name.contains('/') {
        Cow::Owned(name.replace('/', "."))
    } else {
        Cow::Borrowed(name)
    };
    let is_below = |name: &str, packages: &[&str]| {
        let rest = |package: &&str| {
            name.strip_prefix(*package)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        packages.iter().any(rest)
    };
    is_below(&name, &PACKAGES)
        || name
            .strip_prefix("javax.")
            .is_some_and(|rest| is_below(rest, &OF_JAVAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_jdk_are_told_by_their_names() {
        for name in [
            "java.lang.Object",
            "jdk/internal/Foo",
            "int",
            "[I",
            "sun.misc.Unsafe",
            "javax.swing.JFrame",
            "org/w3c/dom/Node",
            "com.acme.$Proxy.f()V",
            "Main$$Lambda",
        ] {
            assert!(!is_programs(name), "{name}");
        }
        for name in [
            "Main",
            "javax.servlet.Filter",
            "Main.lambda$main$0()V",
            "javacard.Foo",
            "com.sunrise.Foo",
            "org.x.Y",
        ] {
            assert!(is_programs(name), "{name}");
        }
    }
}
