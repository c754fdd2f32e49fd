//! Which handlers a bracket may go on beside.
//!
//! Agents rely on the bracket for exclusion: while GC_START to GC_FINISH are handled, nothing
//! else is. So a bracket waits for the handlers in flight; it is ours to postpone, and no
//! thread of the program waits for it meanwhile. It goes on beside a handler that waits for the
//! very thread that sends the bracket, for that cannot end before; and, so that ids come back
//! one day, beside one that has not come back for a minute.
//!
//! # Threads
//! Pure: the caller says what it sees, and when.

use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How long a bracket waits for handlers that are in the agent's own code.
pub const AT_LEAST: Duration = Duration::from_secs(60);

/// Who cannot go on before whom, threads by their keys.
#[derive(Default)]
pub struct Waits(Vec<(u64, u64)>);

impl Waits {
    /// `who` waits for `whom`.
    pub fn note(&mut self, who: u64, whom: u64) {
        if who != 0 && whom != 0 && who != whom {
            self.0.push((who, whom));
        }
    }

    /// Whether one waits for the other, over however many between them.
    pub fn lead(&self, from: u64, to: u64) -> bool {
        let mut met = HashSet::from([from]);
        let mut next = vec![from];
        while let Some(who) = next.pop() {
            for &(_, whom) in self.0.iter().filter(|(waiting, _)| *waiting == who) {
                if whom == to {
                    return true;
                }
                if met.insert(whom) {
                    next.push(whom);
                }
            }
        }
        false
    }
}

/// A thread in a handler that has not come back while the gate was held closed for a while.
#[derive(Clone, Copy, Debug)]
pub struct Straggler {
    /// The thread.
    pub env: usize,
    /// It waits for the sender of the bracket.
    pub waits_for_sender: bool,
}

/// What is to be done about stragglers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advice {
    /// The gate is to be opened, and the bracket tried again.
    Postpone,
    /// The bracket goes on beside them.
    GoOn,
    /// The same, and one of them is in the agent's own code and has had its minute.
    GiveUp,
}

/// What is remembered of stragglers from one try to the next.
pub struct StragglerHistory {
    /// Who has been in the agent's own code at the end of each try, since when.
    inside: Vec<(usize, Instant)>,
    last: Option<Instant>,
}

impl StragglerHistory {
    /// Of no try.
    #[allow(clippy::new_without_default, reason = "a default cannot be const")]
    pub const fn new() -> Self {
        Self {
            inside: Vec::new(),
            last: None,
        }
    }

    /// After a try: `stragglers` are all who were in a handler at its end. (During the try
    /// nobody could begin one, so whoever is missing has come back.)
    pub fn after_try(&mut self, now: Instant, stragglers: &[Straggler]) -> Advice {
        // Nobody knows what they have done meanwhile.
        const TOO_LONG_AGO: Duration = Duration::from_secs(10);
        let last = self.last.replace(now).unwrap_or(now);
        if now.saturating_duration_since(last) > TOO_LONG_AGO {
            self.inside.clear();
        }
        let in_its_own_code = stragglers
            .iter()
            .filter(|straggler| !straggler.waits_for_sender);
        let inside = in_its_own_code.map(|straggler| {
            let known = self.inside.iter().find(|(env, _)| *env == straggler.env);
            (straggler.env, known.map_or(now, |&(_, since)| since))
        });
        self.inside = inside.collect();
        let has_had_it =
            |&(_, since): &(usize, Instant)| now.saturating_duration_since(since) >= AT_LEAST;
        match self.inside.iter().all(has_had_it) {
            true if self.inside.is_empty() => Advice::GoOn,
            true => Advice::GiveUp,
            false => Advice::Postpone,
        }
    }

    /// A try found nobody in a handler.
    pub fn nobody_inside(&mut self) {
        self.inside.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{AT_LEAST, Advice, Straggler, StragglerHistory, Waits};

    fn in_its_own_code(env: usize) -> Straggler {
        Straggler {
            env,
            waits_for_sender: false,
        }
    }

    fn waiting(env: usize) -> Straggler {
        Straggler {
            env,
            waits_for_sender: true,
        }
    }

    const BETWEEN_TRIES: Duration = Duration::from_millis(600);

    /// Tries again and again, as long; the last moment before.
    fn postponed(
        history: &mut StragglerHistory,
        mut now: Instant,
        time: Duration,
        stragglers: &[Straggler],
    ) -> Instant {
        let end = now + time;
        while now < end {
            let advice = history.after_try(now, stragglers);
            assert_eq!(advice, Advice::Postpone, "{:?} before", end - now);
            now += BETWEEN_TRIES;
        }
        now
    }

    #[test]
    fn a_minute_for_the_agents_own_code() {
        let mut history = StragglerHistory::new();
        let stuck = [in_its_own_code(1), waiting(2)];
        let now = postponed(&mut history, Instant::now(), AT_LEAST, &stuck);
        assert_eq!(history.after_try(now, &stuck), Advice::GiveUp);
        // The next bracket does not wait for that one again, but for others.
        assert_eq!(history.after_try(now, &stuck), Advice::GiveUp);
        let one_more = [in_its_own_code(1), in_its_own_code(3)];
        let now = postponed(&mut history, now, AT_LEAST, &one_more);
        assert_eq!(history.after_try(now, &one_more), Advice::GiveUp);
        // It comes back, and takes long once more.
        let other = [in_its_own_code(3)];
        assert_eq!(history.after_try(now, &other), Advice::GiveUp);
        postponed(&mut history, now, AT_LEAST, &one_more);
    }

    #[test]
    fn each_handler_has_its_own_minute() {
        let mut history = StragglerHistory::new();
        let first = [in_its_own_code(1)];
        let most = AT_LEAST - Duration::from_secs(5);
        let now = postponed(&mut history, Instant::now(), most, &first);
        let both = [in_its_own_code(1), in_its_own_code(2)];
        let now = postponed(&mut history, now, Duration::from_secs(4), &both);
        postponed(&mut history, now, most, &[in_its_own_code(2)]);
    }

    #[test]
    fn what_nobody_has_looked_at_begins_anew() {
        let start = Instant::now();
        let mut history = StragglerHistory::new();
        assert_eq!(
            history.after_try(start, &[in_its_own_code(1)]),
            Advice::Postpone
        );
        let later = start + AT_LEAST;
        assert_eq!(
            history.after_try(later, &[in_its_own_code(1)]),
            Advice::Postpone
        );
        let now = postponed(&mut history, later, AT_LEAST, &[in_its_own_code(1)]);
        history.nobody_inside();
        assert_eq!(
            history.after_try(now, &[in_its_own_code(1)]),
            Advice::Postpone
        );
    }

    #[test]
    fn who_waits_for_the_sender_is_not_waited_for() {
        let mut history = StragglerHistory::new();
        let advice = history.after_try(Instant::now(), &[waiting(1), waiting(2)]);
        assert_eq!(advice, Advice::GoOn);
    }

    #[test]
    fn waits_lead_over_others_and_not_in_circles() {
        let mut waits = Waits::default();
        waits.note(1, 2);
        waits.note(2, 3);
        waits.note(4, 5);
        waits.note(5, 4);
        waits.note(6, 0);
        assert!(waits.lead(1, 3));
        assert!(!waits.lead(3, 1));
        assert!(!waits.lead(4, 3));
        assert!(!waits.lead(6, 0));
    }
}
