//! The part of `MATRIX.md` about virtual threads.

use std::fmt::{self, Write};

/// What stands, and the tests that show it (the `tests` crate makes sure that there are no others).
pub const SHOWN_BY: [(&str, &[&str]); 15] = [
    (
        "a JNIEnv of its own, for JNI and for what agents ask",
        &["virtual_threads::their_env_is_one"],
    ),
    (
        "THREAD_START and THREAD_END around all its events",
        &[
            "virtual_threads::every_rule_holds",
            "virtual_threads::births_and_objects_are_their_own",
        ],
    ),
    (
        "METHOD events and INSTRUCTION_START, nested, from whatever carrier",
        &[
            "virtual_threads::methods_are_counted",
            "method_events::virtual_threads_have_method_events_of_their_own",
            "virtual_threads::their_instructions_are_their_own",
        ],
    ),
    (
        "MONITOR events and dumps",
        &[
            "monitors::virtual_threads_have_monitor_events_of_their_own",
            "monitors::hand_overs::with_entries_of_virtual_threads",
            "monitors::virtual_dumps::a_dump_of_virtual_threads",
        ],
    ),
    (
        "the ids of their objects; roots in heap dumps",
        &[
            "virtual_ids::each_has_one_until_it_dies",
            "dumps::roots_hold_what_virtual_threads_have_entered",
            "virtual_threads::no_dump_while_one_is_made",
            "virtual_threads::dumps_while_they_are_made_all_the_time",
        ],
    ),
    (
        "CPU time on all carriers",
        &["virtual_clocks::each_has_its_own"],
    ),
    (
        "builders, executors, scopes, values of their own and of their parents, pinned ones, ends by exceptions",
        &["virtual_threads::all_ways_to_start_and_to_end_one"],
    ),
    (
        "very many, and who is parked for ever",
        &[
            "virtual_threads::very_many_leave_nothing_behind",
            "virtual_threads::some_are_collected",
            "virtual_threads::who_is_parked_for_ever_stays",
        ],
    ),
    (
        "those that are older than the agent, or than its wish",
        &[
            "virtual_threads::those_older_than_the_agent",
            "virtual_threads::those_older_than_a_sampler",
            "virtual_threads::carriers_older_than_the_agent",
            "virtual_threads::events_that_are_enabled_late",
            "attach_command::virtual_threads_go_on",
        ],
    ),
    (
        "samplers, which suspend them or ask who runs",
        &[
            "virtual_threads::a_sampler_stops_them",
            "virtual_threads::short_ones_are_sampled",
            "virtual_threads::no_signal_in_native_code",
            "virtual_sampling::the_parked_cost_no_samples",
        ],
    ),
    (
        "HPROF",
        &[
            "virtual_threads::hprof_profiles_them",
            "virtual_threads::hprof_times_calls_across_carriers",
            "virtual_threads::hprof_counts_objects_across_carriers",
        ],
    ),
    (
        "a server with one for each request",
        &["virtual_threads::a_server_profiles_as_with_other_threads"],
    ),
    (
        "the JDK's flight recorder beside an agent: as many threads, the same hottest methods",
        &[
            "virtual_recorded::both_hear_of_each",
            "virtual_recorded::the_hottest_methods_are_the_same",
        ],
    ),
    (
        "the VM's own dump of threads beside an agent",
        &["virtual_threads::the_vm_dumps_them_beside_an_agent"],
    ),
    (
        "`virtual-threads=carriers` and `off`",
        &[
            "hosts::the_habit_that_virtual_threads_disturb",
            "attaching::virtual_threads_are_sampled_or_counted_as_missing",
        ],
    ),
];

const WHAT: &str = "\
## Virtual threads

Virtual threads (JDK 21 and later) are threads to an agent: each has a JNIEnv of its own from its
THREAD_START to its THREAD_END, whoever carries it, whose functions pass each call on to the
carrier's. That works on the thread itself and while it is mounted; on another thread they do nothing
and give JNI's failure. The carrier's own JNIEnv, as GetEnv gives it to native code on a virtual thread,
means that virtual thread there. What agents ask with it (call traces, status, suspension,
local storage, objects, CPU time) means the virtual thread, mounted or not; one that no carrier runs and that does
not wait has the status CONDVAR_WAIT, for it waits for one. Agents that keep their data of
threads in those of the operating system, and not in JVMPI's local storage, mix them up:
`virtual-threads=carriers` is for them, where all that virtual threads do is their carriers' doing and events
that belong to a thread are withheld (`off`: nothing of it is told).
Inexact is: METHOD events of what carriers do beneath virtual threads (the JDK's scheduler) are
withheld, since in the middle of a change of threads the VM may not be asked (JDK 21 hangs);
METHOD_EXIT of Object.wait0 comes with its caller's from JDK 25 on, for the thread leaves
it to wait. A thread that is parked and that nobody can reach (`-Djdk.trackAllThreads=false`) is not collected
while an agent follows virtual threads: the VM itself keeps those that it tells of (measured on 21 and 25). So it has no THREAD_END
and no OBJECT_FREE, and nobody else gets its JNIEnv. Should a VM collect one all the same, its OBJECT_FREE comes
when twice as many are known as lived at the last look for such, 4096 at least.
What a live virtual thread costs that the agent has met is 470 to 485 bytes, of 100,000 that are parked, where a
JVMTI agent with VirtualThreadStart and VirtualThreadEnd makes the VM keep 285 to 305. The 182 to 186 that are ours, by their
sizes: a record (112), a JNIEnv (24), a place in a table (22, and up to 39 just after that has grown), an id (12)
and the VM's weak reference to the object (10). Where somebody asks by the object, of a monitor or a dump say,
40 to 60 of the VM's come in addition, a tag; its method events take a shadow of the methods that run. All are
given back but the JNIEnv, which another gets. One that it has not met costs nothing on JDK 25 (18 to 24 bytes with and without
us); on 21 some 290, which the VM keeps while anybody listens to ThreadEnd, as we do.
Those that carriers run when a late agent comes have their THREAD_START before JVM_INIT_DONE, as platform threads have. One that
waits then, or is older than an agent's later wish for events, is met at its next event, and where THREAD_START is wanted when
a carrier takes it up again, at the latest: only one that was computing when THREAD_START was enabled behind JVM_INIT_DONE, and
goes on without an event and without ever leaving its carrier, is in no sample.
A sampler's round begins with its first question behind a pause (half a millisecond), and what it asks of virtual
threads is answered as of then: by the time that it comes to one that lives for a fraction of a
millisecond, that has ended, and waits in THREAD_END for the sampler's own lock. Where processors are
free, the ten hottest methods of a program of such threads are those of JFR, within 3 points (21 and 25, two to four runs; where
a thread lives for 3 ms also beside 30 runnable processes on two processors, which is what the test has). There a server's hottest
method was the same, but had 60 % by JFR and 70 % by HPROF (25, one run): JFR counts threads that could run Java code, HPROF those
that have had a processor. With more work than processors what a thread does in its first 20 µs or so gets too few samples (0.14 ms
each: the first method 11 to 24 % where 30 are right, the others in proportion; JFR had 21).

";

/// The section.
pub(crate) fn section(page: &mut String) -> fmt::Result {
    write!(page, "\n{WHAT}| what | tested by |\n|---|---|\n")?;
    for (what, tests) in SHOWN_BY {
        writeln!(page, "| {what} | `{}` |", tests.join("`, `"))?;
    }
    Ok(())
}
