//! Classes that are loaded and not linked: they are retransformed when they are.
//!
//! RetransformClasses links its classes first. That verifies them and asks the program's
//! loaders, under whatever locks the program holds; and while another thread links a class the
//! VM must not be asked to retransform it (JDK 21 crashed). So such a class waits for its
//! ClassPrepare: there it is linked, on the thread that does that, and none of its methods has
//! run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use jvmpi_headers::jvmti::{JVMTI_CLASS_STATUS_PREPARED, JVMTI_CLASS_STATUS_VERIFIED};
use parking_lot::Mutex;

use crate::base::patience;
use crate::delivery::announce::{self};
use crate::delivery::worker;
use crate::hooks::retransform;
use crate::model::classes::methods::METHODS;
use crate::model::classes::{CLASSES, Class};
use crate::model::ids;
use crate::model::own::known_frames;
use crate::model::thread::attention_guard::Attention;
use crate::model::thread::{Thread, attention};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::{ObjectRef, ThreadRef};
use crate::vm::stack;

/// It is to get the hooks that are wanted then, or to lose those that are not.
pub(crate) const HOOKS: u32 = 1;
/// The agent is to see its class file (CLASS_LOAD_HOOK).
pub(crate) const SHOW: u32 = 2;

/// Whether a class has ever been put off: then ClassPrepare is wanted.
static ANY: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// Whether a class may be retransformed now; else that is done when it is linked. ClassPrepare
/// is on.
pub(crate) fn may_be_done(jvmti: Jvmti, class: &Class, mirror: ObjectRef<'_>, why: u32) -> bool {
    if is_linked(jvmti, mirror) {
        return true;
    }
    ANY.store(true, Ordering::Release);
    class.put_off.fetch_or(why, Ordering::SeqCst);
    // Whoever has linked it meanwhile has seen the mark, or is seen here.
    fence(Ordering::SeqCst);
    is_linked(jvmti, mirror) && class.put_off.fetch_and(!why, Ordering::SeqCst) & why != 0
}

/// Whether the VM has linked the class, and no thread is at it.
fn is_linked(jvmti: Jvmti, mirror: ObjectRef<'_>) -> bool {
    const LINKED: i32 = JVMTI_CLASS_STATUS_VERIFIED | JVMTI_CLASS_STATUS_PREPARED;
    jvmti
        .class_status(mirror)
        .is_ok_and(|status| status & LINKED == LINKED)
}

/// ClassPrepare: the turn of a class that was put off. False if another thread has to show it
/// to the agent, and sends its CLASS_LOAD then.
pub(crate) fn prepared(jvmti: Jvmti, jni: Jni, own: &Thread, mirror: ObjectRef<'_>) -> bool {
    fence(Ordering::SeqCst);
    if !is_any() {
        return true;
    }
    let record = ids::tagged(jvmti, mirror)
        .flatten()
        .and_then(|id| CLASSES.get(id.raw()));
    let Some(class) = record else { return true };
    let why = class.put_off.swap(0, Ordering::SeqCst);
    if why == 0 || !jvmti.is_modifiable(mirror) {
        return true;
    }
    if !may_be_within_another(jvmti) {
        retransform(jvmti, own, &class, mirror, why);
        return true;
    }
    LATER.lock().push((class, why));
    worker::ensure(jvmti, jni);
    worker::wake();
    why & SHOW == 0
}

/// Until JDK 17 a thread that retransforms a class waits for itself if it is at that class
/// already: the VM links what an agent has named before it shows the class file. Such a thread
/// is in `java.lang.instrument`, or runs no Java code at all.
fn may_be_within_another(jvmti: Jvmti) -> bool {
    const RIGHT_SINCE: i32 = 17;
    const INSTRUMENT: &[u8] = b"Lsun/instrument/InstrumentationImpl;";
    jvmti.feature_version() < RIGHT_SINCE
        && stack::take(jvmti, ThreadRef::CURRENT, 1, |frames| {
            let method = frames.first().map(|frame| frame.method);
            method.is_none_or(|method| {
                jvmti
                    .declaring_class_signature(method)
                    .is_none_or(|class| class.bytes() == INSTRUMENT)
            })
        })
        .unwrap_or(true)
}

/// What the worker has to do in place of a thread that must not.
static LATER: Mutex<Vec<(Arc<Class>, u32)>> = Mutex::new(Vec::new());

/// Called by the worker.
pub(crate) fn catch_up(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let later = std::mem::take(&mut *LATER.lock());
    for (class, why) in later {
        if let Some(mirror) = class.mirror(jni) {
            retransform(jvmti, own, &class, mirror.get(), why);
        }
        if why & SHOW != 0 && class.owes_its_load() {
            announce::class(jvmti, jni, own, &class, patience::DEFINITION_UNDER_LOCKS);
        }
    }
}

fn retransform(jvmti: Jvmti, own: &Thread, class: &Class, mirror: ObjectRef<'_>, why: u32) {
    // What the agent has to see is no affair of ours alone; it gets its hooks in the same go.
    let is_ours = why & SHOW == 0;
    let rewriting = is_ours.then(|| Attention::set(own, attention::REWRITING));
    let changing = class.code.changing();
    // What is remembered of frames is of the code before.
    known_frames::forget();
    retransform::retransform(jvmti, &[((), mirror)]);
    drop((changing, rewriting));
    // Another thread may run its methods by now, and have been seen there with bytecode
    // indexes that are others now.
    let methods = jvmti.methods(mirror);
    let seen = |id: u64| METHODS.get(id).is_some();
    if methods.is_ok_and(|ids| {
        let mut ids = ids.as_slice().iter();
        ids.any(|id| seen(id.key()))
    }) {
        METHODS.retain(|method| method.class.id != class.id);
        known_frames::forget();
    }
}
