//! MONITOR_DUMP: all monitors and threads at one moment.
//!
//! Names, ids and whatever the agent has to be told first come after the look at them
//! ([`crate::events::monitors::monitor_snapshot`]), when no thread is stopped.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use dump_format::{MonitorId, MonitorWriter, WriteError};
use event_translate::table::EventKind;
use event_translate::thread_status;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{
    JVMPI_CallFrame, JVMPI_CallTrace, JVMPI_Event_monitor_dump, JVMPI_REQUESTED_EVENT,
};

use crate::base::{log, progress};
use crate::delivery::announce;
use crate::delivery::dispatch::{self, Sent};
use crate::delivery::gate;
use crate::events::call_traces::call_trace;
use crate::events::monitors::monitor_snapshot::{Monitor, ThreadSnapshot, World, look};
use crate::events::threads::in_dumps::{UnderWay, is_known};
use crate::model::tables::THREADS;
use crate::model::thread::Thread;
use crate::model::{ids, threads};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// RequestEvent(MONITOR_DUMP): JVMPI's answer.
pub(crate) fn request() -> Option<bool> {
    let (jvmti, jni) = this_vm::for_call("RequestEvent(MONITOR_DUMP)")?;
    if this_vm::phase() == Phase::Loading {
        log::warn_once!("RequestEvent(MONITOR_DUMP): not before JVM_INIT_DONE; JVMPI_FAIL");
        return None;
    }
    let own = threads::own()?;
    /// Without a limit the VM has; it is only for those who check JNI's rules.
    const ROOM: usize = 60_000;
    gate::let_a_bracket_end(&own);
    let _under_way = UnderWay::begin(&own);
    let _aside = ExceptionAside::put(jni);
    let world = jni.with_frame(ROOM, || look(jvmti, jni));
    world.map(|world| send(jvmti, jni, &own, &world))
}

fn send(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, world: &World) -> bool {
    // What the agent does not know, or knows to have ended, is not there.
    let start = Instant::now();
    let envs: Vec<Option<usize>> = world
        .threads
        .iter()
        .map(|seen| {
            progress::note();
            let known = is_known(jvmti, jni, own, &seen.record, start);
            known.then_some(seen.record.env)
        })
        .collect();
    let shown = world.threads.iter().zip(&envs);
    let shown = shown.filter_map(|(seen, env)| Some((seen, (*env)?)));
    let mut stacks: Vec<(usize, &ThreadSnapshot, Vec<JVMPI_CallFrame>)> = shown
        .map(|(seen, env)| {
            // Who ends meanwhile waits for this as long as it gets on.
            progress::note();
            (env, seen, call_trace::named(jvmti, jni, &seen.frames))
        })
        .collect();
    let monitors: Vec<_> = world
        .monitors
        .iter()
        .filter_map(|monitor| {
            let id = announce::object(jvmti, jni, own, monitor.object.get())?;
            Some((id, monitor))
        })
        .collect();

    let mut statuses: Vec<i32> = stacks
        .iter()
        .map(|(_, seen, _)| status(seen, world))
        .collect();
    let mut traces = Vec::new();
    let mut bytes = Vec::new();
    let event_type = EventKind::MonitorDump.raw() | JVMPI_REQUESTED_EVENT;
    let sent = dispatch::deliver_filled(own, event_type, |event| {
        traces = stacks
            .iter_mut()
            .map(|(env, seen, frames)| {
                call_trace::leave_out_unloaded(&seen.frames, frames);
                JVMPI_CallTrace {
                    env_id: std::ptr::with_exposed_provenance_mut(*env),
                    num_frames: i32::try_from(frames.len()).unwrap_or(i32::MAX),
                    frames: frames.as_mut_ptr(),
                }
            })
            .collect();
        if let Err(error) = write(&mut bytes, &monitors, world, &envs) {
            log::warn_once!("MONITOR_DUMP: {error}; some monitors are missing");
        }
        let all = bytes.as_mut_ptr_range();
        event.u.monitor_dump = JVMPI_Event_monitor_dump {
            begin: all.start.cast(),
            end: all.end.cast(),
            num_traces: i32::try_from(traces.len()).unwrap_or(i32::MAX),
            traces: traces.as_mut_ptr(),
            threads_status: statuses.as_mut_ptr(),
        };
    });
    sent == Sent::Yes
}

/// By which a thread enters raw monitors; 0 if it does not, as one that carries another.
fn key_of(record: &Thread, carried: &HashMap<u64, Arc<Thread>>) -> u64 {
    if let Some(carrier) = record.carrier() {
        return carrier.native().key.load(Ordering::Acquire);
    }
    let key = record.native().key.load(Ordering::Acquire);
    if carried.contains_key(&key) { 0 } else { key }
}

/// JVMPI's status of a thread: the VM does not know of raw monitors.
fn status(seen: &ThreadSnapshot, world: &World) -> i32 {
    let key = key_of(&seen.record, &world.carried);
    let raw = if key == 0 {
        None
    } else if world.raw.iter().any(|raw| raw.waiting.contains(&key)) {
        Some(thread_status::CONDVAR_WAIT)
    } else if world.raw.iter().any(|raw| raw.entering.contains(&key)) {
        Some(thread_status::MONITOR_WAIT)
    } else {
        // Our own thread waits without a raw monitor.
        let ours = seen.record.native().is_workers.load(Ordering::Acquire);
        seen.record.raw_wait().filter(|_| ours)
    };
    let status = thread_status::in_raw_monitor(seen.status, raw);
    // The kernel would have called all of them waiting before.
    let status = match seen.in_vm.filter(|_| raw.is_none()) {
        Some(state) => seen.record.status_in_vm(state, status),
        None => status,
    };
    seen.record.shown_status(status)
}

fn write(
    bytes: &mut Vec<u8>,
    monitors: &[(ObjectId, &Monitor)],
    world: &World,
    envs: &[Option<usize>],
) -> Result<(), WriteError> {
    let mut writer = MonitorWriter::new(bytes);
    let env = |place: usize| envs.get(place).copied().flatten();
    let all = |places: &[usize]| {
        places
            .iter()
            .filter_map(|&place| env(place))
            .collect::<Vec<_>>()
    };
    for (id, monitor) in monitors {
        let owner = monitor.owner.and_then(env);
        writer.monitor(
            MonitorId::Java(ids::object_id(Some(*id)).addr()),
            owner.unwrap_or(0),
            owner.map_or(0, |_| monitor.entry_count),
            &all(&monitor.entering),
            &all(&monitor.waiting),
        )?;
    }
    // Threads that the VM does not list are known all the same, if they have introduced
    // themselves.
    let places = world.threads.iter().enumerate();
    let places: HashMap<usize, usize> = places
        .map(|(place, seen)| (seen.record.env, place))
        .collect();
    let mut by_key: HashMap<u64, usize> = HashMap::new();
    for thread in THREADS.snapshot().iter().chain(world.carried.values()) {
        let known = match places.get(&thread.env) {
            Some(&place) => env(place).is_some(),
            None => thread.announced.is_done() && !thread.ends.load(Ordering::SeqCst),
        };
        if known {
            by_key.insert(key_of(thread, &world.carried), thread.env);
        }
    }
    by_key.remove(&0);
    let all = |keys: &[u64]| {
        keys.iter()
            .filter_map(|key| by_key.get(key).copied())
            .collect::<Vec<_>>()
    };
    for raw in &world.raw {
        let owner = by_key.get(&raw.owner).copied();
        let id = MonitorId::Raw {
            name: raw.name.as_ptr().expose_provenance(),
            id: usize::try_from(raw.id.raw()).unwrap_or(0),
        };
        writer.monitor(
            id,
            owner.unwrap_or(0),
            owner.map_or(0, |_| raw.depth),
            &all(&raw.entering),
            &all(&raw.waiting),
        )?;
    }
    Ok(())
}
