//! What the events of each method cost, and what they measure: `method-budget=`.
//!
//! Of a thread's method events one in [`EVERY`] or so is looked at, at distances that nobody can
//! foresee ([`Meter`]): which method it is of, and how long it is from the agent's answer to the
//! next event, of whatever method. That stretch is the method's that runs then. So many events
//! and stretches stand for [`EVERY`] times as many ([`Costs`]).
//!
//! An event costs what the agent's handler takes (the mean of those looked at but for the longest of
//! them: a handler that meets something new, or loses the processor, says nothing of the others) and the
//! way to it, which is what lies between two events with nothing between them: the shortest
//! stretches, if they are short enough for that. As much again is lost where nobody can look: a call
//! that is told of is not compiled into its caller ([`HIDDEN`]). A method's
//! events cost more than they measure if its stretches, without that way, are shorter than
//! its events take. Once all together take more than the budget, a share of the CPU time that the
//! process takes, such methods are left out, the most expensive first, until the others take
//! half of it: what is compiled has to be made anew each time, so it is not to be done often.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

/// One event and one stretch in so many, on average.
pub const EVERY: u32 = 128;
/// Fewer events that were looked at say too little: then the next look takes them along.
const ENOUGH: u64 = 1000;
/// What is known of a method by fewer of its events is chance.
const ENOUGH_OF_ONE: u64 = 16;
/// So many times what can be measured is what hooks cost: JVMTI facts 39.
const HIDDEN: f64 = 2.0;
/// Events take no more than this of the CPU time, and a method whose events take less is not
/// worth its while.
const MOST: f64 = 0.9;
const LEAST: f64 = 0.0005;
/// A longer stretch counts as this: a thread that loses the processor within a method says nothing of
/// that, and one that is really so long is worth its events as well.
const LONGEST: u64 = 50_000;
/// As much is looked at of how long handlers and stretches take.
const LENGTHS: usize = 4096;
/// One stretch in so many is taken for one with nothing in it.
const SHORTEST: usize = 100;
/// One handler in so many is not like the others.
const UNLIKE: usize = 50;

/// What an event is that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// It is to be looked at: [`Meter::begin`] is to be told when it is over.
    Event,
    /// It ends a stretch: of which method, and how long.
    End(i32, u64),
    /// The thread's first: nothing.
    Nothing,
}

/// Which events of a thread are looked at. Its own: no lock, and one subtraction an event.
#[derive(Debug)]
pub struct Meter {
    left: u32,
    seed: u32,
    /// The method whose stretch it is, and since when.
    open: Option<(i32, u64)>,
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

impl Meter {
    /// Of a thread that has had no event.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            left: 0,
            seed: 0,
            open: None,
        }
    }

    /// A method begins or ends: whether that is to be looked at.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    /// At an event that is due.
    pub fn end(&mut self, now: u64) -> Due {
        let due = match self.open.take() {
            Some((number, since)) => Due::End(number, now.saturating_sub(since)),
            // Events that its handler leads to are not looked at.
            None if self.seed != 0 => Due::Event,
            None => {
                // Short-lived threads of one kind are not all looked at at the same place.
                let low = u32::try_from(now & u64::from(u32::MAX)).unwrap_or(0);
                self.seed = low.wrapping_mul(0x9e37_79b9) | 1;
                Due::Nothing
            }
        };
        self.left = self.distance();
        due
    }

    /// After the handler of an event that was looked at: `running` is the method that goes on, if any.
    pub fn begin(&mut self, running: Option<i32>, now: u64) {
        self.open = running.map(|number| (number, now));
        self.left = match self.open {
            Some(_) => 1,
            None => self.distance(),
        };
    }

    /// 1 to twice [`EVERY`], which is the mean together with the event that ends a stretch.
    fn distance(&mut self) -> u32 {
        // Marsaglia's xorshift.
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 17;
        self.seed ^= self.seed << 5;
        1 + self.seed % (2 * EVERY - 3)
    }
}

/// Of one method, as far as it was looked at, since the last [`Costs::review`].
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    entries: u64,
    events: u64,
    /// How many stretches, and how long together.
    stretches: u64,
    ticks: u64,
}

/// What is known of all methods. Times are in ticks of one clock.
#[derive(Debug, Default)]
pub struct Costs {
    seen: HashMap<i32, Seen>,
    /// Entries before that.
    before: HashMap<i32, u64>,
    events: u64,
    handlers: Vec<u32>,
    stretches: Vec<u32>,
}

/// A method whose events cost more than they measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costly {
    /// Its number.
    pub number: i32,
    /// How often it has been called, about.
    pub calls: u64,
}

/// What a [`Costs::review`] has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Review {
    /// What an event costs, in ticks.
    pub event: f64,
    /// What all events cost, as a share of the CPU time.
    pub share: f64,
    /// Who is to be left out, the most expensive first.
    pub costly: Vec<Costly>,
}

impl Costs {
    /// An event of this method was looked at.
    pub fn event(&mut self, number: i32, is_entry: bool) {
        let seen = self.seen.entry(number).or_default();
        seen.events += 1;
        seen.entries += u64::from(is_entry);
        self.events += 1;
    }

    /// The handler of such an event has taken so long.
    pub fn handler(&mut self, ticks: u64) {
        note(&mut self.handlers, self.events, ticks);
    }

    /// A stretch of this method was looked at.
    pub fn stretch(&mut self, number: i32, ticks: u64) {
        let seen = self.seen.entry(number).or_default();
        seen.stretches += 1;
        seen.ticks += ticks.min(LONGEST);
        note(&mut self.stretches, self.events, ticks);
    }

    /// These numbers are nobody's any more.
    pub fn forget(&mut self, numbers: impl Iterator<Item = i32>) {
        for number in numbers {
            self.seen.remove(&number);
            self.before.remove(&number);
        }
    }

    /// Who is to be left out, so that events cost at most this share of the CPU time that the process
    /// has taken since the last review; `None` if too little was seen to know: then
    /// nothing has changed. `longest_way` is what the way to an event can take; `may_be` says who can
    /// be left out.
    pub fn review(
        &mut self,
        cpu_ticks: u64,
        longest_way: f64,
        budget: f64,
        may_be: impl Fn(i32) -> bool,
    ) -> Option<Review> {
        if self.events < ENOUGH || cpu_ticks == 0 {
            return None;
        }
        let (times, cpu) = (f64::from(EVERY), as_number(cpu_ticks));
        let way = self.way().min(longest_way);
        // On a processor that others use, too, all takes longer than its CPU time.
        let most = MOST * cpu / (as_number(self.events) * times);
        let event = (HIDDEN * (self.handler_cost() + way)).min(most);
        let cost_of = |events: u64| as_number(events) * times * event;
        let all = cost_of(self.events);
        let costs_more = |seen: &Seen| {
            let measured = as_number(seen.ticks) - as_number(seen.stretches) * way;
            measured * times < cost_of(seen.events)
        };
        let known = self.seen.iter().filter(|(number, seen)| {
            seen.events >= ENOUGH_OF_ONE
                && cost_of(seen.events) > LEAST * cpu
                && costs_more(seen)
                && may_be(**number)
        });
        let mut known: Vec<_> = known.map(|(&number, &seen)| (number, seen)).collect();
        known.sort_by_key(|&(number, seen)| (std::cmp::Reverse(seen.events), number));
        let target = if all <= budget * cpu {
            1.0
        } else {
            budget / 2.0
        };
        let mut saved = 0.0;
        let mut costly = Vec::new();
        for (number, seen) in known {
            // What is saved is no CPU time any more.
            if all - saved <= target * (cpu - saved) {
                break;
            }
            saved += cost_of(seen.events);
            let before = self.before.get(&number).copied().unwrap_or(0);
            let calls = (before + seen.entries) * u64::from(EVERY);
            costly.push(Costly { number, calls });
        }
        self.turn();
        Some(Review {
            event,
            share: all / cpu,
            costly,
        })
    }

    /// What was seen is past: it counts as calls, and says no more of costs.
    pub fn turn(&mut self) {
        for (number, seen) in self.seen.drain() {
            *self.before.entry(number).or_default() += seen.entries;
        }
        self.events = 0;
        self.handlers.clear();
        self.stretches.clear();
    }

    /// What a handler takes.
    fn handler_cost(&mut self) -> f64 {
        let count = self.handlers.len() - self.handlers.len().div_ceil(UNLIKE);
        nth(&mut self.handlers, count);
        let alike = self.handlers.iter().take(count);
        let all: u64 = alike.map(|&ticks| u64::from(ticks)).sum();
        as_number(all) / as_number(count.max(1) as u64)
    }

    /// What lies between two events with nothing between them.
    fn way(&mut self) -> f64 {
        let few = self.stretches.len() / SHORTEST;
        nth(&mut self.stretches, few)
    }
}

/// Keeps the last [`LENGTHS`] of them, about.
fn note(lengths: &mut Vec<u32>, turn: u64, ticks: u64) {
    let ticks = u32::try_from(ticks).unwrap_or(u32::MAX);
    if lengths.len() < LENGTHS {
        lengths.push(ticks);
    } else if let Some(old) = usize::try_from(turn)
        .ok()
        .and_then(|turn| lengths.get_mut(turn % LENGTHS))
    {
        *old = ticks;
    }
}

fn nth(lengths: &mut [u32], n: usize) -> f64 {
    if lengths.is_empty() {
        return 0.0;
    }
    f64::from(*lengths.select_nth_unstable(n).1)
}

#[allow(clippy::cast_precision_loss, reason = "52 bits are enough")]
fn as_number(count: u64) -> f64 {
    count as f64
}
