//! Which threads are in a dump, of monitors or of the heap, and how they end while there is one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use event_translate::table::EventKind;
use parking_lot::Mutex;

use crate::base::patience;
use crate::delivery::{announce, dispatch};
use crate::model::thread::{Thread, current};
use crate::model::wanted;
use crate::os::tasks;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// A dump that is being made or read.
#[derive(Clone)]
struct Dump {
    /// How many came before.
    number: u64,
    /// The thread that makes it, where the agent reads it, too.
    maker: Arc<Thread>,
    /// Its carrier if it is a virtual one, which stays where it is until the dump is over; else itself.
    runs: Arc<Thread>,
    /// The kernel's number of that.
    tid: u32,
    /// How deep it was in deliveries when it began.
    depth: u32,
}

impl Dump {
    /// Whether its maker gets on: it runs, or waits for a processor alone, or for the VM. No other waits of its
    /// own are long, but in the agent's code it may wait for anybody, the ending thread too; and so may the agent that
    /// has stopped it.
    fn is_at_work(&self) -> bool {
        // A look from outside, at one moment: no other word goes with it.
        let is_in_agent = self.runs.native().depth.own() > self.depth;
        let is_stopped = self.maker.is_suspended() || self.runs.is_suspended();
        !is_in_agent && !is_stopped || tasks::waits(self.tid) == Some(false)
    }
}

/// All of them. A look is in order with [`Thread::ends`] by the lock.
struct Dumps {
    begun: u64,
    under_way: Vec<Dump>,
}

impl Dumps {
    /// On the thread that makes it.
    fn begin(&mut self, maker: &Arc<Thread>, tid: u32) -> u64 {
        let number = self.begun;
        self.begun += 1;
        let runs = current::carrier().unwrap_or_else(|| Arc::clone(maker));
        self.under_way.push(Dump {
            number,
            maker: Arc::clone(maker),
            tid,
            depth: runs.native().depth.own(),
            runs,
        });
        number
    }

    fn end(&mut self, number: u64) {
        self.under_way.retain(|dump| dump.number != number);
    }

    /// Those that had begun when so many had.
    fn earlier(&self, begun: u64) -> impl Iterator<Item = &Dump> {
        let all = self.under_way.iter();
        all.filter(move |dump| dump.number < begun)
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
    /// `own` is the calling thread's record.
    pub(crate) fn begin(own: &Arc<Thread>) -> Self {
        let tid = tasks::own();
        Self(DUMPS.lock().begin(own, tid))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        DUMPS.lock().end(self.0);
    }
}

/// On an ending thread: it is in no dump that begins from now on, and no THREAD_END overtakes one
/// that it is in. A walk of the heap is waited for as long as it gets on, and whoever is at work on a
/// dump, the agent too, longer than one who waits, perhaps for the ending thread. Behind the VM's end no dump
/// gets on.
pub(crate) fn wait_for_delivery(own: &Thread) {
    own.ends.store(true, Ordering::SeqCst);
    let dumps = DUMPS.lock();
    let begun = dumps.begun;
    if dumps.earlier(begun).next().is_none() {
        return;
    }
    drop(dumps);
    let are_over =
        || this_vm::phase() == Phase::Dead || DUMPS.lock().earlier(begun).next().is_none();
    let are_at_work = || {
        let earlier: Vec<Dump> = DUMPS.lock().earlier(begun).cloned().collect();
        earlier.is_empty() || earlier.iter().any(Dump::is_at_work)
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
    // What had to be kept, beside a bracket that is open, the agent does not know yet.
    announce::thread(jvmti, jni, own, thread, patience::DEFINITION_UNDER_LOCKS)
        && (!dispatch::reaches_agent(EventKind::ThreadStart)
            || thread.announced.is_done_for(current::key()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use protocols::gate::{Gate, Stand};

    use super::Dumps;
    use crate::model::thread::Thread;
    use crate::model::threads::virtual_threads::while_mounted;
    use crate::os::tasks;

    const NONE: Dumps = Dumps {
        begun: 0,
        under_way: Vec::new(),
    };

    #[test]
    fn nobody_waits_for_later_dumps() {
        let maker = Arc::new(Thread::new(16));
        let mut dumps = NONE;
        let first = dumps.begin(&maker, 7);
        let second = dumps.begin(&maker, 8);
        let ends = dumps.begun;
        let third = dumps.begin(&maker, 9);
        let tids = |dumps: &Dumps, begun| {
            let earlier = dumps.earlier(begun);
            earlier.map(|dump| dump.tid).collect::<Vec<_>>()
        };
        assert_eq!(tids(&dumps, ends), [7, 8]);
        dumps.end(first);
        assert_eq!(tids(&dumps, ends), [8]);
        dumps.end(second);
        assert_eq!(tids(&dumps, ends), []);
        assert_eq!(tids(&dumps, dumps.begun), [9]);
        dumps.end(third);
        assert_eq!(tids(&dumps, dumps.begun), []);
    }

    /// It waits: the kernel has no thread of this number here.
    const NOBODY: u32 = 0;

    #[test]
    fn a_virtual_thread_is_where_its_carrier_is() {
        let carrier = Arc::new(Thread::new(16));
        let mut dumps = NONE;
        while_mounted(&carrier, |maker| dumps.begin(maker, NOBODY));
        // The ending thread looks, which carries nobody.
        assert!(dumps.under_way[0].is_at_work());
        let gate = Gate::new(Stand::OPEN);
        carrier.native().depth.enter(&gate, || {});
        assert!(!dumps.under_way[0].is_at_work());
        carrier.native().depth.leave();
        assert!(dumps.under_way[0].is_at_work());
    }

    #[test]
    fn whom_the_agent_has_stopped_is_not_at_work() {
        let carrier = Arc::new(Thread::new(0x1db0));
        let mut dumps = NONE;
        let maker = while_mounted(&carrier, |maker| {
            dumps.begin(maker, NOBODY);
            Arc::clone(maker)
        });
        dumps.begin(&carrier, tasks::own());
        for stopped in [&maker, &carrier] {
            stopped.suspended();
            assert!(!dumps.under_way[0].is_at_work());
            // Not yet: it goes on until it comes to the VM.
            assert!(dumps.under_way[1].is_at_work());
            stopped.resuming();
            assert!(dumps.under_way[0].is_at_work());
        }
    }

    #[test]
    fn whoever_is_not_in_the_agent_is_at_work() {
        let maker = Arc::new(Thread::new(16));
        let is_at_work = |tid, begun_in_agent, is_in_agent| {
            let depth = &maker.native().depth;
            let mut dumps = NONE;
            let gate = Gate::new(Stand::OPEN);
            let enter = |is: bool| is.then(|| depth.enter(&gate, || {}));
            enter(begun_in_agent);
            dumps.begin(&maker, tid);
            enter(is_in_agent);
            let seen = dumps.under_way[0].is_at_work();
            while depth.own() > 0 {
                depth.leave();
            }
            seen
        };
        assert!(is_at_work(NOBODY, false, false));
        assert!(is_at_work(NOBODY, true, false));
        assert!(!is_at_work(NOBODY, false, true));
        assert!(!is_at_work(NOBODY, true, true));
        assert!(is_at_work(tasks::own(), false, true));
    }
}
