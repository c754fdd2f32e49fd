//! Parts of records that are the same to write and to read.

use crate::tags::Tag;

/// The frame number of a root that is in no frame of its thread's trace.
pub const NO_FRAME: i32 = -1;

/// A root: why an object lives (facts D.3).
///
/// Threads are `JNIEnv*`; a frame is an index into that thread's trace in the
/// event, or [`NO_FRAME`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(
    missing_docs,
    reason = "the fields are what the first paragraph says of them"
)]
pub enum Root {
    /// Nobody knows.
    Unknown { object: usize },
    /// The JNI global reference of this number, that of JNI_GLOBALREF_ALLOC.
    JniGlobal { object: usize, reference: usize },
    /// A JNI local reference of a frame.
    JniLocal {
        object: usize,
        thread: usize,
        frame: i32,
    },
    /// A local variable or operand of a Java frame.
    JavaFrame {
        object: usize,
        thread: usize,
        frame: i32,
    },
    /// A word on a thread's native stack.
    NativeStack { object: usize, thread: usize },
    /// A class that is never unloaded.
    StickyClass { class: usize },
    /// Held by the thread itself, as its thread object.
    ThreadBlock { object: usize, thread: usize },
    /// Its monitor is in use.
    MonitorUsed { object: usize },
}

impl Root {
    /// The tag of its record.
    #[must_use]
    #[inline]
    pub const fn tag(self) -> Tag {
        match self {
            Self::Unknown { .. } => Tag::RootUnknown,
            Self::JniGlobal { .. } => Tag::RootJniGlobal,
            Self::JniLocal { .. } => Tag::RootJniLocal,
            Self::JavaFrame { .. } => Tag::RootJavaFrame,
            Self::NativeStack { .. } => Tag::RootNativeStack,
            Self::StickyClass { .. } => Tag::RootStickyClass,
            Self::ThreadBlock { .. } => Tag::RootThreadBlock,
            Self::MonitorUsed { .. } => Tag::RootMonitorUsed,
        }
    }
}

/// What a CLASS_DUMP says before its lists. Ids may be 0, except `class`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClassHead {
    /// The class itself.
    pub class: usize,
    /// Its superclass.
    pub superclass: usize,
    /// Its class loader.
    pub loader: usize,
    /// Its signers.
    pub signers: usize,
    /// Its protection domain.
    pub protection_domain: usize,
    /// Its name, a `String`; "reserved" before JDK 1.4.
    pub name: usize,
    /// The size of an instance in bytes.
    pub instance_size: u32,
}

/// Whose monitor (facts D.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MonitorId {
    /// An object's, by its id.
    Java(usize),
    /// A raw monitor.
    Raw {
        /// A `char*` that is valid while the agent reads the dump.
        name: usize,
        /// The `JVMPI_RawMonitor`.
        id: usize,
    },
}
