//! AsyncGetCallTrace: where it is, what its frames mean, and the calling thread's own stack by it.
//!
//! Made for signal handlers, it walks a stack without becoming a thread in the VM first, which is
//! most of what GetStackTrace costs: half to three quarters less. It does not wait, takes no
//! lock and allocates nothing.
//!
//! # Safety
//! Most of its known crashes come from the instruction at which a signal finds the thread: frames
//! half made, the stack pointer in use for something else, the VM's own locks held. Here it
//! is called by native code, for its own thread: the VM has written down where the last Java frame
//! is before it called us, and the walk begins there; it does not look at the context. The code
//! and the classes of all frames on a stack stay while they are on it. What is left is what goes on
//! beside a thread in native code, the VM's safepoints (JVMTI facts 37):
//! - a frame that is made invalid is changed in an order in which the walk finds the old or
//!   the new one; of the new one it takes the stack to have ended (who takes
//!   the frames has to know where it ends);
//! - a class that is redefined may get a new table of method ids while one is read from the old
//!   one: who takes the frames follows no id that is not known from elsewhere;
//! - a collection moves objects, and the walk reads none; begun in one, it refuses.
#![allow(unsafe_code, reason = "a function of libjvm found by name")]

use std::ffi::c_int;
use std::mem::{self, MaybeUninit};

use event_translate::needs::VmEvent;
use jvmpi_headers::jni::JNIEnv;
use jvmpi_headers::jvmpi::{JVMPI_CallFrame, JVMPI_CallTrace};

use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::found::{AsyncGetCallTrace, Why, function};
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::stack;

/// In place of the number of frames: the last one is none that it can pass.
const NOT_WALKABLE: c_int = -4;

/// In place of a bytecode index; another negative number says that there is none.
const NATIVE: c_int = -3;

pub(in crate::vm::hotspot) fn find() -> Result<AsyncGetCallTrace, Why> {
    function!(c"AsyncGetCallTrace" as AsyncGetCallTrace)
}

/// The function, ready to be called.
#[derive(Clone, Copy)]
pub(crate) struct StackWalk(pub(super) AsyncGetCallTrace);

impl StackWalk {
    pub(super) fn ready(jvmti: Jvmti, function: AsyncGetCallTrace) -> Option<Self> {
        // It refuses to work while nobody listens to this event.
        jvmti.set_event(VmEvent::ClassLoad, true).ok()?;
        Some(Self(function))
    }

    /// Takes at most `depth` frames of the calling thread and hands them to `use_frames`, callee
    /// first. Fewer than `depth` are not always all, and of a stack with a stub on top the first
    /// are not always right ([`super::last_frame`]).
    pub(crate) fn take_own<T>(
        self,
        jni: Jni,
        depth: usize,
        use_frames: impl FnOnce(&[Frame]) -> T,
    ) -> Result<T, Refused> {
        let fill = |buffer: &mut [_]| own_frames(self.0, jni.env(), buffer);
        stack::filled(depth, fill, use_frames)
    }
}

/// Why there are no frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The walk cannot pass the frame on top.
    OnTop,
    /// The stack cannot be walked at the moment, or a method on it has no id yet.
    Now,
}

/// The frame as GetStackTrace gives it.
pub(super) fn to_frame(frame: &JVMPI_CallFrame) -> Frame {
    let location = match frame.lineno {
        NATIVE => -1,
        // Compiled code before its first bytecode, where it gets its frame and its lock.
        ..0 => 0,
        index => i64::from(index),
    };
    Frame {
        method: MethodId::from_jni(frame.method_id),
        location,
    }
}

/// A context that says nothing: the walk of a thread in native code needs none.
struct NoContext(libc::ucontext_t);

// SAFETY: never written.
unsafe impl Sync for NoContext {}

// SAFETY: plain data.
static NO_CONTEXT: NoContext = NoContext(unsafe { mem::zeroed() });

// The walked frames are written into the same memory.
const _: () = assert!(size_of::<JVMPI_CallFrame>() <= size_of::<Frame>());

/// Has `walk` fill the buffer, and turns what it wrote into frames; how many.
fn own_frames(
    walk: AsyncGetCallTrace,
    env: *mut JNIEnv,
    buffer: &mut [MaybeUninit<Frame>],
) -> Result<usize, Refused> {
    let walked: *mut JVMPI_CallFrame = buffer.as_mut_ptr().cast();
    let mut trace = JVMPI_CallTrace {
        env_id: env,
        num_frames: 0,
        frames: walked,
    };
    let room = c_int::try_from(buffer.len()).map_err(|_| Refused::Now)?;
    let context = (&raw const NO_CONTEXT.0).cast_mut().cast();
    // SAFETY: the calling thread's env, and room for as many frames; see the module.
    unsafe { walk(&raw mut trace, room, context) };
    let count = match trace.num_frames {
        NOT_WALKABLE => return Err(Refused::OnTop),
        count => usize::try_from(count).map_err(|_| Refused::Now)?,
    };
    let filled = buffer.get_mut(..count).filter(|filled| !filled.is_empty());
    // The last first: a frame is not shorter than a walked one, which it may overwrite.
    for (at, place) in filled.ok_or(Refused::Now)?.iter_mut().enumerate().rev() {
        // SAFETY: filled in by the walk, and not overwritten yet.
        let frame = to_frame(&unsafe { walked.wrapping_add(at).read() });
        if frame.method.number() == 0 {
            return Err(Refused::Now);
        }
        place.write(frame);
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn only_native_methods_have_no_index() {
        let location = |lineno| {
            to_frame(&JVMPI_CallFrame {
                lineno,
                method_id: ptr::null_mut(),
            })
            .location
        };
        assert_eq!([-3, -1, 0, 7].map(location), [-1, 0, 0, 7]);
    }

    /// Answers with as many frames as there is room for, or with what `env` says instead.
    unsafe extern "C" fn walk(trace: *mut JVMPI_CallTrace, room: c_int, _: *mut std::ffi::c_void) {
        // SAFETY: a trace of `own_frames`.
        let trace = unsafe { &mut *trace };
        let asked = c_int::try_from(trace.env_id.addr()).unwrap();
        let frame = |number| JVMPI_CallFrame {
            lineno: number - 3,
            method_id: ptr::without_provenance_mut(if number == asked { 0 } else { 0x100 }),
        };
        for (at, number) in (0..room).enumerate() {
            // SAFETY: there is room for as many.
            unsafe { trace.frames.wrapping_add(at).write(frame(number)) };
        }
        trace.num_frames = if asked > room { room - asked } else { room };
    }

    #[test]
    fn frames_are_turned_where_they_stand() {
        let mut buffer = [const { MaybeUninit::uninit() }; 6];
        let mut frames = |env: usize| {
            let count = own_frames(walk, ptr::without_provenance_mut(env), &mut buffer)?;
            // SAFETY: as many were filled in.
            let location = |frame: &MaybeUninit<Frame>| unsafe { frame.assume_init() }.location;
            Ok(buffer[..count].iter().map(location).collect())
        };
        assert_eq!(frames(6), Ok(vec![-1, 0, 0, 0, 1, 2]));
        // A method without an id; a collection; a stub.
        assert_eq!(frames(4), Err(Refused::Now));
        assert_eq!(frames(8), Err(Refused::Now));
        assert_eq!(frames(10), Err(Refused::OnTop));
    }
}
