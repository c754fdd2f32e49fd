//! Where objects were allocated: how many of each place, and how many of them still live.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::amount::Amount;
use crate::classes::EPOCH;
use crate::counts::Counted;
use crate::objects::Object;
use crate::say;

/// A place: a trace, a class (or elements' class) by index, a kind. With `sample=` those of one
/// size only, as what one of them stands for goes by its size; else 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) trace: u32,
    pub(crate) class: u32,
    pub(crate) kind: u8,
    pub(crate) size: u32,
}

/// Counters of 1024 sites, objects and bytes in turn.
type DeathsOfMany = Box<[AtomicU64]>;
const MANY: usize = 1024;

#[derive(Debug)]
pub(crate) struct Sites {
    places: Mutex<Places>,
    deaths: Box<[OnceLock<DeathsOfMany>]>,
    pub(crate) counted: Counted,
}

#[derive(Debug, Default)]
struct Places {
    numbers: FxHashMap<Place, u32>,
    all: Vec<Place>,
    /// How many there were when sites were cleared.
    cleared: usize,
}

impl Sites {
    pub(crate) fn new() -> Self {
        // Four million sites.
        Self::with_room(4096)
    }

    /// For so many times [`MANY`].
    fn with_room(deaths: usize) -> Self {
        Self {
            places: Mutex::default(),
            deaths: (0..deaths).map(|_| OnceLock::new()).collect(),
            counted: Counted::default(),
        }
    }

    /// The last site, of all places that there is no other room for.
    fn last(&self) -> usize {
        self.deaths.len() * MANY - 1
    }

    pub(crate) fn number(&self, place: Place) -> u32 {
        let mut places = self.places.lock();
        if let Some(&number) = places.numbers.get(&place) {
            return number;
        }
        let (next, last) = (places.all.len(), self.last());
        let number = u32::try_from(next.min(last)).unwrap_or(0);
        if next > last {
            return number;
        }
        if let Some(many) = self.deaths.get(next / MANY) {
            many.get_or_init(|| (0..2 * MANY).map(|_| AtomicU64::new(0)).collect());
        }
        if next < last {
            places.all.push(place);
            places.numbers.insert(place, number);
            return number;
        }
        places.all.push(Place {
            trace: 0,
            class: 0,
            kind: 0,
            ..place
        });
        drop(places);
        say::error(format_args!(
            "objects come from more than {last} sites: those of all others are one, of an unknown class and trace 0"
        ));
        number
    }

    /// The trace of each site.
    pub(crate) fn traces(&self) -> Vec<u32> {
        self.places
            .lock()
            .all
            .iter()
            .map(|place| place.trace)
            .collect()
    }

    /// What was is forgotten: amounts are those since. Each place is a new site from now on, so
    /// that what was allocated before lives and dies at the old one, which is not shown.
    pub(crate) fn clear(&self) {
        let mut places = self.places.lock();
        places.numbers.clear();
        // The last is shown as long as there is one: it has all that comes now.
        places.cleared = places.all.len().min(self.last());
        drop(places);
        // Behind that: a thread that has seen it asks for the new numbers.
        EPOCH.fetch_add(1, Ordering::Release);
    }

    /// Two additions: no lock and no memory, as JVMPI demands.
    #[inline]
    pub(crate) fn died(&self, object: Object) {
        let many = self.deaths.get(object.site as usize / MANY);
        let at = object.site as usize % MANY * 2;
        if let Some([objects, bytes]) = many
            .and_then(OnceLock::get)
            .and_then(|many| many.get(at..at + 2))
        {
            // Who sees a death sees the birth.
            objects.fetch_add(1, Ordering::Release);
            bytes.fetch_add(u64::from(object.size), Ordering::Release);
        }
    }

    fn dead(&self, site: u32) -> Amount {
        let many = self.deaths.get(site as usize / MANY);
        let at = site as usize % MANY * 2;
        match many
            .and_then(OnceLock::get)
            .and_then(|many| many.get(at..at + 2))
        {
            // Relaxed: `amounts` has the fence behind it.
            Some([objects, bytes]) => Amount {
                objects: objects.load(Ordering::Relaxed),
                bytes: bytes.load(Ordering::Relaxed),
            },
            _ => Amount::default(),
        }
    }

    /// Each place with what was allocated there and what of it still lives.
    pub(crate) fn amounts(&self) -> Vec<(Place, Amount, Amount)> {
        let places = self.places.lock();
        let (all, cleared) = (places.all.clone(), places.cleared);
        drop(places);
        let numbered = (0..).zip(all).skip(cleared);
        // Before what was allocated: else some would be dead that are not counted yet.
        let dead: Vec<_> = numbered
            .map(|(site, place)| (site, place, self.dead(site)))
            .collect();
        fence(Ordering::Acquire);
        let allocated = self.counted.totals();
        dead.into_iter()
            .map(|(site, place, dead)| {
                let allocated = allocated.get(&site).copied().unwrap_or_default();
                (place, allocated, allocated.less(dead))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::counts::{Count, Counts};

    #[test]
    fn what_there_is_no_room_for_lives_and_dies_in_the_last_site() {
        const PLACES: u32 = 1500;
        let sites = Sites::with_room(1);
        let counts = Counts::default();
        sites.counted.begun(&counts);
        for trace in 1..=PLACES {
            let site = sites.number(Place {
                trace,
                class: 1,
                kind: 0,
                size: 0,
            });
            let count = Count::new(site);
            count.add(16);
            counts.lock().push(Arc::new(count));
            sites.died(Object {
                site,
                size: 16,
                arena: 1,
            });
        }
        let amounts = sites.amounts();
        assert_eq!(amounts.len(), MANY);
        assert!(amounts.iter().all(|(_, _, live)| live.objects == 0));
        let (place, allocated, _) = amounts[MANY - 1];
        assert_eq!((place.trace, place.class), (0, 0));
        assert_eq!(allocated.objects, u64::from(PLACES) - 1023);
        sites.clear();
        assert_eq!(sites.amounts().len(), 1);
    }
}
