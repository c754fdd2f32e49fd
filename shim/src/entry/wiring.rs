//! What lower layers call upwards: put in before the VM can call us.

use crate::delivery::worker;
#[cfg(target_arch = "x86_64")]
use crate::entry::thunk_code;
use crate::entry::{hook_natives, jni_table};
use crate::events::gc::reclaim;
use crate::events::vm_life::worker_round;
use crate::hooks::hook_class;
#[cfg(target_arch = "x86_64")]
use crate::hooks::native_thunks;
use crate::model::ids;
use crate::vm::jni_wrappers;

/// Called first by each of the library's entry points; once is enough.
pub(crate) fn connect() {
    jni_wrappers::set_wrappers(jni_table::WRAPPERS);
    ids::on_growth(reclaim::now);
    worker::set_round(worker_round::work);
    hook_class::set_functions(hook_natives::function);
    #[cfg(target_arch = "x86_64")]
    native_thunks::set_code(thunk_code::address());
}
