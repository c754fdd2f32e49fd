//! `include/jvmpi.h` as Rust sees it: the same names, values and layout. (As long as the header is.)
//!
//! Numbers are integers and truth values are bytes, as C may put anything there.
//! `JVMPI_Event.u` and its members have no type names in C; here they are
//! `JVMPI_Event_u` and `JVMPI_Event_` followed by the member's name.
//!
//! # Safety
//!
//! The `unsafe` blocks make structures of zero bytes, which are null
//! pointers, absent functions and the number 0.
#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "the names are the C header's"
)]
#![allow(unsafe_code, reason = "a union cannot be all zeros otherwise")]

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};
use std::mem;

use jni_sys::{JNIEnv, JavaVM, jint, jlong, jmethodID, jobject};

/// A truth value as C writes it: nonzero is true.
///
/// `jni_sys::jboolean` is Rust's `bool`, for which any byte but 0 and 1 is
/// undefined behaviour; C code does produce others.
pub type jboolean = u8;

// ---- Versions ----
/// JDK 1.2.
pub const JVMPI_VERSION_1: jint = 0x1000_0001;
/// Adds `jobjectID2jobject` and its inverse.
pub const JVMPI_VERSION_1_1: jint = 0x1000_0002;
/// Adds `SuspendThreadList` and `ResumeThreadList`.
pub const JVMPI_VERSION_1_2: jint = 0x1000_0003;

// ---- Results of EnableEvent, DisableEvent and RequestEvent ----
/// Done.
pub const JVMPI_SUCCESS: jint = 0;
/// No such event, or not in this way.
pub const JVMPI_NOT_AVAILABLE: jint = 1;
/// It could not be done.
pub const JVMPI_FAIL: jint = -1;

// ---- Events ----
/// [`method`](JVMPI_Event_u::method): a method begins.
pub const JVMPI_EVENT_METHOD_ENTRY: jint = 1;
/// [`method_entry2`](JVMPI_Event_u::method_entry2): likewise, with the receiver.
pub const JVMPI_EVENT_METHOD_ENTRY2: jint = 2;
/// [`method`](JVMPI_Event_u::method): a method returns or throws.
pub const JVMPI_EVENT_METHOD_EXIT: jint = 3;
/// [`obj_alloc`](JVMPI_Event_u::obj_alloc): an object exists; defines its id.
pub const JVMPI_EVENT_OBJECT_ALLOC: jint = 4;
/// [`obj_free`](JVMPI_Event_u::obj_free): an object died.
pub const JVMPI_EVENT_OBJECT_FREE: jint = 5;
/// [`obj_move`](JVMPI_Event_u::obj_move): an object changed its id.
pub const JVMPI_EVENT_OBJECT_MOVE: jint = 6;
/// [`compiled_method_load`](JVMPI_Event_u::compiled_method_load): machine code was installed.
pub const JVMPI_EVENT_COMPILED_METHOD_LOAD: jint = 7;
/// [`compiled_method_unload`](JVMPI_Event_u::compiled_method_unload): machine code was dropped.
pub const JVMPI_EVENT_COMPILED_METHOD_UNLOAD: jint = 8;
/// [`instruction`](JVMPI_Event_u::instruction): the interpreter begins a bytecode.
pub const JVMPI_EVENT_INSTRUCTION_START: jint = 9;
/// [`thread_start`](JVMPI_Event_u::thread_start): a thread begins; defines its `JNIEnv`.
pub const JVMPI_EVENT_THREAD_START: jint = 33;
/// No contents: the thread of `env_id` ends.
pub const JVMPI_EVENT_THREAD_END: jint = 34;
/// [`class_load_hook`](JVMPI_Event_u::class_load_hook): a class file may be replaced.
pub const JVMPI_EVENT_CLASS_LOAD_HOOK: jint = 35;
/// [`heap_dump`](JVMPI_Event_u::heap_dump): only on request.
pub const JVMPI_EVENT_HEAP_DUMP: jint = 37;
/// [`jni_globalref_alloc`](JVMPI_Event_u::jni_globalref_alloc): a global reference was made.
pub const JVMPI_EVENT_JNI_GLOBALREF_ALLOC: jint = 38;
/// [`jni_globalref_free`](JVMPI_Event_u::jni_globalref_free): a global reference was deleted.
pub const JVMPI_EVENT_JNI_GLOBALREF_FREE: jint = 39;
/// [`jni_globalref_alloc`](JVMPI_Event_u::jni_globalref_alloc): a weak one was made.
pub const JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC: jint = 40;
/// [`jni_globalref_free`](JVMPI_Event_u::jni_globalref_free): a weak one was deleted.
pub const JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE: jint = 41;
/// [`class_load`](JVMPI_Event_u::class_load): defines class and method ids.
pub const JVMPI_EVENT_CLASS_LOAD: jint = 42;
/// [`class_unload`](JVMPI_Event_u::class_unload): they are void from here on.
pub const JVMPI_EVENT_CLASS_UNLOAD: jint = 43;
/// No contents: the user asks for a dump (`Ctrl-\`, Ctrl-Break).
pub const JVMPI_EVENT_DATA_DUMP_REQUEST: jint = 44;
/// No contents: the user asks to begin afresh.
pub const JVMPI_EVENT_DATA_RESET_REQUEST: jint = 45;
/// No contents: the VM is up; JNI and new threads allowed.
pub const JVMPI_EVENT_JVM_INIT_DONE: jint = 46;
/// No contents: the VM ends; the last event.
pub const JVMPI_EVENT_JVM_SHUT_DOWN: jint = 47;
/// [`new_arena`](JVMPI_Event_u::new_arena): a part of the heap comes into use.
pub const JVMPI_EVENT_ARENA_NEW: jint = 48;
/// [`delete_arena`](JVMPI_Event_u::delete_arena): it goes, with all objects left in it.
pub const JVMPI_EVENT_ARENA_DELETE: jint = 49;
/// [`object_dump`](JVMPI_Event_u::object_dump): only on request.
pub const JVMPI_EVENT_OBJECT_DUMP: jint = 50;
/// [`raw_monitor`](JVMPI_Event_u::raw_monitor): the thread has to wait for it.
pub const JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER: jint = 51;
/// [`raw_monitor`](JVMPI_Event_u::raw_monitor): the thread got it after waiting.
pub const JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED: jint = 52;
/// [`raw_monitor`](JVMPI_Event_u::raw_monitor): it was left while others waited.
pub const JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT: jint = 53;
/// [`monitor`](JVMPI_Event_u::monitor): as 51, for an object's monitor.
pub const JVMPI_EVENT_MONITOR_CONTENDED_ENTER: jint = 54;
/// [`monitor`](JVMPI_Event_u::monitor): as 52.
pub const JVMPI_EVENT_MONITOR_CONTENDED_ENTERED: jint = 55;
/// [`monitor`](JVMPI_Event_u::monitor): as 53.
pub const JVMPI_EVENT_MONITOR_CONTENDED_EXIT: jint = 56;
/// [`monitor_wait`](JVMPI_Event_u::monitor_wait): Object.wait or Thread.sleep begins.
pub const JVMPI_EVENT_MONITOR_WAIT: jint = 57;
/// [`monitor_wait`](JVMPI_Event_u::monitor_wait): it ended.
pub const JVMPI_EVENT_MONITOR_WAITED: jint = 58;
/// [`monitor_dump`](JVMPI_Event_u::monitor_dump): only on request.
pub const JVMPI_EVENT_MONITOR_DUMP: jint = 59;
/// No contents: a collection begins; take your locks here.
pub const JVMPI_EVENT_GC_START: jint = 60;
/// [`gc_info`](JVMPI_Event_u::gc_info): it ended; same thread as GC_START.
pub const JVMPI_EVENT_GC_FINISH: jint = 61;
/// The largest event number.
pub const JVMPI_MAX_EVENT_TYPE_VAL: jint = 61;
/// Set in `event_type` when the event answers a `RequestEvent`.
pub const JVMPI_REQUESTED_EVENT: jint = 0x1000_0000;
/// Older name of [`JVMPI_EVENT_OBJECT_ALLOC`].
pub const JVMPI_EVENT_OBJ_ALLOC: jint = JVMPI_EVENT_OBJECT_ALLOC;
/// Older name of [`JVMPI_EVENT_OBJECT_FREE`].
pub const JVMPI_EVENT_OBJ_FREE: jint = JVMPI_EVENT_OBJECT_FREE;
/// Older name of [`JVMPI_EVENT_OBJECT_MOVE`].
pub const JVMPI_EVENT_OBJ_MOVE: jint = JVMPI_EVENT_OBJECT_MOVE;
/// Older name of [`JVMPI_EVENT_COMPILED_METHOD_LOAD`].
pub const JVMPI_EVENT_LOAD_COMPILED_METHOD: jint = JVMPI_EVENT_COMPILED_METHOD_LOAD;
/// Older name of [`JVMPI_EVENT_COMPILED_METHOD_UNLOAD`].
pub const JVMPI_EVENT_UNLOAD_COMPILED_METHOD: jint = JVMPI_EVENT_COMPILED_METHOD_UNLOAD;
/// Older name of [`JVMPI_EVENT_DATA_DUMP_REQUEST`].
pub const JVMPI_EVENT_DUMP_DATA_REQUEST: jint = JVMPI_EVENT_DATA_DUMP_REQUEST;
/// Older name of [`JVMPI_EVENT_DATA_RESET_REQUEST`].
pub const JVMPI_EVENT_RESET_DATA_REQUEST: jint = JVMPI_EVENT_DATA_RESET_REQUEST;
/// Older name of [`JVMPI_EVENT_ARENA_NEW`].
pub const JVMPI_EVENT_NEW_ARENA: jint = JVMPI_EVENT_ARENA_NEW;
/// Older name of [`JVMPI_EVENT_ARENA_DELETE`].
pub const JVMPI_EVENT_DELETE_ARENA: jint = JVMPI_EVENT_ARENA_DELETE;

// ---- Kinds of object: obj_alloc.is_array and the type byte of dumps ----
/// Not an array.
pub const JVMPI_NORMAL_OBJECT: jint = 0;
/// An array of objects, or a reference.
pub const JVMPI_CLASS: jint = 2;
/// An array of `boolean`, or a `boolean` value.
pub const JVMPI_BOOLEAN: jint = 4;
/// Likewise `char`.
pub const JVMPI_CHAR: jint = 5;
/// Likewise `float`.
pub const JVMPI_FLOAT: jint = 6;
/// Likewise `double`.
pub const JVMPI_DOUBLE: jint = 7;
/// Likewise `byte`.
pub const JVMPI_BYTE: jint = 8;
/// Likewise `short`.
pub const JVMPI_SHORT: jint = 9;
/// Likewise `int`.
pub const JVMPI_INT: jint = 10;
/// Likewise `long`.
pub const JVMPI_LONG: jint = 11;

// ---- Thread status: a state, possibly OR-ed with the two bits ----
/// Runs, or could run.
pub const JVMPI_THREAD_RUNNABLE: jint = 1;
/// Wants to enter a monitor.
pub const JVMPI_THREAD_MONITOR_WAIT: jint = 2;
/// Waits to be notified, or sleeps.
pub const JVMPI_THREAD_CONDVAR_WAIT: jint = 3;
/// Bit: suspended.
pub const JVMPI_THREAD_SUSPENDED: jint = 0x8000;
/// Bit: interrupted.
pub const JVMPI_THREAD_INTERRUPTED: jint = 0x4000;

// ---- Priorities for CreateSystemThread ----
/// Lowest priority for `CreateSystemThread`.
pub const JVMPI_MINIMUM_PRIORITY: jint = 1;
/// Normal priority.
pub const JVMPI_NORMAL_PRIORITY: jint = 5;
/// Highest priority.
pub const JVMPI_MAXIMUM_PRIORITY: jint = 10;

// ---- Heap dump levels ----
/// Kinds and ids only.
pub const JVMPI_DUMP_LEVEL_0: jint = 0;
/// Roots and references, no primitive values.
pub const JVMPI_DUMP_LEVEL_1: jint = 1;
/// Everything; the default.
pub const JVMPI_DUMP_LEVEL_2: jint = 2;

// ---- Record tags of a monitor dump ----
/// Monitor dump record: an object's monitor.
pub const JVMPI_MONITOR_JAVA: jint = 0x01;
/// Monitor dump record: a raw monitor.
pub const JVMPI_MONITOR_RAW: jint = 0x02;

// ---- Record tags of heap dumps (levels 1 and 2) and object dumps ----
/// Heap dump record: a root of unknown kind.
pub const JVMPI_GC_ROOT_UNKNOWN: jint = 0xff;
/// A global reference.
pub const JVMPI_GC_ROOT_JNI_GLOBAL: jint = 0x01;
/// A local reference, in a thread's frame.
pub const JVMPI_GC_ROOT_JNI_LOCAL: jint = 0x02;
/// A local variable or operand of a Java frame.
pub const JVMPI_GC_ROOT_JAVA_FRAME: jint = 0x03;
/// A word of a thread's native stack.
pub const JVMPI_GC_ROOT_NATIVE_STACK: jint = 0x04;
/// A class that is never unloaded.
pub const JVMPI_GC_ROOT_STICKY_CLASS: jint = 0x05;
/// Held by a thread itself.
pub const JVMPI_GC_ROOT_THREAD_BLOCK: jint = 0x06;
/// An object whose monitor is in use.
pub const JVMPI_GC_ROOT_MONITOR_USED: jint = 0x07;
/// A thread object; in profiler output only, never in a VM's dump.
pub const JVMPI_GC_ROOT_THREAD_OBJ: jint = 0x08;
/// A class with its constants and static fields.
pub const JVMPI_GC_CLASS_DUMP: jint = 0x20;
/// An object with its fields.
pub const JVMPI_GC_INSTANCE_DUMP: jint = 0x21;
/// An array of references.
pub const JVMPI_GC_OBJ_ARRAY_DUMP: jint = 0x22;
/// An array of primitive values.
pub const JVMPI_GC_PRIM_ARRAY_DUMP: jint = 0x23;

// ---- Types ----

/// What a [`jobjectID`] points to; never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct _jobjectID {
    _opaque: [u8; 0],
}

/// Names an object (a class: its `java.lang.Class` object); not a JNI reference.
pub type jobjectID = *mut _jobjectID;

/// What a [`JVMPI_RawMonitor`] points to; the VM's own business.
#[repr(C)]
#[derive(Debug)]
pub struct _JVMPI_RawMonitor {
    _opaque: [u8; 0],
}

/// A monitor of the agent's own.
pub type JVMPI_RawMonitor = *mut _JVMPI_RawMonitor;

/// One frame of a stack trace.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_CallFrame {
    /// The source line, or -1 unknown, -2 compiled, -3 native.
    pub lineno: jint,
    /// The method.
    pub method_id: jmethodID,
}

// SAFETY: an id and a number; nobody follows the id.
unsafe impl Send for JVMPI_CallFrame {}

/// A stack trace, callee first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_CallTrace {
    /// The thread.
    pub env_id: *mut JNIEnv,
    /// Frames written; 0 if none could be had.
    pub num_frames: jint,
    /// Room for the frames; in an event, the frames themselves.
    pub frames: *mut JVMPI_CallFrame,
}

/// A method, as its class is loaded.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Method {
    /// Its name.
    pub method_name: *mut c_char,
    /// Its descriptor, e.g. `(ILjava/lang/String;)V`.
    pub method_signature: *mut c_char,
    /// First source line; -1 if native, abstract or without line numbers.
    pub start_lineno: jint,
    /// Last source line; likewise.
    pub end_lineno: jint,
    /// The method.
    pub method_id: jmethodID,
}

/// A field, as its class is loaded.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Field {
    /// Its name.
    pub field_name: *mut c_char,
    /// Its descriptor, e.g. `[I`.
    pub field_signature: *mut c_char,
}

/// From an offset in machine code to a source line.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Lineno {
    /// From the start of the method's code.
    pub offset: jint,
    /// The source line.
    pub lineno: jint,
}

/// Second argument of `RequestEvent(JVMPI_EVENT_HEAP_DUMP, ...)`; null: level 2.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_HeapDumpArg {
    /// `JVMPI_DUMP_LEVEL_...`.
    pub heap_dump_level: jint,
}

/// What `NotifyEvent` is given.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct JVMPI_Event {
    /// `JVMPI_EVENT_...`, perhaps with [`JVMPI_REQUESTED_EVENT`].
    pub event_type: jint,
    /// The thread the event is sent on.
    pub env_id: *mut JNIEnv,
    /// The contents; `event_type` says which member.
    pub u: JVMPI_Event_u,
}

impl JVMPI_Event {
    /// An event of zero bytes, so that what a member leaves unset is not garbage.
    pub const fn zeroed() -> Self {
        // SAFETY: every member is made of integers, raw pointers and optional functions.
        unsafe { mem::zeroed() }
    }
}

/// The contents of an event.
#[repr(C)]
#[derive(Clone, Copy)]
pub union JVMPI_Event_u {
    /// `CLASS_LOAD`.
    pub class_load: JVMPI_Event_class_load,
    /// `CLASS_UNLOAD`.
    pub class_unload: JVMPI_Event_class_unload,
    /// `CLASS_LOAD_HOOK`.
    pub class_load_hook: JVMPI_Event_class_load_hook,
    /// `OBJECT_ALLOC`.
    pub obj_alloc: JVMPI_Event_obj_alloc,
    /// `OBJECT_FREE`.
    pub obj_free: JVMPI_Event_obj_free,
    /// `OBJECT_MOVE`.
    pub obj_move: JVMPI_Event_obj_move,
    /// `ARENA_NEW`.
    pub new_arena: JVMPI_Event_new_arena,
    /// `ARENA_DELETE`.
    pub delete_arena: JVMPI_Event_delete_arena,
    /// `THREAD_START`.
    pub thread_start: JVMPI_Event_thread_start,
    /// `HEAP_DUMP`.
    pub heap_dump: JVMPI_Event_heap_dump,
    /// `JNI_GLOBALREF_ALLOC` and `JNI_WEAK_GLOBALREF_ALLOC`.
    pub jni_globalref_alloc: JVMPI_Event_jni_globalref_alloc,
    /// `JNI_GLOBALREF_FREE` and `JNI_WEAK_GLOBALREF_FREE`.
    pub jni_globalref_free: JVMPI_Event_jni_globalref_free,
    /// `METHOD_ENTRY` and `METHOD_EXIT`.
    pub method: JVMPI_Event_method,
    /// `METHOD_ENTRY2`.
    pub method_entry2: JVMPI_Event_method_entry2,
    /// `COMPILED_METHOD_LOAD`.
    pub compiled_method_load: JVMPI_Event_compiled_method_load,
    /// `COMPILED_METHOD_UNLOAD`.
    pub compiled_method_unload: JVMPI_Event_compiled_method_unload,
    /// `INSTRUCTION_START`.
    pub instruction: JVMPI_Event_instruction,
    /// `MONITOR_DUMP`.
    pub monitor_dump: JVMPI_Event_monitor_dump,
    /// `RAW_MONITOR_CONTENDED_...`.
    pub raw_monitor: JVMPI_Event_raw_monitor,
    /// `MONITOR_CONTENDED_...`.
    pub monitor: JVMPI_Event_monitor,
    /// `MONITOR_WAIT` and `MONITOR_WAITED`.
    pub monitor_wait: JVMPI_Event_monitor_wait,
    /// `GC_FINISH`.
    pub gc_info: JVMPI_Event_gc_info,
    /// `OBJECT_DUMP`.
    pub object_dump: JVMPI_Event_object_dump,
}

/// Contents of `CLASS_LOAD`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_class_load {
    /// Its name.
    pub class_name: *mut c_char,
    /// Its source file.
    pub source_name: *mut c_char,
    /// Number of interfaces the class itself names.
    pub num_interfaces: jint,
    /// Entries of `methods`.
    pub num_methods: jint,
    /// Declared ones, `<init>` and `<clinit>` too.
    pub methods: *mut JVMPI_Method,
    /// Entries of `statics`.
    pub num_static_fields: jint,
    /// Declared ones, in the order of dumps.
    pub statics: *mut JVMPI_Field,
    /// Entries of `instances`.
    pub num_instance_fields: jint,
    /// Declared ones, in the order of dumps.
    pub instances: *mut JVMPI_Field,
    /// The class.
    pub class_id: jobjectID,
}

/// Contents of `CLASS_UNLOAD`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_class_unload {
    /// The class.
    pub class_id: jobjectID,
}

/// Contents of `CLASS_LOAD_HOOK`. The agent sets both `new_` fields, at least to the old values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_class_load_hook {
    /// The class file as it is now.
    pub class_data: *mut c_uchar,
    /// Its length.
    pub class_data_len: jint,
    /// If replaced: memory from `malloc_f`, freed by the VM.
    pub new_class_data: *mut c_uchar,
    /// The replacement's length.
    pub new_class_data_len: jint,
    /// Allocates what `new_class_data` may point to.
    pub malloc_f: Option<unsafe extern "C" fn(c_uint) -> *mut c_void>,
}

/// Contents of `OBJECT_ALLOC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_obj_alloc {
    /// The arena.
    pub arena_id: jint,
    /// Its class; of an object array, the elements' (may be null).
    pub class_id: jobjectID,
    /// `JVMPI_NORMAL_OBJECT`, `JVMPI_CLASS`, `JVMPI_BOOLEAN`, ...
    pub is_array: jint,
    /// In bytes, header included.
    pub size: jint,
    /// The object.
    pub obj_id: jobjectID,
}

/// Contents of `OBJECT_FREE`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_obj_free {
    /// The object.
    pub obj_id: jobjectID,
}

/// Contents of `OBJECT_MOVE`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_obj_move {
    /// The arena.
    pub arena_id: jint,
    /// The object.
    pub obj_id: jobjectID,
    /// The arena it is in from now on.
    pub new_arena_id: jint,
    /// Its id from now on.
    pub new_obj_id: jobjectID,
}

/// Contents of `ARENA_NEW`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_new_arena {
    /// The arena.
    pub arena_id: jint,
    /// Its name.
    pub arena_name: *mut c_char,
}

/// Contents of `ARENA_DELETE`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_delete_arena {
    /// The arena.
    pub arena_id: jint,
}

/// Contents of `THREAD_START`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_thread_start {
    /// The thread's name.
    pub thread_name: *mut c_char,
    /// The name of the thread's group.
    pub group_name: *mut c_char,
    /// The name of the group's parent; may be null.
    pub parent_name: *mut c_char,
    /// The `java.lang.Thread`.
    pub thread_id: jobjectID,
    /// The thread's own, even if another thread sends.
    pub thread_env_id: *mut JNIEnv,
}

/// Contents of `HEAP_DUMP`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_heap_dump {
    /// `JVMPI_DUMP_LEVEL_...`.
    pub dump_level: c_int,
    /// The first byte of the dump.
    pub begin: *mut c_char,
    /// One past the last byte.
    pub end: *mut c_char,
    /// Entries of `traces`; 0 at level 0.
    pub num_traces: jint,
    /// The stacks to which roots refer.
    pub traces: *mut JVMPI_CallTrace,
}

/// Contents of `JNI_GLOBALREF_ALLOC` and `JNI_WEAK_GLOBALREF_ALLOC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_jni_globalref_alloc {
    /// The object.
    pub obj_id: jobjectID,
    /// The reference.
    pub ref_id: jobject,
}

/// Contents of `JNI_GLOBALREF_FREE` and `JNI_WEAK_GLOBALREF_FREE`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_jni_globalref_free {
    /// The reference.
    pub ref_id: jobject,
}

/// Contents of `METHOD_ENTRY` and `METHOD_EXIT`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_method {
    /// The method.
    pub method_id: jmethodID,
}

/// Contents of `METHOD_ENTRY2`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_method_entry2 {
    /// The method.
    pub method_id: jmethodID,
    /// The receiver; null if static.
    pub obj_id: jobjectID,
}

/// Contents of `COMPILED_METHOD_LOAD`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_compiled_method_load {
    /// The method.
    pub method_id: jmethodID,
    /// Where the code is.
    pub code_addr: *mut c_void,
    /// In bytes.
    pub code_size: jint,
    /// Entries of `lineno_table`; may be 0.
    pub lineno_table_size: jint,
    /// The table.
    pub lineno_table: *mut JVMPI_Lineno,
}

/// Contents of `COMPILED_METHOD_UNLOAD`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_compiled_method_unload {
    /// The method.
    pub method_id: jmethodID,
}

/// Contents of `INSTRUCTION_START`. The bytecode has not run yet, but its branch is known.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct JVMPI_Event_instruction {
    /// The method.
    pub method_id: jmethodID,
    /// Where in the bytecode the instruction is.
    pub offset: jint,
    /// More, for some instructions.
    pub u: JVMPI_Event_instruction_u,
}

/// What an instruction does next, if it is an `if` or a switch.
#[repr(C)]
#[derive(Clone, Copy)]
pub union JVMPI_Event_instruction_u {
    /// An `if`.
    pub if_info: JVMPI_Event_instruction_if_info,
    /// A `tableswitch`.
    pub tableswitch_info: JVMPI_Event_instruction_tableswitch_info,
    /// A `lookupswitch`.
    pub lookupswitch_info: JVMPI_Event_instruction_lookupswitch_info,
}

/// How an `if` goes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_instruction_if_info {
    /// The branch is taken.
    pub is_true: jboolean,
}

/// How a `tableswitch` goes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_instruction_tableswitch_info {
    /// The value switched on.
    pub key: jint,
    /// The lowest value with a case.
    pub low: jint,
    /// The highest value with a case.
    pub hi: jint,
}

/// How a `lookupswitch` goes.
///
/// Sun's header and the text of the 1.4.2 specification differ in the second
/// field; this is the header's. The text has a `jboolean is_default` there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_instruction_lookupswitch_info {
    /// From 0; `pairs_total` if the default branch is taken.
    pub chosen_pair_index: jint,
    /// Pairs in the instruction.
    pub pairs_total: jint,
}

/// Contents of `MONITOR_DUMP`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_monitor_dump {
    /// The first byte of the dump.
    pub begin: *mut c_char,
    /// One past the last byte.
    pub end: *mut c_char,
    /// Entries of `traces`.
    pub num_traces: jint,
    /// The stacks of all threads.
    pub traces: *mut JVMPI_CallTrace,
    /// Their `JVMPI_THREAD_...`, parallel to `traces`.
    pub threads_status: *mut jint,
}

/// Contents of `RAW_MONITOR_CONTENDED_...`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_raw_monitor {
    /// Its name; a monitor whose name begins with an underscore sends no events.
    pub name: *mut c_char,
    /// The monitor.
    pub id: JVMPI_RawMonitor,
}

/// Contents of `MONITOR_CONTENDED_...`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_monitor {
    /// The object whose monitor it is.
    pub object: jobjectID,
}

/// Contents of `MONITOR_WAIT` and `MONITOR_WAITED`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_monitor_wait {
    /// The object waited on; null for `Thread.sleep`.
    pub object: jobjectID,
    /// In ms. `MONITOR_WAIT`: 0 is for ever; `MONITOR_WAITED`: time spent.
    pub timeout: jlong,
}

/// Contents of `GC_FINISH`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_gc_info {
    /// Objects in use.
    pub used_objects: jlong,
    /// In bytes.
    pub used_object_space: jlong,
    /// In bytes.
    pub total_object_space: jlong,
}

/// Contents of `OBJECT_DUMP`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Event_object_dump {
    /// Bytes in `data`.
    pub data_len: jint,
    /// One record as in a heap dump of level 2.
    pub data: *mut c_char,
}

/// An agent's handler.
///
/// `C-unwind`: agents written in C++ may throw through it.
pub type NotifyEvent = unsafe extern "C-unwind" fn(event: *mut JVMPI_Event);

/// What a thread of `CreateSystemThread` runs; its argument is null.
///
/// `C-unwind`: agents end the thread with pthread_exit, which unwinds through it.
pub type SystemThreadFunction = unsafe extern "C-unwind" fn(arg: *mut c_void);

/// `JVM_OnLoad`, which every agent exports. The options are null if there is no colon.
pub type JVM_OnLoad = unsafe extern "system" fn(
    jvm: *mut JavaVM,
    options: *mut c_char,
    reserved: *mut c_void,
) -> jint;

/// `JVM_OnUnload`, which an agent may export.
pub type JVM_OnUnload = unsafe extern "system" fn(jvm: *mut JavaVM) -> jint;

/// What `GetEnv` gives when it is asked for a `JVMPI_VERSION_...`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JVMPI_Interface {
    /// Compatible with the one asked for, not always the same.
    pub version: jint,
    /// The agent's handler. `None` until the agent sets it; read it at every delivery.
    pub NotifyEvent: Option<NotifyEvent>,
    /// Switches an event on. All are off at first; the second argument is unused.
    pub EnableEvent: Option<unsafe extern "C" fn(event_type: jint, arg: *mut c_void) -> jint>,
    /// Switches an event off.
    pub DisableEvent: Option<unsafe extern "C" fn(event_type: jint, arg: *mut c_void) -> jint>,
    /// Sends the event on this thread before it returns, enabled or not.
    pub RequestEvent: Option<unsafe extern "C" fn(event_type: jint, arg: *mut c_void) -> jint>,
    /// In: `env_id`, and `frames` with room for `depth`; out: `num_frames` and `frames`.
    pub GetCallTrace: Option<unsafe extern "C" fn(trace: *mut JVMPI_CallTrace, depth: jint)>,
    /// Ends the VM with this code.
    pub ProfilerExit: Option<unsafe extern "C" fn(err_code: jint)>,
    /// Makes a recursive monitor; copies the name.
    pub RawMonitorCreate: Option<unsafe extern "C" fn(lock_name: *mut c_char) -> JVMPI_RawMonitor>,
    /// Enters it.
    pub RawMonitorEnter: Option<unsafe extern "C" fn(lock_id: JVMPI_RawMonitor)>,
    /// Leaves it.
    pub RawMonitorExit: Option<unsafe extern "C" fn(lock_id: JVMPI_RawMonitor)>,
    /// Waits to be notified, for so many ms; 0: for ever.
    pub RawMonitorWait: Option<unsafe extern "C" fn(lock_id: JVMPI_RawMonitor, ms: jlong)>,
    /// Wakes all that wait.
    pub RawMonitorNotifyAll: Option<unsafe extern "C" fn(lock_id: JVMPI_RawMonitor)>,
    /// Frees it.
    pub RawMonitorDestroy: Option<unsafe extern "C" fn(lock_id: JVMPI_RawMonitor)>,
    /// Nanoseconds used by this thread.
    pub GetCurrentThreadCpuTime: Option<unsafe extern "C" fn() -> jlong>,
    /// Suspends a thread; GC stays disabled until the last one is resumed.
    pub SuspendThread: Option<unsafe extern "C" fn(env: *mut JNIEnv)>,
    /// Resumes it.
    pub ResumeThread: Option<unsafe extern "C" fn(env: *mut JNIEnv)>,
    /// `JVMPI_THREAD_...`.
    pub GetThreadStatus: Option<unsafe extern "C" fn(env: *mut JNIEnv) -> jint>,
    /// Did it run since it was last resumed? Asked after suspending it again.
    pub ThreadHasRun: Option<unsafe extern "C" fn(env: *mut JNIEnv) -> jboolean>,
    /// Starts a daemon thread that runs `f(NULL)`; `JNI_OK` or `JNI_ERR`.
    pub CreateSystemThread: Option<
        unsafe extern "C" fn(
            name: *mut c_char,
            priority: jint,
            f: Option<SystemThreadFunction>,
        ) -> jint,
    >,
    /// Sets a thread's pointer; any thread may.
    pub SetThreadLocalStorage: Option<unsafe extern "C" fn(env_id: *mut JNIEnv, ptr: *mut c_void)>,
    /// A thread's pointer, null at first.
    pub GetThreadLocalStorage: Option<unsafe extern "C" fn(env_id: *mut JNIEnv) -> *mut c_void>,
    /// Keeps the collector out; nests.
    pub DisableGC: Option<unsafe extern "C" fn()>,
    /// Undoes one `DisableGC`.
    pub EnableGC: Option<unsafe extern "C" fn()>,
    /// Collects now.
    pub RunGC: Option<unsafe extern "C" fn()>,
    /// A thread's `java.lang.Thread`, with GC disabled.
    pub GetThreadObject: Option<unsafe extern "C" fn(env: *mut JNIEnv) -> jobjectID>,
    /// A method's class, with GC disabled.
    pub GetMethodClass: Option<unsafe extern "C" fn(mid: jmethodID) -> jobjectID>,
    /// A local reference for an id; from `JVMPI_VERSION_1_1` on.
    pub jobjectID2jobject: Option<unsafe extern "C" fn(jid: jobjectID) -> jobject>,
    /// The id for a reference; from `JVMPI_VERSION_1_1` on.
    pub jobject2jobjectID: Option<unsafe extern "C" fn(jobj: jobject) -> jobjectID>,
    /// Suspends several; `results[i]` is 0 if the i-th was; from `JVMPI_VERSION_1_2` on.
    pub SuspendThreadList: Option<
        unsafe extern "C" fn(req_count: jint, req_list: *mut *mut JNIEnv, results: *mut jint),
    >,
    /// Resumes several, likewise.
    pub ResumeThreadList: Option<
        unsafe extern "C" fn(req_count: jint, req_list: *mut *mut JNIEnv, results: *mut jint),
    >,
}

impl JVMPI_Interface {
    /// A table without any function.
    pub const fn zeroed() -> Self {
        // SAFETY: it is made of an integer and optional functions.
        unsafe { mem::zeroed() }
    }
}
