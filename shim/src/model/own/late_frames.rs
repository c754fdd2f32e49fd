//! What a thread shows in place of its stack while the agent hears of a method later than it began or ended: by then
//! another one runs, and agents look for this one on top (JVMPI facts B.3).
//!
//! # Threads
//! Each has its own.

use std::mem::MaybeUninit;

use jvmpi_headers::jvmpi::JVMPI_CallFrame;

use crate::vm::member_ids::MethodId;

/// A frame as the agent is told of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LateFrame {
    pub(crate) method: MethodId,
    pub(crate) lineno: i32,
}

/// What one thread shows, callee first; nothing, mostly.
#[derive(Debug, Default)]
pub(crate) struct LateFrames {
    frames: Vec<LateFrame>,
    /// How deep in deliveries the thread is in the event's handler. Whatever it tells of within that is not late.
    depth: u32,
}

impl LateFrames {
    pub(crate) const fn new() -> Self {
        Self {
            frames: Vec::new(),
            depth: 0,
        }
    }

    /// For the handler at this depth.
    pub(crate) fn at(depth: u32, frames: Vec<LateFrame>) -> Self {
        Self { frames, depth }
    }

    /// Fills `out` at the depth that `depth` says, if that is its handler's; how many there are. Each GetCallTrace of
    /// the thread's own comes here, and mostly there is nothing.
    #[inline]
    pub(crate) fn fill(
        &self,
        depth: impl FnOnce() -> Option<u32>,
        out: &mut [MaybeUninit<JVMPI_CallFrame>],
    ) -> Option<usize> {
        if self.frames.is_empty() || depth() != Some(self.depth) {
            return None;
        }
        for (place, frame) in out.iter_mut().zip(&self.frames) {
            place.write(JVMPI_CallFrame {
                lineno: frame.lineno,
                method_id: frame.method.to_jni(),
            });
        }
        Some(out.len().min(self.frames.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_handler_of_the_late_event_sees_its_frames() {
        let frame = |number| LateFrame {
            method: MethodId::from_number(number),
            lineno: 7,
        };
        let late = LateFrames::at(1, vec![frame(0x1000), frame(0x2000)]);
        let count = |late: &LateFrames, depth, room| {
            let mut out = vec![MaybeUninit::uninit(); room];
            late.fill(|| Some(depth), &mut out)
        };
        assert_eq!(count(&late, 1, 4), Some(2));
        assert_eq!(count(&late, 1, 1), Some(1));
        // Outside of it, and in what happens within.
        assert_eq!(count(&late, 0, 4), None);
        assert_eq!(count(&late, 2, 4), None);
        assert_eq!(count(&LateFrames::new(), 0, 4), None);
        let shown = crate::vm::stack::collect(4, |out| late.fill(|| Some(1), out).unwrap_or(0));
        let shown: Vec<_> = shown.iter().map(|frame| frame.lineno).collect();
        assert_eq!(shown, [7, 7]);
    }
}
