//! What the shim uses of HotSpot that no specification promises: one row for each such thing says
//! what it rests on, how it proves itself, and what is done without it.

/// The newest JDK on which what cannot be tried in the VM itself was tried by tests. On a newer one only
/// what proves itself by a trial is used.
pub const NEWEST_KNOWN_JDK: i32 = 27;

/// How a thing shows that it is what it is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By this, in each VM anew.
    Trial(&'static str),
    /// Nothing can be tried without harm: it is used up to [`NEWEST_KNOWN_JDK`].
    KnownJdks,
}

/// One of these things.
#[derive(Clone, Copy, Debug)]
pub struct InternalRow {
    /// Its name in the log and in `without=`.
    pub name: &'static str,
    /// What of HotSpot it is.
    pub rests_on: &'static str,
    /// How it proves itself.
    pub proof: Proof,
    /// What is used in its place, and what an agent loses.
    pub without: &'static str,
}

macro_rules! internals {
    ($($(#[$doc:meta])* $kind:ident: $name:literal, $rests_on:literal, $proof:expr, $without:literal;)+) => {
        /// The things.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Internal {
            $($(#[$doc])* $kind,)+
        }

        impl Internal {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// Its row.
            #[must_use]
            pub const fn row(self) -> InternalRow {
                match self {
                    $(Self::$kind => InternalRow {
                        name: $name,
                        rests_on: $rests_on,
                        proof: $proof,
                        without: $without,
                    },)+
                }
            }
        }
    };
}

use Proof::{KnownJdks, Trial};

internals! {
    /// The tables of fields and types for the serviceability agent.
    Structures: "structures", "`gHotSpotVMStructs` and `gHotSpotVMTypes`, exported by libjvm",
        Trial("the VM exports how their entries are laid out: it is as we read them"),
        "what is found through them is not there: thread-number, thread-state, pending-exception, contended-monitor, flags and collections";
    /// From a thread to its JNIEnv.
    ThreadEnv: "thread-env", "the field `Thread.eetop`, and the JNIEnv's place in what it points to",
        Trial("measured on a thread whose JNIEnv is known, and compared on every further one"),
        "threads older than the agent are known once they call or are told of; thread-number, thread-state, pending-exception and contended-monitor are not there";
    /// The kernel's number of a thread that has not met us.
    ThreadNumber: "thread-number", "fields of `Thread` and `OSThread`",
        Trial("of the calling thread it is what the kernel says"),
        "a thread that has not met us yet counts as running while it waits inside the VM";
    /// What a thread does at this moment.
    ThreadState: "thread-state", "a field of `JavaThread`, and its values by `gHotSpotVMIntConstants`",
        Trial("of the calling thread, which runs code of ours, it is what the VM's table says of native code"),
        "HPROF's cpu=samples reads the clock of each thread at each look";
    /// Whether an exception is pending.
    PendingException: "pending-exception", "a field of `ThreadShadow`",
        Trial("an exception is thrown and dropped: it is there meanwhile, and only then"),
        "JNI is asked, which makes each method event some 15 ns dearer";
    /// How often a contended monitor has been entered.
    ContendedMonitor: "contended-monitor", "fields of `JavaThread` and `ObjectMonitor`",
        KnownJdks,
        "JVMTI is asked before each MONITOR_CONTENDED_EXIT, which stops the program for a moment; of a virtual thread it does not say how often it has entered (JDK 23 and later): such an owner may tell at an inner entry";
    /// The VM's flags.
    Flags: "flags", "the array of `JVMFlag`",
        Trial("exactly one collector's flag is on"),
        "every collector is taken for a concurrent one, which may not be asked for a collection at the VM's end; JDK 11 loses some OBJECT_ALLOC (`-XX:TLABRefillWasteFraction=1` helps); a thread without room for Java code is refused by the VM, not before; the collection with which OBJECT_ALLOC begins leaves G1 a heap of little more than what lives";
    /// How many collections there were.
    Collections: "collections", "a field of `CollectedHeap`",
        Trial("its type is what the table says, and from one pause to the next it neither falls nor leaps"),
        "a collection is known by the death of an object that nobody holds";
    /// How full the heap is after a pause.
    PerformanceMemory: "performance-memory", "the VM's file below `/tmp/hsperfdata_USER`",
        Trial("its owner, size, mark and entries are as the VM makes them"),
        "the sizes of GC_FINISH are taken when it is sent";
    /// How full the heap is now.
    HeapSpace: "heap-space", "`JVM_TotalMemory` and `JVM_FreeMemory`",
        Trial("less is free than there is, and not nothing"),
        "the sizes of GC_FINISH are 0 where there is no performance memory";
    /// A class of the boot loader.
    BootLoader: "boot-loader", "`JVM_FindClassFromBootLoader`",
        Trial("it finds `java.lang.Object`"),
        "JNI's FindClass, which asks the loader of the Java code that runs";
    /// A class by a loader that is asked if need be.
    Resolve: "resolve", "`JVM_FindClassFromCaller`, or `JVM_FindClassFromLoader` (26 and later)",
        Trial("it finds `java.lang.Object`"),
        "a loader of the program's is asked for the class with the hooks when code with hooks first runs, and not before";
    /// Classes linked and not initialised.
    Link: "link", "`JVM_GetClassDeclaredConstructors`",
        Trial("it finds the constructor of `java.lang.Object`"),
        "objects of the VM's archive whose class nobody has linked are told of without that class";
    /// A module that reads all unnamed ones.
    ModuleReads: "module-reads", "`JVM_AddReadsModule`",
        Trial("it refuses a module that is none, by a NullPointerException"),
        "calls that CLASS_LOAD_HOOK's handler has put into a class of a module of the program's fail if they lead to a class in none";
    /// Who has signed a class, and its protection domain.
    Signers: "signers", "`JVM_GetClassSigners` and `JVM_GetProtectionDomain`, or fields of `Class` (25)",
        Trial("`java.lang.Object` has neither"),
        "the OBJECT_DUMP of a class names neither";
    /// Whether a thread owns a monitor.
    HoldsLock: "holds-lock", "`JVM_HoldsLock`",
        Trial("an object is held while it is entered, and not before"),
        "JVMTI is asked before MONITOR_WAIT, which stops the program for a moment";
    /// Loaders that define classes without their lock.
    ParallelLoaders: "parallel-loaders", "the field `ClassLoader.parallelLockMap`",
        Trial("each loader is asked for its own"),
        "classes that were there before the hooks get theirs when their loader defines its next one";
    /// The VM's own loaders in Java.
    BuiltInLoaders: "built-in-loaders", "the names of their classes in `jdk.internal.loader`",
        Trial("the boot loader has defined a class of such a name"),
        "they are treated as loaders of the program's";
    /// The frames of hooks in the program's stack traces.
    HiddenFrames: "hidden-frames", "a bit in `Method` or `ConstMethod`",
        Trial("the methods of two classes, of which the VM hides one's frames, differ in one bit each, and in the same"),
        "stack traces of exceptions show the frames of hooks";
    /// Whether the object of a weak reference is dead.
    WeakSlots: "weak-slots", "the word behind a JNI weak global reference",
        Trial("it is not null of a reference, and null when that was deleted"),
        "each object gets a tag at its birth, which costs more";
    /// Who writes heap dumps for jcmd and its like.
    HeapDumper: "heap-dumper", "`HotSpotDiagnostic.dumpHeap0` in the JDK's `libmanagement_ext.so`",
        Trial("the library exports it under its name by JNI, and the file that it has written begins as a dump does"),
        "HPROF's `traces=n` changes nothing: it writes binary heap dumps itself";
    /// When others give classes new code.
    Redefinition: "redefinition", "all JVMTI environments share one table of functions, which can be written",
        Trial("two environments have the same table, and calls of our own come by what was put there"),
        "frames of methods that another agent has redefined or retransformed keep the lines from before";
    /// Stacks where threads are, and not where they come to a stop.
    SignalStacks: "signal-stacks", "`AsyncGetCallTrace`",
        KnownJdks,
        "stacks are taken at safepoints";
    /// The calling thread's stack at less cost.
    OwnStacks: "own-stacks", "`AsyncGetCallTrace` without a signal, and `JavaThread::_anchor`",
        KnownJdks,
        "GetStackTrace is asked";
    /// The calling thread's stack without the VM.
    OwnFrames: "own-frames", "how frames of the interpreter and of compiled code lie on a stack of x86-64, the code cache, `ConstMethod`, and that a `jmethodID` points to a `Method` (up to JDK 25)",
        Trial("each place in code is learnt from GetStackTrace, whose frames have to fit; the first 64 stacks and one in 256 of each thread are compared with it"),
        "own-stacks is asked, which costs several times as much and does not know stacks on top of which compiled code has called the VM";
    /// The thread that tells of deaths.
    ServiceThread: "service-thread", "the name of the VM's thread *Service Thread*",
        Trial("the process has a thread of this name"),
        "whether it still tells of deaths is known by what it has told";
    /// The VM's end.
    Halt: "halt", "`JVM_Halt`",
        KnownJdks,
        "ProfilerExit calls exit itself, and Java threads run on meanwhile";
    /// Who loads libraries.
    LibraryLoader: "library-loader", "`JVM_LoadLibrary`",
        Trial("it gives the handle of libjvm, which is loaded"),
        "an agent that comes late and wants an executable stack is not loaded";
    /// Which virtual thread a carrier runs.
    Mounts: "mounts", "the extension events `VirtualThreadMount` and `VirtualThreadUnmount`, the extension function `GetVirtualThread` (without it, those that compute when an agent comes late are met at their next event), and the fields `tid` and `name` of `Thread`",
        Trial("the VM lists both events, and the fields are what `threadId()` and JVMTI say"),
        "virtual threads are seen as their carriers";
    /// Who makes virtual threads (22 and later), by heap dumps.
    VirtualThreadMakers: "virtual-thread-makers", "the name of `ThreadBuilders.newVirtualThread`",
        Trial("the class has a method of this name"),
        "the VM's walk would end with SIGSEGV in a virtual thread that is being made, so it looks into none: heap dumps have no fields of virtual threads, nor what only those lead to";
    /// What is behind Thread.sleep.
    Sleep: "sleep", "`JVM_Sleep` or `JVM_SleepNanos`",
        KnownJdks,
        "where the VM has not told of the native method, for one because it was bound before us, no MONITOR_WAIT comes of sleeping threads";
}

impl Internal {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.row().name == name)
    }

    /// Whether it may be used on this JDK if it is there.
    #[must_use]
    pub const fn may_be_tried(self, jdk: i32) -> bool {
        matches!(self.row().proof, Trial(_)) || jdk <= NEWEST_KNOWN_JDK
    }
}

/// Some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InternalSet(u32);

const _: () = assert!(Internal::ALL.len() <= 32);

impl InternalSet {
    /// Adds one.
    pub const fn insert(&mut self, internal: Internal) {
        self.0 |= 1 << internal as u8;
    }

    /// Whether this one is among them.
    #[must_use]
    pub const fn contains(self, internal: Internal) -> bool {
        self.0 & 1 << internal as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_by_its_name_alone() {
        for &internal in Internal::ALL {
            let row = internal.row();
            assert_eq!(Internal::named(row.name), Some(internal));
            assert!(!row.rests_on.is_empty() && !row.without.is_empty());
            let mut set = InternalSet::default();
            set.insert(internal);
            let inside = Internal::ALL.iter().filter(|&&other| set.contains(other));
            assert!(inside.eq([&internal]));
        }
        assert_eq!(Internal::named("nonsense"), None);
    }

    #[test]
    fn a_newer_jdk_has_only_what_is_tried() {
        for &internal in Internal::ALL {
            assert!(internal.may_be_tried(NEWEST_KNOWN_JDK));
            let tried = internal.row().proof != KnownJdks;
            assert_eq!(internal.may_be_tried(NEWEST_KNOWN_JDK + 1), tried);
        }
    }
}
