//! Which site each object came from, and how large it is: eight bytes an object.

use std::sync::atomic::Ordering;

use crate::ffi::id_table;

/// An object that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) site: u32,
    pub(crate) size: u32,
    /// 15 stands for all from there.
    pub(crate) arena: u32,
}

/// Sizes are multiples of this.
const UNIT: u32 = 8;
/// What there is room for behind the arena.
const MOST_UNITS: u32 = 0x0fff_ffff;

/// A size as births and deaths count it. The largest that JVMPI can tell, of all arrays from 2 GiB on, is no multiple.
#[inline]
pub(crate) fn whole_units(size: u32) -> u32 {
    size.div_ceil(UNIT).min(MOST_UNITS) * UNIT
}

impl Object {
    /// The site, and one, in the upper half; size and arena in the lower one.
    fn pack(self) -> u64 {
        let units = u64::from(whole_units(self.size) / UNIT);
        u64::from(self.site + 1) << 32 | u64::from(self.arena.min(15)) << 28 | units
    }

    fn unpack(word: u64) -> Option<Self> {
        let site = u32::try_from(word >> 32).ok()?.checked_sub(1)?;
        let low = u32::try_from(word & 0xffff_ffff).ok()?;
        Some(Self {
            site,
            size: (low & MOST_UNITS) * UNIT,
            arena: low >> 28,
        })
    }
}

/// Returns what had this id, and died unheard. Of a free id nobody else tells at the same
/// time, so a plain store will do: an exchange would wait for all stores before it.
#[inline]
pub(crate) fn put(id: usize, object: Object) -> Option<Object> {
    let word = id_table::find_or_make(id)?;
    // Relaxed: here and below the word is all there is of an object; whoever asks for one has its id
    // from the host, which tells of a birth before the id can be anywhere else, and of a death before
    // it is another's.
    if word.load(Ordering::Relaxed) == 0 {
        word.store(object.pack(), Ordering::Relaxed);
        return None;
    }
    Object::unpack(word.swap(object.pack(), Ordering::Relaxed))
}

pub(crate) fn get(id: usize) -> Option<Object> {
    Object::unpack(id_table::find(id)?.load(Ordering::Relaxed))
}

#[inline]
pub(crate) fn take(id: usize) -> Option<Object> {
    Object::unpack(id_table::find(id)?.swap(0, Ordering::Relaxed))
}

/// All objects of an arena die.
pub(crate) fn take_arena(arena: u32, mut died: impl FnMut(Object)) {
    for word in id_table::all() {
        let object = Object::unpack(word.load(Ordering::Relaxed));
        if let Some(object) = object.filter(|object| object.arena == arena.min(15)) {
            word.store(0, Ordering::Relaxed);
            died(object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_taken_once() {
        let object = Object {
            site: 7,
            size: 0x7fff_fff8,
            arena: 3,
        };
        assert_eq!(put(0x0123_4560, object), None);
        assert_eq!(get(0x0123_4560), Some(object));
        assert_eq!(
            put(
                0x0123_4560,
                Object {
                    site: 0,
                    size: 16,
                    arena: 1
                }
            ),
            Some(object)
        );
        assert_eq!(
            take(0x0123_4560),
            Some(Object {
                site: 0,
                size: 16,
                arena: 1
            })
        );
        assert_eq!(take(0x0123_4560), None);
        put(0x10_0000_0010, object);
        let mut dead = 0;
        take_arena(3, |_| dead += 1);
        assert_eq!((dead, get(0x10_0000_0010)), (1, None));
    }

    #[test]
    fn what_dies_is_as_large_as_what_was_born() {
        for (id, told, counted) in [
            (0x0123_5000, 16, 16),
            (0x0123_5010, 20, 24),
            (0x0123_5020, 0x7fff_fff8, 0x7fff_fff8),
            (0x0123_5030, 0x7fff_ffff, 0x7fff_fff8),
            (0x0123_5040, u32::MAX, 0x7fff_fff8),
        ] {
            let object = Object {
                site: 1,
                size: told,
                arena: 1,
            };
            assert_eq!(put(id, object), None);
            let died = take(id).map(|object| object.size);
            assert_eq!((died, whole_units(told)), (Some(counted), counted));
        }
    }
}
