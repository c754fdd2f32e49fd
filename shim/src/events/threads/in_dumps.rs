//! Which threads are in a dump, of monitors or of the heap, and how they end while there is one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use event_translate::table::EventKind;

use crate::base::patience;
use crate::delivery::{announce, dispatch};
use crate::model::thread::Thread;
use crate::model::{current, wanted};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// Dumps that are being made or read.
static UNDER_WAY: AtomicU32 = AtomicU32::new(0);

/// While this lives a thread that is in a dump does not end for the agent.
pub(crate) struct UnderWay;

impl UnderWay {
    pub(crate) fn begin() -> Self {
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// On an ending thread: it is in no dump from now on, and no THREAD_END overtakes one that
/// it is in. A walk of the heap is waited for as long as it gets on.
pub(crate) fn wait_for_delivery(own: &Thread) {
    own.ends.store(true, Ordering::SeqCst);
    patience::DUMP_OF_A_THREAD.until(|| UNDER_WAY.load(Ordering::SeqCst) == 0);
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
