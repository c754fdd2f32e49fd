//! Which ids of methods in stacks are to be believed.
//!
//! Up to JDK 21 GetStackTrace gives now and then an id that is none: it reads a class's table of ids while another thread, to
//! which an old method of a redefined class is new, puts a longer table in its place and frees this one (JVMTI facts 47).
//! Up to there whoever passes such an id to the VM ends it. So a stack with an id that was not seen before
//! is taken once more, and an id that has come twice in a row is known from then on.
//!
//! # Threads
//! Any; what one knows is known to all. Ids are never given up, so none has to be forgotten.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::vm::env::{Frame, Result};

/// JDK 22 reads the table under the lock of who replaces it.
pub(super) const RIGHT_SINCE: i32 = 22;

/// So often a stack is taken at most: a thread that runs may have new methods each time.
const TIMES: usize = 4;

/// Two ids that want the same place drive each other out, and cost a second stack each time.
const PLACES: usize = 1 << 14;

static KNOWN: [AtomicUsize; PLACES] = [const { AtomicUsize::new(0) }; PLACES];

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
    Frame::first_of(buffer, count)
        .iter()
        .map(|frame| frame.method.number())
}

fn place(id: usize) -> Option<&'static AtomicUsize> {
    // Ids lie side by side, a word each.
    KNOWN.get(id / size_of::<usize>() % PLACES)
}

// Relaxed: a place is one word, and what is compared is the whole of it.
fn is_known(id: usize) -> bool {
    place(id).is_some_and(|place| place.load(Ordering::Relaxed) == id)
}

fn know(id: usize) {
    if let Some(place) = place(id) {
        place.store(id, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::member_ids::MethodId;

    const WRONG: usize = 0x6431;

    /// Takes these stacks one after the other; the ids of what came of it, and how many were left.
    fn taken(stacks: &[&[usize]]) -> (Vec<usize>, usize) {
        let mut buffer = [const { MaybeUninit::uninit() }; 4];
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
        // They want the same place.
        let beside = one + PLACES * size_of::<usize>();
        let stacks: [&[usize]; 3] = [&[one, beside], &[one, beside], &[WRONG]];
        assert_eq!(taken(&stacks), (vec![one, beside], 1));
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
