//! `libjvmpi.so`: to the VM a JVMTI agent, to an old profiler the JVM of 2003.
//!
//! | module | its one job |
//! |---|---|
//! | [`ffi`] | entry points, GetEnv, the function table: everything with a C signature |
//! | [`jvmti`] | the VM's functions and callbacks behind safe methods |
//! | [`lifecycle`], [`late`], [`attach`] | start, replay, shut-down; the start without Agent_OnLoad; in a running program |
//! | [`settings`], [`agent`] | options; finding and starting the agent |
//! | [`events`], [`sources`] | what the agent wants; which of the VM's events that takes |
//! | [`gate`], [`dispatch`], [`kept`] | who may send an event now; delivery; what has to wait |
//! | [`thread`] | what is known of one thread |
//! | [`threads`], [`classes`], [`methods`], [`objects`], [`ids`] | records and their defining events |
//! | [`class_load`] | what one CLASS_LOAD says |
//! | [`collections`], [`bracket`], [`deaths`], [`worker`], [`heap_count`] | the VM's collections; GC_START to GC_FINISH; what it tells; the thread that sends them; used_objects |
//! | [`dumps`] | HEAP_DUMP and OBJECT_DUMP |
//! | [`global_refs`] | JNI global references |
//! | [`raw_monitors`] | contention events of raw monitors |
//! | [`monitor_events`], [`hand_over`], [`monitor_dump`], [`monitor_snapshot`] | Java monitors: entering, waiting, sleeping; leaving; all of them; at one moment |
//! | [`stopped`] | all threads stopped for a look at them |
//! | [`class_hook`] | CLASS_LOAD_HOOK |
//! | [`instrument`] | which classes get hooks |
//! | [`hook_loaders`], [`late_loaders`] | which hook class those of a loader call; classes that wait for theirs |
//! | [`by_loader`] | what is kept of classes without a record |
//! | [`native_methods`] | thunks in front of native methods |
//! | [`method_events`], [`method_short_way`], [`instruction_events`] | METHOD_ENTRY, METHOD_ENTRY2, METHOD_EXIT; in a straight line; INSTRUCTION_START |
//! | [`exact_method_events`] | METHOD_* from JVMTI's own events |
//! | [`method_numbers`] | what rewritten code calls its methods |
//! | [`compiled`] | COMPILED_METHOD_LOAD and UNLOAD |
//! | [`observe`], [`check`], [`trace`], [`recorder`], [`usage`] | who looks at what passes between the agent and us; the checks; the recording; what a thread records with; counts |
//! | [`guards`] | state that undoes itself |
//! | [`state`], [`log`] | what is known of this VM; what is said |

mod agent;
mod attach;
mod bracket;
mod by_loader;
mod check;
mod class_hook;
mod class_load;
mod classes;
mod collections;
mod compiled;
mod deaths;
mod dispatch;
mod dumps;
mod entries;
mod events;
mod exact_method_events;
mod ffi;
mod gate;
mod global_refs;
mod guards;
mod hand_over;
mod heap_count;
mod hook_loaders;
mod ids;
mod instruction_events;
mod instrument;
mod jvmti;
mod kept;
mod known_frames;
mod late;
mod late_loaders;
mod left_out;
mod lifecycle;
mod log;
mod method_events;
mod method_numbers;
mod method_short_way;
mod methods;
mod monitor_dump;
mod monitor_events;
mod monitor_search;
mod monitor_snapshot;
mod native_methods;
mod objects;
mod observe;
mod os_thread;
mod put_off;
mod raw_monitors;
mod reclaim;
mod recorder;
mod settings;
mod sources;
mod state;
mod stopped;
mod thread;
mod threads;
mod trace;
mod usage;
mod whole_stack;
mod worker;
