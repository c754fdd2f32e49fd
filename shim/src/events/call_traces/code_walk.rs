//! The calling thread's stack by what lies on it and what is known of that code.
//!
//! Each frame as it lies in memory ([`crate::vm::hotspot::stacks::physical_frames`]) says where in which code it
//! is; which methods that place stands for is learnt from GetStackTrace, whose frames are divided among those in
//! memory ([`super::frame_groups`]). A stack all of whose places are known needs the VM no more; of another
//! GetStackTrace is asked, once for each place. What is known holds:
//! - of the interpreter's, as long as the method's id stands for that very `Method`, which it does
//!   not after the class has been redefined or has gone;
//! - of compiled code, as long as what was there is in use and has the same number and method: numbers are given once. Where
//!   a frame has been made invalid its return address is another one.
//!
//! Left to the other ways ([`super::own_walk`]) are: stacks of virtual threads and carriers, stacks with any other frame (an
//! upcall from foreign code, a frame made invalid), and all but the live phase.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::events::call_traces::frame_groups::{LONGEST, Part, groups};
use crate::events::call_traces::trust::Trust;
use crate::model::classes::known_code::{KNOWN_CODE, Key, KnownCode};
use crate::model::own::stack::OwnStack;
use crate::model::thread::current;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::frame_layout::{Code, FrameLayout};
use crate::vm::hotspot::stacks::physical_frames::{self, PhysicalFrame, PhysicalFrames};
use crate::vm::jni::Jni;
use crate::vm::refs::ThreadRef;
use crate::vm::stack;

/// What was learnt wrongly is forgotten, and learnt anew a few times.
static TRUST: Trust = Trust::new("the walk by known code", 4);

/// So many more frames than are wanted are looked at to learn from them what is inlined.
const MORE: usize = LONGEST + 32;

/// How it is done in this VM; `None` if it is not, or was wrong.
#[inline]
pub(super) fn ready() -> Option<&'static FrameLayout> {
    physical_frames::layout().filter(|_| !TRUST.is_lost())
}

/// Takes at most `depth` frames of the calling thread, which is a platform thread and no carrier,
/// and hands them to `use_frames`, callee first; what that says, if it could use them. Calls it once at most, and does
/// not where the stack is not known and nothing is to be learnt from it now: `None`.
pub(super) fn take<T>(
    layout: &FrameLayout,
    jvmti: Jvmti,
    jni: Jni,
    depth: usize,
    is_due: impl FnOnce() -> bool,
    mut use_frames: impl FnMut(&[Frame]) -> Option<T>,
) -> Option<Option<T>> {
    let fill = |buffer: &mut [_]| known_stack(layout, jni, buffer).ok_or(());
    let known = stack::filled(depth, fill, |frames| {
        let same_again = || stack::filled(depth, fill, |again| again == frames) == Ok(true);
        if !TRUST.believes(jvmti, depth, frames, is_due(), same_again) {
            KNOWN_CODE.write().forget();
            return None;
        }
        use_frames(frames)
    });
    if let Ok(done) = known {
        return Some(done);
    }
    with_own_stack(OwnStack::wants_to_learn).filter(|&wants| wants)?;
    let seen = Seen::of(layout, jni, depth);
    let mut has_learnt = false;
    let taken = seen.map(|seen| {
        let wanted = seen.wanted();
        let taken = stack::take(jvmti, ThreadRef::CURRENT, wanted, |frames| {
            has_learnt = seen.teach(layout, frames, frames.len() < wanted);
            use_frames(frames.get(..depth).unwrap_or(frames))
        });
        taken.ok().flatten()
    });
    with_own_stack(|own| own.note_attempt(has_learnt));
    taken
}

fn with_own_stack<T>(body: impl FnOnce(&mut OwnStack) -> T) -> Option<T> {
    current::with_own_cell(|own| &own.native().own_stack, body)
}

fn known_stack(layout: &FrameLayout, jni: Jni, buffer: &mut [MaybeUninit<Frame>]) -> Option<usize> {
    let mut frames = layout.own_frames(jni)?;
    fill(layout, &mut frames, &KNOWN_CODE.read(), buffer)
}

/// Fills in all frames, or as many as there is room for; `None` if a place is not known.
fn fill(
    layout: &FrameLayout,
    frames: &mut PhysicalFrames<'_>,
    known: &KnownCode,
    buffer: &mut [MaybeUninit<Frame>],
) -> Option<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match frames.current()? {
            PhysicalFrame::Interpreted { method, bytecode } => {
                let frame = interpreted(layout, known, method, bytecode)?;
                buffer.get_mut(count)?.write(frame);
                count += 1;
                frames.leave_interpreted()?;
            }
            PhysicalFrame::Code { pc } => {
                let (code, inlined) = compiled(layout, known, pc)?;
                let room = buffer.get_mut(count..)?;
                for (place, frame) in room.iter_mut().zip(inlined) {
                    place.write(*frame);
                    count += 1;
                }
                frames.leave_code(code.frame_words)?;
            }
            PhysicalFrame::Call => {
                if !frames.leave_call()? {
                    break;
                }
            }
        }
    }
    (count > 0).then_some(count)
}

/// The frame of a bytecode, if it is known.
#[inline]
fn interpreted(
    layout: &FrameLayout,
    known: &KnownCode,
    method: usize,
    bytecode: usize,
) -> Option<Frame> {
    let key = Key {
        at: bytecode,
        method,
    };
    let (_, frames) = known.get(key)?;
    let &[frame] = frames else { return None };
    (layout.method_of(&frame) == method).then_some(frame)
}

/// The code at an address, and the frames that it stands for, if they are known.
#[inline]
fn compiled<'a>(
    layout: &FrameLayout,
    known: &'a KnownCode,
    pc: usize,
) -> Option<(&'a Code, &'a [Frame])> {
    let found = known.get(Key { at: pc, method: 0 })?;
    layout.code.is_still(found.0, pc).then_some(found)
}

/// A stack as it lies in memory, with what is not known yet.
struct Seen {
    /// Stubs, of which there are no frames.
    stubs: Vec<(Key, Code)>,
    places: Vec<(Key, Code)>,
    parts: Vec<Part>,
    /// So many frames are asked for.
    depth: usize,
    /// All that has to be learnt is the interpreter's, of which each has one frame.
    is_known_to_end: bool,
}

impl Seen {
    /// The first `depth` frames of the stack, or all if compiled code that is not known is among those.
    /// `None` if there is another kind of frame.
    fn of(layout: &FrameLayout, jni: Jni, depth: usize) -> Option<Self> {
        let mut frames = layout.own_frames(jni)?;
        let known = KNOWN_CODE.read();
        let mut seen = Self {
            stubs: Vec::new(),
            places: Vec::new(),
            parts: Vec::new(),
            depth,
            is_known_to_end: true,
        };
        while seen.places.len() < seen.wanted() {
            match frames.current()? {
                PhysicalFrame::Interpreted { method, bytecode } => {
                    let key = Key {
                        at: bytecode,
                        method,
                    };
                    seen.add(key, Code::default(), method, Some(1));
                    frames.leave_interpreted()?;
                }
                PhysicalFrame::Code { pc } => {
                    let key = Key { at: pc, method: 0 };
                    let (code, count) = match compiled(layout, &known, pc) {
                        Some((code, frames)) => (*code, Some(frames.len())),
                        None => (layout.code.at(pc)?, None),
                    };
                    if code.is_stub() {
                        seen.stubs.push((key, code));
                    } else {
                        seen.is_known_to_end &= count.is_some();
                        seen.add(key, code, code.method, count);
                    }
                    frames.leave_code(code.frame_words)?;
                }
                PhysicalFrame::Call => {
                    if !frames.leave_call()? {
                        break;
                    }
                }
            }
        }
        Some(seen)
    }

    /// How many frames say what is not known.
    fn wanted(&self) -> usize {
        if self.is_known_to_end {
            self.depth
        } else {
            self.depth + MORE
        }
    }

    fn add(&mut self, key: Key, code: Code, method: usize, count: Option<usize>) {
        self.places.push((key, code));
        self.parts.push(Part { method, count });
    }

    /// Notes what these frames of the stack, `whole` or its first, say of its places. True if that was anything new.
    fn teach(&self, layout: &FrameLayout, frames: &[Frame], is_whole: bool) -> bool {
        if frames.iter().any(|frame| frame.method.number() == 0) {
            return false;
        }
        let method_of = |frame: &Frame| layout.method_of(frame);
        let methods: Vec<usize> = frames.iter().map(method_of).collect();
        let groups = groups(&self.parts, &methods, is_whole);
        // Those further down may never be asked for.
        let asked = |group: &Range<usize>| group.start < self.depth;
        let places = self.places.iter().zip(groups).filter_map(|(place, group)| {
            let frames = frames.get(group.filter(asked)?)?;
            let &(key, code) = place;
            is_right(layout, key, frames).then_some((key, code, frames))
        });
        let stubs = self.stubs.iter().map(|&(key, code)| (key, code, &[][..]));
        let mut known = KNOWN_CODE.write();
        let mut has_learnt = false;
        for (key, code, frames) in places.chain(stubs) {
            has_learnt |= known.learn(key, code, frames);
        }
        has_learnt
    }
}

/// Whether these may be the frames of a place.
fn is_right(layout: &FrameLayout, key: Key, frames: &[Frame]) -> bool {
    // Or a native method's.
    let is_right = |frame: &Frame| frame.location < 0 || layout.is_at(frame, key.at);
    // Of compiled code there is nothing to compare.
    key.method == 0 || frames.iter().all(is_right)
}
