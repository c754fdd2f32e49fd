//! `usage=FILE`: what the agent uses of JVMPI, counted, for `xrun report`.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use agent_usage::{Phase, Usage};
use event_translate::EventKind;
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;
use shim_options::Options;

use crate::base::{config, log, output_name};
use crate::observe::call::{Call, int};
use crate::os::library;
use crate::vm::this_vm;

static USAGE: Usage = Usage::new();
static FILE: OnceLock<PathBuf> = OnceLock::new();
static ON: AtomicBool = AtomicBool::new(false);
static PHASE: AtomicU8 = AtomicU8::new(0);
/// The library that asked for the interface.
static AGENT: OnceLock<String> = OnceLock::new();

thread_local! {
    /// The event of the innermost handler; 0 outside.
    static HANDLER: Cell<i32> = const { Cell::new(0) };
}

/// Whether it is counted.
#[inline]
pub(crate) fn is_on() -> bool {
    // Relaxed: a switch, and a phase; what is behind them has its own order.
    ON.load(Ordering::Relaxed)
}

/// Begins if that is wanted.
pub(crate) fn start(options: &Options) -> bool {
    if let Some(path) = &options.usage {
        let _ = FILE.set(output_name::filled_in("usage", path));
        ON.store(true, Ordering::Relaxed);
    }
    is_on()
}

/// The agent's start has failed.
pub(crate) fn abandon() {
    ON.store(false, Ordering::Relaxed);
}

/// GetEnv is asked.
pub(crate) fn asked(version: jint) {
    USAGE.asked(version);
}

fn phase() -> Phase {
    match PHASE.load(Ordering::Relaxed) {
        0 => Phase::Loading,
        1 => Phase::Live,
        _ => Phase::ShutDown,
    }
}

/// JVM_INIT_DONE comes next.
pub(crate) fn vm_ready() {
    PHASE.fetch_max(1, Ordering::Relaxed);
}

/// The agent calls a function.
pub(crate) fn called(call: &Call) {
    AGENT.get_or_init(|| {
        let file = library::file_of(call.caller).unwrap_or_default();
        String::from_utf8_lossy(&file).into_owned()
    });
    let [first, ..] = call.arguments;
    let handler = EventKind::from_raw(HANDLER.get());
    USAGE.called(call.function, phase(), handler, int(first));
}

/// An event is delivered, until this is dropped.
pub(crate) struct Delivered(i32);

impl Drop for Delivered {
    fn drop(&mut self) {
        let _ = HANDLER.try_with(|handler| handler.set(self.0));
    }
}

/// An event is delivered.
#[inline(never)]
pub(crate) fn event_begins(event_type: jint) -> Delivered {
    let raw = event_type & !JVMPI_REQUESTED_EVENT;
    if let Some(kind) = EventKind::from_raw(raw) {
        if kind == EventKind::JvmShutDown {
            PHASE.fetch_max(2, Ordering::Relaxed);
        }
        USAGE.delivered(kind, raw != event_type, phase());
    }
    Delivered(HANDLER.replace(raw))
}

/// Writes the file, once.
pub(crate) fn finish() {
    static DONE: AtomicBool = AtomicBool::new(false);
    let Some(path) = FILE.get().filter(|_| is_on()) else {
        return;
    };
    if DONE.swap(true, Ordering::AcqRel) {
        return;
    }
    let options = config::options();
    let vm = this_vm::vm_name().unwrap_or_default();
    let about = [
        ("agent", AGENT.get().map_or("", String::as_str)),
        ("VM", vm.as_str()),
        ("libjvmpi", env!("CARGO_PKG_VERSION")),
        (
            "limits",
            if options.classes.takes_all() {
                ""
            } else {
                "method events of some classes only"
            },
        ),
    ];
    if let Err(error) = own_files::replace(path, USAGE.write(&about).as_bytes()) {
        log::warning!("usage={}: {error}", path.display());
    }
}
