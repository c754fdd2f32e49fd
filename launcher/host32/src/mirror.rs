//! Threads here, and the lanes on which they talk to their own in the JVM.

use std::cell::{Cell, RefCell};

use agent_host::{Attach, Ours};
use event_translate::jni_functions::JniGiven;
use lanes::{Awaits, Gone, Kind, Lane, Mapped, Message, Open, Side, ThinMonitors, Tokens};
use parking_lot::Mutex;
use recording_format::{Field, Value};

use crate::cancellation::Uncancelled;
use crate::{AGENT, cpu_clock, process, region};

/// Why nothing more can be done for the agent.
const UNREADABLE: &str = "what the JVM says cannot be read";

/// The numbers of ids that are too large for the agent.
static TOKENS: Mutex<Option<Tokens>> = Mutex::new(None);

/// What a thread talks on.
#[derive(Clone, Copy)]
enum OwnNumber {
    /// It has not talked yet.
    NotYet,
    /// This lane.
    Has(usize),
    /// It ends, and has given its lane back, or is about to get one: what its last destructors call, or a handler of a
    /// signal, does nothing.
    Gone,
}

thread_local! {
    static LANE: Cell<OwnNumber> = const { Cell::new(OwnNumber::NotYet) };
    static OWN: RefCell<Option<OwnLane>> = const { RefCell::new(None) };
}

/// The lane of a thread that the agent has made; it is given back when the thread ends.
struct OwnLane(usize);

impl Drop for OwnLane {
    fn drop(&mut self) {
        LANE.set(OwnNumber::Gone);
        // A child has the lane of its parent's thread, who goes on.
        if !process::is_child()
            && let Some(lane) = lane(self.0)
        {
            send(lane, &Message::plain(Kind::Bye, 0));
        }
    }
}

fn lane(number: usize) -> Option<&'static Lane> {
    region()?.lane(number)
}

/// With the tokens of a message; of one that has none no lock is taken.
fn with_tokens(message: &mut Message<'_>, change: Change) {
    let fields = message.kind.fields(message.number);
    if Tokens::concern(fields) {
        let mut tokens = TOKENS.lock();
        change(tokens.get_or_insert_default(), fields, &mut message.values);
    }
}

type Change = fn(&mut Tokens, &[Field], &mut [Value<'_>]);

/// Ids of a message become numbers that fit.
fn narrow(message: &mut Message<'_>) {
    with_tokens(message, Tokens::narrow);
}

/// Numbers of a message become ids.
fn widen(message: &mut Message<'_>) {
    with_tokens(message, |tokens, fields, values| {
        tokens.widen(fields, values)
    });
}

/// `None` once the VM has left this process alone.
fn send(lane: &Lane, message: &Message<'_>) -> Option<()> {
    /// More than this is given back: dumps are large, and threads are many.
    const KEPT: usize = 1 << 12;
    thread_local! {
        static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    // A thread that ends has none any more.
    let mut bytes = ROOM.try_with(Cell::take).unwrap_or_default();
    message.write(&mut bytes);
    let said = unless_alone(lane.send(Side::Host, &bytes, &process::is_alone));
    if bytes.capacity() <= KEPT {
        let _ = ROOM.try_with(|room| room.set(bytes));
    }
    said
}

/// The same of what the VM says.
fn receive(lane: &Lane, awaits: Awaits, bytes: &mut Vec<u8>) -> Option<()> {
    unless_alone(lane.receive(Side::Host, awaits, bytes, &process::is_alone))
}

/// Who watches the JVM mostly ends this process with it, whoever waits.
fn unless_alone(done: Result<(), Gone>) -> Option<()> {
    if done.is_err() && !process::is_alone() {
        process::give_up(UNREADABLE);
    }
    done.ok()
}

/// The life of a thread that stands for one of the JVM's.
pub(crate) fn run(number: usize) {
    // Also while it waits for an event.
    let _ours = Ours::begin();
    LANE.set(OwnNumber::Has(number));
    let (Some(lane), Some(region)) = (lane(number), region()) else {
        return;
    };
    let life = Life {
        number,
        lane,
        region,
    };
    life.go_on();
}

/// What a mirror has to do until its thread of the JVM's ends.
///
/// Dropped before, by pthread_exit in a function of the agent's or by pthread_cancel, it has still to do that: the
/// thread there goes on, and its end is an event.
struct Life {
    number: usize,
    lane: &'static Lane,
    region: &'static Mapped,
}

impl Life {
    fn go_on(&self) {
        let mut bytes = Vec::new();
        loop {
            if receive(self.lane, Awaits::News, &mut bytes).is_none() {
                process::wait_for_the_end();
            }
            match Message::read(&bytes) {
                Some(message) if message.kind == Kind::Bye => break,
                Some(message) => serve(self.lane, message),
                None => process::give_up(UNREADABLE),
            }
        }
        LANE.set(OwnNumber::Gone);
        self.region.release(self.number);
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        // A child has the lane of its parent's thread, who goes on.
        if matches!(LANE.get(), OwnNumber::Has(_)) && !process::is_child() {
            self.go_on();
        }
    }
}

/// What is said of an event, or of a function of the agent's, whose thread ends in the middle of it: pthread_exit and
/// pthread_cancel come back to nobody.
struct Unwound {
    lane: &'static Lane,
    kind: Kind,
    number: i32,
    flag: bool,
    is_answered: bool,
}

impl Unwound {
    fn new(lane: &'static Lane, message: &Message<'_>) -> Self {
        Self {
            lane,
            kind: message.kind,
            number: message.number,
            flag: message.flag,
            is_answered: false,
        }
    }

    /// It has come back.
    fn send(mut self, answer: &Message<'_>) {
        self.is_answered = true;
        send(self.lane, answer);
    }
}

impl Drop for Unwound {
    fn drop(&mut self) {
        if self.is_answered || process::is_child() {
            return;
        }
        let (kind, values) = if self.kind == Kind::Event {
            let hook = !Kind::Done.fields(self.number).is_empty();
            (
                Kind::Done,
                hook.then_some(Value::Bytes(&[])).into_iter().collect(),
            )
        } else if self.kind == Kind::Native {
            (Kind::NativeDone, native_result(&JniGiven::default()))
        } else {
            // JVM_OnLoad has failed.
            (Kind::Ran, vec![Value::Int(if self.flag { -1 } else { 0 })])
        };
        let mut answer = Message::plain(kind, self.number);
        // Of an event the agent has been told.
        answer.flag = self.kind == Kind::Event;
        answer.values = values;
        send(self.lane, &answer);
    }
}

fn native_result(given: &JniGiven) -> Vec<Value<'static>> {
    vec![
        Value::Int(given.number),
        Value::Id(given.id),
        Value::Text(None),
        Value::Bytes(&[]),
    ]
}

/// The dump in an event has what is open in it filled in.
fn fill(bytes: &[u8]) -> Vec<u8> {
    let number = |what, id| {
        let number = match what {
            Open::Env => agent_host::env_address(id) as u64,
            Open::Token => TOKENS.lock().get_or_insert_default().token(id),
        };
        u32::try_from(number).unwrap_or(0)
    };
    lanes::fill_dump(bytes, number)
        .unwrap_or_else(|| process::give_up("a dump of the JVM's cannot be read"))
}

/// An event, or a function of the agent's that is to run.
fn serve(lane: &'static Lane, mut message: Message<'_>) {
    narrow(&mut message);
    let number = message.number;
    let unwound = Unwound::new(lane, &message);
    match message.kind {
        Kind::Event => {
            let mut values = message.values;
            let dump = lanes::dump_place(number).and_then(|place| values.get_mut(place));
            let filled;
            if let Some(dump) = dump {
                filled = fill(dump.bytes().unwrap_or_default());
                *dump = Value::Bytes(&filled);
            }
            let handled = agent_host::notify(number, message.flag, message.env, &values);
            let mut done = Message::plain(Kind::Done, number);
            done.flag = handled.is_some();
            let new = handled.and_then(|handled| handled.new_class);
            let hook = !Kind::Done.fields(number).is_empty();
            done.values
                .extend(hook.then(|| Value::Bytes(new.as_deref().unwrap_or_default())));
            unwound.send(&done);
        }
        Kind::Run => {
            agent_host::set_current_env(message.env);
            let result = if message.flag {
                let options = message.values.get(1).and_then(Value::bytes);
                AGENT
                    .get()
                    .map_or(-1, |agent| agent.load(options.map(<[u8]>::to_vec)))
            } else {
                let function = message.values.first().and_then(Value::id).unwrap_or(0);
                agent_host::run_system_thread(function);
                0
            };
            let mut ran = Message::plain(Kind::Ran, 0);
            ran.values.push(Value::Int(result.into()));
            unwound.send(&ran);
        }
        Kind::Native => {
            agent_host::set_current_env(message.env);
            let given = run_native(&message).unwrap_or_default();
            let mut done = Message::plain(Kind::NativeDone, 0);
            done.values = native_result(&given);
            widen(&mut done);
            unwound.send(&done);
        }
        Kind::Done
        | Kind::Call
        | Kind::Answer
        | Kind::Ran
        | Kind::Ask
        | Kind::Bye
        | Kind::Jni
        | Kind::JniDone
        | Kind::NativeDone
        | Kind::Attach
        | Kind::Detach
        | Kind::Attached => process::give_up(UNREADABLE),
    }
}

#[cfg(target_arch = "x86")]
fn run_native(message: &Message<'_>) -> Option<JniGiven> {
    let [function, signature, arguments] = message.values.as_slice() else {
        return None;
    };
    let signature = signature.bytes()?;
    let env = agent_host::env_address(message.env);
    agent_host::run_native(env, function.id()?, signature, arguments.rows())
}

/// A plain build is for the VM's own width, and no use.
#[cfg(not(target_arch = "x86"))]
fn run_native(_: &Message<'_>) -> Option<JniGiven> {
    None
}

const GET_CURRENT_THREAD_CPU_TIME: u8 = 13;

/// A call of the agent's, on whatever thread; events that happen in it come here, too.
pub(crate) fn call(slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
    let mut message = Message::plain(Kind::Call, slot.into());
    message.values = arguments.to_vec();
    if slot == GET_CURRENT_THREAD_CPU_TIME {
        message.env = cpu_clock::own_nanos();
    }
    ask_there(message, Kind::Answer, |heard| {
        heard.flag.then(|| heard.values.iter().map(own).collect())
    })
}

/// The same of a function of JNI.
pub(crate) fn jni(slot: usize, arguments: Vec<Vec<Value<'_>>>) -> Option<JniGiven> {
    let mut message = Message::plain(Kind::Jni, i32::try_from(slot).ok()?);
    message.values.push(Value::List(arguments));
    ask_there(message, Kind::JniDone, |heard| {
        let [number, id, _, memory] = heard.values.as_slice() else {
            return None;
        };
        heard.flag.then(|| JniGiven {
            number: number.int().unwrap_or(0),
            id: id.id().unwrap_or(0),
            memory: memory.bytes().unwrap_or_default().to_vec(),
        })
    })
}

/// Has the VM know the calling thread; JNI's code, and its JNIEnv.
pub(crate) fn attach(how: &Attach) -> Option<(i32, u64)> {
    let mut message = Message::plain(Kind::Attach, how.version);
    message.flag = how.as_daemon;
    message.values = vec![Value::Text(how.name.as_deref()), Value::Id(how.group)];
    ask_there(message, Kind::Attached, |done| {
        Some((done.number, done.env))
    })
}

/// Has the VM forget it again; JNI's code.
pub(crate) fn detach() -> Option<i32> {
    let message = Message::plain(Kind::Detach, 0);
    ask_there(message, Kind::Attached, |done| Some(done.number))
}

fn ask_there<T>(
    mut message: Message<'_>,
    answer: Kind,
    read: impl FnOnce(&Message<'_>) -> Option<T>,
) -> Option<T> {
    let _state = Uncancelled::here();
    let lane = lane(own_lane()?)?;
    widen(&mut message);
    send(lane, &message)?;
    let mut bytes = Vec::new();
    loop {
        receive(lane, Awaits::Answer, &mut bytes)?;
        let Some(mut heard) = Message::read(&bytes) else {
            process::give_up(UNREADABLE);
        };
        if heard.kind != answer {
            serve(lane, heard);
            continue;
        }
        narrow(&mut heard);
        return read(&heard);
    }
}

/// The calling thread's; `None` if there is no more, or in a child of this process, whose words would be taken for
/// its parent's.
fn own_lane() -> Option<usize> {
    if process::is_child() {
        return None;
    }
    match LANE.get() {
        OwnNumber::NotYet => ask(),
        OwnNumber::Has(number) => Some(number),
        OwnNumber::Gone => None,
    }
}

/// With the raw monitors that need no conversation, and the calling thread's lane.
pub(crate) fn with_thin(act: impl FnOnce(&ThinMonitors, usize) -> bool) -> bool {
    let region_and_lane = region().zip(own_lane());
    region_and_lane.is_some_and(|(region, lane)| act(region.thin(), lane))
}

/// Answers have no text but the place of the caller, which agents do not get.
fn own(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Int(number) => Value::Int(*number),
        Value::Id(id) => Value::Id(*id),
        Value::Text(_) => Value::Text(None),
        Value::Bytes(_) => Value::Bytes(&[]),
        Value::List(rows) => Value::List(
            rows.iter()
                .map(|row| row.iter().map(own).collect())
                .collect(),
        ),
    }
}

/// A lane for a thread that the JVM does not know; one there serves it from now on.
fn ask() -> Option<usize> {
    // A handler of a signal that comes meanwhile does without, and asks for none.
    LANE.set(OwnNumber::Gone);
    let number = new_lane();
    LANE.set(number.map_or(OwnNumber::NotYet, OwnNumber::Has));
    if let Some(number) = number {
        OWN.set(Some(OwnLane(number)));
    }
    number
}

fn new_lane() -> Option<usize> {
    static ASKING: Mutex<()> = Mutex::new(());
    let _turn = ASKING.lock();
    let region = region()?;
    let number = region.claim(Side::Host)?;
    let first = region.lane(0)?;
    send(
        first,
        &Message::plain(Kind::Ask, i32::try_from(number).ok()?),
    )?;
    let mut bytes = Vec::new();
    receive(first, Awaits::Answer, &mut bytes)?;
    if !Message::read(&bytes).is_some_and(|answer| answer.flag) {
        // No thread could be made there: this one does without JVMPI, like one for which there is no lane.
        region.release(number);
        return None;
    }
    Some(number)
}
