//! What each thread has of the conversation with the agent's process, and how the calling one finds its own.
//!
//! Behind a key of pthread's, made when the first agent of 32 bits is started: each word of
//! `thread_local!` is taken from the little that glibc has for libraries that come late, and so from
//! how often an agent can be attached to one VM after another.
//!
//! # Safety
//! The key's value is NULL or a box that was put there by its own thread, and that nobody else has.
#![allow(unsafe_code, reason = "a key of pthread's")]

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::sync::OnceLock;

use lanes::{Kind, Message, Side};

use crate::base::boundary::guarded;
use crate::bridge::partner;
use crate::bridge::thin;

/// What one thread has of the conversation with the agent's process.
#[derive(Default)]
pub(super) struct OwnTalk {
    /// The number of its lane.
    pub(super) lane: Cell<Option<usize>>,
    /// How often it has entered raw monitors over there, as its record has it.
    pub(super) held: Cell<u32>,
    /// The VM knows it because the agent has attached it.
    pub(super) attached: Cell<bool>,
    /// Room for messages: conversations lie in each other, so each takes it away and brings it back.
    pub(super) room: RefCell<Vec<u8>>,
}

/// A thread ends, by then without the VM: its lane is given back.
fn give_back(number: usize) {
    let Some(partner) = partner::alive() else {
        return;
    };
    thin::end(partner, number);
    if let Some(lane) = partner.region.lane(number) {
        let mut bytes = Vec::new();
        Message::plain(Kind::Bye, 0).write(&mut bytes);
        // A failure is the other process's end.
        let _ = lane.send(Side::Vm, &bytes, &|| partner.is_gone());
    }
}

/// Its value is dropped when a thread ends.
static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

unsafe extern "C" fn drop_value(value: *mut c_void) {
    guarded("the end of a thread", (), || {
        // SAFETY: of a thread that ends, whose box it is.
        let talk = unsafe { Box::from_raw(value.cast::<OwnTalk>()) };
        if let Some(number) = talk.lane.take() {
            give_back(number);
        }
    });
}

fn key() -> Option<libc::pthread_key_t> {
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: room for one key.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(drop_value)) } == 0).then_some(key)
    })
}

/// The calling thread's; `None` if there is no key or no memory.
pub(super) fn own() -> Option<&'static OwnTalk> {
    let key = key()?;
    // SAFETY: a key that was made.
    let mut value = unsafe { libc::pthread_getspecific(key) }.cast::<OwnTalk>();
    if value.is_null() {
        value = Box::into_raw(Box::default());
        // SAFETY: as above.
        if unsafe { libc::pthread_setspecific(key, value.cast()) } != 0 {
            // SAFETY: nobody has it.
            drop(unsafe { Box::from_raw(value) });
            return None;
        }
    }
    // SAFETY: it lives as long as the thread, which alone has it.
    Some(unsafe { &*value })
}
