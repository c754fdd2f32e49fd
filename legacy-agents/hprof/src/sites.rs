//! Where objects are allocated: OBJECT_ALLOC, and what dies again.
//!
//! # Threads
//!
//! Each thread remembers the stacks it allocated on and counts for itself; the common
//! tables are visited when it meets a stack for the first time. A death is two
//! additions: it takes no lock and no memory, as JVMPI demands.

use std::cell::{Cell, RefCell};
use std::hash::Hasher as _;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::agent::{self, Agent, lock};
use crate::classes::EPOCH;
use crate::ffi::event::Alloc;
use crate::ffi::host::{self, NO_FRAME, RawFrame};
use crate::objects::{self, Object};
use crate::profile::Amount;

/// A place: a trace, a class (or elements' class) by index, a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) trace: u32,
    pub(crate) class: u32,
    pub(crate) kind: u8,
}

/// What one thread allocated in one place. Only the thread itself writes.
#[derive(Debug)]
struct Count {
    site: u32,
    objects: AtomicU64,
    bytes: AtomicU64,
}

#[inline]
fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}

type Counts = Arc<Mutex<Vec<Arc<Count>>>>;

/// A stack on which a thread has allocated this class before.
struct Known {
    hash: u64,
    class: usize,
    kind: u8,
    frames: Box<[RawFrame]>,
    count: Arc<Count>,
}

struct Own {
    env: usize,
    epoch: u32,
    serial: u32,
    known: HashTable<Known>,
    counts: Counts,
}

thread_local! {
    static OWN: RefCell<Option<Box<Own>>> = const { RefCell::new(None) };
    static FRAMES: RefCell<Vec<RawFrame>> = const { RefCell::new(Vec::new()) };
    /// What the last requested OBJECT_ALLOC said.
    static ANSWER: Cell<Option<Alloc>> = const { Cell::new(None) };
}

/// Counters of 1024 sites, objects and bytes in turn.
type DeathsOfMany = Box<[AtomicU64]>;
const MANY: usize = 1024;

#[derive(Debug)]
pub(crate) struct Sites {
    places: Mutex<Places>,
    deaths: Box<[OnceLock<DeathsOfMany>]>,
    live_threads: Mutex<Vec<Counts>>,
    ended_threads: Mutex<FxHashMap<u32, Amount>>,
    /// What was allocated, and had died, when sites were cleared.
    cleared: Mutex<Vec<(Amount, Amount)>>,
}

#[derive(Debug, Default)]
struct Places {
    numbers: FxHashMap<Place, u32>,
    all: Vec<Place>,
}

impl Sites {
    pub(crate) fn new() -> Self {
        Self {
            places: Mutex::default(),
            // Four million sites.
            deaths: (0..4096).map(|_| OnceLock::new()).collect(),
            live_threads: Mutex::default(),
            ended_threads: Mutex::default(),
            cleared: Mutex::default(),
        }
    }

    fn number(&self, place: Place) -> u32 {
        let mut places = lock(&self.places);
        if let Some(&number) = places.numbers.get(&place) {
            return number;
        }
        let number = u32::try_from(places.all.len()).unwrap_or(0);
        places.all.push(place);
        places.numbers.insert(place, number);
        if let Some(many) = self.deaths.get(number as usize / MANY) {
            many.get_or_init(|| (0..2 * MANY).map(|_| AtomicU64::new(0)).collect());
        }
        number
    }

    /// The trace of each site.
    pub(crate) fn traces(&self) -> Vec<u32> {
        lock(&self.places)
            .all
            .iter()
            .map(|place| place.trace)
            .collect()
    }

    /// What was is forgotten: amounts are those since.
    pub(crate) fn clear(&self) {
        let now: Vec<_> = self
            .totals()
            .into_iter()
            .map(|(_, allocated, dead)| (allocated, dead))
            .collect();
        *lock(&self.cleared) = now;
    }

    #[inline]
    fn died(&self, object: Object) {
        let many = self.deaths.get(object.site as usize / MANY);
        let at = object.site as usize % MANY * 2;
        if let Some([objects, bytes]) = many
            .and_then(OnceLock::get)
            .and_then(|many| many.get(at..at + 2))
        {
            objects.fetch_add(1, Ordering::Relaxed);
            bytes.fetch_add(u64::from(object.size), Ordering::Relaxed);
        }
    }

    fn dead(&self, site: u32) -> Amount {
        let many = self.deaths.get(site as usize / MANY);
        let at = site as usize % MANY * 2;
        match many
            .and_then(OnceLock::get)
            .and_then(|many| many.get(at..at + 2))
        {
            Some([objects, bytes]) => Amount {
                objects: objects.load(Ordering::Relaxed),
                bytes: bytes.load(Ordering::Relaxed),
            },
            _ => Amount::default(),
        }
    }

    /// Each place with what was allocated there and what of it still lives.
    pub(crate) fn amounts(&self) -> Vec<(Place, Amount, Amount)> {
        let cleared = lock(&self.cleared).clone();
        let mut cleared = cleared.into_iter();
        let totals = self.totals().into_iter().map(|(place, allocated, dead)| {
            let before = cleared.next().unwrap_or_default();
            let allocated = less(allocated, before.0);
            (place, allocated, less(allocated, less(dead, before.1)))
        });
        totals.collect()
    }

    /// Each place with what was allocated there and what of it has died.
    fn totals(&self) -> Vec<(Place, Amount, Amount)> {
        let mut allocated = lock(&self.ended_threads).clone();
        let threads = lock(&self.live_threads).clone();
        for counts in threads {
            sum(&lock(&counts), &mut allocated);
        }
        let places = lock(&self.places).all.clone();
        let numbered = (0..).zip(places);
        numbered
            .map(|(site, place)| {
                let allocated = allocated.get(&site).copied().unwrap_or_default();
                (place, allocated, self.dead(site))
            })
            .collect()
    }
}

fn less(amount: Amount, other: Amount) -> Amount {
    Amount {
        objects: amount.objects.saturating_sub(other.objects),
        bytes: amount.bytes.saturating_sub(other.bytes),
    }
}

fn sum(counts: &[Arc<Count>], into: &mut FxHashMap<u32, Amount>) {
    for count in counts {
        let total = into.entry(count.site).or_default();
        total.objects += count.objects.load(Ordering::Relaxed);
        total.bytes += count.bytes.load(Ordering::Relaxed);
    }
}

impl Own {
    /// Methods' or classes' ids have become void: what was counted stays.
    fn forget(&mut self, agent: &Agent, epoch: u32) {
        self.known.clear();
        let mut counts = lock(&self.counts);
        sum(&counts, &mut lock(&agent.sites.ended_threads));
        counts.clear();
        self.epoch = epoch;
    }
}

#[inline]
fn hash(alloc: &Alloc, frames: &[RawFrame]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_usize(alloc.class);
    hasher.write_u8(alloc.kind);
    for frame in frames {
        hasher.write_usize(frame.method_id.addr());
        hasher.write_i32(frame.lineno);
    }
    hasher.finish()
}

#[inline]
fn same(known: &Known, hash: u64, alloc: &Alloc, frames: &[RawFrame]) -> bool {
    known.hash == hash
        && known.class == alloc.class
        && known.kind == alloc.kind
        && known.frames.len() == frames.len()
        && known.frames.iter().zip(frames).all(|(known, frame)| {
            known.method_id == frame.method_id && known.lineno == frame.lineno
        })
}

/// OBJECT_ALLOC.
#[inline]
pub(crate) fn allocated(agent: &'static Agent, env: usize, alloc: Alloc) {
    if alloc.requested {
        ANSWER.set(Some(alloc));
        return;
    }
    // Not borrowed while the host is asked: it may send an event first.
    let buffer =
        FRAMES.try_with(|frames| frames.try_borrow_mut().ok().map(|mut f| mem::take(&mut *f)));
    let mut buffer = buffer.ok().flatten().unwrap_or_default();
    buffer.resize(agent.depth(), NO_FRAME);
    let taken = host::call_trace(env, &mut buffer);
    let frames = buffer.get(..taken).unwrap_or_default();
    let hash = hash(&alloc, frames);
    if !count_known(env, &alloc, hash, frames) {
        count_new(agent, env, &alloc, hash, frames);
    }
    let _ = FRAMES.try_with(|frames| frames.try_borrow_mut().map(|mut frames| *frames = buffer));
}

#[inline]
fn count_known(env: usize, alloc: &Alloc, hash: u64, frames: &[RawFrame]) -> bool {
    let site = OWN.try_with(|own| {
        let own = own.try_borrow().ok()?;
        let own = own.as_deref().filter(|own| own.env == env)?;
        if own.epoch != EPOCH.load(Ordering::Relaxed) {
            return None;
        }
        let known = own
            .known
            .find(hash, |known| same(known, hash, alloc, frames))?;
        add(&known.count.objects, 1);
        add(&known.count.bytes, u64::from(alloc.size));
        Some(known.count.site)
    });
    match site.ok().flatten() {
        Some(site) => {
            born(alloc, site);
            true
        }
        None => false,
    }
}

#[inline]
fn born(alloc: &Alloc, site: u32) {
    let object = Object {
        site,
        size: alloc.size,
        arena: alloc.arena,
    };
    if let Some(unheard) = objects::put(alloc.object, object)
        && let Some(agent) = agent::get()
    {
        agent.sites.died(unheard);
    }
}

#[cold]
fn count_new(agent: &'static Agent, env: usize, alloc: &Alloc, hash: u64, frames: &[RawFrame]) {
    let epoch = EPOCH.load(Ordering::Acquire);
    let serial = OWN.try_with(|own| {
        let own = own.try_borrow().ok()?;
        own.as_deref()
            .filter(|own| own.env == env)
            .map(|own| own.serial)
    });
    let serial = serial
        .ok()
        .flatten()
        .unwrap_or_else(|| agent::thread_serial(agent, env));
    let resolved = agent::frames(agent, frames);
    let thread = if agent.options.thread { serial } else { 0 };
    let trace = lock(&agent.traces).intern(thread, &resolved);
    let class = agent::class_index(agent, alloc.class);
    let place = Place {
        trace,
        class,
        kind: alloc.kind,
    };
    let count = Arc::new(Count {
        site: agent.sites.number(place),
        objects: AtomicU64::new(1),
        bytes: AtomicU64::new(u64::from(alloc.size)),
    });
    born(alloc, count.site);
    let _ = OWN.try_with(|own| {
        let Ok(mut own) = own.try_borrow_mut() else {
            return;
        };
        if own.as_deref().is_none_or(|own| own.env != env) {
            let counts = Counts::default();
            lock(&agent.sites.live_threads).push(Arc::clone(&counts));
            *own = Some(Box::new(Own {
                env,
                epoch,
                serial,
                known: HashTable::new(),
                counts,
            }));
        }
        let Some(own) = own.as_deref_mut() else {
            return;
        };
        if own.epoch != epoch {
            own.forget(agent, epoch);
        }
        lock(&own.counts).push(Arc::clone(&count));
        let known = Known {
            hash,
            class: alloc.class,
            kind: alloc.kind,
            frames: frames.into(),
            count,
        };
        own.known.insert_unique(hash, known, |known| known.hash);
    });
}

/// OBJECT_FREE.
#[inline]
pub(crate) fn freed(agent: &Agent, id: usize) {
    if let Some(object) = objects::take(id) {
        agent.sites.died(object);
    }
}

/// OBJECT_MOVE.
pub(crate) fn moved(agent: &Agent, from: usize, to: usize, arena: u32) {
    if let Some(object) = objects::take(from)
        && let Some(unheard) = objects::put(to, Object { arena, ..object })
    {
        agent.sites.died(unheard);
    }
}

/// ARENA_DELETE.
pub(crate) fn arena_deleted(agent: &Agent, arena: u32) {
    objects::take_arena(arena, |object| agent.sites.died(object));
}

/// THREAD_END: what the thread counted stays.
pub(crate) fn thread_ended(agent: &Agent, env: usize) {
    let own = OWN.try_with(|own| own.try_borrow_mut().ok()?.take_if(|own| own.env == env));
    if let Some(own) = own.ok().flatten() {
        lock(&agent.sites.live_threads).retain(|other| !Arc::ptr_eq(other, &own.counts));
        sum(&lock(&own.counts), &mut lock(&agent.sites.ended_threads));
    }
}

/// What the host knows of an object: asks for its OBJECT_ALLOC.
pub(crate) fn ask(id: usize) -> Option<Alloc> {
    ANSWER.set(None);
    host::request(jvmpi_headers::jvmpi::JVMPI_EVENT_OBJECT_ALLOC, id);
    ANSWER.take().filter(|answer| answer.object == id)
}
