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
use crate::model::classes::method_numbers::{self, Range};
use crate::model::classes::{self, Class, by_loader};
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
    let hooks = suitable(hooks, class.name());
    // Without methods there is nothing to rewrite, and the first number is another class's.
    if hooks == 0 || class.methods().is_empty() {
        return None;
    }
    let jni = Jni::of_this_thread()?;
    let shown = Shown {
        jvmti,
        jni,
        being_redefined,
        loader,
        class: &class,
    };
    let hook_class = HookClass::of(jvmti, jni, loader, class.name());
    let wish = wish(hooks, &hook_class);
    let has_numbers = hooks & OF_METHODS != 0;
    let Some(numbered) = shown.numbers(has_numbers) else {
        log::warn_once!("all method numbers are used up: no method events of new classes");
        return None;
    };
    let base = numbered.numbers.base;
    if wish.instructions {
        branches::note(base, &class);
    }
    let chooser = left_out::chooser(&class, base);
    let rewritten = class_rewriter::rewrite(&class, &wish, base, chooser);
    let changed = rewritten.as_ref().is_ok_and(|done| done.bytes.is_some());
    let has_hooks = changed && hook_class.is_ready(jvmti, jni, loader, shown.moment());
    if has_numbers {
        shown.keep(&numbered, has_hooks, found);
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
            if has_numbers && !numbered.are_known {
                left_out::count_small(&class);
            }
            if has_numbers {
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

/// Those of these hooks that a class of this name may have.
fn suitable(hooks: u32, name: &[u8]) -> u32 {
    if wanted_hooks::takes(name) {
        return hooks;
    }
    if wanted_hooks::may_have_hooks(name) {
        return hooks & !OF_METHODS;
    }
    if config::options().classes.takes(name) {
        blind_spots::class(name, "no hooks, threads change their identity in it");
    }
    0
}

fn wish(hooks: u32, hook_class: &HookClass) -> Wish<'_> {
    Wish {
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
    }
}

/// A class whose file the VM shows.
struct Shown<'a> {
    jvmti: Jvmti,
    jni: Jni,
    being_redefined: Option<ObjectRef<'a>>,
    loader: Option<ObjectRef<'a>>,
    class: &'a ClassFile<'a>,
}

/// What rewritten code calls its methods by.
struct MethodNumbers {
    numbers: Range,
    /// Code that there was before has the same.
    are_known: bool,
    /// Of a class that is being loaded, or has had no hooks.
    key: Option<by_loader::Key>,
}

impl Shown<'_> {
    /// `None` if there are no more; an empty range for hooks that need none.
    fn numbers(&self, has_numbers: bool) -> Option<MethodNumbers> {
        if !has_numbers {
            return Some(MethodNumbers {
                numbers: method_numbers::reserve(0)?,
                are_known: false,
                key: None,
            });
        }
        let of_record = self.record().and_then(|record| {
            let order = numbering::order_of(self.class);
            record.numbers.of(order)
        });
        let key = of_record
            .is_none()
            .then(|| by_loader::key(self.jvmti, self.loader, self.class.name()))
            .flatten();
        // Defined once more, or by several threads at once: the code of all has one set of
        // numbers, whichever the VM takes.
        let of_namesake = || {
            let same = |other: &Numbered| {
                (other.methods == numbering::names_of(self.class)).then_some(other.numbers)
            };
            numbering::UNLINKED.look(key.as_ref()?, same)?
        };
        let known = of_record.or_else(of_namesake);
        let (numbers, is_unseen) = match known {
            Some(numbers) => (numbers, super_calls::note_again(self.class, numbers)),
            None => {
                let numbers = method_numbers::reserve(self.class.methods().len())?;
                (numbers, super_calls::note(self.class, numbers))
            }
        };
        if is_unseen {
            method_numbers::set_unseen(numbers);
        }
        Some(MethodNumbers {
            numbers,
            are_known: known.is_some(),
            key,
        })
    }

    /// Where the VM is with the class.
    fn moment(&self) -> Moment<'_> {
        if self.being_redefined.is_none() {
            return Moment::Loading(self.class);
        }
        let has_named = |record: Arc<Class>| {
            !record.numbers.all().is_empty() || late_loaders::is_named(&record)
        };
        Moment::Loaded(self.record().is_some_and(has_named))
    }

    /// What is known of a class that is loaded.
    fn record(&self) -> Option<Arc<Class>> {
        classes::of(self.jvmti, self.jni, self.being_redefined?)
    }

    /// The numbers are the class's from now on; without hooks they are given back.
    fn keep(&self, numbered: &MethodNumbers, has_hooks: bool, found: &[u8]) {
        let numbers = numbered.numbers;
        if !has_hooks {
            if !numbered.are_known {
                numbering::give_back([numbers]);
            }
            return;
        }
        let Some(key) = numbered.key.clone() else {
            return;
        };
        let (jvmti, jni) = (self.jvmti, self.jni);
        let numbered = Numbered {
            numbers,
            file: class_hook::hash(found),
            order: numbering::order_of(self.class),
            methods: numbering::names_of(self.class),
        };
        let class = self.being_redefined;
        if class.is_some_and(|class| numbering::settle(jvmti, jni, class, &numbered)) {
            numbering::UNLINKED.take(&key);
        } else {
            let gone = numbering::UNLINKED.insert(jni, self.loader, key, numbered);
            numbering::give_back(gone.iter().map(|numbered| numbered.numbers));
        }
    }
}
