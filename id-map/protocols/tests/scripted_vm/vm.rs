//! The VM of the scripts: objects with tags, collections that stop the world, deaths that are told
//! later and in any order, monitors with a structure that comes when two meet.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::stage::{Me, Random, lock};

/// An object of the VM's; no two have the same.
pub(crate) type Object = u32;

/// What a pause is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collection {
    Whole,
    /// One of a concurrent cycle: the VM does not count it.
    PartOfCycle,
}

#[derive(Default)]
pub(crate) struct Monitor {
    pub(crate) owner: Option<usize>,
    /// All its entries.
    pub(crate) entries: u32,
    /// Those that its structure counts: not those from before it had one.
    counted: u32,
    inflated: bool,
    /// The owner has asked whether it has to say that it leaves.
    pub(crate) leaving: bool,
}

#[derive(Default)]
struct World {
    /// Tags of all objects that have not been collected.
    tags: BTreeMap<Object, u64>,
    /// What the program holds.
    held: Vec<(usize, Object)>,
    /// What it has always held, by its place.
    always: BTreeMap<usize, Object>,
    born: Object,
    /// Tags of what was found dead and has not been told.
    untold: Vec<u64>,
    collections: u32,
    monitors: BTreeMap<usize, Monitor>,
}

pub(crate) struct Vm {
    world: Mutex<World>,
    random: Mutex<Random>,
}

impl Vm {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            world: Mutex::default(),
            random: Mutex::new(Random(!seed)),
        }
    }

    // ---- objects ------------------------------------------------------------------

    /// A new object; the thread holds it.
    pub(crate) fn allocate(&self, me: Me<'_>) -> Object {
        let mut world = lock(&self.world);
        world.born += 1;
        let object = world.born;
        world.tags.insert(object, 0);
        world.held.push((me.index(), object));
        object
    }

    /// The object at this place: it was there before anybody listened.
    pub(crate) fn always_there(&self, place: usize) -> Object {
        let mut world = lock(&self.world);
        if let Some(&object) = world.always.get(&place) {
            return object;
        }
        world.born += 1;
        let object = world.born;
        world.tags.insert(object, 0);
        world.held.push((usize::MAX, object));
        world.always.insert(place, object);
        object
    }

    /// One that nobody holds.
    pub(crate) fn plant(&self, tag: u64) {
        let mut world = lock(&self.world);
        world.born += 1;
        let object = world.born;
        world.tags.insert(object, tag);
    }

    /// The thread forgets the oldest object that it holds.
    pub(crate) fn forget(&self, me: Me<'_>) {
        let mut world = lock(&self.world);
        let oldest = world.held.iter().position(|&(who, _)| who == me.index());
        if let Some(oldest) = oldest {
            world.held.remove(oldest);
        }
    }

    pub(crate) fn tag(&self, object: Object) -> u64 {
        lock(&self.world).tags[&object]
    }

    pub(crate) fn set_tag(&self, object: Object, tag: u64) {
        let before = lock(&self.world).tags.insert(object, tag);
        assert_eq!(before, Some(0), "an object has two ids");
    }

    /// A walk over the heap, with the world stopped: all that is reachable, and has no tag, gets
    /// one. All objects that have one, by it.
    pub(crate) fn walk(&self, tag: impl Fn() -> u64) -> Vec<(u64, Object)> {
        let mut world = lock(&self.world);
        let reachable: Vec<_> = world.held.iter().map(|&(_, object)| object).collect();
        let tags = reachable.into_iter().map(|object| {
            let place = world.tags.get_mut(&object).unwrap();
            if *place == 0 {
                *place = tag();
            }
            (*place, object)
        });
        tags.collect()
    }

    /// Finds out what is dead; the VM's count of collections.
    pub(crate) fn collect(&self, kind: Collection) -> u32 {
        let mut world = lock(&self.world);
        let World {
            tags, held, untold, ..
        } = &mut *world;
        tags.retain(|object, tag| {
            let lives = held.iter().any(|(_, other)| other == object);
            if !lives && *tag != 0 {
                untold.push(*tag);
            }
            lives
        });
        world.collections += u32::from(kind == Collection::Whole);
        world.collections
    }

    /// One of the deaths that have not been told.
    pub(crate) fn next_death(&self) -> Option<u64> {
        let mut world = lock(&self.world);
        let count = world.untold.len();
        (count > 0).then(|| {
            let at = lock(&self.random).below(count);
            world.untold.swap_remove(at)
        })
    }

    pub(crate) fn has_told_all(&self) -> bool {
        lock(&self.world).untold.is_empty()
    }

    // ---- monitors -----------------------------------------------------------------

    /// Runs with one.
    pub(crate) fn monitor<T>(&self, which: usize, act: impl FnOnce(&mut Monitor) -> T) -> T {
        act(lock(&self.world).monitors.entry(which).or_default())
    }

    /// Enters it if it is free or the thread's own; else it gets its structure.
    pub(crate) fn try_enter(&self, me: Me<'_>, which: usize) -> bool {
        self.monitor(which, |monitor| {
            if monitor.owner.is_some_and(|owner| owner != me.index()) {
                if !monitor.inflated {
                    // It says that the owner has entered once.
                    monitor.inflated = true;
                    monitor.counted = 1;
                }
                return false;
            }
            monitor.owner = Some(me.index());
            monitor.entries += 1;
            monitor.counted += 1;
            true
        })
    }

    pub(crate) fn exit(&self, which: usize) {
        self.monitor(which, |monitor| {
            monitor.entries -= 1;
            monitor.counted = monitor.counted.saturating_sub(1);
            monitor.leaving = false;
            if monitor.entries == 0 {
                monitor.owner = None;
                monitor.counted = 0;
            }
        });
    }

    /// How often the owner has entered within its first entry, by the structure.
    pub(crate) fn recursions(&self, which: usize) -> u32 {
        self.monitor(which, |monitor| monitor.counted.saturating_sub(1))
    }
}
