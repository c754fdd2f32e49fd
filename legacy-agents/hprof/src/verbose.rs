//! `verbose=y`: what people want to know first, for a terminal.

use std::cmp::Reverse;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::ascii::{SitesBy, lock_name, sorted_locks, sorted_parks, sorted_sites};
use crate::profile::{Cpu, Frame, MethodRef, Profile};
use crate::text::shown;

/// Rows of a table.
const ROWS: usize = 10;

/// The tables of a profile, whose samples come from so many looks, of which so many found the
/// VM stopped.
pub(crate) fn tables(profile: &Profile, looks: (u64, u64)) -> String {
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = methods(&mut text, profile, looks);
    let _ = sites(&mut text, profile);
    let _ = locks(&mut text, profile);
    let _ = parked(&mut text, profile);
    text
}

/// Of a binary file's profile, too, which has names as they are.
fn frame_text(profile: &Profile, frame: Option<&Frame>) -> String {
    frame.map_or("<empty>".to_owned(), |&frame| {
        shown(&profile.frame_text(frame)).into_owned()
    })
}

#[allow(clippy::cast_precision_loss, reason = "a percentage of one digit")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

#[allow(clippy::cast_precision_loss, reason = "milliseconds of one digit")]
fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

fn methods(text: &mut String, profile: &Profile, (looks, stops): (u64, u64)) -> std::fmt::Result {
    let Some(cpu) = &profile.cpu else {
        return Ok(());
    };
    // Weight and calls by method; what has no frame counts as well.
    let mut by_method: FxHashMap<Option<MethodRef>, (u64, u64)> = FxHashMap::default();
    let mut add = |method, weight, count| {
        let total = by_method.entry(method).or_default();
        total.0 += weight;
        total.1 += count;
    };
    let sampled = matches!(cpu, Cpu::Samples(_));
    match cpu {
        Cpu::Samples(entries) | Cpu::Times(entries) => {
            for entry in entries {
                let top = profile
                    .trace(entry.trace)
                    .and_then(|trace| trace.frames.first());
                let weight = if sampled { entry.count } else { entry.nanos };
                add(top.map(|top| top.method), weight, entry.count);
            }
        }
        Cpu::Old(calls) => calls
            .iter()
            .for_each(|call| add(Some(call.callee), call.nanos, call.count)),
    }
    let total: u64 = by_method.values().map(|(weight, _)| weight).sum();
    let mut rows: Vec<_> = by_method.into_iter().collect();
    rows.sort_by_key(|&(method, weights)| (Reverse(weights), method));
    if sampled {
        writeln!(
            text,
            "\nhprof: {total} CPU samples\n   in {looks} looks, at {stops} of which the VM had stopped all threads\n   self samples  method"
        )?;
    } else {
        writeln!(
            text,
            "\nhprof: {:.1} ms in methods\n   self      ms      calls  method",
            millis(total)
        )?;
    }
    for (method, (weight, count)) in rows.into_iter().take(ROWS) {
        let share = percent(weight, total);
        let name = method.map_or("<empty trace>".to_owned(), |method| {
            shown(&profile.method_name(method)).into_owned()
        });
        if sampled {
            writeln!(text, "{share:6.1}% {weight:7}  {name}")?;
        } else {
            writeln!(
                text,
                "{share:6.1}% {:7.1} {count:10}  {name}",
                millis(weight)
            )?;
        }
    }
    Ok(())
}

fn sites(text: &mut String, profile: &Profile) -> std::fmt::Result {
    let Some(sites) = &profile.sites else {
        return Ok(());
    };
    let live: u64 = sites.iter().map(|site| site.live.bytes).sum();
    let allocated: u64 = sites.iter().map(|site| site.allocated.bytes).sum();
    writeln!(
        text,
        "\nhprof: {live} bytes alive of {allocated} allocated{}\n   live     bytes  objects    allocated  class, where",
        profile.shown.sample.map_or("", |_| ", by estimates")
    )?;
    for site in sorted_sites(sites, SitesBy::Live).into_iter().take(ROWS) {
        let top = profile
            .trace(site.trace)
            .and_then(|trace| trace.frames.first());
        writeln!(
            text,
            "{:6.1}% {:9} {:8} {:12}  {}, {}",
            percent(site.live.bytes, live),
            site.live.bytes,
            site.live.objects,
            site.allocated.bytes,
            shown(&profile.site_name(site.kind)),
            frame_text(profile, top),
        )?;
    }
    Ok(())
}

fn locks(text: &mut String, profile: &Profile) -> std::fmt::Result {
    let Some(locks) = &profile.locks else {
        return Ok(());
    };
    let total: u64 = locks.iter().map(|lock| lock.nanos).sum();
    writeln!(
        text,
        "\nhprof: {:.1} ms lost waiting for locks\n   lost      ms   times  lock, where",
        millis(total)
    )?;
    for lock in sorted_locks(locks).into_iter().take(ROWS) {
        let top = profile
            .trace(lock.trace)
            .and_then(|trace| trace.frames.first());
        writeln!(
            text,
            "{:6.1}% {:7.1} {:7}  {}, {}",
            percent(lock.nanos, total),
            millis(lock.nanos),
            lock.count,
            lock_name(profile, &lock.monitor),
            frame_text(profile, top),
        )?;
    }
    Ok(())
}

fn parked(text: &mut String, profile: &Profile) -> std::fmt::Result {
    let Some(parks) = &profile.parked else {
        return Ok(());
    };
    let total: u64 = parks.iter().map(|park| park.nanos).sum();
    writeln!(
        text,
        "\nhprof: {:.1} ms parked, for locks, queues and futures of java.util.concurrent, or idle\n parked      ms   times  blocker, where",
        millis(total)
    )?;
    for park in sorted_parks(parks).into_iter().take(ROWS) {
        // On top it is the same everywhere.
        let frames = profile.trace(park.trace).map(|trace| &trace.frames);
        let of_jdk = |frame: &&Frame| profile.method_name(frame.method).starts_with("java.");
        let telling =
            frames.and_then(|frames| frames.iter().find(|it| !of_jdk(it)).or(frames.first()));
        writeln!(
            text,
            "{:6.1}% {:7.1} {:7}  {}{}, {}",
            percent(park.nanos, total),
            millis(park.nanos),
            park.count,
            profile.blocker_name(park),
            park.mark(),
            frame_text(profile, telling),
        )?;
    }
    Ok(())
}
