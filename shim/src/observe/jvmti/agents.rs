//! Who asks the VM for an environment of JVMTI: its agents, which are recorded from then on.
//!
//! An agent that was loaded before us has asked already, and is not recorded; that is said.
#![allow(unsafe_code, reason = "an environment from C")]

use std::ffi::{CStr, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmti::JVMTI_PHASE_ONLOAD;
use parking_lot::Mutex;
use recording_format::Value;
use recording_format::jvmti::Definition;
use terminal_text::raw_text;

use crate::base::config;
use crate::base::log;
use crate::observe::jvmti::{calls, environments, saw};
use crate::observe::{recording, trace};
use crate::os::imports::{self, Image};
use crate::os::library;
use crate::vm::env::Jvmti;
use crate::vm::this_vm;

static THERE: AtomicBool = AtomicBool::new(false);

/// Whether one is recorded: there is something to record.
pub(crate) fn are_there() -> bool {
    // Relaxed: marks that lead to no other memory; each is a message of its own.
    THERE.load(Ordering::Relaxed)
}

/// Whether they are recorded. Functions of JVMTI take words of 64 bits, which are two elsewhere.
fn are_recorded() -> bool {
    recording::is_on() && !config::options().trace_no_jvmti && usize::BITS >= u64::BITS
}

/// Somebody has an environment that the VM has just made for him; `caller` is where he asked from, 0
/// if that is unknown.
///
/// # Safety
/// As for [`environments::take`].
pub(crate) unsafe fn has_asked(env: *mut c_void, caller: usize) {
    if !are_recorded() {
        return;
    }
    let (agent, library) = library_of(caller);
    // SAFETY: the caller's promise.
    let Some(number) = (unsafe { environments::take(env, &agent, calls::function) }) else {
        return;
    };
    THERE.store(true, Ordering::Relaxed);
    let phase = this_vm::jvmti().map(Jvmti::phase);
    if matches!(phase, None | Some(Ok(JVMTI_PHASE_ONLOAD))) {
        // It is being started, and not one that asks for more later.
        EARLIER.lock().retain(|earlier| *earlier != agent);
    }
    log::info!("trace: environment {number} of JVMTI is {agent}'s");
    if let Some(library) = library {
        saw::offer(&library, number);
    }
    let agent = raw_text::encode(&agent);
    trace::defined(
        Definition::Environment,
        &[Value::Int(number.into()), Value::Text(Some(&agent))],
    );
}

/// Somebody has asked for a version of JVMTI that this VM does not have.
pub(crate) fn was_refused(version: jint, caller: usize) {
    if !are_recorded() {
        return;
    }
    let has = this_vm::jvmti().map_or(0, Jvmti::feature_version);
    let wants = (version >> 16) & 0xfff;
    log::warn_once!(
        "trace: {} asks for JVMTI {wants}, this VM has {has} and gives it none (JNI_EVERSION): it is not recorded; have it ask for JVMTI_VERSION_1_2 or what it needs at least, or run it on a JDK of that version",
        library_of(caller).0
    );
}

/// Agents whose libraries were there already when recording began, and that have not been started
/// since: those that were started before us, but for those of -Xrun, which the VM loads early and starts late.
static EARLIER: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Recording has begun.
pub(crate) fn look_for_earlier_ones() {
    static LOOKED: AtomicBool = AtomicBool::new(false);
    if usize::BITS < u64::BITS || LOOKED.swap(true, Ordering::Relaxed) {
        return;
    }
    let earlier = library::all_with(JVMTI_ENTRIES);
    *EARLIER.lock() = earlier
        .iter()
        .rev()
        .map(|(file, _)| base_name(file))
        .collect();
}

/// All agents have been started: says which of them have what they have asked for before us, and
/// keep it.
pub(crate) fn name_earlier_ones() {
    let names = std::mem::take(&mut *EARLIER.lock());
    if !names.is_empty() {
        log::warning!(
            "trace: {} stood before libjvmpi.so: what it has asked for by then is not recorded; `xrun trace` puts libjvmpi.so first; by hand it is the first -agentpath of JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS or the command line, in this order",
            names.join(", ")
        );
    }
}

/// The library of the one who asks, by name and in memory. The last call of a function leaves no frame
/// of it behind: then the VM seems to ask itself, and it is the library that it has loaded last.
fn library_of(caller: usize) -> (String, Option<Image>) {
    let asks = library::file_of(caller);
    let is_vm = asks
        .as_deref()
        .is_none_or(|file| file.ends_with(b"/libjvm.so"));
    let newest = is_vm.then(|| library::all_with(JVMTI_ENTRIES).into_iter().next());
    let (file, inside) = match newest.flatten() {
        Some((file, entry)) => (Some(file), entry),
        None => (asks, caller),
    };
    let name = file.map_or_else(|| "?".to_owned(), |file| base_name(&file));
    (name, imports::image_of(inside))
}

/// The name of the library that this address is in.
pub(super) fn name_at(address: usize) -> Option<String> {
    library::file_of(address).map(|file| base_name(&file))
}

fn base_name(file: &[u8]) -> String {
    let file = raw_text::decode(file);
    let name = Path::new(&file).file_name();
    name.map_or_else(
        || "?".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

const JVMTI_ENTRIES: &[&CStr] = &[c"Agent_OnLoad", c"Agent_OnAttach"];
