//! `xrun replay`: a recording, played into an agent without a JVM.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use event_translate::arenas::Kind;
use event_translate::raw_text;
use event_translate::recording::Recording;

use crate::agent::XrunOption;
use crate::args::Globals;
use crate::say::{self, Failure};

/// Does what the words after `replay` say.
pub(crate) fn run(globals: &Globals, words: &[OsString]) -> Result<ExitCode, Failure> {
    let (mut file, mut agent, mut arenas) = (None, None, None);
    let mut globals = globals.clone();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--agent") => {
                let named = words.next().and_then(|word| XrunOption::from_tail(word));
                let missing = || {
                    Failure::xrun(
                        "--agent needs an agent after it: foo or /path/to/libfoo.so, and perhaps :options",
                    )
                };
                agent = Some(named.ok_or_else(missing)?);
            }
            Some("--agents") => {
                let missing = || Failure::xrun("--agents needs a folder after it");
                globals
                    .agents
                    .push(words.next().ok_or_else(missing)?.into());
            }
            Some(flag) if flag.starts_with("--agents=") => {
                let folder = flag.split_once('=').map(|(_, folder)| folder);
                globals.agents.extend(folder.map(PathBuf::from));
            }
            Some("--arenas") => arenas = Some(kind(words.next().and_then(|word| word.to_str()))?),
            Some(flag) if flag.starts_with("--arenas=") => {
                arenas = Some(kind(flag.split_once('=').map(|(_, name)| name))?);
            }
            Some(flag) if flag.starts_with('-') => {
                return Err(Failure::xrun(format!(
                    "{flag}: no flag of xrun replay (xrun --help says more)"
                )));
            }
            _ if file.is_none() => file = Some(word),
            _ => return Err(Failure::xrun("replay plays one recording at a time")),
        }
    }
    let Some(file) = file else {
        return Err(Failure::xrun(
            "replay needs a recording (xrun trace -o FILE makes one)",
        ));
    };
    play(&globals, file, agent.as_ref(), arenas)
}

/// The collector that is named behind --arenas.
fn kind(name: Option<&str>) -> Result<Kind, Failure> {
    name.and_then(Kind::from_name).ok_or_else(|| {
        let known: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        Failure::xrun(format!(
            "--arenas needs a model after it: {}",
            known.join(", ")
        ))
    })
}

fn play(
    globals: &Globals,
    file: &OsStr,
    agent: Option<&XrunOption>,
    arenas: Option<Kind>,
) -> Result<ExitCode, Failure> {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|error| Failure::xrun(format!("{name}: {error}")))?;
    // Threads of the agent may outlive everything.
    let bytes: &'static [u8] = bytes.leak();
    let recording =
        Recording::read(bytes).map_err(|error| Failure::xrun(format!("{name}: {error}")))?;
    for problem in recording.problems() {
        say::warn(&format!("{name}: {problem}"));
    }
    if let Some(trouble) = too_long(bytes.len() as u64) {
        say::warn(&format!("{name}: {trouble}"));
    }
    let recorded = OsString::from(&recording.header.agent);
    let library = find(globals, agent.map_or(&*recorded, |agent| &agent.name));
    if library.as_os_str().is_empty() {
        return Err(Failure::xrun(format!(
            "{name}: which agent was recorded is unknown; name one with --agent"
        )));
    }
    // Named without options it gets those that were recorded.
    let options = agent.and_then(|agent| agent.options.as_deref());
    let options = options.map(|options| Some(raw_text::decode(options.as_bytes())));
    let outcome = replay::replay(&recording, &library, options, arenas).map_err(Failure::agent)?;
    say::warn(&format!("replay: {}", outcome.summary));
    replay::exit(0)
}

/// Whether there may be too little memory for a recording of so many bytes.
fn too_long(bytes: u64) -> Option<String> {
    /// Measured: 709 MB took 8.9 GB and more.
    const TIMES: u64 = 15;
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    let (needed, free) = ((bytes * TIMES) >> 30, kib >> 20);
    (needed > free).then(|| {
        format!("a replay takes some {needed} GiB of memory, and {free} are free; record less of the run")
    })
}

/// A path as it is; a name where xrun looks for agents, and then where the linker does.
fn find(globals: &Globals, name: &OsStr) -> PathBuf {
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        return PathBuf::from(name);
    }
    let mut file = OsString::from(name);
    if !name.as_bytes().ends_with(b".so") {
        file = OsString::from("lib");
        file.push(name);
        file.push(".so");
    }
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let folders = globals.agents.iter().cloned();
    let here = name
        .as_bytes()
        .ends_with(b".so")
        .then(|| PathBuf::from("."));
    let mut places = folders
        .chain(here)
        .chain(own)
        .map(|folder| folder.join(&file));
    places.find(|place| place.exists()).unwrap_or(file.into())
}

#[cfg(test)]
mod tests {
    use super::too_long;

    #[test]
    fn a_recording_beyond_the_memory_is_told_of() {
        assert_eq!(too_long(1 << 20), None);
        let said = too_long(1 << 50).expect("a petabyte");
        assert!(said.contains("some 15728640 GiB"), "{said}");
    }
}
