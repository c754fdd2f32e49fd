//! What the integration tests stand on: JDKs, Java programs, helper libraries,
//! the built product, and runs with a time limit.
//!
//! | module | its one job |
//! |---|---|
//! | [`jdk`] | the matrix as data; finding JDKs; what was *not run* |
//! | [`collector`] | the collectors of the matrix |
//! | [`product`] | `libjvmpi.so`, `xrun` and the agents, as `./check` built them |
//! | [`programs`] | programs that people run: javac, fop, h2 |
//! | [`document`] | commands that stand in documents |
//! | [`fixture`] | Java programs of `java/`, C helpers of `agents/` |
//! | [`hprof_ascii`] | what HPROF writes, read strictly |
//! | [`run`] | one run of a Java program |
//! | [`peer`] | what a profiled program connects to |
//! | [`report`] | lines that C helpers print |
//! | [`monitor_trace`] | monitor events as the trace agent writes them |
//! | [`census`] | counts of objects: the program's, the agent's, the VM's |
//! | [`samples`] | samples by method, and whether two sides agree |
//! | [`golden`] | files that all JDKs agree on |
//! | [`heap`] | a heap dump, ours or the VM's, and how two of them differ |
//! | [`rounds`] | what long proofs have done so far |
//! | [`long_run`] | how much of a long run is made, and what is told of it |
//! | [`faults`] | the faults of `mutants/` that tests must notice |

pub mod census;
pub mod collector;
pub mod document;
pub mod faults;
pub mod fixture;
pub mod golden;
pub mod heap;
pub mod hprof_ascii;
pub mod jdk;
pub mod long_run;
pub mod monitor_trace;
pub mod peer;
pub mod product;
pub mod programs;
pub mod python;
pub mod report;
pub mod rounds;
pub mod run;
pub mod samples;

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the workspace")
}

/// The target folder that cargo was told, or the workspace's own.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map(PathBuf::from)
        .map_or_else(|| workspace().join("target"), |path| workspace().join(path))
}

/// The target triple that the product was built for, if that is another one than the tests'
/// (`XRUN_TARGET`, which `tests/arm.sh run` and `tests/i386.sh` set).
pub fn cross() -> Option<String> {
    std::env::var("XRUN_TARGET").ok()
}

/// Whether that is 32-bit x86, which an x86-64 machine runs itself (`tests/i386.sh`).
pub fn is_i386() -> bool {
    cross().is_some_and(|triple| triple.starts_with("i586-"))
}

/// How many bytes an id has in dumps of the VM and of HPROF: as many as its words.
pub fn width_of_ids() -> usize {
    if is_i386() { 4 } else { 8 }
}

/// A folder of our own in the target folder.
pub fn scratch() -> PathBuf {
    let folder = target().join("xrun-tests");
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// Whether the long soaks are wanted (`./check --long`).
pub fn long() -> bool {
    std::env::var_os("XRUN_LONG").is_some_and(|value| value != "0")
}
