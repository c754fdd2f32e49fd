//! An environment of JVMTI with tags of its own, which mean nothing outside of one search and which
//! nobody else sees.
#![allow(unsafe_code, reason = "an environment of JVMTI that is given back")]

use jvmpi_headers::jni::jobject;
use jvmpi_headers::jvmti as sys;

use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::vm::java_vm;
use crate::vm::jni::Jni;
use crate::vm::memory::Array;
use crate::vm::refs::Local;

/// That environment; given back when dropped.
pub(crate) struct PrivateTags(Jvmti);

impl PrivateTags {
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

    /// The environment, with can_tag_objects, can_get_monitor_info and can_get_bytecodes.
    pub(crate) fn jvmti(&self) -> Jvmti {
        self.0
    }

    /// What has the tags from 1 to `last`.
    pub(crate) fn tagged(&self, jni: Jni, last: u64) -> Result<Vec<Local>> {
        let tags: Vec<u64> = (1..=last).collect();
        let found = self.0.objects_with_tags(jni, &tags)?;
        Ok(found.into_iter().map(|(object, _)| object).collect())
    }

    /// References of the caller's in place of those that the VM has made for another thread. That
    /// one deletes them itself; until then JVMTI takes them from anybody, and JNI from nobody else.
    pub(crate) fn own_references(&self, jni: Jni, foreign: &Array<jobject>) -> Result<Vec<Local>> {
        let jvmti = self.0;
        let mut last = 0;
        for (tag, &object) in (1..).zip(foreign.as_slice()) {
            invoke!(jvmti.SetTag(object, tag))?;
            last = tag;
        }
        self.tagged(jni, last.cast_unsigned())
    }
}

impl Drop for PrivateTags {
    fn drop(&mut self) {
        self.0.dispose();
    }
}
