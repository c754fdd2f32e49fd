//! `MONITOR DUMP`.

use super::Ascii;
use super::words::{Lines, Result, decimal, fields, hex};

/// A dump.
#[derive(Debug, Default)]
pub struct MonitorDump {
    /// What each thread did.
    pub threads: Vec<ThreadState>,
    /// Who had what.
    pub monitors: Vec<Monitor>,
}

/// A thread in a dump.
#[derive(Debug)]
pub struct ThreadState {
    /// Its id.
    pub id: u32,
    /// Its stack.
    pub trace: u32,
    /// `R`, `MW`, `CW`, perhaps after `S|` and `intr|`.
    pub status: String,
}

/// A monitor in a dump.
#[derive(Debug, Default)]
pub struct Monitor {
    /// A class, or a raw monitor's name.
    pub name: String,
    /// A raw monitor.
    pub raw: bool,
    /// The object or monitor.
    pub id: u64,
    /// Who has it, and how often it was entered.
    pub owner: Option<(u32, u32)>,
    /// Threads that want it.
    pub entering: Vec<u32>,
    /// Threads that wait to be notified.
    pub waiting: Vec<u32>,
}

const STATUS: [&str; 3] = ["R", "MW", "CW"];

pub(super) fn read(lines: &mut Lines<'_>, ascii: &Ascii) -> Result<MonitorDump> {
    lines.exactly("MONITOR DUMP BEGIN")?;
    let mut dump = MonitorDump::default();
    loop {
        let line = lines.next()?;
        if line == "MONITOR DUMP END" {
            break;
        } else if line.starts_with("    THREAD ") {
            if !dump.monitors.is_empty() {
                return Err("threads come before monitors".into());
            }
            let thread = thread(line)?;
            if dump.threads.iter().any(|before| before.id == thread.id) {
                return Err("the thread was there before".into());
            }
            dump.threads.push(thread);
        } else {
            let monitor = monitor(lines, line)?;
            if dump.monitors.iter().any(|before| before.id == monitor.id) {
                return Err("the monitor was there before".into());
            }
            dump.monitors.push(monitor);
        }
        if let Some(unknown) = dump.named().find(|id| !ascii.threads.contains_key(id)) {
            return Err(format!("thread {unknown} was not started"));
        }
    }
    Ok(dump)
}

impl MonitorDump {
    fn named(&self) -> impl Iterator<Item = u32> {
        let monitors = self.monitors.last().into_iter();
        let of_monitor = monitors.flat_map(|monitor| {
            let owner = monitor.owner.map(|(owner, _)| owner);
            owner
                .into_iter()
                .chain(monitor.entering.iter().chain(&monitor.waiting).copied())
        });
        of_monitor.chain(self.threads.last().map(|thread| thread.id))
    }
}

fn thread(line: &str) -> Result<ThreadState> {
    let [id, trace, status] = fields(line, &["    THREAD ", ", trace ", ", status: ", ""])?;
    let kind = status.strip_prefix("S|").unwrap_or(status);
    if !STATUS.contains(&kind.strip_prefix("intr|").unwrap_or(kind)) {
        return Err(format!("`{status}` is no status"));
    }
    Ok(ThreadState {
        id: decimal(id)?,
        trace: decimal(trace)?,
        status: status.to_owned(),
    })
}

fn monitor(lines: &mut Lines<'_>, line: &str) -> Result<Monitor> {
    let unowned = line.ends_with(" unowned");
    let head = line.strip_suffix(" unowned").unwrap_or(line);
    let (name, id, raw) = match fields(head, &["    RAW MONITOR \"", "\"(0x", ")"]) {
        Ok([name, id]) => (name, id, true),
        Err(_) => {
            let [name, id] = fields(head, &["    MONITOR ", "(", ")"])?;
            (name, id, false)
        }
    };
    let mut monitor = Monitor {
        name: name.to_owned(),
        raw,
        id: hex(id)?,
        ..Monitor::default()
    };
    if !unowned {
        let [owner, entries] = fields(lines.next()?, &["\towner: thread ", ", entry count: ", ""])?;
        match decimal(entries)? {
            0 => return Err("an owner has entered".into()),
            entries => monitor.owner = Some((decimal(owner)?, entries)),
        }
    }
    monitor.entering = list(lines, "\twaiting to enter: ")?;
    monitor.waiting = list(lines, "\twaiting to be notified: ")?;
    Ok(monitor)
}

/// `thread 1, thread 2`, if there is such a line.
fn list(lines: &mut Lines<'_>, start: &str) -> Result<Vec<u32>> {
    let Some(rest) = lines.peek().and_then(|line| line.strip_prefix(start)) else {
        return Ok(Vec::new());
    };
    lines.next()?;
    let threads = rest.split(", ");
    threads
        .map(|word| {
            decimal(
                word.strip_prefix("thread ")
                    .ok_or("not a list of threads")?,
            )
        })
        .collect()
}
