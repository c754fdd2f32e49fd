//! `MATRIX.md`: what is supported, generated from the tables: [`event_translate::table`]
//! for events and functions, [`jdks`] for what differs by JDK and collector, [`shim_options::host`]
//! for hosts of the period, [`virtual_threads`] for these.
//! Longer than most: one document, section by section.
#![forbid(unsafe_code)]

pub mod jdks;
pub mod virtual_threads;

use std::fmt::{self, Write};

use event_translate::internals::{Internal, NEWEST_KNOWN_JDK, Proof};
use event_translate::needs::{Needs, OnJdk, Wrapper};
use event_translate::table::{EVENTS, Enable, EventRow, FUNCTIONS, FunctionRow, Mark, Source};
use shim_options::host::DIFFERENCES;

const INTRO: &str = "\
# What works, and how exactly

Generated from `event-translate/src/table.rs` by
`cargo run -p matrix --example matrix > MATRIX.md`; a test compares.

| mark | means |
|---|---|
| full | exact: as the specification says |
| semi | works; the last column says what is inexact |
| stub | there, but empty: an event can be enabled but does not come, a function answers as an honest host without it; the log says so once |
| never | it cannot be had on a VM of today; the row says why |

";

const EVENTS_INTRO: &str = "\
EnableEvent answers SUCCESS for every event with *yes*, also for one that does
not come yet: agents of the period give up at the first refusal. *On request*
means NOT_AVAILABLE: the event is only ever an answer to RequestEvent. The column
RequestEvent says whether JVMPI lets an agent ask for the event; where it is
*stub*, the answer is NOT_AVAILABLE.

";

const FUNCTIONS_INTRO: &str = "\
Every slot of the table is filled, whatever version GetEnv was asked for, and can
be called from JVM_OnLoad to JVM_SHUT_DOWN on every thread. On one that the VM does not know (an agent's
own, not attached) what needs the VM is refused with a line: RequestEvent, RunGC, stacks, objects, other
threads; EnableEvent and DisableEvent that change something are seen to by a short-lived thread of ours, `JVMPI requests`, which
the agent hears of as of any other. DetachCurrentThread is JNI_ERR in a handler, in JVM_OnLoad and in the function of a system
thread, with one line: the VM's functions below still need the thread (JVMTI facts 50). The column *a bad
call gets* is what NULL, nonsense or the wrong moment are answered with; the log
says so in one line.

";

const PLATFORM: &str = "\
## JDK and platform

Linux on x86-64, JDK 11, 17, 21 and 25. Rows hold for all four unless they name
one. JDK 26, 27 and an early 28 (28~18ea), Debian sid's (`tests/newest.sh`), are as 25 in HPROF's modes and with the agents `check`,
`counter`, `trace`, `sampler`, `dump` and `coverage`, and were in all tests in their short forms in runs of
27 and 30 November 2026 (those of recordings with HPROF record on JDK 17). What differs: JDK 26 itself loses some
MonitorContendedEntered while virtual
threads are suspended (JVMTI facts 20): that MONITOR_CONTENDED_ENTERED comes before the thread's next event of a monitor or a
wait, or its THREAD_END, and not when the monitor was entered. From 27 on a notified
thread waits for its monitor as one that enters it does (JVMTI facts 20): behind its MONITOR_WAITED, which comes while the monitor is still
another's, are a MONITOR_CONTENDED_ENTER and ENTERED; before 27 its wait ends with the monitor, and its MONITOR_WAITED has that time, too. On 27 (G1) the VM's own heap dump has fillers
(`jdk.internal.vm.FillerObject`) that HEAP_DUMP has not: they are gaps between objects, and nothing refers to them. ProfilerExit in a handler ends the process by exit(3)
and not by the VM's own halt, which would wait 60 s for that very handler. A program that calls `Thread.getAllStackTraces` while others wait
for memory at the VM's end may not end, without us either (three of six runs on 26, four of six on 28; JVMTI facts 20). Ids of methods are small numbers, so that a wild one may be some method's.
Stack traces of exceptions, and of a thread by itself, show no frames of hooks up to 25; those that `Thread.getAllStackTraces` and
`ThreadMXBean` take of other threads do, and from 26 on all. From 28 on `get_running_traces` has no stacks (`AsyncGetCallTrace` below).

Value objects (JDK 28 with `--enable-preview`; instances of value classes, of which the JDK itself has some then,
`Integer` say) have no identity, which is what a jobjectID stands for. So they have no ids: no OBJECT_ALLOC and no
OBJECT_FREE (JVMTI 28, ObjectFree: \"The event is not sent for tagged values objects\"; SampledObjectAlloc, if asked, passes
\"null\" for them), and a count of objects does not have them; jobject2jobjectID is NULL; METHOD_ENTRY2 has no receiver, as
of static methods; no JNI_GLOBALREF_ALLOC comes of a reference to one; a field or an element that refers to one
is NULL in an OBJECT_DUMP outside of a dump's handler. Monitors: \"It is not possible to synchronize on a value object\"
(GetObjectMonitorUsage): who tries gets an IdentityException, and no event comes. A heap dump is the exception, for what value
objects hold would be missing there: each has a record, and an id while the dump is read, told of by OBJECT_ALLOC where
that is on; equal ones are one, for the VM cannot tell them apart; of one that has no address of its own, since the VM
keeps it inside what refers to it, the field or element there has the id. Their sizes are put together
from their fields. When no dump is read any more they lose their ids, and have OBJECT_FREE in the next bracket. Of a class with
so many of them that the VM would take longer than some seconds to tell them apart none has a record (JVMTI facts 20; some 5600 that refer to no
others, 300 in a list, by the references to them), and what refers to one is NULL; what they hold is in the dump, and one line says so.

On 32-bit x86 (Debian's i386 JDK 17) the same sources run, built by `build-i386`: the tests behind these rows run there, too
(`./check --i386`; some of them in `./check`), but for those that `tests/i386_tests.txt` names, with the reason. Ids have four bytes, in
dumps and in HPROF's binary format as well, and objects are smaller than in a VM of 64 bits; else agents and HPROF say the
same there (golden files). Asking for a thread's CPU time is a system call there. A sample in one of the VM's own routines, one that copies an array say,
often lacks the method that has called it: the VM's own walk of the stack leaves it out. There is no `libjvmpi.a`.
Agents as compilers and linkers of 1999 to 2003 left them are tested (`period::`), there and beside a VM of 64 bits: text relocations, an executable
stack or no mark for one, the first versions of glibc's symbols (libpthread.so.0, libdl.so.2), DT_INIT and DT_FINI, a library
of C++ of their own (libstdc++.so.5), and calls of ours, and of JNI, with the stack at any multiple of four bytes, for which no code of ours has
instructions that want more. A library that wants an executable stack takes the guards off the stacks of threads
that run (glibc up to 2.40): an agent that comes late is loaded by the VM's own function, which puts them back at a safepoint, and says on stderr that they
might be gone, as it always has. Code that was compiled without -D_REENTRANT imports the variable `errno`, which C libraries of today do not
have under this name: `xrun doctor` says so, and what to do. glibc 2.41 and later load one only into a process that has begun with executable stacks:
that of an agent beside a VM of 64 bits then begins again, with such stacks; a VM that loads one itself is told so by `xrun`, or has to be (`xrun doctor`
says how).

On aarch64 the same sources run, built by `build-arm`; experimental: it was run under qemu-user only, on no
processor of that kind (`./check --arm`: JDK 17, 21 and 25; pages of 4 KB). Asking for a thread's CPU time is a system call
there, and of two signals that a thread gets at once the second may find it at the entry of the first's handler: such a
sample has no stack. `libjvmpi.a` is not there.

An agent for 32-bit x86 in a VM for x86-64, or in one for aarch64 where the system runs programs for x86 by qemu-user (tried
with both of them under qemu, on an x86-64 machine; agents for x86-64 have no such process), runs in a process of its own (`xrun-host32`, experimental): the rows hold
for it, too, but for these. Of JNI there are classes, methods and fields, calls, strings, arrays, exceptions,
references, monitors and natives that the agent registers (512 of them; once its process is gone they give 0 or NULL), on
threads that the VM knows, which the agent's own are from AttachCurrentThread on (who ends without DetachCurrentThread is detached; the VM's
own threads cannot be detached, nor one in its handler); direct buffers, GetPrimitiveArrayCritical and what the VM's own JNI does not have fail as JNI fails, with one line each, and so does
a call of a method whose id did not come from GetMethodID or GetStaticMethodID. Java code cannot load a library of 32 bits itself
(System.loadLibrary), and native methods are not looked for in the agent's. Strings and elements of arrays are copies. Dumps have ids of four bytes; one that would be larger than
1 GiB is not sent, and the log says so. Sizes are the VM's. A method's id is another number than the
VM's; code that was compiled lies at another address, as a copy. `getpid()`, the process's threads and open files are the agent's own
process's: of the program's it has stdin, stdout and stderr (`file=/dev/fd/3` fails); a C++ exception through a handler ends that process. What ends it by a signal leaves the program alone;
exit() in the agent ends the program. The threads that can be told of at a time are 2047. Signals from a terminal are
for the VM; the agent sees none unless it installs a handler, which is for signals to its own process: `kill -USR1` of the VM's does not reach the agent
and ends the program; send it to the process `xrun-host32`. Clocks and timers of a process (`clock()`, `times()`, `getrusage()`, ITIMER_PROF) measure that
process, not the program. When the VM is killed, or becomes another program, that process ends at once.
Exit handlers of the agent that take more than 10 s are not waited for: the program ends, one line says so, and they come to their end alone,
where what they call of JVMPI and JNI does nothing, as what a handler of a signal calls while its thread talks with the VM.
When that process is killed, threads that the agent has suspended go on, GC is enabled, and nobody waits for its raw monitors any
more. A child that the agent forks has no JVMPI: what it calls does nothing. Raw monitors that nobody waits for, the first 1024, and thread-local
storage take no word between the processes, unless somebody looks on (`check`, recordings). Tested by `bridge::`. Other systems and JDK 8 are out of scope for now.

A hostile program shares the process with its profile, and no agent should trust what it is
told of one. It can call the hooks, which rewritten code calls too and which are public for
that reason: so it can add METHOD_ENTRY, METHOD_EXIT, INSTRUCTION_START and
MONITOR_CONTENDED_EXIT of any of its methods and of others', and sleeps, and make those of its own threads
come in a wrong order (what runs on a thread is compared with its stack now and then, and what
does not run gets its METHOD_EXIT). With natives it can do anything. It cannot, by such
calls, crash the VM, make the agent see ids that it was not told of, or make an event cost more
than another of its kind: what is kept of a thread's methods grows with its stack, and not with the calls.
";

const ON_LOAD: &str = "\
## JVM_OnLoad

| started by | when | JNI in JVM_OnLoad |
|---|---|---|
| us: `xrun`, `agent=`, `-agentpath:libjvmpi.so=foo`, `-Xrunjvmpi:foo`, a link to us under the agent's name | VMInit, before the first event; of the last two at the first JNI call that the launcher makes then | all of it: FindClass finds classes of the program, as in hosts of the period; an exception that is left pending is dropped |
| the VM: an untouched `-Xrunfoo` beside us (without `xrun`; in a variable or an argument file; one of several) | before VMStart | FindClass finds classes of java.base and no others (11 to 25); an exception that is left pending ends the VM |
| `jcmd PID JVMTI.agent_load` | on the VM's thread *Attach Listener*, while the program runs | all of it |

An agent whose JVM_OnLoad fails, or that is not there, ends a VM that starts, as it does
without us. A running program goes on without it, jcmd is answered -1, and nothing of us is
left but the library's code in memory: no GetEnv, no environment, no capability, no thread;
another try may be made. That holds for what we know of: an agent of the period that calls
exit(), or ProfilerExit, in JVM_OnLoad ends the program, as does one that crashes (`xrun doctor
foo` says whether it can). The agents that come with us do not: HPROF ends a VM that starts
when its options are wrong, and refuses to be loaded into a program that runs. JVMPI knows one
agent per VM: `agent=` and `xrun attach` refuse a second one; a second `-Xrun` is the VM's to load, and
the one NotifyEvent is whose comes last.

";

const INTERNALS_INTRO: &str = "\
What of HotSpot's inner life is used where it is there and proves itself; no JDK is refused
because something is not. With `log=info` the log has a line for each that is not used, and why.
`internals::each_can_be_missing` runs without each of them.
";

const HOSTS_INTRO: &str = "\
## Hosts of the period

What is documented of how hosts of the period differ; a cell is empty where nothing is
known. *Simulated*: `host=` does it as the named host did, which
`hosts::hosts_differ_as_they_did` shows (`method_events` for the lookupswitch). What is
not is with every `host=` as the tables above say.

";

/// The text of `MATRIX.md`.
#[must_use]
pub fn render() -> String {
    let mut page = String::from(INTRO);
    // Writing to a String cannot fail.
    let _ = events(&mut page)
        .and_then(|()| functions(&mut page))
        .and_then(|()| page.write_str(ON_LOAD))
        .and_then(|()| jdks::section(&mut page))
        .and_then(|()| internals(&mut page))
        .and_then(|()| hosts(&mut page))
        .and_then(|()| page.write_str(PLATFORM))
        .and_then(|()| virtual_threads::section(&mut page));
    page
}

fn events(page: &mut String) -> fmt::Result {
    writeln!(page, "## Events\n")?;
    count(page, "events", EVENTS.iter().map(|row| row.mark))?;
    page.push_str(EVENTS_INTRO);
    heads(
        page,
        &[
            "#",
            "JVMPI_EVENT_…",
            "EnableEvent",
            "RequestEvent",
            "mark",
            "made from",
            "rests on",
            "tested by",
            "what to know",
        ],
    )?;
    for row in EVENTS {
        cells(page, &event_cells(row))?;
    }
    writeln!(page)
}

fn event_cells(row: &EventRow) -> [String; 9] {
    let enable = match row.enable {
        Enable::Yes => "yes".to_owned(),
        Enable::RequestOnly => "on request".to_owned(),
        Enable::Flag(flag) => format!("no: {flag}"),
    };
    let request = match (row.request, row.answers_request()) {
        (false, _) => "",
        (true, true) => "yes",
        (true, false) => "stub",
    };
    let source = match row.source {
        Source::Callback(callback) => format!("`{callback}`"),
        Source::Derived(way) => way.to_owned(),
        Source::Never(why) => format!("never: {why}"),
    };
    [
        row.kind.raw().to_string(),
        row.name.to_owned(),
        enable,
        request.to_owned(),
        row.mark.to_string(),
        source,
        rests_on(&row.needs),
        code_list(row.tested_by),
        row.note.to_owned(),
    ]
}

fn functions(page: &mut String) -> fmt::Result {
    writeln!(page, "## Functions\n")?;
    count(page, "functions", FUNCTIONS.iter().map(|row| row.mark))?;
    page.push_str(FUNCTIONS_INTRO);
    heads(
        page,
        &[
            "slot",
            "function",
            "since JVMPI",
            "mark",
            "how",
            "rests on",
            "a bad call gets",
            "tested by",
            "what to know",
        ],
    )?;
    for row in FUNCTIONS {
        cells(page, &function_cells(row))?;
    }
    writeln!(page)
}

fn internals(page: &mut String) -> fmt::Result {
    writeln!(page, "## What no specification promises\n")?;
    writeln!(page, "{INTERNALS_INTRO}")?;
    heads(page, &["name", "rests on", "is trusted when", "without it"])?;
    for internal in Internal::ALL {
        let row = internal.row();
        let proof = match row.proof {
            Proof::Trial(trial) => trial.to_owned(),
            Proof::KnownJdks => format!("the JDK is no newer than {NEWEST_KNOWN_JDK}"),
        };
        let cells_of = [row.name, row.rests_on, &proof, row.without];
        cells(page, &cells_of.map(str::to_owned))?;
    }
    writeln!(page)
}

fn hosts(page: &mut String) -> fmt::Result {
    page.push_str(HOSTS_INTRO);
    let names = [
        "in what they differ",
        "classic-1.2",
        "hotspot-1.4.2",
        "cvm",
        "simulated",
    ];
    heads(page, &names)?;
    for row in DIFFERENCES {
        let simulated = if row.simulated { "yes" } else { "no" };
        let row = [row.what, row.classic, row.hotspot, row.cvm, simulated];
        cells(page, &row.map(str::to_owned))?;
    }
    writeln!(page)
}

fn function_cells(row: &FunctionRow) -> [String; 9] {
    let bad_call = match row.when {
        "" => row.bad_call.words().to_owned(),
        when => format!("{}: {when}", row.bad_call.words()),
    };
    [
        row.slot.to_string(),
        row.name.to_owned(),
        row.since.name().to_owned(),
        row.mark.to_string(),
        row.how.to_owned(),
        rests_on(&row.needs),
        bad_call,
        code_list(row.tested_by),
        row.note.to_owned(),
    ]
}

/// Events of the VM, capabilities, wrappers, and what else the row calls.
fn rests_on(needs: &Needs) -> String {
    let mut words: Vec<_> = needs.all_vm_events().map(on_jdk).collect();
    words.extend(needs.all_capabilities().map(on_jdk));
    let wrapper = needs.wrapper.map(|wrapper| match wrapper {
        Wrapper::JniTable => "`SetJNIFunctionTable`",
        Wrapper::ThreadSleep => "`RegisterNatives`",
    });
    words.extend(wrapper.map(str::to_owned));
    words.extend(needs.calls.iter().map(|call| format!("`{call}`")));
    if !needs.exact.is_empty() {
        let exact = needs.exact.iter().map(|event| format!("`{event}`"));
        let exact: Vec<_> = exact.collect();
        words.push(format!(
            "with `method-events=exact` {} instead of hooks",
            exact.join(" and ")
        ));
    }
    // Several events may want the same capability.
    let mut seen = Vec::new();
    words.retain(|word| {
        !seen.contains(word) && {
            seen.push(word.clone());
            true
        }
    });
    words.join(", ")
}

fn on_jdk<T: fmt::Display>(needed: OnJdk<T>) -> String {
    match needed.from {
        0 => format!("`{}`", needed.what),
        jdk => format!("`{}` (JDK {jdk} and later)", needed.what),
    }
}

/// "37 events: 11 full, 1 semi, 25 stub."
fn count(page: &mut String, what: &str, marks: impl Iterator<Item = Mark> + Clone) -> fmt::Result {
    let counts = Mark::ALL.map(|mark| (mark, marks.clone().filter(|&other| other == mark).count()));
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let words: Vec<_> = counts.map(|(mark, n)| format!("{n} {mark}")).collect();
    writeln!(page, "{} {what}: {}.\n", marks.count(), words.join(", "))
}

fn heads(page: &mut String, heads: &[&str]) -> fmt::Result {
    writeln!(page, "| {} |", heads.join(" | "))?;
    writeln!(page, "|{}", "---|".repeat(heads.len()))
}

fn cells(page: &mut String, cells: &[String]) -> fmt::Result {
    page.push('|');
    for cell in cells {
        // A bar would end the cell.
        write!(page, " {} |", cell.replace('|', "\\|"))?;
    }
    writeln!(page)
}

fn code_list(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_one_line_with_all_its_cells() {
        let page = render();
        for row in EVENTS {
            let start = format!("| {} | {} |", row.kind.raw(), row.name);
            let lines: Vec<_> = page.lines().filter(|l| l.starts_with(&start)).collect();
            assert_eq!(lines.len(), 1, "{start}");
            assert_eq!(lines[0].matches(" |").count(), 9, "{start}");
        }
        for row in FUNCTIONS {
            let start = format!("| {} | {} |", row.slot, row.name);
            let lines: Vec<_> = page.lines().filter(|l| l.starts_with(&start)).collect();
            assert_eq!(lines.len(), 1, "{start}");
            assert_eq!(lines[0].matches(" |").count(), 9, "{start}");
        }
    }

    #[test]
    fn bars_do_not_end_a_cell() {
        let mut page = String::new();
        cells(&mut page, &["a|b".to_owned()]).unwrap();
        assert_eq!(page, "| a\\|b |\n");
    }

    #[test]
    fn marks_are_counted() {
        let mut page = String::new();
        let marks = [Mark::Full, Mark::Stub, Mark::Full];
        count(&mut page, "things", marks.into_iter()).unwrap();
        assert_eq!(page, "3 things: 2 full, 1 stub.\n\n");
    }
}
