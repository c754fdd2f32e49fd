//! What was learnt of the code on stacks: which methods a place in it stands for.
//!
//! A place of the interpreter's is a bytecode of a method; one of compiled code an address that a call
//! returns to, and stands for the method and those inlined into it; one of a stub stands for none. The same
//! few thousand come again and again.
//!
//! # Threads
//! Any. Whoever holds the lock calls nobody: neither VM nor agent.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use id_map::IdHasher;
use parking_lot::RwLock;

use crate::vm::env::Frame;
use crate::vm::hotspot::frame_layout::Code;

/// So many places and frames are remembered: more, and all are forgotten. 17 MiB.
const PLACES: usize = 1 << 17;
const FRAMES: usize = 1 << 18;

/// What is known of all places.
pub(crate) static KNOWN_CODE: RwLock<KnownCode> = RwLock::new(KnownCode::new());

/// What tells one place from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The bytecode, or the address in compiled code.
    pub(crate) at: usize,
    /// The interpreted method; 0 in compiled code.
    pub(crate) method: usize,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64((self.at ^ self.method.rotate_left(32)) as u64);
    }
}

#[derive(Clone, Copy, Debug)]
struct Place {
    code: Code,
    first: u32,
    count: u32,
}

/// Places and their frames.
#[derive(Debug)]
pub(crate) struct KnownCode {
    places: HashMap<Key, Place, BuildHasherDefault<IdHasher>>,
    frames: Vec<Frame>,
}

impl KnownCode {
    const fn new() -> Self {
        Self {
            places: HashMap::with_hasher(BuildHasherDefault::new()),
            frames: Vec::new(),
        }
    }

    /// What is known of a place: its code, and its frames, callee first.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<(&Code, &[Frame])> {
        let place = self.places.get(&key)?;
        let first = place.first as usize;
        let frames = self.frames.get(first..first + place.count as usize)?;
        Some((&place.code, frames))
    }

    /// Nothing is known any more.
    pub(crate) fn forget(&mut self) {
        *self = Self::new();
    }

    /// These are the frames of that place. False if that was known.
    pub(crate) fn learn(&mut self, key: Key, code: Code, frames: &[Frame]) -> bool {
        if self.get(key) == Some((&code, frames)) {
            return false;
        }
        let end = self.frames.len() + frames.len();
        if end > FRAMES || self.places.len() >= PLACES {
            self.forget();
        }
        let first = self.frames.len();
        self.frames.extend_from_slice(frames);
        let place = Place {
            code,
            // Neither is more than FRAMES.
            first: u32::try_from(first).unwrap_or(u32::MAX),
            count: u32::try_from(frames.len()).unwrap_or(0),
        };
        self.places.insert(key, place);
        true
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

    fn of(known: &KnownCode, key: Key) -> Option<Vec<Frame>> {
        known.get(key).map(|(_, frames)| frames.to_vec())
    }

    #[test]
    fn what_was_learnt_last_is_known() {
        let mut known = KnownCode::new();
        assert!(known.get(key(0x7000)).is_none());
        assert!(known.learn(key(0x7000), Code::default(), &frames(&[1, 2])));
        assert!(!known.learn(key(0x7000), Code::default(), &frames(&[1, 2])));
        assert!(known.learn(key(0x7008), Code::default(), &[]));
        assert_eq!(of(&known, key(0x7000)), Some(frames(&[1, 2])));
        assert_eq!(of(&known, key(0x7008)), Some(vec![]));
        let interpreted = Key {
            at: 0x7000,
            method: 0x9000,
        };
        assert_eq!(of(&known, interpreted), None);
        assert!(known.learn(key(0x7000), Code::default(), &frames(&[3])));
        assert_eq!(of(&known, key(0x7000)), Some(frames(&[3])));
    }

    #[test]
    fn what_is_too_much_is_forgotten() {
        let mut known = KnownCode::new();
        for at in 1..=PLACES + 10 {
            known.learn(key(at), Code::default(), &frames(&[at]));
            assert_eq!(of(&known, key(at)), Some(frames(&[at])));
        }
        assert_eq!(known.places.len(), 10);
        let many = frames(&[7; 1 << 10]);
        for at in 1..1 << 10 {
            known.learn(key(at), Code::default(), &many);
            assert_eq!(of(&known, key(at)).as_ref(), Some(&many));
            assert!(known.frames.len() <= FRAMES);
        }
    }
}
