//! HPROF's `format=b`: CPU samples and sites. Heap dumps that stand between them are passed over.

use rustc_hash::FxHashMap;

use super::{CUT_OFF, UNKNOWN};
use crate::part::{Part, Process, Series};

/// Reads numbers, big-endian, one behind the other.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, bytes: usize) -> Option<u64> {
        let taken = self.take(bytes)?;
        Some(
            taken
                .iter()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
        )
    }
}

#[derive(Default)]
struct Names<'a> {
    texts: FxHashMap<u64, &'a [u8]>,
    /// Names of classes by their serials.
    classes: FxHashMap<u64, u64>,
    /// Method and class of frames.
    frames: FxHashMap<u64, (u64, u64)>,
    /// Thread and frames of traces.
    traces: FxHashMap<u64, (u64, Vec<u64>)>,
    threads: FxHashMap<u64, u64>,
}

/// A record that is kept for the end, since what it names comes anywhere: the last of its kind.
#[derive(Default)]
struct Tables<'a> {
    samples: Option<&'a [u8]>,
    sites: Option<&'a [u8]>,
}

pub(super) fn read(bytes: &[u8], process: Process) -> Result<Part, String> {
    let (names, tables) = scan(bytes).ok_or(CUT_OFF)?;
    if tables.samples.is_none() && tables.sites.is_none() {
        return Err(format!("without CPU samples and sites; {UNKNOWN}"));
    }
    let mut part = Part::default();
    part.process(process);
    if let Some(table) = tables.samples {
        samples(&mut part, &names, table).ok_or(CUT_OFF)?;
    }
    if let Some(table) = tables.sites {
        sites(&mut part, &names, table).ok_or(CUT_OFF)?;
    }
    Ok(part)
}

fn scan(bytes: &[u8]) -> Option<(Names<'_>, Tables<'_>)> {
    let mut all = Bytes(bytes);
    let head = bytes.iter().position(|&byte| byte == 0)?;
    all.take(head + 1)?;
    let id = usize::try_from(all.number(4)?).ok()?;
    all.take(8)?;
    let (mut names, mut tables) = (Names::default(), Tables::default());
    while !all.0.is_empty() {
        let tag = all.number(1)?;
        all.take(4)?;
        let length = usize::try_from(all.number(4)?).ok()?;
        let body = all.take(length)?;
        let mut one = Bytes(body);
        match tag {
            0x01 => {
                let number = one.number(id)?;
                names.texts.insert(number, one.0);
            }
            0x02 => {
                let serial = one.number(4)?;
                one.take(id + 4)?;
                names.classes.insert(serial, one.number(id)?);
            }
            0x04 => {
                let (frame, method) = (one.number(id)?, one.number(id)?);
                one.take(2 * id)?;
                names.frames.insert(frame, (method, one.number(4)?));
            }
            0x05 => {
                let (serial, thread) = (one.number(4)?, one.number(4)?);
                let count = one.number(4)?;
                let frames = (0..count).map(|_| one.number(id));
                names
                    .traces
                    .insert(serial, (thread, frames.collect::<Option<_>>()?));
            }
            0x06 => tables.sites = Some(body),
            0x0a => {
                let serial = one.number(4)?;
                one.take(id + 4)?;
                names.threads.insert(serial, one.number(id)?);
            }
            0x0d => tables.samples = Some(body),
            _ => {}
        }
    }
    Some((names, tables))
}

impl Names<'_> {
    fn text(&self, id: u64) -> String {
        let text = self.texts.get(&id).copied().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    /// With dots, as all other formats have it.
    fn class(&self, serial: u64) -> String {
        let name = self.classes.get(&serial).map(|&name| self.text(name));
        name.map_or("<Unknown>".to_owned(), |name| name.replace('/', "."))
    }

    fn stack(&self, part: &mut Part, trace: u64) -> Vec<u32> {
        let Some((thread, frames)) = self.traces.get(&trace) else {
            return Vec::new();
        };
        let thread = self
            .threads
            .get(thread)
            .map(|&name| format!("[{}]", self.text(name)));
        let methods = frames.iter().rev().map(|frame| {
            let (method, class) = self.frames.get(frame).copied().unwrap_or_default();
            format!("{}.{}", self.class(class), self.text(method))
        });
        let all: Vec<String> = thread.into_iter().chain(methods).collect();
        all.iter().map(|name| part.name(name)).collect()
    }
}

fn samples(part: &mut Part, names: &Names<'_>, table: &[u8]) -> Option<()> {
    let series = part.series(Series::samples());
    let mut table = Bytes(table);
    let mut rest = table.number(4)?;
    for _ in 0..table.number(4)? {
        let (count, trace) = (table.number(4)?, table.number(4)?);
        let frames = names.stack(part, trace);
        part.add(series, 0, frames, count);
        rest = rest.saturating_sub(count);
    }
    let name = part.name(profile_formats::tree::REST);
    part.add(series, 0, vec![name], rest);
    Some(())
}

fn sites(part: &mut Part, names: &Names<'_>, table: &[u8]) -> Option<()> {
    let series = Series::allocations(false).map(|one| part.series(one));
    let mut table = Bytes(table);
    // Flags, cutoff, live bytes and objects, allocated bytes and objects.
    table.take(2 + 4 + 4 + 4 + 8 + 8)?;
    // Arrays of objects have the class of their elements or their own; who does the one does it throughout.
    let rows = table.0.get(4..).unwrap_or_default();
    let by_elements = rows.chunks_exact(1 + 6 * 4).any(|row| {
        let mut row = Bytes(row);
        let class = (row.number(1) == Some(2)).then(|| row.number(4)).flatten();
        class.is_some_and(|class| {
            names
                .class(class)
                .starts_with(|letter| !matches!(letter, '[' | '<'))
        })
    });
    for _ in 0..table.number(4)? {
        let kind = table.number(1)?;
        let (class, trace) = (table.number(4)?, table.number(4)?);
        let [live, live_objects, all, objects] = [(); 4].map(|()| table.number(4));
        let name = match kind {
            4 => "boolean[]".to_owned(),
            5 => "char[]".to_owned(),
            6 => "float[]".to_owned(),
            7 => "double[]".to_owned(),
            8 => "byte[]".to_owned(),
            9 => "short[]".to_owned(),
            10 => "int[]".to_owned(),
            11 => "long[]".to_owned(),
            2 if by_elements => profile_formats::in_java(&names.class(class)) + "[]",
            _ => profile_formats::in_java(&names.class(class)),
        };
        let mut frames = names.stack(part, trace);
        frames.push(part.name(&format!("new {name}")));
        for (series, value) in series.into_iter().zip([all, objects, live, live_objects]) {
            part.add(series, 0, frames.clone(), value?);
        }
    }
    Some(())
}
