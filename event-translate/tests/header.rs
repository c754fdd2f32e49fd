//! The tables' numbers are those of the C header that agents are compiled with.
//!
//! The header is read as text: it is a second source, written apart from the
//! tables, and this crate knows nothing of C.

use std::path::Path;
use std::{fs, io};

use event_translate::table::{EVENTS, EventKind, FUNCTIONS, Version};
use event_translate::thread_status;

fn header() -> io::Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../jvmpi-headers/include/jvmpi.h");
    fs::read_to_string(path)
}

/// `#define NAME ((jint)number)`: name and number.
fn jint_constants(header: &str) -> Vec<(&str, i32)> {
    let constant = |line| {
        let (name, value) = str::strip_prefix(line, "#define ")?.split_once(' ')?;
        let (number, _) = value
            .trim_start()
            .strip_prefix("((jint)")?
            .split_once(')')?;
        let number = match number.strip_prefix("0x") {
            Some(hex) => i32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        Some((name, number.ok()?))
    };
    header.lines().filter_map(constant).collect()
}

#[test]
fn event_numbers_agree() {
    let header = header().expect("jvmpi-headers/include/jvmpi.h");
    let constants = jint_constants(&header);
    let events: Vec<_> = constants
        .iter()
        .filter_map(|&(name, number)| Some((name.strip_prefix("JVMPI_EVENT_")?, number)))
        .collect();
    assert_eq!(events, EVENTS.map(|row| (row.name, row.kind.raw())));
    assert!(constants.contains(&("JVMPI_MAX_EVENT_TYPE_VAL", EventKind::MAX_RAW)));
    for version in Version::ALL {
        let name = format!("JVMPI_VERSION_{}", version.name().replace('.', "_"));
        assert!(constants.contains(&(&name, version.raw())), "{name}");
    }
}

#[test]
fn thread_states_agree() {
    let header = header().expect("jvmpi-headers/include/jvmpi.h");
    let constants = jint_constants(&header);
    for constant in [
        ("JVMPI_THREAD_RUNNABLE", thread_status::RUNNABLE),
        ("JVMPI_THREAD_MONITOR_WAIT", thread_status::MONITOR_WAIT),
        ("JVMPI_THREAD_CONDVAR_WAIT", thread_status::CONDVAR_WAIT),
        ("JVMPI_THREAD_SUSPENDED", thread_status::SUSPENDED),
        ("JVMPI_THREAD_INTERRUPTED", thread_status::INTERRUPTED),
    ] {
        assert!(constants.contains(&constant), "{constant:?}");
    }
}

#[test]
fn slots_agree() {
    let header = header().expect("jvmpi-headers/include/jvmpi.h");
    let (_, interface) = header
        .split_once("(*NotifyEvent)")
        .expect("a member NotifyEvent");
    let members: Vec<_> = interface
        .lines()
        .filter_map(|line| Some(line.split_once("(*")?.1.split_once(")(")?.0))
        .collect();
    assert_eq!(members, FUNCTIONS.map(|row| row.name));
}
