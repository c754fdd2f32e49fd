//! The subcommands, a file or folder each. They know all that is below, and each other only where one is made of what
//! another has: `diff` of the profiles that `merge` reads. `xrun COMMAND` itself is in `run`, `xrun help` with the
//! description.
//!
//! | file | job |
//! |---|---|
//! | `doctor` | says what is wrong, and what to do |
//! | `trace` | recordings: text, counts, parts, differences |
//! | `compare` | whether a port to JVMTI has seen what the old agent saw |
//! | `report` | what an agent uses, and what JVMTI has for it |
//! | `replay` | a recording, played into an agent without a JVM |
//! | `merge` | profiles of many processes, made one |
//! | `diff` | what has become more and less between two |
//! | `attach` | agents in VMs that are running |

pub(crate) mod attach;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod merge;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod trace;
