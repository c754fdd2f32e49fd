//! What callbacks are given and calls pass, as values of a recording.
//!
//! Arguments of a callback are the VM's: they are what its row says. Those of a call are the agent's:
//! what they point to is looked at if it can be read. What a call gives back is looked at if it has
//! succeeded: the VM has just written it.

use recording_format::Value;
use recording_format::Value::{Bytes, Id, Int, List, Text};
use recording_format::jvmti::{Kind, Parameter};

use crate::observe::call::int;
use crate::observe::jvmti::identities;
use crate::observe::jvmti::lists::{Promise, length};
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
        to.push(value(promise, kind, *word, shown(kind, count)));
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
        to.push(empty(parameter.kind));
    }
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
fn given<'a>(promise: Promise, kind: Kind, pointer: usize, count: usize) -> Value<'a> {
    if pointer == 0 {
        return empty(kind);
    }
    match kind {
        Kind::Int | Kind::Event | Kind::Count => Int(promise.read::<i32>(pointer).into()),
        Kind::Float => Int(promise.read::<u32>(pointer).into()),
        Kind::Long | Kind::Double | Kind::Value => Int(promise.read::<i64>(pointer)),
        Kind::Bool => Int(promise.read::<u8>(pointer).into()),
        // What the caller has made room for.
        Kind::Frames
        | Kind::Errors
        | Kind::Capabilities
        | Kind::Callbacks
        | Kind::ThreadInfo
        | Kind::GroupInfo
        | Kind::MonitorUsage
        | Kind::TimerInfo => value(promise, kind, pointer, count),
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
            let word = promise.read::<usize>(pointer);
            value(promise, kind, word, count)
        }
    }
}

/// The value of a word.
#[inline]
fn value<'a>(promise: Promise, kind: Kind, word: usize, count: usize) -> Value<'a> {
    match kind {
        Kind::Int | Kind::Event | Kind::Count => Int(int(word).into()),
        // Its bits, as in results.
        Kind::Float => Int((word & 0xffff_ffff) as i64),
        Kind::Long | Kind::Double | Kind::Value => Int(word.cast_signed() as i64),
        Kind::Bool => Int((word & 0xff) as i64),
        Kind::Thread => promise.thread(word),
        Kind::Object => promise.object(word),
        Kind::Class | Kind::ItsClass => promise.class(word),
        Kind::Method => Id(identities::method(word)),
        Kind::Field => Id(identities::field(None, FieldId::from_number(word))),
        Kind::Monitor | Kind::Address => Id(word as u64),
        Kind::Text => promise.text(word),
        Kind::Bytes => Bytes(promise.list(word, count)),
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
        | Kind::TimerInfo => List(promise.rows(kind, word, count)),
    }
}
