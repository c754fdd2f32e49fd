//! What the user wants, as types.

use std::num::NonZeroU16;
use std::time::Duration;

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
    /// `rewrite=`: how often what there is so far is written.
    pub rewrite: Option<Duration>,
    /// `commands=`: whoever is connected by `net=` may ask for dumps, and end the VM.
    pub commands: bool,
}

impl Options {
    /// A command may ask for a dump of the heap, which the formats of our time have no place for.
    #[must_use]
    pub const fn may_dump(&self) -> bool {
        let is_commanded = matches!(self.target, Target::Net { .. }) && self.commands;
        self.dump || is_commanded && !self.format.is_new()
    }
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
    /// profile.proto.
    Pprof,
}

impl Format {
    pub(super) const fn default_file(self) -> &'static str {
        match self {
            Self::Ascii => "java.hprof.txt",
            Self::Binary => "java.hprof",
            Self::Collapsed => "java.hprof.collapsed",
            Self::Flame => "java.hprof.html",
            Self::Json => "java.hprof.json",
            Self::Pprof => "java.hprof.pb.gz",
        }
    }

    pub(super) const fn default_depth(self) -> u32 {
        match self {
            Self::Ascii | Self::Binary => 4,
            Self::Collapsed | Self::Flame | Self::Json | Self::Pprof => 128,
        }
    }

    /// Of a format that our time has added: it shows stacks, not heap dumps.
    #[must_use]
    pub const fn is_new(self) -> bool {
        matches!(
            self,
            Self::Collapsed | Self::Flame | Self::Json | Self::Pprof
        )
    }
}

/// Where the output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, by bytes that need be no UTF-8 (`terminal_text::raw_text`).
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
