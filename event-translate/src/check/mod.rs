//! `check=on`: what an agent does, held against the specification.
//!
//! | module | its one job |
//! |---|---|
//! | [`rules`] | the rules as data; CHECKS.md and the log's words come from here |
//! | [`subject`] | which kind of id a function takes |
//! | [`mode`] | the modes of the specification; what one thread is in the middle of |
//! | [`state`] | the rules at work |
//! | [`findings`] | what was found, as lines |
//! | [`jni_functions`] | their names |
//! | [`durations`] | how long handlers take |
//! | [`catalogue`] | CHECKS.md |
//!
//! All of it is pure: the shim says what happened and what a number names.

pub mod catalogue;
pub mod durations;
pub mod findings;
pub mod jni_functions;
mod locks;
pub mod mode;
pub mod rules;
pub mod state;
pub mod subject;

#[cfg(test)]
mod tests;

pub use durations::Durations;
pub use findings::Findings;
pub use mode::{Mode, Own};
pub use rules::{RULES, Rule, RuleSet, Severity};
pub use state::{Call, State};
pub use subject::{Named, POISON};

/// [`Call::bad`] of a name that was read from the memory of an event.
pub const POISONED: &str =
    "the name is read from the memory of an event whose handler has returned";

/// What of the agent's library is watched besides the calls: functions of other
/// libraries that allocate, and such that block.
pub const ALLOCATING: [&str; 34] = [
    "malloc",
    "calloc",
    "realloc",
    "free",
    "memalign",
    "posix_memalign",
    "aligned_alloc",
    "strdup",
    "strndup",
    "asprintf",
    "vasprintf",
    "_Znwm",
    "_Znam",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "fopen",
    "fdopen",
    "fclose",
    "fprintf",
    "vfprintf",
    "printf",
    "vprintf",
    "puts",
    "fputs",
    "fputc",
    "putchar",
    "fwrite",
    "fflush",
    "__fprintf_chk",
    "__printf_chk",
    "__vfprintf_chk",
    "__vprintf_chk",
];

/// See [`ALLOCATING`].
pub const BLOCKING: [&str; 13] = [
    "pthread_mutex_lock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_spin_lock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_join",
    "sem_wait",
    "sem_timedwait",
    "sleep",
    "usleep",
    "nanosleep",
    "dlopen",
];
