//! Commands that start a java: which they are, which JDK that is of, and what VMs of today make of their options.
//! It knows files (`libraries`), how words are quoted and what xrun has for old options, nothing of what xrun is asked to do.
//!
//! | file | job |
//! |---|---|
//! | `program` | commands on PATH, and which of them are java |
//! | `jdk` | the JDK around a java: its library folder, VM and version |
//! | `java_command` | what of a java command line is for the VM |
//! | `drops_environment` | commands that start a program without what xrun sets |
//! | `old_options` | what VMs of today do not take any more, and what stands for it |
//! | `boot_class_path` | `-Xbootclasspath/p` as options that VMs of today take |
//! | `script` | old options in the text of a script, which is not changed |

pub(crate) mod boot_class_path;
pub(crate) mod drops_environment;
pub(crate) mod java_command;
pub(crate) mod jdk;
pub(crate) mod old_options;
pub(crate) mod program;
pub(crate) mod script;
