//! Native methods for which the agent has registered functions of its own, in the other process.
//!
//! To the VM each is one of a table of small functions, which has the agent's called over there.
//!
//! # Safety
//! The VM calls such a function with what the signature has that it was registered for.
#![allow(
    unsafe_code,
    reason = "functions of whatever type, and their arguments"
)]

use std::sync::{Arc, OnceLock};

use event_translate::jni_functions::{JniGiven, JniType, jni_arguments, jni_result};
use parking_lot::RwLock;
use recording_format::Value;

use crate::base::boundary::guarded;
use crate::base::log;
use crate::bridge::bits;
use crate::os::processor::{FLOATING_FROM, STUB, WHOLE_IN_REGISTERS, far_natives};

/// So many can be registered; agents have a few.
const ROOM: usize = 512;

/// A function over there.
#[derive(Debug, PartialEq, Eq)]
struct Native {
    address: u64,
    signature: Vec<u8>,
    takes: Vec<JniType>,
    gives: JniType,
}

/// Has one run on the calling thread: its address, signature and arguments. `None` if the agent is gone.
type Run = fn(&[Value<'_>]) -> Option<JniGiven>;

static RUN: OnceLock<Run> = OnceLock::new();

/// Says how, before there can be any.
pub(super) fn set_run(run: Run) {
    let _ = RUN.set(run);
}

/// By the number of the small function.
static NATIVES: RwLock<Vec<Arc<Native>>> = RwLock::new(Vec::new());

/// What the VM calls in the place of a function over there; 0 for NULL. `None` if that is no method's signature, or
/// there is no more room.
pub(super) fn stand_in(address: i64, signature: &[u8]) -> Option<usize> {
    if address == 0 {
        return Some(0);
    }
    let native = Native {
        address: address.cast_unsigned(),
        signature: signature.to_vec(),
        takes: jni_arguments(signature)?,
        gives: jni_result(signature)?,
    };
    let first = code();
    let mut all = NATIVES.write();
    let known = all.iter().position(|known| **known == native);
    let place = known.unwrap_or(all.len());
    if first == 0 || place >= ROOM {
        log::warn_once!(
            "RegisterNatives: a 32-bit agent can register {ROOM} functions, and no more"
        );
        return None;
    }
    if known.is_none() {
        all.push(Arc::new(native));
    }
    Some(first + place * STUB)
}

/// Arguments of a call, as C passes them.
struct Passed {
    registers: *const u64,
    stack: *const u64,
    whole: usize,
    floating: usize,
    stacked: usize,
}

impl Passed {
    /// The word of the next one.
    fn next(&mut self, is_floating: bool) -> u64 {
        /// Of the registers that have floating-point numbers.
        const FLOATING_IN_REGISTERS: usize = 8;
        let (count, most) = if is_floating {
            (&mut self.floating, FLOATING_IN_REGISTERS)
        } else {
            (&mut self.whole, WHOLE_IN_REGISTERS)
        };
        let place = if *count < most {
            let place = if is_floating {
                FLOATING_FROM + 2 * *count
            } else {
                *count
            };
            *count += 1;
            self.registers.wrapping_add(place)
        } else {
            self.stacked += 1;
            self.stack.wrapping_add(self.stacked - 1)
        };
        // SAFETY: the VM has passed it; see the module documentation.
        unsafe { place.read() }
    }
}

/// The small function of this number was called; its result's bits.
unsafe extern "C" fn called(number: usize, registers: *const u64, stack: *const u64) -> u64 {
    guarded("a native method of the agent's", 0, || {
        let Some(native) = NATIVES.read().get(number).cloned() else {
            return 0;
        };
        let mut passed = Passed {
            registers,
            stack,
            whole: 0,
            floating: 0,
            stacked: 0,
        };
        // The env, which is another over there.
        passed.next(false);
        let mut argument = |ty: JniType| {
            let bits = passed.next(matches!(ty, JniType::Float | JniType::Double));
            bits::value(bits, ty)
        };
        let own = argument(JniType::Id);
        let rest = native.takes.iter().map(|&ty| argument(ty));
        let arguments = std::iter::once(own).chain(rest).collect();
        let values = [
            Value::Id(native.address),
            Value::Text(Some(&native.signature)),
            Value::List(arguments),
        ];
        let given = RUN.get().and_then(|run| run(&values));
        given.map_or(0, |given| {
            if native.gives == JniType::Id {
                given.id
            } else {
                given.number.cast_unsigned()
            }
        })
    })
}

far_natives!(ROOM, called);
