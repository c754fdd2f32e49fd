//! What Linux offers, with nothing of ours in it but the reading of ELF files, and the words in which findings say where
//! code lies: memory that may be nonsense, mappings, barriers, the dynamic linker, its threads, clocks; and what its
//! processors differ in.

pub(crate) mod asymmetric_fence;
pub(crate) mod children;
pub(crate) mod cpu_clock;
pub(crate) mod futex;
pub(crate) mod imports;
pub(crate) mod library;
pub(crate) mod linked;
pub(crate) mod mapping;
pub(crate) mod memory;
pub(crate) mod once_memory;
pub(crate) mod own_words;
pub(crate) mod processor;
pub(crate) mod stack_guards;
pub(crate) mod stack_room;
pub(crate) mod tasks;
pub(crate) mod ticks;
