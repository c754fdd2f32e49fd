//! Whom the sampler looks at does not end meanwhile: it waits in THREAD_END.
//!
//! A thread's env is another one's as soon as it has ended, and most virtual threads live no longer
//! than a look takes. The sampler holds no lock while it asks the host, which may stop it for as long
//! as a debugger likes; so nobody waits for it for ever.

use std::time::Duration;

use crate::agent::Agent;
use crate::threads::Whom;

/// A look, until this is dropped. There is one at a time: the sampler's.
pub(crate) struct Look<'a>(&'a Agent);

impl<'a> Look<'a> {
    pub(crate) fn at(whom: Whom, agent: &'a Agent) -> Self {
        agent.threads.lock().looked_at = whom;
        Self(agent)
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        self.0.threads.lock().looked_at = Whom::Nobody;
        self.0.looked.notify_all();
    }
}

/// THREAD_END.
pub(crate) fn thread_ended(agent: &Agent, env: usize) {
    /// More than a look takes, and less than the host waits for a handler before a dump or its end,
    /// which go on beside it then. The carrier of a virtual thread waits, too.
    const LONGEST: Duration = Duration::from_millis(50);
    let mut threads = agent.threads.lock();
    let waited =
        agent
            .looked
            .wait_while_for(&mut threads, |threads| threads.is_looked_at(env), LONGEST);
    if waited.timed_out() {
        // The next one need not wait for the same look.
        threads.looked_at = Whom::Nobody;
        agent.looked.notify_all();
    }
    threads.end(env);
}
