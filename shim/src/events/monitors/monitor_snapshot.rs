//! All monitors and threads at one moment: what MONITOR_DUMP is made of.
//!
//! Only what changes is looked at while the threads stand still.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::thread_status;
use id_map::{Kind, ObjectId};
use jvmpi_headers::jvmti::{
    JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER as BLOCKED,
    JVMTI_THREAD_STATE_IN_OBJECT_WAIT as IN_OBJECT_WAIT,
};

use crate::base::log;
use crate::events::monitors::lock_depth::Entries;
use crate::events::monitors::monitor_search;
use crate::events::threads::stopped::Stopped;
use crate::model::tables::{MONITORS, VIRTUAL_THREADS};
use crate::model::thread::{Thread, current};
use crate::model::{classes, ids};
use crate::vm::capabilities;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef};

/// Frames of each thread, callee first; as many as the VM's own stack dumps have.
const DEPTH: i32 = 1024;

/// A thread as it was; others name it by its place in the list.
pub(crate) struct ThreadSnapshot {
    pub(crate) record: Arc<Thread>,
    pub(crate) status: i32,
    /// As the VM has it, if it runs but in no Java code: it may wait inside the VM.
    pub(crate) in_vm: Option<i32>,
    pub(crate) frames: Vec<Frame>,
}

/// An object's monitor as it was.
pub(crate) struct Monitor {
    pub(crate) object: Global,
    pub(crate) owner: Option<usize>,
    pub(crate) entry_count: u32,
    pub(crate) entering: Vec<usize>,
    pub(crate) waiting: Vec<usize>,
}

/// All of them at that moment.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) threads: Vec<ThreadSnapshot>,
    pub(crate) monitors: Vec<Monitor>,
    places: HashMap<ObjectId, usize>,
    pub(crate) raw: Vec<id_map::Monitor>,
    /// Who enters raw monitors by the keys of carriers: virtual threads that run, which do not leave their carriers
    /// inside one.
    pub(crate) carried: HashMap<u64, Arc<Thread>>,
}

fn carried() -> HashMap<u64, Arc<Thread>> {
    let virtual_threads = VIRTUAL_THREADS.snapshot().into_iter();
    let of_carriers = virtual_threads.filter_map(|thread| {
        let key = thread.carrier()?.native().key.load(Ordering::Acquire);
        Some((key, thread))
    });
    of_carriers.collect()
}

impl World {
    /// The monitor of an object.
    fn monitor(&mut self, jvmti: Jvmti, jni: Jni, object: ObjectRef<'_>) -> Option<&mut Monitor> {
        let id = id_of(jvmti, jni, object)?;
        let place = match self.places.get(&id) {
            Some(&place) => place,
            None => {
                self.monitors.push(Monitor {
                    object: Global::new(jni, object)?,
                    owner: None,
                    entry_count: 0,
                    entering: Vec::new(),
                    waiting: Vec::new(),
                });
                self.places.insert(id, self.monitors.len() - 1);
                self.monitors.len() - 1
            }
        };
        self.monitors.get_mut(place)
    }
}

/// The id of an object, without a word to the agent.
pub(crate) fn id_of(jvmti: Jvmti, jni: Jni, object: ObjectRef<'_>) -> Option<ObjectId> {
    if let Some(id) = ids::tagged(jvmti, object)? {
        return Some(id);
    }
    let class = jni.class_of(object)?;
    let class = classes::of(jvmti, jni, class.get())?;
    if classes::is_class_of_classes(class.id) {
        return Some(classes::of(jvmti, jni, object)?.id);
    }
    ids::id_of(jvmti, jni, object, Kind::Object)
}

/// Whether what this thread owns can be had only of [`Jvmti::monitors_given_to_carrier`].
pub(crate) fn must_stand_still(jvmti: Jvmti, thread: &Thread) -> bool {
    thread.is_virtual() && !current::is_own(thread.env) && jvmti.gives_monitors_to_carriers()
}

/// Stops the threads and looks.
pub(crate) fn look(jvmti: Jvmti, jni: Jni) -> Option<World> {
    let monitors_too = capabilities::can_see_monitors(jvmti);
    ids::tag_all(jvmti, jni);
    let stopped = Stopped::all(jvmti, jni)?;
    let mut world = World {
        raw: MONITORS.snapshot(),
        carried: carried(),
        ..World::default()
    };
    let mut states = Vec::with_capacity(stopped.threads.len());
    let taken = jvmti.stacks(&stopped.objects(), DEPTH, |index, state, frames| {
        if let Some(listed) = stopped.threads.get(index) {
            let state = if listed.stopped {
                state & !thread_status::JVMTI_SUSPENDED
            } else {
                state
            };
            let in_java = frames.first().is_some_and(|top| top.location >= 0);
            world.threads.push(ThreadSnapshot {
                record: Arc::clone(&listed.record),
                status: thread_status::from_jvmti(state),
                in_vm: (!in_java).then_some(state),
                frames: frames.to_vec(),
            });
            states.push(state);
        }
    });
    if let Err(error) = taken {
        log::warn_once!("MONITOR_DUMP: {error}");
        return None;
    }
    if !monitors_too {
        search(jvmti, jni, &mut world, &states);
        return Some(world);
    }
    let mut entries = Entries::default();
    for (place, (listed, state)) in stopped.threads.iter().zip(states).enumerate() {
        let thread = listed.object.get();
        if state & (BLOCKED | IN_OBJECT_WAIT) != 0
            && let Some(object) = jvmti
                .contended_monitor(jni, thread)
                .unwrap_or_default()
                // From JDK 24 on that is only one that it waits to enter. The method on top
                // of the other's stack is Object.wait's native one.
                .or_else(|| {
                    let waits = state & IN_OBJECT_WAIT != 0;
                    // Of a virtual thread its caller, the one in Java, is asked for.
                    let depth = i32::from(listed.record.is_virtual());
                    let receiver = || jvmti.receiver(jni, thread.into(), depth);
                    waits.then(receiver).flatten()
                })
            && let Some(monitor) = world.monitor(jvmti, jni, object.get())
        {
            if state & BLOCKED != 0 {
                monitor.entering.push(place);
            } else {
                monitor.waiting.push(place);
            }
        }
        let owned = if !must_stand_still(jvmti, &listed.record) {
            jvmti.owned_monitors(jni, thread)
        } else if listed.stopped || state & thread_status::JVMTI_SUSPENDED != 0 {
            jvmti.monitors_given_to_carrier(jni, thread)
        } else {
            continue;
        };
        let Ok(owned) = owned else {
            continue;
        };
        let frames = world
            .threads
            .get(place)
            .map_or(&[][..], |seen| &seen.frames);
        let whole = frames.len() < usize::try_from(DEPTH).unwrap_or(0);
        let known =
            whole && listed.stopped && state & (BLOCKED | IN_OBJECT_WAIT) == 0 && !owned.is_empty();
        let entered = known.then(|| entries.of(jvmti, jni, frames)).flatten();
        let monitors = owned.len();
        for object in owned {
            // Each once, if there are as many as its frames hold.
            let count = if entered == Some(monitors) {
                1
            } else {
                let usage = jvmti.monitor_usage(jni, object.get());
                usage.map_or(0, |usage| usage.entry_count)
            };
            // JDK 25 does not count what a virtual thread has entered.
            let all = entered.filter(|_| count == 0 && monitors == 1);
            let all = all.and_then(|all| u32::try_from(all).ok());
            if let Some(monitor) = world.monitor(jvmti, jni, object.get()) {
                monitor.owner = Some(place);
                monitor.entry_count = all.unwrap_or(count).max(1);
            }
        }
    }
    // Not yet without the monitor in `Object.wait`, or just come to have it.
    for monitor in &mut world.monitors {
        let owner = monitor.owner;
        monitor.waiting.retain(|&place| Some(place) != owner);
        monitor.entering.retain(|&place| Some(place) != owner);
    }
    Some(world)
}

/// The monitors of threads of which the VM does not tell; by their states.
fn search(jvmti: Jvmti, jni: Jni, world: &mut World, states: &[i32]) {
    let stacks = world.threads.iter().map(|seen| &*seen.frames);
    let found = monitor_search::search(jvmti, jni, stacks);
    let places = world.threads.iter().enumerate();
    let places: HashMap<usize, usize> = places
        .map(|(place, seen)| (seen.record.env, place))
        .collect();
    for found in found {
        let Some(monitor) = world.monitor(jvmti, jni, found.object.get()) else {
            continue;
        };
        monitor.owner = found.owner.and_then(|env| places.get(&env).copied());
        monitor.entry_count = found.entry_count.max(1);
        let waiters = found.waiters.iter().filter_map(|env| places.get(env));
        let state = |place: &usize| states.get(*place).copied().unwrap_or(0);
        let (entering, waiting): (Vec<_>, Vec<_>) = waiters
            .filter(|place| state(place) & (BLOCKED | IN_OBJECT_WAIT) != 0)
            .partition(|place| state(place) & BLOCKED != 0);
        monitor.entering = entering;
        monitor.waiting = waiting;
    }
}
