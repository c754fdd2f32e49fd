//! What is tested: the libraries and the program that `./check` built.
//!
//! Tests run what users run, the release build. `cargo test` does not build it,
//! so this checks that it is there and not older than its sources.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::{cross, target, workspace};

/// The folder with everything in it.
pub fn folder() -> PathBuf {
    let target = target();
    cross()
        .map_or_else(|| target.clone(), |triple| target.join(triple))
        .join("release")
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}

/// A file of the product.
///
/// # Panics
/// If it is missing or older than one of `sources`.
fn built(name: &str, sources: impl IntoIterator<Item = PathBuf>) -> PathBuf {
    built_by("cargo build --release", name, sources)
}

fn built_by(command: &str, name: &str, sources: impl IntoIterator<Item = PathBuf>) -> PathBuf {
    let path = folder().join(name);
    let Some(time) = modified(&path) else {
        panic!(
            "{} is not built: run `{command}` at the root (./check does)",
            path.display()
        );
    };
    for source in sources {
        if modified(&source).is_some_and(|changed| changed > time) {
            panic!(
                "{} is older than {}: run `{command}` at the root (./check does)",
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

/// What `./build-static` makes, to have an agent and the library under test in one: a tree with
/// `lib/pkgconfig` in it.
pub fn static_library() -> PathBuf {
    let tree = "../static/lib/xrun/libjvmpi.a";
    let archive = built_by("./build-static", tree, listed("libjvmpi.d"));
    let tree = archive.ancestors().nth(3).expect("a folder");
    tree.to_owned()
}

/// An agent of `legacy-agents` for 32-bit x86, for which [`shim`] starts `xrun-host32`.
///
/// # Errors
/// If the 32-bit side is not there, or older than its sources, or such programs do not run here.
pub fn agent_of_32_bits(name: &str) -> Result<PathBuf, String> {
    let folder = target().join("i586-unknown-linux-gnu/release");
    let library = folder.join(format!("libjvmpi_{name}.so"));
    let host = modified(&folder.join("xrun-host32"));
    let (Some(host), true) = (host, library.exists()) else {
        return Err("./build-i386 has not been run".to_owned());
    };
    let sources = listed("../i586-unknown-linux-gnu/release/xrun-host32.d");
    let newer = |source: &PathBuf| modified(source).is_some_and(|changed| changed > host);
    if let Some(source) = sources.iter().find(|source| newer(source)) {
        return Err(format!(
            "xrun-host32 is older than {}; ./build-i386",
            source.display()
        ));
    }
    // Without words it says what it is for, and ends so.
    let runs = Command::new(folder.join("xrun-host32"))
        .output()
        .is_ok_and(|said| said.status.code() == Some(2));
    runs.then_some(library)
        .ok_or_else(|| "programs for 32-bit x86 do not run here".to_owned())
}

/// HPROF, the agent in Rust.
pub fn hprof() -> PathBuf {
    built("libhprof.so", listed("libhprof.d"))
}

/// The launcher.
pub fn xrun() -> PathBuf {
    built("xrun", listed("xrun.d"))
}

/// A command of it, which finds libraries beside itself: cargo lets tests load those that it builds for
/// them first, an HPROF without optimisation among them.
pub fn xrun_command() -> Command {
    let mut command = Command::new(xrun());
    command.env_remove("LD_LIBRARY_PATH");
    command
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
