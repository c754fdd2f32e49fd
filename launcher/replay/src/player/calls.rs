//! The record's answers to calls, and where a thread stays that has got none.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_host::Host;
use recording_format::{Value, What};

use super::find::{Found, go_on_if};
use super::{Player, set_wait};
use crate::answers::Answers;
use crate::aside;
use crate::ffi::process::stop_here;
use crate::lane::Seen;
use crate::place::{self, Frame, change_top, top};
use crate::turns::{Quiet, Wait};

impl Host for Player {
    fn call(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
        let thread = place::part().or_else(|| self.bind_foreign());
        let matched = thread.and_then(|thread| Some((thread, self.find(thread, slot, arguments)?)));
        let Some((thread, found)) = matched else {
            if let Some(thread) = thread
                && let Some(frame) = self.at_its_end(thread)
            {
                self.skip(thread, frame.next, frame.end);
                self.wait_for_others(thread);
            }
            return self.nearest(slot, arguments);
        };
        // Relaxed: counts; and below, what is enabled, noted in front of the lock under which the call
        // is completed: whose turn comes after it has taken that lock since.
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        let (turn, place) = match found {
            Found::Next(place) => (place, place),
            Found::Early { place, first } => {
                self.counts.early.fetch_add(1, Ordering::Relaxed);
                (first, place)
            }
        };
        let Seen { node, end } = self.at(thread, place)?;
        self.wait_turn(thread, turn);
        self.answer(thread, place);
        if let Some((_, results)) = node.what.results() {
            return Some(results.to_vec());
        }
        let events = || self.events_inside(thread);
        if end < self.script.len(thread) {
            let last = std::cell::OnceCell::new();
            self.inside(thread, place, end, || {
                events();
                // Before it has been played, and is forgotten.
                let _ = last.set(self.at(thread, end));
            });
            let last = last.into_inner().flatten()?;
            return Some(last.node.what.results()?.1.to_vec());
        }
        // It had not returned when the process ended.
        self.inside(thread, place, end, events);
        if self.is_loading(Some(thread)) {
            return self.nearest(slot, arguments);
        }
        self.stop_here(thread)
    }

    fn note_enabled(&self, number: i64) {
        if let Ok(bit) = u32::try_from(number)
            && bit < 64
        {
            self.enabled.fetch_or(1 << bit, Ordering::Relaxed);
        }
    }

    /// Waits until that much recorded time has passed; for ever on a thread that nobody needs,
    /// and not at all in JVM_OnLoad.
    fn wait_elsewhere(&self, millis: i64) {
        let thread = place::part();
        if self.is_loading(thread) {
            return;
        }
        // None: a thread that nobody waits for.
        let thread = thread.unwrap_or(usize::MAX);
        set_wait(&mut self.lock(), thread, Wait::Others);
        let begin = self.now();
        let wait = u64::try_from(millis).unwrap_or(0).saturating_mul(1_000_000);
        loop {
            match (begin, self.now()) {
                (Some(begin), Some(now)) if millis <= 0 || now < begin.saturating_add(wait) => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                (_, Some(_)) => break,
                (_, None) => stop_here(),
            }
        }
        set_wait(&mut self.lock(), thread, Wait::No);
    }

    fn now(&self) -> Option<u64> {
        self.lock().turn().map(|turn| turn.nanos)
    }

    fn next_system_thread(&self, arguments: &[Value<'_>]) -> Option<u64> {
        const CREATE_SYSTEM_THREAD: u8 = 18;
        let thread = place::part()?;
        let place = self.peek(thread, CREATE_SYSTEM_THREAD, arguments)?;
        let seen = self.at(thread, place)?;
        seen.node.what.values().1.get(2)?.id()
    }

    fn exit(&self, code: i32) -> ! {
        aside::step();
        aside::say(&format!(
            "replay: the agent has ended it by ProfilerExit({code})"
        ));
        crate::ffi::process::exit(code)
    }

    fn say(&self, what: &str) {
        aside::say(what);
    }

    fn no_jni(&self) -> &'static str {
        "which needs a JVM; in a replay it gets 0 or NULL"
    }

    fn monitor_name(&self, monitor: u64) -> Option<Vec<u8>> {
        self.script.names.get(&monitor).map(|name| name.to_vec())
    }
}

/// A raw monitor that was not created there: an agent of any width gets a number for it.
fn new_monitor(slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
    const RAW_MONITOR_CREATE: u8 = 7;
    /// Beyond all that the shim gives out.
    static NEXT: AtomicU32 = AtomicU32::new(0x8000_0001);
    let is_named = matches!(arguments, [Value::Text(Some(_))]);
    // Relaxed: numbers that differ.
    let next = || NEXT.fetch_add(1, Ordering::Relaxed).into();
    (slot == RAW_MONITOR_CREATE && is_named).then(|| vec![Value::Id(next())])
}

impl Player {
    /// The thread has nothing more to do; it must not return to the agent.
    fn stop_here(&self, thread: usize) -> ! {
        set_wait(&mut self.lock(), thread, Wait::Others);
        stop_here()
    }

    /// What this thread does, if the process ended before it did anything more.
    fn at_its_end(&self, thread: usize) -> Option<Frame> {
        let frame = top().filter(|frame| frame.unended && !self.is_loading(Some(thread)))?;
        let mut left = false;
        self.siblings(
            thread,
            frame.behind.max(frame.next),
            frame.end,
            |_, _, is_done| {
                left = !is_done;
                go_on_if(is_done)
            },
        );
        (!left).then_some(frame)
    }

    /// A thread that had come no further when the process ended: it stays here, unless
    /// another one, whose turn it is, waits for something that this one has.
    fn wait_for_others(&self, thread: usize) {
        let mut state = self.lock();
        let mut quiet = Quiet::from(&state);
        set_wait(&mut state, thread, Wait::Turn);
        while let Some(turn) = state.turn() {
            self.sleep(&mut state, thread);
            let owner = state.threads.get(turn.thread).copied().unwrap_or_default();
            if quiet.lasts(&mut state) && owner.is_away() {
                set_wait(&mut state, thread, Wait::No);
                return;
            }
        }
        drop(state);
        self.stop_here(thread)
    }

    /// Events that came while the agent was in a call.
    fn events_inside(&self, thread: usize) {
        while let Some(frame) = top() {
            if frame.next >= frame.end {
                return;
            }
            let place = frame.next;
            let next = match self.at(thread, place) {
                Some(seen) if matches!(seen.node.what, What::Event { .. }) => {
                    self.play_event(thread, place)
                }
                _ => place + 1,
            };
            change_top(|frame| frame.next = next);
        }
    }

    fn nearest(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
        let answers = self.answers.get_or_init(|| Answers::of(self.recording));
        let found = answers.nearest(slot, arguments, self.now().unwrap_or(u64::MAX));
        let count = match &found {
            Some(_) => Some(&self.counts.elsewhere),
            // What an agent keeps for threads it gets from us in any case.
            None => (!matches!(slot, 19 | 20)).then_some(&self.counts.unknown),
        };
        if let Some(count) = count {
            count.fetch_add(1, Ordering::Relaxed);
        }
        found.or_else(|| new_monitor(slot, arguments))
    }
}

#[cfg(test)]
mod tests {
    use recording_format::Value;

    use super::new_monitor;

    #[test]
    fn new_monitors_are_numbers_for_agents_of_32_bits_too() {
        let new = |slot, name| new_monitor(slot, &[Value::Text(name)]);
        let number = |given: Option<Vec<Value<'static>>>| given?.first()?.id();
        let [first, second] = [&b"first"[..], b"second"].map(|name| number(new(7, Some(name))));
        assert!(first.is_some() && second.is_some() && first != second);
        assert!(second.is_some_and(|number| u32::try_from(number).is_ok()));
        assert_eq!((new(7, None), new(8, Some(b"first"))), (None, None));
    }
}
