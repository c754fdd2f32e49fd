//! What a library or program asks of the dynamic linker: other libraries, versions of symbols, an executable stack.
//!
//! By its segments, as the linker sees it, for files without section headers (sstrip) as well. ELF, little-endian.

use crate::elf_symbols::{number, place};

/// What it says of the stacks of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stack {
    /// They need not be executable.
    #[default]
    Plain,
    /// They must be.
    Executable,
    /// Nothing, which to linkers on x86 means that they must be.
    Unmarked,
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The program that loads it, if it is one.
    pub loader: Option<String>,
    /// Libraries.
    pub needed: Vec<String>,
    /// Versions of symbols, by the library that has them.
    pub versions: Vec<(String, Vec<String>)>,
    /// Its code is to be written to when it is loaded.
    pub text_relocations: bool,
    /// How stacks are to be.
    pub stack: Stack,
    /// Its symbols can be found by the first kind of hash table only.
    pub old_hash: bool,
}

impl Wishes {
    /// Reads a file, which may be large, and of which little is read: by `read_at`, what is at an offset, if only as
    /// far as the file goes. `None` if the linker has nothing to do with it.
    pub fn of(read_at: impl Fn(&mut [u8], u64)) -> Option<Self> {
        let file = File::of(read_at)?;
        let entries = file.entries()?;
        let all = |wanted| {
            let entries = entries.iter().filter(move |&&(tag, _)| tag == wanted);
            entries.map(|&(_, value)| value)
        };
        let any = |wanted| all(wanted).next();
        let strings = any(STRINGS).and_then(|address| file.offset_of(address));
        let name = |at: usize| Some(file.text(strings?.checked_add(at)?));
        let loader = file.segments(LOADER).next();
        let loader = loader.and_then(|header| file.word(&header, file.form.offset));
        let flags = any(FLAGS).unwrap_or(0);
        Some(Self {
            loader: loader.map(|at| file.text(at)),
            needed: all(NEEDED).filter_map(name).collect(),
            versions: any(VERSIONS)
                .and_then(|address| file.offset_of(address))
                .map(|at| file.versions(at, name))
                .unwrap_or_default(),
            text_relocations: any(TEXT_RELOCATIONS).is_some() || flags & OF_TEXT != 0,
            stack: file.stack(),
            old_hash: any(HASH).is_some() && any(NEW_HASH).is_none(),
        })
    }

    /// Whether loading it makes the stacks of all threads executable.
    #[must_use]
    pub fn executable_stacks(&self) -> bool {
        self.stack != Stack::Plain
    }

    /// The libraries of a JDK that it names, in the order to open them in: agents name them, and no folder of the
    /// linker's has them.
    pub fn of_jdk(&self) -> impl Iterator<Item = &'static str> {
        let is_needed = |name: &&str| self.needed.iter().any(|needed| needed == name);
        ["libverify.so", "libjava.so"].into_iter().filter(is_needed)
    }
}

// Kinds of segments.
const LOAD: u64 = 1;
const DYNAMIC: u64 = 2;
const LOADER: u64 = 3;
const GNU_STACK: u64 = 0x6474_e551;

// Tags of entries in the dynamic segment.
const NEEDED: usize = 1;
const HASH: usize = 4;
const STRINGS: usize = 5;
const TEXT_RELOCATIONS: usize = 22;
const FLAGS: usize = 30;
const NEW_HASH: usize = 0x6fff_fef5;
const VERSIONS: usize = 0x6fff_fffe;

/// Of `FLAGS`: the same as `TEXT_RELOCATIONS`.
const OF_TEXT: usize = 4;

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

/// As much as any of the structures has; zeros, which end all lists, where the file has ended.
type Piece = [u8; 64];

struct File<R> {
    read_at: R,
    head: Piece,
    form: &'static Form,
}

impl<R: Fn(&mut [u8], u64)> File<R> {
    fn of(read_at: R) -> Option<Self> {
        let mut head = [0; 64];
        read_at(&mut head, 0);
        let form = match head.first_chunk()? {
            b"\x7fELF\x02\x01" => &OF_64_BITS,
            b"\x7fELF\x01\x01" => &OF_32_BITS,
            _ => return None,
        };
        Some(Self {
            read_at,
            head,
            form,
        })
    }

    fn piece(&self, at: usize) -> Piece {
        let mut piece = [0; 64];
        (self.read_at)(&mut piece, at as u64);
        piece
    }

    /// A word of a structure.
    fn word(&self, piece: &[u8], at: usize) -> Option<usize> {
        place(piece, at, self.form.word)
    }

    /// The program headers of one kind.
    fn segments(&self, kind: u64) -> impl Iterator<Item = Piece> {
        let field = |at, len| place(&self.head, at, len).unwrap_or(0);
        let start = field(self.form.segments, self.form.word);
        let size = field(self.form.segment_size, 2);
        (0..field(self.form.segment_count, 2))
            .map_while(move |index| start.checked_add(index.checked_mul(size)?))
            .map(|at| self.piece(at))
            .filter(move |header| number(header, 0, 4) == Some(kind))
    }

    /// Where in the file an address of its own numbering lies.
    fn offset_of(&self, address: usize) -> Option<usize> {
        self.segments(LOAD).find_map(|header| {
            let within = address.checked_sub(self.word(&header, self.form.address)?)?;
            let there = within < self.word(&header, self.form.size)?;
            there.then(|| self.word(&header, self.form.offset)?.checked_add(within))?
        })
    }

    /// Tags and values of the dynamic segment.
    fn entries(&self) -> Option<Vec<(usize, usize)>> {
        let header = self.segments(DYNAMIC).next()?;
        let (from, size) = (
            self.word(&header, self.form.offset)?,
            self.word(&header, self.form.size)?,
        );
        let places = (from..from.checked_add(size)?).step_by(2 * self.form.word);
        let entry = |at| {
            let entry = self.piece(at);
            Some((self.word(&entry, 0)?, self.word(&entry, self.form.word)?))
        };
        let entries = places.map_while(entry).take_while(|&(tag, _)| tag != 0);
        Some(entries.collect())
    }

    /// The mark for stacks.
    fn stack(&self) -> Stack {
        const EXECUTABLE: u64 = 1;
        const AARCH64: u64 = 183;
        let mark = self.segments(GNU_STACK).last();
        match mark.and_then(|mark| number(&mark, self.form.flags, 4)) {
            Some(flags) if flags & EXECUTABLE != 0 => Stack::Executable,
            None if number(&self.head, 18, 2) != Some(AARCH64) => Stack::Unmarked,
            _ => Stack::Plain,
        }
    }

    /// The versions that are asked for, of which the first library's are there; `name` has the names.
    fn versions(
        &self,
        first: usize,
        name: impl Fn(usize) -> Option<String>,
    ) -> Vec<(String, Vec<String>)> {
        // Elf_Verneed: vn_file, vn_aux, vn_next; Elf_Vernaux: vna_name, vna_next. The same in both widths.
        let mut found: Vec<_> = self
            .chain(first, 12)
            .filter_map(|(at, library)| {
                let versions = self.chain(at.checked_add(place(&library, 8, 4)?)?, 12);
                let mut versions: Vec<String> = versions
                    .filter_map(|(_, version)| name(place(&version, 8, 4)?))
                    .collect();
                versions.sort();
                Some((name(place(&library, 4, 4)?)?, versions))
            })
            .collect();
        found.sort();
        found
    }

    /// Structures, each of which says at `next` how far the next one is, and the last one 0.
    fn chain(&self, first: usize, next: usize) -> impl Iterator<Item = (usize, Piece)> {
        /// More than any library needs: a broken file could have as many as it has bytes.
        const MOST: usize = 4096;
        let at = move |at: usize| (at, self.piece(at));
        std::iter::successors(Some(at(first)), move |(last, piece)| {
            let by = place(piece, next, 4).filter(|&by| by != 0)?;
            Some(at(last.checked_add(by)?))
        })
        .take(MOST)
    }

    /// A text, which a zero ends; it is a file's or a version's name.
    fn text(&self, from: usize) -> String {
        const LONGEST: usize = 4096;
        let mut text = Vec::new();
        for at in (from..from.saturating_add(LONGEST)).step_by(size_of::<Piece>()) {
            let piece = self.piece(at);
            let part = piece.split(|&byte| byte == 0).next().unwrap_or_default();
            text.extend_from_slice(part);
            if part.len() < piece.len() {
                break;
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }
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
        let entries = [
            (NEEDED, 1),
            (STRINGS, STRINGS_AT + 0x1000),
            (NEEDED, 9),
            (HASH, 0),
            (FLAGS, OF_TEXT),
            (0, 0),
            (NEEDED, 1),
        ];
        for (number, (tag, value)) in entries.into_iter().enumerate() {
            let at = DYNAMIC_AT + number * 2 * form.word;
            put(&mut file, at, form.word, tag);
            put(&mut file, at + form.word, form.word, value);
        }
        file[STRINGS_AT..][..17].copy_from_slice(b"\0liba.so\0libb.so\0");
        file
    }

    fn wishes(file: &[u8]) -> Option<Wishes> {
        Wishes::of(|into, at| {
            let there = usize::try_from(at).ok().and_then(|at| file.get(at..));
            let there = there.unwrap_or_default();
            let len = there.len().min(into.len());
            into[..len].copy_from_slice(&there[..len]);
        })
    }

    #[test]
    fn marks_for_the_stack() {
        for form in [OF_64_BITS, OF_32_BITS] {
            let stack = |file: &[u8]| wishes(file).unwrap().stack;
            assert_eq!(stack(&file(&form, Some(7))), Stack::Executable);
            assert_eq!(stack(&file(&form, Some(6))), Stack::Plain);
            let mut unmarked = file(&form, None);
            assert_eq!(stack(&unmarked), Stack::Unmarked);
            assert!(wishes(&unmarked).unwrap().executable_stacks());
            put(&mut unmarked, 18, 2, 183);
            assert!(!wishes(&unmarked).unwrap().executable_stacks());
        }
        assert_eq!(wishes(b"no library"), None);
    }

    #[test]
    fn what_is_in_the_dynamic_segment() {
        for form in [OF_64_BITS, OF_32_BITS] {
            let found = wishes(&file(&form, Some(6))).unwrap();
            assert_eq!(found.needed, ["liba.so", "libb.so"]);
            assert!(found.text_relocations && found.old_hash);
        }
    }

    #[test]
    fn of_this_program() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let found = wishes(&own).unwrap();
        let loader = found.loader.as_deref().map(std::path::Path::new);
        assert!(loader.is_some_and(std::path::Path::exists));
        assert!(found.needed.iter().any(|name| name == "libc.so.6"));
        let of_c = |it: &&(String, Vec<String>)| it.0 == "libc.so.6";
        let (_, versions) = found.versions.iter().find(of_c).unwrap();
        assert!(versions.len() > 1, "{versions:?}");
        assert!(versions.iter().all(|it| it.starts_with("GLIBC_")));
        assert!(!found.text_relocations && !found.old_hash);
        assert_eq!(found.stack, Stack::Plain);
    }

    #[test]
    fn libraries_of_a_jdk_are_opened_in_their_order() {
        let needed = ["libjava.so", "libc.so.6", "libverify.so"].map(str::to_owned);
        let found = Wishes {
            needed: needed.into(),
            ..Wishes::default()
        };
        assert!(found.of_jdk().eq(["libverify.so", "libjava.so"]));
        assert_eq!(Wishes::default().of_jdk().next(), None);
    }

    #[test]
    fn broken_files_are_no_files() {
        for form in [OF_64_BITS, OF_32_BITS] {
            let whole = file(&form, Some(6));
            for end in 0..whole.len() {
                let _ = wishes(&whole[..end]);
            }
            for at in 0..whole.len() {
                let mut broken = whole.clone();
                broken[at] ^= 0xff;
                let _ = wishes(&broken);
            }
        }
    }
}
