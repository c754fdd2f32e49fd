//! What no agent sees, said at the VM's end: methods whose events do not come, or not always
//! (log=info); that virtual threads ran while a sampler looked.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::atomic::{AtomicU64, Ordering};

use event_translate::rewrite::Method;
use event_translate::thread_status;
use parking_lot::Mutex;

use crate::log;
use crate::threads::{Thread, attention};

/// Why -> class -> its methods; empty if it is the whole class.
type List = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

static LIST: Mutex<List> = Mutex::new(BTreeMap::new());

/// Compiled code, and of some the interpreter, calls the VM's own version of these, and no hook.
const INTRINSIC: &str = "may be replaced by an intrinsic in compiled code, or by the interpreter; such calls are not seen";

/// This method of a class has no hooks.
pub(crate) fn method(class: &[u8], method: Option<&Method<'_>>, why: &str) {
    let method = method.map_or_else(String::new, |method| text(method.name()));
    let mut list = LIST.lock();
    let classes = list.entry(why.to_owned()).or_default();
    let methods = classes.entry(text(class)).or_default();
    methods.insert(method);
}

/// This class has none.
pub(crate) fn class(name: &[u8], why: &str) {
    let mut list = LIST.lock();
    list.entry(why.to_owned())
        .or_default()
        .entry(text(name))
        .or_default();
}

/// These methods of a class have hooks; what compiled code may do without is noted.
pub(crate) fn intrinsics(name: &[u8], methods: &[Method<'_>]) {
    for candidate in methods
        .iter()
        .filter(|method| method.is_intrinsic_candidate())
    {
        method(name, Some(candidate), INTRINSIC);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How often a sampler asked of a carrier while a virtual thread ran on it.
static VIRTUAL: AtomicU64 = AtomicU64::new(0);

/// A thread has this status, for an agent that has asked. A carrier waits, to JVMTI, while it
/// lends itself to a virtual thread; whether that runs only the kernel says.
pub(crate) fn note_virtual(thread: &Thread, status: i32) {
    if thread.attention() & attention::CARRIER != 0
        && status & thread_status::CONDVAR_WAIT == thread_status::CONDVAR_WAIT
        && thread.waits() == Some(false)
    {
        VIRTUAL.fetch_add(1, Ordering::Relaxed);
    }
}

/// Says it all, once.
pub(crate) fn report() {
    let unseen = VIRTUAL.swap(0, Ordering::Relaxed);
    if unseen > 0 {
        log::warning!(
            "{unseen} times the agent asked for the status of a carrier on which a virtual thread was running: \
             JVMPI has no thread for those, and no sample is of them (see MATRIX.md)"
        );
    }
    let list = std::mem::take(&mut *LIST.lock());
    for (why, classes) in list {
        log::info!("method events: {why}:");
        for (class, methods) in classes {
            let methods = Vec::from_iter(methods).join(" ");
            let colon = if methods.is_empty() { "" } else { ": " };
            log::info!("  {class}{colon}{methods}");
        }
    }
}
