//! `format=a`: the text that scripts have parsed since 1998 (facts E.3).

use std::cmp::Reverse;
use std::io::{self, Write};

use crate::ffi::clock::date;
use crate::notes;
use crate::profile::{
    Call, Cpu, CpuEntry, Estimates, Lock, MethodRef, Monitor, Park, Profile, Site, Trace,
};
use crate::threads::Change;

/// Threads that came and went.
pub(crate) fn changes(
    out: &mut dyn Write,
    profile: &Profile,
    changes: &[Change],
) -> io::Result<()> {
    for change in changes {
        match *change {
            Change::Start(serial) => {
                let Some(thread) = profile.thread(serial) else {
                    continue;
                };
                writeln!(
                    out,
                    "THREAD START (obj={:x}, id = {serial}, name=\"{}\", group=\"{}\")",
                    thread.object, thread.name, thread.group
                )?;
            }
            Change::End(serial) => writeln!(out, "THREAD END (id = {serial})")?,
        }
    }
    Ok(())
}

/// How many virtual threads up to now have no lines.
pub(crate) fn left_out(out: &mut dyn Write, count: u64) -> io::Result<()> {
    writeln!(
        out,
        "THREADS LEFT OUT: {count} virtual ones that have ended and that nothing here names"
    )
}

/// Traces that are new in this file.
pub(crate) fn traces(out: &mut dyn Write, profile: &Profile, traces: &[Trace]) -> io::Result<()> {
    for trace in traces {
        if profile.shown.thread {
            writeln!(out, "TRACE {}: (thread={})", trace.serial, trace.thread)?;
        } else {
            writeln!(out, "TRACE {}:", trace.serial)?;
        }
        if trace.frames.is_empty() {
            writeln!(out, "\t<empty>")?;
        }
        for &frame in &trace.frames {
            writeln!(out, "\t{}", profile.frame_text(frame))?;
        }
    }
    Ok(())
}

/// Shares of a whole, added up row by row.
struct Shares {
    total: f64,
    cutoff: f64,
    so_far: f64,
}

#[allow(
    clippy::cast_precision_loss,
    reason = "percentages of two digits behind the point"
)]
impl Shares {
    fn new(total: u64, cutoff: f64) -> Self {
        Self {
            total: total as f64,
            cutoff,
            so_far: 0.0,
        }
    }

    /// Both in percent; `None` where the table ends.
    fn next(&mut self, amount: u64) -> Option<(f64, f64)> {
        let share = if self.total > 0.0 {
            amount as f64 / self.total
        } else {
            0.0
        };
        if share < self.cutoff {
            return None;
        }
        self.so_far += share;
        Some((share * 100.0, self.so_far * 100.0))
    }
}

/// What a SITES table is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SitesBy {
    Live,
    Allocated,
}

/// A site's bytes, as far as they count.
pub(crate) fn weight(site: &Site, by: SitesBy) -> u64 {
    match by {
        SitesBy::Live => site.live.bytes,
        SitesBy::Allocated => site.allocated.bytes,
    }
}

/// The largest first.
pub(crate) fn sorted_sites(sites: &[Site], by: SitesBy) -> Vec<Site> {
    let mut sites = sites.to_vec();
    let key = |site: &Site| {
        let other = site.allocated.bytes;
        (Reverse((weight(site, by), other)), site.trace, site.kind)
    };
    sites.sort_by_key(key);
    sites
}

/// SITES.
pub(crate) fn sites(
    out: &mut dyn Write,
    profile: &Profile,
    sites: &[Site],
    by: SitesBy,
    cutoff: f64,
) -> io::Result<()> {
    let order = match by {
        SitesBy::Live => "live bytes",
        SitesBy::Allocated => "allocated bytes",
    };
    writeln!(
        out,
        "SITES BEGIN (ordered by {order}{}) {}\n          \
         percent         live       alloc'ed  stack class\n \
         rank   self  accum    bytes objs   bytes objs trace name{}",
        estimated(profile),
        date(profile.taken),
        profile
            .shown
            .sample
            .map_or("", |_| " (live, alloc'ed, picked)"),
    )?;
    let total = sites.iter().map(|site| weight(site, by)).sum();
    let mut shares = Shares::new(total, cutoff);
    for (rank, site) in (1_u32..).zip(sorted_sites(sites, by)) {
        let Some((own, accumulated)) = shares.next(weight(&site, by)) else {
            break;
        };
        write!(
            out,
            "{rank:5} {own:5.2}% {accumulated:5.2}% {:8} {:4} {:7} {:4} {:5} {}",
            site.live.bytes,
            site.live.objects,
            site.allocated.bytes,
            site.allocated.objects,
            site.trace,
            profile.site_name(site.kind),
        )?;
        if let Some(Estimates { live, allocated }) = site.estimates {
            let (live, all, picked) = (live.percent(), allocated.percent(), allocated.picked);
            write!(out, " (+-{live:.0}%, +-{all:.0}%, {picked})")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "SITES END")
}

/// For titles.
fn estimated(profile: &Profile) -> String {
    let sample = profile.shown.sample;
    sample.map_or(String::new(), |interval| {
        format!(", estimated with sample={}", notes::size(interval))
    })
}

/// How much lives, and was allocated in all.
pub(crate) fn summary(out: &mut dyn Write, profile: &Profile, sites: &[Site]) -> io::Result<()> {
    let sum = |part: fn(&Site) -> u64| sites.iter().map(part).sum::<u64>();
    writeln!(
        out,
        "HEAP SUMMARY (live = {} bytes, {} objects; allocated = {} bytes, {} objects{})",
        sum(|site| site.live.bytes),
        sum(|site| site.live.objects),
        sum(|site| site.allocated.bytes),
        sum(|site| site.allocated.objects),
        estimated(profile)
    )
}

/// METHODS LEFT OUT.
pub(crate) fn methods_left_out(
    out: &mut dyn Write,
    profile: &Profile,
    left_out: &[(MethodRef, u64)],
) -> io::Result<()> {
    writeln!(
        out,
        "METHODS LEFT OUT BEGIN (total = {}) {}",
        left_out.len(),
        date(profile.taken)
    )?;
    writeln!(out, "calls until then, about  method")?;
    for &(method, calls) in left_out {
        writeln!(out, "{calls:23}  {}", profile.method_name(method))?;
    }
    writeln!(out, "METHODS LEFT OUT END")
}

/// CPU SAMPLES, CPU TIME (ms), or the table of `cpu=old`.
pub(crate) fn cpu(
    out: &mut dyn Write,
    profile: &Profile,
    cpu: &Cpu,
    cutoff: f64,
) -> io::Result<()> {
    match cpu {
        Cpu::Samples(entries) => {
            let total: u64 = entries.iter().map(|entry| entry.count).sum();
            table(
                out,
                profile,
                "CPU SAMPLES",
                (total, total),
                entries,
                cutoff,
                |entry| entry.count,
            )
        }
        Cpu::Times(entries) => {
            let total: u64 = entries.iter().map(|entry| entry.nanos).sum();
            let shown = (total, total / MS);
            table(
                out,
                profile,
                "CPU TIME (ms)",
                shown,
                entries,
                cutoff,
                |entry| entry.nanos,
            )
        }
        Cpu::Old(calls) => old(out, profile, calls),
    }
}

const MS: u64 = 1_000_000;

fn table(
    out: &mut dyn Write,
    profile: &Profile,
    title: &str,
    (total, shown): (u64, u64),
    entries: &[CpuEntry],
    cutoff: f64,
    weight: impl Fn(&CpuEntry) -> u64,
) -> io::Result<()> {
    writeln!(
        out,
        "{title} BEGIN (total = {shown}) {}",
        date(profile.taken)
    )?;
    writeln!(out, "rank   self  accum   count trace method")?;
    let mut entries = entries.to_vec();
    entries.sort_by_key(|entry| (Reverse((weight(entry), entry.count)), entry.trace));
    let mut shares = Shares::new(total, cutoff);
    for (rank, entry) in (1_u32..).zip(entries) {
        let Some((own, accumulated)) = shares.next(weight(&entry)) else {
            break;
        };
        let top = profile
            .trace(entry.trace)
            .and_then(|trace| trace.frames.first());
        writeln!(
            out,
            "{rank:4} {own:5.2}% {accumulated:5.2}% {:7} {:5} {}",
            entry.count,
            entry.trace,
            top.map_or("<empty trace>".to_owned(), |frame| profile
                .method_name(frame.method)),
        )?;
    }
    writeln!(out, "{title} END")
}

fn old(out: &mut dyn Write, profile: &Profile, calls: &[Call]) -> io::Result<()> {
    let full = |method| {
        let signature = profile
            .method(method)
            .map_or("", |method| &method.signature);
        format!("{}{signature}", profile.method_name(method))
    };
    let mut calls = calls.to_vec();
    calls.sort_by_key(|call| (Reverse((call.nanos, call.count)), call.callee, call.caller));
    writeln!(out, "count callee caller time")?;
    for call in calls {
        writeln!(
            out,
            "{} {} {} {}",
            call.count,
            full(call.callee),
            call.caller.map_or("<unknown caller>".to_owned(), full),
            call.nanos / MS
        )?;
    }
    Ok(())
}

/// The text of a lock.
pub(crate) fn lock_name(profile: &Profile, monitor: &Monitor) -> String {
    match monitor {
        Monitor::Raw(name, id) => format!("\"{name}\"({id:x}) (Raw)"),
        Monitor::Java(class, id) => format!("{}({id:x}) (Java)", profile.class_name(*class)),
    }
}

/// The longest wait first.
pub(crate) fn sorted_locks(locks: &[Lock]) -> Vec<&Lock> {
    let mut locks: Vec<_> = locks.iter().collect();
    locks.sort_by_key(|lock| (Reverse((lock.nanos, lock.count)), lock.trace));
    locks
}

/// MONITOR TIME.
pub(crate) fn locks(
    out: &mut dyn Write,
    profile: &Profile,
    locks: &[Lock],
    cutoff: f64,
) -> io::Result<()> {
    let total: u64 = locks.iter().map(|lock| lock.nanos).sum();
    writeln!(
        out,
        "MONITOR TIME BEGIN (total = {} ms) {}",
        total / MS,
        date(profile.taken)
    )?;
    writeln!(out, "rank   self  accum   count trace monitor")?;
    let mut shares = Shares::new(total, cutoff);
    for (rank, lock) in (1_u32..).zip(sorted_locks(locks)) {
        let Some((own, accumulated)) = shares.next(lock.nanos) else {
            break;
        };
        writeln!(
            out,
            "{rank:4} {own:5.2}% {accumulated:5.2}% {:7} {:5} {}",
            lock.count,
            lock.trace,
            lock_name(profile, &lock.monitor)
        )?;
    }
    writeln!(out, "MONITOR TIME END")
}

/// The longest first.
pub(crate) fn sorted_parks(parks: &[Park]) -> Vec<&Park> {
    let mut parks: Vec<_> = parks.iter().collect();
    parks.sort_by_key(|park| (Reverse((park.nanos, park.count)), park.trace));
    parks
}

/// PARKED TIME.
pub(crate) fn parked(
    out: &mut dyn Write,
    profile: &Profile,
    parks: &[Park],
    cutoff: f64,
) -> io::Result<()> {
    let total: u64 = parks.iter().map(|park| park.nanos).sum();
    writeln!(
        out,
        "PARKED TIME BEGIN (total = {} ms) {}",
        total / MS,
        date(profile.taken)
    )?;
    writeln!(out, "rank   self  accum   count trace blocker")?;
    let mut shares = Shares::new(total, cutoff);
    for (rank, park) in (1_u32..).zip(sorted_parks(parks)) {
        let Some((own, accumulated)) = shares.next(park.nanos) else {
            break;
        };
        writeln!(
            out,
            "{rank:4} {own:5.2}% {accumulated:5.2}% {:7} {:5} {}{}",
            park.count,
            park.trace,
            profile.blocker_name(park),
            park.mark()
        )?;
    }
    writeln!(out, "PARKED TIME END")
}
