//! Holds both sets of bindings against what a C compiler makes of the headers.
//!
//! Longer than most: one list of facts for each header, and one way to ask a C compiler for them.
//!
//! `jvmpi.h` (and `xrun_ext.h`, `xrun_saw.h`) against its Rust mirror, as C89, as C++ and for 32 bits; `jvmti.rs` against
//! the `jvmti.h` of every JDK at hand. What could not be compared is said on
//! stderr, past the capture of the test harness.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;

use jvmpi_headers::jvmpi::*;
use jvmpi_headers::xrun_ext::*;
use jvmpi_headers::{INCLUDE_DIR, jvmti};

const JVMPI_H: &str = include_str!("../include/jvmpi.h");
const JVMPI_RS: &str = include_str!("../src/jvmpi.rs");
const JVMTI_RS: &str = include_str!("../src/jvmti.rs");

/// The versions that the project as a whole is tested on.
const WANTED_JDKS: [u32; 6] = [8, 11, 17, 21, 25, 26];

const STRICT: [&str; 4] = ["-pedantic", "-Wall", "-Wextra", "-Werror"];

/// Reaches the user even if the test passes.
fn say(line: &str) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

fn not_run(what: &str, why: &str) {
    say(&format!("not run: {what}: {why}"));
}

// ---- Tools ----

fn answers(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|out| out.status.success())
}

fn compiler(variable: &str, usual: &[&str]) -> Option<String> {
    env::var(variable)
        .ok()
        .into_iter()
        .chain(usual.iter().map(ToString::to_string))
        .find(|program| answers(program))
}

fn cc() -> Option<String> {
    compiler("CC", &["gcc", "cc", "clang"])
}

fn cxx() -> Option<String> {
    compiler("CXX", &["g++", "c++", "clang++"])
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&path).expect("a folder for the probe");
    path
}

fn compile(compiler: &str, args: &[OsString]) -> Result<(), String> {
    let out = Command::new(compiler)
        .args(args)
        .output()
        .map_err(|err| err.to_string())?;
    if out.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&out.stderr).into_owned())
    }
}

fn os(args: &[&str]) -> Vec<OsString> {
    args.iter().map(OsString::from).collect()
}

struct Jdk {
    home: PathBuf,
    include: PathBuf,
    /// The platform's own folder, with `jni_md.h`.
    platform: PathBuf,
    version: Option<u32>,
}

impl Jdk {
    fn at(home: &Path) -> Option<Self> {
        let home = home.canonicalize().ok()?;
        let include = home.join("include");
        if !include.join("jvmti.h").is_file() || !include.join("jni.h").is_file() {
            return None;
        }
        let platform = fs::read_dir(&include)
            .ok()?
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.join("jni_md.h").is_file())?;
        let version = fs::read_to_string(home.join("release"))
            .ok()
            .and_then(|text| feature_version(&text));
        Some(Self {
            home,
            include,
            platform,
            version,
        })
    }

    fn includes(&self) -> Vec<OsString> {
        vec![
            "-isystem".into(),
            self.include.clone().into(),
            "-isystem".into(),
            self.platform.clone().into(),
        ]
    }

    fn name(&self) -> String {
        match self.version {
            Some(version) => format!("JDK {version} ({})", self.home.display()),
            None => format!("a JDK ({})", self.home.display()),
        }
    }
}

/// 17 from `JAVA_VERSION="17.0.2"`, 8 from `JAVA_VERSION="1.8.0_402"`.
fn feature_version(release: &str) -> Option<u32> {
    let line = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let version = line.trim_matches('"');
    let version = version.strip_prefix("1.").unwrap_or(version);
    let digits = version.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn jdks() -> Vec<Jdk> {
    let mut parents = vec![
        PathBuf::from("/usr/lib/jvm"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../.jdks"),
    ];
    if let Some(list) = env::var_os("XRUN_JDKS") {
        parents.extend(env::split_paths(&list));
    }
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    for parent in parents {
        homes.extend(
            fs::read_dir(parent)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path()),
        );
    }
    let mut found = BTreeMap::new();
    for jdk in homes.iter().filter_map(|home| Jdk::at(home)) {
        found.entry(jdk.home.clone()).or_insert(jdk);
    }
    found.into_values().collect()
}

/// A compiler and some `jni.h`, or a line that says what is missing.
fn tools(what: &str) -> Option<(String, Jdk)> {
    let Some(cc) = cc() else {
        not_run(what, "no C compiler found");
        return None;
    };
    let Some(jdk) = jdks().into_iter().next() else {
        not_run(what, "no JDK with include/jni.h found");
        return None;
    };
    Some((cc, jdk))
}

/// Runs a probe that prints `name value` lines.
fn values(probe: &Path) -> BTreeMap<String, i64> {
    let out = Command::new(probe).output().expect("the probe runs");
    assert!(out.status.success(), "the probe failed: {}", out.status);
    String::from_utf8(out.stdout)
        .expect("the probe prints ASCII")
        .lines()
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').expect("a name and a value");
            (name.to_owned(), value.parse().expect("a number"))
        })
        .collect()
}

// ---- JVMPI ----

/// One size or offset: the C expression, Rust's number, and the ABI's on both word
/// sizes. The ABI's size of a single field is that of its type, so not listed.
struct Fact {
    c: String,
    rust: usize,
    abi: Option<Abi>,
}

struct Abi {
    lp64: usize,
    ilp32: usize,
}

impl Fact {
    fn new(c: String, rust: usize, lp64: usize, ilp32: usize) -> Self {
        let abi = Some(Abi { lp64, ilp32 });
        Self { c, rust, abi }
    }
}

/// The size of the field that a function picks.
const fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

fn sizeof(ty: &str, path: &str) -> String {
    if path.is_empty() {
        format!("sizeof({ty})")
    } else {
        format!("sizeof(((JVMPI_Event *)0)->{path})")
    }
}

fn sizeof_field(ty: &str, path: &str, field: &str) -> String {
    if path.is_empty() {
        format!("sizeof((({ty} *)0)->{field})")
    } else {
        sizeof(ty, &format!("{path}.{field}"))
    }
}

fn offsetof(ty: &str, path: &str, field: &str) -> String {
    if path.is_empty() {
        format!("offsetof({ty}, {field})")
    } else {
        format!("offsetof(JVMPI_Event, {path}.{field}) - offsetof(JVMPI_Event, {path})")
    }
}

/// The ABI: Rust type, place in `JVMPI_Event` if C has no name for the type, and
/// its size and offsets, 64 bits | i386.
fn facts() -> Vec<Fact> {
    let mut facts = Vec::new();
    macro_rules! layout {
        ($($ty:ident, $path:literal, $s64:literal | $s32:literal,
            { $($field:ident $o64:literal | $o32:literal),* };)*) => {$(
            let c = sizeof(stringify!($ty), $path);
            facts.push(Fact::new(c, size_of::<$ty>(), $s64, $s32));
            $({
                let field = stringify!($field);
                let c = offsetof(stringify!($ty), $path, field);
                facts.push(Fact::new(c, offset_of!($ty, $field), $o64, $o32));
                facts.push(Fact {
                    c: sizeof_field(stringify!($ty), $path, field),
                    rust: size_of_field(|whole: &$ty| &whole.$field),
                    abi: None,
                });
            })*
        )*};
    }
    layout! {
        JVMPI_CallFrame, "", 16 | 8, { lineno 0 | 0, method_id 8 | 4 };
        JVMPI_CallTrace, "", 24 | 12, { env_id 0 | 0, num_frames 8 | 4, frames 16 | 8 };
        JVMPI_Method, "", 32 | 20, { method_name 0 | 0, method_signature 8 | 4, start_lineno 16 | 8, end_lineno 20 | 12, method_id 24 | 16 };
        JVMPI_Field, "", 16 | 8, { field_name 0 | 0, field_signature 8 | 4 };
        JVMPI_Lineno, "", 8 | 8, { offset 0 | 0, lineno 4 | 4 };
        JVMPI_HeapDumpArg, "", 4 | 4, { heap_dump_level 0 | 0 };
        JVMPI_Event, "", 88 | 48, { event_type 0 | 0, env_id 8 | 4, u 16 | 8 };
        JVMPI_Event_u, "u", 72 | 40, {  };
        JVMPI_Event_class_load, "u.class_load", 72 | 40, { class_name 0 | 0, source_name 8 | 4, num_interfaces 16 | 8, num_methods 20 | 12, methods 24 | 16, num_static_fields 32 | 20, statics 40 | 24, num_instance_fields 48 | 28, instances 56 | 32, class_id 64 | 36 };
        JVMPI_Event_class_unload, "u.class_unload", 8 | 4, { class_id 0 | 0 };
        JVMPI_Event_class_load_hook, "u.class_load_hook", 40 | 20, { class_data 0 | 0, class_data_len 8 | 4, new_class_data 16 | 8, new_class_data_len 24 | 12, malloc_f 32 | 16 };
        JVMPI_Event_obj_alloc, "u.obj_alloc", 32 | 20, { arena_id 0 | 0, class_id 8 | 4, is_array 16 | 8, size 20 | 12, obj_id 24 | 16 };
        JVMPI_Event_obj_free, "u.obj_free", 8 | 4, { obj_id 0 | 0 };
        JVMPI_Event_obj_move, "u.obj_move", 32 | 16, { arena_id 0 | 0, obj_id 8 | 4, new_arena_id 16 | 8, new_obj_id 24 | 12 };
        JVMPI_Event_new_arena, "u.new_arena", 16 | 8, { arena_id 0 | 0, arena_name 8 | 4 };
        JVMPI_Event_delete_arena, "u.delete_arena", 4 | 4, { arena_id 0 | 0 };
        JVMPI_Event_thread_start, "u.thread_start", 40 | 20, { thread_name 0 | 0, group_name 8 | 4, parent_name 16 | 8, thread_id 24 | 12, thread_env_id 32 | 16 };
        JVMPI_Event_heap_dump, "u.heap_dump", 40 | 20, { dump_level 0 | 0, begin 8 | 4, end 16 | 8, num_traces 24 | 12, traces 32 | 16 };
        JVMPI_Event_jni_globalref_alloc, "u.jni_globalref_alloc", 16 | 8, { obj_id 0 | 0, ref_id 8 | 4 };
        JVMPI_Event_jni_globalref_free, "u.jni_globalref_free", 8 | 4, { ref_id 0 | 0 };
        JVMPI_Event_method, "u.method", 8 | 4, { method_id 0 | 0 };
        JVMPI_Event_method_entry2, "u.method_entry2", 16 | 8, { method_id 0 | 0, obj_id 8 | 4 };
        JVMPI_Event_compiled_method_load, "u.compiled_method_load", 32 | 20, { method_id 0 | 0, code_addr 8 | 4, code_size 16 | 8, lineno_table_size 20 | 12, lineno_table 24 | 16 };
        JVMPI_Event_compiled_method_unload, "u.compiled_method_unload", 8 | 4, { method_id 0 | 0 };
        JVMPI_Event_instruction, "u.instruction", 24 | 20, { method_id 0 | 0, offset 8 | 4, u 12 | 8 };
        JVMPI_Event_instruction_u, "u.instruction.u", 12 | 12, {  };
        JVMPI_Event_instruction_if_info, "u.instruction.u.if_info", 1 | 1, { is_true 0 | 0 };
        JVMPI_Event_instruction_tableswitch_info, "u.instruction.u.tableswitch_info", 12 | 12, { key 0 | 0, low 4 | 4, hi 8 | 8 };
        JVMPI_Event_instruction_lookupswitch_info, "u.instruction.u.lookupswitch_info", 8 | 8, { chosen_pair_index 0 | 0, pairs_total 4 | 4 };
        JVMPI_Event_monitor_dump, "u.monitor_dump", 40 | 20, { begin 0 | 0, end 8 | 4, num_traces 16 | 8, traces 24 | 12, threads_status 32 | 16 };
        JVMPI_Event_raw_monitor, "u.raw_monitor", 16 | 8, { name 0 | 0, id 8 | 4 };
        JVMPI_Event_monitor, "u.monitor", 8 | 4, { object 0 | 0 };
        JVMPI_Event_monitor_wait, "u.monitor_wait", 16 | 12, { object 0 | 0, timeout 8 | 4 };
        JVMPI_Event_gc_info, "u.gc_info", 24 | 24, { used_objects 0 | 0, used_object_space 8 | 8, total_object_space 16 | 16 };
        JVMPI_Event_object_dump, "u.object_dump", 16 | 8, { data_len 0 | 0, data 8 | 4 };
        XRun_Extension, "", 104 | 56, { size 0 | 0, version 4 | 4, set_option 8 | 8, get_option 16 | 12, is_sampled 24 | 16,
            dump_heap 32 | 20, tell 40 | 24, get_left_out 48 | 28, watch_parks 56 | 32, list_parked 64 | 36,
            get_kernel_thread 72 | 40, get_running_traces 80 | 44, get_mounted 88 | 48, get_activities 96 | 52 };
    }
    macro_rules! numbers {
        ($($name:ident)*) => {$(
            facts.push(Fact {
                c: stringify!($name).to_owned(),
                rust: usize::try_from($name).expect("no negative number"),
                abi: None,
            });
        )*};
    }
    numbers! { XRUN_EXT_VERSION_1 XRUN_UNKNOWN XRUN_RESTS XRUN_RUNS_JAVA }
    macro_rules! slots {
        ($($slot:ident)*) => {
            let rows = [$((stringify!($slot), offset_of!(JVMPI_Interface, $slot))),*];
            for (before, (slot, rust)) in rows.into_iter().enumerate() {
                let c = offsetof("JVMPI_Interface", "", slot);
                facts.push(Fact::new(c, rust, 8 * (before + 1), 4 * (before + 1)));
            }
        };
    }
    slots! {
        NotifyEvent EnableEvent DisableEvent RequestEvent GetCallTrace ProfilerExit
        RawMonitorCreate RawMonitorEnter RawMonitorExit RawMonitorWait RawMonitorNotifyAll
        RawMonitorDestroy GetCurrentThreadCpuTime SuspendThread ResumeThread GetThreadStatus
        ThreadHasRun CreateSystemThread SetThreadLocalStorage GetThreadLocalStorage DisableGC
        EnableGC RunGC GetThreadObject GetMethodClass jobjectID2jobject jobject2jobjectID
        SuspendThreadList ResumeThreadList
    }
    let c = sizeof("JVMPI_Interface", "");
    facts.push(Fact::new(c, size_of::<JVMPI_Interface>(), 240, 120));
    facts
}

fn constants() -> BTreeMap<&'static str, i64> {
    macro_rules! table {
        ($($name:ident),* $(,)?) => {
            BTreeMap::from([$((stringify!($name), i64::from($name))),*])
        };
    }
    table! {
        JVMPI_VERSION_1, JVMPI_VERSION_1_1, JVMPI_VERSION_1_2, JVMPI_SUCCESS,
        JVMPI_NOT_AVAILABLE, JVMPI_FAIL, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_ENTRY2,
        JVMPI_EVENT_METHOD_EXIT, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE,
        JVMPI_EVENT_OBJECT_MOVE, JVMPI_EVENT_COMPILED_METHOD_LOAD,
        JVMPI_EVENT_COMPILED_METHOD_UNLOAD, JVMPI_EVENT_INSTRUCTION_START,
        JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD_HOOK,
        JVMPI_EVENT_HEAP_DUMP, JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_GLOBALREF_FREE,
        JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
        JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD, JVMPI_EVENT_DATA_DUMP_REQUEST,
        JVMPI_EVENT_DATA_RESET_REQUEST, JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN,
        JVMPI_EVENT_ARENA_NEW, JVMPI_EVENT_ARENA_DELETE, JVMPI_EVENT_OBJECT_DUMP,
        JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED,
        JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT, JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
        JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
        JVMPI_EVENT_MONITOR_WAIT, JVMPI_EVENT_MONITOR_WAITED, JVMPI_EVENT_MONITOR_DUMP,
        JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH, JVMPI_MAX_EVENT_TYPE_VAL,
        JVMPI_REQUESTED_EVENT, JVMPI_EVENT_OBJ_ALLOC, JVMPI_EVENT_OBJ_FREE,
        JVMPI_EVENT_OBJ_MOVE, JVMPI_EVENT_LOAD_COMPILED_METHOD,
        JVMPI_EVENT_UNLOAD_COMPILED_METHOD, JVMPI_EVENT_DUMP_DATA_REQUEST,
        JVMPI_EVENT_RESET_DATA_REQUEST, JVMPI_EVENT_NEW_ARENA, JVMPI_EVENT_DELETE_ARENA,
        JVMPI_NORMAL_OBJECT, JVMPI_CLASS, JVMPI_BOOLEAN, JVMPI_CHAR, JVMPI_FLOAT, JVMPI_DOUBLE,
        JVMPI_BYTE, JVMPI_SHORT, JVMPI_INT, JVMPI_LONG, JVMPI_THREAD_RUNNABLE,
        JVMPI_THREAD_MONITOR_WAIT, JVMPI_THREAD_CONDVAR_WAIT, JVMPI_THREAD_SUSPENDED,
        JVMPI_THREAD_INTERRUPTED, JVMPI_MINIMUM_PRIORITY, JVMPI_NORMAL_PRIORITY,
        JVMPI_MAXIMUM_PRIORITY, JVMPI_DUMP_LEVEL_0, JVMPI_DUMP_LEVEL_1, JVMPI_DUMP_LEVEL_2,
        JVMPI_MONITOR_JAVA, JVMPI_MONITOR_RAW, JVMPI_GC_ROOT_UNKNOWN, JVMPI_GC_ROOT_JNI_GLOBAL,
        JVMPI_GC_ROOT_JNI_LOCAL, JVMPI_GC_ROOT_JAVA_FRAME, JVMPI_GC_ROOT_NATIVE_STACK,
        JVMPI_GC_ROOT_STICKY_CLASS, JVMPI_GC_ROOT_THREAD_BLOCK, JVMPI_GC_ROOT_MONITOR_USED,
        JVMPI_GC_ROOT_THREAD_OBJ, JVMPI_GC_CLASS_DUMP, JVMPI_GC_INSTANCE_DUMP,
        JVMPI_GC_OBJ_ARRAY_DUMP, JVMPI_GC_PRIM_ARRAY_DUMP
    }
}

/// The constants that `jvmpi.h` defines with a value.
fn defined_in_c() -> BTreeSet<&'static str> {
    JVMPI_H
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_whitespace().next())
        .filter(|name| name.starts_with("JVMPI_"))
        .collect()
}

#[test]
fn header_and_mirror_have_the_same_constants() {
    let mirror: BTreeSet<&str> = JVMPI_RS
        .lines()
        .filter_map(|line| line.strip_prefix("pub const ")?.split(':').next())
        .collect();
    assert_eq!(defined_in_c(), mirror);
    assert_eq!(constants().into_keys().collect::<BTreeSet<_>>(), mirror);
}

/// 37 events and 9 older names; numbers from the specification's ranges only.
#[test]
fn events_are_complete() {
    let constants = constants();
    let numbers: Vec<i64> = constants
        .iter()
        .filter(|(name, _)| name.starts_with("JVMPI_EVENT_"))
        .map(|(_, number)| *number)
        .collect();
    assert_eq!(numbers.len(), 37 + 9);
    let distinct: BTreeSet<i64> = numbers.into_iter().collect();
    let expected: BTreeSet<i64> = (1..=9).chain(33..=35).chain(37..=61).collect();
    assert_eq!(distinct, expected);
}

fn probe_source() -> String {
    let mut source = String::from(
        "#include <jvmpi.h>\n#include <xrun_ext.h>\n#include <xrun_saw.h>\n#include <stddef.h>\n#include <stdio.h>\n\
         int main(void)\n{\n",
    );
    // Nobody has them here: nothing happens.
    source.push_str("    xrun_saw(\"methods entered\", \"Work.run()V\", 0);\n");
    source.push_str("    xrun_saw_stack(NULL, 0, NULL);\n");
    for fact in facts() {
        let c = fact.c;
        let _ = writeln!(source, "    printf(\"{c} %ld\\n\", (long)({c}));");
    }
    for name in constants().into_keys() {
        let _ = writeln!(source, "    printf(\"{name} %ld\\n\", (long)({name}));");
    }
    source.push_str("    return 0;\n}\n");
    source
}

fn check_probe(language: &str, compiler: &str, args: &[&str], jdk: &Jdk) {
    let dir = folder("jvmpi");
    let source = dir.join(format!("probe-{language}.c"));
    let probe = dir.join(format!("probe-{language}"));
    fs::write(&source, probe_source()).expect("the probe is written");
    let mut all = os(args);
    all.extend(os(&STRICT));
    all.extend(["-I".into(), INCLUDE_DIR.into()]);
    all.extend(jdk.includes());
    all.extend([source.into(), "-o".into(), probe.clone().into()]);
    if let Err(text) = compile(compiler, &all) {
        panic!("{language}: {text}");
    }
    let seen = values(&probe);
    let mut wrong = String::new();
    for Fact { c, rust, abi } in facts() {
        let abi = match abi {
            Some(abi) if size_of::<usize>() == 8 => abi.lp64,
            Some(abi) => abi.ilp32,
            None => rust,
        };
        if seen.get(&c) != i64::try_from(rust).ok().as_ref() || rust != abi {
            let _ = writeln!(wrong, "{c}: C {:?}, Rust {rust}, ABI {abi}", seen.get(&c));
        }
    }
    for (name, rust) in constants() {
        if seen.get(name) != Some(&rust) {
            let _ = writeln!(wrong, "{name}: C {:?}, Rust {rust}", seen.get(name));
        }
    }
    assert!(wrong.is_empty(), "{language}:\n{wrong}");
    let asked: BTreeSet<String> = facts().into_iter().map(|fact| fact.c).collect();
    assert_eq!(seen.len(), asked.len() + constants().len());
}

#[test]
fn c89_agrees() {
    let Some((cc, jdk)) = tools("jvmpi.h as C89") else {
        return;
    };
    check_probe("c89", &cc, &["-std=c89"], &jdk);
}

#[test]
fn cxx_agrees() {
    let Some((_, jdk)) = tools("jvmpi.h as C++") else {
        return;
    };
    let Some(cxx) = cxx() else {
        not_run("jvmpi.h as C++", "no C++ compiler found");
        return;
    };
    for standard in ["c++98", "c++17"] {
        let std = format!("-std={standard}");
        check_probe(standard, &cxx, &[&std, "-x", "c++"], &jdk);
    }
}

/// Only compiled: the numbers are asserted by array sizes, so neither a 32-bit C
/// library nor a system that runs the result is needed.
#[test]
fn ilp32_agrees() {
    let what = "jvmpi.h for 32 bits";
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        not_run(what, "the numbers are those of i386 Linux");
        return;
    }
    let Some((cc, jdk)) = tools(what) else {
        return;
    };
    let dir = folder("ilp32");
    let object = dir.join("probe.o");
    let empty = dir.join("empty.c");
    fs::write(&empty, "typedef char word[sizeof(void *) == 4 ? 1 : -1];\n").expect("written");
    let mut args = os(&["-m32", "-c", "-o"]);
    args.extend([object.clone().into(), empty.into()]);
    if let Err(text) = compile(&cc, &args) {
        not_run(what, &format!("{cc} has no -m32: {}", text.trim()));
        return;
    }

    // jni.h includes stdio.h but needs nothing from it.
    fs::write(dir.join("stdio.h"), "").expect("written");
    let own = Command::new(&cc)
        .arg("-print-file-name=include")
        .output()
        .expect("a path");
    let own = String::from_utf8(own.stdout).expect("a path");
    let mut source =
        String::from("#include <jvmpi.h>\n#include <xrun_ext.h>\n#include <stddef.h>\n");
    for (i, Fact { c, abi, .. }) in facts().into_iter().enumerate() {
        if let Some(Abi { ilp32, .. }) = abi {
            let _ = writeln!(source, "typedef char fact_{i}[({c}) == {ilp32} ? 1 : -1];");
        }
    }
    for (i, (name, value)) in constants().into_iter().enumerate() {
        let _ = writeln!(
            source,
            "typedef char constant_{i}[({name}) == {value} ? 1 : -1];"
        );
    }
    let probe = dir.join("probe.c");
    fs::write(&probe, source).expect("written");
    let mut args = os(&["-m32", "-std=c89", "-nostdinc", "-c", "-isystem"]);
    args.extend([dir.into(), "-isystem".into(), own.trim().into()]);
    args.extend(["-I".into(), INCLUDE_DIR.into()]);
    args.extend(jdk.includes());
    args.extend(os(&STRICT));
    args.extend([probe.into(), "-o".into(), object.into()]);
    if let Err(text) = compile(&cc, &args) {
        panic!("{text}");
    }
}

#[test]
fn an_agent_of_the_period_compiles() {
    let Some((cc, jdk)) = tools("an agent of the period") else {
        return;
    };
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/period_agent.c");
    let mut ways = vec![(cc.clone(), vec!["-std=c89"]), (cc, vec!["-std=gnu17"])];
    match cxx() {
        Some(cxx) => ways
            .extend(["-std=c++98", "-std=c++17"].map(|std| (cxx.clone(), vec![std, "-x", "c++"]))),
        None => not_run("an agent of the period as C++", "no C++ compiler found"),
    }
    let object = folder("agent").join("agent.o");
    for (compiler, flags) in ways {
        for extra in [&[][..], &["-DJVMPI_LOOKUPSWITCH_IS_DEFAULT"][..]] {
            let mut args = os(&flags);
            args.extend(os(extra));
            args.extend(os(&STRICT));
            args.extend(os(&["-fPIC", "-c", "-I", INCLUDE_DIR]));
            args.extend(jdk.includes());
            args.extend([agent.clone().into(), "-o".into(), object.clone().into()]);
            if let Err(text) = compile(&compiler, &args) {
                panic!("{compiler} {flags:?} {extra:?}: {text}");
            }
            // Not a C++ name: the header's prototype gave it C linkage.
            let bytes = fs::read(&object).expect("the object");
            let symbol = b"\0JVM_OnLoad\0";
            assert!(
                bytes.windows(symbol.len()).any(|window| window == symbol),
                "{compiler} {flags:?}: JVM_OnLoad is mangled"
            );
        }
    }
}

// ---- JVMTI ----

/// What the layout asserts in `jvmti.rs` say. The compiler checked them, so they
/// are Rust's numbers; there are none for 32 bits.
fn jvmti_layout() -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for part in JVMTI_RS.split("[\"").skip(1) {
        let Some((what, rest)) = part.split_once("\"]") else {
            continue;
        };
        let Some((expression, _)) = rest.split_once("usize") else {
            continue;
        };
        let digits = expression.rsplit(|c: char| !c.is_ascii_digit()).next();
        let value = digits.and_then(|text| text.parse().ok()).expect("a number");
        found.push((what.to_owned(), value));
    }
    found
}

/// `(name, bit)` of every capability.
fn jvmti_capabilities() -> Vec<(&'static str, i64)> {
    JVMTI_RS
        .split("pub fn set_")
        .filter(|part| part.starts_with("can_"))
        .map(|part| {
            let (name, rest) = part.split_once('(').expect("a setter");
            let (_, rest) = rest.split_once("set_const::<").expect("a bit");
            let (bit, _) = rest.split_once("usize").expect("a bit");
            (name, bit.parse().expect("a bit"))
        })
        .collect()
}

fn jvmti_constants() -> Vec<(&'static str, i64)> {
    JVMTI_RS
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.strip_prefix("pub const ")?.split_once(':')?;
            let (_, value) = rest.split_once(" = ")?;
            Some((name, value.strip_suffix(';')?.parse().ok()?))
        })
        .collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .collect()
}

/// How C writes a type that the header knows by its tag only.
fn c_type(name: &str) -> String {
    match name {
        "jvmtiInterface_1_" | "_jvmtiEnv" => format!("struct {name}"),
        _ => name.to_owned(),
    }
}

/// Grows from one JDK to the next, or names the newest of its kind.
fn may_be_less(what: &str) -> bool {
    [
        "Size of jvmtiEventCallbacks",
        "Size of jvmtiInterface_1_",
        "JVMTI_VERSION",
        "JVMTI_MAX_EVENT_TYPE_VAL",
        "JVMTI_ERROR_MAX",
    ]
    .contains(&what)
}

/// Every fact that this header can be asked for, as a C expression.
fn jvmti_questions(header: &str) -> (Vec<(String, String, i64)>, usize) {
    let known = words(header);
    let mut questions = Vec::new();
    let mut absent = 0;
    let mut ask = |name: &str, what: String, c: String, value: i64| {
        if known.contains(name) {
            questions.push((what, c, value));
        } else {
            absent += 1;
        }
    };
    for (what, value) in jvmti_layout() {
        if let Some(ty) = what.strip_prefix("Size of ") {
            let c = format!("sizeof({})", c_type(ty));
            ask(ty, what.clone(), c, value);
        } else if let Some(ty) = what.strip_prefix("Alignment of ") {
            let c = format!("offsetof(struct {{ char c; {} t; }}, t)", c_type(ty));
            ask(ty, what.clone(), c, value);
        } else if let Some(place) = what.strip_prefix("Offset of field: ") {
            let (ty, field) = place.split_once("::").expect("a type and a field");
            // Spelled otherwise by bindgen, and no field of C's: the bits are asked for below.
            if field.starts_with("_bindgen") || field.starts_with("_bitfield") {
                continue;
            }
            let c = format!("offsetof({}, {})", c_type(ty), field);
            ask(field, what.clone(), c, value);
        } else {
            panic!("an assert of a new kind: {what}");
        }
    }
    for (name, value) in jvmti_constants() {
        ask(name, name.to_owned(), name.to_owned(), value);
    }
    (questions, absent)
}

fn jvmti_probe(questions: &[(String, String, i64)], capabilities: &[(&str, i64)]) -> String {
    let mut source = String::from(
        r#"#include <jvmti.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static jvmtiCapabilities caps;

static void bit(const char *name)
{
    const unsigned char *p = (const unsigned char *)&caps;
    size_t i;
    for (i = 0; i < 8 * sizeof(caps); i++) {
        if (p[i / 8] & (1u << (i % 8))) {
            printf("%s %ld\n", name, (long)i);
        }
    }
    memset(&caps, 0, sizeof(caps));
}

int main(void)
{
"#,
    );
    for (what, c, _) in questions {
        let _ = writeln!(source, "    printf(\"{what} %ld\\n\", (long)({c}));");
    }
    for (name, _) in capabilities {
        let _ = writeln!(source, "    caps.{name} = 1; bit(\"{name}\");");
    }
    source.push_str("    return 0;\n}\n");
    source
}

/// Slots and capabilities of a header that the bindings lack.
fn unknown_to_us(header: &str) -> Vec<&str> {
    let ours = words(JVMTI_RS);
    let slots = header
        .split("(JNICALL *")
        .skip(1)
        .filter_map(|part| part.split(')').next());
    let capabilities = header
        .split("unsigned int can_")
        .skip(1)
        .filter_map(|part| part.split(' ').next())
        .filter(|rest| !ours.contains(format!("can_{rest}").as_str()));
    slots
        .filter(|slot| !ours.contains(slot))
        .chain(capabilities)
        .collect()
}

fn check_jvmti(cc: &str, jdk: &Jdk, index: usize) -> String {
    let header = fs::read_to_string(jdk.include.join("jvmti.h")).expect("the header");
    let (questions, absent) = jvmti_questions(&header);
    let known = words(&header);
    let (capabilities, younger): (Vec<_>, Vec<_>) = jvmti_capabilities()
        .into_iter()
        .partition(|(name, _)| known.contains(name));

    let dir = folder("jvmti");
    let source = dir.join(format!("probe-{index}.c"));
    let probe = dir.join(format!("probe-{index}"));
    fs::write(&source, jvmti_probe(&questions, &capabilities)).expect("the probe is written");
    let mut args = jdk.includes();
    args.extend([source.into(), "-o".into(), probe.clone().into()]);
    if let Err(text) = compile(cc, &args) {
        panic!("{}: {text}", jdk.name());
    }
    let seen = values(&probe);
    let mut wrong = String::new();
    let asked = questions
        .iter()
        .map(|(what, _, value)| (what.as_str(), *value));
    for (what, rust) in asked.chain(capabilities.iter().copied()) {
        let agrees = seen
            .get(what)
            .is_some_and(|c| *c == rust || (may_be_less(what) && *c < rust));
        // A newer JDK than the bindings' has more at the end of these.
        if !(agrees || may_be_less(what) && jdk.version > Some(25)) {
            let _ = writeln!(wrong, "{what}: C {:?}, Rust {rust}", seen.get(what));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{wrong}", jdk.name());
    let news = unknown_to_us(&header);
    assert!(
        news.is_empty() || jdk.version > Some(25),
        "{}: not in jvmti.rs: {news:?}",
        jdk.name()
    );
    format!(
        "{}: {} facts agree, {} are younger than this JDK, {} newer than the bindings",
        jdk.name(),
        questions.len() + capabilities.len(),
        absent + younger.len(),
        news.len()
    )
}

#[test]
fn jvmti_agrees_with_every_jdk() {
    let what = "jvmti.rs against jvmti.h";
    if !cfg!(all(target_pointer_width = "64", target_endian = "little")) {
        not_run(
            what,
            "the asserts in jvmti.rs are for 64 bits, the bits for little-endian",
        );
        return;
    }
    let jdks = jdks();
    let mut missing = 0;
    for version in WANTED_JDKS {
        if !jdks.iter().any(|jdk| jdk.version == Some(version)) {
            not_run(
                &format!("{what}, JDK {version}"),
                "no include/jvmti.h found",
            );
            missing += 1;
        }
    }
    let Some(cc) = cc() else {
        not_run(what, "no C compiler found");
        return;
    };
    for (index, jdk) in jdks.iter().enumerate() {
        let line = check_jvmti(&cc, jdk, index);
        say(&format!("{what}: {line}"));
    }
    say(&format!(
        "{what}: {} compared, {missing} of {} versions not run",
        jdks.len(),
        WANTED_JDKS.len()
    ));
}

/// So that the texts above are not read as nothing, for want of a match.
#[test]
fn bindings_are_read_in_full() {
    let layout = jvmti_layout();
    let slots = layout
        .iter()
        .filter(|(what, _)| what.starts_with("Offset of field: jvmtiInterface_1_::"));
    assert_eq!(slots.count() * size_of::<usize>(), 1248);
    assert_eq!(jvmti_capabilities().len(), 45);
    let constants = JVMTI_RS
        .lines()
        .filter(|line| line.starts_with("pub const "));
    assert_eq!(jvmti_constants().len(), constants.count());
    assert!(jvmti_constants().contains(&("JVMTI_EVENT_VM_INIT", 50)));
    let (name, bit) = jvmti_capabilities()[0];
    assert_eq!((name, bit), ("can_tag_objects", 0));
}

/// What C may set to something other than 0 or 1 is a byte in Rust.
#[test]
fn c_writes_bytes_not_bools() {
    let thread = jvmti::jvmtiThreadInfo {
        is_daemon: 2,
        ..Default::default()
    };
    let daemon: u8 = thread.is_daemon;
    assert_eq!(daemon, 2);
    let branch = JVMPI_Event_instruction_if_info { is_true: 2 };
    let taken: u8 = branch.is_true;
    assert_eq!(taken, 2);
}

#[test]
fn versions_are_read_from_release_files() {
    assert_eq!(feature_version("A=1\nJAVA_VERSION=\"17.0.2\"\n"), Some(17));
    assert_eq!(feature_version("JAVA_VERSION=\"1.8.0_402\""), Some(8));
    assert_eq!(feature_version("JAVA_VERSION=\"26-ea\""), Some(26));
    assert_eq!(feature_version("IMPLEMENTOR=\"x\""), None);
}
