//! A heap dump as its writers need it: the records of the host's dump, with what
//! CLASS_LOAD said of classes and what we know of each object.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use event_translate::dumps::{Detail, HeapReader, Malformed, Record, Shape, Type, read_object};
use jvmpi_headers::jvmpi::JVMPI_EVENT_OBJECT_DUMP;
use rustc_hash::FxHashMap;

use crate::agent::{self, Agent, lock};
use crate::classes::Members;
use crate::ffi::event::ThreadTrace;
use crate::ffi::host;
use crate::profile::UNKNOWN;
use crate::{objects, sites};

/// A class of the dump.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: Rc<str>,
    pub(crate) members: Members,
}

/// The fields of an instance: its class's, its superclass's and so on.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) types: Vec<Type>,
    pub(crate) names: Vec<&'static str>,
}

/// A stack of the dump.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    pub(crate) env: usize,
    pub(crate) serial: u32,
    pub(crate) object: usize,
    pub(crate) trace: u32,
}

pub(crate) struct Heap<'a> {
    agent: &'a Agent,
    bytes: &'a [u8],
    pub(crate) threads: Vec<Thread>,
    supers: RefCell<FxHashMap<usize, usize>>,
    classes: RefCell<FxHashMap<usize, Class>>,
    layouts: RefCell<FxHashMap<usize, Rc<Layout>>>,
    site_traces: Vec<u32>,
    pub(crate) objects: u64,
    pub(crate) object_bytes: u64,
}

impl<'a> Heap<'a> {
    /// Looks the dump over.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn new(
        agent: &'a Agent,
        bytes: &'a [u8],
        traces: &[ThreadTrace],
    ) -> Result<Self, Malformed> {
        let mut heap = Self {
            agent,
            bytes,
            threads: threads(agent, traces),
            supers: RefCell::default(),
            classes: RefCell::default(),
            layouts: RefCell::default(),
            site_traces: agent.sites.traces(),
            objects: 0,
            object_bytes: 0,
        };
        let mut supers = FxHashMap::default();
        let (mut objects, mut object_bytes) = (0, 0);
        for record in heap.records() {
            let id = match record? {
                Record::Root(_) => continue,
                Record::Class(class) => {
                    supers.insert(class.head.class, class.head.superclass);
                    class.head.class
                }
                Record::Instance(instance) => instance.object,
                Record::ObjectArray(array) => array.array,
                Record::PrimitiveArray(array) => array.array,
            };
            objects += 1;
            object_bytes += u64::from(heap.size_and_trace(id).0);
        }
        heap.objects = objects;
        heap.object_bytes = object_bytes;
        heap.supers = RefCell::new(supers);
        Ok(heap)
    }

    /// From the first.
    pub(crate) fn records(&self) -> impl Iterator<Item = Result<Record<'_>, Malformed>> {
        HeapReader::new(self.bytes, Detail::Values, |class| {
            let members = self.class(class)?.members;
            Some(Shape {
                interfaces: members.interfaces,
                statics: members.statics,
            })
        })
    }

    /// What CLASS_LOAD said; asks for it if need be.
    pub(crate) fn class(&self, id: usize) -> Option<Class> {
        if let Some(known) = self.classes.borrow().get(&id) {
            return Some(known.clone());
        }
        let index = agent::class_index(self.agent, id);
        let classes = lock(&self.agent.classes);
        let class = classes.class(index).filter(|_| index != 0)?;
        let class = Class {
            name: Rc::from(&*class.name),
            members: class.members?,
        };
        self.classes.borrow_mut().insert(id, class.clone());
        Some(class)
    }

    pub(crate) fn class_name(&self, id: usize) -> Rc<str> {
        self.class(id)
            .map_or_else(|| UNKNOWN.into(), |class| class.name)
    }

    /// The superclass; a class that the dump does not describe is asked for itself.
    fn superclass(&self, class: usize) -> usize {
        if let Some(&known) = self.supers.borrow().get(&class) {
            return known;
        }
        let found = ask_superclass(class);
        self.supers.borrow_mut().insert(class, found);
        found
    }

    /// The fields of instances of this class.
    pub(crate) fn layout(&self, class: usize) -> Rc<Layout> {
        if let Some(known) = self.layouts.borrow().get(&class) {
            return Rc::clone(known);
        }
        let mut layout = Layout::default();
        let mut next = class;
        // No chain of superclasses is that long: a dump with a ring ends here.
        for _ in 0..1000 {
            let Some(class) = (next != 0).then(|| self.class(next)).flatten() else {
                break;
            };
            layout.types.extend_from_slice(class.members.fields);
            layout
                .names
                .extend(class.members.field_names.iter().map(|name| &**name));
            next = self.superclass(next);
        }
        let layout = Rc::new(layout);
        self.layouts.borrow_mut().insert(class, Rc::clone(&layout));
        layout
    }

    /// What OBJECT_ALLOC said of an object; asks for it if it did not come. The trace
    /// may be 0: unknown.
    pub(crate) fn size_and_trace(&self, id: usize) -> (u32, u32) {
        match objects::get(id) {
            Some(object) => {
                let trace = self.site_traces.get(object.site as usize);
                (object.size, trace.copied().unwrap_or(0))
            }
            None => {
                let size = sites::ask(id).map_or(0, |answer| answer.size);
                // Hosts announce no objects that are classes; but where they were loaded.
                let classes = lock(&self.agent.classes);
                let class = classes.index_of(id).and_then(|index| classes.class(index));
                (size, class.map_or(0, |class| class.trace))
            }
        }
    }

    /// Where a global reference was made; 0 if that is unknown.
    pub(crate) fn reference_trace(&self, reference: usize) -> u32 {
        self.agent.global_refs.trace(reference)
    }

    /// The serial of a thread, 0 if it is unknown.
    pub(crate) fn thread(&self, env: usize) -> u32 {
        let known = self.threads.iter().find(|thread| thread.env == env);
        known.map_or_else(
            || agent::thread_serial(self.agent, env),
            |thread| thread.serial,
        )
    }
}

fn threads(agent: &Agent, traces: &[ThreadTrace]) -> Vec<Thread> {
    let threads = traces.iter().map(|trace| {
        let serial = agent::thread_serial(agent, trace.env);
        Thread {
            env: trace.env,
            serial,
            object: lock(&agent.threads)
                .get(serial)
                .map_or(0, |thread| thread.object),
            trace: intern(agent, serial, trace),
        }
    });
    threads.collect()
}

/// The serial of a dumped stack, cut at our depth.
pub(crate) fn intern(agent: &Agent, thread: u32, trace: &ThreadTrace) -> u32 {
    let frames = trace.frames.iter().take(agent.depth());
    let frames: Vec<_> = frames
        .map(|&(method, line)| (agent::method_index(agent, method), agent::line(agent, line)))
        .collect();
    let thread = if agent.options.thread { thread } else { 0 };
    lock(&agent.traces).intern(thread, &frames)
}

thread_local! {
    /// What the last OBJECT_DUMP of a class said: the class and its superclass.
    static ANSWER: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn ask_superclass(class: usize) -> usize {
    ANSWER.set((0, 0));
    host::request(JVMPI_EVENT_OBJECT_DUMP, class);
    let (asked, superclass) = ANSWER.take();
    if asked == class { superclass } else { 0 }
}

/// OBJECT_DUMP.
pub(crate) fn object(agent: &Agent, bytes: &[u8]) {
    let shape = |id| {
        let index = agent::class_index(agent, id);
        let members = lock(&agent.classes).class(index)?.members?;
        Some(Shape {
            interfaces: members.interfaces,
            statics: members.statics,
        })
    };
    if let Ok(Record::Class(class)) = read_object(bytes, shape) {
        ANSWER.set((class.head.class, class.head.superclass));
    }
}
