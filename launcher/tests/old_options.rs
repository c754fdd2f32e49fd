//! Options that stood beside `-Xrun`, on each JDK of this machine. `old_options.txt` has those
//! that JDK 1.2 to 8 document; all of them are tried with `./check --long` (XRUN_LONG=1).

mod stage;

use std::collections::BTreeMap;
use std::process::Command;

use stage::{JVMPI_AGENT, Stage, jdks, not_run, stderr, stdout};

/// What scripts of the period most often have; each ends some VM of today, or means nothing to it.
const OFTEN: &[&str] = &[
    "-classic",
    "-hotspot",
    "-green",
    "-Xnoagent",
    "-Xincgc",
    "-Xoss512k",
    "-XX:MaxPermSize=64m",
    "-XX:+UseConcMarkSweepGC",
    "-XX:+UseParNewGC",
    "-Xbootclasspath/p:x",
    "-Djava.ext.dirs=x",
    "-Djava.endorsed.dirs=x",
    "-Djava.compiler=NONE",
    "-XX:+PrintGCDateStamps",
    "-Xms64m -Xmn16m -XX:+UseConcMarkSweepGC -XX:+CMSIncrementalMode -XX:+UseCMSCompactAtFullCollection",
    "-Xincgc -XX:+UseConcMarkSweepGC -XX:CMSInitiatingOccupancyFraction=70",
    "-XX:+AggressiveOpts -XX:+UseFastAccessorMethods -XX:+UseSplitVerifier -XX:+HandlePromotionFailure",
    "-XX:+UnlockDiagnosticVMOptions -XX:+LogVMOutput",
];

/// A VM of today must not get what confines a program without doing it.
const REFUSED: &[&str] = &["-Djava.security.manager"];
/// Need a processor with transactions, an archive of classes.
const OF_THE_MACHINE: &[&str] = &[
    "-XX:+UseRTMLocking",
    "-XX:+UseRTMDeopt",
    "-Xshare:on",
    "-XX:+RequireSharedSpaces",
];
/// A VM shows something and ends, as it always did.
const SHOW: &[&str] = &["-XX:+PrintFlagsInitial", "-Xinternalversion"];

/// `xrun BEFORE java -Xrunfoo:a=b OPTIONS -version`.
fn line(stage: &Stage, java: &str, before: &[&str], options: &str) -> Command {
    let mut xrun = stage.xrun();
    xrun.args(before).arg(java).arg("-Xrunfoo:a=b");
    let words = options.split(' ').filter(|word| !word.is_empty());
    xrun.args(words).arg("-version");
    xrun
}

#[test]
fn no_vm_ends_for_an_old_option() {
    let stage = Stage::new("old-options");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    let all: Vec<&str> = include_str!("old_options.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let options = match std::env::var("XRUN_LONG").as_deref() {
        Ok("1") => &all[..],
        _ => OFTEN,
    };
    let mut wrong = Vec::new();
    for home in jdks() {
        let java = home.join("bin/java").display().to_string();
        // One VM for all that become the same command line: many are left out.
        let mut lines: BTreeMap<String, &str> = BTreeMap::new();
        for option in options {
            if OF_THE_MACHINE.contains(option) || REFUSED.contains(option) {
                continue;
            }
            let printed = line(&stage, &java, &["--print"], option).output().unwrap();
            assert!(printed.status.success(), "{java} {option}");
            lines.entry(stdout(&printed)).or_insert(option);
        }
        let trouble = |option: &str| {
            let output = line(&stage, &java, &[], option).output().unwrap();
            let is_there = stdout(&output).contains("agent=") || SHOW.contains(&option);
            let is_well = output.status.success() && is_there;
            (!is_well).then(|| format!("{java} {option}: {}", stderr(&output)))
        };
        for together in batches(&lines) {
            wrong.extend(troubles(&together, &trouble));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with some of them; none is if all go in one command line.
fn troubles(together: &[&str], trouble: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let Some(said) = trouble(&together.join(" ")) else {
        return Vec::new();
    };
    if together.len() == 1 {
        return vec![said];
    }
    let (some, others) = together.split_at(together.len() / 2);
    let mut found = troubles(some, trouble);
    found.extend(troubles(others, trouble));
    found
}

/// So many that stay as they are share a VM, which would end for each of them.
const TOGETHER: usize = 16;

/// Options to be tried in one command line, of those that became these lines. Alone are those that may
/// bring a VM to take what stands beside them, or that xrun has regard to when it replaces others.
fn batches<'a>(lines: &BTreeMap<String, &'a str>) -> Vec<Vec<&'a str>> {
    let mut batches = Vec::new();
    let mut kept: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (line, option) in lines {
        let name = option.strip_prefix("-XX:").unwrap_or_default();
        let name = name.trim_start_matches(['+', '-']);
        let name = name.split('=').next().unwrap_or_default();
        let decides = ["Unlock", "IgnoreUnrecognized", "VMOptions", "Flags"];
        let decides = decides.iter().any(|part| name.contains(part)) || name.ends_with("GC");
        let shows = SHOW.contains(option);
        if name.is_empty() || decides || shows || option.contains(' ') || !line.contains(option) {
            batches.push(vec![*option]);
        } else {
            kept.entry(name).or_default().push(option);
        }
    }
    // No two of one name, of which the last one would count.
    while !kept.is_empty() {
        let mut ones: Vec<&str> = kept.values_mut().filter_map(Vec::pop).collect();
        while !ones.is_empty() {
            batches.push(ones.split_off(ones.len().saturating_sub(TOGETHER)));
        }
        kept.retain(|_, options| !options.is_empty());
    }
    batches
}

/// What a VM still obeys must not be taken from it: alone it refuses what xrun replaces, or says
/// that it does nothing.
#[test]
fn what_a_vm_obeys_is_left_to_it() {
    if std::env::var("XRUN_LONG").as_deref() != Ok("1") {
        return not_run("all JDKs", "./check --long tries all options");
    }
    let stage = Stage::new("old-options-obeyed");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    let single = |line: &&str| line.starts_with("-XX:") && !line.contains(' ');
    let options = include_str!("old_options.txt").lines().filter(single);
    let options: Vec<&str> = options.collect();
    let mut wrong = Vec::new();
    for home in jdks() {
        let java = home.join("bin/java").display().to_string();
        for option in &options {
            let said = line(&stage, &java, &["--print"], option).output().unwrap();
            let said = stderr(&said);
            let is_replaced = said.contains("no option since JDK");
            if !is_replaced || said.contains("stands before it") {
                continue;
            }
            let plain = Command::new(&java)
                .args(["-XX:+UnlockDiagnosticVMOptions", option, "-version"])
                .output()
                .unwrap();
            let said = format!("{}{}", stdout(&plain), stderr(&plain));
            let is_told = said.contains("support was removed") || said.contains("doesn't exist");
            if plain.status.success() && !is_told {
                wrong.push(format!("{java} {option}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_is_said_in_one_line_or_kept() {
    let stage = Stage::new("old-options-kept");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    for home in jdks() {
        let java = home.join("bin/java").display().to_string();
        let output = line(&stage, &java, &[], "-Xincgc").output().unwrap();
        let said = stderr(&output);
        let ours: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with("xrun: "))
            .collect();
        let expected = "xrun: -Xincgc: no option since JDK 9; -XX:+UseG1GC stands for it (--keep-options leaves it)";
        assert_eq!(ours, [expected], "{java}");
        let kept = line(&stage, &java, &["--keep-options"], "-Xincgc")
            .output()
            .unwrap();
        let plain = Command::new(&java)
            .args(["-Xincgc", "-version"])
            .output()
            .unwrap();
        assert_eq!(kept.status.code(), plain.status.code(), "{java}");
        assert!(
            stderr(&kept).contains(stderr(&plain).trim()),
            "{java}: {}",
            stderr(&kept)
        );
    }
}

/// A VM that ends for want of a security manager ends with a line of xrun's.
#[test]
fn no_program_runs_free_that_was_to_be_confined() {
    let stage = Stage::new("old-options-confined");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    for home in jdks() {
        let java = home.join("bin/java").display().to_string();
        let output = line(&stage, &java, &[], REFUSED[0]).output().unwrap();
        let plain = Command::new(&java).args([REFUSED[0], "-version"]).output();
        let ends = !plain.unwrap().status.success();
        assert_eq!(!output.status.success(), ends, "{java}");
        let is_told = "xrun: -Djava.security.manager: no option since JDK 24";
        assert_eq!(
            stderr(&output).contains(is_told),
            ends,
            "{java}: {output:?}"
        );
    }
}

/// What the table replaces by nothing but interpretation is interpreted.
#[test]
fn a_program_without_a_compiler_has_none() {
    let stage = Stage::new("old-options-int");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    for home in jdks() {
        let java = home.join("bin/java").display().to_string();
        let output = line(&stage, &java, &[], "-Djava.compiler=NONE")
            .output()
            .unwrap();
        assert!(
            stderr(&output).contains("interpreted mode"),
            "{java}: {}",
            stderr(&output)
        );
    }
}
