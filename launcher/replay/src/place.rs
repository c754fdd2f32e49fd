//! Where the calling thread is: whose part it plays, and what it is in the middle of.

use std::cell::RefCell;

/// Where a thread is: records of its list that belong to what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) next: usize,
    pub(crate) end: usize,
    /// The process ended before what it does did.
    pub(crate) unended: bool,
    /// Behind the last record that was an answer.
    pub(crate) behind: usize,
    /// Questions since it last came on that were asked only behind a wait it has not reached.
    pub(crate) strays: u32,
}

impl Frame {
    pub(crate) const fn new(next: usize, end: usize, unended: bool) -> Self {
        Self {
            next,
            end,
            unended,
            behind: next,
            strays: 0,
        }
    }
}

#[derive(Debug, Default)]
struct Place {
    thread: Option<usize>,
    asked: bool,
    frames: Vec<Frame>,
}

thread_local! {
    static PLACE: RefCell<Place> = RefCell::default();
}

/// The thread of the recording whose part the calling thread plays.
pub(crate) fn part() -> Option<usize> {
    PLACE.with_borrow(|place| place.thread)
}

/// It plays this one's part.
pub(crate) fn set_part(thread: usize) {
    PLACE.with_borrow_mut(|place| {
        place.thread = Some(thread);
        place.asked = true;
    });
}

/// Whether it is known already whether it plays one; from now on it is.
pub(crate) fn was_asked() -> bool {
    PLACE.with_borrow_mut(|place| std::mem::replace(&mut place.asked, true))
}

/// The calling thread begins something.
pub(crate) fn push(frame: Frame) {
    PLACE.with_borrow_mut(|place| place.frames.push(frame));
}

/// It has ended it.
pub(crate) fn pop() -> Option<Frame> {
    PLACE.with_borrow_mut(|place| place.frames.pop())
}

/// The innermost.
pub(crate) fn top() -> Option<Frame> {
    PLACE.with_borrow(|place| place.frames.last().copied())
}

/// Changes the innermost.
pub(crate) fn change_top(change: impl FnOnce(&mut Frame)) {
    PLACE.with_borrow_mut(|place| place.frames.last_mut().map(change));
}
