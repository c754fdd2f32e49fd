//! What was found of how the VM's code, and its frames on a thread's stack, are laid out: for
//! [`super::stacks::code_cache`] and [`super::stacks::physical_frames`]. Offsets are in bytes.

use std::ops::Range;

use crate::vm::hotspot::vm_address::{Offset, VmAddress};

/// How frames are laid out, and by what they are told apart.
pub(crate) struct FrameLayout {
    pub(crate) code: CodeCache,
    pub(super) interpreter: Range<usize>,
    /// Behind the call by which the VM calls Java.
    pub(super) returns_to_vm: usize,
    /// From the JNIEnv to where the stack begins, at its upper end.
    pub(super) stack_base: isize,
    /// From the JNIEnv to where Java was left.
    pub(super) anchor: isize,
    /// To the same from what the VM keeps of the call by which Java was entered.
    pub(super) earlier_anchor: Offset,
    /// In that: stack pointer, address and frame pointer.
    pub(super) pointers: [Offset; 3],
    /// From a `Method` to its `ConstMethod`; how long that is, behind which its bytecode lies.
    pub(super) constants: Offset,
    pub(super) bytecode: usize,
}

/// Where the VM keeps compiled code, and what it keeps about it.
pub(crate) struct CodeCache {
    /// Where all of that begins and ends. (Code that JDK 11 has from a library lies elsewhere, and is no piece as described here.)
    pub(super) bounds: Range<usize>,
    /// The list of heaps; in it how many there are, and where they are.
    pub(super) heaps: VmAddress,
    pub(super) count: Offset,
    pub(super) data: Offset,
    pub(super) heap: Heap,
    pub(super) blob: Blob,
}

/// In one of its heaps.
pub(super) struct Heap {
    /// Where its memory begins, and ends.
    pub(super) low: Offset,
    pub(super) high: Offset,
    /// Where the map of its segments begins, and how large a segment is.
    pub(super) map: Offset,
    pub(super) log2_of_segment: Offset,
    /// In front of what is allocated: how long that is, and whether it is in use.
    pub(super) header: usize,
    pub(super) is_used: Offset,
}

/// In a piece of code.
pub(super) struct Blob {
    pub(super) size: Offset,
    pub(super) frame_size: Offset,
    pub(super) sort: Sort,
    /// Of a compiled method: its number, its `Method`, and where its own stubs begin.
    pub(super) compile_id: Offset,
    pub(super) method: Offset,
    pub(super) stubs: Offset,
    pub(super) handlers: Handlers,
}

/// Where a compiled method keeps to which places its frames return that were made invalid: with compilers written in Java
/// these are none of its stubs.
pub(super) enum Handlers {
    Addresses([Offset; 2]),
    /// From the beginning of its code.
    Offsets([Offset; 2]),
}

/// By what a piece of code says what it is.
pub(super) enum Sort {
    /// By a number: that of a compiled method, and that of a stub which calls the VM.
    Number {
        field: Offset,
        method: u8,
        stub: u8,
    },
    Name {
        field: Offset,
    },
}

/// The code that an address lies in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Code {
    /// `None` of none.
    pub(super) begin: Option<VmAddress>,
    /// What it says of its sort.
    pub(super) sort: usize,
    /// Of a compiled method: its number, which no other has, and its `Method`. 0 of a stub.
    pub(super) id: u32,
    pub(crate) method: usize,
    /// The size of a frame in words.
    pub(crate) frame_words: u32,
}

impl Code {
    /// Whether it is no method's.
    #[inline]
    pub(crate) fn is_stub(&self) -> bool {
        self.method == 0
    }
}
