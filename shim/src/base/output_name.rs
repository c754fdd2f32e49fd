//! Where our own outputs go.

use crate::base::log;

/// The name of an output with what is this process's own filled in (`%p`, `%h`, `%t`, `%x{NAME}`).
pub(crate) fn filled_in(option: &str, path: &str) -> String {
    let file = own_files::file_name(path);
    for variable in &file.unset {
        log::warning!("%x{{{variable}}} in {option}= is not set: nothing stands there");
    }
    file.name
}
