//! Where things lie that the machine and the VM lay out: functions in ELF files and what these ask for, arguments of
//! native calls, counters in the VM's performance memory.
//!
//! Bytes in, places out; whatever the bytes are, nothing panics.
#![forbid(unsafe_code)]

pub mod elf_symbols;
pub mod elf_target;
pub mod elf_wishes;
pub mod executable_stacks;
pub mod native_arguments;
pub mod perf_data;
