//! The layout of `jvmpi.rs`, asserted at compile time for both word sizes.
//!
//! `tests/header.rs` compares the same with what a C compiler makes of `jvmpi.h`.

use std::mem::{align_of, offset_of, size_of};

use jni_sys::jlong;

use crate::jvmpi::*;

const WORD: usize = size_of::<usize>();

/// Where a `jlong` lies behind one pointer: at 4 only where it is aligned to 4 (i386).
const LONG_AT: usize = if align_of::<jlong>() > WORD {
    align_of::<jlong>()
} else {
    WORD
};

/// Of two numbers, the one of 64 bits or the one of 32.
const fn by(lp64: usize, ilp32: usize) -> usize {
    if cfg!(target_pointer_width = "64") {
        lp64
    } else {
        ilp32
    }
}

#[rustfmt::skip]
const _: () = {
    assert!(size_of::<JVMPI_CallFrame>() == by(16, 8));
    assert!(offset_of!(JVMPI_CallFrame, lineno) == 0);
    assert!(offset_of!(JVMPI_CallFrame, method_id) == by(8, 4));

    assert!(size_of::<JVMPI_CallTrace>() == by(24, 12));
    assert!(offset_of!(JVMPI_CallTrace, env_id) == 0);
    assert!(offset_of!(JVMPI_CallTrace, num_frames) == by(8, 4));
    assert!(offset_of!(JVMPI_CallTrace, frames) == by(16, 8));

    assert!(size_of::<JVMPI_Method>() == by(32, 20));
    assert!(offset_of!(JVMPI_Method, method_name) == 0);
    assert!(offset_of!(JVMPI_Method, method_signature) == by(8, 4));
    assert!(offset_of!(JVMPI_Method, start_lineno) == by(16, 8));
    assert!(offset_of!(JVMPI_Method, end_lineno) == by(20, 12));
    assert!(offset_of!(JVMPI_Method, method_id) == by(24, 16));

    assert!(size_of::<JVMPI_Field>() == by(16, 8));
    assert!(offset_of!(JVMPI_Field, field_name) == 0);
    assert!(offset_of!(JVMPI_Field, field_signature) == by(8, 4));

    assert!(size_of::<JVMPI_Lineno>() == 8);
    assert!(offset_of!(JVMPI_Lineno, offset) == 0);
    assert!(offset_of!(JVMPI_Lineno, lineno) == 4);

    assert!(size_of::<JVMPI_HeapDumpArg>() == 4);
    assert!(offset_of!(JVMPI_HeapDumpArg, heap_dump_level) == 0);

    assert!(size_of::<JVMPI_Event>() == by(88, 48));
    assert!(offset_of!(JVMPI_Event, event_type) == 0);
    assert!(offset_of!(JVMPI_Event, env_id) == by(8, 4));
    assert!(offset_of!(JVMPI_Event, u) == by(16, 8));

    assert!(size_of::<JVMPI_Event_u>() == by(72, 40));

    assert!(size_of::<JVMPI_Event_class_load>() == by(72, 40));
    assert!(offset_of!(JVMPI_Event_class_load, class_name) == 0);
    assert!(offset_of!(JVMPI_Event_class_load, source_name) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_class_load, num_interfaces) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_class_load, num_methods) == by(20, 12));
    assert!(offset_of!(JVMPI_Event_class_load, methods) == by(24, 16));
    assert!(offset_of!(JVMPI_Event_class_load, num_static_fields) == by(32, 20));
    assert!(offset_of!(JVMPI_Event_class_load, statics) == by(40, 24));
    assert!(offset_of!(JVMPI_Event_class_load, num_instance_fields) == by(48, 28));
    assert!(offset_of!(JVMPI_Event_class_load, instances) == by(56, 32));
    assert!(offset_of!(JVMPI_Event_class_load, class_id) == by(64, 36));

    assert!(size_of::<JVMPI_Event_class_unload>() == by(8, 4));
    assert!(offset_of!(JVMPI_Event_class_unload, class_id) == 0);

    assert!(size_of::<JVMPI_Event_class_load_hook>() == by(40, 20));
    assert!(offset_of!(JVMPI_Event_class_load_hook, class_data) == 0);
    assert!(offset_of!(JVMPI_Event_class_load_hook, class_data_len) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_class_load_hook, new_class_data) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_class_load_hook, new_class_data_len) == by(24, 12));
    assert!(offset_of!(JVMPI_Event_class_load_hook, malloc_f) == by(32, 16));

    assert!(size_of::<JVMPI_Event_obj_alloc>() == by(32, 20));
    assert!(offset_of!(JVMPI_Event_obj_alloc, arena_id) == 0);
    assert!(offset_of!(JVMPI_Event_obj_alloc, class_id) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_obj_alloc, is_array) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_obj_alloc, size) == by(20, 12));
    assert!(offset_of!(JVMPI_Event_obj_alloc, obj_id) == by(24, 16));

    assert!(size_of::<JVMPI_Event_obj_free>() == by(8, 4));
    assert!(offset_of!(JVMPI_Event_obj_free, obj_id) == 0);

    assert!(size_of::<JVMPI_Event_obj_move>() == by(32, 16));
    assert!(offset_of!(JVMPI_Event_obj_move, arena_id) == 0);
    assert!(offset_of!(JVMPI_Event_obj_move, obj_id) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_obj_move, new_arena_id) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_obj_move, new_obj_id) == by(24, 12));

    assert!(size_of::<JVMPI_Event_new_arena>() == by(16, 8));
    assert!(offset_of!(JVMPI_Event_new_arena, arena_id) == 0);
    assert!(offset_of!(JVMPI_Event_new_arena, arena_name) == by(8, 4));

    assert!(size_of::<JVMPI_Event_delete_arena>() == 4);
    assert!(offset_of!(JVMPI_Event_delete_arena, arena_id) == 0);

    assert!(size_of::<JVMPI_Event_thread_start>() == by(40, 20));
    assert!(offset_of!(JVMPI_Event_thread_start, thread_name) == 0);
    assert!(offset_of!(JVMPI_Event_thread_start, group_name) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_thread_start, parent_name) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_thread_start, thread_id) == by(24, 12));
    assert!(offset_of!(JVMPI_Event_thread_start, thread_env_id) == by(32, 16));

    assert!(size_of::<JVMPI_Event_heap_dump>() == by(40, 20));
    assert!(offset_of!(JVMPI_Event_heap_dump, dump_level) == 0);
    assert!(offset_of!(JVMPI_Event_heap_dump, begin) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_heap_dump, end) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_heap_dump, num_traces) == by(24, 12));
    assert!(offset_of!(JVMPI_Event_heap_dump, traces) == by(32, 16));

    assert!(size_of::<JVMPI_Event_jni_globalref_alloc>() == by(16, 8));
    assert!(offset_of!(JVMPI_Event_jni_globalref_alloc, obj_id) == 0);
    assert!(offset_of!(JVMPI_Event_jni_globalref_alloc, ref_id) == by(8, 4));

    assert!(size_of::<JVMPI_Event_jni_globalref_free>() == by(8, 4));
    assert!(offset_of!(JVMPI_Event_jni_globalref_free, ref_id) == 0);

    assert!(size_of::<JVMPI_Event_method>() == by(8, 4));
    assert!(offset_of!(JVMPI_Event_method, method_id) == 0);

    assert!(size_of::<JVMPI_Event_method_entry2>() == by(16, 8));
    assert!(offset_of!(JVMPI_Event_method_entry2, method_id) == 0);
    assert!(offset_of!(JVMPI_Event_method_entry2, obj_id) == by(8, 4));

    assert!(size_of::<JVMPI_Event_compiled_method_load>() == by(32, 20));
    assert!(offset_of!(JVMPI_Event_compiled_method_load, method_id) == 0);
    assert!(offset_of!(JVMPI_Event_compiled_method_load, code_addr) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_compiled_method_load, code_size) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_compiled_method_load, lineno_table_size) == by(20, 12));
    assert!(offset_of!(JVMPI_Event_compiled_method_load, lineno_table) == by(24, 16));

    assert!(size_of::<JVMPI_Event_compiled_method_unload>() == by(8, 4));
    assert!(offset_of!(JVMPI_Event_compiled_method_unload, method_id) == 0);

    assert!(size_of::<JVMPI_Event_instruction>() == by(24, 20));
    assert!(offset_of!(JVMPI_Event_instruction, method_id) == 0);
    assert!(offset_of!(JVMPI_Event_instruction, offset) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_instruction, u) == by(12, 8));

    assert!(size_of::<JVMPI_Event_instruction_u>() == 12);

    assert!(size_of::<JVMPI_Event_instruction_if_info>() == 1);
    assert!(offset_of!(JVMPI_Event_instruction_if_info, is_true) == 0);

    assert!(size_of::<JVMPI_Event_instruction_tableswitch_info>() == 12);
    assert!(offset_of!(JVMPI_Event_instruction_tableswitch_info, key) == 0);
    assert!(offset_of!(JVMPI_Event_instruction_tableswitch_info, low) == 4);
    assert!(offset_of!(JVMPI_Event_instruction_tableswitch_info, hi) == 8);

    assert!(size_of::<JVMPI_Event_instruction_lookupswitch_info>() == 8);
    assert!(offset_of!(JVMPI_Event_instruction_lookupswitch_info, chosen_pair_index) == 0);
    assert!(offset_of!(JVMPI_Event_instruction_lookupswitch_info, pairs_total) == 4);

    assert!(size_of::<JVMPI_Event_monitor_dump>() == by(40, 20));
    assert!(offset_of!(JVMPI_Event_monitor_dump, begin) == 0);
    assert!(offset_of!(JVMPI_Event_monitor_dump, end) == by(8, 4));
    assert!(offset_of!(JVMPI_Event_monitor_dump, num_traces) == by(16, 8));
    assert!(offset_of!(JVMPI_Event_monitor_dump, traces) == by(24, 12));
    assert!(offset_of!(JVMPI_Event_monitor_dump, threads_status) == by(32, 16));

    assert!(size_of::<JVMPI_Event_raw_monitor>() == by(16, 8));
    assert!(offset_of!(JVMPI_Event_raw_monitor, name) == 0);
    assert!(offset_of!(JVMPI_Event_raw_monitor, id) == by(8, 4));

    assert!(size_of::<JVMPI_Event_monitor>() == by(8, 4));
    assert!(offset_of!(JVMPI_Event_monitor, object) == 0);

    assert!(size_of::<JVMPI_Event_monitor_wait>() == LONG_AT + 8);
    assert!(offset_of!(JVMPI_Event_monitor_wait, object) == 0);
    assert!(offset_of!(JVMPI_Event_monitor_wait, timeout) == LONG_AT);

    assert!(size_of::<JVMPI_Event_gc_info>() == 24);
    assert!(offset_of!(JVMPI_Event_gc_info, used_objects) == 0);
    assert!(offset_of!(JVMPI_Event_gc_info, used_object_space) == 8);
    assert!(offset_of!(JVMPI_Event_gc_info, total_object_space) == 16);

    assert!(size_of::<JVMPI_Event_object_dump>() == by(16, 8));
    assert!(offset_of!(JVMPI_Event_object_dump, data_len) == 0);
    assert!(offset_of!(JVMPI_Event_object_dump, data) == by(8, 4));
};

#[rustfmt::skip]
const _: () = {
    assert!(offset_of!(JVMPI_Interface, version) == 0);
    assert!(offset_of!(JVMPI_Interface, NotifyEvent) == WORD);
    assert!(offset_of!(JVMPI_Interface, EnableEvent) == 2 * WORD);
    assert!(offset_of!(JVMPI_Interface, DisableEvent) == 3 * WORD);
    assert!(offset_of!(JVMPI_Interface, RequestEvent) == 4 * WORD);
    assert!(offset_of!(JVMPI_Interface, GetCallTrace) == 5 * WORD);
    assert!(offset_of!(JVMPI_Interface, ProfilerExit) == 6 * WORD);
    assert!(offset_of!(JVMPI_Interface, RawMonitorCreate) == 7 * WORD);
    assert!(offset_of!(JVMPI_Interface, RawMonitorEnter) == 8 * WORD);
    assert!(offset_of!(JVMPI_Interface, RawMonitorExit) == 9 * WORD);
    assert!(offset_of!(JVMPI_Interface, RawMonitorWait) == 10 * WORD);
    assert!(offset_of!(JVMPI_Interface, RawMonitorNotifyAll) == 11 * WORD);
    assert!(offset_of!(JVMPI_Interface, RawMonitorDestroy) == 12 * WORD);
    assert!(offset_of!(JVMPI_Interface, GetCurrentThreadCpuTime) == 13 * WORD);
    assert!(offset_of!(JVMPI_Interface, SuspendThread) == 14 * WORD);
    assert!(offset_of!(JVMPI_Interface, ResumeThread) == 15 * WORD);
    assert!(offset_of!(JVMPI_Interface, GetThreadStatus) == 16 * WORD);
    assert!(offset_of!(JVMPI_Interface, ThreadHasRun) == 17 * WORD);
    assert!(offset_of!(JVMPI_Interface, CreateSystemThread) == 18 * WORD);
    assert!(offset_of!(JVMPI_Interface, SetThreadLocalStorage) == 19 * WORD);
    assert!(offset_of!(JVMPI_Interface, GetThreadLocalStorage) == 20 * WORD);
    assert!(offset_of!(JVMPI_Interface, DisableGC) == 21 * WORD);
    assert!(offset_of!(JVMPI_Interface, EnableGC) == 22 * WORD);
    assert!(offset_of!(JVMPI_Interface, RunGC) == 23 * WORD);
    assert!(offset_of!(JVMPI_Interface, GetThreadObject) == 24 * WORD);
    assert!(offset_of!(JVMPI_Interface, GetMethodClass) == 25 * WORD);
    assert!(offset_of!(JVMPI_Interface, jobjectID2jobject) == 26 * WORD);
    assert!(offset_of!(JVMPI_Interface, jobject2jobjectID) == 27 * WORD);
    assert!(offset_of!(JVMPI_Interface, SuspendThreadList) == 28 * WORD);
    assert!(offset_of!(JVMPI_Interface, ResumeThreadList) == 29 * WORD);
    assert!(size_of::<JVMPI_Interface>() == 30 * WORD);
};
