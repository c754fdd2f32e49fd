//! Objects whose monitors threads may be in, for a VM that we have met too late: it does not
//! say any more which monitors a thread owns (JVMTI facts 6), but of an object still who
//! owns it.
//!
//! They are what local variables of methods hold that lock something: compilers keep the
//! object of a synchronized block in a local variable. For each of the rest the VM can be asked.
//! Not found are those that only JNI's MonitorEnter or a synchronized native method holds, and
//! a compiled synchronized method that is done with its `this`.

use std::collections::HashSet;

use class_rewriter::MONITORENTER;
use dump_format::{Primitive, Value};

use crate::vm::env::Result;
use crate::vm::heap::follow::{self, Next, Referent, Root, Visitor, Way};
use crate::vm::heap::private_tags::PrivateTags;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::monitors::Usage;
use crate::vm::refs::{Local, ObjectRef};

/// One search, with tags of its own.
pub(crate) struct Search(PrivateTags);

impl Search {
    /// `None` if the VM does not let us.
    pub(crate) fn begin() -> Option<Self> {
        PrivateTags::begin().map(Self)
    }

    /// Whether the method has a `monitorenter`, or may have: the byte occurs in its code.
    pub(crate) fn locks(&self, method: MethodId) -> bool {
        let code = self.0.jvmti().bytecodes(method);
        code.is_ok_and(|code| code.as_slice().contains(&MONITORENTER))
    }

    /// What the local variables of these methods hold on all stacks.
    pub(crate) fn held_by(&self, jni: Jni, methods: &HashSet<MethodId>) -> Result<Vec<Local>> {
        let mut locals = Locals { methods, last: 0 };
        follow::from_roots(self.0.jvmti(), &mut locals, false)?;
        self.0.tagged(jni, locals.last)
    }

    /// Who is in the object's monitor.
    pub(crate) fn usage(&self, jni: Jni, object: ObjectRef<'_>) -> Result<Usage> {
        self.0.jvmti().monitor_usage(jni, object)
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
