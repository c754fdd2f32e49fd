//! A dump: everything that was asked for, as of now.

use dump_format::{Monitor, MonitorId, MonitorReader};
use jvmpi_headers::jvmpi::{JVMPI_EVENT_HEAP_DUMP, JVMPI_EVENT_MONITOR_DUMP};
use parking_lot::Mutex;
use terminal_text::printable::printable;

use crate::agent::Agent;
use crate::ascii_heap::{self, InUse, Standing};
use crate::binary_heap::{self, Records};
use crate::ffi::event::{MonitorDump, ThreadTrace};
use crate::ffi::{extension, host};
use crate::heap::{self, Heap};
use crate::options::{Format, Options, Talk};
use crate::profile::{Cpu, Profile, UNKNOWN};
use crate::progress::Speaker;
use crate::snapshot::{self, Parts};
use crate::tables::Tables;
use crate::text::shown;
use crate::{ascii, names, say, verbose, vm_dump};

/// Why a dump is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Signal,
    Exit,
    /// What there is so far; nobody has asked.
    Rewrite,
}

/// One at a time. Kept while the host is asked for its dumps, which [`crate::agent`] allows:
/// who waits for it needs nothing that the one who has it waits for.
static DUMPING: Mutex<()> = Mutex::new(());

/// All of it.
pub(crate) fn everything(agent: &'static Agent, why: Why) {
    let _one = DUMPING.lock();
    {
        let mut output = agent.output.lock();
        output.begin();
        if output.has_failed() {
            return;
        }
    }
    if agent.vm_dumps {
        by_the_vm(agent, why);
    } else {
        by_us(agent, why);
    }
}

/// The VM ends, or goes on without us: a dump that is being made is finished first, also where `doe=n` wants none now.
pub(crate) fn end(agent: &Agent) {
    let _one = DUMPING.lock();
    agent.output.lock().end();
}

/// The VM writes the file.
fn by_the_vm(agent: &Agent, why: Why) {
    // Not in the lock: the host is asked.
    let folder = agent.output.lock().folder();
    let Some(folder) = folder else {
        return;
    };
    let whole = folder.path().join("heap");
    let speaker = speaker(agent);
    let is_written = extension::dump_heap(&whole);
    drop(speaker);
    if !is_written {
        say::error(format_args!("the VM cannot write a dump of its heap"));
        return;
    }
    if let Err(unsigned) = vm_dump::sign(&whole) {
        let reason = unsigned.reason;
        if !unsigned.is_whole {
            say::error(format_args!(
                "the end of the dump cannot be written: {reason}"
            ));
            return;
        }
        say::error(format_args!(
            "the dump is whole, but does not say who has written it: {reason}"
        ));
    }
    agent.output.lock().replace_by(&whole);
    say_done(agent, why);
}

fn say_done(agent: &Agent, why: Why) {
    if agent.options.talk != Talk::Errors && why != Why::Rewrite {
        let output = agent.output.lock();
        if !output.has_failed() {
            say::notice(&done(&agent.options, &output.name()));
        }
    }
}

fn by_us(agent: &'static Agent, why: Why) {
    let options = &agent.options;
    if options.monitor && options.format == Format::Ascii {
        request(JVMPI_EVENT_MONITOR_DUMP, "monitors");
    }
    if options.dump {
        ask_for_the_heap(agent);
    }
    let parts = Parts {
        cpu: true,
        sites: options.sites,
        locks: true,
    };
    let profile = snapshot::take(agent, parts);
    write(agent, &profile, None);
    agent.output.lock().complete();
    say_done(agent, why);
    if options.talk == Talk::Tables && why == Why::Exit {
        say::text(&verbose::tables(&profile, agent.samples.looks()));
    }
}

/// `Dumping allocation sites ... done: java.hprof.txt`
fn done(options: &Options, name: &str) -> String {
    let mut line = "Dumping".to_owned();
    for (wanted, text) in [
        (options.dump, " Java heap ..."),
        (options.monitor, " contended monitors ..."),
        (options.sites, " allocation sites ..."),
        (options.cpu.is_some(), " CPU usage ..."),
    ] {
        if wanted {
            line.push_str(text);
        }
    }
    line + " done: " + &printable(name)
}

fn request(event: i32, what: &str) {
    if !host::request(event, 0) {
        say::error(format_args!(
            "this VM gives no dump of {what}; the rest follows"
        ));
    }
}

/// What is new, and tables.
fn write(agent: &Agent, profile: &Profile, tables: Option<Tables>) {
    news(agent, profile);
    agent.output.lock().tables(profile, tables);
}

fn news(agent: &Agent, profile: &Profile) {
    let (changes, left_out) = {
        let threads = agent.threads.lock();
        (threads.changes.clone(), threads.left_out)
    };
    agent.output.lock().news(profile, &changes, left_out);
}

/// On command: some tables, empty ones of what is not counted, as somebody waits for them.
pub(crate) fn some(agent: &Agent, parts: Parts, tables: Tables) {
    let _one = DUMPING.lock();
    let mut profile = snapshot::take(agent, parts);
    if parts.cpu && !agent.options.format.is_new() {
        profile.cpu.get_or_insert(Cpu::Samples(Vec::new()));
    }
    write(agent, &profile, Some(tables));
}

const NOTHING: Parts = Parts {
    cpu: false,
    sites: false,
    locks: false,
};

/// On command: traces that are new.
pub(crate) fn traces(agent: &Agent) {
    let _one = DUMPING.lock();
    news(agent, &snapshot::take(agent, NOTHING));
}

/// On command: how much lives.
pub(crate) fn summary(agent: &Agent) {
    let _one = DUMPING.lock();
    let profile = snapshot::take(
        agent,
        Parts {
            sites: true,
            ..NOTHING
        },
    );
    news(agent, &profile);
    let sites = profile.sites.as_deref().unwrap_or_default();
    let mut output = agent.output.lock();
    match output.format() {
        Format::Binary => output.part(|binary, out| binary.summary(out, sites)),
        Format::Ascii => output.part(|_, out| ascii::summary(out, &profile, sites)),
        // Not asked for: there is no place for it.
        Format::Collapsed | Format::Flame | Format::Json | Format::Pprof => {}
    }
}

/// On command: the heap.
pub(crate) fn heap_on_command(agent: &Agent) {
    let _one = DUMPING.lock();
    ask_for_the_heap(agent);
}

fn ask_for_the_heap(agent: &Agent) {
    agent.written.of(0);
    let _speaker = speaker(agent);
    request(JVMPI_EVENT_HEAP_DUMP, "the heap");
}

fn speaker(agent: &Agent) -> Speaker {
    Speaker::of(&agent.written, agent.options.talk != Talk::Errors)
}

/// HEAP_DUMP.
pub(crate) fn heap(agent: &Agent, bytes: &[u8], traces: &[ThreadTrace]) {
    let heap = match Heap::new(agent, bytes, traces) {
        Ok(heap) => heap,
        Err(reason) => {
            say::error(format_args!("the VM's heap dump cannot be read: {reason}"));
            return;
        }
    };
    write_heap(agent, &heap, u32::MAX);
}

/// In records of `most` bytes at most, where there are records.
pub(crate) fn write_heap(agent: &Agent, heap: &Heap<'_>, most: u32) {
    let is_binary = agent.options.format == Format::Binary;
    let records = is_binary.then(|| binary_heap::records(heap, most));
    if let Some(Ok(Records::Segments)) = records {
        // Before the head of the file, if that is not there yet.
        agent.output.lock().expect_segments();
    }
    news(agent, &snapshot::take(agent, NOTHING));
    let written = &agent.written;
    written.of(heap.objects);
    let mut shortened = 0;
    let mut output = agent.output.lock();
    match records {
        Some(records) => output.part(|binary, out| {
            let how = (records?, most);
            shortened = binary_heap::heap(out, binary, heap, how, || written.step())?;
            Ok(())
        }),
        None => output.part(|_, out| ascii_heap::heap(out, heap, || written.step())),
    }
    drop(output);
    if shortened > 0 {
        say::error(format_args!(
            "{shortened} arrays of more than 4 GiB are cut short in the heap dump: no record holds more"
        ));
    }
}

/// MONITOR_DUMP.
pub(crate) fn monitors(agent: &Agent, dump: MonitorDump<'_>, traces: &[ThreadTrace]) {
    let standing = traces.iter().map(|trace| {
        let serial = names::named_serial(agent, trace.env);
        Standing {
            serial,
            trace: heap::intern(agent, serial, trace),
            status: trace.status,
        }
    });
    let standing: Vec<_> = standing.collect();
    let found: Result<Vec<_>, _> = MonitorReader::new(dump.bytes()).collect();
    let found = found.unwrap_or_else(|reason| {
        say::error(format_args!(
            "the VM's monitor dump cannot be read: {reason}"
        ));
        Vec::new()
    });
    // Asks for threads and classes: before they are written, and before the lock.
    let found = found
        .into_iter()
        .map(|monitor| in_use(agent, dump, monitor));
    let found: Vec<_> = found.collect();
    news(agent, &snapshot::take(agent, NOTHING));
    agent
        .output
        .lock()
        .part(|_, out| ascii_heap::monitors(out, &standing, &found));
}

fn in_use(agent: &Agent, dump: MonitorDump<'_>, monitor: Monitor<'_>) -> InUse {
    let serial = |env| names::named_serial(agent, env);
    InUse {
        name: match monitor.id {
            MonitorId::Java(object) => {
                let class = names::class_of(agent, object).map_or(0, |class| class.0);
                let classes = agent.classes.lock();
                let name = classes.class(class).map_or(UNKNOWN, |class| &class.name);
                format!("MONITOR {}({object:x})", shown(name))
            }
            MonitorId::Raw { name, id } => {
                let name = dump.name(name);
                format!("RAW MONITOR \"{}\"(0x{id:x})", shown(&name))
            }
        },
        owner: (monitor.owner != 0).then(|| (serial(monitor.owner), monitor.entry_count)),
        wait_to_enter: monitor.wait_to_enter.map(serial).collect(),
        wait_to_be_notified: monitor.wait_to_be_notified.map(serial).collect(),
    }
}
