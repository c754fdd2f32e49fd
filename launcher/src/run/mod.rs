//! A command, run with the shim in its JVMs: what is run instead of it, and how. It knows the command line, libraries
//! and java, but no subcommand: those that run a command come here.
//!
//! | file | job |
//! |---|---|
//! | `context` | what a run and doctor both look at: flags, shim, environment |
//! | `planner` | what is to become of each `-Xrun` |
//! | `agent_settings` | settings of particular agents |
//! | `plan` | the command and environment to run instead |
//! | `exec` | becomes the command, or waits for it |
//! | `launch` | runs or prints the plan |
//! | `findings_file` | where findings are written, and what of them is known |
//! | `findings_run` | runs a command and writes what is found of its agents |

pub(crate) mod agent_settings;
pub(crate) mod context;
pub(crate) mod exec;
pub(crate) mod findings_file;
pub(crate) mod findings_run;
pub(crate) mod launch;
mod plan;
pub(crate) mod planner;
