//! A library's dynamic symbols as the dynamic linker finds them: by its segments. Files without section
//! headers (sstrip) can be read in no other way.

use object::read::elf::{
    Dyn as _, FileHeader, GnuHashTable, HashTable, ProgramHeader as _, Sym as _,
};
use object::{Endianness, FileKind, elf};

/// A symbol.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) is_undefined: bool,
    pub(crate) is_weak: bool,
    /// For others, too.
    pub(crate) is_global: bool,
}

/// The symbols in a file's bytes; none where they cannot be read.
pub(crate) fn symbols(data: &[u8]) -> Vec<Symbol> {
    let found = match FileKind::parse(data) {
        Ok(FileKind::Elf32) => read::<elf::FileHeader32<Endianness>>(data),
        Ok(FileKind::Elf64) => read::<elf::FileHeader64<Endianness>>(data),
        _ => None,
    };
    found.unwrap_or_default()
}

fn read<Header: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<Vec<Symbol>> {
    let header = Header::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    // What lies in the file from where this address is in memory.
    let at = |address: u64| {
        let mut loaded = segments
            .iter()
            .filter(|segment| segment.p_type(endian) == elf::PT_LOAD);
        loaded.find_map(|segment| {
            let offset = address.checked_sub(segment.p_vaddr(endian).into())?;
            let bytes = segment.data(endian, data).ok()?;
            bytes.get(usize::try_from(offset).ok()?..)
        })
    };
    let entries = segments
        .iter()
        .find_map(|segment| segment.dynamic(endian, data).ok()?)?;
    let value = |tag| -> Option<u64> {
        let entry = entries.iter().find(|entry| entry.tag(endian) == tag)?;
        Some(entry.d_val(endian).into())
    };
    let table = |tag| at(value(tag)?);
    let old_count = || {
        let hash = HashTable::<Header>::parse(endian, table(elf::DT_HASH)?).ok()?;
        Some(hash.symbol_table_length())
    };
    let new_count = || {
        let hash = GnuHashTable::<Header>::parse(endian, table(elf::DT_GNU_HASH)?).ok()?;
        hash.symbol_table_length(endian)
    };
    let count = old_count().or_else(new_count)?;
    let (symbols, _) = object::slice_from_bytes::<Header::Sym>(
        table(elf::DT_SYMTAB)?,
        usize::try_from(count).ok()?,
    )
    .ok()?;
    let names = table(elf::DT_STRTAB)?;
    let name = |symbol: &Header::Sym| {
        let from = names.get(usize::try_from(symbol.st_name(endian)).ok()?..)?;
        let end = from.iter().position(|&byte| byte == 0)?;
        Some(String::from_utf8_lossy(from.get(..end)?).into_owned())
    };
    let symbol = |symbol: &Header::Sym| {
        Some(Symbol {
            name: name(symbol)?,
            is_undefined: symbol.is_undefined(endian),
            is_weak: symbol.is_weak(),
            is_global: !symbol.is_local(),
        })
    };
    Some(symbols.iter().filter_map(symbol).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_folder::Folder;
    use crate::libraries::elf::{AgentKind, Symbols};

    /// Takes the section headers off, as sstrip does.
    fn without_sections(library: &mut [u8]) {
        const SHOFF: std::ops::Range<usize> = 40..48;
        const SHNUM_AND_SHSTRNDX: std::ops::Range<usize> = 60..64;
        library[SHOFF].fill(0);
        library[SHNUM_AND_SHSTRNDX].fill(0);
    }

    #[test]
    fn a_library_without_section_headers_has_its_symbols() {
        let folder = Folder::new("segments");
        for style in ["sysv", "gnu"] {
            let source = folder.file(
                "a.c",
                b"extern int other(void);\nint JVM_OnLoad(void) { return other(); }\n",
            );
            let library = folder.path("liba.so");
            let status = std::process::Command::new("cc")
                .args(["-shared", "-fPIC", "-nostdlib", "-o"])
                .args([&library, &source])
                .arg(format!("-Wl,--hash-style={style}"))
                .status();
            assert!(status.unwrap().success());
            let mut content = std::fs::read(&library).unwrap();
            without_sections(&mut content);
            std::fs::write(&library, &content).unwrap();
            let symbols = Symbols::of(&library).unwrap();
            assert_eq!(symbols.kind, AgentKind::Jvmpi, "{style}");
            assert_eq!(symbols.undefined, ["other"], "{style}");
            for end in (0..content.len()).step_by(97) {
                super::symbols(&content[..end]);
            }
        }
        assert_eq!(symbols(b"text"), []);
    }
}
