//! Methods by their ids: their class and their lines, looked up once.

use std::sync::Arc;

use event_translate::call_trace::{LINE_NATIVE, LINE_UNKNOWN, LineTable};
use id_map::Directory;
use jvmpi_headers::jvmpi::JVMPI_CallFrame;

use crate::base::{config, observer};
use crate::model::classes::code_versions::Version;
use crate::model::classes::{self, Class};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ObjectRef;

/// Methods by [`MethodId`].
pub(crate) static METHODS: Directory<Method> = Directory::new();

/// What is known of one method.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) class: Arc<Class>,
    /// The id under which CLASS_LOAD announced it; another one than the VM's for
    /// an old version of a redefined method that is still on a stack.
    announced_as: MethodId,
    /// `include=` and `exclude=` let its events through.
    taken: bool,
    /// Neither ours nor of a hidden class.
    shown: bool,
    is_static: bool,
    lines: Option<LineTable>,
    /// Of the class's code, for the lines.
    version: Version,
}

impl Method {
    /// The id under which the agent knows it.
    pub(crate) fn announced_as(&self) -> MethodId {
        self.announced_as
    }

    /// Whether `include=` and `exclude=` let its events through.
    pub(crate) fn is_taken(&self) -> bool {
        self.taken
    }

    /// Whether it is one of our hooks: never shown to an agent.
    pub(crate) fn is_ours(&self) -> bool {
        self.class.is_hidden()
    }

    /// Whether agents hear of its calls: they see a frame of it in call traces, too, then, and
    /// only then. Hidden classes (LambdaForms, the proxies of lambdas) can have no hooks.
    pub(crate) fn is_shown(&self) -> bool {
        self.shown
    }

    /// Whether it has no receiver.
    pub(crate) fn is_static(&self) -> bool {
        self.is_static
    }

    /// Whether its lines are those of the code that runs.
    pub(crate) fn is_current(&self) -> bool {
        self.class.code.is(self.version)
    }

    /// The source line of a bytecode index, if it is known.
    pub(crate) fn line_at(&self, location: i64) -> Option<i32> {
        let line = self.lines.as_ref()?.line_at(location);
        (line != LINE_UNKNOWN).then_some(line)
    }

    /// The frame as the agent sees it.
    pub(crate) fn frame(&self, location: i64) -> JVMPI_CallFrame {
        let lineno = if location < 0 {
            LINE_NATIVE
        } else {
            self.lines
                .as_ref()
                .map_or(LINE_UNKNOWN, |lines| lines.line_at(location))
        };
        JVMPI_CallFrame {
            lineno,
            method_id: self.announced_as.to_jni(),
        }
    }
}

/// The method's lines; `None` for native and abstract ones, and for classes
/// compiled without line numbers.
pub(crate) fn line_table(jvmti: Jvmti, method: MethodId) -> Option<LineTable> {
    let entries = jvmti.line_numbers(method).ok()?;
    Some(
        entries
            .as_slice()
            .iter()
            .map(|entry| (entry.start_location, entry.line_number))
            .collect(),
    )
}

/// The record of a method id, with the lines of its code at this moment; `None` if it is not one (any more).
pub(crate) fn of(jvmti: Jvmti, jni: Jni, method: MethodId) -> Option<Arc<Method>> {
    let key = method.key();
    if let Some(known) = METHODS.get(key).filter(|known| known.is_current()) {
        return Some(known);
    }
    let mirror = jvmti.declaring_class(jni, method).ok()?;
    let class = classes::of(jvmti, jni, mirror.get())?;
    let announced = if jvmti.method_is_obsolete(method).unwrap_or(false) {
        current_version(jvmti, mirror.get(), method).unwrap_or(method)
    } else {
        method
    };
    let filter = &config::options().classes;
    let taken = filter.takes_all()
        || jvmti.class_signature(mirror.get()).is_ok_and(|signature| {
            filter.takes(signature.bytes().strip_prefix(b"L").unwrap_or_default())
        });
    let version = class.code.version();
    let record = Arc::new(Method {
        shown: !class.is_hidden() && jvmti.is_modifiable(mirror.get()),
        is_static: jvmti.method_is_static(method).unwrap_or(false),
        class,
        taken,
        announced_as: announced,
        lines: line_table(jvmti, method),
        version,
    });
    METHODS.replace(key, Arc::clone(&record));
    Some(record)
}

/// The class that was seen to list a method, by [`MethodId`], until its end is told of: the VM may have unloaded it before.
static LISTED: Directory<Class> = Directory::new();

/// Remembers the methods of a class.
pub(crate) fn note_listed(class: &Arc<Class>, methods: &[MethodId]) {
    let numbers: Vec<u64> = methods.iter().map(|method| method.key()).collect();
    if class.listed.set(numbers.clone().into_boxed_slice()).is_ok() {
        for number in numbers {
            LISTED.replace(number, Arc::clone(class));
        }
    }
}

/// The class is gone: so are its methods.
pub(crate) fn forget_listed(class: &Class) {
    let Some(methods) = class.listed.get() else {
        return;
    };
    for &method in methods {
        LISTED.remove_own(method, class);
    }
    observer::tell(|observer| observer.methods_ended(methods));
}

/// The class of a method that was met or listed; the VM may have unloaded it.
pub(crate) fn known_class(method: MethodId) -> Option<Arc<Class>> {
    let key = method.key();
    let met = || METHODS.get(key).map(|method| Arc::clone(&method.class));
    LISTED.get(key).or_else(met)
}

/// The class that lists this method. Up to JDK 25 the VM follows a method id
/// blindly, so one that an agent made up must not reach it.
pub(crate) fn class_that_lists(jvmti: Jvmti, jni: Jni, method: MethodId) -> Option<Arc<Class>> {
    if let Some(class) = known_class(method) {
        return Some(class);
    }
    for class in classes::loaded(jvmti, jni).unwrap_or_default() {
        if class.listed.get().is_some() {
            continue;
        }
        if let Some(mirror) = class.mirror(jni)
            && let Ok(methods) = jvmti.methods(mirror.get())
        {
            note_listed(&class, methods.as_slice());
        }
    }
    LISTED.get(method.key())
}

/// The method of the same name and signature in the class as it is now.
fn current_version(jvmti: Jvmti, mirror: ObjectRef<'_>, method: MethodId) -> Option<MethodId> {
    let (name, signature) = jvmti.method_name(method).ok()?;
    let methods = jvmti.methods(mirror).ok()?;
    methods.as_slice().iter().copied().find(|&candidate| {
        jvmti
            .method_name(candidate)
            .is_ok_and(|(n, s)| n.bytes() == name.bytes() && s.bytes() == signature.bytes())
    })
}
