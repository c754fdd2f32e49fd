//! Objects whose monitors threads may be in, for a VM that we have met too late: it does not
//! say any more which monitors a thread owns (JVMTI facts 6), but of an object still who
//! owns it.
//!
//! They are what local variables of methods hold that lock something: compilers keep the
//! object of a synchronized block in a local variable. For each of the rest the VM can be asked.
//! Not found are those that only JNI's MonitorEnter or a synchronized native method holds, and
//! a compiled synchronized method that is done with its `this`.
#![allow(unsafe_code, reason = "an environment of JVMTI that is given back")]

use std::collections::HashSet;

use class_rewriter::MONITORENTER;
use dump_format::{Primitive, Value};
use jvmpi_headers::jvmti as sys;

use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::vm::follow::{self, Next, Referent, Root, Visitor, Way};
use crate::vm::java_vm;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::monitors::Usage;
use crate::vm::refs::{Local, ObjectRef};

/// An environment with tags of its own, which mean nothing outside of one search.
pub(crate) struct Search(Jvmti);

impl Search {
    /// `None` if the VM does not let us.
    pub(crate) fn begin() -> Option<Self> {
        let this = Self(Jvmti::create(java_vm::get()?)?);
        // SAFETY: plain data; all bits zero is "nothing wanted".
        let mut wanted: sys::jvmtiCapabilities = unsafe { std::mem::zeroed() };
        wanted.set_can_tag_objects(1);
        wanted.set_can_get_monitor_info(1);
        wanted.set_can_get_bytecodes(1);
        let jvmti = this.0;
        invoke!(jvmti.AddCapabilities(&raw const wanted)).ok()?;
        Some(this)
    }

    /// Whether the method has a `monitorenter`, or may have: the byte occurs in its code.
    pub(crate) fn locks(&self, method: MethodId) -> bool {
        let code = self.0.bytecodes(method);
        code.is_ok_and(|code| code.as_slice().contains(&MONITORENTER))
    }

    /// What the local variables of these methods hold on all stacks.
    pub(crate) fn held_by(&self, jni: Jni, methods: &HashSet<MethodId>) -> Result<Vec<Local>> {
        let mut locals = Locals { methods, last: 0 };
        follow::from_roots(self.0, &mut locals, false)?;
        let tags: Vec<u64> = (1..=locals.last).collect();
        let found = self.0.objects_with_tags(jni, &tags)?;
        Ok(found.into_iter().map(|(object, _)| object).collect())
    }

    /// Who is in the object's monitor.
    pub(crate) fn usage(&self, jni: Jni, object: ObjectRef<'_>) -> Result<Usage> {
        self.0.monitor_usage(jni, object)
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        let jvmti = self.0;
        let _ = invoke!(jvmti.DisposeEnvironment());
    }
}

struct Locals<'a> {
    methods: &'a HashSet<MethodId>,
    last: u64,
}

impl Visitor for Locals<'_> {
    fn reference(&mut self, way: Way, _: (u64, u64), to: Referent) -> (Option<u64>, Next) {
        if let Way::Root(Root::Local(_, _, frame)) = way
            && to.tag == 0
            && self.methods.contains(&frame.method)
        {
            self.last += 1;
            return (Some(self.last), Next::Past);
        }
        (None, Next::Past)
    }

    fn primitive(&mut self, _: Way, _: (u64, u64), _: Value) -> Next {
        Next::Past
    }

    fn elements(&mut self, _: u64, _: Primitive, _: &[u8]) -> Next {
        Next::Past
    }
}
