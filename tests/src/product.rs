//! What is tested: the libraries and the program that `./check` built.
//!
//! Tests run what users run, the release build. `cargo test` does not build it,
//! so this checks that it is there and not older than its sources.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::{target, workspace};

/// The folder with everything in it.
pub fn folder() -> PathBuf {
    target().join("release")
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}

/// A file of the product.
///
/// # Panics
/// If it is missing or older than one of `sources`.
fn built(name: &str, sources: impl IntoIterator<Item = PathBuf>) -> PathBuf {
    let path = folder().join(name);
    let Some(time) = modified(&path) else {
        panic!(
            "{} is not built: run `cargo build --release` at the root (./check does)",
            path.display()
        );
    };
    for source in sources {
        if modified(&source).is_some_and(|changed| changed > time) {
            panic!(
                "{} is older than {}: run `cargo build --release` at the root (./check does)",
                path.display(),
                source.display()
            );
        }
    }
    path
}

/// The sources that cargo lists for one of its products, `libjvmpi.d` say.
fn listed(list: &str) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(folder().join(list)).unwrap_or_default();
    let sources = list
        .split_once(':')
        .map(|(_, sources)| sources)
        .unwrap_or_default();
    // Blanks in paths are written `\ `.
    sources
        .replace("\\ ", "\0")
        .split_whitespace()
        .map(|word| PathBuf::from(word.replace('\0', " ")))
        .collect()
}

/// The library under test.
pub fn shim() -> PathBuf {
    built("libjvmpi.so", listed("libjvmpi.d"))
}

/// HPROF, the agent in Rust.
pub fn hprof() -> PathBuf {
    built("libhprof.so", listed("libhprof.d"))
}

/// The launcher.
pub fn xrun() -> PathBuf {
    built("xrun", listed("xrun.d"))
}

/// An agent of `legacy-agents`: `trace`, `sampler`, `rude` or `throw`.
pub fn agent(name: &str) -> PathBuf {
    let folder = workspace().join("legacy-agents");
    let sources = match name {
        "throw" => vec![folder.join("rude/throw.cc")],
        name => std::fs::read_dir(folder.join(name))
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default(),
    };
    let sources = sources
        .into_iter()
        .filter(|path| name == "throw" || path.extension() != Some(OsStr::new("cc")));
    built(&format!("libjvmpi_{name}.so"), sources)
}
