//! The map from JVMPI to JVMTI: one row per event, one row per function.
//!
//! Everything that has to know what is supported, and how, reads it here: the
//! shim's dispatch, the log, `MATRIX.md` (crate `matrix`) and the tests. A
//! change of state is a change of one word in one row, `mark: Stub` to
//! `mark: Full`, and `MATRIX.md` regenerated.
//!
//! Numbers and names are those of facts A.2 (events) and A.5 (functions). The
//! file is long because it is a table; nothing in it decides anything.

use std::fmt;

use crate::needs::{Needs, VmEvent, needs};

/// What `EnableEvent` and `DisableEvent` answer for an event (facts B.1).
///
/// Agents of the period give up at the first refusal, so an event that this
/// shim cannot produce is still [`Enable::Yes`]; its [`Mark`] tells the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enable {
    /// `JVMPI_SUCCESS`, as often as it is asked.
    Yes,
    /// `JVMPI_NOT_AVAILABLE`: the event comes only as the answer to `RequestEvent`.
    RequestOnly,
    /// `JVMPI_NOT_AVAILABLE` unless a flag allows it; the text says which.
    Flag(&'static str),
}

/// What an event is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This event of the VM says it directly.
    Callback(VmEvent),
    /// JVMTI has no such event; this is how it is made all the same.
    Derived(&'static str),
    /// It is never made, for this reason.
    Never(&'static str),
}

/// How far an event or a function can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// Exact: as the specification says.
    Full,
    /// Works; the row's note says what is inexact.
    Semi,
    /// There, but empty: an event can be enabled but does not come, a function
    /// answers as an honest host without it would. Said once in the log.
    Stub,
    /// It cannot be had on a VM of today; the row says why.
    Never,
}

impl Mark {
    /// All four, best first.
    pub const ALL: [Self; 4] = [Self::Full, Self::Semi, Self::Stub, Self::Never];

    /// The word in `MATRIX.md`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Semi => "semi",
            Self::Stub => "stub",
            Self::Never => "never",
        }
    }

    /// Whether this version does it at all.
    #[must_use]
    pub const fn works(self) -> bool {
        match self {
            Self::Full | Self::Semi => true,
            Self::Stub | Self::Never => false,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a function answers a call that cannot be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// JVMPI_NOT_AVAILABLE.
    NotAvailable,
    /// JVMPI_FAIL.
    Fail,
    /// JNI_ERR.
    JniErr,
    /// JNI_FALSE.
    False,
    /// 0.
    Zero,
    /// NULL.
    Null,
    /// A trace of no frames.
    NoFrames,
    /// A result for each thread.
    Results,
    /// It has no result, and does nothing.
    NoEffect,
    /// It does not return.
    NoReturn,
    /// There is no bad call.
    NoBadCall,
}

impl Answer {
    /// The words in `MATRIX.md`.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotAvailable => "NOT_AVAILABLE",
            Self::Fail => "FAIL (-1)",
            Self::JniErr => "JNI_ERR",
            Self::False => "JNI_FALSE",
            Self::Zero => "0",
            Self::Null => "NULL",
            Self::NoFrames => "num_frames 0",
            Self::Results => "a result that is not 0 for each thread that failed",
            Self::NoEffect => "no effect",
            Self::NoReturn => "does not return",
            Self::NoBadCall => "cannot fail",
        }
    }
}

/// The version of the interface that brought a function (facts A.1, A.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `JVMPI_VERSION_1`, JDK 1.2.
    V1,
    /// `JVMPI_VERSION_1_1`, HotSpot 1.2.2.
    V1_1,
    /// `JVMPI_VERSION_1_2`, HotSpot 1.4.2.
    V1_2,
}

impl Version {
    /// All three, oldest first.
    pub const ALL: [Self; 3] = [Self::V1, Self::V1_1, Self::V1_2];

    /// The number that `GetEnv` is asked for.
    #[must_use]
    pub const fn raw(self) -> i32 {
        match self {
            Self::V1 => 0x1000_0001,
            Self::V1_1 => 0x1000_0002,
            Self::V1_2 => 0x1000_0003,
        }
    }

    /// The version of this number, if it is one of JVMPI's.
    #[must_use]
    pub const fn from_raw(raw: i32) -> Option<Self> {
        match raw {
            0x1000_0001 => Some(Self::V1),
            0x1000_0002 => Some(Self::V1_1),
            0x1000_0003 => Some(Self::V1_2),
            _ => None,
        }
    }

    /// "1", "1.1" or "1.2".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "1",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
        }
    }
}

/// What is known about one event.
#[derive(Clone, Copy, Debug)]
pub struct EventRow {
    /// The event.
    pub kind: EventKind,
    /// Its name without `JVMPI_EVENT_`.
    pub name: &'static str,
    /// What `EnableEvent` and `DisableEvent` answer.
    pub enable: Enable,
    /// Whether JVMPI lets an agent ask for it with `RequestEvent` (facts B.2).
    pub request: bool,
    /// What it is made from.
    pub source: Source,
    /// How exact it is.
    pub mark: Mark,
    /// What it needs of the VM.
    pub needs: Needs,
    /// The file of `shim/src` that sends it.
    pub code: &'static str,
    /// Tests of the `tests` crate that prove it.
    pub tested_by: &'static [&'static str],
    /// What a user has to know; empty when there is nothing.
    pub note: &'static str,
}

impl EventRow {
    /// Whether `RequestEvent` can answer with this event in this version;
    /// otherwise it says `JVMPI_NOT_AVAILABLE`.
    #[must_use]
    pub const fn answers_request(&self) -> bool {
        self.request && self.mark.works()
    }
}

/// What is known about one function of the interface.
#[derive(Clone, Copy, Debug)]
pub struct FunctionRow {
    /// The function.
    pub function: Function,
    /// Its place in `JVMPI_Interface`, 2 to 29 (0 is `version`, 1 `NotifyEvent`).
    pub slot: u8,
    /// Its member name in `JVMPI_Interface`.
    pub name: &'static str,
    /// The version that brought it.
    pub since: Version,
    /// How it is done.
    pub how: &'static str,
    /// What it needs of the VM.
    pub needs: Needs,
    /// What NULL, nonsense or the wrong moment are answered with.
    pub bad_call: Answer,
    /// When, or what else; empty when there is no more to say.
    pub when: &'static str,
    /// How exact it is.
    pub mark: Mark,
    /// Tests of the `tests` crate that prove it.
    pub tested_by: &'static [&'static str],
    /// What a user has to know; empty when there is nothing.
    pub note: &'static str,
}

/// `JVMPI_EVENT_METHOD_ENTRY` to `METHOD_ENTRY`.
const fn without_prefix(alias: &'static str) -> &'static str {
    alias.split_at("JVMPI_EVENT_".len()).1
}

macro_rules! events {
    ($($(#[$doc:meta])+ $kind:ident = $raw:literal, $alias:literal {
        enable: $enable:expr, request: $request:literal, source: $source:expr, mark: $mark:ident,
        $(needs: { $($needs:tt)* },)?
        code: $code:literal,
        tested_by: $tested_by:expr,
        note: $note:literal $(,)?
    })+) => {
        /// An event of JVMPI; the discriminant is its number (facts A.2).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i32)]
        pub enum EventKind { $($(#[$doc])+ #[doc(alias = $alias)] $kind = $raw,)+ }

        impl EventKind {
            /// All 37, by number.
            pub const ALL: [Self; EVENT_COUNT] = [$(Self::$kind),+];

            /// The event of this number; none for unused numbers, IBM's, and any
            /// number with the `JVMPI_REQUESTED_EVENT` bit.
            #[must_use]
            pub const fn from_raw(raw: i32) -> Option<Self> {
                match raw { $($raw => Some(Self::$kind),)+ _ => None }
            }

            /// Its row.
            #[must_use]
            pub const fn row(self) -> &'static EventRow {
                match self { $(Self::$kind => const { &EventRow {
                    kind: Self::$kind, name: without_prefix($alias), enable: $enable,
                    request: $request, source: $source, mark: Mark::$mark, needs: needs! { $($($needs)*)? },
                    code: $code, tested_by: $tested_by, note: $note,
                } },)+ }
            }
        }

        const EVENT_COUNT: usize = [$($raw),+].len();

        /// The rows of all events, by number.
        pub static EVENTS: [&EventRow; EVENT_COUNT] = [$(EventKind::$kind.row()),+];
    };
}

impl EventKind {
    /// The largest number, `JVMPI_MAX_EVENT_TYPE_VAL`.
    pub const MAX_RAW: i32 = 61;

    /// Its number, without the `JVMPI_REQUESTED_EVENT` bit.
    #[must_use]
    pub const fn raw(self) -> i32 {
        self as i32
    }

    /// Its name without `JVMPI_EVENT_`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

use Enable::{Flag, RequestOnly, Yes};
use Source::{Callback, Derived};

events! {
    /// A method was entered; nothing of it has run yet.
    MethodEntry = 1, "JVMPI_EVENT_METHOD_ENTRY" {
        enable: Yes, request: false, source: Derived("hooks put into the bytecode at its first instruction; thunks around natives"), mark: Semi,
        needs: { vm_events: [VirtualThreadEnd from 21, NativeMethodBind], hooks: [Entry], exact: [MethodEntry] },
        code: "events/methods/method_events.rs",
        tested_by: &["method_events::methods_are_counted", "method_events::methods_are_counted_in_every_mode", "method_events::methods_are_counted_by_the_vm", "method_events::counts_are_the_recorded_ones", "method_events::methods_begin_with_the_handler_of_init_done", "attach_command::methods_begin_with_the_handler_of_init_done", "method_events::methods_of_the_program_come_first", "method_events::methods_are_on_top_when_they_are_told_of", "memory::natives_have_events_to_the_last", "method_events::entries_without_end", "method_events::frames_are_of_methods_that_were_entered", "rewriting::classes_of_the_jdk_verify_with_hooks", "rewriting::programs_of_the_period_run_with_hooks", "real_programs::javac_compiles_the_same", "real_programs::fop_renders_the_same", "real_programs::h2_answers_the_same", "method_choice::small_methods_have_no_events", "method_choice::rules_hold_while_methods_lose_their_events"],
        note: "from JVM_INIT_DONE on: what its handler does itself is told of, and what other threads do from when it has called a method, EnableEvent or CreateSystemThread, has run for 0.1 s, or has returned. Native methods too, 8192 of them at a time (those of classes that are gone do not count). The program's class loaders are asked what they are asked without hooks, in the same order, and for nothing inside a handler: each has a hook class of its own (jvmpi.JvmpiHooks; a named module of its own one in each package). One exception: a loader whose first class with hooks extends a class that is not initialised yet, of another loader, may be asked for java.lang.Object, once, after that class. Classes older than the hooks, of a loader that is not parallel-capable, get theirs when the program loads another class by it. What the hooks cannot see: calls that the JIT replaces by an intrinsic or for which the interpreter has an entry of its own (Math.sin and its like, Reference.get, CRC32.update), hidden classes (the proxies of lambdas, LambdaForms; the bodies of lambdas are seen), java.lang.VirtualThread and jdk.internal.vm, methods that would pass 64 KB, empty finalize() methods. A method that its hooks make longer than 8000 bytes is left to the interpreter by HotSpot, unless -XX:-DontCompileHugeMethods is given. log=info lists what was left out; method-events=exact uses JVMTI's own events, which miss such entries and, so that nothing depends on the way, those of hidden classes only and make the VM interpret. What hidden classes do is shown to be done by their caller: no call trace has a frame of theirs either. Enabled in the middle of a run, each loaded class takes some 0.25 ms until EnableEvent returns, two thirds of them the VM's own (JDK 11: the more the more are loaded, 5 ms each of 5000); the classes whose methods are running, and those that have a loader, are done and told of before the rest; one that is not linked yet gets its hooks when it is. With small-methods=skip none of the three comes of a method of at most 35 bytes of code without a call, a loop, a new array, a lock or a handler (of a constructor that calls Object's and sets fields of its own to arguments and numbers), nor of the JDK's natives that the VM answers in some instructions; with method-budget= a method whose events cost more than it takes has none any more from some moment on, natives aside, and constructors that one of a hooked class calls by super() or this(). Call traces show both, and to an agent that keeps a stack of its own what they do is their caller's. One that comes later than it happened (kept beside a bracket, or of a thread that is being attached) shows GetCallTrace at most 64 frames, and with 256 waiting already the method alone. None of what carriers of virtual threads do beneath them: see below",
    }
    /// The same with the receiver.
    MethodEntry2 = 2, "JVMPI_EVENT_METHOD_ENTRY2" {
        enable: Yes, request: false, source: Derived("the same hooks, passing the receiver"), mark: Semi,
        needs: {
            vm_events: [VirtualThreadEnd from 21, NativeMethodBind], hooks: [Entry, Receiver], exact: [MethodEntry],
            capabilities: [TagObjects, AccessLocalVariables],
        },
        code: "events/methods/method_events.rs",
        tested_by: &["method_events::receivers_are_those_of_the_calls", "value_objects::have_no_ids", "method_events::methods_are_counted", "method_events::methods_are_counted_in_every_mode", "method_events::methods_are_counted_by_the_vm"],
        note: "like METHOD_ENTRY. The receiver is NULL for static methods and, since there is no object yet before super(), for constructors (method-events=exact names it, and asks the VM for each receiver, which takes 17 µs, and 500 under 3000 frames); for value objects (JDK 28, see below), too",
    }
    /// A method ends, normally or by an exception; it is still on the stack.
    MethodExit = 3, "JVMPI_EVENT_METHOD_EXIT" {
        enable: Yes, request: false, source: Derived("hooks put into the bytecode at each return and in a handler for everything thrown"), mark: Semi,
        needs: { vm_events: [VirtualThreadEnd from 21, NativeMethodBind], hooks: [Entry, Exit], exact: [MethodEntry, MethodExit] },
        code: "events/methods/method_events.rs",
        tested_by: &["method_events::methods_are_counted", "method_events::methods_are_counted_in_every_mode", "method_events::methods_are_counted_by_the_vm", "method_events::counts_are_the_recorded_ones", "method_events::methods_are_on_top_when_they_are_told_of", "method_events::methods_are_on_top_when_they_end", "method_choice::methods_that_cost_more_than_they_measure_lose_their_events"],
        note: "like METHOD_ENTRY, and strictly nested. An exception out of a constructor's super(), or a StackOverflowError in the hook itself, can be seen by no code of the method: its METHOD_EXIT comes before the thread's next method event, when it has left the stack already, and GetCallTrace shows it above what has called it. Enabled where hooks were for METHOD_ENTRY alone, it begins when all classes have those for it. With include= or exclude=, where the superclass has no hooks, and with method-budget=, where its constructors have lost theirs before the class came, each method that such a constructor calls costs a look at the stack. A method that loses its events by method-budget= while it runs has its METHOD_EXIT when it ends",
    }
    /// An object was allocated; its constructor has not run.
    ObjectAlloc = 4, "JVMPI_EVENT_OBJECT_ALLOC" {
        enable: Yes, request: true, source: Callback(VmEvent::SampledObjectAlloc), mark: Full,
        needs: {
            vm_events: [VirtualThreadEnd from 21, SampledObjectAlloc, VMObjectAlloc from 21],
            capabilities: [TagObjects], worker: true,
            calls: &["IterateThroughHeap", "ForceGarbageCollection"],
        },
        code: "delivery/announce/object_alloc.rs",
        tested_by: &["objects::every_path_of_allocation_is_counted", "objects::objects_by_request", "objects::gaps_are_no_objects", "objects::a_part_of_a_run", "sampling::estimates_are_near_the_truth", "sampling::the_rules_hold_for_what_is_picked", "sampling::what_is_named_is_not_picked", "unlinked::it_is_told_of_when_it_is_linked", "unlinked::nobody_waits_for_a_loader"],
        note: "one for every allocation that the VM really makes: what the JIT removes is none. Objects that are older than the agent are replayed before JVM_INIT_DONE; those made while the event was off stay unknown until something names them. Class objects have none of their own (CLASS_LOAD defines them). An array of a class that is loaded and not linked comes at once, with class_id NULL; asked for when the class is linked, it has one. One JVMTI agent at a time can hold the VM's capability, and one that samples at the VM's default interval must set it itself. JDK 11: what an agent's own handlers allocate through JNI while OBJECT_ALLOC is being sent is not seen; with G1, in one of hundreds of runs, 0.1 % of the objects were not (the cause is not known). With `alloc-interval=` it is semi: only of objects that the VM's sampling picks, with a chance that goes by their size (docs/extension.md), and of what something names; nothing is replayed, and a thread that ran before is heard of when its TLAB is full, or from the next collection on. Up to JDK 24 small objects right behind ones that do not fit into their thread's TLAB (64 KB and more) are picked too often and those of some KB beside them too seldom (4 KB beside 64 KB: 13 to 22 %), and JDK 11 picks those of about the interval's size up to 20 % too often",
    }
    /// An object died.
    ObjectFree = 5, "JVMPI_EVENT_OBJECT_FREE" {
        enable: Yes, request: false, source: Derived("ObjectFree, queued and delivered in the next bracket"), mark: Full,
        needs: { capabilities: [TagObjects], worker: true },
        code: "events/gc/deaths.rs",
        tested_by: &["objects::storm", "objects::live_set_is_that_of_a_histogram", "sampling::copies_die_too", "virtual_threads::who_is_parked_for_ever_stays"],
        note: "once for each object that the agent was told of, in the bracket after the VM has reported the death: up to JDK 15 that is the collection itself, later some milliseconds after it (a bracket waits up to 500 ms for it). At JVM_SHUT_DOWN what the VM has reported by then; no collection is forced for that, and from JDK 16 on the deaths of one that the VM makes while it ends are not told. None comes of a virtual thread that is parked and that nobody can reach: see below",
    }
    /// An object got another id or arena.
    ObjectMove = 6, "JVMPI_EVENT_OBJECT_MOVE" {
        enable: Yes, request: false, source: Derived("the arena model; ids are tokens, so nothing moves by itself"), mark: Semi,
        needs: { worker: true },
        code: "events/gc/deaths.rs",
        tested_by: &["objects::arenas", "objects::arenas_with_new_ids"],
        note: "with arenas=hotspot, the default, none is ever sent, as HotSpot itself did with one arena. With another model births and deaths are the VM's, the movement is the model's: how a collector of that kind would have moved the objects of this run",
    }
    /// A method was compiled.
    CompiledMethodLoad = 7, "JVMPI_EVENT_COMPILED_METHOD_LOAD" {
        enable: Yes, request: false, source: Callback(VmEvent::CompiledMethodLoad), mark: Full,
        needs: {
            vm_events: [CompiledMethodLoad, CompiledMethodUnload],
            capabilities: [GetLineNumbers], worker: true, calls: &["GenerateEvents"],
        },
        code: "events/compiled_code/compiled.rs",
        tested_by: &["method_events::compiled_code_has_lines", "method_events::compiled_code_of_unloaded_classes"],
        note: "one for each compilation (C1, C2, on-stack replacement), sent on the thread `JVMPI GC` a moment later, in the VM's order. The VM knows lines only at debug points of the compiled code; its wrappers of native methods have none. Code that is older than the agent is replayed before JVM_INIT_DONE",
    }
    /// Compiled code of a method was dropped.
    CompiledMethodUnload = 8, "JVMPI_EVENT_COMPILED_METHOD_UNLOAD" {
        enable: Yes, request: false, source: Callback(VmEvent::CompiledMethodUnload), mark: Full,
        // An end is told only of what the agent has heard of.
        needs: { vm_events: [CompiledMethodUnload], worker: true },
        code: "events/compiled_code/compiled.rs",
        tested_by: &["method_events::compiled_code_of_unloaded_classes"],
        note: "comes before the CLASS_UNLOAD of its class. The code address stands where COMPILED_METHOD_LOAD has it: one agent of the period reads it there",
    }
    /// A bytecode is about to run.
    InstructionStart = 9, "JVMPI_EVENT_INSTRUCTION_START" {
        enable: Flag("wants the option instructions=on"), request: false, source: Derived("hooks put before each bytecode"), mark: Semi,
        needs: { vm_events: [VirtualThreadEnd from 21], hooks: [Instructions] },
        code: "events/methods/instruction_events.rs",
        tested_by: &["method_events::instructions_and_branches", "method_events::methods_begin_with_the_handler_of_init_done", "virtual_threads::their_instructions_are_their_own"],
        note: "HotSpot wanted a flag for it, too. It begins when METHOD_ENTRY does. Bytecode indexes are those of the class file, or of what an agent made of it in CLASS_LOAD_HOOK; compiled code tells as much as interpreted. Of what is left out see METHOD_ENTRY, and natives have none; nor have instructions behind the beginning of a handler that covers them, as those do that leave the monitor of a synchronized block: a hook that finds no room on the stack there would be tried for ever. Methods that would pass 64 KB are more here: up to 2 in 100 classes of a JDK",
    }
    /// A thread starts.
    ThreadStart = 33, "JVMPI_EVENT_THREAD_START" {
        enable: Yes, request: true, source: Callback(VmEvent::ThreadStart), mark: Full,
        needs: { vm_events: [VirtualThreadStart from 21, VirtualThreadEnd from 21, ThreadStart], calls: &["GetAllThreads", "GetThreadInfo", "GetThreadGroupInfo"] },
        code: "delivery/announce/thread_start.rs",
        tested_by: &["events::threads_start_and_end_in_pairs", "events::a_thread_that_is_attached_begins_with_its_start", "events::replay_comes_before_init_done", "virtual_threads::every_rule_holds"],
        note: "the VM's own included; threads that run before JVM_INIT_DONE are replayed. Virtual ones too, each with a JNIEnv of its own (`virtual-threads=threads`, see below); one that is older than the first event that belongs to a thread gets it with its first event, or when a carrier takes it up again",
    }
    /// A thread ends; its last event.
    ThreadEnd = 34, "JVMPI_EVENT_THREAD_END" {
        enable: Yes, request: false, source: Callback(VmEvent::ThreadEnd), mark: Full,
        needs: { vm_events: [VirtualThreadEnd from 21, ThreadEnd] },
        code: "events/vm_life/thread_lifetime.rs",
        tested_by: &["events::threads_start_and_end_in_pairs", "virtual_threads::every_rule_holds"],
        note: "threads that still run at JVM_SHUT_DOWN get none, nor do parked virtual threads that are collected",
    }
    /// The bytes of a class file before the VM reads them.
    ClassLoadHook = 35, "JVMPI_EVENT_CLASS_LOAD_HOOK" {
        enable: Yes, request: false, source: Callback(VmEvent::ClassFileLoadHook), mark: Semi,
        needs: {
            vm_events: [ClassFileLoadHook],
            capabilities: [RetransformClasses, RetransformAnyClass],
            calls: &["RetransformClasses", "Allocate"],
        },
        code: "hooks/class_hook.rs",
        tested_by: &["events::class_load_hook_replaces_classes", "events::class_load_hook_replaces_older_classes", "events::class_load_hook_leaves_classes_alone", "class_hook::calls_put_into_every_class_link", "class_hook::modules_read_the_agents_class", "class_hook::xrun_prepends_to_the_boot_class_path"],
        note: "the module of a replaced class reads all unnamed modules from then on (Module.canRead does not tell), so calls of classes of the agent's link where the class's loader finds them: for all loaders by -Xbootclasspath/a, or /p, which xrun translates; hidden classes (lambdas) get no class-file hook; of a class that is loaded while a native thread is being attached it comes before that thread's THREAD_START, as nothing else does; classes loaded before the agent could ask come through RetransformClasses before JVM_INIT_DONE, or, those that are not linked by then, when they are linked; there a replacement that adds or removes members is refused by the VM; sent again when another agent retransforms or redefines a class. A rewriter of JVMPI's time knows no StackMapTable: a class of version 51 (Java 7) or more whose code it changes without that is refused by the verifier (VerifyError); compile the program for version 50 or less (javac --release 6, which JDKs up to 11 have), or run it with -XX:-BytecodeVerificationRemote",
    }
    /// All objects and, by level, what they hold.
    HeapDump = 37, "JVMPI_EVENT_HEAP_DUMP" {
        enable: RequestOnly, request: true, source: Derived("one walk along all references"), mark: Semi,
        needs: {
            // Of virtual threads the older VM tells only while they stand still.
            capabilities: [TagObjects, GetOwnedMonitorInfo, Suspend from 21], worker: true,
            calls: &["FollowReferences", "IterateThroughHeap", "GetStackTrace", "GetOwnedMonitorInfo"],
        },
        code: "events/dumps/shown.rs",
        tested_by: &["dumps::says_what_the_vm_says", "dumps::says_what_the_vm_says_of_records", "dumps::classes_say_what_their_files_say", "dumps::says_what_the_vm_says_of_real_programs", "dumps::levels_agree", "dumps::roots_are_where_they_are_said_to_be", "dumps::roots_hold_what_they_are_said_to", "dumps::roots_hold_what_virtual_threads_have_entered", "dumps::in_any_handler", "dumps::while_classes_come_and_go", "dumps::hooks_are_defined_beside_dumps", "dumps::second_class_objects_of_classes_with_hooks", "dumps::while_threads_come_and_go", "dumps::what_a_class_gets_behind_the_walk_is_not_named", "dumps::no_memory", "unlinked::dumps_name_what_the_agent_knows", "unlinked::dumps_of_a_real_program_do_too", "virtual_threads::no_dump_while_one_is_made", "virtual_threads::dumps_while_they_are_made_all_the_time"],
        note: "what is reachable at one instant; roots, classes, objects, in this order. What a thread without THREAD_START holds has UNKNOWN roots; no THREAD_END comes while the agent reads, for a second at least. A root by JNI_GLOBAL has the reference of its JNI_GLOBALREF_ALLOC, one that the agent was not told of is UNKNOWN; the frame of a root is an index into its thread's trace, and a trace of a thread that was running has only the frames with roots. MONITOR_USED is what a thread has entered both before and after the walk (JDK 21 suspends virtual threads for a moment for that); there is none in a VM that was running before it met us. No records: primitive classes, classes without members yet, the second Class objects that classes of the archive, or with hooks, leave in the VM, objects that only a call site's constants or the VM's archive of classes (CDS) hold; nor have they roots. A virtual thread that was made since the dump was asked for has a record without what it holds (from JDK 22 on). The elements' class of an array is NULL while it is not linked. An agent that has listened to CLASS_LOAD and has it off when it asks is shown no class that it was not told of: such a class and its instances have no records, references to them are NULL, and so are such classes of elements and interfaces; frames of their methods are left out of traces, and after THREAD_START has been off threads that it was not told of. One that never enabled CLASS_LOAD is shown all classes and may ask for each (RequestEvent). instance_size of a class without instances is put together from its fields. How many objects there are depends on the collector: the VM's archive of classes (CDS) holds objects of the JDK's, some 13,000 on JDK 17 and 16,000 on 25, and a VM that maps or loads it has them in its heap from the start (G1 on all, Serial and Parallel on 25, not on 17); its own histogram counts the same, and with -Xshare:off all collectors have the same. It comes when the handlers have returned that other threads were in, unless one waits for something other than a processor for a tenth of a second: then an object may be in it whose OBJECT_ALLOC is still being handled. No bracket until the handler returns. From JDK 22 on FAIL while a thread stays in the constructor of a virtual one, for the VM's walk ends with SIGSEGV there (seen on 25, 26 and 27, not on 21; 22 to 24 were not tried; where one that runs on gets there at that very moment, it still does). Of value objects (JDK 28) see below",
    }
    /// A JNI global reference was made.
    JniGlobalrefAlloc = 38, "JVMPI_EVENT_JNI_GLOBALREF_ALLOC" {
        enable: Yes, request: false, source: Derived("a wrapper around JNI's NewGlobalRef"), mark: Full,
        needs: { capabilities: [TagObjects], wrapper: JniTable },
        code: "events/references/global_refs.rs",
        tested_by: &["objects::references_by_jni"],
        note: "references that go through JNI, from all threads; the VM's own handles do not and are not seen. One to a class that is not linked yet is told of when it is, after its CLASS_LOAD; if it is freed before, of neither. So it is if another thread frees one whose ALLOC has to wait for the end of a bracket. One that somebody else's JVMTI callback makes behind its thread's THREAD_END, as a debugger's may, is not told of",
    }
    /// A JNI global reference was deleted.
    JniGlobalrefFree = 39, "JVMPI_EVENT_JNI_GLOBALREF_FREE" {
        enable: Yes, request: false, source: Derived("a wrapper around JNI's DeleteGlobalRef"), mark: Full,
        needs: { wrapper: JniTable },
        code: "events/references/global_refs.rs",
        tested_by: &["objects::references_by_jni"],
        note: "of references whose JNI_GLOBALREF_ALLOC was sent; before the VM deletes them. One that is deleted behind its thread's THREAD_END, while that is attached, or beside a bracket, may have it a little later and on another thread, but before the ALLOC of the next one of the same number (unless the agent's handler keeps it for a second)",
    }
    /// A JNI weak global reference was made.
    JniWeakGlobalrefAlloc = 40, "JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC" {
        enable: Yes, request: false, source: Derived("a wrapper around JNI's NewWeakGlobalRef"), mark: Full,
        needs: { capabilities: [TagObjects], wrapper: JniTable },
        code: "events/references/global_refs.rs",
        tested_by: &["objects::references_by_jni"],
        note: "references that go through JNI, from all threads; the VM's own handles do not and are not seen. One to a class that is not linked yet is told of when it is, after its CLASS_LOAD; if it is freed before, of neither. So it is if another thread frees one whose ALLOC has to wait for the end of a bracket. One that somebody else's JVMTI callback makes behind its thread's THREAD_END, as a debugger's may, is not told of",
    }
    /// A JNI weak global reference was deleted.
    JniWeakGlobalrefFree = 41, "JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE" {
        enable: Yes, request: false, source: Derived("a wrapper around JNI's DeleteWeakGlobalRef"), mark: Full,
        needs: { wrapper: JniTable },
        code: "events/references/global_refs.rs",
        tested_by: &["objects::references_by_jni"],
        note: "of references whose JNI_WEAK_GLOBALREF_ALLOC was sent; before the VM deletes them. One that is deleted behind its thread's THREAD_END, while that is attached, or beside a bracket, may have it a little later and on another thread, but before the ALLOC of the next one of the same number (unless the agent's handler keeps it for a second)",
    }
    /// A class was loaded: its name, methods and fields.
    ClassLoad = 42, "JVMPI_EVENT_CLASS_LOAD" {
        enable: Yes, request: true, source: Callback(VmEvent::ClassPrepare), mark: Semi,
        needs: {
            vm_events: [ClassPrepare],
            capabilities: [GetSourceFileName, GetLineNumbers, MaintainOriginalMethodOrder],
            calls: &["GetLoadedClasses", "GetClassSignature", "GetClassMethods", "GetClassFields"],
        },
        code: "delivery/announce/class_load.rs",
        tested_by: &["unlinked::it_is_told_of_when_it_is_linked", "unlinked::the_loader_is_asked_what_it_is_asked_without_us", "unlinked::coming_late_links_nothing", "events::class_load_once_per_class", "events::class_load_of_all_that_the_vm_logs", "golden::traces_agree_with_the_recorded_ones"],
        note: "once per class and before anything that names it as a class, when it is prepared. No event links a class of the program: one that is loaded but not linked gets none before it is, RequestEvent says FAIL, and its Class object is an object of java.lang.Class like any other, which events may name. Classes of the start are replayed, array classes there or at first mention, at the latest just before JVM_SHUT_DOWN; members are in class-file order (after a start by -Xrunjvmpi, under an agent's name, or into a running VM: methods in the order the VM keeps them); classes prepared while the event was off are not sent later, only on request, nor are, after DisableEvent and EnableEvent in a handler before JVM_INIT_DONE, those that the replay had not come to; a primitive class is not replayed and has one without members before an event that names its Class object; hidden classes have the name that Class.getName gives (JDK 11: another number behind its slash)",
    }
    /// A class died.
    ClassUnload = 43, "JVMPI_EVENT_CLASS_UNLOAD" {
        enable: Yes, request: false, source: Derived("ObjectFree of the tagged Class object"), mark: Full,
        needs: { capabilities: [TagObjects], worker: true },
        code: "events/gc/deaths.rs",
        tested_by: &["objects::classes_are_unloaded", "objects::arenas_and_unloading", "functions::hidden_classes_are_not_unloaded"],
        note: "for each class the agent was told of, just before the bracket that tells of its object's death, outside of it as the specification wants; afterwards its id and its methods' ids are dead. JDK 11 with ZGC unloads no classes",
    }
    /// The user wants a dump (kill -QUIT, Ctrl-\\).
    DataDumpRequest = 44, "JVMPI_EVENT_DATA_DUMP_REQUEST" {
        enable: Yes, request: false, source: Callback(VmEvent::DataDumpRequest), mark: Full,
        needs: { vm_events: [DataDumpRequest] },
        code: "events/vm_life/lifecycle.rs",
        tested_by: &["events::user_signal_requests_dump_then_reset"],
        note: "on the VM's Signal Dispatcher thread; the VM prints its thread dump as well",
    }
    /// The user wants counting to start again.
    DataResetRequest = 45, "JVMPI_EVENT_DATA_RESET_REQUEST" {
        enable: Yes, request: false, source: Derived("sent right after DATA_DUMP_REQUEST, on the same thread"), mark: Full,
        needs: { vm_events: [DataDumpRequest] },
        code: "events/vm_life/lifecycle.rs",
        tested_by: &["events::user_signal_requests_dump_then_reset"],
        note: "the same signal asks for both, the dump first",
    }
    /// The VM is ready; JNI and threads may be used.
    JvmInitDone = 46, "JVMPI_EVENT_JVM_INIT_DONE" {
        enable: Yes, request: false, source: Callback(VmEvent::VMInit), mark: Full,
        needs: { vm_events: [VMStart, VMInit] },
        code: "events/vm_life/lifecycle.rs",
        tested_by: &["events::replay_comes_before_init_done", "events::init_done_comes_before_main"],
        note: "once, after the replay of what the agent missed",
    }
    /// The VM ends; the last event.
    JvmShutDown = 47, "JVMPI_EVENT_JVM_SHUT_DOWN" {
        enable: Yes, request: false, source: Callback(VmEvent::VMDeath), mark: Full,
        needs: { vm_events: [VMDeath] },
        code: "events/vm_life/lifecycle.rs",
        tested_by: &["events::shut_down_is_last_whatever_ends_the_vm", "events::shut_down_is_that_of_destroy_java_vm", "events::shut_down_of_a_vm_that_was_running"],
        note: "not after ProfilerExit or a kill; from the thread that ends the VM, which gets no THREAD_END (unless it is one of the program's own that waited in DestroyJavaVM when we were loaded); events of threads that still run are dropped from here on, but for what the agent requests on them once the handler has begun and before it returns, and what defines what such an event names",
    }
    /// An arena appears.
    ArenaNew = 48, "JVMPI_EVENT_ARENA_NEW" {
        enable: Yes, request: false, source: Derived("the arena model"), mark: Semi,
        needs: { worker: true },
        code: "events/gc/deaths.rs",
        tested_by: &["objects::arenas"],
        note: "with arenas=hotspot, the default, none is ever sent: everything lives in arena 1. With another model it is the model's: generational has three generations, of which the patent describes only how the youngest is collected",
    }
    /// An arena disappears with all that is left in it.
    ArenaDelete = 49, "JVMPI_EVENT_ARENA_DELETE" {
        enable: Yes, request: false, source: Derived("the arena model"), mark: Semi,
        needs: { worker: true },
        code: "events/gc/deaths.rs",
        tested_by: &["objects::arenas"],
        note: "with arenas=hotspot, the default, none is ever sent: everything lives in arena 1. With another model it is the model's: generational has three generations, of which the patent describes only how the youngest is collected",
    }
    /// The fields or elements of one object.
    ObjectDump = 50, "JVMPI_EVENT_OBJECT_DUMP" {
        enable: RequestOnly, request: true, source: Derived("reading the fields of one object"), mark: Semi,
        needs: { capabilities: [TagObjects], calls: &["GetObjectsWithTags", "GetClassFields"] },
        code: "events/dumps/shown.rs",
        tested_by: &["dumps::levels_agree", "dumps::while_classes_come_and_go", "dumps::an_object_that_dies_while_it_is_read_about", "dumps::requests_at_the_stacks_end", "dumps::what_a_class_gets_behind_the_walk_is_not_named"],
        note: "in a handler of HEAP_DUMP of level 2 the record of that dump, also of an object that has died; else read by JNI, a class without its constant pool. A class that is not linked, or that HEAP_DUMP would not name, gets FAIL. Finding a plain object takes time linear in the number of ids. Beyond 2 GB, which data_len cannot count, JVMPI_FAIL. Outside of a handler of HEAP_DUMP the instance_size of a class is put together from header and fields: fields that the VM adds (of Thread, ClassLoader, Module), @Contended, and an alignment other than 8 are not in it",
    }
    /// A thread is about to wait for a raw monitor.
    RawMonitorContendedEnter = 51, "JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER" {
        enable: Yes, request: false, source: Derived("raw monitors are our own and know who waits"), mark: Full,
        code: "events/monitors/raw_monitors.rs",
        tested_by: &["functions::raw_monitors", "monitors::raw_monitors::storm"],
        note: "raw monitors of JVMPI; none for names that begin with `_`. Contention that begins inside a bracket is not told: no other event may come there, and a VM of the period stopped its threads",
    }
    /// A thread got the raw monitor it waited for.
    RawMonitorContendedEntered = 52, "JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED" {
        enable: Yes, request: false, source: Derived("raw monitors are our own and know who waits"), mark: Full,
        code: "events/monitors/raw_monitors.rs",
        tested_by: &["functions::raw_monitors", "monitors::raw_monitors::storm"],
        note: "raw monitors of JVMPI; none for names that begin with `_`. Inside a bracket (see ENTER): after it",
    }
    /// A thread left a raw monitor that another waits for.
    RawMonitorContendedExit = 53, "JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT" {
        enable: Yes, request: false, source: Derived("raw monitors are our own and know who waits"), mark: Semi,
        code: "events/monitors/raw_monitors.rs",
        tested_by: &["functions::raw_monitors", "monitors::raw_monitors::storm"],
        note: "raw monitors of JVMPI; none for names that begin with `_`. An owner that leaves it by RawMonitorWait says so before. Inside a bracket (see ENTER): not told",
    }
    /// A thread is about to wait for an object's monitor.
    MonitorContendedEnter = 54, "JVMPI_EVENT_MONITOR_CONTENDED_ENTER" {
        enable: Yes, request: false, source: Callback(VmEvent::MonitorContendedEnter), mark: Full,
        needs: { vm_events: [VirtualThreadEnd from 21, MonitorContendedEnter, MonitorContendedEntered], capabilities: [TagObjects] },
        code: "events/monitors/monitor_events.rs",
        tested_by: &["monitors::the_recorded_program", "monitors::the_other_recorded_program", "monitors::virtual_threads_have_monitor_events_of_their_own", "monitors::lock_times::an_agent_agrees_with_jfr"],
        note: "not of what carriers do beneath their virtual threads",
    }
    /// A thread got the object's monitor it waited for.
    MonitorContendedEntered = 55, "JVMPI_EVENT_MONITOR_CONTENDED_ENTERED" {
        enable: Yes, request: false, source: Callback(VmEvent::MonitorContendedEntered), mark: Full,
        needs: { vm_events: [VirtualThreadEnd from 21, MonitorContendedEnter, MonitorContendedEntered], capabilities: [TagObjects] },
        code: "events/monitors/monitor_events.rs",
        tested_by: &["monitors::the_recorded_program", "monitors::lock_times::an_agent_agrees_with_jfr"],
        note: "not of what carriers do beneath their virtual threads. Not of a contention that began before one of the two was enabled",
    }
    /// A thread left an object's monitor that another waits for.
    MonitorContendedExit = 56, "JVMPI_EVENT_MONITOR_CONTENDED_EXIT" {
        enable: Yes, request: false, source: Derived("hooks put at monitorexit, before handlers that leave a monitor and at the end of synchronized methods, active only while somebody waits"), mark: Semi,
        needs: {
            // Whoever waits leaves the monitor.
            vm_events: [VirtualThreadEnd from 21, MonitorContendedEnter, MonitorContendedEntered, MonitorWait, NativeMethodBind],
            hooks: [Monitors], wrapper: JniTable,
        },
        code: "events/monitors/contended_exit.rs",
        tested_by: &["monitors::the_recorded_program", "monitors::hand_overs::ping_pong", "monitors::hand_overs::with_entries_within_entries", "monitors::hand_overs::with_entries_that_the_vm_is_asked_for", "monitors::hand_overs::with_entries_of_virtual_threads", "monitors::hand_overs::by_an_exception", "monitors::hand_overs::by_native_and_by_old_code", "monitors::hand_overs::by_detaching", "monitors::check_is_silent"],
        note: "JVMTI tells of the waiter only; the owner says it itself, before it leaves: by monitorexit, at the end of a synchronized method (a native one, too), where an exception takes it out of either, in Object.wait, in JNI's MonitorExit, and at DetachCurrentThread of a native thread that has not left what it has entered by JNI. Once for each hand-over: one that comes back before the waiter got in does not repeat it. Missing: an owner that was already leaving when the waiter came; hidden classes and classes that may not be retransformed; blocks whose handler is not as javac and ecj write it, and methods that overwrite their `this`. Of a virtual thread that has entered several times it may come when an inner entry is left, from JDK 23 on, where contended-monitor is not used. From JDK 24 on an owner that Object.wait refuses because it has been interrupted says so there, and leaves later. If the waiter's handler of ENTER takes longer than 50 ms, EXIT comes while it runs; while a bracket is open, after that",
    }
    /// A thread is about to wait on an object, or to sleep (no object).
    MonitorWait = 57, "JVMPI_EVENT_MONITOR_WAIT" {
        enable: Yes, request: false, source: Callback(VmEvent::MonitorWait), mark: Full,
        needs: {
            vm_events: [VirtualThreadEnd from 21, MonitorWait, MonitorWaited, NativeMethodBind], hooks: [Sleeps], capabilities: [TagObjects],
            wrapper: ThreadSleep,
        },
        code: "events/monitors/monitor_events.rs",
        tested_by: &["monitors::the_recorded_program", "monitors::waits::what_ends_a_wait", "monitors::virtual_threads_have_monitor_events_of_their_own"],
        note: "without an object: Thread.sleep, by a wrapper around the native method behind it, of virtual threads, which sleep in Java, by hooks in Thread alone (JDK 21 and later); parts of a millisecond count as one, sleep(0) is none",
    }
    /// A thread is done waiting or sleeping.
    MonitorWaited = 58, "JVMPI_EVENT_MONITOR_WAITED" {
        enable: Yes, request: false, source: Callback(VmEvent::MonitorWaited), mark: Full,
        needs: {
            vm_events: [VirtualThreadEnd from 21, MonitorWait, MonitorWaited, NativeMethodBind], hooks: [Sleeps], capabilities: [TagObjects],
            wrapper: ThreadSleep,
        },
        code: "events/monitors/monitor_events.rs",
        tested_by: &["monitors::the_recorded_program", "monitors::waits::what_ends_a_wait"],
        note: "JVMTI does not give the time waited; it is measured. Not of a wait that began before one of the two was enabled",
    }
    /// All monitors, with owners and waiters, and all threads' stacks.
    MonitorDump = 59, "JVMPI_EVENT_MONITOR_DUMP" {
        enable: RequestOnly, request: true, source: Derived("the monitors that threads own, wait for and wait on, and our own raw monitors"), mark: Full,
        needs: {
            capabilities: [
                GetOwnedMonitorInfo, GetCurrentContendedMonitor, GetMonitorInfo, GetBytecodes,
                // The VM no longer names the object of Object.wait otherwise.
                AccessLocalVariables from 24, Suspend
            ],
            calls: &["GetThreadListStackTraces"],
        },
        code: "events/monitors/monitor_dump.rs",
        tested_by: &["monitors::a_dump_says_what_the_vm_prints", "monitors::virtual_dumps::a_dump_of_virtual_threads", "monitors::a_dump_after_a_late_start", "monitors::dumps_in_a_storm", "monitors::the_judge_reads_dumps"],
        note: "threads are suspended while it is looked at, so that all is of one moment; where another agent holds can_suspend, of moments near each other. Not the agent's own threads, whose raw monitors are of one moment all the same. Left out are virtual threads that the agent has not met, and threads whose THREAD_START has not come yet, and frames as in HEAP_DUMP. Whether a thread waits inside the VM the kernel is asked just after. Stacks up to 1024 frames. JDK 11 looks at each thread in a safepoint of its own (0.6 ms each among 1000 threads). An entry by JNI's MonitorEnter, of a native method that has returned, into a monitor that its thread has entered in Java too may be missing in the count. JDK 25 and later do not count what a virtual thread has entered: of one that owns several monitors, one more than once, or that waits for or on another, each counts once. JDK 21 gives out what a virtual thread owns as references of its carrier's, so it is told of virtual threads only while they are suspended. Started by jcmd or by -Xrun alone the VM does not say what a thread owns: monitors are then found by the local variables of methods that lock something, and those that only JNI's MonitorEnter, a synchronized native method or a compiled synchronized method that is done with its `this` holds are missing, and from JDK 23 on those that virtual threads own",
    }
    /// A bracket opens: the VM's collection as the agent sees it.
    GcStart = 60, "JVMPI_EVENT_GC_START" {
        enable: Yes, request: false, source: Derived("a worker thread, after a real collection"), mark: Semi,
        needs: { worker: true },
        code: "events/gc/bracket_ends.rs",
        tested_by: &["objects::storm", "objects::nothing_hangs", "handlers::no_bracket_beside_the_agents_own_code", "handlers::locks_in_two_orders"],
        note: "after the collection, not around it: real callbacks allow no calls. One for each collection, on one thread, later ones of a burst may be empty. Serial, Parallel, G1: each pause that the VM counts as a collection, and the end of a concurrent cycle of G1 if something died in it; ZGC: each cycle, minor ones too, whatever its pauses; Shenandoah: each cycle, when it has found an object dead that was planted for that. It waits for EnableGC and for handlers in flight: a minute for one that is in the agent's own code, beside which it then comes, with a line in the log; not for one that waits for the sender itself (for a raw monitor that a caller of RunGC has entered, say)",
    }
    /// The bracket closes, with the heap's numbers.
    GcFinish = 61, "JVMPI_EVENT_GC_FINISH" {
        enable: Yes, request: false, source: Derived("the same worker thread, when frees and moves are delivered"), mark: Semi,
        needs: { worker: true, calls: &["IterateThroughHeap"] },
        code: "events/gc/bracket_ends.rs",
        tested_by: &["objects::storm", "objects::nothing_hangs", "objects::the_ends_of_brackets_switch_events"],
        note: "used_object_space and total_object_space: the VM's performance counters at the end of the last pause (capacity counts both survivor spaces; Shenandoah's are up to one sampling tick old); without them (-XX:-UsePerfData) the VM's totals of now. used_objects: objects with an id when OBJECT_ALLOC has been on from the start, otherwise an estimate from a walk over the heap, repeated at most for a thirtieth of the time and scaled by the space used; which of the two is decided before GC_START",
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])+ $function:ident = $slot:literal, $name:literal, since $since:ident {
        how: $how:literal,
        $(needs: { $($needs:tt)* },)?
        bad_call: $answer:ident $($when:literal)?,
        mark: $mark:ident,
        tested_by: $tested_by:expr,
        note: $note:literal $(,)?
    })+) => {
        /// A function of `JVMPI_Interface` that the VM provides; the discriminant
        /// is its slot (facts A.5).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Function { $($(#[$doc])+ $function = $slot,)+ }

        impl Function {
            /// All 28, by slot.
            pub const ALL: [Self; FUNCTION_COUNT] = [$(Self::$function),+];

            /// The function in this slot; none for 0 (`version`), 1 (`NotifyEvent`)
            /// and whatever lies behind the table.
            #[must_use]
            pub const fn from_slot(slot: u8) -> Option<Self> {
                match slot { $($slot => Some(Self::$function),)+ _ => None }
            }

            /// Its row.
            #[must_use]
            pub const fn row(self) -> &'static FunctionRow {
                match self { $(Self::$function => const { &FunctionRow {
                    function: Self::$function, slot: $slot, name: $name, since: Version::$since,
                    how: $how, needs: needs! { $($($needs)*)? }, bad_call: Answer::$answer, when: concat!($($when)?), mark: Mark::$mark,
                    tested_by: $tested_by, note: $note,
                } },)+ }
            }
        }

        const FUNCTION_COUNT: usize = [$($slot),+].len();

        /// The rows of all functions, by slot.
        pub static FUNCTIONS: [&FunctionRow; FUNCTION_COUNT] = [$(Function::$function.row()),+];
    };
}

impl Function {
    /// Its place in the table.
    #[must_use]
    pub const fn slot(self) -> u8 {
        self as u8
    }

    /// Its member name in `JVMPI_Interface`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

functions! {
    /// Switches an event on (facts B.1).
    EnableEvent = 2, "EnableEvent", since V1 {
        how: "our own set of events; JVMTI's events are switched on as needed, when the phase allows",
        bad_call: NotAvailable "unknown numbers, the three dumps, INSTRUCTION_START without its flag",
        mark: Full,
        tested_by: &["functions::enable_disable_request_event"],
        note: "SUCCESS also for events that are `stub` or `never`: agents give up at the first refusal",
    }
    /// Switches an event off (facts B.1).
    DisableEvent = 3, "DisableEvent", since V1 {
        how: "our own set of events",
        bad_call: NotAvailable "unknown numbers, the three dumps, INSTRUCTION_START without its flag",
        mark: Full,
        tested_by: &["functions::enable_disable_request_event"],
        note: "SUCCESS also for an event that was not enabled. What another thread is about to send or has kept waiting mostly does not come any more; an OBJECT_ALLOC, METHOD_ENTRY or METHOD_EXIT that it has begun to make does",
    }
    /// Asks for an event now, on this thread (facts B.2).
    RequestEvent = 4, "RequestEvent", since V1 {
        how: "built from the record behind the id and delivered before the call returns",
        bad_call: Fail "an id of nothing that lives; on other threads than that of JVM_SHUT_DOWN what is being asked for when its handler begins, once a thread; on all threads once it has returned; NOT_AVAILABLE: events that cannot be requested",
        mark: Semi,
        tested_by: &["functions::enable_disable_request_event", "golden::requested_events_repeat_the_others"],
        note: "CLASS_LOAD, THREAD_START, OBJECT_ALLOC, OBJECT_DUMP, HEAP_DUMP and MONITOR_DUMP; what is inexact in each stands in its row",
    }
    /// The stack of a thread, callee first (facts B.3).
    GetCallTrace = 5, "GetCallTrace", since V1 {
        how: "GetStackTrace; for the calling thread its frames as they lie on the stack, each place in code learnt from GetStackTrace once, or AsyncGetCallTrace, where these give the same; lines from each method's table. A thread that runs Java code while it is suspended shows where it was when SuspendThread was called (AsyncGetCallTrace), not the safepoint where it came to a stop",
        needs: { vm_events: [ClassLoad], capabilities: [GetLineNumbers] },
        bad_call: NoFrames,
        mark: Full,
        tested_by: &["functions::get_call_trace", "sampler::known_hot_method_comes_first", "method_events::frames_are_of_methods_that_were_entered", "own_traces::frames_are_those_of_the_vm"],
        note: "frames of hidden classes (LambdaForms, the proxies of lambdas; up to 8 % of samples had some) are left out, as METHOD_ENTRY leaves them out, in the traces of dumps, too. Line -3 in native methods, -1 where the class file has no lines. Another thread's trace is empty while a class on it is being announced to the agent. Where a CLASS_LOAD cannot be sent (in a bracket, at the VM's end, to a thread that is in the agent's code), frames of classes that have had none are left out. Where SIGPROF has a handler already, and about every twentieth time, the stack is the safepoint's. In the middle of compiled code the frames on top may be of a call that the compiler has put in and that comes next, made or not: AsyncGetCallTrace goes by the next place that is written down (rarely; more often under qemu-user, where signals come between blocks of code)",
    }
    /// Ends the VM (facts B.4).
    ProfilerExit = 6, "ProfilerExit", since V1 {
        how: "all events are muted, then the VM's own halt, which stops the Java threads and calls exit(code); exit(code) alone before JVM_INIT_DONE",
        bad_call: NoReturn,
        mark: Full,
        tested_by: &["functions::profiler_exit", "survival::rude_exits", "survival::exit_handlers_have_the_locks_of_who_ends_the_vm", "survival::functions_return_in_a_forked_child"],
        note: "no JVM_SHUT_DOWN follows. The VM's halt runs exit handlers on the VM's thread: there they get the raw monitors that the caller holds. In a child that the agent forks all functions return without doing anything, as far as no other thread was within us; this one calls exit(code)",
    }
    /// Makes a raw monitor (facts B.5).
    RawMonitorCreate = 7, "RawMonitorCreate", since V1 {
        how: "our own monitors, usable in every phase and on every thread; the name is copied",
        bad_call: Null,
        mark: Full,
        tested_by: &["functions::raw_monitors"],
        note: "",
    }
    /// Enters a raw monitor, again and again if need be (facts B.5).
    RawMonitorEnter = 8, "RawMonitorEnter", since V1 {
        how: "our own monitors",
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["functions::raw_monitors"],
        note: "",
    }
    /// Leaves a raw monitor (facts B.5).
    RawMonitorExit = 9, "RawMonitorExit", since V1 {
        how: "our own monitors",
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["functions::raw_monitors"],
        note: "by a thread that does not own it: no effect",
    }
    /// Waits on a raw monitor; 0 ms is for ever (facts B.5).
    RawMonitorWait = 10, "RawMonitorWait", since V1 {
        how: "our own monitors",
        bad_call: NoEffect "returns at once",
        mark: Full,
        tested_by: &["functions::raw_monitors"],
        note: "by a thread that does not own it: returns at once, as HotSpot did",
    }
    /// Wakes all that wait on a raw monitor (facts B.5).
    RawMonitorNotifyAll = 11, "RawMonitorNotifyAll", since V1 {
        how: "our own monitors",
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["functions::raw_monitors"],
        note: "by a thread that does not own it: no effect",
    }
    /// Destroys a raw monitor (facts B.5).
    RawMonitorDestroy = 12, "RawMonitorDestroy", since V1 {
        how: "our own monitors",
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["functions::raw_monitors", "monitors::raw_monitors::storm"],
        note: "whoever waits for it, or on it, returns without owning it; who wants to enter it gets no RAW_MONITOR_CONTENDED_ENTERED",
    }
    /// The clock of the current thread in nanoseconds (facts B.6).
    GetCurrentThreadCpuTime = 13, "GetCurrentThreadCpuTime", since V1 {
        how: "the thread's CPU clock, never back; on x86-64 with the kernel's rseq without a system call while the thread runs on, within 2 µs of the kernel's (what something below the scheduler took in the last half of a millisecond aside; log=info says which way it is); with cpu-time=wall the monotonic clock, as Classic had it",
        bad_call: Zero,
        mark: Full,
        tested_by: &["functions::threads", "functions::cpu_time_on_the_wall", "virtual_clocks::each_has_its_own"],
        note: "of a virtual thread what it has used on all its carriers since the first event that names it (its THREAD_START, if that is enabled), from being mounted to being unmounted; what the VM does for it in between counts for the carrier (measured with a yield or park behind each 2.5 ms of work: 102 to 109 % of what the kernel counts within the work, the way from one to the next included). Each mount and each unmount reads the carrier's clock: a system call each where the kernel has no rseq or glibc is older than 2.35, and on other processors than x86-64",
    }
    /// Stops a thread (facts B.7).
    SuspendThread = 14, "SuspendThread", since V1 {
        how: "SuspendThread",
        needs: { capabilities: [Suspend] },
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["functions::threads"],
        note: "native code runs on until it returns to Java or calls JNI; a thread cannot suspend itself, since nobody might resume it; one JVMTI agent at a time can hold the capability",
    }
    /// Lets a thread go on (facts B.7).
    ResumeThread = 15, "ResumeThread", since V1 {
        how: "ResumeThread",
        needs: { capabilities: [Suspend] },
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["functions::threads"],
        note: "",
    }
    /// What a thread is doing (facts B.8).
    GetThreadStatus = 16, "GetThreadStatus", since V1 {
        how: "GetThreadState; for what it calls running Java code, the kernel's state of the thread",
        bad_call: Fail,
        mark: Full,
        tested_by: &["functions::threads"],
        note: "parked and sleeping threads are CONDVAR_WAIT, and so are threads in RawMonitorWait and those that wait inside the VM (the Reference Handler, everybody while it collects)",
    }
    /// Whether a thread ran since it was last suspended (facts B.9).
    ThreadHasRun = 17, "ThreadHasRun", since V1 {
        how: "the thread's CPU time, now and at its last suspension",
        needs: { capabilities: [GetThreadCpuTime] },
        bad_call: False,
        mark: Full,
        tested_by: &["functions::threads"],
        note: "JNI_TRUE as long as there is nothing to compare with",
    }
    /// Starts a thread of the agent (facts B.10).
    CreateSystemThread = 18, "CreateSystemThread", since V1 {
        how: "a daemon java.lang.Thread made by JNI and RunAgentThread",
        bad_call: JniErr,
        mark: Full,
        tested_by: &["functions::threads"],
        note: "from JVM_INIT_DONE on, as the specification says; priorities are brought into 1 to 10; pthread_exit and pthread_cancel in the function end the thread as its return does, where the agent has unwind tables (of code without them nobody hears that the thread has ended)",
    }
    /// Stores the agent's pointer for a thread (facts B.11).
    SetThreadLocalStorage = 19, "SetThreadLocalStorage", since V1 {
        how: "our own map from JNIEnv to pointer",
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["functions::threads"],
        note: "",
    }
    /// The agent's pointer for a thread (facts B.11).
    GetThreadLocalStorage = 20, "GetThreadLocalStorage", since V1 {
        how: "our own map from JNIEnv to pointer",
        bad_call: Null,
        mark: Full,
        tested_by: &["functions::threads"],
        note: "NULL again for a new thread on the address of an old JNIEnv",
    }
    /// Holds collections back (facts B.12).
    DisableGC = 21, "DisableGC", since V1 {
        how: "counted; holds back the next bracket",
        bad_call: NoBadCall,
        mark: Full,
        tested_by: &["objects::objects_by_request", "objects::agents_that_do_more_than_listen", "functions::ids_and_gc"],
        note: "real collections go on: ids never change, and what has been told stays known until its end is told, but what the VM has no more can be neither dumped nor handed out, nor its CLASS_LOAD requested. No GC_START, OBJECT_FREE, OBJECT_MOVE, ARENA_DELETE or GC_FINISH comes until EnableGC. Called in a handler of GC_START it keeps the deaths of that bracket back, unless the handler of GC_FINISH has called EnableGC in the bracket before; waits (1 s at most, as long as it does not get on) only for the end of a bracket that has begun. Free of cost for the program",
    }
    /// Lets collections go on (facts B.12).
    EnableGC = 22, "EnableGC", since V1 {
        how: "counted",
        bad_call: NoEffect "without DisableGC",
        mark: Full,
        tested_by: &["objects::objects_by_request", "objects::agents_that_do_more_than_listen", "functions::ids_and_gc"],
        note: "see DisableGC",
    }
    /// Collects now (facts B.12).
    RunGC = 23, "RunGC", since V1 {
        how: "ForceGarbageCollection, then the bracket on the calling thread",
        needs: { vm_events: [ObjectFree, GarbageCollectionStart, GarbageCollectionFinish] },
        bad_call: NoEffect,
        mark: Full,
        tested_by: &["objects::agents_that_do_more_than_listen", "functions::ids_and_gc", "handlers::no_bracket_beside_the_agents_own_code", "handlers::locks_in_two_orders"],
        note: "the bracket has been sent when it returns; called inside a bracket, or while collections are disabled, it sends none; and if a handler of another thread waits for something for 5 s, the bracket comes when that has returned. In JVM_SHUT_DOWN's handler a concurrent collector (ZGC, Shenandoah) has been stopped by the VM: the bracket comes without a collection, as it does in a RunGC that is under way then: such a collector is asked on a thread of ours, `JVMPI RunGC`",
    }
    /// The id of a thread's object (facts B.13).
    GetThreadObject = 24, "GetThreadObject", since V1 {
        how: "the record behind the JNIEnv",
        bad_call: Null,
        mark: Full,
        tested_by: &["functions::ids_and_gc"],
        note: "",
    }
    /// The id of a method's class (facts B.13).
    GetMethodClass = 25, "GetMethodClass", since V1 {
        how: "GetMethodDeclaringClass",
        bad_call: Null,
        mark: Full,
        tested_by: &["functions::ids_and_gc"],
        note: "",
    }
    /// A JNI reference for an id (facts B.14).
    #[doc(alias = "jobjectID2jobject")]
    JobjectIdToJobject = 26, "jobjectID2jobject", since V1_1 {
        how: "the record behind the id, or GetObjectsWithTags",
        needs: { capabilities: [TagObjects] },
        bad_call: Null,
        mark: Full,
        tested_by: &["objects::objects_by_request"],
        note: "a local reference, the caller's to delete. Of a class or thread at once; of another object the VM looks at every tagged one (40 to 500 ms in 10 million)",
    }
    /// The id for a JNI reference (facts B.14).
    #[doc(alias = "jobject2jobjectID")]
    JobjectToJobjectId = 27, "jobject2jobjectID", since V1_1 {
        how: "GetTag, or a new id",
        needs: { capabilities: [TagObjects] },
        bad_call: Null,
        mark: Full,
        tested_by: &["objects::objects_by_request"],
        note: "an object that has no id yet gets one; its OBJECT_ALLOC comes first if that is on",
    }
    /// Stops several threads (facts B.7).
    SuspendThreadList = 28, "SuspendThreadList", since V1_2 {
        how: "SuspendThreadList",
        needs: { capabilities: [Suspend] },
        bad_call: Results,
        mark: Full,
        tested_by: &["functions::threads", "survival::suspensions_in_lists"],
        note: "",
    }
    /// Lets several threads go on (facts B.7).
    ResumeThreadList = 29, "ResumeThreadList", since V1_2 {
        how: "ResumeThreadList",
        needs: { capabilities: [Suspend] },
        bad_call: Results,
        mark: Full,
        tested_by: &["functions::threads", "survival::suspensions_in_lists"],
        note: "",
    }
}

#[cfg(test)]
mod tests {
    use super::{EVENTS, Enable, EventKind, FUNCTIONS, Function, Mark, Source, Version};

    #[test]
    fn numbers_are_jvmpis_unique_and_sorted() {
        assert_eq!(EventKind::ALL.len(), 37);
        assert!(EventKind::ALL.is_sorted_by(|a, b| a.raw() < b.raw()));
        assert_eq!(EventKind::ALL.last().unwrap().raw(), EventKind::MAX_RAW);
        let numbers: Vec<i32> = (1..=9)
            .chain(33..=35)
            .chain(37..=EventKind::MAX_RAW)
            .collect();
        assert!(EVENTS.iter().map(|row| row.kind.raw()).eq(numbers));
    }

    #[test]
    fn from_raw_is_the_inverse_of_raw_and_nothing_else() {
        for raw in -100..3000 {
            assert_eq!(
                EventKind::from_raw(raw).map(EventKind::raw),
                EventKind::ALL
                    .iter()
                    .map(|kind| kind.raw())
                    .find(|&known| known == raw)
            );
        }
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_raw(kind.raw() | 0x1000_0000), None);
            assert_eq!(kind.row().kind, kind);
        }
        assert_eq!(EventKind::from_raw(i32::MIN), None);
    }

    #[test]
    fn names_are_jvmpis() {
        assert_eq!(EventKind::MethodEntry.name(), "METHOD_ENTRY");
        assert_eq!(
            EventKind::JniWeakGlobalrefFree.name(),
            "JNI_WEAK_GLOBALREF_FREE"
        );
        for kind in EventKind::ALL {
            let words = kind.name().split('_').map(|word| {
                let (first, rest) = word.split_at(1);
                format!("{first}{}", rest.to_lowercase())
            });
            assert_eq!(words.collect::<String>(), format!("{kind:?}"));
        }
    }

    #[test]
    fn what_can_be_enabled_and_requested_follows_facts_b1_and_b2() {
        let enable: Vec<_> = EVENTS
            .iter()
            .filter(|row| row.enable != Enable::Yes)
            .map(|row| row.name)
            .collect();
        assert_eq!(
            enable,
            [
                "INSTRUCTION_START",
                "HEAP_DUMP",
                "OBJECT_DUMP",
                "MONITOR_DUMP"
            ]
        );
        let request: Vec<_> = EVENTS
            .iter()
            .filter(|row| row.request)
            .map(|row| row.name)
            .collect();
        assert_eq!(
            request,
            [
                "OBJECT_ALLOC",
                "THREAD_START",
                "HEAP_DUMP",
                "CLASS_LOAD",
                "OBJECT_DUMP",
                "MONITOR_DUMP"
            ]
        );
    }

    #[test]
    fn events_give_their_reasons() {
        for row in EVENTS {
            match row.source {
                Source::Derived(why) | Source::Never(why) => {
                    assert!(why.len() > 10, "{}: say why", row.name);
                }
                Source::Callback(event) => {
                    assert!(event.needed_by().contains(row.kind), "{}", row.name);
                }
            }
            if row.mark != Mark::Full {
                assert!(row.note.len() > 10, "{}: say what to know", row.name);
            }
            assert_eq!(
                row.mark == Mark::Never,
                matches!(row.source, Source::Never(_)),
                "{}: mark and source disagree",
                row.name
            );
        }
    }

    /// RequestEvent has no others (facts B.2); all of them can be had today.
    #[test]
    fn what_can_be_requested() {
        let requested = EVENTS.iter().filter(|row| row.answers_request());
        let mut names: Vec<_> = requested.map(|row| row.name).collect();
        names.sort_unstable();
        let expected = [
            "CLASS_LOAD",
            "HEAP_DUMP",
            "MONITOR_DUMP",
            "OBJECT_ALLOC",
            "OBJECT_DUMP",
            "THREAD_START",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn only_what_is_full_or_semi_works() {
        assert_eq!(Mark::ALL.map(Mark::works), [true, true, false, false]);
    }

    #[test]
    fn slots_have_no_gap() {
        assert!(FUNCTIONS.iter().map(|row| row.slot).eq(2..=29));
        for function in Function::ALL {
            assert_eq!(Function::from_slot(function.slot()), Some(function));
            assert_eq!(function.row().function, function);
        }
        for slot in [0, 1, 30, u8::MAX] {
            assert_eq!(Function::from_slot(slot), None);
        }
    }

    #[test]
    fn later_versions_only_append() {
        assert!(FUNCTIONS.iter().is_sorted_by_key(|row| row.since));
        let first_of = |version| {
            let mut rows = FUNCTIONS.iter();
            rows.find(|row| row.since == version).map(|row| row.name)
        };
        assert_eq!(first_of(Version::V1), Some("EnableEvent"));
        assert_eq!(first_of(Version::V1_1), Some("jobjectID2jobject"));
        assert_eq!(first_of(Version::V1_2), Some("SuspendThreadList"));
        for version in Version::ALL {
            assert_eq!(Version::from_raw(version.raw()), Some(version));
        }
        assert_eq!(Version::from_raw(0x1000_0000), None);
        assert_eq!(Version::from_raw(0x0001_0008), None);
    }

    #[test]
    fn functions_give_their_reasons() {
        for row in FUNCTIONS {
            assert!(!row.how.is_empty(), "{}", row.name);
            if row.mark != Mark::Full {
                assert!(row.note.len() > 10 || row.note.starts_with("see "));
            }
        }
    }
}
