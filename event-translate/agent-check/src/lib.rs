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
#![forbid(unsafe_code)]

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
pub const ALLOCATING: [&str; 49] = [
    "malloc",
    "calloc",
    "realloc",
    "free",
    "reallocarray",
    "memalign",
    "posix_memalign",
    "aligned_alloc",
    "strdup",
    "__strdup",
    "strndup",
    "asprintf",
    "vasprintf",
    "__asprintf_chk",
    "__vasprintf_chk",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvmSt11align_val_t",
    "fopen",
    "fopen64",
    "fdopen",
    "fclose",
    "fprintf",
    "vfprintf",
    "printf",
    "vprintf",
    "puts",
    "fputs",
    "fputc",
    "putc",
    "_IO_putc",
    "putchar",
    "perror",
    "fgets",
    "fread",
    "fwrite",
    "fflush",
    "__fprintf_chk",
    "__printf_chk",
    "__vfprintf_chk",
    "__vprintf_chk",
    "pthread_create",
];

/// See [`ALLOCATING`].
pub const BLOCKING: [&str; 25] = [
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "pthread_spin_lock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_barrier_wait",
    "pthread_join",
    "sem_wait",
    "sem_timedwait",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "poll",
    "select",
    "accept",
    "connect",
    "recv",
    "waitpid",
    "dlopen",
];
