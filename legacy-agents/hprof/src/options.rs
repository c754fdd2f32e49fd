//! What stands behind `-Xrunhprof:`.

#[cfg(test)]
mod tests;

use std::num::NonZeroU16;

use terminal_text::nearest::did_you_mean;

/// What the user wants.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a y|n of the command line"
)]
pub struct Options {
    /// `heap=sites|all`.
    pub sites: bool,
    /// `heap=dump|all`.
    pub dump: bool,
    /// `cpu=`.
    pub cpu: Option<CpuMode>,
    /// `monitor=y`.
    pub monitor: bool,
    /// `format=`.
    pub format: Format,
    /// `file=` or `net=`.
    pub target: Target,
    /// `depth=`.
    pub depth: u32,
    /// `cutoff=`.
    pub cutoff: f64,
    /// `lineno=`.
    pub lineno: bool,
    /// `thread=`.
    pub thread: bool,
    /// `doe=`: dump on exit.
    pub doe: bool,
    /// `interval=`: between samples, in ms.
    pub interval: u32,
    /// `force=`: overwrite a file that is there.
    pub force: bool,
    /// `verbose=`.
    pub talk: Talk,
    /// `clock=`: what `cpu=times` measures.
    pub clock: Clock,
    /// `kernel=`: `cpu=samples` asks the kernel, too, who wants the processor.
    pub kernel: bool,
    /// `sample=`: bytes between two allocations that are picked; `None`: all are.
    pub sample: Option<u32>,
    /// `include=`, as the host takes it.
    pub include: Option<String>,
    /// `exclude=`, likewise.
    pub exclude: Option<String>,
    /// `traces=`: heap dumps say where each object was made.
    pub traces: bool,
    /// `small-methods=skip`, which the host does.
    pub skip_small: bool,
    /// `method-budget=`, in percent, likewise.
    pub budget: Option<u8>,
    /// `commands=`: whoever is connected by `net=` may ask for dumps, and end the VM.
    pub commands: bool,
}

/// `cpu=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuMode {
    /// Looks at what runs, now and then.
    Samples,
    /// Times every call.
    Times,
    /// Likewise, by caller and callee.
    Old,
}

/// `format=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `a`: text.
    Ascii,
    /// `b`: binary.
    Binary,
    /// One line per stack.
    Collapsed,
    /// A page with a flame graph.
    Flame,
    /// JSON.
    Json,
}

impl Format {
    const fn default_file(self) -> &'static str {
        match self {
            Self::Ascii => "java.hprof.txt",
            Self::Binary => "java.hprof",
            Self::Collapsed => "java.hprof.collapsed",
            Self::Flame => "java.hprof.html",
            Self::Json => "java.hprof.json",
        }
    }

    const fn default_depth(self) -> u32 {
        match self {
            Self::Ascii | Self::Binary => 4,
            Self::Collapsed | Self::Flame | Self::Json => 128,
        }
    }

    /// Of a format that our time has added: it shows stacks, not heap dumps.
    #[must_use]
    pub const fn is_new(self) -> bool {
        matches!(self, Self::Collapsed | Self::Flame | Self::Json)
    }
}

/// Where the output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file.
    File(String),
    /// A program that listens.
    Net {
        /// Its host.
        host: String,
        /// Its port.
        port: NonZeroU16,
    },
}

/// What is said on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talk {
    /// `verbose=n`: what goes wrong.
    Errors,
    /// That a dump is written, as HPROF always did.
    Dumps,
    /// `verbose=y`: tables for people as well.
    Tables,
}

/// What `cpu=times` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The time that a thread runs.
    Cpu,
    /// The time that passes.
    Wall,
}

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// `help`.
    Help,
    /// A profile.
    Profile(Box<Options>),
}

/// Longer stacks than programs have; who writes `depth=100000` wants all of them.
const MAX_DEPTH: u32 = 4096;

/// Reads the text behind the colon, empty if there is none.
///
/// # Errors
///
/// What is wrong with it, in words.
pub fn parse(text: &str) -> Result<Asked, String> {
    let mut read = Reader::default();
    for option in text.split(',').filter(|option| !option.is_empty()) {
        if option == "help" {
            return Ok(Asked::Help);
        }
        // Some tools, jcmd among them, cut what they are given at the first '='.
        let (key, value) = option
            .split_once('=')
            .or_else(|| option.split_once(':'))
            .ok_or_else(|| without_value(option))?;
        read.option(key, value)?;
    }
    read.finish()
        .map(|options| Asked::Profile(Box::new(options)))
}

/// The line for `cpu` alone: what jcmd leaves of `cpu=samples`.
fn without_value(option: &str) -> String {
    let value = match option {
        "heap" => "sites",
        "cpu" => "samples",
        "format" => "flame",
        "clock" => "wall",
        "file" => "NAME",
        "sample" => "512k",
        "include" | "exclude" => "com.acme.",
        "small-methods" => "skip",
        "method-budget" => "20",
        "net" => "HOST:PORT",
        "depth" => "8",
        "interval" => "10",
        "cutoff" => "0.001",
        "monitor" | "lineno" | "thread" | "doe" | "force" | "verbose" | "kernel" | "gc_okay"
        | "msa" => "y",
        "traces" => "n",
        _ => return format!("\"{option}\" is not an option"),
    };
    format!(
        "\"{option}\" has no value; write {option}={value}, or {option}:{value} where '=' is cut off, as by jcmd"
    )
}

/// What may stand before `=`.
const KEYS: [&str; 25] = [
    "heap",
    "cpu",
    "format",
    "clock",
    "file",
    "net",
    "depth",
    "interval",
    "cutoff",
    "sample",
    "include",
    "exclude",
    "monitor",
    "lineno",
    "thread",
    "doe",
    "force",
    "verbose",
    "kernel",
    "commands",
    "traces",
    "small-methods",
    "method-budget",
    "gc_okay",
    "msa",
];

#[derive(Default)]
struct Reader {
    heap: Option<(bool, bool)>,
    cpu: Option<Option<CpuMode>>,
    monitor: Option<bool>,
    format: Option<Format>,
    file: Option<String>,
    net: Option<(String, NonZeroU16)>,
    depth: Option<u32>,
    cutoff: Option<f64>,
    lineno: Option<bool>,
    thread: bool,
    doe: Option<bool>,
    interval: Option<u32>,
    force: Option<bool>,
    verbose: Option<bool>,
    clock: Option<Clock>,
    kernel: Option<bool>,
    commands: Option<bool>,
    traces: Option<bool>,
    sample: Option<u32>,
    include: Option<String>,
    exclude: Option<String>,
    skip_small: bool,
    budget: Option<u8>,
}

impl Reader {
    fn option(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |expected: &str| format!("{key}={value}: {expected} expected");
        let yes = || match value {
            "y" => Ok(true),
            "n" => Ok(false),
            _ => Err(wrong("y or n")),
        };
        match key {
            "heap" => {
                self.heap = Some(match value {
                    "sites" => (true, false),
                    "dump" => (false, true),
                    "all" => (true, true),
                    _ => return Err(wrong("dump, sites or all")),
                });
            }
            "cpu" => {
                self.cpu = Some(match value {
                    "samples" | "y" => Some(CpuMode::Samples),
                    "times" => Some(CpuMode::Times),
                    "old" => Some(CpuMode::Old),
                    "n" => None,
                    _ => return Err(wrong("samples, times or old")),
                });
            }
            "format" => {
                self.format = Some(match value {
                    "a" => Format::Ascii,
                    "b" => Format::Binary,
                    "collapsed" => Format::Collapsed,
                    "flame" => Format::Flame,
                    "json" => Format::Json,
                    _ => return Err(wrong("a, b, collapsed, flame or json")),
                });
            }
            "clock" => {
                self.clock = Some(match value {
                    "cpu" => Clock::Cpu,
                    "wall" => Clock::Wall,
                    _ => return Err(wrong("cpu or wall")),
                });
            }
            "file" if value.is_empty() => return Err(wrong("a file name")),
            "file" => self.file = Some(value.to_owned()),
            "net" => {
                self.net = Some(address(value).ok_or_else(|| wrong("host:port, port 1 to 65535"))?)
            }
            "depth" => {
                let depth: u32 = value.parse().map_err(|_| wrong("a number of frames"))?;
                self.depth = Some(depth.min(MAX_DEPTH));
            }
            "interval" => {
                let interval = value
                    .parse()
                    .ok()
                    .filter(|&ms| (1..=3_600_000).contains(&ms));
                self.interval = Some(interval.ok_or_else(|| wrong("a number of milliseconds"))?);
            }
            "cutoff" => {
                let cutoff = value
                    .parse()
                    .ok()
                    .filter(|share| (0.0..=1.0).contains(share));
                self.cutoff = Some(cutoff.ok_or_else(|| wrong("a share from 0 to 1"))?);
            }
            "sample" => {
                let interval = size(value);
                self.sample = Some(interval.ok_or_else(|| wrong("a size like 512k or 1m"))?);
            }
            "include" | "exclude" if value.is_empty() => return Err(wrong("a package or class")),
            "include" => self.include = Some(value.to_owned()),
            "exclude" => self.exclude = Some(value.to_owned()),
            "small-methods" => {
                self.skip_small = match value {
                    "skip" => true,
                    "all" => false,
                    _ => return Err(wrong("all or skip")),
                };
            }
            "method-budget" => {
                let percent = value.parse().ok().filter(|it| (1..=100).contains(it));
                self.budget = Some(percent.ok_or_else(|| wrong("a percentage from 1 to 100"))?);
            }
            "monitor" => self.monitor = Some(yes()?),
            "lineno" => self.lineno = Some(yes()?),
            "thread" => self.thread = yes()?,
            "doe" => self.doe = Some(yes()?),
            "force" => self.force = Some(yes()?),
            "verbose" => self.verbose = Some(yes()?),
            "kernel" => self.kernel = Some(yes()?),
            "commands" => self.commands = Some(yes()?),
            "traces" => self.traces = Some(yes()?),
            // Of VMs that are gone: there is no choice any more.
            "gc_okay" | "msa" => {
                let _ = yes()?;
            }
            _ => {
                let meant = did_you_mean(key, KEYS);
                return Err(format!("\"{key}\" is not an option{meant}"));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Options, String> {
        let nothing_chosen = self.heap.is_none() && self.cpu.is_none() && self.monitor.is_none();
        let (sites, dump) = self.heap.unwrap_or((nothing_chosen, nothing_chosen));
        let cpu = self.cpu.flatten();
        let monitor = self.monitor.unwrap_or(false);
        let format = self.format.unwrap_or(Format::Ascii);
        if format == Format::Binary && matches!(cpu, Some(CpuMode::Times | CpuMode::Old)) {
            return Err("format=b has no place for cpu=times and cpu=old".to_owned());
        }
        if format == Format::Binary && monitor {
            return Err("format=b has no place for monitor=y".to_owned());
        }
        let named = match (format, self.heap.is_some() && dump) {
            (Format::Collapsed, true) => Some("collapsed"),
            (Format::Flame, true) => Some("flame"),
            (Format::Json, true) => Some("json"),
            _ => None,
        };
        if let Some(format) = named {
            return Err(format!(
                "format={format} has no place for heap=dump and heap=all; heap=sites is what it shows of \
                 the heap, and format=a and format=b have dumps"
            ));
        }
        let kinds = [cpu.is_some(), sites || dump, monitor];
        if format == Format::Collapsed && kinds.into_iter().filter(|&kind| kind).count() > 1 {
            return Err(
                "format=collapsed has one kind of stacks: one of cpu=, heap= and monitor=y at a time; \
                 format=flame and format=json have all in one file"
                    .to_owned(),
            );
        }
        if self.sample.is_some() && !(sites || dump) {
            return Err("sample= picks allocations; it needs heap=".to_owned());
        }
        let times = matches!(cpu, Some(CpuMode::Times | CpuMode::Old));
        let chooses = self.include.is_some()
            || self.exclude.is_some()
            || self.skip_small
            || self.budget.is_some();
        if chooses && !times {
            return Err(
                "include=, exclude=, small-methods= and method-budget= choose what is timed; they need cpu=times or cpu=old"
                    .to_owned(),
            );
        }
        let target = match (self.file, self.net) {
            (Some(_), Some(_)) => return Err("file= and net= exclude each other".to_owned()),
            (None, Some((host, port))) => Target::Net { host, port },
            (file, None) => Target::File(file.unwrap_or_else(|| format.default_file().to_owned())),
        };
        let traces = self.traces.unwrap_or(true);
        let beside = sites || cpu.is_some() || self.sample.is_some();
        let to_a_file = format == Format::Binary && matches!(target, Target::File(_));
        let can_be_the_vms = dump && to_a_file && !beside;
        if !(traces || can_be_the_vms) {
            return Err(
                "traces=n is for heap=dump,format=b in a file, and nothing beside".to_owned(),
            );
        }
        let depth = match cpu {
            Some(CpuMode::Old) => 2,
            _ => self.depth.unwrap_or(format.default_depth()),
        };
        Ok(Options {
            // What those formats show of the heap is its sites.
            sites: sites || dump && format.is_new(),
            dump: dump && !format.is_new(),
            cpu,
            monitor,
            format,
            target,
            depth,
            cutoff: self.cutoff.unwrap_or(0.0001),
            lineno: self.lineno.unwrap_or(true),
            thread: self.thread,
            doe: self.doe.unwrap_or(true),
            interval: self.interval.unwrap_or(10),
            force: self.force.unwrap_or(true),
            talk: match self.verbose {
                None => Talk::Dumps,
                Some(true) => Talk::Tables,
                Some(false) => Talk::Errors,
            },
            clock: self.clock.unwrap_or(Clock::Cpu),
            kernel: self.kernel.unwrap_or(true),
            traces,
            commands: self.commands.unwrap_or(true),
            sample: self.sample,
            include: self.include,
            exclude: self.exclude,
            skip_small: self.skip_small,
            budget: self.budget,
        })
    }
}

/// Bytes, KiB with a `k`, MiB with an `m`; as many as a Java `int` can count.
fn size(text: &str) -> Option<u32> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix(['m', 'M']) {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    let digits = digits
        .bytes()
        .all(|c| c.is_ascii_digit())
        .then_some(digits)?;
    let bytes = digits.parse::<u32>().ok()?.checked_mul(unit)?;
    (1..=u32::MAX >> 1).contains(&bytes).then_some(bytes)
}

fn address(value: &str) -> Option<(String, NonZeroU16)> {
    let (host, port) = value.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then_some((host.to_owned(), port.parse().ok()?))
}

/// What `help` prints.
pub const HELP: &str = "\
HPROF: heap, CPU and lock profiles of a Java program

  -Xrunhprof[:help]|[:option=value,...]

  heap=dump|sites|all    objects, the places they come from, or both
                         (all, if none of heap, cpu, monitor is given)
  sample=SIZE            not every allocation, which takes most of a program's time, but
                         one in SIZE bytes on average, say 512k: heap=sites then shows
                         estimates, with their standard errors. With xrun only
  cpu=samples|times|old  looks every interval, times every call, by caller and callee
  monitor=y|n            time lost waiting for locks, and who holds which; with xrun
                         also time parked, as for those of java.util.concurrent    (n)
  format=a|b             text or binary                                            (a)
         collapsed|flame|json
                         a line per stack, a page with a flame graph, JSON
  file=NAME              %p is the process id         (java.hprof.txt, java.hprof, ...);
                         readable for you alone; what is there already stays until the
                         first dump is whole
  net=HOST:PORT          sends to a listening program instead, and obeys its commands:
                         one message ends the VM, nobody is asked for a password, and
                         nothing is encrypted. For lines that you trust
  commands=y|n           n: whoever is connected by net= is not obeyed             (y)
  depth=N                frames of a trace                    (4; 128 in new formats)
  traces=y|n             n: heap=dump,format=b does not say where each object was made, and
                         what costs most is left out: the VM's own dumper writes the
                         file, each time anew. With xrun only; else as with y       (y)
  cutoff=X               tables end below this share                          (0.0001)
  lineno=y|n             line numbers in traces                                    (y)
  thread=y|n             traces name their thread                                  (n)
  doe=y|n                dump on exit                                              (y)
  interval=MS            between two samples                                      (10)
  clock=cpu|wall         what cpu=times measures: a thread's running time, which
                         takes longer to read, or the time that passes           (cpu)
  include=A.+B., exclude=...
                         cpu=times and cpu=old measure only calls of methods of classes
                         whose names begin so; not of those. With xrun only
  small-methods=all|skip cpu=times and cpu=old leave out methods of few bytecodes that
                         call nothing and have no loop: less is to be measured there
                         than measuring takes. With xrun only                    (all)
  method-budget=PERCENT  methods whose calls cost more to measure than they take are
                         measured no more, the most expensive first, once measuring
                         takes so much of the CPU time; the profile says which, and
                         how often they were called until then. With xrun only  (off)
  kernel=y|n             n: cpu=samples asks only JVMPI who runs, as HPROF did once;
                         recordings of such runs can be replayed                  (y)
  force=y|n              n: a file that exists is kept, NAME.PID is written        (y)
  verbose=y|n            y: tables for people on stderr; n: errors only
  gc_okay=y|n, msa=y|n   accepted, without effect

  Instead of '=' there may be ':', for tools that cut at '=':
  jcmd PID JVMTI.agent_load /path/libjvmpi.so hprof:cpu:samples,depth:8
  kill -QUIT PID dumps at any time.
  cpu=times, cpu=old and monitor=y cannot be written with format=b, heap dumps only with a
  and b, and collapsed has one of cpu=, heap=sites and monitor=y at a time.

  java -Xrunhprof:cpu=samples,depth=8 -jar app.jar
  java -Xrunhprof:heap=sites,file=sites-%p.txt -jar app.jar
  java -Xrunhprof:heap=dump,format=b,traces=n -jar app.jar
  java -Xrunhprof:cpu=samples,heap=sites,sample=512k,format=flame -jar app.jar
  java -Xrunhprof:cpu=times,clock=wall,include=com.acme. -jar app.jar
  java -Xrunhprof:cpu=times,small-methods=skip,method-budget=20 -jar app.jar
";
