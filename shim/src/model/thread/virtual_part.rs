//! What a virtual thread's record has that no other thread's has. There may be very many: what few
//! of them need is boxed.

use std::sync::atomic::{AtomicU64, Ordering};

use once_cell::race::OnceBox;

use crate::model::own::cell::OwnCell;
use crate::model::own::method_stack::MethodStack;
use crate::model::thread::native_thread::NativeThread;
use crate::os::cpu_clock;
use crate::vm::hotspot::virtual_threads::mounts::ThreadIdentifier;
use crate::vm::jni::forwarding_env::ForwardingEnv;
use crate::vm::refs::Weak;

/// See the file.
#[derive(Debug)]
pub(super) struct VirtualPart {
    pub(super) env: ForwardingEnv,
    /// Its `java.lang.Thread`, which may be collected if it is parked and nobody can reach it. `None`
    /// if the VM had no memory for a reference.
    pub(super) object: Option<Weak>,
    /// CPU time that it has used before it was mounted last, in nanoseconds.
    pub(super) used: AtomicU64,
    /// The methods that the agent believes to be running on it, once there was one.
    pub(super) methods: OnceBox<OwnCell<MethodStack>>,
}

impl VirtualPart {
    pub(super) fn new(identifier: ThreadIdentifier, object: Option<Weak>) -> Self {
        Self {
            env: ForwardingEnv::new(identifier.0),
            object,
            used: AtomicU64::new(0),
            methods: OnceBox::new(),
        }
    }

    /// The VM's number of it, which no other ever has.
    pub(super) fn identifier(&self) -> ThreadIdentifier {
        ThreadIdentifier(self.env.owner())
    }

    /// On the carrier `native`, which runs it: the CPU time that it has used on all of them.
    pub(super) fn cpu_time_on(&self, native: &NativeThread) -> u64 {
        // Relaxed: who reads it carries the thread, and has a mount in front, which the VM orders, or has looked
        // at what it carries (NativeThread::carried).
        let since = native.mounted_at.load(Ordering::Relaxed);
        let used = self.used.load(Ordering::Relaxed);
        used + cpu_clock::nanos().saturating_sub(since)
    }
}
