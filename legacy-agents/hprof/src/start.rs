//! How the agent starts: the options, what the host is asked for, which events are enabled.

use jvmpi_headers::jvmpi::*;
use terminal_text::raw_text;

use crate::agent::{self, Agent};
use crate::ffi::process::program_runs;
use crate::ffi::services::watch_parks;
use crate::ffi::{extension, host};
use crate::options::{self, Asked, CpuMode, Format, HELP, Options, Talk};
use crate::output::Output;
use crate::rewriting::Rewriting;
use crate::{allocations, notes, say};

/// JVM_OnLoad, with options as [`raw_text`] has them. False if there is nothing to profile, or no place for the
/// profile; at the VM's start that ends the VM, or the program runs without a profile.
pub(crate) fn load(text: &str) -> bool {
    let program_runs = program_runs();
    let legible = |text: &str| String::from_utf8_lossy(&raw_text::encode(text)).into_owned();
    let options = match options::parse(text) {
        Ok(Asked::Profile(options)) => *options,
        Ok(Asked::Help) => {
            if program_runs {
                say::text(HELP);
            } else {
                say::answer(HELP);
                host::exit(0);
            }
            return false;
        }
        Err(reason) => {
            say::error(format_args!(
                "bad option: {}; -Xrunhprof:help lists them",
                legible(&reason)
            ));
            if !program_runs {
                host::exit(1);
            }
            return false;
        }
    };
    if let Err(reason) = ask_the_host(&options) {
        say::error(format_args!("{}", legible(&reason)));
        if !program_runs {
            host::exit(1);
        }
        return false;
    }
    let output = match Output::open(&options) {
        Ok(output) => output,
        Err(reason) => {
            say::error(format_args!("{reason}; the program runs without a profile"));
            return !program_runs;
        }
    };
    let rewriting = match options.rewrite {
        Some(_) if !output.can_be_rewritten() => {
            say::error(format_args!(
                "{} is no file: rewrite= does nothing",
                output.name()
            ));
            None
        }
        every => every.and_then(Rewriting::new),
    };
    let agent = agent::put(|| Agent::new(&legible(text), options, output, rewriting));
    if agent.options.talk != Talk::Errors {
        for note in notes::at_start(&agent.options) {
            say::error(format_args!("{note}"));
        }
        if !agent.options.traces && !agent.vm_dumps {
            say::error(format_args!(
                "traces=n changes nothing here: the VM's own dumper cannot be had"
            ));
        }
    }
    if agent.options.monitor && !agent.parks.begin(watch_parks()) {
        say::error(format_args!(
            "this host does not tell of parked threads, or records its calls: no PARKED TIME \
             (locks of java.util.concurrent)"
        ));
    }
    for event in events(agent) {
        if !host::enable(event) {
            say::error(format_args!(
                "this VM does not send event {event}; the profile lacks what depends on it"
            ));
        }
    }
    true
}

/// What only the host can do: sampled allocations, and a choice of classes.
fn ask_the_host(options: &Options) -> Result<(), String> {
    let sample = options.sample.map(|interval| interval.to_string());
    let small = options.skip_small.then(|| "skip".to_owned());
    let budget = options.budget.map(|percent| percent.to_string());
    for (own, hosts, value) in [
        ("sample", ALLOC_INTERVAL, &sample),
        ("include", "include", &options.include),
        ("exclude", "exclude", &options.exclude),
        ("small-methods", "small-methods", &small),
        ("method-budget", "method-budget", &budget),
    ] {
        let Some(value) = value else { continue };
        if !extension::is_there() {
            return Err(format!(
                "bad option: {own}= is done by xrun's host, and this is another one"
            ));
        }
        if !extension::set_option(hosts, value) {
            return Err(format!("bad option: {own}={value} is refused by the host"));
        }
    }
    // Estimates are right for no other interval than the one in force.
    match options.sample {
        Some(interval) if extension::number(ALLOC_INTERVAL) != Some(interval) => {
            Err("bad option: the host does not sample as sample= says".to_owned())
        }
        _ => Ok(()),
    }
}

/// The host's option behind `sample=`.
const ALLOC_INTERVAL: &str = "alloc-interval";

/// Whether classes are asked for as they are met: samples meet few of those that a program loads.
fn asks_for_classes(options: &Options) -> bool {
    let times = matches!(options.cpu, Some(CpuMode::Times | CpuMode::Old));
    let each_allocation = options.sites && options.sample.is_none();
    let meets_many = times || each_allocation || options.may_dump();
    // With `kernel=n` the host is not asked for stacks of running threads, and has no other reason to
    // give methods ids.
    let is_named = options.cpu.is_none() || options.kernel;
    // Threads of a replay come in another order, and others would ask.
    let is_recorded = extension::text("trace").as_deref() != Some("off");
    !meets_many && is_named && !is_recorded && options.format != Format::Binary
}

/// What the host is to tell of.
fn events(agent: &Agent) -> Vec<i32> {
    if agent.vm_dumps {
        return vec![JVMPI_EVENT_DATA_DUMP_REQUEST, JVMPI_EVENT_JVM_SHUT_DOWN];
    }
    let mut events = vec![
        JVMPI_EVENT_CLASS_UNLOAD,
        JVMPI_EVENT_THREAD_START,
        JVMPI_EVENT_THREAD_END,
        JVMPI_EVENT_DATA_DUMP_REQUEST,
        JVMPI_EVENT_JVM_INIT_DONE,
        JVMPI_EVENT_JVM_SHUT_DOWN,
    ];
    if matches!(agent.options.cpu, Some(CpuMode::Times | CpuMode::Old)) {
        events.extend([JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT]);
    }
    if !asks_for_classes(&agent.options) {
        events.push(JVMPI_EVENT_CLASS_LOAD);
    }
    if agent.options.monitor {
        events.extend([
            JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER,
            JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED,
            JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
            JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
        ]);
    }
    if agent.options.dump {
        events.extend([
            JVMPI_EVENT_JNI_GLOBALREF_ALLOC,
            JVMPI_EVENT_JNI_GLOBALREF_FREE,
        ]);
    }
    if agent.options.sites || agent.options.dump {
        events.extend(allocations::events(&agent.options));
    }
    events
}
