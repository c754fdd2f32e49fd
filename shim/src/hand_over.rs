//! MONITOR_CONTENDED_EXIT: the owner leaves a monitor that another waits for.

use id_map::ObjectId;

use crate::jvmti::jni::Jni;
use crate::threads::Thread;

pub(crate) fn waits(_jni: Jni, _id: ObjectId) {}
pub(crate) fn has_said_so(_id: ObjectId) {}
pub(crate) fn has_entered(_id: ObjectId) {}
pub(crate) fn leaves(_own: &Thread, _id: ObjectId, _wholly: bool) {}
