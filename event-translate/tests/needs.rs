//! What rows say they need, and what is read from that.

use event_translate::needed::hooks;
use event_translate::needs::{Capability, Claimed, Hook, Needs, On, VmEvent, Wrapper};
use event_translate::{EVENTS, EventKind, EventSet, FUNCTIONS};

fn rows() -> impl Iterator<Item = (&'static str, &'static Needs)> {
    let events = EVENTS.iter().map(|row| (row.name, &row.needs));
    events.chain(FUNCTIONS.iter().map(|row| (row.name, &row.needs)))
}

#[test]
fn whatever_is_switched_on_or_claimed_is_needed() {
    for event in VmEvent::ALL {
        let needed = |(_, needs): (_, &Needs)| {
            needs.exact.contains(&event) || needs.all_vm_events().any(|one| one.what == event)
        };
        assert!(rows().any(needed), "{event}");
    }
    for capability in Capability::ALL {
        let needed = |(_, needs): (_, &Needs)| {
            let of_exact = needs.exact.iter().flat_map(|event| event.capabilities());
            let mut all = needs
                .all_capabilities()
                .map(|one| one.what)
                .chain(of_exact.copied());
            all.any(|one| one == capability)
        };
        assert!(rows().any(needed), "{capability}");
    }
    for hook in Hook::ALL {
        // Parked threads are no event of JVMPI's.
        let is_needed = rows().any(|(_, needs)| needs.hooks.contains(&hook));
        assert_eq!(is_needed, hook != Hook::Parks, "{hook:?}");
    }
    for wrapper in Wrapper::ALL {
        assert!(!wrapper.needed_by().is_empty(), "{wrapper:?}");
    }
}

#[test]
fn what_is_always_there_is_claimed_at_load() {
    for event in VmEvent::ALL {
        let claimed = match event.on() {
            On::Always | On::WhileWanted | On::SinceWanted | On::Deaths | On::Asked => {
                Some(Claimed::AtLoad)
            }
            On::Exact => Some(Claimed::Exact),
            On::Threads => Some(Claimed::VirtualThreads),
            // The sampler's is one environment's at a time.
            On::Allocations => None,
        };
        for capability in event.capabilities() {
            let when = capability.claimed();
            assert!(claimed.is_none_or(|claimed| claimed == when), "{event}");
        }
    }
}

#[test]
fn needed_by_is_what_rows_say() {
    for event in VmEvent::ALL {
        for row in EVENTS {
            let of_hooks = !row.needs.hooks.is_empty() && Hook::VM_EVENTS.contains(&event);
            let named = row.needs.all_vm_events().any(|one| one.what == event)
                || row.needs.exact.contains(&event);
            let needed = event.needed_by().contains(row.kind);
            assert!(
                needed == named || of_hooks && !needed,
                "{} {event}",
                row.name
            );
        }
    }
    let allocation = &EventKind::ObjectAlloc.row().needs;
    // They are switched together.
    let events = allocation.vm_events.iter();
    let events = events.filter(|one| one.what.on() != On::Threads);
    let events: Vec<_> = events.collect();
    assert!(events.iter().all(|one| one.what.on() == On::Allocations));
    let on = |jdk| events.iter().filter(|one| one.is_on(jdk)).count();
    assert_eq!((on(17), on(21)), (1, 2));
}

/// An end is told of what has begun, so whoever hears of either needs both.
#[test]
fn ends_need_their_beginnings() {
    use VmEvent::{
        CompiledMethodLoad, CompiledMethodUnload, MonitorContendedEnter, MonitorContendedEntered,
        MonitorWait, MonitorWaited,
    };
    for (beginning, end) in [
        (MonitorContendedEnter, MonitorContendedEntered),
        (MonitorWait, MonitorWaited),
        (CompiledMethodUnload, CompiledMethodLoad),
    ] {
        let missing = end
            .needed_by()
            .iter()
            .find(|&kind| !beginning.needed_by().contains(kind));
        assert_eq!(missing, None, "{end} without {beginning}");
    }
}

#[test]
fn hooks_are_those_of_the_events() {
    let bits = |hooks: &[Hook]| hooks.iter().fold(0, |all, hook| all | hook.bit());
    assert_eq!(bits(&Hook::ALL).count_ones(), 7);
    let of = |kinds, fast| hooks(EventSet::of(kinds), fast);
    let receiver = bits(&[Hook::Entry, Hook::Receiver]);
    assert_eq!(of(&[EventKind::MethodEntry2], true), receiver);
    let exit = [EventKind::MethodExit, EventKind::InstructionStart];
    let all = bits(&[Hook::Entry, Hook::Exit, Hook::Instructions]);
    assert_eq!(of(&exit, true), all);
    assert_eq!(of(&exit, false), Hook::Instructions.bit());
    assert_eq!(
        of(&[EventKind::MonitorContendedExit], false),
        Hook::Monitors.bit()
    );
    assert_eq!(hooks(EventSet::EMPTY, true), 0);
}

#[test]
fn hooks_and_only_hooks_need_their_capabilities() {
    for (name, needs) in rows() {
        let all: Vec<_> = needs.all_capabilities().map(|one| one.what).collect();
        let listed = needs.capabilities.iter().map(|one| one.what);
        let of_events = needs
            .all_vm_events()
            .flat_map(|event| event.what.capabilities());
        let rest: Vec<_> = listed.chain(of_events.copied()).collect();
        for capability in Hook::CAPABILITIES {
            let expected = !needs.hooks.is_empty() || rest.contains(&capability);
            assert_eq!(all.contains(&capability), expected, "{name} {capability}");
        }
    }
}

#[test]
fn a_hook_that_two_events_need_is_needed() {
    let both = [EventKind::MethodEntry, EventKind::MethodEntry2];
    let one = both.map(|kind| hooks(EventSet::of(&[kind]), true));
    assert_ne!(one[0] & one[1], 0);
    assert_eq!(hooks(EventSet::of(&both), true), one[0] | one[1]);
}
