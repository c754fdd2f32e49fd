//! JNI's functions that have wrappers of ours: the VM's own, for our own use.

use jvmpi_headers::jni::{JNIEnv, jint, jobject};
use once_cell::sync::OnceCell;

type NewRef = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jobject;
type MonitorExit = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jint;
type DeleteRef = unsafe extern "system" fn(*mut JNIEnv, jobject);

/// The functions that have wrappers: ours, or the VM's own behind them.
pub(crate) struct Functions {
    pub(crate) new_global: NewRef,
    pub(crate) delete_global: DeleteRef,
    pub(crate) new_weak: NewRef,
    pub(crate) delete_weak: DeleteRef,
    pub(crate) monitor_exit: MonitorExit,
}

/// Put in by [`super::jni_wrappers`].
pub(super) static ORIGINAL: OnceCell<Functions> = OnceCell::new();

/// The functions behind our wrappers, once these are in place.
#[inline]
pub(crate) fn original() -> Option<&'static Functions> {
    ORIGINAL.get()
}
