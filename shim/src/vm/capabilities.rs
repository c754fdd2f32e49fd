//! Which capabilities the shim holds, and when it asks for them.
//!
//! Which, and when, the rows of the tables say ([`event_translate::needs`]). Never claimed:
//! exception and frame_pop; method_exit only with method-events=exact (they slow exceptions 3.5
//! times).
#![allow(unsafe_code, reason = "the JVMTI function table")]

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use event_translate::EventKind;
use event_translate::needs::{Capability, Claimed};
use jvmpi_headers::jvmti as sys;
use shim_options::{MethodEvents, VirtualThreads};

use crate::base::{config, log};
use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};

macro_rules! bits {
    ($($capability:ident: $get:ident $set:ident;)*) => {
        fn has(all: &sys::jvmtiCapabilities, capability: Capability) -> bool {
            match capability { $(Capability::$capability => all.$get() != 0),* }
        }

        fn set(capabilities: impl IntoIterator<Item = Capability>) -> sys::jvmtiCapabilities {
            let mut all = none();
            for capability in capabilities {
                match capability { $(Capability::$capability => all.$set(1)),* }
            }
            all
        }
    };
}

bits! {
    TagObjects: can_tag_objects set_can_tag_objects;
    ObjectFreeEvents: can_generate_object_free_events set_can_generate_object_free_events;
    GarbageCollectionEvents: can_generate_garbage_collection_events set_can_generate_garbage_collection_events;
    MonitorEvents: can_generate_monitor_events set_can_generate_monitor_events;
    VmObjectAllocEvents: can_generate_vm_object_alloc_events set_can_generate_vm_object_alloc_events;
    CompiledMethodLoadEvents: can_generate_compiled_method_load_events set_can_generate_compiled_method_load_events;
    NativeMethodBindEvents: can_generate_native_method_bind_events set_can_generate_native_method_bind_events;
    GetSourceFileName: can_get_source_file_name set_can_get_source_file_name;
    GetLineNumbers: can_get_line_numbers set_can_get_line_numbers;
    GetMonitorInfo: can_get_monitor_info set_can_get_monitor_info;
    MaintainOriginalMethodOrder: can_maintain_original_method_order set_can_maintain_original_method_order;
    GetThreadCpuTime: can_get_thread_cpu_time set_can_get_thread_cpu_time;
    AllClassHookEvents: can_generate_all_class_hook_events set_can_generate_all_class_hook_events;
    RetransformClasses: can_retransform_classes set_can_retransform_classes;
    RetransformAnyClass: can_retransform_any_class set_can_retransform_any_class;
    MethodEntryEvents: can_generate_method_entry_events set_can_generate_method_entry_events;
    MethodExitEvents: can_generate_method_exit_events set_can_generate_method_exit_events;
    AccessLocalVariables: can_access_local_variables set_can_access_local_variables;
    SupportVirtualThreads: can_support_virtual_threads set_can_support_virtual_threads;
    SampledObjectAllocEvents: can_generate_sampled_object_alloc_events set_can_generate_sampled_object_alloc_events;
    Suspend: can_suspend set_can_suspend;
    GetOwnedMonitorInfo: can_get_owned_monitor_info set_can_get_owned_monitor_info;
    GetCurrentContendedMonitor: can_get_current_contended_monitor set_can_get_current_contended_monitor;
    GetBytecodes: can_get_bytecodes set_can_get_bytecodes;
}

/// No capability.
pub(crate) fn none() -> sys::jvmtiCapabilities {
    // SAFETY: a struct of bit fields, all clear.
    unsafe { std::mem::zeroed() }
}

/// Whether it is claimed at load, if the VM has it.
fn is_claimed_at_load(capability: Capability) -> bool {
    match capability.claimed() {
        Claimed::AtLoad => true,
        Claimed::Exact => config::options().method_events == MethodEvents::Exact,
        Claimed::VirtualThreads => config::options().virtual_threads == VirtualThreads::Threads,
        Claimed::OnNeed => false,
    }
}

impl Jvmti {
    fn add(self, capabilities: &sys::jvmtiCapabilities) -> Result<()> {
        invoke!(self.AddCapabilities(std::ptr::from_ref(capabilities)))
    }

    fn potential(self) -> Result<sys::jvmtiCapabilities> {
        let mut capabilities = none();
        invoke!(self.GetPotentialCapabilities(&raw mut capabilities))?;
        Ok(capabilities)
    }
}

/// Threads take their sampling interval when they are made, the main thread right
/// after Agent_OnLoad, and keep it until they have allocated that much (JVMTI facts
/// 3). So it is set now; the capability, of which only one environment may have it, is
/// given back until an agent wants allocations.
fn prepare_sampling(jvmti: Jvmti) -> Result<()> {
    while_sampling(jvmti, || {
        jvmti.set_sampling_interval(config::options().alloc_interval)
    })
}

/// Has the capability meanwhile, if no other environment has it, and gives it back then.
pub(crate) fn while_sampling(jvmti: Jvmti, then: impl FnOnce() -> Result<()>) -> Result<()> {
    jvmti.add(&set([Capability::SampledObjectAllocEvents]))?;
    let result = then();
    give_back_sampling(jvmti);
    result
}

/// Of the capability that only one environment can have, unless another agent uses it by ours.
pub(crate) fn give_back_sampling(jvmti: Jvmti) {
    if LENT.load(Ordering::Acquire) {
        return;
    }
    let sample = set([Capability::SampledObjectAllocEvents]);
    // What is held can be given back, and what is not stays so.
    let _ = invoke!(jvmti.RelinquishCapabilities(&raw const sample));
}

/// Claims what is free to hold, as far as this VM and phase have it.
pub(crate) fn claim(jvmti: Jvmti) {
    let Ok(potential) = jvmti.potential() else {
        log::warning!(
            "the VM does not say which JVMTI capabilities it has; many events will not come"
        );
        return;
    };
    let wanted = Capability::ALL.into_iter();
    let wanted = wanted.filter(|&one| is_claimed_at_load(one) && has(&potential, one));
    if let Err(error) = jvmti.add(&set(wanted)) {
        log::warning!("{error}; many events will not come");
    }
    if let Err(error) = prepare_monitor_info(jvmti) {
        log::info!("{error}; MONITOR_DUMP will look for Java monitors on the stacks");
    }
    if let Err(error) = prepare_sampling(jvmti) {
        log::info!("{error}; the first allocations of older threads are not reported");
    }
}

/// What our environment has.
pub(crate) fn held(jvmti: Jvmti) -> Option<sys::jvmtiCapabilities> {
    let mut held = none();
    invoke!(jvmti.GetCapabilities(&raw mut held)).ok()?;
    Some(held)
}

/// Our environment may ask about virtual threads for a moment, if it may not anyway.
pub(crate) fn virtual_threads_for_a_call(jvmti: Jvmti) -> VirtualThreadsForACall {
    let virtual_threads = set([Capability::SupportVirtualThreads]);
    let has = held(jvmti).is_some_and(|held| held.can_support_virtual_threads() != 0);
    let taken = !has && jvmti.add(&virtual_threads).is_ok();
    VirtualThreadsForACall(taken.then_some(jvmti))
}

/// See [`virtual_threads_for_a_call`]: to the end of this.
pub(crate) struct VirtualThreadsForACall(Option<Jvmti>);

impl Drop for VirtualThreadsForACall {
    fn drop(&mut self) {
        let virtual_threads = set([Capability::SupportVirtualThreads]);
        if let Some(jvmti) = self.0 {
            // What is held can be given back.
            let _ = invoke!(jvmti.RelinquishCapabilities(&raw const virtual_threads));
        }
    }
}

/// Gives back all that is held, for others to have; but for what lets threads go on
/// ([`give_back_suspend`]), and for what is told of deaths, if the VM has still to tell some.
pub(crate) fn give_back(jvmti: Jvmti, deaths_too: bool) -> Result<()> {
    let Some(mut held) = held(jvmti) else {
        return Ok(());
    };
    held.set_can_suspend(0);
    if LENT.load(Ordering::Acquire) {
        held.set_can_generate_sampled_object_alloc_events(0);
    }
    if !deaths_too {
        held.set_can_tag_objects(0);
        held.set_can_generate_object_free_events(0);
    }
    invoke!(jvmti.RelinquishCapabilities(&raw const held))
}

/// The same of what stops threads, and lets them go on: nobody may be in the middle of it.
pub(crate) fn give_back_suspend(jvmti: Jvmti) -> Result<()> {
    if LENT.load(Ordering::Acquire) {
        return Ok(());
    }
    let suspend = set([Capability::Suspend]);
    invoke!(jvmti.RelinquishCapabilities(&raw const suspend))
}

/// What MONITOR_DUMP needs, but for what is claimed at load and for [`can_suspend`].
fn monitor_info(jvmti: Jvmti) -> sys::jvmtiCapabilities {
    let jdk = jvmti.feature_version();
    let needed = EventKind::MonitorDump.row().needs.capabilities.iter();
    let needed = needed.filter(|one| one.is_on(jdk)).map(|one| one.what);
    set(needed.filter(|&one| one != Capability::Suspend && !is_claimed_at_load(one)))
}

/// Had once at load these can be had again when they are needed (JVMTI facts 6); held, one
/// of them makes JDK 11 optimise less.
fn prepare_monitor_info(jvmti: Jvmti) -> Result<()> {
    let info = monitor_info(jvmti);
    jvmti.add(&info)?;
    invoke!(jvmti.RelinquishCapabilities(std::ptr::from_ref(&info)))
}

/// Takes what tells of threads' monitors. False in a VM that was running before it met us.
pub(crate) fn can_see_monitors(jvmti: Jvmti) -> bool {
    let taken = jvmti.add(&monitor_info(jvmti));
    if let Err(error) = taken {
        log::info!("{error}: MONITOR_DUMP looks for Java monitors on the stacks");
    }
    taken.is_ok()
}

/// Takes `can_generate_sampled_object_alloc_events`, of which only one environment may
/// hold it. False, with one line, if another agent has it.
pub(crate) fn can_sample(jvmti: Jvmti) -> bool {
    let taken = jvmti.add(&set([Capability::SampledObjectAllocEvents]));
    if let Err(error) = taken {
        log::warn_once!(
            "{error}: another agent (an allocation profiler?) holds the VM's allocation events, or \
             it has none: OBJECT_ALLOC comes only for what was there before and on request"
        );
    }
    taken.is_ok()
}

/// Whether another agent hears of allocations by our environment.
static SAMPLING_LENT: AtomicBool = AtomicBool::new(false);
/// Whether another agent stops threads by our environment, or hears of allocations by it.
static LENT: AtomicBool = AtomicBool::new(false);

/// From now on our environment has what another agent seems to have, to the end.
pub(crate) fn note_lent() {
    LENT.store(true, Ordering::Release);
}

/// Whether our environment could have these two: suspension, and sampled allocations.
pub(crate) fn could_lend(jvmti: Jvmti) -> [bool; 2] {
    let lent = [Capability::Suspend, Capability::SampledObjectAllocEvents];
    let potential = jvmti.potential();
    lent.map(|one| potential.as_ref().is_ok_and(|all| has(all, one)))
}

/// Whether one does.
#[inline]
pub(crate) fn is_sampling_lent() -> bool {
    // Relaxed: a switch that says nothing of other words.
    SAMPLING_LENT.load(Ordering::Relaxed)
}

/// From now on one does, or none.
pub(crate) fn note_lent_sampling(on: bool) {
    SAMPLING_LENT.store(on, Ordering::Relaxed);
}

/// Takes `can_suspend` on first need. False if another agent has it.
pub(crate) fn can_suspend(jvmti: Jvmti) -> bool {
    const UNKNOWN: u8 = 0;
    const YES: u8 = 1;
    const NO: u8 = 2;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    match ANSWER.load(Ordering::Acquire) {
        YES => return true,
        NO => return false,
        _ => {}
    }
    match jvmti.add(&set([Capability::Suspend])) {
        Ok(()) => {
            ANSWER.store(YES, Ordering::Release);
            true
        }
        Err(JvmtiError {
            code: NOT_AVAILABLE,
            ..
        }) => {
            ANSWER.store(NO, Ordering::Release);
            log::warning!(
                "another agent (a debugger?) holds the VM's suspend capability: SuspendThread has no effect; \
                 call traces are taken of running threads"
            );
            false
        }
        // Too early; asked again next time.
        Err(_) => false,
    }
}
