//! HPROF, the profiler that came with the JDK until version 8, for every JVM with
//! JVMPI: `-Xrunhprof:cpu=samples,file=profile.txt`.
//!
//! It is written against JVMPI's specification and knows nothing of the host, but that xrun's
//! may have options (`ffi/extension.rs`). The
//! bytes of JVMPI's dumps are read by `dump_format`, a library for that
//! format.
//!
//! | module | its one job |
//! |---|---|
//! | [`options`] | the text behind the colon |
//! | `ffi` | C: the host's functions and events, clocks, the entry point |
//! | `agent` | what is known |
//! | `start`, `handlers` | how it starts, what is done with each event |
//! | `classes`, `threads`, `traces`, `names` | names behind ids; stacks, each once |
//! | `samples`, `times`, `sites`, `counts`, `objects`, `locks`, `parks`, `global_refs` | what is measured |
//! | `sampler`, `looks`, `pace`, `calls`, `allocations`, `contention`, `of_thread` | how: who looks, what is counted at each event |
//! | `dump`, `snapshot`, [`profile`] | the moment of a dump, as plain data |
//! | [`estimate`] | what picked allocations stand for |
//! | `notes` | what whoever asked for it has to know of it |
//! | `heap` | the host's heap dump, with what we know of each object |
//! | `vm_dump` | what a dump by the VM's own dumper says of us |
//! | `rewriter`, `rewriting` | the profile so far, now and then |
//! | `progress` | what takes its time, on terminals |
//! | `output`, `tables`, `ascii`, `ascii_header`, `ascii_heap`, `binary`, `binary_heap`, [`formats`], `verbose` | how it is shown |
//! | `file`, `peer` | where it goes: a file, a program that listens |
//! | `net` | commands over a socket |

mod agent;
mod allocations;
mod amount;
mod ascii;
mod ascii_header;
mod ascii_heap;
mod binary;
mod binary_heap;
mod calls;
mod classes;
mod contention;
mod counts;
mod dump;
pub mod estimate;
mod ffi;
mod file;
pub mod formats;
mod global_refs;
mod handlers;
mod heap;
mod locks;
mod looks;
mod names;
mod net;
mod notes;
mod objects;
mod of_thread;
pub mod options;
mod output;
mod pace;
mod parks;
mod peer;
pub mod profile;
mod program;
mod progress;
mod rewriter;
mod rewriting;
mod sampler;
mod samples;
mod say;
mod sites;
mod snapshot;
mod start;
mod tables;
mod text;
mod threads;
mod times;
mod traces;
mod verbose;
mod vm_dump;
