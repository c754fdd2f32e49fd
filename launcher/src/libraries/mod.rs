//! Shared libraries and programs as files: what they are built for, what they have and need, and where they are found.
//! It knows `base`, and of the command line how agents are named; what a java makes of a library is above.
//!
//! | file | job |
//! |---|---|
//! | `symbols_without_sections` | a library's symbols, where it has no section headers |
//! | `elf` | what a library is built for, what it exports |
//! | `linker_needs` | what a file asks of the dynamic linker |
//! | `find` | which file is meant by `-Xrunfoo` |
//! | `needed_libraries` | those that a library needs, and agents in several of them |
//! | `executable_stacks` | agents that want one, where the C library refuses them |
//! | `library_path` | folders put on `LD_LIBRARY_PATH` |
//! | `source_lines` | files and lines of code in libraries |

pub(crate) mod elf;
pub(crate) mod executable_stacks;
pub(crate) mod find;
pub(crate) mod library_path;
pub(crate) mod linker_needs;
pub(crate) mod needed_libraries;
pub(crate) mod source_lines;
mod symbols_without_sections;
