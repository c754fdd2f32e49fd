//! The records of one thread that are being played: read as they are needed, forgotten when
//! they have been played.

use std::collections::VecDeque;
use std::sync::Arc;

use recording_format::{Records, What};

use crate::script::{Cause, Nest, Script, has_place};

/// A record.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) what: What<'static>,
    pub(crate) nanos: u64,
}

/// A record in its place.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) node: Arc<Node>,
    /// The place of its end; its own if that is at once, and behind the thread's records if it
    /// has none.
    pub(crate) end: usize,
}

#[derive(Debug)]
struct Entry {
    node: Arc<Node>,
    end: Option<usize>,
    done: bool,
}

/// A thread's records from the first that has not been played to the last that was looked at.
#[derive(Debug)]
pub(crate) struct Lane {
    records: Records<'static, 'static>,
    /// The place of the first in `window`: all before it are done.
    base: usize,
    window: VecDeque<Entry>,
    nest: Nest,
    far_ends: std::collections::HashMap<usize, usize>,
    /// From here on, what lies in no event is nobody's.
    ours_from: Option<usize>,
    /// What is read now lies in such a record.
    is_orphan: bool,
    /// Calls that nothing in a replay can bring about: native methods of the program made them.
    pub(crate) orphans: usize,
    /// Records that were forgotten without having been played.
    missed: usize,
}

impl Lane {
    pub(crate) fn of(
        records: Records<'static, 'static>,
        script: &mut Script,
        thread: usize,
    ) -> Self {
        let (first, until) = script.on_load;
        let part = script.threads.get_mut(thread);
        let ours = part.as_ref().is_some_and(|part| part.cause == Cause::Us);
        Self {
            records,
            base: 0,
            window: VecDeque::new(),
            nest: Nest::default(),
            far_ends: part
                .map(|part| std::mem::take(&mut part.far_ends))
                .unwrap_or_default(),
            ours_from: ours.then_some(if thread == first { until } else { 0 }),
            is_orphan: false,
            orphans: 0,
            missed: 0,
        }
    }

    /// All before this one are done.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// Reads one record more; false at the end.
    fn read(&mut self) -> bool {
        let Some(item) = self.records.find(|item| has_place(&item.what)) else {
            return false;
        };
        let place = self.base + self.window.len();
        if self.nest.is_empty() {
            let ours = matches!(item.what, What::Event { .. } | What::Run { .. });
            self.is_orphan = !ours && self.ours_from.is_some_and(|from| place >= from);
        }
        let (base, window) = (self.base, &mut self.window);
        self.nest.add(&item.what, place, |begin| {
            let begun = begin.checked_sub(base).and_then(|at| window.get_mut(at));
            if let Some(begun) = begun {
                begun.end = Some(place);
            }
        });
        let end = match item.what.is_open() {
            true => self.far_ends.remove(&place),
            false => Some(place),
        };
        self.orphans += usize::from(self.is_orphan && matches!(item.what, What::Call { .. }));
        self.window.push_back(Entry {
            end,
            done: self.is_orphan,
            node: Arc::new(Node {
                what: item.what,
                nanos: item.nanos,
            }),
        });
        true
    }

    fn entry(&mut self, place: usize) -> Option<&mut Entry> {
        let at = place.checked_sub(self.base)?;
        while self.window.len() <= at {
            if !self.read() {
                return None;
            }
        }
        self.window.get_mut(at)
    }

    /// The record at this place; none behind the last, and none that was forgotten.
    pub(crate) fn at(&mut self, place: usize) -> Option<Seen> {
        while self.entry(place)?.end.is_none() {
            // An end that is far off is known; this one is near.
            if !self.read() {
                break;
            }
        }
        let entry = self.entry(place)?;
        Some(Seen {
            node: Arc::clone(&entry.node),
            end: entry.end.unwrap_or(usize::MAX),
        })
    }

    pub(crate) fn nanos(&mut self, place: usize) -> Option<u64> {
        Some(self.entry(place)?.node.nanos)
    }

    pub(crate) fn is_done(&mut self, place: usize) -> bool {
        place < self.base || self.entry(place).is_some_and(|entry| entry.done)
    }

    /// Notes that a record has been played; whether that is new.
    pub(crate) fn set_done(&mut self, place: usize) -> bool {
        let Some(entry) = self.entry(place) else {
            return false;
        };
        let fresh = !std::mem::replace(&mut entry.done, true);
        self.forget();
        fresh
    }

    /// Forgets what nobody will ask for any more.
    pub(crate) fn forget(&mut self) {
        while self.window.front().is_some_and(|entry| entry.done) {
            self.window.pop_front();
            self.base += 1;
        }
    }

    /// The others have passed over this record: it is kept for a while, for the thread may come
    /// back to it.
    pub(crate) fn pass(&mut self) {
        const MOST: usize = 1 << 15;
        if self.window.len() > MOST
            && let Some(first) = self.window.pop_front()
        {
            self.base += 1;
            self.missed += usize::from(!first.done);
        }
    }

    /// Records that have been read, and not played.
    pub(crate) fn not_played(&self) -> usize {
        self.missed + self.window.iter().filter(|entry| !entry.done).count()
    }
}
