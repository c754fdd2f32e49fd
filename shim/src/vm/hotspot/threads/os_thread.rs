//! The kernel's number of a thread, by the VM's own structures.

use std::ptr;

use crate::os::{memory, tasks};
use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE, SOMETHING_ELSE, ThreadNumber, Why};
use crate::vm::hotspot::structures;
use crate::vm::jni::Jni;

pub(in crate::vm::hotspot) fn find(jni: Jni) -> Result<ThreadNumber, Why> {
    let places = || {
        let of = |class| structures::offset_of(class, c"_osthread");
        Some(ThreadNumber {
            os_thread: HOTSPOT.behind_env(of(c"Thread").or_else(|| of(c"JavaThread"))?)?,
            number: structures::offset_of(c"OSThread", c"_thread_id")?,
        })
    };
    let places = places().ok_or(NOT_THERE)?;
    if places.of(jni.env().expose_provenance()) == Some(tasks::own()) {
        Ok(places)
    } else {
        Err(SOMETHING_ELSE)
    }
}

impl ThreadNumber {
    fn of(&self, env: usize) -> Option<u32> {
        let field = env.checked_add_signed(self.os_thread)?;
        let &[os_thread] = memory::pointers(ptr::with_exposed_provenance(field), 1)?.as_slice()
        else {
            return None;
        };
        let field = os_thread.checked_add(self.number.bytes())?;
        let &[number] = memory::numbers(ptr::with_exposed_provenance(field), 1)?.as_slice() else {
            return None;
        };
        u32::try_from(number).ok()
    }
}

/// The kernel's number of the thread that has this JNIEnv; `None` where that does not lead to a
/// thread of ours. It may have ended: nothing is believed that cannot be read.
pub(crate) fn number_of(env: usize) -> Option<u32> {
    let number = HOTSPOT.thread_number.get()?.of(env)?;
    (number > 0 && tasks::exists(number)).then_some(number)
}
