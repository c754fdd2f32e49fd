//! From text to what is wanted.

use std::num::NonZeroU16;
use std::time::Duration;

use terminal_text::nearest::did_you_mean;

use super::wanted::{Asked, Clock, CpuMode, Format, Options, Talk, Target};

/// Longer stacks than programs have; who writes `depth=100000` wants all of them.
pub(crate) const MAX_DEPTH: u32 = 4096;

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
        "rewrite" => "60s",
        _ => return format!("\"{option}\" is not an option"),
    };
    format!(
        "\"{option}\" has no value; write {option}={value}, or {option}:{value} where '=' is cut off, as by jcmd"
    )
}

/// What may stand before `=`.
const KEYS: [&str; 26] = [
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
    "rewrite",
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
    rewrite: Option<Duration>,
}

impl Reader {
    fn option(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |expected: &str| {
            let words = expected.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
            let meant = did_you_mean(value, words.filter(|word| word.len() > 2));
            format!("{key}={value}: {expected} expected{meant}")
        };
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
                    "pprof" => Format::Pprof,
                    _ => return Err(wrong("a, b, collapsed, flame, json or pprof")),
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
            "rewrite" => {
                let every = span(value).ok_or_else(|| wrong("1s or more, as 60s, 5m or 1h,"))?;
                self.rewrite = Some(every);
            }
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
            (Format::Pprof, true) => Some("pprof"),
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
                 format=flame, format=json and format=pprof have all in one file"
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
        if self.rewrite.is_some() && matches!(target, Target::Net { .. }) {
            return Err("rewrite= is for files; whoever listens to net= has it all".to_owned());
        }
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
            rewrite: self.rewrite,
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

/// Seconds with an `s` or without, minutes with an `m`, hours with an `h`; a day at most.
fn span(text: &str) -> Option<Duration> {
    const DAY: u64 = 86_400;
    let (digits, unit) = match text.char_indices().next_back()? {
        (end, 's') => (text.get(..end)?, 1),
        (end, 'm') => (text.get(..end)?, 60),
        (end, 'h') => (text.get(..end)?, 3600),
        _ => (text, 1),
    };
    let digits = digits
        .bytes()
        .all(|c| c.is_ascii_digit())
        .then_some(digits)?;
    let seconds = digits.parse::<u64>().ok()?.checked_mul(unit)?;
    (1..=DAY)
        .contains(&seconds)
        .then(|| Duration::from_secs(seconds))
}

fn address(value: &str) -> Option<(String, NonZeroU16)> {
    let (host, port) = value.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then_some((host.to_owned(), port.parse().ok()?))
}
