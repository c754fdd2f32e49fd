//! What HPROF writes is what readers expect: the strict reader of its text, and
//! somebody else's of its binary output, on the same program.

pub(crate) mod binary;
mod combinations;
mod merging;
mod own_pprof;
mod pprof;
mod real_programs;
mod vm_dumps;

use std::collections::BTreeMap;

use binary::Binary;
use real_programs::page_data;
use xrun_tests::fixture::classes_of_17;
use xrun_tests::hprof_ascii::{self, Ascii};
use xrun_tests::jdk::{Jdk, each_jdk, on_jdk};
use xrun_tests::product;
use xrun_tests::run::{Java, Run, agent_path};

/// This program with HPROF, which is to write to `profile`.
fn run(jdk: &Jdk, options: &str, main: &str) -> Run {
    product::hprof();
    let between = if options.is_empty() { "" } else { "," };
    let options = format!("-Xrunhprof:{options}{between}file=profile");
    Java::with_shim(jdk).arg(options).main(main).run()
}

/// A run that ends as it should.
fn profiled(jdk: &Jdk, options: &str, main: &str) -> Run {
    run(jdk, options, main).exits(0).says("done\n")
}

fn ascii(jdk: &Jdk, options: &str, main: &str) -> Ascii {
    let run = profiled(jdk, options, main);
    hprof_ascii::read(&run.file("profile")).unwrap_or_else(|error| panic!("{error}\n{run}"))
}

/// Live and allocated, objects and bytes, of each class and stack.
type Sites = BTreeMap<(String, Vec<String>), [u64; 4]>;

/// The sites of the program's own classes. Others are not the same in two runs.
fn own(sites: impl IntoIterator<Item = (String, Vec<String>, [u64; 4])>) -> Sites {
    let mut found = Sites::new();
    for (class, stack, figures) in sites {
        if class.contains("HprofSites") {
            let sum = found.entry((class, stack)).or_default();
            for (sum, figure) in sum.iter_mut().zip(figures) {
                *sum += figure;
            }
        }
    }
    found
}

fn of_ascii(ascii: &Ascii) -> Sites {
    let table = ascii.sites.last().expect("a table");
    own(table.rows.iter().map(|row| {
        let frames = ascii
            .traces
            .get(&row.trace)
            .map_or(&[][..], |trace| &trace.frames);
        let stack = frames
            .iter()
            .map(|frame| format!("{}({}:{})", frame.method, frame.source, frame.line))
            .collect();
        let figures = [
            row.live_objects,
            row.live_bytes,
            row.allocated_objects,
            row.allocated_bytes,
        ];
        (row.class.clone(), stack, figures)
    }))
}

fn of_binary(binary: &Binary) -> Sites {
    let sites = binary.sites.last().expect("a record");
    own(sites.iter().map(|site| {
        // An array's class is that of its elements.
        let class = match (site.is_array, site.class_serial_number) {
            (0, serial) => binary.class_name(serial),
            (2, serial) => match binary.class_name(serial) {
                array if array.starts_with('[') => format!("[{array}"),
                element => format!("[L{element};"),
            },
            _ => String::new(),
        };
        let figures = [
            site.instances_alive,
            site.bytes_alive,
            site.instances_allocated,
            site.bytes_allocated,
        ];
        (
            class,
            binary.stack(site.stack_trace_serial_number),
            figures.map(u64::from),
        )
    }))
}

/// The program's allocations by class and method: what `HprofSites` says it does.
fn by_method(sites: &Sites) -> BTreeMap<(&str, &str), [u64; 2]> {
    let mut found = BTreeMap::<_, [u64; 2]>::new();
    for ((class, stack), [live, _, allocated, _]) in sites {
        let method = stack
            .iter()
            .find_map(|frame| frame.split_once("HprofSites."))
            .expect("a frame of its own");
        let sum = found
            .entry((class.as_str(), method.1.split_once('(').unwrap().0))
            .or_default();
        sum[0] += live;
        sum[1] += allocated;
    }
    found
}

#[test]
fn sites_are_the_same_in_text_and_binary() {
    each_jdk(|jdk| {
        let text = of_ascii(&ascii(jdk, "heap=sites,cutoff=0", "HprofSites"));
        let run = profiled(jdk, "heap=sites,cutoff=0,format=b", "HprofSites");
        let binary = binary::read(&run.bytes("profile"));
        assert_eq!(binary.format, "JAVA PROFILE 1.0.1");
        let other = of_binary(&binary);
        assert_eq!(text, other);
        let known = by_method(&text);
        assert_eq!(
            known[&("HprofSites$Kept", "kept")],
            [1500, 1500],
            "{text:?}"
        );
        assert_eq!(
            known[&("HprofSites$Dropped", "dropped")][1],
            2000,
            "{text:?}"
        );
        assert_eq!(
            known[&("[LHprofSites$Kept;", "arrays")],
            [30, 30],
            "{text:?}"
        );
        assert_eq!(
            known[&("HprofSites$Linked", "chain")],
            [300, 300],
            "{text:?}"
        );
        // One method, called from two lines of main: two stacks.
        let kept = text.keys().filter(|(class, _)| class == "HprofSites$Kept");
        assert_eq!(kept.count(), 2, "{text:?}");
    });
}

#[test]
fn samples_are_read_by_others() {
    each_jdk(|jdk| {
        let text = ascii(jdk, "cpu=samples,depth=8,thread=y", "Hot");
        let table = text.cpu.last().expect("a table");
        assert_eq!(table.rows[0].method, "Hot.hot");
        assert!(text.traces[&table.rows[0].trace].thread.is_some());
        let run = profiled(jdk, "cpu=samples,depth=8,format=b", "Hot");
        let binary = binary::read(&run.bytes("profile"));
        let (total, entries) = binary.samples.last().expect("a record");
        assert_eq!(*total, entries.iter().map(|(count, _)| count).sum::<u32>());
        let (_, trace) = entries.iter().max().expect("an entry");
        assert!(
            binary.stack(*trace)[0].starts_with("Hot.hot(Hot.java:"),
            "{:?}",
            binary.stack(*trace)
        );
        assert_eq!(binary.control, Some((2, 8)));
    });
}

/// The formats of today, of the same options.
#[test]
fn todays_formats_are_read() {
    each_jdk(|jdk| {
        let run = profiled(jdk, "cpu=samples,heap=sites,format=json", "HprofSites");
        let json: serde_json::Value = serde_json::from_str(&run.file("profile")).expect("JSON");
        let sites = json["sites"].as_array().expect("sites");
        let kept = sites
            .iter()
            .filter(|site| site["class"] == "HprofSites$Kept");
        let objects = kept.map(|site| site["allocated"]["objects"].as_u64().unwrap());
        assert_eq!(objects.sum::<u64>(), 1500);
        assert_eq!(json["cpu"]["kind"], "samples");

        let run = profiled(jdk, "heap=sites,format=collapsed", "HprofSites");
        let text = run.file("profile");
        let kept: Vec<&str> = text
            .lines()
            .filter(|line| line.contains(";new HprofSites$Kept "))
            .collect();
        let ways = ["HprofSites.here;", "HprofSites.there;"];
        assert_eq!(kept.len(), 2, "{kept:?}");
        for (line, way) in kept.iter().zip(ways) {
            assert!(
                line.contains(&format!(
                    "HprofSites.main;{way}HprofSites.kept;new HprofSites$Kept "
                )),
                "{line}"
            );
        }

        let run = profiled(
            jdk,
            "cpu=samples,heap=sites,monitor=y,format=flame",
            "HprofSites",
        );
        let page = run.file("profile");
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
        assert!(page.contains("HprofSites.there"), "{page}");
    });
}

/// Which version has written it, in each format; and how many samples a page is made from.
#[test]
fn files_say_who_has_written_them() {
    const WRITER: &str = concat!("HPROF for xrun ", env!("CARGO_PKG_VERSION"));
    on_jdk(17, |jdk| {
        let profile = |format: &str| {
            let options = format!("cpu=samples,format={format}");
            profiled(jdk, &options, "Hot 400").bytes("profile")
        };
        let text = |format: &str| String::from_utf8(profile(format)).expect("UTF-8");
        let plain = text("a");
        assert!(plain.contains(&format!("written by {WRITER}, ")));
        assert!(!plain.contains("Attached to a program"), "{plain}");
        assert!(text("collapsed").starts_with(&format!(
            "({WRITER});(CPU samples, samples);(every 10 ms);("
        )));
        let strings = binary::read(&profile("b")).strings;
        assert!(strings.values().any(|text| text == WRITER), "{strings:?}");
        let json: serde_json::Value = serde_json::from_str(&text("json")).expect("JSON");
        assert_eq!(json["writer"], WRITER);
        let comments = own_pprof::read(&profile("pprof")).comments;
        assert_eq!(comments[0], WRITER, "{comments:?}");

        let data = page_data(&text("flame")).expect("data");
        assert_eq!(fact(&data, "Written by"), WRITER);
        let weights = data["trees"][0]["weights"][0]["own"].as_array();
        let samples = weights.expect("weights").iter();
        let samples: u64 = samples.map(|weight| weight.as_u64().unwrap()).sum();
        assert!(samples > 0, "{data}");
        let expected = format!("{samples}, one look every 10 ms");
        assert_eq!(fact(&data, "Samples"), expected);

        let head = &data["head"];
        assert_eq!(head["program"], "Hot");
        let time = |value: &serde_json::Value| value.as_u64().expect("a time");
        let (started, taken) = (time(&head["started"]), time(&data["taken"]));
        assert!(started > 0 && started < taken, "{head}");
        for (name, value) in [
            ("Program", "Hot 400"),
            ("Options", "cpu=samples,format=flame,file=profile"),
        ] {
            assert_eq!(fact(&data, name), value);
        }
        for (name, part) in [
            ("Command", "/bin/java "),
            ("Process", " on "),
            ("JDK", " 17."),
            ("Length", " s"),
        ] {
            assert!(fact(&data, name).contains(part), "{head}");
        }
        let collector = fact(&data, "Collector");
        assert!(["G1", "Serial"].contains(&&*collector), "{collector}");
    });
}

/// A line of a page's head; empty if there is none.
fn fact(data: &serde_json::Value, name: &str) -> String {
    let facts = data["head"]["facts"].as_array().expect("facts");
    let fact = facts.iter().find(|fact| fact[0] == name);
    fact.and_then(|fact| fact[1].as_str())
        .unwrap_or_default()
        .to_owned()
}

/// A page says how much it has not seen.
#[test]
fn a_page_says_what_was_not_seen() {
    on_jdk(21, |jdk| {
        let shim = agent_path(&product::shim(), "virtual-threads=carriers");
        let java = Java::of(jdk).arg(shim);
        let java = java.arg("-Xrunhprof:cpu=samples,format=flame,file=profile");
        let run = java
            .main_in(&classes_of_17(), "Spinning 1500")
            .run()
            .exits(0);
        let data = page_data(&run.file("profile")).expect("data");
        let unseen = fact(&data, "Not seen");
        assert!(unseen.contains(" samples of virtual threads, "), "{data}");
    });
}

/// The program's own objects in HPROF's dump are those in the VM's, taken in the same run.
#[test]
fn heap_dump_is_that_of_the_vm() {
    each_jdk(|jdk| {
        product::hprof();
        let run = Java::with_shim(jdk)
            .args([
                "-XX:+UseSerialGC",
                "-XX:+HeapDumpAfterFullGC",
                "-XX:HeapDumpPath=vm",
            ])
            .arg("-Xrunhprof:heap=dump,format=b,file=profile")
            .main("HprofSites");
        let run = run.run().exits(0);
        // The shim's own start may have collected as well: the last dump is the program's.
        let taken = ["vm", "vm.1", "vm.2", "vm.3"];
        let vm = taken.into_iter().rfind(|name| !run.bytes(name).is_empty());
        let own = |binary: Binary| {
            let mut census = binary.census();
            census.retain(|class, _| class.contains("HprofSites"));
            census
        };
        let ours = own(binary::read(&run.bytes("profile")));
        assert_eq!(ours.get("HprofSites$Linked"), Some(&300), "{ours:?}");
        let vm = run.bytes(vm.expect("a dump of the VM's"));
        assert_eq!(ours, own(binary::parse(&vm)), "{run}");
    });
}
