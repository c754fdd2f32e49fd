//! What is answered to events, and what is left of them.

use jvmpi_headers::jni::JNI_OK;

use super::*;
use crate::vm::vm;

/// What GetEnv gives here, as agents ask.
fn env_here() -> usize {
    const GET_ENV: usize = 6;
    type GetEnv = unsafe extern "C" fn(*mut c_void, *mut *mut c_void, i32) -> i32;
    let vm = vm().cast::<c_void>();
    // SAFETY: a JavaVM begins with its table.
    let table = unsafe { vm.cast::<*const *const c_void>().read() };
    // SAFETY: it has that slot.
    let get_env = unsafe { table.wrapping_add(GET_ENV).read() };
    // SAFETY: by JNI's specification.
    let get_env = unsafe { std::mem::transmute::<*const c_void, GetEnv>(get_env) };
    let mut env = ptr::null_mut();
    // SAFETY: with a place for it.
    let code = unsafe { get_env(vm, &raw mut env, 0x0001_0002) };
    assert_eq!(code, JNI_OK);
    env.addr()
}

thread_local! {
    static SEEN: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Has a collection and an event of another thread come in the middle.
unsafe extern "C-unwind" fn handler(event: *mut JVMPI_Event) {
    // SAFETY: an event.
    let is_outer = unsafe { (*event).event_type } == JVMPI_EVENT_THREAD_END;
    SEEN.with_borrow_mut(|seen| seen.push(env_here()));
    if is_outer {
        notify(JVMPI_EVENT_GC_START, false, 0, &[]);
        SEEN.with_borrow_mut(|seen| seen.push(env_here()));
        notify(JVMPI_EVENT_GC_FINISH, false, 0x2_0000_0008, &[]);
        SEEN.with_borrow_mut(|seen| seen.push(env_here()));
    }
}

#[test]
fn a_thread_stays_itself_behind_events_of_others() {
    let table = table::interface(JVMPI_VERSION_1).expect("nobody refuses");
    // SAFETY: as agents do.
    unsafe { (*table).NotifyEvent = Some(handler) };
    notify(JVMPI_EVENT_THREAD_END, false, 0x2_0000_0000, &[]);
    let [own, other] = [0x2_0000_0000, 0x2_0000_0008].map(|env| env::of(env).addr());
    assert_eq!(SEEN.take(), [own, own, own, other, own]);
    assert_eq!(env_here(), own);
}

#[test]
fn class_files_changed_where_they_lie() {
    let shown = *b"shown";
    let mut left = *b"chOwn";
    let mut other = *b"other bytes";
    let (there, elsewhere) = (left.as_mut_ptr(), other.as_mut_ptr());
    let new = |new: *mut u8, len: i32, left: &[u8]| {
        let hook = JVMPI_Event_class_load_hook {
            class_data: there,
            class_data_len: 5,
            new_class_data: new,
            new_class_data_len: len,
            malloc_f: Some(malloc),
        };
        new_class(&hook, &shown, left)
    };
    let none = ptr::null_mut();
    for (data, len, expected) in [
        (there, 5, Some(&b"chOwn"[..])),
        (there, 0, Some(b"chOwn")),
        (there, 4, Some(b"chOw")),
        (there, 6, None),
        (none, 0, Some(b"chOwn")),
        (none, 3, Some(b"chOwn")),
        (elsewhere, 11, Some(b"other bytes")),
        (elsewhere, -1, None),
    ] {
        assert_eq!(new(data, len, &left).as_deref(), expected, "{data:?} {len}");
    }
    // Nothing is said where nothing has changed.
    assert_eq!(new(there, 5, &shown), None);
    assert_eq!(new(none, 0, &shown), None);
}

/// Agents use it when RequestEvent has returned.
#[test]
fn the_name_of_a_class_stays() {
    let load = |name| {
        let mut memory = Memory::default();
        let none = || Value::List(Vec::new());
        let values = [
            Value::Text(Some(name)),
            Value::Text(Some(b"A.java")),
            Value::Int(0),
            none(),
            none(),
            none(),
            Value::Id(1),
        ];
        memory.class_load(Row(&values)).class_name
    };
    let (first, other, again) = (load(b"a.First"), load(b"an.Other"), load(b"a.First"));
    // SAFETY: a text that is never freed.
    let text = |name: *mut c_char| unsafe { std::ffi::CStr::from_ptr(name) };
    assert_eq!((text(first), text(other)), (c"a.First", c"an.Other"));
    assert_eq!(first, again);
}
