//! Which code of the VM's the calling thread has left Java from.
//!
//! AsyncGetCallTrace takes the first frame wrongly where compiled code has called the VM: between
//! it and the VM stands a stub, and of the code that has called the stub the walk takes not the
//! place that the call returns to but the next one that has a description (javac on 17: 8 of
//! 326,000 allocations with other methods or lines; of most stubs it says that it cannot be passed).
//! Where the interpreter or a native method is on top there is no stub.
//!
//! # Safety
//! The VM writes down where Java was left (`JavaThread::_anchor`) before it calls native code;
//! the fields are found by `gHotSpotVMStructs` ([`crate::vm::hotspot::structures`]). A thread reads
//! its own structure. The interpreter's code lies in one piece that is never given up.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ops::Range;

use crate::vm::env::Jvmti;
use crate::vm::hotspot::found::{AsyncGetCallTrace, HOTSPOT, LastFrames, NOT_THERE, Why};
use crate::vm::hotspot::stacks::async_walk::{self, StackWalk};
use crate::vm::hotspot::structures;
use crate::vm::hotspot::vm_address::{Offset, VmAddress};
use crate::vm::jni::Jni;

impl LastFrames {
    fn find() -> Option<Self> {
        let of = structures::offset_of;
        let field = of(c"JavaThread", c"_anchor")? + of(c"JavaFrameAnchor", c"_last_Java_pc")?;
        Some(Self {
            // The JNIEnv lies in the same structure.
            distance: HOTSPOT.behind_env(field)?,
            interpreter: Self::interpreter()?,
        })
    }

    /// Where the interpreter's code is.
    pub(super) fn interpreter() -> Option<Range<usize>> {
        let of = structures::offset_of;
        let code = structures::static_variable(c"AbstractInterpreter", c"_code")?;
        // SAFETY: a static pointer of the VM, set before the live phase to what stays as long as the VM.
        let code = unsafe { VmAddress::of(code.word(Offset::HERE)) }?;
        let begin = code.word(of(c"StubQueue", c"_stub_buffer")?);
        let length = code.int(of(c"StubQueue", c"_buffer_limit")?);
        Some(begin..begin + usize::try_from(length).ok()?)
    }

    /// Where the calling thread has left Java; `None` if no Java code has called it.
    #[inline]
    pub(crate) fn of(&self, jni: Jni) -> Option<LastFrame> {
        let field = jni.env().cast::<u8>().wrapping_offset(self.distance);
        // SAFETY: in the VM's structure of this very thread, in which its JNIEnv lies as well.
        let field = unsafe { VmAddress::of(field.expose_provenance()) }?;
        let pc = field.word(Offset::HERE);
        (pc != 0).then(|| LastFrame {
            pc,
            is_interpreted: self.interpreter.contains(&pc),
        })
    }
}

/// From the live phase on.
pub(in crate::vm::hotspot) fn find() -> Result<(AsyncGetCallTrace, LastFrames), Why> {
    Ok((async_walk::find()?, LastFrames::find().ok_or(NOT_THERE)?))
}

/// What the calling thread's own stack is walked by; `None` if this VM has it not.
pub(crate) fn own_stacks(jvmti: Jvmti) -> Option<(StackWalk, &'static LastFrames)> {
    let (function, last_frames) = HOTSPOT.own_stacks.get()?;
    Some((StackWalk::ready(jvmti, *function)?, last_frames))
}

/// A frame that Java was left from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastFrame {
    /// The address it will go on at.
    pub(crate) pc: usize,
    pub(crate) is_interpreted: bool,
}
