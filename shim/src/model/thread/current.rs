//! What a thread knows of itself, without a look-up.
//!
//! Cells without destructors: a destructor would run after the VM has let go of the
//! thread. The record's reference count is held by the cell as a raw pointer until the
//! thread's end.
#![allow(
    unsafe_code,
    reason = "a reference count kept in a cell without destructor"
)]

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::own::cell::OwnCell;
use crate::model::thread::Thread;
use crate::model::thread::native_thread::{NOBODY, NativeThread};
use crate::os::own_words::{self, CARRIER, RECORD};
use crate::vm::hotspot::threads::pending_exception;
use crate::vm::jni::Jni;

thread_local! {
    static KEY: Cell<u64> = const { Cell::new(0) };
    static ENDED: Cell<bool> = const { Cell::new(false) };
    static DESTROYS_VM: Cell<bool> = const { Cell::new(false) };
    static RUNS: Cell<Runs> = const { Cell::new(Runs::Nothing) };
}

/// A number of this thread alone, never 0 and never reused.
pub(crate) fn key() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    KEY.with(|key| {
        if key.get() == 0 {
            // Relaxed: keys need only differ.
            key.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        key.get()
    })
}

/// Whether the calling thread's THREAD_END is past: to the VM it lives a little longer.
pub(crate) fn has_ended() -> bool {
    ENDED.get()
}

/// Notes the thread's end, or that it has been attached anew.
pub(crate) fn set_ended(ended: bool) {
    ENDED.set(ended);
}

/// Whether the calling thread is in JNI's DestroyJavaVM.
pub(crate) fn destroys_vm() -> bool {
    DESTROYS_VM.get()
}

/// Notes that the calling thread is in it, or has come back.
pub(crate) fn set_destroys_vm(destroys: bool) {
    DESTROYS_VM.set(destroys);
}

/// What the calling thread runs of the agent's, but for handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Runs {
    /// Nothing that we have called.
    Nothing,
    OnLoad,
    SystemThread,
}

/// What the calling thread runs.
pub(crate) fn runs() -> Runs {
    RUNS.get()
}

/// Notes that.
pub(crate) fn set_runs(what: Runs) {
    RUNS.set(what);
}

/// Whether the calling thread is in a handler.
pub(crate) fn is_in_handler() -> bool {
    with_own(|own| own.native().depth.is_inside()) == Some(true)
}

/// This thread's record, null if it has not met the shim before.
#[inline(always)]
fn own_record() -> *const Thread {
    own_words::get::<RECORD>().cast()
}

/// This thread's record, if it has met the shim before.
pub(crate) fn own() -> Option<Arc<Thread>> {
    counted(own_record())
}

/// What one of the two cells has, counted once more.
fn counted(record: *const Thread) -> Option<Arc<Thread>> {
    if record.is_null() {
        return None;
    }
    // SAFETY: the cell holds one count of this pointer (see `set` and `carry`).
    unsafe { Arc::increment_strong_count(record) };
    // SAFETY: the count just taken.
    Some(unsafe { Arc::from_raw(record) })
}

/// Calls `body` with this thread's record, if it has met the shim before: the same
/// as [`own`], without the counting.
#[inline]
pub(crate) fn with_own<T>(body: impl FnOnce(&Thread) -> T) -> Option<T> {
    let record = own_record();
    // SAFETY: the cell holds one count of this pointer, and gives it up only at the
    // thread's start and end (`clear`), which are no part of any `body`. A virtual thread that
    // parks in a handler's Java code gives it up, too, but our frames keep it on its carrier, and
    // until it ends the table of virtual threads holds a count as well.
    unsafe { record.as_ref() }.map(body)
}

/// A record that is the calling thread's own.
#[derive(Clone, Copy)]
pub(crate) struct Mine<'a> {
    record: &'a Thread,
    /// It stays on its thread.
    here: PhantomData<*const ()>,
}

impl<'a> Mine<'a> {
    #[inline(always)]
    pub(crate) fn thread(self) -> &'a Thread {
        self.record
    }
}

/// What belongs to the calling thread as one of the operating system. Asked for once an event: a
/// thread does not leave its carrier while native code is on its stack.
#[derive(Clone, Copy)]
pub(crate) struct MyNative<'a>(&'a NativeThread);

impl<'a> MyNative<'a> {
    #[inline(always)]
    pub(crate) fn of(mine: Mine<'a>) -> Self {
        Self(mine.thread().native())
    }

    #[inline(always)]
    pub(crate) fn get(self) -> &'a NativeThread {
        self.0
    }
}

/// Ties a [`Mine`] to a stack frame: a constant would be promoted to `'static`.
pub(crate) struct Scope(());

impl Scope {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// This thread's record, if it has met the shim before.
#[inline(always)]
pub(crate) fn mine(_scope: &Scope) -> Option<Mine<'_>> {
    let record = own_record();
    // SAFETY: as in `with_own`.
    let record = unsafe { record.as_ref() }?;
    Some(Mine {
        record,
        here: PhantomData,
    })
}

/// [`with_own`] for a body that wants to be told whose record it is.
#[inline(always)]
pub(crate) fn with_mine<T>(body: impl FnOnce(Mine<'_>) -> T) -> Option<T> {
    mine(&Scope::new()).map(body)
}

/// Calls `body` with the cell that `place` finds in the record, if that is the calling thread's
/// own; `None` also if the thread has the cell already. (What `place` finds by way of
/// [`Thread::native`] is the calling carrier's while the record is that of a virtual thread.)
#[inline]
pub(crate) fn with_cell<T, O>(
    own: &Thread,
    place: impl FnOnce(&Thread) -> &OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> Option<O> {
    // SAFETY: the calling thread is the owner.
    is(own).then(|| unsafe { place(own).lend(body) }).flatten()
}

/// The same for the calling thread's record, whichever it is.
#[inline]
pub(crate) fn with_own_cell<T, O>(
    place: impl FnOnce(&Thread) -> &OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> Option<O> {
    // SAFETY: the calling thread is the owner.
    with_own(|own| unsafe { place(own).lend(body) }).flatten()
}

/// The same where not even a look whether it is lent can be afforded.
///
/// # Safety
/// The body calls nobody who might come to the same cell: no agent, no VM. And the caller is called
/// by no body of these functions.
#[inline(always)]
pub(crate) unsafe fn with_my_cell<'a, T, O>(
    _own: Mine<'a>,
    cell: &'a OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> O {
    // SAFETY: the caller's promise; `Mine` is proof that the calling thread is the owner.
    unsafe { cell.lend_unseen(body) }
}

/// The calling thread's JNI environment, as its record has it.
pub(crate) fn jni(mine: Mine<'_>) -> Option<Jni> {
    // SAFETY: its own record has its own environment.
    unsafe { Jni::from_raw(mine.thread().native().env_ptr()) }
}

/// Whether this record is the calling thread's.
#[inline]
pub(crate) fn is(record: &Thread) -> bool {
    ptr::eq(own_record(), record)
}

/// Whether this env is the calling thread's (if it has met the shim before). The VM's own env of
/// a carrier means the virtual thread that it runs.
#[inline]
pub(crate) fn is_own(env: usize) -> bool {
    with_own(|own| own.env == env || own.native().env == env) == Some(true)
}

/// Whether this env is another thread's (false if the calling one has not met the shim before).
pub(crate) fn is_foreign(env: usize) -> bool {
    with_own(|own| own.env != env && own.native().env != env) == Some(true)
}

/// This thread's record, if its env is this one.
pub(crate) fn own_if(env: usize) -> Option<Arc<Thread>> {
    if is_own(env) { own() } else { None }
}

/// What a virtual thread borrows from its carrier: of the calling thread's own record, while it
/// is mounted.
#[inline]
fn carrier_of(record: &Thread) -> Option<&NativeThread> {
    if !is(record) {
        return None;
    }
    let carrier: *const Thread = own_words::get::<CARRIER>().cast();
    // SAFETY: the cell holds one count of this pointer while a virtual thread is mounted, which
    // ends on this thread only, in a callback that is no part of any body.
    let carrier = unsafe { carrier.as_ref() }?;
    carrier.own_native()
}

impl Thread {
    /// What belongs to the thread of the operating system that it is, or that carries it. Of a
    /// virtual thread only the thread itself has it, while it is mounted.
    #[inline(always)]
    pub(crate) fn native(&self) -> &NativeThread {
        match self.own_native() {
            Some(native) => native,
            None => carrier_of(self).unwrap_or(&NOBODY),
        }
    }

    /// On the thread itself: the CPU time that it has used, in nanoseconds; a virtual thread on all
    /// its carriers, since it was met.
    pub(crate) fn cpu_time(&self) -> u64 {
        self.cpu_time_on(self.native())
    }
}

/// The record of the calling thread's carrier, while it runs a virtual thread.
pub(crate) fn carrier() -> Option<Arc<Thread>> {
    counted(own_words::get::<CARRIER>().cast())
}

/// The calling thread, whose record is `carrier`, runs a virtual one from now on; that has this
/// record, or none yet.
pub(in crate::model) fn carry(carrier: &Arc<Thread>, mounted: Option<&Arc<Thread>>) {
    clear();
    own_words::set::<CARRIER>(Arc::into_raw(Arc::clone(carrier)).cast_mut().cast());
    if let Some(mounted) = mounted {
        set(mounted);
    }
}

/// It is its own again.
pub(in crate::model) fn carry_no_more() {
    clear();
    // The count moves from one cell to the other.
    own_words::set::<RECORD>(own_words::get::<CARRIER>());
    own_words::set::<CARRIER>(ptr::null_mut());
}

/// Remembers the record until [`clear`].
pub(in crate::model) fn set(record: &Arc<Thread>) {
    clear();
    let record = Arc::into_raw(Arc::clone(record));
    own_words::set::<RECORD>(record.cast_mut().cast());
}

/// Forgets the record.
pub(in crate::model) fn clear() {
    let record = own_record();
    own_words::set::<RECORD>(ptr::null_mut());
    if !record.is_null() {
        // SAFETY: the count that `set` put into the cell.
        drop(unsafe { Arc::from_raw(record) });
    }
}

/// Drops the calling thread's pending exception: one that the agent's handler has left is not
/// the program's.
#[inline(always)]
pub(crate) fn drop_exception(native: MyNative<'_>) {
    // SAFETY: its own record has its own environment.
    unsafe { pending_exception::drop_it(native.0.env_ptr()) };
}

/// Runs a handler of the agent's. What it leaves pending is dropped: neither the program nor the
/// next handler is to meet it. What was pending before stays.
#[inline]
pub(crate) fn without_new_exceptions(handler: impl FnOnce()) {
    let scope = Scope::new();
    let env = mine(&scope).map_or(ptr::null_mut(), |mine| mine.thread().native().env_ptr());
    // SAFETY: its own record has its own environment.
    let before = unsafe { pending_exception::is_there_of(env) };
    handler();
    if !before {
        // SAFETY: as above.
        unsafe { pending_exception::drop_it(env) };
    }
}
