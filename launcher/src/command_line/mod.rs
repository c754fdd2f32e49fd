//! xrun's own command line: how its words are read, what is understood of them, and its description, of which help and
//! the manual are made. It knows `base` and looks at no library and no java: what the words lead to is above.
//!
//! | file | job |
//! |---|---|
//! | `quote` | how shells and JVMs quote |
//! | `agent` | `-Xrun` options and the `-agentpath` options made of them |
//! | `shim_option` | options of the shim, checked |
//! | `request` | what xrun is asked to do |
//! | `description` | the command line, described once |
//! | `flags` | the flags that count for every subcommand, as they come |
//! | `attach_words` | the words behind `attach`, `detach` and `ps` |
//! | `args` | reads all of it |
//! | `help` | `--help`, completions, the manual |

pub(crate) mod agent;
pub(crate) mod args;
pub(crate) mod attach_words;
pub(crate) mod description;
pub(crate) mod flags;
pub(crate) mod help;
pub(crate) mod quote;
pub(crate) mod request;
pub(crate) mod shim_option;
