//! Where a signal has interrupted a thread, when AsyncGetCallTrace cannot begin there.
//!
//! It gives up in routines of the VM's that compiled code calls without leaving Java
//! (array copies, mathematics, barriers), and before a method has its frame or after it has
//! given it back: on h2 that is every fourth sample. JFR leaves such samples out and so
//! does not see what copying costs. The caller is what the agent would see at a safepoint,
//! had it stopped there; so it is found here, and the walk begins with it.
//!
//! # A word that only looks like a call
//! What is given to the VM is a guess: in a routine that has made room on its stack and not
//! filled it yet, the words there are of earlier calls. Three things bound it. Only a word that
//! stands behind a call instruction whose target is within 64 KB of the interrupted place is
//! taken, so the frame is one that has called this routine or its neighbour. The caller's
//! stack pointer is one or two words above the interrupted one, or two above a frame pointer
//! that lies at most 4 KB above it, so it points into the thread's own stack, which is in use
//! there. And the VM believes a context no more than we do: a signal finds threads in the middle
//! of the building of frames, with any number in the frame pointer, so AsyncGetCallTrace looks
//! whether each frame lies in the stack, in known code and behind the one before, and gives up
//! otherwise. What can go wrong is a frame too many or too few in one sample. Measured on JDK 11,
//! 17, 21 and 25, a busy program with two threads and the places of 1.2 million signals: 28,000
//! guesses by the rule above but at any of 2048 words of the stack and with any word of it as
//! frame pointer, 375,000 with calls of anything, 4.4 million with any word as place: no crash.
//!
//! # Safety
//! Called in a signal handler with what the kernel handed to it. Nothing is read from the
//! interrupted stack or from code but by the kernel, which checks addresses.
#![allow(unsafe_code, reason = "a signal's context")]

use std::ffi::c_void;

use crate::os::memory;
use crate::os::processor::{self, CONTEXT_BEHIND, LONGEST_CALL, Registers, called};

/// The place of the program that a signal has interrupted: not the entry of another signal's
/// handler, which is where the second of two signals finds a thread that gets both at once.
///
/// # Safety
/// `context` is the third argument of the calling thread's handler.
pub(super) unsafe fn in_the_program(context: *mut c_void) -> *mut c_void {
    let Some(behind) = CONTEXT_BEHIND else {
        return context;
    };
    let mut context = context;
    // Where the handler returns to: the same for all handlers.
    let Some([back]) = read::<1>(context.addr().wrapping_sub(behind)) else {
        return context;
    };
    // More than two at once nobody has seen.
    for _ in 0..4 {
        // SAFETY: the caller's, or the one that the kernel has put behind `back`.
        let sp = unsafe { processor::registers(context) }.sp;
        if read::<1>(sp) != Some([back]) {
            break;
        }
        context = std::ptr::with_exposed_provenance_mut(sp.wrapping_add(behind));
    }
    context
}

/// Tries `walk` with the context changed to that of the caller, until it says that it could
/// walk. The context is as before when this returns.
///
/// # Safety
/// As of [`in_the_program`].
pub(super) unsafe fn from_the_caller(context: *mut c_void, mut walk: impl FnMut() -> bool) {
    // SAFETY: the caller's promise.
    let here = unsafe { processor::registers(context) };
    for there in callers(here).into_iter().flatten() {
        // SAFETY: as above.
        unsafe { processor::set_registers(context, there) };
        if walk() {
            break;
        }
    }
    // SAFETY: as above.
    unsafe { processor::set_registers(context, here) };
}

/// The caller's registers as they are if there is no frame, if only the frame pointer has
/// been pushed, and if there is a frame; only where there is a call of this code.
fn callers(here: Registers) -> [Option<Registers>; 3] {
    let Registers { pc, sp, fp, link } = here;
    let [first, second] = read(sp).unwrap_or_default();
    let no_frame = match link {
        Some(pc) => Registers { pc, ..here },
        None => Registers {
            pc: first,
            sp: sp.wrapping_add(WORD),
            ..here
        },
    };
    let half_a_frame = Registers {
        pc: second,
        sp: sp.wrapping_add(2 * WORD),
        fp: first,
        link,
    };
    let frame = (sp..sp.saturating_add(LARGEST)).contains(&fp).then(|| {
        let [older, back] = read(fp).unwrap_or_default();
        Registers {
            pc: back,
            sp: fp.wrapping_add(2 * WORD),
            fp: older,
            link,
        }
    });
    [Some(no_frame), Some(half_a_frame), frame]
        .map(|found| found.filter(|found| has_called(found.pc, pc)))
}

const WORD: usize = size_of::<usize>();
/// Routines of the VM's keep little on the stack.
const LARGEST: usize = 1 << 12;
/// All routines of a kind lie together.
const NEAR: usize = 1 << 16;

/// Whether the instruction before this address calls the code at `pc`.
fn has_called(back: usize, pc: usize) -> bool {
    let mut code = [0; LONGEST_CALL];
    let is_read = back
        .checked_sub(LONGEST_CALL)
        .is_some_and(|from| copy(from, &mut code));
    is_read && called(&code, back).is_some_and(|target| target.abs_diff(pc) < NEAR)
}

fn read<const COUNT: usize>(address: usize) -> Option<[usize; COUNT]> {
    let mut words = [0; COUNT];
    // SAFETY: bytes of an array of numbers.
    let bytes = unsafe {
        std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), size_of_val(&words))
    };
    copy(address, bytes).then_some(words)
}

fn copy(from: usize, to: &mut [u8]) -> bool {
    memory::copy_checked(std::ptr::with_exposed_provenance(from), to)
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "x86")))]
mod tests {
    use super::*;

    /// Stale words are taken for a caller only within bounds: behind a call of what is near,
    /// and by a frame pointer that is near.
    #[test]
    fn what_looks_like_a_caller() {
        let mut code = [0x90_u8; 64];
        // call, 16 bytes forward.
        code[20..25].copy_from_slice(&[0xe8, 16, 0, 0, 0]);
        let back = code.as_ptr().addr() + 25;
        let target = back + 16;
        let mut stack = vec![0_usize; 2 * LARGEST / size_of::<usize>()];
        let at = |stack: &[usize], word: usize| stack.as_ptr().addr() + WORD * word;
        let found = |stack: &[usize], pc, fp_word: usize| {
            callers(Registers {
                pc,
                sp: at(stack, 0),
                fp: at(stack, fp_word),
                link: None,
            })
        };
        // Nothing there, or a place that no call stands before.
        assert_eq!(found(&stack, target, 4), [None; 3]);
        stack[0] = back + 1;
        assert_eq!(found(&stack, target, 4), [None; 3]);
        stack[0] = back;
        let [no_frame, half, frame] = found(&stack, target, 4);
        assert_eq!(
            no_frame.map(|it| (it.pc, it.sp)),
            Some((back, at(&stack, 1)))
        );
        assert_eq!((half, frame), (None, None));
        // Where a register has it, the stack is as it was at the call.
        let [by_link, ..] = callers(Registers {
            pc: target,
            sp: at(&stack, 0),
            fp: 0,
            link: Some(back),
        });
        assert_eq!(
            by_link.map(|it| (it.pc, it.sp)),
            Some((back, at(&stack, 0)))
        );
        // A call of something else.
        assert_eq!(found(&stack, target + NEAR, 4), [None; 3]);
        assert_eq!(found(&stack, target.wrapping_sub(NEAR), 4), [None; 3]);
        // A frame, up to so large.
        stack[0] = 0;
        let last = LARGEST / size_of::<usize>();
        for word in [4, last - 1, last] {
            stack[word + 1] = back;
            let [.., frame] = found(&stack, target, word);
            let right = (word < last).then(|| (back, at(&stack, word + 2)));
            assert_eq!(frame.map(|it| (it.pc, it.sp)), right);
        }
    }

    #[test]
    fn calls_are_recognised() {
        let mut code = [0x90; LONGEST_CALL];
        code[LONGEST_CALL - 5..].copy_from_slice(&[0xe8, 0xf0, 0xff, 0xff, 0xff]);
        assert_eq!(called(&code, 0x7000), Some(0x6ff0));
        assert_eq!(called(&[0x90; LONGEST_CALL], 0x7000), None);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(
            called(
                &[
                    0x49, 0xba, 0x80, 0x11, 0, 0, 0, 0x7f, 0, 0, 0x41, 0xff, 0xd2,
                ],
                0x7000
            ),
            Some(0x7f00_0000_1180)
        );
    }

    #[test]
    fn what_is_not_there_is_not_read() {
        let words = [1_usize, 2];
        assert_eq!(read(words.as_ptr().addr()), Some(words));
        assert!(!copy(8, &mut [0]));
    }
}
