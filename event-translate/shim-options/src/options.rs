//! The shim's own options, as a table and as values.
//!
//! They come from the agent-path string, `JVMPI_OPTIONS` and `xrun --set`
//! ([`crate::agent_spec`] takes those apart). A wrong one never stops a program:
//! it costs one line and the default stays. Long since it is one table with a row for each option.

#[cfg(test)]
mod tests;

use crate::class_filter::ClassFilter;
use crate::host::Host;
use agent_check::{Rule, RuleSet};
use event_translate::class_name::ClassNames;
use event_translate::internals::{Internal, InternalSet, Proof};

/// What the log tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What an agent asked for and cannot have, once.
    #[default]
    Warn,
    /// What the shim does.
    Info,
    /// Every call.
    Trace,
}

/// The clock behind `GetCurrentThreadCpuTime` (facts B.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuTime {
    /// The thread's CPU time, as HotSpot had it.
    #[default]
    Cpu,
    /// The time on the wall, as Classic had it: the times that HPROF prints for
    /// monitors make sense only so.
    Wall,
}

/// How method events are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodEvents {
    /// Hooks in the bytecode.
    #[default]
    Fast,
    /// JVMTI's own events: the whole VM interprets.
    Exact,
    /// They never come.
    Off,
}

/// What the agent hears of virtual threads (JDK 21 and later).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VirtualThreads {
    /// They are threads.
    #[default]
    Threads,
    /// What they do is their carriers' doing; no events that belong to threads.
    Carriers,
    /// Nothing of what they do is told.
    Off,
}

/// Whether the agent is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// It is not.
    #[default]
    Off,
    /// It is; what is found stands on stderr at the end.
    On,
    /// The same, and a run with errors ends with an exit code that tells so.
    Fail,
}

/// All options with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `log=`
    pub log: LogLevel,
    /// `log-file=`, `%p` and the like not yet filled in; standard error if none.
    pub log_file: Option<String>,
    /// `class-names=`
    pub class_names: ClassNames,
    /// `cpu-time=`
    pub cpu_time: CpuTime,
    /// `arenas=`
    pub arenas: arena_models::Kind,
    /// `ids=renumber`: an object that moves gets a new id.
    pub renumber: bool,
    /// `method-events=`
    pub method_events: MethodEvents,
    /// `instructions=on`: INSTRUCTION_START can be enabled.
    pub instructions: bool,
    /// `include=` and `exclude=`
    pub classes: ClassFilter,
    /// `small-methods=skip`
    pub skip_small_methods: bool,
    /// `method-budget=`, in percent.
    pub method_budget: Option<u8>,
    /// `alloc-interval=`, in bytes; 0: every object.
    pub alloc_interval: i32,
    /// `virtual-threads=`
    pub virtual_threads: VirtualThreads,
    /// `host=`
    pub host: Host,
    /// `lookupswitch=is-default`
    pub lookup_is_default: bool,
    /// `check=`
    pub check: Check,
    /// `check-suppress=`
    pub check_suppress: RuleSet,
    /// `check-report=`, `%p` and the like not yet filled in.
    pub check_report: Option<String>,
    /// `agent-needed=`, a process id.
    pub agent_needed: Option<u32>,
    /// `usage=`, `%p` and the like not yet filled in.
    pub usage: Option<String>,
    /// `trace=`, `%p` and the like not yet filled in.
    pub trace: Option<String>,
    /// `trace-since=`, nanoseconds since 1970.
    pub trace_since: Option<u64>,
    /// `without=`
    pub without: InternalSet,
    /// `trace-force=on`: the file of `trace=` is replaced whatever it is.
    pub trace_force: bool,
    /// `trace-jvmti=off`: agents that speak JVMTI are not recorded.
    pub trace_no_jvmti: bool,
}

/// One option, for help texts; [`Options::apply`] reads the same row.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// Its key.
    pub name: &'static str,
    /// What it may be set to: `off|warn`, or a word for any text.
    pub values: &'static str,
    /// What it is when nobody sets it.
    pub default: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// Puts a value in; none if it is not one.
    set: fn(&mut Options, &str) -> Option<()>,
}

/// All options.
pub static OPTIONS: [OptionRow; 26] = [
    OptionRow {
        name: "log",
        values: "off|warn|info|trace",
        default: "warn",
        doc: "how much the shim says; warn: only what an agent asks for and cannot have",
        set: |options, value| {
            options.log = match value {
                "off" => LogLevel::Off,
                "warn" => LogLevel::Warn,
                "info" => LogLevel::Info,
                "trace" => LogLevel::Trace,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "log-file",
        values: "PATH",
        default: "standard error",
        doc: "where the log goes; %p becomes the process id, %h the host, %t the time, %x{NAME} a variable of the environment",
        set: |options, value| {
            if value.is_empty() {
                return None;
            }
            options.log_file = Some(value.to_owned());
            Some(())
        },
    },
    OptionRow {
        name: "class-names",
        values: "dots|slashes",
        default: "dots",
        doc: "java.lang.String as HotSpot gave class names, or java/lang/String as Classic did",
        set: |options, value| {
            options.class_names = match value {
                "dots" => ClassNames::Dots,
                "slashes" => ClassNames::Slashes,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "cpu-time",
        values: "cpu|wall",
        default: "cpu",
        doc: "the clock of GetCurrentThreadCpuTime: the thread's CPU time as HotSpot had it, or the time on the wall as Classic did",
        set: |options, value| {
            options.cpu_time = match value {
                "cpu" => CpuTime::Cpu,
                "wall" => CpuTime::Wall,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "arenas",
        values: "hotspot|mark-sweep|mark-compact|two-space|generational|reference-counting|cvm",
        default: "hotspot",
        doc: "which collector's ARENA_NEW, ARENA_DELETE and OBJECT_MOVE agents are shown; hotspot: none, as agents met it in practice",
        set: |options, value| {
            options.arenas = arena_models::Kind::from_name(value)?;
            Some(())
        },
    },
    OptionRow {
        name: "ids",
        values: "stable|renumber",
        default: "stable",
        doc: "whether an object that moves (see arenas) keeps its id or gets a new one, to test how an agent handles OBJECT_MOVE",
        set: |options, value| {
            options.renumber = match value {
                "stable" => false,
                "renumber" => true,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "method-events",
        values: "fast|exact|off",
        default: "fast",
        doc: "how METHOD_ENTRY and METHOD_EXIT are made: by hooks in the bytecode, by JVMTI's own events (ten times slower, but nothing escapes them), or never",
        set: |options, value| {
            options.method_events = match value {
                "fast" => MethodEvents::Fast,
                "exact" => MethodEvents::Exact,
                "off" => MethodEvents::Off,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "instructions",
        values: "off|on",
        default: "off",
        doc: "whether INSTRUCTION_START can be enabled, which costs much; HotSpot wanted a flag for it, too",
        set: |options, value| {
            options.instructions = match value {
                "off" => false,
                "on" => true,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "include",
        values: "PREFIX+PREFIX",
        default: "all classes",
        doc: "method and instruction events only of classes whose names begin so, say com.acme.+org.example.",
        set: |options, value| options.classes.include(value),
    },
    OptionRow {
        name: "exclude",
        values: "PREFIX+PREFIX",
        default: "none",
        doc: "no method and instruction events of classes whose names begin so",
        set: |options, value| options.classes.exclude(value),
    },
    OptionRow {
        name: "small-methods",
        values: "all|skip",
        default: "all",
        doc: "skip: no METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT of methods that have few bytecodes and neither call, loop, make an array nor lock, nor of the JDK's natives that the VM answers in some instructions",
        set: |options, value| {
            options.skip_small_methods = match value {
                "all" => false,
                "skip" => true,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "method-budget",
        values: "PERCENT, or off",
        default: "off",
        doc: "methods whose METHOD_ENTRY and METHOD_EXIT cost more than they measure have none any more, the most expensive ones first, once all together cost more than so much of the CPU time; the log and HPROF say which",
        set: |options, value| {
            options.method_budget = match value {
                "off" => None,
                percent => Some(percent.parse().ok().filter(|it| (1..=100).contains(it))?),
            };
            Some(())
        },
    },
    OptionRow {
        name: "alloc-interval",
        values: "SIZE, say 512k",
        default: "0, every object",
        doc: "OBJECT_ALLOC and OBJECT_FREE only of objects that the VM picks, one in so many bytes on average; the others are unknown to the agent until something names them",
        set: |options, value| {
            options.alloc_interval = parse_size(value)?;
            Some(())
        },
    },
    OptionRow {
        name: "virtual-threads",
        values: "threads|carriers|off",
        default: "threads",
        doc: "whether virtual threads (JDK 21 and later) are threads to the agent, each with a JNIEnv of its own, are seen as their carriers, which costs less, or are not seen at all",
        set: |options, value| {
            options.virtual_threads = match value {
                "threads" => VirtualThreads::Threads,
                "carriers" => VirtualThreads::Carriers,
                "off" => VirtualThreads::Off,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "trace",
        values: "PATH",
        default: "none",
        doc: "records every event and every call of the agent in this file, for `xrun trace` and `xrun replay`; %p becomes the process id, %h the host, %t the time, %x{NAME} a variable of the environment",
        set: |options, value| {
            if value.is_empty() {
                return None;
            }
            options.trace = Some(value.to_owned());
            Some(())
        },
    },
    OptionRow {
        name: "trace-since",
        values: "NANOSECONDS",
        default: "none",
        doc: "a file of trace= that was changed after this moment, counted from 1970, is another process's of the same run and stays; `xrun trace -o` sets it",
        set: |options, value| {
            options.trace_since = Some(value.parse().ok()?);
            Some(())
        },
    },
    OptionRow {
        name: "trace-force",
        values: "off|on",
        default: "off",
        doc: "whether a file that is no recording is replaced, if trace= names one; `xrun trace --force` sets it",
        set: |options, value| {
            options.trace_force = match value {
                "off" => false,
                "on" => true,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "trace-jvmti",
        values: "on|off",
        default: "on",
        doc: "whether trace= also records what passes between the VM and agents that speak JVMTI and are loaded after libjvmpi.so",
        set: |options, value| {
            options.trace_no_jvmti = match value {
                "on" => false,
                "off" => true,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "host",
        values: "any|classic-1.2|hotspot-1.4.2|cvm",
        default: "any",
        doc: "which host of the period is simulated, where they differ; options that are named after it win",
        set: set_host,
    },
    OptionRow {
        name: "lookupswitch",
        values: "pairs-total|is-default",
        default: "pairs-total",
        doc: "what INSTRUCTION_START says of a lookupswitch besides the pair: how many there are (index == total: the default), as hosts had it, or whether the default is taken, as the last specification reads",
        set: |options, value| {
            options.lookup_is_default = match value {
                "pairs-total" => false,
                "is-default" => true,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "check",
        values: "off|on|fail",
        default: "off",
        doc: "whether the agent's calls and handlers are held against the specification (CHECKS.md); with fail a run that broke a rule ends with exit code 3",
        set: |options, value| {
            options.check = match value {
                "off" => Check::Off,
                "on" => Check::On,
                "fail" => Check::Fail,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "check-suppress",
        values: "RULE+RULE",
        default: "none",
        doc: "rules that are not checked, by their ids in CHECKS.md",
        set: |options, value| {
            let mut rules = options.check_suppress;
            for id in value.split('+') {
                rules.insert(Rule::from_id(id)?);
            }
            options.check_suppress = rules;
            Some(())
        },
    },
    OptionRow {
        name: "check-report",
        values: "PATH",
        default: "none",
        doc: "what check= finds goes to this file instead of the log; `xrun --check` with --findings or --suppress sets it, and reads the file; %p becomes the process id, %h the host, %t the time, %x{NAME} a variable of the environment",
        set: |options, value| {
            if value.is_empty() {
                return None;
            }
            options.check_report = Some(value.to_owned());
            Some(())
        },
    },
    OptionRow {
        name: "agent-needed",
        values: "PID",
        default: "none",
        doc: "a run of this process that no agent took part in, while check=fail or trace= waited for one, ends with exit code 4; `xrun --check=fail` and `xrun trace -o` set it",
        set: |options, value| {
            options.agent_needed = Some(value.parse().ok()?);
            Some(())
        },
    },
    OptionRow {
        name: "usage",
        values: "PATH",
        default: "none",
        doc: "counts what the agent uses of JVMPI and writes it to this file, for `xrun report`; %p becomes the process id, %h the host, %t the time, %x{NAME} a variable of the environment",
        set: |options, value| {
            if value.is_empty() {
                return None;
            }
            options.usage = Some(value.to_owned());
            Some(())
        },
    },
    OptionRow {
        name: "without",
        values: "NAME+NAME",
        default: "none",
        doc: "for tests: as if this VM had not these of its internals (MATRIX.md has the names); `untried`: all that a JDK newer than those we know cannot be trusted with",
        set: |options, value| {
            let mut without = options.without;
            for name in value.split('+') {
                if name == "untried" {
                    Internal::ALL
                        .iter()
                        .filter(|it| it.row().proof == Proof::KnownJdks)
                        .for_each(|&it| without.insert(it));
                } else {
                    without.insert(Internal::named(name)?);
                }
            }
            options.without = without;
            Some(())
        },
    },
];

/// Bytes, or with `k` or `m` behind them so many KiB or MiB; JVMTI's limit is that of an `int`.
fn parse_size(text: &str) -> Option<i32> {
    let (digits, unit) = match text.as_bytes().split_last()? {
        (b'k' | b'K', _) => (text.get(..text.len() - 1)?, 1 << 10),
        (b'm' | b'M', _) => (text.get(..text.len() - 1)?, 1 << 20),
        _ => (text, 1),
    };
    let digits = digits
        .bytes()
        .all(|c| c.is_ascii_digit())
        .then_some(digits)?;
    digits.parse::<i32>().ok()?.checked_mul(unit)
}

/// Sets what a host is: options that were given before count no more.
fn set_host(options: &mut Options, name: &str) -> Option<()> {
    let row = Host::named(name)?;
    options.host = row.host;
    options.class_names = if row.slashes {
        ClassNames::Slashes
    } else {
        ClassNames::Dots
    };
    options.cpu_time = if row.wall_clock {
        CpuTime::Wall
    } else {
        CpuTime::Cpu
    };
    options.arenas = row.arenas.unwrap_or(options.arenas);
    options.lookup_is_default = row.lookup_is_default;
    Some(())
}

impl Options {
    /// Whether an option is called so.
    #[must_use]
    pub fn is_known(key: &str) -> bool {
        OPTIONS.iter().any(|row| row.name == key)
    }

    /// Sets one option.
    ///
    /// # Errors
    ///
    /// One line for the log; nothing has changed.
    pub fn apply(&mut self, key: &str, value: &str) -> Result<(), String> {
        let Some(row) = OPTIONS.iter().find(|row| row.name == key) else {
            let known = OPTIONS.each_ref().map(|row| row.name).join(", ");
            return Err(format!("unknown option `{key}={value}`; known: {known}"));
        };
        (row.set)(self, value).ok_or_else(|| {
            let (values, default) = (row.values, row.default);
            format!("option `{key}={value}` ignored; {key}={values}, default {default}")
        })
    }
}

/// Options that an agent may set, too, and what they are set to: nothing has read them yet
/// when it starts.
type OfAgents = (&'static str, fn(&Options) -> String);
const OF_AGENTS: [OfAgents; 5] = [
    ("alloc-interval", |options| {
        options.alloc_interval.to_string()
    }),
    ("include", |options| options.classes.included()),
    ("exclude", |options| options.classes.excluded()),
    ("small-methods", |options| {
        let set = if options.skip_small_methods {
            "skip"
        } else {
            "all"
        };
        set.to_owned()
    }),
    ("method-budget", |options| {
        let percent = options.method_budget;
        percent.map_or_else(|| "off".to_owned(), |percent| percent.to_string())
    }),
];

impl Options {
    /// Sets one option for the agent.
    ///
    /// # Errors
    ///
    /// One line for the log; nothing has changed.
    pub fn apply_for_agent(&mut self, key: &str, value: &str) -> Result<(), String> {
        if OF_AGENTS.iter().all(|&(name, _)| name != key) {
            let known = OF_AGENTS.map(|(name, _)| name).join(", ");
            return Err(format!(
                "`{key}={value}` is no option for agents; they are: {known}"
            ));
        }
        self.apply(key, value)
    }

    /// What an option that an agent may set is set to, sizes in bytes; empty if it is a list of
    /// nothing.
    #[must_use]
    pub fn value_for_agent(&self, key: &str) -> Option<String> {
        let (_, value) = OF_AGENTS.iter().find(|&&(name, _)| name == key)?;
        Some(value(self))
    }

    fn chooses_hooks(&self) -> bool {
        self.skip_small_methods || self.method_budget.is_some()
    }

    /// One line for each option that is set and that nothing will read.
    #[must_use]
    pub fn without_effect(&self) -> Vec<String> {
        let filtered = !self.classes.takes_all();
        let rows = [
            (
                self.renumber && self.arenas == arena_models::Kind::Hotspot,
                "ids=renumber: no object moves with arenas=hotspot; add arenas=generational, say",
            ),
            (
                self.lookup_is_default && !self.instructions,
                "lookupswitch=is-default: INSTRUCTION_START never comes; add instructions=on",
            ),
            (
                filtered && self.method_events == MethodEvents::Off && !self.instructions,
                "include= and exclude= choose whose method events come, and method-events=off; leave out one of them",
            ),
            (
                self.chooses_hooks() && self.method_events != MethodEvents::Fast,
                "small-methods= and method-budget= choose hooks, of which there are none without method-events=fast",
            ),
            (
                self.check == Check::Off && self.check_suppress != RuleSet::default(),
                "check-suppress: nothing is checked; add check=on",
            ),
            (
                self.trace_since.is_some() && self.trace.is_none(),
                "trace-since: nothing is recorded; add trace=FILE",
            ),
        ];
        let unread = rows.into_iter().filter(|(unread, _)| *unread);
        unread
            .map(|(_, line)| format!("option without effect: {line}"))
            .collect()
    }
}
