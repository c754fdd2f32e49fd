//! CLASS_LOAD_HOOK: the agent sees, and may replace, a class file.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use class_rewriter::ClassFile;
use event_translate::needs::VmEvent;
use event_translate::table::EventKind;
use jvmpi_headers::jvmpi::JVMPI_Event_class_load_hook;
use parking_lot::Mutex;

use crate::agent::class_bytes::{self, Answer};
use crate::base::log;
use crate::delivery::announce;
use crate::delivery::dispatch::{self, Sent};
use crate::hooks::{retransform, unlinked_classes};
use crate::model::classes::by_loader::{self, ByLoader, Key};
use crate::model::classes::class_files::Since;
use crate::model::classes::{self, Class};
use crate::model::ids;
use crate::model::thread::Thread;
use crate::vm::env::{Jvmti, JvmtiError};
use crate::vm::hotspot::classes::modules;
use crate::vm::jni::Jni;
use crate::vm::memory::Text;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm::{self, Phase};

/// What the agent makes of a class file; `None` to leave it. `being_redefined` is `None`
/// when the class is loaded.
pub(crate) fn ask(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    being_redefined: Option<ObjectRef<'_>>,
    loader: Option<ObjectRef<'_>>,
    class_file: &[u8],
) -> Option<Vec<u8>> {
    if retransform::is_ours() {
        return as_it_was(jvmti, jni, being_redefined?, loader, class_file);
    }
    let answer = if !dispatch::reaches_agent(EventKind::ClassLoadHook) {
        None
    } else {
        announce::introduce(jvmti, jni, own);
        match being_redefined {
            None => show(own, class_file),
            Some(class) => show_again(jvmti, own, class, class_file),
        }
    };
    if let Some(class) = being_redefined {
        let shown = answer.as_deref().unwrap_or(class_file);
        note_redefinition(jvmti, jni, class, loader, class_file, shown);
    } else {
        remember(jvmti, jni, loader, class_file, answer.as_deref());
    }
    if answer.is_some() {
        forget_modules(jvmti, jni, loader, class_file);
    }
    answer
}

/// The agent has changed a class, and may have it call classes of its own. It knows of no
/// modules: what is in one may call what is in none. (HotSpot itself sees to that for the
/// class path and the boot loader, not for other loaders.)
fn forget_modules(jvmti: Jvmti, jni: Jni, loader: Option<ObjectRef<'_>>, class_file: &[u8]) {
    let done = ClassFile::read(class_file)
        .is_ok_and(|class| modules::read_unnamed(jvmti, jni, loader, class.name()));
    // Before, only the JDK's own classes are loaded, and they will be shown again.
    if !done && this_vm::phase() >= Phase::Live {
        log::warn_once!(
            "CLASS_LOAD_HOOK: the module of a replaced class cannot be opened for calls of classes in no module"
        );
    }
}

/// What the class file is to be when we rewrite a class: the VM gives the one that it was
/// loaded from, whatever the agent made of it then and others have made of it since.
fn as_it_was(
    jvmti: Jvmti,
    jni: Jni,
    class: ObjectRef<'_>,
    loader: Option<ObjectRef<'_>>,
    class_file: &[u8],
) -> Option<Vec<u8>> {
    let record = classes::of(jvmti, jni, class)?;
    let _ = record.file.loaded.set(hash(class_file));
    let redefined = record.file.with_since(|since| match since {
        Since::Nothing => None,
        Since::AsFound => Some(None),
        Since::Became(bytes) => Some((**bytes != *class_file).then(|| bytes.to_vec())),
    });
    if let Some(bytes) = redefined {
        return bytes;
    }
    let key = key(jvmti, loader, class_file)?;
    let asked = hash(class_file);
    let as_asked = |made: &Made| (made.asked == asked).then(|| made.bytes.clone());
    ANSWERS.look(&key, as_asked)?
}

/// What the class file is to be when the agent goes and we take the hooks out: what others have made of the class since it was
/// loaded, if they have redefined it.
pub(crate) fn as_redefined(
    jvmti: Jvmti,
    jni: Jni,
    class: ObjectRef<'_>,
    class_file: &[u8],
) -> Option<Vec<u8>> {
    let record = classes::of(jvmti, jni, class)?;
    if !retransform::is_ours() {
        // Somebody redefines it while that is under way.
        record.file.note(Since::Became(class_file.into()));
        return None;
    }
    record.file.with_since(|since| match since {
        Since::Became(bytes) => (**bytes != *class_file).then(|| bytes.to_vec()),
        Since::Nothing | Since::AsFound => None,
    })
}

/// Somebody redefines a class, or retransforms it: then it begins as it was loaded.
fn note_redefinition(
    jvmti: Jvmti,
    jni: Jni,
    class: ObjectRef<'_>,
    loader: Option<ObjectRef<'_>>,
    class_file: &[u8],
    shown: &[u8],
) {
    let Some(record) = classes::of(jvmti, jni, class) else {
        return;
    };
    let asked = hash(class_file);
    // Found before: nobody waits for us while we ask the VM.
    let replaced = || {
        let key = key(jvmti, loader, class_file).filter(|_| has_replaced())?;
        ANSWERS.look(&key, |made| made.asked)
    };
    let as_loaded = || with_replay(|replay| replay.is_some()).then_some(asked);
    let loaded = record.file.loaded.get().copied();
    let loaded = loaded.or_else(replaced).or_else(as_loaded);
    if let Some(loaded) = loaded {
        let _ = record.file.loaded.set(loaded);
    }
    // If that is unknown, nobody has looked at the class as it was loaded: what it is now has
    // to be kept.
    let is_as_loaded = loaded == Some(asked) && shown == class_file;
    record.file.note(if is_as_loaded {
        Since::AsFound
    } else {
        Since::Became(shown.into())
    });
}

/// What the agent makes of a class as it is loaded, for when we rewrite it.
fn remember(
    jvmti: Jvmti,
    jni: Jni,
    loader: Option<ObjectRef<'_>>,
    class_file: &[u8],
    answer: Option<&[u8]>,
) {
    // None now says nothing of a class that was defined before with what it made then: of two
    // threads that define one, it may change the first's file only.
    let Some(bytes) = answer else { return };
    let Some(key) = key(jvmti, loader, class_file) else {
        return;
    };
    let made = Made {
        asked: hash(class_file),
        bytes: bytes.to_vec(),
    };
    ANSWERS.insert(jni, loader, key, made);
}

/// What the agent has made of a class file.
struct Made {
    /// That class file's hash.
    asked: u64,
    bytes: Vec<u8>,
}

/// What class files are told apart by.
pub(crate) fn hash(class_file: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    class_file.hash(&mut hasher);
    hasher.finish()
}

fn key(jvmti: Jvmti, loader: Option<ObjectRef<'_>>, class_file: &[u8]) -> Option<Key> {
    by_loader::key(jvmti, loader, ClassFile::read(class_file).ok()?.name())
}

/// The class files that the agent has replaced.
static ANSWERS: ByLoader<Made> = ByLoader::new();

/// Whether there are any: then it must be known what becomes of their classes.
pub(crate) fn has_replaced() -> bool {
    !ANSWERS.is_empty()
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
    body(&mut REPLAY.lock())
}

/// The hook of a class that is loaded already (redefinition, or our replay).
fn show_again(
    jvmti: Jvmti,
    own: &Arc<Thread>,
    class: ObjectRef<'_>,
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
    let on = jvmti
        .set_event(VmEvent::ClassPrepare, true)
        .and_then(|()| jvmti.set_event(VmEvent::ClassFileLoadHook, true));
    let (Ok(()), Ok(loaded)) = (on, classes::loaded(jvmti, jni)) else {
        log::warning!("CLASS_LOAD_HOOK: classes older than the agent cannot be shown");
        return;
    };
    with_replay(|replay| *replay = Some(HashMap::new()));
    let mut refused = Refused::default();
    // First of all of them: what links one meanwhile is to show it before its CLASS_LOAD.
    let may_be_shown = |class: &&Arc<Class>| {
        class.mirror(jni).is_some_and(|mirror| {
            jvmti.is_modifiable(mirror.get())
                && unlinked_classes::may_be_done(jvmti, class, mirror.get(), unlinked_classes::SHOW)
        })
    };
    let shown: Vec<_> = loaded.iter().filter(may_be_shown).collect();
    for batch in shown.chunks(BATCH) {
        let with_mirror = |class: &&Arc<Class>| Some((Arc::clone(class), class.mirror(jni)?));
        let batch: Vec<_> = batch.iter().filter_map(with_mirror).collect();
        let mirrors: Vec<_> = batch.iter().map(|(_, mirror)| mirror.get()).collect();
        let are_taken = jvmti.retransform(&mirrors).is_ok();
        for (class, mirror) in &batch {
            class.file.is_answered(are_taken);
            if are_taken {
                continue;
            }
            let answer = jvmti.retransform(&[mirror.get()]);
            class.file.is_answered(answer.is_ok());
            if let Err(error) = answer {
                refused.note(jvmti, mirror.get(), error);
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
    fn note(&mut self, jvmti: Jvmti, mirror: ObjectRef<'_>, error: JvmtiError) {
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
