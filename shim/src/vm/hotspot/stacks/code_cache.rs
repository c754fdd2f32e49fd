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

use crate::vm::hotspot::frame_layout::{Blob, Code, CodeCache, Handlers, Heap, Sort};
use crate::vm::hotspot::structures;
use crate::vm::hotspot::vm_address::{Offset, VmAddress};

impl CodeCache {
    /// `None` if this VM's is made otherwise.
    pub(super) fn find() -> Option<Self> {
        let of = structures::offset_of;
        let either = |types: [&CStr; 2], field| types.iter().find_map(|name| of(name, field));
        let variable =
            |name| Some(structures::static_variable(c"CodeCache", name)?.word(Offset::HERE));
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
        let both = |name, fields: [&CStr; 2]| Some([of(name, fields[0])?, of(name, fields[1])?]);
        let addresses = [c"_deopt_handler_begin", c"_deopt_mh_handler_begin"];
        let offsets = [c"_deopt_handler_offset", c"_deopt_mh_handler_offset"];
        let handlers = both(c"CompiledMethod", addresses)
            .map(Handlers::Addresses)
            .or_else(|| both(c"nmethod", offsets).map(Handlers::Offsets))?;
        Some(Self {
            bounds: variable(c"_low_bound")?..variable(c"_high_bound")?,
            // SAFETY: the list of heaps, which stays as long as the VM.
            heaps: unsafe { VmAddress::of(variable(c"_heaps")?) }?,
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
                handlers,
            },
        })
    }

    /// The code that the calling thread's stack returns to at `pc`. `None` if it is neither a compiled
    /// method nor a stub by which such code calls the VM, and where the frame of a method has been made
    /// invalid: then it returns to a place of the method's for that, which says nothing of where it was.
    pub(crate) fn at(&self, pc: usize) -> Option<Code> {
        let begin = self.begin_of(pc)?;
        let blob = &self.blob;
        let frame_words = u32::try_from(begin.int(blob.frame_size)).ok();
        let frame_words = frame_words.filter(|&words| words >= 2)?;
        let is_method = self.is_method(begin)?;
        let code = Code {
            begin: Some(begin),
            sort: self.sort(begin),
            id: if is_method { self.id(begin) } else { 0 },
            method: if is_method {
                begin.word(blob.method)
            } else {
                0
            },
            frame_words,
        };
        // Behind its instructions a method has its stubs.
        let ends = if is_method { blob.stubs } else { blob.size };
        let is_valid = [ends, blob.size]
            .iter()
            .all(|&end| self.is_before(pc, begin, end))
            && !(is_method && self.handlers(begin).contains(&pc));
        is_valid.then_some(code)
    }

    /// Whether this is still what the stack returns to at `pc`. Given up code leaves its beginning as it was, and other
    /// code may begin further down; but then the piece is not in use.
    #[inline]
    pub(crate) fn is_still(&self, code: &Code, pc: usize) -> bool {
        let Some(begin) = code.begin else {
            return false;
        };
        let frame_words = begin.int(self.blob.frame_size).cast_unsigned();
        self.is_used(begin)
            && self.is_before(pc, begin, self.blob.size)
            && frame_words == code.frame_words
            && self.sort(begin) == code.sort
            && (code.is_stub()
                || begin.word(self.blob.method) == code.method && self.id(begin) == code.id)
    }

    /// Whether the address is in front of where this field says that something ends.
    fn is_before(&self, pc: usize, begin: VmAddress, field: Offset) -> bool {
        usize::try_from(begin.int(field)).is_ok_and(|end| pc < begin.get() + end)
    }

    fn id(&self, begin: VmAddress) -> u32 {
        begin.int(self.blob.compile_id).cast_unsigned()
    }

    /// Where frames of a compiled method return to that were made invalid.
    fn handlers(&self, begin: VmAddress) -> [usize; 2] {
        let offset = |field| usize::try_from(begin.int(field)).unwrap_or(0);
        match self.blob.handlers {
            Handlers::Addresses(fields) => fields.map(|field| begin.word(field)),
            Handlers::Offsets(fields) => fields.map(|field| begin.get() + offset(field)),
        }
    }

    /// Whether the piece is in use that begins there.
    fn is_used(&self, begin: VmAddress) -> bool {
        // SAFETY: each piece has a header in front of it.
        let header = unsafe { VmAddress::of(begin.get() - self.heap.header) };
        header.is_some_and(|header| header.byte(self.heap.is_used) != 0)
    }

    /// What a piece says of its sort: a number, or where its name is.
    fn sort(&self, begin: VmAddress) -> usize {
        match self.blob.sort {
            Sort::Number { field, .. } => begin.byte(field).into(),
            Sort::Name { field } => begin.word(field),
        }
    }

    /// Where the piece begins that this address lies in.
    fn begin_of(&self, pc: usize) -> Option<VmAddress> {
        /// The map is of bytes, which say how many segments to go back.
        const UNUSED: u8 = 0xff;
        if !self.bounds.contains(&pc) {
            return None;
        }
        let heaps = self.heaps.word(self.data);
        let count = usize::try_from(self.heaps.int(self.count)).ok()?;
        let at = |at| {
            // SAFETY: one of so many pointers in the list, each to a heap, of which none is given up.
            let heap = unsafe { VmAddress::of(heaps + at * size_of::<usize>()) }?;
            // SAFETY: as above.
            unsafe { VmAddress::of(heap.word(Offset::HERE)) }
        };
        let heap = (0..count)
            .filter_map(at)
            .find(|heap| (heap.word(self.heap.low)..heap.word(self.heap.high)).contains(&pc))?;
        let low = heap.word(self.heap.low);
        let log2 = heap.int(self.heap.log2_of_segment);
        let map = heap.word(self.heap.map);
        let mut segment = (pc - low) >> log2;
        loop {
            // SAFETY: the map has a byte for each segment of what the heap has in use, and goes back only.
            let back = unsafe { VmAddress::of(map + segment) }?;
            match back.byte(Offset::HERE) {
                UNUSED => return None,
                0 => break,
                back => segment = segment.checked_sub(usize::from(back))?,
            }
        }
        let block = low + (segment << log2);
        // SAFETY: by the map a piece begins there, behind its header.
        let begin = unsafe { VmAddress::of(block + self.heap.header) }?;
        self.is_used(begin).then_some(begin)
    }

    /// Whether it is a compiled method; `None` if it is none, and no stub that is called like a method.
    fn is_method(&self, begin: VmAddress) -> Option<bool> {
        let sort = self.sort(begin);
        match self.blob.sort {
            Sort::Number { method, stub, .. } => {
                let is_method = sort == method.into();
                (is_method || sort == stub.into()).then_some(is_method)
            }
            Sort::Name { .. } => {
                let name: *const c_char = ptr::with_exposed_provenance(sort);
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
