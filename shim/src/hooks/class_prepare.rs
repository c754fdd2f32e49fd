//! ClassPrepare: a class has its members, and none of its code has run.

use event_translate::table::EventKind;

use crate::base::patience;
use crate::delivery::{announce, dispatch};
use crate::hooks::{numbering, unlinked_classes, wanted_hooks};
use crate::model::{classes, threads};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// What hooks need of it, what was put off, then its CLASS_LOAD.
pub(crate) fn prepared(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>) {
    let Some(own) = threads::enter(jni, None) else {
        return;
    };
    if wanted_hooks::is_on() {
        numbering::prepared(jvmti, jni, class);
    }
    if unlinked_classes::prepared(jvmti, jni, &own, class)
        && dispatch::reaches_agent(EventKind::ClassLoad)
        && let Some(class) = classes::of(jvmti, jni, class)
    {
        announce::class(jvmti, jni, &own, &class, patience::DEFINITION_UNDER_LOCKS);
    }
}
