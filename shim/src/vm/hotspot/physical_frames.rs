//! The calling thread's own stack, frame by frame as it lies in memory: one of the interpreter's is a
//! method, one of compiled code is a method with what is inlined into it, one of a stub is none.
//!
//! # Safety
//! A thread in native code walks its own stack: what lies above the frame that Java was left from
//! does not change while it is there, but for return addresses into code that is made invalid,
//! each of which is the old or the new one. Nothing is read but this stack, up to where the VM says that it
//! begins, and the code cache ([`crate::vm::hotspot::code_cache`]). How frames are laid out on x86-64 is the
//! same in all JDKs from 9 to 28; where the VM exports a number for it, it is compared, and what
//! is made of the frames is compared with GetStackTrace.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ops::Range;

use crate::vm::hotspot::found::{HOTSPOT, LastFrames, NOT_THERE, SOMETHING_ELSE, Why};
use crate::vm::hotspot::frame_layout::{CodeCache, FrameLayout};
use crate::vm::hotspot::structures::{self, word};
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ObjectRef;

const WORD: usize = size_of::<usize>();

/// Where things are in a frame, in words from its frame pointer.
mod at {
    /// Of every frame that has a frame pointer.
    pub(super) const SENDERS_POINTER: usize = 0;
    pub(super) const RETURN: usize = 1;
    /// Below it, of the interpreter's.
    pub(super) const SENDERS_END: usize = 1;
    pub(super) const METHOD: usize = 3;
    pub(super) const BYTECODE: usize = 8;
    /// Below it, of one in which the VM has called Java.
    pub(super) const CALL: usize = 6;
}

/// `None`: this VM's are not known.
#[inline]
pub(crate) fn layout() -> Option<&'static FrameLayout> {
    HOTSPOT.own_frames.get()
}

impl FrameLayout {
    /// `root` is `java.lang.Object`.
    pub(super) fn find(jni: Jni, root: ObjectRef<'_>) -> Result<Self, Why> {
        if !cfg!(target_arch = "x86_64") {
            return Err("on this processor frames are laid out otherwise");
        }
        let expected = [
            (c"frame::interpreter_frame_sender_sp_offset", -1),
            (c"frame::entry_frame_call_wrapper_offset", -6),
        ];
        for (name, number) in expected {
            if structures::constant(name).ok_or(NOT_THERE)? != number {
                return Err(SOMETHING_ELSE);
            }
        }
        // From 26 on a jmethodID is a small number: which `Method` it is of is not to be seen.
        let known = jni.method(root, c"hashCode", c"()I");
        let method = known.and_then(method_of_checked).ok_or(SOMETHING_ELSE)?;
        if word_checked(method + constants().ok_or(NOT_THERE)?).is_none() {
            return Err(SOMETHING_ELSE);
        }
        Self::of_structures().ok_or(NOT_THERE)
    }

    fn of_structures() -> Option<Self> {
        let of = structures::offset_of;
        let returns_to_vm =
            structures::address_of::<usize>(c"StubRoutines", c"_call_stub_return_address")?;
        let pointer = |name| of(c"JavaFrameAnchor", name);
        Some(Self {
            code: CodeCache::find()?,
            interpreter: LastFrames::interpreter()?,
            returns_to_vm: word(returns_to_vm.expose_provenance()),
            stack_base: HOTSPOT.behind_env(of(c"JavaThread", c"_stack_base")?)?,
            anchor: HOTSPOT.behind_env(of(c"JavaThread", c"_anchor")?)?,
            earlier_anchor: of(c"JavaCallWrapper", c"_anchor")?,
            pointers: [
                pointer(c"_last_Java_sp")?,
                pointer(c"_last_Java_pc")?,
                pointer(c"_last_Java_fp")?,
            ],
            constants: constants()?,
            bytecode: structures::size_of_type(c"ConstMethod")?,
        })
    }

    /// The frames of the calling thread, from where Java was left; `None` if it was not.
    #[inline]
    pub(crate) fn own_frames(&self, jni: Jni) -> Option<PhysicalFrames<'_>> {
        let near = |distance| {
            let place = jni.env().cast::<u8>().wrapping_offset(distance);
            place.expose_provenance()
        };
        let mut frames = PhysicalFrames {
            layout: self,
            stack: 0..word(near(self.stack_base)),
            pc: 0,
            frame: 0,
        };
        frames.go_to(near(self.anchor))?;
        Some(frames)
    }

    /// Whether this bytecode of the interpreter's is the one at this index of the method.
    pub(crate) fn is_at(&self, method: usize, bytecode: usize, index: usize) -> bool {
        word(method + self.constants) + self.bytecode + index == bytecode
    }
}

fn constants() -> Option<usize> {
    structures::offset_of(c"Method", c"_constMethod")
}

fn word_checked(address: usize) -> Option<usize> {
    Some(usize::from_ne_bytes(crate::os::memory::bytes_at(address)?))
}

/// The `Method` of an id about which nothing is known.
fn method_of_checked(id: MethodId) -> Option<usize> {
    word_checked(id.number()).filter(|method| method.is_multiple_of(WORD))
}

/// The `Method` of an id that the VM has given, where ids are pointers (up to JDK 25) as has been tried. They are never
/// given up. Another one after the method's class has been redefined, none after its end.
#[inline]
pub(crate) fn method_of(id: MethodId) -> usize {
    word(id.number())
}

/// A frame as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PhysicalFrame {
    /// The interpreter's: the `Method`, and the address of the bytecode it has reached.
    Interpreted { method: usize, bytecode: usize },
    /// Code that goes on at this address.
    Code { pc: usize },
    /// The VM has called Java here.
    Call,
}

/// Frames of a stack, callee first.
pub(crate) struct PhysicalFrames<'a> {
    layout: &'a FrameLayout,
    /// From the end of the frame that is looked at up to the stack's beginning.
    stack: Range<usize>,
    /// Where it goes on, and its frame pointer, which compiled code does not use as one.
    pc: usize,
    frame: usize,
}

impl PhysicalFrames<'_> {
    /// The frame that is looked at; `None` if it is none.
    #[inline]
    pub(crate) fn current(&self) -> Option<PhysicalFrame> {
        if self.layout.interpreter.contains(&self.pc) {
            Some(PhysicalFrame::Interpreted {
                method: self.below(at::METHOD)?,
                bytecode: self.below(at::BYTECODE)?,
            })
        } else if self.pc == self.layout.returns_to_vm {
            Some(PhysicalFrame::Call)
        } else {
            Some(PhysicalFrame::Code { pc: self.pc })
        }
    }

    /// From one of the interpreter's to its caller.
    #[inline]
    pub(crate) fn leave_interpreted(&mut self) -> Option<()> {
        let end = self.below(at::SENDERS_END)?;
        let pc = self.word(self.frame + at::RETURN * WORD)?;
        let frame = self.word(self.frame + at::SENDERS_POINTER * WORD)?;
        self.go(end, pc, frame)
    }

    /// From one of code, which takes so many words, to its caller.
    #[inline]
    pub(crate) fn leave_code(&mut self, words: u32) -> Option<()> {
        let end = self.stack.start + words as usize * WORD;
        let pc = self.word(end - WORD)?;
        let frame = self.word(end - 2 * WORD)?;
        self.go(end, pc, frame)
    }

    /// From one in which the VM has called Java to where Java was left before. False if it was not.
    #[inline]
    pub(crate) fn leave_call(&mut self) -> Option<bool> {
        let call = self.below(at::CALL)?;
        let anchor = call + self.layout.earlier_anchor;
        let [end, ..] = self.layout.pointers;
        if self.word(anchor + end)? == 0 {
            return Some(false);
        }
        self.go_to(anchor).map(|()| true)
    }

    /// To where Java was left.
    #[inline]
    fn go_to(&mut self, anchor: usize) -> Option<()> {
        let [end, pc, frame] = self.layout.pointers.map(|pointer| word(anchor + pointer));
        if end == 0 {
            return None;
        }
        // A native method's is written down when somebody asks.
        let pc = if pc == 0 { self.word(end - WORD)? } else { pc };
        self.go(end, pc, frame)
    }

    #[inline]
    fn go(&mut self, end: usize, pc: usize, frame: usize) -> Option<()> {
        if end <= self.stack.start || end >= self.stack.end || !end.is_multiple_of(WORD) {
            return None;
        }
        self.stack.start = end;
        self.pc = pc;
        self.frame = frame;
        Some(())
    }

    /// The word so many below the frame pointer.
    #[inline]
    fn below(&self, words: usize) -> Option<usize> {
        self.word(self.frame.wrapping_sub(words * WORD))
    }

    /// A word of the stack, at or above the end of the frame.
    #[inline]
    fn word(&self, address: usize) -> Option<usize> {
        let is_inside = address >= self.stack.start && address < self.stack.end - WORD;
        (is_inside && address.is_multiple_of(WORD)).then(|| word(address))
    }
}
