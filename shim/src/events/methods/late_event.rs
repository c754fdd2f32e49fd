//! METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT that come late. Some wait, for the end of a bracket, or for the THREAD_START
//! of a thread that is being attached: GetCallTrace in their handlers gives the stack as it was when they happened. Some
//! METHOD_EXIT nobody saw happen, and they come when that is noticed: there the method is shown above what has called it.

use std::sync::Arc;
use std::time::Instant;

use event_translate::call_trace::LINE_UNKNOWN;
use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};

use crate::base::patience;
use crate::delivery::announce;
use crate::delivery::dispatch::{self, Sent};
use crate::events::methods::contents::fill;
use crate::model::classes::methods::{self, METHODS, Method};
use crate::model::ids::kept_ids::KeptId;
use crate::model::own::late_frames::{LateFrame, LateFrames};
use crate::model::tables::IDS;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::{Thread, current};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ThreadRef;
use crate::vm::{stack, this_vm};

/// Deeper stacks are cut off: few agents look further.
const DEPTH: usize = 64;

/// With so many kept already another one comes without its stack, which the handler sees as the method alone. A thread
/// that runs Java code with a raw monitor held, or in a handler, beside a long bracket may keep a million: with their
/// stacks, of up to 1 KB each, they would take a gigabyte, and each the time for a look.
const WITH_STACKS: usize = 256;

/// Frames with their methods and locations, callee first.
type Stack = Vec<(Arc<Method>, i64)>;

/// One that waits.
#[derive(Debug)]
pub(super) struct LateEvent {
    kind: EventKind,
    method: MethodId,
    /// Its class, if that is known.
    _class: Option<KeptId>,
    /// Of METHOD_ENTRY2.
    receiver: Option<KeptId>,
    /// Where the thread was, callee first.
    stack: Stack,
}

impl LateEvent {
    fn new(kind: EventKind, method: MethodId, receiver: Option<ObjectId>, stack: Stack) -> Self {
        let class = METHODS.get(method.key()).map(|known| known.class.id);
        Self {
            kind,
            method,
            _class: class.map(KeptId::new),
            receiver: receiver.map(KeptId::new),
            stack,
        }
    }

    /// Keeps what happens now, on the calling thread, whose record is `own`.
    #[cold]
    pub(super) fn keep(
        own: &Thread,
        kind: EventKind,
        method: MethodId,
        receiver: Option<ObjectId>,
    ) {
        Self::keep_with(own, kind, method, receiver, stack_now);
    }

    /// The same with the stack that `now` takes.
    fn keep_with(
        own: &Thread,
        kind: EventKind,
        method: MethodId,
        receiver: Option<ObjectId>,
        now: impl FnOnce() -> Option<Stack>,
    ) {
        let has_stack = own.count_kept() < WITH_STACKS;
        let stack = has_stack.then(now).flatten();
        own.keep(Self::new(kind, method, receiver, stack.unwrap_or_default()));
    }

    /// Sends the METHOD_EXIT of methods that have ended unseen, the last one first. Of the stack as it is now the upper
    /// `younger` frames have begun later; `None`: all have ended.
    #[cold]
    pub(super) fn send_unseen_ends(
        own: &Thread,
        younger: Option<usize>,
        ended: impl Iterator<Item = MethodId>,
    ) {
        let mut stack = younger.and_then(|_| stack_now()).unwrap_or_default();
        stack.drain(..younger.unwrap_or(0).min(stack.len()));
        for method in ended {
            let end = Self::new(EventKind::MethodExit, method, None, stack.clone());
            if end.deliver(own) == Sent::Later {
                own.keep(end);
            }
        }
    }

    fn deliver(&self, own: &Thread) -> Sent {
        let mut showing = None;
        let sent = dispatch::deliver_in_turn(own, self.kind.raw(), |event| {
            let receiver = self.receiver.as_ref().map(KeptId::id);
            fill(event, self.kind, self.method, receiver);
            showing = Some(Showing::begin(own, self.frames()));
        });
        drop(showing);
        sent
    }

    /// The frames that the agent may see now; the event's method is on top, whatever the VM said.
    fn frames(&self) -> Vec<LateFrame> {
        let known = self.stack.iter().filter(|(method, _)| {
            let class = &method.class;
            class.may_be_named() && !IDS.has(class.id, Flag::UNLOADED)
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

fn stack_now() -> Option<Stack> {
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
        if let Some(id) = self.receiver.as_ref().map(KeptId::id) {
            announce::object_by_id(jvmti, jni, own, id);
        }
        if dispatch::reaches_agent(EventKind::ClassLoad) {
            // All of them are one wait for the event: of a class that takes longer no frame is shown.
            let start = Instant::now();
            for (method, _) in &self.stack {
                let rest = patience::DEFINITION_UNDER_LOCKS.less(start.elapsed());
                announce::class(jvmti, jni, own, &method.class, rest);
            }
        }
        if self.deliver(own) == Sent::Later {
            own.keep(*self);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_are_kept_have_their_stacks() {
        let own = Thread::new(16);
        let mut looks = 0;
        for _ in 0..WITH_STACKS + 10 {
            let method = MethodId::from_number(0x1000);
            LateEvent::keep_with(&own, EventKind::MethodEntry, method, None, || {
                looks += 1;
                None
            });
        }
        assert_eq!((looks, own.count_kept()), (WITH_STACKS, WITH_STACKS + 10));
    }

    #[test]
    fn without_a_stack_the_method_is_shown() {
        let method = MethodId::from_number(0x1000);
        let late = LateEvent::new(EventKind::MethodExit, method, None, Stack::new());
        let lineno = LINE_UNKNOWN;
        assert_eq!(late.frames(), [LateFrame { method, lineno }]);
    }
}
