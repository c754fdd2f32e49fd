//! What has to be told before an event can name something, in the order in which it is told.
//!
//! A definition may need others: an object its class, another thread its object, and all of them
//! the thread that sends them. They are collected first, each once, and then sent in one loop;
//! what cannot be sent now is kept, with all that comes behind it.

use std::sync::Arc;

use event_translate::table::EventKind;
use id_map::{Flag, Kind, ObjectId, Shape};

use crate::base::patience::{self, Patience};
use crate::delivery::announce::class_load::link_archived;
use crate::delivery::announce::object_alloc::{self, describe};
use crate::delivery::announce::once::Told;
use crate::delivery::announce::{class_load, thread_start};
use crate::delivery::{deferred, dispatch, gate};
use crate::model::classes::{self, CLASSES, Class};
use crate::model::tables::IDS;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::object::HeldObject;
use crate::model::thread::{Thread, attention, current};
use crate::model::{ids, threads};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// An event that makes something known to the agent.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// THREAD_START.
    Thread(Arc<Thread>),
    /// CLASS_LOAD.
    Class(Arc<Class>),
    /// OBJECT_ALLOC; while it waits the id has [`Flag::KEPT`], so that it does not die before.
    Object(ObjectId),
}

impl Deferred<Thread> for Definition {
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
        let mut plan = Plan::new(jvmti, jni, own);
        match *self {
            Self::Thread(thread) => plan.thread(&thread),
            Self::Class(class) => {
                plan.class(&class);
            }
            Self::Object(id) => plan.steps.push(Step::Define(Self::Object(id))),
        }
        plan.send(patience::DEFINITION_UNDER_LOCKS);
    }

    fn class(&self) -> Option<ObjectId> {
        match self {
            Self::Class(class) => Some(class.id),
            Self::Thread(_) | Self::Object(_) => None,
        }
    }
}

enum Step {
    Define(Definition),
    /// The agent knows the sender: what that has kept comes before anything else.
    SenderIsKnown,
}

/// The definitions that are due.
pub(crate) struct Plan<'a> {
    jvmti: Jvmti,
    jni: Jni,
    sender: &'a Arc<Thread>,
    steps: Vec<Step>,
    /// Instances of these may be mentioned afterwards.
    ready: Vec<Arc<Class>>,
}

impl<'a> Plan<'a> {
    /// Nothing is due. All will be sent by `sender`, which is the calling thread.
    pub(crate) fn new(jvmti: Jvmti, jni: Jni, sender: &'a Arc<Thread>) -> Self {
        Self {
            jvmti,
            jni,
            sender,
            steps: Vec::new(),
            ready: Vec::new(),
        }
    }

    fn has(&self, which: impl Fn(&Definition) -> bool) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| matches!(step, Step::Define(definition) if which(definition)))
    }

    /// Its own THREAD_START is among them.
    fn has_sender(&self) -> bool {
        let env = self.sender.env;
        self.has(|definition| matches!(definition, Definition::Thread(thread) if thread.env == env))
    }

    /// The sender is a native thread that is being attached: what it is to tell of comes behind its THREAD_START, which is
    /// not due yet. (In a handler all the same: the agent asks.)
    fn is_early(&self) -> bool {
        let object = self.sender.object();
        let object = object.as_ref().map(HeldObject::get);
        self.has_sender()
            && !gate::is_within(self.sender)
            && threads::is_attaching(self.jvmti, self.sender, object)
    }

    /// Keeps what comes behind the sender's own, which is made anew when it has started.
    fn keep(self) {
        let is_known = |step: &Step| matches!(step, Step::SenderIsKnown);
        let own = self.steps.iter().position(is_known).unwrap_or(0);
        for step in self.steps.into_iter().skip(own) {
            if let Step::Define(definition) = step {
                definition.keep(self.sender);
            }
        }
    }

    /// The sender itself (JVMPI facts R15), then its own object, of which not every VM tells.
    pub(crate) fn sender(&mut self) {
        let sender = self.sender;
        if self
            .steps
            .iter()
            .any(|step| matches!(step, Step::SenderIsKnown))
        {
            return;
        }
        if self.has_sender() {
            return;
        }
        if !sender.announced.is_done_for(current::key())
            && dispatch::reaches_agent(EventKind::ThreadStart)
        {
            threads::name_own(self.jvmti, self.jni, sender);
            self.steps
                .push(Step::Define(Definition::Thread(Arc::clone(sender))));
            self.object_of(sender);
        }
        self.steps.push(Step::SenderIsKnown);
    }

    /// A thread; the object of another one than the sender comes first, as anything that is named.
    pub(crate) fn thread(&mut self, thread: &Arc<Thread>) {
        if thread.env == self.sender.env {
            self.sender();
        } else if !thread.announced.is_done()
            && dispatch::reaches_agent(EventKind::ThreadStart)
            // Who comes behind the last events is none of the agent's threads.
            && !gate::answers()
        {
            self.object_of(thread);
            self.steps
                .push(Step::Define(Definition::Thread(Arc::clone(thread))));
        }
    }

    fn object_of(&mut self, thread: &Thread) {
        if dispatch::reaches_agent(EventKind::ObjectAlloc)
            && let Some(object) = thread.object()
        {
            self.object(object.get());
        }
    }

    /// A class; false if it has no members yet: it is loaded and not linked, and is not linked
    /// for that, since the program's loaders would run in the middle of whatever this thread does.
    /// It gets its event when it is prepared.
    pub(crate) fn class(&mut self, class: &Arc<Class>) -> bool {
        if !class.owes_its_load() {
            return true;
        }
        if !classes::has_members(self.jvmti, self.jni, class) {
            return false;
        }
        if !self.has(|definition| definition.class() == Some(class.id)) {
            self.sender();
            self.steps
                .push(Step::Define(Definition::Class(Arc::clone(class))));
        }
        true
    }

    /// What instances of the class name in their OBJECT_ALLOC. Arrays of a class that is not
    /// linked are mentioned without it ([`Flag::PREPARED`]).
    pub(crate) fn instances_of(&mut self, class: &Arc<Class>) {
        let Some(shape) = IDS.get(class.id).and_then(|entry| entry.shape) else {
            return;
        };
        if shape.class == Some(class.id) {
            link_archived(self.jvmti, self.jni, class);
        }
        self.class_of(shape);
        // Instances of java.lang.Class are no objects of their own for an agent.
        if !classes::is_class_of_classes(class.id) {
            self.ready.push(Arc::clone(class));
        }
    }

    /// The class that an OBJECT_ALLOC of this shape names.
    pub(crate) fn class_of(&mut self, shape: Shape) {
        if let Some(class) = shape.class.and_then(|class| CLASSES.get(class.raw())) {
            self.class(&class);
        }
    }

    /// An object, by a reference to it: its id.
    pub(crate) fn object(&mut self, object: ObjectRef<'_>) -> Option<ObjectId> {
        let (jvmti, jni) = (self.jvmti, self.jni);
        let class = classes::of(jvmti, jni, jni.class_of(object)?.get())?;
        if classes::is_class_of_classes(class.id) {
            let class = classes::of(jvmti, jni, object)?;
            self.class(&class);
            IDS.set(class.id, Flag::KNOWN);
            return Some(class.id);
        }
        let id = ids::id_of(jvmti, jni, object, Kind::Object)?;
        let entry = IDS.get(id)?;
        if entry.shape.is_none() {
            describe(jvmti, object, id, entry.kind, class.id);
        }
        if !entry.has(Flag::ALLOCATED) && dispatch::reaches_agent(EventKind::ObjectAlloc) {
            self.instances_of(&class);
            self.steps.push(Step::Define(Definition::Object(id)));
        }
        IDS.set(id, Flag::KNOWN);
        Some(id)
    }

    /// Sends all, in order; false if the agent does not know the last one now (and wants to),
    /// because another thread is telling of it and has not come to an end in time.
    pub(crate) fn send(self, patience: Patience) -> bool {
        if self.is_early() {
            self.keep();
            return false;
        }
        let mut told = true;
        let mut steps = self.steps.into_iter();
        for step in steps.by_ref() {
            let Step::Define(definition) = step else {
                if told {
                    is_met(self.sender);
                } else {
                    self.sender.clear_attention(attention::UNMET);
                }
                deferred::flush(self.jvmti, self.jni, self.sender);
                continue;
            };
            let sent = definition.tell(self.jvmti, self.jni, self.sender, patience);
            told = sent != Told::No;
            if sent == Told::Later {
                definition.keep(self.sender);
                break;
            }
        }
        for step in steps {
            match step {
                Step::Define(definition) => definition.keep(self.sender),
                Step::SenderIsKnown => self.sender.clear_attention(attention::UNMET),
            }
        }
        for class in self.ready {
            let shape = IDS.get(class.id).and_then(|entry| entry.shape);
            let element = shape.and_then(|shape| CLASSES.get(shape.class?.raw()));
            if !IDS.has(class.id, Flag::READY)
                && element.is_none_or(|class| class.is_known(self.jvmti, self.jni))
            {
                let thread = self.sender.object();
                let thread = thread.as_ref().map(HeldObject::get);
                if classes::is_of_threads(self.jvmti, self.jni, thread, &class) {
                    IDS.set(class.id, Flag::SOUGHT);
                }
                IDS.set(class.id, Flag::READY);
            }
        }
        told
    }
}

/// The thread need not be introduced any more: it was, or nobody listens to that.
pub(crate) fn is_met(own: &Thread) {
    own.clear_attention(attention::UNMET);
    // Who begins to listen now has set the bit behind this, or is seen here.
    if !own.announced.is_done() && dispatch::reaches_agent(EventKind::ThreadStart) {
        own.set_attention(attention::UNMET);
    }
}

impl Definition {
    fn tell(&self, jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, patience: Patience) -> Told {
        match self {
            Self::Thread(thread) => thread_start::send(jvmti, jni, sender, thread, patience),
            Self::Class(class) => class_load::send(jvmti, jni, sender, class, patience),
            Self::Object(id) => object_alloc::send(sender, *id),
        }
    }

    /// Has it wait for its thread, which is the calling one.
    pub(crate) fn keep(self, sender: &Thread) {
        if let Self::Object(id) = self {
            IDS.set(id, Flag::KEPT);
        }
        sender.keep(self);
    }
}
