//! Unit tests that this machine cannot run.

use std::fs::File;
use std::io::Write as _;

/// Says so of the calling test, past the harness, which keeps what is printed, and in the record from which `./check`
/// makes its summary.
pub(crate) fn not_run(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("?");
    let line = format!("not run: {test} ({why})\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    // target/debug/deps/a test
    let test_file = std::env::current_exe().unwrap();
    let record = test_file.ancestors().nth(3).unwrap().join("xrun-tests");
    std::fs::create_dir_all(&record).unwrap();
    let record = record.join("not-run.txt");
    let record = File::options().create(true).append(true).open(record);
    let line = format!("this machine\t{test}\t{why}\n");
    record.unwrap().write_all(line.as_bytes()).unwrap();
}
