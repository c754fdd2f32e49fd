//! Which classes are rewritten, and when.
//!
//! A class gets its hooks when it is loaded (ClassFileLoadHook); those loaded before,
//! when an agent first wants them (RetransformClasses).

use std::collections::HashSet;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use class_rewriter::{ClassFile, Entry, Wish};
use event_translate::EventSet;
use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jni::{jclass, jobject};
use jvmpi_headers::jvmti::{JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE};
use parking_lot::{Condvar, Mutex};
use shim_options::MethodEvents;

use crate::by_loader::{self, ByLoader};
use crate::classes::Class;
use crate::ffi::{current, pending_exception, sleep};
use crate::guards::with_attention;
use crate::hook_loaders::{self, HookClass, Moment};
use crate::jvmti::env::Jvmti;
use crate::jvmti::hook_class;
use crate::jvmti::jni::Jni;
use crate::jvmti::refs::{Global, Local};
use crate::method_numbers::Range;
use crate::state::{self, METHODS, Phase};
use crate::threads::attention;
use crate::{
    class_hook, classes, gate, instruction_events, known_frames, late_loaders, left_out, log,
    method_events, method_numbers, methods, native_methods, put_off, sources,
};

const ENTRY: u32 = 1;
const RECEIVER: u32 = 2;
const EXIT: u32 = 4;
const INSTRUCTIONS: u32 = 8;
const MONITORS: u32 = 16;
/// Those that `include` and `exclude` are for, and that have numbers.
const OF_METHODS: u32 = ENTRY | RECEIVER | EXIT | INSTRUCTIONS;

/// Which hooks classes get.
static HOOKS: AtomicU32 = AtomicU32::new(0);

fn needed(wanted: EventSet) -> u32 {
    let options = state::options();
    let mut hooks = 0;
    if options.method_events == MethodEvents::Fast {
        if wanted.intersects(method_events::EVENTS) {
            hooks |= ENTRY;
        }
        if wanted.contains(EventKind::MethodEntry2) {
            hooks |= RECEIVER;
        }
        if wanted.contains(EventKind::MethodExit) {
            hooks |= EXIT;
        }
    }
    if wanted.contains(EventKind::InstructionStart) {
        hooks |= INSTRUCTIONS;
    }
    if wanted.contains(EventKind::MonitorContendedExit) {
        hooks |= MONITORS;
    }
    hooks
}

/// Whether class files are to be looked at.
pub(crate) fn is_on() -> bool {
    HOOKS.load(Ordering::Acquire) != 0
}

/// Whether the calling thread defines or retransforms classes for us: no agent has to
/// hear of that.
pub(crate) fn is_ours() -> bool {
    current::with_own(|own| own.attention() & attention::REWRITING != 0) == Some(true)
}

/// How many threads rewrite the loaded classes, and what tells when one is ready.
static REDOING: Mutex<u32> = Mutex::new(0);
static REDONE: Condvar = Condvar::new();

/// One of them: it has still to begin, or has begun.
pub(crate) struct Redoing;

impl Redoing {
    fn begin() -> Self {
        *REDOING.lock() += 1;
        Self
    }
}

impl Drop for Redoing {
    fn drop(&mut self) {
        *REDOING.lock() -= 1;
        REDONE.notify_all();
    }
}

/// What another thread is putting in is in when this returns, if the caller may wait, or has
/// waited for ten seconds: who has enabled an event counts on it.
fn wait_for_redone() {
    const PATIENCE: Duration = Duration::from_secs(10);
    if current::with_own(gate::may_wait) != Some(true) {
        return;
    }
    let deadline = Instant::now() + PATIENCE;
    let mut redoing = REDOING.lock();
    while *redoing > 0 && !REDONE.wait_until(&mut redoing, deadline).timed_out() {}
}

/// From now on classes get the hooks that these events need. If the loaded ones have to be
/// done again, what [`redo`] takes.
///
/// # Phase
/// Live.
pub(crate) fn prepare(jvmti: Jvmti, jni: Jni, wanted: EventSet) -> Option<Redoing> {
    let needed = needed(wanted);
    if needed & !HOOKS.load(Ordering::Acquire) == 0 {
        if needed != 0 && !is_ours() {
            wait_for_redone();
        }
        return None;
    }
    let mut natives = 0;
    if needed & (ENTRY | RECEIVER | EXIT) != 0 {
        natives |= native_methods::METHODS;
    }
    if needed & MONITORS != 0 {
        natives |= native_methods::SYNCHRONIZED;
    }
    let thunks = native_methods::want(natives);
    if !have_hook_class(jvmti, jni) {
        return None;
    }
    if thunks && native_methods::want(natives) {
        bind_again(jni);
    }
    for event in [JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK] {
        if let Err(error) = jvmti.set_event(event, true) {
            log::warn_once!("{error}; method events will not come");
            return None;
        }
    }
    hook_loaders::begin(jvmti);
    let redoing = Redoing::begin();
    // Who enables METHOD_ENTRY mostly enables METHOD_EXIT next, and the classes are done once
    // for both. If not, what is idle is taken out.
    let exits = if needed & ENTRY != 0 && !gate::is_replay() {
        EXIT
    } else {
        0
    };
    let before = HOOKS.fetch_or(needed | exits, Ordering::AcqRel);
    if needed & !before == 0 {
        drop(redoing);
        wait_for_redone();
        return None;
    }
    Some(redoing)
}

/// Whether classes have hooks that nobody needs now. Those at the ends of methods alone stay
/// where taking them out would keep the worker from its brackets for long: JDK 11.
fn is_idle(jvmti: Jvmti) -> bool {
    let idle = HOOKS.load(Ordering::Acquire) & !needed(state::wanted());
    idle != 0 && (idle != EXIT || jvmti.feature_version() >= 17)
}

/// The cost goes with the need: hooks that nobody has needed for some seconds are taken
/// out. Called by the worker.
pub(crate) fn take_out_idle(jvmti: Jvmti, jni: Jni) {
    const PATIENCE: Duration = Duration::from_secs(5);
    static SINCE: Mutex<Option<Instant>> = Mutex::new(None);
    if !is_idle(jvmti) {
        *SINCE.lock() = None;
        return;
    }
    if SINCE.lock().get_or_insert_with(Instant::now).elapsed() < PATIENCE {
        return;
    }
    // Somebody may want them again from here on: whoever rewrites a class last sees that.
    *SINCE.lock() = None;
    let redoing = Redoing::begin();
    let left = needed(state::wanted());
    if HOOKS.fetch_and(left, Ordering::AcqRel) & left == 0 {
        late_loaders::forget();
    }
    redo(jvmti, jni, redoing, || {});
    sources::apply(jvmti, jni);
    log::info!("hooks that nobody has needed for some seconds have been taken out");
}

/// Rewrites the classes whose loader has got its hook class after them. Called by the worker.
pub(crate) fn catch_up(jvmti: Jvmti, jni: Jni) {
    let mut ready = Vec::new();
    for (class, name) in late_loaders::take() {
        let Some(mirror) = class.mirror(jni) else {
            continue;
        };
        let is_ready = jvmti.class_loader(jni, mirror.get()).is_some_and(|loader| {
            let hook_class = HookClass::of(jvmti, jni, loader.get(), &name);
            let moment = Moment::Loaded(late_loaders::is_named(&class));
            hook_class.is_ready(jvmti, jni, loader.get(), moment)
        });
        if is_ready {
            ready.push(class);
        } else {
            late_loaders::note(jvmti, jni, mirror.get(), &name);
        }
    }
    if !ready.is_empty() {
        redo_batch(jvmti, jni, &ready);
        sources::let_methods_flow();
    }
}

/// Puts the wrapper in front of Thread.sleep, once.
///
/// # Phase
/// Live.
pub(crate) fn wrap_sleep(jvmti: Jvmti, jni: Jni) {
    if sleep::want() && have_hook_class(jvmti, jni) && sleep::want() {
        bind_again(jni);
    }
}

/// The hook class's own code, for us.
fn bind_again(jni: Jni) {
    with_attention(attention::REWRITING, || hook_class::bind_again(jni));
}

/// Defines the VM's own hook class, once; false if it cannot be had.
fn have_hook_class(jvmti: Jvmti, jni: Jni) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Unknown,
        Defining,
        Known(bool),
    }
    static STATE: Mutex<State> = Mutex::new(State::Unknown);
    static CHANGED: Condvar = Condvar::new();
    /// Who defines it runs a few lines of the JDK's.
    const PATIENCE: Duration = Duration::from_secs(10);
    let deadline = Instant::now() + PATIENCE;
    let mut state = STATE.lock();
    while *state == State::Defining {
        // Who enables an event counts on it when that returns.
        if is_ours() || CHANGED.wait_until(&mut state, deadline).timed_out() {
            return false;
        }
    }
    if let State::Known(there) = *state {
        return there;
    }
    *state = State::Defining;
    drop(state);
    with_attention(attention::REWRITING | attention::SILENT, || {
        pending_exception::learn(jni);
    });
    let class = with_attention(attention::REWRITING, || hook_class::define(jni));
    let record = class.and_then(|class| classes::of(jvmti, jni, class.get()));
    *STATE.lock() = State::Known(record.is_some());
    CHANGED.notify_all();
    record.is_some()
}

/// Rewrites the classes that are loaded already, the likely ones first: with thousands of
/// them the last ones take a second. `some_are_done` is called after each batch.
pub(crate) fn redo(jvmti: Jvmti, jni: Jni, _redoing: Redoing, some_are_done: impl Fn()) {
    // A batch stops the program once, for 30 µs a class and some milliseconds to look at all
    // other classes; JDK 11 does that for each class of it (5 ms among 5000).
    let batch = if jvmti.feature_version() < 17 {
        32
    } else {
        512
    };
    let Ok(mut loaded) = classes::loaded(jvmti, jni) else {
        log::warning!("the loaded classes cannot be listed: no method events of theirs");
        return;
    };
    let running = running(jvmti, jni);
    loaded.sort_by_cached_key(|class| {
        let of_program = || {
            class
                .mirror(jni)
                .and_then(|it| jvmti.class_loader(jni, it.get()))
        };
        if running.contains(&class.id) {
            0
        } else if of_program().is_some() {
            1
        } else {
            2
        }
    });
    for batch in loaded.chunks(batch) {
        if state::phase() > Phase::Live {
            return;
        }
        redo_batch(jvmti, jni, batch);
        some_are_done();
    }
}

/// The classes whose methods are running.
fn running(jvmti: Jvmti, jni: Jni) -> HashSet<ObjectId> {
    const DEPTH: i32 = 32;
    const ROOM: usize = 256;
    let mut methods = HashSet::new();
    jni.with_frame(ROOM, || {
        if let Ok(threads) = jvmti.all_threads() {
            let _ = jvmti.stacks(threads.as_slice(), DEPTH, |_, _, frames| {
                methods.extend(frames.iter().map(|frame| frame.method));
            });
        }
    });
    let ids = methods.into_iter().map(ptr::with_exposed_provenance_mut);
    ids.filter_map(|id| Some(methods::of(jvmti, jni, id)?.class.id))
        .collect()
}

fn redo_batch(jvmti: Jvmti, jni: Jni, batch: &[Arc<Class>]) {
    // Not local references: there is room for sixteen.
    let mirrors = batch
        .iter()
        .filter_map(|class| Some((class, class.mirror(jni)?)));
    let mirrors: Vec<_> = mirrors
        .filter_map(|(class, mirror)| Some((class, Global::new(jni, mirror.get())?)))
        .collect();
    let mirrors: Vec<_> = mirrors
        .iter()
        .map(|(class, mirror)| (class, mirror.get()))
        .filter(|(class, mirror)| {
            is_modifiable(jvmti, *mirror)
                && (put_off::may_be_done(jvmti, class, *mirror, put_off::HOOKS)
                    || late_loaders::note_unlinked(jvmti, jni, class, *mirror))
        })
        .map(|(_, mirror)| mirror)
        .collect();
    with_attention(attention::REWRITING, || retransform(jvmti, &mirrors));
    // Bytecode indexes are others now.
    let done: HashSet<_> = batch.iter().map(|class| class.id).collect();
    METHODS.retain(|method| !done.contains(&method.class.id));
    known_frames::forget();
}

/// All of them that the VM can do: one that it refuses is found by halving.
pub(crate) fn retransform(jvmti: Jvmti, mirrors: &[jclass]) {
    if mirrors.is_empty() {
        return;
    }
    let Err(error) = jvmti.retransform(mirrors) else {
        return;
    };
    if error.is_too_late() {
        return;
    }
    if let [mirror] = *mirrors {
        let signature = jvmti.class_signature(mirror);
        let name = signature.as_ref().map_or(&b"?"[..], |name| name.bytes());
        left_out::class(name, &format!("not rewritten, {error}"));
    } else {
        let (some, others) = mirrors.split_at(mirrors.len() / 2);
        retransform(jvmti, some);
        retransform(jvmti, others);
    }
}

/// Arrays have no code, and of hidden classes the VM gives no class file (JVMTI facts, "Class
/// files").
fn is_modifiable(jvmti: Jvmti, mirror: jclass) -> bool {
    if jvmti.is_modifiable(mirror) {
        return true;
    }
    if let Ok(signature) = jvmti.class_signature(mirror)
        && let Some(name) = hidden_name(signature.bytes())
    {
        left_out::class(name, HIDDEN);
    }
    false
}

const HIDDEN: &str = "no hooks, hidden classes cannot be rewritten";

/// The name before the VM's suffix, if it is a hidden class's signature.
fn hidden_name(signature: &[u8]) -> Option<&[u8]> {
    let name = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
    let suffix = |here: &[u8]| matches!(here, [b'.' | b'/', b'0', b'x']);
    let at = name.windows(3).position(suffix)?;
    name.get(..at)
}

/// The numbers of a class's methods, until it can be asked for their ids.
struct Numbered {
    numbers: Range,
    /// The class file's hash.
    file: u64,
    /// Name and descriptor of each method, in order.
    methods: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Classes that have hooks and are not linked yet.
static UNLINKED: ByLoader<Numbered> = ByLoader::new();

/// ClassPrepare, before any method of the class runs.
pub(crate) fn prepared(jvmti: Jvmti, jni: Jni, class: jclass) {
    let found = || {
        let loader = jvmti.class_loader(jni, class);
        let loader = loader.as_ref().map_or(ptr::null_mut(), Local::get);
        let signature = jvmti.class_signature(class).ok()?;
        let name = signature.bytes().strip_prefix(b"L")?.strip_suffix(b";")?;
        if let Some(name) = hidden_name(signature.bytes()) {
            left_out::class(name, HIDDEN);
            return None;
        }
        UNLINKED.take(&by_loader::key(jvmti, loader, name)?)
    };
    if let Some(numbered) = found() {
        settle(jvmti, jni, class, &numbered);
    }
}

/// Connects a class and its numbers: they are the same ones when it is rewritten again,
/// and given back when it is gone. False if the class cannot be asked yet.
fn settle(jvmti: Jvmti, jni: Jni, class: jclass, numbered: &Numbered) -> bool {
    let done = fill_in(jvmti, class, numbered);
    if done && let Some(record) = classes::of(jvmti, jni, class) {
        let _ = record.numbers.set(numbered.numbers);
        let _ = record.file.loaded.set(numbered.file);
    }
    done
}

/// Writes down the ids of a class's methods; false if it cannot be asked yet.
fn fill_in(jvmti: Jvmti, class: jclass, numbered: &Numbered) -> bool {
    let Ok(ids) = jvmti.methods(class) else {
        return false;
    };
    // In the class file's order only if the VM was asked for that in time
    // (can_maintain_original_method_order), and some have no number.
    let all = || numbered.methods.iter().zip(numbered.numbers.base..);
    let mut places = all();
    for &id in ids.as_slice() {
        let Ok((name, descriptor)) = jvmti.method_name(id) else {
            continue;
        };
        let same = |((its_name, its_descriptor), _): &(&(Vec<u8>, Vec<u8>), i32)| {
            its_name == name.bytes() && its_descriptor == descriptor.bytes()
        };
        let place = places.clone().find(same).or_else(|| {
            places = all();
            places.clone().find(same)
        });
        if let Some((_, number)) = place {
            method_numbers::set(number, id, name.bytes() == b"<init>");
            places.next();
        }
    }
    true
}

/// A class file with hooks, or `None` to leave it as it is. `being_redefined` is null
/// when the class is loaded; `found` is what the VM has
/// shown, `class_file` what the agent has made of it.
///
/// # Threads
/// Any that loads a class.
pub(crate) fn transform(
    jvmti: Jvmti,
    being_redefined: jclass,
    loader: jobject,
    name: &[u8],
    found: &[u8],
    class_file: &[u8],
) -> Option<Vec<u8>> {
    let hooks = HOOKS.load(Ordering::Acquire);
    if hooks == 0 || hook_class::is_name(name) {
        return None;
    }
    let class = match ClassFile::read(class_file) {
        Ok(class) => class,
        Err(reason) => {
            left_out::class(name, &format!("not rewritten, {reason:?}"));
            return None;
        }
    };
    let hooks = if takes(class.name()) {
        hooks
    } else if may_have_hooks(class.name()) {
        hooks & !OF_METHODS
    } else {
        if state::options().classes.takes(class.name()) {
            left_out::class(
                class.name(),
                "no hooks, threads change their identity in it",
            );
        }
        0
    };
    if hooks == 0 {
        return None;
    }
    let jni = Jni::of_this_thread()?;
    let hook_class = HookClass::of(jvmti, jni, loader, class.name());
    let wish = Wish {
        hook_class: &hook_class.name,
        entry: if hooks & RECEIVER != 0 {
            Entry::Receiver
        } else if hooks & ENTRY != 0 {
            Entry::Number
        } else {
            Entry::Off
        },
        exit: hooks & EXIT != 0,
        instructions: hooks & INSTRUCTIONS != 0,
        monitors: hooks & MONITORS != 0,
    };
    let numbered = hooks & OF_METHODS != 0;
    let count = if numbered { class.methods().len() } else { 0 };
    let of_record = || {
        let redefined = (!being_redefined.is_null()).then_some(being_redefined)?;
        let numbers = *classes::of(jvmti, jni, redefined)?.numbers.get()?;
        (numbers.count == count).then_some(numbers)
    };
    let of_record = numbered.then(of_record).flatten();
    let key = (numbered && of_record.is_none())
        .then(|| by_loader::key(jvmti, loader, class.name()))
        .flatten();
    // Defined once more, or by several threads at once: the code of all has one set of
    // numbers, whichever the VM takes.
    let of_namesake = || {
        let same = |other: &Numbered| (other.methods == names_of(&class)).then_some(other.numbers);
        UNLINKED.look(key.as_ref()?, same)?
    };
    let known = of_record.or_else(of_namesake);
    let Some(numbers) = known.or_else(|| method_numbers::reserve(count)) else {
        log::warn_once!("all method numbers are used up: no method events of new classes");
        return None;
    };
    if wish.instructions {
        instruction_events::note(numbers.base, &class);
    }
    let rewritten = class_rewriter::rewrite(&class, &wish, numbers.base, |_| true);
    let moment = if being_redefined.is_null() {
        Moment::Loading(&class)
    } else {
        let has_named =
            |record: Arc<Class>| record.numbers.get().is_some() || late_loaders::is_named(&record);
        Moment::Loaded(classes::of(jvmti, jni, being_redefined).is_some_and(has_named))
    };
    let changed = rewritten.as_ref().is_ok_and(|done| done.bytes.is_some());
    let has_hooks = changed && hook_class.is_ready(jvmti, jni, loader, moment);
    if has_hooks && let Some(key) = key {
        let numbered = Numbered {
            numbers,
            file: class_hook::hash(found),
            methods: names_of(&class),
        };
        let settled = !being_redefined.is_null() && settle(jvmti, jni, being_redefined, &numbered);
        if settled {
            UNLINKED.take(&key);
        } else {
            let gone = UNLINKED.insert(jni, loader, key, numbered);
            give_back(gone.iter().map(|numbered| numbered.numbers));
        }
    } else if !has_hooks && numbered && known.is_none() {
        give_back([numbers]);
    }
    if changed && !has_hooks {
        late_loaders::note(jvmti, jni, being_redefined, class.name());
        return None;
    }
    match rewritten {
        Ok(rewritten) => {
            for (index, reason) in &rewritten.refused {
                let method = class.methods().get(usize::from(*index));
                left_out::method(class.name(), method, &reason.to_string());
            }
            if numbered {
                left_out::intrinsics(class.name(), class.methods());
            }
            rewritten.bytes
        }
        Err(reason) => {
            left_out::class(class.name(), &format!("not rewritten, {reason:?}"));
            None
        }
    }
}

/// Numbers of classes that are gone, or have no hooks.
pub(crate) fn give_back(ranges: impl IntoIterator<Item = Range>) {
    for numbers in ranges {
        instruction_events::forget(numbers);
        method_numbers::release(numbers);
    }
}

/// Name and descriptor of each method, in order.
fn names_of(class: &ClassFile<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let methods = class.methods().iter();
    methods
        .map(|method| (method.name().to_vec(), method.descriptor().to_vec()))
        .collect()
}

/// Whether the agent may hear of this class's methods.
pub(crate) fn takes(name: &[u8]) -> bool {
    may_have_hooks(name) && state::options().classes.takes(name)
}

/// Whether hooks may be put into this class.
fn may_have_hooks(name: &[u8]) -> bool {
    /// Here a thread changes its identity: what hooks do does not work.
    const NEVER: [&[u8]; 3] = [
        b"java/lang/VirtualThread",
        b"java/lang/ThreadBuilders$BoundVirtualThread",
        b"jdk/internal/vm/",
    ];
    !hook_class::is_name(name) && !NEVER.iter().any(|prefix| name.starts_with(prefix))
}
