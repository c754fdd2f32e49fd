//! What a bracket tells: OBJECT_FREE, OBJECT_MOVE and arenas, by the arena model; and
//! CLASS_UNLOAD before it.
//!
//! # Threads
//! The one that sends the bracket.

use std::collections::HashSet;
use std::ffi::CStr;
use std::sync::atomic::Ordering;

use arena_models::{ArenaEvent, Model, Resident};
use event_translate::EventKind;
use id_map::{Flag, Kind, ObjectId, Recycler};
use jvmpi_headers::jvmpi::{
    JVMPI_Event_class_unload, JVMPI_Event_delete_arena, JVMPI_Event_new_arena,
    JVMPI_Event_obj_free, JVMPI_Event_obj_move,
};
use parking_lot::Mutex;

use crate::base::config;
use crate::base::observer;
use crate::base::progress;
use crate::delivery::dispatch::{self, Sent};
use crate::events::compiled_code::compiled;
use crate::events::gc::bracket_event::HURRY;
use crate::events::gc::{bracket_event, unloading};
use crate::model::classes::CLASSES;
use crate::model::ids;
use crate::model::tables::{IDS, NUMBERS};
use crate::model::thread::Thread;
use crate::model::wanted;

static MODEL: Mutex<Option<Model>> = Mutex::new(None);

/// Runs with the arena model of this run; the closure must not call the VM or an agent.
fn with_model<T>(body: impl FnOnce(&mut Model) -> T) -> T {
    let mut model = MODEL.lock();
    body(model.get_or_insert_with(|| Model::new(config::options().arenas)))
}

/// ARENA_NEW of the arenas there are from the start.
pub(crate) fn replay_arenas(own: &Thread) {
    let (start, nursery) = with_model(|model| (model.start(), model.nursery()));
    ids::set_nursery(nursery);
    for event in start {
        if let ArenaEvent::New { arena, name } = event
            && dispatch::reaches_agent(EventKind::ArenaNew)
        {
            dispatch::deliver_filled(own, EventKind::ArenaNew.raw(), |event| {
                event.u.new_arena = new_arena(arena, name);
            });
        }
    }
}

fn new_arena(arena: u8, name: &CStr) -> JVMPI_Event_new_arena {
    JVMPI_Event_new_arena {
        arena_id: i32::from(arena),
        arena_name: name.as_ptr().cast_mut(),
    }
}

/// Inside the bracket: what has died and moved.
pub(crate) fn tell(own: &Thread, recycler: &mut Recycler<'_>) {
    let frees = dispatch::reaches_agent(EventKind::ObjectFree);
    if config::options().arenas == arena_models::Kind::Hotspot {
        // The common case, without a list of the dead.
        let mut event = dispatch::blank(EventKind::ObjectFree.raw(), own);
        IDS.sweep(recycler, |id, entry| {
            // Relaxed: a hint to hurry; the next one sees it.
            if frees
                && entry.has(Flag::KNOWN)
                && wanted::wants(EventKind::ObjectFree)
                && !HURRY.load(Ordering::Relaxed)
            {
                event.u.obj_free = JVMPI_Event_obj_free {
                    obj_id: ids::object_id(Some(id)),
                };
                dispatch::notify(&mut event);
                progress::note();
            }
        });
        return;
    }
    tell_by_model(own, recycler);
}

fn tell_by_model(own: &Thread, recycler: &mut Recycler<'_>) {
    let resident = |id: ObjectId, arena| Resident {
        object: NUMBERS.outward(id).raw(),
        arena,
    };
    let (mut dead, mut without_arena, mut buried) = (Vec::new(), Vec::new(), Vec::new());
    IDS.sweep(recycler, |id, entry| {
        if entry.has(Flag::ALLOCATED) {
            dead.push(resident(id, entry.arena));
        } else if entry.has(Flag::KNOWN) {
            without_arena.push(NUMBERS.outward(id).raw());
        }
        buried.push(id);
    });
    let mut live = Vec::new();
    if with_model(|model| model.wants_live()) {
        IDS.each(|id, entry| {
            if entry.kind != Kind::Alias && entry.has(Flag::ALLOCATED) {
                live.push(resident(id, entry.arena));
                progress::note();
            }
        });
        live.sort_unstable_by_key(|resident| resident.object);
    }
    let renumber = config::options().renumber;
    let mut rename = |object| match renumber.then(|| IDS.allocate(Kind::Alias)).flatten() {
        Some(fresh) => fresh.raw(),
        None => object,
    };
    let mut events: Vec<ArenaEvent> = without_arena
        .into_iter()
        .map(|object| ArenaEvent::Free { object })
        .collect();
    let nursery = with_model(|model| {
        model.collect(&dead, &live, &mut rename, &mut |event| events.push(event));
        model.nursery()
    });
    ids::set_nursery(nursery);
    for event in events {
        if HURRY.load(Ordering::Relaxed) {
            break;
        }
        send_arena_event(own, event);
    }
    for id in buried {
        NUMBERS.forget(id);
    }
}

fn send_arena_event(own: &Thread, event: ArenaEvent) {
    let pointer =
        |object: u64| std::ptr::without_provenance_mut(usize::try_from(object).unwrap_or_default());
    match event {
        ArenaEvent::New { arena, name } => bracket_event::send(own, EventKind::ArenaNew, |event| {
            event.u.new_arena = new_arena(arena, name);
        }),
        ArenaEvent::Delete { arena } => bracket_event::send(own, EventKind::ArenaDelete, |event| {
            event.u.delete_arena = JVMPI_Event_delete_arena {
                arena_id: i32::from(arena),
            };
        }),
        ArenaEvent::Free { object } => bracket_event::send(own, EventKind::ObjectFree, |event| {
            event.u.obj_free = JVMPI_Event_obj_free {
                obj_id: pointer(object),
            };
        }),
        ArenaEvent::Move {
            object,
            arena,
            new_object,
            new_arena,
        } => {
            // Not before: until then the agent knows it by the old number.
            if let Some(tag) = ObjectId::from_raw(object).and_then(|old| NUMBERS.inward(old)) {
                IDS.set_arena(tag, new_arena);
                if let Some(fresh) = ObjectId::from_raw(new_object).filter(|_| new_object != object)
                {
                    NUMBERS.assign(tag, fresh);
                }
            }
            let model = config::options().arenas;
            bracket_event::send(own, EventKind::ObjectMove, |event| {
                event.u.obj_move = JVMPI_Event_obj_move {
                    arena_id: i32::from(model.in_moves(arena)),
                    obj_id: pointer(object),
                    new_arena_id: i32::from(model.in_moves(new_arena)),
                    new_obj_id: pointer(new_object),
                };
            });
        }
    }
}

/// CLASS_UNLOAD of the dead classes: before the bracket, since the specification has
/// it in multithreaded mode, and so before any OBJECT_FREE.
pub(crate) fn unload_classes(own: &Thread) {
    if IDS.dead_classes() == 0 {
        return;
    }
    observer::tell(|observer| observer.ids_end());
    let mut dead = HashSet::new();
    IDS.look_at_dead(|id, entry| {
        let waits = entry.has(Flag::KEPT) || entry.has(Flag::NAMED_LATER);
        if entry.kind == Kind::Class && !waits && !entry.has(Flag::UNLOADED) {
            dead.insert(id);
        }
    });
    if !compiled::classes_die(own, &dead) {
        return;
    }
    dead.retain(|&id| {
        // What never had its CLASS_LOAD was an object like any other: also an object of the VM's that has no class
        // (yet, or any more), which a walk over the heap has met. Of a class that has been forgotten its members tell.
        let told = || match CLASSES.get(id.raw()) {
            Some(class) => !class.is_hidden() && !class.owes_its_load(),
            None => IDS.has(id, Flag::PREPARED),
        };
        let known = IDS.has(id, Flag::KNOWN) && told();
        let sent = if known && dispatch::reaches_agent(EventKind::ClassUnload) {
            dispatch::deliver_filled(own, EventKind::ClassUnload.raw(), |event| {
                event.u.class_unload = JVMPI_Event_class_unload {
                    class_id: ids::object_id(Some(id)),
                };
            })
        } else {
            Sent::No
        };
        // The gate has been closed meanwhile, by a dump: it stays for the next bracket.
        sent != Sent::Later && IDS.set(id, Flag::UNLOADED)
    });
    unloading::forget(&dead);
}
