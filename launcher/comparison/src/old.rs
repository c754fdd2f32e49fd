//! What counts in records of JVMPI.

use event_translate::{EventKind, Function};
use recording_format::Value;
use terminal_text::modified_utf8;

use crate::dumped::{self, Shapes};
use crate::known::{Known, Name, id, int, is_of_the_vm, is_prepared};
use crate::place::{Depths, Place};
use crate::rules::Noun;
use crate::side::Counting;

/// The group that all virtual threads are in, and the one that this is in: a program can have one of the same name.
const VIRTUAL_THREADS: [&[u8]; 2] = [b"VirtualThreads", b"system"];

/// An event of JVMPI.
pub(crate) fn event(
    side: &mut Counting,
    known: &mut Known,
    (depths, shapes): (&mut Depths, &mut Shapes),
    place: Place,
    (kind, requested, env): (EventKind, bool, u64),
    values: &[Value<'_>],
) {
    let is_news = place.is_live && !requested;
    match kind {
        // Some listen to both kinds of entries.
        EventKind::MethodEntry2 if side.setup.jvmpi.hears(EventKind::MethodEntry) => {}
        EventKind::MethodEntry | EventKind::MethodEntry2 | EventKind::MethodExit if is_news => {
            let method = known.method(id(values, 0));
            if kind == EventKind::MethodExit {
                side.add_one(Noun::MethodsLeft, method, id(values, 0));
                depths.leave(place.thread, method);
            } else {
                let depth = depths.enter(place.thread, method);
                let count = side.add_one(Noun::MethodsEntered, method, id(values, 0));
                count.amount = count.amount.max(depth);
            }
        }
        EventKind::ObjectAlloc => {
            let class = known.allocated(int(values, 2), id(values, 1));
            if is_news {
                let count = side.add_one(Noun::Births, class, id(values, 4));
                count.amount += int(values, 3).unsigned_abs();
            }
            side.objects.insert(id(values, 4), class, arena(values, 0));
        }
        EventKind::ObjectFree => {
            let class = side.objects.remove(id(values, 0));
            let class = class.unwrap_or_else(|| known.number("?"));
            if place.is_live {
                side.add(Noun::Deaths, class);
            }
        }
        EventKind::ObjectMove => side.moves(id(values, 1), id(values, 3), arena(values, 2)),
        // Nothing else is told of what goes with it.
        EventKind::ArenaDelete => {
            for class in side.objects.remove_arena(arena(values, 0)) {
                if place.is_live {
                    side.add(Noun::Deaths, class);
                }
            }
        }
        EventKind::CompiledMethodLoad => {
            let method = known.method(id(values, 0));
            side.add(Noun::Compiled, method);
        }
        EventKind::InstructionStart if is_news => {
            let method = known.method(id(values, 0));
            side.ran(method, int(values, 1));
        }
        EventKind::ThreadStart if groups(values) == VIRTUAL_THREADS.map(Some) => {
            if !requested {
                side.virtual_ones.insert(id(values, 4));
            }
            if is_news {
                let name = known.number("all");
                side.add(Noun::VirtualStarted, name);
            }
        }
        EventKind::ThreadEnd if side.virtual_ones.remove(&env) => {
            let name = known.number("all");
            side.add(Noun::VirtualEnded, name);
        }
        EventKind::ThreadStart => {
            side.threads.insert(id(values, 4), id(values, 3));
            let name = known.thread_of_env(id(values, 4));
            told(
                side,
                Noun::ThreadsStarted,
                (id(values, 3), name),
                place,
                requested,
            );
        }
        EventKind::ThreadEnd => {
            let name = known.thread_of_env(env);
            let thread = side.threads.get(&env).copied().unwrap_or(0);
            side.add_one(Noun::ThreadsEnded, name, thread);
        }
        EventKind::HeapDump | EventKind::ObjectDump => {
            let name = known.number(kind.name());
            side.add(Noun::Dumps, name);
            if kind == EventKind::HeapDump {
                dumped::heap(side, known, shapes, values);
            }
        }
        EventKind::ClassLoad => {
            shapes.learn(values);
            let name = known.class(id(values, 6));
            if let Some(name) = name.filter(|&name| is_prepared(known.text(name))) {
                told(
                    side,
                    Noun::ClassesLoaded,
                    (id(values, 6), name),
                    place,
                    requested,
                );
            }
        }
        EventKind::ClassUnload => {
            side.told.remove(&(Noun::ClassesLoaded, id(values, 0)));
            let name = known.class(id(values, 0));
            if let Some(name) = name.filter(|&name| is_prepared(known.text(name))) {
                side.add(Noun::ClassesUnloaded, name);
            }
        }
        EventKind::MonitorContendedEnter => {
            monitor(side, known, Noun::Contended, env, id(values, 0))
        }
        EventKind::MonitorContendedEntered => {
            monitor(side, known, Noun::Entered, env, id(values, 0))
        }
        EventKind::MonitorWait => monitor(side, known, Noun::Waits, env, id(values, 0)),
        EventKind::MonitorWaited => monitor(side, known, Noun::Waited, env, id(values, 0)),
        // Some listen to both.
        EventKind::GcFinish if side.setup.jvmpi.hears(EventKind::GcStart) => {}
        EventKind::GcStart | EventKind::GcFinish => {
            let name = known.number("all");
            side.add(Noun::Collections, name);
        }
        // Of the agent's own ids and locks JVMTI has none.
        EventKind::CompiledMethodUnload
        | EventKind::ClassLoadHook
        | EventKind::JniGlobalrefAlloc
        | EventKind::JniGlobalrefFree
        | EventKind::JniWeakGlobalrefAlloc
        | EventKind::JniWeakGlobalrefFree
        | EventKind::DataDumpRequest
        | EventKind::DataResetRequest
        | EventKind::MonitorContendedExit
        | EventKind::MonitorDump => *side.setup.beside.entry(kind).or_default() += 1,
        EventKind::MethodEntry
        | EventKind::MethodEntry2
        | EventKind::MethodExit
        | EventKind::InstructionStart
        | EventKind::JvmInitDone
        | EventKind::JvmShutDown
        | EventKind::ArenaNew
        | EventKind::RawMonitorContendedEnter
        | EventKind::RawMonitorContendedEntered
        | EventKind::RawMonitorContendedExit => {}
    }
}

/// The number of an arena.
fn arena(values: &[Value<'_>], place: usize) -> i32 {
    i32::try_from(int(values, place)).unwrap_or(0)
}

/// Of a THREAD_START: the thread's group, and the parent of that.
fn groups<'a>(values: &[Value<'a>]) -> [Option<&'a [u8]>; 2] {
    [1, 2].map(|place| values.get(place)?.bytes())
}

/// Of a thread or a class; what was told already may be requested again.
fn told(side: &mut Counting, noun: Noun, of: (u64, Name), place: Place, requested: bool) {
    let (id, name) = of;
    let is_new = side.told.insert((noun, id));
    if place.is_live && !requested {
        side.add_one(noun, name, id);
    } else if is_new || !requested {
        side.was_there(noun, name, id);
    }
}

fn monitor(side: &mut Counting, known: &mut Known, noun: Noun, env: u64, object: u64) {
    if object == 0 && matches!(noun, Noun::Waits | Noun::Waited) {
        // Thread.sleep.
        return;
    }
    let class = side.objects.get(object);
    let thread = known.thread_of_env(env);
    waited_for(side, known, noun, thread, class);
}

/// A thread waits for a monitor of this class.
pub(crate) fn waited_for(
    side: &mut Counting,
    known: &mut Known,
    noun: Noun,
    thread: Name,
    class: Option<Name>,
) {
    side.unknown_monitors |= class.is_none();
    let class = class.map_or("?", |class| known.text(class));
    let name = format!("{} at {class}", known.text(thread));
    let name = known.number(&name);
    side.add(noun, name);
}

/// A call of the agent's, with its results.
pub(crate) fn call(
    side: &mut Counting,
    known: &mut Known,
    place: Place,
    (slot, arguments): (u8, &[Value<'_>]),
    results: &[Value<'_>],
) {
    let event = || EventKind::from_raw(i32::try_from(int(arguments, 0)).ok()?);
    match Function::from_slot(slot) {
        Some(Function::EnableEvent) => {
            let Some(kind) = event() else { return };
            match int(results, 0) {
                0 => _ = side.setup.jvmpi.begins(kind),
                code => _ = side.setup.jvmpi.refused.insert(kind, code),
            }
        }
        Some(Function::DisableEvent) if int(results, 0) == 0 => {
            if let Some(kind) = event() {
                side.setup.jvmpi.stops(kind, place);
            }
        }
        Some(Function::GetCallTrace) if place.is_in_handler => side.setup.stacks_in_handlers += 1,
        Some(Function::GetCallTrace) => {
            let name = known.thread_of_env(id(arguments, 0));
            let thread = known.text(name);
            if thread != "?" && is_of_the_vm(thread) {
                return;
            }
            let rows = results.get(1).map(Value::rows).unwrap_or_default();
            let frames = known.frames(rows.iter().map(|row| id(row, 1)));
            side.takes_stack_of(name, &frames);
            side.stacks.add(frames, int(arguments, 1), id(arguments, 0));
        }
        Some(Function::RunGC) => side.setup.forced += 1,
        Some(Function::CreateSystemThread) => {
            let name = arguments.first().and_then(Value::bytes).unwrap_or_default();
            let name = known.number(&modified_utf8::text(name));
            known.is_of_an_agent(name);
        }
        _ => {}
    }
}
