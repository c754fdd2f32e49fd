//! A barrier for all threads of the process at once, paid by one.
#![allow(unsafe_code, reason = "a system call")]

const REGISTER_PRIVATE_EXPEDITED: i32 = 1 << 4;
const PRIVATE_EXPEDITED: i32 = 1 << 3;

fn call(command: i32) -> bool {
    // SAFETY: takes two numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Asks the kernel for it; false where it is too old or forbids it. Takes some 13 ms
/// in a process with threads (measured).
pub(crate) fn register() -> bool {
    call(REGISTER_PRIVATE_EXPEDITED) && call(PRIVATE_EXPEDITED)
}

/// Every thread of the process has passed a full barrier when this returns.
pub(crate) fn issue() {
    call(PRIVATE_EXPEDITED);
}
