//! Objects that have an id without a tag: of each there is a reference that is weak to the
//! collector, and so tells whether the object lives.
//!
//! Threads write pages of their own, without a lock; one thread at a time looks through them.
//! References are numbers here: whoever puts one in says what it is, and deletes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering, fence};

use parking_lot::Mutex;

use crate::ObjectId;

/// Objects on a page: 4 KiB.
const PAGE: usize = 256;

#[derive(Debug, Default)]
struct Entry {
    /// 0 once it has been deleted.
    reference: AtomicUsize,
    id: AtomicU32,
}

#[derive(Debug)]
struct Page {
    used: AtomicU32,
    entries: Box<[Entry]>,
}

impl Page {
    /// `None` if there is no memory: objects are born where nothing may end the process.
    fn new() -> Option<Self> {
        let mut entries = Vec::new();
        entries.try_reserve_exact(PAGE).ok()?;
        entries.resize_with(PAGE, Entry::default);
        Some(Self {
            used: AtomicU32::new(0),
            entries: entries.into(),
        })
    }

    /// For the page's owner; false if it is full.
    #[inline]
    fn add(&self, reference: usize, id: ObjectId) -> bool {
        // Relaxed: written on by one thread; others have read `used` before.
        let used = self.used.load(Ordering::Relaxed);
        let Some(entry) = self.entries.get(used as usize) else {
            return false;
        };
        entry.id.store(id.index(), Ordering::Relaxed);
        entry.reference.store(reference, Ordering::Relaxed);
        // Who reads this number reads the entry as well.
        self.used.store(used + 1, Ordering::Release);
        true
    }

    fn used(&self) -> usize {
        self.used.load(Ordering::Acquire) as usize
    }

    /// Nothing is written on it any more: it is full, or its owner has ended.
    fn is_left(self: &Arc<Self>) -> bool {
        if self.used() == PAGE {
            return true;
        }
        let is_alone = Arc::strong_count(self) == 1;
        // What the owner has written before it let go of the page.
        fence(Ordering::Acquire);
        is_alone
    }

    /// Those that have not been deleted.
    fn entries(&self) -> impl Iterator<Item = (&Entry, usize, ObjectId)> {
        self.entries.iter().take(self.used()).filter_map(|entry| {
            let reference = entry.reference.load(Ordering::Relaxed);
            let id = ObjectId::from_index(entry.id.load(Ordering::Relaxed))?;
            (reference != 0).then_some((entry, reference, id))
        })
    }
}

/// The page on which a thread writes.
///
/// # Threads
/// Only its owner.
#[derive(Debug, Default)]
pub struct Births(Option<Arc<Page>>);

impl Births {
    /// No page.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }
}

#[derive(Debug, Default)]
struct Pages {
    /// Those that are written on, or were since the last look.
    young: Vec<Arc<Page>>,
    old: Vec<Arc<Page>>,
}

/// All of them.
#[derive(Debug)]
pub struct Watched {
    pages: Mutex<Pages>,
    any: AtomicBool,
}

impl Default for Watched {
    fn default() -> Self {
        Self::new()
    }
}

impl Watched {
    /// Nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            pages: Mutex::new(Pages {
                young: Vec::new(),
                old: Vec::new(),
            }),
            any: AtomicBool::new(false),
        }
    }

    /// Whether there may be any.
    #[inline]
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// An object was born; `births` is the calling thread's. False if there is no memory for it.
    #[inline]
    pub fn add(&self, births: &mut Births, reference: usize, id: ObjectId) -> bool {
        let done = births
            .0
            .as_ref()
            .is_some_and(|page| page.add(reference, id));
        done || self.add_on_new_page(births, reference, id)
    }

    #[cold]
    fn add_on_new_page(&self, births: &mut Births, reference: usize, id: ObjectId) -> bool {
        let Some(page) = Page::new() else {
            return false;
        };
        let page = Arc::new(page);
        let done = page.add(reference, id);
        births.0 = Some(Arc::clone(&page));
        self.pages.lock().young.push(page);
        self.any.store(true, Ordering::Release);
        done
    }

    /// Looks at the young ones, and at all if there are few of the others or `thorough` is set.
    /// `stays` gets the reference and the id of each; of which it says no, it has deleted the
    /// reference. How many old ones it has looked at.
    ///
    /// # Threads
    /// One at a time. No lock is held while `stays` runs.
    pub fn look(&self, thorough: bool, mut stays: impl FnMut(usize, ObjectId) -> bool) -> usize {
        /// So few are looked at each time.
        const FEW: usize = 1 << 16;
        let mut looked = 0;
        let (young, mut old) = {
            let mut pages = self.pages.lock();
            let all = thorough || pages.old.len() * PAGE < FEW;
            let old = if all {
                std::mem::take(&mut pages.old)
            } else {
                Vec::new()
            };
            (std::mem::take(&mut pages.young), old)
        };
        looked += old.len() * PAGE;
        let mut kept = Pages::default();
        for page in old.drain(..).chain(young) {
            // Before it is read, or something could still be added behind what is read.
            let is_left = page.is_left();
            let mut live = 0;
            for (entry, reference, id) in page.entries() {
                if stays(reference, id) {
                    live += 1;
                } else {
                    entry.reference.store(0, Ordering::Relaxed);
                }
            }
            if !is_left {
                kept.young.push(page);
            } else if live * 2 >= PAGE {
                kept.old.push(page);
            } else if live > 0 {
                kept.move_from(page, live);
            }
        }
        let mut pages = self.pages.lock();
        pages.young.append(&mut kept.young);
        pages.old.append(&mut kept.old);
        let any = !pages.young.is_empty() || !pages.old.is_empty();
        self.any.store(any, Ordering::Release);
        looked
    }
}

impl Pages {
    /// What lives on a page that is mostly empty goes to the last one of the old.
    fn move_from(&mut self, page: Arc<Page>, live: usize) {
        let has_room = |last: &Arc<Page>| last.used() + live <= PAGE;
        if !self.old.last().is_some_and(has_room) {
            match Page::new() {
                Some(fresh) => self.old.push(Arc::new(fresh)),
                None => {
                    self.old.push(page);
                    return;
                }
            }
        }
        if let Some(last) = self.old.last() {
            for (_, reference, id) in page.entries() {
                last.add(reference, id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{Births, PAGE, Watched};
    use crate::ObjectId;

    fn id(index: u32) -> ObjectId {
        ObjectId::from_index(index).unwrap()
    }

    /// What is there: each with its reference, which is the id's index and 7.
    fn all(watched: &Watched) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        watched.look(true, |reference, id| {
            assert_eq!(reference, id.index() as usize + 7);
            assert!(found.insert(id.index()), "twice");
            true
        });
        found
    }

    fn add(watched: &Watched, births: &mut Births, index: u32) {
        assert!(watched.add(births, index as usize + 7, id(index)));
    }

    #[test]
    fn who_lives_is_found_each_time() {
        let watched = Watched::new();
        assert!(!watched.any());
        let mut births = Births::new();
        for index in 1..=1000 {
            add(&watched, &mut births, index);
        }
        assert!(watched.any());
        assert_eq!(all(&watched), (1..=1000).collect());
        // One of five dies, then four of five of the rest, and there are new ones each time.
        watched.look(true, |_, id| id.index() % 5 != 0);
        add(&watched, &mut births, 2000);
        assert_eq!(all(&watched).len(), 801);
        watched.look(true, |_, id| id.index() % 5 == 1);
        add(&watched, &mut births, 2001);
        let mut left: BTreeSet<u32> = (1..=1000).filter(|index| index % 5 == 1).collect();
        left.insert(2001);
        assert_eq!(all(&watched), left);
        watched.look(true, |_, _| false);
        assert!(all(&watched).is_empty());
        // Its owner still writes on the last page.
        assert!(watched.any());
        drop(births);
        watched.look(false, |_, _| true);
        assert!(!watched.any());
    }

    #[test]
    fn a_few_survivors_of_many_pages_share_some() {
        let watched = Watched::new();
        let mut births = Births::new();
        let most = u32::try_from(100 * PAGE).unwrap();
        for index in 1..=most {
            add(&watched, &mut births, index);
        }
        drop(births);
        watched.look(true, |_, id| id.index() % 10 == 0);
        assert_eq!(all(&watched).len(), 10 * PAGE);
        let pages = watched.pages.lock().old.len();
        assert!((10..=12).contains(&pages), "{pages}");
    }

    #[test]
    fn old_ones_are_looked_at_rarely_where_there_are_many() {
        let watched = Watched::new();
        let mut births = Births::new();
        for index in 1..=200_000 {
            add(&watched, &mut births, index);
        }
        drop(births);
        assert_eq!(watched.look(false, |_, _| true), 0);
        assert_eq!(watched.look(false, |_, _| panic!("an old one")), 0);
        assert!(watched.look(true, |_, id| id.index() < 1000) >= 200_000);
        assert!(watched.look(false, |_, _| true) >= 999);
        assert_eq!(all(&watched).len(), 999);
    }

    #[test]
    fn what_is_born_during_a_look_is_not_lost() {
        const EACH: u32 = 40_000;
        let watched = Watched::new();
        let over = AtomicBool::new(false);
        let mut dead = BTreeSet::new();
        std::thread::scope(|scope| {
            let watched = &watched;
            let owners: Vec<_> = (0..2)
                .map(|owner| {
                    scope.spawn(move || {
                        let mut births = Births::new();
                        for index in 1..=EACH {
                            add(watched, &mut births, owner * EACH + index);
                        }
                    })
                })
                .collect();
            let over = &over;
            let looks = scope.spawn(move || {
                let mut dead = BTreeSet::new();
                while !over.load(Ordering::SeqCst) {
                    watched.look(true, |_, id| {
                        id.index() % 3 == 0 || !dead.insert(id.index())
                    });
                }
                dead
            });
            for owner in owners {
                owner.join().unwrap();
            }
            over.store(true, Ordering::SeqCst);
            dead = looks.join().unwrap();
        });
        let mut seen = all(&watched);
        assert!(seen.is_disjoint(&dead));
        seen.append(&mut dead);
        assert_eq!(seen, (1..=2 * EACH).collect());
    }
}
