//! `format=b`: records of the format 1.0.1 (facts E.4); 1.0.2 is the same with segments.
//!
//! All numbers are big-endian, ids too: they are opaque to readers, and today's read
//! them so.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;

use crate::ascii::{SitesBy, sorted_sites, weight};
use crate::profile::{CpuEntry, Frame, MethodRef, Profile, Site, SiteKind, Trace};
use crate::program;
use crate::tables::Tables;
use crate::threads::Change;

/// Bytes of an id: of a pointer.
const ID: u32 = usize::BITS / 8;

mod tag {
    pub(super) const UTF8: u8 = 0x01;
    pub(super) const LOAD_CLASS: u8 = 0x02;
    pub(super) const UNLOAD_CLASS: u8 = 0x03;
    pub(super) const FRAME: u8 = 0x04;
    pub(super) const TRACE: u8 = 0x05;
    pub(super) const ALLOC_SITES: u8 = 0x06;
    pub(super) const HEAP_SUMMARY: u8 = 0x07;
    pub(super) const START_THREAD: u8 = 0x0a;
    pub(super) const END_THREAD: u8 = 0x0b;
    pub(super) const CPU_SAMPLES: u8 = 0x0d;
    pub(super) const CONTROL_SETTINGS: u8 = 0x0e;
}

/// The last digit of the format's name where there are segments, and its place.
pub(crate) const SEGMENTED: (u64, u8) = (17, b'2');

/// What has been written, so that nothing is defined twice.
#[derive(Debug, Default)]
pub(crate) struct Binary {
    /// A heap dump in segments is there, or comes.
    pub(crate) is_segmented: bool,
    /// Micros since the header that the record being written has.
    time: u32,
    strings: FxHashMap<Box<str>, u64>,
    frames: FxHashMap<Frame, u64>,
    /// Of each class that is in the file, by index, whether it is there that it was unloaded.
    unloaded: Vec<bool>,
}

/// The body of a record.
#[derive(Debug, Default)]
pub(crate) struct Body(pub(crate) Vec<u8>);

impl Body {
    pub(crate) fn u1(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }

    pub(crate) fn u2(&mut self, value: usize) -> &mut Self {
        let value = u16::try_from(value).unwrap_or(u16::MAX);
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    pub(crate) fn u4(&mut self, value: u32) -> &mut Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    /// What does not fit is as large as can be.
    pub(crate) fn u4_of(&mut self, value: u64) -> &mut Self {
        self.u4(u32::try_from(value).unwrap_or(u32::MAX))
    }

    pub(crate) fn u8(&mut self, value: u64) -> &mut Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    pub(crate) fn id(&mut self, value: usize) -> &mut Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    /// The number of a string or a frame, as an id.
    pub(crate) fn number(&mut self, value: u64) -> &mut Self {
        self.id(usize::try_from(value).unwrap_or(0))
    }
}

/// A record with its head.
pub(crate) fn record(out: &mut dyn Write, tag: u8, time: u32, body: &Body) -> io::Result<()> {
    let length = u32::try_from(body.0.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    head(out, tag, time, length)?;
    out.write_all(&body.0)
}

pub(crate) fn head(out: &mut dyn Write, tag: u8, time: u32, length: u32) -> io::Result<()> {
    out.write_all(&[tag])?;
    out.write_all(&time.to_be_bytes())?;
    out.write_all(&length.to_be_bytes())
}

impl Binary {
    pub(crate) fn header(&mut self, out: &mut dyn Write, started: SystemTime) -> io::Result<()> {
        out.write_all(match self.is_segmented {
            false => b"JAVA PROFILE 1.0.1\0",
            true => b"JAVA PROFILE 1.0.2\0",
        })?;
        out.write_all(&ID.to_be_bytes())?;
        let since = started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let millis = u64::try_from(since.as_millis()).unwrap_or(0);
        out.write_all(&millis.to_be_bytes())
    }

    /// The settings are the first record; behind them strings say who writes and what a reader has to know.
    /// Readers leave strings alone that nothing names.
    pub(crate) fn settings(
        &mut self,
        out: &mut dyn Write,
        profile: &Profile,
        sites: bool,
        samples: bool,
    ) -> io::Result<()> {
        let mut body = Body::default();
        let flags = u32::from(sites) | u32::from(samples) << 1;
        let depth = usize::try_from(profile.shown.depth).unwrap_or(0);
        body.u4(flags).u2(depth);
        record(out, tag::CONTROL_SETTINGS, 0, &body)?;
        self.string(out, program::WRITER)?;
        for note in &profile.notes {
            self.string(out, note)?;
        }
        Ok(())
    }

    pub(crate) const fn time(&self) -> u32 {
        self.time
    }

    fn emit(&self, out: &mut dyn Write, tag: u8, fill: impl FnOnce(&mut Body)) -> io::Result<()> {
        let mut body = Body::default();
        fill(&mut body);
        record(out, tag, self.time, &body)
    }

    /// The id of a string, which is written if it is new. Of an empty one too: 0 is no name.
    pub(crate) fn string(&mut self, out: &mut dyn Write, text: &str) -> io::Result<u64> {
        if let Some(&known) = self.strings.get(text) {
            return Ok(known);
        }
        let id = u64::try_from(self.strings.len()).unwrap_or(0) + 1;
        self.strings.insert(text.into(), id);
        self.emit(out, tag::UTF8, |body| {
            body.number(id).0.extend_from_slice(text.as_bytes());
        })?;
        Ok(id)
    }

    /// The id of a string that was written; 0 if it was not.
    pub(crate) fn id_of(&self, text: &str) -> u64 {
        self.strings.get(text).copied().unwrap_or(0)
    }

    /// Threads, classes and traces that are new. What is unloaded comes behind the tables that may name it
    /// ([`unloads`](Self::unloads)).
    pub(crate) fn news(
        &mut self,
        out: &mut dyn Write,
        profile: &Profile,
        changes: &[Change],
        traces: &[Trace],
    ) -> io::Result<()> {
        let passed = profile.taken.duration_since(profile.started);
        // Wraps after 71 minutes, as the format has it.
        #[allow(clippy::cast_possible_truncation, reason = "see above")]
        let time = passed.unwrap_or_default().as_micros() as u32;
        self.time = time;
        for &change in changes {
            self.change(out, profile, change)?;
        }
        self.classes(out, profile)?;
        for trace in traces {
            self.trace(out, profile, trace)?;
        }
        Ok(())
    }

    fn change(&mut self, out: &mut dyn Write, profile: &Profile, change: Change) -> io::Result<()> {
        match change {
            Change::Start(serial) => {
                let Some(thread) = profile.thread(serial) else {
                    return Ok(());
                };
                let name = self.string(out, &thread.name)?;
                let group = self.string(out, &thread.group)?;
                let parent = self.string(out, &thread.parent)?;
                self.emit(out, tag::START_THREAD, |body| {
                    body.u4(serial).id(thread.object).u4(thread.trace);
                    body.number(name).number(group).number(parent);
                })
            }
            Change::End(serial) => self.emit(out, tag::END_THREAD, |body| {
                body.u4(serial);
            }),
        }
    }

    /// All that were loaded since.
    fn classes(&mut self, out: &mut dyn Write, profile: &Profile) -> io::Result<()> {
        // Index 0 is what nobody knows.
        let known = self.unloaded.len().max(1);
        for class in profile.classes.iter().skip(known) {
            let name = self.string(out, &class.name)?;
            self.emit(out, tag::LOAD_CLASS, |body| {
                body.u4(class.serial)
                    .id(class.id)
                    .u4(class.trace)
                    .number(name);
            })?;
        }
        self.unloaded.resize(profile.classes.len(), false);
        Ok(())
    }

    /// All that were unloaded since; [`news`](Self::news) of the same profile comes first.
    pub(crate) fn unloads(&mut self, out: &mut dyn Write, profile: &Profile) -> io::Result<()> {
        let classes = profile.classes.iter().enumerate().skip(1);
        for (index, class) in classes.filter(|(_, class)| class.unloaded) {
            let told = self.unloaded.get_mut(index);
            if told.is_some_and(|told| !std::mem::replace(told, true)) {
                self.emit(out, tag::UNLOAD_CLASS, |body| {
                    body.u4(class.serial);
                })?;
            }
        }
        Ok(())
    }

    fn frame(&mut self, out: &mut dyn Write, profile: &Profile, frame: Frame) -> io::Result<u64> {
        if let Some(&known) = self.frames.get(&frame) {
            return Ok(known);
        }
        let id = u64::try_from(self.frames.len()).unwrap_or(0) + 1;
        self.frames.insert(frame, id);
        let method = profile
            .method(frame.method)
            .or_else(|| profile.method(MethodRef(0)));
        let class = method.and_then(|method| profile.class(method.class));
        let name = self.string(out, method.map_or("", |method| &method.name))?;
        let signature = self.string(out, method.map_or("", |method| &method.signature))?;
        let source = self.string(out, class.map_or("", |class| &class.source))?;
        self.emit(out, tag::FRAME, |body| {
            body.number(id)
                .number(name)
                .number(signature)
                .number(source);
            body.u4(class.map_or(0, |class| class.serial));
            body.u4(frame.line.cast_unsigned());
        })?;
        Ok(id)
    }

    fn trace(&mut self, out: &mut dyn Write, profile: &Profile, trace: &Trace) -> io::Result<()> {
        let mut frames = Vec::with_capacity(trace.frames.len());
        for &frame in &trace.frames {
            frames.push(self.frame(out, profile, frame)?);
        }
        self.emit(out, tag::TRACE, |body| {
            body.u4(trace.serial).u4(trace.thread);
            body.u4_of(u64::try_from(frames.len()).unwrap_or(0));
            for &frame in &frames {
                body.number(frame);
            }
        })
    }

    /// ALLOC SITES.
    pub(crate) fn sites(
        &self,
        out: &mut dyn Write,
        profile: &Profile,
        sites: &[Site],
        tables: Tables,
    ) -> io::Result<()> {
        let Tables { cutoff, by, .. } = tables;
        /// In `flags`.
        const BY_ALLOCATION: usize = 2;
        const COLLECTED: usize = 4;
        let order = match by {
            SitesBy::Live => 0,
            SitesBy::Allocated => BY_ALLOCATION,
        };
        let flags = order | if tables.collected { COLLECTED } else { 0 };
        let total: u64 = sites.iter().map(|site| weight(site, by)).sum();
        let shown = sorted_sites(sites, by).into_iter();
        let shown: Vec<_> = shown
            .take_while(|site| share(weight(site, by), total) >= cutoff)
            .collect();
        self.emit(out, tag::ALLOC_SITES, |body| {
            body.u2(flags);
            #[allow(clippy::cast_possible_truncation, reason = "the format has four bytes")]
            body.u4((cutoff as f32).to_bits());
            totals(body, sites);
            body.u4_of(u64::try_from(shown.len()).unwrap_or(0));
            for site in &shown {
                let (kind, class) = raw_kind(profile, site.kind);
                body.u1(kind).u4(class).u4(site.trace);
                body.u4_of(site.live.bytes).u4_of(site.live.objects);
                body.u4_of(site.allocated.bytes)
                    .u4_of(site.allocated.objects);
            }
        })
    }

    /// HEAP SUMMARY.
    pub(crate) fn summary(&self, out: &mut dyn Write, sites: &[Site]) -> io::Result<()> {
        self.emit(out, tag::HEAP_SUMMARY, |body| totals(body, sites))
    }

    /// CPU SAMPLES.
    pub(crate) fn samples(
        &self,
        out: &mut dyn Write,
        entries: &[CpuEntry],
        cutoff: f64,
    ) -> io::Result<()> {
        let total: u64 = entries.iter().map(|entry| entry.count).sum();
        let mut entries = entries.to_vec();
        entries.sort_by_key(|entry| (Reverse(entry.count), entry.trace));
        entries.retain(|entry| share(entry.count, total) >= cutoff);
        self.emit(out, tag::CPU_SAMPLES, |body| {
            body.u4_of(total);
            body.u4_of(u64::try_from(entries.len()).unwrap_or(0));
            for entry in &entries {
                body.u4_of(entry.count).u4(entry.trace);
            }
        })
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "compared with a share of four digits"
)]
fn share(amount: u64, total: u64) -> f64 {
    if total == 0 {
        0.0
    } else {
        amount as f64 / total as f64
    }
}

fn totals(body: &mut Body, sites: &[Site]) {
    let sum = |part: fn(&Site) -> u64| sites.iter().map(part).sum::<u64>();
    body.u4_of(sum(|site| site.live.bytes));
    body.u4_of(sum(|site| site.live.objects));
    body.u8(sum(|site| site.allocated.bytes));
    body.u8(sum(|site| site.allocated.objects));
}

/// JVMPI's number of a kind, and a class serial (of an array, its elements').
fn raw_kind(profile: &Profile, kind: SiteKind) -> (u8, u32) {
    let serial = |class| {
        let class = Option::and_then(class, |class| profile.class(class));
        class.map_or(0, |class| class.serial)
    };
    match kind {
        SiteKind::Instance(class) => (0, serial(class)),
        SiteKind::Array(class) => (2, serial(class)),
        SiteKind::PrimitiveArray(letter) => {
            let letters = b"ZCFDBSIJ".iter().zip(4..);
            let kind = letters.clone().find(|&(&known, _)| known == letter);
            (kind.map_or(0, |(_, kind)| kind), 0)
        }
    }
}
