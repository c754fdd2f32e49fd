//! The ranked tables.

use super::words::{Lines, Result, ctime, decimal, fields, hex, name, percent};

/// `SITES`.
#[derive(Debug)]
pub struct SiteTable {
    /// `live bytes` or `allocated bytes`.
    pub order: String,
    /// The rows.
    pub rows: Vec<SiteRow>,
}

/// A row of `SITES`.
#[derive(Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the table's own")]
pub struct SiteRow {
    pub live_bytes: u64,
    pub live_objects: u64,
    pub allocated_bytes: u64,
    pub allocated_objects: u64,
    pub trace: u32,
    pub class: String,
}

/// `CPU SAMPLES` or `CPU TIME (ms)`.
#[derive(Debug)]
pub struct CpuTable {
    /// Milliseconds, not samples.
    pub times: bool,
    /// Of all, also what the cutoff left out.
    pub total: u64,
    /// The rows.
    pub rows: Vec<CpuRow>,
}

/// A row of a CPU table.
#[derive(Debug)]
pub struct CpuRow {
    /// Percent.
    pub share: f64,
    /// Samples or calls.
    pub count: u64,
    /// Its trace.
    pub trace: u32,
    /// The first frame's method, or `<empty trace>`.
    pub method: String,
}

/// `MONITOR TIME`.
#[derive(Debug)]
pub struct LockTable {
    /// Milliseconds.
    pub total: u64,
    /// The rows.
    pub rows: Vec<LockRow>,
}

/// `PARKED TIME`.
#[derive(Debug)]
pub struct ParkTable {
    /// Milliseconds.
    pub total: u64,
    /// The rows.
    pub rows: Vec<ParkRow>,
}

/// A row of `PARKED TIME`.
#[derive(Debug)]
pub struct ParkRow {
    /// How often somebody was parked.
    pub count: u64,
    /// Whose trace.
    pub trace: u32,
    /// A class, or `<no blocker>`.
    pub blocker: String,
}

/// A row of `MONITOR TIME`.
#[derive(Debug)]
pub struct LockRow {
    /// Percent.
    pub share: f64,
    /// How often somebody waited.
    pub count: u64,
    /// Whose trace.
    pub trace: u32,
    /// A class, or a raw monitor's name.
    pub name: String,
    /// The object or monitor.
    pub id: u64,
    /// A raw monitor.
    pub raw: bool,
}

/// A line of `cpu=old`.
#[derive(Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the table's own")]
pub struct Call {
    pub count: u64,
    pub callee: String,
    pub caller: String,
    pub milliseconds: u64,
}

/// Ranks go up by one, shares go down, and `accum` is their sum.
#[derive(Debug, Default)]
struct Ranks {
    rank: u64,
    least: Option<f64>,
    sum: f64,
}

impl Ranks {
    fn next(&mut self, rank: &str, share: f64, accumulated: f64) -> Result<()> {
        self.rank += 1;
        if decimal::<u64>(rank)? != self.rank {
            return Err(format!("rank {} is due", self.rank));
        }
        if self.least.replace(share).is_some_and(|least| share > least) {
            return Err("a smaller share came before".into());
        }
        self.sum += share;
        // Each figure is rounded.
        if (self.sum - accumulated).abs() > 0.005 * (self.rank as f64 + 1.0) + 1e-9 {
            return Err(format!("the shares add up to {:.2}%", self.sum));
        }
        Ok(())
    }
}

/// The words of a row: so many that have no blank in them, and the rest of the line.
fn words<const N: usize>(line: &str) -> Result<([&str; N], &str)> {
    let mut rest = line;
    let mut found = [""; N];
    for word in &mut found {
        (*word, rest) = rest
            .trim_start_matches(' ')
            .split_once(' ')
            .ok_or("a row is longer")?;
    }
    Ok((found, rest))
}

/// The row has to be what the template prints.
fn same(line: &str, again: String) -> Result<()> {
    if line == again {
        Ok(())
    } else {
        Err(format!("not aligned as `{again}`"))
    }
}

pub(super) fn sites(lines: &mut Lines<'_>) -> Result<SiteTable> {
    let [order, time] = fields(lines.next()?, &["SITES BEGIN (ordered by ", ") ", ""])?;
    ctime(time)?;
    if !["live bytes", "allocated bytes"].contains(&order) {
        return Err("sites are ordered by live bytes or allocated bytes".into());
    }
    lines.exactly("          percent         live       alloc'ed  stack class")?;
    lines.exactly(" rank   self  accum    bytes objs   bytes objs trace name")?;
    let mut rows = Vec::new();
    let mut ranks = Ranks::default();
    loop {
        let line = lines.next()?;
        if line == "SITES END" {
            return Ok(SiteTable {
                order: order.to_owned(),
                rows,
            });
        }
        let ([rank, own, sum, live, lives, made, makes, trace], class) = words(line)?;
        let (own, sum) = (percent(own)?, percent(sum)?);
        ranks.next(rank, own, sum)?;
        let row = SiteRow {
            live_bytes: decimal(live)?,
            live_objects: decimal(lives)?,
            allocated_bytes: decimal(made)?,
            allocated_objects: decimal(makes)?,
            trace: decimal(trace)?,
            class: name(class)?,
        };
        same(
            line,
            format!(
                "{rank:>5} {own:5.2}% {sum:5.2}% {live:>8} {lives:>4} {made:>7} {makes:>4} {trace:>5} {class}"
            ),
        )?;
        if row.live_bytes > row.allocated_bytes || row.live_objects > row.allocated_objects {
            return Err("more lives than was allocated".into());
        }
        rows.push(row);
    }
}

pub(super) fn cpu(lines: &mut Lines<'_>) -> Result<CpuTable> {
    let line = lines.next()?;
    let times = line.starts_with("CPU TIME");
    let name = if times {
        "CPU TIME (ms)"
    } else {
        "CPU SAMPLES"
    };
    let [total, time] = fields(line, &[&format!("{name} BEGIN (total = "), ") ", ""])?;
    ctime(time)?;
    lines.exactly("rank   self  accum   count trace method")?;
    let mut table = CpuTable {
        times,
        total: decimal(total)?,
        rows: Vec::new(),
    };
    let mut ranks = Ranks::default();
    loop {
        let line = lines.next()?;
        if line == format!("{name} END") {
            return Ok(table);
        }
        let ([rank, own, sum, count, trace], method) = words(line)?;
        let (own, sum) = (percent(own)?, percent(sum)?);
        ranks.next(rank, own, sum)?;
        same(
            line,
            format!("{rank:>4} {own:5.2}% {sum:5.2}% {count:>7} {trace:>5} {method}"),
        )?;
        let row = CpuRow {
            share: own,
            count: decimal(count)?,
            trace: decimal(trace)?,
            method: method.to_owned(),
        };
        let share = 100.0 * row.count as f64 / table.total as f64;
        if !times && (share - own).abs() > 0.0051 {
            return Err(format!("{count} of {} are {share:.2}%", table.total));
        }
        if !method.contains('.') && method != "<empty trace>" {
            return Err("a method is class.method".into());
        }
        table.rows.push(row);
    }
}

pub(super) fn parked(lines: &mut Lines<'_>) -> Result<ParkTable> {
    let [total, time] = fields(lines.next()?, &["PARKED TIME BEGIN (total = ", " ms) ", ""])?;
    ctime(time)?;
    lines.exactly("rank   self  accum   count trace blocker")?;
    let mut table = ParkTable {
        total: decimal(total)?,
        rows: Vec::new(),
    };
    let mut ranks = Ranks::default();
    loop {
        let line = lines.next()?;
        if line == "PARKED TIME END" {
            return Ok(table);
        }
        let ([rank, own, sum, count, trace], blocker) = words(line)?;
        let (own, sum) = (percent(own)?, percent(sum)?);
        ranks.next(rank, own, sum)?;
        same(
            line,
            format!("{rank:>4} {own:5.2}% {sum:5.2}% {count:>7} {trace:>5} {blocker}"),
        )?;
        table.rows.push(ParkRow {
            count: decimal(count)?,
            trace: decimal(trace)?,
            blocker: blocker.to_owned(),
        });
    }
}

pub(super) fn locks(lines: &mut Lines<'_>) -> Result<LockTable> {
    let [total, time] = fields(
        lines.next()?,
        &["MONITOR TIME BEGIN (total = ", " ms) ", ""],
    )?;
    ctime(time)?;
    lines.exactly("rank   self  accum   count trace monitor")?;
    let mut table = LockTable {
        total: decimal(total)?,
        rows: Vec::new(),
    };
    let mut ranks = Ranks::default();
    loop {
        let line = lines.next()?;
        if line == "MONITOR TIME END" {
            return Ok(table);
        }
        let ([rank, own, sum, count, trace], monitor) = words(line)?;
        let (own, sum) = (percent(own)?, percent(sum)?);
        ranks.next(rank, own, sum)?;
        same(
            line,
            format!("{rank:>4} {own:5.2}% {sum:5.2}% {count:>7} {trace:>5} {monitor}"),
        )?;
        let (name, id, raw) = match fields(monitor, &["\"", "\"(", ") (Raw)"]) {
            Ok([name, id]) => (name, id, true),
            Err(_) => {
                let [name, id] = fields(monitor, &["", "(", ") (Java)"])?;
                (name, id, false)
            }
        };
        let (count, trace, id) = (decimal(count)?, decimal(trace)?, hex(id)?);
        table.rows.push(LockRow {
            share: own,
            count,
            trace,
            name: name.to_owned(),
            id,
            raw,
        });
    }
}

pub(super) fn old(lines: &mut Lines<'_>) -> Result<Vec<Call>> {
    lines.exactly("count callee caller time")?;
    let mut calls: Vec<Call> = Vec::new();
    // What follows in a file with other sections begins with a letter.
    while lines
        .peek()
        .is_some_and(|line| line.starts_with(|first: char| first.is_ascii_digit()))
    {
        let line = lines.next()?;
        let (count, rest) = line.split_once(' ').ok_or("a call has four parts")?;
        let (methods, time) = rest.rsplit_once(' ').ok_or("a call has four parts")?;
        let (callee, caller) = match methods.strip_prefix("<unknown callee> ") {
            Some(caller) => ("<unknown callee>", caller),
            None => methods.split_once(' ').ok_or("a call has four parts")?,
        };
        let known =
            |method: &str| method.contains('.') && method.contains('(') && !method.contains(' ');
        if !(known(callee) || callee == "<unknown callee>")
            || !(known(caller) || caller == "<unknown caller>")
        {
            return Err("a method is class.method(signature)".into());
        }
        calls.push(Call {
            count: decimal(count)?,
            callee: callee.to_owned(),
            caller: caller.to_owned(),
            milliseconds: decimal(time)?,
        });
    }
    Ok(calls)
}
