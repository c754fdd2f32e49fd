//! MONITOR_CONTENDED_EXIT: the owner leaves a monitor that another waits for.
//!
//! JVMTI tells of the waiter only, so the owner says it itself: rewritten code asks a
//! static field before it leaves a monitor, and the field is true while anybody waits for
//! anything. JNI's MonitorExit and `Object.wait` come here too.
//!
//! Which owner has to say it, and when, is decided by [`protocols::contended_exit`].

use std::time::Instant;

use event_translate::table::EventKind;
use id_map::ObjectId;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use protocols::contended_exit::{Book, Duty, Leaving, Waiters};

use crate::base::patience;
use crate::hooks::hook_class;
use crate::model::thread::{Thread, current};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

pub(crate) use protocols::contended_exit::Ticket;

static CONTENDED: Lazy<Mutex<Book>> = Lazy::new(Mutex::default);
/// How many there are in it.
static WAITERS: Waiters = Waiters::new();

/// Looks something up in the book, or changes it.
fn with_book<T>(act: impl FnOnce(&mut Book) -> T) -> T {
    let mut book = CONTENDED.lock();
    let result = act(&mut book);
    WAITERS.note(&book);
    result
}

/// Brings the hook class's field in line.
fn show(jni: Jni) {
    let until = |is_over: &dyn Fn() -> bool| {
        patience::CONTENDED_FIELD.until(is_over);
    };
    WAITERS.show(|any| hook_class::set_contended(jni, any), until);
}

/// The same by who waits no more: each that does has waited itself for those who lower the field, and
/// those who begin later see it.
fn show_at_once(jni: Jni) {
    WAITERS.show(|any| hook_class::set_contended(jni, any), |_| ());
}

/// Whether anybody waits for anything.
#[inline]
pub(crate) fn any() -> bool {
    WAITERS.any()
}

/// Whether anybody waits for this.
pub(crate) fn is_contended(id: ObjectId) -> bool {
    CONTENDED.lock().is_contended(id.raw())
}

/// Whatever somebody waits for.
pub(crate) fn all() -> Vec<ObjectId> {
    let book = CONTENDED.lock();
    book.objects().filter_map(ObjectId::from_raw).collect()
}

/// The calling thread is about to wait for a monitor, and to tell the agent. If it is listed,
/// [`has_said_so`] and [`has_entered`] are to follow.
pub(crate) fn waits(jni: Jni, id: ObjectId) -> Option<Ticket> {
    if !wanted::wants(EventKind::MonitorContendedExit) {
        return None;
    }
    let monitor = vm_monitors::pending(jni);
    let ticket = with_book(|book| book.waits(id.raw(), monitor, Instant::now()));
    show(jni);
    Some(ticket)
}

/// It has told the agent.
pub(crate) fn has_said_so(id: ObjectId, ticket: Ticket) {
    with_book(|book| book.has_said_so(id.raw(), ticket));
}

/// It owns the monitor now.
pub(crate) fn has_entered(jni: Jni, id: ObjectId, ticket: Ticket) {
    with_book(|book| book.has_entered(id.raw(), ticket, Instant::now()));
    show_at_once(jni);
}

/// The calling thread, which owns the monitor of `object`, is about to leave it; `wholly`,
/// whatever the number of its entries. Whether it has to tell of that.
pub(crate) fn is_to_be_told(
    jvmti: Jvmti,
    jni: Jni,
    own: &Thread,
    (id, object): (ObjectId, ObjectRef<'_>),
    wholly: bool,
) -> bool {
    let me = current::key();
    let duty = |patient: bool, asked: bool| {
        let leaving = Leaving {
            me,
            wholly,
            patient,
            asked,
        };
        let enters_again = |monitor| vm_monitors::recursions(monitor) > 0;
        CONTENDED.lock().leaves(id.raw(), leaving, enters_again)
    };
    let mut asked = false;
    let mut look = |patient| loop {
        match duty(patient, asked) {
            Duty::Nothing => return Some(false),
            Duty::Tell => return Some(true),
            Duty::Wait => return None,
            Duty::Ask => {
                match jvmti.monitor_usage(jni, object) {
                    Ok(usage) if usage.entry_count > 1 => return Some(false),
                    // Of a virtual owner it says nothing (from JDK 23 on), but counts what it has
                    // entered as soon as it enters once more. Who leaves what is another's gets no
                    // further than to be told so.
                    Ok(usage)
                        if usage.entry_count == 0
                            && vm_monitors::holds(jni, object)
                            && jni.enter_monitor(object) =>
                    {
                        jni.exit_monitor(object);
                    }
                    Ok(_) | Err(_) => {}
                }
                asked = true;
            }
        }
    };
    let told = match own.native().may_hold_a_lock() {
        true => None,
        false => patience::ENTER_BEFORE_EXIT.until_some(|| look(true)),
    };
    told.or_else(|| look(false)).unwrap_or_default()
}

/// Nobody wants to hear of it any more.
pub(crate) fn forget() {
    with_book(Book::forget);
    if let Some(jni) = Jni::of_this_thread() {
        // Of the agent's caller: no JNI with it.
        let _aside = ExceptionAside::put(jni);
        show_at_once(jni);
    }
}
