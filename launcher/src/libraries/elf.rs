//! What an ELF file is built for, and what kind of agent it is.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use object::{Object, ObjectSymbol, ReadCache, ReadRef};

use super::symbols_without_sections;

pub(crate) use native_layout::elf_target::Target;

/// Why a file is no library or program of ELF; what it says stands behind the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoLibrary {
    /// Why not.
    Unreadable(String),
    Empty,
    /// What another system, or Java, has in its place.
    Foreign(&'static str),
    /// An archive of objects.
    Archive,
    /// A program, say.
    NotShared,
    /// What is wrong with it.
    Damaged(String),
    SomethingElse,
}

impl NoLibrary {
    fn unreadable(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl fmt::Display for NoLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read ({error})"),
            Self::Empty => f.write_str("is empty"),
            Self::Foreign(what) => write!(f, "is {what}, not an ELF library"),
            Self::Archive => {
                f.write_str("is an archive of objects to be linked, not a shared library")
            }
            Self::NotShared => f.write_str("is an ELF file, but not a shared library"),
            Self::Damaged(error) => write!(f, "is damaged or not an ELF library ({error})"),
            Self::SomethingElse => f.write_str("is not an ELF library"),
        }
    }
}

/// What a library or program is built for; the error says what it is instead.
pub(crate) fn target_of(path: &Path) -> Result<Target, NoLibrary> {
    let mut head = [0; Target::HEAD];
    let mut file = File::open(path).map_err(NoLibrary::unreadable)?;
    if file.metadata().is_ok_and(|data| data.len() == 0) {
        return Err(NoLibrary::Empty);
    }
    file.read_exact(&mut head)
        .map_err(|_| NoLibrary::SomethingElse)?;
    Target::from_head(&head).ok_or_else(|| what_else(&head))
}

/// What a file is that is no ELF file.
fn what_else(head: &[u8]) -> NoLibrary {
    NoLibrary::Foreign(match head {
        [b'M', b'Z', ..] => "a DLL of Windows",
        // A class file's version, which is 45 at least, stands where several of macOS are counted.
        [0xca, 0xfe, 0xba, 0xbe, _, _, _, 45..=255, ..] => "a class of Java",
        // Mach-O of 32 and 64 bits in both byte orders, and several in one file.
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..]
        | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..]
        | [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..] => "a library of macOS",
        // PA-RISC of all generations, by its system's own format; later ones are ELF.
        [0x02, 0x0b | 0x10 | 0x14, 0x01, 0x06..=0x0e, ..] => "a library of HP-UX",
        [0x01, 0xdf | 0xf7, ..] => "a library of AIX",
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => return NoLibrary::Archive,
        _ => return NoLibrary::SomethingElse,
    })
}

/// What a library can be to a VM, by its entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentKind {
    /// Has `JVM_OnLoad`: the VM's way of `-Xrun`, even with `Agent_OnLoad` beside it.
    Jvmpi,
    /// Has only `Agent_OnLoad`: the VM runs it as a JVMTI agent.
    Jvmti,
    /// A JVMPI agent and what is in libjvmpi.so, in one (`libjvmpi.a`): runs without that.
    WithShim,
    /// Has neither.
    Neither,
}

/// What the symbol table of a library says.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    pub(crate) kind: AgentKind,
    /// A VM can start it as a JVMTI agent, whatever else it is.
    pub(crate) has_agent_on_load: bool,
    /// Functions and data that others must provide.
    pub(crate) undefined: Vec<String>,
}

impl Symbols {
    /// Reads a library's dynamic symbols; the error says what is wrong with it.
    pub(crate) fn of(path: &Path) -> Result<Self, NoLibrary> {
        let data = parts_of(path)?;
        let file = parse(&data)?;
        if file.kind() != object::ObjectKind::Dynamic {
            return Err(NoLibrary::NotShared);
        }
        let mut exported = (false, false);
        let mut has_shim = false;
        let mut undefined = Vec::new();
        let mut add = |name: &str, is_needed: bool, is_offered: bool| {
            if is_needed && !name.is_empty() {
                undefined.push(name.to_owned());
            }
            if is_offered {
                exported.0 |= name == "JVM_OnLoad";
                exported.1 |= name == "Agent_OnLoad";
                has_shim |= name == "Java_java_lang_JvmpiHooks_register";
            }
        };
        if file.sections().next().is_some() {
            for symbol in file.dynamic_symbols() {
                let Ok(name) = symbol.name() else { continue };
                add(
                    name,
                    symbol.is_undefined() && !symbol.is_weak(),
                    symbol.is_definition() && symbol.is_global(),
                );
            }
        } else {
            let data = std::fs::read(path).map_err(NoLibrary::unreadable)?;
            for symbol in symbols_without_sections::symbols(&data) {
                add(
                    &symbol.name,
                    symbol.is_undefined && !symbol.is_weak,
                    !symbol.is_undefined && symbol.is_global,
                );
            }
        }
        let kind = match exported {
            (true, _) => AgentKind::Jvmpi,
            (false, true) if has_shim => AgentKind::WithShim,
            (false, true) => AgentKind::Jvmti,
            (false, false) => AgentKind::Neither,
        };
        Ok(Self {
            kind,
            has_agent_on_load: exported.1,
            undefined,
        })
    }
}

/// The functions and data that a library has for others; none of one that cannot be read.
pub(crate) fn defined_by(path: &Path) -> HashSet<String> {
    let Ok(data) = parts_of(path) else {
        return HashSet::new();
    };
    let file = parse(&data).ok();
    let symbols = file.iter().flat_map(|file| file.dynamic_symbols());
    symbols
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect()
}

/// A file of which only what is asked for is read: of tens of megabytes most is the debugger's, and the
/// program waits for its start meanwhile.
fn parts_of(path: &Path) -> Result<ReadCache<Blocks>, NoLibrary> {
    let file = File::open(path).map_err(NoLibrary::unreadable)?;
    Ok(ReadCache::new(Blocks {
        file,
        at: 0,
        first: 0,
        block: Vec::new(),
    }))
}

/// Of a file the block that was asked for last: names of symbols are asked for one by one.
struct Blocks {
    file: File,
    at: u64,
    /// Where the block begins.
    first: u64,
    block: Vec<u8>,
}

impl Read for Blocks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        const BLOCK: usize = 64 << 10;
        let known = |blocks: &Self| {
            let from = usize::try_from(blocks.at.checked_sub(blocks.first)?).ok()?;
            blocks
                .block
                .get(from..)
                .map(<[u8]>::len)
                .filter(|&left| left > 0)
        };
        if known(self).is_none() {
            if into.len() >= BLOCK {
                let read = self.file.read_at(into, self.at)?;
                self.at += read as u64;
                return Ok(read);
            }
            self.block.resize(BLOCK, 0);
            let read = self.file.read_at(&mut self.block, self.at);
            self.block.truncate(read.as_ref().copied().unwrap_or(0));
            self.first = self.at;
            read?;
        }
        let count = known(self).unwrap_or(0).min(into.len());
        let from = (self.at - self.first) as usize;
        if let (Some(found), Some(into)) =
            (self.block.get(from..from + count), into.get_mut(..count))
        {
            into.copy_from_slice(found);
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Blocks {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(by) => (self.file.metadata()?.len(), by),
            SeekFrom::Current(by) => (self.at, by),
        };
        self.at = from
            .checked_add_signed(by)
            .ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

fn parse<'data, R: ReadRef<'data>>(data: R) -> Result<object::File<'data, R>, NoLibrary> {
    object::File::parse(data).map_err(|error| NoLibrary::Damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_other_systems_are_known() {
        for (head, part) in [
            (&b"MZ\x90\0"[..], "Windows"),
            (b"\xcf\xfa\xed\xfe\x07", "macOS"),
            (b"\xfe\xed\xfa\xce\0", "macOS"),
            (b"\xca\xfe\xba\xbf\0\0\0\x02", "macOS"),
            (b"\xca\xfe\xba\xbe\0\0\0\x02", "macOS"),
            (b"\xca\xfe\xba\xbe\0\0\0\x31", "class of Java"),
            (b"\x02\x10\x01\x0e\x05", "HP-UX"),
            (b"\x01\xdf\0\x04", "AIX"),
            (b"!<arch>\n/", "archive"),
            (b"#!/bin/sh", "is not an ELF library"),
        ] {
            assert!(what_else(head).to_string().contains(part), "{part}");
        }
    }

    #[test]
    fn own_program_is_no_library_to_be_loaded() {
        let this = std::env::current_exe().unwrap();
        assert!(target_of(&this).is_ok());
        assert!(
            target_of(Path::new("/nonexistent"))
                .unwrap_err()
                .to_string()
                .starts_with("cannot be read (")
        );
    }
}
