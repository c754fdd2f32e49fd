//! What the kernel knows of threads.

use std::path::Path;
use std::ptr;

use once_cell::sync::OnceCell;

use crate::os::memory;
use crate::vm::hotspot::{thread_env, vm_counters};

/// The kernel's number of the VM's thread with this name (its first 15 bytes).
pub(crate) fn named(name: &str) -> Option<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let mut tasks = tasks.flatten();
    let task = tasks.find(|task| {
        let comm = std::fs::read_to_string(task.path().join("comm"));
        comm.is_ok_and(|comm| comm.trim_end() == name)
    })?;
    task.file_name().to_str()?.parse().ok()
}

/// Whether this thread waits for something other than a processor; `None` if the kernel does
/// not say.
pub(crate) fn waits(tid: u32) -> Option<bool> {
    // proc(5): number, name in parentheses, state.
    let state = std::fs::read(format!("/proc/self/task/{tid}/stat")).ok()?;
    let end = state.iter().rposition(|&byte| byte == b')')?;
    state.get(end + 2).map(|letter| *letter != b'R')
}

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
    let number = u32::try_from(number).ok().filter(|&number| number > 0)?;
    Path::new(&format!("/proc/self/task/{number}"))
        .exists()
        .then_some(number)
}
