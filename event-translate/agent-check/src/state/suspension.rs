//! The collector and other threads, held back and let go again.

use super::{Call, Open, State};
use crate::locks::COLLECTOR;
use crate::mode::Own;
use crate::rules::Rule;
use crate::subject::Named;

impl State {
    pub(super) fn disable_gc(&mut self, own: &mut Own, call: &Call<'_>) {
        if own.disabled == 0 {
            let held = own.held.clone();
            self.lock(&held, COLLECTOR, call);
        }
        own.disabled += 1;
        self.disabled.push(Open::by(own, call));
    }

    pub(super) fn enable_gc(&mut self, own: &mut Own, call: &Call<'_>) {
        own.disabled = own.disabled.saturating_sub(1);
        // Another thread may do it.
        let mine = self.disabled.iter().rposition(|open| open.by == own.thread);
        let Some(last) = mine.or(self.disabled.len().checked_sub(1)) else {
            self.findings
                .note(Rule::EnableWithoutDisable, call.caller, || call.words());
            return;
        };
        self.disabled.remove(last);
        if self.disabled.is_empty() && !self.suspended.is_empty() {
            let count = self.suspended.len();
            self.findings
                .note(Rule::EnableWhileSuspended, call.caller, || {
                    format!("EnableGC while threads are suspended: {count}")
                });
        }
    }

    pub(super) fn suspend(&mut self, own: &mut Own, call: &Call<'_>) {
        for &(env, named) in call.subjects {
            let live = named == Named::Env;
            if !live {
                continue;
            }
            if self.suspended.contains_key(&env) {
                self.findings.note(Rule::SuspendTwice, call.caller, || {
                    format!("{} of {env:#x}, which is suspended already", call.words())
                });
                continue;
            }
            self.suspended.insert(env, Open::by(own, call));
            own.suspended.push(env);
        }
    }

    /// These threads could not be suspended.
    pub fn not_suspended(&mut self, own: &mut Own, envs: &[u64]) {
        for env in envs {
            self.suspended.remove(env);
            own.suspended.retain(|one| one != env);
        }
    }

    /// A thread has tried to suspend itself, which has no effect.
    pub fn suspends_itself(&mut self, caller: usize) {
        self.findings.note(Rule::SuspendTwice, caller, || {
            "SuspendThread of the calling thread: nobody might resume it".to_owned()
        });
    }

    pub(super) fn resume(&mut self, own: &mut Own, call: &Call<'_>) {
        for &(env, named) in call.subjects {
            let by = self.suspended.remove(&env).map(|one| one.by);
            own.suspended.retain(|&one| one != env);
            if by.is_none() && named == Named::Env {
                self.findings.note(Rule::SuspendTwice, call.caller, || {
                    format!(
                        "{} of {env:#x}, which the agent has not suspended",
                        call.words()
                    )
                });
            }
        }
    }

    /// Threads that somebody else has resumed are no longer this thread's.
    pub fn forget_resumed(&self, own: &mut Own) {
        let mine = |env: &u64| {
            self.suspended
                .get(env)
                .is_some_and(|one| one.by == own.thread)
        };
        own.suspended.retain(mine);
    }

    pub(super) fn has_run(&mut self, call: &Call<'_>) {
        let Some(&(env, Named::Env)) = call.subjects.first() else {
            return;
        };
        if !self.suspended.contains_key(&env) {
            self.findings
                .note(Rule::HasRunUnsuspended, call.caller, || {
                    format!("ThreadHasRun({env:#x})")
                });
        }
    }
}
