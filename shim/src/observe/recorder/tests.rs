#![allow(unsafe_code, reason = "fork")]

use recording_format::{HEADER_LEN, Recording};
use shim_options::Options;

use super::*;
use crate::observe::own_trace;

fn record(recorder: &mut Recorder, dump: &[u8]) {
    let values = [Value::Int(1), Value::Bytes(dump), Value::List(Vec::new())];
    recorder.begins(&values, |encoder, block, tick| {
        encoder.event(block, tick, 5, 37, &values)
    });
    recorder.ends(Subject::Event(37), false, &[]);
}

/// One test, for there is one recording in a process.
#[test]
fn what_a_thread_records_is_there_once_and_no_child_touches_it() {
    const LONG: usize = 3 << 20;
    let path = std::env::temp_dir().join(format!("recorder-{}", std::process::id()));
    let options = Options {
        trace: Some(path.display().to_string()),
        ..Options::default()
    };
    assert!(recording::start(&options, ""));
    let mut recorder = Recorder::new();
    let long = vec![7; LONG];
    for dump in [&long[..10], &long, &long[..20]] {
        record(&mut recorder, dump);
    }
    let in_own = |dump: &[u8]| own_trace::with(Recorder::new, |own| record(own, dump));
    in_own(&long[..21]);
    let before = std::fs::read(&path).unwrap();
    // SAFETY: the child only records, in vain, and ends its copy of the recorder.
    let child = unsafe { libc::fork() };
    if child == 0 {
        in_own(&long[..40]);
        crate::observe::trace::finish();
        drop(recorder);
        // SAFETY: ends the child without any of the test's own ends.
        unsafe { libc::_exit(7) };
    }
    let mut status = 0;
    // SAFETY: a child of ours.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(libc::WEXITSTATUS(status), 7);
    assert!(before == std::fs::read(&path).unwrap());

    record(&mut recorder, &long[..30]);
    in_own(&long[..31]);
    drop(recorder);
    crate::observe::trace::finish();
    recording::abandon();
    let file = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(file.len() < HEADER_LEN + LONG + 99 * PAGE, "{}", file.len());
    let read = Recording::read(&file).unwrap();
    assert_eq!(read.problems(), [""; 0]);
    assert!(!read.is_open());
    let lengths = read.items().map(|item| {
        let (_, values) = item.what.values();
        values.iter().find_map(Value::bytes).map_or(0, <[u8]>::len)
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [10, LONG, 20, 21, 30, 31]);
}
