//! The rules: one row each. What is checked, the log's words and CHECKS.md come from here.
//!
//! Sections are those of the JVMPI specification (Java 2 SDK 1.4.2); the headings of
//! its overview are the ones of the 1.2 edition, the later text has none.

/// How bad breaking a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The specification forbids it; on a host of the period it could hang, crash or lie.
    Error,
    /// Allowed or unspecified, but it goes wrong sooner or later.
    Warning,
}

impl Severity {
    /// The word in the log.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What is known of one rule.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// Its id, which `check-suppress=` takes.
    pub id: &'static str,
    /// Its name in plain words.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What breaks it.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// Where the specification says so.
    pub section: &'static str,
    /// A few lines of C that break it, and what to write instead.
    pub example: &'static str,
}

macro_rules! rules {
    ($($(#[$doc:meta])+ $rule:ident = $id:literal, $name:literal, $severity:ident {
        what: $what:literal, why: $why:literal, section: $section:literal,
        example: $example:literal $(,)?
    })+) => {
        /// A rule that an agent can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Rule { $($(#[$doc])+ $rule,)+ }

        /// The rows of all rules, in the order of [`Rule`].
        pub static RULES: [RuleRow; RULE_COUNT] = [$(RuleRow {
            rule: Rule::$rule, id: $id, name: $name, severity: Severity::$severity,
            what: $what, why: $why, section: $section, example: $example,
        }),+];

        const RULE_COUNT: usize = [$($id),+].len();

        impl Rule {
            /// All of them.
            pub const ALL: [Self; RULE_COUNT] = [$(Self::$rule),+];

            /// Its row.
            #[must_use]
            pub const fn row(self) -> &'static RuleRow {
                match self { $(Self::$rule => const { &RuleRow {
                    rule: Self::$rule, id: $id, name: $name, severity: Severity::$severity,
                    what: $what, why: $why, section: $section, example: $example,
                } },)+ }
            }
        }
    };
}

impl Rule {
    /// The rule of this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        RULES.iter().find(|row| row.id == id).map(|row| row.rule)
    }
}

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleSet(u64);

impl RuleSet {
    /// Whether the rule is in it.
    #[must_use]
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 != 0
    }

    /// Adds a rule; true if it is new.
    pub const fn insert(&mut self, rule: Rule) -> bool {
        let new = !self.contains(rule);
        self.0 |= 1 << rule as u8;
        new
    }
}

const _: () = assert!(RULE_COUNT <= 64);

rules! {
    /// An id whose undefining event has come.
    StaleId = "stale-id", "stale id", Error {
        what: "A jobjectID, JNIEnv, jmethodID or raw monitor is used after its end: after OBJECT_FREE or OBJECT_MOVE, CLASS_UNLOAD, THREAD_END, RawMonitorDestroy.",
        why: "Hosts use the same number again for something else: the agent then asks about, suspends or locks a stranger. Where ids are addresses, as they were, the VM reads freed memory.",
        section: "Overview, JVMPI IDs: \"An ID is valid until its undefining event arrives\"",
        example: "case JVMPI_EVENT_OBJECT_FREE:\n    remember(event->u.obj_free.obj_id); break;\n…\njvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, remembered); /* stale: forget ids when they end */",
    }
    /// A number that never was an id.
    UnknownId = "unknown-id", "unknown id", Error {
        what: "What is passed as an id is none: a number that was never given out, NULL, or an id from another source (an address, a hash code, a serial number).",
        why: "The specification has no failure value for most of these calls: a host of the period follows the number as an address.",
        section: "Overview, JVMPI IDs",
        example: "jvmpi->GetThreadStatus(NULL);           /* the current thread is event->env_id */",
    }
    /// An id of something else.
    WrongKind = "wrong-kind", "id of the wrong kind", Error {
        what: "An id of one kind is used as another: a JNIEnv where the thread object's id is wanted, the id of a plain object as a class.",
        why: "All ids are pointers, so no compiler complains; the answer is FAIL at best.",
        section: "Overview, JVMPI IDs; RequestEvent",
        example: "jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, env);                         /* wrong */\njvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, jvmpi->GetThreadObject(env)); /* right */",
    }
    /// An id is handled while objects may move.
    GcEnabled = "gc-enabled", "GC is enabled", Error {
        what: "A call that takes or returns a jobjectID, or that suspends threads, outside DisableGC … EnableGC and outside a handler whose event is issued with GC disabled.",
        why: "A collection between getting an id and using it invalidates it: the id names another object, or none. Threads that are suspended while a collection may begin stop it for ever.",
        section: "Overview, JVMPI IDs: \"The profiler agent must make sure that GC is disabled when it calls a JVMPI function that either takes a jobjectID argument or returns a jobjectID result\"; SuspendThread",
        example: "jvmpi->DisableGC();\njvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, jvmpi->GetThreadObject(env));\njvmpi->EnableGC();                           /* the three belong together */",
    }
    /// A call that may collect while collections are held back.
    GcDisabled = "gc-disabled", "GC is disabled", Error {
        what: "RunGC or CreateSystemThread between DisableGC and EnableGC, or in a handler whose event is issued with GC disabled (every event that has a jobjectID).",
        why: "Both need new objects or a collection: they wait for a GC that waits for the caller, or do nothing.",
        section: "Overview, Threading and Locking Issues: \"When the GC is disabled the agent program must not call any JVMPI function that could require new Java objects to be created\"; CreateSystemThread",
        example: "case JVMPI_EVENT_THREAD_START: /* issued with GC disabled */\n    jvmpi->RunGC();             /* leave it to a thread of your own */",
    }
    /// One EnableGC too many.
    EnableWithoutDisable = "enable-without-disable", "EnableGC without DisableGC", Error {
        what: "EnableGC is called more often than DisableGC.",
        why: "The two nest: the surplus call ends the DisableGC of another thread in the middle of its work.",
        section: "EnableGC: \"DisableGC and EnableGC calls may be nested\"",
        example: "if (interesting) jvmpi->DisableGC();\n…\njvmpi->EnableGC();              /* not under the same condition */",
    }
    /// One EnableGC too few.
    GcLeftDisabled = "gc-left-disabled", "GC left disabled", Error {
        what: "At the end of the run DisableGC has been called more often than EnableGC.",
        why: "From that call on nothing is collected: the program runs out of memory.",
        section: "DisableGC; EnableGC",
        example: "jvmpi->DisableGC();\nif (id == NULL) return;         /* this way out forgets EnableGC */\njvmpi->EnableGC();",
    }
    /// GC comes back while threads stand still.
    EnableWhileSuspended = "enable-while-suspended", "GC enabled while threads are suspended", Error {
        what: "The last EnableGC comes before all threads that the agent suspended have been resumed.",
        why: "A collection has to bring every thread to a safe point; a suspended one never gets there.",
        section: "SuspendThread: \"GC must remain disabled until all threads have been resumed\"",
        example: "jvmpi->SuspendThread(env);\njvmpi->EnableGC();\njvmpi->ResumeThread(env);       /* the other way round */",
    }
    /// Waiting for somebody who stands still.
    BlocksWhileSuspended = "blocks-while-suspended", "blocking call in thread-suspended mode", Error {
        what: "RawMonitorEnter of a monitor that the thread does not own, RawMonitorWait, RawMonitorCreate or RawMonitorDestroy, or a lock or a wait of the C library, while the thread has suspended others.",
        why: "One of the suspended threads may hold what is waited for: the process stands still. It goes well a thousand times.",
        section: "RawMonitorEnter, RawMonitorCreate, RawMonitorDestroy; Overview, Threading and Locking Issues",
        example: "jvmpi->SuspendThread(env);\njvmpi->RawMonitorEnter(lock);   /* enter before suspending */",
    }
    /// Memory or a stream while others stand still.
    AllocatesWhileSuspended = "allocates-while-suspended", "allocation in thread-suspended mode", Error {
        what: "malloc, free, operator new, stdio or the like, called by the agent's library while the thread has suspended others. Seen are calls that go through the library's import table (not those of another library on its behalf, nor of a C library linked into it).",
        why: "The C library locks inside; a suspended thread may hold that lock.",
        section: "Overview, Threading and Locking Issues: \"Such operations include, for example, the malloc and fprintf functions\"",
        example: "jvmpi->SuspendThread(env);\nframes = malloc(depth * sizeof *frames);   /* allocate before suspending */",
    }
    /// Waiting in the middle of a collection.
    BlocksInGc = "blocks-in-gc", "blocking call inside the GC bracket", Error {
        what: "RawMonitorEnter of a monitor that the thread does not own, RawMonitorWait, RawMonitorCreate, RawMonitorDestroy or a lock or a wait of the C library in a handler of OBJECT_FREE, OBJECT_MOVE, ARENA_DELETE or GC_FINISH.",
        why: "All threads stand still during a collection, also the one that holds the lock. GC_START is sent before they do: that is where locks are to be taken.",
        section: "JVMPI_EVENT_OBJECT_FREE: \"The profiler agent should acquire all the locks need for processing this event in the event handler for JVMPI_EVENT_GC_START\"",
        example: "case JVMPI_EVENT_GC_START:  jvmpi->RawMonitorEnter(lock); break;\ncase JVMPI_EVENT_GC_FINISH: jvmpi->RawMonitorExit(lock); break;",
    }
    /// Memory or a stream in the middle of a collection.
    AllocatesInGc = "allocates-in-gc", "allocation inside the GC bracket", Error {
        what: "malloc, free, operator new, stdio or the like, called by the agent's library in a handler of OBJECT_FREE, OBJECT_MOVE, ARENA_DELETE or GC_FINISH (seen as for allocates-while-suspended).",
        why: "The C library locks inside, and a thread that holds that lock stands still until the collection is over.",
        section: "JVMPI_EVENT_OBJECT_FREE: \"The profiler must not make any blocking calls such as entering a monitor or allocating from the C heap\"",
        example: "case JVMPI_EVENT_OBJECT_FREE:\n    free(entry_of(event->u.obj_free.obj_id)); /* put it on a list, free it after GC_FINISH */",
    }
    /// A thread stands still for good.
    NeverResumed = "never-resumed", "suspended thread never resumed", Error {
        what: "A thread that the agent has suspended is still suspended at the end of the run.",
        why: "The program has lost a thread, and whoever waits for it.",
        section: "SuspendThread, ResumeThread",
        example: "jvmpi->SuspendThread(env);\nif (!jvmpi->ThreadHasRun(env)) return;      /* resume on every way out */",
    }
    /// SuspendThread of a thread that is suspended already, ResumeThread of one that is not.
    SuspendTwice = "suspend-not-paired", "suspending and resuming do not pair", Warning {
        what: "SuspendThread of a thread that the agent has suspended already, of the calling thread itself, or ResumeThread of one that it has not suspended.",
        why: "Suspensions are not counted: the first ResumeThread sets the thread going, whatever the second SuspendThread was for. A thread that suspends itself waits for somebody who may not come.",
        section: "SuspendThread, ResumeThread",
        example: "jvmpi->SuspendThread(env); jvmpi->SuspendThread(env);\njvmpi->ResumeThread(env);       /* it runs */",
    }
    /// A raw monitor that somebody else, or nobody, owns.
    MonitorNotOwned = "monitor-not-owned", "raw monitor not owned", Error {
        what: "RawMonitorExit, RawMonitorWait or RawMonitorNotifyAll by a thread that is not inside the monitor.",
        why: "Nothing happens, silently: RawMonitorWait returns at once (a loop around it burns a processor), the notification is lost, the lock stays.",
        section: "RawMonitorWait: \"if the raw monitor is not owned by the thread executing RawMonitorWait, waiting will not occur\"",
        example: "jvmpi->RawMonitorNotifyAll(lock);            /* wrong */\njvmpi->RawMonitorEnter(lock); jvmpi->RawMonitorNotifyAll(lock); jvmpi->RawMonitorExit(lock);",
    }
    /// A raw monitor is destroyed under its users.
    MonitorInUse = "monitor-in-use", "raw monitor destroyed in use", Error {
        what: "RawMonitorDestroy of a monitor that a thread is inside of, or waits on.",
        why: "Its RawMonitorExit, or its return from RawMonitorWait, goes to freed memory.",
        section: "RawMonitorDestroy",
        example: "jvmpi->RawMonitorEnter(lock); jvmpi->RawMonitorDestroy(lock); jvmpi->RawMonitorExit(lock);",
    }
    /// A handler goes and keeps the lock.
    MonitorKept = "monitor-kept", "raw monitor not left", Error {
        what: "A handler returns, or a thread ends, inside a raw monitor that it has entered there (GC_START is the exception: it may keep locks until GC_FINISH).",
        why: "The thread goes on into the program with the lock, and the next handler that wants it waits for as long.",
        section: "Overview, Threading and Locking Issues",
        example: "jvmpi->RawMonitorEnter(lock);\nif (!wanted) return;            /* this way out forgets RawMonitorExit */\njvmpi->RawMonitorExit(lock);",
    }
    /// Locks in two orders.
    LockOrder = "lock-order", "lock-order cycle", Warning {
        what: "Raw monitors are entered in one order here and in another there. A collection counts as a lock: GC_START takes it, and DisableGC waits for it.",
        why: "Two threads that do so at the same time wait for each other for ever. It need not have happened in this run.",
        section: "Overview, Threading and Locking Issues: \"Different threads must not enter the same set of locks in different orders\"",
        example: "/* thread 1 */ jvmpi->RawMonitorEnter(a); jvmpi->RawMonitorEnter(b);\n/* thread 2 */ jvmpi->RawMonitorEnter(b); jvmpi->RawMonitorEnter(a);",
    }
    /// Too early.
    BeforeInitDone = "before-init-done", "call before JVM_INIT_DONE", Error {
        what: "CreateSystemThread, RunGC, SuspendThread, SuspendThreadList or RequestEvent of a dump before JVM_INIT_DONE.",
        why: "There are no threads to create or stop and no heap to walk yet; hosts answer with an error or crash.",
        section: "CreateSystemThread: \"only after the JVM notifies a JVMPI_EVENT_INIT_DONE\"",
        example: "jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved) {\n    …\n    jvmpi->CreateSystemThread(\"sampler\", JVMPI_MAXIMUM_PRIORITY, run); /* do it in JVM_INIT_DONE */",
    }
    /// No handler.
    NotifyUnset = "notify-unset", "NotifyEvent not set", Error {
        what: "Events are enabled, but NotifyEvent is NULL when the VM is up, or when an event is requested.",
        why: "Hosts call what stands in that slot: some NULL, some a function that ends the VM. The events are lost at best.",
        section: "Overview, Function Call Interface: \"The profiler agent must set up the NotifyEvent function pointer before returning from JVM_OnLoad\"",
        example: "jvmpi->NotifyEvent = notify;    /* before the first EnableEvent */",
    }
    /// Another handler.
    NotifyChanged = "notify-changed", "NotifyEvent changed", Warning {
        what: "NotifyEvent is set to another function while events are delivered.",
        why: "Threads in the middle of an event still use the old one, and hosts may have copied the pointer. Two agents in one VM do this to each other.",
        section: "Overview, Function Call Interface; \"only one agent per virtual machine can be supported\"",
        example: "jvmpi->NotifyEvent = detailed ? notify_all : notify_some;   /* one handler that looks at a flag */",
    }
    /// The event's memory, used afterwards.
    EventMemory = "event-memory", "data kept after NotifyEvent", Error {
        what: "The agent uses the memory of an event after its handler has returned. With check=on that memory, strings and tables included, is a copy that is overwritten with 0xDB afterwards and not used again before some 16 GB of events have gone by: what the agent reads there is nonsense, and is recognised when it is passed to a function, however late. (64 MB in a process of 32 bits or with limited memory: ulimit -v or -d, vm.overcommit_memory=2. What is larger than a megabyte is overwritten and freed at once, and so is everything where the system refuses the addresses or memfd_create, which a warning says: a use of that is found only while nobody else has written there.)",
        why: "\"The space … is freed by the virtual machine once this function returns\": the agent reads whatever is there next.",
        section: "NotifyEvent: \"The profiler agent must copy any necessary data it needs to retain into its internal buffers\"",
        example: "last = event;                   /* wrong: *last = *event; and strdup() what it points to */\nname = event->u.class_load.class_name;",
    }
    /// The answer to CLASS_LOAD_HOOK.
    HookProtocol = "hook-protocol", "CLASS_LOAD_HOOK protocol", Error {
        what: "The handler of CLASS_LOAD_HOOK leaves new_class_data or new_class_data_len unset, gives a buffer that is not from malloc_f, changes class_data in place, or a length that does not fit.",
        why: "The VM takes NULL for out-of-memory and refuses the class, frees what it did not allocate, or parses garbage.",
        section: "JVMPI_EVENT_CLASS_LOAD_HOOK: \"It must set both new_class_data and new_class_data_len to the old values if it chooses not to instrument this class\"",
        example: "event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;\nevent->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;",
    }
    /// JNI at the wrong moment.
    JniInHandler = "jni-in-handler", "JNI in a handler where it is forbidden", Error {
        what: "A JNI function is called by the agent in a handler whose event is issued with GC disabled or in thread-suspended mode, between DisableGC and EnableGC, or while the thread has suspended others.",
        why: "JNI functions allocate, wait for collections and take locks of the VM. In such a mode that ends in a deadlock or a crash.",
        section: "Note on JNI: \"The profiler agent may only invoke JNI functions in multithreaded mode\"; jobjectID2jobject: in GC-disabled mode \"it not safe to call JNI functions\"",
        example: "case JVMPI_EVENT_OBJECT_ALLOC:\n    (*env)->FindClass(env, \"java/lang/String\");   /* remember the id, look later */",
    }
    /// Each thread has its own.
    ForeignEnv = "foreign-env", "JNIEnv of another thread", Error {
        what: "A JNI function is called by the agent with the JNIEnv of a thread that is not the calling one, one of a virtual thread that no carrier runs included.",
        why: "The VM works on that thread's references and exceptions beside it, and crashes sooner or later. With the JNIEnv of a virtual thread nothing is done here, and the function fails.",
        section: "JNI specification, The Invocation API: \"the interface pointer is valid only in the current thread\"",
        example: "saved = event->env_id;                        /* in THREAD_START */\n…\n(*saved)->FindClass(saved, \"java/lang/String\"); /* on another thread: ask GetEnv for its own */",
    }
    /// A function that was not asked for.
    SlotBeyondVersion = "slot-beyond-version", "function beyond the version asked for", Error {
        what: "A function of JVMPI 1.1 or 1.2 (jobjectID2jobject, jobject2jobjectID, SuspendThreadList, ResumeThreadList) is called by an agent that asked GetEnv for an older version.",
        why: "The table of an older host ends before that slot: the agent jumps to whatever lies there.",
        section: "JVMPI_Interface; GetEnv",
        example: "vm->GetEnv(&jvmpi, JVMPI_VERSION_1);\njvmpi->jobject2jobjectID(object);            /* ask for JVMPI_VERSION_1_1 */",
    }
    /// NULL and nonsense.
    BadArgument = "bad-argument", "bad argument", Error {
        what: "An argument that no host can make sense of: no memory for the trace, the list or its results, a negative depth or count, a count beyond all threads there can be, a name that is NULL or no string, no function for the thread, no such event.",
        why: "There is no failure value to most of these calls: hosts crash.",
        section: "the function's arguments",
        example: "jvmpi->CreateSystemThread(NULL, JVMPI_NORMAL_PRIORITY, run);",
    }
    /// A number that is no priority.
    BadPriority = "bad-priority", "priority without a name", Warning {
        what: "CreateSystemThread with another priority than JVMPI_MINIMUM_PRIORITY, JVMPI_NORMAL_PRIORITY or JVMPI_MAXIMUM_PRIORITY.",
        why: "Some hosts bring it into 1 to 10, others refuse to start the thread.",
        section: "CreateSystemThread, priority",
        example: "jvmpi->CreateSystemThread(\"writer\", 7, run);",
    }
    /// EnableEvent for what can only be requested, and the reverse.
    WrongWay = "wrong-way", "event asked for in the wrong way", Warning {
        what: "EnableEvent of HEAP_DUMP, MONITOR_DUMP or OBJECT_DUMP, which come on request only; RequestEvent of an event that cannot be requested.",
        why: "The answer is JVMPI_NOT_AVAILABLE: the event never comes.",
        section: "EnableEvent; RequestEvent: \"cannot be used to request other events not listed above\"",
        example: "jvmpi->EnableEvent(JVMPI_EVENT_HEAP_DUMP, NULL);    /* RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) */",
    }
    /// ThreadHasRun of a running thread.
    HasRunUnsuspended = "has-run-unsuspended", "ThreadHasRun of a thread that is not suspended", Warning {
        what: "ThreadHasRun is asked of a thread that the agent has not suspended.",
        why: "The answer is only defined between the second suspension and the next resumption; otherwise it is chance.",
        section: "ThreadHasRun: \"must be called when the thread has been resumed … and then suspended again\"",
        example: "if (jvmpi->ThreadHasRun(env)) jvmpi->SuspendThread(env);   /* suspend, ask, then take the trace */",
    }
    /// METHOD_EXIT before METHOD_ENTRY.
    ExitBeforeEntry = "exit-before-entry", "METHOD_EXIT enabled before METHOD_ENTRY", Warning {
        what: "METHOD_ENTRY is enabled when METHOD_EXIT is on already, and exits have come in between that no entry had told of.",
        why: "An agent that keeps stacks of its own pops what it has never pushed. (Methods that run already when METHOD_ENTRY comes on have exits without entries in any order: an exit on an empty stack is to be ignored.)",
        section: "EnableEvent; JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT: each is sent from the moment on that it is enabled",
        example: "jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);\njvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);   /* the other way round, or both in JVM_OnLoad */",
    }
    /// An id of before the last collection.
    IdOverGc = "id-over-gc", "id kept over a collection", Warning {
        what: "A jobjectID is passed that the agent was last given before a collection that it has heard of (by an event, or as the result of a call), while OBJECT_MOVE is not enabled.",
        why: "On the hosts of the period ids are addresses and objects move in collections: OBJECT_MOVE says what the new id is. Without it the agent asks about whatever lies there now. (Ids of ours stay: here it goes well.)",
        section: "Overview, JVMPI IDs; JVMPI_EVENT_OBJECT_MOVE",
        example: "thread_object = event->u.thread_start.thread_id;    /* in THREAD_START */\n…\njvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread_object);   /* GetThreadObject(env) again, or OBJECT_MOVE */",
    }
    /// An exception out of a handler.
    Exception = "exception-escapes", "exception leaves the agent", Error {
        what: "A C++ exception leaves NotifyEvent, JVM_OnLoad or the function of a system thread.",
        why: "There is nobody to catch it but the VM, which is not written in C++ that knows it: the process ends. (Here it is caught.)",
        section: "NotifyEvent is a C function",
        example: "void notify(JVMPI_Event *event) { handle(event); }  /* try { … } catch (...) {} */",
    }
    /// Handlers that take their time.
    SlowHandler = "slow-handler", "slow handler", Warning {
        what: "A handler took 100 ms or more, without what its thread waited for a processor, which is the machine's load; how much of it the thread ran is said. Not counted are the events that invite work: JVM_INIT_DONE, JVM_SHUT_DOWN, DATA_DUMP_REQUEST, DATA_RESET_REQUEST, HEAP_DUMP and MONITOR_DUMP. The histogram of all handlers is printed with it.",
        why: "The program waits as long; with a lock held, or in a collection, all of it does.",
        section: "Overview, Event Notification",
        example: "case JVMPI_EVENT_CLASS_LOAD:\n    write_to_socket(event);         /* hand it to a thread of your own */",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole() {
        for (row, rule) in RULES.iter().zip(Rule::ALL) {
            assert_eq!(row.rule, rule);
            assert_eq!(rule.row().id, row.id);
            assert_eq!(Rule::from_id(row.id), Some(rule));
            assert!(
                row.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            );
            for text in [row.what, row.why, row.section, row.example] {
                assert!(text.len() > 10, "{}", row.id);
            }
            assert!(
                !row.name.contains('\n') && !row.what.contains('\n') && !row.why.contains('\n')
            );
        }
        assert_eq!(Rule::from_id(""), None);
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        for rule in Rule::ALL {
            let mut set = RuleSet::default();
            assert!(set.insert(rule) && !set.insert(rule));
            assert!(
                Rule::ALL
                    .iter()
                    .all(|&other| set.contains(other) == (other == rule))
            );
        }
    }
}
