//! Which hook class the classes of a loader call, and how its loader comes to know it.
//!
//! The VM resolves the name in rewritten code by the class's own loader. One of the program's
//! would be asked for it: its `loadClass` would run inside METHOD_ENTRY, under whatever locks
//! the program holds, and may not know the name. So each loader of the program's has a hook
//! class of its own before its first class with hooks is there, and the VM finds that without
//! a question. It goes with its loader.
//!
//! # What the loader is asked
//! The hook class has a superclass, which the VM resolves by the loader. While a class is
//! loaded, the VM asks for its interfaces and then for its superclass. We let it ask a moment
//! earlier, in the same order; nearly always `java.lang.Object` is among what the loader knows
//! then, or the superclass is one that the hook class can have, too. Elsewhere
//! `java.lang.Object` is one question more, once.
//!
//! # Locks
//! The VM defines a class under the lock of its loader if that is not parallel-capable. While
//! it shows one of the loader's class files the thread has that lock. Of a loader whose classes
//! are older than the hooks nobody may wait for the lock: these classes wait for its next one.
//!
//! Where there may be a security manager, the VM takes that lock also when code of a protection
//! domain names a known class for the first time (JDK 17: a thread that entered its first
//! method with hooks hung). So each class names its hook class when it is loaded.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

use class_rewriter::ClassFile;
use event_translate::needs::VmEvent;
use jvmpi_headers::jvmti::JVMTI_CLASS_STATUS_INITIALIZED;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::base::log;
use crate::hooks::{hook_class, late_loaders};
use crate::model::classes;
use crate::model::thread::attention_guard::with_attention;
use crate::model::thread::{attention, current};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, Local, ObjectRef};

const OBJECT: &str = "java/lang/Object";

/// Why a loader's hook class is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Moment<'a> {
    /// The VM shows this class file, to load the class.
    Loading(&'a ClassFile<'a>),
    /// A class is there and is to be rewritten; whether it has named its hook class.
    Loaded(bool),
}

/// Where rewritten code of a loader's class finds its hooks.
pub(crate) struct HookClass {
    /// Its name.
    pub(crate) name: String,
    of_program: bool,
    /// The loader that the VM asks in place of the class's own.
    behind: Option<Local>,
}

impl HookClass {
    /// That for a class of this name. A package in a named module has one of its own, as the
    /// module need not read any other.
    pub(crate) fn of(jvmti: Jvmti, jni: Jni, loader: Option<ObjectRef<'_>>, class: &[u8]) -> Self {
        let behind = loader.and_then(|loader| class_loaders::behind(jvmti, jni, loader));
        let loader = match &behind {
            None => loader,
            Some(behind) => behind.as_ref().map(Local::get),
        };
        let of_program =
            |loader: &ObjectRef<'_>| class_loaders::built_in(jvmti, jni, *loader).is_none();
        let Some(loader) = loader.filter(of_program) else {
            return Self {
                name: hook_class::name().to_owned(),
                of_program: false,
                behind: behind.flatten(),
            };
        };
        let end = class.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let package = class.get(..end).unwrap_or_default();
        let package = str::from_utf8(package)
            .ok()
            .filter(|_| class_loaders::is_in_named_module(jvmti, jni, loader, package));
        Self {
            name: format!("{}/{}", package.unwrap_or("jvmpi"), classes::hook_class()),
            of_program: true,
            behind: behind.flatten(),
        }
    }

    /// Makes sure that the loader knows it, and that its methods are bound. False: code that
    /// calls it must not be.
    pub(crate) fn is_ready(
        &self,
        jvmti: Jvmti,
        jni: Jni,
        loader: Option<ObjectRef<'_>>,
        moment: Moment<'_>,
    ) -> bool {
        // The thread does not have that loader's lock; and accessors have no protection domain.
        let (loader, moment) = match &self.behind {
            Some(behind) => (Some(behind.get()), Moment::Loaded(true)),
            None => (loader, moment),
        };
        let Some(loader) = loader.filter(|_| self.of_program) else {
            return vms_own_knows(jvmti, jni, loader);
        };
        let name = self.name.replace('/', ".");
        let noted = || {
            quietly(|| {
                let class = class_loaders::noted(jni, loader, &name)?;
                Some(hook_class::bind(jni, class.get()))
            })
        };
        if let Moment::Loaded(false) = moment
            && looks_at_domains()
            && !class_loaders::is_parallel_capable(jni, loader)
        {
            return false;
        }
        if let Some(ready) = noted() {
            return ready;
        }
        let define = |superclass: &str| {
            quietly(|| hook_class::define_in(jni, loader, &self.name, superclass).is_some())
        };
        let defined = match moment {
            Moment::Loading(class) => {
                // The loader's code is the program's: the agent hears of it as always.
                let Some(superclass) = ask_as_the_vm_will(jvmti, jni, loader, class) else {
                    return false;
                };
                // It may have loaded other classes by this loader.
                if let Some(ready) = noted() {
                    return ready;
                }
                let same = superclass.is_some_and(&define);
                same || (superclass.is_none() || noted().is_none()) && define(OBJECT)
            }
            Moment::Loaded(_) => {
                knows(jni, loader, OBJECT)
                    && class_loaders::is_parallel_capable(jni, loader)
                    && define(OBJECT)
            }
        };
        if defined && !looks_at_domains() {
            late_loaders::tell();
        }
        // Another thread may have defined it meanwhile.
        defined || noted() == Some(true)
    }
}

/// Whether a loader need not be asked for a class.
fn knows(jni: Jni, loader: ObjectRef<'_>, name: &str) -> bool {
    quietly(|| class_loaders::noted(jni, loader, &name.replace('/', ".")).is_some())
}

/// Asks a loader for what is above the class that it loads. What the hook class can have above
/// it: the same if that is a class of the JDK's that is initialised (to initialise the hook
/// class does nothing then), elsewhere `Some(None)`, `java.lang.Object`. `None`: the loader
/// has no answer.
fn ask_as_the_vm_will<'a>(
    jvmti: Jvmti,
    jni: Jni,
    loader: ObjectRef<'_>,
    class: &ClassFile<'a>,
) -> Option<Option<&'a str>> {
    if knows(jni, loader, OBJECT) || !class_loaders::can_resolve() {
        return Some(None);
    }
    // A class that is above itself: the VM sees that, if we do not ask again.
    let _loading = Loading::begin(class.name())?;
    let ask = |name: &'a [u8]| {
        let name = str::from_utf8(name).ok()?;
        let class = class_loaders::resolve(jni, loader, name, None)?;
        Some((name, class))
    };
    for &name in class.interfaces() {
        ask(name)?;
    }
    let (name, above) = ask(class.superclass()?)?;
    if knows(jni, loader, OBJECT) {
        return Some(None);
    }
    let is_initialized = jvmti
        .class_status(above.get())
        .is_ok_and(|status| status & JVMTI_CLASS_STATUS_INITIALIZED != 0);
    let of_jdk = jvmti.class_loader(jni, above.get()).is_none();
    Some((is_initialized && of_jdk).then_some(name))
}

/// Threads, and the classes for which they ask.
static LOADING: Mutex<Vec<(u64, Vec<u8>)>> = Mutex::new(Vec::new());

/// One of them; taken from the list when dropped.
struct Loading((u64, Vec<u8>));

impl Loading {
    /// `None` if the calling thread asks for this class already.
    fn begin(class: &[u8]) -> Option<Self> {
        let this = (current::key(), class.to_vec());
        let mut loading = LOADING.lock();
        if loading.contains(&this) {
            return None;
        }
        loading.push(this.clone());
        Some(Self(this))
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        LOADING.lock().retain(|other| *other != self.0);
    }
}

/// The VM's two loaders in Java that know the name.
static KNOWING: [OnceCell<Global>; 2] = [const { OnceCell::new() }; 2];

/// Has one of them resolve the name once, here and not inside METHOD_ENTRY: their code is the
/// JDK's, and has hooks itself.
fn vms_own_knows(jvmti: Jvmti, jni: Jni, loader: Option<ObjectRef<'_>>) -> bool {
    let built_in = loader.and_then(|loader| {
        let place = class_loaders::built_in(jvmti, jni, loader)?;
        Some((loader, place))
    });
    // The boot loader has it.
    let Some((loader, place)) = built_in else {
        return true;
    };
    let knows = |known: &Global| jni.same(known.get(), loader);
    if KNOWING.iter().filter_map(OnceCell::get).any(knows) {
        return true;
    }
    let resolve = || class_loaders::resolve(jni, loader, hook_class::name(), None);
    if class_loaders::can_resolve() && quietly(resolve).is_none() {
        return false;
    }
    if let (Some(place), Some(loader)) = (KNOWING.get(place), Global::new(jni, loader)) {
        let _ = place.set(loader);
    }
    true
}

/// Whether the VM looks at protection domains.
static LOOKS_AT_DOMAINS: AtomicBool = AtomicBool::new(false);

/// See the module.
pub(crate) fn looks_at_domains() -> bool {
    LOOKS_AT_DOMAINS.load(Ordering::Acquire)
}

/// Before any class has hooks: from now on each names its hook class when it is loaded, if it
/// has to.
pub(crate) fn begin(jvmti: Jvmti) {
    /// From here on a security manager has to be asked for, and then there is none at all.
    const ASKED_FOR: i32 = 18;
    const NO_MORE: i32 = 24;
    const PROPERTY: &CStr = c"java.security.manager";
    let version = jvmti.feature_version();
    if version < ASKED_FOR || version < NO_MORE && jvmti.system_property(PROPERTY).is_some() {
        match jvmti.set_event(VmEvent::ClassLoad, true) {
            Ok(()) => LOOKS_AT_DOMAINS.store(true, Ordering::Release),
            Err(error) => log::warn_once!("{error}; hooks may wait for class loaders"),
        }
    }
}

/// A class has been loaded, and its thread has the lock of its loader still: it names its hook
/// class, and so do those that wait for one.
pub(crate) fn class_is_loaded(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>) {
    if looks_at_domains()
        && let Some(loader) = jvmti.class_loader(jni, class)
        && name_hook_class(jvmti, jni, loader.get(), class)
    {
        late_loaders::each_of(jvmti, jni, loader.get(), |waiting| {
            name_hook_class(jvmti, jni, loader.get(), waiting);
        });
    }
}

/// False if the loader has none.
fn name_hook_class(jvmti: Jvmti, jni: Jni, loader: ObjectRef<'_>, class: ObjectRef<'_>) -> bool {
    let Ok(signature) = jvmti.class_signature(class) else {
        return false;
    };
    let name = signature.bytes();
    let name = name.strip_prefix(b"L").unwrap_or(name);
    let hook_class = HookClass::of(jvmti, jni, Some(loader), name);
    // The loader must not be asked.
    knows(jni, loader, &hook_class.name)
        && quietly(|| class_loaders::resolve(jni, loader, &hook_class.name, Some(class))).is_some()
}

/// Runs `body` while no agent hears of what the calling thread does: it is ours.
fn quietly<T>(body: impl FnOnce() -> T) -> T {
    with_attention(attention::REWRITING | attention::SILENT, body)
}
