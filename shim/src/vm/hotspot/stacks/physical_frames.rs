//! The calling thread's own stack, frame by frame as it lies in memory: one of the interpreter's is a
//! method, one of compiled code is a method with what is inlined into it, one of a stub is none.
//!
//! # Safety
//! A thread in native code walks its own stack: what lies above the frame that Java was left from
//! does not change while it is there, but for return addresses into code that is made invalid,
//! each of which is the old or the new one. Nothing is read but this stack, up to where the VM says that it
//! begins, and the code cache ([`crate::vm::hotspot::stacks::code_cache`]). How frames are laid out on x86-64 is the
//! same in JDK 11, 17, 21 and 25; where the VM exports a number for it, it is compared, and what
//! is made of the frames is compared with GetStackTrace.
//!
//! Longer than most: half of it is a stack made by hand, for the tests.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ops::Range;

use crate::vm::env::Frame;
use crate::vm::hotspot::found::{HOTSPOT, LastFrames, NOT_THERE, SOMETHING_ELSE, Why};
use crate::vm::hotspot::frame_layout::{CodeCache, FrameLayout};
use crate::vm::hotspot::structures;
use crate::vm::hotspot::vm_address::{Offset, VmAddress};
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
    pub(in crate::vm::hotspot) fn find(jni: Jni, root: ObjectRef<'_>) -> Result<Self, Why> {
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
        if word_checked(method + constants().ok_or(NOT_THERE)?.bytes()).is_none() {
            return Err(SOMETHING_ELSE);
        }
        Self::of_structures().ok_or(NOT_THERE)
    }

    fn of_structures() -> Option<Self> {
        let of = structures::offset_of;
        let returns_to_vm =
            structures::static_variable(c"StubRoutines", c"_call_stub_return_address")?;
        let pointer = |name| of(c"JavaFrameAnchor", name);
        Some(Self {
            code: CodeCache::find()?,
            interpreter: LastFrames::interpreter()?,
            returns_to_vm: returns_to_vm.word(Offset::HERE),
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
            // SAFETY: in the VM's structure of this very thread, in which its JNIEnv lies as well.
            unsafe { VmAddress::of(place.expose_provenance()) }
        };
        self.frames(
            near(self.anchor)?,
            near(self.stack_base)?.word(Offset::HERE),
        )
    }

    /// The frames of a stack that begins at `base`, from where it says at `anchor` that Java was left.
    #[inline]
    fn frames(&self, anchor: VmAddress, base: usize) -> Option<PhysicalFrames<'_>> {
        let mut frames = PhysicalFrames {
            layout: self,
            stack: 0..base,
            pc: 0,
            frame: 0,
        };
        frames.go_to(self.pointers.map(|pointer| anchor.word(pointer)))?;
        Some(frames)
    }

    /// Whether this bytecode of the interpreter's is the one that the frame is at. As [`FrameLayout::method_of`].
    pub(crate) fn is_at(&self, frame: &Frame, bytecode: usize) -> bool {
        // SAFETY: a `Method`, of a class that is there: the frame is on the calling thread's stack.
        let method = unsafe { VmAddress::of(self.method_of(frame)) };
        let (Some(method), Ok(index)) = (method, usize::try_from(frame.location)) else {
            return false;
        };
        method.word(self.constants) + self.bytecode + index == bytecode
    }

    /// The `Method` of a frame that the VM has given: where there is such a layout ids are pointers (up to JDK 25), as has been
    /// tried ([`FrameLayout::find`]), and what they point to is never given up. Another one after the method's class has been
    /// redefined, 0 after its end.
    ///
    /// But for hidden frames ([`super::hidden_frames`]) the only place where an id is followed.
    #[inline]
    pub(crate) fn method_of(&self, frame: &Frame) -> usize {
        // SAFETY: the id of a method that the VM has given, in a VM whose ids are such pointers.
        let id = unsafe { VmAddress::of(frame.method.number()) };
        id.map_or(0, |id| id.word(Offset::HERE))
    }
}

fn constants() -> Option<Offset> {
    structures::offset_of(c"Method", c"_constMethod")
}

fn word_checked(address: usize) -> Option<usize> {
    Some(usize::from_ne_bytes(crate::os::memory::bytes_at(address)?))
}

/// The `Method` of an id about which nothing is known.
fn method_of_checked(id: MethodId) -> Option<usize> {
    word_checked(id.number()).filter(|method| method.is_multiple_of(WORD))
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
        let anchor = call.wrapping_add(self.layout.earlier_anchor.bytes());
        let kept = |pointer: Offset| self.word(anchor.wrapping_add(pointer.bytes()));
        let [end, pc, frame] = self.layout.pointers;
        let end = kept(end)?;
        if end == 0 {
            return Some(false);
        }
        let left = [end, kept(pc)?, kept(frame)?];
        self.go_to(left).map(|()| true)
    }

    /// To where Java was left: stack pointer, address and frame pointer.
    #[inline]
    fn go_to(&mut self, [end, pc, frame]: [usize; 3]) -> Option<()> {
        if end == 0 || end >= self.stack.end {
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
        let end = self.stack.end.saturating_sub(WORD - 1);
        let is_inside = (self.stack.start..end).contains(&address);
        if !is_inside || !address.is_multiple_of(WORD) {
            return None;
        }
        // SAFETY: a word of the calling thread's own stack.
        let place = unsafe { VmAddress::of(address) };
        place.map(|place| place.word(Offset::HERE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::hotspot::frame_layout::{Blob, Code, Handlers, Heap, Sort};

    const INTERPRETER: usize = 0x1000;
    const BEHIND_CALL: usize = 0x2000;

    /// Memory in which a pointer is the address of another place.
    struct Memory(Box<[usize; 512]>);

    impl Memory {
        fn at(&self, index: usize) -> usize {
            self.0.as_ptr().expose_provenance() + index * WORD
        }

        fn address(&self, index: usize) -> VmAddress {
            // SAFETY: what the tests look at lies in it, and it stays as long as they look.
            unsafe { VmAddress::of(self.at(index)) }.unwrap()
        }

        fn put(&mut self, index: usize, words: &[usize]) {
            self.0[index..index + words.len()].copy_from_slice(words);
        }
    }

    /// A code cache of one heap of two segments of 64 words, at word 256: in the first a stub, in the second a method, whose
    /// frames have four and six words.
    fn layout(memory: &mut Memory) -> FrameLayout {
        let (heaps, heap, code, map) = (400, 410, 256, 420);
        memory.put(heaps, &[1, memory.at(heaps + 2), memory.at(heap)]);
        memory.put(
            heap,
            &[memory.at(code), memory.at(code + 128), memory.at(map), 9],
        );
        // Both blocks begin where their segment does, the second goes on into one more.
        memory.put(map, &[0]);
        for (segment, name, frame, method) in [(0, c"a stub", 4, 0), (1, c"nmethod", 6, 0xabc0)] {
            let block = code + segment * 64;
            let name = name.as_ptr().expose_provenance();
            // Its header: is it used; then the code: size, frame, name, number, method, stubs.
            let handler = memory.at(block + 1 + 30);
            memory.put(
                block,
                &[1, 8 * 60, frame, name, 77, method, 8 * 40, handler],
            );
        }
        let size = |words: usize| Offset::by_hand(words * WORD);
        let here = Offset::HERE;
        let code = CodeCache {
            bounds: memory.at(code)..memory.at(code + 128),
            heaps: memory.address(heaps),
            count: here,
            data: size(1),
            heap: Heap {
                low: here,
                high: size(1),
                map: size(2),
                log2_of_segment: size(3),
                header: WORD,
                is_used: here,
            },
            blob: Blob {
                size: here,
                frame_size: size(1),
                sort: Sort::Name { field: size(2) },
                compile_id: size(3),
                method: size(4),
                stubs: size(5),
                handlers: Handlers::Addresses([size(6), size(6)]),
            },
        };
        FrameLayout {
            code,
            interpreter: INTERPRETER..INTERPRETER + 0x100,
            returns_to_vm: BEHIND_CALL,
            stack_base: 0,
            anchor: 0,
            earlier_anchor: size(1),
            pointers: [here, size(1), size(2)],
            constants: size(1),
            bytecode: 7 * WORD,
        }
    }

    /// What is on the stack of word 0 to 200, whose anchor is at word 490.
    fn walk(layout: &FrameLayout, memory: &Memory) -> Vec<PhysicalFrame> {
        let mut met = Vec::new();
        let frames = layout.frames(memory.address(490), memory.at(200));
        let Some(mut frames) = frames else { return met };
        while let Some(frame) = frames.current() {
            met.push(frame);
            let next = match frame {
                PhysicalFrame::Interpreted { .. } => frames.leave_interpreted(),
                PhysicalFrame::Code { pc } => {
                    let code = layout.code.at(pc);
                    code.and_then(|code| frames.leave_code(code.frame_words))
                }
                PhysicalFrame::Call => frames.leave_call().filter(|&more| more).map(|_| ()),
            };
            if next.is_none() {
                break;
            }
        }
        met
    }

    /// A stub, called by a compiled method, by the interpreter, by the VM, by a native method of the interpreter's.
    fn stack(memory: &mut Memory) -> [PhysicalFrame; 5] {
        let stub = memory.at(256 + 20);
        let compiled = memory.at(256 + 64 + 20);
        let at = |index| memory.at(index);
        let (end, interpreted, call, native) = (at(10), at(40), at(60), at(100));
        let words = [
            // The stub's frame, of 10 to 13: the caller's frame pointer, and where it goes on.
            (12, [0xdead, compiled]),
            // The method's, of 14 to 19.
            (18, [interpreted, INTERPRETER + 8]),
            (40, [call, BEHIND_CALL]),
            (100, [0, 0]),
        ];
        let below = [
            (40 - at::METHOD, 0x777_0000),
            (40 - at::BYTECODE, 0x777_0123),
            (40 - at::SENDERS_END, at(48)),
            (60 - at::CALL, at(70)),
            // The anchor that the VM has kept, at 71; it knows no address.
            (71, at(90)),
            (72, 0),
            (73, native),
            (89, INTERPRETER + 0x10),
            (100 - at::METHOD, 0x888_0000),
            (100 - at::BYTECODE, 0),
            (100 - at::SENDERS_END, 0),
        ];
        for (index, pair) in words {
            memory.put(index, &pair);
        }
        for (index, word) in below {
            memory.put(index, &[word]);
        }
        memory.put(490, &[end, stub, 0]);
        [
            PhysicalFrame::Code { pc: stub },
            PhysicalFrame::Code { pc: compiled },
            PhysicalFrame::Interpreted {
                method: 0x777_0000,
                bytecode: 0x777_0123,
            },
            PhysicalFrame::Call,
            PhysicalFrame::Interpreted {
                method: 0x888_0000,
                bytecode: 0,
            },
        ]
    }

    fn memory() -> Memory {
        Memory(Box::new([0; 512]))
    }

    #[test]
    fn frames_of_all_kinds_are_passed() {
        let mut memory = memory();
        let layout = layout(&mut memory);
        let expected = stack(&mut memory);
        assert_eq!(walk(&layout, &memory), expected);
        // Java was not left.
        memory.put(490, &[0, 0, 0]);
        assert_eq!(walk(&layout, &memory), []);
    }

    #[test]
    fn nothing_outside_of_the_stack_is_read() {
        let mut memory = memory();
        let layout = layout(&mut memory);
        let expected = stack(&mut memory);
        // A frame pointer beyond it, one below the frame, one between two words; an end that is no further up.
        for (index, wrong) in [
            (18, 0x40),
            (18, memory.at(2)),
            (18, memory.at(40) + 4),
            (18, memory.at(300)),
        ] {
            let was = memory.0[index];
            memory.put(index, &[wrong]);
            assert_eq!(walk(&layout, &memory), expected[..2]);
            memory.put(index, &[was]);
        }
        for wrong in [memory.at(15), memory.at(200), memory.at(48) + 1, usize::MAX] {
            memory.put(39, &[wrong]);
            assert_eq!(walk(&layout, &memory), expected[..3]);
        }
    }

    #[test]
    fn code_is_known_by_its_number() {
        let mut memory = memory();
        let layout = layout(&mut memory);
        let method = 256 + 64 + 1;
        let pc = memory.at(256 + 64 + 20);
        let found = layout.code.at(pc).unwrap();
        let expected = Code {
            begin: Some(memory.address(method)),
            sort: c"nmethod".as_ptr().expose_provenance(),
            id: 77,
            method: 0xabc0,
            frame_words: 6,
        };
        assert_eq!(found, expected);
        assert!(layout.code.is_still(&found, pc));
        // Other code of the same method, then of another.
        memory.put(method + 3, &[78]);
        assert!(!layout.code.is_still(&found, pc));
        memory.put(method + 3, &[77, 0xdef0]);
        assert!(!layout.code.is_still(&found, pc));
        // Its own stubs, to which invalid frames return; behind its end; elsewhere; not in use.
        for pc in [
            memory.at(method + 30),
            memory.at(method + 40),
            memory.at(method + 60),
            memory.at(10),
        ] {
            assert_eq!(layout.code.at(pc), None);
        }
        memory.put(method + 3, &[77, 0xabc0]);
        assert!(layout.code.is_still(&found, pc));
        assert!(!layout.code.is_still(&found, memory.at(method + 60)));
        // A stub that was given up for a larger one.
        let stub = memory.at(256 + 20);
        let small = layout.code.at(stub).unwrap();
        assert!(small.is_stub() && layout.code.is_still(&small, stub));
        memory.put(256 + 2, &[5]);
        assert!(!layout.code.is_still(&small, stub));
        memory.put(method - 1, &[0]);
        assert_eq!(layout.code.at(pc), None);
        assert!(!layout.code.is_still(&found, pc));
    }
}
