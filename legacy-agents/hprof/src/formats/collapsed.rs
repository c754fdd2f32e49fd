//! `format=collapsed`: a line per stack, for tools that draw and compare them.
//!
//! ```text
//! (HPROF for xrun 0.1.0);(CPU samples, samples);(every 10 ms);(4711 on host) 0
//! [main];a.Main.main;a.Main.work 17
//! ```
//!
//! The format has no comments: tools complain of a line without a number at its end, or end
//! there. So who has written the file, and what it counts of whom, is a stack of no weight, which they read and do not show.
//!
//! The root comes first, a thread in brackets if `thread=y`; the class that was
//! allocated (`new int[]`), waited for (`lock a.Main`) or parked for (`park a.Main`) last. Tools add up all
//! lines, so there is one weight in a file: samples or, with `cpu=times`,
//! nanoseconds; without `cpu=` allocated bytes; without `heap=` nanoseconds of
//! waiting. Of those there are two kinds, on monitors and parked, which a first frame keeps apart,
//! `(monitors)` or `(parked)`: two towers of a graph. Lines are sorted, each stack is there once.
//!
//! What has less than `cutoff=` of the whole, with all that it calls, becomes one line of
//! its caller's, which ends with `(below the cutoff)`: the sum of all lines stays. Every
//! stack of a compiler's `cpu=times` would be gigabytes.

use std::io::{self, Write};

use profile_formats::tree::{REST, Tree};

use super::charts::{Charts, Weight, charts};
use crate::profile::{Cpu, Profile};
use crate::program;

/// Writes the stacks of the first of CPU, allocations and waiting that the profile holds.
///
/// # Errors
///
/// Those of `out`.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let Charts { names, charts } = charts(profile);
    let mut names: Vec<String> = names.iter().map(|name| frame(name)).collect();
    let counted = charts.first().and_then(|chart| chart.weights.first());
    let mut charts = charts.into_iter();
    let mut stacks = Vec::new();
    if let Some(first) = charts.next() {
        if matches!(first.kind, "locks" | "parked") {
            for chart in std::iter::once(first).chain(charts) {
                let kind = number(names.len());
                names.push(
                    if chart.kind == "locks" {
                        MONITORS
                    } else {
                        PARKED
                    }
                    .to_owned(),
                );
                stacks.extend(chart.stacks.into_iter().map(|mut stack| {
                    stack.frames.insert(0, kind);
                    stack
                }));
            }
        } else {
            stacks = first.stacks;
        }
    }
    let rest = number(names.len());
    writeln!(out, "{} 0", head(profile, counted))?;
    let tree = Tree::new(&stacks, 1).cut(profile.shown.cutoff, rest);
    let own = tree.own.first().map_or(&[][..], Vec::as_slice);
    // The way to the node at hand, its own name last.
    let mut way: Vec<&str> = Vec::new();
    for ((&depth, &name), &value) in tree.depth.iter().zip(&tree.name).zip(own) {
        if let Some(above) = usize::try_from(depth).ok().and_then(|it| it.checked_sub(1)) {
            let name = usize::try_from(name).ok().and_then(|at| names.get(at));
            way.truncate(above);
            way.push(name.map_or(REST, String::as_str));
        }
        if value == 0 {
            continue;
        }
        if way.is_empty() {
            write!(out, "<empty>")?;
        }
        for (at, name) in way.iter().enumerate() {
            write!(out, "{}{name}", if at > 0 { ";" } else { "" })?;
        }
        writeln!(out, " {value}")?;
    }
    Ok(())
}

/// Who has written it, and for those who merge it what is counted, how often, and whose it is.
fn head(profile: &Profile, counted: Option<&Weight>) -> String {
    let mut head = format!("({})", program::WRITER);
    if let Some(Weight { title, unit }) = counted {
        head += &match *title {
            "Lock time" | "Parked time" => format!(";(Waiting, {unit})"),
            title => format!(";({title}, {unit})"),
        };
    }
    if let Some(Cpu::Samples(_)) = profile.cpu {
        head += &format!(";(every {} ms)", profile.shown.interval);
    }
    if let Some(process) = profile.program.process() {
        head += &format!(";({})", frame(process));
    }
    head
}

const MONITORS: &str = "(monitors)";
const PARKED: &str = "(parked)";

/// The index of a name.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A name without what ends frames and lines; only threads can have such names.
fn frame(name: &str) -> String {
    name.chars()
        .map(|letter| match letter {
            ';' => ':',
            letter if letter.is_control() => ' ',
            letter => letter,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    /// The lines behind the first.
    fn written(profile: &Profile) -> String {
        let mut out = Vec::new();
        write(profile, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        let writer = concat!("(HPROF for xrun ", env!("CARGO_PKG_VERSION"), ")");
        assert!(
            first.starts_with(writer) && first.ends_with(" 0"),
            "{first}"
        );
        rest.to_owned()
    }

    #[test]
    fn the_first_line_says_what_is_counted() {
        let mut profile = sample::profile();
        profile
            .program
            .facts
            .push(("Process", "7 on h;i".to_owned()));
        let said = |profile: &Profile| head(profile, charts(profile).charts[0].weights.first());
        let writer = program::WRITER;
        assert_eq!(
            said(&profile),
            format!("({writer});(CPU samples, samples);(every 10 ms);(7 on h:i)")
        );
        profile.cpu = None;
        assert_eq!(
            said(&profile),
            format!("({writer});(Allocated, bytes);(7 on h:i)")
        );
        profile.sites = None;
        assert_eq!(
            said(&profile),
            format!("({writer});(Waiting, ns);(7 on h:i)")
        );
        assert_eq!(head(&profile, None), format!("({writer});(7 on h:i)"));
    }

    #[test]
    fn one_line_per_stack() {
        assert_eq!(
            written(&sample::profile()),
            "<empty> 2\n\
             [main];a.Main.main;a.Main.<init> 5\n\
             [main];a.Main.main;a.Main.<init>;a.Main.work 10\n"
        );
    }

    #[test]
    fn what_is_below_the_cutoff_is_one_line_of_its_caller() {
        let mut profile = sample::profile();
        profile.shown.cutoff = 0.6;
        assert_eq!(
            written(&profile),
            "<empty> 2\n\
             [main];a.Main.main;a.Main.<init> 5\n\
             [main];a.Main.main;a.Main.<init>;(below the cutoff) 10\n"
        );
    }

    #[test]
    fn one_weight_per_file() {
        let mut profile = sample::profile();
        profile.cpu = None;
        assert_eq!(
            written(&profile),
            "[main];a.Main.main;a.Main.<init>;new a.Main[] 64\n\
             [main];a.Main.main;a.Main.<init>;new int[] 100\n"
        );
        profile.sites = None;
        assert_eq!(
            written(&profile),
            "(monitors);[main];a.Main.main;a.Main.<init>;a.Main.work;lock a.Main 7000000\n\
             (parked);[main];a.Main.main;a.Main.<init>;park a.Main 9000000\n"
        );
        profile.locks = None;
        assert_eq!(
            written(&profile),
            "(parked);[main];a.Main.main;a.Main.<init>;park a.Main 9000000\n"
        );
        profile.parked = None;
        assert_eq!(written(&profile), "");
    }

    #[test]
    fn names_do_not_end_frames_or_lines() {
        let mut profile = sample::profile();
        "a;b\nc 1\u{7f}é".clone_into(&mut profile.threads[0].name);
        assert!(written(&profile).contains("\n[a:b c 1 é];a.Main.main;"));
    }
}
