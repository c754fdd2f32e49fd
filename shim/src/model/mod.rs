//! What is known: threads, classes, methods and the ids they have, and all that a thread keeps in
//! its record. Nothing is sent here, and nothing is waited for but a walk of the heap.

pub(crate) mod anatomy;
pub(crate) mod attention;
pub(crate) mod attention_guard;
pub(crate) mod by_loader;
pub(crate) mod claimed;
pub(crate) mod class_files;
pub(crate) mod classes;
pub(crate) mod current;
pub(crate) mod deferred;
mod id_table;
pub(crate) mod ids;
pub(crate) mod kept_events;
pub(crate) mod known_frames;
pub(crate) mod late_frames;
pub(crate) mod method_flow;
pub(crate) mod method_numbers;
pub(crate) mod method_stack;
pub(crate) mod methods;
pub(crate) mod monitor_wait;
pub(crate) mod native_thread;
pub(crate) mod own_cell;
pub(crate) mod own_stack;
pub(crate) mod ready_event;
mod shown_status;
mod suspended;
mod suspension;
pub(crate) mod tables;
pub(crate) mod thread;
mod thread_ids;
pub(crate) mod thread_object;
pub(crate) mod threads;
pub(crate) mod threads_met;
pub(crate) mod untagged;
mod virtual_part;
pub(crate) mod virtual_threads;
pub(crate) mod wanted;
