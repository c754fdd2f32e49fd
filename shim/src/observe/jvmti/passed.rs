//! What callbacks are given and calls pass, as values of a recording.
//!
//! Arguments of a callback are the VM's: they are what its row says. Those of a call are the agent's:
//! what they point to is looked at if it can be read. What a call gives back is looked at if it has
//! succeeded: the VM has just written it.

use recording_format::Value;
use recording_format::Value::Id;
use recording_format::jvmti::{Kind, Parameter};

use crate::observe::call::int;
use crate::observe::jvmti::identities;
use crate::observe::jvmti::promise::{Promise, length};
use crate::observe::jvmti::values::Values;
use crate::os::memory::LONGEST_LIST;
use crate::vm::member_ids::FieldId;

/// Adds the arguments of a call, or the values of an event.
#[inline]
pub(super) fn arguments(
    promise: Promise,
    to: &mut Values<'_>,
    parameters: &'static [Parameter],
    words: &[usize],
) {
    let (mut next, mut count, mut class) = (0_usize, 0, None);
    for parameter in parameters {
        let kind = parameter.kind;
        if !kind.is_passed() {
            let object = next.checked_sub(1).and_then(|before| words.get(before));
            let object = object.and_then(|word| promise.reference(word));
            to.push(Id(identities::class_of(object)));
            continue;
        }
        let Some(word) = words.get(next) else { return };
        next += 1;
        if kind == Kind::Count {
            count = length(int(*word));
        }
        if kind == Kind::Callbacks {
            // Their size stands behind them.
            count = words
                .get(next)
                .map_or(0, |size| length(int(*size)) / size_of::<usize>());
        }
        if kind == Kind::Field {
            let of = class.and_then(|class| promise.reference(class));
            to.push(Id(identities::field(of, FieldId::from_number(*word))));
            continue;
        }
        if kind == Kind::Class {
            class = Some(word);
        }
        to.push(promise.value(kind, *word, shown(kind, count)));
    }
}

/// Adds what has come by the pointers behind a call's arguments.
pub(super) fn results(
    promise: Promise,
    to: &mut Values<'_>,
    (arguments, results): (&'static [Parameter], &'static [Parameter]),
    words: &[usize],
) {
    let mut count = 0;
    for (parameter, word) in arguments.iter().zip(words) {
        if parameter.kind == Kind::Count {
            count = length(int(*word));
        }
    }
    let pointers = words.get(arguments.len()..).unwrap_or_default();
    for (place, (parameter, pointer)) in results.iter().zip(pointers).enumerate() {
        let kind = parameter.kind;
        if kind == Kind::Count {
            count = length(promise.read::<i32>(*pointer));
        } else if kind.is_counted()
            && !results
                .iter()
                .take(place)
                .any(|one| one.kind == Kind::Count)
        {
            // How many there are may stand behind.
            let mut behind = results.iter().zip(pointers).skip(place);
            if let Some((_, pointer)) = behind.find(|(one, _)| one.kind == Kind::Count) {
                count = length(promise.read::<i32>(*pointer));
            }
        }
        to.push(given(promise, kind, *pointer, shown(kind, count)));
    }
}

/// How many elements are recorded: all bytes, and of longer elements as many as anybody reads.
fn shown(kind: Kind, count: usize) -> usize {
    if kind == Kind::Bytes {
        count
    } else {
        count.min(LONGEST_LIST)
    }
}

/// Adds what a call would have given that has failed.
pub(super) fn nothing(to: &mut Values<'_>, results: &'static [Parameter]) {
    for parameter in results {
        to.push(parameter.kind.nothing());
    }
}

/// What a pointer leads to that a call has filled in; nothing behind NULL.
fn given<'a>(promise: Promise, kind: Kind, pointer: usize, count: usize) -> Value<'a> {
    if pointer == 0 {
        return kind.nothing();
    }
    let word = if kind.is_in_place() {
        pointer
    } else if kind == Kind::Bool {
        promise.read::<u8>(pointer).into()
    } else if matches!(kind, Kind::Int | Kind::Event | Kind::Count | Kind::Float) {
        promise.read::<u32>(pointer) as usize
    } else {
        // Longs, ids and pointers are words where JVMTI is recorded.
        promise.read::<usize>(pointer)
    };
    promise.value(kind, word, count)
}
