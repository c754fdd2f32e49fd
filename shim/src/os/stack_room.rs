//! How much is left of the calling thread's stack.
#![allow(unsafe_code, reason = "pthread_getattr_np")]

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;

use crate::os::tasks;

/// Whether less than this many bytes are left. Not of the process's first thread: its stack grows, and glibc reads the
/// kernel's list of mappings to say how far.
pub(crate) fn is_less_than(least: usize) -> bool {
    if tasks::own() == std::process::id() {
        return false;
    }
    let here = MaybeUninit::<u8>::uninit();
    let here = ptr::from_ref(&here).addr();
    own_stack().is_some_and(|stack| {
        let left = here.checked_sub(stack.start);
        left.is_some_and(|left| left < least)
    })
}

/// Bytes of a page of the kernel's: 16 or 64 KiB on some AArch64.
pub(crate) fn page_size() -> usize {
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(page).unwrap_or(0).max(4096)
}

/// The calling thread's stack, as far as it can be used, from a whole page on.
pub(crate) fn own_stack() -> Option<Range<usize>> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: always sound.
    let this = unsafe { libc::pthread_self() };
    // SAFETY: it fills in what is there for that.
    if unsafe { libc::pthread_getattr_np(this, attributes.as_mut_ptr()) } != 0 {
        return None;
    }
    let (mut lowest, mut size) = (ptr::null_mut(), 0);
    // SAFETY: filled in above.
    let code =
        unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut size) };
    // SAFETY: filled in above, and given back once.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    if code != 0 {
        return None;
    }
    let end = lowest.addr().checked_add(size)?;
    Some(lowest.addr().checked_next_multiple_of(page_size())?..end)
}

#[cfg(test)]
mod tests {
    use super::is_less_than;
    use std::thread;

    #[test]
    fn what_is_left_is_known() {
        // Not less than PTHREAD_STACK_MIN: 128 KiB on AArch64.
        let thread = thread::Builder::new().stack_size(256 * 1024);
        let is_less = || [0, 64, 128, 320].map(|kilobytes| is_less_than(kilobytes * 1024));
        let is_less = thread.spawn(is_less).unwrap().join().unwrap();
        assert_eq!(is_less, [false, false, false, true]);
    }
}
