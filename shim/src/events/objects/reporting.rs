//! Whether the VM reports allocations, and which: from when they are wanted until nobody has wanted
//! them for some seconds.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};
use std::time::Instant;

use event_translate::EventKind;
use event_translate::needs::{On, VmEvent};
use parking_lot::Mutex;

use crate::base::{config, log, patience};
use crate::delivery::gate;
use crate::events::gc::collections;
use crate::model::thread::attention;
use crate::model::thread::attention_guard::Attention;
use crate::model::{threads, wanted};
use crate::vm::capabilities;
use crate::vm::env::{Jvmti, Result};
use crate::vm::hotspot::flags;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// The VM's events that OBJECT_ALLOC rests on, as far as they are switched here.
fn needed(jdk: i32) -> impl Iterator<Item = VmEvent> {
    let all = EventKind::ObjectAlloc.row().needs.vm_events.iter();
    let on = all.filter(move |event| event.is_on(jdk));
    let events = on.map(|event| event.what);
    events.filter(|event| event.on() == On::Allocations)
}

const OFF: u32 = 0;
const ON: u32 = 1;
const BUSY: u32 = 2;
static ALLOCATIONS: AtomicU32 = AtomicU32::new(OFF);
/// Since when nobody has wanted allocations, as far as the worker has seen.
static IDLE_SINCE: Mutex<Option<Instant>> = Mutex::new(None);

/// Makes the VM report allocations from now on, every one or those it picks. Whoever owns a TLAB
/// would go on unseen until it is full, so all are given back (JVMTI facts 3) by a collection. Not for samples: to a
/// program of gigabytes that costs a stop of seconds, and what it brings is less than a TLAB of each thread.
pub(crate) fn begin(jvmti: Jvmti) {
    *IDLE_SINCE.lock() = None;
    // While the worker is switching it off: a few microseconds, unless somebody has stopped it.
    let switched = patience::SWITCHING_OFF.until_some(|| {
        match ALLOCATIONS.compare_exchange(OFF, ON, Ordering::SeqCst, Ordering::SeqCst) {
            Err(BUSY) => None,
            switched => Some(switched.is_ok()),
        }
    });
    if switched != Some(true) {
        return;
    }
    if !capabilities::can_sample(jvmti) {
        // Asked again when the agent next enables something: another agent may have given it back.
        ALLOCATIONS.store(OFF, Ordering::Release);
        return;
    }
    keep_marks(jvmti, true);
    let interval = config::options().alloc_interval;
    let set = || -> Result<()> {
        jvmti.set_sampling_interval(interval)?;
        let jdk = jvmti.feature_version();
        for event in needed(jdk) {
            jvmti.set_event(event, true)?;
        }
        if interval > 0 {
            begin_afresh();
            Ok(())
        } else {
            flags::with_heap_as_large(|| jvmti.force_collection())
        }
    };
    match set() {
        // A VM of the period would not have made this collection: no bracket for it. Later than
        // the replay something that the agent knows may have died in it.
        Ok(()) => {
            if interval == 0 && gate::is_replay() {
                collections::take_pending();
            }
        }
        Err(error) => log::warning!("{error}; OBJECT_ALLOC will not come, or not always"),
    }
    // Whoever lets the agent go says so before it switches this off.
    if this_vm::phase() == Phase::Dead {
        end(jvmti);
    }
}

/// What the calling thread has of its TLAB goes unseen, and one that was made under another interval, the main one at the
/// agent's wish for sampling, picks its next object by that (JVMTI facts 35). So it fills that up, until one of these that
/// nobody hears of is picked. Other threads are heard of when they have filled theirs, or from the next collection on.
fn begin_afresh() {
    /// Small enough not to be made outside of a TLAB that is nearly full.
    const SIZE: i32 = 1024;
    /// Eight times what comes between two picks by the VM's own interval, behind most TLABs.
    const MOST: u32 = 4096;
    let Some(jni) = Jni::of_this_thread() else {
        return;
    };
    let Some(own) = threads::enter(jni, None) else {
        return;
    };
    let _aside = ExceptionAside::put(jni);
    let _silent = Attention::set(&own, attention::SILENT);
    // Relaxed: its own thread's alone.
    let picked = || own.native().silent.load(Ordering::Relaxed);
    let before = picked();
    let _ = (0..MOST)
        .take_while(|_| picked() == before)
        .all(|_| jni.byte_array(SIZE).is_some());
}

/// JDK 11 loses allocations: when an object does not fit into what is left of its
/// thread's TLAB and is made outside it, that VM forgets to put the mark back behind
/// which every allocation is reported, and until the TLAB is full nothing is (measured
/// on 11.0.13; 17 and later are right). With TLABRefillWasteFraction=1 a TLAB is given
/// up instead, so it does not come to that. The VM reads the flag at each refill.
fn keep_marks(jvmti: Jvmti, on: bool) {
    const RIGHT_SINCE: i32 = 17;
    static BEFORE: AtomicUsize = AtomicUsize::new(64);
    if jvmti.feature_version() >= RIGHT_SINCE {
        return;
    }
    if on {
        match flags::set_refill_waste(1) {
            // Relaxed: for the end of all; the first value is the default of the VM.
            Some(before) => BEFORE.store(before, Ordering::Relaxed),
            None => log::warning!(
                "this VM loses some OBJECT_ALLOC; -XX:TLABRefillWasteFraction=1 helps"
            ),
        }
    } else {
        flags::set_refill_waste(BEFORE.load(Ordering::Relaxed));
    }
}

/// The agent goes: at once.
pub(crate) fn end(jvmti: Jvmti) {
    if ALLOCATIONS.swap(OFF, Ordering::SeqCst) != OFF {
        switch_off(jvmti);
        keep_marks(jvmti, false);
    }
    // It is the VM's, and ours since the start: another agent that has the capability has said what it wants.
    if capabilities::is_sampling_lent() {
        return;
    }
    if let Err(error) =
        capabilities::while_sampling(jvmti, || jvmti.set_sampling_interval(VMS_OWN_INTERVAL))
    {
        log::info!("{error}; the VM's interval of sampled allocations stays");
    }
}

fn switch_off(jvmti: Jvmti) {
    for event in needed(jvmti.feature_version()) {
        // Another agent may hear of them by our environment.
        if event != VmEvent::SampledObjectAlloc || !capabilities::is_sampling_lent() {
            let _ = jvmti.set_event(event, false);
        }
    }
}

/// What the VM samples by if nobody says otherwise, in bytes.
pub(crate) const VMS_OWN_INTERVAL: i32 = 512 * 1024;

/// The cost goes with the need: after some seconds in which nobody wanted allocations the VM no longer reports
/// them, and another agent may have what reports them. Called by the worker, which is woken by collections, too.
pub(crate) fn end_idle(jvmti: Jvmti) {
    {
        let mut since = IDLE_SINCE.lock();
        if wanted::wants(EventKind::ObjectAlloc) || ALLOCATIONS.load(Ordering::Acquire) != ON {
            *since = None;
            return;
        }
        if since.get_or_insert_with(Instant::now).elapsed() < patience::IDLE_ALLOCATIONS.most {
            return;
        }
        *since = None;
    }
    if ALLOCATIONS
        .compare_exchange(ON, BUSY, Ordering::AcqRel, Ordering::Acquire)
        .is_err()
    {
        return;
    }
    switch_off(jvmti);
    keep_marks(jvmti, false);
    capabilities::give_back_sampling(jvmti);
    // Partner: `wanted`.
    ALLOCATIONS.store(OFF, Ordering::SeqCst);
    fence(Ordering::SeqCst);
    log::info!("nobody wants allocations; the VM no longer reports them");
    if wanted::wants(EventKind::ObjectAlloc) {
        // Enabled again just now, when it still seemed to be on.
        begin(jvmti);
    }
}
