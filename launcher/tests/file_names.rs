//! Names of files that xrun itself writes have what is this process's filled in, whatever job it does.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;
use std::process::Command;

use own_files::Folder;

fn recording(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recordings");
    file.join(name).to_string_lossy().into_owned()
}

/// Exit code and what was said on stderr.
fn xrun(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let mut xrun = Command::new(env!("CARGO_BIN_EXE_xrun"));
    let said = xrun.args(words).current_dir(folder).env("POD", "web-0");
    let said = said.env_remove("NO_SUCH").output().unwrap();
    (said.status.code(), String::from_utf8(said.stderr).unwrap())
}

#[test]
fn every_job_fills_in_its_own() {
    let folder = Folder::new(&std::env::temp_dir(), "xrun-names-").unwrap();
    let folder = folder.path();
    let rec = recording("format2.rec");
    let jobs: [(&[&str], &str); 3] = [
        (
            &["trace", "filter", "--event", "THREAD_START", "-o"],
            "part-%x{POD}.rec",
        ),
        (&["trace", "export", "--parquet"], "tables-%x{POD}"),
        (&["report", "--html"], "report-%x{POD}.html"),
    ];
    for (job, name) in jobs {
        let (code, said) = xrun(folder, &[job, &[name, &rec]].concat());
        assert_eq!(code, Some(0), "{job:?}: {said}");
        let written = folder.join(name.replace("%x{POD}", "web-0"));
        assert!(written.exists(), "{}", written.display());
    }
    let refused: [&[&str]; 6] = [
        &["trace", "filter", "-o", "%x{NO_SUCH}.rec", &rec],
        &["trace", "export", "--parquet", "%x{NO_SUCH}", &rec],
        &["report", "--html", "%x{NO_SUCH}.html", &rec],
        &["report", "--skeleton", "%x{NO_SUCH}", &rec],
        &["compare", "-o", "%x{NO_SUCH}.html", &rec, &rec],
        &["replay", &rec, "--findings", "%x{NO_SUCH}.json"],
    ];
    for words in refused {
        let (code, said) = xrun(folder, words);
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(said.contains("%x{NO_SUCH} in "), "{words:?}: {said}");
    }
}

/// Tables have nothing of agents that speak JVMTI: that is said.
#[test]
fn an_export_without_jvmpi_is_said() {
    let folder = Folder::new(&std::env::temp_dir(), "xrun-export-").unwrap();
    let folder = folder.path();
    let other = [
        "trace",
        "filter",
        "--event",
        "MethodEntry",
        "-o",
        "port.rec",
    ];
    let rec = recording("format4.rec");
    assert_eq!(
        xrun(folder, &[&other[..], &[&rec]].concat()),
        (Some(0), String::new())
    );
    let (code, said) = xrun(
        folder,
        &["trace", "export", "--parquet", "tables", "port.rec", &rec],
    );
    assert_eq!(code, Some(1), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("xrun: port.rec: nothing that an agent of JVMPI's has heard"),
        "{said}"
    );
    assert!(lines[1].ends_with(" of 2 recordings"), "{said}");
}
