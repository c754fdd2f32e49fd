//! Recordings for the tests.

use recording_format::jvmti::{Definition, FunctionKind};
use recording_format::{Header, Item, Recording, Subject, Value, What, Writer};

use crate::{Comparison, Observed, Outcome, Verdict, Wish, compare};

/// What happens in a recording, in its order.
pub(super) struct Made {
    header: Header,
    records: Vec<What<'static>>,
}

pub(super) const ENV: u64 = 0x10;

pub(super) const SAW: u8 = FunctionKind::xrun_saw.number();
pub(super) const SAW_STACK: u8 = FunctionKind::xrun_saw_stack.number();
/// A native method is the port's own.
pub(super) const NATIVE_BOUND: u8 = FunctionKind::native_bound.number();
/// What is about to be tagged.
pub(super) const TAGS: u8 = FunctionKind::tags.number();
/// A thread that it has attached itself.
pub(super) const ATTACHED: u8 = FunctionKind::attached.number();

impl Made {
    /// Of a program with this command line.
    pub(super) fn of(command: &str) -> Self {
        let header = Header {
            command: command.to_owned(),
            agent: "/x/libold.so".to_owned(),
            ..Header::default()
        };
        Self {
            header,
            records: Vec::new(),
        }
    }

    pub(super) fn settings(mut self, settings: &str) -> Self {
        self.header.settings = settings.to_owned();
        self
    }

    pub(super) fn add(&mut self, what: What<'static>) -> &mut Self {
        self.records.push(what);
        self
    }

    /// The old agent enables these.
    pub(super) fn enables(&mut self, events: &[i32]) -> &mut Self {
        for &event in events {
            self.add(What::Call {
                slot: 2,
                arguments: vec![Value::Int(event.into()), Value::Id(0)],
                results: Some(vec![Value::Int(0)]),
            });
        }
        self
    }

    /// The port enables these.
    pub(super) fn listens(&mut self, events: &[u8]) -> &mut Self {
        self.add(What::Defined {
            definition: Definition::Environment,
            values: vec![Value::Int(1), text("libport.so")],
        });
        for &event in events {
            self.call(
                2,
                vec![Value::Int(1), Value::Int(event.into()), Value::Id(0)],
                vec![],
            );
        }
        self
    }

    pub(super) fn event(&mut self, number: i32, values: Vec<Value<'static>>) -> &mut Self {
        self.add(What::Event {
            number,
            requested: false,
            env: ENV,
            values,
            results: Some(vec![]),
        })
    }

    pub(super) fn jvmti(&mut self, number: u8, values: Vec<Value<'static>>) -> &mut Self {
        self.add(What::JvmtiEvent {
            number,
            environment: 1,
            env: ENV,
            values,
            results: Some(vec![]),
        })
    }

    /// An event of JVMTI with a call in its callback.
    pub(super) fn jvmti_around(
        &mut self,
        number: u8,
        values: Vec<Value<'static>>,
        inside: impl FnOnce(&mut Self),
    ) -> &mut Self {
        self.add(What::JvmtiEvent {
            number,
            environment: 1,
            env: ENV,
            values,
            results: None,
        });
        inside(self);
        self.add(What::Leave {
            subject: Subject::JvmtiEvent(number),
            results: vec![],
        })
    }

    /// A call that succeeds.
    pub(super) fn call(
        &mut self,
        number: u8,
        arguments: Vec<Value<'static>>,
        results: Vec<Value<'static>>,
    ) -> &mut Self {
        let results = std::iter::once(Value::Int(0)).chain(results).collect();
        self.add(What::JvmtiCall {
            number,
            environment: 1,
            arguments,
            results: Some(results),
        })
    }

    pub(super) fn starts(&mut self) -> &mut Self {
        self.add(What::Unsent { number: 46 })
    }

    pub(super) fn ends(&mut self) -> &mut Self {
        self.add(What::Unsent { number: 47 })
    }

    /// CLASS_LOAD of a class with one method, whose id is one more.
    pub(super) fn loads(&mut self, name: &'static str, id: u64) -> &mut Self {
        let method = vec![
            text("run"),
            text("()V"),
            Value::Int(1),
            Value::Int(2),
            Value::Id(id + 1),
        ];
        self.event(
            42,
            vec![
                text(name),
                text("X.java"),
                Value::Int(0),
                Value::List(vec![method]),
                Value::List(vec![]),
                Value::List(vec![]),
                Value::Id(id),
            ],
        )
    }

    /// What the recording has beside JVMTI's events: the same class and method.
    pub(super) fn names(&mut self, signature: &'static str, id: u64) -> &mut Self {
        self.add(What::Defined {
            definition: Definition::Class,
            values: vec![Value::Id(id), text(signature)],
        });
        self.add(What::Defined {
            definition: Definition::Method,
            values: vec![Value::Id(id + 1), Value::Id(id), text("run"), text("()V")],
        })
    }

    /// The same once more.
    pub(super) fn again(&self) -> Self {
        Self {
            header: self.header.clone(),
            records: self.records.clone(),
        }
    }

    pub(super) fn observed(&self) -> Observed {
        let bytes = self.bytes();
        Observed::of(&Recording::read(&bytes).unwrap())
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(&self.header);
        for (index, what) in (1..).zip(&self.records) {
            writer.add(&Item {
                nanos: index,
                thread: 1,
                index,
                what: what.clone(),
            });
        }
        writer.finish()
    }
}

/// An old recording and one of a port, which enable these.
pub(super) fn pair(old: &[i32], new: &[u8]) -> [Made; 2] {
    let mut pair = [Made::of("java Work"), Made::of("java Work")];
    pair[0].enables(old);
    pair[1].listens(new);
    pair
}

pub(super) fn compared(pair: &[Made; 2]) -> Comparison {
    let [old, new] = [0, 1].map(|side: usize| pair[side].observed());
    compare(&old, Some(&new), Wish::default()).unwrap()
}

/// What comes out for a noun.
pub(super) fn verdict(comparison: &Comparison, noun: &str) -> Verdict {
    let found = comparison.verdicts.iter().find(|it| it.rule.name == noun);
    found.unwrap_or_else(|| panic!("{noun}")).clone()
}

/// Its word, its sentence, and what is probably the cause.
#[track_caller]
pub(super) fn says(verdict: &Verdict, outcome: Outcome, words: &[&str]) {
    let text = format!("{} {}", verdict.sentence, verdict.causes.join(" "));
    assert_eq!(verdict.outcome, outcome, "{verdict:#?}");
    for word in words {
        assert!(text.contains(word), "no {word}: {verdict:#?}");
    }
}

pub(super) fn text(text: &'static str) -> Value<'static> {
    Value::Text(Some(text.as_bytes()))
}

pub(super) fn ids(ids: &[u64]) -> Value<'static> {
    Value::List(ids.iter().map(|&id| vec![Value::Id(id)]).collect())
}
