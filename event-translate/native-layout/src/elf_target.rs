//! What an ELF file is built for, by its first bytes.

use std::fmt;

/// What a library or program is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    bits: u8,
    big_endian: bool,
    machine: u16,
}

impl Target {
    /// How many bytes it takes to know: up to and including `e_machine`.
    pub const HEAD: usize = 20;

    /// What this code is built for; `None` for a processor that nobody has tried.
    pub const OWN: Option<Self> = {
        let machine = if cfg!(target_arch = "x86_64") {
            62
        } else if cfg!(target_arch = "x86") {
            3
        } else if cfg!(target_arch = "aarch64") {
            183
        } else {
            0
        };
        if machine == 0 {
            None
        } else {
            Some(Self {
                bits: if cfg!(target_pointer_width = "64") {
                    64
                } else {
                    32
                },
                big_endian: cfg!(target_endian = "big"),
                machine,
            })
        }
    };

    /// Reads the head of a file; `None` if it is not an ELF file.
    #[must_use]
    pub fn from_head(head: &[u8; Self::HEAD]) -> Option<Self> {
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

    /// Whether it is for x86-64, with pointers of 64 bits.
    #[must_use]
    pub fn is_x86_64(self) -> bool {
        self.bits == 64 && !self.big_endian && self.machine == 62
    }

    /// Whether it is for 32-bit x86.
    #[must_use]
    pub fn is_i386(self) -> bool {
        self.bits == 32 && !self.big_endian && self.machine == 3
    }

    /// Whether it is for AArch64.
    #[must_use]
    pub fn is_aarch64(self) -> bool {
        self.bits == 64 && !self.big_endian && self.machine == 183
    }

    /// Whether an agent for this can run in a process of its own beside a VM for that.
    #[must_use]
    pub fn runs_beside(self, vm: Self) -> bool {
        self.is_i386() && (vm.is_x86_64() || vm.is_aarch64())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: usize = Target::HEAD;

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
        let [old, x86_64, arm] = [(1, [3, 0]), (2, [62, 0]), (2, [183, 0])]
            .map(|(class, machine)| Target::from_head(&head(class, 1, machine)).unwrap());
        assert!(old.runs_beside(x86_64) && old.runs_beside(arm) && !old.runs_beside(old));
        assert!(!x86_64.runs_beside(arm) && !arm.runs_beside(x86_64));
        assert_eq!(name(2, 1, [62, 0]).as_deref(), Some("64-bit x86-64"));
        assert_eq!(name(1, 1, [3, 0]).as_deref(), Some("32-bit x86"));
        assert_eq!(name(1, 2, [0, 2]).as_deref(), Some("32-bit SPARC"));
        assert_eq!(name(2, 1, [1, 1]).as_deref(), Some("64-bit machine 257"));
        assert_eq!(name(3, 1, [62, 0]), None);
        assert_eq!(name(2, 0, [62, 0]), None);
        assert_eq!(Target::from_head(&[0; HEAD]), None);
    }
}
