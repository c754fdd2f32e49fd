//! What no agent sees, said at the VM's end: methods whose events do not come, or not always
//! (log=info; of programs that define classes for ever the first); that virtual threads ran
//! while a sampler looked.
//!
//! Not the methods of `left_out`: those are left out on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use class_rewriter::Method;
use event_translate::thread_status;
use parking_lot::Mutex;
use shim_options::LogLevel;

use crate::base::log;
use crate::model::thread::{Thread, attention};

/// Why -> class -> its methods; empty if it is the whole class.
type Reasons = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

struct List {
    reasons: Reasons,
    /// How many names there are.
    length: usize,
    /// Classes and methods beyond [`LONGEST`]; each may have been counted more than once.
    more: u64,
}

/// A megabyte or so.
const LONGEST: usize = 10_000;

static LIST: Mutex<List> = Mutex::new(List::new());

impl List {
    const fn new() -> Self {
        Self {
            reasons: BTreeMap::new(),
            length: 0,
            more: 0,
        }
    }

    /// Adds a class, and a method of it if one is named.
    fn add(&mut self, why: &str, class: String, method: Option<String>) {
        let classes = self.reasons.get(why);
        let methods = classes.and_then(|classes| classes.get(&class));
        let known =
            methods.is_some_and(|methods| method.as_ref().is_none_or(|it| methods.contains(it)));
        if known {
            return;
        }
        if self.length >= LONGEST {
            self.more += 1;
            return;
        }
        self.length += 1;
        let classes = self.reasons.entry(why.to_owned()).or_default();
        classes.entry(class).or_default().extend(method);
    }
}

/// Compiled code, and of some the interpreter, calls the VM's own version of these, and no hook.
const INTRINSIC: &str = "may be replaced by an intrinsic in compiled code, or by the interpreter; such calls are not seen";

/// This method of a class has no hooks.
pub(crate) fn method(class: &[u8], method: Option<&Method<'_>>, why: &str) {
    let method = method.map_or_else(String::new, |method| text(method.name()));
    note(why, class, Some(method));
}

/// This class has none.
pub(crate) fn class(name: &[u8], why: &str) {
    note(why, name, None);
}

fn note(why: &str, class: &[u8], method: Option<String>) {
    if log::wants(LogLevel::Info) {
        LIST.lock().add(why, text(class), method);
    }
}

/// A class of which the VM gives no class file (JVMTI facts, "Class files"); false if its
/// signature is not one of those.
pub(crate) fn hidden(signature: &[u8]) -> bool {
    let name = hidden_name(signature);
    if let Some(name) = name {
        class(name, "no hooks, hidden classes cannot be rewritten");
    }
    name.is_some()
}

/// The name before the VM's suffix, if it is a hidden class's signature.
fn hidden_name(signature: &[u8]) -> Option<&[u8]> {
    let name = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
    let suffix = |here: &[u8]| matches!(here, [b'.' | b'/', b'0', b'x']);
    let at = name.windows(3).position(suffix)?;
    name.get(..at)
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
        && thread.native().waits() == Some(false)
    {
        // Relaxed: a count.
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
    let list = std::mem::replace(&mut *LIST.lock(), List::new());
    for (why, classes) in list.reasons {
        log::info!("method events: {why}:");
        for (class, methods) in classes {
            let methods = Vec::from_iter(methods).join(" ");
            let colon = if methods.is_empty() { "" } else { ": " };
            log::info!("  {class}{colon}{methods}");
        }
    }
    if list.more > 0 {
        log::info!("method events: and up to {} more", list.more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_ends_somewhere() {
        let mut list = List::new();
        for round in 0..2 {
            for number in 0..LONGEST + 5 {
                list.add("generated", format!("Class{number}"), None);
            }
            assert_eq!((list.length, list.more), (LONGEST, 5 + 5 * round));
        }
        list.add("generated", "Class1".to_owned(), Some("method".to_owned()));
        assert_eq!((list.length, list.more), (LONGEST, 11));
    }
}
