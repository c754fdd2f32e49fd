//! The stacks in which roots lie, so that frame numbers fit them.
//!
//! A stack cannot be taken in the walk itself. It is taken before, and believed if
//! every frame that the walk found on it is there; else the thread has moved, and
//! its trace consists of the frames that the walk found.

use std::collections::{BTreeMap, HashMap};
use std::ptr;
use std::sync::Arc;
use std::time::Instant;

use dump_format::NO_FRAME;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_CallFrame, JVMPI_CallTrace};

use crate::events::call_traces::call_trace;
use crate::events::dumps::object::Asking;
use crate::events::dumps::survey::Survey;
use crate::events::threads::in_dumps;
use crate::model::thread::Thread;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::jni::Jni;
use crate::vm::stack;

/// Deeper stacks show what the walk found of them.
const DEPTH: usize = 4096;

/// A root whose frame number is known when the traces are.
pub(super) struct Framed {
    /// Of the frame number in the roots' records.
    pub(super) offset: usize,
    pub(super) thread: ObjectId,
    pub(super) depth: usize,
    pub(super) frame: Frame,
}

/// The stacks of all threads, callee first. Threads that the agent does not know leave the
/// survey: what they hold has a root that names none.
pub(super) fn take(asking: Asking<'_>, survey: &mut Survey) -> HashMap<ObjectId, Vec<Frame>> {
    let Asking {
        jvmti, jni, own, ..
    } = asking;
    let start = Instant::now();
    let mut stacks = HashMap::new();
    survey.threads.retain(|&id, thread| {
        let taken = thread
            .object()
            .map(|object| stack::take(jvmti, object.get().into(), DEPTH, <[Frame]>::to_vec));
        let known = in_dumps::is_known(jvmti, jni, own, thread, start);
        if known && let Some(Ok(frames)) = taken {
            stacks.insert(id, frames);
        }
        known
    });
    stacks
}

/// The traces of the event.
#[derive(Default)]
pub(super) struct Traces {
    frames: Vec<(Arc<Thread>, Vec<JVMPI_CallFrame>)>,
    traces: Vec<JVMPI_CallTrace>,
}

impl Traces {
    /// Makes traces of stacks, and writes each root's frame number into `roots`.
    pub(super) fn new(
        jvmti: Jvmti,
        jni: Jni,
        survey: &Survey,
        mut stacks: HashMap<ObjectId, Vec<Frame>>,
        framed: &[Framed],
        roots: &mut [u8],
    ) -> Self {
        let mut by_thread: HashMap<ObjectId, Vec<&Framed>> = HashMap::new();
        for root in framed {
            by_thread.entry(root.thread).or_default().push(root);
        }
        let mut all = Self::default();
        for (id, thread) in &survey.threads {
            let found = by_thread.remove(id).unwrap_or_default();
            let stack = stacks.remove(id).unwrap_or_default();
            let stack = Stack::of(stack, &found);
            if stack.frames.is_empty() {
                continue;
            }
            let (frames, numbers) = call_trace::name_frames(jvmti, jni, &stack.frames);
            for root in found {
                let at = stack
                    .index_of(root.depth)
                    .and_then(|at| numbers.get(at).copied());
                let number = at.flatten().and_then(|at| i32::try_from(at).ok());
                let number = number.unwrap_or(NO_FRAME).to_be_bytes();
                let place = roots.get_mut(root.offset..root.offset + number.len());
                if let Some(place) = place {
                    place.copy_from_slice(&number);
                }
            }
            all.frames.push((Arc::clone(thread), frames));
        }
        let describe = |(thread, frames): &(Arc<Thread>, Vec<JVMPI_CallFrame>)| JVMPI_CallTrace {
            env_id: thread.env_ptr(),
            num_frames: i32::try_from(frames.len()).unwrap_or(0),
            frames: frames.as_ptr().cast_mut(),
        };
        all.traces = all.frames.iter().map(describe).collect();
        all
    }

    pub(super) fn len(&self) -> i32 {
        i32::try_from(self.traces.len()).unwrap_or(0)
    }

    pub(super) fn pointer(&self) -> *mut JVMPI_CallTrace {
        if self.traces.is_empty() {
            return ptr::null_mut();
        }
        self.traces.as_ptr().cast_mut()
    }
}

/// A stack as it was in the walk.
struct Stack {
    frames: Vec<Frame>,
    /// The depth of each frame; `None`: they are numbered through.
    depths: Option<Vec<usize>>,
}

impl Stack {
    fn of(mut taken: Vec<Frame>, found: &[&Framed]) -> Self {
        let fits = found.iter().all(|root| {
            let there = taken.get(root.depth);
            there.is_some_and(|frame| frame.method == root.frame.method)
        });
        if fits {
            for root in found {
                // Where the thread was in the walk; a native method is nowhere.
                if let Some(frame) = taken.get_mut(root.depth)
                    && root.frame.location >= 0
                {
                    frame.location = root.frame.location;
                }
            }
            return Self {
                frames: taken,
                depths: None,
            };
        }
        let frames: BTreeMap<usize, Frame> =
            found.iter().map(|root| (root.depth, root.frame)).collect();
        Self {
            depths: Some(frames.keys().copied().collect()),
            frames: frames.into_values().collect(),
        }
    }

    fn index_of(&self, depth: usize) -> Option<usize> {
        match &self.depths {
            None => Some(depth),
            Some(depths) => depths.binary_search(&depth).ok(),
        }
    }
}
