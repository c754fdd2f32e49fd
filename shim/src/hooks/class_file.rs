//! What the VM takes in place of a class file: what the agent makes of it, with the wanted hooks.

use std::sync::Arc;

use class_rewriter::{ClassFile, Entry, Wish};

use crate::base::{config, log};
use crate::hooks::hook_loaders::{HookClass, Moment};
use crate::hooks::numbering::{self, Numbered};
use crate::hooks::wanted_hooks::{
    self, ENTRY, EXIT, INSTRUCTIONS, MONITORS, OF_METHODS, PARKS, RECEIVER, SLEEPS,
};
use crate::hooks::{blind_spots, branches, class_hook, late_loaders, left_out, super_calls};
use crate::model::classes::{self, Class, by_loader, method_numbers};
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// What the agent makes of the file, with hooks in it; `None` if it stays as it is.
pub(crate) fn replacement(
    jvmti: Jvmti,
    jni: Jni,
    being_redefined: Option<ObjectRef<'_>>,
    loader: Option<ObjectRef<'_>>,
    name: &[u8],
    file: &[u8],
) -> Option<Vec<u8>> {
    let own = threads::enter(jni, None)?;
    let being_redefined = being_redefined.filter(|&class| is_called(jvmti, class, name));
    let agents = class_hook::ask(jvmti, jni, &own, being_redefined, loader, file);
    let shown = agents.as_deref().unwrap_or(file);
    transform(jvmti, being_redefined, loader, name, file, shown).or(agents)
}

/// Whether a class that is said to be redefined has this name. For the first one of a module
/// the VM runs Java code before it shows its file, and what that code loads is said to be
/// this class, too (HotSpot 11 to 25, measured).
fn is_called(jvmti: Jvmti, class: ObjectRef<'_>, name: &[u8]) -> bool {
    jvmti.class_signature(class).is_ok_and(|signature| {
        let inner = signature.bytes().strip_prefix(b"L");
        inner.and_then(|inner| inner.strip_suffix(b";")) == Some(name)
    })
}

/// A class file with hooks, or `None` to leave it as it is. `being_redefined` is `None`
/// when the class is loaded; `found` is what the VM has
/// shown, `class_file` what the agent has made of it.
///
/// # Threads
/// Any that loads a class.
fn transform(
    jvmti: Jvmti,
    being_redefined: Option<ObjectRef<'_>>,
    loader: Option<ObjectRef<'_>>,
    name: &[u8],
    found: &[u8],
    class_file: &[u8],
) -> Option<Vec<u8>> {
    let hooks = wanted_hooks::of_class(wanted_hooks::given(), name);
    if hooks == 0 || classes::is_hook_class(name) {
        return None;
    }
    let class = match ClassFile::read(class_file) {
        Ok(class) => class,
        Err(reason) => {
            blind_spots::class(name, &format!("not rewritten, {reason:?}"));
            return None;
        }
    };
    let hooks = if wanted_hooks::takes(class.name()) {
        hooks
    } else if wanted_hooks::may_have_hooks(class.name()) {
        hooks & !OF_METHODS
    } else {
        if config::options().classes.takes(class.name()) {
            blind_spots::class(
                class.name(),
                "no hooks, threads change their identity in it",
            );
        }
        0
    };
    // Without methods there is nothing to rewrite, and the first number is another class's.
    if hooks == 0 || class.methods().is_empty() {
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
        sleeps: hooks & SLEEPS != 0,
        parks: hooks & PARKS != 0,
    };
    let numbered = hooks & OF_METHODS != 0;
    let count = if numbered { class.methods().len() } else { 0 };
    let of_record = || {
        let record = classes::of(jvmti, jni, being_redefined?)?;
        record.numbers.of(numbering::order_of(&class))
    };
    let of_record = numbered.then(of_record).flatten();
    let key = (numbered && of_record.is_none())
        .then(|| by_loader::key(jvmti, loader, class.name()))
        .flatten();
    // Defined once more, or by several threads at once: the code of all has one set of
    // numbers, whichever the VM takes.
    let of_namesake = || {
        let same = |other: &Numbered| {
            (other.methods == numbering::names_of(&class)).then_some(other.numbers)
        };
        numbering::UNLINKED.look(key.as_ref()?, same)?
    };
    let known = of_record.or_else(of_namesake);
    let made = || {
        let numbers = method_numbers::reserve(count)?;
        if super_calls::note(&class, numbers) {
            method_numbers::set_unseen(numbers);
        }
        Some(numbers)
    };
    if let Some(numbers) = known
        && super_calls::note_again(&class, numbers)
    {
        method_numbers::set_unseen(numbers);
    }
    let Some(numbers) = known.or_else(made) else {
        log::warn_once!("all method numbers are used up: no method events of new classes");
        return None;
    };
    if wish.instructions {
        branches::note(numbers.base, &class);
    }
    let chooser = left_out::chooser(&class, numbers.base);
    let rewritten = class_rewriter::rewrite(&class, &wish, numbers.base, chooser);
    let moment = match being_redefined {
        None => Moment::Loading(&class),
        Some(redefined) => {
            let has_named = |record: Arc<Class>| {
                !record.numbers.all().is_empty() || late_loaders::is_named(&record)
            };
            Moment::Loaded(classes::of(jvmti, jni, redefined).is_some_and(has_named))
        }
    };
    let changed = rewritten.as_ref().is_ok_and(|done| done.bytes.is_some());
    let has_hooks = changed && hook_class.is_ready(jvmti, jni, loader, moment);
    if has_hooks && let Some(key) = key {
        let numbered = Numbered {
            numbers,
            file: class_hook::hash(found),
            order: numbering::order_of(&class),
            methods: numbering::names_of(&class),
        };
        let settled =
            being_redefined.is_some_and(|class| numbering::settle(jvmti, jni, class, &numbered));
        if settled {
            numbering::UNLINKED.take(&key);
        } else {
            let gone = numbering::UNLINKED.insert(jni, loader, key, numbered);
            numbering::give_back(gone.iter().map(|numbered| numbered.numbers));
        }
    } else if !has_hooks && numbered && known.is_none() {
        numbering::give_back([numbers]);
    }
    if changed && !has_hooks {
        late_loaders::note(jvmti, jni, being_redefined, class.name());
        return None;
    }
    match rewritten {
        Ok(rewritten) => {
            for (index, reason) in &rewritten.refused {
                let method = class.methods().get(usize::from(*index));
                blind_spots::method(class.name(), method, &reason.to_string());
            }
            if numbered && known.is_none() {
                left_out::count_small(&class);
            }
            if numbered {
                blind_spots::intrinsics(class.name(), class.methods());
            }
            rewritten.bytes
        }
        Err(reason) => {
            blind_spots::class(class.name(), &format!("not rewritten, {reason:?}"));
            None
        }
    }
}
