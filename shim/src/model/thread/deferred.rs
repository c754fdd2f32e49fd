//! Events that a thread could not send at once.

use std::fmt::Debug;
use std::sync::Arc;

use id_map::ObjectId;

use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// An event that waits for its thread, whose record is an `O`.
pub(crate) trait Deferred<O>: Debug + Send + Sync {
    /// On its thread, whose record is `own`, as soon as that may send. What still cannot be sent is
    /// kept again.
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<O>);

    /// The class, if it is a CLASS_LOAD.
    fn class(&self) -> Option<ObjectId> {
        None
    }
}
