//! Recordings that are made here, exported, and read again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use event_translate::EventKind;
use own_files::Folder;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use recording_format::{Header, Item, Recording, Subject, Type, Value, What, Writer, event_fields};

use crate::encode::path_of;
use crate::schema::{Kind, TABLES, Table, markdown};
use crate::{Counted, Place, events, export, schema};

/// A recording, a record each millisecond.
struct Made {
    writer: Writer,
    nanos: u64,
}

impl Made {
    fn new() -> Self {
        let header = Header {
            pid: 7,
            started: 1_000_000_000,
            shim: "0.1.0".to_owned(),
            agent: "libfoo.so".to_owned(),
            ..Header::default()
        };
        let mut writer = Writer::new(&header);
        writer.thread(0, 70);
        writer.thread(1, 71);
        Self { writer, nanos: 0 }
    }

    fn add(&mut self, thread: u32, what: What<'_>) -> &mut Self {
        self.nanos = self.nanos.wrapping_add(1_000_000);
        self.writer.add(&Item {
            nanos: self.nanos,
            thread,
            index: 0,
            what,
        });
        self
    }

    /// One in whose handler nothing happens.
    fn event(&mut self, env: u64, kind: EventKind, values: &[Value<'_>]) -> &mut Self {
        let what = What::Event {
            number: kind.raw(),
            requested: false,
            env,
            values: values.to_vec(),
            results: Some(Vec::new()),
        };
        self.add(0, what)
    }

    fn class(&mut self, id: u64, name: &str, methods: &[(&str, u64)]) -> &mut Self {
        let text = |text: &'static str| Value::Text(Some(text.as_bytes()));
        let rows = methods.iter().map(|(name, id)| {
            vec![
                Value::Text(Some(name.as_bytes())),
                text("()V"),
                Value::Int(3),
                Value::Int(5),
                Value::Id(*id),
            ]
        });
        let methods = rows.collect();
        let values = [
            Value::Text(Some(name.as_bytes())),
            text("A.java"),
            Value::Int(0),
            Value::List(methods),
            Value::List(Vec::new()),
            Value::List(Vec::new()),
            Value::Id(id),
        ];
        self.event(ENV, EventKind::ClassLoad, &values)
    }

    fn thread(&mut self, env: u64, name: &str) -> &mut Self {
        let values = [
            Value::Text(Some(name.as_bytes())),
            Value::Text(Some(b"main")),
            Value::Text(None),
            Value::Id(0x88),
            Value::Id(env),
        ];
        self.event(env, EventKind::ThreadStart, &values)
    }

    fn born(&mut self, id: u64, class: u64, is_array: i64) -> &mut Self {
        let values = [
            Value::Int(1),
            Value::Id(class),
            Value::Int(is_array),
            Value::Int(24),
            Value::Id(id),
        ];
        self.event(ENV, EventKind::ObjectAlloc, &values)
    }

    fn method(&mut self, env: u64, kind: EventKind, method: u64) -> &mut Self {
        self.event(env, kind, &[Value::Id(method)])
    }

    fn exported(self) -> Exported {
        let bytes = self.writer.finish();
        let recording = Recording::read(&bytes).unwrap();
        Exported::of(&recording)
    }
}

const ENV: u64 = 0x1000;

struct Exported {
    folder: Folder,
    counted: Counted,
}

/// A row: what is not NULL, by column.
type Row = BTreeMap<String, String>;

impl Exported {
    fn of(recording: &Recording<'_>) -> Self {
        let folder = Folder::new(&std::env::temp_dir(), "xrun-tables-").unwrap();
        let place = Place {
            folder: folder.path(),
            process: "run",
        };
        let counted = export(recording, "run.rec", place).unwrap();
        assert!(place.files().all(|file| file.is_file()));
        Self { folder, counted }
    }

    fn rows(&self, table: &Table) -> Vec<Row> {
        rows(self.folder.path(), table)
    }

    /// Columns of the rows of a table that has a column of numbers to sort by.
    fn columns(&self, table: &Table, names: &[&str]) -> Vec<String> {
        let by = table.columns.first().unwrap().name;
        let mut rows = self.rows(table);
        rows.sort_by_key(|row| row.get(by).and_then(|it| it.parse::<i64>().ok()));
        let cell = |row: &Row, name: &&str| row.get(*name).cloned().unwrap_or("-".to_owned());
        let line = |row| names.iter().map(|name| cell(row, name)).collect::<Vec<_>>();
        rows.iter().map(|row| line(row).join(" ")).collect()
    }
}

fn rows(folder: &Path, table: &Table) -> Vec<Row> {
    let file = File::open(path_of(folder, table, "run")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| {
        let row = row.unwrap();
        let told = row.get_column_iter().filter_map(|(name, field)| {
            let text = match field {
                Field::Null => return None,
                Field::Str(text) => text.clone(),
                other => other.to_string(),
            };
            Some((name.clone(), text))
        });
        told.collect()
    })
    .collect()
}

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

#[test]
fn names_stand_for_what_they_named_at_that_time() {
    let mut made = Made::new();
    made.thread(ENV, "first")
        .class(0x10, "A", &[("run", 0x500)])
        .method(ENV, EventKind::MethodEntry, 0x500)
        .event(ENV, EventKind::ThreadEnd, &[])
        .event(ENV, EventKind::ClassUnload, &[Value::Id(0x10)])
        // All of it again, for others.
        .thread(ENV, "second")
        .class(0x10, "B", &[("run", 0x500)])
        .method(ENV, EventKind::MethodEntry, 0x500)
        // Of whom nobody told.
        .method(0x2000, EventKind::MethodEntry, 0x508);
    let exported = made.exported();
    assert_eq!(
        exported.counted,
        Counted {
            events: 9,
            calls: 0
        }
    );
    let threads = exported.columns(&schema::THREADS, &["thread", "name", "env", "ended"]);
    assert_eq!(
        threads,
        ["1 first 4096 4000000", "2 second 4096 -", "3 - 8192 -"]
    );
    let classes = exported.columns(&schema::CLASSES, &["class", "name", "loaded", "unloaded"]);
    assert_eq!(classes, ["1 A 2000000 5000000", "2 B 7000000 -"]);
    let methods = exported.columns(&schema::METHODS, &["method", "class", "name", "id"]);
    assert_eq!(methods, ["1 1 run 1280", "2 2 run 1280", "3 - - 1288"]);
    let events = exported.columns(&schema::EVENTS, &["event", "thread", "method", "class"]);
    assert_eq!(
        events,
        [
            "THREAD_START 1 - -",
            "CLASS_LOAD 1 - 1",
            "METHOD_ENTRY 1 1 -",
            "THREAD_END 1 - -",
            "CLASS_UNLOAD 1 - 1",
            "THREAD_START 2 - -",
            "CLASS_LOAD 2 - 2",
            "METHOD_ENTRY 2 2 -",
            "METHOD_ENTRY 3 3 -",
        ]
    );
}

#[test]
fn what_the_agent_asks_for_twice_is_one() {
    let mut made = Made::new();
    made.method(ENV, EventKind::MethodEntry, 0x500)
        .thread(ENV, "main")
        .thread(ENV, "main")
        .class(0x10, "A", &[("run", 0x500)])
        .class(0x10, "A", &[("run", 0x500), ("added", 0x508)]);
    let exported = made.exported();
    let threads = exported.columns(&schema::THREADS, &["thread", "name", "started"]);
    assert_eq!(threads, ["1 main 2000000"]);
    assert_eq!(
        exported.columns(&schema::CLASSES, &["class", "name"]),
        ["1 A"]
    );
    // What was entered before anybody told of it has a row of its own.
    let methods = exported.columns(&schema::METHODS, &["method", "class", "name"]);
    assert_eq!(methods, ["1 - -", "2 1 run", "3 1 added"]);
}

#[test]
fn objects_have_the_class_they_were_born_with() {
    let object = |id| [Value::Id(id)];
    let mut made = Made::new();
    made.class(0x10, "A", &[])
        .born(0x20, 0x10, 0)
        .event(ENV, EventKind::MonitorContendedEnter, &object(0x20))
        .event(0, EventKind::ObjectFree, &object(0x20))
        .born(0x20, 0x10, 2)
        .born(0x28, 0, 10)
        .born(0x30, 0x48, 2)
        .event(
            ENV,
            EventKind::MonitorWait,
            &[Value::Id(0x20), Value::Int(50)],
        )
        // A class is an object, and both go elsewhere.
        .event(
            0,
            EventKind::ObjectMove,
            &[
                Value::Int(1),
                Value::Id(0x10),
                Value::Int(2),
                Value::Id(0x90),
            ],
        )
        .event(
            0,
            EventKind::ObjectMove,
            &[
                Value::Int(1),
                Value::Id(0x20),
                Value::Int(2),
                Value::Id(0x98),
            ],
        )
        .event(ENV, EventKind::MonitorContendedExit, &object(0x20))
        .event(ENV, EventKind::MonitorContendedExit, &object(0x98))
        .born(0xa0, 0x90, 0)
        .born(0xa8, 0x90, 2);
    let exported = made.exported();
    let classes = exported.columns(&schema::CLASSES, &["class", "name", "id"]);
    assert_eq!(classes, ["1 A 144", "2 A[] -", "3 int[] -", "4 - -"]);
    let events = exported.columns(
        &schema::EVENTS,
        &["event", "thread", "class", "object", "size", "timeout"],
    );
    assert_eq!(
        events,
        [
            "CLASS_LOAD 1 1 - - -",
            "OBJECT_ALLOC 1 1 32 24 -",
            "MONITOR_CONTENDED_ENTER 1 1 32 - -",
            "OBJECT_FREE - 1 32 - -",
            "OBJECT_ALLOC 1 2 32 24 -",
            "OBJECT_ALLOC 1 3 40 24 -",
            "OBJECT_ALLOC 1 4 48 24 -",
            "MONITOR_WAIT 1 2 32 - 50",
            "OBJECT_MOVE - - 16 - -",
            "OBJECT_MOVE - 2 32 - -",
            "MONITOR_CONTENDED_EXIT 1 - 32 - -",
            "MONITOR_CONTENDED_EXIT 1 2 152 - -",
            "OBJECT_ALLOC 1 1 160 24 -",
            "OBJECT_ALLOC 1 2 168 24 -",
        ]
    );
}

/// GetCallTrace in a handler, which calls nothing.
fn trace<'a>(frames: &[(i64, u64)], is_leaf: bool) -> (What<'a>, Vec<Value<'a>>) {
    let rows = frames
        .iter()
        .map(|(line, method)| vec![Value::Int(*line), Value::Id(*method)])
        .collect();
    let count = i64::try_from(frames.len()).unwrap();
    let results = vec![Value::Int(count), Value::List(rows)];
    let call = What::Call {
        slot: 5,
        arguments: vec![Value::Id(ENV), Value::Int(8)],
        results: is_leaf.then(|| results.clone()),
    };
    (call, results)
}

#[test]
fn calls_know_their_handler_and_their_stack() {
    let mut made = Made::new();
    made.thread(ENV, "main").class(0x10, "A", &[("run", 0x500)]);
    let open = What::Event {
        number: EventKind::MonitorWait.raw(),
        requested: true,
        env: ENV,
        values: vec![Value::Id(0), Value::Int(0)],
        results: None,
    };
    made.add(0, open);
    made.add(0, trace(&[(3, 0x500), (-3, 0x508)], true).0);
    made.add(0, trace(&[(3, 0x500), (-3, 0x508)], true).0);
    // Something was recorded before it returned.
    let (call, results) = trace(&[(4, 0x500)], false);
    made.add(0, call);
    made.method(ENV, EventKind::MethodExit, 0x500);
    let leave = |subject, results| What::Leave { subject, results };
    made.add(0, leave(Subject::Call(5), results));
    made.add(
        0,
        leave(Subject::Event(EventKind::MonitorWait.raw()), Vec::new()),
    );
    made.add(0, trace(&[], true).0);
    // On another thread, which had no event, and never returns.
    let sleep = What::Call {
        slot: 10,
        arguments: vec![Value::Id(0x77), Value::Int(250)],
        results: None,
    };
    made.add(1, sleep);
    let exported = made.exported();
    assert_eq!(
        exported.counted,
        Counted {
            events: 4,
            calls: 5
        }
    );
    let calls = exported.columns(
        &schema::CALLS,
        &[
            "function",
            "thread",
            "event",
            "of_thread",
            "value",
            "frames",
            "stack",
            "ended",
            "monitor",
            "millis",
        ],
    );
    assert_eq!(
        calls,
        [
            "GetCallTrace 1 3 1 8 2 1 - - -",
            "GetCallTrace 1 3 1 8 2 1 - - -",
            "GetCallTrace 1 3 1 8 1 2 8000000 - -",
            "GetCallTrace 1 - 1 8 0 - - - -",
            "RawMonitorWait - - - - - - - 119 250",
        ]
    );
    let mut stacks = exported.columns(&schema::STACKS, &["stack", "depth", "method", "line"]);
    stacks.sort();
    assert_eq!(stacks, ["1 0 1 3", "1 1 2 -3", "2 0 1 4"]);
    let events = exported.columns(&schema::EVENTS, &["event", "requested"]);
    assert!(events.contains(&"MONITOR_WAIT 1".to_owned()), "{events:?}");
}

#[test]
fn traces_of_dumps_are_rows() {
    let frames = |method| {
        let frame = vec![Value::Int(9), Value::Id(method)];
        Value::List(vec![frame])
    };
    let trace = |env, method| vec![Value::Id(env), frames(method)];
    let mut made = Made::new();
    made.thread(ENV, "main").event(
        ENV,
        EventKind::MonitorDump,
        &[
            Value::Bytes(b"12345"),
            Value::List(vec![
                trace(ENV, 0x500),
                vec![Value::Id(0x2000), Value::List(Vec::new())],
            ]),
            Value::List(vec![vec![Value::Int(1)], vec![Value::Int(2)]]),
        ],
    );
    let exported = made.exported();
    let mut traces = exported.columns(&schema::TRACES, &["event", "thread", "status", "stack"]);
    traces.sort();
    assert_eq!(traces, ["2 1 1 1", "2 2 2 -"]);
    let events = exported.columns(&schema::EVENTS, &["event", "bytes"]);
    assert_eq!(events, ["THREAD_START -", "MONITOR_DUMP 5"]);
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
fn nothing_is_left_of_what_could_not_be_written() {
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
    assert!(error.to_string().contains("events.parquet: "), "{error}");
}

#[test]
fn docs_have_the_tables_as_they_are() {
    let docs = include_str!("../../../docs/tables.md");
    assert!(
        docs.ends_with(&markdown()),
        "docs/tables.md ends with:\n{}",
        markdown()
    );
    let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    assert!(names.iter().all(|name| docs.contains(&format!("`{name}`"))));
}
