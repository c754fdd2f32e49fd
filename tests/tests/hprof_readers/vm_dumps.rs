//! `traces=n`: the VM's own dumper writes HPROF's binary heap dumps.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use xrun_tests::collector::each_collector;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::product;
use xrun_tests::run::Java;

use super::binary::{self, Binary};

const OPTIONS: &str = "-Xrunhprof:heap=dump,format=b,traces=n,file=profile";

/// All that it has of HPROF's own, behind its last record.
const WRITER: &str = concat!(
    "the VM's heap dumper, for HPROF for xrun ",
    env!("CARGO_PKG_VERSION")
);

fn java(jdk: &Jdk, agent: &str) -> Java {
    product::hprof();
    Java::with_shim(jdk).arg(agent)
}

/// The program's own objects.
fn own(binary: &Binary) -> BTreeMap<String, u64> {
    let mut census = binary.census();
    census.retain(|class, _| class.contains("HprofSites"));
    census
}

/// HPROF's own dump begins with its settings.
fn is_the_vms(binary: &Binary) -> bool {
    binary.control.is_none()
}

/// Nothing lies beside it, and nobody else can read it.
fn is_alone(profile: &Path) {
    let mode = std::fs::metadata(profile).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let names = std::fs::read_dir(profile.parent().unwrap()).unwrap();
    let beside: Vec<_> = names
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("hprof-"))
        .collect();
    assert!(beside.is_empty(), "{beside:?}");
}

/// At the VM's end, with every collector, the same objects as in HPROF's own dump.
#[test]
fn holds_what_hprofs_own_holds() {
    each_jdk(|jdk| {
        let run = java(jdk, &OPTIONS.replace(",traces=n", ""));
        let run = run.main("HprofSites").run().exits(0).says("done\n");
        let expected = own(&binary::read(&run.bytes("profile")));
        assert_eq!(expected.get("HprofSites$Linked"), Some(&300), "{run}");
        each_collector(jdk, |collector| {
            let java = java(jdk, OPTIONS).args(collector.words(jdk));
            let run = java.main("HprofSites").run().exits(0).says("done\n");
            let binary = binary::parse(&run.bytes("profile"));
            assert!(is_the_vms(&binary), "{run}");
            let writer = binary.strings.get(&1).map(String::as_str);
            assert_eq!(writer, Some(WRITER), "{run}");
            assert_eq!(own(&binary), expected, "{run}");
            let done = "Dumping Java heap ... done: profile\n";
            assert_eq!(run.stderr.matches(done).count(), 1, "{run}");
            is_alone(&run.folder().join("profile"));
        });
    });
}

/// Each dump is a whole file, and takes the place of the one before.
#[test]
fn on_demand() {
    each_jdk(|jdk| {
        let java = java(jdk, OPTIONS);
        let (profile, end) = (java.file("profile"), java.file("end"));
        std::fs::write(&profile, "of another run").unwrap();
        let mut running = java.main("Dumped").start();
        running.wait_for_line("ready");
        assert_eq!(std::fs::read(&profile).unwrap(), b"of another run");
        running.signal("QUIT");
        let first = running.until("dump", || {
            let now = std::fs::read(&profile).unwrap();
            (now != b"of another run").then_some(now)
        });
        assert!(is_the_vms(&binary::parse(&first)));
        std::fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        let last = run.bytes("profile");
        assert!(last != first && is_the_vms(&binary::parse(&last)), "{run}");
        is_alone(&run.folder().join("profile"));
    });
}

/// Where the VM's dumper cannot be had, or calls are recorded, which no replay could answer, all
/// is as without `traces=n`.
#[test]
fn otherwise_hprof_writes() {
    each_jdk(|jdk| {
        for settings in ["without=heap-dumper", "trace=run.rec"] {
            let run = java(jdk, OPTIONS).env("JVMPI_OPTIONS", settings);
            let run = run.main("HprofSites").run().exits(0).says("done\n");
            let binary = binary::read(&run.bytes("profile"));
            assert!(!is_the_vms(&binary), "{run}");
            assert_eq!(own(&binary).get("HprofSites$Linked"), Some(&300), "{run}");
            assert_eq!(
                run.stderr.matches("traces=n changes nothing").count(),
                1,
                "{run}"
            );
        }
    });
}
