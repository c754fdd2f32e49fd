//! What is said on a lane.

use recording_format::{
    Field, GET_ENV, Space, Type, Value, call_arguments, call_results, event_fields, event_results,
    read_values, run_fields, run_results, write_values,
};

/// What kind of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An event for the agent; `number` is its type, `flag` whether it was requested.
    Event,
    /// Its handler has returned; `flag` says whether there was one.
    Done,
    /// The agent calls the function in slot `number`; GetCurrentThreadCpuTime has in `env` the nanoseconds of the
    /// processor that the calling thread has used over there.
    Call,
    /// It has returned; `flag` says whether there is an answer. That of GetEnv is JNI's code, and the version that the
    /// table says.
    Answer,
    /// A function of the agent's is to run: JVM_OnLoad if `flag`, otherwise that of a system
    /// thread.
    Run,
    /// It has returned.
    Ran,
    /// A thread of the agent's that the VM does not know wants a lane; `number` is which.
    Ask,
    /// The thread has ended.
    Bye,
    /// The agent calls the function of JNI in slot `number`: a row for each argument, and behind them
    /// one for each argument of a Java method.
    Jni,
    /// It has returned; `flag` says whether it could be called.
    JniDone,
    /// The program calls a native method that the agent has registered; `number` is of no use.
    Native,
    /// It has returned.
    NativeDone,
    /// A thread that the agent has made wants the VM to know it, as a daemon if `flag`; `number` is the version of
    /// what it says of itself, or 0 if it says nothing.
    Attach,
    /// The VM is to forget it again.
    Detach,
    /// Either is done, or refused: `number` is JNI's code, `env` the thread's JNIEnv if it has one now.
    Attached,
}

/// An argument or a result of JNI's: what it is says which of these it has.
const JNI_VALUE: &[Field] = &[
    Field {
        name: "number",
        kind: Type::Int,
    },
    Field {
        name: "id",
        kind: Type::Id(Space::Reference),
    },
    Field {
        name: "text",
        kind: Type::Text,
    },
    Field {
        name: "memory",
        kind: Type::Bytes,
    },
];
const JNI_ARGUMENTS: &[Field] = &[Field {
    name: "arguments",
    kind: Type::List(JNI_VALUE),
}];
/// The function, what it takes, and that.
const NATIVE: &[Field] = &[
    Field {
        name: "function",
        kind: Type::Id(Space::Address),
    },
    Field {
        name: "signature",
        kind: Type::Text,
    },
    Field {
        name: "arguments",
        kind: Type::List(JNI_VALUE),
    },
];

const VERSION: &[Field] = &[
    Field {
        name: "code",
        kind: Type::Int,
    },
    Field {
        name: "version",
        kind: Type::Int,
    },
];

/// The name of a thread, and its ThreadGroup.
const ATTACH: &[Field] = &[
    Field {
        name: "name",
        kind: Type::Text,
    },
    Field {
        name: "group",
        kind: Type::Id(Space::Reference),
    },
];

impl Kind {
    const ALL: [Self; 15] = [
        Self::Event,
        Self::Done,
        Self::Call,
        Self::Answer,
        Self::Run,
        Self::Ran,
        Self::Ask,
        Self::Bye,
        Self::Jni,
        Self::JniDone,
        Self::Native,
        Self::NativeDone,
        Self::Attach,
        Self::Detach,
        Self::Attached,
    ];

    /// The fields of its values.
    #[must_use]
    pub fn fields(self, number: i32) -> &'static [Field] {
        let slot = u8::try_from(number).unwrap_or(u8::MAX);
        match self {
            Self::Event => event_fields(number),
            Self::Done => event_results(number),
            Self::Call => call_arguments(slot),
            Self::Answer if slot == GET_ENV => VERSION,
            Self::Answer => call_results(slot),
            Self::Run => run_fields(),
            Self::Ran => run_results(),
            Self::Ask | Self::Bye | Self::Detach | Self::Attached => &[],
            Self::Jni => JNI_ARGUMENTS,
            Self::JniDone | Self::NativeDone => JNI_VALUE,
            Self::Native => NATIVE,
            Self::Attach => ATTACH,
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// What kind it is.
    pub kind: Kind,
    /// See [`Kind`].
    pub flag: bool,
    /// See [`Kind`].
    pub number: i32,
    /// The thread of an event or a function; otherwise see [`Kind`].
    pub env: u64,
    /// What [`Kind::fields`] describes.
    pub values: Vec<Value<'a>>,
}

const HEAD: usize = 14;

impl<'a> Message<'a> {
    /// One without values.
    #[must_use]
    pub const fn plain(kind: Kind, number: i32) -> Self {
        Self {
            kind,
            flag: false,
            number,
            env: 0,
            values: Vec::new(),
        }
    }

    /// Its bytes.
    pub fn write(&self, to: &mut Vec<u8>) {
        Self::write_parts(
            self.kind,
            self.flag,
            self.number,
            self.env,
            &self.values,
            to,
        );
    }

    /// The same of values that are somebody else's.
    pub fn write_parts(
        kind: Kind,
        flag: bool,
        number: i32,
        env: u64,
        values: &[Value<'_>],
        to: &mut Vec<u8>,
    ) {
        to.clear();
        to.extend([kind as u8, flag.into()]);
        to.extend(number.to_le_bytes());
        to.extend(env.to_le_bytes());
        write_values(to, kind.fields(number), values);
    }

    /// Reads it; `None` if it is none.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let [kind, flag, number @ .., _, _, _, _, _, _, _, _] = *head;
        let [.., e0, e1, e2, e3, e4, e5, e6, e7] = *head;
        let kind = *Kind::ALL.get(usize::from(kind))?;
        let number = i32::from_le_bytes(number);
        Some(Self {
            kind,
            flag: flag != 0,
            number,
            env: u64::from_le_bytes([e0, e1, e2, e3, e4, e5, e6, e7]),
            values: read_values(rest, kind.fields(number))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use recording_format::Value;

    use super::{Kind, Message};

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let big = vec![7; 100_000];
        let frames = vec![
            vec![Value::Int(12), Value::Id(0x7f12_3456_7890)],
            vec![Value::Int(-1), Value::Id(u64::MAX)],
        ];
        let messages = [
            Message::plain(Kind::Bye, 0),
            Message {
                kind: Kind::Event,
                flag: true,
                number: 35,
                env: 0x7fff_0000_1234,
                values: vec![Value::Bytes(&big)],
            },
            Message {
                kind: Kind::Answer,
                flag: true,
                number: 5,
                env: 0,
                values: vec![Value::Int(2), Value::List(frames)],
            },
        ];
        let mut bytes = Vec::new();
        for message in messages {
            message.write(&mut bytes);
            assert_eq!(Message::read(&bytes).as_ref(), Some(&message));
            bytes.pop();
            assert_eq!(Message::read(&bytes).filter(|read| *read == message), None);
        }
    }

    #[test]
    fn kinds_are_numbered_by_their_place() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
        let mut bytes = Vec::new();
        Message::plain(Kind::Bye, 0).write(&mut bytes);
        if let Some(first) = bytes.first_mut() {
            *first = 99;
        }
        assert_eq!(Message::read(&bytes), None);
        assert_eq!(Message::read(b"short"), None);
    }
}
