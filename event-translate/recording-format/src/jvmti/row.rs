//! What a row of JVMTI's tables says: names, and how each value is passed.

use crate::fields::Space::{Address, Class, Field as FieldId, Method, Monitor, Object};
use crate::fields::Type::{Bytes, Id, Int, JvmtiEvent, List, Text};
use crate::fields::{Field, Type, Value, fields};

/// A function of JVMTI.
#[derive(Debug)]
pub struct Function {
    /// Its place in the table, from 1.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// What it takes behind its environment.
    pub arguments: &'static [Parameter],
    /// What it gives by pointers, which follow the arguments.
    pub results: &'static [Parameter],
    pub(crate) argument_fields: &'static [Field],
    pub(crate) result_fields: &'static [Field],
}

/// The VM's own end before it: those from 200 on are extensions of its.
const FIRST_OF_OURS: u8 = 203;

impl Function {
    /// Whether it is one of `xrun_saw.h` or says what the VM told us, and is none of the VM's.
    #[must_use]
    pub const fn is_ours(&self) -> bool {
        self.number >= FIRST_OF_OURS
    }
}

/// An event of JVMTI.
#[derive(Debug)]
pub struct Event {
    /// Its number; one of an extension has one of ours.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// What its callback is given first, and is not among its values.
    pub head: Head,
    /// What follows.
    pub values: &'static [Parameter],
    /// What its callback gives by pointers, which follow the values.
    pub results: &'static [Parameter],
    pub(crate) value_fields: &'static [Field],
    pub(crate) result_fields: &'static [Field],
}

impl Event {
    /// Whether it is of numbers and methods alone.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        let mut rest = self.values;
        while let [first, others @ ..] = rest {
            if !matches!(
                first.kind,
                Kind::Int | Kind::Long | Kind::Bool | Kind::Value | Kind::Method
            ) {
                return false;
            }
            rest = others;
        }
        self.results.is_empty()
    }
}

/// The first arguments of a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// The environment: it may come on a thread that has no JNI.
    Environment,
    /// That, and the JNI environment.
    Jni,
    /// Those, and the calling thread.
    Thread,
}

impl Head {
    /// How many arguments they are.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::Environment => 1,
            Self::Jni => 2,
            Self::Thread => 3,
        }
    }
}

/// One value of a function or an event.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in the specification, without `_ptr`.
    pub name: &'static str,
    /// How it is passed.
    pub kind: Kind,
}

/// How C passes a value. As a result each is behind a pointer; lists are so in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `jint` or an enumeration.
    Int,
    /// A `jlong` or a `jlocation`.
    Long,
    /// A `jboolean`.
    Bool,
    /// A `jfloat`; its bits are recorded.
    Float,
    /// A `jdouble`; its bits are recorded.
    Double,
    /// A `jvalue`, as a word.
    Value,
    /// The number of an event.
    Event,
    /// A `jthread`; NULL is often the calling one.
    Thread,
    /// A `jobject`.
    Object,
    /// A `jclass`.
    Class,
    /// The class of the object before it, which C does not pass.
    ItsClass,
    /// A `jmethodID`.
    Method,
    /// A `jfieldID`.
    Field,
    /// A `jrawMonitorID`.
    Monitor,
    /// A C string.
    Text,
    /// A pointer of which nobody knows what is behind it.
    Address,
    /// How many elements the next list has, or the last one if none follows.
    Count,
    /// `jvmtiCapabilities`, by their names.
    Capabilities,
    /// `jvmtiEventCallbacks`: which are not NULL.
    Callbacks,
    /// `unsigned char`.
    Bytes,
    /// `jthread`.
    Threads,
    /// `jobject`.
    Objects,
    /// `jclass`.
    Classes,
    /// `jmethodID`.
    Methods,
    /// `jfieldID`.
    Fields,
    /// `jlong`.
    Tags,
    /// `jvmtiError`.
    Errors,
    /// `char*`.
    Texts,
    /// `jvmtiFrameInfo`.
    Frames,
    /// `jvmtiStackInfo`.
    Stacks,
    /// `jvmtiLineNumberEntry`.
    Lines,
    /// `jvmtiLocalVariableEntry`.
    Variables,
    /// `jvmtiMonitorStackDepthInfo`.
    MonitorDepths,
    /// `jvmtiClassDefinition`.
    Definitions,
    /// `jvmtiExtensionFunctionInfo`.
    ExtensionFunctions,
    /// `jvmtiExtensionEventInfo`.
    ExtensionEvents,
    /// How often callbacks were called, which C does not pass.
    HeapCallbacks,
    /// One `jvmtiThreadInfo`.
    ThreadInfo,
    /// One `jvmtiThreadGroupInfo`.
    GroupInfo,
    /// One `jvmtiMonitorUsage`.
    MonitorUsage,
    /// One `jvmtiTimerInfo`.
    TimerInfo,
}

const FRAMES: &[Field] = fields!["method": Id(Method), "location": Int];

impl Kind {
    /// Whether C passes it.
    #[must_use]
    pub const fn is_passed(self) -> bool {
        !matches!(self, Self::ItsClass | Self::HeapCallbacks)
    }

    /// Whether a result of this kind lies where its pointer leads; else another pointer lies there.
    #[must_use]
    pub const fn is_in_place(self) -> bool {
        matches!(
            self,
            Self::Frames
                | Self::Errors
                | Self::Capabilities
                | Self::Callbacks
                | Self::ThreadInfo
                | Self::GroupInfo
                | Self::MonitorUsage
                | Self::TimerInfo
        )
    }

    /// What stands for a value that is not there.
    #[must_use]
    pub const fn nothing<'a>(self) -> Value<'a> {
        self.recorded().nothing()
    }

    /// Whether elements are behind the pointer, as many as a [`Kind::Count`] says.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        matches!(
            self,
            Self::Bytes
                | Self::Threads
                | Self::Objects
                | Self::Classes
                | Self::Methods
                | Self::Fields
                | Self::Tags
                | Self::Errors
                | Self::Texts
                | Self::Frames
                | Self::Stacks
                | Self::Lines
                | Self::Variables
                | Self::MonitorDepths
                | Self::Definitions
                | Self::ExtensionFunctions
                | Self::ExtensionEvents
        )
    }

    /// What is recorded of it.
    const fn recorded(self) -> Type {
        match self {
            Self::Int
            | Self::Long
            | Self::Bool
            | Self::Float
            | Self::Double
            | Self::Value
            | Self::Count => Int,
            Self::Event => JvmtiEvent,
            Self::Thread | Self::Object => Id(Object),
            Self::Class | Self::ItsClass => Id(Class),
            Self::Method => Id(Method),
            Self::Field => Id(FieldId),
            Self::Monitor => Id(Monitor),
            Self::Text => Text,
            Self::Address => Id(Address),
            Self::Capabilities => List(fields!["capability": Text]),
            Self::Callbacks => List(fields!["event": JvmtiEvent]),
            Self::Bytes => Bytes,
            Self::Threads | Self::Objects => List(fields!["object": Id(Object)]),
            Self::Classes => List(fields!["class": Id(Class)]),
            Self::Methods => List(fields!["method": Id(Method)]),
            Self::Fields => List(fields!["field": Id(FieldId)]),
            Self::Tags => List(fields!["tag": Int]),
            Self::Errors => List(fields!["error": Int]),
            Self::Texts => List(fields!["text": Text]),
            Self::Frames => List(FRAMES),
            Self::Stacks => List(fields![
                "thread": Id(Object), "state": Int, "frames": List(FRAMES),
            ]),
            Self::Lines => List(fields!["start_location": Int, "line_number": Int]),
            Self::Variables => List(fields![
                "start_location": Int, "length": Int, "name": Text, "signature": Text, "slot": Int,
            ]),
            Self::MonitorDepths => List(fields!["monitor": Id(Object), "stack_depth": Int]),
            Self::Definitions => List(fields!["klass": Id(Class), "class_bytes": Bytes]),
            Self::ExtensionFunctions => List(fields!["id": Text]),
            Self::ExtensionEvents => List(fields!["index": Int, "id": Text]),
            Self::HeapCallbacks => List(fields!["callback": Text, "times": Int]),
            Self::ThreadInfo => List(fields![
                "name": Text, "priority": Int, "is_daemon": Int, "thread_group": Id(Object),
                "context_class_loader": Id(Object),
            ]),
            Self::GroupInfo => List(fields![
                "parent": Id(Object), "name": Text, "max_priority": Int, "is_daemon": Int,
            ]),
            Self::MonitorUsage => List(fields![
                "owner": Id(Object), "entry_count": Int,
                "waiters": List(fields!["object": Id(Object)]),
                "notify_waiters": List(fields!["object": Id(Object)]),
            ]),
            Self::TimerInfo => List(fields![
                "max_value": Int, "may_skip_forward": Int, "may_skip_backward": Int, "kind": Int,
            ]),
        }
    }
}

/// What every function gives back.
pub(super) const RESULT: Field = Field {
    name: "result",
    kind: Int,
};

/// The fields of these parameters, behind others.
#[allow(
    clippy::indexing_slicing,
    reason = "of constants: what is wrong does not compile"
)]
pub(super) const fn fields_of<const N: usize>(
    first: &[Field],
    parameters: &[Parameter],
) -> [Field; N] {
    let mut fields = [RESULT; N];
    let mut place = 0;
    while place < N {
        fields[place] = if place < first.len() {
            first[place]
        } else {
            let parameter = parameters[place - first.len()];
            Field {
                name: parameter.name,
                kind: parameter.kind.recorded(),
            }
        };
        place += 1;
    }
    fields
}

#[cfg(test)]
mod tests {
    use crate::Subject;

    #[test]
    fn extensions_of_the_vm_are_not_ours() {
        for (number, name) in [
            (201, "jvmti GetVirtualThread"),
            (202, "jvmti GetCarrierThread"),
            (203, "xrun_saw"),
            (204, "xrun_saw_stack"),
            (205, "native_bound"),
            (206, "tags"),
            (207, "attached"),
        ] {
            assert_eq!(Subject::JvmtiCall(number).to_string(), name);
        }
    }
}
