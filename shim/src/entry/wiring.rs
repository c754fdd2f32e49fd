//! What lower layers call upwards: put in before the VM can call us.

use crate::delivery::worker;
use crate::entry::jni_table;
use crate::events::gc::reclaim;
use crate::events::vm_life::worker_round;
use crate::model::ids;
use crate::vm::jni_wrappers;

/// Called first by each of the library's entry points; once is enough.
pub(crate) fn connect() {
    ids::on_growth(reclaim::now);
    jni_wrappers::set_wrappers(jni_table::WRAPPERS);
    worker::set_round(worker_round::work);
}
