//! What each event of JVMPI takes in a skeleton, where its fields come from, and how its count
//! compares.

use super::jvmti;
use super::parts::Part;
use super::row::{Count, NONE, Row};
use event_translate::table::EventKind;

const CLASSES_OF_THE_PROGRAM: &str = "methods of the program's own classes (include=): of the JDK's, each of the two leaves out others";
const BY_CHANCE: Count = Count::Differs("it depends on the moment, from run to run");
const WAITS: Count =
    Count::Differs("JVMPI told of Thread.sleep as well, and of what waited when the agent came");
const REFERENCES: Count = Count::Differs(
    "a reference made before VMStart or by xrun's own library is counted by one of the two only",
);

/// What an event takes.
pub(super) const fn row_of(event: EventKind) -> Row {
    use EventKind as E;
    match event {
        E::MethodEntry => Row {
            jvmti: &[jvmti::METHOD_ENTRY],
            parts: &[Part::MethodFilter],
            fields: &[("method_id", "the argument method: jmethodIDs stay")],
            count: Count::EqualFor(CLASSES_OF_THE_PROGRAM),
            ..NONE
        },
        E::MethodEntry2 => Row {
            jvmti: &[jvmti::METHOD_ENTRY],
            parts: &[Part::MethodFilter],
            capabilities: &["can_access_local_variables"],
            fields: &[
                ("method_id", "the argument method: jmethodIDs stay"),
                ("obj_id", "GetLocalInstance at depth 0, a local reference"),
            ],
            count: Count::EqualFor(CLASSES_OF_THE_PROGRAM),
        },
        E::MethodExit => Row {
            jvmti: &[jvmti::METHOD_EXIT],
            parts: &[Part::MethodFilter],
            fields: &[("method_id", "the argument method: jmethodIDs stay")],
            count: Count::EqualFor(CLASSES_OF_THE_PROGRAM),
            ..NONE
        },
        E::ObjectAlloc => Row {
            parts: &[Part::Births],
            fields: &[
                ("arena_id", "GAP: there are no arenas"),
                (
                    "class_id",
                    "the argument object_klass: a reference; its tag, if one is set",
                ),
                (
                    "is_array",
                    "GetClassSignature of object_klass: begins with [",
                ),
                ("size", "the argument size"),
                ("obj_id", "a new tag: SetTag"),
            ],
            count: Count::EqualFor(
                "objects of the program's own classes (include=) that the JIT does not remove; of the JDK's, either \
                 side has some that only its being there makes",
            ),
            ..NONE
        },
        E::ObjectFree => Row {
            parts: &[Part::Births, Part::Deaths],
            fields: &[("obj_id", "the tag, which is all that is passed")],
            count: Count::Differs(
                "it depends on when the VM collects, and on what it has told of by the end",
            ),
            ..NONE
        },
        E::ObjectMove => Row {
            fields: &[
                ("arena_id", "GAP"),
                ("obj_id", "GAP: a tag stays with its object"),
                ("new_arena_id", "GAP"),
                ("new_obj_id", "GAP"),
            ],
            ..NONE
        },
        E::CompiledMethodLoad => Row {
            jvmti: &[jvmti::COMPILED_METHOD_LOAD],
            capabilities: &["can_get_line_numbers"],
            fields: &[
                ("method_id", "the argument method"),
                ("code_addr", "the argument code_addr"),
                ("code_size", "the argument code_size"),
                (
                    "lineno_table",
                    "the argument map (address to bytecode index), with GetLineNumberTable (bytecode index to line)",
                ),
            ],
            count: BY_CHANCE,
            ..NONE
        },
        E::CompiledMethodUnload => Row {
            jvmti: &[jvmti::COMPILED_METHOD_UNLOAD],
            fields: &[
                (
                    "method_id",
                    "the argument method, good for comparing only: its class may be gone",
                ),
                ("code_addr", "the argument code_addr"),
            ],
            count: BY_CHANCE,
            ..NONE
        },
        E::InstructionStart => Row {
            jvmti: &[jvmti::SINGLE_STEP],
            parts: &[Part::MethodFilter],
            fields: &[
                ("method_id", "the argument method"),
                (
                    "offset",
                    "the argument location, in HotSpot the bytecode index",
                ),
                (
                    "u",
                    "GAP: which way a branch goes is seen at the next step; GetBytecodes (can_get_bytecodes) tells what \
                     stands at the location",
                ),
            ],
            count: Count::EqualFor(CLASSES_OF_THE_PROGRAM),
            ..NONE
        },
        E::ThreadStart => Row {
            jvmti: &[jvmti::THREAD_START],
            parts: &[Part::Storage],
            fields: &[
                ("thread_name", "GetThreadInfo: name"),
                (
                    "group_name",
                    "GetThreadInfo: thread_group, then GetThreadGroupInfo: name",
                ),
                ("parent_name", "GetThreadGroupInfo: parent, then its name"),
                (
                    "thread_id",
                    "the argument thread, a local reference; or its tag",
                ),
                (
                    "thread_env_id",
                    "GAP for another thread; JNI's GetEnv on the thread itself",
                ),
            ],
            count: Count::EqualFor(
                "platform threads but `JVMPI GC` and `JVMPI RunGC`, which are xrun's own; virtual ones have VirtualThreadStart",
            ),
            ..NONE
        },
        E::ThreadEnd => Row {
            jvmti: &[jvmti::THREAD_END],
            count: Count::EqualFor(
                "platform threads but the one that ends the VM: JVMTI tells of its end before VMDeath, JVMPI did not; \
                 virtual ones have VirtualThreadEnd",
            ),
            ..NONE
        },
        E::ClassLoadHook => Row {
            jvmti: &[jvmti::CLASS_FILE_LOAD_HOOK],
            fields: &[
                ("class_data", "the argument class_data"),
                ("class_data_len", "the argument class_data_len"),
                (
                    "new_class_data",
                    "the argument new_class_data; leave it alone to change nothing",
                ),
                ("new_class_data_len", "the argument new_class_data_len"),
                ("malloc_f", "Allocate"),
            ],
            count: Count::Differs(
                "each of the two transforms older classes when it can, and not the same ones",
            ),
            ..NONE
        },
        E::HeapDump => Row {
            capabilities: &["can_tag_objects"],
            fields: &[
                (
                    "dump_level",
                    "GAP: the callbacks that are set are the level",
                ),
                (
                    "dump",
                    "GAP: no bytes; a callback for each reference, field and array",
                ),
                (
                    "traces",
                    "GetAllStackTraces; a root's thread is in info->stack_local",
                ),
            ],
            count: Count::EqualFor(
                "what one handler asks for once; levels are the callbacks that are set",
            ),
            ..NONE
        },
        E::JniGlobalrefAlloc | E::JniWeakGlobalrefAlloc => Row {
            jvmti: &[jvmti::VM_START],
            fields: &[
                (
                    "obj_id",
                    "the wrapped function's argument, a reference; its tag, if one is set",
                ),
                ("ref_id", "the wrapped function's result"),
            ],
            count: REFERENCES,
            ..NONE
        },
        E::JniGlobalrefFree | E::JniWeakGlobalrefFree => Row {
            jvmti: &[jvmti::VM_START],
            fields: &[("ref_id", "the wrapped function's argument")],
            count: REFERENCES,
            ..NONE
        },
        E::ClassLoad => Row {
            parts: &[Part::Classes],
            capabilities: &["can_get_source_file_name", "can_get_line_numbers"],
            fields: &[
                (
                    "class_name",
                    "GetClassSignature: Ljava/lang/String; for java.lang.String",
                ),
                ("source_name", "GetSourceFileName"),
                ("num_interfaces", "GetImplementedInterfaces"),
                (
                    "methods",
                    "GetClassMethods, GetMethodName, GetLineNumberTable; jmethodIDs stay",
                ),
                (
                    "statics",
                    "GetClassFields, GetFieldName, GetFieldModifiers with 0x8",
                ),
                (
                    "instances",
                    "GetClassFields, GetFieldName, GetFieldModifiers without 0x8",
                ),
                ("class_id", "the class's tag, or a reference"),
            ],
            count: Count::EqualFor(
                "the program's own classes (include=); of the JDK's, either side has some that only its being there loads",
            ),
            ..NONE
        },
        E::ClassUnload => Row {
            parts: &[Part::Classes, Part::Deaths],
            fields: &[("class_id", "the tag")],
            count: Count::Differs(
                "it depends on when the VM collects, and on what it has told of by the end",
            ),
            ..NONE
        },
        E::DataDumpRequest => Row {
            jvmti: &[jvmti::DATA_DUMP_REQUEST],
            count: Count::Equal,
            ..NONE
        },
        E::JvmInitDone => Row {
            jvmti: &[jvmti::VM_INIT],
            count: Count::Equal,
            ..NONE
        },
        E::JvmShutDown => Row {
            jvmti: &[jvmti::VM_DEATH],
            count: Count::Equal,
            ..NONE
        },
        E::DataResetRequest
        | E::RawMonitorContendedEnter
        | E::RawMonitorContendedEntered
        | E::RawMonitorContendedExit
        | E::MonitorContendedExit
        | E::ArenaNew
        | E::ArenaDelete => NONE,
        E::ObjectDump => Row {
            fields: &[(
                "data",
                "GAP: no bytes; GetClassFields, then JNI's Get<Type>Field",
            )],
            count: Count::Differs(
                "nothing asks for it yet: the old agent's requests name ids, the function wants a reference",
            ),
            ..NONE
        },
        E::MonitorContendedEnter => Row {
            jvmti: &[jvmti::MONITOR_CONTENDED_ENTER],
            fields: &[(
                "object",
                "the argument object, a local reference; or its tag",
            )],
            count: BY_CHANCE,
            ..NONE
        },
        E::MonitorContendedEntered => Row {
            jvmti: &[jvmti::MONITOR_CONTENDED_ENTERED],
            fields: &[(
                "object",
                "the argument object, a local reference; or its tag",
            )],
            count: BY_CHANCE,
            ..NONE
        },
        E::MonitorWait => Row {
            jvmti: &[jvmti::MONITOR_WAIT],
            fields: &[
                (
                    "object",
                    "the argument object; GAP: nothing comes of Thread.sleep",
                ),
                ("timeout", "the argument timeout"),
            ],
            count: WAITS,
            ..NONE
        },
        E::MonitorWaited => Row {
            jvmti: &[jvmti::MONITOR_WAITED],
            fields: &[
                (
                    "object",
                    "the argument object; GAP: nothing comes of Thread.sleep",
                ),
                (
                    "timeout",
                    "GAP: measure since MonitorWait; the argument timed_out tells whether it ran out",
                ),
            ],
            count: WAITS,
            ..NONE
        },
        E::MonitorDump => Row {
            capabilities: &[
                "can_get_owned_monitor_stack_depth_info",
                "can_get_current_contended_monitor",
                "can_get_monitor_info",
            ],
            fields: &[
                (
                    "dump",
                    "GAP: no bytes; GetOwnedMonitorStackDepthInfo, GetObjectMonitorUsage. No raw monitors",
                ),
                ("traces", "GetAllStackTraces: frame_buffer"),
                ("threads_status", "GetAllStackTraces: state"),
            ],
            count: Count::EqualFor("what one handler asks for once"),
            ..NONE
        },
        E::GcStart => Row {
            jvmti: &[jvmti::GARBAGE_COLLECTION_START],
            count: Count::Differs(
                "collections that follow one another closely were one to JVMPI; each is told now",
            ),
            ..NONE
        },
        E::GcFinish => Row {
            jvmti: &[jvmti::GARBAGE_COLLECTION_FINISH],
            fields: &[
                ("used_objects", "GAP: count with IterateThroughHeap, later"),
                (
                    "used_object_space",
                    "GAP: MemoryMXBean, or Runtime by JNI, later on another thread",
                ),
                ("total_object_space", "GAP: likewise"),
            ],
            count: Count::Differs(
                "collections that follow one another closely were one to JVMPI; each is told now",
            ),
            ..NONE
        },
    }
}
