//! Rewrites a folder of class files, and says how fast and with what result.
//!
//!     rewrite FROM TO HOOKCLASS [receiver] [instructions] [monitors]
//!     rewrite --hook-class NAME FILE
//!
//! `tests/rewrite/verify.sh` lets VMs verify what comes out.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program of its own"
)]

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use class_rewriter::{ClassFile, Entry, Wish, hook_class, rewrite};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--hook-class", name, file] => {
            fs::write(file, hook_class(name, "java/lang/Object", Some(""))).unwrap();
        }
        [from, to, hook_class, ref modes @ ..] => {
            let receiver = modes.contains(&"receiver");
            let wish = Wish {
                hook_class,
                entry: if receiver {
                    Entry::Receiver
                } else {
                    Entry::Number
                },
                exit: true,
                instructions: modes.contains(&"instructions"),
                monitors: modes.contains(&"monitors"),
                sleeps: false,
                parks: false,
            };
            folder(Path::new(from), Path::new(to), &wish);
        }
        _ => println!("rewrite FROM TO HOOKCLASS [receiver] [instructions]"),
    }
}

fn folder(from: &Path, to: &Path, wish: &Wish<'_>) {
    let mut paths = Vec::new();
    class_files(from, &mut paths);
    let files: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();

    let mut base = 0;
    let results: Vec<_> = files
        .iter()
        .map(|bytes| {
            let class = ClassFile::read(bytes)?;
            let rewritten = rewrite(&class, wish, base, |_| true);
            base += i32::try_from(class.methods().len()).unwrap();
            rewritten
        })
        .collect();
    let time = fastest(&files, wish);

    let (mut bytes, mut grown, mut hooked, mut uncovered, mut blind) = (0, 0, 0, 0, 0);
    let mut changed = 0;
    let mut refused = BTreeMap::new();
    for ((path, original), result) in paths.iter().zip(&files).zip(results) {
        bytes += original.len();
        let mut out = None;
        match result {
            Ok(rewritten) => {
                hooked += rewritten.hooked;
                uncovered += rewritten.uncovered.len();
                blind += rewritten.without_operands.len();
                out = rewritten.bytes;
                changed += usize::from(out.is_some());
                for (method, reason) in rewritten.refused {
                    let list: &mut Vec<_> = refused.entry(format!("{reason:?}")).or_default();
                    list.push(format!(
                        "{}#{method}",
                        path.strip_prefix(from).unwrap().display()
                    ));
                }
            }
            Err(refusal) => {
                let list: &mut Vec<_> = refused.entry(format!("{refusal:?}")).or_default();
                list.push(path.display().to_string());
            }
        }
        let out = out.as_ref().unwrap_or(original);
        grown += out.len();
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, out).unwrap();
    }
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let (megabytes, growth) = (
        bytes as f64 / 1e6,
        100.0 * (grown as f64 / bytes as f64 - 1.0),
    );
    println!(
        "{} classes, {changed} changed, {megabytes:.1} MB, {:.0} MB/s, {growth:+.1} % size, {hooked} methods hooked, \
         {base} numbers, {uncovered} constructors uncovered, {blind} comparisons without operands",
        paths.len(),
        megabytes / time.as_secs_f64(),
    );
    for (reason, list) in refused {
        println!("  refused {}: {reason}", list.len());
        for one in list.iter().take(3) {
            println!("    {one}");
        }
    }
}

/// The time of the fastest of some rounds, none of whose results is kept.
fn fastest(files: &[Vec<u8>], wish: &Wish<'_>) -> Duration {
    let round = || {
        let start = Instant::now();
        for bytes in files {
            let class = ClassFile::read(bytes);
            // Numbers of a program with some classes loaded already.
            black_box(class.and_then(|class| rewrite(&class, wish, 40_000, |_| true))).ok();
        }
        start.elapsed()
    };
    (0..7).map(|_| round()).min().unwrap_or_default()
}

fn class_files(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            class_files(&path, into);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            into.push(path);
        }
    }
}
