//! When brackets are sent: after a collection that nobody asked for, in RunGC, and at the VM's end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use event_translate::EventKind;

use crate::base::log;
use crate::base::patience::{self, Patience};
use crate::delivery::{gate, worker};
use crate::events::gc::bracket::{self, EVENTS, Outcome, send};
use crate::events::gc::bracket_event::HURRY;
use crate::events::gc::claim::Claim;
use crate::events::gc::disabling::is_held;
use crate::events::gc::forcing::{self, Forced};
use crate::events::gc::{collections, object_free};
use crate::model::ids::untagged;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::pause;

/// Sends the bracket of one pending collection; if that has to be postponed, after what time it
/// is to be tried again.
pub(crate) fn send_pending(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) -> Option<Duration> {
    /// Tries of the bracket that is postponed.
    static TRIES: AtomicU32 = AtomicU32::new(0);
    if is_held() || !gate::is_open() || pause::is_on() {
        return Some(PAUSE);
    }
    let Some(_claim) = Claim::take(patience::NONE) else {
        return Some(PAUSE);
    };
    if !collections::take_pending() {
        return None;
    }
    // Relaxed: who has the claim only.
    let tries = TRIES.load(Ordering::Relaxed);
    let patience = TRY.within(longer(patience::FIRST_TRY.most, tries));
    let starved = if tries < patience::SHORT_TRIES {
        patience
    } else {
        STARVED
    };
    match send(jvmti, jni, own, patience, starved) {
        Outcome::Sent => TRIES.store(0, Ordering::Relaxed),
        Outcome::Postponed => {
            if !pause::is_on() {
                TRIES.fetch_add(1, Ordering::Relaxed);
            }
            collections::put_back();
            return Some(longer(PAUSE, tries));
        }
        Outcome::Held => {
            collections::put_back();
            return Some(PAUSE);
        }
        Outcome::Empty => collections::put_back(),
    }
    None
}

const TRY: Patience = patience::HANDLERS;
const STARVED: Patience = patience::STARVED_HANDLERS;
/// How long it stays open between two tries, at first.
const PAUSE: Duration = patience::BETWEEN_FIRST_TRIES.most;

/// Twice as long each time.
fn longer(first: Duration, tries: u32) -> Duration {
    const DOUBLINGS: u32 = 16;
    first * (1 << tries.min(DOUBLINGS))
}

/// Tries again and again, until a handler has waited for something all through `patience`.
/// (The handlers of threads that wait for a processor are not stuck, for `starved`.)
fn send_soon(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    patience: Patience,
    starved: Patience,
) -> Outcome {
    let begin = Instant::now();
    let mut start = begin;
    let mut tries = 0;
    loop {
        let outcome = send(jvmti, jni, own, TRY, STARVED);
        if !matches!(outcome, Outcome::Postponed) || !gate::is_open() {
            return outcome;
        }
        if begin.elapsed() < starved.most && !gate::anybody_waits_inside() {
            start = Instant::now();
        }
        if start.elapsed() >= patience.most || HURRY.load(Ordering::Acquire) {
            return outcome;
        }
        let pause = longer(PAUSE, tries).min(TRY.most);
        own.resting(|| {
            patience::BETWEEN_TRIES
                .within(pause)
                .until(|| HURRY.load(Ordering::Acquire))
        });
        tries += 1;
    }
}

/// RunGC: a full collection now, and its bracket on this thread before it returns.
pub(crate) fn run_gc(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let claim = Claim::take_patiently();
    let sentinel = collections::plant_sentinel(jvmti, jni, own);
    match forcing::collect(jvmti, jni, own) {
        Forced::Made if object_free::is_on() => {
            let told = own.resting(|| collections::wait_until_told(sentinel, patience::VM_TELLS));
            if !told {
                log::info!("the VM has not told of all deaths in time; the rest comes later");
            }
            untagged::look_for_dead(true);
        }
        Forced::Made => {}
        Forced::Refused => return,
        Forced::TooLate => {
            log::warn_once!("RunGC: too late for this collector; what is dead by now is told");
        }
        Forced::NotInTime => {
            log::warn_once!(
                "RunGC: no end of a collection in {} s (somebody may have stopped the thread JVMPI RunGC); what is known to be dead is told",
                patience::COLLECTION.most.as_secs()
            );
        }
    }
    if claim.is_none() || !object_free::is_on() || is_held() {
        // Inside a bracket or a dump: what died comes in the next one.
        return;
    }
    collections::take_pending();
    let outcome = send_soon(
        jvmti,
        jni,
        own,
        patience::HANDLERS_AT_RUN_GC,
        patience::STARVED_AT_RUN_GC,
    );
    if !matches!(outcome, Outcome::Sent) {
        collections::put_back();
        worker::wake();
    }
}

/// The VM is about to end: what it has found dead by now is told. No collection is
/// forced for that.
pub(crate) fn send_last(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    if !object_free::is_on() || !wanted::wanted().intersects(EVENTS) {
        bracket::end_others();
        return;
    }
    // Whoever sends one, for RunGC say, is not kept from it.
    let mut claim = Claim::take(patience::SENDER_AT_THE_END);
    bracket::end_others();
    if claim.is_none() {
        // A bracket is open. It must end before JVM_SHUT_DOWN, whose handler may want
        // the lock that GC_START has taken.
        HURRY.store(true, Ordering::Release);
        claim = Claim::take(patience::SENDER_AT_THE_END);
    }
    let Some(_claim) = claim else { return };
    if HURRY.load(Ordering::Acquire) {
        return;
    }
    if collections::is_pending() && !object_free::all_are_told() {
        let rest = patience::VM_TELLS.less(collections::since_last_pause());
        own.resting(|| collections::wait_for_newest(jvmti, own, rest));
    }
    untagged::look_for_dead(true);
    let dead = IDS.count_dead();
    if is_held() {
        if dead > 0 && wanted::wants(EventKind::ObjectFree) {
            log::warning!("GC is disabled at the end: {dead} OBJECT_FREE are not sent");
        }
    } else if collections::take_pending() || dead > 0 {
        let mut outcome = send_soon(
            jvmti,
            jni,
            own,
            patience::HANDLERS_AT_THE_END,
            patience::STARVED_AT_THE_END,
        );
        while matches!(outcome, Outcome::Sent) && collections::take_pending() {
            outcome = send(jvmti, jni, own, TRY, TRY);
        }
        if matches!(outcome, Outcome::Postponed) {
            log::warning!("a handler has not returned: {dead} OBJECT_FREE are not sent at the end");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::longer;

    #[test]
    fn tries_come_rarer() {
        let pauses = [0, 1, 2, 99].map(|tries| longer(Duration::from_millis(10), tries));
        assert_eq!(pauses.map(|pause| pause.as_millis()), [10, 20, 40, 655_360]);
    }
}
