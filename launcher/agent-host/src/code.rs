//! The code that COMPILED_METHOD_LOAD names: agents read it.
//!
//! It lies where it lay in the recorded process, or, where something else is in ours, in memory
//! of its own.
#![allow(unsafe_code, reason = "mmap")]

use std::collections::{BTreeSet, HashMap};
use std::ptr;

use parking_lot::{Mutex, MutexGuard};

const PAGE: usize = 4096;

/// The memory that we have made for code.
#[derive(Default)]
struct Memory {
    /// Pages at recorded addresses.
    here: BTreeSet<usize>,
    /// By the recorded address: where it is, and how many bytes that has.
    elsewhere: HashMap<u64, (usize, usize)>,
}

fn memory() -> MutexGuard<'static, Option<Memory>> {
    static MEMORY: Mutex<Option<Memory>> = Mutex::new(None);
    MEMORY.lock()
}

/// Memory of zeros at this address, or, if it is 0, anywhere; 0 if there is none.
fn zeros(at: usize, len: usize) -> usize {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let fixed = if at == 0 {
        0
    } else {
        libc::MAP_FIXED_NOREPLACE
    };
    // SAFETY: takes no page that is in use.
    let mapped = unsafe {
        libc::mmap(
            ptr::without_provenance_mut(at),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            flags | fixed,
            -1,
            0,
        )
    };
    if mapped == libc::MAP_FAILED {
        return 0;
    }
    let address = mapped.expose_provenance();
    if at != 0 && address != at {
        // A kernel that does not know the flag takes the address for a wish.
        give_back(address, len);
        return 0;
    }
    address
}

fn give_back(address: usize, len: usize) {
    // SAFETY: from `zeros`, and of no use any more.
    unsafe { libc::munmap(ptr::with_exposed_provenance_mut(address), len) };
}

impl Memory {
    /// Whether all pages of this code are ours, at its own address.
    fn is_here(&mut self, address: usize, size: usize) -> bool {
        /// No code is longer; a damaged recording may say what it likes.
        const LONGEST: usize = 64 << 20;
        if address == 0 || size > LONGEST {
            return false;
        }
        let Some(last) = address.checked_add(size.max(1) - 1) else {
            return false;
        };
        (address / PAGE..=last / PAGE).all(|page| {
            self.here.contains(&page) || zeros(page * PAGE, PAGE) != 0 && self.here.insert(page)
        })
    }

    fn elsewhere(&mut self, recorded: u64, size: usize) -> usize {
        self.forget(recorded);
        let len = size.max(1).next_multiple_of(PAGE);
        let found = zeros(0, len);
        if found != 0 {
            self.elsewhere.insert(recorded, (found, len));
        }
        found
    }

    fn forget(&mut self, recorded: u64) {
        if let Some((at, len)) = self.elsewhere.remove(&recorded) {
            give_back(at, len);
        }
    }
}

/// 0 for one that this process cannot have.
fn place_of(recorded: u64) -> usize {
    usize::try_from(recorded).unwrap_or(0)
}

/// Where the agent finds this code: these bytes, and zeros for what was not recorded; 0 if
/// there is no memory for it.
pub(crate) fn load(recorded: u64, size: i32, bytes: &[u8]) -> usize {
    let size = usize::try_from(size).unwrap_or(0);
    let address = place_of(recorded);
    let mut memory = memory();
    let memory = memory.get_or_insert_default();
    let at = if memory.is_here(address, size) {
        memory.forget(recorded);
        // SAFETY: pages of ours, perhaps with the code that lay there before.
        unsafe { ptr::write_bytes(ptr::with_exposed_provenance_mut::<u8>(address), 0, size) };
        address
    } else {
        memory.elsewhere(recorded, size)
    };
    if at != 0 {
        let len = bytes.len().min(size);
        let to = ptr::with_exposed_provenance_mut::<u8>(at);
        // SAFETY: room for `size` bytes, which nobody else writes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, len) };
    }
    at
}

/// Where it was found: the recorded address if it was never told of.
pub(crate) fn of(recorded: u64) -> usize {
    let address = place_of(recorded);
    let memory = memory();
    let found = memory
        .as_ref()
        .and_then(|memory| memory.elsewhere.get(&recorded));
    found.map_or(address, |&(at, _)| at)
}

/// The agent has been told that it is gone.
pub(crate) fn unload(recorded: u64) {
    if let Some(memory) = memory().as_mut() {
        memory.forget(recorded);
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::{PAGE, load, of, unload, zeros};

    fn read(address: usize, len: usize) -> Vec<u8> {
        // SAFETY: what `load` has given us.
        unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance(address), len) }.to_vec()
    }

    #[test]
    fn code_lies_where_it_lay() {
        // Where the kernel puts nothing by itself: what lies free among the rest, threads of other tests take.
        let place = if usize::BITS < u64::BITS {
            1 << 29
        } else {
            1 << 41
        };
        let free = zeros(place, 4 * PAGE);
        assert_eq!(free, place);
        super::give_back(free, 4 * PAGE);
        let recorded = free as u64 + 4000;
        assert_eq!(load(recorded, 5000, &[7; 5000]), free + 4000);
        assert_eq!(read(free + 4000, 5000), [7; 5000]);
        assert_eq!(of(recorded), free + 4000);
        unload(recorded);
        // Not recorded: zeros, not what was there before.
        assert_eq!(load(recorded + 16, 200, &[]), free + 4016);
        assert_eq!(read(free + 4016, 200), [0; 200]);
    }

    #[test]
    fn code_lies_elsewhere_where_something_is() {
        let ours = [1u8; 64];
        let recorded = ours.as_ptr().addr() as u64;
        let at = load(recorded, 8, &[9; 8]);
        assert!(at != 0 && at != ours.as_ptr().addr());
        assert_eq!((read(at, 8), of(recorded)), (vec![9; 8], at));
        assert_eq!(ours, [1; 64]);
        unload(recorded);
        assert_eq!(of(recorded), ours.as_ptr().addr());
        for size in [-1, 0, i32::MAX] {
            let at = load(recorded, size, &[3; 8]);
            assert!(at != 0);
            assert_eq!(read(at, 1).len(), 1);
        }
    }
}
