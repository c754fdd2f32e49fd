//! Which capabilities the shim holds, and when it asks for them.
//!
//! Claimed at load: those that cost nothing to hold (JVMTI facts 6), among them
//! the original method order, so that CLASS_LOAD has the class file's. Never
//! claimed: exception and frame_pop; method_exit only with method-events=exact (they
//! slow exceptions 3.5 times). Taken when an agent needs it: suspend, of which only one environment
//! may hold it, so that a debugger beside us keeps working.
#![allow(unsafe_code, reason = "the JVMTI function table")]

use std::sync::atomic::{AtomicU8, Ordering};

use jvmpi_headers::jvmti as sys;
use shim_options::MethodEvents;

use crate::base::{config, log};
use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};

fn none() -> sys::jvmtiCapabilities {
    // SAFETY: a struct of bit fields, all clear.
    unsafe { std::mem::zeroed() }
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
    let sample = sampling();
    jvmti.add(&sample)?;
    jvmti.set_sampling_interval(0)?;
    invoke!(jvmti.RelinquishCapabilities(std::ptr::from_ref(&sample)))
}

fn sampling() -> sys::jvmtiCapabilities {
    let mut sample = none();
    sample.set_can_generate_sampled_object_alloc_events(1);
    sample
}

/// Claims what is free to hold, as far as this VM and phase have it.
pub(crate) fn claim(jvmti: Jvmti) {
    let Ok(potential) = jvmti.potential() else {
        log::warning!(
            "the VM does not say which JVMTI capabilities it has; many events will not come"
        );
        return;
    };
    let mut wanted = none();
    macro_rules! want {
        ($($get:ident $set:ident;)*) => { $(wanted.$set(potential.$get());)* };
    }
    want! {
        can_tag_objects set_can_tag_objects;
        can_generate_object_free_events set_can_generate_object_free_events;
        can_generate_garbage_collection_events set_can_generate_garbage_collection_events;
        can_generate_monitor_events set_can_generate_monitor_events;
        can_generate_vm_object_alloc_events set_can_generate_vm_object_alloc_events;
        can_generate_compiled_method_load_events set_can_generate_compiled_method_load_events;
        can_generate_native_method_bind_events set_can_generate_native_method_bind_events;
        can_get_source_file_name set_can_get_source_file_name;
        can_get_line_numbers set_can_get_line_numbers;
        can_get_monitor_info set_can_get_monitor_info;
        can_maintain_original_method_order set_can_maintain_original_method_order;
        can_get_thread_cpu_time set_can_get_thread_cpu_time;
        can_generate_all_class_hook_events set_can_generate_all_class_hook_events;
        can_retransform_classes set_can_retransform_classes;
        can_retransform_any_class set_can_retransform_any_class;
    }
    if config::options().method_events == MethodEvents::Exact {
        want! {
            can_generate_method_entry_events set_can_generate_method_entry_events;
            can_generate_method_exit_events set_can_generate_method_exit_events;
            can_access_local_variables set_can_access_local_variables;
        }
    }
    if let Err(error) = jvmti.add(&wanted) {
        log::warning!("{error}; many events will not come");
    }
    if let Err(error) = prepare_monitor_info(jvmti) {
        log::info!("{error}; MONITOR_DUMP will look for Java monitors on the stacks");
    }
    if let Err(error) = prepare_sampling(jvmti) {
        log::info!("{error}; the first allocations of older threads are not reported");
    }
}

fn monitor_info(jvmti: Jvmti) -> sys::jvmtiCapabilities {
    let mut info = none();
    if jvmti.feature_version() >= 24 && config::options().method_events != MethodEvents::Exact {
        // These no longer name the object of `Object.wait` otherwise.
        info.set_can_access_local_variables(1);
    }
    info.set_can_get_owned_monitor_info(1);
    info.set_can_get_current_contended_monitor(1);
    info.set_can_get_bytecodes(1);
    info
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
    let taken = jvmti.add(&sampling());
    if let Err(error) = taken {
        log::warning!(
            "{error}: another agent (an allocation profiler?) holds the VM's allocation events, or \
             it has none: OBJECT_ALLOC comes only for what was there before and on request"
        );
    }
    taken.is_ok()
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
    let mut suspend = none();
    suspend.set_can_suspend(1);
    match jvmti.add(&suspend) {
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
