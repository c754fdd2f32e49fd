//! Which threads are in a dump, of monitors or of the heap, and how they end while there is one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use event_translate::table::EventKind;
use parking_lot::Mutex;

use crate::base::patience;
use crate::delivery::{announce, dispatch};
use crate::model::thread::Thread;
use crate::model::{current, wanted};
use crate::os::tasks;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// A dump that is being made or read.
#[derive(Clone, Copy)]
struct Dump {
    /// How many came before.
    number: u64,
    /// The kernel's number of the thread that makes it, where the agent reads it, too.
    maker: u32,
}

/// All of them. A look is in order with [`Thread::ends`] by the lock.
struct Dumps {
    begun: u64,
    under_way: Vec<Dump>,
}

impl Dumps {
    fn begin(&mut self, maker: u32) -> u64 {
        let number = self.begun;
        self.begun += 1;
        self.under_way.push(Dump { number, maker });
        number
    }

    fn end(&mut self, number: u64) {
        self.under_way.retain(|dump| dump.number != number);
    }

    /// The makers of those that had begun when so many had.
    fn makers(&self, begun: u64) -> impl Iterator<Item = u32> {
        let earlier = self.under_way.iter().filter(move |it| it.number < begun);
        earlier.map(|dump| dump.maker)
    }
}

static DUMPS: Mutex<Dumps> = Mutex::new(Dumps {
    begun: 0,
    under_way: Vec::new(),
});

/// While this lives, on the thread that has begun it, a thread that is in the dump does not end for
/// the agent.
pub(crate) struct UnderWay(u64);

impl UnderWay {
    pub(crate) fn begin() -> Self {
        let maker = tasks::own();
        Self(DUMPS.lock().begin(maker))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        DUMPS.lock().end(self.0);
    }
}

/// On an ending thread: it is in no dump that begins from now on, and no THREAD_END overtakes one
/// that it is in. A walk of the heap is waited for as long as it gets on, and whoever is at work on a
/// dump, the agent too, longer than one who waits, perhaps for the ending thread.
pub(crate) fn wait_for_delivery(own: &Thread) {
    own.ends.store(true, Ordering::SeqCst);
    let dumps = DUMPS.lock();
    let begun = dumps.begun;
    if dumps.makers(begun).next().is_none() {
        return;
    }
    drop(dumps);
    let are_over = || DUMPS.lock().makers(begun).next().is_none();
    // One of them runs, or waits for a processor alone.
    let are_at_work = || {
        let makers: Vec<u32> = DUMPS.lock().makers(begun).collect();
        let is_at_work = |maker| tasks::waits(maker) == Some(false);
        makers.is_empty() || makers.into_iter().any(is_at_work)
    };
    let start = Instant::now();
    let mut goes_on = true;
    while goes_on && !patience::DUMP_OF_A_THREAD.until(are_over) {
        let rest = patience::DUMP_AT_WORK.less(start.elapsed());
        goes_on = !rest.most.is_zero() && patience::LOOK_AT_DUMPERS.until_seen(are_at_work);
    }
}

/// Whether the agent knows the thread, or does not want to. One that is just starting says
/// its THREAD_START itself (JVMPI facts R15); others are replayed. After a little while since
/// `start` nobody is waited for.
pub(crate) fn is_known(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    thread: &Arc<Thread>,
    start: Instant,
) -> bool {
    if thread.ends.load(Ordering::SeqCst) {
        return false;
    }
    if wanted::listens_no_more(EventKind::ThreadStart)
        && !thread.announced.is_done_for(current::key())
    {
        return false;
    }
    let wanted = dispatch::reaches_agent(EventKind::ThreadStart);
    let says_it_itself =
        || wanted && !thread.announced.is_done() && !thread.started.load(Ordering::Acquire);
    let rest = patience::STARTING_THREAD.less(start.elapsed());
    if !rest.until(|| !says_it_itself()) {
        return false;
    }
    announce::thread(jvmti, jni, own, thread, patience::DEFINITION_UNDER_LOCKS)
}

#[cfg(test)]
mod tests {
    use super::Dumps;

    #[test]
    fn nobody_waits_for_later_dumps() {
        let mut dumps = Dumps {
            begun: 0,
            under_way: Vec::new(),
        };
        let first = dumps.begin(7);
        let second = dumps.begin(8);
        let ends = dumps.begun;
        let third = dumps.begin(9);
        assert_eq!(dumps.makers(ends).collect::<Vec<_>>(), [7, 8]);
        dumps.end(first);
        assert_eq!(dumps.makers(ends).collect::<Vec<_>>(), [8]);
        dumps.end(second);
        assert_eq!(dumps.makers(ends).next(), None);
        assert_eq!(dumps.makers(dumps.begun).collect::<Vec<_>>(), [9]);
        dumps.end(third);
        assert_eq!(dumps.makers(dumps.begun).next(), None);
    }
}
