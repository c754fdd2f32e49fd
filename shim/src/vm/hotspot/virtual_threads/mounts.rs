//! Which virtual thread a carrier runs: two of HotSpot's extension events tell of each change
//! (JDK 21 and later; JVMTI facts 12), and a field of `Thread` which thread it is.
#![allow(unsafe_code, reason = "JVMTI's extension events")]

use std::ffi::{CStr, CString};
use std::ptr;

use jvmpi_headers::jni::{JNIEnv, jobject};
use jvmpi_headers::jvmti as sys;
use once_cell::sync::OnceCell;

use crate::base::log;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::found::{Callers, HOTSPOT, Mounts, NOT_THERE, SOMETHING_ELSE, Why};
use crate::vm::jni::Jni;
use crate::vm::jvmti::{JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::vm::member_ids::MethodId;
use crate::vm::memory::Text;
use crate::vm::refs::{Global, Local, ObjectRef};

/// The first JDK that has virtual threads.
pub(in crate::vm::hotspot) const FIRST_JDK: i32 = 21;

/// What tells a thread from all others of a VM's life: `Thread.threadId()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ThreadIdentifier(pub(crate) u64);

/// What is called when a virtual thread, the last argument, is mounted or about to be unmounted, on
/// its carrier, which is in the middle of neither.
pub(crate) type OnChange = unsafe extern "C" fn(*mut sys::jvmtiEnv, *mut JNIEnv, jobject);

/// The numbers of the two events.
fn events(jvmti: Jvmti) -> Option<[i32; 2]> {
    Some([
        jvmti.extension_event(c"com.sun.hotspot.events.VirtualThreadMount")?,
        jvmti.extension_event(c"com.sun.hotspot.events.VirtualThreadUnmount")?,
    ])
}

/// Has the VM call these from [`switch_on`] on. At load: callbacks cost nothing.
pub(crate) fn set_callbacks(jvmti: Jvmti, mounted: OnChange, unmounted: OnChange) {
    let Some(events) = events(jvmti) else { return };
    for (event, function) in events.into_iter().zip([mounted, unmounted]) {
        // SAFETY: JVMTI declares callbacks of extension events with a variable number of
        // arguments; this event's has these.
        let function =
            unsafe { std::mem::transmute::<OnChange, sys::jvmtiExtensionEvent>(function) };
        if let Err(error) = invoke!(jvmti.SetExtensionEventCallback(event, function)) {
            log::info!("{error}");
        }
    }
}

/// A class that the boot loader has; no loader of the program's is asked.
fn of_boot_loader(jni: Jni, name: &CStr) -> Option<Local> {
    HOTSPOT.boot_loader.get()?;
    let class = class_loaders::of_boot_loader(jni, name);
    drop(jni.take_exception());
    class
}

/// What `jdk.internal.vm.Continuation` calls the frames of a continuation from, as far as it has it.
fn entries(jni: Jni) -> Vec<MethodId> {
    let Some(class) = of_boot_loader(jni, c"jdk/internal/vm/Continuation") else {
        return Vec::new();
    };
    let class = class.get();
    let of_class = [
        (c"enterSpecial", c"(Ljdk/internal/vm/Continuation;ZZ)V"),
        (c"enter", c"(Ljdk/internal/vm/Continuation;Z)V"),
    ];
    let of_object = [(c"enter0", c"()V"), (c"run", c"()V")];
    let all = of_class.map(|(name, signature)| jni.static_method(class, name, signature));
    let more = of_object.map(|(name, signature)| jni.method(class, name, signature));
    drop(jni.take_exception());
    all.into_iter().chain(more).flatten().collect()
}

/// Where a virtual thread's frames end on the stack of the carrier that it is on, callee first.
fn end_of_mounted(frames: &[Frame]) -> Option<usize> {
    let entries = HOTSPOT.mounts.get()?.entries.get()?;
    let is_entry = |frame: &Frame| entries.contains(&frame.method);
    frames.iter().position(is_entry)
}

/// Of the frames on a carrier's stack, callee first, those of the virtual thread that it runs;
/// `None` if there are none.
pub(crate) fn of_mounted(mut frames: Vec<Frame>) -> Option<Vec<Frame>> {
    HOTSPOT.mounts.get()?.entries.get()?;
    frames.truncate(end_of_mounted(&frames).unwrap_or(frames.len()));
    (!frames.is_empty()).then_some(frames)
}

/// Whether those of a virtual thread are among them: also of one that the VM has just told to be off, and
/// of one that it is about to tell of.
pub(crate) fn has_mounted(frames: &[Frame]) -> bool {
    end_of_mounted(frames).is_some()
}

impl Callers {
    fn find(jni: Jni) -> Self {
        const VIRTUAL: &CStr = c"java/lang/VirtualThread";
        let around = [
            (VIRTUAL, c"run", c"(Ljava/lang/Runnable;)V"),
            (
                c"java/lang/VirtualThread$VThreadContinuation$1",
                c"run",
                c"()V",
            ),
            (VIRTUAL, c"notifyJvmtiStart", c"()V"),
            (VIRTUAL, c"notifyJvmtiEnd", c"()V"),
            (VIRTUAL, c"notifyJvmtiMount", c"(Z)V"),
            (VIRTUAL, c"notifyJvmtiUnmount", c"(Z)V"),
        ];
        let method = |(class, name, signature)| {
            let class = of_boot_loader(jni, class)?;
            let method = jni.method(class.get(), name, signature);
            drop(jni.take_exception());
            method
        };
        Self {
            around: around.into_iter().filter_map(method).collect(),
            carries: method((VIRTUAL, c"runContinuation", c"()V")),
        }
    }
}

/// Where there is a carrier, for [`of_code`]: the class of virtual threads is initialized by then.
pub(crate) fn learn_callers(jni: Jni) {
    if let Some(mounts) = HOTSPOT.mounts.get()
        && mounts.callers.get().is_none()
    {
        let _ = mounts.callers.set(Callers::find(jni));
    }
}

/// The frames of another thread's stack (callee first), none if it is that of a virtual thread
/// between its first mount and its own code, or behind that: a thread of the operating system has
/// none there. Samplers meet many there, for who starts or ends during a look waits for its end.
/// (The calling thread's own stack has them: METHOD events tell of them.)
pub(crate) fn of_code(frames: &[Frame]) -> &[Frame] {
    let mounts = HOTSPOT.mounts.get();
    let callers = mounts.and_then(|mounts| mounts.callers.get());
    let around = callers.map(|callers| &callers.around);
    let entries = mounts.and_then(|mounts| mounts.entries.get());
    let is_caller = |frame: &Frame| {
        let mut known = around.into_iter().chain(entries);
        known.any(|methods| methods.contains(&frame.method))
    };
    if frames.iter().all(is_caller) {
        &[]
    } else {
        frames
    }
}

/// The same of a sample: none, too, if a carrier is on its way to a virtual thread's code or back from
/// it, which is nobody's.
pub(crate) fn of_sample(frames: &[Frame]) -> &[Frame] {
    let callers = HOTSPOT.mounts.get().and_then(|found| found.callers.get());
    let carries = callers.and_then(|callers| callers.carries);
    if carries.is_some_and(|method| frames.iter().any(|frame| frame.method == method)) {
        &[]
    } else {
        of_code(frames)
    }
}

/// For [`crate::vm::hotspot::finding`]. The calling thread is `thread`.
pub(in crate::vm::hotspot) fn find(
    jvmti: Jvmti,
    jni: Jni,
    thread: ObjectRef<'_>,
) -> std::result::Result<Mounts, Why> {
    let found = || {
        let events = events(jvmti)?;
        let class = jni.class_of(thread)?;
        let identifier = jni.field(class.get(), c"tid", c"J");
        let name = jni.field(class.get(), c"name", c"Ljava/lang/String;");
        let method = jni.method(class.get(), c"threadId", c"()J");
        Some((events, identifier?, name?, method?))
    };
    let found = found();
    drop(jni.take_exception());
    let (events, identifier, name, method) = found.ok_or(NOT_THERE)?;
    let asked = jni.call_long(thread, method);
    drop(jni.take_exception());
    let told = jvmti
        .thread_info(jni, thread)
        .ok()
        .and_then(|(name, _)| name);
    let named = jni
        .object_field(thread, name)
        .and_then(|name| jni.text(name.get()));
    let same = told.as_ref().map(Text::as_c_str) == named.as_deref();
    if asked <= 0 || jni.long_field(thread, identifier) != asked || !same {
        return Err(SOMETHING_ELSE);
    }
    let class = of_boot_loader(jni, c"java/lang/VirtualThread");
    let class = class.and_then(|class| Global::new(jni, class.get()));
    Ok(Mounts {
        events,
        carried: jvmti.extension_function(c"com.sun.hotspot.functions.GetVirtualThread"),
        identifier,
        entries: OnceCell::new(),
        callers: OnceCell::new(),
        class,
        name,
    })
}

/// The virtual thread that a carrier runs at this moment, which is not the calling thread; `None` if it runs
/// none, or the VM does not say.
pub(crate) fn carried_by(jvmti: Jvmti, jni: Jni, carrier: ObjectRef<'_>) -> Option<Local> {
    let function = HOTSPOT.mounts.get()?.carried?;
    let mut thread: jobject = ptr::null_mut();
    // SAFETY: a function of our environment's, which takes a thread and where to put one; both are checked.
    let answer = unsafe { function(jvmti.0.as_ptr(), carrier.to_jni(), &raw mut thread) };
    let adopted = Local::adopt(jni, thread);
    adopted.filter(|_| answer == 0)
}

/// Whether this VM tells.
pub(crate) fn are_found() -> bool {
    HOTSPOT.mounts.get().is_some()
}

/// Which thread this is. `None` where [`are_found`] says no.
pub(crate) fn identifier(jni: Jni, thread: ObjectRef<'_>) -> Option<ThreadIdentifier> {
    let mounts = HOTSPOT.mounts.get()?;
    let value = jni.long_field(thread, mounts.identifier);
    Some(ThreadIdentifier(value.cast_unsigned()))
}

/// The same of a virtual thread alone, where [`knows_virtual`].
pub(crate) fn identifier_of_virtual(jni: Jni, object: ObjectRef<'_>) -> Option<ThreadIdentifier> {
    let class = HOTSPOT.mounts.get()?.class.as_ref()?;
    let is_virtual = jni.is_instance(object, class.get());
    is_virtual.then(|| identifier(jni, object)).flatten()
}

/// Whether an object tells that it is a virtual thread.
pub(crate) fn knows_virtual() -> bool {
    let mounts = HOTSPOT.mounts.get();
    mounts.is_some_and(|mounts| mounts.class.is_some())
}

/// A thread's name, in modified UTF-8.
pub(crate) fn name(jni: Jni, thread: ObjectRef<'_>) -> Option<CString> {
    let mounts = HOTSPOT.mounts.get()?;
    let name = jni.object_field(thread, mounts.name)?;
    jni.text(name.get())
}

/// Has the VM tell no more.
pub(crate) fn switch_off(jvmti: Jvmti) {
    let events = HOTSPOT.mounts.get().map(|mounts| mounts.events);
    for event in events.into_iter().flatten() {
        let _ = jvmti.set_event_number(event.cast_unsigned(), false);
    }
}

/// Has the VM tell from now on.
pub(crate) fn switch_on(jvmti: Jvmti, jni: Jni) -> Result<()> {
    let Some(mounts) = HOTSPOT.mounts.get() else {
        return Err(JvmtiError {
            call: "SetExtensionEventCallback",
            code: NOT_AVAILABLE,
        });
    };
    // Ids that nobody has asked for are in no stack that a signal handler takes.
    let _ = mounts.entries.set(entries(jni));
    // Who is said to be mounted has to be said to be unmounted, too.
    for event in mounts.events.into_iter().rev() {
        jvmti.set_event_number(event.cast_unsigned(), true)?;
    }
    Ok(())
}
