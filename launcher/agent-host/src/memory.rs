//! Whether what an agent points to can be read: the shim answers where it cannot, so a
//! replay does, too.
#![allow(unsafe_code, reason = "process_vm_readv")]

/// Whether `count` values at `from` look right and can be read, at their two ends.
pub(crate) fn readable<T>(from: *const T, count: usize) -> bool {
    let len = count.saturating_mul(size_of::<T>());
    let first = from.addr();
    let last = first.saturating_add(len.saturating_sub(1));
    #[cfg(target_pointer_width = "64")]
    let possible = (1 << 16)..(1 << 47);
    #[cfg(target_pointer_width = "32")]
    let possible = (1 << 16)..usize::MAX;
    from.is_aligned()
        && possible.contains(&first)
        && possible.contains(&last)
        && is_mapped(first)
        && is_mapped(last)
}

fn is_mapped(address: usize) -> bool {
    let mut byte = 0u8;
    let local = libc::iovec {
        iov_base: (&raw mut byte).cast(),
        iov_len: 1,
    };
    let remote = libc::iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(address),
        iov_len: 1,
    };
    let us = i32::try_from(std::process::id()).unwrap_or(0);
    // SAFETY: `local` is our byte; the kernel checks `remote`.
    let copied =
        unsafe { libc::process_vm_readv(us, &raw const local, 1, &raw const remote, 1, 0) };
    // In a sandbox nobody can check it; the agent's promise must do.
    let refused = || {
        let error = std::io::Error::last_os_error().raw_os_error();
        matches!(error, Some(libc::ENOSYS | libc::EPERM))
    };
    copied == 1 || refused()
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::readable;

    #[test]
    fn nonsense_is_not_readable() {
        let words = [1u64, 2];
        assert!(readable(words.as_ptr(), 2));
        assert!(!readable(words.as_ptr().wrapping_byte_add(1), 1));
        assert!(!readable(words.as_ptr(), usize::MAX));
        for address in [0, 0x1238, 0x7fff_fff0, usize::MAX - 7] {
            assert!(!readable::<u64>(ptr::without_provenance(address), 1));
        }
    }
}
