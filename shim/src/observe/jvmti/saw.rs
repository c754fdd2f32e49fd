//! What an agent says itself that it saw: the functions of `xrun_saw.h`.
//!
//! Libraries of agents see no symbols of each other. So an agent's import table is filled in when
//! it asks for an environment, with functions of its own: by these is known who says something.
//!
//! # Threads
//! Any, known to the VM or not. `xrun_saw_stack` may be called in handlers of signals: it puts the
//! stack down, and the worker, who may ask the VM for names, records it.
//!
//! # Safety
//! What an agent passes is what its header says.
#![allow(
    unsafe_code,
    reason = "functions that C calls, and what they are passed"
)]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

use parking_lot::Mutex;
use recording_format::jvmti::{self, FunctionKind};

use crate::base::boundary::unlogged;
use crate::base::log;
use crate::delivery::worker;
use crate::observe::jvmti::passed;
use crate::observe::jvmti::promise::{Promise, length};
use crate::observe::jvmti::values::Values;
use crate::observe::{recording, trace};
use crate::os::imports::Image;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// Libraries that are told apart; all further ones are the last.
const PLACES: usize = 8;

/// The first environment of each.
static ENVIRONMENTS: [AtomicU32; PLACES] = [const { AtomicU32::new(0) }; PLACES];

/// Somebody may say stacks.
static HAS_STACKS: AtomicBool = AtomicBool::new(false);

type Saw = unsafe extern "C" fn(usize, usize, i64);
type SawStack = unsafe extern "C" fn(usize, i32, *const usize);

macro_rules! for_each_place {
    ($function:ident) => {
        [
            $function::<0>,
            $function::<1>,
            $function::<2>,
            $function::<3>,
            $function::<4>,
            $function::<5>,
            $function::<6>,
            $function::<7>,
        ]
    };
}

const SAWS: [Saw; PLACES] = for_each_place!(saw);
const SAW_STACKS: [SawStack; PLACES] = for_each_place!(saw_stack);

/// The library of an agent that has this environment may call us from now on.
pub(super) fn offer(library: &Image, environment: u32) {
    static KNOWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let place = {
        let mut known = KNOWN.lock();
        if known.contains(&library.base) {
            return;
        }
        known.push(library.base);
        (known.len() - 1).min(PLACES - 1)
    };
    if let Some(first) = ENVIRONMENTS.get(place) {
        // Relaxed: numbers, a mark and counts that say nothing of other words; those of a stack lie
        // between acquire and release of its `state`. Who calls us has seen the import, which is filled in
        // later: [`record`].
        let _ = first.compare_exchange(0, environment, Ordering::Relaxed, Ordering::Relaxed);
    }
    library.fill_in(|name| match name.to_bytes() {
        b"xrun_saw" => SAWS.get(place).map(|saw| *saw as *mut c_void),
        b"xrun_saw_stack" => {
            HAS_STACKS.store(true, Ordering::Relaxed);
            SAW_STACKS.get(place).map(|saw| *saw as *mut c_void)
        }
        _ => None,
    });
    // A phase that begins now is seen here, or our mark there.
    fence(Ordering::SeqCst);
    if this_vm::phase() == Phase::Live {
        vm_ready();
    }
}

/// The VM is live: there can be somebody who records stacks.
pub(crate) fn vm_ready() {
    fence(Ordering::SeqCst);
    if HAS_STACKS.load(Ordering::Relaxed)
        && let Some((jvmti, jni)) = this_vm::jvmti().zip(Jni::of_this_thread())
    {
        worker::ensure(jvmti, jni);
    }
}

/// Records a call; its agent is the one of this place, if that has an environment.
fn record(place: usize, function: FunctionKind, words: &[usize]) {
    // Who is here has read its import without order.
    fence(Ordering::Acquire);
    let environment = ENVIRONMENTS.get(place).map(|it| it.load(Ordering::Relaxed));
    let row = jvmti::function(function.number());
    let (Some(environment), Some(row)) = (environment.filter(|it| *it != 0), row) else {
        return;
    };
    let mut values = Values::new();
    // SAFETY: what the agent passes to this function.
    let promise = unsafe { Promise::given() };
    passed::arguments(promise, &mut values, row.arguments, words);
    trace::said((environment, function.number()), values.all());
}

/// `xrun_saw` of the agent of this place.
///
/// # Safety
/// The first two are NULL or C strings.
pub(crate) unsafe extern "C" fn saw<const PLACE: usize>(noun: usize, name: usize, amount: i64) {
    if recording::is_on() {
        let amount = amount.cast_unsigned() as usize;
        unlogged("xrun_saw", || {
            record(PLACE, FunctionKind::xrun_saw, &[noun, name, amount]);
        });
    }
}

/// Frames of a stack that are kept.
const FRAMES: usize = 64;

/// A stack that somebody has said and nobody has recorded.
struct Stack {
    state: AtomicU32,
    place: AtomicUsize,
    env: AtomicUsize,
    count: AtomicUsize,
    methods: [AtomicUsize; FRAMES],
}

/// States of a [`Stack`].
const FREE: u32 = 0;
const BUSY: u32 = 1;
const FULL: u32 = 2;

/// More than any sampler takes in a round of the worker's.
const STACKS: usize = 4096;

static WAITING: [Stack; STACKS] = [const {
    Stack {
        state: AtomicU32::new(FREE),
        place: AtomicUsize::new(0),
        env: AtomicUsize::new(0),
        count: AtomicUsize::new(0),
        methods: [const { AtomicUsize::new(0) }; FRAMES],
    }
}; STACKS];

/// Where the next one is put.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static LOST: AtomicU64 = AtomicU64::new(0);

/// `xrun_saw_stack` of the agent of this place.
///
/// # Safety
/// There are so many methods.
pub(crate) unsafe extern "C" fn saw_stack<const PLACE: usize>(
    env: usize,
    count: i32,
    methods: *const usize,
) {
    if !recording::is_on() || methods.is_null() {
        return;
    }
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let Some(stack) = WAITING.get(next % STACKS) else {
        return;
    };
    let is_ours = stack
        .state
        .compare_exchange(FREE, BUSY, Ordering::Acquire, Ordering::Relaxed);
    if is_ours.is_err() {
        LOST.fetch_add(1, Ordering::Relaxed);
        return;
    }
    let count = length(count).min(FRAMES);
    for (index, kept) in stack.methods.iter().take(count).enumerate() {
        // SAFETY: the caller's promise.
        let method = unsafe { methods.add(index) };
        // SAFETY: as above.
        kept.store(unsafe { method.read() }, Ordering::Relaxed);
    }
    stack.place.store(PLACE, Ordering::Relaxed);
    stack.env.store(env, Ordering::Relaxed);
    stack.count.store(count, Ordering::Relaxed);
    stack.state.store(FULL, Ordering::Release);
}

/// Records the stacks that were said; on a thread that may call the VM.
pub(crate) fn record_stacks() {
    if !HAS_STACKS.load(Ordering::Relaxed) || !recording::is_on() {
        return;
    }
    for stack in &WAITING {
        let taken = stack
            .state
            .compare_exchange(FULL, BUSY, Ordering::Acquire, Ordering::Relaxed);
        if taken.is_err() {
            continue;
        }
        let methods = stack
            .methods
            .each_ref()
            .map(|it| it.load(Ordering::Relaxed));
        let words = [
            stack.env.load(Ordering::Relaxed),
            stack.count.load(Ordering::Relaxed),
            ptr::from_ref(&methods).expose_provenance(),
        ];
        let place = stack.place.load(Ordering::Relaxed);
        stack.state.store(FREE, Ordering::Release);
        record(place, FunctionKind::xrun_saw_stack, &words);
    }
    let lost = LOST.load(Ordering::Relaxed);
    if lost > 0 {
        log::warn_once!(
            "xrun_saw_stack: more than {STACKS} stacks were waiting to be recorded; some are not"
        );
    }
}
