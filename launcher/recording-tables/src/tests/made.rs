//! Recordings that are made here.

use event_translate::EventKind;
use recording_format::{Header, Item, Recording, Value, What, Writer};

use super::exported::Exported;

/// A recording, a record each millisecond.
pub(super) struct Made {
    pub(super) writer: Writer,
    pub(super) nanos: u64,
}

impl Made {
    pub(super) fn new() -> Self {
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

    pub(super) fn add(&mut self, thread: u32, what: What<'_>) -> &mut Self {
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
    pub(super) fn event(&mut self, env: u64, kind: EventKind, values: &[Value<'_>]) -> &mut Self {
        let what = What::Event {
            number: kind.raw(),
            requested: false,
            env,
            values: values.to_vec(),
            results: Some(Vec::new()),
        };
        self.add(0, what)
    }

    pub(super) fn class(&mut self, id: u64, name: &str, methods: &[(&str, u64)]) -> &mut Self {
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

    pub(super) fn thread(&mut self, env: u64, name: &str) -> &mut Self {
        let values = [
            Value::Text(Some(name.as_bytes())),
            Value::Text(Some(b"main")),
            Value::Text(None),
            Value::Id(0x88),
            Value::Id(env),
        ];
        self.event(env, EventKind::ThreadStart, &values)
    }

    pub(super) fn born(&mut self, id: u64, class: u64, is_array: i64) -> &mut Self {
        let values = [
            Value::Int(1),
            Value::Id(class),
            Value::Int(is_array),
            Value::Int(24),
            Value::Id(id),
        ];
        self.event(ENV, EventKind::ObjectAlloc, &values)
    }

    pub(super) fn method(&mut self, env: u64, kind: EventKind, method: u64) -> &mut Self {
        self.event(env, kind, &[Value::Id(method)])
    }

    pub(super) fn exported(self) -> Exported {
        let bytes = self.writer.finish();
        let recording = Recording::read(&bytes).unwrap();
        Exported::of(&recording)
    }
}

pub(super) const ENV: u64 = 0x1000;
