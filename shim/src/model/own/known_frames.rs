//! Frames as the agent sees them, remembered by each thread that asks for short stacks: the
//! same few come again at every allocation, and here they cost neither lock nor search. Of
//! long stacks some frame is nearly always missing: they are not for here.
//!
//! # Threads
//! Each has its own; what has become void is void for all at once ([`forget`]).

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

use jvmpi_headers::jvmpi::JVMPI_CallFrame;

use crate::vm::env::Frame;
use crate::vm::member_ids::MethodId;

/// A frame of the VM's, and what the agent is told of it.
#[derive(Clone, Copy, Debug)]
struct Known {
    method: MethodId,
    location: i64,
    /// [`NOBODY`] if it is not shown.
    announced_as: MethodId,
    lineno: i32,
}

/// No method.
const NOBODY: MethodId = MethodId::from_number(0);

/// No frame is at this location.
const NOWHERE: i64 = i64::MIN;

/// Longer stacks are neither looked for nor remembered.
pub(crate) const LONGEST: usize = 16;

/// Room for as many frames; each has one place. 8 KiB, of threads that ask.
const PLACES: usize = 256;

/// What one thread remembers.
#[derive(Debug, Default)]
pub(crate) struct KnownFrames {
    places: Vec<Known>,
    /// [`VERSION`] when the first of them was found.
    version: u64,
}

/// Goes up by two when methods are forgotten, after they are.
static VERSION: AtomicU64 = AtomicU64::new(0);

/// Methods have ended, or their bytecode is another.
pub(crate) fn forget() {
    VERSION.fetch_add(2, Ordering::AcqRel);
}

/// To be read before a method is looked up that is going to be remembered. While the agent is `told` of
/// classes only frames are remembered whose class it has heard of, and none from before.
pub(crate) fn version(told: bool) -> u64 {
    VERSION.load(Ordering::Acquire) | u64::from(told)
}

impl KnownFrames {
    pub(crate) const fn new() -> Self {
        Self {
            places: Vec::new(),
            version: 0,
        }
    }

    /// Fills `out` with the first of `frames` if all of them are known since `version`, which is
    /// [`version`] now; how many there are.
    #[inline]
    pub(crate) fn fill(
        &self,
        version: u64,
        frames: &[Frame],
        out: &mut [MaybeUninit<JVMPI_CallFrame>],
    ) -> Option<usize> {
        if self.version != version {
            return None;
        }
        let size = out.len();
        let mut room = out.iter_mut();
        for frame in frames {
            if room.len() == 0 {
                break;
            }
            let known = self.places.get(place(frame))?;
            if known.method != frame.method || known.location != frame.location {
                return None;
            }
            if known.announced_as == NOBODY {
                continue;
            }
            room.next()?.write(JVMPI_CallFrame {
                lineno: known.lineno,
                method_id: known.announced_as.to_jni(),
            });
        }
        Some(size - room.len())
    }

    /// Of a class that the agent knows or is not told of, or not `shown`; found since `version`.
    pub(crate) fn remember(&mut self, version: u64, frame: &Frame, shown: Option<JVMPI_CallFrame>) {
        const FREE: Known = Known {
            method: NOBODY,
            location: NOWHERE,
            announced_as: NOBODY,
            lineno: 0,
        };
        if self.places.is_empty() || self.version != version {
            self.places.clear();
            self.places.resize(PLACES, FREE);
            self.version = version;
        }
        if let Some(known) = self.places.get_mut(place(frame)) {
            *known = Known {
                method: frame.method,
                location: frame.location,
                announced_as: shown.map_or(NOBODY, |shown| MethodId::from_jni(shown.method_id)),
                lineno: shown.map_or(0, |shown| shown.lineno),
            };
        }
    }
}

/// Where a frame is remembered.
#[inline]
fn place(frame: &Frame) -> usize {
    let number = frame.method.number() ^ frame.location.cast_unsigned().rotate_left(40) as usize;
    // The upper bits of a product are those that depend on all others.
    (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> (usize::BITS - PLACES.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(number: usize) -> JVMPI_CallFrame {
        JVMPI_CallFrame {
            lineno: i32::try_from(number).unwrap(),
            method_id: MethodId::from_number(number).to_jni(),
        }
    }

    fn lines(known: &KnownFrames, version: u64, frames: &[Frame]) -> Option<Vec<i32>> {
        let mut out = [const { MaybeUninit::uninit() }; 3];
        let count = known.fill(version, frames, &mut out)?;
        let frames =
            crate::vm::stack::collect(count, |room| known.fill(version, frames, room).unwrap_or(0));
        Some(frames.iter().map(|frame| frame.lineno).collect())
    }

    #[test]
    fn only_stacks_whose_frames_are_all_known_are_told() {
        let frame = |method, location| Frame {
            method: MethodId::from_number(method),
            location,
        };
        let stack = [frame(0x1000, 4), frame(0x2000, 0), frame(0x1000, 5)];
        let mut known = KnownFrames::new();
        assert_eq!(lines(&known, 0, &stack), None);
        assert_eq!(lines(&known, 0, &[]), Some(vec![]));
        for (number, frame) in (1..).zip(&stack) {
            assert_eq!(lines(&known, 0, &stack), None);
            known.remember(0, frame, Some(shown(number)));
        }
        assert_eq!(lines(&known, 0, &stack), Some(vec![1, 2, 3]));
        // One more than there is room for is not looked at.
        let more = [&stack[..], &[frame(0x3000, 0)]].concat();
        assert_eq!(lines(&known, 0, &more), Some(vec![1, 2, 3]));
        assert_eq!(lines(&known, 0, &[frame(0, 0)]), None);
        // One that is not shown leaves its room to the next.
        let hidden = frame(0x4000, 2);
        let more = [&[hidden], &stack[..]].concat();
        assert_eq!(lines(&known, 0, &more), None);
        known.remember(0, &hidden, None);
        assert_eq!(lines(&known, 0, &more), Some(vec![1, 2, 3]));
    }

    #[test]
    fn who_is_told_of_classes_gets_no_frame_from_before() {
        let frame = Frame {
            method: MethodId::from_number(0x1000),
            location: 1,
        };
        let mut known = KnownFrames::new();
        let (untold, told) = (version(false), version(true));
        known.remember(untold, &frame, Some(shown(1)));
        assert_eq!(lines(&known, untold, &[frame]), Some(vec![1]));
        assert_eq!(lines(&known, told, &[frame]), None);
        known.remember(told, &frame, Some(shown(2)));
        assert_eq!(lines(&known, told, &[frame]), Some(vec![2]));
        assert_eq!(lines(&known, untold, &[frame]), None);
    }

    #[test]
    fn what_methods_were_before_a_change_is_void() {
        let frame = Frame {
            method: MethodId::from_number(0x1000),
            location: 1,
        };
        let mut known = KnownFrames::new();
        known.remember(0, &frame, Some(shown(1)));
        assert_eq!(lines(&known, 1, &[frame]), None);
        known.remember(
            1,
            &Frame {
                method: MethodId::from_number(0x2000),
                location: 1,
            },
            Some(shown(2)),
        );
        assert_eq!(lines(&known, 1, &[frame]), None);
        // Looked up before the change, remembered after it.
        known.remember(0, &frame, Some(shown(3)));
        assert_eq!(lines(&known, 1, &[frame]), None);
    }
}
