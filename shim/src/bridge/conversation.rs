//! A thread's lane: events go out, and calls come in while the agent handles them.
//!
//! # Safety
//! JVM_OnLoad and NotifyEvent are called by ourselves, as the functions of an agent.
#![allow(unsafe_code, reason = "the two functions that agents have")]

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr;
use std::sync::{Arc, OnceLock};

use event_translate::jni_functions::JniGiven;
use jvmpi_headers::jni::{JNI_ERR, JavaVM, jint};
use jvmpi_headers::jvmpi::{JVMPI_EVENT_CLASS_LOAD_HOOK, JVMPI_Event, JVMPI_REQUESTED_EVENT};
use lanes::{Awaits, Gone, Kind, Lane, Message, Side};
use recording_format::Value;

use crate::agent::agent_call::OnLoad;
use crate::agent::event_values;
use crate::agent::table::NOT_TOLD;
use crate::base::boundary::{guarded, unlogged};
use crate::base::{log, observer};
use crate::bridge::calls::{self, Ours};
use crate::bridge::dumps::{self, NoDump};
use crate::bridge::own_talk::{OwnTalk, own};
use crate::bridge::partner::{self, Beside, Partner};
use crate::bridge::{attach, jni, natives, thin};
use crate::model::thread::threads_met;
use crate::vm::jni::Jni;

const OURS: Ours = Ours {
    notify,
    system_thread,
};

/// What is returned where the agent has heard of the event.
const TOLD: usize = 0;

/// The calling thread, and who it talks with.
struct Talk {
    partner: &'static Partner,
    own: &'static OwnTalk,
    number: usize,
    lane: &'static Lane,
}

impl Talk {
    /// The calling thread's; `None` if the agent is gone, or there is no lane.
    fn own() -> Option<Self> {
        let partner = partner::alive()?;
        let own = own()?;
        if own.lane.get().is_none() {
            own.lane.set(claimed(partner));
        }
        let number = own.lane.get()?;
        let lane = partner.region.lane(number)?;
        Some(Self {
            partner,
            own,
            number,
            lane,
        })
    }

    /// Says what is in `bytes`, and serves the agent until that is done; the last message is in
    /// `bytes` then.
    fn converse(&self, bytes: &mut Vec<u8>) -> Result<(), Gone> {
        let done = self
            .say(bytes)
            .and_then(|()| self.serve(Awaits::Answer, bytes));
        done.inspect_err(|Gone| self.partner.stay_if_it_exits())
    }

    fn say(&self, bytes: &[u8]) -> Result<(), Gone> {
        let nobody_looks = !observer::is_on();
        let met = nobody_looks.then(threads_met::count);
        self.partner.region.set_threads_met(met);
        self.lane.send(Side::Vm, bytes, &|| self.partner.is_gone())
    }

    /// Does what the agent calls until it says something else.
    fn serve(&self, awaits: Awaits, bytes: &mut Vec<u8>) -> Result<(), Gone> {
        let is_gone = || self.partner.is_gone();
        loop {
            self.lane.receive(Side::Vm, awaits, bytes, &is_gone)?;
            thin::settle(self.partner, self.number, &self.own.held);
            let message = Message::read(bytes).ok_or(Gone)?;
            let number = message.number;
            if message.kind == Kind::Call {
                let answer = calls::call(number, message.env, &message.values, &OURS);
                let values = answer.as_deref().unwrap_or_default();
                Message::write_parts(Kind::Answer, answer.is_some(), number, 0, values, bytes);
            } else if message.kind == Kind::Jni {
                let given = jni::call(number, &message.values);
                let could = given.is_some();
                let given = given.unwrap_or_default();
                let values = [
                    Value::Int(given.number),
                    Value::Id(given.id),
                    Value::Text(None),
                    Value::Bytes(&given.memory),
                ];
                Message::write_parts(Kind::JniDone, could, number, 0, &values, bytes);
            } else if message.kind == Kind::Attach {
                let (code, env) = attach::attach(self.own, &message);
                Message::write_parts(Kind::Attached, false, code, env, &[], bytes);
            } else if message.kind == Kind::Detach {
                let code = attach::detach(self.own, awaits);
                Message::write_parts(Kind::Attached, false, code, 0, &[], bytes);
            } else {
                return Ok(());
            }
            self.say(bytes)?;
        }
    }
}

/// A lane for the calling thread.
fn claimed(partner: &Partner) -> Option<usize> {
    let number = partner.region.claim(Side::Vm);
    match number {
        Some(number) => thin::begin(number),
        None => log::warn_once!(
            "more threads than a 32-bit agent can hear at a time; those beyond are not told of"
        ),
    }
    number
}

/// The number of the calling thread; 0 if the VM does not know it.
fn own_env() -> usize {
    Jni::of_this_thread().map_or(0, |jni| jni.env().addr())
}

/// What stands for the agent's JVM_OnLoad.
unsafe extern "C-unwind" fn on_load(_: *mut JavaVM, options: *mut c_char, _: *mut c_void) -> jint {
    guarded("JVM_OnLoad", JNI_ERR, || {
        // SAFETY: NULL or a text, as for any agent.
        let text = (!options.is_null()).then(|| unsafe { CStr::from_ptr(options) }.to_bytes());
        run(true, own_env(), &[Value::Id(0), Value::Text(text)])
    })
}

/// Runs a function of the agent's; what it returns.
fn run(is_on_load: bool, env: usize, values: &[Value<'_>]) -> jint {
    let Some(talk) = Talk::own() else {
        return JNI_ERR;
    };
    let mut bytes = talk.own.room.take();
    Message::write_parts(Kind::Run, is_on_load, 0, env as u64, values, &mut bytes);
    let result = match talk.converse(&mut bytes) {
        Ok(()) => Message::read(&bytes).and_then(|ran| ran.values.first()?.int()),
        Err(Gone) => None,
    };
    talk.own.room.replace(bytes);
    result
        .and_then(|code| jint::try_from(code).ok())
        .unwrap_or(JNI_ERR)
}

/// Has a native method of the agent's run; `None` if the agent is gone.
fn run_native(values: &[Value<'_>]) -> Option<JniGiven> {
    let talk = Talk::own()?;
    let mut bytes = talk.own.room.take();
    Message::write_parts(Kind::Native, false, 0, own_env() as u64, values, &mut bytes);
    let done = talk.converse(&mut bytes);
    let given = done.ok().and_then(|()| {
        let done = Message::read(&bytes)?;
        let [number, id, ..] = done.values.as_slice() else {
            return None;
        };
        Some(JniGiven {
            number: number.int()?,
            id: id.id()?,
            memory: Vec::new(),
        })
    });
    talk.own.room.replace(bytes);
    given
}

/// Starts the process of an agent; what is called as its JVM_OnLoad.
pub(crate) fn start(library: &Path) -> Result<OnLoad, String> {
    let beside = Beside {
        serve: serve_requests,
        wake: calls::agent_died,
    };
    natives::set_run(run_native);
    partner::start(library, beside)?;
    Ok(on_load)
}

/// What the VM runs for each system thread of the agent's.
unsafe extern "C-unwind" fn system_thread(number: *mut c_void) {
    unlogged(
        "a system thread",
        || run_system_thread(number.addr() as u64),
    );
}

/// Runs the function of a system thread on the calling one.
fn run_system_thread(function: u64) {
    run(false, own_env(), &[Value::Id(function), Value::Text(None)]);
}

/// What stands for the agent's NotifyEvent.
unsafe extern "C-unwind" fn notify(event: *mut JVMPI_Event) -> usize {
    guarded("NotifyEvent", NOT_TOLD, || {
        let Some(talk) = Talk::own() else {
            return NOT_TOLD;
        };
        // SAFETY: our own event, which nobody else has meanwhile.
        let event = unsafe { &mut *event };
        let number = event.event_type & !JVMPI_REQUESTED_EVENT;
        let requested = event.event_type & JVMPI_REQUESTED_EVENT != 0;
        let env = event.env_id.addr() as u64;
        let mut bytes = talk.own.room.take();
        let mut write = |values: &[Value<'_>]| {
            Message::write_parts(Kind::Event, requested, number, env, values, &mut bytes);
        };
        let fits = event_values::read(event, |values| {
            match dumps::narrowed(number, values)? {
                None => write(values),
                Some((place, dump)) => {
                    let mut values = values.to_vec();
                    if let Some(value) = values.get_mut(place) {
                        *value = Value::Bytes(&dump);
                    }
                    write(&values);
                }
            }
            Ok::<_, NoDump>(())
        });
        let done = fits.is_ok() && talk.converse(&mut bytes).is_ok();
        let done = done.then(|| Message::read(&bytes)).flatten();
        let done = done.filter(|done| done.flag);
        if let Some(done) = &done
            && number == JVMPI_EVENT_CLASS_LOAD_HOOK
        {
            let new = done.values.first().and_then(Value::bytes);
            replace_class(event, new.unwrap_or_default());
        }
        let told = done.is_some();
        talk.own.room.replace(bytes);
        if told { TOLD } else { NOT_TOLD }
    })
}

/// Leaves a class file in the event, as an agent's handler does.
fn replace_class(event: &mut JVMPI_Event, new: &[u8]) {
    // SAFETY: the event's member.
    let hook = unsafe { &mut event.u.class_load_hook };
    let Ok(len) = u32::try_from(new.len()) else {
        return;
    };
    let (Some(malloc), 1..) = (hook.malloc_f, len) else {
        return;
    };
    // SAFETY: our own function, in the event.
    let memory = unsafe { malloc(len) }.cast::<u8>();
    if memory.is_null() {
        return;
    }
    // SAFETY: room for as many bytes.
    unsafe { ptr::copy_nonoverlapping(new.as_ptr(), memory, new.len()) };
    hook.new_class_data = memory;
    hook.new_class_data_len = jint::try_from(len).unwrap_or(0);
}

/// Gives each thread that the agent has made itself one here, which does its calls.
fn serve_requests() {
    let Some(partner) = partner::alive() else {
        return;
    };
    let Some(first) = partner.region.lane(0) else {
        return;
    };
    let is_gone = || partner.is_gone();
    let mut bytes = Vec::new();
    while first
        .receive(Side::Vm, Awaits::News, &mut bytes, &is_gone)
        .is_ok()
    {
        let asked = Message::read(&bytes).filter(|message| message.kind == Kind::Ask);
        let number = asked.and_then(|asked| usize::try_from(asked.number).ok());
        // The agent's thread enters raw monitors as soon as it has the answer.
        let mut answer = Message::plain(Kind::Answer, 0);
        answer.flag = number.is_some_and(|number| is_served(partner, number));
        answer.write(&mut bytes);
        if first.send(Side::Vm, &bytes, &is_gone).is_err() {
            return;
        }
    }
}

/// Whether a thread has begun; without word it has not.
struct Begun(Arc<OnceLock<bool>>);

impl Drop for Begun {
    fn drop(&mut self) {
        // Refused where it has.
        let _ = self.0.set(false);
    }
}

/// Makes the thread that serves this lane; whether it does by now.
fn is_served(partner: &'static Partner, number: usize) -> bool {
    let said = Arc::new(OnceLock::new());
    let begun = Begun(Arc::clone(&said));
    // One that cannot be made drops it.
    let _ = std::thread::Builder::new().spawn(move || serve_one(partner, number, &begun));
    // It is told before the thread does anything that may wait for somebody ([`crate::base::patience`]).
    *said.wait()
}

fn serve_one(partner: &'static Partner, number: usize, begun: &Begun) {
    unlogged("a thread of the agent's", || {
        let (Some(lane), Some(own)) = (partner.region.lane(number), own()) else {
            return;
        };
        own.lane.set(Some(number));
        thin::begin(number);
        // Nobody has said anything yet.
        let _ = begun.0.set(true);
        // Its end, or that of the agent.
        let talk = Talk {
            partner,
            own,
            number,
            lane,
        };
        let _ = talk.serve(Awaits::News, &mut Vec::new());
        own.lane.set(None);
        thin::end(partner, number);
        partner.region.release(number);
        // The agent hears of this on another lane, for its own thread is gone.
        attach::end(own);
    });
}
