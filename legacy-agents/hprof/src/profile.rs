//! What every output is made from: plain data, a picture of one moment.
//!
//! Numbers that a reader sees (`serial`) count from 1 and stay the same in all
//! dumps of a run; [`ClassRef`] and [`MethodRef`] are indices into the profile
//! at hand.

use std::time::SystemTime;

pub use crate::amount::Amount;
use crate::estimate::Estimate;

/// One dump's data. What was not asked for is `None`.
#[derive(Clone, Debug)]
pub struct Profile {
    /// When the agent was started.
    pub started: SystemTime,
    /// When this picture was taken.
    pub taken: SystemTime,
    /// What was profiled.
    pub program: Program,
    /// How it is to be shown.
    pub shown: Shown,
    /// What a reader has to know of it, a sentence or two each.
    pub notes: Vec<String>,
    /// All classes that something here names.
    pub classes: Vec<Class>,
    /// All methods that something here names.
    pub methods: Vec<Method>,
    /// All threads of the run that something names, in the order of their serials.
    pub threads: Vec<Thread>,
    /// All traces of the run, in the order of their serials, which have no gaps.
    pub traces: Vec<Trace>,
    /// `cpu=`.
    pub cpu: Option<Cpu>,
    /// `method-budget=`: what is measured no more, and about how often it had been called by then.
    pub left_out: Option<Vec<(MethodRef, u64)>>,
    /// `heap=sites` and `heap=all`, unsorted.
    pub sites: Option<Vec<Site>>,
    /// `monitor=y`: who waited for which lock, unsorted.
    pub locks: Option<Vec<Lock>>,
    /// `monitor=y`, of a host that tells: who was parked for what, unsorted.
    pub parked: Option<Vec<Park>>,
}

/// A program, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Main class or jar, without folder and arguments; empty if unknown.
    pub name: String,
    /// Names and values, in the order in which they are shown.
    pub facts: Vec<(&'static str, String)>,
}

impl Program {
    /// `4711 on host`, if it is known.
    #[must_use]
    pub fn process(&self) -> Option<&str> {
        let mut facts = self.facts.iter();
        facts.find_map(|(name, value)| (*name == "Process").then_some(value.as_str()))
    }
}

/// Options that decide what is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// Frames of a trace at most.
    pub depth: u32,
    /// The share of the whole below which tables end, 0 to 1.
    pub cutoff: f64,
    /// Between two samples, in ms.
    pub interval: u32,
    /// Whether frames have line numbers.
    pub lineno: bool,
    /// Whether traces name their thread; if not, threads share traces.
    pub thread: bool,
    /// What sites were estimated from: one allocation picked in so many bytes, on average.
    pub sample: Option<u32>,
}

/// An index into [`Profile::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassRef(pub u32);

/// An index into [`Profile::methods`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodRef(pub u32);

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its serial in binary output.
    pub serial: u32,
    /// Its `jobjectID`.
    pub id: usize,
    /// `java.lang.String`, `[Ljava.lang.String;`, `[I`.
    pub name: String,
    /// Its source file, empty if unknown.
    pub source: String,
    /// The serial of the trace on which it was loaded, or 0.
    pub trace: u32,
    /// It is gone.
    pub unloaded: bool,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its class.
    pub class: ClassRef,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub signature: String,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// 1, 2, …
    pub serial: u32,
    /// Its `java.lang.Thread`'s `jobjectID`.
    pub object: usize,
    /// Its name.
    pub name: String,
    /// The name of its group.
    pub group: String,
    /// The name of the group's parent, or empty.
    pub parent: String,
    /// The serial of the trace on which it was started, or 0.
    pub trace: u32,
    /// It has ended.
    pub ended: bool,
}

/// A stack, the callee first, at most [`Shown::depth`] frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// 1, 2, …
    pub serial: u32,
    /// The serial of its thread; 0 without `thread=y`.
    pub thread: u32,
    /// Its frames.
    pub frames: Vec<Frame>,
}

/// A frame of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The method.
    pub method: MethodRef,
    /// The line; -1 unknown, -2 compiled, -3 native.
    pub line: i32,
}

/// Where the CPU time went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cpu {
    /// `cpu=samples`: [`CpuEntry::count`] is how often the trace was met, `nanos` is 0.
    Samples(Vec<CpuEntry>),
    /// `cpu=times`: calls, and the time in the first frame's method without its callees.
    Times(Vec<CpuEntry>),
    /// `cpu=old`: calls between pairs of methods.
    Old(Vec<Call>),
}

/// The cost of one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuEntry {
    /// The serial of the trace.
    pub trace: u32,
    /// Samples or calls.
    pub count: u64,
    /// Time of the calls themselves.
    pub nanos: u64,
}

/// All calls of one method by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who was called.
    pub callee: MethodRef,
    /// Who called; `None` at the bottom of a stack.
    pub caller: Option<MethodRef>,
    /// How often.
    pub count: u64,
    /// Time in the callee, its own callees left out.
    pub nanos: u64,
}

/// What was allocated in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// What kind of object.
    pub kind: SiteKind,
    /// The serial of the trace.
    pub trace: u32,
    /// What still lives.
    pub live: Amount,
    /// What was allocated in all.
    pub allocated: Amount,
    /// Both are estimates; what they rest on.
    pub estimates: Option<Estimates>,
}

/// What a site's amounts were rounded from, with [`Shown::sample`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimates {
    /// [`Site::live`]
    pub live: Estimate,
    /// [`Site::allocated`]
    pub allocated: Estimate,
}

/// What a site's objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SiteKind {
    /// Objects of this class; `None` if the VM did not say.
    Instance(Option<ClassRef>),
    /// Arrays of references to this class.
    Array(Option<ClassRef>),
    /// Arrays of a primitive, by the letter of its signature.
    PrimitiveArray(u8),
}

/// What was lost waiting for one lock in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Whose lock.
    pub monitor: Monitor,
    /// The serial of the trace of the thread that waited.
    pub trace: u32,
    /// How often it waited.
    pub count: u64,
    /// How long in all.
    pub nanos: u64,
}

/// How long threads were parked in one place (`java.util.concurrent.locks.LockSupport`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Park {
    /// The class of what the JDK calls the blocker; `None` if the caller has given none.
    pub blocker: Option<ClassRef>,
    /// The serial of the trace of the thread that was parked.
    pub trace: u32,
    /// How often.
    pub count: u64,
    /// How long in all.
    pub nanos: u64,
    /// They are still, and have been for so long when the profile was taken.
    pub still: bool,
}

impl Park {
    /// Behind the blocker, for people.
    #[must_use]
    pub const fn mark(&self) -> &'static str {
        if self.still { " (still parked)" } else { "" }
    }
}

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Monitor {
    /// An object's, by its class and `jobjectID`.
    Java(Option<ClassRef>, usize),
    /// A raw monitor, by its name and address.
    Raw(String, usize),
}

impl Profile {
    /// A class by its index.
    #[must_use]
    pub fn class(&self, class: ClassRef) -> Option<&Class> {
        self.classes.get(usize::try_from(class.0).ok()?)
    }

    /// A method by its index.
    #[must_use]
    pub fn method(&self, method: MethodRef) -> Option<&Method> {
        self.methods.get(usize::try_from(method.0).ok()?)
    }

    /// A trace by its serial.
    #[must_use]
    pub fn trace(&self, serial: u32) -> Option<&Trace> {
        self.traces
            .get(usize::try_from(serial.checked_sub(1)?).ok()?)
    }

    /// A thread by its serial.
    #[must_use]
    pub fn thread(&self, serial: u32) -> Option<&Thread> {
        let found = self
            .threads
            .binary_search_by_key(&serial, |thread| thread.serial);
        self.threads.get(found.ok()?)
    }

    /// The name of a class, `<Unknown>` if there is none.
    #[must_use]
    pub fn class_name(&self, class: Option<ClassRef>) -> &str {
        class
            .and_then(|class| self.class(class))
            .map_or(UNKNOWN, |class| &class.name)
    }

    /// The class of a blocker.
    #[must_use]
    pub fn blocker_name(&self, park: &Park) -> &str {
        match park.blocker {
            None => NO_BLOCKER,
            blocker => self.class_name(blocker),
        }
    }

    /// `class.method`.
    #[must_use]
    pub fn method_name(&self, method: MethodRef) -> String {
        match self.method(method) {
            Some(method) => format!("{}.{}", self.class_name(Some(method.class)), method.name),
            None => format!("{UNKNOWN}.{UNKNOWN}"),
        }
    }

    /// What is measured no more, by name, and about how often it had been called by then.
    #[must_use]
    pub fn methods_left_out(&self) -> Vec<(String, u64)> {
        let all = self.left_out.iter().flatten();
        all.map(|&(method, calls)| (self.method_name(method), calls))
            .collect()
    }

    /// `class.method(Source.java:12)`.
    #[must_use]
    pub fn frame_text(&self, frame: Frame) -> String {
        let source = self
            .method(frame.method)
            .and_then(|method| self.class(method.class))
            .map(|class| class.source.as_str())
            .filter(|source| !source.is_empty())
            .unwrap_or("<Unknown>");
        let name = self.method_name(frame.method);
        match frame.line {
            -3 => format!("{name}({source}:Native method)"),
            -2 => format!("{name}({source}:Compiled method)"),
            line if line > 0 => format!("{name}({source}:{line})"),
            _ => format!("{name}({source}:Unknown line)"),
        }
    }

    /// The class of a site's objects, as an array's descriptor if they are arrays.
    #[must_use]
    pub fn site_name(&self, kind: SiteKind) -> String {
        match kind {
            SiteKind::Instance(class) => self.class_name(class).to_owned(),
            SiteKind::Array(class) => match self.class_name(class) {
                array if array.starts_with('[') => format!("[{array}"),
                element => format!("[L{element};"),
            },
            SiteKind::PrimitiveArray(letter) => format!("[{}", char::from(letter)),
        }
    }
}

/// What stands for a blocker that was not given.
const NO_BLOCKER: &str = "<no blocker>";

/// What stands for a name that nobody knows.
pub const UNKNOWN: &str = "<Unknown>";
