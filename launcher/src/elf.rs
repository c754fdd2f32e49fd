//! What an ELF file is built for, and what kind of agent it is.

use std::fmt;
use std::io::Read;
use std::path::Path;

use object::{Object, ObjectSymbol};

/// What a library or program is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    bits: u8,
    big_endian: bool,
    machine: u16,
}

impl Target {
    /// Reads the head of an ELF file; the error says what it is instead.
    pub(crate) fn of(path: &Path) -> Result<Self, String> {
        let mut head = [0; HEAD];
        std::fs::File::open(path)
            .map_err(|error| format!("cannot be read ({error})"))?
            .read_exact(&mut head)
            .map_err(|_| "is not an ELF library".to_owned())?;
        Self::from_head(&head).ok_or_else(|| "is not an ELF library".to_owned())
    }

    fn from_head(head: &[u8; HEAD]) -> Option<Self> {
        let [0x7f, b'E', b'L', b'F', class, data, .., m0, m1] = *head else {
            return None;
        };
        let bits = match class {
            1 => 32,
            2 => 64,
            _ => return None,
        };
        let (big_endian, machine) = match data {
            1 => (false, u16::from_le_bytes([m0, m1])),
            2 => (true, u16::from_be_bytes([m0, m1])),
            _ => return None,
        };
        Some(Self {
            bits,
            big_endian,
            machine,
        })
    }
}

/// Up to and including `e_machine`.
const HEAD: usize = 20;

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-bit ", self.bits)?;
        match self.machine {
            2 => write!(f, "SPARC"),
            3 => write!(f, "x86"),
            8 => write!(f, "MIPS"),
            20 | 21 => write!(f, "PowerPC"),
            22 => write!(f, "s390"),
            40 => write!(f, "ARM"),
            43 => write!(f, "SPARC V9"),
            50 => write!(f, "Itanium"),
            62 => write!(f, "x86-64"),
            183 => write!(f, "AArch64"),
            243 => write!(f, "RISC-V"),
            258 => write!(f, "LoongArch"),
            other => write!(f, "machine {other}"),
        }
    }
}

/// What a library can be to a VM, by its entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentKind {
    /// Has `JVM_OnLoad`: the VM's way of `-Xrun`, even with `Agent_OnLoad` beside it.
    Jvmpi,
    /// Has only `Agent_OnLoad`: the VM runs it as a JVMTI agent.
    Jvmti,
    /// Has neither.
    Neither,
}

/// What the symbol table of a library says.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    pub(crate) kind: AgentKind,
    /// Functions and data that others must provide.
    pub(crate) undefined: Vec<String>,
}

impl Symbols {
    /// Reads a library's dynamic symbols; the error says what is wrong with it.
    pub(crate) fn of(path: &Path) -> Result<Self, String> {
        let data = std::fs::read(path).map_err(|error| format!("cannot be read ({error})"))?;
        let file = object::File::parse(&*data)
            .map_err(|error| format!("is damaged or not an ELF library ({error})"))?;
        if file.kind() != object::ObjectKind::Dynamic {
            return Err("is an ELF file, but not a shared library".to_owned());
        }
        let mut exported = (false, false);
        let mut undefined = Vec::new();
        for symbol in file.dynamic_symbols() {
            let Ok(name) = symbol.name() else { continue };
            if symbol.is_undefined() && !symbol.is_weak() && !name.is_empty() {
                undefined.push(name.to_owned());
            }
            if symbol.is_definition() && symbol.is_global() {
                exported.0 |= name == "JVM_OnLoad";
                exported.1 |= name == "Agent_OnLoad";
            }
        }
        let kind = match exported {
            (true, _) => AgentKind::Jvmpi,
            (false, true) => AgentKind::Jvmti,
            (false, false) => AgentKind::Neither,
        };
        Ok(Self { kind, undefined })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(class: u8, data: u8, machine: [u8; 2]) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, data]);
        head[18..].copy_from_slice(&machine);
        head
    }

    #[test]
    fn targets() {
        let name = |class, data, machine| {
            Target::from_head(&head(class, data, machine)).map(|t| t.to_string())
        };
        assert_eq!(name(2, 1, [62, 0]).as_deref(), Some("64-bit x86-64"));
        assert_eq!(name(1, 1, [3, 0]).as_deref(), Some("32-bit x86"));
        assert_eq!(name(1, 2, [0, 2]).as_deref(), Some("32-bit SPARC"));
        assert_eq!(name(2, 1, [1, 1]).as_deref(), Some("64-bit machine 257"));
        assert_eq!(name(3, 1, [62, 0]), None);
        assert_eq!(name(2, 0, [62, 0]), None);
        assert_eq!(Target::from_head(&[0; HEAD]), None);
    }

    #[test]
    fn own_program_is_no_library_to_be_loaded() {
        let this = std::env::current_exe().unwrap();
        assert!(Target::of(&this).is_ok());
        assert!(
            Target::of(Path::new("/nonexistent"))
                .unwrap_err()
                .contains("cannot be read")
        );
    }
}
