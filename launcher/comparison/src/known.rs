//! What ids name, normalised, as small numbers.
//!
//! Longer than most: a third of it says whose a name is.

use std::collections::{HashMap, HashSet};

use dump_format::Primitive;
use event_translate::EventKind;
use recording_format::jvmti::Definition;
use recording_format::{Space, Value, What};
use terminal_text::modified_utf8;
use trace_views::{Names, is_in_the_jdk, scrubbed};

use crate::rules::Noun;

/// The number of a name.
pub(crate) type Name = u32;

/// Of one stack, the innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    pub(crate) shown: Vec<Name>,
    /// How many more there are of classes that the VM hides.
    pub(crate) hidden: usize,
}

/// Names of ids, learnt from the records, and the numbers of names.
#[derive(Debug, Default)]
pub(crate) struct Known {
    names: Names,
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, Name>,
    /// What was looked up already.
    found: HashMap<(Space, u64), Name>,
    /// Of threads that somebody asked for.
    asked: HashMap<u64, Name>,
    /// Names of threads that agents have made.
    of_agents: HashSet<Name>,
}

impl Known {
    /// Takes what a record defines.
    pub(crate) fn learn(&mut self, what: &What<'_>) {
        match what {
            What::Event { number, values, .. } => match EventKind::from_raw(*number) {
                Some(EventKind::ClassLoad) => self.found.clear(),
                Some(EventKind::ObjectMove) => self.forget(Space::Object, id(values, 3)),
                Some(EventKind::ThreadStart) => {
                    self.forget(Space::Env, id(values, 4));
                    self.forget(Space::Object, id(values, 3));
                }
                _ => return,
            },
            What::Defined { definition, values } => match definition {
                Definition::Class => self.forget(Space::Object, id(values, 0)),
                Definition::Method => self.forget(Space::Method, id(values, 0)),
                Definition::Thread => {
                    self.forget(Space::Env, id(values, 0));
                    self.forget(Space::Object, id(values, 1));
                }
                Definition::Environment | Definition::Field => {}
            },
            What::Call { .. }
            | What::Run { .. }
            | What::Unsent { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. }
            | What::Leave { .. } => return,
        }
        self.names.learn(what);
    }

    fn forget(&mut self, space: Space, id: u64) {
        self.found.remove(&(space.of_numbers(), id));
    }

    /// A thread of this name is an agent's own.
    pub(crate) fn is_of_an_agent(&mut self, thread: Name) {
        self.of_agents.insert(thread);
    }

    /// Whether one is.
    pub(crate) fn is_agents(&self, thread: Name) -> bool {
        self.of_agents.contains(&thread)
    }

    /// The agent of an environment.
    pub(crate) fn agent(&self, environment: u32) -> &str {
        let agent = self.names.environments().get(&environment);
        agent.map_or("?", String::as_str)
    }

    /// The number of a text, as it is.
    pub(crate) fn number(&mut self, text: &str) -> Name {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = Name::try_from(self.texts.len()).unwrap_or(Name::MAX);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// The text of a number.
    pub(crate) fn text(&self, name: Name) -> &str {
        let text = usize::try_from(name).ok().and_then(|at| self.texts.get(at));
        text.map_or("?", |text| text)
    }

    fn of(&mut self, space: Space, id: u64, plain: impl FnOnce(&str) -> String) -> Option<Name> {
        if let Some(&name) = self.found.get(&(space, id)) {
            return Some(name);
        }
        let text = plain(self.names.of(space, id)?);
        let name = self.number(&text);
        self.found.insert((space, id), name);
        Some(name)
    }

    /// A method; `?` if nobody has named it.
    pub(crate) fn method(&mut self, id: u64) -> Name {
        let found = self.of(Space::Method, id, scrubbed);
        found.unwrap_or_else(|| self.number("?"))
    }

    /// Those of a stack, without the frames of hidden classes, lambdas' among them: the old agent is not shown those.
    pub(crate) fn frames(&mut self, ids: impl Iterator<Item = u64>) -> Frames {
        let mut frames = Frames::default();
        for id in ids {
            let named = self.names.of(Space::Method, id);
            match named.is_some_and(is_hidden_in_stacks) {
                true => frames.hidden += 1,
                false => frames.shown.push(self.method(id)),
            }
        }
        frames
    }

    /// A class.
    pub(crate) fn class(&mut self, id: u64) -> Option<Name> {
        let named = self.names.of(Space::Object, id)?;
        if named.starts_with("thread ") {
            return None;
        }
        self.of(Space::Object, id, |name| match element(name) {
            Some(array) => array,
            None => scrubbed(name),
        })
    }

    /// The thread whose `JNIEnv` this is.
    pub(crate) fn thread_of_env(&mut self, env: u64) -> Name {
        let found = self.of(Space::Env, env, plain_thread);
        found.unwrap_or_else(|| self.number("?"))
    }

    /// The thread that is this object.
    pub(crate) fn thread(&mut self, object: u64) -> Option<Name> {
        let named = self.names.of(Space::Object, object);
        match named.and_then(|name| name.strip_prefix("thread ")) {
            Some(name) => {
                let name = plain_thread(name);
                Some(self.number(&name))
            }
            None => self.asked.get(&object).copied(),
        }
    }

    /// Whether a thread is known to be the VM's own.
    pub(crate) fn is_of_the_vm(&mut self, object: u64) -> bool {
        let name = self.thread(object);
        name.is_some_and(|name| is_of_the_vm(self.text(name)))
    }

    /// What GetThreadInfo has said of a thread.
    pub(crate) fn thread_is_called(&mut self, object: u64, name: &[u8]) {
        let name = self.number(&plain_thread(&modified_utf8::text(name)));
        self.asked.insert(object, name);
    }

    /// A class as JVMTI names it in texts: `Foo$$Lambda/0x12`.
    pub(crate) fn class_called(&mut self, name: &[u8]) -> Name {
        let name = modified_utf8::text(name).replace('/', ".");
        let name = name.replace(".0x", "/0x");
        self.number(&scrubbed(&name))
    }

    /// What a port calls something: as in Java, or as in class files.
    pub(crate) fn said(&mut self, noun: Noun, name: &str) -> Name {
        let plain = if noun.is_of_methods() || noun == Noun::Compiled {
            let (method, signature) = name.split_at(name.find('(').unwrap_or(name.len()));
            scrubbed(&format!("{}{signature}", method.replace('/', ".")))
        } else if noun.is_of_threads() {
            plain_thread(name)
        } else if noun.is_of_monitors() {
            // Threads may be called anything, classes have no spaces.
            match name.rsplit_once(" at ") {
                Some((thread, class)) => {
                    let class = self.said_class(class);
                    format!("{} at {}", plain_thread(thread), self.text(class))
                }
                None => name.to_owned(),
            }
        } else {
            return self.said_class(name);
        };
        self.number(&plain)
    }

    fn said_class(&mut self, name: &str) -> Name {
        if let Some(array) = element(name) {
            return self.number(&array);
        }
        let class = name.strip_prefix('L').and_then(|it| it.strip_suffix(';'));
        self.class_called(class.unwrap_or(name).as_bytes())
    }

    /// The class of an array whose element is of this class (2), is no array (0), or of this type.
    pub(crate) fn allocated(&mut self, is_array: i64, class: u64) -> Name {
        let plain = match is_array {
            0 => return self.class(class).unwrap_or_else(|| self.number("?")),
            2 => {
                let class = self.class(class);
                let class = class.map_or("?", |class| self.text(class));
                format!("{class}[]")
            }
            _ => of_type(is_array).map_or_else(|| "?".to_owned(), |it| format!("{}[]", it.name())),
        };
        self.number(&plain)
    }
}

/// The primitive type of this JVMPI number.
fn of_type(number: i64) -> Option<Primitive> {
    u8::try_from(number).ok().and_then(Primitive::from_raw)
}

/// `int[][]` of `[[I`, `Foo[]` of `[LFoo;` and of `[Ljava.lang.Foo;`.
fn element(name: &str) -> Option<String> {
    let inner = name.strip_prefix('[')?;
    if let [letter] = inner.as_bytes() {
        return Primitive::from_signature(*letter).map(|it| format!("{}[]", it.name()));
    }
    match element(inner) {
        Some(inner) => Some(format!("{inner}[]")),
        None => {
            let class = inner.strip_prefix('L').and_then(|it| it.strip_suffix(';'));
            Some(format!("{}[]", scrubbed(&class?.replace('/', "."))))
        }
    }
}

/// Whose a name is.
pub(crate) fn is_of_the_jdk(name: &str) -> bool {
    let element = name.split('[').next().unwrap_or(name);
    name.starts_with('?') || is_primitive(element) || is_in_the_jdk(name)
}

/// Whether a method is of a class that the VM makes for a lambda or a method handle: the old side can put no hooks
/// there.
pub(crate) fn is_of_a_hidden_class(method: &str) -> bool {
    const FORMS: [&str; 4] = ["BMH", "DMH", "MH", "VH"];
    let class = method.split('(').next().unwrap_or(method);
    let form = class.strip_prefix("java.lang.invoke.LambdaForm$");
    let form = form.and_then(|rest| rest.split('.').next());
    class.contains("$$Lambda") || form.is_some_and(|form| FORMS.contains(&form))
}

/// The same of every hidden class, before its number is taken out of the name: GetCallTrace leaves them out.
fn is_hidden_in_stacks(method: &str) -> bool {
    let class = method.split('(').next().unwrap_or(method);
    is_of_a_hidden_class(method) || ["/0x", ".0x"].iter().any(|it| class.contains(it))
}

/// `int` and the like, and `void`.
fn is_primitive(name: &str) -> bool {
    name == "void" || Primitive::ALL.iter().any(|it| it.name() == name)
}

/// Whether a class of this name counts: JVMTI has no event for arrays and for `int`, and libjvmpi
/// makes one that the old agent is not told of.
pub(crate) fn is_prepared(name: &str) -> bool {
    !name.ends_with("[]") && !is_primitive(name) && !name.ends_with("JvmpiHooks")
}

/// `Thread-N` of `Thread-7`: which number a thread gets that nobody gives a name is a question of the moment, and of
/// threads that an agent makes.
fn plain_thread(name: &str) -> String {
    let is_unnamed = name.strip_prefix("Thread-").is_some_and(is_number);
    if is_unnamed { UNNAMED } else { name }.to_owned()
}

/// What all threads are called that nobody has given a name.
pub(crate) const UNNAMED: &str = "Thread-N";

/// Whether a thread is one of those that work for all: how many there are is chance.
pub(crate) fn is_of_a_pool(thread: &str) -> bool {
    const THREADS: [&str; 6] = [
        "ForkJoinPool-",
        "ForkJoinPool.commonPool-",
        "MasterPoller",
        "Read-Poller",
        "VirtualThread-unparker",
        "Write-Poller",
    ];
    THREADS.iter().any(|it| thread.starts_with(it))
}

/// Whether a thread of this name is the VM's own, or libjvmpi's. A program's may be called `Finalizer of sessions`.
pub(crate) fn is_of_the_vm(thread: &str) -> bool {
    const THREADS: [&str; 19] = [
        "?",
        "Attach Listener",
        "Common-Cleaner",
        "DestroyJavaVM",
        "Finalizer",
        "G1 Main Marker",
        "G1 Service",
        "G1 Young RemSet Sampling",
        "JVMPI GC",
        "JVMPI RunGC",
        "JVMPI requests",
        "Monitor Deflation Thread",
        "Notification Thread",
        "Reference Handler",
        "Service Thread",
        "Signal Dispatcher",
        "Sweeper thread",
        "VirtualThread-unblocker",
        "process reaper",
    ];
    /// What stands before and behind their numbers.
    const NUMBERED: [[&str; 2]; 7] = [
        ["C1 CompilerThread", ""],
        ["C2 CompilerThread", ""],
        ["G1 Conc#", ""],
        ["G1 Refine#", ""],
        ["JVMCI CompilerThread", ""],
        ["JVMCI-native CompilerThread", ""],
        ["process reaper (pid ", ")"],
    ];
    THREADS.contains(&thread)
        || NUMBERED.iter().any(|[before, behind]| {
            let number = thread.strip_prefix(before);
            number
                .and_then(|rest| rest.strip_suffix(behind))
                .is_some_and(is_number)
        })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

pub(crate) fn id(values: &[Value<'_>], place: usize) -> u64 {
    values.get(place).and_then(Value::id).unwrap_or(0)
}

pub(crate) fn int(values: &[Value<'_>], place: usize) -> i64 {
    values.get(place).and_then(Value::int).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_named_as_in_java() {
        assert_eq!(element("[[I").as_deref(), Some("int[][]"));
        assert_eq!(element("[LWork$Bar;").as_deref(), Some("Work$Bar[]"));
        assert_eq!(
            element("[[Ljava/lang/String;").as_deref(),
            Some("java.lang.String[][]")
        );
        assert_eq!(element("Work"), None);
    }

    #[test]
    fn threads_of_the_vm_are_known_by_their_whole_names() {
        for thread in [
            "Finalizer",
            "C2 CompilerThread0",
            "JVMCI-native CompilerThread12",
            "G1 Conc#0",
            "JVMPI requests",
            "process reaper",
            "process reaper (pid 4711)",
        ] {
            assert!(is_of_the_vm(thread), "{thread}");
        }
        for thread in [
            "Finalizer of sessions",
            "Service Thread 2",
            "C1 CompilerThreads",
            "C1 CompilerThread",
            "G1 Report",
            "JVMPI viewer",
            "JVMCI",
            "process reaper (pid 1",
            "",
        ] {
            assert!(!is_of_the_vm(thread), "{thread}");
        }
    }

    #[test]
    fn a_port_names_classes_as_in_java_or_as_in_class_files() {
        let mut known = Known::default();
        for (noun, said, text) in [
            (Noun::Births, "a/Work", "a.Work"),
            (Noun::Births, "[La/Work;", "a.Work[]"),
            (Noun::Contended, "main at a/Work", "main at a.Work"),
            (Noun::Waits, "x at y at La/Work;", "x at y at a.Work"),
            (Noun::Waits, "a/b at [I", "a/b at int[]"),
            (Noun::Waited, "main at a.Work", "main at a.Work"),
            (Noun::ThreadsStarted, "a/b", "a/b"),
        ] {
            let name = known.said(noun, said);
            assert_eq!(known.text(name), text);
        }
    }
}
