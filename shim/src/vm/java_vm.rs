//! The JavaVM and its invoke interface: the VM's own functions, and some of ours in their places.
//!
//! `*vm` is writable, the table it points to is not (JVMTI facts 2). So the
//! table is copied, slots replaced in the copy, and the copy put in its place.
#![allow(unsafe_code, reason = "the VM's invoke interface")]

use std::ffi::c_void;
use std::mem;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering, fence};

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JavaVM, JavaVMAttachArgs, jint};

use crate::os::memory;

type GetEnv = unsafe extern "system" fn(*mut JavaVM, *mut *mut c_void, jint) -> jint;

/// Three reserved words and five functions, of which GetEnv is the fourth.
type Interface = [*mut c_void; 8];
const WORD: usize = size_of::<*mut c_void>();
/// More than it will ever have: what lies behind it is copied along, and nobody looks at it.
const MOST: usize = 64;
const DESTROY: usize = 3;
const ATTACH: usize = 4;
const DETACH: usize = 5;
const GET_ENV: usize = 6;
const ATTACH_AS_DAEMON: usize = 7;

/// The copy that was put in place of the VM's table, and that table.
static COPY: AtomicPtr<Interface> = AtomicPtr::new(ptr::null_mut());
static VMS_TABLE: AtomicPtr<Interface> = AtomicPtr::new(ptr::null_mut());
static VM: AtomicPtr<JavaVM> = AtomicPtr::new(ptr::null_mut());
static VMS_DESTROY: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static VMS_GET_ENV: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static VMS_ATTACH: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static VMS_DETACH: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static VMS_ATTACH_AS_DAEMON: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// What stands in the places of the VM's functions.
pub(crate) struct Ours {
    pub(crate) destroy_java_vm: *mut c_void,
    pub(crate) get_env: *mut c_void,
    /// AttachCurrentThread and AttachCurrentThreadAsDaemon; null leaves the VM's.
    pub(crate) attach: [*mut c_void; 2],
    pub(crate) detach: *mut c_void,
}

/// Puts these functions in place. A second call changes nothing.
///
/// # Safety
/// `vm` must be the VM's JavaVM, as passed to Agent_OnLoad or JVM_OnLoad.
pub(crate) unsafe fn install(vm: *mut JavaVM, ours: &Ours) {
    if !VM.load(Ordering::Acquire).is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let place = unsafe { table_of(vm) };
    let original = place.load(Ordering::Acquire);
    // SAFETY: the interface has had these eight words since JNI 1.4. A VM to come may have more.
    let mut copy = unsafe { memory::table(original.cast(), size_of::<Interface>() / WORD, MOST) };
    let [attach, as_daemon] = ours.attach;
    let replaced = [
        (DESTROY, &VMS_DESTROY, ours.destroy_java_vm),
        (GET_ENV, &VMS_GET_ENV, ours.get_env),
        (ATTACH, &VMS_ATTACH, attach),
        (DETACH, &VMS_DETACH, ours.detach),
        (ATTACH_AS_DAEMON, &VMS_ATTACH_AS_DAEMON, as_daemon),
    ];
    for (index, original, ours) in replaced.into_iter().filter(|(.., ours)| !ours.is_null()) {
        if let Some(slot) = copy.get_mut(index)
            // Somebody's copy of our copy: what stands behind ours is known.
            && *slot != ours
        {
            original.store(*slot, Ordering::Release);
            *slot = ours;
        }
    }
    VM.store(vm, Ordering::Release);
    // The VM and every agent read the table through `*vm` for the rest of the
    // process: it is never freed.
    let copy: *mut Interface = copy.leak().as_mut_ptr().cast();
    VMS_TABLE.store(original, Ordering::Release);
    COPY.store(copy, Ordering::Release);
    place.store(copy, Ordering::Release);
}

/// `*vm`, the address of the table: atomic, since any thread may read it at any time.
///
/// # Safety
/// `vm` must be the VM's JavaVM.
unsafe fn table_of<'vm>(vm: *mut JavaVM) -> &'vm AtomicPtr<Interface> {
    // SAFETY: the caller's promise; the word is writable and lives as long as the process.
    unsafe { AtomicPtr::from_ptr(vm.cast()) }
}

/// Whether our functions are in place.
pub(crate) fn is_installed() -> bool {
    get().is_some()
}

/// Puts the VM's own table back, after a start that failed. If somebody else has put a table of
/// his own over ours meanwhile, ours stays: his leads to it.
pub(crate) fn uninstall() {
    if step_aside() {
        VM.store(ptr::null_mut(), Ordering::Release);
    }
}

/// The same when there was an agent, whose threads may still call us: what stands behind our
/// functions stays known. False if ours stay.
pub(crate) fn step_aside() -> bool {
    let Some(vm) = get() else { return false };
    // SAFETY: `install` got it from the VM.
    let place = unsafe { table_of(vm) };
    let ours = COPY.load(Ordering::Acquire);
    let original = VMS_TABLE.load(Ordering::Acquire);
    place
        .compare_exchange(ours, original, Ordering::AcqRel, Ordering::Acquire)
        .is_ok()
}

/// The VM, once an entry point was called.
pub(crate) fn get() -> Option<*mut JavaVM> {
    let vm = VM.load(Ordering::Acquire);
    (!vm.is_null()).then_some(vm)
}

/// The VM's own GetEnv.
pub(crate) fn vms_own_get_env(vm: *mut JavaVM, version: jint) -> Option<NonNull<c_void>> {
    let mut found = ptr::null_mut();
    let code = forward(vm, &raw mut found, version);
    if code == JNI_OK {
        NonNull::new(found)
    } else {
        None
    }
}

/// AttachCurrentThread, and the same as a daemon.
pub(crate) type Attach =
    unsafe extern "system" fn(*mut JavaVM, *mut *mut c_void, *mut c_void) -> jint;

/// Makes sure the VM knows the calling thread.
pub(crate) fn attach() -> bool {
    // SAFETY: there are no arguments.
    unsafe { attach_with(true, None) }.is_ok()
}

/// Attaches the calling thread; its JNIEnv, or JNI's code.
///
/// # Safety
/// The name is null or a text, the group null or a reference.
pub(crate) unsafe fn attach_with(
    as_daemon: bool,
    arguments: Option<&JavaVMAttachArgs>,
) -> Result<*mut c_void, jint> {
    let (vm, table) = table_now().ok_or(JNI_ERR)?;
    let [_, _, _, _, plainly, _, _, daemon] = table;
    let slot = if as_daemon { daemon } else { plainly };
    // SAFETY: AttachCurrentThread or AttachCurrentThreadAsDaemon, the VM's or somebody's for it.
    let attach: Attach = unsafe { mem::transmute(slot) };
    let arguments = arguments.map_or(ptr::null(), ptr::from_ref);
    let mut env = ptr::null_mut();
    // SAFETY: a local out-parameter, and the caller's promise.
    match unsafe { attach(vm, &raw mut env, arguments.cast_mut().cast()) } {
        JNI_OK => Ok(env),
        code => Err(code),
    }
}

/// DetachCurrentThread.
pub(crate) type Detach = unsafe extern "system" fn(*mut JavaVM) -> jint;

/// The VM forgets the calling thread; JNI's code.
pub(crate) fn detach() -> jint {
    let Some((vm, table)) = table_now() else {
        return JNI_ERR;
    };
    let [.., slot, _, _] = table;
    // SAFETY: the last but two is DetachCurrentThread, the VM's or somebody's for it.
    let detach: Detach = unsafe { mem::transmute(slot) };
    // SAFETY: it refuses where the thread has a frame of Java's.
    unsafe { detach(vm) }
}

/// What stands in the VM's table, once we know the VM.
fn table_now() -> Option<(*mut JavaVM, Interface)> {
    let vm = get()?;
    // SAFETY: `install` got it from the VM.
    let table = unsafe { table_of(vm) }.load(Ordering::Acquire);
    // SAFETY: ours, or one that somebody has put over it: of these eight words, and never freed.
    Some((vm, unsafe { *table }))
}

/// The VM knows the calling thread meanwhile; nothing is done if it cannot.
pub(crate) fn while_attached(act: impl FnOnce()) {
    if attach() {
        act();
        detach();
    }
}

/// Asks whoever answers GetEnv in this VM, before or beside us.
pub(crate) fn ask(vm: *mut JavaVM, version: jint) -> Option<NonNull<c_void>> {
    let found = ask_as_agent(vm, version).ok()?;
    NonNull::new(found)
}

/// The same as agents do: JNI's code if there is no such interface.
pub(crate) fn ask_as_agent(vm: *mut JavaVM, version: jint) -> Result<*mut c_void, jint> {
    // SAFETY: the VM's own, as it has passed it to one of our entry points.
    let table = unsafe { table_of(vm) }.load(Ordering::Acquire);
    // SAFETY: the VM's, or one that somebody has put over it: of these eight words, and never freed.
    let slot = unsafe { *table }[GET_ENV];
    // SAFETY: GetEnv, the VM's or somebody's for it.
    let get_env: GetEnv = unsafe { mem::transmute(slot) };
    let mut found = ptr::null_mut();
    // SAFETY: a local out-parameter.
    let code = unsafe { get_env(vm, &raw mut found, version) };
    if code == JNI_OK { Ok(found) } else { Err(code) }
}

/// Asks the VM's own GetEnv.
pub(crate) fn forward(vm: *mut JavaVM, out: *mut *mut c_void, version: jint) -> jint {
    // Callers read `*vm` as they like; `install` has written it behind what is read here.
    fence(Ordering::Acquire);
    let original = VMS_GET_ENV.load(Ordering::Acquire);
    if original.is_null() {
        return JNI_ERR;
    }
    // SAFETY: the pointer the VM had in this slot.
    let original: GetEnv = unsafe { mem::transmute(original) };
    // SAFETY: the caller's arguments, passed on as they are.
    unsafe { original(vm, out, version) }
}

/// The VM's own AttachCurrentThread, or the same as a daemon.
pub(crate) fn vms_own_attach(as_daemon: bool) -> Option<Attach> {
    // As in `forward`.
    fence(Ordering::Acquire);
    let original = match as_daemon {
        true => &VMS_ATTACH_AS_DAEMON,
        false => &VMS_ATTACH,
    };
    // SAFETY: null, or the pointer the VM had in this slot.
    unsafe { mem::transmute(original.load(Ordering::Acquire)) }
}

/// The VM's own DetachCurrentThread.
pub(crate) fn vms_own_detach() -> Option<Detach> {
    // As in `forward`.
    fence(Ordering::Acquire);
    // SAFETY: null, or the pointer the VM had in this slot.
    unsafe { mem::transmute(VMS_DETACH.load(Ordering::Acquire)) }
}

/// The VM's own DestroyJavaVM.
pub(crate) fn vms_own_destroy() -> Option<unsafe extern "system" fn(*mut JavaVM) -> jint> {
    // As in `forward`.
    fence(Ordering::Acquire);
    let original = VMS_DESTROY.load(Ordering::Acquire);
    // SAFETY: null, or the pointer the VM had in this slot.
    unsafe { mem::transmute(original) }
}
