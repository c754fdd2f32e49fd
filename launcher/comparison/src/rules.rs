//! What is compared, and how exactly: one row for each noun. docs/compare.md is made from here.
//! Longer than most: it is one table, and who adds a noun adds a row.

use event_translate::EventKind as Jvmpi;
use recording_format::jvmti::EventKind as Jvmti;

/// What a profiler is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Noun {
    /// Threads that started, or were there.
    ThreadsStarted,
    /// Threads that ended.
    ThreadsEnded,
    /// Virtual threads that started.
    VirtualStarted,
    /// Virtual threads that ended.
    VirtualEnded,
    /// Classes that were loaded, or were there.
    ClassesLoaded,
    /// Classes that were unloaded.
    ClassesUnloaded,
    /// Methods that were entered.
    MethodsEntered,
    /// Methods that were left.
    MethodsLeft,
    /// Instructions that were run.
    Instructions,
    /// Objects that were born.
    Births,
    /// Objects that died.
    Deaths,
    /// Monitors that somebody had to wait for.
    Contended,
    /// Monitors that were entered after that.
    Entered,
    /// `Object.wait` that began.
    Waits,
    /// `Object.wait` that ended.
    Waited,
    /// Collections.
    Collections,
    /// Samples, by the method on top.
    Leaves,
    /// Samples, by the whole stack.
    Stacks,
    /// Compiled code.
    Compiled,
    /// Dumps.
    Dumps,
    /// Objects in dumps.
    Dumped,
}

impl Noun {
    /// Counted by the names of threads.
    pub(crate) const fn is_of_threads(self) -> bool {
        matches!(self, Self::ThreadsStarted | Self::ThreadsEnded)
    }

    /// Of threads' ends, which say nothing of them but their JNIEnv.
    pub(crate) const fn is_of_ends(self) -> bool {
        matches!(self, Self::ThreadsEnded | Self::VirtualEnded)
    }

    /// Of virtual threads, which few programs have.
    pub(crate) const fn is_of_virtual_threads(self) -> bool {
        matches!(self, Self::VirtualStarted | Self::VirtualEnded)
    }

    pub(crate) const fn is_of_methods(self) -> bool {
        matches!(
            self,
            Self::MethodsEntered | Self::MethodsLeft | Self::Instructions
        )
    }

    /// The old side counts it from the start on.
    pub(crate) const fn begins_with_the_start(self) -> bool {
        self.is_of_methods() || matches!(self, Self::Births | Self::Deaths)
    }

    /// By no name.
    pub(crate) const fn is_counted_in_all(self) -> bool {
        self.is_of_virtual_threads() || matches!(self, Self::Collections | Self::Dumps)
    }

    pub(crate) const fn is_of_monitors(self) -> bool {
        matches!(
            self,
            Self::Contended | Self::Entered | Self::Waits | Self::Waited
        )
    }
}

/// How much the two sides may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// Names of the program to the last one, but for what compilers leave out: see
    /// `may_differ`. Those of the JDK in all, within this many hundredths.
    Program {
        /// How often a name has to come before compiled code may have left some of it out.
        compiled_from: u64,
        /// Hundredths that it may have left out.
        left_out: u64,
        /// Hundredths of all names of the JDK.
        jdk: u64,
    },
    /// How often is chance; in two recordings only that nothing came at all says something. In one
    /// recording, within this many hundredths.
    Chance(u64),
    /// All together, within this many hundredths.
    InAll(u64),
    /// Shares, by their intervals of confidence.
    Shares,
    /// Only whether there are some at all.
    Calls,
}

/// One noun's rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Which noun.
    pub noun: Noun,
    /// Its name in the output.
    pub name: &'static str,
    /// JVMPI's events, or none.
    pub old: &'static [Jvmpi],
    /// JVMTI's events: one of them has to be enabled.
    pub new: &'static [Jvmti],
    /// Where both come from, for people.
    pub sources: [&'static str; 2],
    /// By what it is counted.
    pub key: &'static str,
    /// How much may differ.
    pub bounds: Bounds,
    /// What must be equal.
    pub must: &'static str,
    /// What may differ, by how much, and why.
    pub may_differ: &'static str,
    /// What cannot be compared, and why.
    pub cannot: &'static str,
}

impl Rule {
    /// Its name where one word is wanted: in findings, and in files of what is known.
    #[must_use]
    pub fn id(&self) -> String {
        self.name.replace(' ', "-")
    }
}

const EXACT: Bounds = Bounds::Program {
    compiled_from: u64::MAX,
    left_out: 0,
    jdk: 10,
};

const OF_CHANCE: &str = "how often, in two recordings: who has to wait for whom hangs on the moment. So only that one side was told 100 times (of waits 10) and the other never is a difference. In one recording: within 5 % for each name, and for those that are too small for that all together, for the two environments are enabled and disposed of at other moments";

/// All of them, in the order of the output.
pub static RULES: [Rule; 21] = [
    Rule {
        noun: Noun::ThreadsStarted,
        name: "threads started",
        old: &[Jvmpi::ThreadStart],
        new: &[Jvmti::ThreadStart],
        sources: [
            "THREAD_START",
            "ThreadStart, and the threads that GetAllThreads listed",
        ],
        key: "name of the thread",
        bounds: EXACT,
        must: "threads of the program: each name as often. What the old agent was told before JVM_INIT_DONE is there at start; a port knows it only if it calls GetAllThreads: without that Finalizer and Reference Handler are missed",
        may_differ: "threads of the VM itself (compilers, collectors, Common-Cleaner, DestroyJavaVM and the like, and libjvmpi's own, JVMPI GC and JVMPI RunGC) are left out: which there are hangs on the moment, and JVMTI lists some of them only; workers for all (of a ForkJoinPool, carriers of virtual threads among them, MasterPoller, Read-Poller, Write-Poller and VirtualThread-unparker), of which there are as many as it takes: how many is said, and that one side has 4 and the other none is a difference. Threads that nobody has given a name are all called `Thread-N`",
        cannot: "virtual threads, which have rows of their own: THREAD_START tells of each, ThreadStart of none. Threads whose name nobody asked for (GetThreadInfo) and which ran no callback: they are counted, not named",
    },
    Rule {
        noun: Noun::ThreadsEnded,
        name: "threads ended",
        old: &[Jvmpi::ThreadEnd],
        new: &[Jvmti::ThreadEnd],
        sources: ["THREAD_END", "ThreadEnd"],
        key: "name of the thread",
        bounds: EXACT,
        must: "threads of the program: each name as often",
        may_differ: "threads of the VM itself are left out; workers of pools and threads that nobody has given a name as for threads started",
        cannot: "threads that run when the VM ends: neither side is told of their end, but for the one that ends it (by System.exit), of whose end JVMTI tells and JVMPI does not: left out. Without THREAD_START nobody knows what they were called, nor which are virtual ones",
    },
    Rule {
        noun: Noun::VirtualStarted,
        name: "virtual threads started",
        old: &[Jvmpi::ThreadStart],
        new: &[Jvmti::VirtualThreadStart],
        sources: [
            "THREAD_START of the group VirtualThreads in system",
            "VirtualThreadStart",
        ],
        key: "in all: few of them have a name",
        bounds: EXACT,
        must: "how many, from JVM_INIT_DONE on",
        may_differ: "nothing",
        cannot: "a port that has not enabled VirtualThreadStart, which wants can_support_virtual_threads (JDK 21). An old agent that was recorded with virtual-threads=carriers or off is told of none. One that is attached is told of those that run then before JVM_INIT_DONE, which do not count, and of other older ones when they go on; the ends of both count",
    },
    Rule {
        noun: Noun::VirtualEnded,
        name: "virtual threads ended",
        old: &[Jvmpi::ThreadEnd],
        new: &[Jvmti::VirtualThreadEnd],
        sources: ["THREAD_END of those", "VirtualThreadEnd"],
        key: "in all",
        bounds: EXACT,
        must: "how many",
        may_differ: "nothing",
        cannot: "as virtual threads started; without THREAD_START nobody knows which ends are theirs",
    },
    Rule {
        noun: Noun::ClassesLoaded,
        name: "classes loaded",
        old: &[Jvmpi::ClassLoad],
        new: &[Jvmti::ClassPrepare, Jvmti::ClassLoad],
        sources: [
            "CLASS_LOAD",
            "ClassPrepare (ClassLoad if only that is enabled), and the classes that the first GetLoadedClasses listed (not in VMDeath); each class once",
        ],
        key: "name of the class",
        bounds: EXACT,
        must: "classes of the program: each name as often (a name can belong to several loaders); and that the port does not go by ClassLoad alone, which comes before a class has fields and methods",
        may_differ: "classes of the JDK: 10 % of their number, since the agents themselves make the VM load some. Names that the VM makes are compared without their numbers and addresses: `$$Lambda$14/0x…`, `LambdaForm$MH/0x…`, `$Proxy12`. Classes whose native methods are in the port's library (RegisterNatives, or exported) are its own, and left out",
        cannot: "array classes, which JVMTI has no event for, and what CLASS_LOAD says of members: a port asks for what it needs",
    },
    Rule {
        noun: Noun::ClassesUnloaded,
        name: "classes unloaded",
        old: &[Jvmpi::ClassUnload],
        new: &[Jvmti::ObjectFree, Jvmti::ClassUnload],
        sources: [
            "CLASS_UNLOAD",
            "ObjectFree of a Class object that SetTag was called for, or the extension event ClassUnload",
        ],
        key: "name of the class",
        bounds: Bounds::Chance(25),
        must: "that there are some, if the old agent was told of 10; and some of each class of the program of which it was told of 10, if the port hears of half of all",
        may_differ: "how many, in two recordings: a class goes when a collector finds it. In one recording 25 % for each name: what dies last may come after the VM's end",
        cannot: "",
    },
    Rule {
        noun: Noun::MethodsEntered,
        name: "methods entered",
        old: &[Jvmpi::MethodEntry, Jvmpi::MethodEntry2],
        new: &[Jvmti::MethodEntry],
        sources: ["METHOD_ENTRY and METHOD_ENTRY2", "MethodEntry"],
        key: "method, and the deepest recursion on one thread",
        bounds: EXACT,
        must: "methods of the program: each as often, and the deepest recursion",
        may_differ: "methods of the JDK: 10 % of all their calls, and in two recordings any number more of such as have intrinsics (of java.lang.Math, Object, Class, Thread, Integer and their like, String and its builders, java.util.Arrays, Unsafe, ciphers and a few more) on the new side: compiled code calls by intrinsics what the old side's hooks then do not see, and JVMTI's events switch compilers off. Methods of lambdas' and method handles' classes, which are hidden, are left out: the old side has no hooks there. Of methods that a worker called `ForkJoinPool-…` has entered the recursion may be deeper on the old side, if the port is told of virtual threads: virtual threads take turns there, and JVMTI's events do not say which frames are whose",
        cannot: "what comes before the VM's start is through (JVM_INIT_DONE, VMInit). One recording of both with method-events=fast: the hooks of the one are calls for the other; record twice, or with --set method-events=exact. Ports that rewrite bytecode, unless they say themselves what their hooks saw (below); their own native methods, which that code calls, are left out. Methods that include= and exclude= leave out on the old side are left out on the new one",
    },
    Rule {
        noun: Noun::MethodsLeft,
        name: "methods left",
        old: &[Jvmpi::MethodExit],
        new: &[Jvmti::MethodExit, Jvmti::FramePop],
        sources: [
            "METHOD_EXIT",
            "MethodExit, or FramePop if only that is enabled",
        ],
        key: "method",
        bounds: EXACT,
        must: "methods of the program: each as often",
        may_differ: "as methods entered",
        cannot: "as methods entered",
    },
    Rule {
        noun: Noun::Instructions,
        name: "instructions run",
        old: &[Jvmpi::InstructionStart],
        new: &[Jvmti::SingleStep],
        sources: ["INSTRUCTION_START", "SingleStep"],
        key: "method, with how often its instructions run",
        bounds: EXACT,
        must: "of each method of the program, how many different instructions have run",
        may_differ: "methods of the JDK: 10 % of all. How often: up to half as often on the new side, for HotSpot makes one of some pairs (iload iload, aload_0 getfield) and steps over both at once",
        cannot: "as methods entered; and which branch was taken, for JVMTI does not say so: a port sees it by the next step",
    },
    Rule {
        noun: Noun::Births,
        name: "objects born",
        old: &[Jvmpi::ObjectAlloc],
        new: &[Jvmti::SampledObjectAlloc, Jvmti::VMObjectAlloc],
        sources: [
            "OBJECT_ALLOC that nobody requested",
            "SampledObjectAlloc or VMObjectAlloc; where both come and the port tags what is born (SetTag in the callback), what it tags (minus a tag that it has given is the same object again, whose tag the VM has lost); of a port without SampledObjectAlloc that rewrites code (it redefines classes, changes them in ClassFileLoadHook, or has native methods), also what it tags outside of callbacks and has no tag yet",
        ],
        key: "class, with the bytes of all",
        bounds: Bounds::Program {
            compiled_from: 10_000,
            left_out: 5,
            jdk: 25,
        },
        must: "objects of the program's classes, and arrays of them: each class as often, and as many bytes",
        may_differ: "5 % of a class with 10,000 objects and more: compiled code makes no object that does not escape, and when a method is compiled is chance; their bytes, then, are those of each object, within 5 % as well. Arrays that are older than their elements' class: OBJECT_ALLOC names no class then, so as many may have a name on the new side alone. Classes of the JDK and arrays of numbers: 25 % in all, for the agents themselves, the hooks and the VM make some. A port that tags in the callback need not tag all that it is told of, and how many it has tagged is said; but a class of the program of which it has tagged none, where it tags others, is missed",
        cannot: "what is older than the start (before JVM_INIT_DONE, VMInit) and what the old agent requested. One in many, when the interval is not 0: a difference then, with that as its cause. In one recording of both a port hears of all even if it has not called SetHeapSamplingInterval(0), for it gets the old side's interval: record each for itself then",
    },
    Rule {
        noun: Noun::Deaths,
        name: "objects freed",
        old: &[Jvmpi::ObjectFree],
        new: &[Jvmti::ObjectFree],
        sources: [
            "OBJECT_FREE, and what is left in an arena at its ARENA_DELETE",
            "ObjectFree, by the SetTag of the same tag in the callback of the birth",
        ],
        key: "class",
        bounds: Bounds::InAll(25),
        must: "objects of the program's classes: as many in all, within 25 %",
        may_differ: "which: when collectors come is chance, and what dies last may come after the VM's end. Objects of the JDK's classes: how many, for the agents themselves make some; not that none came",
        cannot: "objects whose birth was not seen on that side: they are in the sum, without a name. In one recording of both, as objects born",
    },
    Rule {
        noun: Noun::Contended,
        name: "monitors contended",
        old: &[Jvmpi::MonitorContendedEnter],
        new: &[Jvmti::MonitorContendedEnter],
        sources: ["MONITOR_CONTENDED_ENTER", "MonitorContendedEnter"],
        key: "thread, and class of the monitor where both sides know it",
        bounds: Bounds::Chance(5),
        must: "that there are some, if the old agent was told of 100 (of waits 10). Of a port that has enabled the event for single threads only, that there are some of each thread that has so many, but for workers of pools, the VM's own threads, and such as a port that listens to ThreadStart was not told of; of one that disables it for all while the program runs, where the old agent does not, that no more than half are missed, if those are so many",
        may_differ: OF_CHANCE,
        cannot: "MONITOR_CONTENDED_EXIT: JVMTI has no such event. RAW_MONITOR events: they are of the agent's own locks. Which thread it was where one side is told of virtual threads, for JVMTI's events have the JNIEnv of the carrier: by class alone then",
    },
    Rule {
        noun: Noun::Entered,
        name: "contended monitors entered",
        old: &[Jvmpi::MonitorContendedEntered],
        new: &[Jvmti::MonitorContendedEntered],
        sources: ["MONITOR_CONTENDED_ENTERED", "MonitorContendedEntered"],
        key: "thread, and class of the monitor where both sides know it",
        bounds: Bounds::Chance(5),
        must: "as monitors contended",
        may_differ: "as monitors contended",
        cannot: "",
    },
    Rule {
        noun: Noun::Waits,
        name: "waits begun",
        old: &[Jvmpi::MonitorWait],
        new: &[Jvmti::MonitorWait],
        sources: ["MONITOR_WAIT of an object", "MonitorWait"],
        key: "thread, and class of the monitor where both sides know it",
        bounds: Bounds::Chance(5),
        must: "as monitors contended",
        may_differ: "as monitors contended",
        cannot: "Thread.sleep, which MONITOR_WAIT tells of without an object and MonitorWait does not: left out",
    },
    Rule {
        noun: Noun::Waited,
        name: "waits ended",
        old: &[Jvmpi::MonitorWaited],
        new: &[Jvmti::MonitorWaited],
        sources: ["MONITOR_WAITED of an object", "MonitorWaited"],
        key: "thread, and class of the monitor where both sides know it",
        bounds: Bounds::Chance(5),
        must: "as monitors contended",
        may_differ: "as monitors contended",
        cannot: "Thread.sleep, as for waits begun. Waits without a beginning of an `int[]`, if the port has enabled MonitorWait by VMInit: there the VM waits for a class that another thread initialises",
    },
    Rule {
        noun: Noun::Collections,
        name: "collections",
        old: &[Jvmpi::GcStart, Jvmpi::GcFinish],
        new: &[
            Jvmti::GarbageCollectionStart,
            Jvmti::GarbageCollectionFinish,
        ],
        sources: [
            "GC_START, or GC_FINISH if only that is enabled",
            "GarbageCollectionStart, or GarbageCollectionFinish",
        ],
        key: "in all, without those that an agent asked for itself (RunGC, ForceGarbageCollection)",
        bounds: Bounds::Chance(50),
        must: "that there are some, if the old agent was told of 10; of a port that disables them while the program runs, where the old agent does not, that no more than half are missed, if those are 3",
        may_differ: "how many, in two recordings. In one recording 50 %: JVMTI tells of each pause (three in a cycle of ZGC, Remark and Cleanup of G1), JVMPI's brackets can stand for several, and there is one of xrun's own when OBJECT_ALLOC begins, if that is not of a sample",
        cannot: "the numbers of GC_FINISH, which JVMTI does not pass",
    },
    Rule {
        noun: Noun::Leaves,
        name: "samples by method",
        old: &[],
        new: &[],
        sources: [
            "GetCallTrace outside of handlers",
            "GetStackTrace (pages of a stack, each from where the one before has ended, are one), GetAllStackTraces and GetThreadListStackTraces outside of callbacks; if the port calls xrun_saw_stack, what that says",
        ],
        key: "the method on top, its share of all stacks that have frames",
        bounds: Bounds::Shares,
        must: "the share of each method with 2 % and more on either side: the intervals of confidence (Wilson, 99.9 %) have to overlap. They are wider where threads are found where they were before more often than by chance: those that wait for a processor. Where they overlap without a third of the two recordings, the same part of each, that is no difference, but said: one was compiled late, or its machine had no time. What one side has a tenth of, or less, is one",
        may_differ: "how many samples there are. Whether a port leaves out threads that wait when GetAllStackTraces lists them, a recording does not tell: with them or without them will do, and where only without them they agree, how many it has listed is said. Threads of the VM itself are left out: JVMTI says of some that wait (Reference Handler) that they run. Frames of hidden classes, lambdas' among them, are left out, as GetCallTrace does",
        cannot: "fewer than 50 samples on a side. A port that asks for so few frames (1, say) that more than 2 % of its stacks have hidden ones alone. AsyncGetCallTrace, which is none of JVMTI's functions, unless the port says itself what it saw (below). Stacks taken in handlers: those are of events, not of moments",
    },
    Rule {
        noun: Noun::Stacks,
        name: "samples by stack",
        old: &[],
        new: &[],
        sources: ["as samples by method", "as samples by method"],
        key: "the methods of the stack, as deep as the old agent asks for",
        bounds: Bounds::Shares,
        must: "as samples by method, for stacks with 2 % and more on either side. A port that asks for fewer frames must have cut off no more than 2 % of the old agent's stacks",
        may_differ: "as samples by method",
        cannot: "as samples by method",
    },
    Rule {
        noun: Noun::Compiled,
        name: "code compiled",
        old: &[Jvmpi::CompiledMethodLoad],
        new: &[Jvmti::CompiledMethodLoad],
        sources: ["COMPILED_METHOD_LOAD", "CompiledMethodLoad"],
        key: "method",
        bounds: Bounds::Chance(25),
        must: "that there is some, if the old agent was told of 10",
        may_differ: "which methods, and how often: compilers decide by time. In one recording 25 % for each name: code that is older than the agent comes on request only (GenerateEvents)",
        cannot: "",
    },
    Rule {
        noun: Noun::Dumps,
        name: "dumps",
        old: &[Jvmpi::HeapDump, Jvmpi::ObjectDump],
        new: &[],
        sources: [
            "HEAP_DUMP and OBJECT_DUMP",
            "FollowReferences, IterateThroughHeap and the older walks",
        ],
        key: "in all",
        bounds: Bounds::Calls,
        must: "that the port walks the heap at all, if the old agent has dumped it",
        may_differ: "how many walks a dump takes",
        cannot: "",
    },
    Rule {
        noun: Noun::Dumped,
        name: "dumped objects",
        old: &[],
        new: &[],
        sources: [
            "the records of instances and arrays in HEAP_DUMP of level 1 and 2",
            "what the port says itself, by xrun_saw (below)",
        ],
        key: "class, in all dumps",
        bounds: Bounds::Program {
            compiled_from: u64::MAX,
            left_out: 0,
            jdk: 25,
        },
        must: "objects of the program's classes, and arrays of them: of each class as many",
        may_differ: "classes of the JDK and arrays of numbers: 25 % in all, for the agents have objects, too, and how many the VM's archive of classes holds depends on the collector",
        cannot: "what a walk's callbacks were given, if the port does not say what it saw: a recording does not have it. Let both write HPROF's format then, and compare those files. Level 0, which names no classes. Objects of class Class, which HEAP_DUMP has records of another kind for. HEAP_DUMP has what can be reached: FollowReferences walks there, IterateThroughHeap also has what is garbage already",
    },
];
