//! Loading an agent into a running program, rightly and wrongly; and starts that come to nothing.
//!
//! Longer than most: each case is a few lines, and all look at a running program in the same ways.

use std::path::Path;
use std::process::Command;

use xrun_tests::fixture::{classes_of_17, native, native_as};
use xrun_tests::jdk::{Jdk, compiler, each_jdk, each_jdk_if};
use xrun_tests::product;
use xrun_tests::run::{self, Java, Run, Running, agent_path};

const SERVED: [&str; 5] = ["ready", "done", "socket 42", "class Plain true", "served"];

/// What `jcmd PID JVMTI.agent_load` answers.
pub(crate) fn load(running: &Running, library: &Path, options: &str) -> String {
    let mut command = Command::new(compiler().tool("jcmd"));
    command
        .arg(running.pid().to_string())
        .arg("JVMTI.agent_load")
        .arg(library)
        .arg(options);
    // What the VM does for it waits for a processor, too.
    run::output(command, 240).stdout
}

fn refused(running: &Running, options: &str) {
    let said = load(running, &product::shim(), options);
    assert!(said.contains("return code: -1"), "{options}: {said}");
}

fn accepted(running: &Running, options: &str) {
    let said = load(running, &product::shim(), options);
    assert!(said.contains("return code: 0"), "{options}: {said}");
}

/// A program that waits, is treated so, and then does all that it has not done yet.
pub(crate) fn served(java: Java, treat: impl FnOnce(&mut Running)) -> Run {
    let java = java.main("Serving");
    let end = java.file("end");
    let mut running = java.start();
    running.wait_for_line("ready");
    treat(&mut running);
    std::fs::write(end, "").unwrap();
    let run = running.finish().exits(0);
    // What the VM itself says to whoever asks it for JVMPI.
    let own: Vec<&str> = run.stdout.lines().filter(|line| !of_the_vm(line)).collect();
    assert_eq!(own, SERVED, "{run}");
    run
}

fn of_the_vm(line: &str) -> bool {
    line.starts_with("ERROR: JVMPI, an experimental")
        || line.starts_with("Please use the supported")
}

fn lines_with<'a>(run: &'a Run, text: &str) -> Vec<&'a str> {
    run.stderr
        .lines()
        .filter(|line| line.contains(text))
        .collect()
}

/// One that is not there, one of another kind, and one that refuses its options when it has done
/// everything else: each answers -1 with a line, and the program is as it was.
#[test]
fn what_fails_leaves_nothing_behind() {
    let (refuses, visitor) = (native("refuses"), native("visitor"));
    each_jdk(|jdk| {
        let no_agent = jdk.home.join("lib/libzip.so");
        let run = served(Java::of(jdk).library(&refuses), |running| {
            refused(running, "nosuch");
            refused(running, &visitor.display().to_string());
            refused(running, &no_agent.display().to_string());
            refused(running, "refuses");
            refused(running, "refuses:bad");
            let said = load(running, &visitor, "x");
            assert!(said.contains("return code: 0"), "{said}");
        });
        let left = run.file("visitor.txt");
        assert_eq!(left, "JVMPI no\nsuspend free\nallocations free\n", "{run}");
        assert!(run.stdout.lines().any(of_the_vm), "{run}");
        assert!(lines_with(&run, "refuses: ").is_empty(), "{run}");
        let said = lines_with(&run, "jvmpi: warning: ");
        assert_eq!(said.len(), 5, "{run}");
        for (line, part) in said.iter().zip([
            "`nosuch` cannot be loaded: libnosuch.so: cannot open",
            "is a JVMTI agent",
            "has no JVM_OnLoad",
            "JVM_OnLoad of `refuses` failed",
            "JVM_OnLoad of `refuses` failed",
        ]) {
            assert!(line.contains(part), "{part}: {run}");
        }
    });
}

/// After the wrong name the right one works as if nothing had been; and then there is one.
#[test]
fn a_second_try_works_and_a_third_is_refused() {
    let refuses = native("refuses");
    each_jdk(|jdk| {
        let shim = agent_path(&product::shim(), "");
        // Loaded before, without an agent, it was waiting for one.
        for java in [Java::of(jdk), Java::of(jdk).arg(shim)] {
            let run = served(java.library(&refuses), |running| {
                refused(running, "nosuch");
                refused(running, "refuses:bad");
                accepted(running, "refuses:good");
                refused(running, "refuses:good");
                refused(running, "hprof:cpu:samples");
            });
            assert_eq!(
                lines_with(&run, "refuses: "),
                ["refuses: INIT_DONE 1, CLASS_LOAD many, THREAD_START many"],
                "{run}"
            );
            assert_eq!(lines_with(&run, "one agent per VM").len(), 2, "{run}");
        }
    });
}

/// What the program prints; the VM says besides that it has loaded a library that wants an executable stack.
fn own_lines(run: &Run) -> Vec<&str> {
    let vms = |line: &&str| line.contains(" warning: ") || line.starts_with("It's highly");
    run.stdout.lines().filter(|line| !vms(line)).collect()
}

/// glibc 2.41 and later open no such agent; a JDK with a loader of its own has such a one.
fn opens_executable_stacks(jdk: &Jdk) -> Result<(), String> {
    let asked = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let version = asked.map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
    let minor = version.unwrap_or_default();
    let minor = minor.trim().strip_prefix("glibc 2.").map(str::parse);
    if jdk.own_loader().is_some() || !matches!(minor, Some(Ok(0_u32..=40))) {
        return Err("glibc 2.41 and later refuse executable stacks".to_owned());
    }
    Ok(())
}

/// An agent that wants an executable stack takes the guards off all stacks: those of threads that were there before
/// are put back, and a thread whose stack is full gets its StackOverflowError.
#[test]
fn stacks_keep_their_guards() {
    const OVERFLOWS: [&str; 4] = ["ready", "done", "older overflows", "main overflows"];
    let agent = native_as("refuses", "libguards.so", &["-Wl,-z,execstack"]);
    each_jdk_if(opens_executable_stacks, |jdk| {
        let late = |java: Java, loads: bool| {
            let java = java.main("Overflows");
            let end = java.file("end");
            let mut running = java.start();
            running.wait_for_line("ready");
            let options = format!("{}:good", agent.display());
            if loads {
                accepted(&running, &options);
            } else {
                refused(&running, &options);
            }
            std::fs::write(end, "").unwrap();
            let run = running.finish().no_crash().exits(0);
            assert_eq!(own_lines(&run), OVERFLOWS, "{run}");
            run
        };
        let run = late(Java::of(jdk), true);
        assert_eq!(lines_with(&run, "refuses: ").len(), 1, "{run}");
        let without = agent_path(&product::shim(), "without=library-loader");
        let run = late(Java::of(jdk).arg(without), false);
        assert_eq!(
            lines_with(&run, "patchelf --clear-execstack").len(),
            1,
            "{run}"
        );
        for options in [
            "-Xrunjvmpi:guards:good".to_owned(),
            agent_path(&product::shim(), "guards:good"),
        ] {
            let java = Java::of(jdk).library(&product::shim()).library(&agent);
            let run = java.arg(options).main("Overflows at-once").run().exits(0);
            assert_eq!(own_lines(&run), OVERFLOWS[2..], "{run}");
        }
    });
}

/// jcmd cuts what it is given at `=`.
#[test]
fn wrong_options_of_hprof_do_not_end_a_service() {
    each_jdk(|jdk| {
        let run = served(Java::of(jdk), |running| {
            refused(running, "hprof:cpu=samples");
            refused(running, "\"hprof:cpu=bogus\"");
            refused(running, "hprof:help");
            refused(running, "hprof:file:/no/such/folder/profile");
            accepted(running, "hprof:cpu:samples,file:profile");
        });
        let said = lines_with(&run, "hprof: ");
        assert_eq!(said.len(), 3, "{run}");
        for (line, part) in said.iter().zip([
            "write cpu=samples, or cpu:samples",
            "samples, times or old expected",
            "/no/such/folder/profile",
        ]) {
            assert!(line.contains(part), "{part}: {run}");
        }
        assert!(run.file("profile").contains("CPU SAMPLES BEGIN"), "{run}");
    });
}

/// The other spelling that reaches an agent, of any kind.
#[test]
fn quoted_options_reach_the_agent() {
    each_jdk(|jdk| {
        let run = served(Java::of(jdk), |running| {
            accepted(running, "\"hprof:cpu=samples,file=profile\"");
        });
        assert!(run.file("profile").contains("CPU SAMPLES BEGIN"), "{run}");
    });
}

/// Whoever starts the agent, but the VM itself: JNI finds classes of the program, as it did in
/// the VMs of the period. What it does not find is no harm.
#[test]
fn on_load_finds_classes_of_the_program() {
    let finds = native("finds");
    let (shim, xrun) = (product::shim(), product::xrun());
    each_jdk(|jdk| {
        for (class, found) in [("Serving", "found"), ("NoSuch", "nothing")] {
            let java = || Java::of(jdk).library(&finds).arg("-Xcheck:jni");
            let of_xrun = |java: Java| java.arg(format!("-Xrunfinds:{class}")).through(&xrun);
            let ways = [
                java().arg(agent_path(&shim, &format!("finds:{class}"))),
                java().arg(agent_path(&shim, &format!("log=warn,agent=finds:{class}"))),
                java().arg(format!("-Xrunjvmpi:finds:{class}")),
                of_xrun(java()),
                of_xrun(java().no_libraries()).env("LD_LIBRARY_PATH", finds.parent().unwrap()),
            ];
            for java in ways {
                let run = java.main("Plain").run().no_crash().exits(0);
                let run = run.says("begin\nwork\nend\n");
                assert_eq!(lines_with(&run, "finds: "), [format!("finds: {found}")]);
            }
        }
        let run = served(Java::of(jdk).library(&finds), |running| {
            accepted(running, "finds:Serving");
        });
        assert_eq!(lines_with(&run, "finds: "), ["finds: found"]);
    });
}

/// The VM calls several in their order; xrun could only put the first one last.
#[test]
fn xrun_leaves_several_agents_to_the_vm() {
    let finds = native("finds");
    each_jdk(|jdk| {
        for (words, stay) in [
            (&["-Xrunfinds:a"][..], false),
            (&["-Xrunfinds:a", "-Xrunjdwp:x"], false),
            (&["-Xrunfinds:a", "-Xrunhprof:b"], true),
        ] {
            let java = Java::of(jdk).library(&finds).args(words).main("Plain");
            let line = format!("exec {} --print \"$@\"", product::xrun().display());
            let run = java.shell(&line).run().exits(0);
            assert_eq!(run.stdout.contains("-Xrunfinds:a"), stay, "{run}");
            assert_eq!(run.stdout.contains("libfinds.so:a"), !stay, "{run}");
        }
    });
}

/// A command that is to observe an agent, and has none.
#[test]
fn nothing_to_observe_is_said() {
    each_jdk(|jdk| {
        let xrun = product::xrun();
        let through = |java: Java, flags: &str| {
            java.shell(&format!("exec {} {flags} \"$@\"", xrun.display()))
        };
        let plain = |flags: &str| {
            let java = through(Java::of(jdk).main("Plain"), flags);
            java.run().no_crash().says("begin\nwork\nend\n")
        };
        for (flags, what) in [("--check=fail", "checked"), ("trace -o x.rec", "recorded")] {
            let run = plain(flags);
            assert_eq!(run.code(), 4, "{run}");
            assert_eq!(run.stderr.lines().count(), 1, "{run}");
            assert!(run.stderr.contains(&format!("nothing was {what}")), "{run}");
        }
        let run = plain("").exits(0);
        assert_eq!(run.stderr, "", "{run}");
        // Of a script, xrun decides when all its JVMs have ended; a recording has xrun become the command.
        let script = || Java::of(jdk).main("Plain").shell("\"$@\"");
        let run = through(script(), "--check=fail").run();
        assert_eq!(run.code(), 4, "{run}");
        assert_eq!(lines_with(&run, "nothing was checked").len(), 2, "{run}");
        let run = through(script(), "trace -o x.rec").run().exits(0);
        assert_eq!(lines_with(&run, "nothing was recorded").len(), 1, "{run}");
    });
}

/// Samples of virtual threads are samples; what is not seen is counted where they are none.
#[test]
fn virtual_threads_are_sampled_or_counted_as_missing() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        // On a busy machine the first half of a second may be the VM's own, and the sampler may look once.
        let spinning = |mode: &str, is_enough: &dyn Fn(&Run) -> bool| {
            let run = |millis: u32| {
                let java = Java::of(jdk).arg(agent_path(&product::shim(), mode));
                let java = java.arg("-Xrunhprof:cpu=samples,file=out.txt").limit(120);
                let run = java.main_in(&classes_of_17(), &format!("Spinning {millis}"));
                run.run().exits(0).says("done\n")
            };
            let short = run(500);
            let run = if is_enough(&short) { short } else { run(5000) };
            let samples = run.file("out.txt");
            let why = "not enough samples of what runs all the time";
            assert!(is_enough(&run), "{why}: {run}\n{samples}");
            run
        };
        let run = spinning("", &|run| {
            let samples = run.file("out.txt");
            let hottest = samples.lines().find(|line| line.starts_with("   1 "));
            hottest.is_some_and(|line| line.ends_with("Spinning.compute"))
        });
        assert!(lines_with(&run, "irtual").is_empty(), "{run}");

        let run = spinning("virtual-threads=carriers", &|run| {
            let said = lines_with(run, "samples of virtual threads are in no trace");
            let said = said.first().and_then(|line| line.strip_prefix("hprof: "));
            let count = said.and_then(|said| said.split(' ').next()?.parse::<u32>().ok());
            count >= Some(5)
        });
        let said = lines_with(&run, "samples of virtual threads are in no trace");
        assert_eq!(said.len(), 1, "{run}");
        assert_eq!(
            lines_with(&run, "the status of a carrier").len(),
            1,
            "{run}"
        );

        // Nothing is missing of others.
        let java = Java::with_shim(jdk).arg("-Xrunhprof:cpu=samples");
        let run = java.main("HprofSites").run().exits(0);
        assert!(lines_with(&run, "irtual").is_empty(), "{run}");
    });
}

/// An agent for another machine: the dynamic linker does not say that.
#[test]
fn agents_for_other_machines_are_named() {
    let loaded = native("loaded");
    let bytes = std::fs::read(&loaded).unwrap();
    const MACHINES: [(u8, &str); 3] = [(62, "x86-64"), (183, "AArch64"), (3, "x86")];
    let is_own = |machine: &&(u8, &str)| machine.0 == bytes[18];
    // The class of an ELF file: 1 or 2.
    let (bits, other_class, other_bits) = if bytes[4] == 2 {
        (64, 1, 32)
    } else {
        (32, 2, 64)
    };
    let (_, own) = MACHINES.iter().find(is_own).unwrap();
    let foreign = MACHINES.iter().find(|it| !is_own(it)).unwrap();
    each_jdk(|jdk| {
        // Of the head of an ELF file: class, machine.
        for (place, value, machine) in [
            (4, other_class, format!("{other_bits}-bit {own}")),
            (18, foreign.0, format!("{bits}-bit {}", foreign.1)),
        ] {
            let java = Java::of(jdk);
            let folder = java.folder().to_owned();
            let mut other = bytes.clone();
            other[place] = value;
            std::fs::write(folder.join("libother.so"), other).unwrap();
            let java = java.library(&folder.join("libother.so"));
            let run = java.arg(agent_path(&product::shim(), "other:x"));
            let run = run.main("Plain").run().no_crash();
            assert_eq!(run.code(), 1, "{run}");
            let said = lines_with(&run, "jvmpi: ");
            assert_eq!(said.len(), 1, "{run}");
            let built = format!("is for {machine}, this VM for {bits}-bit {own}; get the agent");
            assert!(said[0].contains(&built), "{run}");
        }
    });
}

/// `libfoo.so` in the folder that a program happens to run in is nobody's agent.
#[test]
fn the_current_folder_is_not_searched() {
    let planted = native_as("loaded", "libplanted.so", &[]);
    each_jdk(|jdk| {
        for path in [None, Some("")] {
            let java = || {
                let java = Java::of(jdk).no_libraries();
                std::fs::copy(&planted, java.file("libplanted.so")).unwrap();
                match path {
                    Some(path) => java.env("LD_LIBRARY_PATH", path),
                    None => java,
                }
            };
            let shim = agent_path(&product::shim(), "planted");
            let run = java().arg(shim).main("Plain").run().no_crash();
            assert_eq!(run.code(), 1, "{run}");
            assert_eq!(lines_with(&run, "cannot be loaded").len(), 1, "{run}");
            let run = served(java(), |running| refused(running, "planted"));
            assert_eq!(lines_with(&run, "cannot be loaded").len(), 1, "{run}");
        }
    });
}

/// Settings that nobody reads.
#[test]
fn options_without_a_reader_cost_a_line() {
    let loaded = native_as("loaded", "liboldprof.so", &[]);
    let shim = product::shim();
    each_jdk(|jdk| {
        let plain = |java: Java| java.main("Plain").run().exits(0);
        let unread = agent_path(&shim, "ids=renumber,agent=oldprof");
        let run = plain(Java::of(jdk).library(&loaded).arg(unread));
        assert_eq!(lines_with(&run, "without effect: ids=renumber").len(), 1);
        assert_eq!(lines_with(&run, "jvmpi: ").len(), 1, "{run}");

        let twice = Java::of(jdk)
            .arg(agent_path(&shim, "log=warn"))
            .arg(agent_path(&shim, "class-names=slashes"));
        let run = plain(twice);
        assert_eq!(lines_with(&run, "named twice").len(), 1, "{run}");
        assert_eq!(lines_with(&run, "jvmpi: ").len(), 1, "{run}");

        // An agent as -agentpath: of its own would have it.
        let java = Java::of(jdk).arg(agent_path(&shim, "hprof=cpu=samples,depth=8"));
        let run = plain(java);
        let meant = "if hprof is an agent: libjvmpi.so=hprof:cpu=samples,depth=8";
        assert_eq!(lines_with(&run, meant).len(), 1, "{run}");

        // Under the agent's own name the text is the agent's; the variable is ours.
        let java = Java::of(jdk).library(&loaded);
        let folder = java.file("first");
        std::fs::create_dir(&folder).unwrap();
        let link = folder.join("liboldprof.so");
        std::os::unix::fs::symlink(&shim, &link).unwrap();
        let java = java.library(&link).arg("-Xrunoldprof:a");
        let run = plain(java.env("JVMPI_OPTIONS", "colour=green"));
        assert_eq!(lines_with(&run, "unknown option `colour=green`").len(), 1);
        assert!(run.file("report.txt").contains("options a"), "{run}");
    });
}
