//! A barrier in two halves: one side hardly pays, the other pays for both.
//!
//! A thread writes a word of its own, passes [`light`] and reads a common one; whoever changes
//! the common one passes [`heavy`] before it reads the words of the threads. One of the two sees
//! what the other has written. Until [`take_over`] the two are full fences; from then on the
//! light half is for the compiler only, and the heavy half has the kernel make every thread of
//! the process pass a full barrier (`membarrier`).
//!
//! # The change between the two kinds
//! First the heavy half pays, then comes a full fence, then the light half is free. So of a light
//! half of the new kind (it acquires the word that frees it, behind that fence) and a heavy one that
//! did not pay (its look is in front of that fence, and so is its own), the light one's reads are
//! behind both fences and see what was changed for all: that thread's own word need not be seen.
//! A light half of the old kind is a full fence, and goes with either heavy one; so the way back, where
//! the kernel refuses, costs those only that are in a light half of the new kind meanwhile.
#![allow(unsafe_code, reason = "a system call")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};

const REGISTER_PRIVATE_EXPEDITED: i32 = 1 << 4;
const PRIVATE_EXPEDITED: i32 = 1 << 3;
const GLOBAL: i32 = 1;

/// Whether the heavy side pays for both.
static PAYS: AtomicBool = AtomicBool::new(false);
/// False once the light side is free; later than [`PAYS`].
static SYMMETRIC: AtomicBool = AtomicBool::new(true);
/// Who has to know that the light side pays again.
static WHEN_REFUSED: OnceLock<fn()> = OnceLock::new();

fn membarrier(command: i32) -> bool {
    // SAFETY: takes two numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Between what the calling thread has written of its own and what it reads of all.
#[inline]
pub(crate) fn light() {
    // Acquire: what is read behind a light half of the new kind is not older than the change of
    // kinds (above).
    if SYMMETRIC.load(Ordering::Acquire) {
        fence(Ordering::SeqCst);
    } else {
        compiler_fence(Ordering::SeqCst);
    }
}

/// Between what is written here for all and what is read of other threads.
pub(crate) fn heavy() {
    fence(Ordering::SeqCst);
    // No memory for a moment: the older command is slow, some milliseconds, and needs none.
    if PAYS.load(Ordering::SeqCst) && !membarrier(PRIVATE_EXPEDITED) && !membarrier(GLOBAL) {
        // A filter forbids both since, or the kernel, which lets processors go without ticks, has no
        // older one: the light half is a full fence again. Who is in one of the free kind at this
        // moment is missed, once.
        SYMMETRIC.store(true, Ordering::SeqCst);
        if let Some(when_refused) = WHEN_REFUSED.get() {
            when_refused();
        }
    }
}

/// Whether the light half costs nothing.
pub(crate) fn is_taken_over() -> bool {
    !SYMMETRIC.load(Ordering::SeqCst)
}

/// Lets the heavy side pay; false where the kernel is too old or forbids it. Takes some 13 ms
/// in a process with threads (measured). `when_refused` is called where the kernel does so later, by
/// [`heavy`] on its thread: whoever keeps [`is_taken_over`] in mind forgets it there.
pub(crate) fn take_over(when_refused: fn()) -> bool {
    let registered = membarrier(REGISTER_PRIVATE_EXPEDITED) && membarrier(PRIVATE_EXPEDITED);
    if registered {
        let _ = WHEN_REFUSED.set(when_refused);
        PAYS.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        SYMMETRIC.store(false, Ordering::SeqCst);
        // From here on nobody has a light half of the old kind under way.
        if !membarrier(PRIVATE_EXPEDITED) {
            SYMMETRIC.store(true, Ordering::SeqCst);
        }
    }
    is_taken_over()
}

#[cfg(test)]
pub(crate) mod tests {
    /// From now on the kernel refuses the calling thread `membarrier`; false where it knows no filters (under qemu-user).
    pub(crate) fn refuse() -> bool {
        fn line(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
            libc::sock_filter {
                code: u16::try_from(code).unwrap(),
                jt,
                jf,
                k,
            }
        }
        let number = u32::try_from(libc::SYS_membarrier).unwrap();
        let mut lines = [
            // The number of the call stands first.
            line(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            line(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number),
            line(
                libc::BPF_RET,
                0,
                0,
                libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned(),
            ),
            line(libc::BPF_RET, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog {
            len: 4,
            filter: lines.as_mut_ptr(),
        };
        // SAFETY: this command takes five numbers and no address.
        let done = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        assert_eq!(done, 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        // SAFETY: a program that lives as long as the call.
        let set = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) };
        set == 0
    }
}
