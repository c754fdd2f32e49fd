//! What no specification promises and HotSpot has: exported `JVM_*` functions, its own structures,
//! AsyncGetCallTrace, performance counters. Each is tried before it is trusted, and there is a way
//! without it: [`event_translate::internals`] has them all, and [`found`] what was found.
//!
//! Each folder and file knows only those above it in this list:
//!
//! | | what lives there |
//! |---|---|
//! | `vm_address` | addresses that the VM has given, and what is read there |
//! | [`frame_layout`], `perf_memory` | how code and frames are laid out; what the VM tells other processes of its heap |
//! | [`found`] | what was found, in one struct |
//! | `structures`, [`flags`], [`halt`] | where fields lie in the VM's structures; its flags; its own end of the process |
//! | [`threads`] | a thread: its JNIEnv, its number, what it does, its pending exception |
//! | [`vm_monitors`], [`library_loader`] | Java monitors; loading a library as the VM does |
//! | [`heap`] | the heap: collections, how full it is, its dump, weak references |
//! | [`classes`] | classes: their loaders and modules, who signed them, linking, their new code |
//! | [`virtual_threads`] | virtual threads: which one a carrier runs, and who makes them |
//! | [`stacks`] | stacks: of running threads, and the calling thread's own without the VM |
//! | [`finding`] | all of it is looked up there |

pub(crate) mod classes;
pub(crate) mod finding;
pub(crate) mod flags;
pub(crate) mod found;
pub(crate) mod frame_layout;
pub(crate) mod halt;
pub(crate) mod heap;
pub(crate) mod library_loader;
mod perf_memory;
pub(crate) mod stacks;
mod structures;
pub(crate) mod threads;
pub(crate) mod virtual_threads;
mod vm_address;
pub(crate) mod vm_monitors;
