//! What has died is given back also while no agent listens to collections.
//!
//! With GC events on, the worker sweeps up after each collection ([`crate::events::gc::bracket`]).
//! An agent of methods, monitors or stacks alone has no worker; but a server that runs for months
//! gives it new threads, locks and classes all the time, and their ids would pile up. So when the ids, or the natives with
//! thunks, have become some hundred more, the VM is asked to tell of deaths from then on, and
//! each time after that what it has told of is given back. A small program never gets there.
//!
//! # Threads
//! Any that gives an id: nothing is called here but the VM, and nobody waited for.

use crate::delivery::worker;
use crate::events::gc::{bracket, object_free, unloading};
use crate::model::ids::untagged;
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// Gives back what the VM has told of so far; asks it to tell, the first time.
pub(crate) fn now(jvmti: Jvmti, jni: Jni) {
    if !object_free::is_on() {
        unloading::forget_unloaded(jni);
        object_free::begin(jvmti, jni);
    } else if !worker::is_started()
        && let Some(own) = threads::own()
    {
        untagged::look_for_dead(false);
        bracket::sweep_unheard(&own);
    }
}
