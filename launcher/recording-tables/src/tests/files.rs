//! Columns and files.

use event_translate::EventKind;
use own_files::Folder;
use recording_format::{Recording, Type, Value, event_fields};

use super::exported::Exported;
use super::made::{ENV, Made};
use crate::encode::path_of;
use crate::schema::{Kind, TABLES, markdown};
use crate::{Place, events, export, schema};

#[test]
fn each_field_of_each_event_has_its_place() {
    for kind in EventKind::ALL {
        for field in event_fields(kind.raw()) {
            let place = events::place_of(field);
            assert!(place.is_some(), "{kind}: {}", field.name);
            if let (Some(events::To::Column(place)), Type::Text) = (place, field.kind) {
                let column = schema::EVENTS.columns.get(place).unwrap();
                assert_eq!(column.kind, Kind::Text, "{kind}: {}", field.name);
            }
        }
    }
}

/// More than a row group has.
#[test]
fn many_events_keep_their_numbers() {
    let mut made = Made::new();
    for place in 0..150_000_u64 {
        // One each nanosecond.
        made.nanos = (place + 1).wrapping_sub(1_000_000);
        match place % 50 {
            2.. => made.method(ENV, EventKind::MethodEntry, 0x500),
            1 => made.method(ENV, EventKind::MethodExit, 0x500),
            _ => made.event(ENV, EventKind::MonitorContendedEntered, &[Value::Id(place)]),
        };
    }
    let exported = made.exported();
    let mut rows = exported.rows(&schema::EVENTS);
    assert_eq!((exported.counted.events, rows.len()), (150_000, 150_000));
    rows.sort_by_key(|row| row["number"].parse::<u64>().unwrap());
    for (place, row) in (0_u64..).zip(rows) {
        assert_eq!(row["number"], (place + 1).to_string());
        assert_eq!(row["nanos"], (place + 1).to_string());
        let event = match place % 50 {
            2.. => "METHOD_ENTRY",
            1 => "METHOD_EXIT",
            _ => "MONITOR_CONTENDED_ENTERED",
        };
        assert_eq!(row["event"], event);
        assert_eq!(row.contains_key("method"), place % 50 != 0);
        let object = (place % 50 == 0).then(|| place.to_string());
        assert_eq!(row.get("object"), object.as_ref());
    }
}

#[test]
fn a_recording_that_was_cut_off_says_so() {
    let mut made = Made::new();
    made.thread(ENV, "main");
    let mut bytes = made.writer.finish();
    bytes.truncate(bytes.len() - 100);
    let exported = Exported::of(&Recording::read(&bytes).unwrap());
    let processes = exported.rows(&schema::PROCESSES);
    let [process] = &processes[..] else {
        panic!("{processes:?}");
    };
    assert!(process["problems"].contains("cut off"), "{process:?}");
    assert_eq!(process["file"], "run.rec");
    assert_eq!(process["agent"], "libfoo.so");
    assert_eq!(process.get("options"), None);
    assert_eq!(process["started"], "1970-01-01 00:00:01.000000 +00:00");
}

#[test]
fn what_cannot_take_its_place_is_said() {
    let folder = Folder::new(&std::env::temp_dir(), "xrun-tables-").unwrap();
    let place = Place {
        folder: folder.path(),
        process: "run",
    };
    // A folder where a file is to be.
    let events = path_of(folder.path(), &schema::EVENTS, "run");
    std::fs::create_dir_all(events.join("sub")).unwrap();
    let bytes = Made::new().writer.finish();
    let error = export(&Recording::read(&bytes).unwrap(), "run.rec", place).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("events.parquet: "), "{said}");
    assert!(said.contains("what was written is in "), "{said}");
    // What was to follow is not there, and nothing of it either.
    let calls = path_of(folder.path(), &schema::CALLS, "run");
    let beside = std::fs::read_dir(calls.parent().unwrap()).unwrap();
    assert_eq!(beside.count(), 0);
}

#[test]
fn docs_have_the_tables_as_they_are() {
    let docs = include_str!("../../../../docs/tables.md");
    assert!(
        docs.ends_with(&markdown()),
        "docs/tables.md ends with:\n{}",
        markdown()
    );
    let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    assert!(names.iter().all(|name| docs.contains(&format!("`{name}`"))));
}
