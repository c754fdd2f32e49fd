//! What lower layers call upwards: put in before the VM can call us. (The observer puts itself in
//! when an option asks for it, the wrapper of Thread.sleep when an agent wants its events.)

use crate::agent::start;
use crate::bridge;
use crate::delivery::announce::class_load;
use crate::delivery::worker;
use crate::entry::{hook_natives, interface, jni_table, redefinition, thunk_code};
use crate::events::gc::reclaim;
use crate::events::references::global_refs;
use crate::events::vm_life::worker_round;
use crate::hooks::{hook_class, native_thunks};
use crate::model::ids;
use crate::vm::hotspot;
use crate::vm::jni::wrappers;

/// Called first by each of the library's entry points; once is enough.
pub(crate) fn connect() {
    interface::fill();
    start::set_bridge(bridge::start);
    wrappers::set_wrappers(jni_table::WRAPPERS);
    hotspot::classes::redefinition::set_functions(redefinition::OURS);
    ids::on_growth(reclaim::now);
    class_load::on_class_load(global_refs::class_announced);
    worker::set_round(worker_round::work);
    hook_class::set_functions(hook_natives::function);
    native_thunks::set_code(thunk_code::address());
}
