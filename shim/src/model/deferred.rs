//! Events that a thread could not send at once.

use std::fmt::Debug;
use std::sync::Arc;

use id_map::ObjectId;

use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// An event that waits for its thread.
pub(crate) trait Deferred: Debug + Send + Sync {
    /// On its thread, which is `own`, as soon as that may send. What still cannot be sent is
    /// kept again.
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<Thread>);

    /// The class, if it is a CLASS_LOAD.
    fn class(&self) -> Option<ObjectId> {
        None
    }
}
