//! Who waits for which monitor, as far as its owner is to say that it leaves; and the field of the hook classes that
//! says whether anybody does.

use std::mem::ManuallyDrop;
use std::time::Instant;

use event_translate::table::EventKind;
use id_map::ObjectId;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use protocols::contended_exit::{Book, Duty, Leaving, Waiters};

use crate::base::patience;
use crate::hooks::hook_class;
use crate::model::wanted;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;

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

/// The calling thread is about to wait for a monitor, and to tell the agent.
pub(crate) fn waits(jni: Jni, id: ObjectId) -> Option<Waiter> {
    if !wanted::wants(EventKind::MonitorContendedExit) {
        return None;
    }
    let monitor = vm_monitors::pending(jni);
    let ticket = with_book(|book| book.waits(id.raw(), monitor, Instant::now()));
    // From here on it is taken out again, whatever happens.
    let waiter = Waiter { jni, id, ticket };
    show(jni);
    Some(waiter)
}

/// Who is in the book and telling the agent. Dropped before it has, by a panic, it is in there no more:
/// owners would wait for it, and nothing else would take it out.
pub(crate) struct Waiter {
    jni: Jni,
    id: ObjectId,
    ticket: Ticket,
}

impl Waiter {
    /// It has told the agent. [`has_entered`] is to follow, with the ticket.
    pub(crate) fn has_said_so(self) -> Ticket {
        let waiter = ManuallyDrop::new(self);
        with_book(|book| book.has_said_so(waiter.id.raw(), waiter.ticket));
        waiter.ticket
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        with_book(|book| book.gives_up(self.id.raw(), self.ticket));
        show_at_once(self.jni);
    }
}

/// It owns the monitor now.
pub(crate) fn has_entered(jni: Jni, id: ObjectId, ticket: Ticket) {
    with_book(|book| book.has_entered(id.raw(), ticket, Instant::now()));
    show_at_once(jni);
}

/// What an owner that is about to leave this monitor has to do ([`Book::leaves`]).
pub(super) fn leaves(
    id: ObjectId,
    leaving: Leaving,
    enters_again: impl FnOnce(usize) -> bool,
) -> Duty {
    CONTENDED.lock().leaves(id.raw(), leaving, enters_again)
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
