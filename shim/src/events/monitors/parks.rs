//! Parked threads: `LockSupport.park` and its like, for an agent that watches them. JVMPI has no event
//! of that; the agent's own function is called (`watch_parks` of `xrun_ext.h`), under the rules
//! of an event.
//!
//! # Threads
//! The hooks in `LockSupport` call on the thread that is parked, before it is and when it goes on.
//! What is still parked is told to an agent that asks for that.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::xrun_ext::XRun_ParkHandler;
use once_cell::sync::OnceCell;

use crate::agent::{agent_call, park_handler};
use crate::base::{log, patience};
use crate::delivery::announce;
use crate::delivery::dispatch::{self, Sent};
use crate::delivery::gate;
use crate::events::monitors::telling::{here, now};
use crate::model::classes::{self, CLASSES};
use crate::model::thread::attention_guard::Attention;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::{Thread, attention, current};
use crate::model::{ids, threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::member_ids::FieldId;
use crate::vm::refs::{Local, ObjectRef};
use crate::vm::this_vm::{self, Phase};

/// A thread is about to be parked, for this object if its caller names one.
pub(crate) fn begins(jni: Jni, blocker: Option<ObjectRef<'_>>) {
    if park_handler::is_watched() {
        note(jni, blocker);
    }
    // Last: what is told before may have had handlers run.
    if current::with_own(gate::is_within) == Some(false) {
        give_permit_back(jni);
    }
}

/// A handler that calls Java may be parked there, for a lock of the library's, and so have the permit
/// that somebody has just given to the program's thread, which would then be parked for ever. It
/// gets one more: at worst it returns for no reason, as `park` may.
fn give_permit_back(jni: Jni) {
    if current::with_own(Thread::was_parked_in_handler) != Some(true) {
        return;
    }
    let Some(own) = current::own() else { return };
    let Some(thread) = own.object() else { return };
    let _aside = ExceptionAside::put(jni);
    let _silent = Attention::set(&own, attention::SILENT);
    if let Some(class) =
        class_loaders::of_boot_loader(jni, c"java/util/concurrent/locks/LockSupport")
    {
        let unpark = (c"unpark", c"(Ljava/lang/Thread;)V");
        jni.call_static_with(class.get(), unpark, thread.get());
        drop(jni.take_exception());
    }
}

fn note(jni: Jni, blocker: Option<ObjectRef<'_>>) {
    if let Some(jvmti) = this_vm::jvmti()
        && let Some(own) = here(jvmti, jni, None)
        && own.monitor_wait().park.begins(own.is_virtual())
    {
        let noted = if blocker.is_none() {
            noted_blocker(jni, &own)
        } else {
            None
        };
        let class = blocker
            .or(noted.as_ref().map(Local::get))
            .and_then(|blocker| jni.class_of(blocker))
            .and_then(|class| classes::of(jvmti, jni, class.get()));
        let class = class.map_or(0, |class| class.id.raw());
        // Last: what this takes is no time of the thread's.
        let now = NonZeroU64::MIN.saturating_add(now());
        own.monitor_wait().park.has_begun(class, now);
    }
}

/// What a caller of `park()` has set by `LockSupport.setCurrentBlocker`, as conditions do from JDK 17
/// on: `Thread` has it in a field, for those who look at threads.
fn noted_blocker(jni: Jni, own: &Thread) -> Option<Local> {
    static FIELD: OnceCell<Option<FieldId>> = OnceCell::new();
    let find = || {
        let class = class_loaders::of_boot_loader(jni, c"java/lang/Thread");
        let field =
            class.and_then(|class| jni.field(class.get(), c"parkBlocker", c"Ljava/lang/Object;"));
        if field.is_none() {
            drop(jni.take_exception());
            log::warn_once!("Thread has no parkBlocker in this VM: conditions have no blocker");
        }
        field
    };
    // Looked for outside of the cell: whoever waits for that would be a thread of the program's.
    let field = match FIELD.get() {
        Some(field) => *field,
        None => {
            let found = find();
            let _ = FIELD.set(found);
            found
        }
    };
    jni.object_field(own.object()?.get(), field?)
}

/// It goes on.
pub(crate) fn ends(jni: Jni) {
    let owes = |own: &Thread| gate::is_within(own) && own.monitor_wait().park.ends_in_handler();
    if current::with_own(owes) == Some(true)
        && let Some(own) = current::own()
    {
        // The handler's event may lie between the beginning of a park and the park itself.
        own.keep(Permit);
    }
    let Some((class, since)) = current::with_own(|own| own.monitor_wait().park.ends()).flatten()
    else {
        return;
    };
    let nanos = now().saturating_sub(since.saturating_sub(1));
    if let Some(jvmti) = this_vm::jvmti()
        && let Some(own) = here(jvmti, jni, None)
    {
        let parked = Parked {
            class: ObjectId::from_raw(class),
            nanos: i64::try_from(nanos).unwrap_or(i64::MAX),
        };
        tell(jvmti, jni, &own, parked);
    }
}

/// Calls this for each thread that is parked now, on the calling thread; how many there are. `None`:
/// not now, or not here.
///
/// It is called as a part of the agent's own call, and so beside a bracket like all that an agent
/// does meanwhile: at the gate a caller could wait for a sender that waits for a lock of his.
///
/// # Phase
/// Live, and JVM_SHUT_DOWN.
pub(crate) fn list(still: XRun_ParkHandler) -> Option<usize> {
    let (jvmti, jni) = this_vm::for_call("list_parked")?;
    let own = threads::own()?;
    let mut count = 0;
    for thread in threads::all_kinds() {
        let Some((class, since)) = thread.park_under_way() else {
            continue;
        };
        // Parked for ever it may have been collected; it may be about to say who it is.
        let object = thread.object();
        let is_there = object.is_some_and(|held| jni.local(held.get()).is_some());
        let unknown = wanted::wants(EventKind::ThreadStart) && !thread.announced.is_done();
        if !is_there || unknown || thread.ends.load(Ordering::SeqCst) {
            continue;
        }
        // Without it where it cannot be told of now.
        let class = CLASSES.get(class).filter(|class| {
            announce::class(jvmti, jni, &own, class, patience::DEFINITION_UNDER_LOCKS)
        });
        if thread.ends.load(Ordering::SeqCst) {
            continue;
        }
        let nanos = now().saturating_sub(since.saturating_sub(1));
        let nanos = i64::try_from(nanos).unwrap_or(i64::MAX);
        let blocker = ids::object_id(class.as_ref().map(|class| class.id));
        current::without_new_exceptions(|| {
            agent_call::parked(still, thread.env, blocker, nanos);
        });
        count += 1;
    }
    Some(count)
}

/// One that is over.
#[derive(Clone, Copy, Debug)]
struct Parked {
    /// Of the blocker.
    class: Option<ObjectId>,
    nanos: i64,
}

/// Calls the agent, or keeps it for later.
fn tell(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, parked: Parked) {
    if !matches!(this_vm::phase(), Phase::Live | Phase::ShuttingDown) {
        return;
    }
    let class = parked.class.and_then(|id| CLASSES.get(id.raw()));
    if let Some(class) = &class {
        announce::class(jvmti, jni, own, class, patience::DEFINITION_UNDER_LOCKS);
    }
    let sent = dispatch::pass(own, 0, || {
        // It may have changed while this thread waited.
        let Some(handler) = park_handler::get() else {
            return false;
        };
        let blocker = ids::object_id(class.as_ref().map(|class| class.id));
        let mut sent = false;
        current::without_new_exceptions(|| {
            if !gate::is_too_late() {
                agent_call::parked(handler, own.env_ptr().addr(), blocker, parked.nanos);
                sent = true;
            }
        });
        sent
    });
    if sent == Sent::Later {
        own.keep(parked);
    }
}

/// One that is owed to the thread when its handler returns, unless it has got it by then.
#[derive(Debug)]
struct Permit;

impl Deferred<Thread> for Permit {
    fn send(self: Box<Self>, _: Jvmti, jni: Jni, _: &Arc<Thread>) {
        give_permit_back(jni);
    }
}

impl Deferred<Thread> for Parked {
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
        tell(jvmti, jni, own, *self);
    }
}
