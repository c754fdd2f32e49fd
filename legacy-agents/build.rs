//! Compiles the C agents into shared libraries in the profile folder.
//!
//! A library is written under a temporary name and renamed into place, so that a running JVM keeps
//! the file it has mapped. Its time stamp is that of its newest source: Cargo can then watch it and
//! run this script again when it is missing, without running it again because it is new.
#![allow(
    clippy::print_stdout,
    reason = "a build script talks to Cargo on stdout"
)]

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::SystemTime;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One shared library.
struct Agent {
    library: &'static str,
    sources: &'static [&'static str],
    cpp: bool,
}

const AGENTS: &[Agent] = &[
    Agent {
        library: "libjvmpi_trace.so",
        sources: &[
            "trace/trace.c",
            "trace/choose.c",
            "trace/names.c",
            "trace/format.c",
            "trace/selftest.c",
            "shared/options.c",
            "shared/events.c",
            "shared/class_file.c",
        ],
        cpp: false,
    },
    Agent {
        library: "libjvmpi_sampler.so",
        sources: &[
            "sampler/sampler.c",
            "sampler/tables.c",
            "sampler/report.c",
            "shared/options.c",
        ],
        cpp: false,
    },
    Agent {
        library: "libjvmpi_check.so",
        sources: &[
            "check/check.c",
            "check/settings.c",
            "check/rules.c",
            "check/phase.c",
            "check/bracket.c",
            "check/threads.c",
            "check/classes.c",
            "check/class_names.c",
            "check/objects.c",
            "check/moves.c",
            "check/mentions.c",
            "check/arenas.c",
            "check/refs.c",
            "check/methods.c",
            "check/monitors.c",
            "check/monitor_dumps.c",
            "check/heap_dumps.c",
            "check/requests.c",
            "check/frames.c",
            "check/drivers.c",
            "check/suspensions.c",
            "check/report.c",
            "check/table.c",
            "check/registry.c",
            "shared/options.c",
            "shared/events.c",
        ],
        cpp: false,
    },
    Agent {
        library: "libjvmpi_rude.so",
        sources: &[
            "rude/rude.c",
            "rude/modes.c",
            "rude/calls.c",
            "rude/handler.c",
            "rude/monitors.c",
            "rude/threads.c",
            "rude/hook.c",
            "shared/options.c",
            "shared/events.c",
            "shared/class_file.c",
        ],
        cpp: false,
    },
    Agent {
        library: "libjvmpi_counter.so",
        sources: &["examples/counter.c", "shared/options.c"],
        cpp: false,
    },
    Agent {
        library: "libjvmpi_coverage.so",
        sources: &["examples/coverage.c", "shared/options.c"],
        cpp: false,
    },
    Agent {
        library: "libjvmpi_dump.so",
        sources: &[
            "dump/dump.c",
            "dump/choose.c",
            "dump/describe.c",
            "dump/ask.c",
            "shared/options.c",
        ],
        cpp: false,
    },
    Agent {
        library: "libjvmpi_throw.so",
        sources: &["rude/throw.cc"],
        cpp: true,
    },
];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error=legacy-agents: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let profile = profile_folder()?;
    let mut includes = vec![root.join("../jvmpi-headers/include"), root.join("shared")];
    includes.extend(jni_folders()?);
    let headers = headers(&root)?;
    for header in &headers {
        println!("cargo::rerun-if-changed={}", header.display());
    }
    for agent in AGENTS {
        for source in agent.sources {
            println!("cargo::rerun-if-changed={source}");
        }
        let place = profile.join(agent.library);
        println!("cargo::rerun-if-changed={}", place.display());
        match compiler(agent, &includes) {
            Ok(command) => link(agent, command, &root, &headers, &place)?,
            Err(error) if agent.cpp => {
                println!("cargo::warning={} left out: {error}", agent.library);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Those beside the sources, and JVMPI's.
fn headers(root: &Path) -> Result<Vec<PathBuf>> {
    let sources = AGENTS.iter().flat_map(|agent| agent.sources);
    let folders = sources.filter_map(|source| Path::new(source).parent());
    let mut folders: BTreeSet<_> = folders.map(|folder| root.join(folder)).collect();
    folders.insert(root.join("../jvmpi-headers/include"));
    let mut headers = Vec::new();
    for folder in folders {
        for file in fs::read_dir(folder)? {
            let file = file?.path();
            if file.extension().is_some_and(|extension| extension == "h") {
                headers.push(file);
            }
        }
    }
    Ok(headers)
}

/// Where the libraries belong: `OUT_DIR` is `<profile>/build/<package>-<hash>/out`.
fn profile_folder() -> Result<PathBuf> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    let folder = out.ancestors().nth(3).ok_or("OUT_DIR is too short")?;
    Ok(folder.to_path_buf())
}

fn variable(name: &str) -> Result<OsString> {
    env::var_os(name).ok_or_else(|| format!("{name} is not set").into())
}

fn compiler(agent: &Agent, includes: &[PathBuf]) -> Result<Command> {
    let tool = cc::Build::new()
        .cpp(agent.cpp)
        .opt_level(2)
        .debug(true)
        .pic(true)
        .includes(includes)
        .try_get_compiler()
        .map_err(|_| missing_compiler(agent))?;
    if !(tool.is_like_gnu() || tool.is_like_clang()) {
        return Err("the agents need gcc or clang".into());
    }
    // Asking for the tool does not say that it exists.
    let there = Command::new(tool.path()).arg("--version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        return Err(missing_compiler(agent).into());
    }
    let mut command = tool.to_command();
    command.args(["-Wall", "-Wextra", "-fvisibility=hidden", "-shared"]);
    command.arg(if agent.cpp {
        "-std=c++11"
    } else {
        "-std=gnu99"
    });
    Ok(command)
}

fn missing_compiler(agent: &Agent) -> String {
    let package = if agent.cpp { "g++" } else { "gcc" };
    format!("no compiler found; install one (Debian: apt-get install {package})")
}

fn link(
    agent: &Agent,
    mut command: Command,
    root: &Path,
    headers: &[PathBuf],
    place: &Path,
) -> Result<()> {
    let fresh = place.with_extension(format!("so.{}", std::process::id()));
    command.arg("-o").arg(&fresh);
    command.args(agent.sources.iter().map(|source| root.join(source)));
    command.args(["-Wl,-z,defs", "-lpthread"]);
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        // Nothing was written, or half a library: either way it is not wanted.
        drop(fs::remove_file(&fresh));
        return Err(format!("{}: {}", agent.library, said.replace('\n', " | ")).into());
    }
    for line in said.lines() {
        println!("cargo::warning={line}");
    }
    fs::File::open(&fresh)?.set_modified(newest(agent, root, headers)?)?;
    fs::rename(&fresh, place)?;
    Ok(())
}

fn newest(agent: &Agent, root: &Path, headers: &[PathBuf]) -> Result<SystemTime> {
    let mut time = SystemTime::UNIX_EPOCH;
    let sources = agent.sources.iter().map(|source| root.join(source));
    for file in sources.chain(headers.iter().cloned()) {
        time = time.max(fs::metadata(file)?.modified()?);
    }
    Ok(time)
}

/// The folders of `jni.h` and `jni_md.h`.
fn jni_folders() -> Result<Vec<PathBuf>> {
    let found = candidates().into_iter().find_map(|include| {
        let md = machine_folder(&include)?;
        include.join("jni.h").is_file().then(|| vec![include, md])
    });
    found.ok_or_else(|| {
        "jni.h not found; install a JDK (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME".into()
    })
}

fn candidates() -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(home) = env::var_os("JAVA_HOME") {
        found.push(PathBuf::from(home).join("include"));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let javac = env::split_paths(&path).find_map(|folder| folder.join("javac").canonicalize().ok());
    if let Some(home) = javac.as_deref().and_then(|javac| javac.ancestors().nth(2)) {
        found.push(home.join("include"));
    }
    let mut installed: Vec<PathBuf> = fs::read_dir("/usr/lib/jvm")
        .map(|entries| {
            entries
                .flatten()
                .map(|entry| entry.path().join("include"))
                .collect()
        })
        .unwrap_or_default();
    installed.sort();
    found.extend(installed);
    found
}

/// The platform's subfolder (`linux`, …) that has `jni_md.h`.
fn machine_folder(include: &Path) -> Option<PathBuf> {
    fs::read_dir(include)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find(|folder| folder.join("jni_md.h").is_file())
}
