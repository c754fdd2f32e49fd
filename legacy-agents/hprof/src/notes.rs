//! What whoever asked for a profile has to know of it: in the profile, and once on stderr.

use profile_formats::SITES_ARE_ESTIMATES;

use crate::ffi::extension;
use crate::options::{Clock, CpuMode, Options};

/// Notes that stand in the profile's head.
pub(crate) fn of_profile(options: &Options, vm: &str, left_out: usize) -> Vec<String> {
    let late = (extension::text("late").as_deref() == Some("on")).then(|| {
        "Attached to a program that was running: what it did before is not in this profile."
            .to_owned()
    });
    let mixed = mixture(options);
    let sampled = options.sample.filter(|_| options.sites).map(|interval| {
        format!(
            "{SITES_ARE_ESTIMATES}: of all allocations one in {} bytes was picked, on average, and stands for the others.{}",
            size(interval),
            leaning(vm)
        )
    });
    let small = options.skip_small.then(|| {
        "Methods of few bytecodes without a call or a loop were not measured: their time is their callers'."
            .to_owned()
    });
    let budget = options.budget.map(|percent| {
        format!(
            "Methods whose calls cost more to measure than they take were measured no more once measuring \
             took {percent}% of the CPU time, {left_out} by now: since then their time is their callers'."
        )
    });
    let notes = late.into_iter().chain(mixed).chain(sampled);
    notes.chain(small).chain(budget).collect()
}

/// The JDK's release, by the name and version of its VM.
fn release(vm: &str) -> Option<u32> {
    let version = vm.rsplit(' ').next()?;
    let digits = version.split(|it: char| !it.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// How the picking of this VM is not as it should be (JVMTI facts 35).
fn leaning(vm: &str) -> &'static str {
    match release(vm) {
        Some(0_u32..12) => {
            " JDK 11 picks objects of about that size up to 20% too often, and is upset by those of 64 KiB and \
             more: beside them such of some KiB come out 13 to 22% too low, and tiny ones right behind them too high."
        }
        Some(12..25) => {
            " JDKs up to 24 are upset by objects of 64 KiB and more: beside them such of some KiB come out 13 to 22% \
             too low, and tiny ones right behind them too high."
        }
        Some(_) | None => "",
    }
}

/// What is said when the profiling begins.
pub(crate) fn at_start(options: &Options) -> Vec<String> {
    mixture(options).into_iter().chain(cost(options)).collect()
}

/// Telling of every allocation is most of what the CPU then does.
fn mixture(options: &Options) -> Option<String> {
    let exact = options.sample.is_none() && (options.sites || options.dump);
    let cpu = options.cpu.filter(|_| exact).map(name)?;
    Some(format!(
        "{cpu} beside heap= without sample=: every allocation is told of, which can take \
         many times as long as the program and is then most of what {cpu} shows; sample=512k \
         picks allocations and costs a few percent"
    ))
}

const fn name(cpu: CpuMode) -> &'static str {
    match cpu {
        CpuMode::Samples => "cpu=samples",
        CpuMode::Times => "cpu=times",
        CpuMode::Old => "cpu=old",
    }
}

fn cost(options: &Options) -> Option<String> {
    let cpu = options.cpu.filter(|cpu| *cpu != CpuMode::Samples)?;
    if options.include.is_some() || options.budget.is_some() {
        return None;
    }
    let (times, way_out) = match options.clock {
        Clock::Cpu => (
            "3 to 16 times as long, and 40 where each look at its clock is a system call",
            "clock=wall mostly needs none, ",
        ),
        Clock::Wall => ("3 to 16 times as long", ""),
    };
    let small = if options.skip_small {
        ""
    } else {
        "small-methods=skip and "
    };
    Some(format!(
        "{} measures each call of every method: a program may take {times}; \
         {way_out}{small}method-budget=20 leave out what costs more to measure than it takes, include=com.acme. measures only classes whose names begin so, and cpu=samples takes \
         a few percent",
        name(cpu)
    ))
}

/// `512k`, as `sample=` takes it.
pub(crate) fn size(bytes: u32) -> String {
    for (unit, letter) in [(1 << 20, "m"), (1 << 10, "k")] {
        if bytes.is_multiple_of(unit) {
            return format!("{}{letter}", bytes / unit);
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Asked, parse};

    fn options(text: &str) -> Options {
        match parse(text) {
            Ok(Asked::Profile(options)) => *options,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn mixtures_and_costs() {
        for (text, in_profile, at_the_start) in [
            ("cpu=samples", 0, 0),
            ("cpu=samples,monitor=y", 0, 0),
            ("heap=sites", 0, 0),
            ("", 0, 0),
            ("cpu=samples,heap=sites", 1, 1),
            ("cpu=samples,heap=dump", 1, 1),
            ("cpu=samples,heap=sites,sample=512k", 1, 0),
            ("heap=dump,sample=512k", 0, 0),
            ("cpu=times", 0, 1),
            ("cpu=old,clock=wall", 0, 1),
            ("cpu=times,include=a.", 0, 0),
            ("cpu=times,small-methods=skip", 1, 1),
            ("cpu=times,method-budget=20", 1, 0),
            ("cpu=old,small-methods=skip,method-budget=20", 2, 0),
            ("cpu=times,heap=sites", 1, 2),
        ] {
            let options = options(text);
            let (profile, start) = (of_profile(&options, "", 7), at_start(&options));
            assert_eq!(profile.len(), in_profile, "{text}: {profile:?}");
            assert_eq!(start.len(), at_the_start, "{text}: {start:?}");
            assert!(start.iter().all(|line| !line.contains('\n')));
        }
        assert!(at_start(&options("cpu=times"))[0].contains("clock=wall"));
        assert!(!at_start(&options("cpu=times,clock=wall"))[0].contains("clock="));
    }

    #[test]
    fn estimates_say_where_the_vm_leans() {
        let options = options("heap=sites,sample=512k");
        for (vm, leans) in [
            (
                "OpenJDK 64-Bit Server VM 11.0.13+8-jvmci",
                Some("JDK 11 picks"),
            ),
            (
                "OpenJDK 64-Bit Server VM 17.0.17+10-Debian-1deb12u1",
                Some("up to 24"),
            ),
            ("OpenJDK 64-Bit Server VM 24+36", Some("up to 24")),
            ("OpenJDK 64-Bit Server VM 25.0.1+8-LTS", None),
            ("", None),
        ] {
            let notes = of_profile(&options, vm, 0);
            let end = notes[0].split_once("stands for the others.").unwrap().1;
            assert_eq!(end.is_empty(), leans.is_none(), "{vm}: {end}");
            assert!(end.contains(leans.unwrap_or("")), "{vm}: {end}");
        }
    }

    #[test]
    fn sizes_as_they_are_written() {
        let sizes = [1, 1000, 1 << 19, 3 << 20, 1 << 10].map(size);
        assert_eq!(sizes, ["1", "1000", "512k", "3m", "1k"]);
    }
}
