//! A VM that plays scripts: threads, collections, heap walks, monitors, the agent's calls, with the
//! product's own machines between it and an agent that believes what it is told.
//!
//! Each script is played in many orders of its threads' steps, and a seed stands for the order, so
//! what fails once fails again: the message has script and seed. The machines of `protocols` and
//! `id_map` are the product's; what the shim makes of them stands in `host.rs` once more, in a
//! few lines, and without a JVM. `stage.rs` has the threads, `vm.rs` the VM, `agent.rs` what must
//! not be: an event in a bracket, one that is lost, doubled or in the wrong place, an id of two
//! objects, an object of two ids, a death that is not told, a dump in which something dies, an
//! owner of a monitor that says nothing or too much.
//!
//! Loom (`loom_*.rs`) tries all interleavings of a machine, and weak memory; here all machines are
//! tried together, in orders that are drawn.
#![cfg(not(loom))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests fail by panicking"
)]

mod agent;
mod host;
mod script;
mod stage;
mod vm;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arena_models::Kind;
use script::Script;

/// Orders in which each script is played.
const ORDERS: u64 = if cfg!(miri) { 1 } else { 100 };
/// Scripts that are made up.
const SCRIPTS: u64 = if cfg!(miri) { 2 } else { 600 };

/// Plays it, and says what was played if it fails.
fn play(script: &Script, order: u64) {
    if let Err(failure) = catch_unwind(AssertUnwindSafe(|| script.play(order))) {
        eprintln!("order {order} of {script:#?}");
        resume_unwind(failure);
    }
}

fn in_many_orders(threads: &[&str]) {
    for order in 0..ORDERS {
        let script = Script {
            counts: order % 2 == 0,
            structures: order % 3 > 0,
            ..Script::of(threads)
        };
        play(&script, order);
    }
}

#[test]
fn a_bracket_waits_for_handlers_and_they_for_it() {
    in_many_orders(&[
        "call new call:call drop collect call new drop collect call",
        "call:call call call call:call call call",
    ]);
}

#[test]
fn who_has_a_lock_keeps_its_events_in_their_order() {
    in_many_orders(&[
        "call:lock call call new call call call:unlock call call",
        "new drop collect new drop collect new drop collect",
    ]);
}

#[test]
fn handlers_may_ask_for_collections() {
    in_many_orders(&["new drop call:gc call", "call:gc new drop call:gc", "call"]);
}

#[test]
fn an_object_that_a_walk_meets_has_one_id() {
    in_many_orders(&[
        "new new new new new",
        "call:dump call:dump call:dump",
        "new new",
    ]);
}

#[test]
fn nothing_dies_in_a_dump_or_while_gc_is_disabled() {
    in_many_orders(&[
        "new new drop collect call:dump new drop call:dump",
        "new drop collect dump call:disable drop cycle call call:enable",
        "new drop collect new drop collect",
    ]);
}

#[test]
fn an_owner_hands_over_once() {
    in_many_orders(&[
        "enter:0 call leave:0 enter:0 leave:0",
        "enter:0 leave:0 enter:0 enter:0 leave:0 leave:0",
        "enter:0 new collect leave:0",
    ]);
}

#[test]
fn who_comes_later_is_told_as_well() {
    // The owner comes back before anybody gets in, and then somebody else comes.
    let owner = "enter:0 call call leave:0 ".repeat(6);
    let other = "call enter:0 leave:0 call call ".repeat(3);
    in_many_orders(&[&owner, &other, &other]);
}

#[test]
fn two_monitors_and_collections() {
    in_many_orders(&[
        "enter:0 enter:1 leave:1 call:gc leave:0",
        "enter:1 new drop collect leave:1 enter:0 leave:0",
        "enter:0 call:call leave:0",
    ]);
}

#[test]
fn who_gets_in_does_not_hide_who_comes() {
    let [one, other] = [0, 1].map(|which| format!("enter:{which} leave:{which} ").repeat(6));
    for order in 0..4 * ORDERS {
        play(&Script::of(&[&one, &one, &other, &other]), order);
    }
}

#[test]
fn an_object_that_several_meet_has_one_id() {
    in_many_orders(&[
        "meet:0 meet:1 meet:0",
        "meet:1 meet:0 call:dump meet:2",
        "call:lock meet:2 meet:0 collect meet:1 call:unlock",
    ]);
}

#[test]
fn what_moves_is_known_by_its_last_number() {
    for (arenas, order) in Kind::ALL.into_iter().cycle().zip(0..2 * ORDERS) {
        let script = Script {
            arenas,
            renumbers: order % 3 > 0,
            ..Script::of(&[
                "new new drop collect meet:0 new collect call:dump drop",
                "meet:0 call:gc call:lock new collect meet:1 call:unlock drop",
                "call:dump new call:new drop collect meet:1",
            ])
        };
        play(&script, order);
    }
}

#[test]
fn nobody_is_heard_after_the_end() {
    for order in 0..ORDERS {
        let script = Script {
            daemon: "call:call new call drop call call:call call call".to_owned(),
            ..Script::of(&["call new"])
        };
        play(&script, order);
    }
}

#[test]
fn scripts_that_nobody_has_thought_of() {
    for seed in 0..SCRIPTS {
        play(&Script::random(seed), seed);
    }
}
