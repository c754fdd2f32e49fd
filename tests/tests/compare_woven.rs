//! `xrun compare` with a port that rewrites bytecode: no event tells what its hooks see.

use std::fmt::Write as _;
use std::path::PathBuf;

use class_rewriter::{ClassFile, Entry, Wish, rewrite};
use xrun_tests::fixture::{classes, native, unique};
use xrun_tests::jdk::each_jdk_if;
use xrun_tests::run::agent_path;

use crate::compare::{Pair, assert_is, is_wanted, noun, old_agent, recorded, verdicts};

const PAIR: Pair = Pair {
    agent: "trace",
    options: "none,+CLASS_LOAD,+METHOD_ENTRY,+METHOD_EXIT,",
    xrun: &["--include", "Ported"],
    program: "",
    nouns: &["classes loaded", "methods entered", "methods left"],
    variants: &[],
    spoilt: &[],
};

/// The classes of `Ported` with hooks, and what their methods are called, by number.
fn woven() -> PathBuf {
    let folder = unique("woven");
    let (mut names, mut next) = (String::new(), 0);
    let files = std::fs::read_dir(classes()).unwrap();
    for file in files.map(|file| file.unwrap().path()) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let is_of_the_program = name == "Ported.class" || name.starts_with("Ported$");
        if !is_of_the_program {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        let class = ClassFile::read(&bytes).unwrap();
        let wish = Wish {
            hook_class: "PortedHooks",
            entry: Entry::Number,
            exit: true,
            instructions: false,
            monitors: false,
            sleeps: false,
            parks: false,
        };
        let result = rewrite(&class, &wish, next, |_| true).unwrap();
        std::fs::write(folder.join(name), result.bytes.unwrap()).unwrap();
        for method in class.methods() {
            let parts = [class.name(), method.name(), method.descriptor()];
            let [class, method, descriptor] = parts.map(|it| std::str::from_utf8(it).unwrap());
            writeln!(names, "{class}.{method}{descriptor}").unwrap();
            next += 1;
        }
    }
    std::fs::write(folder.join("methods.txt"), names).unwrap();
    folder
}

/// The class of the hooks is the port's own, and so are its natives, which RegisterNatives names: in one
/// VM with the old agent, too, which hears of both.
#[test]
fn what_hooks_see_is_said_and_what_is_the_ports_own_is_left_out() {
    let folder = woven();
    let port = |how: &str| {
        agent_path(
            &native("ported_woven"),
            &format!("{}{how}", folder.display()),
        )
    };
    each_jdk_if(is_wanted, |jdk| {
        let old = recorded(jdk, &PAIR, PAIR.xrun, &[old_agent(&PAIR)]);
        let new = recorded(jdk, &PAIR, &[], &[port("")]);
        let both = recorded(jdk, &PAIR, PAIR.xrun, &[old_agent(&PAIR), port("")]);
        for runs in [&[&old, &new][..], &[&both]] {
            let found = verdicts(&[], runs, 0);
            let what = format!("{jdk}, {} VMs", runs.len());
            for name in PAIR.nouns {
                assert_is(&what, &found, name, &["equal", "equal but"]);
            }
        }

        let mute = recorded(jdk, &PAIR, &[], &[port(",mute")]);
        let found = verdicts(&["--strict"], &[&old, &mute], 3);
        let entered = noun(&found, "methods entered");
        assert_eq!(entered["verdict"], "not compared", "{jdk}: {entered:#}");
        let cause = entered["causes"].to_string();
        let says = "rewrites classes, which call its native `PortedHooks.enter(I)V`, `PortedHooks.exit(I)V`";
        assert!(cause.contains(says), "{jdk}: {entered:#}");
    });
    let _ = std::fs::remove_dir_all(folder);
}

/// SetTag says what its hooks have shown it: what has a constructor, which no clone has; VMObjectAlloc tells of those.
#[test]
fn what_hooks_have_it_tag_is_born() {
    let pair = Pair {
        options: "none,+CLASS_LOAD,+OBJECT_ALLOC,",
        ..PAIR
    };
    let folder = woven();
    let [port, with_vm] = [",tags", ",tags,vm"].map(|how| {
        agent_path(
            &native("ported_woven"),
            &format!("{}{how}", folder.display()),
        )
    });
    each_jdk_if(is_wanted, |jdk| {
        let old = recorded(jdk, &pair, pair.xrun, &[old_agent(&pair)]);
        let new = recorded(jdk, &pair, &[], std::slice::from_ref(&port));
        let both = recorded(jdk, &pair, pair.xrun, &[old_agent(&pair), port.clone()]);
        for runs in [&[&old, &new][..], &[&both]] {
            let found = verdicts(&[], runs, 3);
            let born = noun(&found, "objects born");
            let what = format!("{jdk}, {} VMs: {born:#}", runs.len());
            assert_eq!(born["verdict"], "misses", "{what}");
            let all = born["differences"].as_array().unwrap();
            let of_the_program = all
                .iter()
                .filter(|it| it["name"].as_str().unwrap().starts_with("Ported"));
            let of_the_program: Vec<_> = of_the_program.collect();
            assert_eq!(of_the_program.len(), 1, "{what}");
            let clones = of_the_program[0];
            let counts = ["name", "old", "new"].map(|key| clones[key].as_str().unwrap());
            assert_eq!(counts, ["Ported$Item", "601", "301"], "{what}");
            assert!(
                born["causes"].to_string().contains("no constructor"),
                "{what}"
            );
        }

        let new = recorded(jdk, &pair, &[], std::slice::from_ref(&with_vm));
        let both = recorded(jdk, &pair, pair.xrun, &[old_agent(&pair), with_vm.clone()]);
        for runs in [&[&old, &new][..], &[&both]] {
            // Of the JDK's classes none has hooks.
            let found = verdicts(&[], runs, 3);
            let born = noun(&found, "objects born");
            let sentence = born["sentence"].as_str().unwrap();
            assert!(
                sentence.contains("of the JDK's") && !sentence.contains("Ported"),
                "{jdk}, {} VMs, VMObjectAlloc as well: {born:#}",
                runs.len()
            );
        }
    });
    let _ = std::fs::remove_dir_all(folder);
}
