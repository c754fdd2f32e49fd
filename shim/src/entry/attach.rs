//! Starting in a program that is running.
//!
//! What goes wrong here must not harm the program: a start that fails leaves nothing behind,
//! and the next one, with the right name, works. So whatever can be known to fail is looked at
//! before anything is changed, and the rest is taken back.

use std::sync::atomic::{AtomicBool, Ordering};

use jvmpi_headers::jni::JavaVM;

use crate::agent::{start, table};
use crate::base::{config, log};
use crate::entry::{late, settings};
use crate::events::vm_life::{agent_requests, lifecycle};
use crate::model::wanted;
use crate::observe::observers;
use crate::os::library;
use crate::vm::jni::Jni;
use crate::vm::{java_vm, this_vm};

/// `jcmd PID JVMTI.agent_load libjvmpi.so agent:options`; whether the agent, if one is named,
/// runs. `install` puts our GetEnv in place.
pub(crate) fn start(vm: *mut JavaVM, options: Option<&str>, install: &dyn Fn()) -> bool {
    library::stay_loaded();
    let Some(_alone) = Alone::begin() else {
        log::warning!("another thread is loading an agent; nothing is loaded, try again");
        return false;
    };
    start_alone(vm, options, install)
}

/// One start at a time. While it lasts, and the agent is in its JVM_OnLoad, what that enables is
/// only noted: if we were loaded with the VM, without an agent, events would flow at once.
struct Alone;

static BUSY: AtomicBool = AtomicBool::new(false);

impl Alone {
    fn begin() -> Option<Self> {
        if BUSY.swap(true, Ordering::AcqRel) {
            return None;
        }
        agent_requests::gather(true);
        Some(Self)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        agent_requests::gather(false);
        BUSY.store(false, Ordering::Release);
    }
}

fn start_alone(vm: *mut JavaVM, options: Option<&str>, install: &dyn Fn()) -> bool {
    let mut asked = settings::parse(options);
    let spec = asked.agent.take();
    if let Some(running) = start::running() {
        let name = spec.map_or_else(|| "libjvmpi.so".to_owned(), |spec| spec.name);
        log::warning!(
            "JVMPI knows one agent per VM, and `{running}` runs: `{name}` is not loaded; start the program anew"
        );
        return false;
    }
    let opened = match spec.map(start::open) {
        Some(None) => return false,
        Some(opened) => opened,
        None => None,
    };
    if asked.has_settings() || !config::has_options() {
        asked.into_force();
    }
    let was_installed = java_vm::is_installed();
    install();
    let options_before = config::options().clone();
    let runs = opened.as_ref().is_none_or(|opened| {
        let runs = opened.start(vm);
        if !runs {
            log::warning!("{}", refusal(opened.name(), options.unwrap_or_default()));
        }
        runs
    });
    // Its handler of JVM_INIT_DONE may enable more, in force at once.
    agent_requests::gather(false);
    if runs && go(vm) {
        return true;
    }
    start::forget();
    wanted::want_nothing();
    table::forget_agent();
    // It may have set some.
    config::set_options(options_before);
    observers::abandon();
    if !was_installed {
        java_vm::uninstall();
    }
    false
}

fn go(vm: *mut JavaVM) -> bool {
    if this_vm::phase() == this_vm::Phase::Loading {
        return late::start(vm);
    }
    let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) else {
        return false;
    };
    lifecycle::agent_came(jvmti, jni)
}

/// The line for a JVM_OnLoad that failed.
fn refusal(name: &str, options: &str) -> String {
    let mut line = format!("JVM_OnLoad of `{name}` failed: it is not loaded, the program goes on");
    if options.contains(':') && !options.contains('=') {
        line += &format!(
            "; its options were `{options}`: jcmd cuts them at the first `=` unless they are in two \
             pairs of quotes, '\"{name}:option=value\"'"
        );
    }
    line
}
