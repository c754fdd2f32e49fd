//! HPROF: known programs give known numbers; whatever goes wrong, the program goes on.
//! What is written is read by `hprof_readers`.
//! Longer than most: each test is a program and the numbers that it makes, and they are read in the same ways.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::ffi::OsStringExt as _;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use xrun_tests::hprof_ascii::{self, Ascii, SiteRow};
use xrun_tests::jdk::{Jdk, each_jdk, not_run, on_jdk};
use xrun_tests::peer::accept;
use xrun_tests::product;
use xrun_tests::run::{Java, Run, agent_path};

/// `java` with HPROF; a file in the options is in the run's folder.
fn java(jdk: &Jdk, options: &str) -> Java {
    product::hprof();
    Java::with_shim(jdk).arg(format!("-Xrunhprof:{options}"))
}

fn read(run: &Run) -> Ascii {
    hprof_ascii::read(&run.file("profile")).unwrap_or_else(|error| panic!("{error}\n{run}"))
}

/// Calls and milliseconds by method.
fn by_method(ascii: &Ascii) -> BTreeMap<&str, (u64, f64)> {
    let table = ascii.cpu.last().expect("a table");
    assert!(table.times);
    let mut found = BTreeMap::<_, (u64, f64)>::new();
    for row in &table.rows {
        let sum = found.entry(row.method.as_str()).or_default();
        sum.0 += row.count;
        sum.1 += row.share / 100.0 * table.total as f64;
    }
    found
}

/// What `HprofCalls` does.
const CALLS: [(&str, u64); 7] = [
    ("HprofCalls.main", 1),
    ("HprofCalls.mid", 1000 + 4 * 50),
    ("HprofCalls.leaf", 10 * (1000 + 4 * 50)),
    ("HprofCalls.down", 100 * 51),
    ("HprofCalls.thrower", 10 * 6),
    ("HprofCalls$1.run", 4),
    ("HprofCalls.burn", 1),
];

/// Those of Latin-1, say: HPROF's and the shim's own.
#[test]
fn files_whose_names_are_no_utf_8_are_those_that_were_named() {
    on_jdk(17, |jdk| {
        product::hprof();
        let shim = agent_path(
            &product::shim(),
            "log-file=l\u{fc}-%x{OWN},trace=r\u{fc}.rec",
        );
        let hprof = "-Xrunhprof:cpu=samples,file=p\u{fc}-%x{OWN}.txt";
        let latin = |text: &str| {
            let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap());
            OsString::from_vec(bytes.collect())
        };
        let java = Java::of(jdk).env("OWN", latin("\u{e9}"));
        let run = java
            .arg(latin(&shim))
            .arg(latin(hprof))
            .main("Hot 10")
            .run();
        let run = run.exits(0).says("done\n");
        for name in ["l\u{fc}-\u{e9}", "r\u{fc}.rec", "p\u{fc}-\u{e9}.txt"] {
            let file = run.folder().join(latin(name));
            assert!(file.exists(), "{name}: {:?}", run.files());
        }
        assert!(
            run.stderr.ends_with("done: p\u{fffd}-\u{fffd}.txt\n"),
            "{run}"
        );
    });
}

#[test]
fn calls_are_counted_and_timed() {
    each_jdk(|jdk| {
        for clock in ["cpu", "wall"] {
            let options = format!("cpu=times,cutoff=0,clock={clock},file=profile");
            let run = java(jdk, &options).main("HprofCalls").run();
            let run = run.exits(0).says("done\n");
            let ascii = read(&run);
            let methods = by_method(&ascii);
            for (method, calls) in CALLS {
                assert_eq!(methods[method].0, calls, "{method}, {clock}");
            }
            // It burns for 400 ms, of which a loaded machine gives it a part.
            let burnt: f64 = methods["HprofCalls.burn"].1;
            let slept = ["sleep", "sleep0", "sleepNanos", "sleepNanos0"]
                .map(|name| format!("java.lang.Thread.{name}"));
            let slept: f64 = slept
                .iter()
                .filter_map(|name| methods.get(name.as_str()))
                .map(|(_, ms)| ms)
                .sum();
            if clock == "wall" {
                assert!(slept > 280.0, "{slept}");
                assert!(burnt > 350.0, "{burnt}");
            } else {
                assert!(slept < 100.0, "{slept}");
                assert!(burnt > 4.0 && burnt < 500.0, "{burnt}");
            }
        }
    });
}

/// Reading the clock is no time of theirs: a million calls of nothing would take longer than
/// what works for a third of a second.
#[test]
fn small_methods_take_little() {
    each_jdk(|jdk| {
        let run = java(jdk, "cpu=times,cutoff=0,file=profile")
            .main("HprofSmall")
            .run();
        let ascii = read(&run.exits(0).says("done\n"));
        let methods = by_method(&ascii);
        let own = |name: &str| methods[format!("HprofSmall.{name}").as_str()];
        let ((calls, small), (_, work)) = (own("leaf"), own("work"));
        assert_eq!(calls, 1_000_000);
        assert!(small < work, "{small} ms, {work} ms");
    });
}

#[test]
fn calls_are_counted_by_thread_and_by_caller() {
    each_jdk(|jdk| {
        let options = "cpu=times,thread=y,depth=2,cutoff=0,file=profile";
        let run = java(jdk, options).main("HprofCalls").run().exits(0);
        let ascii = read(&run);
        let mut leaves = BTreeMap::<&str, u64>::new();
        for row in &ascii.cpu.last().expect("a table").rows {
            if row.method == "HprofCalls.leaf" {
                let thread = ascii.traces[&row.trace].thread.expect("thread=y");
                *leaves.entry(&ascii.threads[&thread].name).or_default() += row.count;
            }
        }
        let names = ["main", "worker-0", "worker-1", "worker-2", "worker-3"];
        let expected = [10_000, 500, 500, 500, 500];
        assert_eq!(leaves, names.into_iter().zip(expected).collect());

        let run = java(jdk, "cpu=old,file=profile").main("HprofCalls").run();
        let calls = hprof_ascii::read_old(&run.exits(0).file("profile")).expect("cpu=old");
        let of = |callee: &str, caller: &str| -> u64 {
            let both = calls
                .iter()
                .filter(|call| call.callee == callee && call.caller == caller);
            both.map(|call| call.count).sum()
        };
        assert_eq!(of("HprofCalls.leaf(I)I", "HprofCalls.mid(I)I"), 12_000);
        assert_eq!(of("HprofCalls.down(I)I", "HprofCalls.down(I)I"), 5_000);
        assert_eq!(
            of(
                "HprofCalls.mid(I)I",
                "HprofCalls.main([Ljava/lang/String;)V"
            ),
            1_000
        );
    });
}

/// The others have no hooks, and cost nothing.
#[test]
fn only_some_classes_are_timed() {
    each_jdk(|jdk| {
        let classes = "include=HprofCalls+java.lang.Thread,exclude=HprofCalls$";
        let options = format!("cpu=times,clock=wall,cutoff=0,{classes},file=profile");
        let run = java(jdk, &options).main("HprofCalls").run().exits(0);
        let ascii = read(&run);
        let methods = by_method(&ascii);
        for (method, calls) in CALLS {
            let seen = methods.get(method).map(|&(calls, _)| calls);
            let wanted = !method.starts_with("HprofCalls$");
            assert_eq!(seen, wanted.then_some(calls), "{method}");
        }
        let mut names = methods.keys();
        let wanted =
            |name: &&str| ["HprofCalls.", "java.lang.Thread"].map(|it| name.starts_with(it));
        assert!(
            names.all(|name| wanted(name).contains(&true)),
            "{methods:?}"
        );
    });
}

/// A CPU profile that is mostly of our own events says so, and what else costs much.
#[test]
fn what_falsifies_a_profile_is_said() {
    each_jdk(|jdk| {
        for (options, said, noted) in [
            ("cpu=samples,heap=sites", 1, 1),
            ("cpu=samples,heap=sites,verbose=n", 0, 1),
            ("cpu=samples,monitor=y", 0, 0),
            ("cpu=times,clock=wall", 1, 0),
            ("cpu=times,clock=wall,include=HprofSites", 0, 0),
        ] {
            let run = java(jdk, &format!("{options},file=profile"));
            let run = run.main("HprofSites").run().exits(0).says("done\n");
            let lines = run.stderr.lines();
            let lines = lines.filter(|line| line.starts_with("hprof: cpu="));
            assert_eq!(lines.count(), said, "{run}");
            let notes = read(&run).prelude.into_iter();
            let notes = notes.filter(|line| line.starts_with("NOTE: cpu="));
            assert_eq!(notes.count(), noted, "{run}");
        }
    });
}

/// Every object of the dump with the place it comes from.
#[test]
fn heap_dump_has_sites() {
    each_jdk(|jdk| {
        let run = java(jdk, "heap=all,cutoff=0,file=profile")
            .main("HprofSites")
            .run()
            .exits(0);
        let ascii = read(&run);
        let heap = ascii.heaps.last().expect("a dump");
        let objects = heap.classes.len() + heap.instances.len() + heap.arrays.len();
        assert_eq!(heap.objects, objects as u64);
        let of_class = |name: &str| {
            let class = heap.classes.iter().find(|(_, class)| class.name == name);
            let (&id, _) = class.unwrap_or_else(|| panic!("no class {name}"));
            let all = heap.instances.values();
            all.filter(|object| object.class == id).collect::<Vec<_>>()
        };
        let kept = of_class("HprofSites$Kept");
        assert_eq!(kept.len(), 1500);
        for object in &kept {
            assert_eq!(object.size, 16);
            let top = &ascii.traces[&object.trace].frames[0];
            assert_eq!(top.method, "HprofSites.kept");
        }
        let linked = of_class("HprofSites$Linked");
        assert_eq!(linked.len(), 300);
        let next = linked
            .iter()
            .flat_map(|object| &object.references)
            .filter(|(field, _)| field == "next");
        assert_eq!(next.count(), 299);
        // Of everything that was allocated, what lives is in the dump.
        let live = |class: &str| {
            let table = ascii.sites.last().expect("a table");
            let rows = table.rows.iter().filter(|row| row.class == class);
            rows.map(|row| row.live_objects).sum::<u64>()
        };
        assert_eq!(live("HprofSites$Kept"), 1500);
        assert_eq!(live("HprofSites$Linked"), 300);
        // All objects of a class are of one size, the dead as well as the living.
        let rows = ascii.sites.last().map_or(&[][..], |table| &table.rows);
        let sized = |class: &str| !class.contains('[') && class != "java.lang.Class";
        for row in rows.iter().filter(|row| sized(&row.class)) {
            assert_eq!(
                row.live_bytes * row.allocated_objects,
                row.live_objects * row.allocated_bytes,
                "{row:?}"
            );
        }
        let died = |row: &&SiteRow| sized(&row.class) && row.live_objects < row.allocated_objects;
        assert!(rows.iter().any(|row| died(&row)), "nothing has died");
    });
}

/// A ROOT says where its reference was made, not where the object was.
#[test]
fn global_references_have_their_own_traces() {
    each_jdk(|jdk| {
        let run = java(jdk, "heap=dump,file=profile").main("HprofRefs").run();
        let run = run.exits(0).says("done\n");
        let ascii = read(&run);
        let heap = ascii.heaps.last().expect("a dump");
        let roots = heap
            .roots
            .iter()
            .filter(|root| root.kind == "JNI global ref");
        let traces: Vec<u32> = roots.map(|root| root.trace.expect("a trace")).collect();
        let made_by_init = traces
            .iter()
            .filter_map(|trace| ascii.traces.get(trace))
            .any(|trace| {
                let top = trace.frames.first();
                top.is_some_and(|top| {
                    top.method.starts_with("java.net.Inet")
                        && top.method.ends_with(".init")
                        && top.line == -3
                })
            });
        assert!(made_by_init, "{run}");
    });
}

#[test]
fn time_lost_on_a_lock() {
    each_jdk(|jdk| {
        let run = java(jdk, "monitor=y,file=profile").main("HprofLocks").run();
        let run = run.exits(0);
        let ascii = read(&run);
        let waited: u64 = run.stdout.trim().parse().expect("milliseconds");
        let table = ascii.locks.last().expect("a table");
        let rows = table.rows.iter().filter(|row| {
            let top = ascii.traces[&row.trace].frames.first();
            top.is_some_and(|frame| frame.method == "HprofLocks.enter")
        });
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows.len(), 1, "{run}");
        let lost = rows[0].share / 100.0 * table.total as f64;
        assert_eq!(
            (rows[0].count, rows[0].name.as_str()),
            (3, "java.lang.Object")
        );
        // Of what the threads have measured around it; on a machine with much else to do one may lose its processor
        // between its clock and ours, but the owner waits for 200 ms of each.
        let waited = waited as f64;
        assert!(lost > 590.0 && lost < 1.01 * waited, "{lost} {waited}");
        assert!(!ascii.monitors.is_empty(), "{run}");
    });
}

/// What options show is in `hprof_readers::combinations`.
#[test]
fn no_dump_on_exit() {
    each_jdk(|jdk| {
        for options in ["cpu=samples,doe=n", "format=flame,doe=n", "doe=n,format=b"] {
            let run = java(jdk, &format!("{options},file=profile")).main("HprofSites");
            let run = run.run().exits(0).says("done\n");
            assert_eq!(run.stderr, "", "{options}");
            assert!(run.bytes("profile").is_empty(), "{options}");
        }
    });
}

#[test]
fn wrong_options_are_said() {
    each_jdk(|jdk| {
        let run = java(jdk, "help").main("HprofSites").run().exits(0);
        assert!(
            run.stdout.contains("-Xrunhprof[:help]|[:option=value,...]"),
            "{run}"
        );
        for options in [
            "heap=what",
            "format=b,cpu=times",
            "speed=high",
            "file=a,net=b:1",
            "heap=sites,sample=0",
            "cpu=samples,sample=512k",
            "cpu=samples,include=a.",
        ] {
            let run = java(jdk, options).main("HprofSites").run().exits(1);
            assert_eq!(run.stdout, "");
            assert!(run.stderr.starts_with("hprof: bad option: "), "{run}");
        }
    });
}

/// The program's output and exit code are its own.
#[test]
fn trouble_with_the_output_is_one_line() {
    each_jdk(|jdk| {
        for options in [
            "cpu=samples,file=/no/such/folder/profile",
            "heap=sites,file=/dev/full",
            "heap=dump,format=b,file=/dev/full",
            "heap=dump,format=b,traces=n,file=/dev/full",
            "cpu=samples,net=localhost:1",
        ] {
            let run = java(jdk, options).main("HprofSites").run();
            let run = run.exits(0).says("done\n");
            let lines = run
                .stderr
                .lines()
                .filter(|line| line.starts_with("hprof: "));
            assert_eq!(lines.count(), 1, "{run}");
        }
    });
}

#[test]
fn two_programs_do_not_share_a_file() {
    each_jdk(|jdk| {
        let first = java(jdk, "heap=sites,file=profile");
        let (profile, end) = (first.file("profile"), first.file("end"));
        let mut first = first.main("Dumped").start();
        first.wait_for_line("ready");
        let options = format!("heap=sites,file={}", profile.display());
        let second = java(jdk, &options).main("HprofSites").start();
        let beside = format!("{}.{}", profile.display(), second.pid());
        let second = second.finish().exits(0).says("done\n");
        assert!(
            second.stderr.contains("another program is writing"),
            "{second}"
        );
        let text = std::fs::read_to_string(&beside).expect("a file of its own");
        assert!(hprof_ascii::read(&text).is_ok());
        std::fs::write(end, "").unwrap();
        read(&first.finish().exits(0));
    });
}

#[test]
fn a_dump_on_demand() {
    each_jdk(|jdk| {
        let java = java(jdk, "heap=sites,cpu=times,file=profile,verbose=n");
        let (profile, end) = (java.file("profile"), java.file("end"));
        let mut running = java.main("Dumped").start();
        running.wait_for_line("ready");
        running.signal("QUIT");
        running.until("dump", || {
            let text = std::fs::read_to_string(&profile).unwrap_or_default();
            text.contains("CPU TIME (ms) END").then_some(())
        });
        std::fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        let ascii = read(&run);
        assert_eq!((ascii.sites.len(), ascii.cpu.len()), (2, 2), "{run}");
    });
}

/// Whether a VM has the thread that it ends right before it tells of its own end.
fn has_ticks(pid: u32) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    tasks.into_iter().flatten().flatten().any(|task| {
        let name = std::fs::read_to_string(task.path().join("comm"));
        // From 26 on what is too long is left out in the middle.
        name.is_ok_and(|name| name.starts_with("VM Peri"))
    })
}

/// It is finished before the program ends, also where there is none at the end.
#[test]
fn a_dump_on_demand_is_not_cut_off_by_the_end() {
    const LIMIT: Duration = Duration::from_secs(60);
    each_jdk(|jdk| {
        let java = java(jdk, "heap=all,doe=n,file=pipe,verbose=n");
        let (pipe, end) = (java.file("pipe"), java.file("end"));
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let mut running = java.main("HprofMany wait").start();
        // A program that has failed would not come to the other end.
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || tell.send(std::fs::File::open(pipe)));
        let mut reader = told.recv_timeout(LIMIT).expect("a writer").unwrap();
        running.wait_for_line("ready");
        assert!(has_ticks(running.pid()), "its name has changed");
        running.signal("QUIT");
        let mut text = vec![0; 1000];
        // The dump has begun, and waits for us until the VM is about to end.
        reader.read_exact(&mut text).unwrap();
        std::fs::write(end, "").unwrap();
        running.wait_for_line("done");
        let vm = running.pid();
        running.until("end of the VM's ticks", || (!has_ticks(vm)).then_some(()));
        reader.read_to_end(&mut text).unwrap();
        running.finish().exits(0);
        // Reading all of it would take a minute.
        let text = String::from_utf8_lossy(&text);
        assert_eq!(text.matches("\nHEAP DUMP END\n").count(), 1);
        assert!(text.ends_with("\nSITES END\n"));
    });
}

/// A command, numbered 1.
fn command(peer: &mut TcpStream, tag: u8, body: &[u8]) {
    let mut bytes = vec![tag, 0, 0, 0, 1, 0, 0, 0];
    bytes.push(u8::try_from(body.len()).unwrap());
    bytes.extend_from_slice(body);
    peer.write_all(&bytes).unwrap();
}

#[test]
fn over_a_socket() {
    const PATIENCE: Duration = Duration::from_secs(60);
    each_jdk(|jdk| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let java_to = |options: &str| {
            let options = format!("{options},net=127.0.0.1:{port},verbose=n");
            java(jdk, &options)
        };
        // A listener that asks: sites by allocation, from there on all that is sent.
        let java = java_to("heap=sites");
        let end = java.file("end");
        let mut running = java.main("Dumped").start();
        let mut peer = accept(&listener, PATIENCE);
        running.wait_for_line("ready");
        command(&mut peer, 3, &[0, 2, 0, 0, 0, 0]);
        let mut text = Vec::new();
        let mut some = [0; 4096];
        while !String::from_utf8_lossy(&text).contains("SITES END") {
            let count = peer.read(&mut some).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&text));
            text.extend_from_slice(&some[..count]);
        }
        std::fs::write(end, "").unwrap();
        peer.read_to_end(&mut text).unwrap();
        running.finish().exits(0);
        let ascii = hprof_ascii::read(&String::from_utf8_lossy(&text)).expect("text");
        let orders: Vec<_> = ascii
            .sites
            .iter()
            .map(|table| table.order.as_str())
            .collect();
        assert_eq!(orders, ["allocated bytes", "live bytes"]);

        // One that hangs up.
        let running = java_to("heap=sites,format=b").main("HprofSites").start();
        drop(accept(&listener, PATIENCE));
        running.finish().exits(0).says("done\n");

        // One that asks for what was not profiled, the heap, and ends the program.
        let mut running = java_to("cpu=samples").main("Dumped").start();
        let mut peer = accept(&listener, PATIENCE);
        running.wait_for_line("ready");
        command(&mut peer, 2, &[]);
        command(&mut peer, 5, &[]);
        let mut text = Vec::new();
        peer.read_to_end(&mut text).unwrap();
        running.finish().exits(0);
        let ascii = hprof_ascii::read(&String::from_utf8_lossy(&text)).expect("text");
        let heap = ascii.heaps.first().expect("a dump");
        let classes: Vec<_> = heap.classes.values().map(|class| &*class.name).collect();
        assert!(classes.contains(&"Dumped") && heap.instances.len() > 1000);
    });
}

/// How far a heap dump is, is said on a terminal (of script's) only. Nobody reads the pipe that it
/// is written to, until that is seen or three seconds are over.
#[test]
fn a_long_heap_dump_is_said_on_a_terminal() {
    if !std::path::Path::new("/usr/bin/script").exists() {
        return not_run("a terminal", "no script(1)");
    }
    let dumped = |jdk: &Jdk, command: &str, until: &str| {
        let java = java(jdk, "heap=dump,format=b,force=y,file=pipe").main("HprofSites");
        let line = format!(
            "mkfifo pipe; ({until}; cat >profile) <pipe & {command} || exit; wait; cat out >&2"
        );
        let run = java.shell(&line).run().exits(0);
        assert!(run.bytes("profile").starts_with(b"JAVA PROFILE"), "{run}");
        run.stderr.clone()
    };
    on_jdk(17, |jdk| {
        let said = dumped(
            jdk,
            "script -qefc \"$*\" out >&2",
            "while ! grep -q 'heap dump:.* [0-9]* s' out; do sleep 0.1; done",
        );
        assert!(said.contains("\r\x1b[Khprof: heap dump: "), "{said:?}");
        // Gone when it is over.
        assert!(said.contains("\r\x1b[KDumping Java heap"), "{said:?}");
        let said = dumped(jdk, "\"$@\" 2>out", "sleep 3");
        assert!(!said.contains("heap dump:"), "{said:?}");
    });
}

/// `xrun java -Xrunhprof:…` needs no path.
#[test]
fn xrun_finds_it() {
    product::hprof();
    let xrun = product::xrun();
    each_jdk(|jdk| {
        let java = Java::of(jdk).no_libraries().through(&xrun);
        let run = java
            .arg("-Xrunhprof:cpu=samples,file=profile")
            .main("HprofSites")
            .run();
        read(&run.exits(0).says("done\n"));
    });
}
