//! The methods of one thread that an agent believes to be running.
//!
//! METHOD_EXIT has to match the METHOD_ENTRY on top (facts R11), also where no code
//! could be inserted that sees the end of a method: an exception that leaves a
//! constructor's call of `super()`, or the very call of a hook when the stack is full.
//! What was lost shows at a later event; this says what is lost.
//!
//! A program can call the hooks itself, and begin what never ends. Such methods have no frames,
//! so they pile up at one place of the stack. Each time that the shadow is about to take more
//! memory this shows, and somebody has to look whether so many methods run at all
//! ([`Shadow::piles_up`]): so there are never many more than the stack has frames, however deep
//! that is, and a stack that is just deep costs nothing.

/// A method that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// What its end will name.
    pub key: usize,
    /// The id under which the agent knows it.
    pub method: usize,
    /// The stack pointer in its entry hook, or [`ENDS_UNSEEN`]. Stacks grow down.
    pub stack: usize,
}

/// In place of the stack pointer of a method whose end no code may see, at any time: each method
/// that begins while it is on top is doubted.
pub const ENDS_UNSEEN: usize = 0;
/// Below all stack pointers.
const SUSPECTED: usize = 1;

/// The running methods, caller first.
#[derive(Debug, Default)]
pub struct Shadow {
    running: Vec<Running>,
}

impl Shadow {
    /// Nothing runs.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            running: Vec::new(),
        }
    }

    /// A method has begun.
    #[inline]
    pub fn enter(&mut self, method: Running) {
        self.running.push(method);
    }

    /// Whether the next method takes more memory, of which there is much by now, and the last
    /// ones have all begun at the same place of the stack: as methods do that are compiled
    /// into their caller, but not as many of them.
    #[inline]
    #[must_use]
    pub fn piles_up(&self) -> bool {
        const MUCH: usize = 1024;
        const SAME: usize = 64;
        let depth = self.running.len();
        depth == self.running.capacity()
            && depth >= MUCH
            && self.running.get(depth - SAME).map(|it| it.stack) == self.top().map(|it| it.stack)
    }

    /// The same without taking memory; false, and nothing done, if it would take some.
    #[inline]
    pub fn enter_at_once(&mut self, method: Running) -> bool {
        let fits = self.running.len() < self.running.capacity();
        if fits {
            self.running.push(method);
        }
        fits
    }

    /// Whether a method that begins with this stack pointer cannot have been called by
    /// the one on top, or perhaps was not: [`Shadow::alive`] must say.
    ///
    /// A caller's frame lies above its callee's. (That alone does not prove it dead: a
    /// frame can shrink when its code is compiled while it runs.)
    #[inline]
    #[must_use]
    pub fn is_doubtful(&self, stack: usize) -> bool {
        self.running
            .last()
            .is_some_and(|running| running.stack < stack)
    }

    /// The method on top may have ended unseen: it is doubted until [`Shadow::trust`].
    pub fn suspect(&mut self) {
        if let Some(top) = self.running.last_mut() {
            top.stack = top.stack.min(SUSPECTED);
        }
    }

    /// Ends the method on top, if it is this one; its id.
    #[inline]
    pub fn end(&mut self, key: usize) -> Option<usize> {
        let ended = self.running.pop_if(|top| top.key == key)?;
        Some(ended.method)
    }

    /// A method ends: how many above it have ended unseen, `None` if it never began.
    #[inline]
    pub fn lost_above(&self, key: usize) -> Option<usize> {
        let mut above = self.running.iter().rev();
        above.position(|running| running.key == key)
    }

    /// Takes the method on top away.
    #[inline]
    pub fn pop(&mut self) -> Option<Running> {
        self.running.pop()
    }

    /// The method on top.
    #[must_use]
    pub fn top(&self) -> Option<Running> {
        self.running.last().copied()
    }

    /// How many are running.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.running.len()
    }

    /// How many of them, from the outermost on, are still running, if these are the
    /// thread's frames, caller first, without the one that begins now. Frames that
    /// have no entry here are older than the first event, or were left out.
    pub fn alive(&self, mut frames: impl Iterator<Item = usize>) -> usize {
        self.running
            .iter()
            .take_while(|running| frames.any(|frame| frame == running.method))
            .count()
    }

    /// Whether this method is on top and nowhere below: if it calls the one that begins, then
    /// that is its frame, and all below are alive.
    #[must_use]
    pub fn is_once_on_top(&self, method: usize) -> bool {
        let mut all = self.running.iter().rev();
        all.next().is_some_and(|top| top.method == method) && all.all(|it| it.method != method)
    }

    /// The one on top is alive and well at this stack pointer: not doubted again, unless it ends
    /// unseen.
    pub fn trust(&mut self, stack: usize) {
        for running in self.running.iter_mut().rev() {
            if running.stack >= stack {
                break;
            }
            if running.stack != ENDS_UNSEEN {
                running.stack = stack;
            }
        }
    }

    /// The stack was moved elsewhere, as a virtual thread's is when another carrier runs it: nothing
    /// follows any more from where its methods began.
    pub fn is_moved(&mut self) {
        /// Above all stack pointers.
        const ANYWHERE: usize = usize::MAX;
        // Those below one that was moved before were moved, too.
        let fresh = self.running.iter_mut().rev();
        for running in fresh.take_while(|running| running.stack != ANYWHERE) {
            if running.stack > SUSPECTED {
                running.stack = ANYWHERE;
            }
        }
    }

    /// Forgets all: the agent has not been listening.
    pub fn clear(&mut self) {
        self.running.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shadow(methods: &[(usize, usize)]) -> Shadow {
        let mut shadow = Shadow::new();
        for &(method, stack) in methods {
            shadow.enter(Running {
                key: method,
                method,
                stack,
            });
        }
        shadow
    }

    #[test]
    fn ends_match_beginnings() {
        let mut shadow = shadow(&[(1, 90), (2, 80), (1, 70)]);
        assert_eq!(shadow.lost_above(1), Some(0));
        assert_eq!(shadow.end(2), None);
        assert_eq!(shadow.end(1), Some(1));
        assert_eq!(shadow.lost_above(1), Some(1));
        assert_eq!(shadow.lost_above(3), None);
        assert_eq!(shadow.depth(), 2);
    }

    #[test]
    fn at_once_is_only_where_there_is_room() {
        let method = Running {
            key: 1,
            method: 1,
            stack: 90,
        };
        let mut shadow = Shadow::new();
        assert!(!shadow.enter_at_once(method));
        assert_eq!(shadow.depth(), 0);
        // This one makes room for more.
        shadow.enter(method);
        let room = shadow.running.capacity();
        while shadow.enter_at_once(method) {}
        assert_eq!((shadow.depth(), shadow.running.capacity()), (room, room));
        assert!(room > 1);
    }

    #[test]
    fn a_frame_below_its_callees_is_doubted_until_it_is_lifted() {
        let mut shadow = shadow(&[(1, 90), (2, 60)]);
        assert!(!shadow.is_doubtful(50));
        assert!(!shadow.is_doubtful(60));
        assert!(shadow.is_doubtful(70));
        shadow.trust(70);
        assert!(!shadow.is_doubtful(70));
        assert_eq!(shadow.alive([1, 2].into_iter()), 2);
    }

    #[test]
    fn what_was_moved_is_not_doubted_unless_it_was_before() {
        let mut shadow = shadow(&[(1, 90), (2, ENDS_UNSEEN), (3, 60)]);
        shadow.is_moved();
        assert!(!shadow.is_doubtful(70) && !shadow.is_doubtful(1 << 40));
        shadow.enter(Running {
            key: 4,
            method: 4,
            stack: 1 << 40,
        });
        assert!(shadow.is_doubtful(1 << 41));
        shadow.is_moved();
        assert!(!shadow.is_doubtful(1 << 41));
        shadow.pop();
        shadow.pop();
        assert!(shadow.is_doubtful(70));
        shadow.pop();
        assert!(!shadow.is_doubtful(100));
    }

    #[test]
    fn what_was_doubted_before_it_was_moved_still_is() {
        let mut shadow = shadow(&[(1, 90), (2, 60)]);
        shadow.suspect();
        shadow.is_moved();
        assert!(shadow.is_doubtful(50));
    }

    #[test]
    fn what_ends_unseen_is_doubted_each_time() {
        let mut shadow = shadow(&[(1, 90), (2, ENDS_UNSEEN)]);
        assert!(shadow.is_doubtful(50));
        shadow.suspect();
        shadow.trust(50);
        assert!(shadow.is_doubtful(50));
        // Nor does it shield those below it.
        shadow.trust(95);
        shadow.pop();
        assert!(!shadow.is_doubtful(95));
    }

    #[test]
    fn only_what_is_there_once_is_known_by_its_name() {
        let mut shadow = shadow(&[(1, 90), (2, 80), (1, 70)]);
        assert!(!shadow.is_once_on_top(1));
        assert!(!shadow.is_once_on_top(2));
        shadow.pop();
        assert!(shadow.is_once_on_top(2));
        shadow.clear();
        assert!(!shadow.is_once_on_top(2));
    }

    #[test]
    fn what_has_no_frames_shows_each_time_that_it_has_doubled() {
        let shown = |inlined: usize| {
            let mut shadow = Shadow::new();
            let mut shown = Vec::new();
            for number in 0..100_000 {
                if shadow.piles_up() {
                    shown.push(shadow.depth());
                }
                shadow.enter(Running {
                    key: number,
                    method: number,
                    stack: 10_000_000 - number / inlined * 32,
                });
            }
            shown
        };
        assert_eq!(shown(1), []);
        assert_eq!(shown(20), []);
        let doubled = [1024, 2048, 4096, 8192, 16384, 32768, 65536];
        assert_eq!(shown(1_000_000), doubled);
    }

    #[test]
    fn what_has_no_frames_shows_on_a_deep_stack_too() {
        let deep = |number: usize| (number, 10_000_000 - number.min(1500) * 32);
        let mut shadow = shadow(&(0..2048).map(deep).collect::<Vec<_>>());
        shadow.running.shrink_to_fit();
        assert!(shadow.piles_up());
    }

    #[test]
    fn the_dead_are_on_top() {
        let mut shadow = shadow(&[(1, 90), (2, 80), (3, 70), (2, 60)]);
        shadow.suspect();
        assert!(shadow.is_doubtful(10));
        // 9 is older than the first event, or was left out.
        assert_eq!(shadow.alive([9, 1, 9, 2, 9].into_iter()), 2);
        shadow.trust(10);
        assert!(!shadow.is_doubtful(10));
        assert_eq!(shadow.alive([1, 2, 3, 2].into_iter()), 4);
        assert_eq!(shadow.alive([2, 3].into_iter()), 0);
        shadow.clear();
        assert_eq!((shadow.depth(), shadow.top()), (0, None));
    }
}
