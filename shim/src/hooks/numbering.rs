//! Which numbers rewritten code calls the methods of a class by, until the class can be asked for
//! their ids, and when it is gone.

use std::hash::{DefaultHasher, Hash, Hasher};

use class_rewriter::ClassFile;

use crate::hooks::{blind_spots, branches, left_out, super_calls};
use crate::model::classes;
use crate::model::classes::by_loader::{self, ByLoader};
use crate::model::classes::method_numbers::{self, Range};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

/// The numbers of a class's methods, until it can be asked for their ids.
pub(crate) struct Numbered {
    pub(crate) numbers: Range,
    /// The class file's hash.
    pub(crate) file: u64,
    /// [`order_of`] its class file.
    pub(crate) order: u64,
    /// Name and descriptor of each method, in order.
    pub(crate) methods: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Classes that have hooks and are not linked yet.
pub(crate) static UNLINKED: ByLoader<Numbered> = ByLoader::new();

/// ClassPrepare, before any method of the class runs.
pub(crate) fn prepared(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>) {
    let found = || {
        let loader = jvmti.class_loader(jni, class);
        let loader = loader.as_ref().map(Local::get);
        let signature = jvmti.class_signature(class).ok()?;
        let name = signature.bytes().strip_prefix(b"L")?.strip_suffix(b";")?;
        if blind_spots::hidden(signature.bytes()) {
            return None;
        }
        UNLINKED.take(&by_loader::key(jvmti, loader, name)?)
    };
    if let Some(numbered) = found()
        && settle(jvmti, jni, class, &numbered)
        && let Some(record) = classes::of(jvmti, jni, class)
    {
        // Not of a class that others are redefining: that is another file.
        let _ = record.file.loaded.set(numbered.file);
    }
}

/// Connects a class and its numbers: they are the same ones when it is rewritten again,
/// and given back when it is gone. False if the class cannot be asked yet.
pub(crate) fn settle(jvmti: Jvmti, jni: Jni, class: ObjectRef<'_>, numbered: &Numbered) -> bool {
    let done = fill_in(jvmti, class, numbered);
    if done && let Some(record) = classes::of(jvmti, jni, class) {
        record.numbers.add(numbered.order, numbered.numbers);
    }
    done
}

/// Writes down the ids of a class's methods; false if it cannot be asked yet.
fn fill_in(jvmti: Jvmti, class: ObjectRef<'_>, numbered: &Numbered) -> bool {
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

/// Numbers of classes that are gone, or have no hooks.
pub(crate) fn give_back(ranges: impl IntoIterator<Item = Range>) {
    for numbers in ranges {
        branches::forget(numbers);
        left_out::forget(numbers);
        super_calls::forget(numbers);
        method_numbers::release(numbers);
    }
}

/// Tells apart in which order classes of one name have which methods.
pub(crate) fn order_of(class: &ClassFile<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for method in class.methods() {
        (method.name(), method.descriptor()).hash(&mut hasher);
    }
    hasher.finish()
}

/// Name and descriptor of each method, in order.
pub(crate) fn names_of(class: &ClassFile<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let methods = class.methods().iter();
    methods
        .map(|method| (method.name().to_vec(), method.descriptor().to_vec()))
        .collect()
}
