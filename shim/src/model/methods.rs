//! Methods by jmethodID: their class and their lines, looked up once.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::call_trace::{LINE_NATIVE, LINE_UNKNOWN, LineTable};
use event_translate::table::EventKind;
use id_map::IdSet;
use jvmpi_headers::jni::{jmethodID, jobject};
use jvmpi_headers::jvmpi::JVMPI_CallFrame;

use crate::base::{config, log, observer};
use crate::delivery::dispatch::{self, Patience};
use crate::events::call_traces::whole_stack;
use crate::hooks::instrument;
use crate::model::classes::{self, Class};
use crate::model::tables::METHODS;
use crate::model::thread::Thread;
use crate::model::{current, known_frames, threads, wanted};
use crate::vm::env::{self, Frame, Jvmti};
use crate::vm::hotspot::async_trace;
use crate::vm::jni::Jni;
use crate::vm::stack;

/// What is known of one method.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) class: Arc<Class>,
    /// The id under which CLASS_LOAD announced it; another one than the VM's for
    /// an old version of a redefined method that is still on a stack.
    announced_as: usize,
    /// `include=` and `exclude=` let its events through.
    taken: bool,
    /// Neither ours nor of a hidden class.
    shown: bool,
    lines: Option<LineTable>,
}

impl Method {
    /// The id under which the agent knows it, as a number.
    pub(crate) fn announced_as(&self) -> usize {
        self.announced_as
    }

    /// Whether `include=` and `exclude=` let its events through.
    pub(crate) fn is_taken(&self) -> bool {
        self.taken
    }

    /// Whether it is one of our hooks: never shown to an agent.
    pub(crate) fn is_ours(&self) -> bool {
        self.class.is_hidden()
    }

    /// Whether agents hear of its calls: they see a frame of it in call traces, too, then, and
    /// only then. Hidden classes (LambdaForms, the proxies of lambdas) can have no hooks.
    pub(crate) fn is_shown(&self) -> bool {
        self.shown
    }

    /// The source line of a bytecode index, if it is known.
    pub(crate) fn line_at(&self, location: i64) -> Option<i32> {
        let line = self.lines.as_ref()?.line_at(location);
        (line != LINE_UNKNOWN).then_some(line)
    }

    fn frame(&self, location: i64) -> JVMPI_CallFrame {
        let lineno = if location < 0 {
            LINE_NATIVE
        } else {
            self.lines
                .as_ref()
                .map_or(LINE_UNKNOWN, |lines| lines.line_at(location))
        };
        JVMPI_CallFrame {
            lineno,
            method_id: ptr::with_exposed_provenance_mut(self.announced_as),
        }
    }
}

/// The method's lines; `None` for native and abstract ones, and for classes
/// compiled without line numbers.
pub(crate) fn line_table(jvmti: Jvmti, method: jmethodID) -> Option<LineTable> {
    let entries = jvmti.line_numbers(method).ok()?;
    Some(
        entries
            .as_slice()
            .iter()
            .map(|entry| (entry.start_location, entry.line_number))
            .collect(),
    )
}

/// The record of a method id; `None` if it is not one (any more).
pub(crate) fn of(jvmti: Jvmti, jni: Jni, method: jmethodID) -> Option<Arc<Method>> {
    let key = method.expose_provenance() as u64;
    if let Some(known) = METHODS.get(key) {
        return Some(known);
    }
    let mirror = jvmti.declaring_class(jni, method).ok()?;
    let class = classes::of(jvmti, jni, mirror.get())?;
    let announced = if jvmti.method_is_obsolete(method).unwrap_or(false) {
        current_version(jvmti, mirror.get(), method).unwrap_or(method)
    } else {
        method
    };
    let filter = &config::options().classes;
    let taken = filter.takes_all()
        || jvmti.class_signature(mirror.get()).is_ok_and(|signature| {
            filter.takes(signature.bytes().strip_prefix(b"L").unwrap_or_default())
        });
    let record = Method {
        shown: !class.is_hidden() && jvmti.is_modifiable(mirror.get()),
        class,
        taken,
        announced_as: announced.expose_provenance(),
        lines: line_table(jvmti, method),
    };
    Some(METHODS.get_or_insert(key, Arc::new(record)).0)
}

/// Every method id that a class was seen to list.
static LISTED: IdSet = IdSet::new();

/// Remembers the methods of a class.
pub(crate) fn note_listed(class: &Class, methods: &[jmethodID]) {
    let numbers = methods
        .iter()
        .map(|method| method.expose_provenance() as u64);
    if class.listed.set(numbers.clone().collect()).is_ok() {
        LISTED.extend(numbers);
    }
}

/// The class is gone: so are its methods.
pub(crate) fn forget_listed(class: &Class) {
    let Some(methods) = class.listed.get() else {
        return;
    };
    for &method in methods {
        LISTED.remove(method);
    }
    observer::tell(|observer| observer.methods_ended(methods));
}

/// Whether some class lists this method. Up to JDK 25 the VM follows a method id
/// blindly, so one that an agent made up must not reach it.
pub(crate) fn is_listed(jvmti: Jvmti, jni: Jni, method: jmethodID) -> bool {
    let key = method.expose_provenance() as u64;
    if METHODS.get(key).is_some() || LISTED.contains(key) {
        return true;
    }
    for class in classes::loaded(jvmti, jni).unwrap_or_default() {
        if class.listed.get().is_some() {
            continue;
        }
        if let Some(mirror) = class.mirror(jni)
            && let Ok(methods) = jvmti.methods(mirror.get())
        {
            note_listed(&class, methods.as_slice());
        }
    }
    LISTED.contains(key)
}

/// The method of the same name and signature in the class as it is now.
fn current_version(jvmti: Jvmti, mirror: jobject, method: jmethodID) -> Option<jmethodID> {
    let (name, signature) = jvmti.method_name(method).ok()?;
    let methods = jvmti.methods(mirror).ok()?;
    methods.as_slice().iter().copied().find(|&candidate| {
        jvmti
            .method_name(candidate)
            .is_ok_and(|(n, s)| n.bytes() == name.bytes() && s.bytes() == signature.bytes())
    })
}

/// Fills `out` with the stack of `thread` (`None`: the current one), callee first;
/// the number of frames, or `None` if there is no stack to be had or a class on
/// it is being announced elsewhere.
pub(crate) fn call_trace(
    jvmti: Jvmti,
    thread: Option<&Thread>,
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    // In an event of a method its hook is on top, and not shown; others may lie below,
    // when a handler has called Java code.
    let hooks = if instrument::is_on() && !out.is_empty() {
        // That of a monitor has two frames.
        current::with_own(|own| 2 * own.depth.load(Ordering::Relaxed) + 2).unwrap_or(2)
    } else {
        0
    };
    let depth = out.len() + usize::try_from(hooks).unwrap_or(1);
    let Some(thread) = thread else {
        return shown_frames(jvmti, ptr::null_mut(), depth, Patience::Short, out);
    };
    if let Some(mut frames) = thread.captured() {
        if frames.len() < depth {
            let stopped = || whole_stack_of(jvmti, thread);
            frames.extend(whole_stack::below(&frames, stopped));
        }
        return fill(jvmti, Patience::None, &frames, out);
    }
    SAMPLING.store(true, Ordering::Relaxed);
    shown_frames(jvmti, thread.object(), depth, Patience::None, out)
}

/// Fills `out` with frames of a stack, of which `depth` are looked at first; more, if there are
/// many among them that are not shown.
fn shown_frames(
    jvmti: Jvmti,
    thread: jobject,
    mut depth: usize,
    patience: Patience,
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    loop {
        let (count, seen) = taken(stack::take(jvmti, thread, depth, |frames| {
            let count = fill(jvmti, patience, frames, out)?;
            Some((count, frames.len()))
        }))?;
        if count == out.len() || seen < depth {
            return Some(count);
        }
        depth = depth.saturating_mul(2) + 16;
    }
}

/// All frames of a suspended thread, unless they are very many.
fn whole_stack_of(jvmti: Jvmti, thread: &Thread) -> Option<Vec<Frame>> {
    const DEPTH: usize = 2048;
    let frames = stack::take(jvmti, thread.object(), DEPTH, <[Frame]>::to_vec).ok()?;
    (frames.len() < DEPTH).then_some(frames)
}

/// A stack that was taken before, with lines, for a dump; empty if a class on it is being
/// announced elsewhere.
pub(crate) fn named(jvmti: Jvmti, jni: Jni, frames: &[Frame]) -> Vec<JVMPI_CallFrame> {
    if wanted::listens_no_more(EventKind::ClassLoad) {
        return name_frames(jvmti, jni, frames).0;
    }
    stack::collect(frames.len(), |out| {
        fill(jvmti, Patience::Short, frames, out).unwrap_or(0)
    })
}

fn taken<T>(result: env::Result<Option<T>>) -> Option<T> {
    result.unwrap_or_else(|error| {
        if !error.is_gone() {
            log::warn_once!("GetCallTrace: {error}; the trace is empty");
        }
        None
    })
}

/// Set by the first call trace of another thread: the agent is a sampler.
static SAMPLING: AtomicBool = AtomicBool::new(false);

/// Before a suspension: takes the stack of a thread that is running Java code, so
/// that the sampler sees where it is and not where it comes to a stop. True if the
/// thread was asked.
pub(crate) fn capture(jvmti: Jvmti, thread: &Thread) -> bool {
    const RUNNABLE: i32 = 0x4;
    const SUSPENDED_OR_IN_NATIVE: i32 = 0x10_0000 | 0x40_0000;
    // Without CLASS_LOAD methods may have no ids yet, and the walk would not name them.
    let sampler = SAMPLING.load(Ordering::Relaxed) && wanted::wants(EventKind::ClassLoad);
    let running = sampler
        && thread.has_run()
        && jvmti
            .thread_state(thread.object())
            .is_ok_and(|state| state & RUNNABLE != 0 && state & SUSPENDED_OR_IN_NATIVE == 0);
    thread.capture(running && async_trace::available(jvmti))
}

/// What stopped a pass over the frames.
enum Need {
    /// A method that was not met before.
    Method(usize),
    /// A class that the agent has not been told about.
    Announcement(Arc<Class>),
}

fn fill(
    jvmti: Jvmti,
    patience: Patience,
    frames: &[Frame],
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    let is_short = frames.len() <= known_frames::LONGEST;
    if is_short && let Some(count) = known_frames::fill(frames, out) {
        return Some(count);
    }
    let version = known_frames::version();
    let tell = dispatch::reaches_agent(EventKind::ClassLoad);
    let mut rest = frames.iter().peekable();
    let mut room = out.iter_mut();
    let mut count = 0;
    loop {
        // As many as go under one read lock; what needs the VM is done outside.
        let need = METHODS.read(|known| {
            while room.len() > 0
                && let Some(frame) = rest.peek()
            {
                let Some(method) = known.get(frame.method as u64) else {
                    return Some(Need::Method(frame.method));
                };
                if !method.is_shown() {
                    rest.next();
                    continue;
                }
                if tell && method.class.is_due() {
                    return Some(Need::Announcement(Arc::clone(&method.class)));
                }
                if let Some(place) = room.next() {
                    let shown = method.frame(frame.location);
                    if is_short && !method.class.is_due() {
                        known_frames::remember(version, frame, shown);
                    }
                    place.write(shown);
                    count += 1;
                }
                rest.next();
            }
            None
        });
        match need {
            None => return Some(count),
            Some(Need::Method(method)) => {
                if of(
                    jvmti,
                    Jni::of_this_thread()?,
                    ptr::with_exposed_provenance_mut(method),
                )
                .is_none()
                {
                    // Unloaded meanwhile: a frame that nobody can name is left out.
                    rest.next();
                }
            }
            Some(Need::Announcement(class)) => {
                let jni = Jni::of_this_thread()?;
                if Thread::has_suspended_others() {
                    keep_due(jvmti, jni, frames);
                    return None;
                }
                if !classes::announce(jvmti, jni, &threads::own()?, &class, patience) {
                    return None;
                }
                if class.is_due() {
                    // We are inside its CLASS_LOAD, or nobody listens any more.
                    return fill_unasked(jvmti, jni, frames, out);
                }
            }
        }
    }
}

/// The CLASS_LOAD of each class on the stack that is due comes when the thread has let go
/// on whom it has suspended: its handler may enter a raw monitor, and who is suspended may
/// have entered that.
#[cold]
fn keep_due(jvmti: Jvmti, jni: Jni, frames: &[Frame]) {
    let Some(own) = threads::own() else { return };
    for frame in frames {
        // All of them are to be known by the next sample.
        of(jvmti, jni, ptr::with_exposed_provenance_mut(frame.method));
    }
    let mut due: Vec<Arc<Class>> = METHODS.read(|known| {
        let methods = frames
            .iter()
            .filter_map(|frame| known.get(frame.method as u64));
        let due = methods.filter(|method| method.is_shown() && method.class.is_due());
        due.map(|method| Arc::clone(&method.class)).collect()
    });
    due.sort_by_key(|class| class.id);
    due.dedup_by_key(|class| class.id);
    for class in due {
        own.keep_class(class);
    }
}

/// The same without announcing anything.
fn fill_unasked(
    jvmti: Jvmti,
    jni: Jni,
    frames: &[Frame],
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    let mut room = out.iter_mut();
    let known = frames.iter().filter_map(|frame| {
        let method = of(jvmti, jni, ptr::with_exposed_provenance_mut(frame.method))?;
        method.is_shown().then(|| method.frame(frame.location))
    });
    Some(
        known
            .zip(&mut room)
            .map(|(frame, place)| place.write(frame))
            .count(),
    )
}

/// Frames as a dump shows them, and for each that was given its number among those; what is
/// not shown, gone, or of a class that the agent does not know has none.
pub(crate) fn name_frames(
    jvmti: Jvmti,
    jni: Jni,
    frames: &[Frame],
) -> (Vec<JVMPI_CallFrame>, Vec<Option<usize>>) {
    let own = threads::own();
    let mut named = Vec::with_capacity(frames.len());
    let number = |frame: &Frame| {
        let method = of(jvmti, jni, ptr::with_exposed_provenance_mut(frame.method));
        let method = method.filter(|method| method.is_shown())?;
        if let Some(own) = &own {
            classes::announce(jvmti, jni, own, &method.class, Patience::Short);
        }
        if !method.class.may_be_dumped() {
            return None;
        }
        named.push(method.frame(frame.location));
        Some(named.len() - 1)
    };
    let numbers = frames.iter().map(number).collect();
    (named, numbers)
}
