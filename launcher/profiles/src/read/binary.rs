//! HPROF's `format=b`: CPU samples and sites. Heap dumps that stand between them are passed over: they
//! may be larger than memory.

use std::io::{self, BufRead, Read as _};

use dump_format::Primitive;
use profile_formats::tree::REST;
use rustc_hash::FxHashMap;

use super::{CUT_OFF, UNKNOWN, cut_off};
use crate::part::{Part, Process, Series};

/// Reads numbers, big-endian, one behind the other.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.0.split_off(..count)
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
struct Names {
    /// Bytes of an id.
    id: usize,
    texts: FxHashMap<u64, Box<[u8]>>,
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
struct Tables {
    samples: Option<Vec<u8>>,
    sites: Option<Vec<u8>>,
    /// What the settings at the begin say there will be.
    settings: u64,
    has_dump: bool,
}

impl Tables {
    /// What was to come, and is not there: a file may end between two records.
    const fn missing(&self) -> Option<&'static str> {
        const ALLOCATIONS: u64 = 1;
        const SAMPLES: u64 = 2;
        if self.settings & SAMPLES != 0 && self.samples.is_none() {
            return Some("CPU samples");
        }
        // Set for heap dumps, too.
        let is_kept = self.sites.is_some() || self.has_dump;
        if self.settings & ALLOCATIONS != 0 && !is_kept {
            return Some("sites");
        }
        None
    }
}

pub(super) fn read(file: &mut dyn BufRead, process: Process) -> Result<Part, String> {
    let (names, tables) = scan(file).map_err(cut_off)?;
    if let Some(missing) = tables.missing() {
        return Err(format!(
            "its head promises {missing}, and there are none. If its HPROF never wrote them, it is not merged; else it is {CUT_OFF}"
        ));
    }
    if tables.samples.is_none() && tables.sites.is_none() {
        return Err(format!("without CPU samples and sites; {UNKNOWN}"));
    }
    let mut part = Part::default();
    part.process(process);
    let stacks = names.stacks(&mut part);
    if let Some(table) = tables.samples {
        samples(&mut part, &stacks, &table).ok_or(CUT_OFF)?;
    }
    if let Some(table) = tables.sites {
        sites(&mut part, &names, &stacks, &table).ok_or(CUT_OFF)?;
    }
    Ok(part)
}

fn scan(file: &mut dyn BufRead) -> io::Result<(Names, Tables)> {
    file.skip_until(0)?;
    let mut head = [0; 12];
    file.read_exact(&mut head)?;
    let id = match Bytes(&head).number(4) {
        Some(4) => 4,
        Some(8) => 8,
        _ => return Err(io::Error::other("damaged: its ids are not of 4 or 8 bytes")),
    };
    let mut names = Names {
        id,
        ..Names::default()
    };
    let mut tables = Tables::default();
    while !file.fill_buf()?.is_empty() {
        let mut head = [0; 9];
        file.read_exact(&mut head)?;
        let [tag, _, _, _, _, length @ ..] = head;
        let length = u64::from(u32::from_be_bytes(length));
        let mut body = Vec::new();
        let mut rest = (&mut *file).take(length);
        let read = match tag {
            0x01 | 0x02 | 0x04 | 0x05 | 0x06 | 0x0a | 0x0d | 0x0e => {
                // Not all at once: there may be less than it says.
                let read = rest.read_to_end(&mut body)?;
                u64::try_from(read).unwrap_or(0)
            }
            _ => io::copy(&mut rest, &mut io::sink())?,
        };
        if read < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match tag {
            0x06 => tables.sites = Some(body),
            0x0d => tables.samples = Some(body),
            0x0e => {
                let flags = Bytes(&body).number(4);
                tables.settings = flags.ok_or(io::ErrorKind::UnexpectedEof)?;
            }
            0x0c | 0x1c => tables.has_dump = true,
            _ => names
                .learn(tag, Bytes(&body))
                .ok_or(io::ErrorKind::UnexpectedEof)?,
        }
    }
    Ok((names, tables))
}

impl Names {
    /// From a record; `None` if it is too short.
    fn learn(&mut self, tag: u8, mut one: Bytes<'_>) -> Option<()> {
        let id = self.id;
        match tag {
            0x01 => {
                let number = one.number(id)?;
                self.texts.insert(number, one.0.into());
            }
            0x02 => {
                let serial = one.number(4)?;
                one.take(id + 4)?;
                self.classes.insert(serial, one.number(id)?);
            }
            0x04 => {
                let (frame, method) = (one.number(id)?, one.number(id)?);
                one.take(2 * id)?;
                self.frames.insert(frame, (method, one.number(4)?));
            }
            0x05 => {
                let (serial, thread) = (one.number(4)?, one.number(4)?);
                let count = one.number(4)?;
                let frames = (0..count).map(|_| one.number(id));
                let frames = frames.collect::<Option<_>>()?;
                self.traces.insert(serial, (thread, frames));
            }
            0x0a => {
                let serial = one.number(4)?;
                one.take(id + 4)?;
                self.threads.insert(serial, one.number(id)?);
            }
            _ => {}
        }
        Some(())
    }

    fn text(&self, id: u64) -> String {
        let text = self.texts.get(&id).map_or(&[][..], |text| text);
        String::from_utf8_lossy(text).into_owned()
    }

    /// With dots, as all other formats have it.
    fn class(&self, serial: u64) -> String {
        let name = self.classes.get(&serial).map(|&name| self.text(name));
        name.map_or("<Unknown>".to_owned(), |name| name.replace('/', "."))
    }

    /// The nodes of all traces.
    fn stacks(&self, part: &mut Part) -> FxHashMap<u64, u32> {
        let frames = self.frames.iter().map(|(&frame, &(method, class))| {
            let name = format!("{}.{}", self.class(class), self.text(method));
            (frame, part.name(&name))
        });
        let methods: FxHashMap<u64, u32> = frames.collect();
        let unknown = part.name(&format!("{}.", self.class(0)));
        let stacks = self.traces.iter().map(|(&trace, (thread, frames))| {
            let thread = self.threads.get(thread);
            let thread =
                thread.map_or(0, |&name| part.called(0, &format!("[{}]", self.text(name))));
            let node = frames.iter().rev().fold(thread, |caller, frame| {
                part.child(caller, methods.get(frame).copied().unwrap_or(unknown))
            });
            (trace, node)
        });
        stacks.collect()
    }
}

fn samples(part: &mut Part, stacks: &FxHashMap<u64, u32>, table: &[u8]) -> Option<()> {
    let series = part.series(Series::samples());
    let mut table = Bytes(table);
    let mut rest = table.number(4)?;
    for _ in 0..table.number(4)? {
        let (count, trace) = (table.number(4)?, table.number(4)?);
        part.add(series, 0, stacks.get(&trace).copied().unwrap_or(0), count);
        rest = rest.saturating_sub(count);
    }
    let node = part.called(0, REST);
    part.add(series, 0, node, rest);
    Some(())
}

fn sites(part: &mut Part, names: &Names, stacks: &FxHashMap<u64, u32>, table: &[u8]) -> Option<()> {
    let series = Series::allocations(false).map(|one| part.series(one));
    let mut table = Bytes(table);
    // Flags, cutoff.
    table.take(2 + 4)?;
    // Over all sites, also those below the cutoff, which have no rows.
    let [live, live_objects] = [(); 2].map(|()| table.number(4));
    let [all, objects] = [(); 2].map(|()| table.number(8));
    // As large as can be, they may have been more.
    let known = |sum: Option<u64>| sum.filter(|&sum| sum != u64::from(u32::MAX)).unwrap_or(0);
    let mut rest = [all?, objects?, known(live), known(live_objects)];
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
        let name = match u8::try_from(kind).ok().and_then(Primitive::from_raw) {
            Some(primitive) => format!("{}[]", primitive.name()),
            None if kind == 2 && by_elements => {
                profile_formats::in_java(&names.class(class)) + "[]"
            }
            None => profile_formats::in_java(&names.class(class)),
        };
        let node = stacks.get(&trace).copied().unwrap_or(0);
        let node = part.called(node, &format!("new {name}"));
        let values = [all, objects, live, live_objects];
        for ((series, value), rest) in series.into_iter().zip(values).zip(&mut rest) {
            let value = value?;
            part.add(series, 0, node, value);
            *rest = rest.saturating_sub(value);
        }
    }
    let node = part.called(0, REST);
    for (series, rest) in series.into_iter().zip(rest) {
        part.add(series, 0, node, rest);
    }
    Some(())
}
