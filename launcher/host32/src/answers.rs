//! Who answers the agent here: the VM of the other process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_host::{Host, JniGiven};
use event_translate::Function;
use parking_lot::{Mutex, MutexGuard};
use recording_format::Value;

use crate::mirror;
use crate::process;

const PROFILER_EXIT: u8 = 6;

type Names = BTreeMap<u64, &'static [u8]>;

/// The names of raw monitors.
fn names() -> MutexGuard<'static, Names> {
    static NAMES: Mutex<Names> = Mutex::new(BTreeMap::new());
    NAMES.lock()
}

/// The VM.
pub(crate) struct Vm;

impl Host for Vm {
    fn call(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
        let answer = mirror::call(slot, arguments);
        if slot == Function::RawMonitorCreate.slot()
            && let (Some(name), Some(made)) = (arguments.first(), &answer)
            && let (Some(name), Some(made)) = (name.bytes(), made.first().and_then(Value::id))
        {
            // There are few, and dumps name them to the end.
            names().insert(made, name.to_vec().leak());
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
        Some(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    fn exit(&self, code: i32) -> ! {
        mirror::call(PROFILER_EXIT, &[Value::Int(code.into())]);
        // It does not come back, unless there was no lane for it.
        process::exit(code)
    }

    fn jni(&self, slot: usize, arguments: Vec<Vec<Value<'_>>>) -> Option<JniGiven> {
        mirror::jni(slot, arguments)
    }

    fn no_jni(&self) -> &'static str {
        "which a 32-bit agent in a 64-bit JVM cannot have, or not on this thread; it gets 0 or NULL"
    }

    fn monitor_name(&self, monitor: u64) -> Option<&'static [u8]> {
        names().get(&monitor).copied()
    }
}
