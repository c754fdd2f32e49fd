//! Which of the VM's compiled code an address lies in, and how large the frames of that code are.
//!
//! # Safety
//! What lies where is found by `gHotSpotVMStructs` ([`crate::vm::hotspot::structures`]). The code cache's
//! memory and the map of its segments are given back at no time. What is asked for here are addresses that
//! a thread's own stack returns to: their code stays for as long as that, and the entries of the map that
//! lead to its beginning are right at each moment, whatever is made or given up beside it.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ffi::{CStr, c_char};
use std::ptr;

use crate::vm::hotspot::frame_layout::{Blob, Code, CodeCache, Heap, Sort};
use crate::vm::hotspot::structures::{self, int, word};

impl CodeCache {
    /// `None` if this VM's is made otherwise.
    pub(super) fn find() -> Option<Self> {
        let of = structures::offset_of;
        let either = |types: [&CStr; 2], field| types.iter().find_map(|name| of(name, field));
        let heaps = structures::address_of::<usize>(c"CodeCache", c"_heaps")?;
        let low = of(c"VirtualSpace", c"_low")?;
        let memory = of(c"CodeHeap", c"_memory")?;
        let sort = match of(c"CodeBlob", c"_kind") {
            Some(field) => Sort::Number {
                field,
                method: number(c"CodeBlobKind::Nmethod")?,
                stub: number(c"CodeBlobKind::RuntimeStub")?,
            },
            None => Sort::Name {
                field: of(c"CodeBlob", c"_name")?,
            },
        };
        Some(Self {
            heaps: word(heaps.expose_provenance()),
            count: either([c"GrowableArrayBase", c"GenericGrowableArray"], c"_len")?,
            data: of(c"GrowableArray<int>", c"_data")?,
            heap: Heap {
                low: memory + low,
                high: memory + of(c"VirtualSpace", c"_high")?,
                map: of(c"CodeHeap", c"_segmap")? + low,
                log2_of_segment: of(c"CodeHeap", c"_log2_segment_size")?,
                header: structures::size_of_type(c"HeapBlock")?,
                is_used: of(c"HeapBlock", c"_header")? + of(c"HeapBlock::Header", c"_used")?,
            },
            blob: Blob {
                size: of(c"CodeBlob", c"_size")?,
                frame_size: of(c"CodeBlob", c"_frame_size")?,
                sort,
                compile_id: of(c"nmethod", c"_compile_id")?,
                method: either([c"nmethod", c"CompiledMethod"], c"_method")?,
                stubs: of(c"nmethod", c"_stub_offset")?,
            },
        })
        .filter(|found| found.heaps != 0)
    }

    /// The code that the calling thread's stack returns to at `pc`. `None` if it is neither a compiled
    /// method nor a stub by which such code calls the VM, and where the frame of a method has been made
    /// invalid: then it returns to the method's own stubs, and the address says nothing of where it was.
    pub(crate) fn at(&self, pc: usize) -> Option<Code> {
        let begin = self.begin_of(pc)?;
        let blob = &self.blob;
        let behind = pc - begin;
        let size = |field| usize::try_from(int(begin + field)).ok();
        let frame_words = u32::try_from(int(begin + blob.frame_size)).ok()?;
        if behind >= size(blob.size)? || frame_words < 2 {
            return None;
        }
        let (method, id) = if self.is_method(begin)? {
            if behind >= size(blob.stubs)? {
                return None;
            }
            (
                word(begin + blob.method),
                int(begin + blob.compile_id).cast_unsigned(),
            )
        } else {
            (0, 0)
        };
        Some(Code {
            begin,
            id,
            method,
            frame_words,
        })
    }

    /// Whether this is still what lies there.
    #[inline]
    pub(crate) fn is_still(&self, code: &Code) -> bool {
        code.is_stub()
            || word(code.begin + self.blob.method) == code.method
                && int(code.begin + self.blob.compile_id).cast_unsigned() == code.id
    }

    /// Where the piece begins that this address lies in.
    fn begin_of(&self, pc: usize) -> Option<usize> {
        /// The map is of bytes, which say how many segments to go back.
        const UNUSED: u8 = 0xff;
        let heaps = word(self.heaps + self.data);
        let count = usize::try_from(int(self.heaps + self.count)).ok()?;
        let at = |at| word(heaps + at * size_of::<usize>());
        let field = |heap, field| word(heap + field);
        let heap = (0..count).map(at).find(|&heap| {
            (field(heap, self.heap.low)..field(heap, self.heap.high)).contains(&pc)
        })?;
        let low = field(heap, self.heap.low);
        let log2 = int(heap + self.heap.log2_of_segment);
        let map = field(heap, self.heap.map);
        let mut segment = (pc - low) >> log2;
        loop {
            match byte(map + segment) {
                UNUSED => return None,
                0 => break,
                back => segment = segment.checked_sub(usize::from(back))?,
            }
        }
        let block = low + (segment << log2);
        (byte(block + self.heap.is_used) != 0).then_some(block + self.heap.header)
    }

    /// Whether it is a compiled method; `None` if it is none, and no stub that is called like a method.
    fn is_method(&self, begin: usize) -> Option<bool> {
        match self.blob.sort {
            Sort::Number {
                field,
                method,
                stub,
            } => {
                let sort = byte(begin + field);
                (sort == method || sort == stub).then_some(sort == method)
            }
            Sort::Name { field } => {
                let name: *const c_char = ptr::with_exposed_provenance(word(begin + field));
                // SAFETY: a text of the VM's, or made with the code, which is on the caller's stack.
                let name = unsafe { CStr::from_ptr(name) };
                let others = [
                    c"DeoptimizationBlob",
                    c"SafepointBlob",
                    c"ExceptionBlob",
                    c"UncommonTrapBlob",
                ];
                let is_method = [c"nmethod", c"native nmethod"].contains(&name);
                (!others.contains(&name)).then_some(is_method)
            }
        }
    }
}

fn number(name: &CStr) -> Option<u8> {
    u8::try_from(structures::constant(name)?).ok()
}

fn byte(address: usize) -> u8 {
    let address: *const u8 = ptr::with_exposed_provenance(address);
    // SAFETY: see the module. Others may change it meanwhile.
    unsafe { address.read_volatile() }
}
