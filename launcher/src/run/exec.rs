//! Becomes the command: same process, so that its exit code and all signals are
//! its own and nothing stands between it and its parent; or waits for it, where something is to
//! be done when it has ended.
//!
//! Rust's runtime sets SIGPIPE to ignored, and `Command::exec` sets it to the
//! default and empties the signal mask. A command under xrun shall find both as
//! it would without xrun, so they are remembered and put back.
//!
//! # Safety
//!
//! The functions called are async-signal-safe, and xrun has one thread.
#![allow(unsafe_code, reason = "signal state has no safe interface in std")]

use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use crate::base::say::{Failure, NOT_EXECUTABLE};

/// What xrun's parent had set for SIGPIPE: SIG_DFL or SIG_IGN, as no handler
/// survives an exec.
static SIGPIPE_BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);

/// Runs before Rust's runtime changes SIGPIPE.
#[used]
// SAFETY: the C library calls each entry of .init_array once, as a function
// whose arguments (C passes argc, argv, envp) may be left unread.
#[unsafe(link_section = ".init_array")]
static REMEMBER: extern "C" fn() = remember_sigpipe;

extern "C" fn remember_sigpipe() {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: a null new action only asks; the old one is written to our variable.
    let asked = unsafe { libc::sigaction(libc::SIGPIPE, std::ptr::null(), action.as_mut_ptr()) };
    if asked == 0 {
        // SAFETY: sigaction returned 0, so it has written the whole structure.
        let action = unsafe { action.assume_init() };
        // Relaxed: this thread's, and its child's after fork; below, the number of a process, which is
        // all that a handler reads.
        SIGPIPE_BEFORE.store(action.sa_sigaction, Ordering::Relaxed);
    }
}

/// Replaces this process by the command. Returns only if that failed.
pub(crate) fn become_command<'a>(
    program: &Path,
    words: &[OsString],
    environment: impl IntoIterator<Item = (&'a str, &'a OsString)>,
) -> Failure {
    let error = command(program, words, environment).exec();
    cannot(program, &error)
}

/// The process of the command that is waited for; 0 before there is one.
static COMMAND: AtomicI32 = AtomicI32::new(0);

/// Runs the command beside this process, and waits for it. Signals that would end this process
/// go to the command, which decides what comes of them; those of the terminal it has got itself.
pub(crate) fn wait_for_command<'a>(
    program: &Path,
    words: &[OsString],
    environment: impl IntoIterator<Item = (&'a str, &'a OsString)>,
    stdout: Stdio,
) -> Result<ExitStatus, Failure> {
    // The command gets the mask of now.
    let mut command = command(program, words, environment);
    command.stdout(stdout);
    // One that comes while there is no handler yet waits until there is.
    let mask = signal_mask();
    block(&HANDED_ON);
    block(&OF_THE_TERMINAL);
    let spawned = command.spawn();
    if let Ok(child) = &spawned {
        COMMAND.store(i32::try_from(child.id()).unwrap_or(0), Ordering::Relaxed);
    }
    for signal in HANDED_ON {
        handle(signal, hand_on);
    }
    for signal in OF_THE_TERMINAL {
        handle(signal, hand_on_what_was_sent);
    }
    if let Some(mask) = mask {
        // SAFETY: a mask that pthread_sigmask gave us.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut()) };
    }
    let mut child = spawned.map_err(|error| cannot(program, &error))?;
    let status = child.wait();
    COMMAND.store(0, Ordering::Relaxed);
    status.map_err(|error| cannot(program, &error))
}

/// Signals that are the command's.
const HANDED_ON: [libc::c_int; 4] = [libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// Signals that the command gets itself where they come from the terminal.
const OF_THE_TERMINAL: [libc::c_int; 2] = [libc::SIGINT, libc::SIGQUIT];

/// Keeps these signals back.
fn block(signals: &[libc::c_int]) {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: it writes the whole set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: written just now.
    let mut set = unsafe { set.assume_init() };
    for signal in signals {
        // SAFETY: a set, and a signal that there is.
        unsafe { libc::sigaddset(&raw mut set, *signal) };
    }
    // SAFETY: a set; the mask before is asked for elsewhere.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
}

type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// From now on this handler is called for the signal.
fn handle(signal: libc::c_int, handler: Handler) {
    // SAFETY: a structure of C's for which zeros are empty values.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // Waiting for the command goes on.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: a whole action; the handler calls nothing but kill, which is async-signal-safe.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}

/// From the terminal the command has got it, too; what was sent to this process alone is the command's.
extern "C" fn hand_on_what_was_sent(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel gives a handler of this kind the signal's data.
    if unsafe { (*info).si_code } != libc::SI_KERNEL {
        hand_on(signal, info, context);
    }
}

extern "C" fn hand_on(signal: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let command = COMMAND.load(Ordering::Relaxed);
    if command > 0 {
        // SAFETY: the number of a child that has not been waited for.
        unsafe { libc::kill(command, signal) };
    }
}

fn command<'a>(
    program: &Path,
    words: &[OsString],
    environment: impl IntoIterator<Item = (&'a str, &'a OsString)>,
) -> Command {
    let mut command = Command::new(program);
    command.envs(environment);
    if let Some((name, args)) = words.split_first() {
        command.arg0(name).args(args);
    }
    let mask = signal_mask();
    // SAFETY: the closure calls two async-signal-safe functions and nothing else.
    unsafe { command.pre_exec(move || restore_signals(mask)) };
    command
}

fn cannot(program: &Path, error: &std::io::Error) -> Failure {
    Failure {
        code: NOT_EXECUTABLE,
        text: format!(
            "{}: cannot be executed ({error}); check that it is a program for this machine and that its interpreter exists",
            program.display()
        ),
    }
}

fn signal_mask() -> Option<libc::sigset_t> {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: a null new mask only asks; the old one is written to our variable.
    let asked =
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), mask.as_mut_ptr()) };
    // SAFETY: pthread_sigmask returned 0, so it has written the whole mask.
    (asked == 0).then(|| unsafe { mask.assume_init() })
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the signature is that of Command::pre_exec's closure"
)]
fn restore_signals(mask: Option<libc::sigset_t>) -> std::io::Result<()> {
    let handler = SIGPIPE_BEFORE.load(Ordering::Relaxed);
    // SAFETY: SIG_DFL or SIG_IGN, as our parent had it.
    unsafe { libc::signal(libc::SIGPIPE, handler) };
    if let Some(mask) = mask {
        // SAFETY: a mask that pthread_sigmask gave us.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut()) };
    }
    Ok(())
}
