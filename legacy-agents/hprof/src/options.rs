//! What stands behind `-Xrunhprof:`.

use std::num::NonZeroU16;

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
        "net" => "HOST:PORT",
        "depth" => "8",
        "interval" => "10",
        "cutoff" => "0.001",
        "monitor" | "lineno" | "thread" | "doe" | "force" | "verbose" | "kernel" | "gc_okay"
        | "msa" => "y",
        _ => return format!("\"{option}\" is not an option"),
    };
    format!(
        "\"{option}\" has no value; write {option}={value}, or {option}:{value} where '=' is cut off, as by jcmd"
    )
}

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
            "monitor" => self.monitor = Some(yes()?),
            "lineno" => self.lineno = Some(yes()?),
            "thread" => self.thread = yes()?,
            "doe" => self.doe = Some(yes()?),
            "force" => self.force = Some(yes()?),
            "verbose" => self.verbose = Some(yes()?),
            "kernel" => self.kernel = Some(yes()?),
            "commands" => self.commands = Some(yes()?),
            // Of VMs that are gone: there is no choice any more.
            "gc_okay" | "msa" => {
                let _ = yes()?;
            }
            _ => return Err(format!("\"{key}\" is not an option")),
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
        let target = match (self.file, self.net) {
            (Some(_), Some(_)) => return Err("file= and net= exclude each other".to_owned()),
            (None, Some((host, port))) => Target::Net { host, port },
            (file, None) => Target::File(file.unwrap_or_else(|| format.default_file().to_owned())),
        };
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
            commands: self.commands.unwrap_or(true),
        })
    }
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
  cpu=samples|times|old  looks every interval, times every call, by caller and callee
  monitor=y|n            time lost waiting for locks, and who holds which          (n)
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
  cutoff=X               tables end below this share                          (0.0001)
  lineno=y|n             line numbers in traces                                    (y)
  thread=y|n             traces name their thread                                  (n)
  doe=y|n                dump on exit                                              (y)
  interval=MS            between two samples                                      (10)
  clock=cpu|wall         what cpu=times measures: a thread's running time, which
                         takes longer to read, or the time that passes           (cpu)
  kernel=y|n             n: cpu=samples asks only JVMPI who runs, as HPROF did once;
                         recordings of such runs can be replayed                  (y)
  force=y|n              n: a file that exists is kept, NAME.PID is written        (y)
  verbose=y|n            y: tables for people on stderr; n: errors only
  gc_okay=y|n, msa=y|n   accepted, without effect

  Instead of '=' there may be ':', for tools that cut at '=':
  jcmd PID JVMTI.agent_load /path/libjvmpi.so hprof:cpu:samples,depth:8
  kill -QUIT PID dumps at any time.
  cpu=times, cpu=old and monitor=y cannot be written with format=b.

  java -Xrunhprof:cpu=samples,depth=8 -jar app.jar
  java -Xrunhprof:heap=sites,file=sites-%p.txt -jar app.jar
  java -Xrunhprof:cpu=samples,format=flame,file=cpu.html -jar app.jar
";

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Options {
        match parse(text) {
            Ok(Asked::Profile(options)) => *options,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn refusal(text: &str) -> String {
        parse(text).expect_err(text)
    }

    #[test]
    fn without_options_it_is_the_heap() {
        let plain = options("");
        assert!(plain.sites && plain.dump && plain.cpu.is_none() && !plain.monitor);
        assert_eq!(plain.target, Target::File("java.hprof.txt".into()));
        assert_eq!((plain.depth, plain.interval), (4, 10));
        assert!(plain.lineno && plain.doe && plain.force && !plain.thread);
        assert_eq!(plain.cutoff.to_bits(), 0.0001_f64.to_bits());
        assert!(options("depth=9,doe=n").sites);
        assert!(!options("monitor=y").sites);
        assert!(!options("cpu=samples").dump);
    }

    #[test]
    fn every_option_is_read() {
        let all = options(
            "heap=sites,cpu=times,monitor=y,format=a,file=x-%p,depth=0,cutoff=0.5,lineno=n,thread=y,doe=n,gc_okay=n,interval=3,msa=y,force=n,verbose=n,clock=wall,kernel=n,commands=n",
        );
        assert_eq!(all.cpu, Some(CpuMode::Times));
        assert!(all.sites && !all.dump && all.monitor && all.thread);
        assert!(!all.lineno && !all.doe && !all.force && !all.kernel && !all.commands);
        assert_eq!((all.depth, all.interval), (0, 3));
        assert_eq!(all.talk, Talk::Errors);
        assert_eq!(all.clock, Clock::Wall);
        assert_eq!(options("cpu=y").cpu, Some(CpuMode::Samples));
        assert_eq!(options("cpu=old,depth=7").depth, 2);
        assert_eq!(options("depth=100000").depth, MAX_DEPTH);
        assert_eq!(
            options("net=[::1]:65535").target,
            Target::Net {
                host: "::1".into(),
                port: NonZeroU16::MAX
            }
        );
        assert_eq!(
            options("format=b").target,
            Target::File("java.hprof".into())
        );
        assert_eq!(options("format=flame,cpu=samples").depth, 128);
        assert_eq!(parse("cpu=samples,help"), Ok(Asked::Help));
        for (colons, equals) in [
            ("cpu:samples,depth:8", "cpu=samples,depth=8"),
            ("net:[::1]:80,cpu=times", "net=[::1]:80,cpu=times"),
            ("file:a:b,heap:sites", "file=a:b,heap=sites"),
        ] {
            assert_eq!(parse(colons), parse(equals), "{colons}");
        }
        assert!(refusal("cpu").contains("cpu=samples, or cpu:samples"));
        assert_eq!(refusal("speed"), "\"speed\" is not an option");
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        for text in [
            "heap=y",
            "cpu=fast",
            "monitor=maybe",
            "format=c",
            "file=",
            "net=host",
            "net=:1",
            "net=h:0",
            "net=h:65536",
            "depth=-1",
            "depth=x",
            "cutoff=2",
            "cutoff=NaN",
            "lineno=",
            "interval=0",
            "speed=9",
            "heap",
            "heap:",
            "cpu:sample",
            "net:host:x",
            ":cpu",
            "a=b=c",
            "format=b,cpu=times",
            "format=b,cpu=old",
            "format=b,monitor=y",
            "file=x,net=h:1",
        ] {
            assert!(!refusal(text).is_empty());
        }
    }
}
