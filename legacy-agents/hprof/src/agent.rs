//! The agent: what it knows, how it starts, what it does with each event.
//!
//! # Threads
//!
//! Events come on every thread at once. No lock of ours is held while the host is
//! called, with two exceptions. The sampler keeps the list of threads to itself while
//! they are suspended, so that none of them can end. And there is one dump at a time:
//! a dump is a row of requests to the host. Only those who ask for a dump wait for that
//! lock; the handlers in which its parts come, on the same thread, do not take it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use jvmpi_headers::jvmpi::*;
use parking_lot::{Mutex, MutexGuard};

use crate::classes::Classes;
use crate::ffi::clock::Watch;
use crate::ffi::event::{Alloc, Call, Event};
use crate::ffi::extension;
use crate::ffi::host::{self, NO_FRAME, RawFrame};
use crate::ffi::process::program_runs;
use crate::ffi::{Service, start_service, watch_parks};
use crate::global_refs::GlobalRefs;
use crate::locks::Locks;
use crate::options::{self, Asked, CpuMode, HELP, Options, Talk, Target};
use crate::output::Output;
use crate::parks::Parks;
use crate::profile::ClassRef;
use crate::progress::Written;
use crate::samples::Samples;
use crate::sites::Sites;
use crate::threads::Threads;
use crate::times::Times;
use crate::traces::{Frame, Traces};
use crate::{dump, heap, locks, net, notes, peer, samples, say, sites, times};

/// All that is known. Locks are taken in the order of these fields, if at once.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) options: Options,
    pub(crate) started: SystemTime,
    /// The options as they were written.
    pub(crate) asked: String,
    /// Of `cpu=times`.
    pub(crate) watch: Watch,
    /// What a reading of it takes, in its units.
    pub(crate) reading: u64,
    pub(crate) output: Mutex<Output>,
    pub(crate) threads: Mutex<Threads>,
    pub(crate) traces: Mutex<Traces>,
    pub(crate) classes: Mutex<Classes>,
    pub(crate) samples: Samples,
    pub(crate) times: Times,
    pub(crate) sites: Sites,
    pub(crate) locks: Locks,
    pub(crate) parks: Parks,
    pub(crate) global_refs: GlobalRefs,
    /// The VM's own dumper writes the heap, and nothing else is wanted.
    pub(crate) vm_dumps: bool,
    /// How far a heap dump is.
    pub(crate) written: Arc<Written>,
    /// `depth=`, until a command changes it.
    pub(crate) depth: AtomicUsize,
}

static AGENT: OnceLock<Agent> = OnceLock::new();

/// The agent, once it is loaded.
#[inline]
pub(crate) fn get() -> Option<&'static Agent> {
    AGENT.get()
}

/// A panic that was caught leaves data as good as any.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// JVM_OnLoad. False if there is nothing to profile, or no place for the profile; at the VM's
/// start that ends the VM, or the program runs without a profile.
pub(crate) fn load(text: &str) -> bool {
    let program_runs = program_runs();
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
                "bad option: {reason}; -Xrunhprof:help lists them"
            ));
            if !program_runs {
                host::exit(1);
            }
            return false;
        }
    };
    if let Err(reason) = ask_the_host(&options) {
        say::error(format_args!("{reason}"));
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
    let measures = matches!(options.cpu, Some(CpuMode::Times | CpuMode::Old));
    let watch = if measures {
        Watch::new(options.clock)
    } else {
        Watch::Machine
    };
    let agent = AGENT.get_or_init(|| Agent {
        started: SystemTime::now(),
        asked: text.to_owned(),
        written: Arc::default(),
        watch,
        reading: if measures { watch.cost() } else { 0 },
        output: Mutex::new(output),
        threads: Mutex::default(),
        traces: Mutex::default(),
        // A command may ask for a dump of the heap.
        classes: Mutex::new(Classes::new(
            options.dump || matches!(options.target, Target::Net { .. }) && options.commands,
        )),
        samples: Samples::new(options.cpu == Some(CpuMode::Samples)),
        times: Times::default(),
        sites: Sites::new(),
        locks: Locks::default(),
        parks: Parks::default(),
        global_refs: GlobalRefs::default(),
        vm_dumps: !options.traces && extension::can_dump_heap(),
        depth: AtomicUsize::new(options.depth as usize),
        options,
    });
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
    for event in agent.events() {
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

impl Agent {
    /// Frames of a trace at most.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.depth.load(Ordering::Relaxed)
    }

    fn wants_heap(&self) -> bool {
        self.options.sites || self.options.dump
    }

    fn events(&self) -> Vec<i32> {
        if self.vm_dumps {
            return vec![JVMPI_EVENT_DATA_DUMP_REQUEST, JVMPI_EVENT_JVM_SHUT_DOWN];
        }
        let mut events = vec![
            JVMPI_EVENT_CLASS_LOAD,
            JVMPI_EVENT_CLASS_UNLOAD,
            JVMPI_EVENT_THREAD_START,
            JVMPI_EVENT_THREAD_END,
            JVMPI_EVENT_DATA_DUMP_REQUEST,
            JVMPI_EVENT_JVM_INIT_DONE,
            JVMPI_EVENT_JVM_SHUT_DOWN,
        ];
        if matches!(self.options.cpu, Some(CpuMode::Times | CpuMode::Old)) {
            events.extend([JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT]);
        }
        if self.options.monitor {
            events.extend([
                JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER,
                JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED,
                JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
            ]);
        }
        if self.options.dump {
            events.extend([
                JVMPI_EVENT_JNI_GLOBALREF_ALLOC,
                JVMPI_EVENT_JNI_GLOBALREF_FREE,
            ]);
        }
        if self.wants_heap() {
            events.extend([
                JVMPI_EVENT_OBJECT_ALLOC,
                JVMPI_EVENT_OBJECT_MOVE,
                JVMPI_EVENT_OBJECT_FREE,
                JVMPI_EVENT_ARENA_NEW,
                JVMPI_EVENT_ARENA_DELETE,
            ]);
            if self.options.sample.is_none() {
                // Deaths come between these two; some hosts send the ones only with the others.
                // Not the one that samples, which would count the heap for GC_FINISH.
                events.extend([JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH]);
            }
        }
        events
    }
}

/// NotifyEvent, of a method.
#[inline]
pub(crate) fn notify_call(call: Call) {
    if !call.begins {
        times::left(call.env, call.method);
    } else if let Some(agent) = get() {
        times::entered(agent, call.env, call.method);
    }
}

/// NotifyEvent, of an object.
#[inline]
pub(crate) fn notify_alloc(env: usize, alloc: Alloc) {
    if let Some(agent) = get() {
        sites::allocated(agent, env, alloc);
    }
}

/// A thread was parked.
pub(crate) fn notify_parked(env: usize, blocker_class: usize, nanos: u64) {
    if let Some(agent) = get() {
        let trace = trace(agent, env);
        let blocker = (blocker_class != 0).then(|| ClassRef(class_index(agent, blocker_class)));
        agent.parks.parked(blocker, trace, nanos);
    }
}

/// NotifyEvent, of anything else.
#[inline]
pub(crate) fn notify(env: usize, event: Event<'_>) {
    let Some(agent) = get() else {
        return;
    };
    if let Event::ObjectFree(id) = event {
        sites::freed(agent, id);
    } else {
        notify_rare(agent, env, event);
    }
}

#[cold]
fn notify_rare(agent: &'static Agent, env: usize, event: Event<'_>) {
    match event {
        Event::ClassLoad(load) => {
            let trace = defining_trace(agent, env);
            lock(&agent.classes).load(&load, trace);
        }
        Event::ClassUnload(id) => lock(&agent.classes).unload(id),
        Event::ThreadStart(start) => {
            let own = start.own;
            let serial = lock(&agent.threads).start(start);
            let trace = if own { defining_trace(agent, env) } else { 0 };
            if let Some(thread) = lock(&agent.threads).get_mut(serial) {
                thread.trace = trace;
            }
        }
        Event::ThreadEnd => {
            times::thread_ended(agent, env);
            sites::thread_ended(agent, env);
            lock(&agent.threads).end(env);
        }
        Event::ObjectMove { from, to, arena } => {
            sites::moved(agent, from, to, arena);
            lock(&agent.classes).moved(from, to);
        }
        Event::ArenaDelete(arena) => sites::arena_deleted(agent, arena),
        Event::GlobalRef(reference) => {
            let trace = defining_trace(agent, env);
            agent.global_refs.made(reference, trace);
        }
        Event::GlobalRefFreed(reference) => agent.global_refs.freed(reference),
        Event::MonitorEnter(id) | Event::RawMonitorEnter(id) => locks::waits(env, id),
        Event::MonitorEntered(id) => locks::got(agent, env, id, None),
        Event::RawMonitorEntered { id, name } => locks::got(agent, env, id, Some(name)),
        Event::HeapDump { bytes, traces } => dump::heap(agent, bytes, &traces),
        Event::ObjectDump(bytes) => heap::object(agent, bytes),
        Event::MonitorDump { bytes, traces } => dump::monitors(agent, bytes, &traces),
        Event::InitDone => init_done(agent),
        Event::DataDumpRequest => dump::everything(agent, dump::Why::Signal),
        Event::ShutDown => shut_down(agent),
        Event::ObjectFree(_) | Event::Other => {}
    }
}

fn init_done(agent: &'static Agent) {
    if agent.options.cpu == Some(CpuMode::Samples) && !start_service(Service::Sampler) {
        say::error(format_args!(
            "the VM refused a thread; there will be no samples"
        ));
    }
    let commanded = matches!(agent.options.target, Target::Net { .. }) && agent.options.commands;
    if commanded && !start_service(Service::Listener) {
        say::error(format_args!(
            "the VM refused a thread; there will be no commands"
        ));
    }
}

/// On a thread of ours.
pub(crate) fn run(service: Service) {
    let Some(agent) = get() else {
        return;
    };
    match service {
        Service::Sampler => samples::run(agent),
        Service::Listener => net::run(agent),
    }
}

/// Samples that are in no trace, since the host has no thread for them. One that has, may not have
/// told of the first virtual thread when that was looked for.
pub(crate) fn unseen(agent: &Agent) -> u64 {
    if lock(&agent.threads).has_virtual_ones() {
        0
    } else {
        agent.samples.unseen()
    }
}

fn shut_down(agent: &'static Agent) {
    agent.samples.stop();
    peer::end_begins();
    if agent.options.doe {
        dump::everything(agent, dump::Why::Exit);
    }
    let unseen = unseen(agent);
    if unseen > 0 {
        say::error(format_args!(
            "{unseen} samples of virtual threads are in no trace: JVMPI has no thread for them; \
             run what is to be profiled on platform threads"
        ));
    }
    lock(&agent.output).end();
}

// ---- names behind ids --------------------------------------------------------------

/// The same of a thread that the output names.
pub(crate) fn named_serial(agent: &Agent, env: usize) -> u32 {
    let serial = thread_serial(agent, env);
    lock(&agent.threads).list(serial);
    serial
}

/// The serial of a thread; asks for its THREAD_START if that did not come. 0: unknown.
pub(crate) fn thread_serial(agent: &Agent, env: usize) -> u32 {
    let known = lock(&agent.threads).serial(env);
    known.unwrap_or_else(|| {
        host::without_gc(|| {
            let object = host::thread_object(env);
            if object != 0 {
                host::request(JVMPI_EVENT_THREAD_START, object);
            }
        });
        lock(&agent.threads).serial(env).unwrap_or(0)
    })
}

/// The index of a class; asks for its CLASS_LOAD if that did not come. 0: unknown.
pub(crate) fn class_index(agent: &Agent, id: usize) -> u32 {
    if id == 0 {
        return 0;
    }
    let known = lock(&agent.classes).index_of(id);
    known.unwrap_or_else(|| {
        host::without_gc(|| host::request(JVMPI_EVENT_CLASS_LOAD, id));
        lock(&agent.classes).index_of(id).unwrap_or(0)
    })
}

/// The index of a method; asks for its class if need be. 0: unknown.
pub(crate) fn method_index(agent: &Agent, id: usize) -> u32 {
    let known = lock(&agent.classes).method_of(id);
    known.unwrap_or_else(|| {
        host::without_gc(|| {
            let class = host::method_class(id);
            if class != 0 {
                host::request(JVMPI_EVENT_CLASS_LOAD, class);
            }
        });
        lock(&agent.classes).method_of(id).unwrap_or(0)
    })
}

/// A stack as we keep it.
pub(crate) fn frames(agent: &Agent, frames: &[RawFrame]) -> Vec<Frame> {
    let named = frames.iter().map(|frame| {
        let method = method_index(agent, frame.method_id.expose_provenance());
        (method, line(agent, frame.lineno))
    });
    named.collect()
}

/// The calling thread's stack.
pub(crate) fn trace(agent: &Agent, env: usize) -> u32 {
    let mut buffer = vec![NO_FRAME; agent.depth()];
    let taken = host::call_trace(env, &mut buffer);
    let frames = frames(agent, buffer.get(..taken).unwrap_or_default());
    let thread = if agent.options.thread {
        named_serial(agent, env)
    } else {
        0
    };
    lock(&agent.traces).intern(thread, &frames)
}

/// Where a class is loaded, a thread started or a reference made, for heap dumps; 0 if it does not matter.
fn defining_trace(agent: &Agent, env: usize) -> u32 {
    if !agent.options.dump || UNTRACED.get() {
        return 0;
    }
    // Naming the frames may make the host define more.
    untraced(|| trace(agent, env))
}

thread_local! {
    static UNTRACED: Cell<bool> = const { Cell::new(false) };
}

/// Whatever the host defines while `body` asks it something is not traced: no lock is
/// taken for it but that of classes or of threads.
pub(crate) fn untraced<O>(body: impl FnOnce() -> O) -> O {
    let before = UNTRACED.replace(true);
    let result = body();
    UNTRACED.set(before);
    result
}

/// A line as it is shown.
pub(crate) fn line(agent: &Agent, line: i32) -> i32 {
    if line > 0 && !agent.options.lineno {
        -1
    } else {
        line
    }
}
