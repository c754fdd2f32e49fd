//! Scripts: what each thread of a program does, in words, and what handlers do about it.
//!
//!     new  drop           an object is made, and held; the oldest is held no more
//!     meet:0              an object that has always been there is named
//!     enter:0  leave:0    a monitor
//!     collect  cycle      the VM collects; or pauses in the course of a concurrent collection
//!     call                an event of the thread's own; its handler does nothing
//!     call:gc             the same, and its handler calls RunGC; so dump, disable, enable (GC),
//!                         call (into the program), new, lock and unlock (a raw monitor)
//!     gc  dump            the same on a thread of the agent's, in no handler

use std::sync::Mutex;

use arena_models::Kind;

use crate::host::Host;
use crate::stage::{Me, Part, Random, Stage, lock};
use crate::vm::Collection;

/// What a handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Nothing,
    Call,
    Alloc,
    RunGc,
    Dump,
    DisableGc,
    EnableGc,
    Lock,
    Unlock,
}

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) threads: Vec<String>,
    /// Goes on while the VM ends.
    pub(crate) daemon: String,
    /// The VM counts its collections; else sentinels do.
    pub(crate) counts: bool,
    /// Whose events the agent sees.
    pub(crate) arenas: Kind,
    /// What moves has another number.
    pub(crate) renumbers: bool,
    /// The VM's structures of monitors can be read.
    pub(crate) structures: bool,
}

impl Script {
    pub(crate) fn of(threads: &[&str]) -> Self {
        Self {
            threads: threads.iter().map(|&words| words.to_owned()).collect(),
            daemon: String::new(),
            counts: true,
            arenas: Kind::Hotspot,
            renumbers: false,
            structures: true,
        }
    }

    /// One that a seed makes up.
    pub(crate) fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let threads = 1 + random.below(3);
        Self {
            threads: (0..threads).map(|_| Self::words(&mut random)).collect(),
            daemon: "call call:call new drop ".repeat(random.below(4)),
            counts: random.below(3) > 0,
            arenas: match random.below(2) {
                0 => Kind::Hotspot,
                _ => Kind::ALL[random.below(Kind::ALL.len())],
            },
            renumbers: random.below(2) > 0,
            structures: random.below(3) > 0,
        }
    }

    fn words(random: &mut Random) -> String {
        // The first eight also while a monitor is owned.
        const ANY: &[&str] = &[
            "new",
            "drop",
            "call",
            "collect",
            "call:call",
            "call:new",
            "call:gc",
            "dump",
            "new",
            "drop",
            "cycle",
            "gc",
            "call:dump",
            "meet:0",
            "meet:1 meet:0",
            "call:disable call:enable",
            "disable call drop enable",
            "enter:0 enter:0 leave:0 leave:0",
        ];
        const WITH_A_LOCK: [&str; 4] = ["call", "new", "drop", "collect"];
        let mut words = Vec::new();
        for _ in 0..3 + random.below(8) {
            match random.below(4) {
                0 => {
                    let with = (0..random.below(4)).map(|_| WITH_A_LOCK[random.below(4)]);
                    let with: Vec<_> = with.collect();
                    words.push(format!("call:lock {} call:unlock", with.join(" ")));
                }
                1 => {
                    let which = random.below(2);
                    let within = ANY[random.below(8)];
                    words.push(format!("enter:{which} {within} leave:{which}"));
                }
                _ => words.push(ANY[random.below(ANY.len())].to_owned()),
            }
        }
        words.join(" ")
    }

    /// Plays it, with that order of steps.
    pub(crate) fn play(&self, order: u64) {
        let program = self.threads.len();
        let [daemon, service, worker, last] = [0, 1, 2, 3].map(|more| program + more);
        let host = &Host::new(self, last + 1, order);
        let stage = Stage::new(last + 1, order);
        let (left, ended) = (&Mutex::new(program), &Mutex::new(false));
        let mut parts: Vec<Part<'_>> = Vec::new();
        for words in &self.threads {
            parts.push(Box::new(move |me| {
                run(host, me, words);
                host.end_of_thread(me);
                *lock(left) -= 1;
            }));
        }
        assert_eq!(parts.len(), daemon);
        parts.push(Box::new(move |me| {
            me.until(|| *lock(ended));
            run(host, me, &self.daemon);
        }));
        assert_eq!(parts.len(), service);
        parts.push(Box::new(move |me| host.tell_of_deaths(me)));
        assert_eq!(parts.len(), worker);
        parts.push(Box::new(move |me| host.work(me)));
        parts.push(Box::new(move |me| {
            me.until(|| *lock(left) == 0);
            let pause = match order % 3 {
                0 => Collection::PartOfCycle,
                _ => Collection::Whole,
            };
            host.end(me, program, pause);
            *lock(ended) = true;
            host.shut(me);
        }));
        stage.play(parts);
    }
}

fn run(host: &Host, me: Me<'_>, words: &str) {
    for word in words.split_whitespace() {
        let (verb, object) = word.split_once(':').unwrap_or((word, ""));
        match verb {
            "new" => host.allocate(me),
            "meet" => host.meet(me, object.parse().unwrap()),
            "drop" => host.vm.forget(me),
            "collect" => host.collect(me, Collection::Whole),
            "cycle" => host.collect(me, Collection::PartOfCycle),
            "enter" => {
                // Who may hold a lock of the agent's says EXIT early, and ENTER late.
                host.give_locks_back(me);
                host.enter_monitor(me, object.parse().unwrap());
            }
            "leave" => host.exit_monitor(me, object.parse().unwrap()),
            "call" => host.call(me, request(object)),
            _ => host.handle(me, request(verb)),
        }
        me.step();
    }
}

fn request(word: &str) -> Request {
    match word {
        "" => Request::Nothing,
        "call" => Request::Call,
        "new" => Request::Alloc,
        "gc" => Request::RunGc,
        "dump" => Request::Dump,
        "disable" => Request::DisableGc,
        "enable" => Request::EnableGc,
        "lock" => Request::Lock,
        "unlock" => Request::Unlock,
        _ => panic!("what is {word}?"),
    }
}
