//! What is kept of the class files of one class.

use once_cell::sync::OnceCell;
use parking_lot::Mutex;

/// The class files of one class.
#[derive(Debug, Default)]
pub(crate) struct ClassFiles {
    /// The hash of the one it was loaded from: the VM begins with that when a class is
    /// retransformed, also if it has been redefined (HotSpot 11 to 25, measured).
    pub(crate) loaded: OnceCell<u64>,
    pub(crate) since: Mutex<Since>,
}

/// What others than we have made of a class since it was loaded.
#[derive(Debug, Default)]
pub(crate) enum Since {
    /// What counts is what the agent made of it then.
    #[default]
    Nothing,
    /// It is as it was found.
    AsFound,
    /// The bytes that the last redefinition by others has left.
    Became(Box<[u8]>),
}
