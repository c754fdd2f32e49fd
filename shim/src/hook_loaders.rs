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
//! then, or the superclass is one that the hook class can have, too ([`ABOVE`]). Elsewhere
//! `java.lang.Object` is one question more, once.
//!
//! # Locks
//! The VM defines a class under the lock of its loader if that is not parallel-capable. While
//! it shows one of the loader's class files the thread has that lock. Of a loader whose classes
//! are older than the hooks nobody may wait for the lock: these classes wait for its next one.

use event_translate::rewrite::ClassFile;
use jvmpi_headers::jni::jobject;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::ffi::current;
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::jvmti::refs::Global;
use crate::jvmti::{class_loaders, hook_class};
use crate::late_loaders;
use crate::threads::attention;

/// Superclasses that a hook class may have: to initialise them does nothing that the program
/// could notice, and everybody may extend them.
const ABOVE: [&str; 11] = [
    OBJECT,
    "java/lang/Enum",
    "java/lang/Record",
    "java/lang/Thread",
    "java/lang/ClassLoader",
    "java/lang/Throwable",
    "java/lang/Error",
    "java/lang/Exception",
    "java/lang/RuntimeException",
    "java/lang/reflect/Proxy",
    // The VM lets its subclasses see everything (JDK 11 and 17).
    "jdk/internal/reflect/MethodAccessorImpl",
];
const OBJECT: &str = "java/lang/Object";

/// Why a loader's hook class is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Moment<'a> {
    /// The VM shows this class file, to load the class.
    Loading(&'a ClassFile<'a>),
    /// A class is there and is to be rewritten.
    Loaded,
}

/// Where rewritten code of a loader's class finds its hooks.
pub(crate) struct HookClass {
    /// Its name.
    pub(crate) name: String,
    of_program: bool,
}

impl HookClass {
    /// That for a class of this name. A package in a named module has one of its own, as the
    /// module need not read any other.
    pub(crate) fn of(jvmti: Jvmti, jni: Jni, loader: jobject, class: &[u8]) -> Self {
        if loader.is_null() || class_loaders::built_in(jvmti, jni, loader).is_some() {
            return Self {
                name: hook_class::NAME.to_owned(),
                of_program: false,
            };
        }
        let end = class.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let package = class.get(..end).unwrap_or_default();
        let package = str::from_utf8(package)
            .ok()
            .filter(|_| class_loaders::is_in_named_module(jvmti, jni, loader, package));
        Self {
            name: format!("{}/{}", package.unwrap_or("jvmpi"), hook_class::SIMPLE_NAME),
            of_program: true,
        }
    }

    /// Makes sure that the loader knows it, and that its methods are bound. False: code that
    /// calls it must not be.
    pub(crate) fn is_ready(
        &self,
        jvmti: Jvmti,
        jni: Jni,
        loader: jobject,
        moment: Moment<'_>,
    ) -> bool {
        if loader.is_null() {
            return true;
        }
        if !self.of_program {
            return vms_own_knows(jvmti, jni, loader);
        }
        let name = self.name.replace('/', ".");
        let noted = || {
            let _quiet = quietly();
            let class = class_loaders::noted(jni, loader, &name)?;
            Some(hook_class::bind(jni, class.get()))
        };
        if let Some(ready) = noted() {
            return ready;
        }
        let superclass = match moment {
            Moment::Loading(class) => {
                // The loader's code is the program's: the agent hears of it as always.
                let superclass = superclass_while_loading(jni, loader, class);
                // It may have loaded other classes by this loader.
                if let Some(ready) = noted() {
                    return ready;
                }
                superclass
            }
            Moment::Loaded => {
                let free =
                    knows(jni, loader, OBJECT) && class_loaders::is_parallel_capable(jni, loader);
                free.then_some(OBJECT)
            }
        };
        let Some(superclass) = superclass else {
            return false;
        };
        let defined = {
            let _quiet = quietly();
            hook_class::define_in(jni, loader, &self.name, superclass).is_some()
        };
        if defined {
            late_loaders::has_hook_class();
        }
        // Another thread may have defined it meanwhile.
        defined || noted() == Some(true)
    }
}

/// Whether a loader need not be asked for a class.
fn knows(jni: Jni, loader: jobject, name: &str) -> bool {
    let _quiet = quietly();
    class_loaders::noted(jni, loader, &name.replace('/', ".")).is_some()
}

/// The superclass that the hook class of a loader can have while that loads a class, all of
/// whose questions are asked then; `None` if the loader has no answer.
fn superclass_while_loading(
    jni: Jni,
    loader: jobject,
    class: &ClassFile<'_>,
) -> Option<&'static str> {
    if knows(jni, loader, OBJECT) {
        return Some(OBJECT);
    }
    // A class that is above itself: the VM sees that, if we do not ask again.
    let _loading = Loading::begin(class.name())?;
    let above = class.superclass().unwrap_or(OBJECT.as_bytes());
    for &name in class.interfaces().iter().chain([&above]) {
        let name = str::from_utf8(name).ok()?;
        if !class_loaders::resolve(jni, loader, name) {
            return None;
        }
    }
    if knows(jni, loader, OBJECT) {
        return Some(OBJECT);
    }
    let same = ABOVE.into_iter().find(|name| name.as_bytes() == above);
    same.or_else(|| class_loaders::resolve(jni, loader, OBJECT).then_some(OBJECT))
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

/// Has one of the VM's two loaders in Java resolve the name once, here and not inside
/// METHOD_ENTRY: their code is the JDK's, and has hooks itself.
fn vms_own_knows(jvmti: Jvmti, jni: Jni, loader: jobject) -> bool {
    static KNOWING: [OnceCell<Global>; 2] = [const { OnceCell::new() }; 2];
    let knows = |known: &Global| jni.same(known.get(), loader);
    if KNOWING.iter().filter_map(OnceCell::get).any(knows) {
        return true;
    }
    let _quiet = quietly();
    if !class_loaders::resolve(jni, loader, hook_class::NAME) {
        return false;
    }
    let place = class_loaders::built_in(jvmti, jni, loader).and_then(|which| KNOWING.get(which));
    if let (Some(place), Some(loader)) = (place, Global::new(jni, loader)) {
        let _ = place.set(loader);
    }
    true
}

/// Bits of the calling thread's attention that were not set before; gone when dropped.
pub(crate) struct Attention(u32);

impl Attention {
    /// `None` if all of them are set.
    pub(crate) fn begin(bits: u32) -> Option<Self> {
        let new = current::with_own(|own| {
            let new = bits & !own.attention();
            own.set_attention(new);
            new
        })?;
        (new != 0).then_some(Self(new))
    }
}

impl Drop for Attention {
    fn drop(&mut self) {
        current::with_own(|own| own.clear_attention(self.0));
    }
}

/// While this lives, no agent hears of what the calling thread does: it is ours.
fn quietly() -> Option<Attention> {
    Attention::begin(attention::REWRITING | attention::SILENT)
}
