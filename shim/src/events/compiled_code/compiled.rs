//! COMPILED_METHOD_LOAD and COMPILED_METHOD_UNLOAD.
//!
//! The VM tells of compiled code on its own Service Thread, which must not wait for an
//! agent: deaths come from there, too. So what it tells is put in a queue, and the
//! thread that sends the brackets sends this as well, in order.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use event_translate::EventKind;
use event_translate::needs::VmEvent;
use id_map::{Flag, ObjectId};
use jvmpi_headers::jvmpi::{JVMPI_Event_compiled_method_load, JVMPI_Lineno};
use parking_lot::Mutex;

use crate::base::guards::Turn;
use crate::base::log;
use crate::base::patience;
use crate::delivery::announce::{self};
use crate::delivery::dispatch::{self, Sent};
use crate::delivery::worker;
use crate::model::classes::{Class, methods};
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::this_vm;

/// Code that the VM has installed.
struct Code {
    class: Arc<Class>,
    method: MethodId,
    address: usize,
    /// Bytes.
    size: i32,
    /// By offset from the start of the code.
    lines: Vec<JVMPI_Lineno>,
}

enum Change {
    Load(Code),
    /// The code at this address is gone.
    Unload(usize),
}

static QUEUE: Mutex<VecDeque<Change>> = Mutex::new(VecDeque::new());

/// CompiledMethodLoad: the VM's thread, or the caller of GenerateEvents. `map` has pairs
/// of address and bytecode index.
pub(crate) fn loaded(
    method: MethodId,
    address: usize,
    size: i32,
    map: impl Iterator<Item = (usize, i64)>,
) {
    let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) else {
        return;
    };
    let Some(method) = methods::of(jvmti, jni, method).filter(|method| !method.is_ours()) else {
        return;
    };
    let mut lines: Vec<JVMPI_Lineno> = map
        .filter_map(|(at, location)| {
            Some(JVMPI_Lineno {
                offset: i32::try_from(at.checked_sub(address)?).ok()?,
                lineno: method.line_at(location)?,
            })
        })
        .collect();
    lines.sort_by_key(|line| line.offset);
    push(Change::Load(Code {
        class: Arc::clone(&method.class),
        method: method.announced_as(),
        address,
        size,
        lines,
    }));
}

/// CompiledMethodUnload, on the VM's thread. The method may be gone.
pub(crate) fn unloaded(address: usize) {
    push(Change::Unload(address));
}

fn push(change: Change) {
    QUEUE.lock().push_back(change);
    worker::wake();
}

/// Has the VM tell of what it compiled before it was asked; sent by [`send`].
pub(crate) fn replay(jvmti: Jvmti) {
    if wanted::wants(EventKind::CompiledMethodLoad)
        && let Err(error) = jvmti.generate_events(VmEvent::CompiledMethodLoad)
    {
        log::warning!("{error}; code compiled before the agent gets no COMPILED_METHOD_LOAD");
    }
}

/// Code that the agent knows.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    method: MethodId,
    class: ObjectId,
    /// Bytes, and lines: other code of the same method may come to lie where it was.
    size: i32,
    lines: usize,
}

/// Which code the agent knows, by address: of the rest no end is told.
static KNOWN: Mutex<BTreeMap<usize, Known>> = Mutex::new(BTreeMap::new());

/// Sends what the VM has told meanwhile. One thread at a time.
pub(crate) fn send(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    static SENDING: AtomicBool = AtomicBool::new(false);
    if QUEUE.lock().is_empty() {
        return;
    }
    let Some(_turn) = Turn::take(&SENDING) else {
        return;
    };
    loop {
        // Not under the lock: an agent's handler may make the VM compile.
        let next = QUEUE.lock().pop_front();
        let Some(change) = next else { break };
        let sent = match &change {
            Change::Load(code) => send_load(jvmti, jni, own, code),
            Change::Unload(address) => send_unload(own, *address),
        };
        if sent == Sent::Later {
            // The gate is closed, and this thread must not wait.
            QUEUE.lock().push_front(change);
            break;
        }
    }
}

fn send_load(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, code: &Code) -> Sent {
    let unloaded = || {
        let class = IDS.get(code.class.id);
        class.is_none_or(|class| class.has(Flag::UNLOADED))
    };
    if !dispatch::reaches_agent(EventKind::CompiledMethodLoad) || unloaded() {
        return Sent::No;
    }
    announce::introduce(jvmti, jni, own);
    if !announce::class(jvmti, jni, own, &code.class, patience::DEFINITION) {
        return Sent::No;
    }
    let known = Known {
        method: code.method,
        class: code.class.id,
        size: code.size,
        lines: code.lines.len(),
    };
    if KNOWN.lock().get(&code.address) == Some(&known) {
        // Told by the VM of itself and by GenerateEvents.
        return Sent::No;
    }
    if send_unload(own, code.address) == Sent::Later {
        return Sent::Later;
    }
    let mut told = false;
    let sent = dispatch::pass(own, EventKind::CompiledMethodLoad.raw(), || {
        // Its class may have gone while this thread waited at the gate.
        told = !unloaded();
        told && {
            KNOWN.lock().insert(code.address, known);
            let mut event = dispatch::blank(EventKind::CompiledMethodLoad.raw(), own);
            event.u.compiled_method_load = JVMPI_Event_compiled_method_load {
                code_size: code.size,
                lineno_table_size: i32::try_from(code.lines.len()).unwrap_or(0),
                lineno_table: code.lines.as_ptr().cast_mut(),
                ..contents(code.method, code.address)
            };
            dispatch::notify(&mut event)
        }
    });
    if told && sent != Sent::Yes {
        KNOWN.lock().remove(&code.address);
    }
    sent
}

fn send_unload(own: &Thread, address: usize) -> Sent {
    let known = KNOWN.lock().remove(&address);
    let Some(known) = known else {
        return Sent::No;
    };
    let sent = tell_unload(own, known.method, address);
    if sent == Sent::Later {
        KNOWN.lock().insert(address, known);
    }
    sent
}

/// The classes are about to be unloaded: their code goes first, though the VM has not
/// told of it yet (JVMPI facts R9). False if that could not be said of all of it yet.
pub(crate) fn classes_die(own: &Thread, dead: &HashSet<ObjectId>) -> bool {
    let mut gone = Vec::new();
    KNOWN.lock().retain(|&address, &mut known| {
        let dies = dead.contains(&known.class);
        if dies {
            gone.push((address, known));
        }
        !dies
    });
    gone.retain(|&(address, known)| tell_unload(own, known.method, address) == Sent::Later);
    let all = gone.is_empty();
    KNOWN.lock().extend(gone);
    all
}

fn tell_unload(own: &Thread, method: MethodId, address: usize) -> Sent {
    if !dispatch::reaches_agent(EventKind::CompiledMethodUnload) {
        return Sent::No;
    }
    dispatch::deliver_filled(own, EventKind::CompiledMethodUnload.raw(), |event| {
        // One agent of the period reads the address where LOAD has it (JVMPI facts
        // C, event 8).
        event.u.compiled_method_load = contents(method, address);
    })
}

fn contents(method: MethodId, address: usize) -> JVMPI_Event_compiled_method_load {
    JVMPI_Event_compiled_method_load {
        method_id: method.to_jni(),
        code_addr: ptr::with_exposed_provenance_mut(address),
        code_size: 0,
        lineno_table_size: 0,
        lineno_table: ptr::null_mut(),
    }
}
