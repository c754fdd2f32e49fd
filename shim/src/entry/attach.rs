//! Starting in a program that is running.
//!
//! What goes wrong here must not harm the program: a start that fails leaves nothing behind,
//! and the next one, with the right name, works. So whatever can be known to fail is looked at
//! before anything is changed, and the rest is taken back.

use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::EventKind;
use jvmpi_headers::jni::JavaVM;

use crate::agent::start::{self, When};
use crate::agent::table;
use crate::base::attach_report::{self, Trouble};
use crate::base::{config, life, log, patience};
use crate::entry::{heir, late, other_copy, settings};
use crate::events::vm_life::{agent_requests, departure, lifecycle};
use crate::model::wanted;
use crate::observe::observers;
use crate::os::library;
use crate::vm::jni::Jni;
use crate::vm::{java_vm, this_vm};

/// What Agent_OnAttach is called with: `agent:options` by jcmd and the like; by `xrun attach` and
/// `xrun detach` behind `xrun-report=PATH,`, a file for what has to be said.
#[derive(Debug, PartialEq, Eq)]
struct Asked<'a> {
    report: Option<&'a str>,
    what: What<'a>,
}

#[derive(Debug, PartialEq, Eq)]
enum What<'a> {
    /// An agent is to come.
    Attach(Option<&'a str>),
    /// The one that is there is to go, if it has this name.
    Detach(Option<&'a str>),
}

impl<'a> Asked<'a> {
    /// Of an agent in our own library all options are its own.
    fn called_with(options: Option<&'a str>) -> Self {
        if start::linked(options).is_none() {
            return Self::read(options);
        }
        Self {
            report: None,
            what: What::Attach(options),
        }
    }

    fn read(options: Option<&'a str>) -> Self {
        let behind = options.and_then(|options| options.strip_prefix("xrun-report="));
        let Some((path, rest)) = behind.and_then(|behind| behind.split_once(',')) else {
            return Self {
                report: None,
                what: What::Attach(options),
            };
        };
        Self {
            report: Some(path),
            what: match rest {
                "detach" => What::Detach(None),
                agent => match agent.strip_prefix("detach:") {
                    Some(name) => What::Detach(Some(name)),
                    None => What::Attach(Some(agent)),
                },
            },
        }
    }
}

/// Agent_OnAttach: whether what was asked for is done. `install` puts our GetEnv in place.
pub(crate) fn called(vm: *mut JavaVM, options: Option<&str>, install: &dyn Fn()) -> bool {
    library::stay_loaded();
    let asked = Asked::called_with(options);
    let _report = asked.report.map(attach_report::open);
    if this_vm::phase() == this_vm::Phase::Dead {
        if matches!(asked.what, What::Detach(_)) && !heir::exists() {
            return nothing_to_detach();
        }
        return heir::attach(vm, options.unwrap_or_default());
    }
    let gathers = matches!(asked.what, What::Attach(_));
    let Some(_alone) = Alone::begin(gathers) else {
        attach_report::trouble(Trouble::Busy);
        log::warning!("another thread is loading an agent; nothing is loaded, try again");
        return false;
    };
    match asked.what {
        What::Attach(agent) => start_alone(vm, agent, install),
        What::Detach(name) => detach(name),
    }
}

fn nothing_to_detach() -> bool {
    attach_report::trouble(Trouble::Nothing);
    attach_report::line("there is no agent to detach");
    false
}

fn detach(name: Option<&str>) -> bool {
    let Some(agent) = start::running() else {
        return nothing_to_detach();
    };
    if name.is_some_and(|name| name != agent) {
        attach_report::trouble(Trouble::Other);
        attach_report::line(&format!(
            "{agent} is in it, and stays; xrun detach PID alone ends whichever it is"
        ));
        return false;
    }
    let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) else {
        return nothing_to_detach();
    };
    if !departure::depart(jvmti, jni) {
        log::warning!("`{agent}` cannot be detached on this thread");
        return false;
    }
    attach_report::line(&format!(
        "{agent} has been told that the VM ends, and hears nothing any more; its library stays loaded, and its threads are its own"
    ));
    true
}

/// One start at a time. While it lasts, and the agent is in its JVM_OnLoad, what that enables is
/// only noted: if we were loaded with the VM, without an agent, events would flow at once.
struct Alone;

static BUSY: AtomicBool = AtomicBool::new(false);

impl Alone {
    fn begin(gathers: bool) -> Option<Self> {
        if BUSY.swap(true, Ordering::AcqRel) {
            return None;
        }
        agent_requests::gather(gathers);
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
        attach_report::trouble(Trouble::Taken);
        let name = spec.map_or_else(|| "libjvmpi.so".to_owned(), |spec| spec.name);
        log::warning!(
            "JVMPI knows one agent per VM, and `{running}` runs: `{name}` is not loaded; start the program anew"
        );
        return false;
    }
    if other_copy::is_there(vm) {
        attach_report::trouble(Trouble::Taken);
        return false;
    }
    let was_installed = java_vm::is_installed();
    // Opening an agent asks for this thread's environment.
    install();
    let uninstall = || {
        if !was_installed {
            java_vm::uninstall();
        }
    };
    let opened = match spec.map(|spec| start::open(spec, When::Live)) {
        Some(None) => {
            uninstall();
            return false;
        }
        Some(opened) => opened,
        None => None,
    };
    if asked.has_settings() || !config::has_options() {
        asked.comes_late();
        asked.into_force();
    }
    // A VM that has just been started answers before JVMTI is there.
    let is_up = || this_vm::phase() != this_vm::Phase::Loading || late::is_time(vm);
    if !patience::VM_STARTS.until(is_up) {
        attach_report::trouble(Trouble::Busy);
        log::warning!("the VM is still starting; nothing is loaded, try again");
        uninstall();
        return false;
    }
    let options_before = config::options().clone();
    life::comes_late();
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
        late_notes();
        return true;
    }
    start::forget();
    wanted::want_nothing();
    table::forget_agent();
    // It may have set some.
    config::set_options(options_before);
    observers::abandon();
    uninstall();
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

/// What cannot be had late, of what the agent wants.
fn late_notes() {
    let wanted = wanted::ever_wanted();
    let objects = if config::options().alloc_interval == 0 {
        "objects that were there before are told of without who has allocated them"
    } else {
        "objects that were there before are not told of"
    };
    for (kinds, note) in [
        (
            &[
                EventKind::MethodEntry,
                EventKind::MethodEntry2,
                EventKind::MethodExit,
            ][..],
            "methods that are running have no METHOD_ENTRY, and native methods that were called before have no method events",
        ),
        (&[EventKind::ObjectAlloc], objects),
        (
            &[
                EventKind::JniGlobalrefAlloc,
                EventKind::JniWeakGlobalrefAlloc,
            ],
            "references of JNI that were there before are not told of",
        ),
    ] {
        if kinds.iter().any(|&kind| wanted.contains(kind)) {
            attach_report::line(&format!("late: {note}"));
        }
    }
}

/// The line for a JVM_OnLoad that failed.
fn refusal(name: &str, options: &str) -> String {
    let mut line = format!("JVM_OnLoad of `{name}` failed: it is not loaded, the program goes on");
    if options.contains(':') && !options.contains('=') && start::linked(None).is_none() {
        line += &format!(
            "; its options were `{options}`: jcmd cuts them at the first `=` unless they are in two \
             pairs of quotes, '\"{name}:option=value\"'"
        );
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{Asked, What};

    #[test]
    fn reports_and_commands() {
        for (options, report, what) in [
            (None, None, What::Attach(None)),
            (Some("detach"), None, What::Attach(Some("detach"))),
            (Some("foo:a=b,c"), None, What::Attach(Some("foo:a=b,c"))),
            (
                Some("xrun-report=/tmp/x,detach"),
                Some("/tmp/x"),
                What::Detach(None),
            ),
            (Some("xrun-report=,detach"), Some(""), What::Detach(None)),
            (
                Some("xrun-report=,detach:foo"),
                Some(""),
                What::Detach(Some("foo")),
            ),
            (
                Some("xrun-report=/tmp/x,log=info,agent=/a/libfoo.so:detach"),
                Some("/tmp/x"),
                What::Attach(Some("log=info,agent=/a/libfoo.so:detach")),
            ),
        ] {
            assert_eq!(Asked::read(options), Asked { report, what }, "{options:?}");
        }
    }
}
