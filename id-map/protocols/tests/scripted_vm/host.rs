//! The shim without a JVM: the machines of the product, put together as the shim does, and nobody
//! waits but by steps. What stands in `delivery`, `events/gc`, `events/objects` and
//! `events/monitors` is here in a few lines each.

mod collections;
mod monitors;
mod objects;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arena_models::Model;
use id_map::{Claims, Flag, ObjectId, ObjectTable, Renumbering, Supply};
use protocols::collections::{Collections, Sentinels};
use protocols::contended_exit::{Book, Waiters};
use protocols::gate::handlers::StragglerHistory;
use protocols::gate::{Asking, Depth, Gate, Stand, State, Verdict, verdict};
use protocols::heap_walk::{HeapWalks, OwnGifts};
use protocols::holds::Holds;
use protocols::kept::Kept;

use crate::agent::{Agent, Event};
use crate::script::{Request, Script};
use crate::stage::{Me, lock};
use crate::vm::{Collection, Object, Vm};

/// What is known of a thread.
struct Record {
    depth: Depth,
    gifts: OwnGifts,
    supply: Supply,
    kept: Mutex<Kept<(Event, Request)>>,
    /// Raw monitors of the agent's in its hands.
    locks: AtomicU32,
    calls: AtomicU32,
}

pub(crate) struct Host {
    pub(crate) vm: Vm,
    agent: Agent,
    /// The VM counts its collections.
    counts: bool,
    gate: Gate,
    grace: AtomicBool,
    over: AtomicBool,
    records: Vec<Record>,
    ids: ObjectTable,
    claims: Claims<Object>,
    numbers: Renumbering,
    /// None: arena 1, and nothing moves.
    model: Option<Mutex<Model>>,
    renumbers: bool,
    /// The VM's structures of monitors can be read.
    structures: bool,
    /// Where objects are born.
    nursery: AtomicU8,
    walks: HeapWalks,
    collections: Collections,
    sentinels: Sentinels,
    /// Who sends a bracket, and who waits for that.
    claim: AtomicU64,
    wanting: Mutex<Vec<u64>>,
    history: Mutex<StragglerHistory>,
    began: Instant,
    holds: Holds,
    disabled: AtomicU32,
    telling: AtomicBool,
    book: Mutex<Book>,
    waiters: Waiters,
    /// The hook class's field.
    contended: AtomicBool,
    /// Threads that wait for a monitor and have brought it in line.
    shown: AtomicU32,
    calls_within: AtomicU32,
}

impl Host {
    pub(crate) fn new(script: &Script, threads: usize, seed: u64) -> Self {
        let host = Self {
            vm: Vm::new(seed),
            agent: Agent::default(),
            counts: script.counts,
            gate: Gate::new(Stand::OPEN),
            grace: AtomicBool::new(false),
            over: AtomicBool::new(false),
            records: (0..threads)
                .map(|_| Record {
                    depth: Depth::new(),
                    gifts: OwnGifts::new(),
                    supply: Supply::new(),
                    kept: Mutex::default(),
                    locks: AtomicU32::new(0),
                    calls: AtomicU32::new(0),
                })
                .collect(),
            ids: ObjectTable::new(),
            claims: Claims::new(),
            numbers: Renumbering::new(),
            nursery: AtomicU8::new(Model::new(script.arenas).nursery()),
            model: (script.arenas != arena_models::Kind::Hotspot)
                .then(|| Mutex::new(Model::new(script.arenas))),
            renumbers: script.renumbers,
            structures: script.structures,
            walks: HeapWalks::new(),
            collections: Collections::new(),
            sentinels: Sentinels::new(),
            claim: AtomicU64::new(0),
            wanting: Mutex::default(),
            history: Mutex::new(StragglerHistory::new()),
            began: Instant::now(),
            holds: Holds::new(),
            disabled: AtomicU32::new(0),
            telling: AtomicBool::new(false),
            book: Mutex::default(),
            waiters: Waiters::new(),
            contended: AtomicBool::new(false),
            shown: AtomicU32::new(0),
            calls_within: AtomicU32::new(0),
        };
        // Threads that have run for a while.
        for record in &host.records {
            while record.gifts.must_look() {
                record.gifts.looks();
            }
        }
        host
    }

    fn own(&self, me: Me<'_>) -> &Record {
        &self.records[me.index()]
    }

    fn now(&self, me: Me<'_>) -> Instant {
        self.began + Duration::from_micros(me.now())
    }

    fn admit(&self, me: Me<'_>, requested: bool) -> Verdict {
        let depth = &self.own(me).depth;
        loop {
            if depth.enter(&self.gate, || me.step()) {
                return Verdict::Send;
            }
            let stand = self.gate.load();
            let asking = Asking {
                mine: stand.owner == me.key(),
                nested: depth.own() > 1,
                requested,
                answers: requested && self.grace.load(Ordering::Relaxed),
                may_hold_a_lock: self.own(me).locks.load(Ordering::Relaxed) > 0,
            };
            match verdict(stand.state, &asking) {
                Some(Verdict::Send) => return Verdict::Send,
                Some(verdict) => {
                    depth.leave();
                    return verdict;
                }
                None => {
                    depth.leave();
                    me.until(|| self.gate.load() != stand);
                }
            }
        }
    }

    fn has_kept(&self, me: Me<'_>) -> bool {
        lock(&self.own(me).kept).is_due()
    }

    /// In its place among the thread's others; what the handler requests comes with it.
    fn deliver(&self, me: Me<'_>, event: Event, request: Request) {
        let mut admitted = self.admit(me, false);
        if self.has_kept(me) && admitted == Verdict::Send {
            self.own(me).depth.leave();
            self.flush(me);
            admitted = self.admit(me, false);
            if admitted == Verdict::Send && self.has_kept(me) {
                self.own(me).depth.leave();
                admitted = Verdict::Keep;
            }
        }
        match admitted {
            Verdict::Send => {
                self.notify(me, event, request);
                self.leave(me);
            }
            Verdict::Keep => lock(&self.own(me).kept).keep((event, request)),
            Verdict::Drop => {}
        }
    }

    fn leave(&self, me: Me<'_>) {
        let own = self.own(me);
        own.depth.leave();
        if own.depth.own() == 0 && self.has_kept(me) {
            self.flush(me);
        }
    }

    fn flush(&self, me: Me<'_>) {
        let kept = &self.own(me).kept;
        if !lock(kept).begin() {
            return;
        }
        loop {
            me.step();
            let next = lock(kept).next(|_| self.gate.is_open());
            let Some((event, request)) = next else {
                break;
            };
            self.deliver(me, event, request);
        }
        lock(kept).end();
    }

    /// Past the gate: only now is it known by which number the agent knows an object.
    fn notify(&self, me: Me<'_>, event: Event, request: Request) {
        let event = if let Event::Alloc(tag, object, _) = event {
            self.told(tag, object)
        } else if let Event::Named(tag, object) = event {
            Some(Event::Named(self.number(tag), object))
        } else {
            Some(event)
        };
        // Else another thread has just met it, too.
        if let Some(event) = event {
            let handler = || self.handle(me, request);
            self.agent.notify(me, event, false, handler);
        }
    }

    /// The OBJECT_ALLOC of what the agent has not been told of.
    fn told(&self, tag: u64, object: Object) -> Option<Event> {
        let id = ObjectId::from_raw(tag).unwrap();
        self.ids.clear(id, Flag::KEPT);
        if !self.ids.set(id, Flag::ALLOCATED) {
            return None;
        }
        let arena = self.nursery.load(Ordering::Relaxed);
        self.ids.set_arena(id, arena);
        self.ids.set(id, Flag::BORN);
        Some(Event::Alloc(self.number(tag), object, arena))
    }

    fn number(&self, tag: u64) -> u64 {
        self.numbers.outward(ObjectId::from_raw(tag).unwrap()).raw()
    }

    pub(crate) fn call(&self, me: Me<'_>, request: Request) {
        let calls = &self.own(me).calls;
        let number = calls.fetch_add(1, Ordering::Relaxed) + 1;
        self.deliver(me, Event::Call(number), request);
    }

    // ---- the agent's calls --------------------------------------------------------

    /// In a handler, or on a thread of the agent's.
    pub(crate) fn handle(&self, me: Me<'_>, request: Request) {
        match request {
            Request::Nothing => {}
            Request::Call => {
                let number = self.calls_within.fetch_add(1, Ordering::Relaxed) + 1;
                self.deliver(me, Event::CallWithin(number), Request::Nothing);
            }
            Request::Alloc => self.allocate(me),
            Request::RunGc => self.run_gc(me),
            Request::Dump => self.dump(me),
            Request::DisableGc => {
                self.disabled.fetch_add(1, Ordering::SeqCst);
                me.until(|| self.nothing_is_told(me));
                self.agent.holds(true);
            }
            Request::EnableGc => self.enable_gc(),
            Request::Lock => {
                self.own(me).locks.fetch_add(1, Ordering::Relaxed);
            }
            Request::Unlock => {
                let lower = |locks: u32| locks.checked_sub(1);
                let locks = &self.own(me).locks;
                let _ = locks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lower);
            }
        }
    }

    fn enable_gc(&self) {
        let lower = |count: u32| count.checked_sub(1);
        if self.disabled.load(Ordering::SeqCst) > 0 {
            self.agent.holds(false);
        }
        let _ = self
            .disabled
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, lower);
    }

    fn nothing_is_told(&self, me: Me<'_>) -> bool {
        !self.telling.load(Ordering::SeqCst) || self.claim.load(Ordering::Acquire) == me.key()
    }

    // ---- the end ------------------------------------------------------------------

    /// A thread of the program ends: it waits until it has said all.
    pub(crate) fn end_of_thread(&self, me: Me<'_>) {
        self.give_locks_back(me);
        self.ids.retire(&self.own(me).supply);
    }

    /// The thread has none of the agent's locks any more, and has said all.
    pub(crate) fn give_locks_back(&self, me: Me<'_>) {
        self.own(me).locks.store(0, Ordering::Relaxed);
        while self.has_kept(me) {
            self.flush(me);
            self.own(me).locks.store(0, Ordering::Relaxed);
            me.step();
        }
    }

    /// All threads of the program have ended: what came of it.
    pub(crate) fn end(&self, me: Me<'_>, threads: usize, last: Collection) {
        while self.disabled.load(Ordering::SeqCst) > 0 {
            self.enable_gc();
        }
        for thread in 0..threads {
            let due = lock(&self.records[thread].kept).is_due();
            assert!(!due, "thread {thread} has kept something");
        }
        // Nobody asks for their bracket.
        self.collect(me, last);
        me.until(|| self.vm.has_told_all() && self.ids.count_dead() == 0);
        me.until(|| self.claim.load(Ordering::Acquire) == 0);
        assert_eq!(lock(&self.book).count(), 0, "somebody waits for a monitor");
        assert!(!self.contended.load(Ordering::Relaxed));
        let calls: Vec<_> = (0..threads)
            .map(|thread| (thread, self.records[thread].calls.load(Ordering::Relaxed)))
            .collect();
        let alive: Vec<_> = self
            .vm
            .walk(|| 0)
            .into_iter()
            .map(|(_, object)| object)
            .collect();
        let within = self.calls_within.load(Ordering::Relaxed);
        self.agent.has_heard_all(&calls, within, &alive);
    }

    /// VMDeath, while others go on.
    pub(crate) fn shut(&self, me: Me<'_>) {
        self.grace.store(true, Ordering::Relaxed);
        self.gate.end(Stand::of(State::LastEvents, me.key()));
        me.step();
        me.until(|| self.inside(me, &[]).is_empty());
        me.step();
        self.grace.store(false, Ordering::Relaxed);
        me.until(|| self.inside(me, &[]).is_empty());
        self.agent.only(me);
        self.call(me, Request::Nothing);
        self.gate.end(Stand::of(State::Shut, 0));
        me.step();
        self.over.store(true, Ordering::Relaxed);
    }
}
