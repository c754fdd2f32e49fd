//! What everybody uses: whole lines on stdout and stderr, files that xrun writes, what takes its time.
//! It knows no other file of xrun's.
//!
//! | file | job |
//! |---|---|
//! | `say` | whole lines on stdout and stderr, and how xrun fails |
//! | `progress` | what takes its time, on terminals |
//! | `output` | files that xrun writes, and what it does not write over |
//! | `test_folder` | temporary folders of tests |

pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod say;
#[cfg(test)]
pub(crate) mod test_folder;
