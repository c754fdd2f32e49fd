//! The kernel's number of a thread, by the VM's own structures.

use std::ptr;

use once_cell::sync::OnceCell;

use crate::os::{memory, tasks};
use crate::vm::hotspot::{thread_env, vm_counters};

/// The kernel's number of the thread that has this JNIEnv, by the VM's own structures (fields
/// found by `gHotSpotVMStructs`); `None` where that does not lead to a thread of ours. It
/// may have ended: nothing is believed that cannot be read.
pub(crate) fn number_of(env: usize) -> Option<u32> {
    static OFFSETS: OnceCell<Option<(usize, usize)>> = OnceCell::new();
    let offsets = OFFSETS.get_or_init(|| {
        let of = |class| vm_counters::offset_of(class, c"_osthread");
        let os_thread = of(c"Thread").or_else(|| of(c"JavaThread"))?;
        Some((
            os_thread,
            vm_counters::offset_of(c"OSThread", c"_thread_id")?,
        ))
    });
    let (os_thread, number) = (*offsets)?;
    let thread = env.checked_sub(thread_env::distance()?)?;
    let field = thread.checked_add(os_thread)?;
    let &[os_thread] = memory::pointers(ptr::with_exposed_provenance(field), 1)?.as_slice() else {
        return None;
    };
    let field = os_thread.checked_add(number)?;
    let &[number] = memory::numbers(ptr::with_exposed_provenance(field), 1)?.as_slice() else {
        return None;
    };
    let number = u32::try_from(number).ok()?;
    (number > 0 && tasks::exists(number)).then_some(number)
}
