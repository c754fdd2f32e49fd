//! Threads, numbered from 1 as they start.

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

/// The group of virtual threads.
const VIRTUAL: &str = "VirtualThreads";

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

#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// By serial, from 1 on; virtual threads that nothing names are gone when they have ended.
    all: Vec<Option<Box<Thread>>>,
    by_env: FxHashMap<usize, u32>,
    /// How often somebody has started or ended.
    version: u64,
    /// Virtual threads are threads to this host.
    virtual_ones: bool,
    /// In the order of time; of virtual threads since something names them.
    pub(crate) changes: Vec<Change>,
    /// Virtual threads that have ended and that nothing names.
    pub(crate) left_out: u64,
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
        let is_virtual = start.group == VIRTUAL;
        self.virtual_ones |= is_virtual;
        self.all.push(Some(Box::new(Thread {
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
        })));
        let serial = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.by_env.insert(start.env, serial);
        self.version += 1;
        if !is_virtual {
            self.changes.push(Change::Start(serial));
        }
        serial
    }

    pub(crate) fn end(&mut self, env: usize) {
        let Some(serial) = self.by_env.remove(&env) else {
            return;
        };
        self.version += 1;
        let listed = self.get_mut(serial).is_some_and(|thread| {
            thread.ended = true;
            thread.is_listed
        });
        if listed {
            self.changes.push(Change::End(serial));
        } else if let Some(place) = self.place(serial) {
            *place = None;
            self.left_out += 1;
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

    fn place(&mut self, serial: u32) -> Option<&mut Option<Box<Thread>>> {
        let index = usize::try_from(serial.checked_sub(1)?).ok()?;
        self.all.get_mut(index)
    }

    /// 0 is nobody's.
    pub(crate) fn serial(&self, env: usize) -> Option<u32> {
        self.by_env.get(&env).copied()
    }

    pub(crate) fn get(&self, serial: u32) -> Option<&Thread> {
        let index = usize::try_from(serial.checked_sub(1)?).ok()?;
        self.all.get(index)?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, serial: u32) -> Option<&mut Thread> {
        self.place(serial)?.as_deref_mut()
    }

    /// Those that something names, and all platform threads, with their serials.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (u32, &Thread)> {
        let all = (1..).zip(&self.all);
        let there = all.filter_map(|(serial, thread)| Some((serial, thread.as_deref()?)));
        there.filter(|(_, thread)| thread.is_listed)
    }

    /// Another number whenever others live, which is not 0 as soon as anybody does.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Who lives.
    pub(crate) fn live(&self) -> impl Iterator<Item = Live> {
        self.by_env.iter().map(|(&env, &serial)| {
            let thread = self.get(serial);
            Live {
                env,
                serial,
                tid: thread.map_or(0, |thread| thread.tid),
                has_run: thread.map_or(0, |thread| thread.has_run),
                is_virtual: thread.is_some_and(|thread| thread.is_virtual),
                carrier: !self.virtual_ones && thread.is_some_and(|thread| thread.carrier),
            }
        })
    }
}
