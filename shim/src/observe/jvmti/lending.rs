//! Capabilities that only one environment can have (JVMTI facts 21), and that an agent of JVMPI needs
//! beside one that speaks JVMTI: our environment holds them, and the other agent's seems to.
//!
//! Lent are suspension, for which our environment is asked, and sampled allocations, of which our
//! callback tells the others. The interval of these is the VM's, and so the same for all.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "structures and functions of JVMTI")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering;

use jvmpi_headers::jvmti::jvmtiCapabilities;
use parking_lot::Mutex;
use recording_format::jvmti::FunctionKind;

use crate::agent::start;
use crate::base::{config, log, patience};
use crate::events::objects::reporting::VMS_OWN_INTERVAL;
use crate::events::threads::stopped;
use crate::observe::call::int;
use crate::observe::jvmti::environments::{
    self, Environment, LENT_SAMPLING, LENT_SUSPENSION, WORDS,
};
use crate::observe::jvmti::promise::Promise;
use crate::observe::jvmti::{identities, refusals};
use crate::vm::capabilities;
use crate::vm::env::{Jvmti, NOT_AVAILABLE};
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// The words of a call.
type Words = [usize; WORDS];

/// What the words point to.
///
/// # Safety
/// Null, or capabilities.
unsafe fn capabilities_at<'a>(word: usize) -> Option<&'a mut jvmtiCapabilities> {
    // SAFETY: the caller's promise.
    unsafe { ptr::with_exposed_provenance_mut::<jvmtiCapabilities>(word).as_mut() }
}

/// AddCapabilities: what we hold for both is not asked for.
///
/// # Safety
/// The words are that function's.
pub(super) unsafe fn add(
    environment: &Environment,
    env: *mut c_void,
    words: Words,
    call: impl Fn(Words) -> i32,
) -> i32 {
    let [given, rest @ ..] = words;
    // SAFETY: the caller's promise.
    let Some(given) = (unsafe { capabilities_at(given) }) else {
        return call(words);
    };
    let mut others = *given;
    let mut lent = 0;
    if let Some(jvmti) = this_vm::jvmti().filter(|_| start::is_expected()) {
        if given.can_suspend() != 0 && capabilities::can_suspend(jvmti) {
            others.set_can_suspend(0);
            lent |= LENT_SUSPENSION;
        }
        if given.can_generate_sampled_object_alloc_events() != 0 && capabilities::can_sample(jvmti)
        {
            others.set_can_generate_sampled_object_alloc_events(0);
            lent |= LENT_SAMPLING;
        }
    }
    let samples = others.can_generate_sampled_object_alloc_events() != 0;
    // One that asks again with all that it wanted has an interval by now.
    let begins = samples
        && refusals::held_by(environment, env).can_generate_sampled_object_alloc_events() == 0;
    let [second, third, fourth, fifth] = rest;
    let own = (&raw const others).expose_provenance();
    let result = call([own, second, third, fourth, fifth]);
    if result == NOT_AVAILABLE {
        refusals::say(environment, env, &others);
    }
    if result == 0 && lent != 0 {
        capabilities::note_lent();
        environment.lent.fetch_or(lent, Ordering::AcqRel);
    }
    if result == 0 && begins {
        // Ours was for all allocations; this agent has the VM's own, until it says otherwise.
        let interval = VMS_OWN_INTERVAL.unsigned_abs() as usize;
        let words = [interval, 0, 0, 0, 0];
        let set_interval = FunctionKind::SetHeapSamplingInterval.number();
        // SAFETY: the arguments of that function.
        unsafe { environment.call(env, set_interval, words) };
    }
    result
}

/// RelinquishCapabilities: what is lent is given back to us.
///
/// # Safety
/// The words are that function's.
pub(super) unsafe fn relinquish(
    environment: &Environment,
    words: Words,
    call: impl Fn(Words) -> i32,
) -> i32 {
    let [given, rest @ ..] = words;
    // SAFETY: the caller's promise.
    let Some(given) = (unsafe { capabilities_at(given) }) else {
        return call(words);
    };
    let mut others = *given;
    if given.can_suspend() != 0
        && environment
            .lent
            .fetch_and(!LENT_SUSPENSION, Ordering::AcqRel)
            & LENT_SUSPENSION
            != 0
    {
        others.set_can_suspend(0);
    }
    if given.can_generate_sampled_object_alloc_events() != 0
        && environment.lent.fetch_and(!LENT_SAMPLING, Ordering::AcqRel) & LENT_SAMPLING != 0
    {
        others.set_can_generate_sampled_object_alloc_events(0);
        environment.samples.none();
        note_sampling();
    }
    let [second, third, fourth, fifth] = rest;
    let own = (&raw const others).expose_provenance();
    call([own, second, third, fourth, fifth])
}

/// GetCapabilities, or if they are only `potential` GetPotentialCapabilities: what is lent is there, and what could be.
///
/// # Safety
/// The words are that function's.
pub(super) unsafe fn shown(
    environment: &Environment,
    potential: bool,
    words: Words,
    call: impl Fn(Words) -> i32,
) -> i32 {
    let result = call(words);
    let [given, ..] = words;
    // SAFETY: the caller's promise.
    let Some(given) = (unsafe { capabilities_at(given) }).filter(|_| result == 0) else {
        return result;
    };
    let lent = environment.lent.load(Ordering::Acquire);
    let [mut suspends, mut samples] = [false; 2];
    if potential
        && start::is_expected()
        && let Some(jvmti) = this_vm::jvmti()
    {
        [suspends, samples] = capabilities::could_lend(jvmti);
    }
    if suspends || lent & LENT_SUSPENSION != 0 {
        given.set_can_suspend(1);
    }
    if samples || lent & LENT_SAMPLING != 0 {
        given.set_can_generate_sampled_object_alloc_events(1);
    }
    result
}

/// A function that suspends or resumes, of an environment to which that is lent: outside of looks
/// of ours, which stop threads and let them go on.
///
/// # Safety
/// The words are that function's.
pub(super) unsafe fn suspend(
    environment: &Environment,
    env: *mut c_void,
    jvmti: Jvmti,
    (function, words): (FunctionKind, Words),
) -> i32 {
    // Of two capabilities one is lent; the other one, which anybody can have, our environment may lack.
    let all_virtual = matches!(
        function,
        FunctionKind::SuspendAllVirtualThreads | FunctionKind::ResumeAllVirtualThreads
    );
    if all_virtual && !has_virtual_threads(environment, env) {
        return MUST_POSSESS_CAPABILITY;
    }
    let suspends = matches!(
        function,
        FunctionKind::SuspendThread
            | FunctionKind::SuspendThreadList
            | FunctionKind::SuspendAllVirtualThreads
    );
    let patience = match suspends {
        true => patience::LOOK_AT_SUSPEND,
        false => patience::LOOK_AT_RESUME,
    };
    let call = || {
        let _both = all_virtual.then(|| capabilities::virtual_threads_for_a_call(jvmti));
        // SAFETY: the caller's promise.
        stopped::outside_of_looks(patience, || unsafe {
            by_ours(jvmti, function.number(), words)
        })
    };
    // Another thread may have given back in between what both had.
    const TIMES: usize = 100;
    let lacks = |&result: &i32| all_virtual && result == MUST_POSSESS_CAPABILITY;
    let mut results = std::iter::repeat_with(call).take(TIMES);
    results
        .find(|result| !lacks(result))
        .unwrap_or(MUST_POSSESS_CAPABILITY)
}

fn has_virtual_threads(environment: &Environment, env: *mut c_void) -> bool {
    refusals::held_by(environment, env).can_support_virtual_threads() != 0
}

const MUST_POSSESS_CAPABILITY: i32 = 99;

/// Our environment does it.
///
/// # Safety
/// The words are that function's.
unsafe fn by_ours(jvmti: Jvmti, number: u8, words: Words) -> i32 {
    let env: *mut c_void = jvmti.0.as_ptr().cast();
    // SAFETY: our environment begins with the VM's own table.
    let table = unsafe { env.cast::<*mut c_void>().read() };
    // SAFETY: as above.
    let function = unsafe { environments::function(table, number) };
    // SAFETY: the caller's promise.
    unsafe { environments::invoke(function, env, words) }
}

/// SetEventNotificationMode of sampled allocations, which are lent, for all threads or for one.
///
/// # Safety
/// The words are that function's.
pub(super) unsafe fn set_sampling(
    environment: &Environment,
    env: *mut c_void,
    words: Words,
) -> i32 {
    let [mode, _, thread, ..] = words;
    let on = match int(mode) {
        0 => false,
        1 => true,
        _ => return ILLEGAL_ARGUMENT,
    };
    let mut only = None;
    if thread != 0 {
        let mut state = 0;
        let asked = [thread, (&raw mut state).expose_provenance(), 0, 0, 0];
        let get_state = FunctionKind::GetThreadState.number();
        // SAFETY: the arguments of that function.
        let result = unsafe { environment.call(env, get_state, asked) };
        if result != 0 {
            return result;
        }
        if state & ALIVE == 0 {
            return THREAD_NOT_ALIVE;
        }
        // SAFETY: a live reference, which the VM has just looked at.
        let promise = unsafe { Promise::given() };
        only = Some(identities::thread(promise.reference(&thread)));
    }
    environment.samples.set(only, on);
    note_sampling();
    let Some(jvmti) = this_vm::jvmti_to_the_end().filter(|_| on) else {
        // Whoever else wants them has them on.
        return 0;
    };
    let sampled = event_translate::needs::VmEvent::SampledObjectAlloc;
    jvmti
        .set_event(sampled, true)
        .map_or_else(|error| error.code, |()| 0)
}

const ALIVE: i32 = 1;
const THREAD_NOT_ALIVE: i32 = 15;
const ILLEGAL_ARGUMENT: i32 = 103;

/// The calling thread, which is about to end, as [`thread_ended`] wants it; `None` if no environment names a thread.
pub(crate) fn ending(thread: ObjectRef<'_>) -> Option<u64> {
    let mut all = environments::all();
    let is_named = all.any(|(_, one)| one.samples.names_any());
    is_named.then(|| identities::thread(Some(thread)))
}

/// A thread has ended, and the VM has forgotten what was switched on for it: its id may be another's next.
pub(crate) fn thread_ended(id: u64) {
    for (_, environment) in environments::all() {
        environment.samples.set(Some(id), false);
    }
    note_sampling();
}

/// Some environment has begun to sample, or has ended.
pub(super) fn note_sampling() {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let samples = |(_, one): (*mut c_void, &Environment)| one.samples.any();
    capabilities::note_lent_sampling(environments::all().any(samples));
}

/// SetHeapSamplingInterval of an environment to which sampling is lent.
pub(super) fn set_interval(words: Words) -> i32 {
    let [interval, ..] = words;
    let (wanted, ours) = (int(interval), config::options().alloc_interval);
    if wanted < 0 {
        return ILLEGAL_ARGUMENT;
    }
    if wanted != ours {
        log::warn_once!(
            "an agent wants each allocation of {wanted} bytes sampled, and JVMPI's agent those of {ours}: the VM has one interval, the latter; --set alloc-interval={wanted} gives it to both"
        );
    }
    0
}
