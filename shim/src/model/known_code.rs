//! What a thread has learnt of the code on its stacks: which methods a place in it stands for.
//!
//! A place of the interpreter's is a bytecode of a method; one of compiled code an address that a call
//! returns to, and stands for the method and those inlined into it; one of a stub stands for none. The same
//! few hundred come again and again.
//!
//! # Threads
//! Each has its own: neither lock nor anything atomic.

use crate::vm::env::Frame;
use crate::vm::hotspot::frame_layout::Code;

/// Room for as many places, in powers of two.
const FEWEST: usize = 64;
const MOST: usize = 4096;
/// Frames kept: more are forgotten with all else. 256 KiB.
const FRAMES: usize = 1 << 14;
/// After attempts that taught nothing, so many stacks at most are not looked at.
const LONGEST_REST: u32 = 1024;

/// What tells one place from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key {
    /// The bytecode, or the address in compiled code.
    pub(crate) at: usize,
    /// The interpreted method; 0 in compiled code.
    pub(crate) method: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    key: Key,
    code: Code,
    first: u32,
    count: u32,
}

/// What one thread knows.
#[derive(Debug, Default)]
pub(crate) struct KnownCode {
    places: Vec<Place>,
    frames: Vec<Frame>,
    /// So many stacks are not looked at now, and so many after the next attempt that teaches nothing.
    rest: u32,
    next_rest: u32,
}

impl KnownCode {
    pub(crate) const fn new() -> Self {
        Self {
            places: Vec::new(),
            frames: Vec::new(),
            rest: 0,
            next_rest: 1,
        }
    }

    /// What is known of a place: its code, and its frames, callee first.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<(&Code, &[Frame])> {
        let place = self.places.get(self.index(key))?;
        if place.key != key {
            return None;
        }
        let first = place.first as usize;
        let frames = self.frames.get(first..first + place.count as usize)?;
        Some((&place.code, frames))
    }

    /// These are the frames of that place.
    pub(crate) fn learn(&mut self, key: Key, code: Code, frames: &[Frame]) {
        if self.frames.len() + frames.len() > FRAMES {
            self.places.clear();
            self.frames.clear();
        }
        if self.places.is_empty() {
            self.places.resize(FEWEST, Place::default());
        }
        while self.places.len() < MOST && self.is_anothers(key) {
            self.grow();
        }
        let first = self.frames.len();
        self.frames.extend_from_slice(frames);
        self.put(Place {
            key,
            code,
            // Neither is more than FRAMES.
            first: u32::try_from(first).unwrap_or(u32::MAX),
            count: u32::try_from(frames.len()).unwrap_or(0),
        });
    }

    /// Whether it is worth while to learn from the stack that is not known.
    pub(crate) fn wants_to_learn(&mut self) -> bool {
        let wants = self.rest == 0;
        self.rest = self.rest.saturating_sub(1);
        wants
    }

    /// Whether that has taught anything.
    pub(crate) fn note_attempt(&mut self, has_learnt: bool) {
        if has_learnt {
            self.next_rest = 1;
        } else {
            self.rest = self.next_rest;
            self.next_rest = (2 * self.next_rest).min(LONGEST_REST);
        }
    }

    /// Whether its place is taken by another.
    fn is_anothers(&self, key: Key) -> bool {
        let place = self.places.get(self.index(key));
        place.is_some_and(|place| ![key, Key::default()].contains(&place.key))
    }

    fn grow(&mut self) {
        let larger = vec![Place::default(); 2 * self.places.len()];
        for place in std::mem::replace(&mut self.places, larger) {
            if place.key != Key::default() {
                self.put(place);
            }
        }
    }

    fn put(&mut self, place: Place) {
        let index = self.index(place.key);
        if let Some(old) = self.places.get_mut(index) {
            *old = place;
        }
    }

    /// Where it is, in as many places as there are; there may be none yet.
    #[inline]
    fn index(&self, key: Key) -> usize {
        let mixed = (key.at ^ key.method.rotate_left(32)) as u64;
        // The upper bits of a product are those that depend on all others.
        let upper = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        upper as usize & self.places.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::member_ids::MethodId;

    fn key(at: usize) -> Key {
        Key { at, method: 0 }
    }

    fn frames(methods: &[usize]) -> Vec<Frame> {
        let frame = |&method: &usize| Frame {
            method: MethodId::from_number(method),
            location: 3,
        };
        methods.iter().map(frame).collect()
    }

    #[test]
    fn what_was_learnt_last_is_known() {
        let mut known = KnownCode::new();
        assert!(known.get(key(0x7000)).is_none());
        known.learn(key(0x7000), Code::default(), &frames(&[1, 2]));
        known.learn(key(0x7008), Code::default(), &[]);
        let of = |known: &KnownCode, key| known.get(key).map(|(_, frames)| frames.to_vec());
        assert_eq!(of(&known, key(0x7000)), Some(frames(&[1, 2])));
        assert_eq!(of(&known, key(0x7008)), Some(vec![]));
        let interpreted = Key {
            at: 0x7000,
            method: 0x9000,
        };
        assert_eq!(of(&known, interpreted), None);
        known.learn(key(0x7000), Code::default(), &frames(&[3]));
        assert_eq!(of(&known, key(0x7000)), Some(frames(&[3])));
    }

    #[test]
    fn many_places_find_room_and_the_oldest_are_forgotten() {
        let mut known = KnownCode::new();
        let some = 0x10_0000..0x10_0000 + MOST / 8;
        for at in some.clone() {
            known.learn(key(at), Code::default(), &frames(&[at]));
        }
        let there = some.filter(|&at| {
            known
                .get(key(at))
                .is_some_and(|(_, of)| of == frames(&[at]))
        });
        assert!(there.count() > MOST / 10);
        for at in 0..2 * FRAMES {
            known.learn(key(at + 1), Code::default(), &frames(&[at + 1]));
        }
        assert!(known.places.len() <= MOST && known.frames.len() <= FRAMES);
        let last = 2 * FRAMES;
        assert_eq!(
            known.get(key(last)).map(|(_, of)| of.to_vec()),
            Some(frames(&[last]))
        );
    }

    #[test]
    fn who_learns_nothing_rests() {
        let mut known = KnownCode::new();
        let mut attempts = 0;
        for _ in 0..10_000 {
            if known.wants_to_learn() {
                attempts += 1;
                known.note_attempt(false);
            }
        }
        assert!((15..30).contains(&attempts), "{attempts}");
        known.rest = 0;
        known.note_attempt(true);
        assert!(known.wants_to_learn() && known.wants_to_learn());
    }
}
