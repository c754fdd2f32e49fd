//! What a library or program asks of the dynamic linker.

use std::fs::File;
use std::path::{Path, PathBuf};

use object::read::elf::{Dyn as _, FileHeader, ProgramHeader as _, SectionTable};
use object::{Endianness, FileKind, ReadCache, ReadRef, elf};

/// What it says of the stacks of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stack {
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
pub(crate) struct Wishes {
    /// The program that loads it, if it is one.
    pub(crate) loader: Option<PathBuf>,
    /// Libraries.
    pub(crate) needed: Vec<String>,
    /// Versions of symbols, by the library that has them.
    pub(crate) versions: Vec<(String, Vec<String>)>,
    /// Its code is to be written to when it is loaded.
    pub(crate) text_relocations: bool,
    pub(crate) stack: Stack,
    /// Its symbols can be found by the first kind of hash table only.
    pub(crate) old_hash: bool,
}

impl Wishes {
    /// Reads a file, which may be large, and of which little is read; `None` if that is not possible.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let data = ReadCache::new(File::open(path).ok()?);
        if FileKind::parse(&data).ok()? == FileKind::Elf32 {
            read::<elf::FileHeader32<Endianness>, _>(&data)
        } else {
            read::<elf::FileHeader64<Endianness>, _>(&data)
        }
    }
}

/// The libraries that one needs and that are no system's, which any program may be linked with: one of
/// them may have what it has not itself.
pub(crate) fn parts_of(library: &Path) -> Vec<String> {
    const OF_THE_SYSTEM: [&str; 19] = [
        "libc",
        "libdl",
        "libm",
        "libpthread",
        "librt",
        "libgcc_s",
        "libstdc++",
        "libresolv",
        "libnsl",
        "libutil",
        "libcrypt",
        "libz",
        "libatomic",
        "libX11",
        "libXt",
        "libjvm",
        "libjava",
        "libverify",
        "libhpi",
    ];
    let mut needed = Wishes::of(library).unwrap_or_default().needed;
    needed.retain(|file| {
        let stem = file.split('.').next().unwrap_or(file);
        !OF_THE_SYSTEM.contains(&stem)
            && !stem.starts_with("ld-")
            && !stem.starts_with("libstdc++-")
    });
    needed
}

fn read<'data, Header, Data>(data: Data) -> Option<Wishes>
where
    Header: FileHeader<Endian = Endianness>,
    Data: ReadRef<'data>,
{
    const DF_TEXTREL: u64 = 4;
    let header = Header::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let mut wishes = Wishes {
        stack: Stack::Unmarked,
        ..Wishes::default()
    };
    for segment in header.program_headers(endian, data).ok()? {
        if let Ok(Some(loader)) = segment.interpreter(endian, data) {
            wishes.loader = Some(text(loader).into());
        }
        if segment.p_type(endian) == elf::PT_GNU_STACK {
            let executable = segment.p_flags(endian).0 & elf::PF_X.0 != 0;
            wishes.stack = if executable {
                Stack::Executable
            } else {
                Stack::Plain
            };
        }
    }
    let sections = header.sections(endian, data).ok()?;
    let (entries, strings) = sections.dynamic(endian, data).ok()??;
    let strings = sections.strings(endian, data, strings).ok()?;
    let (mut old, mut new) = (false, false);
    for entry in entries {
        match entry.tag(endian) {
            elf::DT_NEEDED => wishes
                .needed
                .extend(entry.string(endian, strings).ok().map(text)),
            elf::DT_TEXTREL => wishes.text_relocations = true,
            elf::DT_FLAGS => {
                wishes.text_relocations |= entry.d_val(endian).into() & DF_TEXTREL != 0;
            }
            elf::DT_HASH => old = true,
            elf::DT_GNU_HASH => new = true,
            _ => {}
        }
    }
    wishes.old_hash = old && !new;
    wishes.versions = versions(&sections, endian, data).unwrap_or_default();
    Some(wishes)
}

fn versions<'data, Header, Data>(
    sections: &SectionTable<'data, Header, Data>,
    endian: Endianness,
    data: Data,
) -> Option<Vec<(String, Vec<String>)>>
where
    Header: FileHeader<Endian = Endianness>,
    Data: ReadRef<'data>,
{
    let (mut libraries, strings) = sections.gnu_verneed(endian, data).ok()??;
    let strings = sections.strings(endian, data, strings).ok()?;
    let mut found = Vec::new();
    while let Some((library, mut wanted)) = libraries.next().ok()? {
        let mut versions = Vec::new();
        while let Some(version) = wanted.next().ok()? {
            versions.extend(version.name(endian, strings).ok().map(text));
        }
        versions.sort();
        found.extend(
            library
                .file(endian, strings)
                .map(|file| (text(file), versions)),
        );
    }
    found.sort();
    Some(found)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_this_program() {
        let wishes = Wishes::of(&std::env::current_exe().unwrap()).unwrap();
        assert!(wishes.loader.is_some_and(|loader| loader.exists()));
        assert!(wishes.needed.iter().any(|name| name == "libc.so.6"));
        let libc = wishes.versions.iter().find(|(name, _)| name == "libc.so.6");
        assert!(
            libc.is_some_and(|(_, versions)| versions.iter().all(|it| it.starts_with("GLIBC_")))
        );
        assert!(!wishes.text_relocations);
        assert_eq!(wishes.stack, Stack::Plain);
        assert_eq!(Wishes::of(Path::new("/nowhere")), None);
    }
}
