//! What a library asks of the dynamic linker: an executable stack, and other libraries.
//!
//! ELF, little-endian.

use crate::elf_symbols::{number, place};

/// Where fields of structures lie.
struct Form {
    word: usize,
    /// Elf_Ehdr: e_phoff, e_phentsize, e_phnum.
    segments: usize,
    segment_size: usize,
    segment_count: usize,
    /// Elf_Phdr: p_flags, p_offset, p_vaddr, p_filesz.
    flags: usize,
    offset: usize,
    address: usize,
    size: usize,
}

const OF_64_BITS: Form = Form {
    word: 8,
    segments: 0x20,
    segment_size: 0x36,
    segment_count: 0x38,
    flags: 4,
    offset: 8,
    address: 0x10,
    size: 0x20,
};

const OF_32_BITS: Form = Form {
    word: 4,
    segments: 0x1c,
    segment_size: 0x2a,
    segment_count: 0x2c,
    flags: 0x18,
    offset: 4,
    address: 8,
    size: 0x10,
};

const LOAD: u64 = 1;
const DYNAMIC: u64 = 2;
const GNU_STACK: u64 = 0x6474_e551;

struct File<'a> {
    bytes: &'a [u8],
    form: &'static Form,
}

impl<'a> File<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let form = match bytes.get(..6)? {
            b"\x7fELF\x02\x01" => &OF_64_BITS,
            b"\x7fELF\x01\x01" => &OF_32_BITS,
            _ => return None,
        };
        Some(Self { bytes, form })
    }

    /// The program headers of one kind.
    fn segments(&self, kind: u64) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let bytes = self.bytes;
        let field = |at, len| place(bytes, at, len).unwrap_or(0);
        let start = field(self.form.segments, self.form.word);
        let size = field(self.form.segment_size, 2);
        let header = move |index: usize| bytes.get(start.checked_add(index.checked_mul(size)?)?..);
        (0..field(self.form.segment_count, 2))
            .map_while(header)
            .filter(move |header| number(header, 0, 4) == Some(kind))
    }

    /// A word of a program header.
    fn word(&self, header: &[u8], at: usize) -> Option<usize> {
        place(header, at, self.form.word)
    }

    /// Where in the file an address of its own numbering lies.
    fn offset_of(&self, address: usize) -> Option<usize> {
        self.segments(LOAD).find_map(|header| {
            let within = address.checked_sub(self.word(header, self.form.address)?)?;
            let there = within < self.word(header, self.form.size)?;
            there.then(|| self.word(header, self.form.offset)?.checked_add(within))?
        })
    }
}

/// Whether loading it makes the stacks of all threads executable: it says so, or, on x86, it says nothing of stacks.
#[must_use]
pub fn wants_executable_stacks(file: &[u8]) -> bool {
    const EXECUTABLE: u64 = 1;
    const AARCH64: u64 = 183;
    let Some(read) = File::of(file) else {
        return false;
    };
    match read.segments(GNU_STACK).last() {
        Some(mark) => number(mark, read.form.flags, 4).is_some_and(|flags| flags & EXECUTABLE != 0),
        None => number(file, 18, 2) != Some(AARCH64),
    }
}

/// The libraries that it names; none of a file that cannot be read.
#[must_use]
pub fn needed(file: &[u8]) -> Vec<String> {
    try_needed(file).unwrap_or_default()
}

fn try_needed(file: &[u8]) -> Option<Vec<String>> {
    const NEEDED: usize = 1;
    const STRINGS: usize = 5;
    let read = File::of(file)?;
    let header = read.segments(DYNAMIC).next()?;
    let (from, size) = (
        read.word(header, read.form.offset)?,
        read.word(header, read.form.size)?,
    );
    let entries = file.get(from..from.checked_add(size)?)?;
    let entries = entries
        .chunks_exact(2 * read.form.word)
        .map_while(|entry| Some((read.word(entry, 0)?, read.word(entry, read.form.word)?)))
        .take_while(|&(tag, _)| tag != 0);
    let of = |wanted| {
        let entries = entries.clone().filter(move |&(tag, _)| tag == wanted);
        entries.map(|(_, value)| value)
    };
    let strings = file.get(read.offset_of(of(STRINGS).next()?)?..)?;
    let text = |at| {
        let name = strings.get(at..)?.split(|&byte| byte == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    Some(of(NEEDED).filter_map(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(bytes: &mut [u8], at: usize, width: usize, value: usize) {
        bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }

    /// A library for x86 with this mark, which names two others; its addresses are 0x1000 above its offsets.
    fn file(form: &Form, stack: Option<usize>) -> Vec<u8> {
        const HEADERS: usize = 64;
        const DYNAMIC_AT: usize = 0x100;
        const STRINGS_AT: usize = 0x180;
        const END: usize = 0x1a0;
        let mut file = vec![0; END];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[4] = u8::try_from(form.word / 4).unwrap();
        put(&mut file, 18, 2, 62);
        put(&mut file, form.segments, form.word, HEADERS);
        put(&mut file, form.segment_size, 2, 56);
        put(
            &mut file,
            form.segment_count,
            2,
            2 + usize::from(stack.is_some()),
        );
        for (number, (kind, flags, from, to)) in [
            (LOAD, 4, 0, END),
            (DYNAMIC, 4, DYNAMIC_AT, STRINGS_AT),
            (GNU_STACK, stack.unwrap_or(0), 0, 0),
        ]
        .into_iter()
        .take(2 + usize::from(stack.is_some()))
        .enumerate()
        {
            let at = HEADERS + number * 56;
            put(&mut file, at, 4, usize::try_from(kind).unwrap());
            put(&mut file, at + form.flags, 4, flags);
            put(&mut file, at + form.offset, form.word, from);
            put(&mut file, at + form.address, form.word, from + 0x1000);
            put(&mut file, at + form.size, form.word, to - from);
        }
        for (number, (tag, value)) in [(1, 1), (5, STRINGS_AT + 0x1000), (1, 9), (0, 0), (1, 1)]
            .into_iter()
            .enumerate()
        {
            let at = DYNAMIC_AT + number * 2 * form.word;
            put(&mut file, at, form.word, tag);
            put(&mut file, at + form.word, form.word, value);
        }
        file[STRINGS_AT..][..17].copy_from_slice(b"\0liba.so\0libb.so\0");
        file
    }

    #[test]
    fn marks_for_the_stack() {
        for form in [OF_64_BITS, OF_32_BITS] {
            assert!(wants_executable_stacks(&file(&form, Some(7))));
            assert!(!wants_executable_stacks(&file(&form, Some(6))));
            let mut unmarked = file(&form, None);
            assert!(wants_executable_stacks(&unmarked));
            put(&mut unmarked, 18, 2, 183);
            assert!(!wants_executable_stacks(&unmarked));
        }
        assert!(!wants_executable_stacks(b"no library"));
    }

    #[test]
    fn names_of_libraries() {
        for form in [OF_64_BITS, OF_32_BITS] {
            assert_eq!(needed(&file(&form, Some(6))), ["liba.so", "libb.so"]);
        }
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(needed(&own).iter().any(|name| name == "libc.so.6"));
        assert!(!wants_executable_stacks(&own));
    }

    #[test]
    fn broken_files_are_no_files() {
        for form in [OF_64_BITS, OF_32_BITS] {
            let whole = file(&form, Some(6));
            for end in 0..whole.len() {
                let _ = needed(&whole[..end]);
                let _ = wants_executable_stacks(&whole[..end]);
            }
            for at in 0..whole.len() {
                let mut broken = whole.clone();
                broken[at] ^= 0xff;
                let _ = needed(&broken);
                let _ = wants_executable_stacks(&broken);
            }
        }
    }
}
