//! What lower layers call upwards: put in before the VM can call us.

use crate::events::gc::reclaim;
use crate::model::ids;

/// Called first by each of the library's entry points; once is enough.
pub(crate) fn connect() {
    ids::on_growth(reclaim::now);
}
