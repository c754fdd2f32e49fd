//! The start of a file with `format=a`: what stands where, for whoever reads it first; and what stands for it behind
//! the table of `cpu=old` alone, which such files begin with.

use std::io::{self, Write};

use crate::ffi::clock::date;
use crate::profile::Profile;
use crate::program::WRITER;

/// The start of a file.
pub(crate) fn header(out: &mut dyn Write, profile: &Profile) -> io::Result<()> {
    writeln!(
        out,
        "JAVA PROFILE 1.0.1, created {}\n",
        date(profile.started)
    )?;
    out.write_all(PRELUDE.as_bytes())?;
    if profile.shown.sample.is_some() {
        out.write_all(ESTIMATES.as_bytes())?;
    }
    if profile.left_out.is_some() {
        out.write_all(LEFT_OUT.as_bytes())?;
    }
    notes(out, profile)?;
    out.write_all(b"\n--------\n\n")
}

fn notes(out: &mut dyn Write, profile: &Profile) -> io::Result<()> {
    for note in &profile.notes {
        writeln!(out, "\nNOTE: {note}")?;
    }
    Ok(())
}

/// If there is anything to know of the table of `cpu=old` before it. Of JDK 1.1's files, of which it was the first
/// table, scripts know that others follow; without notes it stands alone.
pub(crate) fn behind_old(out: &mut dyn Write, profile: &Profile) -> io::Result<()> {
    if profile.notes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThis profile was written by {WRITER}.")?;
    notes(out, profile)?;
    writeln!(out)
}

const PRELUDE: &str = concat!(
    "This profile was written by HPROF for xrun ",
    env!("CARGO_PKG_VERSION"),
    ", in the format that HPROF has had\n\
since JDK 1.2.

What follows, as far as it was asked for and in this order, once for each dump:

THREAD START and THREAD END
    Every thread of the program, with the number that stands for it elsewhere
    and the id of its Thread object; of virtual threads those that something
    names, and how many others have ended.

TRACE
    A stack, the method that runs first. Without thread=y all threads share
    their traces. Tables below refer to traces by number; a trace is written
    once in a file.

MONITOR DUMP, MONITOR TIME
    Who holds which lock and who waits for it; where time was lost waiting.

PARKED TIME
    How often and how long threads were in LockSupport.park and its like, by
    the class of what they were parked for and trace: so they wait for locks,
    semaphores, conditions, queues and futures of java.util.concurrent. Idle
    workers of pools and timers are parked, too; the trace says which are. Who
    is still parked has been for so long by now, and stands apart.

HEAP DUMP
    ROOT, CLS, OBJ and ARR: what keeps objects alive, then every class, object
    and array with its references, its size in bytes (sz) and the trace on
    which it was allocated. Numbers are hexadecimal ids.

SITES
    What was allocated where: bytes and objects that are still alive, and in
    all, by class and trace. What no collection has found dead yet is alive.

CPU SAMPLES
    How often a trace was seen running.

CPU TIME (ms)
    How often the first method of a trace was called on it, and its share of
    the time, without the methods that it called in turn and without what it
    takes to read the clock.
"
);

/// What [`PRELUDE`] has besides, with `method-budget=`.
const LEFT_OUT: &str = "
METHODS LEFT OUT
    What was measured no more since its calls cost more to measure than they
    took, the first one first, and about how often it had been called by then.
    CPU TIME has it up to then; since then its time is its callers'.
";

/// What [`PRELUDE`] has besides, with `sample=`.
const ESTIMATES: &str = "
SITES, estimated
    Behind the class stand the standard errors of both bytes and how many
    objects were picked: two of three estimates are at most that far from the
    truth, 19 of 20 at most twice as far, once a dozen or so are picked.
";
