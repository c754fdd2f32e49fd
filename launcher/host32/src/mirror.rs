//! Threads here, and the lanes on which they talk to their own in the JVM.

use std::cell::Cell;

use agent_host::{Attach, Ours};
use event_translate::jni_functions::JniGiven;
use lanes::{Awaits, Gone, Kind, Lane, Message, Open, Side, ThinMonitors, Tokens};
use parking_lot::Mutex;
use recording_format::{Field, Value};

use crate::cancellation::Uncancelled;
use crate::own::{self, Owed, OwnLane};
use crate::{AGENT, cpu_clock, process, region};

/// Why nothing more can be done for the agent.
const UNREADABLE: &str = "what the JVM says cannot be read";

/// The numbers of ids that are too large for the agent.
static TOKENS: Mutex<Option<Tokens>> = Mutex::new(None);

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
    own::begin(number, mirror_ends);
    go_on(number);
}

/// What it has to do until its thread of the JVM's ends, also if it ends before itself.
fn go_on(number: usize) {
    let (Some(lane), Some(region)) = (lane(number), region()) else {
        return;
    };
    let mut bytes = Vec::new();
    loop {
        if receive(lane, Awaits::News, &mut bytes).is_none() {
            process::wait_for_the_end();
        }
        match Message::read(&bytes) {
            Some(message) if message.kind == Kind::Bye => break,
            Some(message) => serve(lane, message),
            None => process::give_up(UNREADABLE),
        }
    }
    own::set_lane(OwnLane::Gone);
    region.release(number);
}

/// It ends: its thread of the JVM's goes on, and the end of that is an event.
fn mirror_ends(number: usize, owed: Vec<Owed>) {
    pay(number, owed);
    go_on(number);
}

/// A thread ends that the agent has made.
fn agents_thread_ends(number: usize, owed: Vec<Owed>) {
    pay(number, owed);
    own::set_lane(OwnLane::Gone);
    if let Some(lane) = lane(number) {
        send(lane, &Message::plain(Kind::Bye, 0));
    }
}

/// Of a thread that ends in the middle of all this.
fn pay(number: usize, mut owed: Vec<Owed>) {
    let Some(lane) = lane(number) else { return };
    while let Some(owed) = owed.pop() {
        match owed {
            Owed::Question(answer) => {
                receive_answer(lane, answer, &mut Vec::new());
            }
            Owed::Reply { kind, number, flag } => {
                send(lane, &unfinished(kind, number, flag));
            }
        }
    }
}

/// What is said of an event, or of a function of the agent's, whose thread has ended in it.
fn unfinished(kind: Kind, number: i32, flag: bool) -> Message<'static> {
    let (kind, values) = if kind == Kind::Event {
        let hook = !Kind::Done.fields(number).is_empty();
        let values = hook.then_some(Value::Bytes(&[])).into_iter().collect();
        (Kind::Done, values)
    } else if kind == Kind::Native {
        (Kind::NativeDone, native_result(&JniGiven::default()))
    } else {
        // JVM_OnLoad has failed.
        (Kind::Ran, vec![Value::Int(if flag { -1 } else { 0 })])
    };
    let mut answer = Message::plain(kind, number);
    // Of an event the agent has been told.
    answer.flag = kind == Kind::Done;
    answer.values = values;
    answer
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
    let owed = Owed::Reply {
        kind: message.kind,
        number: message.number,
        flag: message.flag,
    };
    own::owing(owed, || answer(lane, message));
}

fn answer(lane: &Lane, message: Message<'_>) {
    let number = message.number;
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
            send(lane, &done);
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
            send(lane, &ran);
        }
        Kind::Native => {
            agent_host::set_current_env(message.env);
            let given = run_native(&message).unwrap_or_default();
            let mut done = Message::plain(Kind::NativeDone, 0);
            done.values = native_result(&given);
            widen(&mut done);
            send(lane, &done);
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
    let mut heard = own::owing(Owed::Question(answer), || {
        receive_answer(lane, answer, &mut bytes)
    })?;
    narrow(&mut heard);
    read(&heard)
}

/// Comes back with it, when all events have been served that come before.
fn receive_answer<'a>(
    lane: &'static Lane,
    answer: Kind,
    bytes: &'a mut Vec<u8>,
) -> Option<Message<'a>> {
    loop {
        receive(lane, Awaits::Answer, bytes)?;
        match Message::read(bytes) {
            Some(heard) if heard.kind == answer => break,
            Some(heard) => serve(lane, heard),
            None => process::give_up(UNREADABLE),
        }
    }
    Message::read(bytes)
}

/// The calling thread's; `None` if there is no more, or in a child of this process, whose words would be taken for
/// its parent's.
fn own_lane() -> Option<usize> {
    if process::is_child() {
        return None;
    }
    match own::lane() {
        OwnLane::NotYet => ask(),
        OwnLane::Has(number) => Some(number),
        OwnLane::Gone => None,
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
    own::set_lane(OwnLane::Gone);
    let number = new_lane();
    match number {
        Some(number) => own::begin(number, agents_thread_ends),
        None => own::set_lane(OwnLane::NotYet),
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
