//! The lower part of stacks that a signal handler could not walk to their end.
//!
//! AsyncGetCallTrace ends at a frame that it cannot pass, and does not say so (on
//! fop, a fifth of all stacks). What it has left out lies below, where nothing
//! changes while the thread comes to its stop: the stack at the safepoint has it.

use id_map::IdSet;

use crate::model::thread::{Thread, attention};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::member_ids::MethodId;
use crate::vm::stack;

/// Methods at the bottom of whole stacks: a captured stack that ends with one is whole.
static BOTTOMS: IdSet = IdSet::new();

/// The method's class is gone.
pub(crate) fn forget(method: MethodId) {
    BOTTOMS.remove(method.key());
}

/// Whether nothing is below it, as far as is known.
pub(crate) fn is_whole(captured: &[Frame]) -> bool {
    captured
        .last()
        .is_some_and(|bottom| BOTTOMS.contains(bottom.method.key()))
}

/// The stack that a suspended thread gave before it stopped, `depth` frames at least if there are. What lies
/// below those that it gave is asked for once: the carrier of a virtual thread that is not suspended goes on with
/// that one (JVMTI facts 12), and might show something else the next time.
pub(super) fn captured(jvmti: Jvmti, thread: &Thread, depth: usize) -> Option<Vec<Frame>> {
    let gave = thread.captured()?;
    let is_carrier = thread.attention() & attention::CARRIER != 0;
    // Whose frames a carrier's are is to be said once, however many are asked for.
    if gave.is_empty() || gave.len() >= depth && !is_carrier || is_whole(&gave) {
        return Some(gave);
    }
    let mut frames = gave.clone();
    frames.extend(below(&gave, || of(jvmti, thread)));
    if is_carrier && !is_whole(&frames) {
        // Those of a virtual thread that the VM has just told to be off, or is about to tell of.
        frames.clear();
    }
    thread.complete_captured(&gave, &frames);
    Some(frames)
}

/// The stack of a suspended carrier that gave none before it stopped, kept from the first look on: the virtual thread
/// on it is not suspended, and is soon off (JVMTI facts 12).
pub(super) fn stopped(jvmti: Jvmti, carrier: &Thread) -> Option<Vec<Frame>> {
    let turn = carrier.turn_of_suspension()?;
    let frames = of(jvmti, carrier)?;
    BOTTOMS.extend(frames.last().map(|frame| frame.method.key()));
    carrier.keep_stopped(turn, &frames);
    Some(frames)
}

/// All frames of a suspended thread, unless they are very many.
fn of(jvmti: Jvmti, thread: &Thread) -> Option<Vec<Frame>> {
    const DEPTH: usize = 2048;
    let object = thread.object()?;
    let frames = stack::take(jvmti, object.get().into(), DEPTH, <[Frame]>::to_vec).ok()?;
    (frames.len() < DEPTH).then_some(frames)
}

/// What is below a captured stack (both callee first), as `at_the_stop` has it.
fn below(captured: &[Frame], at_the_stop: impl FnOnce() -> Option<Vec<Frame>>) -> Vec<Frame> {
    if captured.is_empty() || is_whole(captured) {
        return Vec::new();
    }
    let Some(mut stopped) = at_the_stop() else {
        return Vec::new();
    };
    BOTTOMS.extend(stopped.last().map(|frame| frame.method.key()));
    match joint(captured, &stopped) {
        Some(place) => stopped.split_off(place + 1),
        // The thread has left that method since.
        None => Vec::new(),
    }
}

/// Where in the stopped stack the bottom of the captured one is. A recursive method
/// is there more often: the right one has the same callers on top of it.
fn joint(captured: &[Frame], stopped: &[Frame]) -> Option<usize> {
    let alike = |place: usize| {
        let pairs = captured
            .iter()
            .rev()
            .zip(stopped.get(..=place)?.iter().rev());
        Some(
            pairs
                .take_while(|(one, other)| one.method == other.method)
                .count(),
        )
    };
    (0..stopped.len())
        .filter_map(|place| Some((alike(place)?, place)))
        .filter(|(count, _)| *count > 0)
        .max()
        .map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(methods: &[usize]) -> Vec<Frame> {
        let frame = |&method| Frame {
            method: MethodId::from_number(method),
            location: 0,
        };
        methods.iter().map(frame).collect()
    }

    fn found(captured: &[usize], stopped: &[usize]) -> Vec<usize> {
        let below = below(&frames(captured), || Some(frames(stopped)));
        below.iter().map(|frame| frame.method.number()).collect()
    }

    #[test]
    fn the_rest_is_taken_from_the_stopped_stack() {
        assert_eq!(found(&[101, 102, 103], &[102, 103, 104, 105]), [104, 105]);
        // 105 is known as a bottom by now.
        let asked = below(&frames(&[101, 105]), || panic!("asked"));
        assert!(asked.is_empty());
    }

    #[test]
    fn a_recursive_method_is_met_where_its_callees_are_the_same() {
        assert_eq!(
            found(&[201, 202, 203, 204], &[299, 204, 202, 203, 204, 204, 298]),
            [204, 298]
        );
    }

    #[test]
    fn a_method_that_was_left_has_no_callers() {
        assert_eq!(found(&[301, 302], &[303, 304]), [0; 0]);
        assert_eq!(found(&[], &[303, 304]), [0; 0]);
    }
}
