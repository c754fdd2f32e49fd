//! Where the profile goes, and what has gone there.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, SystemTime};

use crate::ascii::{self, SitesBy};
use crate::binary::Binary;
use crate::ffi::file_lock;
use crate::options::{CpuMode, Format, Options, Target};
use crate::profile::{Cpu, Profile};
use crate::threads::Change;
use crate::{doors, say};

/// A peer that takes no byte for so long is given up.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
enum Sink {
    File(File, PathBuf),
    Net(TcpStream, String),
}

/// What has been written already.
#[derive(Debug)]
pub(crate) struct Output {
    sink: Sink,
    format: Format,
    cutoff: f64,
    /// `cpu=old` alone: a table and nothing else.
    bare: bool,
    shows: Shows,
    begun: bool,
    failed: bool,
    changes: usize,
    traces: usize,
    binary: Binary,
}

/// For the first record of a binary file.
#[derive(Clone, Copy, Debug)]
struct Shows {
    sites: bool,
    samples: bool,
}

/// Tables of one dump.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables {
    pub(crate) cutoff: f64,
    pub(crate) by: SitesBy,
}

impl Output {
    pub(crate) fn open(options: &Options) -> Result<Self, String> {
        let sink = match &options.target {
            Target::File(name) => open_file(name, options.force)?,
            Target::Net { host, port } => connect(host, port.get())?,
        };
        Ok(Self {
            sink,
            format: options.format,
            cutoff: options.cutoff,
            bare: options.cpu == Some(CpuMode::Old)
                && !(options.sites || options.dump || options.monitor),
            shows: Shows {
                sites: options.sites || options.dump,
                samples: options.cpu == Some(CpuMode::Samples),
            },
            begun: false,
            failed: false,
            changes: 0,
            traces: 0,
            binary: Binary::default(),
        })
    }

    /// A second hand on the connection, for reading.
    pub(crate) fn peer(&self) -> Option<TcpStream> {
        match &self.sink {
            Sink::Net(stream, _) => stream.try_clone().ok(),
            Sink::File(..) => None,
        }
    }

    pub(crate) const fn has_failed(&self) -> bool {
        self.failed
    }

    /// The name that people know it by.
    pub(crate) fn name(&self) -> String {
        match &self.sink {
            Sink::File(_, path) => path.display().to_string(),
            Sink::Net(_, peer) => peer.clone(),
        }
    }

    fn new_changes<'a>(&mut self, changes: &'a [Change]) -> &'a [Change] {
        let news = changes.get(self.changes..).unwrap_or_default();
        self.changes = changes.len();
        news
    }

    /// Writes with `body`; the first failure is the last attempt.
    fn write(&mut self, body: impl FnOnce(&mut Self, &mut dyn Write) -> io::Result<()>) {
        if self.failed {
            return;
        }
        let result = match &self.sink {
            Sink::File(file, _) => file.try_clone().and_then(|file| self.buffered(file, body)),
            Sink::Net(stream, _) => stream
                .try_clone()
                .and_then(|stream| self.buffered(stream, body)),
        };
        if let Err(reason) = result {
            self.failed = true;
            say::error(format_args!(
                "{}: {reason}; nothing more is written",
                self.name()
            ));
        }
    }

    fn buffered(
        &mut self,
        to: impl Write,
        body: impl FnOnce(&mut Self, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, to);
        let done = body(self, &mut out).and_then(|()| out.flush());
        if done.is_err() {
            // Dropping it would try once more.
            let _ = out.into_parts();
        }
        done
    }

    /// The start of a file, and the threads and traces that are new in it.
    pub(crate) fn news(&mut self, profile: &Profile, changes: &[Change]) {
        if self.format.is_new() || self.bare {
            return;
        }
        let changes = self.new_changes(changes);
        let traces = profile.traces.get(self.traces..).unwrap_or_default();
        self.traces = profile.traces.len();
        self.write(|this, out| {
            let begun = std::mem::replace(&mut this.begun, true);
            if this.format == Format::Binary {
                if !begun {
                    this.binary.header(out, profile.started)?;
                    let Shows { sites, samples } = this.shows;
                    this.binary
                        .settings(out, sites, samples, profile.shown.depth)?;
                }
                return this.binary.news(out, profile, changes, traces);
            }
            if !begun {
                ascii::header(out, profile.started)?;
            }
            ascii::changes(out, profile, changes)?;
            ascii::traces(out, profile, traces)
        });
    }

    /// The profile's tables; [`news`](Self::news) comes first.
    pub(crate) fn tables(&mut self, profile: &Profile, tables: Option<Tables>) {
        let Tables { cutoff, by } = tables.unwrap_or(Tables {
            cutoff: self.cutoff,
            by: SitesBy::Live,
        });
        self.write(|this, out| match this.format {
            Format::Ascii => {
                if let Some(locks) = &profile.locks {
                    ascii::locks(out, profile, locks, cutoff)?;
                }
                if let Some(sites) = &profile.sites {
                    ascii::sites(out, profile, sites, by, cutoff)?;
                }
                match &profile.cpu {
                    Some(cpu) => ascii::cpu(out, profile, cpu, cutoff),
                    None => Ok(()),
                }
            }
            Format::Binary => {
                if let Some(sites) = &profile.sites {
                    this.binary.sites(out, profile, sites, by, cutoff)?;
                }
                match &profile.cpu {
                    Some(Cpu::Samples(entries)) => this.binary.samples(out, entries, cutoff),
                    _ => Ok(()),
                }
            }
            Format::Collapsed => this.afresh(out, |out| doors::collapsed::write(profile, out)),
            Format::Flame => this.afresh(out, |out| doors::flame::write(profile, out)),
            Format::Json => this.afresh(out, |out| doors::json::write(profile, out)),
        });
    }

    /// Other parts of a dump.
    pub(crate) fn part(
        &mut self,
        body: impl FnOnce(&mut Binary, &mut dyn Write) -> io::Result<()>,
    ) {
        self.write(|this, out| body(&mut this.binary, out));
    }

    pub(crate) const fn format(&self) -> Format {
        self.format
    }

    /// These formats show all there is: a later dump takes the place of an earlier one.
    fn afresh(
        &mut self,
        out: &mut dyn Write,
        body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Sink::File(file, _) = &mut self.sink
            && file.metadata()?.is_file()
        {
            file.set_len(0)?;
            file.rewind()?;
        }
        body(out)
    }
}

/// `name` with `%p` as the process id.
fn open_file(name: &str, force: bool) -> Result<Sink, String> {
    let pid = process::id();
    let path = PathBuf::from(name.replace("%p", &pid.to_string()));
    let mut beside = path.clone().into_os_string();
    beside.push(format!(".{pid}"));
    let beside = PathBuf::from(beside);
    if !force && path.exists() {
        say::error(format_args!(
            "{} exists and is kept (force=n); writing {}",
            path.display(),
            beside.display()
        ));
        return open_path(&beside)?.ok_or_else(|| format!("{} is in use", beside.display()));
    }
    match open_path(&path)? {
        Some(sink) => Ok(sink),
        None => {
            say::error(format_args!(
                "another program is writing its profile to {}; writing {} (put %p into the name)",
                path.display(),
                beside.display()
            ));
            open_path(&beside)?.ok_or_else(|| format!("{} is in use", beside.display()))
        }
    }
}

/// `None` if somebody else writes to it.
fn open_path(path: &Path) -> Result<Option<Sink>, String> {
    let cannot = |reason: io::Error| format!("cannot write {}: {reason}", path.display());
    // Not truncated before it is ours.
    let mut open = OpenOptions::new();
    let file = open.write(true).create(true).truncate(false).open(path);
    let file = file.map_err(cannot)?;
    if file.metadata().is_ok_and(|data| data.is_file()) {
        if !file_lock::take(&file) {
            return Ok(None);
        }
        file.set_len(0).map_err(cannot)?;
    }
    Ok(Some(Sink::File(file, path.to_owned())))
}

fn connect(host: &str, port: u16) -> Result<Sink, String> {
    let peer = format!("{host}:{port}");
    let cannot = |reason: io::Error| format!("cannot connect to {peer}: {reason}");
    let addresses = (host, port).to_socket_addrs().map_err(cannot)?;
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in addresses {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                stream.set_write_timeout(Some(PATIENCE)).map_err(cannot)?;
                let _ = stream.set_nodelay(true);
                return Ok(Sink::Net(stream, peer));
            }
            Err(reason) => last = reason,
        }
    }
    Err(cannot(last))
}

/// Microseconds between two times.
pub(crate) fn micros(from: SystemTime, to: SystemTime) -> u64 {
    let passed = to.duration_since(from).unwrap_or_default();
    u64::try_from(passed.as_micros()).unwrap_or(u64::MAX)
}
