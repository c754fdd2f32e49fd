//! METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT that wait: for the end of a bracket, or for the THREAD_START of a thread
//! that is being attached. GetCallTrace in their handlers gives the stack as it was when they happened.

use std::sync::Arc;

use event_translate::call_trace::LINE_UNKNOWN;
use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};

use crate::base::patience;
use crate::delivery::announce;
use crate::delivery::dispatch::{self, Sent};
use crate::events::methods::contents::fill;
use crate::model::current;
use crate::model::deferred::Deferred;
use crate::model::late_frames::{LateFrame, LateFrames};
use crate::model::methods::{self, Method};
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ThreadRef;
use crate::vm::{stack, this_vm};

/// Deeper stacks are cut off: few agents look further.
const DEPTH: usize = 64;

/// One that waits.
#[derive(Debug)]
pub(super) struct LateEvent {
    kind: EventKind,
    method: MethodId,
    /// Of METHOD_ENTRY2.
    receiver: Option<ObjectId>,
    /// Where the thread was, callee first.
    stack: Vec<(Arc<Method>, i64)>,
}

impl LateEvent {
    /// Keeps what happens now, on the calling thread, whose record is `own`.
    #[cold]
    pub(super) fn keep(
        own: &Thread,
        kind: EventKind,
        method: MethodId,
        receiver: Option<ObjectId>,
    ) {
        own.keep(Self {
            kind,
            method,
            receiver,
            stack: stack_now().unwrap_or_default(),
        });
    }

    /// The frames that the agent may see now; the event's method is on top, whatever the VM said.
    fn frames(&self) -> Vec<LateFrame> {
        let known = self.stack.iter().filter(|(method, _)| {
            let class = &method.class;
            let told = !dispatch::reaches_agent(EventKind::ClassLoad) || !class.is_due();
            told && !IDS.has(class.id, Flag::UNLOADED)
        });
        let mut frames: Vec<_> = known
            .map(|(method, location)| LateFrame {
                method: method.announced_as(),
                lineno: method.frame(*location).lineno,
            })
            .collect();
        if frames.first().is_none_or(|top| top.method != self.method) {
            let top = LateFrame {
                method: self.method,
                lineno: LINE_UNKNOWN,
            };
            frames.insert(0, top);
        }
        frames
    }
}

fn stack_now() -> Option<Vec<(Arc<Method>, i64)>> {
    let (jvmti, jni) = (this_vm::jvmti()?, Jni::of_this_thread()?);
    let taken = stack::take(jvmti, ThreadRef::CURRENT, DEPTH, |frames| {
        let named = frames
            .iter()
            .filter_map(|frame| Some((methods::of(jvmti, jni, frame.method)?, frame.location)));
        named.filter(|(method, _)| method.is_shown()).collect()
    });
    taken.ok()
}

/// While this lives the calling thread, which is about to be in the event's handler, shows its frames.
struct Showing<'a> {
    own: &'a Thread,
    before: LateFrames,
}

impl<'a> Showing<'a> {
    /// Inside the gate, `own` being the calling thread's record.
    fn begin(own: &'a Thread, frames: Vec<LateFrame>) -> Self {
        let late = LateFrames::at(own.native().depth.own(), frames);
        Self {
            own,
            before: exchange(own, late),
        }
    }
}

impl Drop for Showing<'_> {
    fn drop(&mut self) {
        exchange(self.own, std::mem::take(&mut self.before));
    }
}

fn exchange(own: &Thread, late: LateFrames) -> LateFrames {
    let exchanged = current::with_cell(
        own,
        |own| &own.native().late_frames,
        |shown| std::mem::replace(shown, late),
    );
    exchanged.unwrap_or_default()
}

impl Deferred<Thread> for LateEvent {
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
        if let Some(id) = self.receiver {
            announce::object_by_id(jvmti, jni, own, id);
        }
        if dispatch::reaches_agent(EventKind::ClassLoad) {
            for (method, _) in &self.stack {
                announce::class(
                    jvmti,
                    jni,
                    own,
                    &method.class,
                    patience::DEFINITION_UNDER_LOCKS,
                );
            }
        }
        let mut showing = None;
        let sent = dispatch::deliver_in_turn(own, self.kind.raw(), |event| {
            fill(event, self.kind, self.method, self.receiver);
            showing = Some(Showing::begin(own, self.frames()));
        });
        drop(showing);
        if sent == Sent::Later {
            own.keep(*self);
        }
    }
}
