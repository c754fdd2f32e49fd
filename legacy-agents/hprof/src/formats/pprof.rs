//! `format=pprof`: the whole profile as gzipped profile.proto, for the tools that read it.
//!
//! Sample types are called as Go calls them, which those tools know best: `samples` and `cpu` (the
//! samples times the interval, or what cpu=times has measured), `alloc_objects`, `alloc_space`,
//! `inuse_objects` and `inuse_space`, `contentions` and `delay`, `parks` and `parked`; only those that
//! were asked for. What was allocated, waited for or parked for is on top of its stack, as in a flame
//! graph. Labels are `thread` (with thread=y), `process` and `host`.

use std::io::{self, Write};
use std::time::UNIX_EPOCH;

use profile_formats::in_java;
use profile_formats::pprof::{self, Method};

use crate::profile::{Cpu, Frame, MethodRef, Monitor, Profile};
use crate::program;

/// Writes the profile of this process.
///
/// # Errors
///
/// Those of `out`.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let own = [
        ("process", std::process::id().to_string()),
        ("host", own_files::host()),
    ];
    write_of(profile, &own, out)
}

fn write_of(
    profile: &Profile,
    whose: &[(&'static str, String)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let types = types(profile);
    let mut writer = Writer {
        profile,
        to: pprof::Writer::new(out, &types),
        whose,
        width: types.len(),
        column: 0,
    };
    writer.head();
    writer.cpu()?;
    writer.sites()?;
    writer.locks()?;
    writer.parks()?;
    writer.to.finish().map(drop)
}

const COUNT: &str = "count";
const NANOS: &str = "nanoseconds";

/// Names and units of what the profile holds, kind by kind.
fn types(profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let mut types = Vec::new();
    match profile.cpu {
        Some(Cpu::Samples(_)) => types.extend([("samples", COUNT), ("cpu", NANOS)]),
        Some(Cpu::Times(_) | Cpu::Old(_)) => types.extend([("calls", COUNT), ("cpu", NANOS)]),
        None => {}
    }
    if profile.sites.is_some() {
        types.extend([
            ("alloc_objects", COUNT),
            ("alloc_space", "bytes"),
            ("inuse_objects", COUNT),
            ("inuse_space", "bytes"),
        ]);
    }
    if profile.locks.is_some() {
        types.extend([("contentions", COUNT), ("delay", NANOS)]);
    }
    if profile.parked.is_some() {
        types.extend([("parks", COUNT), ("parked", NANOS)]);
    }
    types
}

struct Writer<'a> {
    profile: &'a Profile,
    to: pprof::Writer<&'a mut dyn Write>,
    whose: &'a [(&'static str, String)],
    /// Sample types in all, and where those of the kind at hand begin.
    width: usize,
    column: usize,
}

impl Writer<'_> {
    fn head(&mut self) {
        let profile = self.profile;
        let since = |time: std::time::SystemTime| time.duration_since(UNIX_EPOCH);
        let began = since(profile.started).unwrap_or_default().as_nanos();
        let ended = since(profile.taken).unwrap_or_default().as_nanos();
        self.to.time(began, ended.saturating_sub(began));
        if let Some(Cpu::Samples(_)) = profile.cpu {
            self.to.period("cpu", NANOS, self.interval());
        }
        self.to.comment(program::WRITER);
        for (name, value) in &profile.program.facts {
            self.to.comment(&format!("{name}: {value}"));
        }
        for note in &profile.notes {
            self.to.comment(note);
        }
        for (method, calls) in profile.methods_left_out() {
            let comment = format!("measured no more after about {calls} calls: {method}");
            self.to.comment(&comment);
        }
    }

    /// Nanoseconds between two samples.
    fn interval(&self) -> u64 {
        u64::from(self.profile.shown.interval) * 1_000_000
    }

    fn location(&mut self, frame: Frame) -> u64 {
        let profile = self.profile;
        let name = profile.method_name(frame.method);
        let method = profile.method(frame.method);
        let signature = method.map_or("", |method| &method.signature);
        let class = method.and_then(|method| profile.class(method.class));
        let method = Method {
            name: &name,
            system_name: &format!("{name}{signature}"),
            file: class.map_or("", |class| &class.source),
        };
        self.to.location(method, frame.line)
    }

    /// A sample of the kind at hand.
    fn sample(&mut self, trace: u32, top: Option<&str>, values: &[u64]) -> io::Result<()> {
        let profile = self.profile;
        let trace = profile.trace(trace);
        let mut stack = Vec::new();
        if let Some(name) = top {
            let method = Method {
                name,
                system_name: name,
                file: "",
            };
            stack.push(self.to.location(method, 0));
        }
        for frame in trace.map_or(&[][..], |trace| &trace.frames) {
            stack.push(self.location(*frame));
        }
        let thread = trace.and_then(|trace| profile.thread(trace.thread));
        self.put(stack, values, thread.map_or("", |thread| &thread.name))
    }

    fn put(&mut self, stack: Vec<u64>, values: &[u64], thread: &str) -> io::Result<()> {
        let mut all = vec![0; self.width];
        for (place, value) in all.iter_mut().skip(self.column).zip(values) {
            *place = *value;
        }
        let labels = self.whose.iter().map(|(key, value)| (*key, value.as_str()));
        let labels: Vec<_> = labels.chain([("thread", thread)]).collect();
        self.to.sample(stack, &all, &labels)
    }

    fn cpu(&mut self) -> io::Result<()> {
        let Some(cpu) = &self.profile.cpu else {
            return Ok(());
        };
        match cpu {
            Cpu::Samples(entries) => {
                for entry in entries {
                    let nanos = entry.count * self.interval();
                    self.sample(entry.trace, None, &[entry.count, nanos])?;
                }
            }
            Cpu::Times(entries) => {
                for entry in entries {
                    self.sample(entry.trace, None, &[entry.count, entry.nanos])?;
                }
            }
            Cpu::Old(calls) => {
                for call in calls {
                    let methods = std::iter::once(call.callee).chain(call.caller);
                    let frame = |method: MethodRef| Frame { method, line: -1 };
                    let stack = methods.map(|method| self.location(frame(method))).collect();
                    self.put(stack, &[call.count, call.nanos], "")?;
                }
            }
        }
        self.column += 2;
        Ok(())
    }

    fn sites(&mut self) -> io::Result<()> {
        let profile = self.profile;
        let Some(sites) = &profile.sites else {
            return Ok(());
        };
        for site in sites {
            let top = format!("new {}", in_java(&profile.site_name(site.kind)));
            let (all, live) = (site.allocated, site.live);
            let values = [all.objects, all.bytes, live.objects, live.bytes];
            self.sample(site.trace, Some(&top), &values)?;
        }
        self.column += 4;
        Ok(())
    }

    fn locks(&mut self) -> io::Result<()> {
        let profile = self.profile;
        let Some(locks) = &profile.locks else {
            return Ok(());
        };
        for lock in locks {
            let name = match &lock.monitor {
                Monitor::Java(class, _) => in_java(profile.class_name(*class)),
                Monitor::Raw(name, _) => format!("\"{name}\" (raw)"),
            };
            let top = format!("lock {name}");
            self.sample(lock.trace, Some(&top), &[lock.count, lock.nanos])?;
        }
        self.column += 2;
        Ok(())
    }

    fn parks(&mut self) -> io::Result<()> {
        let profile = self.profile;
        let Some(parks) = &profile.parked else {
            return Ok(());
        };
        for park in parks {
            let top = format!(
                "park {}{}",
                in_java(profile.blocker_name(park)),
                park.mark()
            );
            self.sample(park.trace, Some(&top), &[park.count, park.nanos])?;
        }
        self.column += 2;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    /// Type, frames with the callee first, value and thread of all that is not 0.
    fn read(profile: &Profile) -> Vec<(String, String, i64, String)> {
        let mut bytes = Vec::new();
        let whose = [("process", "7".to_owned()), ("host", "h".to_owned())];
        write_of(profile, &whose, &mut bytes).unwrap();
        let file = pprof::read(&bytes).unwrap();
        let read = &file.profile;
        let place = |at: i64| usize::try_from(at).unwrap();
        let text = |at: i64| read.string_table[place(at)].clone();
        let name = |id: &u64| {
            let line = read.location[place(*id as i64 - 1)].line[0];
            text(read.function[place(line.function_id as i64 - 1)].name)
        };
        let mut found = Vec::new();
        for sample in file.samples().map(Result::unwrap) {
            let frames: Vec<_> = sample.location_id.iter().map(name).collect();
            let labels: Vec<_> = sample.label.iter().map(|it| text(it.str)).collect();
            assert_eq!(labels[..2], ["7", "h"]);
            for (kind, value) in read.sample_type.iter().zip(&sample.value) {
                if *value != 0 {
                    let thread = labels.get(2).cloned().unwrap_or_default();
                    found.push((text(kind.r#type), frames.join(" < "), *value, thread));
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn everything_has_its_sample_type() {
        let found = read(&sample::profile());
        let found: Vec<_> = found
            .iter()
            .map(|(kind, stack, value, thread)| format!("{kind} {value} [{thread}] {stack}"))
            .collect();
        assert_eq!(
            found,
            [
                "alloc_objects 2 [main] new a.Main[] < a.Main.<init> < a.Main.main",
                "alloc_objects 4 [main] new int[] < a.Main.<init> < a.Main.main",
                "alloc_space 64 [main] new a.Main[] < a.Main.<init> < a.Main.main",
                "alloc_space 100 [main] new int[] < a.Main.<init> < a.Main.main",
                "contentions 2 [main] lock a.Main < a.Main.work < a.Main.<init> < a.Main.main",
                "cpu 20000000 [] ",
                "cpu 50000000 [main] a.Main.<init> < a.Main.main",
                "cpu 100000000 [main] a.Main.work < a.Main.<init> < a.Main.main",
                "delay 7000000 [main] lock a.Main < a.Main.work < a.Main.<init> < a.Main.main",
                "inuse_objects 1 [main] new a.Main[] < a.Main.<init> < a.Main.main",
                "inuse_space 32 [main] new a.Main[] < a.Main.<init> < a.Main.main",
                "parked 9000000 [main] park a.Main < a.Main.<init> < a.Main.main",
                "parks 1 [main] park <no blocker> < a.Main.work < a.Main.<init> < a.Main.main",
                "parks 3 [main] park a.Main < a.Main.<init> < a.Main.main",
                "samples 2 [] ",
                "samples 5 [main] a.Main.<init> < a.Main.main",
                "samples 10 [main] a.Main.work < a.Main.<init> < a.Main.main",
            ]
        );
    }

    #[test]
    fn what_is_measured_no_more_is_a_comment() {
        let mut profile = sample::profile();
        profile.left_out = Some(vec![(MethodRef(2), 7000)]);
        let mut bytes = Vec::new();
        write_of(&profile, &[], &mut bytes).unwrap();
        let read = pprof::read(&bytes).unwrap().profile;
        let comments = read.comment.iter();
        let text = |at: &i64| read.string_table[usize::try_from(*at).unwrap()].as_str();
        assert_eq!(
            comments.map(text).next_back(),
            Some("measured no more after about 7000 calls: a.Main.work")
        );
    }

    #[test]
    fn what_was_not_asked_for_is_no_type() {
        let mut profile = sample::profile();
        (profile.sites, profile.locks, profile.parked) = (None, None, None);
        profile.cpu = Some(Cpu::Old(vec![crate::profile::Call {
            callee: MethodRef(1),
            caller: Some(MethodRef(0)),
            count: 2,
            nanos: 9,
        }]));
        assert_eq!(
            types(&profile),
            [("calls", "count"), ("cpu", "nanoseconds")]
        );
        let stack = "a.Main.<init> < a.Main.main".to_owned();
        assert_eq!(
            read(&profile),
            [
                ("calls".into(), stack.clone(), 2, String::new()),
                ("cpu".into(), stack, 9, String::new())
            ]
        );
    }
}
