//! The import table of a loaded library: functions of other libraries that it calls.
//!
//! # Safety
//! The dynamic linker's own description of what it has mapped (`dl_iterate_phdr` and the
//! library's dynamic section). It stays mapped: agents are never unloaded.
#![allow(unsafe_code, reason = "the dynamic linker's tables")]

use std::ffi::{CStr, CString, OsString, c_int, c_void};
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::os::memory::plausible;
use crate::os::processor::FUNCTION_SLOTS;

/// A library in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    /// What is added to the addresses in its file.
    pub(crate) base: usize,
    /// From the first to the last of its segments.
    pub(crate) range: Range<usize>,
    /// Its file.
    pub(crate) path: PathBuf,
    dynamic: usize,
}

/// The library that an address lies in.
pub(crate) fn image_of(address: usize) -> Option<Image> {
    struct Search {
        address: usize,
        found: Option<Image>,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: the linker's own structure.
        let info = unsafe { &*info };
        // SAFETY: what `image_of` passed.
        let search = unsafe { &mut *data.cast::<Search>() };
        // SAFETY: the linker's word for pointer and number.
        let segments =
            unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let base = info.dlpi_addr as usize;
        let mut image = Image {
            base,
            ..Image::default()
        };
        let (mut first, mut last) = (usize::MAX, 0);
        let mut inside = false;
        for segment in segments {
            let start = base.wrapping_add(segment.p_vaddr as usize);
            if segment.p_type == libc::PT_DYNAMIC {
                image.dynamic = start;
            }
            if segment.p_type == libc::PT_LOAD {
                let end = start.wrapping_add(segment.p_memsz as usize);
                inside |= (start..end).contains(&search.address);
                (first, last) = (first.min(start), last.max(end));
            }
        }
        if !inside {
            return 0;
        }
        if !info.dlpi_name.is_null() {
            // SAFETY: the linker's own string.
            let name = unsafe { CStr::from_ptr(info.dlpi_name) };
            image.path = PathBuf::from(OsString::from_vec(name.to_bytes().to_vec()));
        }
        image.range = first..last;
        search.found = Some(image);
        1
    }
    let mut search = Search {
        address,
        found: None,
    };
    // SAFETY: a function of that type, and what it expects.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

#[repr(C)]
struct Dynamic {
    tag: isize,
    value: usize,
}

#[repr(C)]
struct Relocation {
    offset: usize,
    info: usize,
    #[cfg(target_pointer_width = "64")]
    addend: i64,
}

#[cfg(target_pointer_width = "64")]
type Symbol = libc::Elf64_Sym;
#[cfg(not(target_pointer_width = "64"))]
type Symbol = libc::Elf32_Sym;

/// DT_RELA and DT_RELASZ, or DT_REL and DT_RELSZ: the relocations that are not DT_JMPREL.
const OTHERS: (isize, isize) = if cfg!(target_pointer_width = "64") {
    (7, 8)
} else {
    (17, 18)
};
/// Where a relocation's symbol begins, behind its kind.
const SYMBOL_SHIFT: u32 = if cfg!(target_pointer_width = "64") {
    32
} else {
    8
};

impl Image {
    fn dynamic(&self, tag: isize) -> Option<usize> {
        let mut entry: *const Dynamic = std::ptr::with_exposed_provenance(self.dynamic);
        if !plausible(entry) {
            return None;
        }
        loop {
            // SAFETY: the dynamic section ends with a tag of 0.
            let Dynamic { tag: here, value } = *unsafe { &*entry };
            if here == tag {
                return Some(value);
            }
            if here == 0 {
                return None;
            }
            entry = entry.wrapping_add(1);
        }
    }

    /// A pointer in the dynamic section; glibc has made it absolute, others leave it.
    fn pointer(&self, tag: isize) -> Option<usize> {
        let value = self.dynamic(tag)?;
        Some(if value < self.base {
            self.base + value
        } else {
            value
        })
    }

    /// Calls `replace` with each function that the library imports and the address that it
    /// has now, and puts what that gives in its place.
    pub(crate) fn replace_imports(&self, replace: impl Fn(&CStr, usize) -> Option<*mut c_void>) {
        let Some(handle) = self.handle() else { return };
        self.each_import(|name, slot| {
            // A slot that was not used yet leads to the linker; the linker is asked.
            // SAFETY: a handle that is never closed, and a string.
            let target = unsafe { libc::dlsym(handle, name.as_ptr()) };
            if !target.is_null()
                && let Some(stub) = replace(name, target.expose_provenance())
            {
                store(slot, stub.expose_provenance());
            }
        });
    }

    /// Puts what `of` gives for the name of an import in its place, whether anything was there or
    /// not: of weak ones there may have been nothing.
    pub(crate) fn fill_in(&self, of: impl Fn(&CStr) -> Option<*mut c_void>) {
        self.each_import(|name, slot| {
            if let Some(function) = of(name) {
                store(slot, function.expose_provenance());
            }
        });
    }

    /// Each function that the library imports: its name, and the slot with its address.
    fn each_import(&self, with: impl Fn(&CStr, usize)) {
        const STRTAB: isize = 5;
        const SYMTAB: isize = 6;
        // Table and size of the two kinds of relocations; the second is DT_JMPREL.
        const TABLES: [(isize, isize); 2] = [OTHERS, (23, 2)];
        let (Some(strings), Some(symbols)) = (self.pointer(STRTAB), self.pointer(SYMTAB)) else {
            return;
        };
        for (table, size) in TABLES {
            let (Some(table), Some(size)) = (self.pointer(table), self.dynamic(size)) else {
                continue;
            };
            let first: *const Relocation = std::ptr::with_exposed_provenance(table);
            for index in 0..size / size_of::<Relocation>() {
                // SAFETY: within the table.
                let relocation = unsafe { &*first.wrapping_add(index) };
                let kind = relocation.info & ((1 << SYMBOL_SHIFT) - 1);
                if !FUNCTION_SLOTS.contains(&kind) {
                    continue;
                }
                let symbol: *const Symbol = std::ptr::with_exposed_provenance(symbols);
                let symbol = symbol.wrapping_add(relocation.info >> SYMBOL_SHIFT);
                // SAFETY: a symbol that a relocation names.
                let name = unsafe { (*symbol).st_name };
                let name: *const libc::c_char =
                    std::ptr::with_exposed_provenance(strings + name as usize);
                // SAFETY: a string of the string table.
                let name = unsafe { CStr::from_ptr(name) };
                with(name, self.base + relocation.offset);
            }
        }
    }

    fn handle(&self) -> Option<*mut c_void> {
        use std::os::unix::ffi::OsStrExt;
        let path = CString::new(self.path.as_os_str().as_bytes()).ok()?;
        // SAFETY: a string; nothing is loaded that is not there.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then_some(handle)
    }
}

/// Writes a word of an import table, which may have been made read-only.
fn store(slot: usize, value: usize) {
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Some((start, len)) = usize::try_from(page)
        .ok()
        .and_then(|page| page_of(slot, page))
    else {
        return;
    };
    let start: *mut c_void = std::ptr::with_exposed_provenance_mut(start);
    // SAFETY: a page of the agent's data.
    let done = unsafe { libc::mprotect(start, len, libc::PROT_READ | libc::PROT_WRITE) };
    if done != 0 {
        return;
    }
    let slot: *mut usize = std::ptr::with_exposed_provenance_mut(slot);
    // SAFETY: an aligned word that the linker keeps a function's address in.
    unsafe { AtomicUsize::from_ptr(slot) }.store(value, Ordering::Release);
}

/// Start and length of the page that the whole word at `slot` lies in; `None` if it lies in none.
fn page_of(slot: usize, page: usize) -> Option<(usize, usize)> {
    let is_word = slot.is_multiple_of(size_of::<usize>()) && size_of::<usize>() <= page;
    (is_word && page.is_power_of_two()).then(|| (slot & !(page - 1), page))
}

#[cfg(test)]
mod tests {
    use super::page_of;

    /// Pages of all sizes that Linux has on aarch64.
    #[test]
    fn the_page_of_a_slot() {
        const SLOT: usize = 0x7fff_1234_5ff8;
        for (page, start) in [
            (4 << 10, 0x7fff_1234_5000),
            (16 << 10, 0x7fff_1234_4000),
            (64 << 10, 0x7fff_1234_0000),
        ] {
            assert_eq!(page_of(SLOT, page), Some((start, page)));
            assert_eq!(page_of(start, page), Some((start, page)));
            assert_eq!(page_of(start + page, page), Some((start + page, page)));
            assert_eq!(page_of(SLOT + 1, page), None);
        }
        // What a system might answer that does not know.
        assert_eq!(page_of(SLOT, 0), None);
        assert_eq!(page_of(SLOT, 4097), None);
    }
}
