//! Which ids of methods in stacks are to be believed.
//!
//! Up to JDK 21 GetStackTrace gives now and then an id that is none: it reads a class's table of ids while another thread, to
//! which an old method of a redefined class is new, puts a longer table in its place and frees this one (JVMTI facts 47).
//! Up to there whoever passes such an id to the VM ends it. So a stack with an id that was not seen before
//! is taken again, and an id that has come twice in a row is known from then on. One that is another method's is not noticed.
//!
//! # Threads
//! Any; what one knows is known to all. Ids are never given up, so none has to be forgotten.

#![allow(unsafe_code, reason = "frames that GetStackTrace has filled in")]

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::vm::env::{Frame, Result};

/// From 22 on the table is replaced at a safepoint only (25 was measured).
pub(super) const RIGHT_SINCE: i32 = 22;

/// So often a stack is taken at most: a thread that runs may have new methods each time, and the last ones are then taken
/// for right.
const TIMES: usize = 4;

/// An id has its place in one set of these; of more than fit in each drives another one out, which costs a second stack each
/// time. With 5000 ids next to none does.
const SETS: usize = 1 << 12;
const IN_A_SET: usize = 4;

static KNOWN: [[AtomicUsize; IN_A_SET]; SETS] =
    [const { [const { AtomicUsize::new(0) }; IN_A_SET] }; SETS];

/// Has `take` fill the buffer until each id is known or has come twice in a row, or often enough; how many frames
/// there are.
pub(super) fn take(
    buffer: &mut [MaybeUninit<Frame>],
    mut take: impl FnMut(&mut [MaybeUninit<Frame>]) -> Result<usize>,
) -> Result<usize> {
    let mut count = take(buffer)?;
    let mut new = unknown(buffer, count);
    for _ in 1..TIMES {
        if new.is_empty() {
            break;
        }
        count = take(buffer)?;
        let (again, others): (Vec<_>, Vec<_>) = unknown(buffer, count)
            .into_iter()
            .partition(|id| new.binary_search(id).is_ok());
        again.into_iter().for_each(know);
        new = others;
    }
    Ok(count)
}

/// In their order.
fn unknown(buffer: &[MaybeUninit<Frame>], count: usize) -> Vec<usize> {
    let mut unknown: Vec<_> = ids(buffer, count).filter(|&id| !is_known(id)).collect();
    unknown.sort_unstable();
    unknown
}

fn ids(buffer: &[MaybeUninit<Frame>], count: usize) -> impl Iterator<Item = usize> {
    // SAFETY: who takes a stack says how many frames it has filled in.
    let frames = unsafe { Frame::first_of(buffer, count) };
    frames.iter().map(|frame| frame.method.number())
}

/// Ids lie side by side, a word each.
fn set(id: usize) -> &'static [AtomicUsize] {
    KNOWN
        .get(id / size_of::<usize>() % SETS)
        .map_or(&[], |set| set)
}

// Relaxed: a place is one word, and what is compared is the whole of it.
fn is_known(id: usize) -> bool {
    set(id)
        .iter()
        .any(|place| place.load(Ordering::Relaxed) == id)
}

fn know(id: usize) {
    let mut new = id;
    for place in set(id) {
        let old = place.swap(new, Ordering::Relaxed);
        if old == 0 || old == id {
            break;
        }
        new = old;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::member_ids::MethodId;

    const WRONG: usize = 0x6431;

    /// Takes these stacks one after the other; the ids of what came of it, and how many were left.
    fn taken(stacks: &[&[usize]]) -> (Vec<usize>, usize) {
        let mut buffer = [const { MaybeUninit::uninit() }; 8];
        let mut left = stacks.iter();
        let count = take(&mut buffer, |buffer| {
            let stack = left.next().unwrap();
            for (place, &id) in buffer.iter_mut().zip(*stack) {
                place.write(Frame {
                    method: MethodId::from_number(id),
                    location: 1,
                });
            }
            Ok(stack.len())
        });
        (ids(&buffer, count.unwrap()).collect(), left.len())
    }

    #[test]
    fn an_id_that_does_not_come_again_is_not_believed() {
        // Places of their own: the table is the whole program's.
        let [one, two, three] = [0x7000_0008, 0x7000_0010, 0x7000_0018];
        assert_eq!(
            taken(&[&[one, two], &[one, two], &[three]]),
            (vec![one, two], 1)
        );
        // Known: once is enough.
        assert_eq!(taken(&[&[two, one], &[three]]), (vec![two, one], 1));
        // They want the same set, and one of them has no place there; each has come twice.
        let beside: Vec<_> = (0..=IN_A_SET)
            .map(|index| one + (index << 8) * SETS * size_of::<usize>())
            .collect();
        assert_eq!(taken(&[&beside, &beside, &[WRONG]]), (beside.clone(), 1));
        assert!(!is_known(one) && beside[1..].iter().all(|&id| is_known(id)));
        know(one);
        // The third is new, and seen right at the second and third time.
        let stacks: [&[usize]; 4] = [
            &[one, WRONG, two],
            &[one, three, two],
            &[one, three, two],
            &[],
        ];
        assert_eq!(taken(&stacks), (vec![one, three, two], 1));
        // One that runs has other ones each time.
        let stacks: [&[usize]; 4] = [
            &[0x7100_0028],
            &[0x7100_0030],
            &[0x7100_0038],
            &[0x7100_0040],
        ];
        assert_eq!(taken(&stacks), (vec![0x7100_0040], 0));
    }
}
