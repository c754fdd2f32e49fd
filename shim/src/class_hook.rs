//! CLASS_LOAD_HOOK: the agent sees, and may replace, a class file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use event_translate::rewrite::ClassFile;
use event_translate::table::EventKind;
use jvmpi_headers::jni::{jclass, jobject};
use jvmpi_headers::jvmpi::JVMPI_Event_class_load_hook;
use jvmpi_headers::jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK;

use crate::dispatch::{self, Sent};
use crate::ffi::class_bytes::{self, Answer};
use crate::instrument::Key;
use crate::jvmti::env::{Jvmti, JvmtiError};
use crate::jvmti::jni::Jni;
use crate::jvmti::memory::Text;
use crate::jvmti::refs::Local;
use crate::threads::Thread;
use crate::{classes, ids, instrument, log};

/// What the agent makes of a class file; `None` to leave it. `being_redefined` is null
/// when the class is loaded.
pub(crate) fn ask(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    being_redefined: jclass,
    loader: jobject,
    class_file: &[u8],
) -> Option<Vec<u8>> {
    if !being_redefined.is_null() && instrument::is_ours() {
        // The VM gives the class file as it was found: what the agent has made of it
        // then is made of it again, without asking.
        let key = key(jvmti, loader, class_file)?;
        return with_answers(|answers| answers.get(&key).cloned());
    }
    if !dispatch::reaches_agent(EventKind::ClassLoadHook) || instrument::is_ours() {
        return None;
    }
    dispatch::introduce(jvmti, jni, own);
    let answer = if being_redefined.is_null() {
        show(own, class_file)
    } else {
        show_again(jvmti, own, being_redefined, class_file)
    };
    if let Some(bytes) = &answer
        && let Some(key) = key(jvmti, loader, class_file)
    {
        with_answers(|answers| answers.insert(key, bytes.clone()));
    }
    answer
}

fn key(jvmti: Jvmti, loader: jobject, class_file: &[u8]) -> Option<Key> {
    let name = ClassFile::read(class_file).ok()?.name().to_vec();
    Some((instrument::loader_key(jvmti, loader)?, name))
}

/// The class files that the agent has replaced.
static ANSWERS: Mutex<Option<HashMap<Key, Vec<u8>>>> = Mutex::new(None);

fn with_answers<T>(body: impl FnOnce(&mut HashMap<Key, Vec<u8>>) -> T) -> T {
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    body(answers.get_or_insert_default())
}

/// Shows one class file to the agent; its replacement, or `None` to leave it.
fn show(own: &Arc<Thread>, class_file: &[u8]) -> Option<Vec<u8>> {
    if !dispatch::reaches_agent(EventKind::ClassLoadHook) {
        return None;
    }
    // The agent's own copy: agents of the period edit in place.
    let mut buffer = class_file.to_vec();
    let mut event = dispatch::blank(EventKind::ClassLoadHook.raw(), own);
    event.u.class_load_hook = JVMPI_Event_class_load_hook {
        class_data: buffer.as_mut_ptr(),
        class_data_len: i32::try_from(buffer.len()).ok()?,
        new_class_data: std::ptr::null_mut(),
        new_class_data_len: 0,
        malloc_f: Some(class_bytes::malloc),
    };
    let sent = match dispatch::deliver(own, &mut event) {
        Sent::Yes => true,
        Sent::No => false,
        // The class is wanted now; the agent's own thread loads it beside a bracket.
        Sent::Later => dispatch::notify(&mut event),
    };
    if !sent {
        return None;
    }
    match class_bytes::answer(&event) {
        Answer::InPlace(len) => {
            buffer.truncate(len);
            (buffer != class_file).then_some(buffer)
        }
        // Even an identical copy is a change to the VM, which refuses it for some
        // classes of its own.
        Answer::Replaced(bytes) => (bytes != class_file).then_some(bytes),
        Answer::Invalid => {
            log::warn_once!(
                "CLASS_LOAD_HOOK: new_class_data and its length do not fit; the class stays as it was"
            );
            None
        }
    }
}

/// What the agent made of classes that were loaded before it could be asked, by
/// the class's id, while [`replay`] runs: asked once, installed perhaps twice.
static REPLAY: Mutex<Option<HashMap<u64, Option<Vec<u8>>>>> = Mutex::new(None);

fn with_replay<T>(body: impl FnOnce(&mut Option<HashMap<u64, Option<Vec<u8>>>>) -> T) -> T {
    body(&mut REPLAY.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The hook of a class that is loaded already (redefinition, or our replay).
fn show_again(
    jvmti: Jvmti,
    own: &Arc<Thread>,
    class: jclass,
    class_file: &[u8],
) -> Option<Vec<u8>> {
    let id = ids::tagged(jvmti, class)
        .flatten()
        .map(id_map::ObjectId::raw);
    let known = with_replay(|replay| {
        replay
            .as_ref()
            .zip(id)
            .and_then(|(answers, id)| answers.get(&id).cloned())
    });
    if let Some(answer) = known {
        return answer;
    }
    let answer = show(own, class_file);
    with_replay(|replay| {
        if let Some((answers, id)) = replay.as_mut().zip(id) {
            answers.insert(id, answer.clone());
        }
    });
    answer
}

/// Sends CLASS_LOAD_HOOK for the classes the VM loaded before its live phase, by
/// retransforming them. Where the VM refuses a batch (the agent has added members
/// to a class in it), its classes are tried one by one with the answers at hand.
pub(crate) fn replay(jvmti: Jvmti, jni: Jni) {
    /// So that a handler finds room for its own local references.
    const BATCH: usize = 16;
    let on = jvmti.set_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true);
    let (Ok(()), Ok(loaded)) = (on, classes::loaded(jvmti, jni)) else {
        log::warning!("CLASS_LOAD_HOOK: classes older than the agent cannot be shown");
        return;
    };
    with_replay(|replay| *replay = Some(HashMap::new()));
    let mut refused = Refused::default();
    for batch in loaded.chunks(BATCH) {
        let mirrors: Vec<_> = batch.iter().filter_map(|class| class.mirror(jni)).collect();
        let mirrors: Vec<jclass> = mirrors
            .iter()
            .map(Local::get)
            .filter(|&mirror| jvmti.is_modifiable(mirror))
            .collect();
        if jvmti.retransform(&mirrors).is_ok() {
            continue;
        }
        for mirror in mirrors {
            if let Err(error) = jvmti.retransform(&[mirror]) {
                refused.note(jvmti, mirror, error);
            }
        }
    }
    with_replay(|replay| *replay = None);
    refused.report();
}

/// The replacements that the VM did not take.
#[derive(Default)]
struct Refused {
    count: usize,
    first: Option<(Text, JvmtiError)>,
}

impl Refused {
    fn note(&mut self, jvmti: Jvmti, mirror: jclass, error: JvmtiError) {
        self.count += 1;
        if self.first.is_none() {
            self.first = jvmti
                .class_signature(mirror)
                .ok()
                .map(|signature| (signature, error));
        }
    }

    fn report(&self) {
        if let Some((signature, error)) = &self.first {
            log::warning!(
                "CLASS_LOAD_HOOK: {} replaced class(es) older than the agent were refused, the first {} ({error}): \
                 they stay as they were; only method bodies may change there",
                self.count,
                signature.as_c_str().to_string_lossy()
            );
        }
    }
}
