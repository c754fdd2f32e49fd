//! Reading and writing memory that an agent points to, when it may be nonsense.
//!
//! The kernel copies (`process_vm_readv` on ourselves) and reports a bad address
//! instead of a signal. A copy costs some 300 ns, so this is for calls that are
//! rare; hot ones ask [`readable`] or [`writable`], which remember pages.
//!
//! # Safety
//! The kernel checks the foreign side; our side of each copy is a Rust buffer of
//! the length given.
#![allow(unsafe_code, reason = "process_vm_readv, process_vm_writev and futex")]

use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::LocalKey;

use crate::os::processor::USER_END;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Set when the kernel refuses the call itself (a sandbox): then it is asked by a file, and where that is
/// not there either pointers that look right are believed.
static FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Whether a pointer could be one at all: not null, not in the first 64 KiB, in
/// the user half, aligned.
pub(crate) fn plausible<T>(pointer: *const T) -> bool {
    let address = pointer.addr();
    (1 << 16..USER_END).contains(&address) && pointer.is_aligned()
}

/// Pages that were found good lately, in rows: the first and the last of each.
type Good = Cell<[(usize, usize); 4]>;

const NONE: (usize, usize) = (1, 0);

thread_local! {
    static READABLE: Good = const { Cell::new([NONE; 4]) };
    static WRITABLE: Good = const { Cell::new([NONE; 4]) };
}

/// Whether `len` bytes at `from` look right and can be read. Pages that this thread
/// has asked about lately cost nothing: hot callers use the same buffers again.
pub(crate) fn readable<T>(from: *const T, len: usize) -> bool {
    let probe = |address| copy_in(std::ptr::with_exposed_provenance(address), &mut [0]);
    plausible(from) && pages_are_good(&READABLE, from.addr(), len, probe)
}

/// Whether `len` bytes at `to` look right and can be written (and read). Nothing changes there.
pub(crate) fn writable<T>(to: *mut T, len: usize) -> bool {
    plausible(to) && pages_are_good(&WRITABLE, to.addr(), len, can_add_nothing)
}

/// Asks `probe` for an address in each page of these bytes, unless that was done lately.
fn pages_are_good(
    good: &'static LocalKey<Good>,
    from: usize,
    len: usize,
    probe: impl Fn(usize) -> bool,
) -> bool {
    let end = from.saturating_add(len.saturating_sub(1));
    let (first, last) = (from / PAGE, end / PAGE);
    let rows = good.get();
    if rows.iter().any(|row| row.0 <= first && last <= row.1) {
        return true;
    }
    let found = (first..=last).all(|page| probe(from.max(page * PAGE)));
    if found {
        let [newest, second, third, _] = rows;
        good.set([(first, last), newest, second, third]);
    }
    found
}

/// Has the kernel add 0 to the word there, in one step, so that nobody's change to it is lost:
/// what it must be able to write for that.
fn can_add_nothing(address: usize) -> bool {
    const ADD: u32 = libc::FUTEX_OP_ADD.cast_unsigned() << 28;
    // Below any number that a lock holds: whoever waits for the word sleeps on.
    const NEVER: u32 = libc::FUTEX_OP_CMP_LT.cast_unsigned() << 24 | 0x800;
    static NOBODY: AtomicU32 = AtomicU32::new(0);
    // SAFETY: nobody waits for our own word, and the kernel checks the other.
    let done = unsafe {
        libc::syscall(
            libc::SYS_futex,
            NOBODY.as_ptr(),
            libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG,
            0,
            0_usize,
            address & !3,
            ADD | NEVER,
        )
    };
    done >= 0
}

fn copy_in(from: *const c_void, to: &mut [u8]) -> bool {
    if copy_checked(from, to) {
        return true;
    }
    if !refused() || !plausible(from.cast::<u8>()) {
        return false;
    }
    by_file(from.addr(), to).unwrap_or_else(|| {
        // SAFETY: nobody can check it here; the agent's promise must do.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.as_mut_ptr(), to.len()) };
        true
    })
}

/// The same where the kernel has no such call or forbids it, some microseconds slower; `None` if it has
/// not this either. (It is opened each time: after a fork it would be the parent's.)
fn by_file(from: usize, to: &mut [u8]) -> Option<bool> {
    let file = File::open("/proc/self/mem").ok()?;
    Some(file.read_exact_at(to, from as u64).is_ok())
}

/// False if the kernel cannot read it, or does not let us. A signal's handler may do this.
pub(crate) fn copy_checked(from: *const c_void, to: &mut [u8]) -> bool {
    let local = libc::iovec {
        iov_base: to.as_mut_ptr().cast(),
        iov_len: to.len(),
    };
    let remote = libc::iovec {
        iov_base: from.cast_mut(),
        iov_len: to.len(),
    };
    let us = i32::try_from(std::process::id()).unwrap_or(0);
    // SAFETY: `local` is the slice; the kernel checks `remote`.
    let copied =
        unsafe { libc::process_vm_readv(us, &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(copied) == Ok(to.len())
}

fn refused() -> bool {
    // Relaxed: whoever does not see it yet asks the kernel once more.
    if !FORBIDDEN.load(Ordering::Relaxed) {
        let error = std::io::Error::last_os_error().raw_os_error();
        if matches!(error, Some(libc::ENOSYS | libc::EPERM)) {
            FORBIDDEN.store(true, Ordering::Relaxed);
        }
    }
    FORBIDDEN.load(Ordering::Relaxed)
}

/// An `int` that an agent points to; `None` if it cannot be read.
pub(crate) fn int_at(address: usize) -> Option<i32> {
    let from: *const i32 = std::ptr::with_exposed_provenance(address);
    let mut bytes = [0; 4];
    (plausible(from) && copy_in(from.cast(), &mut bytes)).then(|| i32::from_ne_bytes(bytes))
}

/// Some bytes; `None` if they cannot be read.
pub(crate) fn bytes_at<const LENGTH: usize>(address: usize) -> Option<[u8; LENGTH]> {
    let from: *const u64 = std::ptr::with_exposed_provenance(address);
    let mut bytes = [0; LENGTH];
    (plausible(from) && copy_in(from.cast(), &mut bytes)).then_some(bytes)
}

/// A C string of at most 4095 bytes, copied; `None` if it cannot be read or does
/// not end.
pub(crate) fn c_string(from: *const std::ffi::c_char) -> Option<CString> {
    if from.is_null() {
        return None;
    }
    let mut text = Vec::new();
    while text.len() < PAGE {
        let at = from.addr() + text.len();
        // Never across a page: the next one may not be there.
        let step = (PAGE - at % PAGE).min(64);
        let mut buffer = [0u8; 64];
        let piece = buffer.get_mut(..step)?;
        if !copy_in(from.wrapping_byte_add(text.len()).cast(), piece) {
            return None;
        }
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(piece.get(..end)?);
            return CString::new(text).ok();
        }
        text.extend_from_slice(piece);
    }
    None
}

/// The longest array that is one: a count beyond is nonsense, whose memory nobody has.
/// Lists are of threads, and of those no VM has as many.
pub(crate) const LONGEST_LIST: usize = 1 << 16;

fn elements(from: *const c_void, count: usize, size: usize) -> Option<Vec<u8>> {
    if count > LONGEST_LIST {
        return None;
    }
    let mut bytes = vec![0u8; count * size];
    copy_in(from, &mut bytes).then_some(bytes)
}

/// Copies `len` bytes, which others may change or give back meanwhile.
pub(crate) fn bytes(from: *const u8, len: usize) -> Option<Vec<u8>> {
    // Before memory is taken for what may be nonsense.
    if !readable(from, len) {
        return None;
    }
    let mut bytes = vec![0; len];
    copy_in(from.cast(), &mut bytes).then_some(bytes)
}

/// Copies `count` pointers from an agent's array.
pub(crate) fn pointers(from: *const *mut c_void, count: usize) -> Option<Vec<usize>> {
    const WORD: usize = size_of::<usize>();
    let bytes = elements(from.cast(), count, WORD)?;
    let words = bytes
        .chunks_exact(WORD)
        .filter_map(|word| word.try_into().ok());
    Some(words.map(usize::from_ne_bytes).collect())
}

/// Copies a table of at least `least` pointers of which nobody says how long it is, with what
/// lies behind it: `most` words, or as many as can be read.
///
/// # Safety
/// There are `least` pointers at `table`.
pub(crate) unsafe fn table(
    table: *const *mut c_void,
    least: usize,
    most: usize,
) -> Vec<*mut c_void> {
    // SAFETY: the caller's promise.
    let mut copy = unsafe { std::slice::from_raw_parts(table, least) }.to_vec();
    while copy.len() < most {
        // Never across a page: the next one may not be there.
        let next = table.wrapping_add(copy.len());
        let in_page = (PAGE - next.addr() % PAGE) / size_of::<usize>();
        let count = in_page.clamp(1, most - copy.len());
        let Some(words) = pointers(next, count) else {
            break;
        };
        let words = words.into_iter();
        copy.extend(words.map(std::ptr::with_exposed_provenance_mut));
    }
    copy
}

/// Copies `count` numbers from an agent's array.
pub(crate) fn numbers(from: *const i32, count: usize) -> Option<Vec<i32>> {
    const LEN: usize = size_of::<i32>();
    let bytes = elements(from.cast(), count, LEN)?;
    let (numbers, _) = bytes.as_chunks();
    Some(
        numbers
            .iter()
            .map(|&bytes| i32::from_ne_bytes(bytes))
            .collect(),
    )
}

/// Writes `values` into an agent's array; false if it cannot be written.
pub(crate) fn store(to: *mut i32, values: &[i32]) -> bool {
    let local = libc::iovec {
        iov_base: values.as_ptr().cast_mut().cast(),
        iov_len: size_of_val(values),
    };
    let remote = libc::iovec {
        iov_base: to.cast(),
        iov_len: size_of_val(values),
    };
    let us = i32::try_from(std::process::id()).unwrap_or(0);
    // SAFETY: `local` is the slice, only read; the kernel checks `remote`.
    let copied =
        unsafe { libc::process_vm_writev(us, &raw const local, 1, &raw const remote, 1, 0) };
    if usize::try_from(copied) == Ok(size_of_val(values)) {
        return true;
    }
    if refused() && plausible(to) {
        // SAFETY: as in `copy_in`.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), to, values.len()) };
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::ptr;

    use super::{PAGE, by_file, bytes, c_string, plausible, pointers, readable, store, writable};

    #[test]
    fn memory_is_read_by_a_file() {
        let word = 7_u64;
        let mut bytes = [0; 8];
        assert_eq!(by_file((&raw const word).addr(), &mut bytes), Some(true));
        assert_eq!(u64::from_ne_bytes(bytes), 7);
        assert_eq!(by_file(0x1238, &mut bytes), Some(false));
    }

    #[test]
    fn nonsense_is_not_read() {
        assert!(!readable::<u64>(ptr::without_provenance(0x1238), 8));
        assert!(!readable::<u64>(ptr::without_provenance(0x7fff_fff0), 8));
        let word = 1u64;
        assert!(readable(&raw const word, 8));
        assert!(c_string(ptr::null()).is_none());
        assert!(c_string(ptr::without_provenance(0x1234)).is_none());
        assert!(c_string(ptr::without_provenance(usize::MAX - 3)).is_none());
        assert!(pointers(ptr::without_provenance(0x1238), 2).is_none());
        assert!(bytes(ptr::without_provenance(0x7fff_fff0), 64).is_none());
        assert!(!store(ptr::without_provenance_mut(0x1238), &[1]));
        assert!(!plausible::<u64>(ptr::without_provenance(0x10003)));
        assert_eq!(bytes([7u8; 9].as_ptr(), 9), Some(vec![7; 9]));
    }

    #[test]
    fn memory_is_read_and_written() {
        let long = "x".repeat(500);
        let text = std::ffi::CString::new(long.clone()).expect("no NUL");
        assert_eq!(
            c_string(text.as_ptr()).expect("readable").to_bytes(),
            long.as_bytes()
        );
        let words = [1usize, 2, 3];
        let found = pointers(words.as_ptr().cast::<*mut c_void>(), 3).expect("readable");
        assert_eq!(found, words);
        let absurd = i32::MAX as usize;
        assert!(pointers(words.as_ptr().cast::<*mut c_void>(), absurd).is_none());
        let mut out = [0i32; 2];
        assert!(store(out.as_mut_ptr(), &[7, 8]));
        assert_eq!(out, [7, 8]);
    }

    /// Pages of our own, of which the second can only be read and the last not at all.
    fn pages() -> *mut u8 {
        const COUNT: usize = 4;
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), COUNT * PAGE, both, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        for (page, protection) in [(1, libc::PROT_READ), (3, libc::PROT_NONE)] {
            let page = start.wrapping_byte_add(page * PAGE);
            // SAFETY: a page of it, which nobody uses yet.
            assert_eq!(unsafe { libc::mprotect(page, PAGE, protection) }, 0);
        }
        start.cast()
    }

    #[test]
    fn what_can_only_be_read_is_not_writable() {
        let start = pages();
        let at = |page: usize| start.wrapping_add(page * PAGE);
        // SAFETY: the first page is writable.
        unsafe { at(1).wrapping_sub(8).write(7) };
        assert!(writable(at(1).wrapping_sub(8), 8));
        assert_eq!(bytes(at(1).wrapping_sub(8), 1), Some(vec![7]));
        assert!(readable(start, 3 * PAGE));
        assert!(!writable(at(1), 1));
        assert!(!writable(at(1).wrapping_sub(8), 9));
        // The one in the middle is no better for its neighbours.
        assert!(!writable(start, 3 * PAGE));
        assert!(writable(at(2), PAGE));
        assert!(!readable(at(2), PAGE + 1));
        assert!(!writable(at(2), PAGE + 1));
        assert_eq!(bytes(at(3), 8), None);
        assert!(!writable::<u64>(ptr::without_provenance_mut(0x1238), 8));
    }

    #[test]
    fn text_without_an_end_is_refused() {
        let endless = vec![b'x'; 3 * 4096];
        assert!(c_string(endless.as_ptr().cast()).is_none());
    }
}
