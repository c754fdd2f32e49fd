//! What whoever asks for tables wants of them.

use crate::ascii::SitesBy;

/// Tables of one dump.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables {
    pub(crate) cutoff: f64,
    pub(crate) by: SitesBy,
    /// Whoever wants them has had the VM collect first.
    pub(crate) collected: bool,
}
