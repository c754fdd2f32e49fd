//! INSTRUCTION_START, from hooks in front of every instruction.

use std::sync::Arc;

use class_rewriter::branches::Outcome;
use event_translate::table::EventKind;
use jvmpi_headers::jvmpi::{
    JVMPI_Event_instruction, JVMPI_Event_instruction_if_info,
    JVMPI_Event_instruction_lookupswitch_info, JVMPI_Event_instruction_tableswitch_info,
    JVMPI_Event_instruction_u,
};

use crate::base::config;
use crate::delivery::dispatch::{self, Sent};
use crate::events::methods::{beginning, calling_method, method_events};
use crate::hooks::branches;
use crate::model::classes::methods::METHODS;
use crate::model::ids::kept_ids::KeptId;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::{Thread, current};
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::this_vm;

/// What decides where a branch goes.
#[derive(Clone, Copy)]
pub(crate) enum Operands {
    /// The instruction is no branch.
    None,
    /// Of an `if` on ints.
    Ints(i32, i32),
    /// Of an `if` on references: whether they are the same, or null.
    Same(bool),
    /// Of a switch.
    Key(i32),
}

/// The instruction at `index` of the original code of a method is about to run.
pub(crate) fn begins(number: i32, index: i32, operands: Operands) {
    // Behind the thread's end a record would be nobody's: see `method_events::here`.
    if !dispatch::reaches_agent(EventKind::InstructionStart)
        || !beginning::have_begun()
        || current::has_ended()
    {
        return;
    }
    let (Some(jvmti), Some(jni), Some(own)) =
        (this_vm::jvmti(), Jni::of_this_thread(), threads::own())
    else {
        return;
    };
    let Some(attaching) = method_events::meet(jvmti, jni, &own) else {
        return;
    };
    let Some(method) = calling_method::named(jvmti, jni, &own, number, attaching) else {
        return;
    };
    let instruction = Instruction {
        method,
        offset: index,
        outcome: outcome(number, index, operands),
        class: None,
    };
    // Its THREAD_START is to come, and METHOD_ENTRY waits for that, too.
    if attaching || instruction.deliver(&own) == Sent::Later {
        instruction.keep(&own);
    }
}

/// As the agent is told of it.
#[derive(Debug)]
struct Instruction {
    method: MethodId,
    offset: i32,
    outcome: Option<Outcome>,
    /// The method's, while it is kept: no CLASS_UNLOAD comes before it.
    class: Option<KeptId>,
}

impl Instruction {
    fn keep(mut self, own: &Thread) {
        if self.class.is_none() {
            let known = METHODS.get(self.method.key());
            self.class = known.map(|known| KeptId::new(known.class.id));
        }
        own.keep(self);
    }

    /// Not before the METHOD_ENTRY that its thread has kept.
    fn deliver(&self, own: &Thread) -> Sent {
        dispatch::deliver_in_turn(own, EventKind::InstructionStart.raw(), |event| {
            event.u.instruction = JVMPI_Event_instruction {
                method_id: self.method.to_jni(),
                offset: self.offset,
                u: contents(self.outcome),
            };
        })
    }
}

impl Deferred<Thread> for Instruction {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        if self.deliver(own) == Sent::Later {
            self.keep(own);
        }
    }
}

fn outcome(number: i32, index: i32, operands: Operands) -> Option<Outcome> {
    if matches!(operands, Operands::None) {
        return None;
    }
    let (method, branches) = branches::of(number)?;
    let branch = branches.at(method, u16::try_from(index).ok()?)?;
    match operands {
        Operands::None => None,
        Operands::Ints(first, second) => branch.on_ints(first, second),
        Operands::Key(key) => branch.on_ints(key, 0),
        Operands::Same(same) => branch.on_references(same),
    }
}

fn contents(outcome: Option<Outcome>) -> JVMPI_Event_instruction_u {
    match outcome {
        None => JVMPI_Event_instruction_u {
            tableswitch_info: JVMPI_Event_instruction_tableswitch_info {
                key: 0,
                low: 0,
                hi: 0,
            },
        },
        Some(Outcome::If { is_true }) => {
            let mut contents = contents(None);
            contents.if_info = JVMPI_Event_instruction_if_info {
                is_true: u8::from(is_true),
            };
            contents
        }
        Some(Outcome::Table { key, low, high }) => JVMPI_Event_instruction_u {
            tableswitch_info: JVMPI_Event_instruction_tableswitch_info { key, low, hi: high },
        },
        Some(Outcome::Lookup {
            chosen_pair_index,
            pairs_total,
        }) => {
            let mut contents = contents(None);
            contents.lookupswitch_info = JVMPI_Event_instruction_lookupswitch_info {
                chosen_pair_index,
                pairs_total: if config::options().lookup_is_default {
                    i32::from(chosen_pair_index == pairs_total)
                } else {
                    pairs_total
                },
            };
            contents
        }
    }
}
