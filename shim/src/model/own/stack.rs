//! What a thread has learnt of its own stack: how it ends, which a walk does not say, where walks
//! of it cannot begin, and how deep to look.

use crate::vm::env::Frame;

/// So many walks of a thread are taken for granted until one is compared again.
const BETWEEN: u32 = 256;

/// Room for as many addresses. The VM has some tens of stubs, of which a thread meets a few.
const STUBS: usize = 16;

/// Of a stack among whose first frames some are not shown (those of lambdas), so many more are looked
/// at next time: to look twice costs as much again.
const MORE: usize = 4;

/// For so many stacks.
const FOR_STACKS: u8 = 64;

/// After attempts to learn that taught nothing, so many stacks at most are not looked at.
const LONGEST_REST: u32 = 1024;

/// Its own thread's alone.
#[derive(Debug, Default)]
pub(crate) struct OwnStack {
    /// The frame at the bottom of its last whole stack; `None` while there was none, and where
    /// that method is on the stack again: the stack may then seem to end there.
    bottom: Option<Frame>,
    walks: u32,
    /// For how many stacks [`MORE`] frames are looked at.
    deeper: u8,
    /// So many stacks are not learnt from now, and so many after the next attempt that teaches nothing.
    rest: u32,
    next_rest: u32,
    /// Addresses in stubs, each at its place. The VM never gives stubs up.
    stubs: [usize; STUBS],
}

impl OwnStack {
    pub(crate) const fn new() -> Self {
        Self {
            bottom: None,
            walks: 0,
            deeper: 0,
            rest: 0,
            next_rest: 1,
            stubs: [0; STUBS],
        }
    }

    /// Whether the code at this address is known to be a stub.
    pub(crate) fn is_stub(&self, pc: usize) -> bool {
        self.stubs.get(place(pc)) == Some(&pc)
    }

    /// It is one.
    pub(crate) fn note_stub(&mut self, pc: usize) {
        if let Some(place) = self.stubs.get_mut(place(pc)) {
            *place = pc;
        }
    }

    /// The thread's whole stack, as the VM itself has it.
    pub(crate) fn learn(&mut self, whole: &[Frame]) {
        self.bottom = bottom_of(whole);
    }

    /// Whether these frames, which a walk gave, end as its stack does: a stack that the walk
    /// could not follow further looks the same otherwise.
    pub(crate) fn is_whole(&self, frames: &[Frame]) -> bool {
        self.bottom.is_some() && bottom_of(frames) == self.bottom
    }

    /// How many frames more than are shown are worth looking at.
    pub(crate) fn frames_more(&mut self) -> usize {
        let is_deeper = self.deeper > 0;
        self.deeper = self.deeper.saturating_sub(1);
        if is_deeper { MORE } else { 0 }
    }

    /// Some were not shown, and others would have been.
    pub(crate) fn want_more(&mut self) {
        self.deeper = FOR_STACKS;
    }

    /// Whether it is worth while to learn from a stack that is not known.
    pub(crate) fn wants_to_learn(&mut self) -> bool {
        let wants = self.rest == 0;
        self.rest = self.rest.saturating_sub(1);
        wants
    }

    /// Whether that has taught anything.
    pub(crate) fn note_attempt(&mut self, has_learnt: bool) {
        if has_learnt {
            self.next_rest = 1;
        } else {
            self.rest = self.next_rest;
            self.next_rest = (2 * self.next_rest).min(LONGEST_REST);
        }
    }

    /// Whether the walk that has just been made is one to be compared: the first and each 256th.
    pub(crate) fn is_due(&mut self) -> bool {
        let number = self.walks;
        self.walks = number.wrapping_add(1);
        number.is_multiple_of(BETWEEN)
    }
}

fn place(pc: usize) -> usize {
    // Stubs are some hundred bytes each.
    (pc ^ pc >> 6) % STUBS
}

/// The last frame, if its method is on no other.
fn bottom_of(frames: &[Frame]) -> Option<Frame> {
    let (bottom, above) = frames.split_last()?;
    let again = above.iter().any(|frame| frame.method == bottom.method);
    (!again).then_some(*bottom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::member_ids::MethodId;

    fn stack(methods: &[usize]) -> Vec<Frame> {
        let frame = |&method: &usize| Frame {
            method: MethodId::from_number(method),
            location: method as i64 & 7,
        };
        methods.iter().map(frame).collect()
    }

    #[test]
    fn a_stack_ends_where_it_has_ended() {
        let mut own = OwnStack::new();
        assert!(!own.is_whole(&stack(&[1, 2])));
        own.learn(&stack(&[1, 2, 3]));
        assert!(own.is_whole(&stack(&[5, 6, 7, 3])));
        assert!(!own.is_whole(&stack(&[1, 2])));
        assert!(!own.is_whole(&[]));
        // The same method, which has gone on.
        let mut later = stack(&[1, 3]);
        later[1].location += 1;
        assert!(!own.is_whole(&later));
    }

    #[test]
    fn a_method_that_calls_itself_ends_no_stack() {
        let mut own = OwnStack::new();
        own.learn(&stack(&[1, 2, 3]));
        assert!(!own.is_whole(&stack(&[1, 3, 2, 3])));
        own.learn(&stack(&[1, 3, 2, 3]));
        assert!(!own.is_whole(&stack(&[1, 2, 3])));
    }

    #[test]
    fn frames_that_are_not_shown_are_reckoned_with_for_a_while() {
        let mut own = OwnStack::new();
        assert_eq!(own.frames_more(), 0);
        own.want_more();
        let more: Vec<usize> = (0..=FOR_STACKS).map(|_| own.frames_more()).collect();
        assert!(more.iter().rev().skip(1).all(|&more| more == MORE));
        assert_eq!(more.last(), Some(&0));
    }

    #[test]
    fn who_learns_nothing_rests() {
        let mut own = OwnStack::new();
        let mut attempts = 0;
        for _ in 0..10_000 {
            if own.wants_to_learn() {
                attempts += 1;
                own.note_attempt(false);
            }
        }
        assert!((15..30).contains(&attempts), "{attempts}");
        own.rest = 0;
        own.note_attempt(true);
        assert!(own.wants_to_learn() && own.wants_to_learn());
    }

    #[test]
    fn stubs_are_known_again() {
        let mut own = OwnStack::new();
        for pc in [0x7000, 0x7040, 0x7123] {
            assert!(!own.is_stub(pc));
            own.note_stub(pc);
            assert!(own.is_stub(pc) && !own.is_stub(pc + 1));
        }
    }

    #[test]
    fn the_first_walk_is_compared_and_some_later_ones() {
        let mut own = OwnStack::new();
        let due: Vec<u32> = (0..600).filter(|_| own.is_due()).collect();
        assert_eq!(due, [0, 256, 512]);
    }
}
