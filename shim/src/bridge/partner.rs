//! The other process.
//!
//! # Threads
//! One waits for its end, and is the VM's for a moment when the agent has died; one serves its requests for lanes.
#![allow(unsafe_code, reason = "the agent's end is that of its process")]

use std::io::PipeWriter;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use lanes::{Mapped, PROGRAM, State};

use crate::agent::{process, table};
use crate::base::boundary::{guarded, unlogged};
use crate::base::{log, patience};
use crate::os::library;
use crate::vm::this_vm;

/// The process in which the agent runs.
pub(super) struct Partner {
    pub(super) region: Mapped,
    gone: AtomicBool,
    /// The agent has called exit().
    exits: AtomicBool,
    /// The VM's, and not that of a child which it forks.
    pid: u32,
    /// Its other end says there that we are gone.
    _life: PipeWriter,
}

static PARTNER: OnceLock<Partner> = OnceLock::new();

/// The other process, if it still runs.
pub(super) fn alive() -> Option<&'static Partner> {
    PARTNER.get().filter(|partner| !partner.is_gone())
}

impl Partner {
    /// Whether it has ended.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// The conversation is over with the process. If the agent has called exit(), that does not return: this
    /// process is about to end as well.
    pub(super) fn stay_if_it_exits(&self) {
        if self.exits.load(Ordering::Acquire) {
            patience::OTHER_PROCESS_ENDS.until(|| false);
        }
    }
}

/// What is done beside the program's threads.
pub(super) struct Beside {
    /// Serves the other process's requests, as long as it lives.
    pub(super) serve: fn(),
    /// Lets those go on who wait for an agent that is gone.
    pub(super) wake: fn(),
}

/// Starts the other process with this library.
pub(super) fn start(library: &Path, beside: Beside) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("the agent's process cannot be made: {error}");
    if PARTNER.get().is_some() {
        return Err("a 32-bit agent has been started already, and there is one a VM".to_owned());
    }
    let (region, memory) = Mapped::create().map_err(failed)?;
    let (pipe, life) = std::io::pipe().map_err(failed)?;
    let program = host_program()?;
    let mut command = Command::new(&program);
    command
        .arg(std::process::id().to_string())
        .arg(memory.as_raw_fd().to_string())
        .arg(pipe.as_raw_fd().to_string())
        .arg(library);
    hand_down(&mut command, [memory.as_raw_fd(), pipe.as_raw_fd()]);
    let mut child = command
        .spawn()
        .map_err(|error| cannot_run(&program, &error))?;
    let mut ended = None;
    let settled = patience::OTHER_PROCESS.until(|| {
        ended = child.try_wait().ok().flatten();
        ended.is_some() || region.state() != State::Starting
    });
    if !settled || ended.is_some() || region.state() != State::Ready {
        // What it has to say it has said on stderr.
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!(
            "{} could not load it (its own line says why, or `xrun doctor`)",
            program.display()
        ));
    }
    let Beside { serve, wake } = beside;
    let partner = Partner {
        region,
        gone: AtomicBool::new(false),
        exits: AtomicBool::new(false),
        pid: std::process::id(),
        _life: life,
    };
    if PARTNER.set(partner).is_err() {
        return Err("a 32-bit agent has been started already, and there is one a VM".to_owned());
    }
    thread::Builder::new()
        .spawn(move || unlogged("the end of the agent's process", || watch(child, wake)))
        .map_err(failed)?;
    thread::Builder::new()
        .spawn(move || unlogged("the agent's own threads", serve))
        .map_err(failed)?;
    // SAFETY: a function without arguments; we are never unloaded.
    unsafe { libc::atexit(at_exit) };
    Ok(())
}

/// The program has these descriptors under their numbers: through /proc it could not open them where the VM may not be
/// looked into (a java that may be run and not read, or has capabilities).
fn hand_down(command: &mut Command, descriptors: [RawFd; 2]) {
    let hand_down = move || {
        for descriptor in descriptors {
            // SAFETY: numbers only.
            if unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } < 0 {
                return Err(std::io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: nothing but calls of the kernel's; no other child of the program's has the descriptors.
    unsafe { command.pre_exec(hand_down) };
}

fn cannot_run(program: &Path, error: &std::io::Error) -> String {
    let how = match error.raw_os_error() {
        Some(libc::ENOEXEC) => {
            "; this machine runs programs for x86 once it has qemu-user (Debian: qemu-user-static)"
        }
        // What is not there is its dynamic linker.
        Some(libc::ENOENT) if program.is_file() => {
            "; it needs the C library for programs of 32 bits (Debian: lib32gcc-s1, which brings libc6-i386)"
        }
        _ => "",
    };
    format!("{} cannot be run: {error}{how}", program.display())
}

fn host_program() -> Result<PathBuf, String> {
    let own = library::own_path().unwrap_or_default();
    let folder = own.parent().unwrap_or(Path::new(""));
    lanes::program(folder).ok_or_else(|| {
        format!(
            "it is for 32-bit x86, this VM is not, and {PROGRAM}, in which it would run, is not in {}; ./build-i386 in xrun's sources makes it",
            folder.display()
        )
    })
}

/// Waits for the other process's end.
fn watch(mut child: Child, wake: fn()) {
    let status = child.wait();
    let Some(partner) = PARTNER.get() else { return };
    let (ends, failed) = match partner.region.state() {
        State::Starting | State::Ready => (false, false),
        State::Failed => (false, true),
        State::Ending | State::Left => (true, false),
    };
    let exited = status.as_ref().ok().and_then(ExitStatus::code);
    // Where our own process has failed the agent has not asked for an end.
    let exited = exited.filter(|_| !ends && !failed);
    partner.exits.store(exited.is_some(), Ordering::Release);
    partner.gone.store(true, Ordering::Release);
    partner.region.wake_all();
    match exited {
        // exit() in an agent ends the process that it is in.
        Some(code) => process::exit_beside_callbacks(code, this_vm::phase()),
        None if ends => {}
        None => {
            table::forget_agent();
            match status.ok().and_then(|status| status.signal()) {
                Some(signal) => log::warning!(
                    "the agent's process was ended by signal {signal}; the program goes on without the agent"
                ),
                // The kernel tells nobody where the program ignores SIGCHLD.
                None if !failed => log::warning!(
                    "the agent's process has ended; the program goes on without the agent"
                ),
                None => log::warning!(
                    "the agent's process has failed (its own line says why); the program goes on without the agent"
                ),
            }
            wake();
        }
    }
}

/// The agent's exit handlers run before the program has ended.
extern "C" fn at_exit() {
    guarded("exit", (), || {
        if let Some(partner) = alive().filter(|partner| partner.pid == std::process::id()) {
            partner.region.set_state(State::Ending);
            if !patience::OTHER_PROCESS_ENDS.until(|| partner.is_gone()) {
                partner.region.set_state(State::Left);
                log::warning!(
                    "the agent's exit handlers take long; the program ends without them, and they go on alone"
                );
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose dynamic linker is missing is not the one that is missing.
    #[test]
    fn the_c_library_is_named_where_it_lacks() {
        let gone = std::io::Error::from_raw_os_error(libc::ENOENT);
        let own = std::env::current_exe().unwrap();
        assert!(cannot_run(&own, &gone).contains("; it needs the C library"));
        assert!(cannot_run(Path::new("/nowhere/xrun-host32"), &gone).ends_with("(os error 2)"));
    }
}
