//! The protocols between threads that are hard to get right, as machines without a JVM.
//!
//! Each is a type whose methods are the steps of one protocol, with the memory orderings of the
//! product; what the VM or the kernel does is handed in. The shim adds the VM, the waiting and
//! the locks.
//!
//! | machine | the question it answers |
//! |---|---|
//! | [`gate`] | who may send an event now |
//! | [`heap_walk`] | who gives an object its id while the heap is walked |
//! | [`collections`] | which of the VM's collections still want a bracket |
//! | [`holds`] | whether a dump is first, or a bracket |
//! | [`kept`] | in which order a thread says what it could not say at once |
//! | [`references`] | which thread tells of ALLOC and FREE of a JNI reference |
//! | [`contended_exit`] | which owner of a monitor says MONITOR_CONTENDED_EXIT |
//!
//! # How they are checked
//! Unit tests play scripts of callbacks, in the orders that a VM makes and in those that it does
//! not promise. `tests/scripted_vm` plays a VM: all machines together, whole programs, and an agent
//! that fails when what it is told cannot be. `RUSTFLAGS="--cfg loom" cargo test -p protocols` tries all
//! interleavings, and all that weak memory allows (`tests/loom_*.rs`); there every machine is
//! also used wrongly, and loom has to notice. Loom knows no `membarrier`, and takes accesses that
//! are `SeqCst` for acquire and release: what has to be totally ordered is ordered by fences, and
//! each machine says what remains to be argued.

mod sync;

pub mod collections;
pub mod contended_exit;
pub mod gate;
pub mod heap_walk;
pub mod holds;
pub mod kept;
pub mod references;
