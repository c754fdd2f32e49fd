//! What callbacks are given and calls pass, as values of a recording.
//!
//! # Safety
//! Arguments of a callback are the VM's: they are what its row says. Those of a call are the agent's:
//! what they point to is looked at if it can be read. What a call gives back is looked at if it has
//! succeeded: the VM has just written it.
#![allow(unsafe_code, reason = "pointers among the arguments")]

use std::ptr;

use recording_format::Value;
use recording_format::Value::{Bytes, Id, Int, List, Text};
use recording_format::jvmti::{Kind, Parameter};

use crate::observe::call::int;
use crate::observe::jvmti::identities;
use crate::observe::jvmti::lists::{self, length, list, text};
use crate::observe::jvmti::values::Values;
use crate::vm::member_ids::FieldId;
use crate::vm::refs::ObjectRef;

/// Adds the arguments of a call, or the values of an event.
#[inline]
pub(super) fn arguments(to: &mut Values<'_>, parameters: &'static [Parameter], words: &[usize]) {
    let (mut next, mut count, mut class) = (0_usize, 0, None);
    for parameter in parameters {
        let kind = parameter.kind;
        if !kind.is_passed() {
            let object = next.checked_sub(1).and_then(|before| words.get(before));
            // SAFETY: the object before it.
            let object = object.and_then(|word| unsafe { ObjectRef::of_word(word) });
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
            // SAFETY: as below.
            let of = class.and_then(|class| unsafe { reference(class) });
            to.push(Id(identities::field(of, FieldId::from_number(*word))));
            continue;
        }
        if kind == Kind::Class {
            class = Some(word);
        }
        // SAFETY: a word of this kind.
        to.push(unsafe { value(kind, *word, count) });
    }
}

/// Adds what has come by the pointers behind a call's arguments.
pub(super) fn results(
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
            // SAFETY: a jint that the VM has written.
            count = length(unsafe { read::<i32>(*pointer) });
        } else if kind.is_counted()
            && !results
                .iter()
                .take(place)
                .any(|one| one.kind == Kind::Count)
        {
            // How many there are may stand behind.
            let mut behind = results.iter().zip(pointers).skip(place);
            if let Some((_, pointer)) = behind.find(|(one, _)| one.kind == Kind::Count) {
                // SAFETY: as above.
                count = length(unsafe { read::<i32>(*pointer) });
            }
        }
        // SAFETY: where the VM has put something of this kind, or NULL where nobody wants it.
        to.push(unsafe { given(kind, *pointer, count) });
    }
}

/// Adds what a call would have given that has failed.
pub(super) fn nothing(to: &mut Values<'_>, results: &'static [Parameter]) {
    for parameter in results {
        to.push(empty(parameter.kind));
    }
}

/// What is behind a pointer; nothing behind NULL.
///
/// # Safety
/// Null, or one of these can be read there.
unsafe fn read<T: Default>(from: usize) -> T {
    let from: *const T = ptr::with_exposed_provenance(from);
    if from.is_null() {
        return T::default();
    }
    // SAFETY: the caller's promise.
    unsafe { from.read_unaligned() }
}

/// # Safety
/// A live reference, or null.
unsafe fn reference(word: &usize) -> Option<ObjectRef<'_>> {
    // SAFETY: the caller's promise.
    unsafe { ObjectRef::of_word(word) }
}

const fn empty(kind: Kind) -> Value<'static> {
    match kind {
        Kind::Int
        | Kind::Long
        | Kind::Bool
        | Kind::Float
        | Kind::Double
        | Kind::Value
        | Kind::Event
        | Kind::Count => Int(0),
        Kind::Thread
        | Kind::Object
        | Kind::Class
        | Kind::ItsClass
        | Kind::Method
        | Kind::Field
        | Kind::Monitor
        | Kind::Address => Id(0),
        Kind::Text => Text(None),
        Kind::Bytes => Bytes(&[]),
        Kind::Capabilities
        | Kind::Callbacks
        | Kind::Threads
        | Kind::Objects
        | Kind::Classes
        | Kind::Methods
        | Kind::Fields
        | Kind::Tags
        | Kind::Errors
        | Kind::Texts
        | Kind::Frames
        | Kind::Stacks
        | Kind::Lines
        | Kind::Variables
        | Kind::MonitorDepths
        | Kind::Definitions
        | Kind::ExtensionFunctions
        | Kind::ExtensionEvents
        | Kind::ThreadInfo
        | Kind::GroupInfo
        | Kind::MonitorUsage
        | Kind::TimerInfo => List(Vec::new()),
    }
}

/// What a pointer leads to that a call has filled in.
///
/// # Safety
/// Null, or of this kind, with so many elements if it is a list.
unsafe fn given<'a>(kind: Kind, pointer: usize, count: usize) -> Value<'a> {
    if pointer == 0 {
        return empty(kind);
    }
    match kind {
        // SAFETY: the caller's promise, here and below.
        Kind::Int | Kind::Event | Kind::Count => Int(unsafe { read::<i32>(pointer) }.into()),
        // SAFETY: as above.
        Kind::Float => Int(unsafe { read::<u32>(pointer) }.into()),
        Kind::Long | Kind::Double | Kind::Value => {
            // SAFETY: as above.
            Int(unsafe { read::<i64>(pointer) })
        }
        // SAFETY: as above.
        Kind::Bool => Int(unsafe { read::<u8>(pointer) }.into()),
        // What the caller has made room for.
        Kind::Frames
        | Kind::Errors
        | Kind::Capabilities
        | Kind::Callbacks
        | Kind::ThreadInfo
        | Kind::GroupInfo
        | Kind::MonitorUsage
        | Kind::TimerInfo => {
            // SAFETY: as above.
            unsafe { value(kind, pointer, count) }
        }
        Kind::Thread
        | Kind::Object
        | Kind::Class
        | Kind::ItsClass
        | Kind::Method
        | Kind::Field
        | Kind::Monitor
        | Kind::Address
        | Kind::Text
        | Kind::Bytes
        | Kind::Threads
        | Kind::Objects
        | Kind::Classes
        | Kind::Methods
        | Kind::Fields
        | Kind::Tags
        | Kind::Texts
        | Kind::Stacks
        | Kind::Lines
        | Kind::Variables
        | Kind::MonitorDepths
        | Kind::Definitions
        | Kind::ExtensionFunctions
        | Kind::ExtensionEvents => {
            // SAFETY: a pointer to what has been made for the caller.
            let word = unsafe { read::<usize>(pointer) };
            // SAFETY: as above.
            unsafe { value(kind, word, count) }
        }
    }
}

/// The value of a word.
///
/// # Safety
/// It is of this kind, with so many elements if it is a list.
#[inline]
unsafe fn value<'a>(kind: Kind, word: usize, count: usize) -> Value<'a> {
    // SAFETY: the caller's promise, which goes for all below.
    let object = || identities::object(unsafe { reference(&word) });
    match kind {
        Kind::Int | Kind::Event | Kind::Count | Kind::Float => Int(int(word).into()),
        Kind::Long | Kind::Double | Kind::Value => Int(word.cast_signed() as i64),
        Kind::Bool => Int((word & 0xff) as i64),
        // SAFETY: as above.
        Kind::Thread => Id(identities::thread(unsafe { reference(&word) })),
        Kind::Object => Id(object()),
        // SAFETY: as above.
        Kind::Class | Kind::ItsClass => Id(identities::class(unsafe { reference(&word) })),
        Kind::Method => Id(identities::method(word)),
        Kind::Field => Id(identities::field(None, FieldId::from_number(word))),
        Kind::Monitor | Kind::Address => Id(word as u64),
        // SAFETY: as above.
        Kind::Text => unsafe { text(word) },
        // SAFETY: as above.
        Kind::Bytes => Bytes(unsafe { list(word, count) }),
        Kind::Capabilities
        | Kind::Callbacks
        | Kind::Threads
        | Kind::Objects
        | Kind::Classes
        | Kind::Methods
        | Kind::Fields
        | Kind::Tags
        | Kind::Errors
        | Kind::Texts
        | Kind::Frames
        | Kind::Stacks
        | Kind::Lines
        | Kind::Variables
        | Kind::MonitorDepths
        | Kind::Definitions
        | Kind::ExtensionFunctions
        | Kind::ExtensionEvents
        | Kind::ThreadInfo
        | Kind::GroupInfo
        | Kind::MonitorUsage
        | Kind::TimerInfo => {
            // SAFETY: as above.
            List(unsafe { lists::rows(kind, word, count) })
        }
    }
}
