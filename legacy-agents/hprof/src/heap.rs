//! A heap dump as its writers need it: the records of the host's dump, with what
//! CLASS_LOAD said of classes and what we know of each object.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use dump_format::{Detail, HeapReader, Malformed, Record, Root, Shape, Type, read_object};
use jvmpi_headers::jvmpi::JVMPI_EVENT_OBJECT_DUMP;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::agent::Agent;
use crate::classes::Members;
use crate::ffi::event::ThreadTrace;
use crate::ffi::host;
use crate::profile::UNKNOWN;
use crate::{names, objects};

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

/// Nothing here asks the host: dumps are written under the lock of the output.
pub(crate) struct Heap<'a> {
    agent: &'a Agent,
    bytes: &'a [u8],
    pub(crate) threads: Vec<Thread>,
    serials: FxHashMap<usize, u32>,
    classes: FxHashMap<usize, Class>,
    layouts: FxHashMap<usize, Layout>,
    site_traces: Vec<u32>,
    /// Size and trace of what OBJECT_ALLOC had not told of.
    asked: FxHashMap<usize, (u32, u32)>,
    pub(crate) objects: u64,
    pub(crate) object_bytes: u64,
}

impl<'a> Heap<'a> {
    /// Looks the dump over, and asks the host for all that its writers will need.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn new(
        agent: &'a Agent,
        bytes: &'a [u8],
        traces: &[ThreadTrace],
    ) -> Result<Self, Malformed> {
        let threads = threads(agent, traces);
        let serials = threads.iter().map(|thread| (thread.env, thread.serial));
        let mut heap = Self {
            agent,
            bytes,
            serials: serials.collect(),
            threads,
            classes: FxHashMap::default(),
            layouts: FxHashMap::default(),
            site_traces: agent.sites.traces(),
            asked: FxHashMap::default(),
            objects: 0,
            object_bytes: 0,
        };
        let classes = RefCell::default();
        let class = |id| class(agent, &classes, id);
        let mut supers = FxHashMap::default();
        let mut instantiated = FxHashSet::default();
        for record in HeapReader::new(bytes, Detail::Values, |id| class(id).map(shape)) {
            let id = match record? {
                Record::Root(root) => {
                    heap.look_at_root(root, class);
                    continue;
                }
                Record::Class(dump) => {
                    class(dump.head.class);
                    supers.insert(dump.head.class, dump.head.superclass);
                    dump.head.class
                }
                Record::Instance(instance) => {
                    instantiated.insert(instance.class);
                    instance.object
                }
                Record::ObjectArray(array) => {
                    class(array.element_class);
                    array.array
                }
                Record::PrimitiveArray(array) => array.array,
            };
            heap.objects += 1;
            heap.object_bytes += u64::from(heap.look_at_object(id));
        }
        for id in instantiated {
            let layout = layout(id, class, &mut supers);
            heap.layouts.insert(id, layout);
        }
        heap.classes = classes.into_inner();
        Ok(heap)
    }

    fn look_at_root(&mut self, root: Root, class: impl Fn(usize) -> Option<Class>) {
        match root {
            Root::JniLocal { thread, .. }
            | Root::JavaFrame { thread, .. }
            | Root::NativeStack { thread, .. }
            | Root::ThreadBlock { thread, .. } => {
                let agent = self.agent;
                let serial = || names::named_serial(agent, thread);
                self.serials.entry(thread).or_insert_with(serial);
            }
            Root::StickyClass { class: id } => {
                class(id);
            }
            Root::Unknown { .. } | Root::JniGlobal { .. } | Root::MonitorUsed { .. } => {}
        }
    }

    /// Its size.
    fn look_at_object(&mut self, id: usize) -> u32 {
        if let Some(object) = objects::get(id) {
            return object.size;
        }
        let size = names::ask(id).map_or(0, |answer| answer.size);
        // Hosts announce no objects that are classes; but where they were loaded.
        let classes = self.agent.classes.lock();
        let class = classes.index_of(id).and_then(|index| classes.class(index));
        let trace = class.map_or(0, |class| class.trace);
        self.asked.insert(id, (size, trace));
        size
    }

    /// From the first.
    pub(crate) fn records(&self) -> impl Iterator<Item = Result<Record<'_>, Malformed>> {
        HeapReader::new(self.bytes, Detail::Values, |id| {
            self.class(id).cloned().map(shape)
        })
    }

    /// What CLASS_LOAD said.
    pub(crate) fn class(&self, id: usize) -> Option<&Class> {
        self.classes.get(&id)
    }

    pub(crate) fn class_name(&self, id: usize) -> &str {
        self.class(id).map_or(UNKNOWN, |class| &class.name)
    }

    /// The fields of a class's instances in the dump.
    pub(crate) fn layout(&self, class: usize) -> &Layout {
        static UNKNOWN: Layout = Layout {
            types: Vec::new(),
            names: Vec::new(),
        };
        self.layouts.get(&class).unwrap_or(&UNKNOWN)
    }

    /// What OBJECT_ALLOC said of an object. The trace may be 0: unknown.
    pub(crate) fn size_and_trace(&self, id: usize) -> (u32, u32) {
        if let Some(&asked) = self.asked.get(&id) {
            return asked;
        }
        objects::get(id).map_or((0, 0), |object| {
            let trace = self.site_traces.get(object.site as usize);
            (object.size, trace.copied().unwrap_or(0))
        })
    }

    /// Where a global reference was made; 0 if that is unknown.
    pub(crate) fn reference_trace(&self, reference: usize) -> u32 {
        self.agent.global_refs.trace(reference)
    }

    /// The serial of a thread, 0 if it is unknown.
    pub(crate) fn thread(&self, env: usize) -> u32 {
        self.serials.get(&env).copied().unwrap_or(0)
    }
}

/// What CLASS_LOAD said; asks for it if need be.
fn class(agent: &Agent, known: &RefCell<FxHashMap<usize, Class>>, id: usize) -> Option<Class> {
    if let Some(known) = known.borrow().get(&id) {
        return Some(known.clone());
    }
    let index = names::class_index(agent, id);
    let classes = agent.classes.lock();
    let class = classes.class(index).filter(|_| index != 0)?;
    let class = Class {
        name: Rc::from(&*class.name),
        members: class.members?,
    };
    known.borrow_mut().insert(id, class.clone());
    Some(class)
}

fn shape(class: Class) -> Shape<'static> {
    Shape {
        interfaces: class.members.interfaces,
        statics: class.members.statics,
    }
}

/// A class's fields. A superclass that the dump does not describe is asked for itself.
fn layout(
    id: usize,
    class: impl Fn(usize) -> Option<Class>,
    supers: &mut FxHashMap<usize, usize>,
) -> Layout {
    let mut layout = Layout::default();
    let mut next = id;
    // No chain of superclasses is that long: a dump with a ring ends here.
    for _ in 0..1000 {
        let Some(class) = (next != 0).then(|| class(next)).flatten() else {
            break;
        };
        layout.types.extend_from_slice(class.members.fields);
        let names = class.members.field_names.iter();
        layout.names.extend(names.map(|name| &**name));
        next = *supers
            .entry(next)
            .or_insert_with_key(|&id| ask_superclass(id));
    }
    layout
}

fn threads(agent: &Agent, traces: &[ThreadTrace]) -> Vec<Thread> {
    let threads = traces.iter().map(|trace| {
        let serial = names::named_serial(agent, trace.env);
        Thread {
            env: trace.env,
            serial,
            object: agent
                .threads
                .lock()
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
        .map(|&(method, line)| (names::method_index(agent, method), names::line(agent, line)))
        .collect();
    let thread = if agent.options.thread { thread } else { 0 };
    agent.traces.lock().intern(thread, &frames)
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
        let index = names::class_index(agent, id);
        let members = agent.classes.lock().class(index)?.members?;
        Some(Shape {
            interfaces: members.interfaces,
            statics: members.statics,
        })
    };
    if let Ok(Record::Class(class)) = read_object(bytes, shape) {
        ANSWER.set((class.head.class, class.head.superclass));
    }
}
