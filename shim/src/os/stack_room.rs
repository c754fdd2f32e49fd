//! How much is left of the calling thread's stack.
#![allow(unsafe_code, reason = "pthread_getattr_np")]

use std::mem::MaybeUninit;
use std::ptr;

/// Below so much no VM runs any Java code: it keeps 20 pages free below each call, no flag makes that fewer, and has three
/// that it guards (of 4 KiB; larger ones are as many or more bytes).
const LEAST: usize = (20 + 3) * 4096;

/// Whether the VM can run no Java code on this thread.
pub(crate) fn is_too_small() -> bool {
    let here = MaybeUninit::<u8>::uninit();
    let here = ptr::from_ref(&here).addr();
    lowest().is_some_and(|lowest| here.checked_sub(lowest).is_some_and(|left| left < LEAST))
}

/// The lowest address of its stack, with what guards it.
fn lowest() -> Option<usize> {
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
    (code == 0).then(|| lowest.addr())
}

#[cfg(test)]
mod tests {
    use super::is_too_small;
    use std::thread;

    #[test]
    fn short_stacks_are_known() {
        let on = |kilobytes: usize| {
            let thread = thread::Builder::new().stack_size(kilobytes * 1024);
            thread.spawn(is_too_small).unwrap().join().unwrap()
        };
        assert!(on(64) && !on(256));
        assert!(!is_too_small());
    }
}
