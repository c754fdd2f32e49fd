//! Rows of `calls`.

use std::sync::mpsc::SyncSender;

use event_translate::EventKind;
use recording_format::{Field, Subject, Value, What, call_results, run_results};
use rustc_hash::FxHashMap;

use crate::batch::{Batch, Cell};
use crate::identities::Identities;
use crate::rows::{Rows, Stopped};
use crate::schema::CALLS;
use crate::stacks::Stacks;

/// What is known of a call before its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) number: i64,
    pub(crate) nanos: i64,
    pub(crate) thread: Option<i64>,
    pub(crate) event: Option<i64>,
}

/// The columns behind `event`, as they fill.
#[derive(Clone, Debug, Default)]
struct Filled {
    ended: Option<i64>,
    event_type: Option<&'static str>,
    of_thread: Option<i64>,
    method: Option<i64>,
    object: Option<u64>,
    reference: Option<u64>,
    monitor: Option<u64>,
    name: Option<Vec<u8>>,
    millis: Option<i64>,
    value: Option<i64>,
    address: Option<u64>,
    result: Option<i64>,
    frames: Option<i64>,
    stack: Option<i64>,
    caller: Option<Vec<u8>>,
}

#[derive(Debug)]
struct Call {
    begun: Begun,
    subject: Subject,
    filled: Filled,
}

#[derive(Debug)]
pub(crate) struct Calls {
    rows: Rows,
    /// Those that have not returned, by their numbers.
    open: FxHashMap<i64, Call>,
}

impl Calls {
    pub(crate) fn new(to: &SyncSender<Batch>) -> Self {
        Self {
            rows: Rows::of(&CALLS, to),
            open: FxHashMap::default(),
        }
    }

    pub(crate) fn add(
        &mut self,
        begun: Begun,
        what: &What<'_>,
        identities: &mut Identities,
        stacks: &mut Stacks,
    ) -> Result<(), Stopped> {
        let mut call = Call {
            begun,
            subject: what.subject(),
            filled: Filled::default(),
        };
        let (fields, values) = what.values();
        call.filled.take(fields, values, identities, stacks)?;
        match what.results() {
            Some((fields, results)) => {
                call.filled.take(fields, results, identities, stacks)?;
                self.tell(call)
            }
            None => {
                self.open.insert(begun.number, call);
                Ok(())
            }
        }
    }

    /// The end of one that has not returned yet.
    pub(crate) fn leave(
        &mut self,
        number: i64,
        nanos: i64,
        results: &[Value<'_>],
        identities: &mut Identities,
        stacks: &mut Stacks,
    ) -> Result<(), Stopped> {
        let Some(mut call) = self.open.remove(&number) else {
            return Ok(());
        };
        call.filled.ended = Some(nanos);
        let fields = match call.subject {
            Subject::Call(slot) => call_results(slot),
            Subject::Run => run_results(),
            Subject::Event(_)
            | Subject::JvmtiEvent(_)
            | Subject::JvmtiCall(_)
            | Subject::Definition(_) => &[],
        };
        call.filled.take(fields, results, identities, stacks)?;
        self.tell(call)
    }

    fn tell(&mut self, call: Call) -> Result<(), Stopped> {
        let Call {
            begun,
            subject,
            filled,
        } = call;
        let text = |text: Option<Vec<u8>>| Cell::maybe(text.as_deref());
        self.rows.push([
            begun.number.into(),
            begun.nanos.into(),
            filled.ended.into(),
            Cell::text(subject.to_string().as_bytes()),
            begun.thread.into(),
            begun.event.into(),
            Cell::maybe(filled.event_type.map(str::as_bytes)),
            filled.of_thread.into(),
            filled.method.into(),
            filled.object.into(),
            filled.reference.into(),
            filled.monitor.into(),
            text(filled.name),
            filled.millis.into(),
            filled.value.into(),
            filled.address.into(),
            filled.result.into(),
            filled.frames.into(),
            filled.stack.into(),
            text(filled.caller),
        ])
    }

    /// Those that never returned.
    pub(crate) fn finish(&mut self) -> Result<(), Stopped> {
        for (_, call) in std::mem::take(&mut self.open) {
            self.tell(call)?;
        }
        self.rows.flush()
    }
}

impl Filled {
    fn take(
        &mut self,
        fields: &[Field],
        values: &[Value<'_>],
        identities: &mut Identities,
        stacks: &mut Stacks,
    ) -> Result<(), Stopped> {
        for (field, value) in fields.iter().zip(values) {
            self.one(field, value, identities, stacks)?;
        }
        Ok(())
    }

    fn one(
        &mut self,
        field: &Field,
        value: &Value<'_>,
        identities: &mut Identities,
        stacks: &mut Stacks,
    ) -> Result<(), Stopped> {
        use recording_format::{Space, Type};
        let text = || value.bytes().map(<[u8]>::to_vec);
        match (field.name, field.kind) {
            ("result", Type::Int) => self.result = value.int(),
            ("ms", _) => self.millis = value.int(),
            ("num_frames", _) => self.frames = value.int(),
            ("frames", _) => self.stack = stacks.number(value.rows(), identities)?,
            ("req_list", _) => self.frames = i64::try_from(value.rows().len()).ok(),
            ("caller", _) => self.caller = text(),
            (_, Type::Event) => {
                let kind = value.int().and_then(|number| i32::try_from(number).ok());
                self.event_type = kind.and_then(EventKind::from_raw).map(EventKind::name);
            }
            (_, Type::Text) => self.name = text(),
            // `level` of what is no HEAP_DUMP.
            (_, Type::Int) => {
                self.value = value
                    .int()
                    .filter(|number| *number != -1 || field.name != "level")
            }
            (_, Type::Id(space)) => {
                let id = value.id().filter(|id| *id != 0);
                match space {
                    Space::Env => {
                        self.of_thread = match id {
                            Some(env) => identities.thread(env)?,
                            None => None,
                        }
                    }
                    Space::Method => {
                        self.method = match id {
                            Some(method) => Some(identities.method(method)?),
                            None => None,
                        }
                    }
                    Space::Object | Space::Class => self.object = id,
                    Space::Reference => self.reference = id,
                    Space::Monitor => self.monitor = id,
                    Space::Address | Space::Field => self.address = id,
                }
            }
            // Of JVMTI, which is in no table.
            (_, Type::JvmtiEvent) => {}
            (_, Type::Bytes | Type::List(_)) => {}
        }
        Ok(())
    }
}
