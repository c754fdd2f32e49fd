//! The table of counterparts names only what there is, and the capabilities it takes.

#![allow(clippy::unwrap_used, reason = "it fails the test")]

use std::collections::BTreeSet;

use event_translate::table::{EVENTS, FUNCTIONS};
use migration::Counterpart;
use migration::counterparts::{of_event, of_function};

/// `jvmti.h` of JDK 25, as bindings.
const HEADER: &str = include_str!("../../../jvmpi-headers/src/jvmti.rs");

/// In JDK 28's specification, not in that header.
const NEWER: [&str; 1] = ["can_support_value_objects"];

/// Names with several capitals that are not JVMTI's: of JVMPI, JNI, Java, JFR.
const OTHERS: [&str; 38] = [
    "AsyncGetCallTrace",
    "NewGlobalRef",
    "NewWeakGlobalRef",
    "DeleteGlobalRef",
    "DeleteWeakGlobalRef",
    "ArrayRegion",
    "FindClass",
    "NewObject",
    "JNIEnv",
    "GetPrimitiveArrayCritical",
    "HotSpot",
    "HotSpotDiagnosticMXBean",
    "MemoryPoolMXBean",
    "MemoryMXBean",
    "ThreadMXBean",
    "ExecutionSample",
    "JavaMonitorEnter",
    "JavaMonitorWait",
    "ThreadSleep",
    "ThreadPark",
    "GarbageCollection",
    "GCHeapSummary",
    "OnLoad",
    "Agent_OnLoad",
    "Agent_OnUnload",
    "EnableEvent",
    "DisableEvent",
    "RequestEvent",
    "METHOD_ENTRY",
    "MONITOR_CONTENDED_ENTER",
    "OBJECT_FREE",
    "GC_START",
    "GC_FINISH",
    "HPROF",
    "JVMTI",
    "JVMPI",
    "JNI_ERR",
    "JVMTI.agent_load",
];

/// What the specification says that these require.
const REQUIRED: [(&str, &str); 39] = [
    ("SuspendThread", "can_suspend"),
    ("SuspendThreadList", "can_suspend"),
    ("ResumeThread", "can_suspend"),
    ("ResumeThreadList", "can_suspend"),
    ("GetOwnedMonitorInfo", "can_get_owned_monitor_info"),
    (
        "GetOwnedMonitorStackDepthInfo",
        "can_get_owned_monitor_stack_depth_info",
    ),
    (
        "GetCurrentContendedMonitor",
        "can_get_current_contended_monitor",
    ),
    ("GetObjectMonitorUsage", "can_get_monitor_info"),
    ("FollowReferences", "can_tag_objects"),
    ("IterateThroughHeap", "can_tag_objects"),
    ("GetTag", "can_tag_objects"),
    ("SetTag", "can_tag_objects"),
    ("GetObjectsWithTags", "can_tag_objects"),
    ("GetLocalInstance", "can_access_local_variables"),
    ("GetSourceFileName", "can_get_source_file_name"),
    ("GetLineNumberTable", "can_get_line_numbers"),
    ("RetransformClasses", "can_retransform_classes"),
    ("GetCurrentThreadCpuTime", "can_get_current_thread_cpu_time"),
    ("GetThreadCpuTime", "can_get_thread_cpu_time"),
    (
        "SetHeapSamplingInterval",
        "can_generate_sampled_object_alloc_events",
    ),
    ("GenerateEvents", "can_generate_compiled_method_load_events"),
    ("SingleStep", "can_generate_single_step_events"),
    ("MethodEntry", "can_generate_method_entry_events"),
    ("MethodExit", "can_generate_method_exit_events"),
    ("VirtualThreadStart", "can_support_virtual_threads"),
    ("VirtualThreadEnd", "can_support_virtual_threads"),
    ("MonitorContendedEnter", "can_generate_monitor_events"),
    ("MonitorContendedEntered", "can_generate_monitor_events"),
    ("MonitorWait", "can_generate_monitor_events"),
    ("MonitorWaited", "can_generate_monitor_events"),
    ("VMObjectAlloc", "can_generate_vm_object_alloc_events"),
    (
        "SampledObjectAlloc",
        "can_generate_sampled_object_alloc_events",
    ),
    ("ObjectFree", "can_generate_object_free_events"),
    (
        "GarbageCollectionStart",
        "can_generate_garbage_collection_events",
    ),
    (
        "GarbageCollectionFinish",
        "can_generate_garbage_collection_events",
    ),
    (
        "CompiledMethodLoad",
        "can_generate_compiled_method_load_events",
    ),
    (
        "CompiledMethodUnload",
        "can_generate_compiled_method_load_events",
    ),
    // Optional there: without, classes that are older than the agent are not seen, nor
    // each of the others.
    ("ClassFileLoadHook", "can_generate_all_class_hook_events"),
    ("ClassFileLoadHook", "can_retransform_classes"),
];

/// The members of a struct of the header.
fn members(of: &str) -> BTreeSet<&'static str> {
    let start = HEADER.find(&format!("pub struct {of} {{")).unwrap();
    let body = &HEADER[start..];
    let body = &body[..body.find("\n}").unwrap()];
    let names = body.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("    pub ")?.split_once(':')?;
        Some(name)
    });
    names.collect()
}

fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

/// Whether a word is a name in one of the ways that C and Java have.
fn is_name(word: &str) -> bool {
    let capitals = word.matches(|letter: char| letter.is_ascii_uppercase());
    word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && capitals.count() > 1
        && word.len() > 5
}

fn rows() -> Vec<(&'static str, Counterpart)> {
    let events = EVENTS
        .iter()
        .map(|row| (row.kind.name(), of_event(row.kind)));
    let functions = FUNCTIONS
        .iter()
        .map(|row| (row.function.name(), of_function(row.function)));
    events.chain(functions).collect()
}

#[test]
fn all_that_is_named_exists() {
    let (functions, events) = (members("jvmtiInterface_1_"), members("jvmtiEventCallbacks"));
    assert!(functions.len() > 150 && events.len() > 30);
    let is_constant = |word: &str| HEADER.contains(&format!("pub const {word}: "));
    let is_capability =
        |word: &str| HEADER.contains(&format!("pub fn {word}(&self)")) || NEWER.contains(&word);
    let mut seen = BTreeSet::new();
    for (name, row) in rows() {
        for capability in row.capabilities {
            assert!(is_capability(capability), "{name}: {capability}");
        }
        for word in words(row.instead).chain(words(row.differences)) {
            if word.starts_with("can_") {
                assert!(is_capability(word), "{name}: {word}");
            } else if is_name(word) && !OTHERS.contains(&word) {
                let known = functions.contains(word) || events.contains(word) || is_constant(word);
                assert!(known, "{name}: {word} is nothing of JVMTI's");
                seen.insert(word);
            }
        }
    }
    assert!(seen.len() > 60, "{seen:?}");
    for (name, capability) in REQUIRED {
        assert!(functions.contains(name) || events.contains(name), "{name}");
        assert!(is_capability(capability), "{capability}");
    }
}

#[test]
fn capabilities_are_those_that_are_required() {
    for (name, row) in rows() {
        let of = |text| {
            let words: Vec<_> = words(text).collect();
            REQUIRED
                .into_iter()
                .filter(move |(what, _)| words.contains(what))
        };
        for (what, capability) in of(row.instead) {
            assert!(
                row.capabilities.contains(&capability),
                "{name}: {what} requires {capability}"
            );
        }
        for capability in row.capabilities {
            let mut reasons = of(row.instead).chain(of(row.differences));
            assert!(
                reasons.any(|(_, required)| required == *capability),
                "{name}: {capability} is for nothing that the row names"
            );
        }
    }
}
