//! Threads, numbered from 1 as they start.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::ffi::clock::own_tid;
use crate::ffi::event::ThreadStart;

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) object: usize,
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) parent: String,
    /// On which it was started; 0 if nobody wants to know.
    pub(crate) trace: u32,
    pub(crate) ended: bool,
    /// The sampler has looked at it, or it started since it last did.
    pub(crate) comparable: bool,
    /// The kernel's number; 0 while it is not known.
    pub(crate) tid: i32,
    /// How long it had run when the sampler last looked, in nanoseconds.
    pub(crate) has_run: u64,
    is_virtual: bool,
    /// Virtual threads run on it (JDK 21 and later).
    carrier: bool,
    /// It is in [`Threads::changes`].
    is_listed: bool,
}

/// The group of virtual threads, and the one that this is in: a program can have one of the same name.
const VIRTUAL: [&str; 2] = ["VirtualThreads", "system"];

/// What the sampler has to know of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    pub(crate) env: usize,
    pub(crate) serial: u32,
    pub(crate) tid: i32,
    pub(crate) has_run: u64,
    pub(crate) is_virtual: bool,
    /// Virtual threads run on it that are none to this host.
    pub(crate) carrier: bool,
}

/// A line of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Start(u32),
    End(u32),
}

/// Which threads are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    All,
    /// Those of the operating system: of virtual ones there may be very many.
    Platform,
}

/// Whom a look is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Whom {
    #[default]
    Nobody,
    /// The thread with this env.
    One(usize),
    /// All virtual threads.
    Virtual,
}

#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// By serial, from 1 on; virtual threads that nothing names are gone when they have ended.
    all: BTreeMap<u32, Thread>,
    /// How many have started.
    started: u32,
    by_env: FxHashMap<usize, u32>,
    /// Who lives, by the `java.lang.Thread`: hosts that move objects move many.
    by_object: FxHashMap<usize, u32>,
    /// Those of them that are no virtual ones.
    platform: FxHashMap<usize, u32>,
    /// How often one of the platform has started or ended.
    version: u64,
    /// The same of virtual ones.
    virtual_version: u64,
    /// Virtual threads are threads to this host.
    virtual_ones: bool,
    /// In the order of time; of virtual threads since something names them.
    pub(crate) changes: Vec<Change>,
    /// Virtual threads that have ended and that nothing names.
    pub(crate) left_out: u64,
    /// Those wait before they end.
    pub(crate) looked_at: Whom,
}

impl Threads {
    /// Whether the host has told of a virtual thread.
    pub(crate) fn has_virtual_ones(&self) -> bool {
        self.virtual_ones
    }

    /// The serial of the thread that is told of.
    pub(crate) fn start(&mut self, start: ThreadStart) -> u32 {
        if let Some(serial) = self.serial(start.env) {
            let same = self
                .get(serial)
                .is_some_and(|known| known.object == start.object);
            if same {
                return serial;
            }
            // Its THREAD_END was lost.
            self.end(start.env);
        }
        let is_virtual = [&*start.group, &*start.parent] == VIRTUAL;
        let thread = Thread {
            object: start.object,
            name: start.name,
            carrier: start.group == "CarrierThreads",
            group: start.group,
            parent: start.parent,
            trace: 0,
            ended: false,
            comparable: start.own,
            // It has none of its own.
            tid: if start.own && !is_virtual {
                own_tid()
            } else {
                0
            },
            has_run: 0,
            is_virtual,
            is_listed: !is_virtual,
        };
        self.started += 1;
        let serial = self.started;
        self.all.insert(serial, thread);
        self.by_env.insert(start.env, serial);
        self.by_object.insert(start.object, serial);
        if is_virtual {
            self.virtual_version += 1;
            if !self.virtual_ones {
                self.virtual_ones = true;
                // Carriers are others than they were.
                self.version += 1;
            }
        } else {
            self.platform.insert(start.env, serial);
            self.version += 1;
            self.changes.push(Change::Start(serial));
        }
        serial
    }

    pub(crate) fn end(&mut self, env: usize) {
        let Some(serial) = self.by_env.remove(&env) else {
            return;
        };
        if self.platform.remove(&env).is_some() {
            self.version += 1;
        } else {
            self.virtual_version += 1;
        }
        let ended = self.get_mut(serial).map(|thread| {
            thread.ended = true;
            (thread.object, thread.is_listed)
        });
        // Another one may have its object's id by now.
        if let Some((object, _)) = ended
            && self.by_object.get(&object) == Some(&serial)
        {
            self.by_object.remove(&object);
        }
        if ended.is_some_and(|(_, is_listed)| is_listed) {
            self.changes.push(Change::End(serial));
        } else if self.all.remove(&serial).is_some() {
            self.left_out += 1;
        }
    }

    /// A thread's object got another id. Those of threads that have ended stay as they were: they may be others' soon.
    pub(crate) fn moved(&mut self, from: usize, to: usize) {
        let Some(serial) = self.by_object.remove(&from) else {
            return;
        };
        self.by_object.insert(to, serial);
        if let Some(thread) = self.get_mut(serial) {
            thread.object = to;
        }
    }

    /// Something is about to name the thread.
    pub(crate) fn list(&mut self, serial: u32) {
        if let Some(thread) = self.get_mut(serial)
            && !thread.is_listed
        {
            thread.is_listed = true;
            self.changes.push(Change::Start(serial));
        }
    }

    /// Whether it is a virtual thread.
    pub(crate) fn is_virtual(&self, env: usize) -> bool {
        let thread = self.serial(env).and_then(|serial| self.get(serial));
        thread.is_some_and(|thread| thread.is_virtual)
    }

    /// Whether the sampler is asking about it.
    pub(crate) fn is_looked_at(&self, env: usize) -> bool {
        match self.looked_at {
            Whom::Nobody => false,
            Whom::One(looked_at) => looked_at == env,
            Whom::Virtual => self.is_virtual(env),
        }
    }

    /// 0 is nobody's.
    pub(crate) fn serial(&self, env: usize) -> Option<u32> {
        self.by_env.get(&env).copied()
    }

    pub(crate) fn get(&self, serial: u32) -> Option<&Thread> {
        self.all.get(&serial)
    }

    pub(crate) fn get_mut(&mut self, serial: u32) -> Option<&mut Thread> {
        self.all.get_mut(&serial)
    }

    /// Those that something names, and all platform threads, with their serials.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (u32, &Thread)> {
        let all = self.all.iter().map(|(&serial, thread)| (serial, thread));
        all.filter(|(_, thread)| thread.is_listed)
    }

    /// Another number whenever others live, which is not 0 as soon as anybody does.
    pub(crate) fn version(&self, who: Who) -> u64 {
        match who {
            Who::All => self.version + self.virtual_version,
            Who::Platform => self.version,
        }
    }

    /// Who lives.
    pub(crate) fn live(&self, who: Who) -> impl Iterator<Item = Live> {
        let those = match who {
            Who::All => &self.by_env,
            Who::Platform => &self.platform,
        };
        those
            .iter()
            .map(|(&env, &serial)| self.live_one(env, serial))
    }

    fn live_one(&self, env: usize, serial: u32) -> Live {
        let thread = self.get(serial);
        Live {
            env,
            serial,
            tid: thread.map_or(0, |thread| thread.tid),
            has_run: thread.map_or(0, |thread| thread.has_run),
            is_virtual: thread.is_some_and(|thread| thread.is_virtual),
            carrier: !self.virtual_ones && thread.is_some_and(|thread| thread.carrier),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: [&str; 2] = ["main", "system"];
    const CARRIERS: [&str; 2] = ["CarrierThreads", "InnocuousThreadGroup"];

    fn start(threads: &mut Threads, env: usize, [group, parent]: [&str; 2]) -> u32 {
        threads.start(ThreadStart {
            env,
            object: env,
            name: String::new(),
            group: group.to_owned(),
            parent: parent.to_owned(),
            own: false,
        })
    }

    fn envs(threads: &Threads, who: Who) -> Vec<usize> {
        let mut envs: Vec<_> = threads.live(who).map(|live| live.env).collect();
        envs.sort_unstable();
        envs
    }

    #[test]
    fn virtual_threads_are_no_news_to_who_asks_for_others() {
        let mut threads = Threads::default();
        start(&mut threads, 1, MAIN);
        start(&mut threads, 2, CARRIERS);
        let carries = |threads: &Threads| threads.live(Who::Platform).any(|live| live.carrier);
        assert!(carries(&threads));
        let before = threads.version(Who::Platform);
        let serial = start(&mut threads, 3, VIRTUAL);
        // With the first one carriers are threads like others.
        let (platform, all) = (threads.version(Who::Platform), threads.version(Who::All));
        assert!(platform != before && !carries(&threads));
        start(&mut threads, 4, VIRTUAL);
        threads.end(4);
        assert_eq!(threads.version(Who::Platform), platform);
        assert!(threads.version(Who::All) > all);
        assert_eq!(envs(&threads, Who::Platform), [1, 2]);
        assert_eq!(envs(&threads, Who::All), [1, 2, 3]);
        assert_eq!([3, 4].map(|env| threads.serial(env)), [Some(serial), None]);
        threads.end(1);
        assert_ne!(threads.version(Who::Platform), platform);
        assert_eq!(envs(&threads, Who::Platform), [2]);
    }

    #[test]
    fn a_look_is_at_one_thread_or_at_all_virtual_ones() {
        let mut threads = Threads::default();
        start(&mut threads, 1, MAIN);
        start(&mut threads, 2, MAIN);
        start(&mut threads, 3, VIRTUAL);
        let mut looked_at = |whom| {
            threads.looked_at = whom;
            [1, 2, 3].map(|env| threads.is_looked_at(env))
        };
        assert_eq!(looked_at(Whom::One(2)), [false, true, false]);
        assert_eq!(looked_at(Whom::Virtual), [false, false, true]);
        assert_eq!(looked_at(Whom::Nobody), [false; 3]);
    }

    #[test]
    fn a_thread_whose_object_has_moved_is_the_same() {
        let mut threads = Threads::default();
        let [first, second] = [1, 2].map(|env| start(&mut threads, env, MAIN));
        // One takes the place that the other leaves.
        threads.moved(2, 3);
        threads.moved(1, 2);
        threads.moved(7, 8);
        let object = |threads: &Threads, serial| threads.get(serial).map(|thread| thread.object);
        assert_eq!(
            [first, second].map(|serial| object(&threads, serial)),
            [Some(2), Some(3)]
        );
        // Told of once more it is none that starts.
        let again = ThreadStart {
            env: 1,
            object: 2,
            name: String::new(),
            group: String::new(),
            parent: String::new(),
            own: false,
        };
        assert_eq!(threads.start(again), first);
        assert_eq!(threads.changes.len(), 2);
        threads.end(1);
        threads.moved(2, 9);
        assert_eq!(object(&threads, first), Some(2));
    }

    #[test]
    fn a_group_of_the_program_s_makes_no_virtual_threads() {
        let mut threads = Threads::default();
        let own = start(&mut threads, 1, [VIRTUAL[0], "main"]);
        assert!(!threads.has_virtual_ones());
        threads.end(1);
        assert!(threads.listed().map(|(serial, _)| serial).eq([own]));
        assert_eq!(threads.left_out, 0);
    }

    #[test]
    fn those_that_nothing_names_are_gone_and_counted() {
        let mut threads = Threads::default();
        let main = start(&mut threads, 1, MAIN);
        let named = start(&mut threads, 2, VIRTUAL);
        for env in 3..1003 {
            start(&mut threads, env, VIRTUAL);
        }
        threads.list(named);
        threads.list(named);
        for env in 2..1003 {
            threads.end(env);
        }
        assert_eq!(threads.all.len(), 2);
        assert!(threads.listed().map(|(serial, _)| serial).eq([main, named]));
        assert_eq!(threads.left_out, 1000);
        let changes = [
            Change::Start(main),
            Change::Start(named),
            Change::End(named),
        ];
        assert_eq!(threads.changes, changes);
        // Numbers are not used again.
        assert_eq!(start(&mut threads, 5, VIRTUAL), 1003);
    }
}
