//! The tables and their columns.

/// What a column holds; every value but those that are [`Column::always`] there may be NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number of 64 bits.
    Number,
    /// UTF-8; what was none has marks in place of what could not be read.
    Text,
    /// Microseconds since 1970.
    Instant,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it is never NULL.
    pub always: bool,
    /// What it says.
    pub what: &'static str,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// What a row is.
    pub row: &'static str,
    /// Its columns; `process`, by which the files lie in folders, is none of them.
    pub columns: &'static [Column],
}

impl Table {
    /// The place of a column.
    #[must_use]
    pub const fn place(&self, name: &str) -> Option<usize> {
        let mut rest = self.columns;
        let mut place = 0;
        while let [first, others @ ..] = rest {
            if same(first.name.as_bytes(), name.as_bytes()) {
                return Some(place);
            }
            rest = others;
            place += 1;
        }
        None
    }
}

/// `==`, for constants.
const fn same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([first, rest @ ..], [its_first, its_rest @ ..]) = (one, other) {
        if *first != *its_first {
            return false;
        }
        (one, other) = (rest, its_rest);
    }
    one.is_empty() && other.is_empty()
}

impl Column {
    const fn of(name: &'static str, kind: Kind, what: &'static str) -> Self {
        Self {
            name,
            kind,
            always: false,
            what,
        }
    }

    const fn always(mut self) -> Self {
        self.always = true;
        self
    }
}

const fn number(name: &'static str, what: &'static str) -> Column {
    Column::of(name, Kind::Number, what)
}

const fn text(name: &'static str, what: &'static str) -> Column {
    Column::of(name, Kind::Text, what)
}

const fn instant(name: &'static str, what: &'static str) -> Column {
    Column::of(name, Kind::Instant, what)
}

/// The process.
pub static PROCESSES: Table = Table {
    name: "processes",
    row: "a recording",
    columns: &[
        number("pid", "process id").always(),
        text("file", "the recording").always(),
        instant("started", "when recording began"),
        number("nanos", "from then to the last record").always(),
        text("libjvmpi", "version"),
        text("vm", "the VM's name and version"),
        text("agent", "the agent's library"),
        text("options", "the agent's options"),
        text("settings", "options of libjvmpi.so"),
        text("command", "the command line"),
        text(
            "problems",
            "what is wrong with the recording; NULL if it is whole",
        ),
    ],
};

/// Threads.
pub static THREADS: Table = Table {
    name: "threads",
    row: "a thread, virtual ones among them",
    columns: &[
        number("thread", "by this number other tables name it").always(),
        text("name", ""),
        text("group_name", ""),
        text("parent_name", "of its group's parent"),
        number("env", "the `JNIEnv` by which the agent knew it").always(),
        number("started", "nanoseconds; NULL without THREAD_START"),
        number("ended", "nanoseconds; NULL without THREAD_END"),
    ],
};

/// Classes.
pub static CLASSES: Table = Table {
    name: "classes",
    row: "a class, as the agent was told of it, or an array's",
    columns: &[
        number("class", "by this number other tables name it").always(),
        text(
            "name",
            "NULL if the agent was not told; arrays end with `[]`",
        ),
        text("source", "the source file"),
        number("interfaces", "how many"),
        number(
            "id",
            "the `jobjectID` by which the agent knew it; NULL for arrays",
        ),
        number("loaded", "nanoseconds"),
        number("unloaded", "nanoseconds"),
    ],
};

/// Methods.
pub static METHODS: Table = Table {
    name: "methods",
    row: "a method, as CLASS_LOAD tells of it",
    columns: &[
        number("method", "by this number other tables name it").always(),
        number("class", "`classes.class`"),
        text("name", "NULL if the agent was not told"),
        text("signature", ""),
        number("start_line", ""),
        number("end_line", ""),
        number("id", "the `jmethodID` by which the agent knew it").always(),
    ],
};

/// Events.
pub static EVENTS: Table = Table {
    name: "events",
    row: "an event that the agent was given",
    columns: &[
        number("number", "in the order of time, together with calls").always(),
        number("nanos", "since recording began").always(),
        text("event", "its name in the specification").always(),
        number("requested", "1 if the agent asked for it").always(),
        number("thread", "`threads.thread`; NULL for events of no thread"),
        number("method", "`methods.method`"),
        number(
            "class",
            "`classes.class`: of the object, or what is loaded or unloaded",
        ),
        number(
            "object",
            "`jobjectID`; one number after the other may name several",
        ),
        number("size", "bytes: of the object, of compiled code"),
        number("arena", ""),
        number("new_arena", "OBJECT_MOVE"),
        number("new_object", "OBJECT_MOVE"),
        text("name", "of an arena, of a raw monitor"),
        number("monitor", "a raw monitor"),
        number("timeout", "milliseconds: MONITOR_WAIT and WAITED"),
        number("reference", "a JNI reference"),
        number("code", "address of compiled code"),
        number(
            "bytecode",
            "INSTRUCTION_START: the offset of the instruction",
        ),
        number("operand0", ""),
        number("operand1", ""),
        number("operand2", ""),
        number(
            "bytes",
            "length of a class file, of a dump, of an agent's data",
        ),
        number("level", "HEAP_DUMP"),
        number("used_objects", "GC_FINISH"),
        number("used_space", "GC_FINISH"),
        number("total_space", "GC_FINISH"),
    ],
};

/// Calls.
pub static CALLS: Table = Table {
    name: "calls",
    row: "a call of the agent's, or of a function of the agent's",
    columns: &[
        number("number", "in the order of time, together with events").always(),
        number("nanos", "since recording began").always(),
        number(
            "ended",
            "nanoseconds; NULL if nothing was recorded in between, or it never returned",
        ),
        text(
            "function",
            "its name in the specification; `agent function`",
        )
        .always(),
        number(
            "thread",
            "`threads.thread` of the caller, as far as it had an event",
        ),
        number(
            "event",
            "`events.number` of the event in whose handler it was made",
        ),
        text("event_type", "EnableEvent, DisableEvent, RequestEvent"),
        number("of_thread", "`threads.thread` of the argument"),
        number("method", "`methods.method`: GetMethodClass"),
        number("object", "`jobjectID`, argument or result"),
        number("reference", "a JNI reference, argument or result"),
        number("monitor", "a raw monitor, argument or result"),
        text(
            "name",
            "of a raw monitor, of a system thread; options of the agent",
        ),
        number("millis", "RawMonitorWait"),
        number(
            "value",
            "depth, level, priority, version or error code: the argument that is a number",
        ),
        number("address", "an argument or result that is a pointer"),
        number("result", "what it gave"),
        number(
            "frames",
            "GetCallTrace: how many; SuspendThreadList, ResumeThreadList: how many threads",
        ),
        number("stack", "`stacks.stack`: GetCallTrace"),
        text("caller", "GetEnv: the file and the place that it came from"),
    ],
};

/// Stacks.
pub static STACKS: Table = Table {
    name: "stacks",
    row: "a frame of a stack; equal stacks mostly have one number",
    columns: &[
        number("stack", "by this number other tables name it").always(),
        number("depth", "0 is the innermost frame").always(),
        number("method", "`methods.method`").always(),
        number(
            "line",
            "as the agent was given it: -1 unknown, -2 compiled code, -3 native",
        ),
    ],
};

/// Traces of dumps.
pub static TRACES: Table = Table {
    name: "traces",
    row: "a thread's stack in a HEAP_DUMP or MONITOR_DUMP",
    columns: &[
        number("event", "`events.number`").always(),
        number("thread", "`threads.thread`"),
        number("status", "as GetThreadStatus has it: MONITOR_DUMP"),
        number("stack", "`stacks.stack`; NULL if it has no frames"),
    ],
};

/// All of them.
pub static TABLES: [&Table; 8] = [
    &PROCESSES, &THREADS, &CLASSES, &METHODS, &EVENTS, &CALLS, &STACKS, &TRACES,
];

/// The tables and their columns, as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::new();
    for table in TABLES {
        text.push_str(&format!(
            "\n`{}`: {}\n\n| column | |\n|---|---|\n",
            table.name, table.row
        ));
        for column in table.columns {
            let kind = match column.kind {
                Kind::Number => "",
                Kind::Text => "text",
                Kind::Instant => "timestamp",
            };
            let parts = [kind, column.what]
                .into_iter()
                .filter(|part| !part.is_empty());
            let says = parts.collect::<Vec<_>>().join("; ");
            text.push_str(&format!("| `{}` | {says} |\n", column.name));
        }
    }
    text
}
