//! OBJECT_ALLOC, and what dies again.
//!
//! # Threads
//!
//! Each thread remembers the stacks it allocated on and counts for itself; the common
//! tables are visited when it meets a stack for the first time. A death is two
//! additions: it takes no lock and no memory, as JVMPI demands.

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::LocalKey;

use hashbrown::HashTable;
use jvmpi_headers::jvmpi::{
    JVMPI_EVENT_ARENA_DELETE, JVMPI_EVENT_ARENA_NEW, JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_GC_START,
    JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_OBJECT_MOVE,
};

use crate::agent::{self, Agent};
use crate::classes::EPOCH;
use crate::counts::{Count, Counts};
use crate::ffi::extension;
use crate::ffi::frequent_events::Alloc;
use crate::ffi::host::{self, NO_FRAME, RawFrame};
use crate::names;
use crate::objects::{self, Object};
use crate::of_thread::{AllCarried, OfThread, Place as OwnPlace};
use crate::options::Options;
use crate::sites::Place;

/// A stack on which a thread has allocated this class before.
struct Known {
    hash: u64,
    class: usize,
    kind: u8,
    size: u32,
    frames: Box<[RawFrame]>,
    count: Arc<Count>,
}

struct Own {
    epoch: u32,
    serial: u32,
    known: HashTable<Known>,
    counts: Counts,
}

thread_local! {
    static OWN: RefCell<OwnPlace<Own>> = const { RefCell::new(OwnPlace::new()) };
    static FRAMES: RefCell<Vec<RawFrame>> = const { RefCell::new(Vec::new()) };
}

static CARRIED: AllCarried<Own> = AllCarried::new();

impl OfThread for Own {
    const PLACE: &'static LocalKey<RefCell<OwnPlace<Self>>> = &OWN;

    fn carried() -> &'static AllCarried<Self> {
        &CARRIED
    }
}

impl Own {
    fn new(agent: &Agent, epoch: u32, serial: u32) -> Box<Self> {
        let counts = Counts::default();
        agent.sites.counted.begun(&counts);
        Box::new(Self {
            epoch,
            serial,
            known: HashTable::new(),
            counts,
        })
    }

    /// The thread meets a stack; methods' or classes' ids may have become void: what was counted stays.
    fn know(&mut self, agent: &Agent, epoch: u32, known: Known) {
        if self.epoch != epoch {
            self.known.clear();
            agent.sites.counted.settle(&self.counts);
            self.epoch = epoch;
        }
        self.counts.lock().push(Arc::clone(&known.count));
        self.known
            .insert_unique(known.hash, known, |known| known.hash);
    }
}

/// Who counts what the thread of this env allocates: with `thread=y` that one, else whoever runs on this
/// thread of the operating system, as virtual threads do in turn.
#[inline]
fn who_counts(agent: &Agent, env: usize) -> usize {
    if agent.options.thread { env } else { 0 }
}

/// The products of the frames do not wait for each other.
#[inline]
fn hash(alloc: &Alloc, size: u32, frames: &[RawFrame]) -> u64 {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let kind = u64::from(alloc.kind) << 56 ^ u64::from(size) << 24;
    let mut hash = (alloc.class as u64 ^ kind).wrapping_mul(SPREAD);
    for frame in frames {
        let line = u64::from(frame.lineno.cast_unsigned()).rotate_left(40);
        let frame = (frame.method_id.addr() as u64 ^ line).wrapping_mul(SPREAD);
        hash = hash.rotate_left(5).wrapping_add(frame);
    }
    // The table looks at both ends; the middle has seen the most bits.
    hash ^ hash.rotate_right(32)
}

#[inline]
fn same(known: &Known, hash: u64, alloc: &Alloc, size: u32, frames: &[RawFrame]) -> bool {
    known.hash == hash
        && known.class == alloc.class
        && known.kind == alloc.kind
        && known.size == size
        && known.frames.len() == frames.len()
        && known.frames.iter().zip(frames).all(|(known, frame)| {
            known.method_id == frame.method_id && known.lineno == frame.lineno
        })
}

/// The events that tell of objects, of their births first.
pub(crate) fn events(options: &Options) -> Vec<i32> {
    let mut events = vec![
        JVMPI_EVENT_OBJECT_ALLOC,
        JVMPI_EVENT_OBJECT_MOVE,
        JVMPI_EVENT_OBJECT_FREE,
        JVMPI_EVENT_ARENA_NEW,
        JVMPI_EVENT_ARENA_DELETE,
    ];
    if options.sample.is_none() {
        // Deaths come between these two; some hosts send the ones only with the others.
        // Not the one that samples, which would count the heap for GC_FINISH.
        events.extend([JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH]);
    }
    events
}

/// OBJECT_ALLOC.
#[inline]
pub(crate) fn allocated(agent: &'static Agent, env: usize, alloc: Alloc) {
    if alloc.requested {
        names::answered(alloc);
        return;
    }
    if agent.options.sample.is_some() && !extension::is_sampled(alloc.object) {
        return;
    }
    let mut few = [NO_FRAME; 8];
    match few.get_mut(..agent.depth()) {
        Some(room) => allocated_on(agent, env, &alloc, room),
        None => allocated_deep(agent, env, &alloc),
    }
}

fn allocated_deep(agent: &'static Agent, env: usize, alloc: &Alloc) {
    // Not borrowed while the host is asked: it may send an event first.
    let buffer =
        FRAMES.try_with(|frames| frames.try_borrow_mut().ok().map(|mut f| mem::take(&mut *f)));
    let mut buffer = buffer.ok().flatten().unwrap_or_default();
    buffer.resize(agent.depth(), NO_FRAME);
    allocated_on(agent, env, alloc, &mut buffer);
    let _ = FRAMES.try_with(|frames| frames.try_borrow_mut().map(|mut frames| *frames = buffer));
}

/// On the stack that there is room for.
#[inline]
fn allocated_on(agent: &'static Agent, env: usize, alloc: &Alloc, room: &mut [RawFrame]) {
    let taken = host::call_trace(env, room);
    let frames = room.get(..taken).unwrap_or_default();
    let size = agent.options.sample.map_or(0, |_| alloc.size);
    let hash = hash(alloc, size, frames);
    let who = who_counts(agent, env);
    if !count_known(who, alloc, size, hash, frames) {
        count_new(agent, env, alloc, size, hash, frames);
    }
}

#[inline]
fn count_known(who: usize, alloc: &Alloc, size: u32, hash: u64, frames: &[RawFrame]) -> bool {
    let site = Own::with(who, |own| {
        // Relaxed: as in `times`; and after a command that clears, a place of before for a moment.
        if own.epoch != EPOCH.load(Ordering::Relaxed) {
            return None;
        }
        let known = own
            .known
            .find(hash, |known| same(known, hash, alloc, size, frames))?;
        known.count.add(alloc.size);
        Some(known.count.site)
    });
    match site.flatten() {
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
fn count_new(
    agent: &'static Agent,
    env: usize,
    alloc: &Alloc,
    size: u32,
    hash: u64,
    frames: &[RawFrame],
) {
    let who = who_counts(agent, env);
    let here = || Own::with(who, |own| own.serial);
    let serial = match here() {
        None if Own::comes(who) => {
            if count_known(who, alloc, size, hash, frames) {
                return;
            }
            here()
        }
        serial => serial,
    };
    let epoch = EPOCH.load(Ordering::Acquire);
    let serial = serial.unwrap_or_else(|| names::of_traces(agent, env));
    let resolved = names::frames(agent, frames);
    let trace = agent.traces.lock().intern(serial, &resolved);
    let class = names::class_index(agent, alloc.class);
    let place = Place {
        trace,
        class,
        kind: alloc.kind,
        size,
    };
    let count = Arc::new(Count::new(agent.sites.number(place)));
    count.add(alloc.size);
    born(alloc, count.site);
    let known = Known {
        hash,
        class: alloc.class,
        kind: alloc.kind,
        size,
        frames: frames.into(),
        count,
    };
    if Own::with(who, |_| ()).is_none() {
        let is_virtual = who != 0 && agent.threads.lock().is_virtual(who);
        Own::new(agent, epoch, serial).begin(who, is_virtual);
    }
    Own::with(who, |own| own.know(agent, epoch, known));
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

/// THREAD_END: what the thread counted stays, and what is counted for more than this one goes on.
pub(crate) fn thread_ended(agent: &Agent, env: usize) {
    let who = who_counts(agent, env);
    if who == 0 && agent.threads.lock().is_virtual(env) {
        return;
    }
    if let Some(own) = Own::end(who) {
        agent.sites.counted.ended(&own.counts);
    }
}
