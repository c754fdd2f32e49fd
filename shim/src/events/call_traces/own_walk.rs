//! The calling thread's stack without GetStackTrace: by [`super::code_walk`] where this VM's frames and all code on the
//! stack are known, else by AsyncGetCallTrace, where that says what GetStackTrace says.
//!
//! AsyncGetCallTrace is not believed, and GetStackTrace asked, for all of these (JVMTI facts 37):
//! - stacks on top of which compiled code has called the VM (an allocation, a monitor): of those the
//!   first frame is wrong at times ([`crate::vm::hotspot::stacks::last_frame`]). The interpreter and native
//!   methods may be on top, so those of the agent's program and the hooks of method events;
//! - what the walk refuses (in a collection, without Java frames, at a thread's end …), and methods
//!   without an id, which GetStackTrace then makes;
//! - stacks with a method that is not known from elsewhere: its id might have been read while the
//!   VM replaced the table it stands in. So are those of virtual threads on threads that are
//!   not known to be carriers: below their frames is `Continuation.enterSpecial`, which
//!   GetStackTrace never shows;
//! - carriers of virtual threads: the walk goes on into the carrier's own frames;
//! - stacks that end elsewhere than this thread's did last: the walk stops where a frame has
//!   been made invalid (deoptimised), at an upcall from foreign code, and does not say so;
//! - all but the live phase, and JDKs that it was not tried on.

use once_cell::sync::OnceCell;

use crate::events::call_traces::code_walk;
use crate::events::call_traces::trust::Trust;
use crate::model::own::stack::OwnStack;
use crate::model::thread::{attention, current};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::found::LastFrames;
use crate::vm::hotspot::stacks::async_walk::{Refused, StackWalk};
use crate::vm::hotspot::stacks::last_frame;
use crate::vm::this_vm::{self, Phase};

static TRUST: Trust = Trust::new("AsyncGetCallTrace", 1);

/// Takes at most `depth` frames of the calling thread and hands them to `use_frames`, callee
/// first; `None` if GetStackTrace is to be asked.
pub(super) fn take<T>(
    jvmti: Jvmti,
    depth: usize,
    use_frames: impl FnOnce(&[Frame]) -> Option<T>,
) -> Option<T> {
    let mut use_frames = Some(use_frames);
    if this_vm::phase() != Phase::Live {
        return None;
    }
    let jni = current::with_mine(|mine| {
        let own = mine.thread();
        let carrier = own.is_virtual() || own.attention() & attention::CARRIER != 0;
        if carrier { None } else { current::jni(mine) }
    })??;
    if let Some(layout) = code_walk::ready() {
        let is_due = || with_own_stack(OwnStack::is_due).unwrap_or(true);
        let once = |frames: &[Frame]| use_frames.take()?(frames);
        if let Some(done) = code_walk::take(layout, jvmti, jni, depth, is_due, once) {
            return done;
        }
    }
    let use_frames = use_frames?;
    let (walk, last_frames) = ready(jvmti)?;
    let top = last_frames.of(jni)?;
    if !top.is_interpreted && with_own_stack(|own| own.is_stub(top.pc))? {
        return None;
    }
    let walked = walk.take_own(jni, depth, |frames| {
        let is_native = frames.first().is_some_and(|first| first.location < 0);
        if !top.is_interpreted && !is_native {
            return Err(Refused::OnTop);
        }
        let same_again = || walk.take_own(jni, depth, |again| again == frames) == Ok(true);
        let is_right = is_right(jvmti, depth, frames, same_again);
        Ok(is_right.then(|| use_frames(frames)).flatten())
    });
    match walked.and_then(|done| done) {
        Ok(done) => done,
        Err(refused) => {
            if refused == Refused::OnTop && !top.is_interpreted {
                with_own_stack(|own| own.note_stub(top.pc));
            }
            None
        }
    }
}

/// Whether these are all frames, as far as can be told.
fn is_right(
    jvmti: Jvmti,
    depth: usize,
    frames: &[Frame],
    same_again: impl FnOnce() -> bool,
) -> bool {
    let (is_whole, is_due) =
        with_own_stack(|own| (own.is_whole(frames), own.is_due())).unwrap_or_default();
    if frames.len() < depth && !is_whole {
        return false;
    }
    TRUST.believes(jvmti, depth, frames, is_due, same_again)
}

/// GetStackTrace gave these, and there was room for more.
pub(super) fn learn(whole: &[Frame]) {
    with_own_stack(|own| own.learn(whole));
}

/// How many frames more than the agent wants are worth looking at, of the calling thread.
pub(super) fn frames_more() -> usize {
    with_own_stack(OwnStack::frames_more).unwrap_or(0)
}

/// There were not enough that are shown.
pub(super) fn want_more() {
    with_own_stack(OwnStack::want_more);
}

fn with_own_stack<T>(body: impl FnOnce(&mut OwnStack) -> T) -> Option<T> {
    current::with_own_cell(|own| &own.native().own_stack, body)
}

/// Neither changes once it is found.
fn ready(jvmti: Jvmti) -> Option<(StackWalk, &'static LastFrames)> {
    static FOUND: OnceCell<(StackWalk, &LastFrames)> = OnceCell::new();
    if TRUST.is_lost() {
        return None;
    }
    if FOUND.get().is_none() {
        // Outside of the cell: nobody may wait for a thread that is in the VM.
        match last_frame::own_stacks(jvmti) {
            Some(found) => drop(FOUND.set(found)),
            None => TRUST.lose(),
        }
    }
    FOUND.get().copied()
}
