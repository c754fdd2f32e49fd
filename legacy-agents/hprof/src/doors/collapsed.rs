//! `format=collapsed`: a line per stack, for tools that draw and compare them.
//!
//! ```text
//! [main];a.Main.main;a.Main.work 17
//! ```
//!
//! The root comes first, a thread in brackets if `thread=y`; the class that was
//! allocated (`new int[]`) or waited for (`lock a.Main`) last. Tools add up all
//! lines, so there is one weight in a file: samples or, with `cpu=times`,
//! nanoseconds; without `cpu=` allocated bytes; without `heap=` nanoseconds of
//! waiting. Lines are sorted, each stack is there once.

use std::io::{self, Write};

use super::charts::{Charts, charts};
use crate::profile::Profile;

/// Writes the stacks of the first of CPU, allocations and locks that the profile holds.
///
/// # Errors
///
/// Those of `out`.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let Charts { names, charts } = charts(profile);
    let names: Vec<String> = names.iter().map(|name| frame(name)).collect();
    let stacks = charts.first().map_or(&[][..], |chart| &chart.stacks);
    for stack in stacks {
        let Some(value @ 1..) = stack.values.first().copied() else {
            continue;
        };
        let mut between = "";
        for at in &stack.frames {
            let name = usize::try_from(*at).ok().and_then(|at| names.get(at));
            write!(out, "{between}{}", name.map_or("", String::as_str))?;
            between = ";";
        }
        let empty = if stack.frames.is_empty() {
            "<empty>"
        } else {
            ""
        };
        writeln!(out, "{empty} {value}")?;
    }
    Ok(())
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

    fn written(profile: &Profile) -> String {
        let mut out = Vec::new();
        write(profile, &mut out).unwrap();
        String::from_utf8(out).unwrap()
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
            "[main];a.Main.main;a.Main.<init>;a.Main.work;lock a.Main 7000000\n"
        );
        profile.locks = None;
        assert_eq!(written(&profile), "");
    }

    #[test]
    fn names_do_not_end_frames_or_lines() {
        let mut profile = sample::profile();
        "a;b\nc 1\u{7f}é".clone_into(&mut profile.threads[0].name);
        assert!(written(&profile).contains("\n[a:b c 1 é];a.Main.main;"));
    }
}
