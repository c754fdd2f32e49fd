//! The guards of the calling thread's stack: pages that nobody may touch, by which the VM knows that it is full.
//!
//! The dynamic linker makes whole stacks executable, guards included, when it loads a library that wants that (glibc
//! up to 2.40).
#![allow(unsafe_code, reason = "mprotect")]

use std::fs;
use std::ops::Range;

use crate::os::stack_room;

/// Does this, and puts the guards of the calling thread's stack back. Not for a thread whose guards others change
/// meanwhile; the VM itself does so only for a thread that runs Java code.
pub(crate) fn restored_after<T>(meanwhile: impl FnOnce() -> T) -> T {
    let guards = guards();
    let result = meanwhile();
    for guard in guards {
        let start = std::ptr::with_exposed_provenance_mut(guard.start);
        // SAFETY: pages of this thread's stack that could not be touched before.
        unsafe { libc::mprotect(start, guard.len(), libc::PROT_NONE) };
    }
    result
}

/// What of it cannot be touched; nothing if the system does not say.
fn guards() -> Vec<Range<usize>> {
    let Some(stack) = stack_room::own_stack() else {
        return Vec::new();
    };
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let guards = maps.lines().filter_map(untouchable);
    let within = guards.map(|guard| guard.start.max(stack.start)..guard.end.min(stack.end));
    within.filter(|guard| !guard.is_empty()).collect()
}

/// The addresses of a mapping that nobody may touch.
fn untouchable(line: &str) -> Option<Range<usize>> {
    let (addresses, rest) = line.split_once(' ')?;
    let (start, end) = addresses.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let guard = address(start)?..address(end)?;
    rest.starts_with("---").then_some(guard)
}

#[cfg(test)]
mod tests {
    use super::{guards, restored_after, stack_room, untouchable};

    #[test]
    fn lines_of_the_kernel() {
        let guard = "7f00-7f10 ---p 00000000 00:00 0";
        assert_eq!(untouchable(guard), Some(0x7f00..0x7f10));
        assert_eq!(untouchable("7f00-7f10 rw-p 00000000 00:00 0"), None);
        assert_eq!(untouchable(""), None);
    }

    #[test]
    fn a_guard_comes_back() {
        let thread = std::thread::spawn(|| {
            let page = stack_room::page_size();
            let lowest = stack_room::own_stack().unwrap().start + page;
            let protect = |how| {
                let start = std::ptr::with_exposed_provenance_mut(lowest);
                // SAFETY: pages of this thread's stack, far from what it uses.
                assert_eq!(unsafe { libc::mprotect(start, page, how) }, 0);
            };
            protect(libc::PROT_NONE);
            let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
            restored_after(|| protect(all));
            assert!(guards().contains(&(lowest..lowest + page)));
            protect(libc::PROT_READ | libc::PROT_WRITE);
        });
        thread.join().unwrap();
    }
}
