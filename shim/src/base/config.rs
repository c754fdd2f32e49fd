//! Our own options, as they are in force.

use once_cell::sync::OnceCell;
use shim_options::Options;

use crate::base::latest::Latest;

static OPTIONS: Latest<Options> = Latest::new();

/// The options; the defaults until they were read.
pub(crate) fn options() -> &'static Options {
    static DEFAULTS: OnceCell<Options> = OnceCell::new();
    OPTIONS
        .get()
        .unwrap_or_else(|| DEFAULTS.get_or_init(Options::default))
}

/// Whether options were put into force.
pub(crate) fn has_options() -> bool {
    OPTIONS.get().is_some()
}

/// Puts options into force. Nobody may rely on the old ones: no agent has started with them.
pub(crate) fn set_options(options: Options) {
    OPTIONS.put(Some(options));
}
