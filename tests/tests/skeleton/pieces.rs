//! What skeletons are put together of: each piece compiles alone; and whose work on one is kept.

use std::path::Path;
use std::process::Command;

use event_translate::table::{EVENTS, EventKind, FUNCTIONS};
use xrun_tests::fixture;
use xrun_tests::jdk::{compiler, each_jdk_if};
use xrun_tests::run;

use super::{has_headers, xrun};

/// Counts as a run leaves them, of an agent that uses these.
pub(super) fn usage(events: &[EventKind], slots: &[u8]) -> String {
    let bits: u64 = events.iter().map(|event| 1_u64 << event.raw()).sum();
    let mut text =
        format!("jvmpi usage 1\nabout agent lib/*/x.so\nversion 268435459\nenabled {bits}\n");
    for slot in slots {
        text += &format!(
            "call {slot} 0 2 0 {} 1\n",
            1_u64 << EventKind::JvmInitDone.raw()
        );
    }
    for dump in [EventKind::HeapDump, EventKind::MonitorDump] {
        if events.contains(&dump) {
            let asked_in = 1_u64 << EventKind::DataDumpRequest.raw();
            text += &format!("request {} {asked_in}\n", dump.raw());
        }
    }
    text + "end\n"
}

fn compiles(folder: &Path, what: &str, usage: &str, home: &Path, words: &[&str]) {
    let file = folder.join("usage");
    std::fs::write(&file, usage).unwrap();
    let skeleton = folder.join("new");
    let flags = ["report", "--skeleton"].map(Path::new);
    xrun(&[flags[0], flags[1], &skeleton, &file]).exits(0);
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC",
    ]);
    cc.args(words).arg("-I").arg(home.join("include"));
    cc.arg("-I").arg(home.join("include/linux"));
    cc.arg(skeleton.join("agent.c"))
        .arg("-o")
        .arg(folder.join("agent.so"));
    let run = run::output(cc, 60);
    assert!(
        run.status.success() && run.stderr.is_empty(),
        "{what}: {run}"
    );
}

/// Alone nothing of an event or function may want what only another one brings, or be there for
/// nobody.
#[test]
fn each_piece_compiles_alone_and_with_all_others() {
    let folder = fixture::unique("skeletons");
    let home = &compiler().home;
    for row in EVENTS {
        compiles(
            &folder,
            row.name,
            &usage(&[row.kind], &[]),
            home,
            &["-fsyntax-only"],
        );
    }
    for row in FUNCTIONS {
        compiles(
            &folder,
            row.name,
            &usage(&[], &[row.slot]),
            home,
            &["-fsyntax-only"],
        );
    }
    let slots = FUNCTIONS.map(|row| row.slot);
    each_jdk_if(has_headers, |jdk| {
        compiles(
            &folder,
            "all",
            &usage(&EventKind::ALL, &slots),
            &jdk.home,
            &[],
        );
        compiles(&folder, "nothing", &usage(&[], &[]), &jdk.home, &[]);
    });
    let _ = std::fs::remove_dir_all(folder);
}

/// What somebody has written is not written over.
#[test]
fn work_on_a_skeleton_is_kept() {
    let folder = fixture::unique("kept");
    let (file, new) = (folder.join("usage"), folder.join("new"));
    std::fs::write(&file, usage(&[EventKind::GcStart], &[])).unwrap();
    let words = ["report", "--skeleton", "--force"].map(Path::new);
    let again = || xrun(&[words[0], words[1], &new, &file]);
    assert_eq!(again().exits(0).stdout, "");
    again().exits(0);
    for name in ["agent.c", "Makefile", "README.md"] {
        let path = new.join(name);
        let written = std::fs::read_to_string(&path).unwrap();
        let work = written.clone() + "\n";
        std::fs::write(&path, &work).unwrap();
        let refused = again().exits(2);
        assert!(refused.stderr.contains("--force replaces it"), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), work);
        xrun(&[words[0], words[1], &new, words[2], &file]).exits(0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
    }
    let _ = std::fs::remove_dir_all(folder);
}
