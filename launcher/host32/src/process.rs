//! The end of the process.
#![allow(unsafe_code, reason = "exit, in C's way and without it")]

use std::fs::File;
use std::io::Read as _;

/// As `main` would: the agent's exit handlers run.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: any code.
    unsafe { libc::exit(code) }
}

/// At once: there is nobody left to talk to.
pub(crate) fn stop() -> ! {
    // SAFETY: any code.
    unsafe { libc::_exit(0) }
}

/// Signals from a terminal reach both processes: what they mean is the JVM's to decide, and the agent
/// has to hear of the end.
pub(crate) fn leave_signals_to_the_jvm() {
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// The JVM never writes into this pipe. Its end says that the JVM is gone, however it went.
pub(crate) fn end_with(mut pipe: File) {
    let watch = move || {
        let mut byte = [0];
        while pipe.read(&mut byte).is_ok_and(|count| count > 0) {}
        stop();
    };
    if std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(watch)
        .is_err()
    {
        stop();
    }
}
