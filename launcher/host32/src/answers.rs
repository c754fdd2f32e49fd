//! Who answers the agent here: the VM of the other process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_host::{Attach, Host, Ours};
use event_translate::Function;
use event_translate::jni_functions::JniGiven;
use parking_lot::Mutex;
use recording_format::Value;

use crate::{mirror, process, region};

const PROFILER_EXIT: u8 = 6;

/// The names of raw monitors: dumps have them.
static NAMES: Mutex<BTreeMap<u64, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// The VM.
pub(crate) struct Vm;

impl Host for Vm {
    fn call(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
        // Before any lock.
        if process::is_child() {
            return None;
        }
        let answer = mirror::call(slot, arguments);
        let given = arguments.first();
        match Function::from_slot(slot) {
            Some(Function::RawMonitorCreate) => {
                let made = answer.as_ref().and_then(|values| values.first()?.id());
                if let (Some(made), Some(name)) = (made, given.and_then(Value::bytes)) {
                    NAMES.lock().insert(made, name.to_vec());
                }
            }
            Some(Function::RawMonitorDestroy) => {
                NAMES.lock().remove(&given.and_then(Value::id).unwrap_or(0));
            }
            _ => {}
        }
        answer
    }

    /// Asked only where the call itself came to nothing.
    fn note_enabled(&self, _: i64) {}

    /// There was no lane for the call.
    fn wait_elsewhere(&self, millis: i64) {
        let millis = u64::try_from(millis).unwrap_or(0);
        std::thread::sleep(Duration::from_millis(millis.max(1)));
    }

    fn now(&self) -> Option<u64> {
        None
    }

    fn next_system_thread(&self, _: &[Value<'_>]) -> Option<u64> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Relaxed: numbers that differ. In a child nothing is asked, and nobody is to wait for a lock.
        (!process::is_child()).then(|| NEXT.fetch_add(1, Ordering::Relaxed))
    }

    fn exit(&self, code: i32) -> ! {
        if let Some(_ours) = Ours::begin() {
            mirror::call(PROFILER_EXIT, &[Value::Int(code.into())]);
        }
        // It does not come back, unless there was no lane for it, or its thread was in the middle of something else.
        process::exit(code)
    }

    fn jni(&self, slot: usize, arguments: Vec<Vec<Value<'_>>>) -> Option<JniGiven> {
        mirror::jni(slot, arguments)
    }

    fn attaches(&self) -> bool {
        true
    }

    fn attach(&self, how: &Attach) -> Option<(i32, u64)> {
        mirror::attach(how)
    }

    fn detach(&self) -> Option<i32> {
        mirror::detach()
    }

    fn no_jni(&self) -> &'static str {
        "which a 32-bit agent in a 64-bit JVM cannot have, or not on this thread; it gets 0 or NULL"
    }

    fn enter(&self, monitor: u64) -> bool {
        mirror::with_thin(|thin, lane| thin.enter(monitor, lane))
    }

    fn leave(&self, monitor: u64) -> bool {
        mirror::with_thin(|thin, lane| thin.exit(monitor, lane))
    }

    fn has_no_waiters(&self, monitor: u64) -> bool {
        mirror::with_thin(|thin, lane| thin.owns(monitor, lane))
    }

    fn threads_met(&self) -> Option<u32> {
        region()?.threads_met()
    }

    fn is_child(&self) -> bool {
        process::is_child()
    }

    fn monitor_name(&self, monitor: u64) -> Option<Vec<u8>> {
        NAMES.lock().get(&monitor).cloned()
    }
}
