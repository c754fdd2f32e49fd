//! What ids name at this moment of a recording: rows of `threads`, `classes` and `methods`.

use std::sync::mpsc::SyncSender;

use dump_format::Primitive;
use parquet::data_type::ByteArray;
use recording_format::Value;
use rustc_hash::FxHashMap;

use crate::batch::{Batch, Cell, utf8};
use crate::class_of::ClassOf;
use crate::rows::{Rows, Stopped};
use crate::schema::{CLASSES, METHODS, THREADS};

/// `is_array` of objects that are none, and of arrays of objects (`jvmpi.h`).
const NORMAL: i64 = 0;
const OF_OBJECTS: i64 = 2;

#[derive(Debug, Default)]
struct Thread {
    row: i64,
    name: Option<ByteArray>,
    group: Option<ByteArray>,
    parent: Option<ByteArray>,
    started: Option<i64>,
    ended: Option<i64>,
}

#[derive(Debug, Default)]
struct Class {
    row: u32,
    name: Option<ByteArray>,
    source: Option<ByteArray>,
    interfaces: Option<i64>,
    loaded: Option<i64>,
}

#[derive(Debug)]
pub(crate) struct Identities {
    threads: FxHashMap<u64, Thread>,
    /// The env that was asked for last, and its row: mostly it is the next one, too.
    last: (u64, i64),
    classes: FxHashMap<u64, Class>,
    /// By the id of the elements' class, and `is_array`.
    arrays: FxHashMap<(u64, i64), u32>,
    methods: FxHashMap<u64, i64>,
    pub(crate) class_of: ClassOf,
    thread_rows: Rows,
    class_rows: Rows,
    method_rows: Rows,
    next_thread: i64,
    next_class: u32,
    next_method: i64,
}

impl Identities {
    pub(crate) fn new(to: &SyncSender<Batch>) -> Self {
        Self {
            threads: FxHashMap::default(),
            last: (0, 0),
            classes: FxHashMap::default(),
            arrays: FxHashMap::default(),
            methods: FxHashMap::default(),
            class_of: ClassOf::default(),
            thread_rows: Rows::of(&THREADS, to),
            class_rows: Rows::of(&CLASSES, to),
            method_rows: Rows::of(&METHODS, to),
            next_thread: 1,
            next_class: 1,
            next_method: 1,
        }
    }

    /// Its row; `None` for no thread.
    #[inline]
    pub(crate) fn thread(&mut self, env: u64) -> Result<Option<i64>, Stopped> {
        if env == 0 {
            return Ok(None);
        }
        if self.last.0 != env {
            let row = match self.threads.get(&env) {
                Some(thread) => thread.row,
                None => self.new_thread(env, Thread::default())?,
            };
            self.last = (env, row);
        }
        Ok(Some(self.last.1))
    }

    fn new_thread(&mut self, env: u64, mut thread: Thread) -> Result<i64, Stopped> {
        thread.row = self.next_thread;
        self.next_thread += 1;
        let row = thread.row;
        if let Some(old) = self.threads.insert(env, thread) {
            self.tell_thread(env, old)?;
        }
        self.last = (env, row);
        Ok(row)
    }

    fn tell_thread(&mut self, env: u64, thread: Thread) -> Result<(), Stopped> {
        let text = |text| Cell::Text(text);
        self.thread_rows.push([
            thread.row.into(),
            text(thread.name),
            text(thread.group),
            text(thread.parent),
            env.into(),
            thread.started.into(),
            thread.ended.into(),
        ])
    }

    /// THREAD_START's values.
    pub(crate) fn start(&mut self, nanos: i64, values: &[Value<'_>]) -> Result<(), Stopped> {
        let env = id(values, 4);
        let told = Thread {
            name: text(values, 0),
            group: text(values, 1),
            parent: text(values, 2),
            started: Some(nanos),
            ..Thread::default()
        };
        match self.threads.get_mut(&env) {
            // It had events before, or the agent asks for what it was told.
            Some(thread) if thread.ended.is_none() => {
                let (row, started) = (thread.row, thread.started);
                *thread = Thread {
                    row,
                    started: started.or(told.started),
                    ..told
                };
                Ok(())
            }
            _ => self.new_thread(env, told).map(drop),
        }
    }

    /// THREAD_END.
    pub(crate) fn end(&mut self, nanos: i64, env: u64) {
        if let Some(thread) = self.threads.get_mut(&env) {
            thread.ended = Some(nanos);
        }
    }

    /// CLASS_LOAD's values.
    pub(crate) fn load(&mut self, nanos: i64, values: &[Value<'_>]) -> Result<(), Stopped> {
        let class_id = id(values, 6);
        let told = Class {
            row: 0,
            name: text(values, 0),
            source: text(values, 1),
            interfaces: values.get(2).and_then(Value::int),
            loaded: Some(nanos),
        };
        let row = self.class(class_id);
        let is_known = match self.classes.get_mut(&class_id) {
            Some(class) if class.loaded.is_none() => {
                *class = Class { row, ..told };
                false
            }
            // The agent asks for what it was told.
            _ => true,
        };
        for method in values.get(3).map(Value::rows).unwrap_or_default() {
            let method_id = id(method, 4);
            if is_known && self.methods.contains_key(&method_id) {
                continue;
            }
            let lines = |place| method.get(place).and_then(Value::int);
            let row_of_method = self.new_method(method_id);
            self.method_rows.push([
                row_of_method.into(),
                i64::from(row).into(),
                Cell::Text(text(method, 0)),
                Cell::Text(text(method, 1)),
                lines(2).into(),
                lines(3).into(),
                method_id.into(),
            ])?;
        }
        Ok(())
    }

    fn new_method(&mut self, method_id: u64) -> i64 {
        let row = self.next_method;
        self.next_method += 1;
        self.methods.insert(method_id, row);
        row
    }

    #[inline]
    pub(crate) fn method(&mut self, method_id: u64) -> Result<i64, Stopped> {
        match self.methods.get(&method_id) {
            Some(row) => Ok(*row),
            None => self.unknown_method(method_id),
        }
    }

    fn unknown_method(&mut self, method_id: u64) -> Result<i64, Stopped> {
        let row = self.new_method(method_id);
        let nothing = || Cell::NOTHING;
        self.method_rows.push([
            row.into(),
            nothing(),
            nothing(),
            nothing(),
            nothing(),
            nothing(),
            method_id.into(),
        ])?;
        Ok(row)
    }

    /// CLASS_UNLOAD.
    pub(crate) fn unload(&mut self, nanos: i64, class_id: u64) -> Result<(), Stopped> {
        self.arrays.retain(|(element, _), _| *element != class_id);
        match self.classes.remove(&class_id) {
            Some(class) => self.tell_class(class_id, class, Some(nanos)),
            None => Ok(()),
        }
    }

    fn tell_class(&mut self, id: u64, class: Class, end: Option<i64>) -> Result<(), Stopped> {
        self.class_rows.push([
            i64::from(class.row).into(),
            Cell::Text(class.name),
            Cell::Text(class.source),
            class.interfaces.into(),
            id.into(),
            class.loaded.into(),
            end.into(),
        ])
    }

    /// The row of a class.
    #[inline]
    pub(crate) fn class(&mut self, class_id: u64) -> u32 {
        if let Some(class) = self.classes.get(&class_id) {
            return class.row;
        }
        let row = self.next_row_of_class();
        let class = Class {
            row,
            ..Class::default()
        };
        self.classes.insert(class_id, class);
        row
    }

    fn next_row_of_class(&mut self) -> u32 {
        let row = self.next_class;
        self.next_class += 1;
        row
    }

    /// The row of the class of an object with these `class_id` and `is_array`.
    #[inline]
    pub(crate) fn class_of_new(&mut self, class_id: u64, is_array: i64) -> Result<u32, Stopped> {
        if is_array == NORMAL {
            return Ok(self.class(class_id));
        }
        match self.arrays.get(&(class_id, is_array)) {
            Some(row) => Ok(*row),
            None => self.new_array(class_id, is_array),
        }
    }

    fn new_array(&mut self, class_id: u64, is_array: i64) -> Result<u32, Stopped> {
        let elements = match is_array {
            OF_OBJECTS => {
                let class = self.classes.get(&class_id);
                class
                    .and_then(|class| class.name.as_ref())
                    .map(ByteArray::data)
            }
            other => u8::try_from(other)
                .ok()
                .and_then(Primitive::from_raw)
                .map(|it| it.name().as_bytes()),
        };
        let name = elements.map(|name| [name, b"[]"].concat());
        let row = self.next_row_of_class();
        self.arrays.insert((class_id, is_array), row);
        self.class_rows.push([
            i64::from(row).into(),
            Cell::maybe(name.as_deref()),
            Cell::NOTHING,
            Cell::NOTHING,
            Cell::NOTHING,
            Cell::NOTHING,
            Cell::NOTHING,
        ])?;
        Ok(row)
    }

    /// OBJECT_MOVE: it has another id from now on. Its class's row.
    pub(crate) fn renumber(&mut self, old: u64, new: u64) -> Option<u32> {
        if let Some(class) = self.classes.remove(&old) {
            self.classes.insert(new, class);
            let arrays: Vec<_> = self
                .arrays
                .keys()
                .copied()
                .filter(|it| it.0 == old)
                .collect();
            for key in arrays {
                if let Some(row) = self.arrays.remove(&key) {
                    self.arrays.insert((new, key.1), row);
                }
            }
        }
        let class = self.class_of.set(old, None);
        self.class_of.set(new, class);
        class
    }

    pub(crate) fn finish(mut self) -> Result<(), Stopped> {
        for (env, thread) in std::mem::take(&mut self.threads) {
            self.tell_thread(env, thread)?;
        }
        for (id, class) in std::mem::take(&mut self.classes) {
            self.tell_class(id, class, None)?;
        }
        self.thread_rows.flush()?;
        self.class_rows.flush()?;
        self.method_rows.flush()
    }
}

pub(crate) fn id(values: &[Value<'_>], place: usize) -> u64 {
    values.get(place).and_then(Value::id).unwrap_or(0)
}

fn text(values: &[Value<'_>], place: usize) -> Option<ByteArray> {
    values.get(place).and_then(Value::bytes).map(utf8)
}
