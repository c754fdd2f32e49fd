//! What was found of HotSpot's internals: one struct, in one place. Rows of
//! [`event_translate::internals`] say what each rests on and what is done without it; [`super::finding`]
//! looks them up, and a few are looked up when they are first wanted, because their trial needs
//! something of ours.

use std::ffi::{c_char, c_int, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use event_translate::internals::{Internal, NEWEST_KNOWN_JDK};
use jvmpi_headers::jni::{JNIEnv, JavaVM, jclass, jint, jobject};
use jvmpi_headers::jvmpi::JVMPI_CallTrace;
use once_cell::sync::OnceCell;

use crate::base::latest::Latest;
use crate::base::{config, log};
use crate::vm::env::ExtensionFunction;
use crate::vm::hotspot::frame_layout::FrameLayout;
use crate::vm::hotspot::perf_memory::Spaces;
use crate::vm::hotspot::vm_address::Offset;
use crate::vm::member_ids::{FieldId, MethodId};
use crate::vm::refs::Global;

/// Why one is not used, for the log.
pub(super) type Why = &'static str;

/// Not exported, no such field, no such file.
pub(super) const NOT_THERE: Why = "this VM has it not";
/// Its trial has shown that it is something else.
pub(super) const SOMETHING_ELSE: Why = "it is not what it was";

/// One internal thing: what was found of it, if it may be used.
pub(crate) struct Thing<T: Sync + 'static> {
    internal: Internal,
    found: Latest<T>,
    asked: AtomicBool,
}

impl<T: Sync> Thing<T> {
    const fn new(internal: Internal) -> Self {
        Self {
            internal,
            found: Latest::new(),
            asked: AtomicBool::new(false),
        }
    }

    /// `None`: the way without it.
    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        self.found.get()
    }

    /// Whether somebody has looked it up, and found it or not.
    pub(super) fn was_looked_for(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    /// The same, after it was looked up.
    pub(super) fn get_or_find(&self, find: impl FnOnce() -> Result<T, Why>) -> Option<&'static T> {
        self.find(find);
        self.get()
    }

    /// Looks it up, once: `find` gives what has proved itself. Threads that come at the same time
    /// each do it: nobody waits for one that is in the VM, and may be suspended there.
    pub(super) fn find(&self, find: impl FnOnce() -> Result<T, Why>) {
        self.find_when_there(|| Some(find()));
    }

    /// The same for what may not be there yet: as long as `find` gives `None` the next one looks again.
    pub(super) fn find_when_there(&self, find: impl FnOnce() -> Option<Result<T, Why>>) {
        if self.was_looked_for() {
            return;
        }
        let found = match self.may_be_used() {
            Ok(()) => find(),
            Err(why) => Some(Err(why)),
        };
        if let Some(found) = found {
            self.note(found);
        }
    }

    fn note(&self, found: Result<T, Why>) {
        let why = found.map(|found| self.found.put(Some(found))).err();
        let first = !self.asked.swap(true, Ordering::AcqRel);
        if let Some(why) = why.filter(|_| first) {
            let row = self.internal.row();
            log::info!("not used of this VM: {} ({why}); {}", row.name, row.without);
        }
    }

    fn may_be_used(&self) -> Result<(), Why> {
        if config::options().without.contains(self.internal) {
            return Err("without= says so");
        }
        // Until it is known, nothing is.
        // Relaxed: set at load, when there is one thread; 0 is taken for unknown.
        let jdk = match HOTSPOT.jdk.load(Ordering::Relaxed) {
            0 => NEWEST_KNOWN_JDK + 1,
            jdk => jdk,
        };
        if !self.internal.may_be_tried(jdk) {
            return Err("it cannot be tried, and this JDK is newer than those on which it was");
        }
        Ok(())
    }

    /// It has contradicted itself: from now on the way without it. Says nothing, so that a
    /// collector's callback may call it. False if it was lost before.
    pub(super) fn lose(&self) -> bool {
        let was_there = self.get().is_some();
        self.found.put(None);
        was_there
    }
}

// The functions have these types in the jvm.h of every JDK from 11 to 28 that exports them.
pub(super) type FindFromBootLoader =
    unsafe extern "system" fn(*mut JNIEnv, *const c_char) -> jclass;
pub(super) type FindFromCaller =
    unsafe extern "system" fn(*mut JNIEnv, *const c_char, u8, jobject, jclass) -> jclass;
/// In place of the former from JDK 26 on.
pub(super) type FindFromLoader =
    unsafe extern "system" fn(*mut JNIEnv, *const c_char, u8, jobject) -> jclass;
pub(super) type GetConstructors = unsafe extern "C" fn(*mut JNIEnv, jclass, u8) -> jobject;
pub(super) type AddReads = unsafe extern "C" fn(*mut JNIEnv, jobject, jobject);
pub(super) type OfClass = unsafe extern "C" fn(*mut JNIEnv, jclass) -> jobject;
pub(super) type Holds = unsafe extern "C" fn(*mut JNIEnv, jclass, jobject) -> u8;
pub(super) type Memory = unsafe extern "C" fn() -> i64;
/// Its trace and frames have JVMPI's layout; `lineno` is a bytecode index or negative.
pub(super) type AsyncGetCallTrace = unsafe extern "C" fn(*mut JVMPI_CallTrace, c_int, *mut c_void);
pub(super) type Halt = unsafe extern "C" fn(jint);
/// `JNI_OnLoad`.
pub(super) type OnLoad = unsafe extern "system" fn(*mut JavaVM, *mut c_void) -> jint;
/// The boolean is there from 17.0.2 on.
pub(super) type LoadLibrary = unsafe extern "system" fn(*const c_char, u8) -> *mut c_void;
/// A native method of an object; it takes a String and a boolean.
pub(super) type DumpHeap = unsafe extern "system" fn(*mut JNIEnv, jobject, jobject, u8);

/// Where `Thread.eetop` is, and how far the JNIEnv lies in what it
/// points to, in bytes.
pub(super) struct ThreadEnv {
    pub(super) eetop: FieldId,
    pub(super) distance: usize,
}

/// Offsets from a thread's JNIEnv to the address of its `OSThread`, and in that to the number.
pub(super) struct ThreadNumber {
    pub(super) os_thread: isize,
    pub(super) number: Offset,
}

/// Offset from a thread's JNIEnv to what it does, and the numbers of two things that it can do.
pub(super) struct ThreadState {
    pub(super) distance: isize,
    pub(super) in_java: i32,
    pub(super) blocked: i32,
}

/// Offsets from a thread's JNIEnv to the monitor it is about to wait for, and in that to how
/// often it has been entered.
pub(super) struct ContendedMonitor {
    pub(super) pending: isize,
    pub(super) recursions: Offset,
}

/// Where a thread's last Java frame is, and where the interpreter's code.
pub(crate) struct LastFrames {
    /// From the JNIEnv to the address that Java code will go on at.
    pub(super) distance: isize,
    pub(super) interpreter: Range<usize>,
}

/// What was wanted of the VM's flags.
pub(super) struct Flags {
    pub(super) collector: &'static str,
    pub(super) stops_the_world: bool,
    /// Where TLABRefillWasteFraction is, a number of 8 bytes.
    pub(super) refill_waste: Option<usize>,
    /// Where MaxHeapFreeRatio is, likewise.
    pub(super) most_free: Option<usize>,
    /// What it keeps free of each stack, in bytes.
    pub(super) kept_of_stacks: Option<usize>,
}

/// Where the VM's count of collections is, and what it was when the last pause ended; 0 before.
pub(super) struct Collections {
    pub(super) address: usize,
    pub(super) last: AtomicU32,
}

/// Methods of the JDK's that belong to no thread's own code, as far as the VM has them. The class of virtual
/// threads is initialized: one runs.
#[derive(Debug)]
pub(super) struct Callers {
    /// What calls a virtual thread's own code, and what that calls before and after it.
    pub(super) around: Vec<MethodId>,
    /// By which a carrier runs a virtual thread.
    pub(super) carries: Option<MethodId>,
}

/// What tells of virtual threads.
pub(super) struct Mounts {
    /// JVMTI's numbers of the two events.
    pub(super) events: [i32; 2],
    /// `GetVirtualThread`
    pub(super) carried: Option<ExtensionFunction>,
    /// `Thread.tid`
    pub(super) identifier: FieldId,
    /// `Thread.name`
    pub(super) name: FieldId,
    /// `VirtualThread`
    pub(super) class: Option<Global>,
    /// The methods on a carrier's stack below which the frames are its own; from the moment that
    /// virtual threads are told apart.
    pub(super) entries: OnceCell<Vec<MethodId>>,
    /// What calls the code of a virtual thread, once one has been mounted.
    pub(super) callers: OnceCell<Callers>,
}

/// How a loader is asked for a class.
#[derive(Clone, Copy)]
pub(super) enum FindByLoader {
    FromCaller(FindFromCaller),
    FromLoader(FindFromLoader),
}

/// How a class's signers and protection domain are asked for.
pub(super) struct Signers {
    pub(super) signers: Attribute,
    pub(super) protection_domain: Attribute,
}

/// By a function, or by a field of `Class`.
pub(super) enum Attribute {
    Function(OfClass),
    Field(FieldId),
}

/// A method as it is when nobody has called it: its `Method`, and its `ConstMethod`.
pub(super) type MethodParts = [[u8; 64]; 2];

/// In which part of a method its frames are hidden, at which offset, and by which bit.
pub(super) struct HiddenBit {
    pub(super) part: usize,
    pub(super) offset: usize,
    pub(super) bit: u8,
}

/// All of it. [`Thing`]s are named after their rows.
pub(crate) struct Hotspot {
    /// The JDK's feature version; 0 as long as there is no JVMTI.
    pub(super) jdk: AtomicI32,
    pub(super) structures: Thing<()>,
    pub(super) thread_env: Thing<ThreadEnv>,
    pub(super) thread_number: Thing<ThreadNumber>,
    pub(super) thread_state: Thing<ThreadState>,
    /// From a thread's JNIEnv, in bytes.
    pub(super) pending_exception: Thing<isize>,
    pub(super) contended_monitor: Thing<ContendedMonitor>,
    pub(super) flags: Thing<Flags>,
    pub(super) collections: Thing<Collections>,
    pub(super) performance_memory: Thing<Spaces>,
    pub(super) heap_space: Thing<(Memory, Memory)>,
    pub(super) boot_loader: Thing<FindFromBootLoader>,
    pub(super) resolve: Thing<FindByLoader>,
    pub(super) link: Thing<GetConstructors>,
    pub(super) module_reads: Thing<AddReads>,
    pub(super) signers: Thing<Signers>,
    pub(super) holds_lock: Thing<Holds>,
    pub(super) parallel_loaders: Thing<()>,
    pub(super) built_in_loaders: Thing<()>,
    pub(super) hidden_frames: Thing<HiddenBit>,
    pub(super) weak_slots: Thing<()>,
    pub(super) heap_dumper: Thing<(OnLoad, DumpHeap)>,
    pub(super) redefinition: Thing<()>,
    /// Methods whose frames are hidden, to compare others with.
    pub(super) hidden: OnceCell<Vec<MethodParts>>,
    pub(super) signal_stacks: Thing<AsyncGetCallTrace>,
    pub(super) own_stacks: Thing<(AsyncGetCallTrace, LastFrames)>,
    pub(super) own_frames: Thing<FrameLayout>,
    /// The kernel's number of it.
    pub(super) service_thread: Thing<u32>,
    pub(super) halt: Thing<Halt>,
    /// An address.
    pub(super) sleep: Thing<usize>,
    pub(super) library_loader: Thing<LoadLibrary>,
    pub(super) mounts: Thing<Mounts>,
    pub(super) virtual_thread_makers: Thing<Vec<MethodId>>,
    /// `ClassLoader.findLoadedClass`: every JDK has it.
    pub(super) find_loaded_class: OnceCell<MethodId>,
}

pub(super) static HOTSPOT: Hotspot = Hotspot {
    jdk: AtomicI32::new(0),
    structures: Thing::new(Internal::Structures),
    thread_env: Thing::new(Internal::ThreadEnv),
    thread_number: Thing::new(Internal::ThreadNumber),
    thread_state: Thing::new(Internal::ThreadState),
    pending_exception: Thing::new(Internal::PendingException),
    contended_monitor: Thing::new(Internal::ContendedMonitor),
    flags: Thing::new(Internal::Flags),
    collections: Thing::new(Internal::Collections),
    performance_memory: Thing::new(Internal::PerformanceMemory),
    heap_space: Thing::new(Internal::HeapSpace),
    boot_loader: Thing::new(Internal::BootLoader),
    resolve: Thing::new(Internal::Resolve),
    link: Thing::new(Internal::Link),
    module_reads: Thing::new(Internal::ModuleReads),
    signers: Thing::new(Internal::Signers),
    holds_lock: Thing::new(Internal::HoldsLock),
    parallel_loaders: Thing::new(Internal::ParallelLoaders),
    built_in_loaders: Thing::new(Internal::BuiltInLoaders),
    hidden_frames: Thing::new(Internal::HiddenFrames),
    weak_slots: Thing::new(Internal::WeakSlots),
    heap_dumper: Thing::new(Internal::HeapDumper),
    redefinition: Thing::new(Internal::Redefinition),
    hidden: OnceCell::new(),
    signal_stacks: Thing::new(Internal::SignalStacks),
    own_stacks: Thing::new(Internal::OwnStacks),
    own_frames: Thing::new(Internal::OwnFrames),
    service_thread: Thing::new(Internal::ServiceThread),
    halt: Thing::new(Internal::Halt),
    sleep: Thing::new(Internal::Sleep),
    library_loader: Thing::new(Internal::LibraryLoader),
    mounts: Thing::new(Internal::Mounts),
    virtual_thread_makers: Thing::new(Internal::VirtualThreadMakers),
    find_loaded_class: OnceCell::new(),
};

/// A function of libjvm, of one of the types above.
macro_rules! function {
    ($name:literal as $ty:ty) => {
        crate::os::library::symbol_of_process($name)
            // SAFETY: the function has this type in every JDK that was looked at.
            .map(|found| unsafe { std::mem::transmute::<*mut std::ffi::c_void, $ty>(found) })
            .ok_or(crate::vm::hotspot::found::NOT_THERE)
    };
}
pub(super) use function;

impl Hotspot {
    /// That, and what was found by it. False if it was lost before.
    pub(super) fn lose_thread_env(&self) -> bool {
        self.thread_number.lose();
        self.thread_state.lose();
        self.pending_exception.lose();
        self.contended_monitor.lose();
        self.thread_env.lose()
    }

    /// From a thread's JNIEnv to what is at this offset in the VM's structure of the thread.
    pub(super) fn behind_env(&self, offset: Offset) -> Option<isize> {
        let distance = self.thread_env.get()?.distance;
        isize::try_from(offset.bytes())
            .ok()?
            .checked_sub(isize::try_from(distance).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_for_once_is_known() {
        let flags = Thing::new(Internal::Flags);
        assert_eq!(flags.get(), None);
        assert_eq!(flags.get_or_find(|| Ok(1)), Some(&1));
        assert_eq!(flags.get_or_find(|| unreachable!("again")), Some(&1));
        assert!(flags.lose() && !flags.lose());
        assert_eq!(flags.get_or_find(|| unreachable!("again")), None);
        let link: Thing<i32> = Thing::new(Internal::Link);
        assert_eq!(link.get_or_find(|| Err(NOT_THERE)), None);
        assert_eq!(link.get_or_find(|| unreachable!("again")), None);
    }

    /// As long as the JDK is not known it might be any.
    #[test]
    fn what_cannot_be_tried_is_not_used_on_an_unknown_jdk() {
        let halt: Thing<i32> = Thing::new(Internal::Halt);
        assert_eq!(halt.get_or_find(|| unreachable!("a newer JDK")), None);
    }
}
