//! Stacks as the agent sees them.

use std::mem::MaybeUninit;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::table::EventKind;
use id_map::Flag;
use jvmpi_headers::jvmpi::JVMPI_CallFrame;

use crate::base::log;
use crate::base::patience::{self, Patience};
use crate::delivery::announce;
use crate::delivery::announce::plan::Definition;
use crate::delivery::dispatch;
use crate::events::call_traces::sampling::{self, runs_java, samples};
use crate::events::call_traces::{own_walk, round, whole_stack};
use crate::hooks::wanted_hooks;
use crate::model::classes::Class;
use crate::model::classes::methods::{METHODS, Method, of};
use crate::model::own::known_frames::{self, KnownFrames};
use crate::model::tables::IDS;
use crate::model::thread::{Thread, attention, current};
use crate::model::{threads, wanted};
use crate::vm::env::{self, Frame, Jvmti};
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ThreadRef;
use crate::vm::stack;

/// Fills `out` with the stack of `thread` (`None`: the current one), callee first;
/// the number of frames, or `None` if there is no stack to be had or a class on
/// it is being announced elsewhere.
pub(crate) fn call_trace(
    jvmti: Jvmti,
    thread: Option<&Thread>,
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    let depth = depth_for(out.len());
    let Some(thread) = thread else {
        if let Some(count) = fill_late(out) {
            return Some(count);
        }
        return shown_frames(
            jvmti,
            ThreadRef::CURRENT,
            depth,
            patience::DEFINITION_UNDER_LOCKS,
            out,
        );
    };
    // Ours: suspended in name only, and what it runs is not the program's.
    if thread.native().is_workers.load(Ordering::Acquire) {
        return None;
    }
    if let Some(frames) = whole_stack::captured(jvmti, thread, depth) {
        return fill(jvmti, patience::NONE, mounts::of_sample(&frames), out);
    }
    sampling::begin();
    let is_carrier = thread.attention() & attention::CARRIER != 0;
    if is_carrier && let Some(frames) = whole_stack::stopped(jvmti, thread) {
        return fill(jvmti, patience::NONE, mounts::of_sample(&frames), out);
    }
    // What tells whether a carrier is between two virtual threads lies deep.
    const OF_CARRIERS: usize = 64;
    let depth = depth.max(if is_carrier { OF_CARRIERS } else { 0 });
    let object = thread.object()?;
    shown_frames(jvmti, object.get().into(), depth, patience::NONE, out)
}

/// Fills `out` for the calling thread if it is in the handler of an event of a method that comes late; how many there are.
#[inline]
fn fill_late(out: &mut [MaybeUninit<JVMPI_CallFrame>]) -> Option<usize> {
    let depth = || current::with_own(|own| own.native().depth.own());
    current::with_own_cell(
        |own| &own.native().late_frames,
        |late| late.fill(depth, out),
    )?
}

/// How many frames are to be looked at for so many that are shown.
fn depth_for(shown: usize) -> usize {
    // In an event of a method its hook is on top, and not shown; others may lie below,
    // when a handler has called Java code.
    let hooks = if wanted_hooks::is_on() && shown > 0 {
        // That of a monitor has two frames.
        current::with_own(|own| 2 * own.native().depth.own() + 2).unwrap_or(2)
    } else {
        0
    };
    shown + usize::try_from(hooks).unwrap_or(1)
}

/// Fills `out` with a stack that its thread has given and gone on, callee first; how many there are,
/// or `None` if only the thread itself, stopped, could say the rest.
pub(crate) fn fill_given(
    jvmti: Jvmti,
    frames: &[Frame],
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    if frames.len() < depth_for(out.len()) && !whole_stack::is_whole(frames) {
        return None;
    }
    let frames = mounts::of_sample(frames);
    fill(jvmti, patience::DEFINITION_UNDER_LOCKS, frames, out)
}

/// Fills `out` with frames of a stack, of which `depth` are looked at first; more, if there are
/// many among them that are not shown.
fn shown_frames(
    jvmti: Jvmti,
    thread: ThreadRef<'_>,
    mut depth: usize,
    patience: Patience,
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    if thread.is_current() {
        depth += own_walk::frames_more();
    }
    loop {
        let by_walk = |frames: &[Frame]| {
            let count = fill_known(frames, out)?;
            Some((count, frames.len()))
        };
        let walked = thread
            .is_current()
            .then(|| own_walk::take(jvmti, depth, by_walk))
            .flatten();
        let (count, seen) = match walked {
            Some(walked) => walked,
            None => taken(stack::take(jvmti, thread, depth, |frames| {
                let shown = if !thread.is_current() {
                    mounts::of_sample(frames)
                } else {
                    if frames.len() < depth {
                        own_walk::learn(frames);
                    }
                    frames
                };
                let count = fill(jvmti, patience, shown, out)?;
                Some((count, frames.len()))
            }))?,
        };
        if count == out.len() || seen < depth {
            return Some(count);
        }
        if thread.is_current() {
            own_walk::want_more();
        }
        depth = depth.saturating_mul(2) + 16;
    }
}

/// A stack that was taken before, with lines, for a dump; empty if a class on it is being
/// announced elsewhere.
pub(crate) fn named(jvmti: Jvmti, jni: Jni, frames: &[Frame]) -> Vec<JVMPI_CallFrame> {
    let frames = mounts::of_code(frames);
    if wanted::listens_no_more(EventKind::ClassLoad) {
        return name_frames(jvmti, jni, frames).0;
    }
    stack::collect(frames.len(), |out| {
        fill(jvmti, patience::DEFINITION_UNDER_LOCKS, frames, out).unwrap_or(0)
    })
}

/// The same inside the gate, where no class's end can be told of: without the frames of classes whose
/// end was told of since, as their threads have gone on, and of those that could not be told of. `named` is
/// what [`named`] gave.
pub(crate) fn leave_out_unloaded(frames: &[Frame], named: &mut Vec<JVMPI_CallFrame>) {
    if named.is_empty() {
        return;
    }
    *named = METHODS.read(|known| {
        let methods = mounts::of_code(frames)
            .iter()
            .filter_map(|frame| Some((known.get(frame.method.key())?, frame.location)));
        methods
            .filter(|(method, _)| method.is_shown() && method.class.may_be_dumped())
            .filter(|(method, _)| !IDS.has(method.class.id, Flag::UNLOADED))
            .map(|(method, location)| method.frame(location))
            .collect()
    });
}

fn taken<T>(result: env::Result<Option<T>>) -> Option<T> {
    result.unwrap_or_else(|error| {
        if !error.is_gone() {
            log::warn_once!("GetCallTrace: {error}; the trace is empty");
        }
        None
    })
}

/// Before a suspension: takes the stack of a thread that is running Java code, so
/// that the sampler sees where it is and not where it comes to a stop. True if the
/// thread was asked.
pub(crate) fn capture(jvmti: Jvmti, thread: &Thread) -> bool {
    if let Some(frames) = round::take_stack(thread) {
        thread.set_captured(frames);
        return true;
    }
    thread.capture(samples(jvmti) && thread.has_run() && runs_java(jvmti, thread))
}

/// What stopped a pass over the frames.
enum Need {
    /// A method that was not met before.
    Method(MethodId),
    /// A class that the agent has not been told about.
    Announcement(Arc<Class>),
}

/// Frames on their way to the agent.
struct Filling<'a> {
    rest: &'a [Frame],
    room: slice::IterMut<'a, MaybeUninit<JVMPI_CallFrame>>,
    count: usize,
    /// The method of the next frame, if it was asked for.
    asked: Option<Arc<Method>>,
    /// Of [`known_frames`], where they are remembered.
    version: Option<u64>,
    tell: bool,
}

fn with_known_frames<T>(body: impl FnOnce(&mut KnownFrames) -> T) -> Option<T> {
    current::with_own_cell(|own| &own.native().known_frames, body)
}

impl<'a> Filling<'a> {
    fn of(frames: &'a [Frame], out: &'a mut [MaybeUninit<JVMPI_CallFrame>]) -> Self {
        let tell = dispatch::reaches_agent(EventKind::ClassLoad);
        let is_short = frames.len() <= known_frames::LONGEST;
        let version = is_short.then(|| known_frames::version(tell));
        let fill = |version| with_known_frames(|known| known.fill(version, frames, out)).flatten();
        let known = version.and_then(fill);
        Self {
            rest: if known.is_some() { &[] } else { frames },
            room: out.iter_mut(),
            count: known.unwrap_or(0),
            asked: None,
            version,
            tell,
        }
    }

    /// As many as go under one read lock; what needs the VM is done outside.
    fn go_on(&mut self) -> Option<Need> {
        if self.rest.is_empty() {
            return None;
        }
        let asked = self.asked.take();
        let mut asked = asked.as_ref();
        METHODS.read(|known| {
            while self.room.len() > 0
                && let [frame, rest @ ..] = self.rest
            {
                let known = known.get(frame.method.key()).filter(|it| it.is_current());
                let Some(method) = asked.take().or(known) else {
                    return Some(Need::Method(frame.method));
                };
                let shown = method.is_shown().then(|| method.frame(frame.location));
                if shown.is_some() && self.tell && method.class.is_due() {
                    return Some(Need::Announcement(Arc::clone(&method.class)));
                }
                if let Some(version) = self.version
                    && method.is_current()
                    && (shown.is_none() || !self.tell || !method.class.is_due())
                {
                    with_known_frames(|known| known.remember(version, frame, shown));
                }
                if let Some(shown) = shown
                    && let Some(place) = self.room.next()
                {
                    place.write(shown);
                    self.count += 1;
                }
                self.rest = rest;
            }
            None
        })
    }
}

/// Fills `out` if nothing is needed for that: all methods are known, and the agent knows their
/// classes.
fn fill_known(frames: &[Frame], out: &mut [MaybeUninit<JVMPI_CallFrame>]) -> Option<usize> {
    let mut filling = Filling::of(frames, out);
    filling.go_on().is_none().then_some(filling.count)
}

fn fill(
    jvmti: Jvmti,
    patience: Patience,
    frames: &[Frame],
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    let mut filling = Filling::of(frames, out);
    loop {
        match filling.go_on() {
            None => return Some(filling.count),
            Some(Need::Method(method)) => {
                filling.asked = of(jvmti, Jni::of_this_thread()?, method);
                if filling.asked.is_none() {
                    // Unloaded meanwhile: a frame that nobody can name is left out.
                    filling.rest = filling.rest.get(1..).unwrap_or_default();
                }
            }
            Some(Need::Announcement(class)) => {
                let jni = Jni::of_this_thread()?;
                if Thread::has_suspended_others() {
                    keep_due(jvmti, jni, frames);
                    return None;
                }
                if !announce::class(jvmti, jni, &threads::own()?, &class, patience) {
                    return None;
                }
                if class.is_due() {
                    // We are inside its CLASS_LOAD, nobody listens any more, or it cannot be told now: it waits
                    // for a bracket's end, or the VM ends.
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
        of(jvmti, jni, frame.method);
    }
    let mut due: Vec<Arc<Class>> = METHODS.read(|known| {
        let methods = frames
            .iter()
            .filter_map(|frame| known.get(frame.method.key()));
        let due = methods.filter(|method| method.is_shown() && method.class.is_due());
        due.map(|method| Arc::clone(&method.class)).collect()
    });
    due.sort_by_key(|class| class.id);
    due.dedup_by_key(|class| class.id);
    for class in due {
        own.keep_class(Definition::Class(class));
    }
}

/// The same without announcing anything: without the frames of classes that the agent should have heard of.
fn fill_unasked(
    jvmti: Jvmti,
    jni: Jni,
    frames: &[Frame],
    out: &mut [MaybeUninit<JVMPI_CallFrame>],
) -> Option<usize> {
    let mut room = out.iter_mut();
    let known = frames.iter().filter_map(|frame| {
        let method = of(jvmti, jni, frame.method)?;
        let shown = method.is_shown() && method.class.may_be_named();
        shown.then(|| method.frame(frame.location))
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
        let method = of(jvmti, jni, frame.method);
        let method = method.filter(|method| method.is_shown())?;
        if let Some(own) = &own {
            announce::class(
                jvmti,
                jni,
                own,
                &method.class,
                patience::DEFINITION_UNDER_LOCKS,
            );
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
