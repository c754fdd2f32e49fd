//! The one book of JNI references ([`protocols::references`]), in its lock.
//!
//! Longer than most: all that moves a reference from one state to another is under one lock, and together.
//!
//! # Threads
//! Any. Nothing is dropped in the lock that may call the VM.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use event_translate::table::EventKind;
use id_map::ObjectId;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use protocols::references::{self, Reference, References, Teller, Ticket};

use crate::model::classes::Class;
use crate::model::thread::Thread;
use crate::vm::refs::Global;

/// A reference that cannot be told of yet.
pub(super) type Early = references::Early<EventKind, Until>;
/// What comes before the next one with a number.
pub(super) type Before = references::Before<EventKind>;
/// The kind of its ALLOC, and its object.
pub(super) type Its = (EventKind, ObjectId);

/// What has to come first.
pub(super) enum Until {
    /// CLASS_LOAD: the reference is to a class that is loaded and not linked. (Linking it would run
    /// the program's loaders in the middle of native code.)
    Loaded(Arc<Class>),
    /// THREAD_START: it was made in AttachCurrentThread (JVMTI facts 18), by the thread with this key,
    /// and is to this object. (Not its env: if attaching fails, the next thread may get that.)
    Started { by: u64, object: Global },
}

type Book = References<EventKind, ObjectId, Until>;

static BOOK: Lazy<Mutex<Book>> = Lazy::new(Mutex::default);
/// Whether something is under way or waits: read without the lock, written in it.
static ANY_OPEN: AtomicBool = AtomicBool::new(false);
/// The same of early ones.
static ANY_EARLY: AtomicBool = AtomicBool::new(false);

/// A step of the protocol.
pub(super) fn change<T>(act: impl FnOnce(&mut Book) -> T) -> T {
    let mut book = BOOK.lock();
    let result = act(&mut book);
    // Written where they change only: all threads read them.
    for (flag, any) in [
        (&ANY_OPEN, !book.is_quiet()),
        (&ANY_EARLY, book.any_early()),
    ] {
        // Relaxed: nobody else writes them.
        if flag.load(Ordering::Relaxed) != any {
            flag.store(any, Ordering::SeqCst);
        }
    }
    result
}

/// Whether a reference is under way or waits. Who has been given a number by the VM sees what the thread has left that
/// gave it back.
pub(super) fn is_any_open() -> bool {
    ANY_OPEN.load(Ordering::SeqCst)
}

/// As what the thread tells of references.
pub(super) fn teller(own: &Thread) -> Teller {
    Teller(own.env)
}

/// A thread tells of a reference: until this is dropped the others know that.
pub(super) struct Telling {
    pub(super) reference: Reference,
    ticket: Ticket,
    is_over: bool,
}

impl Telling {
    /// It has been taken.
    pub(super) fn of(reference: Reference, ticket: Ticket) -> Self {
        let is_over = false;
        Self {
            reference,
            ticket,
            is_over,
        }
    }

    /// Of a reference that nobody tells of, nor waits with.
    pub(super) fn begin(by: Teller, reference: Reference) -> Self {
        Self::of(reference, change(|book| book.take(by, reference)))
    }

    /// The same where its ALLOC is to be sent at once.
    pub(super) fn begin_due(by: Teller, reference: Reference, (kind, object): Its) -> Self {
        let ticket = change(|book| {
            let ticket = book.take(by, reference);
            book.is_due(ticket, kind, object);
            ticket
        });
        Self::of(reference, ticket)
    }

    /// Takes one of the early ones that `which` names.
    pub(super) fn of_early(by: Teller, which: impl Fn(&Early) -> bool) -> Option<(Early, Self)> {
        if !ANY_EARLY.load(Ordering::SeqCst) {
            return None;
        }
        let (early, ticket) = change(|book| book.take_early(by, which))?;
        let reference = early.reference;
        Some((early, Self::of(reference, ticket)))
    }

    /// Its ALLOC is about to be sent; false if it has been deleted meanwhile.
    pub(super) fn is_due(&self, (kind, object): Its) -> bool {
        change(|book| book.is_due(self.ticket, kind, object))
    }

    /// Ends with this step of the book's.
    pub(super) fn end<T>(mut self, step: impl FnOnce(&mut Book, Ticket) -> T) -> T {
        self.is_over = true;
        change(|book| step(book, self.ticket))
    }

    /// It waits for something else, unless it has been deleted meanwhile.
    pub(super) fn waits(self, early: Early) {
        drop(self.end(|book, ticket| book.wait(ticket, early)));
        fence(Ordering::SeqCst);
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if !self.is_over {
            change(|book| book.give_up(self.ticket));
        }
    }
}

/// What a thread has kept. Dropped with the thread's record it is told of by others, or not at all.
#[derive(Debug)]
pub(super) struct Waiting(pub(super) Ticket);

impl Waiting {
    /// Its turn is over.
    pub(super) fn over(self) {
        std::mem::forget(self);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        change(|book| book.abandon(self.0));
    }
}
