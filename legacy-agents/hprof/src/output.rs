//! Where the profile goes, and what has gone there.

use std::io::{self, BufWriter, Write};
use std::net::TcpStream;
use std::path::Path;

use own_files::Folder;

use crate::ascii::{self, SitesBy};
use crate::binary::{self, Binary};
use crate::file::ProfileFile;
use crate::options::{CpuMode, Format, Options, Target};
use crate::peer::Peer;
use crate::profile::{Cpu, Profile};
use crate::tables::Tables;
use crate::threads::Change;
use crate::{ascii_header, formats, say};

#[derive(Debug)]
enum Sink {
    File(ProfileFile),
    Net(Peer),
    /// Nothing goes there any more.
    Ended(String),
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
    /// `rewrite=`: each dump has all that the file is to have.
    rewritten: bool,
    /// Nothing of this dump is written yet, and the file is to have nothing else.
    anew: bool,
    begun: bool,
    failed: bool,
    /// That it fails has been said.
    lamented: bool,
    changes: usize,
    /// Threads that are counted and not listed, as far as that was written.
    left_out: u64,
    traces: usize,
    binary: Binary,
}

/// For the first record of a binary file.
#[derive(Clone, Copy, Debug)]
struct Shows {
    sites: bool,
    samples: bool,
}

impl Output {
    pub(crate) fn open(options: &Options) -> Result<Self, String> {
        let sink = match &options.target {
            Target::File(name) => {
                let is_text = options.format != Format::Binary;
                Sink::File(ProfileFile::open(name, options.force, is_text)?)
            }
            Target::Net { host, port } => Sink::Net(Peer::connect(host, port.get())?),
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
            rewritten: options.rewrite.is_some(),
            anew: false,
            begun: false,
            failed: false,
            lamented: false,
            changes: 0,
            left_out: 0,
            traces: 0,
            binary: Binary::default(),
        })
    }

    /// A second hand on the connection, for reading.
    pub(crate) fn peer(&self) -> Option<TcpStream> {
        match &self.sink {
            Sink::Net(peer) => peer.reader().ok(),
            Sink::File(_) | Sink::Ended(_) => None,
        }
    }

    /// Whether `rewrite=` can be done there.
    pub(crate) const fn can_be_rewritten(&self) -> bool {
        matches!(&self.sink, Sink::File(file) if file.can_be_rewritten())
    }

    /// A dump begins. Of those that are rewritten each is a first one: also behind one that
    /// failed, since a full disk may have room again.
    pub(crate) fn begin(&mut self) {
        if !self.rewritten || !self.can_be_rewritten() {
            return;
        }
        (self.failed, self.begun, self.anew) = (false, false, true);
        (self.changes, self.left_out, self.traces) = (0, 0, 0);
        self.binary = Binary::default();
    }

    pub(crate) const fn has_failed(&self) -> bool {
        self.failed
    }

    /// The name that people know it by.
    pub(crate) fn name(&self) -> String {
        match &self.sink {
            Sink::File(file) => file.name().display().to_string(),
            Sink::Net(peer) => peer.name().to_owned(),
            Sink::Ended(name) => name.clone(),
        }
    }

    /// Those that were not written yet, up to the start of a thread that is younger than the profile: it comes
    /// with the next one, and so does what came behind it.
    fn new_changes<'a>(&mut self, profile: &Profile, changes: &'a [Change]) -> &'a [Change] {
        let news = changes.get(self.changes..).unwrap_or_default();
        let is_younger = |change: &Change| match *change {
            Change::Start(serial) => profile.thread(serial).is_none(),
            Change::End(_) => false,
        };
        let end = news.iter().position(is_younger).unwrap_or(news.len());
        self.changes += end;
        news.get(..end).unwrap_or_default()
    }

    /// Writes with `body`; the first failure is the last attempt of this dump, or of all.
    fn write(&mut self, body: impl FnOnce(&mut Self, &mut dyn Write) -> io::Result<()>) {
        if self.failed {
            return;
        }
        // The new formats show all there is: a later dump takes the place of an earlier one.
        let anew = self.format.is_new() || std::mem::take(&mut self.anew);
        let result = match &mut self.sink {
            Sink::File(file) => file.writer(anew).and_then(|file| self.buffered(file, body)),
            Sink::Net(peer) => peer.writer().and_then(|stream| self.buffered(stream, body)),
            Sink::Ended(_) => return,
        };
        self.check(result);
    }

    fn check(&mut self, result: io::Result<()>) {
        if let Err(reason) = result {
            self.failed = true;
            if let Sink::File(file) = &mut self.sink {
                file.give_up();
            }
            let then = if self.rewritten {
                "what was there stays until there is room for a whole one"
            } else {
                "nothing more is written"
            };
            if !std::mem::replace(&mut self.lamented, true) {
                say::error(format_args!("{}: {reason}; {then}", self.name()));
            }
        }
    }

    /// All of a dump has been written: it takes its place.
    pub(crate) fn complete(&mut self) {
        if !self.failed
            && let Sink::File(file) = &mut self.sink
        {
            let done = file.complete();
            self.check(done);
        }
    }

    /// A folder for somebody else to write in what is to be the whole file.
    pub(crate) fn folder(&mut self) -> Option<Folder> {
        let folder = match &self.sink {
            Sink::File(file) => file.folder(),
            Sink::Net(_) | Sink::Ended(_) => return None,
        };
        match folder {
            Ok(folder) => Some(folder),
            Err(reason) => {
                self.check(Err(reason));
                None
            }
        }
    }

    /// It is written there.
    pub(crate) fn replace_by(&mut self, whole: &Path) {
        if !self.failed
            && let Sink::File(file) = &mut self.sink
        {
            let done = file.replace_by(whole);
            self.check(done);
        }
    }

    /// The VM ends, or goes on without us: the file is free for others, and the program at the
    /// other end hears that nothing comes any more.
    pub(crate) fn end(&mut self) {
        if let Sink::Net(peer) = &self.sink {
            peer.end(self.failed);
        }
        self.sink = Sink::Ended(self.name());
        self.failed = true;
    }

    /// A heap dump comes that no single record can hold. Its segments are of version 1.0.2: readers of 1.0.1 know
    /// none.
    pub(crate) fn expect_segments(&mut self) {
        if self.failed || std::mem::replace(&mut self.binary.is_segmented, true) || !self.begun {
            return;
        }
        let (place, digit) = binary::SEGMENTED;
        let done = match &mut self.sink {
            Sink::File(file) => file.overwrite(place, &[digit]),
            Sink::Net(_) | Sink::Ended(_) => Ok(false),
        };
        if let Ok(false) = done {
            say::error(format_args!(
                "{}: a heap dump of more than 4 GiB comes in the segments of format 1.0.2, behind a head that says \
                 1.0.1",
                self.name()
            ));
        }
        self.check(done.map(drop));
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
    pub(crate) fn news(&mut self, profile: &Profile, changes: &[Change], left_out: u64) {
        if self.format.is_new() || self.bare {
            return;
        }
        let changes = self.new_changes(profile, changes);
        let more_left_out = std::mem::replace(&mut self.left_out, left_out) != left_out;
        let traces = profile.traces.get(self.traces..).unwrap_or_default();
        self.traces = profile.traces.len();
        self.write(|this, out| {
            let begun = std::mem::replace(&mut this.begun, true);
            if this.format == Format::Binary {
                if !begun {
                    this.binary.header(out, profile.started)?;
                    let Shows { sites, samples } = this.shows;
                    this.binary.settings(out, profile, sites, samples)?;
                }
                return this.binary.news(out, profile, changes, traces);
            }
            if !begun {
                ascii_header::header(out, profile)?;
            }
            ascii::changes(out, profile, changes)?;
            if more_left_out {
                ascii::left_out(out, left_out)?;
            }
            ascii::traces(out, profile, traces)
        });
    }

    /// The profile's tables; [`news`](Self::news) comes first.
    pub(crate) fn tables(&mut self, profile: &Profile, tables: Option<Tables>) {
        let tables = tables.unwrap_or(Tables {
            cutoff: self.cutoff,
            by: SitesBy::Live,
            collected: false,
        });
        let cutoff = tables.cutoff;
        self.write(|this, out| match this.format {
            Format::Ascii => {
                if let Some(locks) = &profile.locks {
                    ascii::locks(out, profile, locks, cutoff)?;
                }
                if let Some(parks) = &profile.parked {
                    ascii::parked(out, profile, parks, cutoff)?;
                }
                if let Some(sites) = &profile.sites {
                    ascii::sites(out, profile, sites, tables.by, cutoff)?;
                }
                if let Some(cpu) = &profile.cpu {
                    ascii::cpu(out, profile, cpu, cutoff)?;
                }
                if this.bare {
                    ascii_header::behind_old(out, profile)?;
                }
                match &profile.left_out {
                    Some(left_out) => ascii::methods_left_out(out, profile, left_out),
                    None => Ok(()),
                }
            }
            Format::Binary => {
                if let Some(sites) = &profile.sites {
                    this.binary.sites(out, profile, sites, tables)?;
                }
                if let Some(Cpu::Samples(entries)) = &profile.cpu {
                    this.binary.samples(out, entries, cutoff)?;
                }
                this.binary.unloads(out, profile)
            }
            Format::Collapsed => formats::collapsed::write(profile, out),
            Format::Flame => formats::flame::write(profile, out),
            Format::Json => formats::json::write(profile, out),
            Format::Pprof => formats::pprof::write(profile, out),
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
}

#[cfg(test)]
mod tests;
