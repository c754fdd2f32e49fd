//! Stacks of threads that go on meanwhile: none is stopped, and all are asked at once.

use std::sync::Arc;

use crate::base::{config, patience};
use crate::events::call_traces::method_ids;
use crate::events::call_traces::sampling::{self, runs_java};
use crate::model::thread::{Thread, attention, current};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::jni::Jni;

/// Whether any can be had. Not while the agent's calls are recorded: a replay could not give them.
pub(crate) fn can_be_had(jvmti: Jvmti, jni: Jni) -> bool {
    sampling::begin();
    // While calls are recorded, too: threads that are suspended give their stacks by signal.
    method_ids::make(jvmti, jni);
    config::options().trace.is_none() && sampling::samples(jvmti)
}

/// The stack of each of these, callee first, if it runs Java code and gives it. Not of those that
/// have to do with virtual threads: which one it was is another question.
pub(crate) fn take(jvmti: Jvmti, threads: &[Option<Arc<Thread>>]) -> Vec<Option<Vec<Frame>>> {
    let is_asked = |thread: &&Thread| {
        !thread.is_virtual()
            && thread.attention() & attention::CARRIER == 0
            && !current::is_own(thread.env)
            && runs_java(jvmti, thread)
    };
    let all = threads.iter().map(Option::as_deref);
    let running: Vec<_> = all.map(|thread| thread.filter(is_asked)).collect();
    // Nothing else is done from here on, for who is asked cannot end.
    let asked: Vec<_> = running.into_iter().map(|thread| thread?.ask()).collect();
    let answers = asked
        .into_iter()
        .map(|asked| asked?.own(patience::RUNNING_STACKS));
    answers.collect()
}
