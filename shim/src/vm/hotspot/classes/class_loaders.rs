//! What a class loader can be asked without a line of its own code, and the one question
//! that it answers itself.
#![allow(unsafe_code, reason = "functions of libjvm found by name")]

use std::ffi::{CStr, CString};

use crate::vm::env::Jvmti;
use crate::vm::hotspot::found::{
    FindByLoader, FindFromBootLoader, FindFromCaller, FindFromLoader, HOTSPOT, SOMETHING_ELSE, Why,
    function,
};
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

/// The class above all others.
const ROOT: &str = "java/lang/Object";

/// `java.lang.ClassLoader` itself, from one of its objects. (FindClass would ask the loader
/// of whatever Java code is running.)
fn base_class(jni: Jni, loader: ObjectRef<'_>) -> Option<Local> {
    let mut class = jni.class_of(loader)?;
    loop {
        let above = jni.superclass(class.get())?;
        if jni.superclass(above.get()).is_none() {
            return Some(class);
        }
        class = above;
    }
}

/// The class of this name that the VM has noted for a loader, which has defined it or has
/// been asked for it; the loader is not asked. `name` has dots.
pub(crate) fn noted(jni: Jni, loader: ObjectRef<'_>, name: &str) -> Option<Local> {
    // `ClassLoader.findLoadedClass`, which is final and native but for a look at the name.
    let known = &HOTSPOT.find_loaded_class;
    let ask = || {
        let method = match known.get() {
            Some(&known) => known,
            None => {
                let class = base_class(jni, loader)?;
                let signature = c"(Ljava/lang/String;)Ljava/lang/Class;";
                let method = jni.method(class.get(), c"findLoadedClass", signature)?;
                let _ = known.set(method);
                method
            }
        };
        let name = jni.string(name)?;
        jni.call(loader, method, name.get())
    };
    let class = ask();
    drop(jni.take_exception());
    class
}

/// The VM's own way to a class by a loader, which it asks if it has nothing noted: its
/// `loadClass` runs on this thread, and no other Java code but the JDK's. `None` if there is
/// none. `name` has slashes. `caller` is the class whose protection domain is looked
/// at, for good, if one is.
pub(crate) fn resolve(
    jni: Jni,
    loader: ObjectRef<'_>,
    name: &str,
    caller: Option<ObjectRef<'_>>,
) -> Option<Local> {
    resolve_by(*HOTSPOT.resolve.get()?, jni, Some(loader), name, caller)
}

fn resolve_by(
    find: FindByLoader,
    jni: Jni,
    loader: Option<ObjectRef<'_>>,
    name: &str,
    caller: Option<ObjectRef<'_>>,
) -> Option<Local> {
    let name = CString::new(name).ok()?;
    let (env, text, loader) = (jni.env(), name.as_ptr(), ObjectRef::or_null(loader));
    let class = match find {
        // SAFETY: the thread's own environment, a C string, live references.
        FindByLoader::FromCaller(find) => unsafe {
            find(env, text, 0, loader, ObjectRef::or_null(caller))
        },
        // SAFETY: as above.
        FindByLoader::FromLoader(find) => unsafe { find(env, text, 0, loader) },
    };
    let class = Local::adopt(jni, class);
    drop(jni.take_exception());
    class
}

/// `root` is `java.lang.Object`.
pub(in crate::vm::hotspot) fn find_resolve(
    jni: Jni,
    root: ObjectRef<'_>,
) -> Result<FindByLoader, Why> {
    let from_caller = function!(c"JVM_FindClassFromCaller" as FindFromCaller);
    let function = from_caller.map(FindByLoader::FromCaller).or_else(|_| {
        let from_loader = function!(c"JVM_FindClassFromLoader" as FindFromLoader);
        from_loader.map(FindByLoader::FromLoader)
    })?;
    let found = resolve_by(function, jni, None, ROOT, None);
    let right = found.is_some_and(|found| jni.same(found.get(), root));
    if right {
        Ok(function)
    } else {
        Err(SOMETHING_ELSE)
    }
}

/// Whether [`resolve`] is to be had.
pub(crate) fn can_resolve() -> bool {
    HOTSPOT.resolve.get().is_some()
}

/// A class of the boot loader. JNI's FindClass would ask the loader of whatever Java code is
/// running, which may be one of the program's.
pub(crate) fn of_boot_loader(jni: Jni, name: &CStr) -> Option<Local> {
    let Some(&find) = HOTSPOT.boot_loader.get() else {
        return jni.find_class(name);
    };
    // SAFETY: the thread's own environment, a C string.
    Local::adopt(jni, unsafe { find(jni.env(), name.as_ptr()) })
}

/// `root` is `java.lang.Object`.
pub(in crate::vm::hotspot) fn find_boot_loader(
    jni: Jni,
    root: ObjectRef<'_>,
) -> Result<FindFromBootLoader, Why> {
    let function = function!(c"JVM_FindClassFromBootLoader" as FindFromBootLoader)?;
    let name = CString::new(ROOT).unwrap_or_default();
    // SAFETY: the thread's own environment, a C string.
    let found = Local::adopt(jni, unsafe { function(jni.env(), name.as_ptr()) });
    let right = found.is_some_and(|found| jni.same(found.get(), root));
    if right {
        Ok(function)
    } else {
        Err(SOMETHING_ELSE)
    }
}

/// Which of the VM's two loaders in Java it is, whose code is the JDK's; `None` if it is
/// another.
pub(crate) fn built_in(jvmti: Jvmti, jni: Jni, loader: ObjectRef<'_>) -> Option<usize> {
    const NAMES: [&[u8]; 2] = [
        b"Ljdk/internal/loader/ClassLoaders$AppClassLoader;",
        b"Ljdk/internal/loader/ClassLoaders$PlatformClassLoader;",
    ];
    HOTSPOT.built_in_loaders.get()?;
    let class = jni.class_of(loader)?;
    let signature = jvmti.class_signature(class.get()).ok()?;
    let which = NAMES.iter().position(|&name| name == signature.bytes())?;
    let of_boot_loader = jvmti.class_loader(jni, class.get()).is_none();
    of_boot_loader.then_some(which)
}

/// In whose place a loader stands: the VM resolves names in the code of accessors that
/// reflection makes (JDK 11 to 21) by the loader behind that of the accessor. `None` if it is
/// none of those; `Some(None)` for the boot loader.
pub(crate) fn behind(jvmti: Jvmti, jni: Jni, loader: ObjectRef<'_>) -> Option<Option<Local>> {
    const NAME: &[u8] = b"Ljdk/internal/reflect/DelegatingClassLoader;";
    let class = jni.class_of(loader)?;
    let signature = jvmti.class_signature(class.get()).ok()?;
    let is_one = signature.bytes() == NAME && jvmti.class_loader(jni, class.get()).is_none();
    if !is_one {
        return None;
    }
    let field = jni.field(class.get(), c"parent", c"Ljava/lang/ClassLoader;");
    let parent = field.and_then(|field| jni.object_field(loader, field));
    drop(jni.take_exception());
    Some(parent)
}

/// Whether the VM defines its classes without its lock.
pub(crate) fn is_parallel_capable(jni: Jni, loader: ObjectRef<'_>) -> bool {
    /// Where `ClassLoader` keeps the locks of single names; the VM looks there, too.
    const FIELD: (&CStr, &CStr) = (
        c"parallelLockMap",
        c"Ljava/util/concurrent/ConcurrentHashMap;",
    );
    let map = || {
        HOTSPOT.parallel_loaders.get()?;
        let class = base_class(jni, loader)?;
        let field = jni.field(class.get(), FIELD.0, FIELD.1)?;
        jni.object_field(loader, field)
    };
    let map = map();
    drop(jni.take_exception());
    map.is_some()
}

/// Whether a package of a loader lies in a named module. `package` has slashes.
pub(crate) fn is_in_named_module(
    jvmti: Jvmti,
    jni: Jni,
    loader: ObjectRef<'_>,
    package: &[u8],
) -> bool {
    let package = CString::new(package);
    package
        .is_ok_and(|package| matches!(jvmti.named_module(jni, Some(loader), &package), Ok(Some(_))))
}
