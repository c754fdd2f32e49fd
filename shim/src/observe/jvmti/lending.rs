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

use crate::agent::start;
use crate::base::{config, log, patience};
use crate::events::objects::reporting::VMS_OWN_INTERVAL;
use crate::events::threads::stopped;
use crate::observe::call::int;
use crate::observe::jvmti::environments::{
    self, Environment, LENT_SAMPLING, LENT_SUSPENSION, WORDS,
};
use crate::vm::capabilities;
use crate::vm::env::Jvmti;
use crate::vm::this_vm;

/// The words of a call.
type Words = [usize; WORDS];

pub(super) const ADD_CAPABILITIES: u8 = 142;
pub(super) const RELINQUISH_CAPABILITIES: u8 = 143;
pub(super) const GET_CAPABILITIES: u8 = 89;
pub(super) const GET_POTENTIAL_CAPABILITIES: u8 = 140;
pub(super) const SET_HEAP_SAMPLING_INTERVAL: u8 = 156;
pub(super) const SET_EVENT_NOTIFICATION_MODE: u8 = 2;

/// Those that suspend and resume.
pub(super) const fn suspends(number: u8) -> bool {
    matches!(number, 5 | 6 | 92 | 93 | 118 | 119)
}

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
    let [second, third, fourth, fifth] = rest;
    let own = (&raw const others).expose_provenance();
    let result = call([own, second, third, fourth, fifth]);
    if result == 0 && lent != 0 {
        capabilities::note_lent();
        environment.lent.fetch_or(lent, Ordering::AcqRel);
    }
    let samples = given.can_generate_sampled_object_alloc_events() != 0;
    if result == 0 && samples && lent & LENT_SAMPLING == 0 {
        // Ours was for all allocations; this agent has the VM's own, until it says otherwise.
        let interval = VMS_OWN_INTERVAL.unsigned_abs() as usize;
        let words = [interval, 0, 0, 0, 0];
        // SAFETY: the arguments of that function.
        unsafe { environment.call(env, SET_HEAP_SAMPLING_INTERVAL, words) };
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
        set_sampling(environment, 0);
    }
    let [second, third, fourth, fifth] = rest;
    let own = (&raw const others).expose_provenance();
    call([own, second, third, fourth, fifth])
}

/// GetCapabilities and GetPotentialCapabilities: what is lent is there, and what could be.
///
/// # Safety
/// The words are such a function's.
pub(super) unsafe fn shown(
    environment: &Environment,
    number: u8,
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
    if number == GET_POTENTIAL_CAPABILITIES
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
pub(super) unsafe fn suspend(jvmti: Jvmti, number: u8, words: Words) -> i32 {
    let patience = match number {
        5 | 92 | 118 => patience::LOOK_AT_SUSPEND,
        _ => patience::LOOK_AT_RESUME,
    };
    // SAFETY: the caller's promise.
    stopped::outside_of_looks(patience, || unsafe { by_ours(jvmti, number, words) })
}

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

/// SetEventNotificationMode of sampled allocations, which are lent.
pub(super) fn set_sampling(environment: &Environment, mode: i32) -> i32 {
    let on = match mode {
        0 => false,
        1 => true,
        _ => return ILLEGAL_ARGUMENT,
    };
    environment.samples.store(on, Ordering::Release);
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

const ILLEGAL_ARGUMENT: i32 = 103;

/// Some environment has begun to sample, or has ended.
pub(super) fn note_sampling() {
    let samples = |(_, one): (*mut c_void, &Environment)| one.samples.load(Ordering::Acquire);
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
