//! Small functions in front of the native methods of the program: they call us when
//! such a method begins and when it ends.
//!
//! There is one for each number: its code knows no more than that, and finds everything else in
//! [`THUNKS`].
//!
//! # Seen by whoever comes
//! A thread that calls a thunk has its address from the VM, which reads and writes that as it likes.
//! So what is behind it is written in front of a fence, and the VM gets the address behind that; who
//! comes passes a fence before it looks. On x86 neither is an instruction.
//!
//! # Used again
//! When a method's class is gone, so is every way into its thunk: the VM calls it from a Java
//! frame of the method and from nowhere else, and takes its address from the method; that
//! frame lies on the thread's stack from before the jump to the thunk until after its return,
//! and a class with a frame on a stack is not unloaded. An agent beside us that was shown the
//! address (NativeMethodBind) stands between the two, in the same frame. So no thread is in the
//! thunk or about to enter it. A method that is bound to another function while its class
//! lives proves nothing of the kind: its old thunk stays until the class goes.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

use parking_lot::Mutex;
use slab::Slab;

use crate::os::processor::STUB;

/// How many native methods can be seen at a time. A JDK binds some hundred in a run.
pub(crate) const ROOM: usize = 8192;

/// What is behind one thunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thunk {
    pub(crate) address: usize,
    /// Arguments that are passed on the stack, in words.
    pub(crate) stack_words: usize,
    /// Of the method.
    pub(crate) number: i32,
    /// The agent may hear of it.
    pub(crate) is_taken: bool,
    /// Its second argument is `this`, not the class.
    pub(crate) has_receiver: bool,
    pub(crate) is_synchronized: bool,
}

/// A [`Thunk`] where any thread can read it without a lock.
struct Place {
    /// 0 while nothing is behind it.
    address: AtomicUsize,
    /// The number in the high half, `stack_words` and three flags in the low one.
    rest: AtomicU64,
}

const TAKEN: u64 = 1;
const RECEIVER: u64 = 2;
const SYNCHRONIZED: u64 = 4;
const WORDS_SHIFT: u32 = 3;
const WORDS_MASK: u16 = 0x1ff;
const MOST_WORDS: u16 = 257;
const NUMBER_SHIFT: u32 = 32;

impl Place {
    const fn new() -> Self {
        Self {
            address: AtomicUsize::new(0),
            rest: AtomicU64::new(0),
        }
    }

    /// False if the thunk has too many arguments.
    fn put(&self, thunk: Thunk) -> bool {
        // A method has 255 words of arguments at most, and two that JNI adds.
        let Some(words) = u16::try_from(thunk.stack_words)
            .ok()
            .filter(|&words| words <= MOST_WORDS)
        else {
            return false;
        };
        let flag = |on: bool, flag: u64| if on { flag } else { 0 };
        let rest = u64::from(thunk.number.cast_unsigned()) << NUMBER_SHIFT
            | u64::from(words) << WORDS_SHIFT
            | flag(thunk.is_taken, TAKEN)
            | flag(thunk.has_receiver, RECEIVER)
            | flag(thunk.is_synchronized, SYNCHRONIZED);
        // Relaxed: in front of the address, and read behind it.
        self.rest.store(rest, Ordering::Relaxed);
        self.address.store(thunk.address, Ordering::Release);
        // For the VM's own write of the thunk's address.
        fence(Ordering::Release);
        true
    }

    fn get(&self) -> Option<Thunk> {
        let address = self.address.load(Ordering::Acquire);
        let rest = self.rest.load(Ordering::Relaxed);
        #[allow(clippy::cast_possible_truncation, reason = "parts of a word")]
        let (number, words) = (
            (rest >> NUMBER_SHIFT) as u32,
            (rest >> WORDS_SHIFT) as u16 & WORDS_MASK,
        );
        (address != 0).then_some(Thunk {
            address,
            stack_words: usize::from(words),
            number: number.cast_signed(),
            is_taken: rest & TAKEN != 0,
            has_receiver: rest & RECEIVER != 0,
            is_synchronized: rest & SYNCHRONIZED != 0,
        })
    }
}

static THUNKS: [Place; ROOM] = [const { Place::new() }; ROOM];

/// Which of them are in use. What is behind them lies beside it: threads that call native
/// methods read that without a lock.
static USED: Mutex<Slab<()>> = Mutex::new(Slab::new());

/// What is behind the thunk of this number.
#[inline]
pub(crate) fn get(index: usize) -> Option<Thunk> {
    // For the VM's own read of the thunk's address.
    fence(Ordering::Acquire);
    THUNKS.get(index)?.get()
}

/// The code of a thunk; `None` when there is none left.
pub(crate) fn make(thunk: Thunk) -> Option<*mut c_void> {
    if table() == 0 {
        return None;
    }
    let mut used = USED.lock();
    let free = used.vacant_entry();
    let index = free.key();
    if !THUNKS.get(index)?.put(thunk) {
        return None;
    }
    free.insert(());
    Some(std::ptr::with_exposed_provenance_mut(
        table() + index * STUB,
    ))
}

/// The class of the thunk's method is gone: it may be used for another.
pub(crate) fn give_back(thunk: usize) {
    let index = thunk.wrapping_sub(table()) / STUB;
    if let Some(place) = THUNKS.get(index)
        && place.address.swap(0, Ordering::AcqRel) != 0
    {
        USED.lock().try_remove(index);
    }
}

/// How many are in use.
pub(crate) fn count() -> usize {
    USED.lock().len()
}

/// Whether this is the address of a thunk.
pub(crate) fn is_thunk(address: usize) -> bool {
    let table = table();
    table != 0 && (table..table + ROOM * STUB).contains(&address)
}

/// Where the first one's code is.
static TABLE: AtomicUsize = AtomicUsize::new(0);

/// The code of [`ROOM`] thunks of [`STUB`] bytes, 0 where there is none: put in at load.
pub(crate) fn set_code(table: usize) {
    TABLE.store(table, Ordering::Release);
}

fn table() -> usize {
    TABLE.load(Ordering::Acquire)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thunk(number: i32) -> Thunk {
        Thunk {
            address: 0x1234,
            stack_words: 257,
            number,
            is_taken: number % 2 == 0,
            has_receiver: number % 3 == 0,
            is_synchronized: number % 5 == 0,
        }
    }

    #[test]
    fn thunks_that_were_given_back_are_used_again() {
        set_code(STUB);
        // Three times as many as there are, a thousand at a time.
        for _ in 0..3 * ROOM / 1000 {
            let made: Vec<_> = (-500..500)
                .map(|number| (number, make(thunk(number))))
                .collect();
            for (number, code) in made {
                let code = code.expect("there is room").addr();
                assert!((table()..table() + 1000 * STUB).contains(&code));
                let place = &THUNKS[(code - table()) / STUB];
                assert_eq!(place.get(), Some(thunk(number)));
                give_back(code);
                assert_eq!(place.get(), None);
                // Of no effect.
                give_back(code);
            }
        }
        assert_eq!(count(), 0);
        let endless = Thunk {
            stack_words: 258,
            ..thunk(1)
        };
        assert_eq!(make(endless), None);
    }
}
