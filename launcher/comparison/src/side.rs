//! What one side was told: counts by name, and how it was set up.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use event_translate::EventKind;
use recording_format::jvmti;
use shim_options::class_filter::ClassFilter;

use crate::known::{Frames, Known, Name};
use crate::objects::Objects;
use crate::ones::{Matched, Ones};
use crate::place::Place;
use crate::rules::Noun;
use crate::samples::{Samples, Stacks};

/// Of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// How often since the start.
    pub(crate) times: u64,
    /// How often before that: what was there.
    pub(crate) before: u64,
    /// Bytes of objects; of methods the deepest recursion.
    pub(crate) amount: u64,
}

impl Count {
    pub(crate) const fn all(self) -> u64 {
        self.times + self.before
    }
}

/// The events of one interface that an agent has asked for.
#[derive(Clone, Debug)]
pub(crate) struct Events<Kind> {
    pub(crate) enabled: BTreeSet<Kind>,
    /// Those of them that are on at the moment of the record that is counted.
    pub(crate) on: BTreeSet<Kind>,
    /// Those that the VM did not give, with its answer.
    pub(crate) refused: BTreeMap<Kind, i64>,
    /// Those that were disabled while the program ran, and not enabled again.
    pub(crate) stopped: BTreeSet<Kind>,
}

impl<Kind> Default for Events<Kind> {
    fn default() -> Self {
        Self {
            enabled: BTreeSet::new(),
            on: BTreeSet::new(),
            refused: BTreeMap::new(),
            stopped: BTreeSet::new(),
        }
    }
}

impl<Kind: Copy + Ord> Events<Kind> {
    /// The agent hears of this event from now on; whether it is the first time.
    pub(crate) fn begins(&mut self, event: Kind) -> bool {
        self.on.insert(event);
        self.stopped.remove(&event);
        self.enabled.insert(event)
    }

    /// The agent hears no more of this event.
    pub(crate) fn stops(&mut self, event: Kind, place: Place) {
        self.on.remove(&event);
        if place.is_live && !place.has_ended {
            self.stopped.insert(event);
        }
    }

    /// At the moment of the record that is counted.
    pub(crate) fn hears(&self, event: Kind) -> bool {
        self.on.contains(&event)
    }

    /// Of events that tell of the same: whether one of them was enabled.
    pub(crate) fn has_any(&self, events: &[Kind]) -> bool {
        events.iter().any(|event| self.enabled.contains(event))
    }

    /// Of events that tell of the same: it has listened to some, and listens to none any more.
    pub(crate) fn has_stopped(&self, events: &[Kind]) -> bool {
        let heard = events.iter().filter(|event| self.enabled.contains(event));
        let mut heard = heard.peekable();
        heard.peek().is_some() && heard.all(|event| self.stopped.contains(event))
    }
}

/// What an agent has asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// Of the old agent.
    pub(crate) jvmpi: Events<EventKind>,
    /// Of a port.
    pub(crate) jvmti: Events<jvmti::EventKind>,
    /// The last argument of SetHeapSamplingInterval.
    pub(crate) interval: Option<i64>,
    /// That was in VMInit or behind it.
    pub(crate) interval_late: bool,
    /// Objects were tagged in callbacks of their birth, or where hooks have shown them.
    pub(crate) tags: bool,
    /// One tag was given to objects of several classes.
    pub(crate) shares_tags: bool,
    /// A Class object was tagged.
    pub(crate) tags_classes: bool,
    /// GetAllThreads was called.
    pub(crate) asked_for_threads: bool,
    /// GetLoadedClasses was called.
    pub(crate) asked_for_classes: bool,
    /// GetClassStatus was called.
    pub(crate) asked_for_status: bool,
    /// RunGC or ForceGarbageCollection.
    pub(crate) forced: u64,
    /// The VM's collections were forced while an event of birth was on.
    pub(crate) forced_for_births: bool,
    /// Events that another environment of the same agent was told of before.
    pub(crate) heard_again: u64,
    /// Walks over the heap, those of them that were before the program ran, and whether some went over all objects and
    /// not along references.
    pub(crate) walks: u64,
    pub(crate) early_walks: u64,
    pub(crate) iterates: bool,
    /// The index of the extension event ClassUnload, if the port has given it a callback.
    pub(crate) unload_index: Option<i64>,
    /// The indices of extension events that SetEventNotificationMode has enabled.
    pub(crate) extensions: BTreeSet<i64>,
    /// The least start_depth of GetStackTrace outside of callbacks: who reads deep stacks in pages begins with 0.
    pub(crate) start_depth: Option<i64>,
    /// Events that SetEventCallbacks has given a function.
    pub(crate) has_callback: BTreeSet<jvmti::EventKind>,
    /// Events that no noun compares, and how often they came.
    pub(crate) beside: BTreeMap<EventKind, u64>,
    /// Birth events of each kind: sampled, and by the VM.
    pub(crate) sampled: u64,
    pub(crate) by_vm: u64,
    /// Stacks that were taken in handlers.
    pub(crate) stacks_in_handlers: u64,
    /// A class was retransformed or its file was changed: events may be made by hooks.
    pub(crate) rewrites: bool,
    /// Native methods of the port's own, which that code calls.
    pub(crate) natives: BTreeSet<String>,
    /// Nouns of which the port says itself what it saw.
    pub(crate) says: BTreeSet<Noun>,
    /// What it said that is none.
    pub(crate) no_nouns: BTreeSet<String>,
    /// Dumps of level 0, and such as nobody can read.
    pub(crate) nameless_dumps: u64,
    /// Events that were enabled for all threads, and such as were for some.
    pub(crate) for_all: BTreeSet<jvmti::EventKind>,
    pub(crate) for_some: BTreeSet<jvmti::EventKind>,
    /// It was attached to the program.
    pub(crate) came_late: bool,
    /// Events that were enabled behind VMInit.
    pub(crate) late: BTreeSet<jvmti::EventKind>,
}

impl Setup {
    /// Of events, none of which is enabled for all threads: some are for single ones.
    pub(crate) fn is_for_some(&self, events: &[jvmti::EventKind]) -> bool {
        let is = |threads: &BTreeSet<jvmti::EventKind>| {
            events.iter().any(|event| threads.contains(event))
        };
        is(&self.for_some) && !is(&self.for_all)
    }
}

/// One side, while it is counted.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    pub(crate) counts: HashMap<(Noun, Name), Count>,
    pub(crate) stacks: Stacks,
    /// The same without those of threads that wait and that GetAllStackTraces has listed.
    running: Stacks,
    has_waiting: bool,
    pub(crate) setup: Setup,
    /// Of the old side.
    pub(crate) objects: Objects,
    /// Threads and classes that it knows.
    pub(crate) told: HashSet<(Noun, u64)>,
    /// A monitor's class was unknown.
    pub(crate) unknown_monitors: bool,
    /// Those that have run.
    instructions: HashSet<(Name, i64)>,
    /// By id.
    pub(crate) ones: Ones,
    /// Threads of JNIEnvs.
    pub(crate) threads: HashMap<u64, u64>,
    /// JNIEnvs of virtual threads that live.
    pub(crate) virtual_ones: HashSet<u64>,
    /// Of classes whose births are events: how many it has tagged, and how many there were.
    pub(crate) tagged: HashMap<Name, [u64; 2]>,
    /// Methods that carriers of virtual threads have entered: those take turns there, each with a stack of its own, and
    /// the events do not say which is whose.
    pub(crate) takes_turns: HashSet<Name>,
    /// How many stacks of each thread were taken.
    pub(crate) sampled: HashMap<Name, u64>,
}

impl Counting {
    /// One more.
    pub(crate) fn add(&mut self, noun: Noun, name: Name) -> &mut Count {
        let count = self.counts.entry((noun, name)).or_default();
        count.times += 1;
        count
    }

    /// An instruction of a method has run: how many different ones is counted, and how often.
    pub(crate) fn ran(&mut self, method: Name, at: i64) {
        let is_new = self.instructions.insert((method, at));
        let count = self.counts.entry((Noun::Instructions, method)).or_default();
        count.times += u64::from(is_new);
        count.amount += 1;
    }

    /// So many more.
    pub(crate) fn add_all(&mut self, noun: Noun, name: Name, times: u64) {
        self.counts.entry((noun, name)).or_default().times += times;
    }

    /// One more, which has this id.
    pub(crate) fn add_one(&mut self, noun: Noun, name: Name, id: u64) -> &mut Count {
        self.ones.add(noun, id, name);
        self.add(noun, name)
    }

    /// A stack was taken of a thread that is called so.
    pub(crate) fn takes_stack_of(&mut self, thread: Name, frames: &Frames) {
        if !frames.shown.is_empty() {
            *self.sampled.entry(thread).or_default() += 1;
        }
    }

    /// A stack of this thread, which perhaps was only listed with all others.
    pub(crate) fn add_stack(&mut self, frames: Frames, asked: i64, of: (u64, bool)) {
        let (thread, is_chosen) = of;
        if is_chosen {
            self.running.add(frames.clone(), asked, thread);
        }
        self.has_waiting |= !is_chosen;
        self.stacks.add(frames, asked, thread);
    }

    /// These stand in place of all that were taken.
    pub(crate) fn replace_stacks(&mut self, stacks: Stacks) {
        self.stacks = stacks;
        self.has_waiting = false;
    }

    /// An object has another id from now on, perhaps, and is in this arena; it may be a class or a thread.
    pub(crate) fn moves(&mut self, id: u64, to: u64, arena: i32) {
        self.objects.moves(id, to, arena);
        for noun in [Noun::ThreadsStarted, Noun::ClassesLoaded] {
            if self.told.remove(&(noun, id)) {
                self.told.insert((noun, to));
            }
        }
    }

    /// One that was there at start.
    pub(crate) fn was_there(&mut self, noun: Noun, name: Name, id: u64) {
        self.ones.add(noun, id, name);
        self.counts.entry((noun, name)).or_default().before += 1;
    }

    /// With texts in place of numbers.
    pub(crate) fn named(self, known: &Known) -> Side {
        let mut nouns: BTreeMap<Noun, BTreeMap<String, Count>> = BTreeMap::new();
        for ((noun, name), count) in self.counts {
            let is_thread = matches!(noun, Noun::ThreadsStarted | Noun::ThreadsEnded);
            if is_thread && known.is_agents(name) {
                // Only one of the two agents has it.
                continue;
            }
            let names = nouns.entry(noun).or_default();
            names.insert(known.text(name).to_owned(), count);
        }
        let tagged = self.tagged.into_iter();
        let tagged = tagged.map(|(name, both)| (known.text(name).to_owned(), both));
        let tagged = tagged.collect();
        let named = |names: HashSet<Name>| {
            names
                .into_iter()
                .map(|it| known.text(it).to_owned())
                .collect()
        };
        let sampled = self.sampled.into_iter();
        let sampled = sampled.map(|(name, times)| (known.text(name).to_owned(), times));
        let sampled = sampled.collect();
        Side {
            nouns,
            stacks: self.stacks.named(known),
            running: self.has_waiting.then(|| self.running.named(known)),
            setup: self.setup,
            matched: BTreeMap::new(),
            tagged,
            unknown_monitors: self.unknown_monitors,
            takes_turns: named(self.takes_turns),
            sampled,
        }
    }
}

/// One side, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    pub(crate) nouns: BTreeMap<Noun, BTreeMap<String, Count>>,
    pub(crate) stacks: Samples,
    /// The same without those of threads that wait, if there are such that it need not have looked at.
    pub(crate) running: Option<Samples>,
    pub(crate) setup: Setup,
    /// Of a port: against the old agent in the same recording.
    pub(crate) matched: BTreeMap<Noun, Matched>,
    /// Of a port that tags some of the births that it is told of: by class how many, and of how many.
    pub(crate) tagged: BTreeMap<String, [u64; 2]>,
    pub(crate) unknown_monitors: bool,
    /// Methods whose recursion on this side is that of all threads but carriers.
    pub(crate) takes_turns: BTreeSet<String>,
    /// How many stacks of each thread were taken.
    pub(crate) sampled: BTreeMap<String, u64>,
}

impl Side {
    /// The names of a noun.
    pub(crate) fn of(&self, noun: Noun) -> BTreeMap<String, Count> {
        self.nouns.get(&noun).cloned().unwrap_or_default()
    }
}

/// Two sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a> {
    pub(crate) old: &'a Side,
    pub(crate) new: &'a Side,
    /// Both are of the same run.
    pub(crate) in_one: bool,
    /// The options of libjvmpi and of the old agent.
    pub(crate) settings: &'a str,
    /// Whose methods the old side was told of.
    pub(crate) chosen: &'a ClassFilter,
}

impl Sides<'_> {
    /// Whether a method, `Work.fib(I)I`, is among those that the old side was told of.
    pub(crate) fn chose(&self, method: &str) -> bool {
        self.chosen
            .takes(class_of(method).replace('.', "/").as_bytes())
    }

    /// Whether a name, of a class or a method, is the port's own: of a class whose native methods are
    /// in its library.
    pub(crate) fn is_ports_own(&self, noun: Noun, name: &str) -> bool {
        let class = match noun.is_of_methods() {
            true => class_of(name),
            false => name,
        };
        let mut natives = self.new.setup.natives.iter();
        !noun.is_of_threads() && natives.any(|native| class_of(native) == class)
    }
}

/// `Work` of `Work.fib(I)I`.
pub(crate) fn class_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    name.rsplit_once('.').map_or(name, |(class, _)| class)
}
